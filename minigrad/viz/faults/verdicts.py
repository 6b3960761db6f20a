"""What is wrong in a run or a model: each cause once, with the parameters that it is about."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.facts import unheard
from ..graph.once import unchanged
from ..program.names import Names
from .beside import beside
from .parameters import Parameters, Row, grouped, table_of, worst_first
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
    tables = tables_of(models, names)
    return worst_first([row for table in tables for row in table.rows]), verdicts_of(tables)


@unheard
@unchanged
def tables_of(models: Mapping[str, Any], names: Names, loss: Any = None) -> list[Parameters]:
    """What is known of each parameter of some models; `loss` as in `why`."""
    return [table_of(model, names, answer, beside, loss) for model in models.values()]


def verdicts_of(tables: Sequence[Parameters]) -> list[Verdict]:
    """What is wrong in some tables; the worst first."""
    bad = [row for table in tables for row in table.rows if not row.is_fine]
    found = worst_first([*bad, *(row for table in tables for row in table.more)])
    return [Verdict(row.cause, row.name, row.sentence, row.line, row.fixes, others)
            for row, others in grouped(found)]
