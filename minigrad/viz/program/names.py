"""Which variable holds this tensor?

We look in the caller's local variables, then in its globals, and in the lists, dicts, objects and
models that they hold. A parameter or a buffer is called by its place in the largest model. Any
other tensor with several names gets the nearest one: local before global, a variable of its own
before a part of something, short before long, then by alphabet; never by when it was assigned. The
variable of a loop comes last.
"""
from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

from ..graph.facts import (
    SIMPLE,
    called,
    can_be_read,
    is_readable,
    is_tensor,
    is_written_view,
    unheard,
)
from ..graph.modules import inner_modules, is_model, joined, members, owners
from ..graph.once import unchanged
from .frame_variables import variables
from .program_text import loop_variables
from .where_it_runs import PACKAGE, _caller

MOST = 1000  # things in a list that are looked at
# objects not to look into
OTHERS = (PACKAGE, "builtins", "types", "IPython", "ipykernel", "ipywidgets")
DEEPEST = 2  # steps from a variable to a tensor or a model: self.trainer.model
LONGEST_CONTAINER = 50
LONGEST_NAME = 60


class Names:
    """Finds the name of a tensor, and the named tensors that an operation produced."""

    def __init__(self, found: Mapping[str, Any], frame: FrameType | None = None,
                 models: Iterable[tuple[str, Any]] = ()) -> None:
        self.frame = frame  # where the names were found
        self.reached = 0  # a line of it that has surely run
        self.models = list(models)  # (name, model), the largest first
        self.outside = [one for path, model in self.models for one in unregistered(path, model)]
        self.modules, self.ties, self.classes = owners(self.models)
        self._alive = [*found.values(), models]  # an id is only valid while its object lives
        named = [(printable(name), tensor) for name, tensor in found.items()]
        named += [(printable(one.name), one.tensor) for one in self.outside]
        self._by_tensor = {id(tensor): name for name, tensor in reversed(named)}
        self._by_node: dict[int, dict[int, tuple[str, Any]]] = {}
        self.tensors = {name: tensor for name, tensor in named if is_readable(tensor)}
        for name, tensor in self.tensors.items():
            if not is_written_view(tensor) and (node := tensor.grad_fn) is not None:
                self._alive.append(node)
                outputs = self._by_node.setdefault(id(node), {})
                outputs.setdefault(getattr(tensor, "output_nr", 0), (name, tensor))
        self._by_node = {node: dict(sorted(outputs.items()))
                         for node, outputs in self._by_node.items()}

    def of(self, tensor: Any) -> str:
        """The tensor's name, or that of a variable with the same output of the same operation."""
        name = self._by_tensor.get(id(tensor), "")
        if not name and can_be_read(tensor) and tensor.grad_fn is not None:
            name, _ = self.outputs(tensor.grad_fn).get(getattr(tensor, "output_nr", 0), ("", None))
        return name

    def outputs(self, node: Any) -> dict[int, tuple[str, Any]]:
        """The names and the tensors of the outputs of an operation that variables hold."""
        return self._by_node.get(id(node), {})


@unheard
@unchanged
def find_names(given: Any, modules: Any = None, frames: Sequence[FrameType] = ()) -> Names:
    """`given` names, or (None) those of the calling frame or of `frames`, the nearest first, or
    (False) none.

    `given` is a dict of name to tensor or model; or a model, which is then found beside the
    variables. `modules` is the model whose modules are framed; None takes all models among the
    names, False none.
    """
    frames = frames or [_caller()]
    if isinstance(given, Mapping):
        held = [(str(name), value) for name, value in given.items() if is_tensor(value)
                or is_model(value)]
    elif given is None or given is False or is_model(given):
        held = [] if given is False else _in_frames(frames)
    else:
        takes = "names must be a dict like {'w': w}, a model, or False for no names"
        raise TypeError(f"{takes}, not {called(given)}")
    if not (modules is None or modules is False or is_model(modules)):
        raise TypeError(f"modules must be a model, or False for no frames, not {called(modules)}")
    for model in filter(is_model, (given, modules)):
        if all(value is not model for _, value in held):
            held.append((next((path for path, value in _in_frames(frames) if value is model), ""),
                         model))
    framed = [(path, model) for path, model in _models(held) if modules is None or model is modules]
    return Names({}, None, framed) if given is False else Names(_tensors(held), frames[0], framed)


def _tensors(held: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The tensors among what variables hold, by name; the best name of a tensor comes first."""
    found = [(joined(path, name), tensor) for path, model in _models(held)
             for name, tensor in members(model)]
    found += [(path, value) for path, value in held if is_tensor(value)]
    # in this order, and of two with one name the first
    return {**dict(found), **dict(reversed(found))}


def _models(held: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The largest first: a part of a model is called by its place in the whole."""
    return sorted((row for row in held if is_model(row[1])), key=lambda row: -len(members(row[1])))


def _in_frames(frames: Sequence[FrameType]) -> list[tuple[str, Any]]:
    """The tensors and models that variables hold, with their names, the nearest first."""
    found: list[tuple[str, Any]] = []
    seen: set[str] = set()
    globals_seen: set[int] = set()  # by id: the frames of one file share them
    for frame in frames:
        own = variables(frame)
        scopes = [own] if own is frame.f_globals else [own, frame.f_globals]
        for scope in scopes:
            if id(scope) in globals_seen:
                continue
            globals_seen.update([id(scope)] * (scope is frame.f_globals))
            own = {name: value for name, value in list(scope.items()) if type(name) is str
                   # In[12]: _12
                   and name.isidentifier() and not name.startswith("_") and name not in seen}
            seen |= own.keys()
            rows = [(name + path, one) for name, value in own.items() for path, one in inside(value)
                    if is_tensor(one) or is_model(one) and members(one)]
            several = len({id(value) for _, value in rows}) < len(rows)
            last = loop_variables(frame) if several else set()
            found += sorted(rows, key=lambda row: (row[0] in last, row[0] not in own, len(row[0]),
                                                   row[0]))
    return found


def inside(value: Any, depth: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    """(path, value) of a variable and its parts, but for what refuses to be looked at."""
    if id(type(value)) in SIMPLE:
        yield "", value
        return
    try:
        parts = {} if is_tensor(value) or is_model(value) or not depth else _parts(value)
    except Exception:
        return
    yield "", value
    for step, part in parts.items():
        yield from ((step + path, one) for path, one in inside(part, depth - 1))


def _parts(value: Any) -> dict[str, Any]:
    """The elements of a list or a dict, or an object's attributes, without running its code."""
    kind = type(value)
    if kind in (list, tuple) and len(value) <= LONGEST_CONTAINER:
        return {f"[{at}]": item for at, item in enumerate(value)}
    if kind in (dict, OrderedDict) and len(value) <= LONGEST_CONTAINER:
        return {f"[{key!r}]": item for key, item in value.items() if type(key) is str}
    if kind.__module__.partition(".")[0] in OTHERS or issubclass(kind, type):
        return {}
    own = object.__getattribute__(value, "__dict__")
    return {f".{name}": item for name, item in own.items() if not name.startswith("_")}


def printable(name: str) -> str:
    """A name as a picture can show it: without control characters, and not longer than a line."""
    text = name if name.isprintable() else name.encode("unicode_escape").decode()
    return text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME
                                                       - 1] + "\N{HORIZONTAL ELLIPSIS}"


def as_code(path: str) -> str:
    """The path of a parameter as a program writes it: `layers[0].weight` for `layers.0.weight`."""
    return re.sub(r"\.(\d+)", r"[\1]", path)


class Unregistered(NamedTuple):
    """A leaf that requires a gradient, and where it is."""

    name: str  # net.layers[0].weight
    tensor: Any
    module: Any
    owner: str  # the name of the module: net
    attribute: str
    container: str  # "list", "tuple", "dict", or the class of the tensor
    part: Any  # what the container holds: a module or the tensor


def unregistered(path: str, model: Any) -> Iterator[Unregistered]:
    """What a model's modules hold in lists, dicts and attributes, without registering it."""
    known = {id(one) for _, one in members(model)}
    for inner, module in inner_modules(model).items():
        for attribute, value in list(object.__getattribute__(module, "__dict__").items()):
            if attribute.startswith("_"):
                continue
            for step, one in _items(value).items():
                rows = members(one) if is_model(one) else []
                for name, tensor in [("", one)] if is_tensor(one) else rows:
                    if id(tensor) not in known and can_be_read(tensor) and (
                            tensor.requires_grad and tensor.is_leaf):
                        owner = joined(path, inner)
                        yield Unregistered(joined(f"{owner}.{attribute}{step}", name), tensor,
                                           module, owner, attribute, type(value).__name__, one)


def _items(value: Any, depth: int = 3) -> dict[str, Any]:
    if is_tensor(value):
        return {"": value}
    if type(value) not in (list, tuple, dict) or not depth or len(value) > MOST:
        return {}
    return {f"[{key!r}]{more}": one
            for key, inner in (value.items() if type(value) is dict else enumerate(value))
            for more, one in (_items(inner, depth - 1) or {"": inner}).items()}
