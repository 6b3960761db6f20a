"""How a network begins: flat ends of tanh and sigmoid, and a loss above that of equal scores."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from weakref import ref

from ..graph.kept import kept_by, stem_of
from ..graph.patterns import SHAPING
from ..graph.walk import is_accumulate
from .here import WhileAlive, here
from .over_steps import root_mean_square

FLAT = {"Tanh": (-0.97, 0.97), "Sigmoid": (0.015, 0.985)}  # slopes beyond: below 0.06, and 0.015
MOST = 0.5  # of the results of an operation
CROSS_ENTROPY, BINARY = "NllLoss", "BinaryCrossEntropyWithLogits"
# Which input of an operation is the weight, and which slots keep what it is multiplied by.
WEIGHT = {"Addmm": 2, "Mm": 1, "Linear": 1, "Matmul": 1, "Convolution": 1}
TAKEN = ("mat1", "self", "input")


class Weight(NamedTuple):
    """A weight before a squashing operation, in the first pass."""

    leaf: Any  # a weak reference
    std: float
    fan_in: int
    fan_out: int
    taken: float | None  # the root mean square of what it was multiplied by, where that is known

    @property
    def usual(self) -> float:
        """The larger of 1 / sqrt(fan-in) and Xavier's standard deviation."""
        return max(self.fan_in ** -0.5, (2 / (self.fan_in + self.fan_out)) ** 0.5)


class Start(NamedTuple):
    """The first pass of a watch that went through squashing operations to a cross-entropy."""

    since: int
    flat: float  # the smallest share of results at the flat ends, of those above MOST
    operations: list[str]  # these operations, as "Tanh"
    loss: float  # the mean over rows
    classes: int
    weights: list[Weight]


_starts: WhileAlive[Start] = WhileAlive()  # by weight


def start_of(leaf: Any) -> Start | None:
    """The first pass of the watch that is judged, or of the last one, that came to a weight."""
    found = _starts.get(leaf)
    return found if found is not None and found.since >= here.since else None


def note_start(nodes: Sequence[Any]) -> None:
    """A pass begins; look at the first one before any step."""
    if any(one.steps for one in here.watches) or here.seen["start"]:
        return
    loss = next((found for node in reversed(nodes) if (found := _loss_at(node))), None)
    if loss is None:
        return
    here.seen["start"] += 1
    rows = [(node, share) for node in nodes if (share := _flat_at(node)) > MOST]
    weights = {id(one.leaf()): one for node, _ in rows for one in _weights_before(node)}
    flat = min((share for _, share in rows), default=0)
    start = Start(max(one.since for one in here.watches), flat,
                  [stem_of(node.name()) for node, _ in rows], *loss, list(weights.values()))
    for one in start.weights:
        _starts.set(one.leaf(), start)


def _flat_at(node: Any) -> float:
    """The share of what tanh or sigmoid made that lies at its flat ends; 0 for other operations."""
    value = kept_by(node).get("result") if stem_of(node.name()) in FLAT else None
    if value is None or not value.numel():
        return 0.0
    low, high = FLAT[stem_of(node.name())]
    value = value.detach()
    return int(((value < low) | (value > high)).sum()) / value.numel()


def _loss_at(node: Any) -> tuple[float, int] | None:
    """(mean over rows, classes) of a cross-entropy, whatever its reduction and its weights."""
    stem = stem_of(node.name()).removesuffix("2D")
    with suppress(Exception):  # other shapes, or values that were freed
        kept = kept_by(node)
        if stem == CROSS_ENTROPY:
            scores, target = kept["self"].detach(), kept["target"]
            classes = scores.shape[1]
            told = (target >= 0) & (target < classes)
            picked = scores.gather(1, (target * told).unsqueeze(1)).squeeze(1)
            return -float((picked * told).sum()) / max(int(told.sum()), 1), classes
        if stem == BINARY:
            scores, target = kept["self"].detach(), kept["target"].detach()
            each = scores.clamp(min=0) - scores * target + (1 + (-scores.abs()).exp()).log()
            return float(each.mean()), 2
    return None


def _weights_before(node: Any) -> Iterator[Weight]:
    """The weight of the layer whose result an operation takes."""
    node = node.next_functions[0][0]
    while node is not None and stem_of(node.name()) in SHAPING:
        node = node.next_functions[0][0]
    stem = stem_of(node.name()) if node is not None else ""
    if stem not in WEIGHT:
        return
    way, turned = node.next_functions[WEIGHT[stem]][0], stem in ("Linear", "Convolution")
    while way is not None and not is_accumulate(way) and len(way.next_functions) == 1:
        turned = turned or stem_of(way.name()) in ("T", "Transpose", "Permute")
        way = way.next_functions[0][0]
    if way is None or not is_accumulate(way) or len(way.variable.shape) < 2:
        return
    leaf, shape = way.variable, tuple(way.variable.shape)
    apart = math.prod(shape[2:])
    fan_in, fan_out = (shape[1], shape[0]) if turned else shape[:2]
    kept = kept_by(node)
    given = next((kept[slot] for slot in TAKEN if slot in kept), None)
    mean, size = float(leaf.detach().mean()), root_mean_square([leaf]) or 0.0
    yield Weight(ref(leaf), max(size ** 2 - mean ** 2, 0.0) ** 0.5, fan_in * apart, fan_out * apart,
                 None if given is None else root_mean_square([given.detach()]))
