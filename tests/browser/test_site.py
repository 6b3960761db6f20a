"""The site is read: opened as files in a browser without a network, by mouse and by keys.

The tests paste messages into the search (and compare with the search in Python), answer a prediction,
follow a word to the glossary and an error to the clinic, copy a measurement of a symptom page, look at narrow
and dark pages, at pictures beside those of other tools, at paper, and at pages without scripts. They also
turn the slides of the predictions, print the report of a class, and run axe on a page of each kind and on
every chapter.
"""
import json
import re

import pytest

from minigrad.book.build.reader import build_reader, search
from minigrad.book.build.report import as_html, gather
from minigrad.book.build.slides import slides
from minigrad.book.content.cases import CASES
from minigrad.book.content.chapters import CHAPTERS, of
from tests import ROOT
from tests.browser import Axe, expect

COPIED = """def contents(*tensors):
    return"""
QUERIES = ("RuntimeError: Trying to backward through the graph a second time, the buffers have been freed",
           "[torch.FloatTensor [64, 1]], which is output 0 of AsStridedBackward0, is at version 2; expected",
           "my loss doesn't fall", "loss is nan",
           "element 0 of tensors does not require grad", "leaf in-place", "Jacobi", "numpy",
           "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB")
MESSAGE = "RuntimeError: Trying to backward through the graph a second time"
PASTED = "The message or a whole traceback"
TYPED = ('<img src=x onerror="document.title=1">', "\"><script>document.title=1</script>",
           "javascript:alert(1)", "%00%ff", "__proto__ constructor toString", "\u202e\u2028", "(" * 3000,
           "a" * 300_000)
OPEN = "document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NUMBERS = [int(path.name[:2]) for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))]
AXE_LOOKS_AT = ["index", "error-freed", "belief-M13", "beliefs", "errors", "symptom-nan", "symptoms",
                "glossary", "pictures", "search", "slides/class",
                *(f"chapter-{number:02}" for number in NUMBERS)]
TITLES = {case.slug: case.title for case in CASES}


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory):
    """The folder of the site, which also has the slides of chapter 6 and the report of a class."""
    folder = tmp_path_factory.mktemp("site")
    build_reader(NUMBERS, folder / "reader")
    list(slides(6, folder / "reader/slides"))
    hand_in(folder / "handed_in")
    report = as_html(gather(folder / "handed_in"))
    (folder / "reader/slides/class.html").write_text(report, encoding="utf-8")
    return folder / "reader"


def hand_in(folder):
    """Write the progress of 30 learners, who together choose every option and make every known mistake."""
    asked = [one for number in CHAPTERS for one in of(number).QUESTIONS]
    tried = [one for number in CHAPTERS for one in of(number).EXERCISES]
    folder.mkdir()
    for learner in range(30):
        (folder / f"{learner}.json").write_text(json.dumps({
            "predictions": {one.id: {"choice": one.letters[learner % len(one.letters)]} for one in asked},
            "attempts": {one.id: {"tries": 1, "wrong": dict.fromkeys((wrong.says for wrong in one.wrong), "")}
                         for one in tried}}), encoding="utf-8")


@pytest.fixture
def reader(browser, site, shoot):
    """Opens pages of the site. None may ask for another address, or say anything in the console."""
    reader = Reader(browser, site, shoot)
    yield reader
    assert not reader.asked, f"it asked for {reader.asked}"
    assert not reader.complaints, f"the console says {reader.complaints}"


class Reader:
    """Opens pages of the site in a browser that has no network."""

    def __init__(self, browser, folder, shoot):
        self.browser, self.folder, self.shoot = browser, folder, shoot
        self.asked, self.complaints = [], []

    def open(self, name, width=1200, ending="", **options):
        context = self.browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options)
        context.route(lambda url: not url.startswith(("file:", "data:")),
                      lambda route: (self.asked.append(route.request.url), route.abort()))
        page = context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto((self.folder / name).as_uri() + ending)
        return page


def test_what_a_stranger_does_on_the_first_page(reader):
    page = reader.open("index.html")
    expect(page.locator("pre.error").first).to_contain_text(MESSAGE)
    answers(page, "front")
    player = page.locator(".mgplay")
    caption = player.locator("figcaption").filter(visible=True)
    before = caption.inner_text()
    player.get_by_role("button", name="Forward").click()
    assert caption.inner_text() != before, "the player doesn't move"
    player.get_by_role("button", name="Play").click()
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    player.get_by_role("slider").press("End")
    expect(player.get_by_role("button", name="Play")).to_be_visible(timeout=10_000)  # it stops at the end
    page.get_by_label(PASTED).fill(f"Traceback (most recent call last):\n{MESSAGE}")
    page.get_by_role("button", name="Find what it means").click()
    page.wait_for_url("**/search.html?q=*")
    expect(page.locator("#results a").first).to_have_attribute("href", "error-freed.html")
    page.context.close()


def test_the_first_screen_of_a_phone_shows_the_error_its_picture_and_a_question(reader):
    page = reader.open("index.html", 390, color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    for part in ("pre.error", ".freed img", '[data-ask="front"] [data-option="A"]'):
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    assert page.locator(".freed img").evaluate("image => image.naturalWidth") > 0
    reader.shoot(page, "phone")
    page.context.close()


def answers(page, key):
    """A question: its answer is closed, a choice by key opens it, and another choice changes what is said."""
    ask = page.locator(f'[data-ask="{key}"]')
    answer = page.locator(f'details[data-answers="{key}"][data-right]')
    right = answer.get_attribute("data-right")
    hidden = page.locator(f'details[data-answers="{key}"]')
    assert not any(hidden.evaluate_all("all => all.map(one => one.open)")), f"an answer to {key} is open"
    wrong = ask.locator(f'[data-option]:not([data-option="{right}"]) button').first
    wrong.press("Enter")
    expect(wrong).to_have_attribute("aria-pressed", "true")
    assert all(hidden.evaluate_all("all => all.map(one => one.open)")), f"a choice opens no answer to {key}"
    expect(answer.locator(".verdict")).to_contain_text("✗ You chose")
    ask.locator(f'[data-option="{right}"] button').click()
    expect(wrong).to_have_attribute("aria-pressed", "false")
    expect(answer.locator(".verdict")).to_have_text(f"✓ Right: you chose {right}.")
    ask.get_by_role("link", name="the answer").click()
    assert page.evaluate("location.hash").endswith(f"answer-{key}"), "the link to the answer leads nowhere"


def test_nothing_that_is_typed_becomes_a_part_of_a_page(reader):
    """Nothing that is typed, pasted or in an address becomes a part of the page."""
    for text in TYPED:
        page = reader.open("search.html")
        title = page.title()
        page.get_by_label("Paste an error message").fill(text)
        page.get_by_role("button", name="Search").last.click()
        expect(page.locator("#search-status")).not_to_be_empty()
        assert page.locator("main img, main script").count() == 0, f"{text[:40]!r} becomes a part of the page"
        assert page.title() == title, f"{text[:40]!r} runs"
        page.context.close()
    for ending in ("?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "?q=%E0%A4%A", "?q=a&q=b",
                   "?q=" + "%20" * 3000, "#<img src=x onerror=alert(1)>", "#answer-6.1", "#%"):
        for name in ("search.html", "index.html", "chapter-06.html"):
            page = reader.open(name, ending=ending)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            assert page.locator("img[src=x]").count() == 0, f"{ending} becomes a part of {name}"
            page.context.close()
    page = reader.open("index.html")
    page.get_by_label(PASTED).fill("lorem ipsum " * 200_000 + MESSAGE)
    page.get_by_role("button", name="Find what it means").click()
    page.wait_for_url("**/search.html?q=*")
    expect(page.locator("#results a").first).to_have_attribute("href", "error-freed.html")
    page.context.close()


def test_the_search_finds_what_it_finds_in_python(reader):
    page = reader.open("index.html")
    page.get_by_role("searchbox").fill(QUERIES[0])
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    field = page.get_by_label("Paste an error message")
    expect(page.locator("#results a").first).to_have_text(TITLES["freed"])
    expect(page.locator("#search-status")).to_contain_text("best first")
    text = (reader.folder / "search-index.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("var READER_INDEX = ").removesuffix(";\n"))
    for query in QUERIES:
        field.fill(query)
        urls = search.search(index, query)[0]
        found = page.locator("#results a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
        assert found == urls, f"{query!r} finds {found[:3]} in the page, {urls[:3]} in Python"
    expect(page.locator("#search-status")).to_contain_text("these words. The nearest are:")
    field.fill("zzz")
    expect(page.locator("#search-status")).to_have_text("Not here: no page of this book fits these words.")
    field.fill(QUERIES[1])
    reader.shoot(page, "search")
    page.locator("#results a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLES["version"])
    picture = page.locator("figure img")
    assert picture.evaluate("i => i.complete && i.naturalWidth > 100"), "the clinic has no picture"
    page.get_by_text("The picture in words").press("Enter")
    expect(page.locator("figure pre")).to_contain_text("[! problem]")
    expect(page.get_by_role("table")).to_contain_text("a second tensor of 8 bytes")
    reader.shoot(page, "clinic")
    page.context.close()


def test_the_slides_are_turned_and_count_votes(reader):
    for width, scheme in ((1280, "light"), (390, "dark")):
        page = reader.open("slides/06.html", width, color_scheme=scheme)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        shown = page.locator("section:not(:has(section))").filter(visible=True)
        for heading in ("On the board", "▶ Predict 6.1", "Vote on 6.1", "The answer to 6.1"):
            page.keyboard.press("ArrowRight")
            expect(shown).to_have_count(1)
            expect(shown.get_by_role("heading")).to_have_text(heading)
            assert page.evaluate(TOO_WIDE) <= 0, f"the slide {heading!r} is wider than {width}"
            reader.shoot(page, f"slides_{scheme}_{heading[-3:]}_{heading[:3].strip()}")
        expect(shown.locator(".right")).to_contain_text("✓ Right")
        page.get_by_role("button", name="Back").click()
        for field, hands in zip(shown.get_by_role("spinbutton").all(), "3612"):
            field.fill(hands)
        bars = shown.locator("i").evaluate_all("all => all.map(bar => bar.style.width)")
        assert bars[:3] == ["50%", "100%", "16.6667%"], f"the bars of 3, 6, 1 and 2 hands are {bars}"
        page.context.close()


def test_the_report_prints_each_lesson_on_one_page(reader):
    page = reader.open("slides/class.html")
    lessons = page.locator("h2").count()
    for paper in ("A4", "Letter"):
        pages = len(re.findall(rb"/Type /Page\b", page.pdf(format=paper, prefer_css_page_size=True)))
        assert pages == lessons > 15, (
            f"the report on {lessons} lessons is printed on {pages} pages of {paper}")
    page.context.close()


def test_a_chapter_is_read_by_keys(reader):
    page = reader.open("index.html")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the text")
    assert page.locator(":focus").bounding_box()["x"] >= 0, "the skip link can't be seen"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main", "the skip link leads nowhere"
    page.get_by_role("link", name="When the answer isn't one number").click()
    answers(page, "5.1")
    expect(page.locator("details.solution pre").first).to_be_hidden()
    page.locator("p.pointer a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLES["not-scalar"])
    page.go_back()
    word = page.locator("strong a.term").first
    name = word.inner_text()
    word.click()
    page.wait_for_url("**/glossary.html#*")
    expect(page.locator(":target")).to_have_text(name)
    page.context.close()


def test_a_symptom_leads_to_measurements_that_can_be_copied(reader):
    """From the first page to a symptom, a measurement to copy, and the cause that remains after a result."""
    page = reader.open("index.html", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("link", name="NaN after a while").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("NaN after a while")
    copies = page.locator(".copy")
    copies.first.get_by_role("button", name="Copy").click()
    expect(copies.first.get_by_role("button")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(COPIED), f"a measurement is copied as {copied!r}"
    program = page.locator(".copy:has(.numbered)").first
    program.get_by_role("button", name="Copy").click()
    expect(program.get_by_role("button")).to_have_text("Copied")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[:2] == ["import minigrad as torch", "torch.manual_seed(0)"], (
        f"a program is copied as {lines}")
    page.locator(".outcomes a").first.click()
    assert page.locator("h2:target").count() == 1, "a possible cause leads nowhere"
    reader.shoot(page, "symptom")
    page.context.close()
    page = reader.open("symptom-flat-loss.html", java_script_enabled=False)
    assert not page.get_by_role("button", name="Copy").count(), "there are buttons that do nothing"
    page.context.close()


def test_no_page_is_wider_than_its_window(reader):
    """No page is wider than its window, even at 320 CSS pixels: a window of 640 at 200 %."""
    for scheme, width in (("dark", 1200), ("light", 320)):
        page = reader.open("index.html", width, color_scheme=scheme)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        dark = sum(map(int, ground[4:-1].split(", "))) < 200
        assert dark == (scheme == "dark"), f"the {scheme} page has the ground {ground}"
        for path in sorted(reader.folder.glob("*.html" if width == 320 else "chapter*.html")):
            page.goto(path.as_uri())
            too_wide = page.evaluate(TOO_WIDE)
            assert too_wide <= 0, f"{path.name} is {too_wide} pixels too wide for {width}"
            broken = page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).length")
            assert not broken, f"{path.name} has {broken} pictures that don't show"
            if path.name.startswith("chapter"):
                reader.shoot(page, f"{path.stem}_{scheme}_{width}")
        page.context.close()


def test_pictures_beside_those_of_other_tools(reader):
    """Beside other tools, every picture shows, in both themes and at the width of a notebook."""
    for scheme in ("light", "dark"):
        page = reader.open("pictures.html", 1280, color_scheme=scheme)
        assert page.locator("h2[id]").count() == 11, "there are not ten models"
        page.get_by_text("As a notebook shows them").first.click()
        expect(page.locator("details[open] img").first).to_be_in_viewport()
        room = page.locator("details[open] .shown").evaluate_all("all => all.map(one => one.clientWidth)")
        # a notebook's width, less a scroll bar
        assert min(room) >= 1043, f"the pictures have less room than in a notebook: {room}"
        assert page.evaluate(TOO_WIDE) <= 0, "the page with the pictures is too wide"
        reader.shoot(page, f"pictures_{scheme}")
        page.context.close()


def test_on_paper_and_without_scripts(reader):
    page = reader.open("chapter-04.html")
    page.emulate_media(media="print")
    expect(page.get_by_role("searchbox")).to_be_hidden()
    expect(page.locator("details.compare p").nth(1)).to_be_visible()  # a printed page holds the answers, too
    page.context.close()
    page = reader.open("chapter-06.html", java_script_enabled=False)
    assert not page.locator(".options button").count(), "there are buttons that do nothing"
    fold = page.locator("#answer-6\\.1")
    expect(fold.locator("p").first).to_be_hidden()
    fold.locator("summary").click()
    expect(fold.locator("p").first).to_contain_text("It is B")
    page.context.close()
    page = reader.open("search.html", java_script_enabled=False)
    page.get_by_role("main").get_by_role("link", name="error clinic").click()
    expect(page.get_by_role("main")).to_contain_text("grad can be implicitly created only for scalar outputs")
    page.context.close()


@pytest.mark.parametrize("name", AXE_LOOKS_AT)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing(reader, name, scheme, width):
    """With all folds open."""
    page = reader.open(f"{name}.html", width, color_scheme=scheme)
    page.evaluate(OPEN)
    # Only violations are asked for: naming what each rule has found right takes twice the time of the rules.
    found = Axe().run(page, options={"preload": False, "resultTypes": ["violations"]})
    assert not found.violations_count, found.generate_report()
    page.context.close()
