"""Which module of a model each box of a picture belongs to.

An operation belongs to the module whose parameters it uses; what lies between two such operations belongs to
the innermost module that holds both. `Box.module` lists the modules around a box from the outside in.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

from .facts import is_tensor
from .model import Box, Graph, Picture

Chain = tuple[str, ...]
CONTAINERS = ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "ParametrizationList")


def is_model(value: Any) -> bool:
    return not issubclass(type(value), type) and callable(getattr(type(value), "named_parameters", None))


def inner_modules(model: Any) -> dict[str, Any]:
    """The modules of a model by their paths, itself ("") included, each once.

    They are read where nn.Module stores them, so that no method is called that a program may have overridden.
    """
    found, waiting, seen = {}, [("", model)], set()
    while waiting:
        path, module = waiting.pop()
        own = getattr(module, "__dict__", {})
        if type(own.get("_modules")) is dict and id(module) not in seen:
            seen.add(id(module))
            found[path] = module
            waiting += [(joined(path, name), one) for name, one in reversed(own["_modules"].items())]
    return found


def members(model: Any) -> list[tuple[str, Any]]:
    """The parameters and buffers of a model, with their names. A half-built model has none."""
    try:
        inside = inner_modules(model)
        found = [(joined(path, name), tensor) for kind in ("_parameters", "_buffers")
                 for path, module in inside.items() for name, tensor in vars(module)[kind].items()]
        found = found if inside else [*model.named_parameters(), *getattr(model, "named_buffers", list)()]
    except Exception:
        return []
    named = {id(tensor): (name, tensor) for name, tensor in reversed(found)
             if type(name) is str and is_tensor(tensor)}
    return list(named.values())[::-1]


def joined(*names: str) -> str:
    """A path, without characters that can't be shown."""
    path = ".".join(filter(None, names))
    return path if path.isprintable() else path.encode("unicode_escape").decode()


def owners(models: Iterable[tuple[str, Any]]) -> tuple[dict[int, Chain], dict[str, str]]:
    """The modules around each parameter, by its id, and the class of each module, by its name."""
    chains: dict[int, Chain] = {}
    classes: dict[str, str] = {}
    for path, model in models:
        own = {joined(path, name): joined(type(module).__name__)
               for name, module in inner_modules(model).items()}
        for name, tensor in members(model):
            steps = name.split(".")[:-1]
            modules = [joined(path), *(joined(path, *steps[:at + 1]) for at in range(len(steps)))]
            chain = tuple(module for module in modules if own.get(module) not in CONTAINERS)
            chains.setdefault(id(tensor), chain)
        classes = {**own, **classes}
    return chains, classes


def assign(picture: Picture, graph: Graph) -> None:
    """Say of each box which modules it belongs to. Where all belong to one model, it needs no frame."""
    boxes = picture.boxes
    if not any(box.tensor is not None and box.tensor.module for box in boxes):
        return
    inputs, users = _neighbours(picture)
    own: list[Chain | None] = [None] * len(boxes)
    weights = [False] * len(boxes)  # parameters, and what was made of a module's parameters alone
    before, after = [-1] * len(boxes), [len(boxes)] * len(boxes)  # the nearest operation with a module
    for at, box in enumerate(boxes):
        if box.kind in ("leaf", "constant"):
            own[at] = box.tensor.module if box.tensor is not None and box.tensor.module else None
            weights[at] = own[at] is not None
            continue
        used = [chain for tail in inputs[at] if weights[tail] and (chain := own[tail]) is not None]
        own[at] = common(used) if used else None
        number = box.op is not None and graph.ops[box.op].shapes[:1] == [()]
        weights[at] = bool(used) and len(used) == len(inputs[at]) and not number
        near = max((before[tail] for tail in inputs[at]), default=-1)
        before[at] = at if used and not weights[at] else near
    for at in reversed(range(len(boxes))):
        near = min((after[head] for head in users[at]), default=len(boxes))
        after[at] = at if own[at] is not None and not weights[at] else near
    for at, box in enumerate(boxes):
        if (chain := own[at]) is not None:
            box.module = chain
        elif box.kind == "tensor":
            box.module = boxes[inputs[at][0]].module if inputs[at] and picture.view == "maths" else ()
        elif box.kind != "constant" and before[at] >= 0 and after[at] < len(boxes):
            box.module = common([own[before[at]] or (), own[after[at]] or ()])
    for at, box in enumerate(boxes):  # a constant without a name belongs to the operations that use it
        name = box.tensor.name if box.tensor is not None else box.title.removeprefix("constant")
        if box.kind == "constant" and users[at] and own[at] is None and not name:
            box.module = common([boxes[head].module for head in users[at]])
    outermost = {box.module[0] for box in boxes if box.module}
    if len(outermost) == 1 and any(len(box.module) > 1 for box in boxes):
        for box in boxes:
            box.module = box.module[1:]


def _neighbours(picture: Picture) -> tuple[list[list[int]], list[list[int]]]:
    inputs: list[list[int]] = [[] for _ in picture.boxes]
    users: list[list[int]] = [[] for _ in picture.boxes]
    for arrow in picture.arrows:
        if arrow.kind not in ("cut", "view"):
            inputs[arrow.head].append(arrow.tail)
            users[arrow.tail].append(arrow.head)
    return inputs, users


def common(chains: Sequence[Chain]) -> Chain:
    """The modules around all of these, from the outside in."""
    both = zip(min(chains), max(chains))
    return tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], both))


def frames(picture: Picture) -> dict[Chain, list[int | Chain]]:
    """The contents of each frame: boxes, by their positions, and other frames. () is the whole picture."""
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


def frame_words(picture: Picture, path: str) -> str:
    """The title of a frame: model.0 (Linear)."""
    kind = picture.classes.get(path, "")
    return f"{path} ({kind})" if path and kind else path or kind


def groups(picture: Picture, opened: set[Chain]) -> dict[Chain, list[int]]:
    """The boxes of each module that is to be one box: the outermost that aren't opened."""
    found: dict[Chain, list[int]] = {}
    for at, box in enumerate(picture.boxes):
        around = [box.module[:end + 1] for end in range(len(box.module))]
        for chain in [chain for chain in around if chain not in opened][:1]:
            found.setdefault(chain, []).append(at)
    return {chain: group for chain, group in found.items() if len(group) > 1}


MOVES = ("View", "UnsafeView", "ReshapeAlias", "T", "Transpose", "Permute", "Expand", "Unsqueeze", "Squeeze")


def module_box(picture: Picture, chain: Chain, boxes: list[Box]) -> Box:
    """The one box that replaces a module.

    Modules look alike that have the same class, the same shapes of parameters and the same operations. Those
    that change a shape alone don't count: a first layer lacks some, where its input takes no gradient.
    """
    kind, size = picture.classes.get(chain[-1], ""), sum(box.folded or 1 for box in boxes)
    shapes = Counter(box.tensor.shape for box in boxes if box.kind == "leaf" and box.tensor is not None)
    ops = Counter(box.title for box in boxes if box.kind in ("op", "fold")
                  and box.title.partition("Backward")[0] not in MOVES)
    look = (kind, frozenset(shapes.items()), frozenset(ops.items()))
    lines = [kind] * bool(kind and chain[-1]) + [f"{size} boxes"]
    return Box("fold", chain[-1] or kind, lines, folded=size, module=chain[:-1], look=look)
