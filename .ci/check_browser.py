"""The chapters of notebooks/ work where they are met: in a real JupyterLab, in a real browser.

    python .ci/check_browser.py [--chapter NAME] [--browser PATH] [--pictures FOLDER]

What a learner sees first is chapter 0, beside the whole names of all chapters. Every notebook of the teacher
opens without a question, its stored pictures show, Run All reaches the end with no error that was not
announced, the pictures show again, and nothing was asked of any other machine. Needs playwright from
.ci/requirements.txt and a Chromium.
"""
import argparse
import shutil
import sys
from pathlib import Path
from urllib.parse import quote

from check_lab import OWN_FOLDERS, ROOT, chapters, lab, need
from playwright.sync_api import TimeoutError as TooLong
from playwright.sync_api import sync_playwright

MINUTES_FOR_A_CHAPTER = 5
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

# JupyterLab calls itself idle before its kernel is connected; a run that starts in between never ends.
READY = """async () => {
    const panel = jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
}"""
CELLS = """() => jupyterapp.shell.currentWidget.content.model.toJSON().cells.map((cell, place) => ({
    place, code: cell.cell_type === 'code' && cell.source.length > 0, count: cell.execution_count,
    expected: (cell.metadata.tags || []).includes('raises-exception'),
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


NAMES = """() => [...document.querySelectorAll('.jp-DirListing-itemText')].map(
    name => [name.innerText, name.scrollWidth > name.clientWidth])"""


def options_from(doc, chapter=False, python=False):
    """What a check in a browser was started with: --browser and --pictures, and --chapter or --python."""
    options = argparse.ArgumentParser(description=doc.splitlines()[0])
    if chapter:
        options.add_argument("--chapter", action="append", help="only this one; may be given several times")
    if python:
        own = [path for path in (ROOT / ".venv/bin/python", ROOT / ".venv/Scripts/python.exe")
               if path.exists()]
        options.add_argument("--python", default=str(own[0]) if own else sys.executable)
    options.add_argument("--browser", default=next(filter(None, map(shutil.which, BROWSERS)), None))
    options.add_argument("--pictures", type=Path, help="a folder for screenshots")
    options = options.parse_args()
    need(options.browser, "no Chromium found; name one with --browser")
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    return options


def main():
    options = options_from(__doc__, chapter=True)
    names = options.chapter or chapters()
    complaints, pictures = [], 0
    lab_options = ["--expose-app-in-browser", "--LabApp.extension_manager=readonly"]
    with sync_playwright() as playwright, lab(*lab_options, "--teacher") as server:
        browser = playwright.chromium.launch(executable_path=options.browser, args=QUIET)
        complaints += first_page(browser, lab_options)
        for name in names:
            page = browser.new_page(viewport={"width": 1300, "height": 1400})
            found, shown = check(page, server, name)
            complaints += found
            pictures += shown
            if options.pictures:
                page.screenshot(path=options.pictures / f"{Path(name).stem}.png")
            page.close()
        browser.close()
    if not pictures:
        complaints.append("no chapter showed a picture")
    if complaints:
        sys.exit("\n".join(f"check_browser: {complaint}" for complaint in complaints))
    print(f"check_browser: {len(names)} chapters ran in a browser, and {pictures} pictures showed")


def first_page(browser, lab_options):
    """What is wrong with the page that a learner sees first, in the layout that start.py gives it."""
    own_folders = [name for name in OWN_FOLDERS if name != "JUPYTERLAB_WORKSPACES_DIR"]
    with lab(*lab_options, own_folders=own_folders) as server:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{server.url}/?token={server.token}")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.locator("#jupyterlab-splash").wait_for(state="detached")
        title = page.locator(".jp-Notebook h1").first.inner_text()
        names = page.evaluate(NAMES)
        page.close()
    complaints = [] if title.startswith("0 · ") else [f"the first page is {title!r}, not chapter 0"]
    complaints += [f"the name {name!r} is cut" for name, is_cut in names if is_cut]
    own = [name for name in chapters() if name[0].isdigit()]
    complaints += [] if len(names) == len(own) else [f"it lists {names}, not {len(own)} chapters"]
    return complaints


def check(page, server, name):
    """([what is wrong with this chapter], how many pictures it showed)."""
    own = (server.url, server.url.replace("http", "ws"), "data:", "blob:")
    complaints, requests = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.set_default_timeout(60_000)
    try:
        page.goto(f"{server.url}/doc/tree/{quote(name)}?token={server.token}&reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext")
        page.set_default_timeout(MINUTES_FOR_A_CHAPTER * 60_000)
        page.evaluate(READY)
        page.wait_for_timeout(500)
        for question in page.locator(".jp-Dialog, .Toastify__toast").all_inner_texts():
            complaints.append(f"JupyterLab asks: {question!r}")
        complaints += hidden_pictures(page, "as stored")
        page.evaluate(RUN_ALL)
        page.wait_for_function(ENDED % CELLS, polling=200)
    except TooLong as error:
        return [f"{name}: {error.message.splitlines()[0]}"], 0
    cells = page.evaluate(CELLS)
    counts = [cell["count"] for cell in cells if cell["code"]]
    if not counts or None in counts:
        complaints.append(f"Run All stopped before the end: {counts}")
    complaints += [f"cell {cell['place']} raised {error}" for cell in cells if not cell["expected"]
                   for error in cell["errors"]]
    complaints += hidden_pictures(page, "after Run All")
    if page.get_by_text("Error displaying widget").count():
        complaints.append("a widget cannot be displayed")
    complaints += [f"it asked for {url}" for url in requests if not url.startswith(own)]
    return [f"{name}: {complaint}" for complaint in complaints], sum(cell["picture"] for cell in cells)


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


if __name__ == "__main__":
    main()
