"""What a learner and a teacher meet, in a real browser: JupyterLab, the reader, and other pages.

    python .ci/check_browser.py [CHECK ...] [--chapter NAME] [--pictures FOLDER]
                                [--python PATH] [--browser PATH]

One Chromium, and one JupyterLab each for the teacher's chapters and for a learner's. The checks:

    chapters    every notebook of the teacher, opened and run                       check_chapters.py
    learner     a learner's first hours: what opens, chapters 0 and 2, every lab    check_learner.py
    player      forward, back and scrub, in pages and in the learner's JupyterLab   check_player.py
    reader      the pages of the site, as files without a network                   check_reader.py
    hostile     names, notebooks and files that try to run something                check_hostile.py

The last two need the packages of requirements-handouts.txt, in the Python that --python names. Needs
playwright from .ci/requirements.txt and a Chromium.
"""
import time

import check_chapters
import check_hostile
import check_learner
import check_player
import check_reader
from browser import LAB_OPTIONS, chromium, options_from
from lab import OWN_FOLDERS, lab
from playwright.sync_api import expect

OF_THE_TEACHER = {"chapters": check_chapters.check}
OF_A_LEARNER = {"learner": check_learner.check, "player": check_player.check}
PAGES = {"reader": check_reader.check, "hostile": check_hostile.check}
# A learner's first page stands in the layout that start.py gives it.
LAYOUT_OF_START = [name for name in OWN_FOLDERS if name != "JUPYTERLAB_WORKSPACES_DIR"]


def main():
    options = options_from(__doc__, [*OF_THE_TEACHER, *OF_A_LEARNER, *PAGES])
    expect.set_options(timeout=15_000)
    with chromium(options) as browser:
        if chosen(OF_THE_TEACHER, options):
            with lab(*LAB_OPTIONS, "--teacher") as server:
                do(OF_THE_TEACHER, browser, server, options)
        if chosen(OF_A_LEARNER, options):
            with lab(*LAB_OPTIONS, own_folders=LAYOUT_OF_START) as server:
                do(OF_A_LEARNER, browser, server, options)
        do(PAGES, browser, None, options)


def chosen(checks, options):
    return [name for name in checks if not options.names or name in options.names]


def do(checks, browser, server, options):
    for name in chosen(checks, options):
        began = time.monotonic()
        found = checks[name](browser, server, options)
        print(f"check_{name}: {found} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
