"""What is wrong in a run or a model: each cause once, with the parameters that it is about."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.facts import unheard
from ..graph.modules import is_model
from ..program.names import Names, _caller, find_names
from .parameters import Parameters, Row, grouped, table_of
from .why import answer


class Verdict(NamedTuple):
    """A problem that was found by rule."""

    cause: str
    name: str  # of the first parameter that it is about
    sentence: str
    line: Any  # of the program; None: not known
    fixes: Sequence[Fix]  # each with its price
    others: int  # how many more parameters it is about


@unheard
def verdicts(source: Any, names: Names | None = None, loss: Any = None) -> list[Verdict]:
    """What is wrong in a model, in several, or in what `watch(model, optimizer)` gave; the worst
    first.

    Example:
        for verdict in verdicts(model):
            print(verdict.sentence)

    Args:
        source: a model, a dict of models by name, or a run, whose `models` are such a dict.
        names: what the program's variables hold; None looks in the frame of the caller.
        loss: as in `why`.
    """
    return verdicts_of([row for table in tables(source, names, loss).values()
                        for row in table.rows])


def verdicts_of(rows: Sequence[Row]) -> list[Verdict]:
    """What is wrong in a table."""
    return [Verdict(row.cause, row.name, row.sentence, row.line, row.fixes, others)
            for row, others in grouped([row for row in rows if not row.is_fine])]


@unheard
def tables(source: Any, names: Names | None = None, loss: Any = None) -> dict[str, Parameters]:
    """The table of each model, by its name."""
    models = {"": source} if is_model(source) else dict(getattr(source, "models", source))
    found = {}
    for name, model in models.items():
        known = names or find_names(model, frames=[_caller()])
        title = name or next((path for path, one in known.models if one is model), "")
        found[title] = table_of(model, known, answer, loss, title)
    return found
