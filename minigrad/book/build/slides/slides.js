// Turns the slides by keys, buttons and the address; draws the bars of a vote. Without it all slides stand below
// each other.
(function () {
  var slides = Array.from(document.querySelectorAll("section")).filter(function (one) {
    return !one.querySelector("section");
  });
  var back = document.getElementById("back"), next = document.getElementById("next");
  var at = 0, smallest = 18;

  function show(wanted, quiet) {
    at = Math.max(0, Math.min(slides.length - 1, wanted));
    slides.forEach(function (slide, number) { slide.hidden = number !== at; });
    back.disabled = at === 0;
    next.disabled = at === slides.length - 1;
    document.getElementById("place").textContent = (at + 1) + " of " + slides.length;
    var heading = slides[at].querySelector("h1");
    heading.tabIndex = -1;
    if (!quiet) { heading.focus(); history.replaceState(null, "", "#" + (at + 1)); }
    fit();
    scrollTo(0, 0);
  }

  function fit() {  // letters as large as the slide has room for, but not too small; what has no room scrolls
    var slide = slides[at], page = document.documentElement, size = 1;
    var parts = Array.from(slide.querySelectorAll("*")).filter(function (part) { return part.textContent; });
    slide.style.fontSize = "";
    while (innerWidth > 800 && page.scrollHeight > innerHeight && size > 0.5) {
      size -= 0.02;
      slide.style.fontSize = size + "em";
      if (parts.some(function (part) { return parseFloat(getComputedStyle(part).fontSize) < smallest; })) {
        slide.style.fontSize = size + 0.02 + "em";
        return;
      }
    }
  }

  function bars(list) {
    var fields = Array.from(list.querySelectorAll("input"));
    var most = Math.max.apply(null, fields.map(function (field) { return Number(field.value); }));
    fields.forEach(function (field) {
      field.nextElementSibling.style.width = most ? 100 * Number(field.value) / most + "%" : 0;
    });
  }

  document.body.classList.add("scripted");
  back.addEventListener("click", function () { show(at - 1); });
  next.addEventListener("click", function () { show(at + 1); });
  document.addEventListener("input", function (event) { bars(event.target.closest("ul")); });
  addEventListener("resize", fit);
  addEventListener("hashchange", function () { show(Number(location.hash.slice(1)) - 1); });
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, button")
        && event.key !== "PageDown" && event.key !== "PageUp") { return; }
    var wanted = {ArrowRight: at + 1, PageDown: at + 1, " ": at + 1, ArrowLeft: at - 1, PageUp: at - 1, Home: 0,
                  End: slides.length - 1}[event.key];
    if (wanted !== undefined) { event.preventDefault(); show(wanted); }
    if (event.key === "f" || event.key === "F") {
      document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    }
  });
  show((Number(location.hash.slice(1)) || 1) - 1, true);
})();
