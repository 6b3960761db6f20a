"""What a learner and a teacher meet, in a real browser: JupyterLab, the player, the site, hostile pages.

    python -m pytest tests/browser                                   all of it
    python -m pytest tests/browser/test_chapters.py -k 03            one chapter
    MINIGRAD_SCREENSHOTS=/tmp/shots python -m pytest tests/browser   and store what the browser showed

The tests need playwright and axe-playwright-python (.ci/requirements-more.txt) and the system's own Chromium.
They are skipped where one of these is missing, as in the environment of start.py. The stage `browser` of CI
runs them.
"""
__all__ = ["Axe", "Error", "TimeoutError", "expect", "sync_playwright"]

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import Error, TimeoutError, expect, sync_playwright
except ImportError:     # then the fixture `browser` skips each test
    Axe = Error = TimeoutError = expect = sync_playwright = None
