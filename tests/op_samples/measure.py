"""What one row of the table shows, measured in the same way on minigrad and on PyTorch.

`measure(torch, row)` returns plain Python data, so that PyTorch's answers can be kept in a file.
"""
from __future__ import annotations

import ast
import math
import re
import warnings

from .inputs import COPIES, NAMES, make


class Call:
    """A row that can be called: the names of its inputs, and its code."""

    def __init__(self, row):
        tree = ast.parse(row)
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.names = sorted({COPIES.get(name, name) for name in names} & NAMES)
        self.copied = sorted(names & set(COPIES))
        self.is_statement = not isinstance(tree.body[0], ast.Expr)
        self.code = compile(row, row, "exec" if self.is_statement else "eval")

    def inputs(self, torch):
        """Return the inputs by name; those of floating point are leaves that require a gradient."""
        made = {name: make(torch, name) for name in self.names}
        return {name: x.requires_grad_() if x.is_floating_point() else x for name,
                x in made.items()}

    def outputs(self, torch, inputs):
        """Call the row with these inputs, and return its results as a list."""
        given = {"t": torch, **inputs,
                 **{copy: inputs[COPIES[copy]].clone() for copy in self.copied}}
        if self.is_statement:
            exec(self.code, given)
            result = given[self.copied[0]]
        else:
            result = eval(self.code, given)
        return list(result) if isinstance(result,
                                          (tuple,
                                           list)) and type(result).__name__ != "Size" else [result]


def measure(torch, row):
    """Return values, flags, nodes, saved tensors, gradients of both orders, and which edits are
    errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call = Call(row)
        try:
            inputs = call.inputs(torch)
            outputs = call.outputs(torch, inputs)
        except Exception as error:
            return {"error": message(error)}
        facts = {"results": [plain(o) for o in outputs]}
        tracked = [o for o in outputs if hasattr(o, "grad_fn") and o.requires_grad]
        leaves = [x for x in inputs.values() if x.requires_grad]
        if not tracked or not leaves:
            return facts
        facts["nodes"] = [node_names(o.grad_fn, o.output_nr) for o in tracked]
        facts["saved"] = saved(tracked[0].grad_fn)
        starts = [weights(torch, o) for o in tracked]
        facts["gradients"] = attempt(
            lambda: [plain(g) for g in torch.autograd.grad(tracked, leaves, starts,
                                                           allow_unused=True)])
        facts["twice"] = attempt(lambda: torch.autograd.grad(tracked, leaves, starts,
                                                             allow_unused=True) and "fine")
        facts["edit_output"] = attempt(lambda: edited(torch, call, edit_output=True))
        facts["edit_input"] = attempt(lambda: edited(torch, call, edit_output=False))
        facts["refused_edits"] = refused_edits(torch, call)
        facts["saved_alone"] = {name: saved_alone(torch, call, name) for name in call.names}
        facts["second"] = attempt(lambda: second_gradients(torch, call))
        return facts


def second_gradients(torch, call):
    """Return the first gradients again, recorded, and the gradients of those."""
    inputs = call.inputs(torch)
    tracked = [o for o in call.outputs(torch, inputs) if o.requires_grad]
    leaves = [x for x in inputs.values() if x.requires_grad]
    starts = [weights(torch, o).requires_grad_() for o in tracked]
    first = torch.autograd.grad(tracked, leaves, starts, create_graph=True, allow_unused=True)
    recorded = [plain(g) for g in first]
    first = [g for g in first if g is not None and g.requires_grad]
    if not first:
        return [recorded]
    again = torch.autograd.grad(
        first, [*leaves, *starts], [weights(torch, g, 0.5) for g in first], allow_unused=True)
    return [recorded, [plain(g) for g in again]]


def edited(torch, call, edit_output):
    """Return whether a backward pass works after the result, or an input, was written in place."""
    inputs = {name: x.clone() if x.is_floating_point() else x for name,
              x in call.inputs(torch).items()}
    tracked = [o for o in call.outputs(torch, inputs) if o.requires_grad]
    leaves = [x for x in inputs.values() if x.requires_grad]
    with torch.no_grad():
        (tracked if edit_output else leaves)[0].add_(5)
    torch.autograd.grad(tracked, leaves, [weights(torch, o) for o in tracked], allow_unused=True)
    return "fine"


def refused_edits(torch, call):
    """Return the writes before a backward pass that it refuses: each operand and the result in turn
    is written, and each operand in turn is the only one that takes a gradient."""
    refused = []
    names = list(call.inputs(torch))
    for tracked in names:
        for written in [*names, "result"]:
            by = [kind for kind in ("grad", "backward") if "by an inplace" in str(
                attempt(lambda: pass_after_edit(torch, call, tracked, written, kind)))]     # noqa: B023
            if by:
                refused.append(f"{written} written, {tracked} tracked: {' and '.join(by)}")
    return refused


def saved_alone(torch, call, tracked):
    """Return what a node saved where this operand alone takes a gradient: shapes of tensors, and measures."""
    inputs = {name: x.detach().clone() for name, x in call.inputs(torch).items()}
    inputs[tracked].requires_grad_(inputs[tracked].is_floating_point())
    outputs = [o for o in call.outputs(torch, inputs) if o.requires_grad]
    if not outputs or outputs[0].grad_fn is None:
        return None
    return saved(outputs[0].grad_fn, measures=True)


def pass_after_edit(torch, call, tracked, written, kind):
    """Write to one operand of a call in place, then run a backward pass to another or the same."""
    inputs = {name: x.detach().clone() for name, x in call.inputs(torch).items()}
    inputs[tracked].requires_grad_(inputs[tracked].is_floating_point())
    outputs = [o for o in call.outputs(torch, inputs) if o.requires_grad]
    if not outputs:
        return
    target = outputs[0] if written == "result" else inputs[written]
    with torch.no_grad():
        target.copy_(target.clone())
    starts = [weights(torch, o) for o in outputs]
    if kind == "grad":
        torch.autograd.grad(outputs, inputs[tracked], starts, allow_unused=True)
    else:
        torch.autograd.backward(outputs, starts)


def attempt(action):
    try:
        return action()
    except RuntimeError as error:
        return message(error)


def message(error):
    text = re.sub(r"\bminigrad(\.\w+)*\.(?=[A-Z])", "torch.",
                  str(error).strip().split("\nException raised from")[0])
    text = text.split(", but expected one of:")[0].split("Traceback of forward call")[0]
    return f"{type(error).__name__}: {text.strip()}"


def weights(torch, like, phase=0.0):
    """Return numbers without symmetry, in the shape and dtype of a tensor."""
    numbers = [math.cos(1 + phase + i) for i in range(math.prod(like.shape))]
    return torch.tensor(numbers, dtype=like.dtype).reshape(tuple(like.shape))


def plain(value):
    """Return a result as JSON data."""
    if hasattr(value, "grad_fn"):
        return {"dtype": str(value.dtype), "shape": list(value.shape),
                "requires_grad": value.requires_grad,
                "values": [spelled(v) for v in value.detach().reshape(-1).tolist()]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return spelled(value)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value)


def spelled(value):
    """Return the number; nan and infinity, which JSON does not have, in words."""
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def node_names(node, nr, depth=4):
    """Return the graph behind a tensor as nested lists of names and output numbers, a few levels
    deep."""
    if node is None:
        return None
    return [node.name(),
            nr] + ([node_names(*edge, depth - 1) for edge in node.next_functions] if depth else [])


def saved(node, measures=False):
    """Return what a node saved: the shapes of tensors, and the kinds of anything else; with
    `measures`, the numbers of those."""
    found = {name: getattr(node, name) for name in dir(node) if name.startswith("_saved_")}
    return {name: list(value.shape) if hasattr(value, "grad_fn") else
            list(value) if measures and "_sym_" in name and isinstance(value, tuple) else
            type(value).__name__ for name, value in sorted(found.items())}
