"""The gradient that is None: why a tensor has none."""

from __future__ import annotations

from types import FrameType
from typing import Any

from .explain_lines import is_freed
from .explanation import Explanation, Fix
from .facts import can_be_read
from .fold import fold
from .names import Names, _in_frame
from .read import in_forward_order, is_accumulate, read
from .views import engine_view


def missing_gradient(tensor: Any, frame: FrameType) -> Explanation:
    """`explain(tensor)`: why its `.grad` is None."""
    names = Names(_in_frame(frame), frame)
    name = names.of(tensor) or "the tensor"
    sentences, fixes, guilty, show = why_none(tensor, names)
    graph = read(show, names)
    picture = fold(engine_view(graph), 40)
    for box in picture.boxes if guilty else []:
        if box.tensor is not None and box.tensor.name == names.of(tensor) != "":
            box.mark = "guilty"
    return Explanation("missing gradient", f"The gradient of {name}", sentences, fixes, picture)


def why_none(tensor: Any, names: Names) -> tuple[list[str], list[Fix], list[Any], list[Any]]:
    """(sentences, fixes, guilty, what to draw) for a tensor and its empty .grad.

    Nobody is guilty where the tensor is sound and its gradient is there, or only a pass is missing.
    """
    name = names.of(tensor) or "the tensor"
    if not tensor.requires_grad:
        return (
            [f"{name} does not require a gradient, so no pass computes one."],
            [
                Fix(
                    f"Call `{name}.requires_grad_()` before the forward computation.",
                    "what its operations save stays in memory until the pass",
                )
            ],
            [tensor],
            [tensor],
        )
    if not tensor.is_leaf:
        maker = tensor.grad_fn.name().rpartition("::")[2]
        if getattr(tensor, "retains_grad", False):
            return (
                [
                    f"{name} was made by {maker} and keeps its gradient, but no pass has reached it since "
                    "retain_grad()."
                ],
                [Fix("Run the backward pass after retain_grad().", "none")],
                [tensor],
                [tensor],
            )
        return (
            [f"{name} is no leaf: {maker} made it, and passes leave gradients on leaves only."],
            [
                Fix(f"Call `{name}.retain_grad()` before the pass.", "its gradient stays in memory"),
                Fix(
                    f"Make {name} the leaf: compute its value first, and call requires_grad_() on the "
                    "result.",
                    "no gradient flows into what it was computed from",
                ),
            ],
            [tensor],
            [tensor],
        )
    if tensor.grad is not None:
        return ([f"{name}.grad is there."], [], [], [tensor])
    above = results_of(tensor, names)
    if not above:
        return (
            [
                f"{name} is a leaf that requires a gradient, and none of the variables here was computed "
                "from it while operations were recorded."
            ],
            [
                Fix(
                    f"Compute the result from {name} itself: not from an earlier copy, not under no_grad.",
                    "none",
                )
            ],
            [tensor],
            [tensor],
        )
    key, result = above[0]
    ran = [one for one in in_forward_order([result.grad_fn]) if is_freed(one)]
    if ran:
        return (
            [
                f"{key} was computed from {name}, and a pass has gone through that graph; since then "
                f"{name}.grad was set to None (as zero_grad() does), or the pass was a grad(), which leaves "
                ".grad alone."
            ],
            [Fix(f"Read {name}.grad after backward() and before zero_grad().", "none")],
            [],
            [result],
        )
    return (
        [f"{key} was computed from {name}, and no pass has gone through what lies between."],
        [Fix(f"Call backward() on {key} first.", "none")],
        [],
        [result],
    )


def results_of(leaf: Any, names: Names) -> list[tuple[str, Any]]:
    """The variables that were computed from a leaf, the ones furthest from it first."""
    found = []
    for name, tensor in names.tensors.items():
        if can_be_read(tensor) and tensor.grad_fn is not None:
            nodes = in_forward_order([tensor.grad_fn])
            if any(is_accumulate(node) and node.variable is leaf for node in nodes):
                found.append((len(nodes), name, tensor))
    return [(name, tensor) for _, name, tensor in sorted(found, key=lambda row: (-row[0], row[1]))]
