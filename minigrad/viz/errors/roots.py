"""Causes in the arguments of a pass: its roots, its first gradients, unused inputs."""
from __future__ import annotations

import math
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import bytes_of
from ..faults.cut import cut_answer
from ..faults.evidence import Case
from ..program.cuts import Source, sources_of
from ..program.stored import Assigned
from ..program.trail import Trail
from .lost_history import starts_of
from .scene import Scene
from .table import Told, cause, row

row("not a scalar", r"grad can be implicitly created only for scalar outputs",
    "starts at {it}, which has {numbers} numbers (shape {shape}); backward() needs a single number "
    "to start from.",
    "For several numbers it has to be given a weight for each.",
    ("Start from `{it}.sum()`.", "each gradient is the sum of the gradients of all the numbers"),
    ("Start from `{it}.mean()`.", "the same, divided by how many numbers there are"),
    ("Pass a weight for each: `gradient=torch.ones_like({it})` (`grad_outputs=` in grad()).",
     "a tensor of {size}; ones give the same as the sum"), about="several")
row("gradient of another shape",
    r"grad_output\[(\d+)\] has a shape of torch.Size\((.*?)\) and output\[\d+\] has a shape of "
    r"torch.Size\((.*?)\)",
    "passes a gradient of shape {1} for {it}, which has the shape {2}.",
    "The gradient holds a weight for each number of {it}, so the shapes must be the same.",
    ("Pass a tensor of the shape of {it}, such as `torch.ones_like({it})`.",
     "ones give the gradient of the sum; you must choose other weights yourself"),
    "If your gradient also has {numbers} numbers, reshape it: `gradient.reshape({it}.shape)`.",
    about="output")
row("gradient of a wrong type", r"gradients can be either Tensors or None, but got (\w+)",
    "passes a value of type {0} as the gradient to start from.",
    "That must be a tensor of the shape of {it}.",
    ("Put it into a tensor: `torch.full_like({it}, ...)`.", "a tensor of that shape"), about="root")


@cause("not used",
       r"differentiated Tensor at index (\d+) appears to not have been used|"
       r"One of the differentiated Tensors appears to not have been used")
def not_used(scene: Scene, match: Any) -> Told:
    at = int(match[1] or 0)
    tensor = scene.inputs[at] if at < len(scene.inputs) else None
    text = scene.input_text(at)
    name = scene.of(tensor, f"`{text}`" if text else f"input {at}")
    root = scene.of(scene.roots[0], "the result") if scene.roots else "it"
    words = (f"{scene.here} asks for the gradient with respect to {name}, and {root} was not "
             "computed from it.")
    if cut := cut_between(scene, tensor):
        found = cut_answer(*cut, root, f"No recorded operation leads from {name} to {root}")
        return Told([words, found.sentence], list(found.fixes), [tensor], [*scene.roots, tensor])
    base = getattr(tensor, "_base", None)
    fixes = [Fix(f"Compute {root} from {name}." if scene.names.of(tensor)
                 else f"Store {name} in a variable, "
                 f"compute {root} from that, and ask for its gradient.", "none")]
    if base is not None:
        more = (f"It is a view of {scene.of(base)} that was taken on its own; {root} was computed "
                f"from another view, or from {scene.of(base)} itself.")
        maker = base.grad_fn
        if any(node is maker if maker else getattr(node, "variable", None) is base
               for node in scene.nodes):
            fixes.insert(0,
                         Fix(f"Ask for {scene.of(base)}, and take the same part of its gradient.",
                                f"the gradient of all of {scene.of(base)} is computed"))
    elif tensor is not None and tensor.grad_fn is not None:
        more = f"{name} was made by {scene.node(tensor.grad_fn)} and not used after that."
    else:
        more = f"No recorded operation leads from {name} to {root}."
    size = bytes_of(tensor.element_size()
                    * math.prod(tensor.shape)) if tensor is not None else "its size"
    fixes += [Fix("Pass allow_unused=True.",
                  f"the gradient of {name} is None, also where that is a mistake"),
              Fix("Pass materialize_grads=True.",
                  f"a tensor of zeros, {size}, also where that is a mistake")]
    return Told([words, more], fixes,
                [one for one in (tensor, getattr(tensor, "grad_fn", None)) if one is not None],
                [*scene.roots, *([tensor] if tensor is not None else [])])


def cut_between(scene: Scene, tensor: Any) -> tuple[Case, Source] | None:
    """The cut on the way from an input to the result, as the text tells it."""
    if tensor is None or not scene.roots:
        return None
    case, trail = Case(tensor, scene.names, scene.roots[0]), Trail(scene.program)
    for part in starts_of(scene, scene.of(scene.roots[0], "")):
        for cut in sources_of(trail, Assigned(part, ""), case.leads_to):
            return case, cut
    return None


@cause("input without gradient", r"One of the differentiated Tensors does not require grad")
def input_without_gradient(scene: Scene, match: Any) -> Told:
    guilty = [one for one in scene.inputs if not one.requires_grad]
    name = scene.of(guilty[0], "an input") if guilty else "an input"
    return Told(
        [f"{scene.here} asks for the gradient with respect to {name}, which does not require one.",
         "So nothing was recorded for it."],
        [Fix(f"Call `{name}.requires_grad_()` before the forward pass, and compute the result "
             f"anew.",
             "what its operations save stays in memory until the pass"),
         Fix(f"Leave {name} out of the inputs.", "none")],
        guilty, [*scene.roots, *guilty])
