"""The writes to memory and the hooks that a watch saw, and the line of the program that runs now.

The writes are kept by the storage, weakly. Where nothing was watched, the answer is None.
"""
from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from math import inf
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..graph.node_records import Line, note, record_of
from ..graph.walk import is_accumulate
from ..program.custom_functions import function_called
from ..program.lines import line_words
from ..program.where_it_runs import PACKAGE, package_of
from .here import WhileAlive, here, measured, order
from .large import forget

LIBRARIES = (PACKAGE, "torch", "contextlib", "functools", "warnings")
COMPILED = "<eval_with_key>"  # what torch.compile made of the program
MOST = 100  # writes that are remembered for one piece of memory


class Write(NamedTuple):
    """A write in place to a piece of memory."""

    version: int  # after the write, of the tensor through which it was made
    line: Line
    order: int  # grows over all writes and recorded nodes
    first: int  # the bytes that were written lie between these
    last: int


_known: dict[int, CodeType] = {}  # of the libraries, by id: each operation asks for its line
_writes: WeakKeyDictionary[Any, deque[Write]] = WeakKeyDictionary()  # by storage
_last: deque[int] = deque(maxlen=1)  # the order of the last of them
_hooks: WhileAlive[Line] = WhileAlive()  # by leaf


def writes_of(tensor: Any) -> list[tuple[int, Line]] | None:
    """(version, line) of the last writes in place to a tensor's memory, through any view or name.

    `version` is that after the write. minigrad knows the last write without a watch.
    """
    try:
        version = tensor._version
        if (line := getattr(tensor, "_written_at", None)) is not None:
            return [(version, line)]
        found = _writes.get(tensor.untyped_storage(), ())
    except Exception:  # no storage, or no versions
        return None
    return [(one.version, one.line) for one in found if one.version <= version] or None


def last_order(tensor: Any) -> int:
    """When the last counted write to a tensor's memory was seen, as in `order`; 0: it wasn't."""
    with suppress(Exception):
        version, found = tensor._version, _writes.get(tensor.untyped_storage(), ())
        return next((one.order for one in reversed(found) if one.version <= version), 0)
    return 0


def last_write(tensor: Any) -> tuple[int, Line] | None:
    """The last write to a tensor's memory, counted by its version or not, as through `.data`."""
    with suppress(Exception):
        version = tensor._version
        if (line := getattr(tensor, "_written_at", None)) is not None:
            return version, line
        if found := _writes.get(tensor.untyped_storage()):
            return next((one for one in reversed(found) if one.version <= version), found[-1])[:2]
    return None


def lines_since(tensor: Any, order: int, version: int | None) -> list[Line | None]:
    """The lines that wrote to a tensor's memory since then, through `.data`, too.

    None is among them where fewer were seen than its version counted since then.
    """
    found: list[Line | None] = []
    with suppress(Exception):
        found += [one.line for one in _writes[tensor.untyped_storage()] if one.order > order]
        return found + [None] * (len(found) < tensor._version - (version or 0))
    return [None]


def note_write(tensor: Any, line: Line | None) -> None:
    forget(tensor)
    if line is None:
        return
    known = _writes.setdefault(tensor.untyped_storage(), deque(maxlen=MOST))
    _last.append(next(order))
    known.append(Write(tensor._version, line, _last[-1], *bytes_of(tensor)))


def written_since(tensor: Any, node: Any) -> Line | None:
    """The line of the first write to what a node had saved, after the node was recorded."""
    since = record_of(node).get("order", inf)
    with suppress(Exception):
        first, last = bytes_of(tensor)
        for one in _writes[tensor.untyped_storage()]:
            if one.order > since and one.first <= last and first <= one.last:
                return one.line
    return None


def bytes_of(tensor: Any) -> tuple[int, int]:
    """The first and the last byte of a tensor's memory."""
    first = tensor.data_ptr()
    steps = sum((length - 1) * stride for length, stride in zip(tensor.shape, tensor.stride()))
    return first, first + steps * tensor.element_size()


def frame_here(frame: FrameType | None = None) -> FrameType | None:
    """The innermost frame of the program that leads here, or to a frame."""
    frame = frame or sys._getframe(1)
    while frame and (_known.get(id(frame.f_code)) is frame.f_code or in_library(frame)):
        frame = frame.f_back
    return frame


def in_library(frame: FrameType) -> bool:
    if package_of(frame) in LIBRARIES:
        _known[id(frame.f_code)] = frame.f_code
        return True
    return frame.f_code.co_filename.startswith(COMPILED)


def is_written_since(nodes: Iterable[Any]) -> bool:
    """Whether any write was seen after one of these nodes was recorded."""
    return bool(_last) and _last[-1] > min(record_of(one).get("order", inf) for one in nodes)


def program_frames() -> list[FrameType]:
    """The frames of the program, the innermost first."""
    frame, found = frame_here(), []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return [one for one in found if not in_library(one)]


def line_here(within: FrameType | None = None) -> Line | None:
    """The innermost line of the program that leads here, or to a frame."""
    frame = frame_here(within)
    return frame and Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def ended_with(error: BaseException | None) -> str:
    """The class of an error that ended a watch, and the line of the program that raised it."""
    if not isinstance(error, Exception):
        return ""
    lines = [Line(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)
             if not in_library(frame)]
    return named(error, lines[-1] if lines else None)


def named(error: BaseException, line: Line | None) -> str:
    return f"{type(error).__name__}{f' ({line_words(line)})' if line else ''}"


class Hook(NamedTuple):
    """A hook of a tensor. It is described and not kept, as it may hold what it likes."""

    name: str  # qualified
    said: str  # what the engine calls it in a message
    code: CodeType | None
    line: Line | None = None  # that registered it


def described(hook: Any, line: Line | None = None) -> Hook:
    function = function_called(hook)
    code, name = getattr(function, "__code__", None), getattr(function, "__qualname__", "<unknown>")
    name = name.rpartition("<locals>.")[2]
    return Hook(name, getattr(hook, "__name__", "<unknown>"), code, line)


def hooks_noted(node: Any) -> tuple[Hook, ...]:
    """The hooks that were registered on what a node made, while it was watched."""
    return tuple(record_of(node).get("hooking", ()))


@measured
def note_hook(tensor: Any, hook: Any = None, **_: Any) -> None:
    """A hook was registered on a tensor."""
    line = line_here()
    if here.watches and line is not None:
        if tensor.grad_fn is None:
            _hooks.set(tensor, line)
        else:
            with suppress(Exception):  # it may be any object that can be called
                known = hooks_noted(tensor.grad_fn)
                note(tensor.grad_fn, hooking=(*known, described(hook, line)))
            note(tensor.grad_fn, hooked=line)


def hook_line(node: Any) -> Line | None:
    """The line that registered a hook on what a node made, or on its leaf; None if none did."""
    return hooked_at(node.variable) if is_accumulate(node) else record_of(node).get("hooked")


def hooked_at(leaf: Any) -> Line | None:
    """The last line that registered a hook on a leaf."""
    return _hooks.get(leaf)
