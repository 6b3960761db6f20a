"""The reader: a website of the chapters that needs no network and no kernel, and that anybody can read."""
from __future__ import annotations

import json
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import minigrad as torch
from minigrad.book.build.reader import build_reader, markdown, site
from minigrad.book.build.reader.clinic import slug_of
from minigrad.book.build.reader.code import listing
from minigrad.book.build.reader.links import linked
from minigrad.book.build.reader.outputs import ERROR, PICTURE, Pictures, error, output, tidy
from minigrad.book.build.reader.search import search
from minigrad.book.cases import CASES
from minigrad.book.chapters import exercise, of, question
from minigrad.book.exercises import NOTEBOOKS
from minigrad.book.glossary import GLOSSARY
from minigrad.book.markup import plain
from minigrad.book.misconceptions import BELIEFS
from minigrad.viz import draw, play
from minigrad.viz.image import OPENS, slim

NUMBERS = [int(path.name[:2]) for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))]
VOID = set("area base br col embed hr img input link meta source track wbr".split())
OUTSIDE = re.compile(r"(?:https?:)?//|ftp:", re.IGNORECASE)

LEADS = ("src", "href", "action", "srcset", "data", "poster")
ASKS = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import|XMLHttpRequest|\bfetch\(|xlink:href=\"http")


# --- without pandoc: the pieces

def test_every_word_is_unique_and_leads_somewhere():
    names = {term.name for term in GLOSSARY}
    assert len(names) == len(GLOSSARY) == len({term.anchor for term in GLOSSARY})
    assert all(name in names for term in GLOSSARY for name in term.see)
    forms = [form.lower() for term in GLOSSARY for form in (term.name, *term.forms)]
    assert len(set(forms)) == len(forms)
    assert all(term.meaning.endswith(".") and len(term.meaning) < 260 for term in GLOSSARY)


def test_words_are_linked_once_and_where_they_are_bold():
    html = linked("<p>A leaf, a <code>leaf</code>, then a <strong>leaf</strong> and leaves.</p>", ())
    assert html.count("<a ") == 1
    assert '<strong><a class="term" href="glossary.html#leaf">leaf</a></strong>' in html
    assert linked("<p>Two leaves. A leaf.</p>", ()) == (
        '<p>Two <a class="term" href="glossary.html#leaf">leaves</a>. A leaf.</p>')
    assert linked("<p><code>no_grad</code></p><pre><code>no_grad</code></pre>", ()) == (
        '<p><code><a class="term" href="glossary.html#no-grad">no_grad</a></code></p>'
        "<pre><code>no_grad</code></pre>")
    untouched = ("<h2>A leaf</h2><pre>leaf</pre><a href='x'>leaf</a>"
                 "<p>leaflet, my-leaf, leaf.grad, in place of, it leaves a</p>")
    assert linked(untouched, ()) == untouched


def test_chapters_and_misconceptions_are_linked_if_they_are_there():
    text = "<p>From chapters 3, 4 and 6, (M12), chapter 7; M99.</p>"
    html = linked(text, [3, 4, 6], here=6)
    assert html == ('<p>From <a href="chapter-03.html">chapters 3</a>, <a href="chapter-04.html">4</a> and '
                    '6, (<a href="beliefs.html#M12">M12</a>), chapter 7; M99.</p>')


def test_a_picture_is_a_file_with_words_beside_it(tmp_path):
    pictures, svg = Pictures(tmp_path), '<svg width="300pt" height="150pt"></svg>'
    for _ in range(2):
        html = pictures.figure(svg, "Graph behind <y>\nn0 leaf x")
    file, = (tmp_path / "pictures").iterdir()
    assert file.read_text(encoding="utf-8") == svg
    assert f'<img src="pictures/{file.name}" alt="Graph behind &lt;y&gt; The words below' in html
    assert 'width="400" height="200"' in html
    assert "<pre>Graph behind &lt;y&gt;\nn0 leaf x</pre>" in html


def test_a_drawing_of_a_notebook_is_a_file_that_opens_large(tmp_path):
    drawn = draw(torch.tensor(2., requires_grad=True).exp())
    for data in (drawn._repr_mimebundle_(), {"text/html": f"<p>words</p>{drawn.html}<p>more</p>"}):
        html = output({"output_type": "display_data", "data": data}, Pictures(tmp_path))
        [file] = (tmp_path / "pictures").iterdir()
        assert file.read_text("utf-8") == slim(drawn.svg)
        assert f'<img src="pictures/{file.name}"' in html and OPENS in html and "base64" not in html


def test_errors_lead_to_the_clinic(tmp_path):
    message = "RuntimeError: grad can be implicitly created only for scalar outputs"
    assert 'href="error-not-scalar.html"' in error(message)
    stream = {"output_type": "stream", "text": [f"before\n{message}\n{message}\n"]}
    printed = output(stream, Pictures(tmp_path))
    assert printed.count('href="error-not-scalar.html"') == 1
    assert "clinic" not in error("ValueError: 4 < 5")
    assert "4 &lt; 5" in error("ValueError: 4 < 5")


def test_what_was_made_for_a_notebook_is_tidied(tmp_path):
    assert tidy('<pre role="a">a</pre><table><tbody></tbody></table>', Pictures(tmp_path)) == (
        '<pre role="a" class="said">a</pre><div class="wide"><table><tbody></tbody></table></div>')


def test_code_is_escaped_and_numbered():
    html = listing('x = "<b>"\n\ny = 3', numbered=True)
    assert html.count('<span class="line">') == 3
    assert "<b>" not in html
    assert site.plain(html) == 'x = "<b>"y = 3'


def test_callouts_and_tables_are_marked():
    html = markdown.polished("<blockquote>\n<p><strong>⚠ Trap</strong> no</p></blockquote>")
    assert html == '<blockquote class="trap"><p><strong>⚠ Trap</strong> no</p></blockquote>'
    html = markdown.polished('<table style="width:9%"><th>a</th></table>')
    assert html == '<div class="wide"><table style="width:9%"><th scope="col">a</th></table></div>'
    html = markdown.words("`a < b` and **c**, 2 ** 3")
    assert html == "<code>a &lt; b</code> and <strong>c</strong>, 2 ** 3"


def test_without_pandoc_one_line_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    with pytest.raises(ImportError, match="^the reader needs pandoc: pip install -r requirements-"):
        build_reader(NUMBERS[:1], tmp_path)


# --- a reader to hand out

def lines_of_solutions():
    """(chapter, line) of code that is in a solution, and in no other cell, question or hint."""
    solved, rest = [], []
    for number in NUMBERS:
        cells = json.loads(next(NOTEBOOKS.glob(f"{number:02}_*.ipynb")).read_text("utf-8"))["cells"]
        for cell in cells:
            lines = [line.strip() for line in "".join(cell["source"]).splitlines()]
            if "solution" in cell["metadata"].get("tags", ()):
                solved += [(number, line) for line in lines if not line.startswith("### ")]
            else:
                rest += lines
        rest += [plain(hint) for one in of(number).EXERCISES for hint in one.hints]
        rest += [asked.text for asked in of(number).QUESTIONS]
    return [(number, line) for number, line in solved if len(line) > 12 and line not in "\n".join(rest)]


def test_a_reader_to_hand_out_tells_no_solution(folder, tmp_path):
    build_reader(NUMBERS, tmp_path, solutions=False)
    lines = lines_of_solutions()
    assert {number for number, _ in lines} == set(NUMBERS)
    for number, line in lines:
        name = f"chapter-{number:02}.html"
        assert " ".join(line.split()) in site.plain((folder / name).read_text("utf-8")), line
        for there in (name, "search-index.js"):
            assert line not in site.plain((tmp_path / there).read_text("utf-8")), (there, line)
    for number in NUMBERS:
        text = (tmp_path / f"chapter-{number:02}.html").read_text(encoding="utf-8")
        assert "One way to do" not in text
        assert "people often give" not in text
        for one in of(number).EXERCISES:
            assert f"Hint 1 for {one.id}" in text


def test_no_solutions_lie_beside_the_reader_that_has_them(tmp_path):
    pytest.importorskip("pypandoc", reason="pip install -r requirements-handouts.txt")
    from minigrad.book.build.plan import build
    build(["0"], "reader", tmp_path, solutions=False, tell=lambda line: None)
    assert [path.name for path in tmp_path.iterdir()] == ["reader-no-solutions"]
    with pytest.raises(ValueError, match="^--no-solutions is about the reader, which isn't asked for$"):
        build(["0"], "student", tmp_path, solutions=False)


def test_a_warning_that_a_chapter_prints_is_found(folder):
    text = (folder / "search-index.js").read_text("utf-8").removeprefix("var READER_INDEX = ")
    urls, fits = search(json.loads(text.removesuffix(";\n")), "UserWarning: The .grad attribute of a Tensor "
                        "that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated")
    assert urls[0].startswith("chapter-02.html#")
    assert fits


# --- the whole

@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("pypandoc", reason="pip install -r requirements-handouts.txt")
    folder = tmp_path_factory.mktemp("reader")
    files = build_reader(NUMBERS, folder)
    assert sorted(files) == sorted(path for path in folder.rglob("*") if path.is_file())
    assert files[0].name == "index.html"
    return folder


@pytest.fixture(scope="module")
def pages(folder):
    return {path.name: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.html"))}


class Page(HTMLParser):
    """A page taken apart: its tags in order, ids, and whether every tag was closed where it should be."""

    def __init__(self, text):
        super().__init__()
        self.text, self.tags, self.open, self.wrong = text, [], [], []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes), tuple(self.open)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def all(self, *names):
        return [(attributes, above) for tag, attributes, above in self.tags if tag in names]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes, _ in self.tags if attributes.get("id")]


def test_there_is_a_page_for_everything(pages):
    wanted = {f"chapter-{number:02}.html" for number in NUMBERS}
    wanted |= {f"error-{case.slug}.html" for case in CASES}
    wanted |= {"index.html", "errors.html", "glossary.html", "beliefs.html", "pictures.html",
               "search.html"}
    assert set(pages) == wanted


def test_every_page_is_well_formed(pages):
    assert {name: page.wrong for name, page in pages.items() if page.wrong} == {}


def test_no_link_is_dead(pages, folder):
    dead = []
    for name, page in pages.items():
        for attributes, _ in page.all("a", "link", "script", "img", "form"):
            to = attributes.get("href") or attributes.get("src") or attributes.get("action") or ""
            if to.startswith("data:") or not to:
                continue
            file, _, anchor = to.partition("#")
            file = file or name
            if not (folder / file).is_file() or anchor and anchor not in pages[file].ids:
                dead.append((name, to))
    index = json.loads((folder / "search-index.js").read_text("utf-8").removeprefix("var READER_INDEX = ")
                       .removesuffix(";\n"))
    for url, *_ in index["pages"]:
        file, _, anchor = url.partition("#")
        if file not in pages or anchor and anchor not in pages[file].ids:
            dead.append(("search-index.js", url))
    assert dead == []


def test_no_page_asks_the_network_for_anything(pages, folder):
    asks = []
    for name, page in pages.items():
        for tag, attributes, _ in page.tags:
            asks += [(name, tag, value[:60]) for key, value in attributes.items()
                     if key in LEADS and OUTSIDE.match(value or "")]
    for path in [*folder.glob("*.css"), *folder.glob("*.js"), *folder.glob("*.html"), *folder.rglob("*.svg")]:
        text = path.read_text(encoding="utf-8")
        asks += [(path.name, found[0]) for found in ASKS.finditer(text)]
    assert asks == []


def test_headings_and_landmarks(pages):
    for name, page in pages.items():
        levels = [int(tag[1]) for tag, _, _ in page.tags if re.fullmatch("h[1-6]", tag)]
        assert levels.count(1) == 1, name
        assert levels[0] == 1, name
        assert all(after <= before + 1 for before, after in zip(levels, levels[1:])), name
        for landmark in ("main", "header", "footer"):
            assert len(page.all(landmark)) == 1, (name, landmark)
        assert all("aria-label" in attributes for attributes, _ in page.all("nav")), name
        assert page.all("html")[0][0]["lang"] == "en"
        assert page.all("a")[0][0]["href"] == "#main", name
        assert page.all("title"), name


def test_names_for_everything_that_is_seen_or_used(pages):
    for name, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), name
        assert all(attributes.get("alt") for attributes, _ in page.all("img")), name
        labelled = {attributes["for"] for attributes, _ in page.all("label")}
        for attributes, _ in page.all("input"):
            assert attributes.get("aria-label") or attributes["id"] in labelled, name
        assert all(attributes.get("scope") for attributes, _ in page.all("th")), name


@pytest.mark.parametrize("number", NUMBERS)
def test_a_chapter_keeps_what_it_teaches(number, pages):
    page = pages[f"chapter-{number:02}.html"]
    text, words = re.sub(r"\s+", " ", page.text), site.plain(page.text)
    for asked in of(number).QUESTIONS:
        options = [attributes for attributes, _ in page.all("details")
                   if attributes.get("name") == f"predict-{asked.id}"]
        assert len(options) == len(asked.letters)
        assert not any("open" in attributes for attributes in options)
        for letter in asked.letters:
            assert site.plain(markdown.words(asked.option(letter).says)) in words
        assert f"<summary>Compare with your prediction {asked.id}</summary>" in text
    for one in of(number).EXERCISES:
        assert site.plain(f"Hint 2 for {one.id}{markdown.words(one.hints[1])}") in words
        assert f'<details class="solution"><summary>One way to do {one.id}</summary>' in page.text
    assert "### BEGIN" not in text
    assert "no prediction yet" not in text
    assert "For the teacher" not in text
    assert "ipywidgets" not in text


@pytest.mark.parametrize("number", NUMBERS)
def test_a_chapter_shows_what_its_cells_showed(number, pages):
    page = pages[f"chapter-{number:02}.html"]
    cells = json.loads(next(NOTEBOOKS.glob(f"{number:02}_*.ipynb")).read_text("utf-8"))["cells"]
    seen, known = site.plain(page.text), 0
    for cell in cells:
        if {"predict", "reveal", "judge", "check"} & set(cell["metadata"].get("tags", ())):
            continue
        for one in cell.get("outputs", ()):
            if one["output_type"] == "error":
                assert " ".join(one["evalue"].split()) in seen
                known += bool(slug_of(f"{one['ename']}: {one['evalue']}"))
            elif one["output_type"] == "stream":
                assert " ".join("".join(one["text"]).split()) in seen
                known += any(map(slug_of, filter(ERROR.match, "".join(one["text"]).splitlines())))
            elif "image/svg+xml" not in one["data"] and "text/html" not in one["data"]:
                assert " ".join("".join(one["data"]["text/plain"]).split()) in seen
    assert page.text.count('class="pointer"') >= known, "the error clinic is near each error it knows"
    shown = [one.get("data", {}) for cell in cells for one in cell.get("outputs", ())]
    drawn = sum("image/svg+xml" in data or bool(PICTURE.fullmatch("".join(data.get("text/html", ""))))
                for data in shown)
    assert page.text.count('<figure class="picture">') == drawn


def test_a_player_plays_in_a_page(tmp_path):
    """Its slider and its buttons are part of what the cell showed, and need no kernel."""
    x = torch.tensor(3., requires_grad=True)
    shown = {"output_type": "execute_result", "data": play(x * x)._repr_mimebundle_()}
    html = output(shown, Pictures(tmp_path))
    assert 'class="mgplay"' in html and 'type="range"' in html and "<button" in html


def test_formulas_are_mathml(pages):
    formulas = pages["chapter-05.html"]
    assert formulas.all("math")
    assert "$$" not in formulas.text
    assert '<mrow class="bracketed">' in formulas.text


def test_bold_words_lead_to_the_glossary(pages):
    found = re.findall(r'<strong><a class="term" href="glossary.html#([\w-]+)">', "".join(
        pages[f"chapter-{number:02}.html"].text for number in NUMBERS))
    assert {"tensor", "leaf", "graph", "jacobian", "vector-jacobian-product"} <= set(found)


def test_each_false_belief_is_answered_and_leads_to_its_chapters(pages):
    """Traps carry their belief in a tag, answers in the data; a learner reads no codes in a chapter."""
    text = pages["beliefs.html"].text
    for key, belief in BELIEFS.items():
        row = re.search(f'<li id="{key}".*?</li>', text, re.DOTALL)[0]
        assert f"“{belief.name}” {belief.truth} " in unescape(re.sub("<[^>]+>", "", row))
    traps = re.search('<li id="M47".*?</li>', text)[0]
    assert 'href="chapter-02.html"' in traps and "chapter 7" not in traps
    assert 'href="beliefs.html#M12"' in pages["chapter-06.html"].text
    assert not re.search(r">[^<]*\bM\d{2,3}\b", "".join(pages[f"chapter-{number:02}.html"].text
                                                     for number in NUMBERS))


def test_a_cell_that_is_folded_because_it_tells_an_answer_is_folded_here(tmp_path):
    from minigrad.book.build.reader.chapter import code_cell

    cell = {"cell_type": "code", "source": "secret = 42", "outputs": [],
            "metadata": {"jupyter": {"source_hidden": True}}}
    html = code_cell(cell, Pictures(tmp_path))
    code = re.search("<details[^>]*><summary>The code of this cell.*?</details>", html, re.DOTALL)[0]
    assert "secret" in code and "secret" not in html.replace(code, "")


def test_a_page_asks_for_nothing_that_a_notebook_alone_can_do(pages):
    chapters = {number: pages[f"chapter-{number:02}.html"].text for number in NUMBERS}
    asked = {number for number in NUMBERS
             if "✎ Your caption" in next(NOTEBOOKS.glob(f"{number:02}_*.ipynb")).read_text("utf-8")}
    assert len(asked) > 10
    assert {number for number, text in chapters.items() if "Your caption" in text} == asked
    assert not any("ouble-click" in text for text in chapters.values())


def test_common_answers_are_answered():
    from minigrad.book.build.reader.chapter import helps, prediction
    html = helps(exercise("6b"))
    assert "<code>[30, 10, 40, 30, 10]</code>" in html
    assert 'href="beliefs.html#M02"' in html
    assert "None" not in helps(exercise("8b"))
    html = prediction(question("6.1"))
    assert html.count("✓ Right.") == 1
    assert html.count("✗ No.") == 3


def test_it_is_the_same_when_it_is_made_again(folder, tmp_path):
    build_reader(NUMBERS, tmp_path)
    for path in folder.rglob("*.*"):
        assert (tmp_path / path.relative_to(folder)).read_bytes() == path.read_bytes(), path.name


def test_some_chapters_alone_have_no_dead_links(folder, tmp_path):
    build_reader([6], tmp_path)
    names = {path.name for path in tmp_path.glob("*.html")}
    for path in tmp_path.glob("*.html"):
        for file in re.findall(r'href="([\w-]+\.html)', path.read_text(encoding="utf-8")):
            assert file in names, (path.name, file)


def test_the_style_sheet_cares_for_everybody():
    style = (Path(site.__file__).parent / "reader.css").read_text(encoding="utf-8")
    for part in ("prefers-color-scheme: dark", "@media print", ":focus-visible", ".skip:focus"):
        assert part in style
    assert not re.search(r"\btransition|\banimation", style)
    light, dark = (dict(re.findall(r"--(\w+): (#[0-9a-f]+)", block))
                   for block in style.split("@media", 2)[:2])
    for theme in (light, dark):
        for name in set(theme) - {"paper", "plate", "line"}:
            assert contrast(theme[name], theme["paper"]) >= 4.5, name
            assert contrast(theme[name], theme["plate"]) >= 4.5, name


def contrast(one, other):
    lights = sorted(map(luminance, (one, other)), reverse=True)
    return (lights[0] + 0.05) / (lights[1] + 0.05)


def luminance(colour):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                        for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
