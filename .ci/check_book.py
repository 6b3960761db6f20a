"""A learner's hour in a real JupyterLab: predict, run, compare, play, be checked.

    python .ci/check_book.py [--browser PATH] [--pictures FOLDER]

Opens chapter 6, answers its first prediction with the keyboard, moves the lab, hands in a wrong answer and a
right one, and reads the progress file that came of it. Then it opens every chapter with a lab and uses the
first control, in the dark theme.
"""
import json
import os
import tempfile
from pathlib import Path

from check_browser import QUIET, READY, options_from
from check_lab import ROOT, lab, need
from playwright.sync_api import sync_playwright

CONTROLS = "select, input, .noUi-handle, .widget-toggle-button:not(.mod-active)"
CHANGED = "([node, before]) => node.isConnected === false || node.innerText !== before"
DARK = "() => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})"
MODEL = "jupyterapp.shell.currentWidget.content.model"
RUN_TO = """async place => {
    const notebook = jupyterapp.shell.currentWidget.content;
    for (let at = 0; at <= place; at++) {
        notebook.activeCellIndex = at;
        notebook.deselectAll();
        await jupyterapp.commands.execute('notebook:run-cell');
    }
    await notebook.scrollToItem(place);
}"""
RUN_ONE = """async ([place, source]) => {
    const notebook = jupyterapp.shell.currentWidget.content;
    if (source !== null) notebook.model.cells.get(place).sharedModel.setSource(source);
    notebook.activeCellIndex = place;
    notebook.deselectAll();
    await jupyterapp.commands.execute('notebook:run-cell');
    await notebook.scrollToItem(place);
}"""
CELLS = f"() => {MODEL}.toJSON().cells.map(cell => ({{source: cell.source, tags: cell.metadata.tags || []}}))"
PRINTED = f"""place => ({MODEL}.toJSON().cells[place].outputs || []).map(
    output => [].concat(output.text || (output.data || {{}})['text/plain'] || '').join('')).join('')"""


class Chapter:
    """A chapter in a page: cells by what they say, run one by one."""

    def __init__(self, page, server, name):
        self.page = page
        page.goto(f"{server.url}/doc/tree/{name}?token={server.token}&reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext")
        page.evaluate(READY)
        self.cells = page.evaluate(CELLS)

    def place(self, start):
        return next(at for at, cell in enumerate(self.cells) if "".join(cell["source"]).startswith(start))

    def run_to(self, start):
        self.page.evaluate(RUN_TO, self.place(start))
        return self.cell(self.place(start))

    def run(self, start, source=None):
        self.page.evaluate(RUN_ONE, [self.place(start), source])

    def printed(self, start):
        return self.page.evaluate(PRINTED, self.place(start))

    def cell(self, place):
        return self.page.locator(f'.jp-Cell[data-windowed-list-index="{place}"]')


def a_learner_s_hour(page, server, progress):
    chapter = Chapter(page, server, "06_why_cant_i_go_back_twice.ipynb")
    question = chapter.run_to('predict("6.1")')
    question.get_by_role("radio").nth(2).focus()
    page.keyboard.press("Space")
    question.get_by_role("button", name="certain").focus()
    page.keyboard.press("Enter")
    question.get_by_role("button", name="Store my prediction").focus()
    page.keyboard.press("Enter")
    question.get_by_text("Stored: C, certain.").wait_for()
    chapter.run('reveal("6.1")')
    need("✗ You said C (certain)" in chapter.printed('reveal("6.1")'), chapter.printed('reveal("6.1")'))

    table = chapter.run_to('play("two losses")')
    table.get_by_role("button", name="(p + q).backward()").first.focus()
    page.keyboard.press("Enter")
    table.get_by_text("x.grad = 138").wait_for()

    chapter.run_to("def fresh():")
    need(chapter.printed('check("6a"').startswith("□"), "a solution ran in the place of a learner's answer")
    chapter.run('check("6b"', 'check("6b", [12, 4, 16, 12, 16])')
    need("✗ 6b: not yet. Look at what b.backward()" in chapter.printed('check("6b"'), "a wrong answer")
    chapter.run('check("6b"', 'check("6b", [12, "error", 16, 12, 16])')
    need("✓ 6b: right" in chapter.printed('check("6b"'), "a right answer")

    stored = json.loads(progress.read_text(encoding="utf-8"))
    need(stored["predictions"]["6.1"] == {"choice": "C", "confidence": "certain", "revealed": True}, stored)
    need(stored["attempts"]["6b"] == {"tries": 2, "right": True}, stored)


def every_lab(page, server, pictures):
    """Run each chapter as far as its lab, move the first control, and see the words change."""
    page.evaluate(DARK)
    count = 0
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        chapter = Chapter(page, server, path.name)
        places = [at for at, cell in enumerate(chapter.cells) if "widget" in cell["tags"]]
        for place in places:
            page.evaluate(RUN_TO, place)
            cell = chapter.cell(place)
            words, control = cell.get_by_role("status").first, cell.locator(CONTROLS).first
            if not words.count() or not control.count():
                continue  # the player, and its free mode, have a check of their own
            before = words.inner_text()
            control.focus()
            if control.evaluate("node => node.type === 'text'"):
                control.fill("a * a")
                page.keyboard.press("Enter")
            elif control.evaluate("node => node.tagName === 'SELECT'"):
                control.select_option(index=1)
            else:
                page.keyboard.press("Enter" if control.evaluate("node => node.tagName === 'BUTTON'")
                                    else "ArrowRight")
            page.wait_for_function(CHANGED, arg=[words.element_handle(), before])
            count += 1
            if pictures:
                cell.screenshot(path=pictures / f"{path.stem}-lab.png")
    need(count >= 5, f"only {count} labs were found")
    return count


def main():
    options = options_from(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder, "progress.json")
        os.environ["MINIGRAD_PROGRESS"] = str(progress)
        options_of_lab = ("--expose-app-in-browser", "--LabApp.extension_manager=readonly")
        with lab(*options_of_lab) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=options.browser, args=QUIET)
            page = browser.new_page(viewport={"width": 1200, "height": 1300})
            page.set_default_timeout(30_000)
            a_learner_s_hour(page, server, progress)
            count = every_lab(page, server, options.pictures)
            browser.close()
    print(f"check_book: predicted, played and was checked; {count} labs follow their controls")


if __name__ == "__main__":
    main()
