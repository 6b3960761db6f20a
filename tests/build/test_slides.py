"""The slides of the predictions: made by nbconvert's slide export, and shown without a network."""
import re
import shutil
from html import escape
from html.parser import HTMLParser

import pytest

from minigrad.book.build.blanks import LAYOUTS, drawn
from minigrad.book.build.counting import is_of_the_clinic
from minigrad.book.build.lessons import lesson
from minigrad.book.build.one_page import summary
from minigrad.book.build.pages import cells as cells_of
from minigrad.book.build.pages import changes, exit_ticket, gives, quoted, takes
from minigrad.book.build.pages import load as stored
from minigrad.book.build.plan import build
from minigrad.book.build.slides import notebook
from minigrad.book.build.slides.shown import scale
from minigrad.book.build.votes import choices, lines_in, lines_of_questions
from minigrad.book.classroom.markup import marked_up
from minigrad.book.content.chapters import CHAPTERS, of
from tests.helpers.stored_chapters import OURS, source, tags


class Slides(HTMLParser):
    """The innermost sections of a page, as HTML, and how deep each of them is."""

    def __init__(self, html):
        super().__init__(convert_charrefs=False)
        self.depth, self.found, self.html = 0, [], html
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        if tag == "section":
            self.depth += 1
            if self.depth == 2:
                self.start = self.getpos()

    def handle_endtag(self, tag):
        if tag == "section":
            if self.depth == 2:
                self.found.append(self.between(self.start, self.getpos()))
            self.depth -= 1

    def between(self, start, end):
        lines = self.html.split("\n")
        at = [sum(len(line) + 1 for line in lines[:row - 1]) + column for row, column in (start, end)]
        return self.html[slice(*at)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    pytest.importorskip("nbconvert")
    folder = tmp_path_factory.mktemp("slides")
    build([], "slides", folder, tell=lambda line: None)
    return {number: (folder / f"slides/{number:02}.html").read_text(encoding="utf-8") for number in CHAPTERS}


@pytest.mark.parametrize("number", CHAPTERS)
def test_each_prediction_is_asked_voted_on_and_answered(number, pages):
    slides = Slides(pages[number])
    assert slides.depth == 0
    first, *rest = slides.found
    assert '<h1 class="title">' in first
    assert pages[number].count("<h1") == len(slides.found)  # each slide has its heading
    starts = [at for at, slide in enumerate(rest) if "▶ Predict" in slide]
    voted = lesson(number).voted()
    assert len(starts) == len(voted)
    for at, asked in zip(starts, voted, strict=True):
        question, vote, answer = rest[at:at + 3]
        words = question.partition("</h1>")[2].partition('<ul class="options">')[0]
        assert f"▶ Predict {asked.id}" in question
        assert words.strip() and words in vote  # the question stays
        for letter in asked.letters:
            option = asked.option(letter)
            shown = f"<b>{letter}</b> <span>"
            assert shown + marked_up(option.text) in question
            assert vote.count(shown) == 1
            says = marked_up(option.says)
            assert not [slide for slide in rest[:at + 2] if says in slide]  # nothing is told before the vote
            sign = "✓ Right: " if option.right else "✗ "
            assert f"{shown}{sign}{marked_up(option.text)}<small>{says}" in answer
        assert vote.count('type="number"') == len(asked.letters)
        assert answer.count('class="right"') == 1
        assert "Right" not in question + vote


@pytest.mark.parametrize("number", OURS)
def test_the_slides_show_the_opening_the_picture_the_rules_the_error_and_the_ticket(number, pages):
    slides = Slides(pages[number]).found
    heads = [re.search("<h1[^>]*>(.*?)</h1>", slide)[1] for slide in slides]
    assert heads[1] == "On the board" and "<pre>" in slides[1]
    cells = stored(number)["cells"]
    first = next(at for at, cell in enumerate(cells) if "predict" in tags(cell))
    shows = any(cell.get("outputs") and "setup" not in tags(cell) for cell in cells[:first])
    assert not shows or "<img" in slides[1] or slides[1].count("<pre>") == 2  # with what it shows
    assert heads[-2:] == ["Exit ticket", "The answer to the exit ticket"]
    ticket, answer = exit_ticket(cells_of(stored(number)), number)  # the one on the sheet
    assert marked_up(ticket) in slides[-2] and marked_up(answer) in slides[-1]
    assert not any(re.search(asked.told, ticket) for asked in of(number).QUESTIONS)
    texts = [source(cell) for cell in stored(number)["cells"] if cell["cell_type"] == "markdown"]
    assert heads.count("◆ Rule") == sum(text.count("> **◆ Rule") for text in texts)
    assert heads.count("The picture") == 1 and "<img alt=" in slides[heads.index("The picture")]
    errors = [slide for slide, head in zip(slides, heads, strict=True) if head == "The error"]
    raised = list(errors_of(stored(number)["cells"]))
    assert len(errors) == len(raised)
    for slide, (cell, says) in zip(errors, raised, strict=True):
        assert escape(says.splitlines()[0], quote=False) in slide
        assert ("<table>" in slide) == is_of_the_clinic(tags(cell))
    for alt in re.findall(r'<img alt="([^"]*)"', pages[number]):
        assert len(alt) > 20


def errors_of(cells):
    """The cells in which a chapter shows an error, with what it says; a learner's own may fail, too."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error" and not tags(cell) & {"exercise", "check", "solution"}:
                yield cell, output["evalue"]


@pytest.mark.parametrize("number", OURS)
def test_a_slide_has_the_view_that_the_chapter_draws(number, pages):
    """Nodes such as MulBackward0, or a formula; nodes only if they needn't be smaller than they are."""
    aha = next(cell for cell in stored(number)["cells"] if "aha" in tags(cell))
    shown = "".join("".join(output.get("data", {}).get("text/plain", "")) for output in aha["outputs"])
    slide = next(slide for slide in Slides(pages[number]).found if ">The picture</h1>" in slide)
    record = summary(number).record
    assert (record is not None) == ("engine view" in shown)
    fits = record is not None and max(scale(drawn(record, layout)) for layout in LAYOUTS) >= 1
    assert ("engine view" in slide) == ("Backward0" in slide) == fits
    assert fits == (number in (3, 6, 16))


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_slides_ask_no_network(number, pages):
    page = pages[number]
    asked = {re.sub("^(data:image/(png|svg.xml);base64),.*", r"\1", one)
             for one in re.findall(r'(?:src|href)="([^"]*)"', page)}
    assert "data:," in asked <= {"data:,", "data:image/png;base64", "data:image/svg+xml;base64"}
    assert not re.search(r"url\(|@import|https?://|\brequire\(|fetch\(", page)
    assert page.count("<script>") == page.count("</script>") == page.count("<style>") == 1


@pytest.mark.parametrize("number", CHAPTERS)
def test_no_slide_is_read_as_markdown(number, pages):
    parse = pytest.importorskip("bs4").BeautifulSoup  # nbconvert writes elements as it does
    for cell in notebook(number).cells:
        assert str(parse(cell.source, "html.parser")) in pages[number]


# Turns all slides, and returns for each its words and the size of its smallest letters.
LETTERS_OF_SLIDES = """() => {
  const letters = part => [...part.childNodes].some(node => node.nodeType == 3 && node.textContent.trim());
  const found = [], next = document.querySelector("#next");
  while (true) {
    const slide = document.querySelector("section:not([hidden]):not(:has(section))");
    const parts = [...slide.querySelectorAll("*")].filter(letters);
    const sizes = parts.map(part => parseFloat(getComputedStyle(part).fontSize));
    found.push([slide.innerText, Math.min(...sizes)]);
    if (next.disabled) return found;
    next.click();
  }
}"""


def test_no_letter_of_a_slide_is_too_small_for_a_room(pages, tmp_path):
    """At 720p; a picture, which is a drawing of its own, is as large as the slide."""
    playwright = pytest.importorskip("playwright.sync_api")
    browser = shutil.which("chromium") or pytest.skip("no Chromium")
    with playwright.sync_playwright() as run:
        page = run.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page(
            viewport={"width": 1280, "height": 720})
        for html in pages.values():
            (tmp_path / "slides.html").write_text(html, encoding="utf-8")
            page.goto((tmp_path / "slides.html").as_uri())
            slides = page.evaluate(LETTERS_OF_SLIDES)
            assert len({words for words, _ in slides}) > 5
            assert not [words for words, size in slides if size < 18]


def test_the_slides_can_be_turned_by_keys_and_read_in_the_dark(pages):
    assert all(key in pages[6] for key in ("ArrowRight", "ArrowLeft", "PageDown", "PageUp", "Home", "End"))
    assert "prefers-color-scheme: dark" in pages[6]
    assert "@media print" in pages[6]


def test_the_slides_are_the_same_when_they_are_made_again(pages, tmp_path):
    build(["6"], "slides", tmp_path, tell=lambda line: None)
    assert (tmp_path / "slides/06.html").read_text(encoding="utf-8") == pages[6]


# --- the questions, which bring their lines

def test_a_question_alone_brings_the_lines_that_it_rests_on():
    code = {one.id: one.html for one in (*choices(4), *choices(6))}
    assert "c, d = a + b, a * b" in code["4.2"]
    assert code["6.1"].index("t = torch.tensor") < code["6.1"].index("Two more lines")
    assert "squared, absolute = (error ** 2).mean()" in code["6.2"]


@pytest.mark.parametrize("number", OURS)
def test_a_question_shows_no_line_that_it_does_not_use(number):
    """Such as the program of the question before, which has a name in common."""
    for asked, code in zip(of(number).QUESTIONS, lines_of_questions(number).values(), strict=True):
        lines = lines_in(code)
        used = set().union(*quoted(f"{asked.text} {asked.paper}"))
        for line in lines:
            used = used.union(*(takes(other.node) | changes(other.node) for other in lines if other != line))
        unused = [line.text for line in lines if not used & (gives(line.node) | changes(line.node))]
        assert not unused, asked.id


def test_a_question_that_says_a_value_does_not_take_it_from_another_one():
    code = {**lines_of_questions(13), **lines_of_questions(8)}
    assert code["13.2"] == "x = torch.tensor(10., requires_grad=True)"      # and not the nine points
    assert "t.mul_(5)" in code["8.1"]
    assert code["8.2"] == code["8.3"] == code["8.5"] == ""  # they say what t and x are


@pytest.mark.parametrize("number", CHAPTERS)
def test_no_markdown_is_left(number):
    """Code, emphasis and paragraphs have their elements."""
    for one in choices(number):
        without_code = re.sub("<(code|pre)>.*?</\\1>", "", one.html, flags=re.DOTALL)
        assert not re.search(r"^[-*] |\n- |\*\*|`|\n\n", without_code), one.html
