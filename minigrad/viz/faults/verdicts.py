"""What is wrong in a run or a model: each cause once, with the parameters that it is about."""
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.facts import unheard
from ..program.names import Names
from .parameters import Row, grouped, table_of, worst_first
from .why import answer


class Verdict(NamedTuple):
    """A problem that was found by rule."""

    cause: str
    name: str  # of the first parameter that it is about
    sentence: str
    line: Any  # of the program; None: not known
    fixes: Sequence[Fix]  # each with its price
    others: int  # how many more parameters it is about


def find_faults(models: Mapping[str, Any], names: Names) -> tuple[list[Row], list[Verdict]]:
    """The table of some models' parameters, and what is wrong in it."""
    rows = rows_of(models, names)
    return rows, verdicts_of(rows)


@unheard
def rows_of(models: Mapping[str, Any], names: Names, loss: Any = None) -> list[Row]:
    """What is known of each parameter of some models, the worst first; `loss` as in `why`."""
    tables = [table_of(model, names, answer, loss) for model in models.values()]
    return worst_first([row for table in tables for row in table.rows])


def verdicts_of(rows: Sequence[Row]) -> list[Verdict]:
    """What is wrong in a table; the worst first, as its rows are."""
    return [Verdict(row.cause, row.name, row.sentence, row.line, row.fixes, others)
            for row, others in grouped([row for row in rows if not row.is_fine])]
