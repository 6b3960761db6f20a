"""What is worth a second look, and no fault: a chapter takes the cells that its point needs."""
from __future__ import annotations

from collections.abc import Iterator

from ..counting import minutes
from .chapter import SHORT, Chapter, Finding
from .order import ends_as_all_chapters_do, says_how_long_it_takes

FEWEST_CELLS, MOST_CELLS, MOST_IDEAS, MOST_MINUTES = 25, 45, 8, 40


def cells_as_most_chapters_have(chapter: Chapter) -> Iterator[Finding]:
    cells = [cell for cell in chapter.cells if cell.text.strip()
             and not cell.tags & {"predict", "reveal", "judge", "check", "solution", "instructor"}]
    if chapter.number not in SHORT and not FEWEST_CELLS <= len(cells) <= MOST_CELLS:
        yield Finding(f"{len(cells)} cells, apart from predictions, checks and solutions",
                      "32 to 38 is a good length")


def a_lesson_is_long_enough(chapter: Chapter) -> Iterator[Finding]:
    if minutes(chapter.notebook) > MOST_MINUTES:
        yield Finding(f"{minutes(chapter.notebook)} minutes for one learner alone",
                      f"a lesson of 50 minutes has room for about {MOST_MINUTES}")


def few_ideas(chapter: Chapter) -> Iterator[Finding]:
    if len(chapter.ideas) > MOST_IDEAS:
        yield Finding(f"{len(chapter.ideas)} new ideas", f"few learners keep more than {MOST_IDEAS}")


def enough_to_do(chapter: Chapter) -> Iterator[Finding]:
    least = {"predict": 3, "exercise": 2, "aha": 1}
    if 1 <= chapter.number <= 8:    # later on there is not always an error to raise, or a lab that helps
        least |= {"widget": 1, "raises-exception": 1}
    if chapter.number in SHORT:
        least = {"predict": 1, "exercise": 1}
    for kind, fewest in least.items():
        count = len(chapter.code(kind))
        if count < fewest:
            yield Finding(f"cells with the tag {kind}: {count}", f"most chapters have {fewest} or more")


# The book's own chapters keep these, too.
OF_THE_BOOK = (enough_to_do, says_how_long_it_takes, ends_as_all_chapters_do)
ADVICE = (cells_as_most_chapters_have, a_lesson_is_long_enough, few_ideas, *OF_THE_BOOK)
