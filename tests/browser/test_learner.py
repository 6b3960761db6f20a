"""A learner's first hours in a real JupyterLab: chapters 0 and 2 of my_chapters/, with wrong answers.

What opens is chapter 0, beside the whole names of all chapters, with nothing answered. The learner predicts
wrongly, runs, compares, plays, gives a wrong answer and a right one, is asked again in chapter 2 what went
wrong in chapter 0, saves, and opens the chapter again without its kernel; then looks at it in the dark theme
and in a narrow window. After each step the check looks at what is seen. At last the first control of every
lab is used.
"""
import json
import re

import pytest

from tests import ROOT
from tests.browser import expect
from tests.browser.in_jupyterlab import opened
from tests.helpers.lab import chapters

CONTROLS = "select, input, .noUi-handle, .widget-toggle-button:not(.mod-active)"
DARK = "() => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})"
MODEL = "jupyterapp.shell.currentWidget.content.model"
RUN = """async ([from, to]) => {
    const notebook = jupyterapp.shell.currentWidget.content;
    for (let at = from; at <= to; at++) {
        notebook.activeCellIndex = at;
        notebook.deselectAll();
        await jupyterapp.commands.execute('notebook:run-cell');
    }
    await notebook.scrollToItem(to);
}"""
ACTIVE = """at => {
    const notebook = jupyterapp.shell.currentWidget.content;
    if (at != null) notebook.activeCellIndex = at;
    return notebook.activeCellIndex;
}"""
SCROLL = "at => jupyterapp.shell.currentWidget.content.scrollToItem(at)"
WRITE = f"([at, source]) => {MODEL}.cells.get(at).sharedModel.setSource(source)"
CELLS = f"() => {MODEL}.toJSON().cells.map(cell => ({{source: cell.source, tags: cell.metadata.tags || [], " \
        "outputs: (cell.outputs || []).length}))"
SAVE = "jupyterapp.commands.execute('docmanager:save')"
KERNEL = "jupyterapp.shell.currentWidget.sessionContext"
OPEN, NOT_YET, RIGHT = (re.compile(f"{mark} (0a: |2a: )?{word}") for mark, word in (
    ("□", "not answered yet"), ("✗", "not yet"), ("✓", "right")))
SURE = "How sure are you? (if you like)"
BROKEN = "Error displaying widget"
CHAPTER_2 = next(name for name in chapters() if name.startswith("02"))
AGAIN = "To use the controls, run this cell again."
FORGET_WIDGETS = """async ([path, token]) => {
    const headers = {Authorization: 'token ' + token, 'Content-Type': 'application/json'};
    const model = await (await fetch(path, {headers})).json();
    if (!model.content.metadata.widgets) throw Error('the state of the widgets was not saved');
    delete model.content.metadata.widgets;
    const answer = await fetch(path, {headers, method: 'PUT', body: JSON.stringify(model)});
    if (!answer.ok) throw Error(await answer.text());
}"""
NAMES = """() => [...document.querySelectorAll('.jp-DirListing-itemText')].map(
    name => [name.innerText, name.scrollWidth > name.clientWidth])"""
# The words may be those of a style sheet.
TOLD = """([cell, words]) => cell.innerText.includes(words) || [...cell.querySelectorAll('*')].some(node =>
    ['::before', '::after'].some(part => getComputedStyle(node, part).content.includes(words)))"""
# What is cut off on the right in an output: nothing may be, but in a frame that scrolls by itself.
CUT_OFF = """cell => [...cell.querySelectorAll('.jp-OutputArea-output')]
    .filter(output => output.scrollWidth > output.clientWidth + 1)
    .map(output => output.innerText.slice(0, 60))"""
COLOURS = """node => { const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const bright = ([r, g, b]) => (r * 2 + g * 5 + b) / 8;
    const style = getComputedStyle(node); let under = node;
    while (rgb(getComputedStyle(under).backgroundColor)[3] === 0) under = under.parentElement;
    return [bright(rgb(style.color)), bright(rgb(getComputedStyle(under).backgroundColor))] }"""


def option(question, letter):
    """The button of a question that begins with this letter."""
    return question.locator(".mgcolumn button").filter(has_text=re.compile(rf"^\s*{letter}\s"))


def told(question, words):
    """What is said below the buttons of a question."""
    return question.locator(".mgchoosing").get_by_text(words)


class Chapter:
    """A chapter in a page: cells by how they begin."""

    def __init__(self, page, server, start):
        self.page, self.done = page, -1
        name = next(name for name in chapters() if name.startswith(start))
        self.cells = opened(page, server, name).evaluate(CELLS)

    def place(self, start):
        return next(at for at, cell in enumerate(self.cells) if "".join(cell["source"]).startswith(start))

    def run_to(self, start):
        """Run what has not been run yet, up to the cell that begins so; the cell, as it is seen."""
        at = self.place(start)
        self.page.evaluate(RUN, [self.done + 1, at])
        self.done = at
        return self.cell(start)

    def write(self, start, source):
        self.page.evaluate(WRITE, [self.place(start), source])

    def run(self, *starts):
        for start in starts:
            self.page.evaluate(RUN, [self.place(start)] * 2)
        return self.cell(starts[-1])

    def cell(self, start):
        at = self.place(start)
        self.page.evaluate(SCROLL, at)
        return self.page.locator(f'.jp-Cell[data-windowed-list-index="{at}"]')


class Learner:
    def __init__(self, page, server, shoot):
        self.page, self.server, self.shoot, self.steps = page, server, shoot, 0

    def look(self, name):
        self.steps += 1
        self.shoot(self.page, f"{self.steps:02}_{name}")

    def progress(self):
        return json.loads(json.loads(self.server.ask("/api/contents/progress.json")[1])["content"])

    def predicted(self):
        """What is stored of 0.1; `asked` is a mark of the question itself."""
        stored = self.progress()["predictions"]["0.1"]
        return {key: value for key, value in stored.items() if key != "asked"}

    def opens(self):
        """What `python3 start.py` shows first, in the layout that it gives, in a small window."""
        page = self.page
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"{self.server.url}/?token={self.server.token}")
        heading = page.locator(".jp-Notebook h1").first
        expect(heading).to_have_text(re.compile("^0 · Before you start"), timeout=60_000)
        expect(heading).to_be_visible()
        page.locator("#jupyterlab-splash").wait_for(state="detached")
        expect(page.locator(".jp-DirListing-itemText").first).to_be_visible()  # the list may come last
        names, own = page.evaluate(NAMES), [name for name in chapters() if name[0].isdigit()]
        cut = [name for name, is_cut in names if is_cut]
        assert not cut, f"the names {cut} are cut"
        listed = [name for name, _ in names]
        assert listed == [*own, "contents.ipynb"], f"it lists {listed}, not the chapters and the contents"
        self.look("what_opens")
        page.set_viewport_size({"width": 1300, "height": 1000})

    def chapter_0(self):
        page, chapter = self.page, Chapter(self.page, self.server, "00")
        assert not any(cell["outputs"] for cell in chapter.cells), (
            "an output is there before anything was run")
        question = chapter.run_to('predict("0.1")')
        for letter in "ABC":
            expect(option(question, letter)).to_be_visible()
        expect(question.locator(".mgoptions")).to_be_hidden()
        expect(question.get_by_text(SURE)).to_be_hidden()
        self.look("question")
        option(question, "A").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(told(question, "Stored: B. You can change it")).to_be_visible()
        expect(option(question, "B")).to_be_focused()
        assert self.predicted() == {"choice": "B"}, self.progress()
        expect(question.get_by_text(SURE)).to_be_visible()
        self.look("one_click")
        active = page.evaluate(ACTIVE, chapter.place('predict("0.1")') + 1)
        for letter in "AB":
            option(question, letter).click()
            expect(told(question, f"Stored: {letter}. You can change it")).to_be_visible()
        assert page.evaluate(ACTIVE) == active, "a click makes the cell of its question the active one"
        question.get_by_role("button", name="certain").focus()
        page.keyboard.press("Space")
        expect(told(question, "Stored: B, certain.")).to_be_visible()
        verdict = chapter.run_to('reveal("0.1")')
        expect(verdict.get_by_text("✗ wrong")).to_be_visible()
        expect(verdict.get_by_text("You said B (certain)")).to_be_visible()
        self.look("verdict")
        stored = {"choice": "B", "confidence": "certain", "revealed": True}
        assert self.predicted() == stored, self.progress()
        question = chapter.run('predict("0.1")')
        expect(told(question, "Stored: B, certain. The comparison is below")).to_be_visible()

        chapter.run_to('check("0a"')
        expect(chapter.cell('check("0a"').get_by_text(OPEN)).to_be_visible()
        task = "p = torch.tensor(3., requires_grad=True)\nk, m"
        chapter.write(task, ANSWER_0A.format(3))
        verdict = chapter.run(task, 'check("0a"')
        expect(verdict.get_by_text(NOT_YET)).to_be_visible()
        expect(verdict.get_by_text("leaves").first).to_be_visible()
        for number in "12":
            verdict.get_by_role("button", name="Hint").click()
            expect(verdict.get_by_text(f"hint {number} of 2")).to_be_visible()
        verdict.get_by_role("button", name="Solution").click()
        expect(verdict.locator("pre").get_by_text("answer_0a")).to_be_visible()
        self.look("wrong_answer")
        chapter.write(task, ANSWER_0A.format(1))
        verdict = chapter.run(task, 'check("0a"')
        expect(verdict.get_by_text(RIGHT)).to_be_visible()
        self.look("right_answer")

        picture = chapter.cell("draw(total, view=\"maths\", caption").locator("img")
        assert picture.evaluate("i => i.complete && i.naturalWidth > 100"), "the picture is missing"
        self.look("picture")

    def chapter_2(self):
        page, chapter = self.page, Chapter(self.page, self.server, "02")
        recall = chapter.run_to("import minigrad as torch")
        expect(recall.get_by_text("0.1 surprised you")).to_be_visible()
        option(recall, "C").click()
        expect(told(recall, "your first answer was B")).to_be_visible()
        expect(recall.get_by_text(SURE)).to_be_hidden()
        self.look("asked_again")
        assert self.progress()["predictions"]["0.1"]["again"] == {"choice": "C"}, self.progress()

        verdict = chapter.run_to('reveal("2.1")')      # as Run All does, before anything is chosen
        expect(verdict.get_by_text("the comparison appears here")).to_be_visible()
        question = chapter.cell('predict("2.1")')
        option(question, "A").click()
        expect(told(question, "Stored: A. The comparison is below")).to_be_visible()
        expect(chapter.cell('reveal("2.1")').get_by_text("✗ wrong")).to_be_visible()
        self.look("wrong_prediction")

        table = chapter.run_to('play("drawers")')
        table.get_by_role("button", name="sticky: the middle passes on its sum").click()
        table.locator(".noUi-handle").focus()
        for call in ("call 1: w.grad = 1", "call 2: w.grad = 3", "call 3: w.grad = 6"):
            page.keyboard.press("ArrowRight")
            expect(table.locator(".mgshown").get_by_text(call)).to_be_visible()
        expect(table.locator(".mgshown").get_by_text("✓ done")).to_be_visible()
        self.look("lab_is_solved")

        chapter.run_to('check("2a"')
        chapter.write('numbers = chapter.numbers("2a")', WRONG_2A)
        verdict = chapter.run('numbers = chapter.numbers("2a")', 'check("2a"')
        expect(verdict.get_by_text(NOT_YET)).to_be_visible()
        self.look("wrong_drawers")
        page.evaluate(SAVE)
        page.evaluate(f"{KERNEL}.session.kernel.restart()")
        question = chapter.cell('predict("2.1")')
        page.wait_for_function(TOLD, arg=[question.element_handle(), AGAIN])
        expect(option(question, "A")).to_be_hidden()
        expect(question.locator(".mgoptions")).to_be_visible()
        self.look("kernel_restarted")
        page.evaluate(f"{KERNEL}.shutdown()")

    def reopened(self, widgets):
        """The chapter as it was saved, with the state of its widgets, or as a JupyterLab that was not
        started by start.py saves it; their kernel is gone."""
        if not widgets:
            self.page.evaluate(FORGET_WIDGETS, [f"/api/contents/{CHAPTER_2}", self.server.token])
        chapter = Chapter(self.page, self.server, "02")
        for start, words in (
                ('predict("2.1")', "Stored: A."), ('play("drawers")', "call 3: w.grad = 6"),
                ('reveal("2.1")', "✗ wrong"), ('check("2a"', NOT_YET)):
            cell = chapter.cell(start)
            expect(cell.get_by_text(words).first).to_be_visible()
            expect(cell.get_by_text(BROKEN)).to_be_hidden()
            if "mgshown" in cell.inner_html():
                self.page.wait_for_function(TOLD, arg=[cell.element_handle(), AGAIN])
                expect(option(cell, "A")).to_be_hidden()
            self.look(f"reopened_{start[:4]}{'' if widgets else '_without_widgets'}")
        picture = chapter.cell('play("drawers")').locator(".mgshown img")
        assert picture.evaluate("i => i.complete && i.naturalWidth > 100"), "the picture of a lab is gone"
        return chapter

    def dark_and_narrow(self, chapter):
        page = self.page
        page.evaluate(DARK)
        page.wait_for_selector("body[data-jp-theme-light=false]", state="attached")
        page.locator("#jupyterlab-splash").wait_for(state="detached")
        for width in (1200, 640):
            page.set_viewport_size({"width": width, "height": 1000})
            for start in ('predict("2.1")', 'reveal("2.1")', 'play("drawers")', 'check("2a"'):
                cell = chapter.cell(start)
                page.wait_for_timeout(300)
                assert not cell.evaluate(CUT_OFF), f"at {width} pixels, cut off: {cell.evaluate(CUT_OFF)}"
                for words in cell.locator(".jp-OutputArea-output :is(p, b, pre):visible").all():
                    ink, paper = words.evaluate(COLOURS)
                    assert abs(ink - paper) > 90, f"hard to read in the dark: {words.inner_text()[:40]}"
                self.look(f"dark_{width}_{start[:4]}")

    def every_lab(self):
        """Use the first control of each lab, in one chapter, and see the words change."""
        texts = [path.read_text(encoding="utf-8") for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")]
        labs = [lab for text in texts for lab in re.findall(r'"play\(\\"([a-z ]+)\\"\)', text)]
        assert len(labs) >= 7, f"only {len(labs)} labs were found"
        chapter = Chapter(self.page, self.server, "01")
        chapter.run("import minigrad as torch")
        for name in labs:
            chapter.write('play("nudge")', f'play("{name}")')
            cell = chapter.run('play("nudge")')
            words, control = cell.locator(".mgshown pre"), cell.locator(CONTROLS).first
            control.wait_for()
            before = words.inner_text()
            control.focus()
            if control.evaluate("node => node.type === 'text'"):
                control.fill("a * a")
                self.page.keyboard.press("Enter")
            elif control.evaluate("node => node.tagName === 'SELECT'"):
                control.select_option(index=1)
            else:
                self.page.keyboard.press("Enter" if control.evaluate("node => node.tagName === 'BUTTON'")
                                         else "ArrowRight")
            expect(words).not_to_have_text(before)
            if slider := cell.locator(".noUi-handle").all():
                active = self.page.evaluate(ACTIVE, chapter.place('play("nudge")') + 1)
                self.page.evaluate(SCROLL, chapter.place('play("nudge")'))
                slider[0].hover()
                self.page.mouse.down()
                self.page.mouse.move(*(slider[0].bounding_box()[side] + 40 for side in "xy"), steps=4)
                self.page.mouse.up()
                assert self.page.evaluate(ACTIVE) == active, f"a slider of {name} takes the active cell"
            self.look(f"lab_{name.replace(' ', '_')}")


ANSWER_0A = 'answer_0a = {{"leaves that require a gradient": {}, "operations": 3, "p.grad": 15}}'
WRONG_2A = 'answer_2a = {"p.grad": 3, "r.grad": 0, "s.grad": "None", "t.grad": "None"}'


@pytest.fixture
def learner(browser, learners_lab, shoot):
    page = browser.new_page(viewport={"width": 1300, "height": 1000})
    page.set_default_timeout(30_000)
    yield Learner(page, learners_lab, shoot)
    page.close()


def test_the_first_hours(learner):
    learner.opens()
    learner.chapter_0()
    learner.chapter_2()
    learner.reopened(widgets=True)
    learner.dark_and_narrow(learner.reopened(widgets=False))


def test_every_lab_answers(learner):
    learner.every_lab()
