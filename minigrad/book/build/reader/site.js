// Questions: options become buttons, and a choice opens what answers the question. Players get a Play button.
// It changes what the page already holds, makes no HTML from text, asks nobody, and keeps nothing.
(function () {
  function element(name, text) {
    var made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function question(ask) {
    var answers = Array.from(document.querySelectorAll("details[data-answers]")).filter(function (fold) {
      return fold.dataset.answers === ask.dataset.ask;
    });
    var answer = answers.find(function (fold) { return fold.dataset.right; });
    if (!answer) return;
    var status = ask.querySelector("[role=status]"), verdict = element("p", "");
    answer.querySelector("summary").after(verdict);

    function choose(button) {
      var chosen = button.parentNode.dataset.option, right = chosen === answer.dataset.right;
      ask.querySelectorAll(".options button").forEach(function (one) {
        one.setAttribute("aria-pressed", one === button);
      });
      answer.querySelectorAll("[data-option]").forEach(function (row) {
        row.classList.toggle("chosen", row.dataset.option === chosen);
      });
      verdict.className = right ? "verdict right" : "verdict";
      var said = chosen.length > 1 ? "“" + chosen + "”" : chosen;
      verdict.textContent = (right ? "✓ Right: you chose " : "✗ You chose ") + said + ".";
      answers.forEach(function (fold) { fold.open = true; });
      var link = element("a", "the answer");
      link.href = "#" + answer.id;
      status.replaceChildren("You chose " + said + ". Read on: ", link, " is open below.");
    }

    ask.querySelectorAll(".options > li").forEach(function (row) {
      var button = element("button", "");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.append.apply(button, Array.from(row.childNodes));
      button.addEventListener("click", function () { choose(button); });
      row.append(button);
    });
    status.textContent = "Choose one, and the answer opens.";
  }

  function player(group) {
    var range = group.querySelector("input[type=range]"), timer = 0;
    if (!range || !range.oninput) return;
    var button = element("button", "▶ Play");
    button.type = "button";

    function stop() {
      clearInterval(timer);
      timer = 0;
      button.textContent = "▶ Play";
    }

    function step(to) {
      range.value = to;
      range.oninput();
      if (range.value === range.max) stop();
    }

    button.addEventListener("click", function () {
      if (timer) return stop();
      button.textContent = "❚❚ Pause";
      timer = setInterval(function () { step(Number(range.value) + 1); }, 1600);
      step(range.value === range.max ? 0 : Number(range.value) + 1);
    });
    range.parentNode.prepend(button);
  }

  function copyable(box) {
    var button = element("button", "Copy"), pre = box.querySelector("pre");
    button.type = "button";
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(pre.textContent.trimEnd() + "\n").then(
        function () { button.textContent = "Copied"; }, function () { button.textContent = "Select the text to copy it"; });
    });
    box.prepend(button);
  }

  // Who has no mouse scrolls a wide picture or table with the arrow keys, once it can have the focus.
  var scrolls = new ResizeObserver(function (changes) {
    changes.forEach(function (change) {
      var box = change.target;
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  });

  document.querySelectorAll(".contents details").forEach(function (fold) {
    fold.open = matchMedia("(min-width: 66rem)").matches;  // where there is room beside the text
  });
  document.querySelectorAll("[data-ask]").forEach(question);
  document.querySelectorAll(".mgplay").forEach(player);
  if (navigator.clipboard) document.querySelectorAll(".copy").forEach(copyable);
  document.querySelectorAll(".wide, .mgplay figure > div").forEach(function (box) { scrolls.observe(box); });
  document.querySelectorAll("form[role=search]").forEach(function (form) {
    form.addEventListener("submit", function () {  // an address has room for some thousand letters
      form.q.value = form.q.value.slice(-4000);
    });
  });
})();
