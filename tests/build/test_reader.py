"""The site: chapters, errors and misconceptions, without a network or a kernel, for anybody to read."""
from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from minigrad.book.build.reader import build_reader, markdown, search, site
from minigrad.book.build.reader.clinic import slug_of
from minigrad.book.build.reader.shown_outputs import ERROR, PICTURE
from minigrad.book.classroom.helping import NOTEBOOKS
from minigrad.book.classroom.markup import plain
from minigrad.book.content.cases import CASES
from minigrad.book.content.cases.symptoms import SYMPTOMS
from minigrad.book.content.chapters import of
from minigrad.book.content.misconceptions import BELIEFS
from tests.helpers.answered_early import OpenText, answered_early
from tests.helpers.foreign_errors import FOREIGN

NUMBERS = [int(path.name[:2]) for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))]
VOID = set("area base br col embed hr img input link meta source track wbr".split())
OUTSIDE = re.compile(r"(?:https?:)?//|ftp:", re.IGNORECASE)

LEADS = ("src", "href", "action", "srcset", "data", "poster")
ASKS = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import|XMLHttpRequest|\bfetch\(|xlink:href=\"http")


# --- a site to hand out

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
    build(["0"], "site-no-solutions", tmp_path, tell=lambda line: None)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".made.json", "site-no-solutions"]


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
    wanted |= {f"belief-{key}.html" for key in BELIEFS}
    wanted |= {f"symptom-{symptom.slug}.html" for symptom in SYMPTOMS}
    wanted |= {"index.html", "errors.html", "symptoms.html", "glossary.html", "beliefs.html", "pictures.html",
               "search.html"}
    assert set(pages) == wanted


def test_nothing_open_answers_a_question_before_it_is_asked(folder):
    assert list(map(str, answered_early(folder))) == []


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


@pytest.fixture(scope="module")
def searched(folder):
    text = (folder / "search-index.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("var READER_INDEX = ").removesuffix(";\n"))


@pytest.mark.parametrize("name, section", [
    ("take_step", "chapter-02.html#the-second-step"),
    ("named_parameters", "chapter-12.html#a-loss-that-falls"),
    ("randperm", "chapter-10.html#the-same-five-lines")])
def test_a_function_that_only_a_program_names_is_found(name, section, searched):
    urls, fits = search.search(searched, name)
    assert section in urls
    assert fits


@pytest.mark.parametrize("query", FOREIGN)
def test_the_search_of_the_whole_site_says_when_nothing_fits(query, searched):
    assert not search.search(searched, query)[1]


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
        for attributes, _ in page.all("input", "textarea"):
            assert attributes.get("aria-label") or attributes["id"] in labelled, name
        assert all(attributes.get("scope") for attributes, _ in page.all("th")), name


@pytest.mark.parametrize("number", NUMBERS)
def test_a_chapter_keeps_what_it_teaches(number, pages):
    page = pages[f"chapter-{number:02}.html"]
    text, words = re.sub(r"\s+", " ", page.text), site.plain(page.text)
    for asked in of(number).QUESTIONS:
        group = page.text[page.text.index(f'data-ask="{asked.id}"'):]
        options = re.findall('data-option="(.)"', group[:group.index("</menu>")])
        assert options == list(asked.letters)
        answer, = (attributes for attributes, _ in page.all("details")
                   if attributes.get("id") == f"answer-{asked.id}")
        assert answer["data-right"] == asked.right and "open" not in answer
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


def test_formulas_are_mathml(pages):
    formulas = pages["chapter-05.html"]
    assert formulas.all("math")
    assert "$$" not in formulas.text
    assert '<mrow class="bracketed">' in formulas.text


def test_bold_words_lead_to_the_glossary(pages):
    found = re.findall(r'<strong><a class="term" href="glossary.html#([\w-]+)">', "".join(
        pages[f"chapter-{number:02}.html"].text for number in NUMBERS))
    assert {"tensor", "leaf", "graph", "jacobian", "vector-jacobian-product"} <= set(found)


def test_each_false_belief_has_a_page_that_answers_it_and_leads_to_its_chapters(pages):
    """Traps carry their belief in a tag, answers in the data; a learner reads no codes in a chapter."""
    for key, belief in BELIEFS.items():
        page = pages[f"belief-{key}.html"]
        words = site.plain(page.text)
        assert f"“{belief.name}”" in words and belief.truth in words
        assert f'href="belief-{key}.html"' in pages["beliefs.html"].text
    assert 'href="chapter-02.html"' in pages["belief-M47.html"].text
    assert 'href="chapter-06.html#ask-6.3"' in pages["belief-M13.html"].text
    assert 'href="belief-M12.html"' in pages["chapter-06.html"].text
    assert not re.search(r">[^<]*\bM\d{2,3}\b", "".join(page.text for page in pages.values()))


def test_a_truth_is_closed_where_a_question_asks_for_it(pages):
    tested = [key for key in BELIEFS if "data-ask" in pages[f"belief-{key}.html"].text]
    assert len(tested) > 70
    for key, belief in BELIEFS.items():
        assert (belief.truth in OpenText(pages[f"belief-{key}.html"].text).text) == (key not in tested), key


def test_a_page_asks_for_nothing_that_a_notebook_alone_can_do(pages):
    chapters = {number: pages[f"chapter-{number:02}.html"].text for number in NUMBERS}
    asked = {number for number in NUMBERS
             if "✎ Your caption" in next(NOTEBOOKS.glob(f"{number:02}_*.ipynb")).read_text("utf-8")}
    assert len(asked) == 6
    assert {number for number, text in chapters.items() if "Your caption" in text} == asked
    assert not any("ouble-click" in text for text in chapters.values())


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
