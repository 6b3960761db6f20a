"""For `why`: networks that are put together or copied in a way that spoils training."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined, members
from ..graph.patterns import (
    ADVANTAGE,
    AGAIN,
    DEVIATION,
    MASKED,
    MIXED,
    OFF_AXIS,
    ONE_NUMBER,
    patterns,
)
from ..program.called import with_calls
from ..program.entered import looped_tensors, pairs
from ..program.given import held_by
from ..program.lines import statement_at
from ..program.names import as_code
from ..program.node_lines import Line, line_of
from ..program.ran import around
from ..watching.history import steps as every_step
from ..watching.measured import counted
from ..watching.modes import unchanged_since, used_unset
from ..watching.pass_notes import noted_of
from .answer import Answer, place
from .evidence import Case
from .loss_inputs import LOGARITHMS, MISGIVEN, told
from .sampled_zeros import WORDS, fix_of

PAIRS = {  # (what takes the numbers, what made them) -> (what happens, what to do, its price)
    ("LogSoftmax", "Softmax"): (
        "takes the result of {}: softmax is taken twice, and gradients become small",
        "Give the loss the scores themselves, without softmax.",
        "the model returns scores; take softmax where probabilities are needed"),
    ("BinaryCrossEntropyWithLogits", "Sigmoid"): (
        "takes the result of {}: sigmoid is taken twice, and gradients become small",
        "Give the loss the scores themselves, without sigmoid.",
        "the model returns scores; take sigmoid where probabilities are needed"),
    ("NllLoss", "Softmax"): (
        "takes the result of {} without a logarithm: no probability is ever wrong enough",
        "Use log_softmax in place of softmax.", "none"),
    ("NllLoss", "outside"): (
        "takes numbers above 0 from {}, so these are no log-probabilities",
        "Use cross_entropy in its place, which takes scores.", "another function is trained"),
    ("BinaryCrossEntropyWithLogits", "outside"): (
        "has targets below 0 or above 1, for which no score is the best",
        "Bring the targets between 0 and 1.", "another function is trained"),
    ("Mean", "BatchNorm"): (
        "takes all that {} made of a batch. Its mean over the batch is its bias, whatever it is "
        "given, so nothing but rounding errors goes back through it",
        "Take that BatchNorm out, or compute the loss otherwise.", "another function is trained"),
}
FIXES = {
    MIXED: [Fix("Move the axis, and take `{}` in place of the view.", "the numbers are copied")],
    OFF_AXIS: [Fix("Take softmax over the last axis: `dim=-1`.", "none")],
    MASKED: [Fix("Put a large negative number there: `scores.masked_fill(mask == 0, -1e9)`.",
                 "none")],
    DEVIATION: [Fix("Multiply the noise by the root of the variance: `torch.exp(0.5 * logvar)`.",
                    "none")],
    AGAIN: [Fix("Leave that division out.", "gradients grow by this factor, so with SGD the rate "
                "has to be chosen anew")]}
ROUNDING = 1e-5  # the norm of a gradient that may be rounding errors alone


def loss_of_logarithms(case: Case) -> Answer | None:
    """A kl_div whose target are logarithms, which makes NaN of them."""
    return pattern(case, LOGARITHMS)


def pattern(case: Case, only: str = "") -> Answer | None:
    """Operations that are wrong after one another, in the graph or in a pass that was watched."""
    size = case.common.numbers(case.tensor.grad)
    tiny = size is not None and size.norm is not None and size.norm < ROUNDING
    for kind, node, before in case.common.once("patterns", case.behind,
                                               lambda: list(patterns(case.behind))):
        if kind[0] != ONE_NUMBER and only in ("", kind[0]) and before in case.between and (
                tiny or kind[0] != "Mean") and not (kind[0] == AGAIN and _sums_up(case)):
            return _of_pattern(kind, case.named(node), case.named(before), case.line(node),
                               [node, before])
    for one in noted_of(case.tensor, "pattern"):
        if one.kind[0] == ONE_NUMBER or only not in ("", one.kind[0]) or (
                one.kind[0] == "Mean" and not tiny) or one.kind[0] == AGAIN and _sums_up(case):
            continue
        return _of_pattern(one.kind, f"{one.node}{place(one.line)}",
                           f"{one.before}{place(one.line_before)}", one.line, [case.tensor])
    return None


def _sums_up(case: Case) -> bool:
    """Whether steps may take the sum of several passes, each with a part of the loss."""
    kinds = [one.kind for one in case.history]
    return kinds.count("pass") > kinds.count("step")


def _of_pattern(kind: tuple[str, str], node: str, before: str, line: Line | None,
                guilty: list[Any]) -> Answer | None:
    if kind[0] == "broadcast":
        if _meant(line):
            return None
        scaled = node.startswith(("Mul", "Div"))
        pairs = "number of one is combined with each of the other" if scaled else (
            "prediction is compared with each target")
        return Answer("broadcast",
                      f"{node} broadcasts {kind[1]}: each {pairs}, and not with its own.",
                      [Fix("Give both the same shape, such as with `.squeeze(1)` on the "
                           f"{'predictions' if 'in a row' in kind[1] else 'column'}.", "none")],
                      guilty, line=line)
    if kind[0] == "sample":
        return Answer("sample", f"{node} {WORDS}.", [fix_of(kind[1])], guilty, line=line)
    if kind[0] == ADVANTAGE:
        return Answer("advantage", f"{node} multiplies a log-probability by a difference that has "
                      f"a history through {before}: so the loss of the policy also trains the "
                      "values that another loss compares with their targets.",
                      [Fix("Detach the factor there, such as with `advantage.detach()`.",
                           "the values are trained by their own loss alone")], guilty, line=line)
    if kind[0] in MISGIVEN:
        return told(kind, before, line, guilty)
    if kind[0] in FIXES:
        words, _, code = kind[1].partition(" `")
        words = words.replace("{}", before)
        return Answer(kind[0], f"{node} {words}.", [fix if not code else Fix(
            fix.words.format(code.strip("`")), fix.price) for fix in FIXES[kind[0]]], guilty,
                      line=line)
    happens, words, price = PAIRS[kind]
    cause = "vanishing" if kind[0] == "Mean" else "twice"
    if kind[0] == "NllLoss":
        cause = "no logarithms"
    elif kind[1] == "outside":
        cause = "no probabilities"
    return Answer(cause, f"{node} {happens.format(before)}.", [Fix(words, price)], guilty,
                  line=line)


def _meant(line: Line | None) -> bool:
    """Whether an operand is made a column in the line itself: all pairs are to be compared."""
    statement = statement_at(line.filename, line.line) if line is not None else None
    return statement is not None and any(
        _made_a_column(operand) for part in ast.walk(statement) if isinstance(part, ast.BinOp)
        for operand in (part.left, part.right))


def _made_a_column(operand: ast.expr) -> bool:
    """Whether it is `x[:, None]`, `x.unsqueeze(1)`, `x.T`, or `x` in another shape."""
    if isinstance(operand, ast.Subscript):
        return any(getattr(one, "value", 0) is None for one in ast.walk(operand.slice))
    called = operand.func if isinstance(operand, ast.Call) else None
    return getattr(operand, "attr", "") in ("T", "mT") or (
        getattr(called, "attr", "") in ("unsqueeze", "view", "reshape", "t", "transpose"))


def never_updated(case: Case) -> Answer | None:
    """A BatchNorm in evaluation mode that normalises with mean 0 and variance 1.

    Its model is an average or a copy: its weights changed with the steps of others, and no
    optimizer holds any of them.
    """
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    if model is None or case.common.once("has steps", model, lambda: _has_steps(case, model)):
        return None
    for inner, layer, found in case.common.once("unset statistics", model, lambda: _unset(model)):
        # It is told of the parameters of the layer, or, where it has none, of one of the model.
        own = [one for one in vars(layer)["_parameters"].values() if one is not None]
        about = own or [one for _, one in members(model)][:1]
        if not any(one is case.tensor for one in about):
            continue
        name = joined(path, inner) or "the layer"
        sources = [as_code(other) for other, one in case.names.models
                   if one is not model and type(one) is type(model) and _has_steps(case, one)]
        code = (f": `for new, old in zip({as_code(path)}.buffers(), {sources[0]}.buffers()): "
                "new.copy_(old)`" if path and len(sources) == 1 else "")
        return Answer("no statistics",
                      f"{name} ran in evaluation mode{place(found[0])} with num_batches_tracked 0: "
                      "its running mean and variance are still 0 and 1, though the weights of "
                      f"{path or 'its model'}, which no optimizer here holds, have changed since "
                      "the first step. What wrote them left the buffers as they were.",
                      [Fix(f"Copy the buffers where the weights are written{code}.",
                           "the buffers are copied at each such write")],
                      [case.tensor], line=found[0])
    return None


def _unset(model: Any) -> list[tuple[str, Any, Any]]:
    """(path, layer, where it ran) of the layers that ran with statistics that nothing updated."""
    return [(path, layer, found) for path, layer in inner_modules(model).items()
            if (found := used_unset(layer)) is not None]


def _has_steps(case: Case, model: Any) -> bool:
    """Whether an optimizer holds some of a model's parameters, or a watched step took them."""
    held = {id(one) for _, optimizer in case.training.optimizers for one in held_by(optimizer)}
    return any(id(one) in held or any(
        event.kind == "step" for event in case.common.history(one))
               for _, one in members(model))


def rebound(case: Case) -> Answer | None:
    """A parameter that has not changed, as `p = ...` in a loop over parameters writes nothing."""
    line = case.common.once("rebound", case.program, lambda: _rebound(case)).get(id(case.tensor))
    kinds = [one.kind for one in case.history] if line else []
    since, passes = unchanged_since(case.tensor) if line else None, kinds.count("pass")
    steps = sum(step.order > since for step in every_step()) if since else 0
    if line is None or max(steps, passes) < 2 or "written" in kinds or "step" in kinds:
        return None
    in_all = counted(steps, "step", "steps") if steps else counted(passes, "pass", "passes")
    name, value = ast.unparse(line.targets[0]), ast.unparse(line.value)
    return Answer("rebound", f"The loop{place(line_of(line))} gives its variable {name} another "
                  f"tensor, which nothing reads, and writes nothing to the parameter: {case.name} "
                  f"has not changed in {in_all}.",
                  [Fix(f"Write into the parameter, under torch.no_grad(): `{name}.copy_({value})`.",
                       "none")], [case.tensor], line=line_of(line))


def _rebound(case: Case) -> dict[int, ast.Assign]:
    """By the id of a parameter: such a line, of which it is given the variable."""
    if not any(isinstance(part, ast.Assign) and _rebinds(part) for part in case.program.parts):
        return {}
    return {id(one): part for program, part in with_calls(case.cuts.trail)
            if isinstance(part, ast.Assign) and _rebinds(part)
            for one in looped_tensors(part.targets[0], program)}


def _rebinds(part: ast.Assign) -> bool:
    """Whether it computes, for the variable of a loop over parameters, what nothing reads then."""
    loop: Any = next((outer for _, outer in around(part) if isinstance(outer, ast.For)), None)
    overs = {ast.unparse(one): ast.unparse(over)
             for one, over in (pairs(loop.target, loop.iter) if loop else ())}
    name, end = ast.unparse(part.targets[0]), (part.end_lineno or 0, part.end_col_offset or 0)
    if "parameters(" not in overs.pop(name, ""):
        return False
    others = any(getattr(one, "id", "") in overs for one in ast.walk(part.value))
    return (others or isinstance(part.value, ast.BinOp)) and not any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
        and (one.lineno, one.col_offset) > end for one in ast.walk(loop))
