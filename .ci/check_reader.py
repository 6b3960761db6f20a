"""The site is read: opened as files in a browser without a network, by mouse and by keys.

It pastes messages into the search (and compares with the search in Python), answers a prediction, follows a
word to the glossary and an error to the clinic, copies a measurement of a symptom page, looks at narrow,
zoomed and dark pages, at pictures beside those of other tools, at paper, and at pages without scripts; and it
turns the slides of the predictions. The report of a class prints each lesson on one page. axe looks at a page
of each kind, and at every chapter. check_site.py has what a stranger does on the first page.
"""
import json
import re
import subprocess
import tempfile
from pathlib import Path

import check_site
from axe_playwright_python.sync_playwright import Axe
from browser import environment
from lab import need
from playwright.sync_api import expect

COPIED = """def contents(*tensors):
    return"""
QUERIES = ("RuntimeError: Trying to backward through the graph a second time, the buffers have been freed",
           "[torch.FloatTensor [64, 1]], which is output 0 of AsStridedBackward0, is at version 2; expected",
           "my loss doesn't fall", "loss is nan",
           "element 0 of tensors does not require grad", "leaf in-place", "Jacobi", "numpy",
           "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB")
MAKE = '''
import json, sys
from pathlib import Path
from minigrad.book.build.reader import build_reader, search
from minigrad.book.build.slides import slides
from minigrad.book.content.cases import CASES
from minigrad.book.content.chapters import CHAPTERS, of
from minigrad.book.classroom.helping import NOTEBOOKS
from minigrad.book.build.report import as_html, gather

folder, queries = Path(sys.argv[1]), json.loads(sys.argv[2])
chapters = [int(path.name[:2]) for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))]
build_reader(chapters, folder / "reader")
list(slides(6, folder / "reader/slides"))
for learner in range(30):   # together they choose every option, and make every known mistake
    asked = [one for number in CHAPTERS for one in of(number).QUESTIONS]
    tried = [one for number in CHAPTERS for one in of(number).EXERCISES]
    progress = folder / f"handed_in/{learner}.json"
    progress.parent.mkdir(exist_ok=True)
    progress.write_text(json.dumps({
        "predictions": {one.id: {"choice": one.letters[learner % len(one.letters)]} for one in asked},
        "attempts": {one.id: {"tries": 1, "wrong": dict.fromkeys((wrong.says for wrong in one.wrong), "")}
                     for one in tried}}))
(folder / "reader/slides/class.html").write_text(as_html(gather(folder / "handed_in")), encoding="utf-8")
text = (folder / "reader/search-index.js").read_text(encoding="utf-8")
index = json.loads(text.removeprefix("var READER_INDEX = ").removesuffix(";\\n"))
found = {query: search.search(index, query)[0] for query in queries}
print(json.dumps([found, {case.slug: case.title for case in CASES}]))
'''
OPEN = "document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def check(browser, _, options):
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([options.python, "-c", MAKE, folder, json.dumps(QUERIES)], check=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8",
                              env=environment())
        reader = Reader(browser, Path(folder, "reader"), options.pictures)
        found, titles = json.loads(made.stdout)
        check_site.check(reader)
        check_search(reader, found, titles)
        check_chapter(reader, titles)
        check_symptom(reader)
        check_looks(reader)
        check_comparison(reader)
        check_slides(reader)
        check_report(reader)
        check_paper_and_no_scripts(reader)
        check_axe(reader)
        need(not reader.asked, f"it asked for {reader.asked}")
        need(not reader.complaints, f"the console says {reader.complaints}")
    return "it finds, shows and leads on without a network"


class Reader:
    """Opens pages of the reader in a browser that has no network."""

    def __init__(self, browser, folder, pictures):
        self.browser, self.folder, self.pictures = browser, folder, pictures
        self.asked, self.complaints = [], []

    def open(self, name, width=1200, search="", **options):
        context = self.browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options)
        context.route(lambda url: not url.startswith(("file:", "data:")),
                      lambda route: (self.asked.append(route.request.url), route.abort()))
        page = context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto((self.folder / name).as_uri() + search)
        return page

    def shoot(self, page, name):
        if self.pictures:
            page.screenshot(path=self.pictures / f"{name}.png")


def check_search(reader, wanted, titles):
    page = reader.open("index.html")
    page.get_by_role("searchbox").fill(QUERIES[0])
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    field = page.get_by_label("Paste an error message")
    expect(page.locator("#results a").first).to_have_text(titles["freed"])
    expect(page.locator("#search-status")).to_contain_text("best first")
    for query, urls in wanted.items():
        field.fill(query)
        found = page.locator("#results a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
        need(found == urls, f"{query!r} finds {found[:3]} in the page, {urls[:3]} in Python")
    expect(page.locator("#search-status")).to_contain_text("these words. The nearest are:")
    field.fill("zzz")
    expect(page.locator("#search-status")).to_have_text("Not here: no page of this book fits these words.")
    field.fill(QUERIES[1])
    reader.shoot(page, "search")
    page.locator("#results a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(titles["version"])
    picture = page.locator("figure img")
    need(picture.evaluate("i => i.complete && i.naturalWidth > 100"), "the clinic has no picture")
    page.get_by_text("The picture in words").press("Enter")
    expect(page.locator("figure pre")).to_contain_text("[! problem]")
    expect(page.get_by_role("table")).to_contain_text("a second tensor of 8 bytes")
    reader.shoot(page, "clinic")
    page.context.close()


def check_slides(reader):
    for width, scheme in ((1280, "light"), (390, "dark")):
        page = reader.open("slides/06.html", width, color_scheme=scheme)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        shown = page.locator("section:not(:has(section))").filter(visible=True)
        for heading in ("On the board", "▶ Predict 6.1", "Vote on 6.1", "The answer to 6.1"):
            page.keyboard.press("ArrowRight")
            expect(shown).to_have_count(1)
            expect(shown.get_by_role("heading")).to_have_text(heading)
            need(page.evaluate(TOO_WIDE) <= 0, f"the slide {heading!r} is wider than {width}")
            reader.shoot(page, f"slides_{scheme}_{heading[-3:]}_{heading[:3].strip()}")
        expect(shown.locator(".right")).to_contain_text("✓ Right")
        page.get_by_role("button", name="Back").click()
        for field, hands in zip(shown.get_by_role("spinbutton").all(), "3612"):
            field.fill(hands)
        bars = shown.locator("i").evaluate_all("all => all.map(bar => bar.style.width)")
        need(bars[:3] == ["50%", "100%", "16.6667%"], f"the bars of 3, 6, 1 and 2 hands are {bars}")
        page.context.close()


def check_report(reader):
    page = reader.open("slides/class.html")
    lessons = page.locator("h2").count()
    for paper in ("A4", "Letter"):
        pages = len(re.findall(rb"/Type /Page\b", page.pdf(format=paper, prefer_css_page_size=True)))
        need(pages == lessons > 15, f"the report on {lessons} lessons is printed on {pages} pages of {paper}")
    page.context.close()


def check_chapter(reader, titles):
    page = reader.open("index.html")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the text")
    need(page.locator(":focus").bounding_box()["x"] >= 0, "the skip link can't be seen")
    page.keyboard.press("Enter")
    need(page.evaluate("document.activeElement.id") == "main", "the skip link leads nowhere")
    page.get_by_role("link", name="When the answer isn't one number").click()
    check_site.answers(page, "5.1")
    expect(page.locator("details.solution pre").first).to_be_hidden()
    page.locator("p.pointer a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(titles["not-scalar"])
    page.go_back()
    word = page.locator("strong a.term").first
    name = word.inner_text()
    word.click()
    page.wait_for_url("**/glossary.html#*")
    expect(page.locator(":target")).to_have_text(name)
    page.context.close()


def check_symptom(reader):
    """From the first page to a symptom, a measurement to copy, and the cause that remains after a result."""
    page = reader.open("index.html", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("link", name="NaN after a while").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("NaN after a while")
    copies = page.locator(".copy")
    copies.first.get_by_role("button", name="Copy").click()
    expect(copies.first.get_by_role("button")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    need(copied.startswith(COPIED), f"a measurement is copied as {copied!r}")
    program = page.locator(".copy:has(.numbered)").first
    program.get_by_role("button", name="Copy").click()
    expect(program.get_by_role("button")).to_have_text("Copied")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    need(lines[:2] == ["import minigrad as torch", "torch.manual_seed(0)"], f"a program is copied as {lines}")
    page.locator(".outcomes a").first.click()
    need(page.locator("h2:target").count() == 1, "a possible cause leads nowhere")
    reader.shoot(page, "symptom")
    page.context.close()
    page = reader.open("symptom-flat-loss.html", java_script_enabled=False)
    need(not page.get_by_role("button", name="Copy").count(), "there are buttons that do nothing")
    page.context.close()


def check_looks(reader):
    """No page is wider than its window, even at 320 CSS pixels: a window of 640 at 200 %."""
    for scheme, width in (("dark", 1200), ("light", 320)):
        page = reader.open("index.html", width, color_scheme=scheme)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        dark = sum(map(int, ground[4:-1].split(", "))) < 200
        need(dark == (scheme == "dark"), f"the {scheme} page has the ground {ground}")
        for path in sorted(reader.folder.glob("*.html" if width == 320 else "chapter*.html")):
            page.goto(path.as_uri())
            too_wide = page.evaluate(TOO_WIDE)
            need(too_wide <= 0, f"{path.name} is {too_wide} pixels too wide for {width}")
            broken = page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).length")
            need(not broken, f"{path.name} has {broken} pictures that don't show")
            if path.name.startswith("chapter"):
                reader.shoot(page, f"{path.stem}_{scheme}_{width}")
        page.context.close()


def check_comparison(reader):
    """Beside other tools, every picture shows, in both themes and at the width of a notebook."""
    for scheme in ("light", "dark"):
        page = reader.open("pictures.html", 1280, color_scheme=scheme)
        need(page.locator("h2[id]").count() == 11, "there are not ten models")
        page.get_by_text("As a notebook shows them").first.click()
        expect(page.locator("details[open] img").first).to_be_in_viewport()
        room = page.locator("details[open] .shown").evaluate_all("all => all.map(one => one.clientWidth)")
        need(min(room) >= 1043, f"the pictures have less room than in a notebook: {room}")  # and a scroll bar
        need(page.evaluate(TOO_WIDE) <= 0, "the page with the pictures is too wide")
        reader.shoot(page, f"pictures_{scheme}")
        page.context.close()


def check_paper_and_no_scripts(reader):
    page = reader.open("chapter-04.html")
    page.emulate_media(media="print")
    expect(page.get_by_role("searchbox")).to_be_hidden()
    expect(page.locator("details.compare p").nth(1)).to_be_visible()  # a printed page holds the answers, too
    if reader.pictures:
        page.pdf(path=reader.pictures / "chapter-04.pdf", format="A4")
    page.context.close()
    page = reader.open("chapter-06.html", java_script_enabled=False)
    need(not page.locator(".options button").count(), "there are buttons that do nothing")
    fold = page.locator("#answer-6\\.1")
    expect(fold.locator("p").first).to_be_hidden()
    fold.locator("summary").click()
    expect(fold.locator("p").first).to_contain_text("It is B")
    page.context.close()
    page = reader.open("search.html", java_script_enabled=False)
    page.get_by_role("main").get_by_role("link", name="error clinic").click()
    expect(page.get_by_role("main")).to_contain_text("grad can be implicitly created only for scalar outputs")
    page.context.close()


def check_axe(reader):
    """axe-core finds nothing on any chapter and a page of each other kind: both themes, all folds open."""
    names = ["index", "error-freed", "belief-M13", "beliefs", "errors", "symptom-nan", "symptoms", "glossary",
             "pictures", "search", "slides/class",
             *(path.stem for path in sorted(reader.folder.glob("chapter-*.html")))]
    for scheme, width in (("light", 1280), ("dark", 390)):
        for name in names:
            page = reader.open(f"{name}.html", width, color_scheme=scheme)
            page.evaluate(OPEN)
            found = Axe().run(page, options={"preload": False})
            need(not found.violations_count, f"{name}, {scheme}: {found.generate_report()}")
            page.context.close()
