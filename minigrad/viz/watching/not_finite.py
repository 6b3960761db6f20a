"""Which operation made the first NaN or infinite number of a forward pass, and where in its result.

On PyTorch a watch sees each result when it is made. What it doesn't see, and results of minigrad,
are looked for among the values that the nodes keep when a pass begins.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from ..graph.facts import is_tensor, storage_of
from ..graph.kept import positions_of, saved_by, stem_of
from ..graph.records import note, record_of
from ..graph.walk import in_forward_order, is_accumulate
from .calls import call_of, makers
from .large import memory_of, not_finite

MASKS = ("MaskedFill", "Where")  # what puts -inf into a row on purpose
MOST = 4  # columns that are listed


class Made(NamedTuple):
    """The first number of a result that is NaN or infinite."""

    alarm: str  # "nan" or "infinite"; NaN counts first
    at: tuple[int, ...]  # its place in the result
    dtype: str
    clean: bool  # all that the operation took is known and finite
    data: str = ""  # which data among it isn't, and where in it


def note_made(results: list[Any], given: list[Any]) -> None:
    """Note what an operation has made, which PyTorch has just run with the tensors `given`."""
    for result in results:
        if not_finite(result):
            bad = [one for one in given if one is result or not_finite(one)]
            note(result.grad_fn, made=made_of(result, not bad, _data(result.grad_fn, bad)))


def note_kept(nodes: list[Any], roots: list[Any]) -> None:
    """Note the same from the values that the nodes of a pass keep, and from what it starts at."""
    known: dict[tuple[int, int], tuple[str, Any]] = {}  # by node and number of its output
    ends = {id(one.grad_fn): one for one in roots if is_tensor(one)}
    spoilt: dict[int, list[Any]] = {}  # by node: the constants it took which aren't finite
    for node in nodes:
        if is_accumulate(node):
            known[id(node), 0] = not_finite(node.variable), node.variable
            continue
        places, edges = positions_of(node.name()), node.next_functions
        for row in saved_by(node, settings=False):
            if row.state != "kept" or not is_tensor(row.value):
                continue
            at = places.get(row.slot)
            maker, nr = (node, 0) if at is None else edges[at] if at < len(edges) else (None, 0)
            alarm = not_finite(row.value)
            if maker is not None and (at is not None or row.slot.startswith("result")):
                known.setdefault((id(maker), nr), (alarm, row.value))
            elif alarm:
                spoilt.setdefault(id(node), []).append(row.value)
    for node in nodes:
        if end := id(node) in ends and (id(node), 0) not in known:
            known[id(node), 0] = not_finite(ends[id(node)]), ends[id(node)]
        alarm, value = known.get((id(node), 0), ("", None))
        if alarm and not is_accumulate(node) and made_by(node) is None:
            took = [known.get((id(before), nr), ("unknown",))[0]
                    for before, nr in node.next_functions if before is not None]
            clean = not any(took) and id(node) not in spoilt
            near = in_forward_order([node]) if spoilt and not clean else []
            data = next(filter(None, (_data(one, spoilt.get(id(one), [])) for one in near)), "")
            if clean or data or not end:  # otherwise an operation before it may have made it
                note(node, made=made_of(value, clean, data))


def _data(node: Any, bad: list[Any]) -> str:
    """The first of some tensors that is data: given to the model, or used outside of it.

    What the model itself holds or has computed without a history isn't.
    """
    call = call_of(node)
    for one in bad:
        place = storage_of(one)
        given = place is not None and call is not None and place[0] in call.around[0].memory
        if not one.requires_grad and (given or call is None) and makers.get(memory_of(one)) is None:
            who = f" that {call.around[0].path} was given" if given and call else ""
            return f"a tensor of shape {tuple(one.shape)}{who} has {_places(one)}"
    return ""


def _places(value: Any) -> str:
    """Which columns and how many rows of a tensor hold NaN, or else infinity."""
    alarm, value = not_finite(value), value.detach()
    bad = value.isnan() if alarm == "nan" else value.isinf()
    what = "NaN" if alarm == "nan" else "infinity"
    if len(bad.shape) < 2:
        return f"{what} in {int(bad.sum())} of {bad.numel()} numbers"
    table = bad.reshape(-1, bad.shape[-1])
    columns = [at for at, found in enumerate(table.any(0).tolist()) if found]
    said = f"column{'s' * (len(columns) > 1)} {', '.join(map(str, columns))}"
    if len(columns) > MOST:
        said = f"{len(columns)} of {table.shape[1]} columns"
    return f"{what} in {said}, in {int(table.any(1).sum())} of {table.shape[0]} rows"


def made_of(value: Any, clean: bool = True, data: str = "") -> Made:
    """What is said of a result that isn't finite."""
    alarm = not_finite(value)
    bad = value.detach().isnan() if alarm == "nan" else value.detach().isinf()
    flat = bad.flatten().tolist().index(True)
    at = []
    for length in reversed(tuple(value.shape)):
        at.append(flat % length)
        flat //= length
    return Made(alarm, tuple(reversed(at)), str(value.dtype).rpartition(".")[2], clean, data)


def made_by(node: Any) -> Made | None:
    return record_of(node).get("made")


def first_made(nodes: list[Any]) -> Any:
    """The node that made the first NaN, or the infinite number from which it came; or None.

    An infinite number alone counts where it was made from finite ones: -inf in a mask is meant.
    """
    bad = [node for node in nodes if made_by(node) and stem_of(node.name()) not in MASKS]
    start = next((one for one in bad if record_of(one)["made"].alarm == "nan"), None)
    near = bad if start is None else in_forward_order([start])
    near = [node for node in near if node in bad and record_of(node)["made"].clean]
    return near[0] if near else start
