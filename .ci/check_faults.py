"""The browser is killed in the middle of a save: the chapter on the disk stays whole.

    python .ci/check_faults.py [--browser PATH] [--pictures FOLDER]

A learner's chapter is made large, changed and saved, and all processes of the browser are killed, at another
moment each time. Then the file must hold the whole old notebook or the whole new one, with nothing beside it
that a save left, and the next browser must open it and save it.
"""
import json
import os
import signal
import sys
import time
from pathlib import Path

from browser import LAB_OPTIONS, QUIET, opened, options_from
from lab import lab, need
from playwright.sync_api import Error, sync_playwright

KILLS = 6
NAME = "00_before_you_start.ipynb"
MODEL = "jupyterapp.shell.currentWidget.content.model"
CHANGE = f"version => {MODEL}.setMetadata('change', [version, 'x'.repeat(5_000_000)])"  # to take time
SHOWN = f"() => {MODEL}.getMetadata('change')[0]"
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"
SAVE_AND_RETURN = "() => { jupyterapp.commands.execute('docmanager:save'); }"


def main():
    options, began, new = options_from(__doc__), time.monotonic(), 0
    with lab(*LAB_OPTIONS) as server, sync_playwright() as playwright:
        path = Path(server.chapters, NAME)
        browser, page = started(playwright, options, server)
        page.evaluate(CHANGE, 0)
        start = time.monotonic()
        page.evaluate(SAVE)
        whole_save = time.monotonic() - start
        for kill in range(1, KILLS + 1):
            page.evaluate(CHANGE, kill)
            before = version(path)
            page.evaluate(SAVE_AND_RETURN)
            time.sleep(whole_save * (kill - 1) / KILLS)
            killed(browser)
            server.ask("/api/contents/" + NAME + "?content=0")
            time.sleep(0.5)  # what had reached the server is written now
            need(version(path) in (before, kill), f"{NAME} holds version {version(path)}")
            need(not list(path.parent.glob(".~*")), "a save left a file")
            new += version(path) == kill
            browser, page = started(playwright, options, server)
            need(page.evaluate(SHOWN) == version(path), f"{page.evaluate(SHOWN)} is opened")
        page.evaluate(CHANGE, 0)
        page.evaluate(SAVE)
        need(version(path) == 0, "it can't be saved again")
        browser.close()
    print(f"check_faults: {KILLS} browsers were killed in a save of {whole_save:.1f} s, {new} of them late "
          f"enough for the new notebook; each time the file was whole, in {time.monotonic() - began:.0f} s")


def started(playwright, options, server):
    browser = playwright.chromium.launch(executable_path=options.browser, args=QUIET)
    page = browser.new_page()
    page.set_default_timeout(120_000)
    return browser, opened(page, server, NAME)


def killed(browser):
    """End all processes of the browser as a crash would."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    for process in sorted(found, key=lambda one: one["type"] != "browser"):
        try:
            os.kill(process["id"], signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        browser.close()
    except Error:
        pass


def version(path):
    """The number of the change that the file holds; the check ends where it isn't a whole notebook."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))["metadata"]["change"][0]
    except ValueError as error:
        sys.exit(f"check_faults: {path.name} is half-written: {error}")


if __name__ == "__main__":
    main()
