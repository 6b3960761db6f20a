"""How a chapter opens: its header line, and error messages short enough to read."""

from __future__ import annotations

import sys

CHAPTERS = {  # number: (title, minutes)
    2: ("The grad drawer", 25),
    3: ("What did my line record?", 25),
    6: ("Why can't I go back twice?", 25),
}


def chapter(number: int) -> None:
    """Print the header line of a chapter and, in a notebook, let errors show their message alone.

    Raises:
        ValueError: there is no such chapter.
    """
    if number not in CHAPTERS:
        raise ValueError(f"there is no chapter {number!r}; there are {', '.join(map(str, CHAPTERS))}")
    title, minutes = CHAPTERS[number]
    print(f"Chapter {number} · {title} · about {minutes} minutes")
    shorten_errors()


def shorten_errors() -> None:
    """What `%xmode Minimal` does, without its announcement: no frames, so no path of this machine."""
    if "IPython" not in sys.modules:
        return
    shell = sys.modules["IPython"].get_ipython()
    if shell is not None:
        shell.InteractiveTB.set_mode(mode="Minimal")
