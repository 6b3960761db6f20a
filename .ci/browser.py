"""What the checks in a browser share: a Chromium, the words of its command line, and an open notebook."""
import argparse
import contextlib
import os
import shutil
import sys
from pathlib import Path
from urllib.parse import quote

from lab import ROOT, need
from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]
LAB_OPTIONS = ("--expose-app-in-browser", "--LabApp.extension_manager=readonly")

# JupyterLab calls itself idle before its kernel is connected; a run that starts in between never ends.
READY = """async () => {
    const panel = jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
}"""


def options_from(doc, names=()):
    """What a check in a browser was started with; `names` are those of the checks to choose from."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    if names:
        parser.add_argument("names", nargs="*", metavar="CHECK", help=f"of {', '.join(names)}; else all")
        parser.add_argument("--chapter", action="append", help="only this notebook; may be given again")
        parser.add_argument("--python", default=own_python(), help="makes the pages; by default .venv's")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    parser.add_argument("--browser", default=found)
    parser.add_argument("--pictures", type=Path, help="a folder for screenshots")
    options = parser.parse_args()
    need(options.browser, "no Chromium found; name one with --browser")
    need(set(getattr(options, "names", ())) <= set(names), f"the checks are {', '.join(names)}")
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    return options


def own_python():
    own = [path for path in (ROOT / ".venv/bin/python", ROOT / ".venv/Scripts/python.exe") if path.exists()]
    return str(own[0]) if own else sys.executable


@contextlib.contextmanager
def chromium(options):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=QUIET)
        yield browser
        browser.close()


def opened(page, server, name):
    """Show a notebook in a page, wait for its kernel, and return the page."""
    page.goto(f"{server.url}/doc/tree/{quote(name)}?token={server.token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext")
    page.evaluate(READY)
    return page


def strangers(server, urls):
    """The addresses among these that belong to another machine than the server's."""
    own = (server.url, server.url.replace("http", "ws"), "data:", "blob:")
    return [url for url in urls if not url.startswith(own)]


def environment(**more):
    """This environment, with minigrad on the path of every Python that is started in it."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **more}
