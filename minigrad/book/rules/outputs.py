"""What the cells of a chapter must have shown when it was run."""
from __future__ import annotations

import re
from collections.abc import Iterator

from .chapter import Chapter, Finding


def checks_are_right_and_reveals_are_silent(chapter: Chapter) -> Iterator[Finding]:
    for cell in chapter.code("check"):
        if not cell.printed.startswith("✓"):
            yield Finding(f"the check of the book's own solution printed {cell.printed!r}",
                          "change the solution, or what is expected in the chapter's module", cell)
    for cell in chapter.code("reveal"):
        if "no prediction yet" not in cell.printed:
            yield Finding(f"this comparison printed {cell.printed!r}",
                          "run the chapter with `python -m minigrad.book run`, which has nobody's progress",
                          cell)


def pictures_can_be_read(chapter: Chapter) -> Iterator[Finding]:
    for cell in chapter.code("viz") + chapter.code("aha"):
        data = [output["data"] for output in cell.outputs if "data" in output]
        if not any(("image/svg+xml" in one
                    and re.search("Graph|Jacobian", "".join(one.get("text/plain", ""))))
                   or ' alt="' in "".join(one.get("text/html", "")) for one in data):
            yield Finding("no picture with its words",
                          "end the cell with a picture that says in words what it shows, or take the tag "
                          "viz or aha away", cell)


RULES = (checks_are_right_and_reveals_are_silent, pictures_can_be_read)
