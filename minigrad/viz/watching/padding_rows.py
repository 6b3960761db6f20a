"""Rows of an embedding that get no gradient, as they are padding, where each id counts."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from ..graph.kept import kept_by, signed, stem_of
from ..graph.walk import is_accumulate
from .here import WhileAlive, here, looked_at, measured

FEWEST, MOST = 2, 0.99  # passes; the share of ids to whose rows a gradient came
SMALL = 0.1  # times the norm that came to other rows


class Rows(NamedTuple):
    """What came to the rows of padding and to others, in passes that were looked at."""

    since: int
    padding: int
    passes: int
    ids: int
    padded: int  # of them
    reached: int  # of these, those to which a gradient other than 0 came
    own: float  # the sum of the norms that came to these
    others: float  # ... to the others


_rows: WhileAlive[Rows] = WhileAlive()  # by weight


def rows_of(leaves: Iterable[Any], name: Callable[[Any], str]) -> list[str]:
    """What a pass brought to a row of padding and threw away; whether that is meant isn't known."""
    return [f"Row {one.padding} of {name(leaf)} gets no gradient, as padding_idx={one.padding}. In "
            f"{one.passes} passes that were looked at, that id was {one.padded:,} of {one.ids:,}, "
            f"one for each example, and a gradient of the norm {one.own / one.padded:.3g} came to "
            f"its row on average and was left out; to the others came {_others(one):.3g}. If "
            f"{one.padding} is an id as the others are, make the embedding without padding_idx."
            for leaf in leaves if (one := _rows.get(leaf)) is not None
            and one.since >= here.since and one.passes >= FEWEST
            and one.reached >= MOST * one.padded and one.own / one.padded > SMALL * _others(one)]


def _others(one: Rows) -> float:
    return one.others / max(one.ids - one.padded, 1)


def hooks(nodes: Sequence[Any]) -> list[Any]:
    """A pass begins: hooks on the embeddings that take one id for each example."""
    found = []
    for node in nodes:
        leaf = node.next_functions[0][0] if stem_of(node.name()) == "Embedding" else None
        if leaf is not None and is_accumulate(leaf):
            kept = kept_by(node)
            padding, ids = signed(kept.get("padding_idx", -1)), kept.get("indices")
            if padding >= 0 and ids is not None and len(ids.shape) == 1 and looked_at(
                    ("padding", id(leaf.variable)), here.seen):
                found.append(node.register_prehook(partial(_note, leaf.variable, padding, ids)))
    return found


@measured
def _note(leaf: Any, padding: int, ids: Any, grads: Any) -> None:
    with suppress(Exception):  # watching never fails in the place of the program
        at, norms = ids == padding, grads[0].detach().norm(dim=1)
        since = max(one.since for one in here.watches)
        known = _rows.get(leaf)
        if known is None or known.since != since:
            known = Rows(since, padding, 0, 0, 0, 0, 0.0, 0.0)
        if at.any():
            _rows.set(leaf, Rows(since, padding, known.passes + 1, known.ids + len(ids),
                                 known.padded + int(at.sum()),
                                 known.reached + int((norms[at] > 0).sum()),
                                 known.own + float(norms[at].sum()),
                                 known.others + float(norms[~at].sum())))
