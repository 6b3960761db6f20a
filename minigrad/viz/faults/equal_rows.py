"""For `why`: weights whose rows begin equal and that every step keeps equal."""
from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, members
from ..graph.norms import array_of, silent
from ..program.lines import is_of_library
from ..program.node_lines import Line, only_line
from ..program.parsed import last_name
from ..program.ran import around, may_have_run
from ..watching.measured import counted
from .answer import Answer, place
from .evidence import Case
from .made import made_line
from .steps import steps_of

EQUAL, SAME = 0.01, 0.1  # the largest difference of rows, and of their gradients, in largest ones
FILLING = ("constant_", "ones_", "zeros_", "fill_", "zero_")


def equal_rows(case: Case) -> Answer | None:
    """A weight whose rows are equal and got equal gradients, or stayed equal when steps moved it.

    Rounding sets them apart in the end, first under Adam, which divides by what is small.
    """
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    if model is None or len(case.tensor.shape) < 2:
        return None
    module = case.common.once("holders", model, lambda: {
        id(own): one for one in inner_modules(model).values()
        for own in vars(one)["_parameters"].values()}).get(id(case.tensor))
    if module is None or hasattr(module, "num_embeddings"):
        return None
    dims = _dims(module, case.tensor)
    for dim in dims:
        units = _units(module, case.tensor, dim)
        apart = _apart(case.tensor, dim, units)
        biases = (one for one in vars(module)["_parameters"].values()
                  if one is not None and len(one.shape) == 1 and one.shape[0] % units == 0)
        if apart is None or apart > EQUAL or any((_apart(one, 0, units) or 0) > EQUAL
                                                 for one in biases):
            continue
        weights = [one for _, one in members(model) if len(one.shape) > 1]
        at = next((at for at, one in enumerate(weights) if one is case.tensor), 0)
        # of a product in the text, what is registered first is taken to come first
        others = weights[at + 1:] + weights[:at] * (len(dims) == 1)
        if not _is_taken_equally(others, units) or (
                how := _kept_equal(case, dim, units, apart)) is None:
            continue
        rows = "columns" if dim else "rows"
        groups = case.tensor.shape[dim] // units
        which = f"in each of its {groups} groups, all {units}" if groups > 1 else f"all {units}"
        size = f" (their numbers differ by at most {apart:.1g} of the largest)" if apart else ""
        line = filled_at(case, module)
        made = line or made_line(case)
        where = "" if not place(made) else (
            f" It was filled with one number{place(line)}." if line else
            f" {case.name} is made{place(made)}.")
        return Answer("equal rows", f"{which[0].upper()}{which[1:]} {rows} of {case.name} are "
                      f"equal{size}, and {how}: its units compute the same, and steps keep them "
                      f"equal.{where}",
                      [Fix("Fill it with random numbers before the first step, such as with "
                           f"`nn.init.normal_({case.code}, std=0.1)`.",
                           "training starts from other numbers")], [case.tensor], line=made)
    return None


def _dims(module: Any, weight: Any) -> list[int]:
    """The dimensions along which a weight has its units; both, where the program multiplies."""
    kind = type(module)
    if is_of_library(kind):
        return [int("Transpose" in kind.__name__)]
    return [0, 1] if len(weight.shape) == 2 else []


def _units(module: Any, weight: Any, dim: int) -> int:
    """How many units one gate of a recurrent layer has, one group of a convolution, or the layer.
    """
    length = int(weight.shape[dim])
    size = getattr(module, "hidden_size", None) or getattr(module, "embed_dim", None) or (
        length // (1 if dim else getattr(module, "groups", 1)))
    return size if isinstance(size, int) and size and length % size == 0 else length


def _apart(tensor: Any, dim: int, units: int) -> float | None:
    """How far rows of a group differ at most, against the largest number; None: there is one."""
    if units < 2:
        return None
    array = array_of(tensor)
    rows = tensor.detach() if array is None else array
    rows = rows.swapaxes(0, dim) if dim else rows
    rows = rows.reshape(rows.shape[0] // units, units, -1)
    with silent(array):
        for some in (rows[:1, :2], rows):  # most weights are told by their first two rows
            most = float(abs(some).max())
            apart = float(abs(some - some[:, :1]).max()) / most if most else 0.0
            if apart > SAME:
                break
    return apart


def _is_taken_equally(others: list[Any], units: int) -> bool:
    """Whether another weight takes all units alike: those of the last layer are results.

    Results may be equal because their targets are.
    """
    of_units = [one.reshape(one.shape[0], units, -1) for one in others if not one.shape[1] % units]
    pairs = [(one, 1) for one in of_units] + [(one, 0) for one in others if one.shape[0] == units]
    return any((_apart(one, dim, units) or 0) <= SAME for one, dim in pairs)


def _kept_equal(case: Case, dim: int, units: int, apart: float) -> str | None:
    """What tells that steps keep rows equal: the gradients now, or the last step that moved them.
    """
    grad = case.common.numbers(case.tensor.grad)
    if grad is not None and grad.norm and not grad.nans + grad.infinite:
        same = _apart(case.tensor.grad, dim, units)
        return "so are the gradients that they got" if same is not None and same < SAME else None
    moved = [one for one in steps_of(case) if one.update and one.grad and one.grad.norm]
    if grad is not None and grad.norm or not moved:
        return None
    largest = float(case.tensor.detach().abs().max())
    if apart * largest > SAME * (moved[-1].update or 0) / case.tensor.numel() ** 0.5:
        return None
    return f"still are after {counted(len(moved), 'step', 'steps')} that moved them"


def filled_at(case: Case, module: Any, names: Sequence[str] = FILLING) -> Line | None:
    """The only line of the program that fills such a parameter by one of these functions."""
    kinds, own = {one.__name__ for one in type(module).__mro__}, case.name.rpartition(".")[2]
    found = []
    for part in case.program.parts:
        if not isinstance(part, ast.Call) or last_name(part.func) not in names or (
                not may_have_run(case.program, part)):
            continue
        method = isinstance(part.func, ast.Attribute) and last_name(part.func.value) != "init"
        target: Any = part.func.value if method else next(iter(part.args), None)  # type: ignore
        target = target.value if getattr(target, "attr", "") == "data" else target
        tests = [one.test for inner, one in around(part)
                 if isinstance(one, ast.If) and "isinstance" in ast.unparse(one.test)]
        fits = all(kinds & {last_name(name) for name in ast.walk(test)
                            if isinstance(name, (ast.Name, ast.Attribute))} for test in tests)
        if fits and (isinstance(target, ast.Name) or getattr(target, "attr", "") == own):
            found.append(part)
    return only_line(found)
