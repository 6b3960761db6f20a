"""The browser is killed in the middle of a save: the chapter on the disk stays whole.

A learner's chapter is made large, changed and saved, and all processes of the browser are killed, at another
moment each time. Then the file must hold the whole old notebook or the whole new one, with nothing beside it
that a save left, and the next browser must open it and save it.
"""
import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.browser import Error
from tests.browser.in_jupyterlab import LAB_OPTIONS, opened
from tests.helpers.lab import lab
from tests.systems.faults import can_kill, slow

KILLS = 6
NAME = "00_before_you_start.ipynb"
MODEL = "jupyterapp.shell.currentWidget.content.model"
CHANGE = f"version => {MODEL}.setMetadata('change', [version, 'x'.repeat(5_000_000)])"  # to take time
SHOWN = f"() => {MODEL}.getMetadata('change')[0]"
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"
SAVE_AND_RETURN = "() => { jupyterapp.commands.execute('docmanager:save'); }"


@slow
@can_kill
def test_a_chapter_is_whole_after_each_kill(start_browser):
    with start_browser() as start, lab(*LAB_OPTIONS) as server:
        path = Path(server.chapters, NAME)
        browser, page = opened_in(start(), server)
        page.evaluate(CHANGE, 0)
        began = time.monotonic()
        page.evaluate(SAVE)
        whole_save = time.monotonic() - began
        for kill in range(1, KILLS + 1):
            page.evaluate(CHANGE, kill)
            before = version(path)
            page.evaluate(SAVE_AND_RETURN)
            time.sleep(whole_save * (kill - 1) / KILLS)
            killed(browser)
            server.ask("/api/contents/" + NAME + "?content=0")
            time.sleep(0.5)  # what had reached the server is written now
            assert version(path) in (before, kill)
            assert not list(path.parent.glob(".~*")), "a save left a file"
            browser, page = opened_in(start(), server)
            assert page.evaluate(SHOWN) == version(path)
        page.evaluate(CHANGE, 0)
        page.evaluate(SAVE)
        assert version(path) == 0, "it can't be saved again"
        browser.close()


def opened_in(browser, server):
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
    """The number of the change that the file holds."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))["metadata"]["change"][0]
    except ValueError as error:
        pytest.fail(f"{path.name} is half-written: {error}")
