"""A write in place to what a module with a full backward hook took or returned.

Such a hook passes both through a Function of its own, whose results can't be written in place.
"""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import bytes_of
from ..graph.facts import can_be_read, is_tensor
from ..graph.modules import inner_modules, is_model, joined
from ..program.frame_variables import variables
from .inplace_fixes import out_of_place
from .scene import Scene
from .table import TABLE, Told, cause

NAME = "view from a custom Function written"  # the last row of this name is for the program's own
HOOK = "BackwardHookFunction"
MOST = 3  # modules in one sentence
WHY = ("Such a hook makes what its module takes and returns a view. A write to that would bypass "
       "the hook, so it is refused.")


@cause(NAME,
       r"Output \d+ of (\w+) is a view and is being modified inplace\. This view was created "
       r"inside a custom Function")
def written(scene: Scene, match: Any) -> Told:
    if not match[1].startswith(HOOK) and not is_of_hook(scene.written()):
        return next(row for row in reversed(TABLE) if row.name == NAME).tell(scene, match)
    inner = [frame for frame, _ in scene.frames]
    inner = inner[inner.index(scene.frame) + 1:] if scene.frame in inner else []
    calls, inside = modules_of([frame for frame, _ in scene.frames]), modules_of(inner)
    layer = inside[-1] if inside and vars(inside[-1]).get("inplace") is True else None
    tensor = scene.written() if layer is None else None
    if tensor is None:
        tensor = next((one for frame in reversed(inner) for one in variables(frame).values()
                       if is_tensor(one)), None)
    hooked = hooked_of(scene, calls)
    names = [path_of(scene, calls, one) for one in hooked]
    hook = f"{names[0]} has a full backward hook. " if len(names) == 1 else (
        f"{' and '.join(names)} have full backward hooks. " * (1 < len(names) <= MOST))
    what = "what a module with a full backward hook took or returned"
    if len(names) == 1:
        took = any(one is hooked[0] for one in calls)
        what = f"what {'it' * (hooked[0] is layer) or names[0]} {'took' if took else 'returned'}"
    copy = "a second tensor of its size" if tensor is None else (
        f"a second tensor of {bytes_of(tensor.element_size() * tensor.numel())}")
    if layer is not None:
        path = path_of(scene, calls, layer)
        first = f"{scene.here} calls {path}, which has inplace=True and writes in place to {what}."
        fixes = [Fix(f"Give {path} `inplace=False`.", copy)]
    else:
        name = scene.names.of(tensor) if tensor is not None else ""
        first = f"{scene.here} writes in place to {f'{name}, ' * bool(name)}{what}."
        fixes = fixes_of(scene, name, copy)
    shown = [tensor] if tensor is not None else []
    return Told([first, f"{hook}{WHY}"], fixes, shown, shown)


def is_of_hook(tensor: Any) -> bool:
    """Whether a tensor, of which the program may have written a part, came from such a Function."""
    readable = tensor is not None and can_be_read(tensor) and tensor.grad_fn is not None
    return readable and tensor.grad_fn.name().rpartition("::")[2].startswith(HOOK)


def modules_of(frames: list[Any]) -> list[Any]:
    """The modules whose calls were running, the outermost first, each once."""
    held = [variables(frame).get("self") for frame in frames]
    return list({id(one): one for one in held if is_model(one)}.values())


def is_hooked(module: Any) -> bool:
    """Whether what a module takes and returns goes through a hook's Function."""
    own = vars(module)
    full = own.get("_is_full_backward_hook", True) is not False
    return bool(own.get("_backward_hooks") and full or own.get("_backward_pre_hooks"))


def hooked_of(scene: Scene, calls: list[Any]) -> list[Any]:
    """The module whose hook it was, or all that it may have been."""
    models = [*calls[:1], *(model for _, model in scene.names.models)]
    found = {id(one): one for model in models for one in inner_modules(model).values()
             if is_hooked(one)}
    near = nearest(calls) if len(found) > 1 else None
    return [near] if near is not None else list(found.values())


def nearest(calls: list[Any]) -> Any:
    """The module with a hook that the input of the last call came from, where that is certain."""
    for at in range(len(calls) - 1, -1, -1):
        if is_hooked(calls[at]):
            return calls[at]
        outer: Any = calls[at - 1] if at else None
        parts = parts_in_order(outer)
        place = next((nr for nr, one in enumerate(parts) if one is calls[at]), None)
        if place is None:
            return None
        if place:
            before = parts[place - 1]
            while not is_hooked(before) and (inside := parts_in_order(before)):
                before = inside[-1]
            return before if is_hooked(before) else None
    return None


def parts_in_order(module: Any) -> list[Any]:
    """What a Sequential runs; nothing for any other module."""
    return list(vars(module)["_modules"].values()) if type(module).__name__ == "Sequential" else []


def path_of(scene: Scene, calls: list[Any], module: Any) -> str:
    """`net.1 (ReLU)`: the path of a module from the outermost that was called."""
    models = sorted(scene.names.models, key=lambda row: (
        not any(row[1] is one for one in calls[:1]), row[0] == "self"))
    path = next((joined(name, path) for name, model in models
                 for path, one in inner_modules(model).items() if one is module), "")
    kind = type(module).__name__
    return f"{path} ({kind})" if path else f"a module of type {kind}"


def fixes_of(scene: Scene, name: str, copy: str) -> list[Fix]:
    calls = [one for one in ast.walk(scene.statement or ast.Pass()) if isinstance(one, ast.Call)]
    flagged = [one for one in calls if any(flag.arg == "inplace" for flag in one.keywords)]
    if flagged:
        return [Fix(f"Call `{ast.unparse(flagged[0].func)}` without inplace=True.", copy)]
    if scene.statement is not None and (code := out_of_place(scene.statement, scene)):
        return [Fix(f"Write out of place: `{code}`.", copy)]
    return [Fix(f"Write into a copy: `{name} = {name}.clone()` before the write.", copy)
            if name else Fix("Write out of place there.", copy)]
