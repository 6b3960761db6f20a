"""Causes in code of yours that the engine calls: custom Functions, hooks, functions that pack saved
tensors."""

from __future__ import annotations

from typing import Any

from .explain_scene import Scene
from .explain_table import Told, cause
from .explanation import Fix


def named(scene: Scene, name: str) -> list[Any]:
    """The node that failed, or those of that name."""
    if scene.failed is not None and scene.failed.name().rpartition("::")[2] == name:
        return [scene.failed]
    return [node for node in scene.nodes if node.name() == name]


def custom(scene: Scene) -> list[Any]:
    """The node that failed, or the only one of a custom Function."""
    if scene.failed is not None:
        return [scene.failed]
    found = [node for node in scene.nodes if hasattr(type(node), "save_for_backward")]
    return found if len(found) == 1 else []


def plural(count: str, word: str) -> str:
    return f"{count} {word}{'s' * (count != '1')}"


@cause(
    "wrong number of gradients",
    r"function (\w+)Backward returned an incorrect number of gradients "
    r"\(expected (\d+), got (\d+)\)",
)
def number_of_gradients(scene: Scene, match: Any) -> Told:
    name, expected, got = match.groups()
    return Told(
        [
            f"{scene.here} ran the backward of your Function {name}, which returned "
            f"{plural(got, 'gradient')} for {plural(expected, 'argument')} of its forward.",
            "It has to return one for each argument after ctx, and None for one that takes no gradient.",
        ],
        [Fix("Return a gradient or None for each argument of forward, in their order.", "none")],
        named(scene, f"{name}Backward"),
    )


@cause(
    "gradient of a wrong shape",
    r"[Ff]unction (\w+) returned an invalid gradient at index (\d+) - got "
    r"(\[.*?\]) but "
    r"expected shape compatible with (\[.*?\])",
)
def shape_of_gradient(scene: Scene, match: Any) -> Told:
    name, at, got, expected = match.groups()
    return Told(
        [
            f"{scene.here} got a gradient of shape {got} from {name} for its input {at}, which has the shape "
            f"{expected}.",
            "A gradient has the shape of what it is the gradient of.",
        ],
        [
            Fix(
                f"Return a gradient of shape {expected}, for instance by summing over the other dimensions.",
                "none",
            )
        ],
        named(scene, name),
    )


@cause(
    "gradient for what is no tensor",
    r"function (\w+)Backward returned a gradient different than None at "
    "position "
    r"(\d+)",
)
def gradient_of_constant(scene: Scene, match: Any) -> Told:
    name, at = match.groups()
    return Told(
        [
            f"{scene.here} got a gradient from the backward of your Function {name} for argument {at} of its "
            "forward, which was no tensor.",
            "Only tensors have gradients.",
        ],
        [Fix("Return None at that place.", "none")],
        named(scene, f"{name}Backward"),
    )


@cause("gradient that is no tensor", r"expected Variable or None \(got ([\w.]+)\)")
def no_tensor(scene: Scene, match: Any) -> Told:
    guilty = custom(scene)
    return Told(
        [
            f"{scene.here} got a value of type {match[1]} from the backward of "
            f"{scene.node(guilty[0] if guilty else None)}.",
            "A backward returns tensors, and None for arguments without a gradient.",
        ],
        [Fix("Return a tensor, computed with the tensor's own operations.", "none")],
        guilty,
    )


@cause("no backward", r"You must implement either the backward or vjp method")
def no_backward(scene: Scene, match: Any) -> Told:
    guilty = (
        [scene.failed]
        if scene.failed is not None
        else [node for node in scene.in_run_order() if hasattr(type(node), "save_for_backward")][:1]
    )
    return Told(
        [
            f"{scene.here} reached {scene.node(guilty[0] if guilty else None)}, a Function without "
            "a backward.",
            "Nobody but its author can say what its gradient is.",
        ],
        [
            Fix("Write its `@staticmethod def backward(ctx, grad)`.", "none"),
            Fix("Let it take tensors without a gradient: `x.detach()`.", "no gradient flows through it"),
        ],
        guilty,
    )


@cause(
    "differentiated twice",
    "trying to differentiate twice a function that was marked with @once_differentiable",
)
def twice(scene: Scene, match: Any) -> Told:
    guilty = [scene.failed] if scene.failed is not None else []
    return Told(
        [
            f"{scene.here} differentiates a gradient that a Function marked @once_differentiable computed.",
            "Its backward is not made of operations that are recorded.",
        ],
        [
            Fix(
                "Write its backward with tensor operations, and take the mark off.",
                "the backward pass is recorded under create_graph=True",
            )
        ],
        guilty,
    )


HOOKS = {
    "type": (
        "returned a value of type {0}, where a hook returns a tensor or None",
        "Return a tensor, or nothing.",
    ),
    "size": ("returned a gradient of another shape", "Return a gradient of the shape that came in."),
    "dtype": (
        "returned a gradient of type {2} for one of type {1}",
        "Return the type that came in: `.to(grad.dtype)`.",
    ),
    "count": ("returned {1} gradients for {2}", "Return as many as came in."),
    "tuple": (
        "returned a value of type {0}, where a hook on a node returns a tuple or None",
        "Return a tuple of gradients, or nothing.",
    ),
}


def hook(kind: str, pattern: str) -> None:
    said, fix = HOOKS[kind]

    def tell(scene: Scene, match: Any) -> Told:
        found = match.groups()
        name = f"the hook {found[0]}" if kind in ("size", "dtype", "count") else "a hook"
        guilty = [scene.failed] if scene.failed is not None else []
        at = f" at {scene.node(scene.failed)}" if guilty else ""
        return Told(
            [
                f"{scene.here} called {name}{at}, and it {said.format(*found)}.",
                "What a hook returns takes the place of the gradient, so it must look like it.",
            ],
            [Fix(fix, "none"), Fix("Return nothing, and the gradient stays as it is.", "none")],
            guilty,
        )

    cause(f"hook: {kind}", pattern)(tell)


hook("type", r"expected Variable, but hook returned '(.*?)'")
hook("size", r"hook '(.*?)' has changed the size of value")
hook("dtype", r"hook '(.*?)' has changed the type of value \(was (\S+) got (\S+)\)")
hook("count", r"hook '(.*?)' has returned an incorrect number of values \(got (\d+), but expected (\d+)\)")
hook("tuple", r"expected tuple, but hook returned '(.*?)'")
