"""`why(model)`: one table, a row for each parameter, the worst first."""
from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..drawing.drawing import Output
from ..drawing.explanation import Fix, html_table
from ..drawing.text_twin import in_columns
from ..graph.facts import is_node, is_tensor
from ..graph.modules import inner_modules, members
from ..program.custom_functions import own_backward, unchecked_words
from ..program.names import Names, as_code
from ..watching.calls import known_calls
from ..watching.cut_calls import cut_calls
from ..watching.events import FEWEST, Event, taken_of
from ..watching.measured import unchecked_beside
from ..watching.padding_rows import rows_of
from ..watching.pass_notes import noted_of
from .answer import FINITE, Answer
from .common import Common
from .evidence import Case
from .made import in_code

RANKS = (  # the worst first; a cause that isn't here is between the two halves
    "nan", "failed pass", "None on the way", "cut", "not used", "made anew", "not registered",
    "no optimizer", "stale", "misnamed", "frozen", "rebound", "hooks", "backward not called",
    "written gradient", "doubled", "not emptied", "emptied early", "thrown away", "written late",
    "used up", "not limited", "limited while scaled", "new optimizer", "old schedule", "no change",
    "no rate", "rate rises", "no slope", "zero", "only zeros", "saturated", "inverted mask",
    "batch as time", "equal rows", "vanishing", "huge", "no probabilities", "no logarithms",
    "no scores", "twice", "broadcast", "mixed axes", "softmax's axis", "advantage", "divided again",
    "masked scores", "deviation", "no second derivative", "summed derivatives", "untied",
    "constant summand", "sample", "evaluation mode", "no statistics", "moving statistics",
    "written", "two leaves", "no copy", "one module", "grows", "no step", "inputs", "training mode",
    "dropout", "starts saturated", "class weights")
FINE = ("healthy", "not known", "emptied", "grad()", "no pass", "target", "constant",
        "zero at first", "minimum", "adds up to 0", "not a leaf", "not in the last pass")
UNKNOWN = ("not known", "no pass")  # no fault is claimed, and no all-clear is given
UNHELD = ("cut", "not used", "made anew", "inputs")
HEADS = ("parameter", "shape", "gradient", "update / size", "optimizer", "moved", "reason")
MADE = " {} is made{}."  # what a sentence ends with where a line is known
NOTHING = "Nothing wrong was found."
SHOWN = 60  # rows of a printed table


class Row(NamedTuple):
    """What is known of a parameter; None: not known."""

    name: str
    shape: tuple[int, ...]
    grad: str  # "norm 0.13", "None", "0", "NaN", "frozen"
    ratio: float | None  # the norm of the last update against that of the parameter
    optimizer: str  # "opt, SGD, lr 0.1", "none", or "" where no optimizer is known
    moved: bool | None
    cause: str
    sentence: str
    line: Any
    fixes: Sequence[Fix]
    own: Sequence[str] = ()  # the backwards of the program itself behind its gradient
    still: int = 0  # how many of the last steps changed nothing, where earlier ones did
    had: bool = False  # a pass or a step found a gradient other than 0
    stepped: bool = False  # steps of optimizers changed it, and not the program alone

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong; None in a parameter that no optimizer holds may be meant."""
        return self.cause in FINE or self.optimizer == "none" and self.cause in UNHELD

    def words(self) -> tuple[str, ...]:
        ratio = "not known" if self.ratio is None else f"{self.ratio:.2g}"
        moved = "not known" if self.moved is None else "yes" if self.moved else "no"
        moved = f"not in the last {self.still:,} steps" if self.still else moved
        return (self.name, " x ".join(map(str, self.shape)) or "one number", self.grad, ratio,
                self.optimizer or "not known", moved,
                "nothing" if self.cause == "healthy" else self.cause)


class Parameters(Output):
    """The table of a model's parameters.

    It shows itself in a notebook, prints as text, and saves as HTML.
    """

    kind = "table"

    def __init__(self, title: str, rows: Sequence[Row], more: Sequence[Row] = (),
                 facts: Sequence[str] = ()) -> None:
        self.title, self.rows, self.facts = title, list(rows), facts
        self.more = worst_first(more)  # what was found of the model, and not of one parameter

    @property
    def sentences(self) -> list[str]:
        """What is said below the table, without the fixes, as `why(tensor).sentences` has it."""
        before, after = unchecked_beside(self.rows)
        found = [f"{row.name}: {row.sentence}{more}" for row, more, _ in self._told()]
        return [*filter(None, [before, *found, after])] if found else [self.nothing_found]

    @property
    def fixes(self) -> list[Fix]:
        """The fixes of all sentences, as `why(tensor).fixes` has them."""
        return [fix for row, _, _ in self._told() for fix in row.fixes]

    @property
    def text(self) -> str:  # type: ignore[override]
        shown = [HEADS[:-1] + ("what was found",), *(row.words() for row in self.rows[:SHOWN])]
        lines = [self.title, *in_columns(shown)]
        lines += [f"... {len(self.rows) - SHOWN} more"] * (len(self.rows) > SHOWN)
        before, after = unchecked_beside(self.rows)
        lines += filter(None, [before])
        for row, more, word in self._told():
            lines.append(f"{row.name}: {row.sentence}{more}")
            lines += [f"    {word.format(at)}: {fix.words} Price: {fix.price}"
                      for at, fix in enumerate(row.fixes, 1)]
        last = after if self._told() else self.nothing_found
        return "\n".join([*lines, *filter(None, [last])])

    @property
    def nothing_found(self) -> str:
        found = [*self.facts, NOTHING.replace("wrong", "else")] if self.facts else [NOTHING]
        unchecked = unchecked_words(one for row in self.rows for one in row.own)
        return " ".join(filter(None, [*found, unchecked]))

    def _told(self) -> list[tuple[Row, str, str]]:
        """The rows to tell, how many more each stands for, and what its fixes are."""
        bad = [row for row in self.rows if not row.is_fine]
        unknown = [row for row in self.rows if row.cause in UNKNOWN]
        return [(row, f" So it is for {others} more." if others else "", word)
                for word, rows in (("Fix {}", [*bad, *self.more]), ("Advice", unknown))
                for row, others in grouped(rows)]

    @property
    def html(self) -> str:  # type: ignore[override]
        rows = [[*row.words()[:-1], row.sentence] for row in self.rows]
        return html_table(HEADS, rows, self.title)


def grouped(rows: Sequence[Row]) -> list[tuple[Row, int]]:
    """The first row of each cause, line and fix, and for how many more its sentence is true."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        code = as_code(row.name)
        inner = code[len(re.split(r"[.\[]", code)[0]):]  # below the variable of the model
        fixes = [fix.words if ", " in fix.words and "'params'" in fix.words else
                 fix.words.replace(row.name, "").replace(code, "").replace(inner, "")
                 for fix in row.fixes]
        sentence = row.sentence.partition(f" {row.name} is made (")[0]
        alike = sentence.partition(": ")[2] or sentence
        key = row.cause, row.line, tuple(fixes) if row.line else alike.replace(row.name, "")
        found.setdefault(key, []).append(row)
    return [(first, sum((FINITE in row.sentence) == (FINITE in first.sentence) for row in more))
            for first, *more in found.values()]


def table_of(model: Any, names: Names, answer: Any, beside: Any, loss: Any = None,
             title: str = "") -> Parameters:
    """`answer` says what was found for one `Case`, `beside` what else was found in the model."""
    own = {id(one): (name, one) for name, one in reversed(_own(model, names))}
    common = Common(names, [one for _, one in own.values()], loss)
    cases = [(name, Case(one, names, loss, common)) for name, one in reversed(own.values())]
    rows = [_row(case, name, answer) for name, case in cases]
    path = next((name for name, one in names.models if one is model), title) or "model"
    more = [Row(path, (), "", None, "", None, found.cause, found.sentence, found.line,
                in_code(cases[0][1], found.fixes) if cases else found.fixes)
            for found in beside(model, [(case, row) for (_, case), row in zip(cases, rows)])]
    order = worst_first(rows)
    bad = sum(not row.is_fine for row in order)
    where = f" of {title}" if title else ""
    unknown = sum(row.cause in UNKNOWN for row in order)
    said = f"{bad} of {len(order)} parameters{where} need a look" if bad else (
        f"{len(order)} parameters{where}: of {unknown} it is not known whether anything is wrong"
        if unknown else f"{len(order)} parameters{where}, and nothing wrong was found"
        f"{' in their gradients' * bool(more)}")
    facts = rows_of([case.tensor for _, case in cases], names.of)
    return Parameters(said, order, more, [*cut_calls(known_calls(model)), *facts])


def worst_first(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (
        RANKS.index(row.cause) if row.cause in RANKS
        else len(RANKS) + row.is_fine * (1 if row.cause in UNKNOWN else 2)))


def _own(model: Any, names: Names) -> list[tuple[str, Any]]:
    """(name, parameter) of a model; what lists in it hold that it doesn't count are among them."""
    modules = inner_modules(model).values()
    buffers = {id(one) for module in modules for one in vars(module)["_buffers"].values()}
    found = [(names.of(one) or name, one) for name, one in members(model) if id(one) not in buffers]
    inside = set(map(id, modules))
    return found + [(one.name, one.tensor) for one in names.outside if id(one.module) in inside]


def _row(case: Case, name: str, answer: Any) -> Row:
    tensor = case.tensor
    found: Answer = answer(case)
    steps = [event for event in case.history if event.kind in ("step", "written")]
    last = next((event for event in reversed(steps) if event.update is not None), None)
    holders = [f"{held}, {type(one).__name__}, lr {_rate(group.get('lr'))}"
               for held, one, group in case.training.holders]
    taken = taken_of(tensor)
    stepped = taken.still < taken.count or any(
        event.kind == "step" and event.update for event in steps)
    moved = stepped or any(event.kind == "written" for event in steps) if steps else None
    still = taken.still if moved and steps[-1].kind == "step" and taken.still >= FEWEST else 0
    optimizer = "; ".join(holders) or ("none" if case.training.optimizers else "")
    return Row(name, tuple(tensor.shape), _grad(case, last), last and last.ratio, optimizer, moved,
               found.cause, found.sentence, line_found(case, found), in_code(case, found.fixes),
               own_backwards(case), still, any(one.grad and one.grad.norm for one in case.history),
               stepped)


def own_backwards(case: Case) -> list[str]:
    """The backwards of the program itself that passes to a tensor go through."""
    found = [one.kind[1] for one in noted_of(case.tensor, "own")]
    return [*found, *filter(None, map(own_backward, case.between))]


def _rate(rate: Any) -> str:
    """A learning rate in four digits: schedules make long ones."""
    return f"{float(rate):.4g}" if isinstance(rate, (int, float)) or is_tensor(rate) else str(rate)


def line_found(case: Case, found: Answer) -> Any:
    """The line of the program that an answer is about; None where it isn't known."""
    nodes = [one for one in found.guilty if is_node(one)]
    line = found.line or (found.cut.line if found.cut else case.line(nodes[0]) if nodes else None)
    return line if line and line.line else None


def _grad(case: Case, step: Event | None) -> str:
    """What .grad is like now, or, if it has been emptied, what the last step found in it."""
    tensor = case.tensor
    if not tensor.requires_grad:
        return "frozen"
    found = case.common.numbers(tensor.grad)
    if step is not None and (tensor.grad is None or found is not None and found.norm == 0):
        found = step.grad or found
    if found is None or found.norm is None:
        return "None" if found is None else "not known"
    if found.nans or found.infinite:
        return "NaN" if found.nans else "infinite"
    return "0" if found.norm == 0 and math.prod(tensor.shape) else f"norm {found.norm:.3g}"
