"""Causes that lie in what a pass was given: roots without history, several numbers, inputs not used."""

from __future__ import annotations

import math
from typing import Any

from .explain_scene import Scene
from .explain_table import Told, cause
from .explanation import Fix
from .facts import is_tensor, is_written_view
from .read import read
from .text import bytes_of


@cause("no history", r"element (\d+) of tensors does not require grad")
def no_history(scene: Scene, match: Any) -> Told:
    root = scene.roots[int(match[1])] if len(scene.roots) > int(match[1]) else None
    name = scene.of(root, "a tensor")
    words = [
        f"{scene.here} starts at {name}, a constant: no operation was recorded on the way to it, so there is "
        "no way back from it to a leaf."
    ]
    graph = read([root], scene.names) if is_tensor(root) else None
    cuts = list(dict.fromkeys(cut.word for cut in graph.cuts)) if graph else []
    leaves = [key for key, tensor in scene.names.tensors.items()
              if tensor.requires_grad and not is_written_view(tensor) and tensor.is_leaf]
    if cuts:
        source = next(iter(graph.cuts)).source
        origin = source.constant if source.op is None else graph.ops[source.op].outputs.get(source.output_nr)
        words.append(
            f"The history ends at {cuts[0]}, with which {name} was made from {origin.name or 'a tensor'}."
            if origin is not None
            else f"The history ends at {cuts[0]}."
        )
    elif leaves:
        words.append(
            f"{listed(leaves)} require{'s' * (len(leaves) == 1)} a gradient, but no recorded operation "
            f"leads from {'it' if len(leaves) == 1 else 'them'} to {name}. Comparisons, whole numbers "
            "and lines in no_grad are not recorded."
        )
    else:
        words.append("None of the variables here is a leaf that requires a gradient.")
    fixes = [CUT_FIXES[cuts[0]]] if cuts and cuts[0] in CUT_FIXES else []
    if not fixes:
        fixes = [
            Fix(
                f"Let a leaf require a gradient (requires_grad=True) before {name} is computed, and compute "
                f"{name} from it outside no_grad, and without comparisons or whole numbers.",
                "the operations keep what they save in memory until the pass",
            )
        ]
    words.append(
        f"`{name}.requires_grad_()` would silence the error and train nothing."
        if scene.names.of(root)
        else ""
    )
    return Told(
        [" ".join(words[:1]), " ".join(filter(None, words[1:]))], fixes, [root] if root is not None else []
    )


KEEPS = "the operations before it keep what they save in memory until the pass"
CUT_FIXES = {
    "detach()": Fix("Leave out detach().", KEEPS),
    "detach_()": Fix("Leave out detach_().", KEEPS),
    ".data": Fix("Leave out .data.", KEEPS),
    ".item()": Fix("Leave out .item() until after the pass.", KEEPS),
    "no_grad": Fix("Move the line that computes it out of the no_grad block.", KEEPS),
    "torch.tensor()": Fix(
        "Use torch.stack([...]) or the tensors themselves, where torch.tensor() copies numbers.", KEEPS
    ),
    "float()": Fix("Leave out float() until after the pass.", KEEPS),
    "integers": Fix(
        "Use a smooth operation: softmax for argmax, the value itself for round().",
        "another function is trained",
    ),
    "booleans": Fix(
        "Use a smooth operation, such as sigmoid, for the comparison.", "another function is trained"
    ),
}


def listed(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


@cause("not a scalar", r"grad can be implicitly created only for scalar outputs")
def not_a_scalar(scene: Scene, match: Any) -> Told:
    root = next((one for one in scene.roots if is_tensor(one) and math.prod(one.shape) != 1), None)
    name = scene.of(root, "the result")
    shape = tuple(root.shape) if root is not None else ()
    size = bytes_of(root.element_size() * math.prod(shape)) if root is not None else "its size"
    words = [
        f"{scene.here} starts at {name}, which has {math.prod(shape)} numbers (shape {shape}), and a pass "
        "starts from one.",
        "It has to be told how much each of them counts.",
    ]
    return Told(
        words,
        [
            Fix(f"Start from `{name}.sum()`.", "the gradients of all the numbers come added up"),
            Fix(f"Start from `{name}.mean()`.", "the same, divided by their number"),
            Fix(
                f"Give a weight for each: `gradient=torch.ones_like({name})` (`grad_outputs=` in grad()).",
                f"a tensor of {size}; ones give the same as the sum",
            ),
        ],
        [root] if root is not None else [],
    )


@cause(
    "gradient of another shape",
    r"grad_output\[(\d+)\] has a shape of torch.Size\((.*?)\) and "
    r"output\[\d+\] has "
    r"a shape of torch.Size\((.*?)\)",
)
def other_shape(scene: Scene, match: Any) -> Told:
    at = int(match[1])
    root = scene.roots[at] if at < len(scene.roots) else None
    name = scene.of(root, f"output {at}")
    return Told(
        [
            f"{scene.here} gives a gradient of shape {match[2]} for {name}, which has the shape {match[3]}.",
            f"The gradient says how much each number of {name} counts, so the shapes must be the same.",
        ],
        [
            Fix(
                f"Give it the shape of {name}: `gradient.reshape({name}.shape)` or `.expand_as({name})`.",
                "none",
            )
        ],
        [root] if root is not None else [],
    )


@cause("gradient of a wrong type", r"gradients can be either Tensors or None, but got (\w+)")
def wrong_gradient(scene: Scene, match: Any) -> Told:
    name = scene.of(scene.roots[0]) if scene.roots else "it"
    return Told(
        [
            f"{scene.here} gives a value of type {match[1]} as the gradient to start from.",
            f"That must be a tensor of the shape of {name}.",
        ],
        [Fix(f"Put it into a tensor: `torch.full_like({name}, ...)`.", "a tensor of that shape")],
    )


@cause("gradients of another number", r"got (\d+) tensors and (\d+) gradients")
def other_number(scene: Scene, match: Any) -> Told:
    return Told(
        [
            f"{scene.here} starts at {match[1]} tensors and gives {match[2]} gradients to start from.",
            "Each tensor needs its own; None stands for 1 where a tensor has one number.",
        ],
        [Fix("Give a list with one entry for each tensor.", "none")],
    )


@cause(
    "not used",
    r"differentiated Tensor at index (\d+) appears to not have been used|"
    r"One of the differentiated Tensors appears to not have been used",
)
def not_used(scene: Scene, match: Any) -> Told:
    at = int(match[1] or 0)
    tensor = scene.inputs[at] if at < len(scene.inputs) else None
    text = scene.input_text(at)
    name = scene.of(tensor, f"`{text}`" if text else f"input {at}")
    root = scene.of(scene.roots[0], "the result") if scene.roots else "it"
    words = [
        f"{scene.here} asks for the gradient with respect to {name}, and no way leads from {root} back to it."
    ]
    base = getattr(tensor, "_base", None)
    fixes = [
        Fix(
            f"Compute {root} from {name}, and ask for the same tensor: give it a variable."
            if not scene.names.of(tensor)
            else f"Compute {root} from {name} itself, and ask for that.",
            "none",
        )
    ]
    if base is not None:
        words.append(
            f"It is a view of {scene.of(base)} that was taken on its own; {root} was computed from "
            f"another view, or from {scene.of(base)} itself."
        )
        if leads_to(scene, base):
            fixes.insert(
                0,
                Fix(
                    f"Ask for {scene.of(base)}, and take the same part of its gradient.",
                    f"the gradient of all of {scene.of(base)} is computed",
                ),
            )
    elif tensor is not None and tensor.grad_fn is not None:
        words.append(f"{name} was made by {scene.node(tensor.grad_fn)} and not used after that.")
    else:
        words.append(f"{root} was computed without it.")
    size = bytes_of(tensor.element_size() * math.prod(tensor.shape)) if tensor is not None else "its size"
    fixes += [
        Fix("Give allow_unused=True.", f"the gradient of {name} is None, also where that is a mistake"),
        Fix("Give materialize_grads=True.", f"a tensor of zeros, {size}, also where that is a mistake"),
    ]
    return Told(
        words,
        fixes,
        [one for one in (tensor, getattr(tensor, "grad_fn", None)) if one is not None],
        [*scene.roots, *([tensor] if tensor is not None else [])],
    )


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
        [
            f"{scene.here} asks for the gradient with respect to {name}, which does not require one.",
            "So nothing was recorded for it.",
        ],
        [
            Fix(
                f"Call `{name}.requires_grad_()` before the forward computation, and compute anew.",
                "what its operations save stays in memory until the pass",
            ),
            Fix(f"Leave {name} out of the inputs.", "none"),
        ],
        guilty,
        [*scene.roots, *guilty],
    )
