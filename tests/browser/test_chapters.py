"""The chapters of notebooks/ work where they are met: in a real JupyterLab, in a real browser.

Every notebook of the teacher opens without a question, its stored pictures show, Run All reaches the end with
no error that was not announced, the pictures show again, and nothing was asked of any other machine. All are
opened one after the other in one window, as by clicks in the list of files.
"""
import json

import pytest

from tests import ROOT
from tests.browser.in_jupyterlab import READY, strangers
from tests.helpers.lab import chapters

MINUTES_FOR_A_CHAPTER = 5
# Nothing waits for the command's promise: on a busy machine, Chromium may collect it before it is kept.
OPEN = "path => { jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'}); }"
OPENED = """path => {
    const panel = jupyterapp.shell.currentWidget;
    return panel?.context?.path === path && panel.context.isReady && panel.isRevealed;
}"""
CLOSE = """async () => {
    const panel = jupyterapp.shell.currentWidget;
    await panel.sessionContext.shutdown();
    panel.dispose();
}"""
CELLS = """() => jupyterapp.shell.currentWidget.content.model.toJSON().cells.map((cell, place) => ({
    place, code: cell.cell_type === 'code' && cell.source.length > 0, count: cell.execution_count,
    expected: (cell.metadata.tags || []).includes('raises-exception')
        && !cell.metadata.tags.some(tag => ['exercise', 'check'].includes(tag)),
    errors: (cell.outputs || []).filter(o => o.output_type === 'error').map(o => o.ename + ': ' + o.evalue),
    picture: (cell.outputs || []).some(o => o.data && (o.data['image/svg+xml'] || o.data['image/png']
        || String(o.data['text/html']).includes('<img'))),
}))"""
# The command returns at the first error, announced or not; the cells behind an announced one still run.
RUN_ALL = """async () => {
    await jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
    await jupyterapp.commands.execute('notebook:run-all-cells');
}"""
ENDED = """() => {
    const cells = (%s)().filter(cell => cell.code);
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const stopped = cells.some(cell => cell.errors.length && !cell.expected);
    return kernel.status === 'idle' && (stopped || cells.every(cell => cell.count !== null));
}"""
# Only the cells near the window are in the page, so scroll to the one in question and then look at it.
PICTURE_SHOWS = """async place => {
    const notebook = jupyterapp.shell.currentWidget.content;
    await notebook.scrollToItem(place);
    const node = notebook.widgets[place].outputArea.node;
    const large = ({clientWidth, clientHeight}) => clientWidth > 20 && clientHeight > 20;
    return [...node.querySelectorAll('img')].some(i => i.complete && i.naturalWidth > 0 && large(i))
        || [...node.querySelectorAll('svg')].some(large);
}"""


@pytest.fixture(scope="module")
def window(browser, teachers_lab):
    """(a window of JupyterLab, the addresses that it asks for)"""
    page, requests = browser.new_page(viewport={"width": 1300, "height": 1400}), []
    page.on("request", lambda request: requests.append(request.url))
    page.set_default_timeout(MINUTES_FOR_A_CHAPTER * 60_000)
    page.goto(f"{teachers_lab.url}/lab?token={teachers_lab.token}&reset")
    page.wait_for_function("() => window.jupyterapp?.started")
    page.evaluate("() => jupyterapp.restored")
    yield page, requests
    page.close()


@pytest.mark.parametrize("name", chapters())
def test_a_chapter_runs(window, teachers_lab, shoot, name):
    page, requests = window
    page.evaluate(OPEN, name)
    page.wait_for_function(OPENED, arg=name)
    try:
        assert complaints_about(page, name) == []
        assert strangers(teachers_lab, requests) == []
        shoot(page, name.removesuffix(".ipynb"))
    finally:
        page.evaluate(CLOSE)
        requests.clear()


def complaints_about(page, name):
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.evaluate(READY)
    page.wait_for_timeout(500)
    complaints = [f"JupyterLab asks: {question!r}"
                  for question in page.locator(".jp-Dialog, .Toastify__toast").all_inner_texts()]
    shown = [cell["place"] for cell in page.evaluate(CELLS) if cell["picture"]]
    if shown != stored_pictures(name):
        complaints.append(f"pictures are in the cells {shown}, and in the file in {stored_pictures(name)}")
    complaints += hidden_pictures(page, "as stored")
    page.evaluate(RUN_ALL)
    page.wait_for_function(ENDED % CELLS, polling=200)
    cells = page.evaluate(CELLS)
    counts = [cell["count"] for cell in cells if cell["code"]]
    if not counts or None in counts:
        complaints.append(f"Run All stopped before the end: {counts}")
    if shown and not any(cell["picture"] for cell in cells):
        complaints.append("no cell has a picture after Run All")
    complaints += [f"cell {cell['place']} raised {error}" for cell in cells if not cell["expected"]
                   for error in cell["errors"]]
    complaints += hidden_pictures(page, "after Run All")
    if page.get_by_text("Error displaying widget").count():
        complaints.append("a widget cannot be displayed")
    return complaints


def stored_pictures(name):
    """Return the places of the cells that have a picture in the file."""
    cells = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))["cells"]
    return [place for place, cell in enumerate(cells) if any(
        {"image/svg+xml", "image/png"} & output.get("data", {}).keys()
        or "<img" in "".join(output.get("data", {}).get("text/html", ""))
        for output in cell.get("outputs", ()))]


def hidden_pictures(page, when):
    """The cells whose output holds a picture that the page does not show."""
    hidden = []
    for cell in page.evaluate(CELLS):
        if not cell["picture"]:
            continue
        for _ in range(50):
            if page.evaluate(PICTURE_SHOWS, cell["place"]):
                break
            page.wait_for_timeout(100)
        else:
            hidden.append(f"the picture of cell {cell['place']} does not show {when}")
    return hidden
