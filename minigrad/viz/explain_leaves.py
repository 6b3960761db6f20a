"""Causes in the flags of tensors: integers, computed tensors, tensors that require no gradient, NumPy."""

from __future__ import annotations

from typing import Any

from .explain_scene import Scene
from .explain_table import Told, cause
from .explanation import Fix

DTYPES = r"nly Tensors of floating point(?: and complex)? dtype can require gradients"


@cause("integers require no gradient", DTYPES)
def integers(scene: Scene, match: Any) -> Told:
    found = scene.tensors()[:1]
    what = "a tensor of whole numbers"
    if found:
        what = f"{scene.of(found[0], 'the tensor')} of type {str(found[0].dtype).rpartition('.')[2]}"
    return Told(
        [
            f"{scene.here} wants a gradient for {what}.",
            "A gradient says what a small change does, and whole numbers have no small changes.",
        ],
        [
            Fix(
                "Write the numbers with a point: `1.0`, or convert them with `.float()`.",
                "a second tensor when it is converted",
            )
        ],
        found,
        found,
    )


@cause("flag of a computed tensor", r"you can only change requires_grad flags of leaf variables")
def flag(scene: Scene, match: Any) -> Told:
    found = scene.tensors(lambda tensor: not tensor.is_leaf)[:1] or scene.tensors()[:1]
    name = scene.of(found[0], "the tensor") if found else "the tensor"
    maker = scene.node(found[0].grad_fn) if found else "an operation"
    return Told(
        [
            f"{scene.here} changes requires_grad of {name}, which {maker} made.",
            "Whether a computed tensor has a gradient follows from what it was computed from.",
        ],
        [Fix(f"Use `{name}.detach()` where no gradient is wanted.", "none: it shares the memory")],
        found,
        found,
    )


@cause(
    "no hook without gradient",
    r"cannot register a hook on a tensor that doesn't require gradient",
    r"can't retain_grad on Tensor that has requires_grad=False",
    r"get the gradient edge for a Tensor that does not require gradients",
)
def no_hook(scene: Scene, match: Any) -> Told:
    found = scene.tensors(lambda tensor: not tensor.requires_grad)[:1]
    name = scene.of(found[0], "the tensor") if found else "the tensor"
    return Told(
        [
            f"{scene.here} waits for the gradient of {name}, which requires none.",
            "No pass will ever bring one.",
        ],
        [
            Fix(
                f"Let {name}, or a leaf that it is computed from, require a gradient first.",
                "the operations keep what they save in memory until the pass",
            )
        ],
        found,
        found,
    )


@cause("numpy", r"Can't call numpy\(\) on Tensor that requires grad")
def numpy(scene: Scene, match: Any) -> Told:
    found = scene.tensors(lambda tensor: tensor.requires_grad)[:1]
    name = scene.of(found[0], "the tensor") if found else "the tensor"
    return Told(
        [
            f"{scene.here} hands {name} to NumPy, and {name} requires a gradient.",
            "NumPy records nothing, so the gradient would be lost without a word.",
        ],
        [
            Fix(
                f"Say so: `{name}.detach().numpy()`.",
                "no gradient flows through it; the memory is shared, and writes by NumPy are not noticed",
            ),
            Fix("Stay with the tensor's own operations.", "none"),
        ],
        found,
        found,
    )
