"""Layers over sequences: where gradients came to their outputs, and which keys masks left."""
from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple
from weakref import ref

from ..graph.node_records import Line
from .here import WhileAlive, here, looked_at, measured
from .write_records import line_here

RECURRENT = ("RNN", "LSTM", "GRU", "TransformerEncoder")
MASKS = {"key_padding_mask": (1, "key"), "src_key_padding_mask": (0, "src")}
MOST = 8  # tensors of ids that are remembered


class Masked(NamedTuple):
    """How often a mask left no key but padding, and how often it left others."""

    inverted: int
    others: int
    line: Line | None
    left: int  # how many keys the last one left
    all: int
    what: str  # what told that these are padding


_masked: WhileAlive[Masked] = WhileAlive()  # by module
_ids: deque[tuple[ref[Any], int]] = deque(maxlen=MOST)  # with the padding_idx of their embedding


def masked_of(module: Any) -> Masked | None:
    return _masked.get(module)


def note_spread(ends: tuple[Any, ...], grads: Any) -> None:
    """A gradient has come to an output: count the places along its first two dimensions."""
    for call, side, nr in ends:
        if side != "out" or call.kind not in RECURRENT or grads[nr] is None or (
                call.outputs.count(tuple(grads[nr].shape)) != 1) or (
                call.outputs[0] != tuple(grads[nr].shape)) or len(call.outputs[0]) != 3 or (
                not looked_at(("spread", call.root.name, call.inner, call.line), here.seen)):
            continue
        there = (grads[nr].detach() != 0).any(2)
        call.spread = int(there.any(1).sum()), there.any(0).nonzero().flatten().tolist()


@measured
def note_keys(module: Any, given: Any, keywords: dict[str, Any]) -> None:
    """A module was called: remember the ids of an embedding, and look at a mask over keys."""
    with suppress(Exception):  # watching never fails in the place of the program
        padding = getattr(module, "padding_idx", None) if hasattr(
            module, "num_embeddings") else None
        if padding is not None:
            _ids.append((ref(given[0]), padding))
        name = next((one for one in MASKS if keywords.get(one) is not None), None)
        if name is None or not looked_at(("mask", id(module)), here.seen):
            return
        mask, (at, word) = keywords[name], MASKS[name]
        keys = keywords[word] if word in keywords else given[at]
        what = _only_padding(mask, keys)
        known = _masked.get(module) or Masked(0, 0, None, 0, 0, "")
        _masked.set(module, Masked(known.inverted + 1, known.others, line_here(),
                                   int((~mask).sum()), mask.numel(), what) if what
                    else known._replace(others=known.others + 1))


def _only_padding(mask: Any, keys: Any) -> str:
    """What tells that all keys which a mask leaves are padding, and those alone; "": nothing."""
    if str(mask.dtype) != "torch.bool" or not mask.any() or mask.all():
        return ""
    zero = (keys.detach() == 0).all(-1)
    if any(one.shape == mask.shape and bool((one != mask).all()) for one in (zero, zero.T)):
        return "each number of theirs was 0"
    for reference, padding in _ids:
        ids = reference()
        if ids is not None and ids.shape == mask.shape and bool(((ids == padding) != mask).all()):
            return f"their ids were {padding}, the padding_idx of the embedding"
    return ""
