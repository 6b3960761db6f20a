"""What one row of the table shows, measured the same way on minigrad and on PyTorch.

`measure(torch, sample)` returns plain Python data, so that what PyTorch answered can be kept in a file.
"""
from __future__ import annotations

import math
import warnings


def measure(torch, sample):
    """Values, flags, node, saved tensors, first and second gradients, and which repetitions and edits are
    errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs, outputs = run(torch, sample)
        facts = {"results": [plain(o) for o in outputs], "nodes": [node_names(o) for o in outputs]}
        tracked = [o for o in outputs if o.requires_grad]
        leaves = [x for x in inputs if getattr(x, "requires_grad", False)]
        if not tracked or not leaves:
            return facts
        facts["saved"] = saved_names(tracked[0].grad_fn)
        weights = [weight(torch, o) for o in tracked]
        gradients = torch.autograd.grad(tracked, leaves, weights, allow_unused=True)
        facts["gradients"] = [plain(g) for g in gradients]
        facts["twice"] = attempt(lambda: torch.autograd.grad(tracked, leaves, weights, allow_unused=True))
        facts["edit_output"] = edited(torch, sample, edit_output=True)
        facts["edit_input"] = edited(torch, sample, edit_output=False)
        if sample.second:
            facts["recorded"], facts["second"] = second_gradients(torch, sample)
        return facts


def run(torch, sample, clone=False):
    """The inputs as leaves (or clones of leaves, where they are to be written), and the results as a list."""
    made = sample.inputs(torch)
    leaves = [x.requires_grad_() if is_floating(x) else x for x in made]
    given = [x.clone() if is_floating(x) and (clone or sample.in_place and i == 0) else x
             for i, x in enumerate(leaves)]
    result = sample.call(torch, *given)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    outputs = [o for o in outputs if hasattr(o, "grad_fn")]
    return (given if clone else leaves), outputs


def second_gradients(torch, sample):
    """The first gradients again, recorded (and so computed with tensors), and the gradients of those."""
    inputs, outputs = run(torch, sample)
    tracked = [o for o in outputs if o.requires_grad]
    leaves = [x for x in inputs if getattr(x, "requires_grad", False)]
    starts = [weight(torch, o).requires_grad_() for o in tracked]
    first = torch.autograd.grad(tracked, leaves, starts, create_graph=True, allow_unused=True)
    recorded = [plain(g) for g in first]
    first = [g for g in first if g is not None and g.requires_grad]
    if not first:
        return recorded, None
    again = torch.autograd.grad(
        first, [*leaves, *starts], [weight(torch, g, 0.5) for g in first], allow_unused=True)
    return recorded, [plain(g) for g in again]


def edited(torch, sample, edit_output):
    """Whether backward refuses after the result, or an input, was written in place."""
    inputs, outputs = run(torch, sample, clone=True)
    tracked = [o for o in outputs if o.requires_grad]
    leaves = [x for x in inputs if getattr(x, "requires_grad", False)]
    target = tracked[0] if edit_output else leaves[0]
    try:
        with torch.no_grad():
            target.add_(5)
    except RuntimeError:
        return "refused"
    return attempt(lambda: torch.autograd.grad(
        tracked, leaves, [weight(torch, o) for o in tracked], allow_unused=True))


def attempt(call):
    try:
        call()
    except RuntimeError as error:
        return str(error).split(":")[0][:60]
    return "ok"


def weight(torch, like, phase=0.0):
    """Numbers without symmetry, in the shape and dtype of a tensor."""
    n = math.prod(like.shape)
    numbers = [math.cos(1 + phase + i) for i in range(n)]
    return torch.tensor(numbers, dtype=like.dtype).reshape(tuple(like.shape))


def is_floating(x):
    return hasattr(x, "is_floating_point") and x.is_floating_point()


def plain(tensor):
    if tensor is None:
        return None
    return {"dtype": str(tensor.dtype), "shape": list(tensor.shape), "requires_grad": tensor.requires_grad,
            "values": [spelled(v) for v in tensor.detach().reshape(-1).tolist()]}


def spelled(value):
    """JSON knows neither nan nor infinity."""
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def node_names(tensor, depth=4):
    """The graph behind a tensor as nested lists of names and output numbers, a few levels deep."""
    def walk(node, nr, left):
        if node is None:
            return None
        return [node.name(), nr] + ([walk(*edge, left - 1) for edge in node.next_functions] if left else [])
    return walk(tensor.grad_fn, tensor.output_nr, depth)


def saved_names(node):
    """The names of the tensors that a node keeps."""
    names = [n for n in dir(node) if n.startswith("_saved_")]
    return sorted(n for n in names if hasattr(getattr(node, n), "grad_fn"))
