"""What is worth a second look, and no fault: a chapter takes the cells that its point needs."""
from __future__ import annotations

from collections.abc import Iterator

from ..counting import minutes
from .chapter import SHORT, Chapter, Finding

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


ADVICE = (cells_as_most_chapters_have, a_lesson_is_long_enough, few_ideas)
