"""Operations in a graph that are right each by itself, and wrong after one another.

Softmax before cross-entropy; a column of predictions that broadcasts against a row of targets.
These are told by names and shapes, so that it makes no difference whether a pass has freed what was
saved. Numbers that are no probabilities are found before that alone.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, prod
from typing import Any, NamedTuple

from .facts import is_tensor, shape_of
from .kept import kept_by, saved_by, signed, stem_of
from .masks_and_noise import masked, variance
from .mixed_axes import divided_again, mixed, off_axis
from .node_records import record_of
from .policies import advantages
from .samples import is_sample
from .summed_up import COMPARED, is_summed_up
from .walk import shapes_of

ONE_NUMBER, ADVANTAGE = "one number", "advantage"
MIXED, OFF_AXIS, AGAIN = "mixed axes", "softmax's axis", "divided again"
MASKED, DEVIATION = "masked scores", "deviation"
VARIANCE = ("multiplies noise, as a standard deviation does. {} takes the same numbers, and adds "
            "what it makes to them, as the divergence does with a variance and its logarithm")
PAIRS = (("LogSoftmax", "Softmax"), ("BinaryCrossEntropyWithLogits", "Sigmoid"),
         ("NllLoss", "Softmax"))
OUTSIDE = {  # by a loss: the slot of what has to be between two numbers
    "NllLoss": ("self", -inf, 0.0), "BinaryCrossEntropyWithLogits": ("target", 0.0, 1.0)}
NEAR = 1e-3  # as log(p + 1e-6) may be a little above 0
SHAPING = ("View", "UnsafeView", "ReshapeAlias", "Squeeze", "Unsqueeze", "Clone", "Alias")
HANDING = (*SHAPING, "ToCopy", "Clamp", "ClampMin", "ClampMax", "Select", "Slice", "Index",
           "Permute", "Transpose", "T")
LINEAR = ("Addmm", "Mm", "Linear", "Matmul")
ACTIVATIONS = ("Sigmoid", "Tanh", "Relu", "Softplus", "Exp", "LeakyRelu", "Gelu")
MAPPING = (*ACTIVATIONS, "Add", "Sub", "Rsub", "Mul", "Div", "Neg", "Pow", "Log", "Expand", "Abs",
           "Sqrt", "Clamp", "Reciprocal", "Where", "Maximum", "Minimum", "Log1P", "Square")
FLATTENING = ("View", "UnsafeView", "ReshapeAlias", "Squeeze", "Select")
# one number of each row, such as its log-probability
OF_A_ROW = ("Gather", "Sum", "Mean", "LinalgVectorNorm", "Norm", "NllLoss", "Logsumexp")
PARTS = ("Select", "Slice")
LOSSES = (*COMPARED, "BinaryCrossEntropyWithLogits", "BinaryCrossEntropy")
COMPARING = ("Sub", "Rsub", "Expand", *COMPARED)


class Pattern(NamedTuple):
    """What was found; `kind` is a pair of operations, or ("broadcast", the shapes in words).

    ("NllLoss", "outside") is a loss with numbers that are no probabilities.
    ("sample", the name of a node) is a sample that passes zeros on.
    (ONE_NUMBER, words) is a normalisation over a single number, which has no slope.
    ("Mean", "BatchNorm") is a mean or sum of all that BatchNorm made of a batch, and nothing else.
    (ADVANTAGE, "") is a log-probability times values that have a loss of their own.
    (MIXED, words), (OFF_AXIS, words) and (AGAIN, words) say what `mixed_axes` found, and
    (MASKED, words) and (DEVIATION, words) what `masks_and_noise` did.
    Of a loss that was watched, it is what is wrong with its arguments, and what was measured.
    """

    kind: tuple[str, str]
    node: Any
    before: Any  # the node whose result it takes


def patterns(nodes: Sequence[Any]) -> Iterator[Pattern]:
    """Those among nodes, inputs before users."""
    yield from (Pattern((ADVANTAGE, ""), *found) for found in advantages(nodes))
    losses = {id(before) for node in nodes if stem_of(node.name()).startswith("NllLoss")
              for before, _ in node.next_functions}
    users: dict[int, list[Any]] = {}
    for node in nodes:
        for before, _ in node.next_functions:
            if before is None:
                continue
            users.setdefault(id(before), []).append(node)
            maker = _maker(before)
            pair = stem_of(node.name()).removesuffix("2D"), stem_of(maker.name())
            if pair in PAIRS and (pair[0] != "LogSoftmax" or id(node) in losses):
                yield Pattern(pair, node, maker)
    for node in nodes:
        if found := _square(node, users):
            yield Pattern(("broadcast", found[0]), node, found[1])
        if stem_of(node.name()) == "BatchNorm" and (taker := _averaging(node, users)) is not None:
            yield Pattern(("Mean", "BatchNorm"), taker, node)
        if is_sample(node, users, MAPPING):
            yield Pattern(("sample", node.name().rpartition("::")[2]), node, node)
        if words := of_one_number(node):
            yield Pattern((ONE_NUMBER, words), node, node.next_functions[0][0])
        if (loss := stem_of(node.name()).removesuffix("2D")) in OUTSIDE and _is_outside(
                node, *OUTSIDE[loss]):
            yield Pattern((loss, "outside"), node, node.next_functions[0][0])
        if misgiven := record_of(node).get("misgiven"):
            yield Pattern(misgiven[0], node, misgiven[1])
        if words := mixed(node):
            yield Pattern((MIXED, words), node, node.next_functions[0][0])
        if off := off_axis(node, users):
            yield Pattern((OFF_AXIS, off[0]), node, off[1])
        if again := divided_again(node):
            yield Pattern((AGAIN, again[0]), node, again[1])
        if words := masked(node, users):
            yield Pattern((MASKED, words), node, node.next_functions[0][0])
        if (other := variance(node, users)) is not None:
            yield Pattern((DEVIATION, VARIANCE), node, other)


def _is_outside(node: Any, slot: str, least: float, most: float) -> bool:
    """Whether a saved value has numbers that are not between two others."""
    found = [row.value for row in saved_by(node) if row.slot == slot and row.state == "kept"]
    return any(bool(((one < least - NEAR) | (one > most + NEAR)).any())
               for one in (value.detach() for value in found))


def of_one_number(node: Any) -> str:
    """What a node does that normalises over a single number; "" if it is none."""
    stem = stem_of(node.name())
    before, nr = node.next_functions[0] if node.next_functions else (None, 0)
    if stem not in ("LayerNorm", "BatchNorm", "GroupNorm", "Sub", "Div", "Mul") or before is None:
        return ""
    if stem in ("Div", "Mul"):  # the last operation of one that is written out
        inner = of_one_number(before) if stem_of(before.name()) == "Sub" else ""
        return inner.replace("subtracts from a single", "scales a single").replace(
            " its own", " less its own")
    shape, kept = (shapes_of(node) or [()])[0], kept_by(node)
    size, of = 0, "normalises over a single number"
    if stem == "LayerNorm":
        size = prod(kept.get("normalized_shape") or (0,))
    elif stem == "BatchNorm" and kept.get("training") is True and len(shape) > 1:
        size = prod(shape) // max(shape[1], 1)
    elif stem == "GroupNorm" and "group" in kept:
        size = kept["C"] * kept["HxW"] // kept["group"]
        of += f" in each of {kept['group']} groups"
    elif stem == "Sub" and (mean := node.next_functions[1][0]) is not None and (
            stem_of(mean.name()) == "Mean" and mean.next_functions[0] == (before, nr)):
        dims = [signed(dim) for dim in kept_by(mean).get("dim") or ()]
        taken = [*shapes_of(before), *[()] * nr][nr:nr + 1] or [()]
        size = prod(shape[dim] for dim in dims) if dims and taken[0] == shape else 0
        of = "subtracts from a single number its own mean"
    return f"{of}, as what it takes has the shape {shape}" if size == 1 else ""


def _averaging(node: Any, users: dict[int, list[Any]]) -> Any:
    """The mean or sum of all numbers that alone takes what BatchNorm made of a batch, or None."""
    in_training = kept_by(node).get("training") is True
    while in_training and len(users.get(id(node), ())) == 1:
        node = users[id(node)][0]
        if stem_of(node.name()) in ("Mean", "Sum"):
            return node if all(row.slot != "dim" for row in saved_by(node)) else None
        in_training = stem_of(node.name()) in SHAPING
    return None


def _maker(node: Any) -> Any:
    """The node that made the numbers which another passes on in a different shape, or limits."""
    while stem_of(node.name()) in HANDING and node.next_functions[0][0] is not None:
        node = node.next_functions[0][0]
    return node


def _square(node: Any, users: dict[int, list[Any]]) -> tuple[str, Any] | None:
    """The shapes, where numbers of rows became a square that is summed up, and who made them."""
    made = (shapes_of(node) or [()])[0]
    inputs = [(before, nr) for before, nr in node.next_functions if before is not None]
    if len(made) != 2 or made[0] != made[1] or made[0] < 2 or not 0 < len(inputs) < 3:
        return None
    taken = [([*shapes_of(before), *[()] * nr][nr:nr + 1] or [()])[0] for before, nr in inputs]
    row, column, stem = (made[0],), (made[0], 1), stem_of(node.name())
    (before, _), given = inputs[0], taken[0]
    others = taken[1:] or _others(node, users)
    sides = [given in (row, column) and (_predicts(one, column) or _of_rows(one, row))
             for (one, _), given in zip(inputs, taken)]
    if {row, column} == {given, *others}:  # one number of each row, in both shapes
        # pairs of one tensor with itself are meant
        if not all(sides) or len(inputs) > 1 and _makers(inputs[0][0]) & _makers(inputs[1][0]):
            return None
    elif len(inputs) > 1 or given != column or stem not in COMPARING or not _predicts(
            before, column, ACTIVATIONS) or not others and _saw_constants(node):
        return None
    if not is_summed_up(node, users, made):
        return None
    other = "in a row" if given == column else "in a column"
    return f"{given} against {made[0]} numbers {other} to {made}", before


def _makers(node: Any) -> set[int]:
    """The nodes behind one, by id, up to tables of which it has one number of each row."""
    waiting, found = [node], set[int]()
    while waiting:
        node = waiting.pop()
        before = [one for one, _ in node.next_functions if one is not None]
        stem = stem_of(node.name())
        if id(node) not in found and stem in (*MAPPING, *FLATTENING):
            waiting += before
        found.update([id(node), *map(id, before if stem in OF_A_ROW else ())])
    return found


def _saw_constants(node: Any) -> bool:
    """Whether a watch would have told of a row that the operation took; minigrad's can't."""
    return "order" in record_of(node) and not any(
        kind.__module__.startswith("minigrad.") for kind in type(node).__mro__)


def _others(node: Any, users: dict[int, list[Any]]) -> list[tuple[int, ...]]:
    """The shape of the constant that an operation took, as it is kept or as a watch saw it."""
    kept = [shape_of(row.value) for row in saved_by(node)
            if row.state == "kept" and is_tensor(row.value)]
    seen = [record_of(one).get("crossed") for one in (node, *users.get(id(node), []))]
    return [shape for shape in (*kept, *seen) if shape]


def _of_rows(node: Any, row: tuple[int, ...]) -> bool:
    """Whether each number of a vector was taken or added up from one row of a table.

    A loss that wasn't averaged has such numbers; operations on single numbers hand them on.
    """
    waiting, seen = [node], set[int]()
    while waiting:
        node = waiting.pop()
        shape, stem = (shapes_of(node) or [()])[0], stem_of(node.name())
        tables = [(shapes_of(before) or [()])[0] for before, _ in node.next_functions
                  if before is not None]
        if stem in (*OF_A_ROW, *PARTS) and shape[:1] == row and any(
                len(one) > 1 and one[:1] == row for one in tables):
            return True
        if id(node) not in seen and stem in (*MAPPING, *FLATTENING, *LOSSES):
            waiting += [before for before, _ in node.next_functions if before is not None]
        seen.add(id(node))
    return False


def _predicts(node: Any, column: tuple[int, ...], by: Sequence[str] = MAPPING) -> bool:
    """Whether a linear layer made a column that operations on single numbers handed on."""
    waiting, seen = [node], set[int]()
    while waiting:
        node = waiting.pop()
        shape, stem = (shapes_of(node) or [()])[0], stem_of(node.name())
        if stem in LINEAR and shape == column:
            return True
        if id(node) not in seen and (stem in by or stem in FLATTENING and len(by) > 9):
            waiting += [before for before, _ in node.next_functions if before is not None]
        seen.add(id(node))
    return False
