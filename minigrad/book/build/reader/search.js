// The search of the reader. It works on pages opened as files, asks nobody, and keeps nothing.
// search.py has the same lines in Python.
(function () {
  var index = window.READER_INDEX, most = 20, nearest = 3, ofQuery = 0.5, ofPage = 0.66;
  var field = document.getElementById("search-field"), list = document.getElementById("results");
  var status = document.getElementById("search-status");

  function words(text) {
    return Array.from(new Set(text.toLowerCase().match(/[a-z_]{2,}/g) || [])).sort();
  }

  function search(query) {
    var scores = new Map(), count = index.pages.length, whole = 0;
    words(query).forEach(function (word) {
      var known = Object.hasOwn(index.words, word) ? [word] : Object.keys(index.words).filter(
        function (one) { return word.length > 2 && one.startsWith(word); });
      var heaviest = known.length ? 0 : Math.pow(Math.log(1 + count), 2);
      known.forEach(function (one) {
        var found = index.words[one], weight = Math.pow(Math.log(1 + count / found.length), 2);
        heaviest = Math.max(heaviest, weight);
        found.forEach(function (at) { scores.set(at, (scores.get(at) || 0) + weight); });
      });
      whole += heaviest;
    });
    var fits = Array.from(scores.keys()).some(function (at) {
      var page = index.pages[at], isMessage = /^(Error|Warning)/.test(page[2]);
      return scores.get(at) >= ofQuery * whole
        || isMessage && scores.get(at) >= ofPage * Math.pow(page[4], 2);
    });
    function score(at) { return Number((scores.get(at) / index.pages[at][4]).toFixed(6)); }
    var best = Array.from(scores.keys()).sort(function (a, b) { return score(b) - score(a) || a - b; }), seen = new Set();
    var pages = best.filter(function (at) {  // a page may be known by several messages
      var url = index.pages[at][0], before = seen.has(url);
      seen.add(url);
      return !before;
    }).slice(0, fits ? most : nearest);
    return {pages: pages, fits: fits};
  }

  function show() {
    var query = field.value.slice(-20000).trim(), found = query ? search(query) : {pages: [], fits: false};
    list.replaceChildren.apply(list, found.pages.map(function (at) {
      var page = index.pages[at], item = document.createElement("li");
      var link = document.createElement("a"), about = document.createElement("p");
      link.href = page[0];
      link.textContent = page[1];
      about.textContent = page[2] + ": " + page[3];
      item.append(link, about);
      return item;
    }));
    status.textContent = !query ? "" : found.fits ? found.pages.length + " places, best first"
      : "Not here: no page of this book fits these words." + (found.pages.length ? " The nearest are:" : "");
  }

  field.value = new URLSearchParams(location.search).get("q") || "";
  field.addEventListener("input", show);
  field.form.addEventListener("submit", function (event) { event.preventDefault(); show(); });
  show();
})();
