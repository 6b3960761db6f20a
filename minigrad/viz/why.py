"""`why(x)`: why is this gradient None, zero, NaN, doubled or huge, and why doesn't this parameter move?

Each cause is a function that looks at a `Case` and answers, or returns None; the first answer counts. An
answer states what was found. Where nothing is certain, it says what was looked at.
"""
from __future__ import annotations

import ast
import importlib
from dataclasses import replace
from types import FrameType
from typing import Any

from . import why_missing as missing
from .evidence import Answer, Case, place
from .explanation import Explanation, Fix
from .facts import called, is_tensor, unheard, whole_number
from .fold import fold
from .model import Cut, Graph, Input, Picture, Tensor
from .names import Names, _caller, find_names
from .places import line_of
from .read import in_forward_order, read
from .trail import Called, Source
from .views import engine_view
from .why_missing import MEMORY, cut_answer
from .why_numbers import huge, not_finite, zero

STEPS = missing.not_held, missing.rate_zero, missing.step_without


@unheard
def why(x: Any, loss: Any = None) -> Explanation:
    """Explain the gradient of `x`: why it is None, zero, NaN, doubled or huge, or why `x` doesn't move.

    Example:
        z = encoder(data).detach()
        decoder(z).sum().backward()
        why(encoder.weight)  # ... went into ... through detach() (train.py:1, ...) ...

    Args:
        x: a tensor, such as a parameter of a model.
        loss: the result whose gradient a pass computes; None looks for calls of `backward()` in the program,
            and for variables that were computed from `x`.

    Returns:
        An `Explanation`: what was found, the line of the program, the graph with the path from `x` marked,
        and fixes with their prices. Nothing is run and nothing changes. Values that a backward pass has freed
        are unknown, unless a variable holds them or the program ran under `watch()`.

    Raises:
        TypeError: `x` or `loss` is not a tensor.
    """
    for value in (x, x if loss is None else loss):
        if not is_tensor(value):
            raise TypeError(f"why() takes a tensor, not {called(value)}")
    try:
        return why_of(x, loss, _caller())
    except RuntimeError as refusal:  # a view that can't be read any more: that is what to explain
        return importlib.import_module(".explain", __package__).explain(refusal)


def why_of(tensor: Any, loss: Any, frame: FrameType) -> Explanation:
    case = Case(tensor, find_names(None, frames=[frame]), loss)
    found = answer(case)
    sentences = [found.sentence, *filter(None, [found.more])]
    for hook in case.training.of_kind("hook") if tensor.requires_grad else ():
        sentences.append(f"{case.name} has a hook{place(hook.line)}, which may change its gradient.")
    title = f"The gradient of {case.name}"
    return Explanation(found.cause, title, sentences, list(found.fixes), picture_of(case, found))


def why_none(tensor: Any, names: Names) -> tuple[list[str], list[Fix], list[Any], list[Any]]:
    """(sentences, fixes, guilty, what to draw), for an error about a `.grad` that is None."""
    case = Case(tensor, names)
    found = answer(case)
    return [found.sentence], list(found.fixes), list(found.guilty), shown(case, found)


def answer(case: Case) -> Answer:
    tensor = case.tensor
    if not tensor.requires_grad:
        return constant(case)
    if not tensor.is_leaf and not getattr(tensor, "retains_grad", False):
        return interior(case)
    if tensor.grad is None:
        causes = (missing.not_connected, missing.no_pass, missing.not_among_inputs, missing.lost_on_the_way,
                  *STEPS, missing.emptied)
    else:
        causes = (not_finite, zero, missing.doubled, huge, *STEPS, missing.no_step, missing.healthy)
    return next(found for cause in causes if (found := cause(case)))


# --- tensors that take no gradient, and computed ones

def constant(case: Case) -> Answer:
    name = case.name
    for cut in case.cuts.cut_off(case.tensor, case.program.assigned(name)):
        return cut_answer(case, cut, name, f"{name} does not require a gradient")
    switches = [part for part in case.training.visible() if switches_off(case, part)]
    line = place(line_of(switches[0])) if len(switches) == 1 else ""
    only = f", and this line switches requires_grad off{line}" if line else ""
    fix = Fix(f"Call `{case.code}.requires_grad_()` before the forward computation.", MEMORY)
    if whole_number(case.tensor):
        fix = Fix(f"Convert it, as whole numbers have no slope: `{case.code}.float().requires_grad_()`.",
                  "a second tensor")
    cause = "frozen" if line or type(case.tensor).__name__ == "Parameter" else "constant"
    return Answer(cause, f"{name} does not require a gradient, so no pass computes one{only}.", [fix],
                  [case.tensor])


def switches_off(case: Case, part: ast.AST) -> bool:
    """Whether this is `w.requires_grad_(False)` or `w.requires_grad = False`, of the tensor or its model."""
    owners = []
    if isinstance(part, ast.Call) and getattr(part.func, "attr", "") == "requires_grad_":
        owners = [part.func.value] * ([getattr(one, "value", None) for one in part.args] == [False])
    elif isinstance(part, ast.Assign) and getattr(part.value, "value", None) is False:
        owners = [target.value for target in part.targets if getattr(target, "attr", "") == "requires_grad"]
    values = [case.program.held(owner) for owner in owners]
    return any(value is case.tensor or not is_tensor(value) and case.leads_to(Called.of("", value))
               for value in values)


def interior(case: Case) -> Answer:
    name, code, node = case.name, case.code, case.tensor.grad_fn
    maker, leaves = case.called(node).partition(" ")[0], "and passes leave gradients on leaves only"
    keep = Fix(f"Call `{code}.retain_grad()` before the pass.", "its gradient stays in memory")
    made = [one.expression for one in case.program._places(name) if one]
    for one in made:
        if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(one)):
            fix = Fix(f"Change {name} in place, so that it stays a leaf: `{code} -= ...` under `with "
                      "torch.no_grad():`.", f"a graph that saved the old values of {name} can't run another "
                                            "pass")
            return Answer("replaced", f"{name} is no longer the leaf: `{name} = {ast.unparse(one)}`"
                          f"{place(line_of(one))} made a new tensor, {leaves}.", [fix], [node])
    if len(made) == 1 and "requires_grad=True" in ast.unparse(made[0]):
        fix = Fix("Leave out requires_grad=True, and call `.requires_grad_()` at the end of the "
                  "line.", "none")
        return Answer("not a leaf", f"{name} is no leaf: {maker}{place(line_of(made[0]))} made it from the "
                      f"tensor that requires a gradient, {leaves}.", [fix, keep], [node])
    fix = Fix(f"Make {name} the leaf: compute its value first, and call requires_grad_() on the result.",
              "no gradient flows into what it was computed from")
    return Answer("not a leaf", f"{name} is no leaf: {maker} made it, {leaves}.", [keep, fix], [node])


# --- the picture

def shown(case: Case, found: Answer) -> list[Any]:
    usual = [case.result[1] if case.result else case.tensor]
    return list({id(one): one for one in found.show or usual}.values())


def picture_of(case: Case, found: Answer) -> Picture | None:
    """The graph, with the guilty marked, and the edges from the tensor to the result drawn as a path."""
    targets = shown(case, found)
    try:
        graph = read(targets, case.names)
    except RuntimeError:  # a view that can't be read any more
        return None
    order = in_forward_order([one.grad_fn for one in targets if one.grad_fn is not None])
    path = {at for at, node in enumerate(order) if case.on_path(node)}
    for at in path:
        graph.ops[at].inputs = [replace(entry, mark="path") if entry.op in path else entry
                                for entry in graph.ops[at].inputs]
    if found.cut is not None and not graph.cuts:
        add_cut(graph, order, found.cut)
    importlib.import_module(".explain", __package__).mark(graph, order, found.guilty, case)
    return fold(engine_view(graph), 40)


def add_cut(graph: Graph, order: list[Any], cut: Source) -> None:
    """Draw a cut that only the text told, where one constant alone can be its end."""
    value = cut.value
    if not is_tensor(value):
        source = Input(None, constant=Tensor("interior", value))
    elif value.grad_fn is not None:
        at = next(at for at, node in enumerate(order) if node is value.grad_fn)
        source = Input(at, getattr(value, "output_nr", 0))
    else:
        source = Input(None, constant=graph.roots[-1])
    ends: list[Any] = [graph.roots[0].key] if isinstance(graph.roots[0], Tensor) else []
    last = len(graph.ops) if ends else graph.roots[0][0] + 1  # the operations behind the result
    for at, op in enumerate([] if ends else graph.ops[:last]):
        ends += [entry.constant.key if entry.constant else (at, nr) for nr, entry in enumerate(op.inputs)
                 if entry.op is None and not entry.name and not (entry.constant and entry.constant.name)]
    if len(set(ends)) == 1:
        graph.cuts.append(Cut(cut.word, source, ends[0], cut.line))
