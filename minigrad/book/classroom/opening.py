"""How a chapter opens: its header line, the numbers of a seat, closed solutions."""
from __future__ import annotations

import sys
from typing import Any

from ..content.chapters import CHAPTERS, chapter_of, exercise, of
from .links import links
from .progress import progress
from .questions import Question, newest, question_shown, surprising
from .showing import page_style, somebody_is_there


class Chapter:
    """`chapter(6)` opens chapter 6; `chapter.numbers("6b")` are the numbers of an exercise for your seat."""

    number: int | None = None   # of the chapter that is open

    def __call__(self, number: int, seat: Any = None) -> None:
        """Print the header line of a chapter.

        A `seat` (a name or a number, once) gives the exercises numbers of their own.

        Raises:
            ValueError: there is no such chapter.
        """
        if number not in CHAPTERS:
            of(number)
        if seat is not None:
            progress.take_seat(str(seat))
        self.number = number
        title, minutes = CHAPTERS[number]
        print(f"Chapter {number} · {title} · about {minutes} minutes")
        if somebody_is_there():
            page_style()
            show_links(number)
        if asked := earlier_surprise(number):
            recall(asked)
        keep_solutions_closed()

    def numbers(self, key: str) -> Any:
        return exercise(key).numbers(progress.read()["seat"])

    def __repr__(self) -> str:
        return "chapter(number) opens a chapter"


def show_links(number: int) -> None:
    """Show links to the contents and to the chapters beside this one, where their files are in its folder."""
    if found := links(number):
        from IPython.display import display
        display({"text/plain": "", "text/html": f"<p>{found}</p>"}, raw=True)


def earlier_surprise(number: int) -> Question | None:
    """A question of an earlier chapter that went wrong, and has not been answered right since."""
    for asked, found in surprising():
        if chapter_of(asked.id) < number and not asked.option(newest(found)["choice"]).right:
            return asked
    return None


def recall(asked: Question) -> None:
    """Ask a question again: here, where there are controls, else by saying how."""
    print(f"Recall: {asked.id} surprised you.", end=" ")
    if somebody_is_there():
        from IPython.display import display
        print("Answer it again before you go on.")
        display(question_shown(asked))
    else:
        print(f'Answer it again in a cell of your own: predict("{asked.id}")')


def keep_solutions_closed() -> None:
    """Running all cells must not put the book's answers in the place of the learner's."""
    if somebody_is_there():
        steps = sys.modules["IPython"].get_ipython().input_transformers_cleanup
        if closed not in steps:
            steps.append(closed)


def closed(lines: list[str]) -> list[str]:
    """The lines of a cell; of a solution that still carries its mark, a notice in their place."""
    if not lines or not lines[0].startswith("### BEGIN SOLUTION"):
        return lines
    notice = "A solution: it was not run, and your answer stands. To run it, delete its first line."
    return [f"print({notice!r})\n"]


chapter = Chapter()
