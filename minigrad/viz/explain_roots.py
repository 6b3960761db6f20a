"""Causes in the arguments of a pass: roots with several numbers, gradients to start from, unused inputs."""

from __future__ import annotations

import math
from typing import Any

from .explain_scene import Scene
from .explain_table import Told, cause, row
from .explanation import Fix
from .facts import is_tensor
from .text import bytes_of


@cause("not a scalar", r"grad can be implicitly created only for scalar outputs")
def not_a_scalar(scene: Scene, match: Any) -> Told:
    root = next((one for one in scene.roots if is_tensor(one) and math.prod(one.shape) != 1), None)
    name = scene.of(root, "the result")
    shape = tuple(root.shape) if root is not None else ()
    size = bytes_of(root.element_size() * math.prod(shape)) if root is not None else "its size"
    return Told(
        [f"{scene.here} starts at {name}, which has {math.prod(shape)} numbers (shape {shape}); backward() "
         "needs a single number to start from.",
         "For several numbers it has to be given a weight for each."],
        [Fix(f"Start from `{name}.sum()`.", "each gradient is the sum of the gradients of all the numbers"),
         Fix(f"Start from `{name}.mean()`.", "the same, divided by how many numbers there are"),
         Fix(f"Pass a weight for each: `gradient=torch.ones_like({name})` (`grad_outputs=` in grad()).",
             f"a tensor of {size}; ones give the same as the sum")],
        [root] if root is not None else [])


@cause("gradient of another shape",
       r"grad_output\[(\d+)\] has a shape of torch.Size\((.*?)\) and output\[\d+\] has a shape of "
       r"torch.Size\((.*?)\)")
def other_shape(scene: Scene, match: Any) -> Told:
    root = scene.roots[int(match[1])] if int(match[1]) < len(scene.roots) else None
    name = scene.of(root, f"output {match[1]}")
    return Told(
        [f"{scene.here} passes a gradient of shape {match[2]} for {name}, which has the shape {match[3]}.",
         f"The gradient holds a weight for each number of {name}, so the shapes must be the same."],
        [Fix(f"Give it the shape of {name}: `gradient.reshape({name}.shape)` or `.expand_as({name})`.",
        "none")],
        [root] if root is not None else [])


row("gradient of a wrong type", r"gradients can be either Tensors or None, but got (\w+)",
    "passes a value of type {0} as the gradient to start from.",
    "That must be a tensor of the shape of {it}.",
    ("Put it into a tensor: `torch.full_like({it}, ...)`.", "a tensor of that shape"), about="root")
row("gradients of another number", r"got (\d+) tensors and (\d+) gradients",
    "starts at {0} tensors and passes {1} gradients to start from.",
    "Each tensor needs its own; None stands for 1 where a tensor has one number.",
    "Pass a list with one entry for each tensor.")


@cause("not used",
       r"differentiated Tensor at index (\d+) appears to not have been used|"
       r"One of the differentiated Tensors appears to not have been used")
def not_used(scene: Scene, match: Any) -> Told:
    at = int(match[1] or 0)
    tensor = scene.inputs[at] if at < len(scene.inputs) else None
    text = scene.input_text(at)
    name = scene.of(tensor, f"`{text}`" if text else f"input {at}")
    root = scene.of(scene.roots[0], "the result") if scene.roots else "it"
    words = f"{scene.here} asks for the gradient with respect to {name}, and {root} was not computed from it."
    base = getattr(tensor, "_base", None)
    same = "itself, and ask for that" if scene.names.of(tensor) else "and ask for that: give it a variable"
    fixes = [Fix(f"Compute {root} from {name} {same}.", "none")]
    if base is not None:
        more = (f"It is a view of {scene.of(base)} that was taken on its own; {root} was computed from "
                f"another view, or from {scene.of(base)} itself.")
        if leads_to(scene, base):
            fixes.insert(0, Fix(f"Ask for {scene.of(base)}, and take the same part of its gradient.",
                                f"the gradient of all of {scene.of(base)} is computed"))
    elif tensor is not None and tensor.grad_fn is not None:
        more = f"{name} was made by {scene.node(tensor.grad_fn)} and not used after that."
    else:
        more = f"No recorded operation leads from {name} to {root}."
    size = bytes_of(tensor.element_size() * math.prod(tensor.shape)) if tensor is not None else "its size"
    fixes += [Fix("Pass allow_unused=True.", f"the gradient of {name} is None, also where that is a mistake"),
              Fix("Pass materialize_grads=True.", f"a tensor of zeros, {size}, also where that is a mistake")]
    return Told([words, more], fixes,
                [one for one in (tensor, getattr(tensor, "grad_fn", None)) if one is not None],
                [*scene.roots, *([tensor] if tensor is not None else [])])


def leads_to(scene: Scene, tensor: Any) -> bool:
    """Whether the roots were computed from a tensor."""
    return any(
        node is tensor.grad_fn if tensor.grad_fn is not None else getattr(node, "variable", None) is tensor
        for node in scene.nodes
    )


@cause("input without gradient", r"One of the differentiated Tensors does not require grad")
def input_without_gradient(scene: Scene, match: Any) -> Told:
    guilty = [one for one in scene.inputs if not one.requires_grad]
    name = scene.of(guilty[0], "an input") if guilty else "an input"
    return Told(
        [f"{scene.here} asks for the gradient with respect to {name}, which does not require one.",
         "So nothing was recorded for it."],
        [Fix(f"Call `{name}.requires_grad_()` before the forward pass, and compute the result anew.",
             "what its operations save stays in memory until the pass"),
         Fix(f"Leave {name} out of the inputs.", "none")],
        guilty, [*scene.roots, *guilty])
