"""The weights of classes in a cross-entropy, and how often each class was among its targets."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from ..graph.facts import is_tensor
from ..graph.kept import kept_by, stem_of
from ..graph.node_records import Line, place_of
from ..graph.norms import array_of
from ..graph.walk import leaves_of
from ..program.lines import line_words
from .here import WhileAlive, here

APART = 1.5  # times the rows of the rarest class, which the most frequent one has at least


class Weighted:
    """The rows of one loss in the passes that were looked at, by class."""

    def __init__(self, since: int, line: Line | None, weights: list[float]) -> None:
        self.since, self.line, self.weights = since, line, weights
        self.passes, self.rows = 0, [0] * len(weights)
        self.changed = False  # the weights were others in another pass

    def add(self, weights: list[float], rows: list[int]) -> None:
        self.passes += 1
        both = [known if known == known else new for known, new in zip(self.weights, weights)]
        self.changed |= any(known != new for known, new in zip(both, weights) if new == new)
        self.weights = both
        self.rows = [known + new for known, new in zip(self.rows, rows)]

    @property
    def classes(self) -> list[tuple[int, float, int]]:
        """(rows, weight, class) of those that occur, the most frequent first."""
        return sorted(((rows, weight, at) for at, (rows, weight) in enumerate(
            zip(self.rows, self.weights)) if rows and weight == weight), reverse=True)

    @property
    def favours(self) -> bool:
        """Whether the most frequent class has the largest weight."""
        found = self.classes
        return (not self.changed and len(found) > 1 and found[0][0] >= APART * found[-1][0]
                and all(found[0][1] > weight for _, weight, _ in found[1:]))

    @property
    def rises(self) -> bool:
        """Whether every more frequent class has the larger weight."""
        return self.favours and all(one > other for rows, one, _ in self.classes
                                    for fewer, other, _ in self.classes if rows > fewer)

    def words(self) -> str:
        (most, large, first), (least, small, last) = self.classes[0], self.classes[-1]
        return (f"class {first} has {most:,} of {sum(self.rows):,} rows and the largest weight, "
                f"{large:.3g}, and class {last} has {least:,} rows and the weight {small:.3g} (in "
                f"the targets of {self.passes} passes that were looked at)")


_weighted: WhileAlive[dict[Line | None, Weighted]] = WhileAlive()  # by leaf


def weighted_of(leaves: Iterable[Any]) -> list[Weighted]:
    """The losses with weights that passes to these leaves began from, in the watch or the last."""
    found = [one for leaf in leaves for one in (_weighted.get(leaf) or {}).values()]
    return [one for one in dict.fromkeys(found) if one.since >= here.since and one.favours]


def facts_of(leaves: Iterable[Any]) -> list[str]:
    """Say it of the most frequent class where not every more frequent one has a larger weight."""
    return [f"Of the classes that a loss{f' ({line_words(one.line)})' if one.line else ''} "
            f"weights, {one.words()}." for one in weighted_of(leaves) if not one.rises]


def note_weights(nodes: Sequence[Any]) -> None:
    """A pass begins from a loss with class weights, or with weights of rows that are these."""
    for node in nodes:
        if stem_of(node.name()).startswith("NllLoss"):
            kept = kept_by(node)
            weights: Any = kept.get("weight")
            if is_tensor(weights):
                _note(node, nodes, kept["target"], [float(one) for one in weights.tolist()])
        elif stem_of(node.name()) == "Mul":
            with suppress(Exception):  # other shapes
                (loss,) = [one for one, _ in node.next_functions if one is not None]
                if stem_of(loss.name()) != "NllLoss" or is_tensor(kept_by(loss).get("weight")):
                    continue
                target, scores = kept_by(loss)["target"], kept_by(loss)["self"]
                given = next(one for one in kept_by(node).values() if is_tensor(one)
                             and tuple(one.shape) == tuple(target.shape))
                _note(node, nodes, target, _by_class(given, target, scores.shape[1]))


def _by_class(weights: Any, target: Any, classes: int) -> list[float]:
    """The weight of each class, NaN for one without rows; [] where rows of one class differ."""
    found: dict[int, float] = {}
    for at, weight in zip(target.tolist(), weights.tolist()):
        if found.setdefault(at, weight) != weight:
            return []
    return [found.get(at, float("nan")) for at in range(classes)]


def _note(node: Any, nodes: Sequence[Any], target: Any, weights: list[float]) -> None:
    if len({one for one in weights if one == one}) < 2:
        return
    line, since = place_of(node), max(one.since for one in here.watches)
    rows, leaves, known = _counts(target, len(weights)), leaves_of(nodes), None
    for leaf in leaves:
        by_line = _weighted.setdefault(leaf, dict)
        before = by_line.get(line)
        if known is None:
            usable = before is not None and before.since == since and (
                len(before.weights) == len(weights))
            known = before if before is not None and usable else Weighted(since, line, weights)
            known.add(weights, rows)
        by_line[line] = known


def _counts(target: Any, classes: int) -> list[int]:
    """The rows of each class; what a loss ignores is none."""
    values = target if (array := array_of(target)) is None else array
    values = values.reshape(-1)
    library: Any = sys.modules["torch" if array is None else "numpy"]
    found = library.bincount(values[(values >= 0) & (values < classes)], minlength=classes)
    return [int(one) for one in found.tolist()]
