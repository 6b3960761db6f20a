"""How a chapter opens: its header line, the numbers of a seat, and errors short enough to read."""
from __future__ import annotations

import sys
from typing import Any

from .chapters import CHAPTERS, exercise, of
from .progress import progress


class Chapter:
    """`chapter(6)` opens chapter 6; `chapter.numbers("6b")` are the numbers of an exercise for your seat."""

    def __call__(self, number: int, seat: Any = None) -> None:
        """Print the header line of a chapter and, in a notebook, let errors show their message alone.

        A `seat` (a name or a number, once) gives the exercises numbers of their own.

        Raises:
            ValueError: there is no such chapter.
        """
        if number not in CHAPTERS:
            of(number)
        if seat is not None:
            progress.take_seat(str(seat))
        title, minutes = CHAPTERS[number]
        print(f"Chapter {number} · {title} · about {minutes} minutes")
        if surprise := earlier_surprise(number):
            print(surprise)
        shorten_errors()

    def numbers(self, key: str) -> Any:
        return exercise(key).numbers(progress.read()["seat"])

    def __repr__(self) -> str:
        return "chapter(number) opens a chapter"


def earlier_surprise(number: int) -> str | None:
    """One question of an earlier chapter that went wrong, to be asked again."""
    from .chapters import question
    for key, stored in sorted(progress.read()["predictions"].items()):
        before = int(key.partition(".")[0]) < number
        if before and stored.get("revealed") and not question(key).option(stored["choice"]).right:
            return f'Recall: {key} surprised you. Ask yourself again: print(predict("{key}"))'
    return None


def shorten_errors() -> None:
    """What `%xmode Minimal` does, without its announcement: no frames, so no path of this machine."""
    if "IPython" not in sys.modules:
        return
    shell = sys.modules["IPython"].get_ipython()
    if shell is not None:
        shell.InteractiveTB.set_mode(mode="Minimal")


chapter = Chapter()
