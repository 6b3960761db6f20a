"""What `why` answers: the cause, a sentence, its fixes, and the line of the program."""
from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..program.cuts import Source
from ..program.lines import line_words

FINITE = ".grad is finite, but "  # in a sentence about a loss that isn't


class Answer(NamedTuple):
    """What `why` has to say."""

    cause: str
    sentence: str
    fixes: Sequence[Fix] = ()
    guilty: Sequence[Any] = ()  # nodes and tensors to mark
    show: Sequence[Any] = ()  # what to draw; nothing: the result
    more: str = ""  # what was looked at, or can't be seen
    cut: Source | None = None
    line: Any = None  # of the program


def place(line: Any) -> str:
    """The line of the program in brackets, where it is known and can be read."""
    known = line and line.line and linecache.getline(line.filename, line.line)
    return f" ({line_words(line)})" if known else ""
