"""The modules of a model: their parameters, their names, and their frames in a picture."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from .facts import PLAIN, is_tensor
from .model import Picture
from .once import once

Chain = tuple[str, ...]
CONTAINERS = ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "ParametrizationList")


def is_model(value: Any) -> bool:
    kind = type(value)
    return id(kind) not in PLAIN and not issubclass(kind, type) and callable(
        getattr(kind, "named_parameters", None))


def attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object with the modules and parameters in it; no property is run."""
    own: dict[str, Any] = getattr(value, "__dict__", {})
    return {**own.get("_modules", {}), **own.get("_parameters", {}), **own}


@once
def inner_modules(model: Any) -> dict[str, Any]:
    """The modules of a model by their paths, itself ("") included, each once.

    They are read where nn.Module stores them, so that no method is called that a program may have
    overridden.
    """
    found, waiting, seen = {}, [("", model)], set()
    while waiting:
        path, module = waiting.pop()
        own = getattr(module, "__dict__", {})
        if type(own.get("_modules")) is dict and id(module) not in seen:
            seen.add(id(module))
            found[path] = module
            waiting += [(joined(path, name), one)
                        for name, one in reversed(own["_modules"].items())]
    return found


@once
def members(model: Any) -> list[tuple[str, Any]]:
    """The parameters and buffers of a model, with their names. A half-built model has none."""
    try:
        modules = inner_modules(model)
        found = _stored(modules, "_parameters", "_buffers") if modules else [
            *model.named_parameters(), *getattr(model, "named_buffers", list)()]
    except Exception:
        return []
    named = {id(tensor): (name, tensor) for name, tensor in reversed(found)
             if type(name) is str and is_tensor(tensor)}
    return list(named.values())[::-1]


def _stored(modules: dict[str, Any], *kinds: str) -> list[tuple[str, Any]]:
    """The tensors of each module under these names; one that two modules share is there twice."""
    return [(joined(path, name), tensor) for kind in kinds
            for path, module in modules.items()
            for name, tensor in vars(module)[kind].items()
            if type(name) is str and is_tensor(tensor)]


@lru_cache(maxsize=10_000)
def joined(*names: str) -> str:
    """A path, without characters that can't be shown."""
    path = ".".join(filter(None, names))
    return path if path.isprintable() else path.encode("unicode_escape").decode()


class Owners(NamedTuple):
    """By the id of each parameter: the modules around it, and its other names and modules."""

    chains: dict[int, Chain]
    ties: dict[int, tuple[tuple[str, Chain], ...]]
    classes: dict[str, str]  # of the modules, by their names


def owners(models: Iterable[tuple[str, Any]]) -> Owners:
    found = Owners({}, {}, {})
    for path, model in models:
        inner = inner_modules(model)
        own = {joined(path, name): joined(type(module).__name__) for name, module in inner.items()}
        first = members(model)
        names = {name for name, _ in first}
        every = _stored(inner, "_parameters") if first else []
        for name, tensor in [*first, *(row for row in every if row[0] not in names)]:
            steps = name.split(".")[:-1]
            modules = [joined(path), *(joined(path, *steps[:at + 1]) for at in range(len(steps)))]
            chain = tuple(module for module in modules if own.get(module) not in CONTAINERS)
            if name in names:
                found.chains.setdefault(id(tensor), chain)
            elif chain[:1] == found.chains.get(id(tensor), ())[:1]:
                found.ties[id(tensor)] = (*found.ties.get(id(tensor), ()),
                                          (joined(path, name), chain))
        found.classes.update({name: kind for name, kind in own.items()
                              if name not in found.classes})
    return found


def common(chains: Sequence[tuple]) -> tuple:
    """The modules around all of these, from the outside in."""
    both = zip(min(chains), max(chains))
    return tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], both))


def frames(picture: Picture) -> dict[Chain, list[int | Chain]]:
    """The contents of each frame (() is the picture): boxes, by their positions, and frames."""
    found: dict[Chain, list[int | Chain]] = {(): []}
    for at, box in enumerate(picture.boxes):
        chain = box.module[:picture.depth]
        for end in range(len(chain)):
            if chain[:end + 1] not in found:
                found[chain[:end + 1]] = []
                found[chain[:end]].append(chain[:end + 1])
        found[chain].append(at)
    return found


def inside(picture: Picture, frame: Chain) -> list[int]:
    return [at for at, box in enumerate(picture.boxes) if box.module[:len(frame)] == frame]


def frame_lines(picture: Picture, path: str) -> list[str]:
    """The title of a frame, model.0 (Linear), and what a forward picture says of its module."""
    kind = picture.classes.get(path, "")
    title = f"{path} ({kind})" if path and kind else path or kind
    return [title, *picture.facts.get(path, ())]
