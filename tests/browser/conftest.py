"""The browser that the tests share, and the servers that it opens."""
import contextlib
import os
import runpy
import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tests.browser import expect, sync_playwright
from tests.browser.in_jupyterlab import LAB_OPTIONS
from tests.helpers.lab import lab

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def start_browser():
    """Return a context manager that yields a function, which starts one more browser at each call."""
    if sync_playwright is None:
        pytest.skip("playwright or axe-playwright-python is missing: .ci/requirements-more.txt")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium is installed")

    @contextlib.contextmanager
    def start_browser():
        expect.set_options(timeout=15_000)
        with sync_playwright() as playwright:
            yield lambda: playwright.chromium.launch(executable_path=path, args=QUIET)
    return start_browser


# For this folder, and not for the whole run: as long as it is open, no other test may use asyncio.
@pytest.fixture(scope="package")
def browser(start_browser):
    with start_browser() as start:
        browser = start()
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def teachers_lab(browser):
    """A JupyterLab that serves notebooks/."""
    with lab(*LAB_OPTIONS, "--teacher") as server:
        yield server


@pytest.fixture(scope="module")
def learners_lab(browser):
    """A JupyterLab that serves a learner's own chapters, in the layout that start.py gives."""
    start = runpy.run_path(str(ROOT / "start.py"))
    name, = (name for name in start["LAB_FILES"] if name.startswith("workspaces/"))
    assert Path(start["LAB"], name).exists(), "start.py has not put its layout where JupyterLab looks for it"
    with lab(*LAB_OPTIONS, layout={Path(name).name: start["LAB_FILES"][name]}) as server:
        yield server


@pytest.fixture(scope="session")
def shoot():
    """Return a function that stores what a page shows, where MINIGRAD_SCREENSHOTS names a folder."""
    folder = os.environ.get("MINIGRAD_SCREENSHOTS")

    def shoot(page, name):
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(folder, f"{name}.png"))
    return shoot
