"""Which operation made the first NaN or infinite number of a forward pass, and where in its result.

On PyTorch a watch sees each result when it is made. What it doesn't see, and results of minigrad,
are looked for among the values that the nodes keep when a pass begins.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from ..graph.facts import is_tensor, storage_of, version_of, whole_number
from ..graph.kept import positions_of, saved_by, stem_of
from ..graph.node_records import Line, note, record_of
from ..graph.walk import in_forward_order, is_accumulate
from ..program.frame_variables import variables
from .calls import call_of, makers
from .here import WhileAlive, here, looked_at
from .large import memory_of, not_finite
from .operands import Met, met
from .write_records import last_write, line_here, program_frames

MASKS = ("MaskedFill", "Where")  # what puts -inf into a row on purpose
WRITING = ("masked_fill", "where", "setitem", "full_like", "new_full", "fill", "empty_like",
           "new_empty", "scatter", "copy")  # functions that compute nothing
INSIDE = ("div_", "log_", "sqrt_", "rsqrt_", "reciprocal_", "pow_")  # make NaN of finite numbers
MOST = 4  # columns that are listed
SMALL = 2 ** 16  # results without a gradient of up to so many numbers are all looked at


class Made(NamedTuple):
    """The first number of a result that is NaN or infinite."""

    alarm: str  # "nan" or "infinite"; NaN counts first
    at: tuple[int, ...]  # its place in the result
    dtype: str
    clean: bool  # all that the operation took is known and finite
    data: str = ""  # which data among it isn't, and where in it
    name: str = ""  # the variable of the program that holds the data, or that it is a part of
    origin: Origin | None = None  # what made the data so
    written: Line | None = None  # where that was written last
    met: Met | None = None  # the numbers whose product, or the like, is the NaN


class Origin(NamedTuple):
    """A function without a gradient that made NaN or infinity of finite numbers."""

    function: str
    line: Line | None
    made: Made


_origins: WhileAlive[tuple[int | None, Origin]] = WhileAlive()  # by memory, with its version


def note_made(results: list[Any], given: list[Any], name: str, arguments: Any) -> None:
    """Note what an operation has made, which PyTorch has just run with the tensors `given`."""
    for result in results:
        if not_finite(result):
            bad = [one for one in given if one is result or not_finite(one)]
            made = made_of(result, not bad, met_in(name, arguments, result))
            note(result.grad_fn, made=made._replace(**_data(result.grad_fn, bad)))


def note_plain(results: list[Any], written: list[Any], given: list[Any], name: str,
               arguments: Any, finite: bool) -> None:
    """The same of an operation without a gradient: it is asked for if its result is used.

    `finite` says that a tensor which it wrote to was.
    """
    for result in results if given and name.strip("_") not in WRITING else ():
        if whole_number(result) or any(one is result for one in written) > finite or (
                result.numel() > SMALL and not looked_at(("plain", name), here.seen)):
            continue
        if alarm := not_finite(result):
            bad = [(one, its) for one in given if one is not result and (its := not_finite(one))]
            at = version_of(result)
            if alarm == "nan" and all(its == "infinite" for _, its in bad) or not bad:
                made = made_of(result, not bad, met_in(name, arguments, result))
                _origins.set(memory_of(result), (at, Origin(name, line_here(), made)))
            elif origin := next(filter(None, (_origin_of(one) for one, _ in bad)), None):
                _origins.set(memory_of(result), (at, origin))


def _origin_of(tensor: Any) -> Origin | None:
    at, origin = _origins.get(memory_of(tensor)) or (None, None)
    return origin if at == version_of(tensor) else None


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
            data = next(filter(None, (_data(one, spoilt.get(id(one), [])) for one in near)), {})
            if clean or data or not end:  # otherwise an operation before it may have made it
                note(node, made=made_of(value, clean)._replace(**data))


def _data(node: Any, bad: list[Any]) -> dict[str, Any]:
    """What `Made` says of the first of some tensors that is data, or that has an origin.

    Data is given to the model, or used outside of it. What the model itself holds or has computed
    without a history isn't.
    """
    call = call_of(node)
    for one in bad:
        place = storage_of(one)
        given = place is not None and call is not None and place[0] in call.around[0].memory
        own = makers.get(memory_of(one)) is not None or not given and call is not None
        origin = None if one.requires_grad else _origin_of(one)
        if not one.requires_grad and (origin or not own):
            who = f" that {call.around[0].path} was given" if given and call else ""
            name, shape = _variable(one)
            same = "which is" if shape == tuple(one.shape) else "a part of"
            part = f", {same} {name}," if name else ""
            return {"data": f"a tensor of shape {tuple(one.shape)}{who}{part} has {_places(one)}",
                    "name": name, "origin": origin, "written": (last_write(one) or (0, None))[1]}
    return {}


def _variable(tensor: Any) -> tuple[str, tuple[int, ...]]:
    """(name, shape) of the outermost variable of the program that has a tensor's memory, if any."""
    memory = memory_of(tensor)
    with suppress(Exception):  # one without a memory of the usual kind
        return next((name, tuple(one.shape)) for frame in reversed(program_frames())
                    for name, one in list(variables(frame).items())
                    if is_tensor(one) and memory_of(one) is memory)
    return "", ()


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


def met_in(name: str, arguments: Any, result: Any) -> Callable[[tuple[int, ...]], Met | None]:
    return lambda at: met(name, arguments, tuple(result.shape), at)


def made_of(value: Any, clean: bool = True,
            met_at: Callable[..., Met | None] | None = None) -> Made:
    """What is said of a result that isn't finite; `met_at` tells what met at a place of it."""
    alarm = not_finite(value)
    bad = value.detach().isnan() if alarm == "nan" else value.detach().isinf()
    flat = bad.flatten().tolist().index(True)
    at = []
    for length in reversed(tuple(value.shape)):
        at.append(flat % length)
        flat //= length
    place = tuple(reversed(at))
    found = met_at(place) if met_at is not None and alarm == "nan" else None
    return Made(alarm, place, str(value.dtype).rpartition(".")[2], clean, met=found)


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


def masks_among(nodes: list[Any]) -> list[Any]:
    """The nodes that have put infinity into a tensor on purpose."""
    return [node for node in nodes if stem_of(node.name()) in MASKS and made_by(node)]
