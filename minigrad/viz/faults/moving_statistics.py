"""For `why`: BatchNorm in a frozen part of a model, whose running statistics still move."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, is_model, joined, members
from ..program.names import as_code
from ..program.node_lines import Line, only_line
from ..program.ran import may_have_run
from ..watching.calls import calls_of
from ..watching.history import history_of
from ..watching.history import steps as every_step
from ..watching.measured import counted
from ..watching.modes import differs, moved_of
from .answer import Answer, place
from .evidence import Case
from .optimizer_steps import is_parameter


def moving_statistics(case: Case) -> Answer | None:
    """A BatchNorm whose part is frozen, and that ran in training mode while others learnt."""
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    found = [] if model is None else case.common.once("moving statistics", model,
                                                      lambda: _moving(model))
    for inner, layer, (_, calls, moves) in found:
        # It is told of the parameters of the layer, or, where it has none, of one beside it.
        beside = [] if _weights(layer) else _weights(_around(model, inner))[:1]
        if not any(one is case.tensor for one in [*beside, *(own for _, own in members(layer))]):
            continue
        name, line = joined(path, inner) or "the layer", _switched(case, layer)
        whole = as_code(joined(path, _frozen_around(model, inner)) or "model")
        switched = f" The program calls train(){place(line)}." if place(line) else ""
        changes = " and ".join(f"its running {one} by {move:.3g}"
                               for one, move in zip(("mean", "variance"), moves))
        return Answer("moving statistics",
                      f"{name} ran in training mode in {counted(calls, 'call', 'calls')} that were "
                      f"watched, which moved {changes} (the norms of the changes), though it is "
                      "part of what is frozen: a BatchNorm in training mode updates its statistics "
                      f"whether or not its parameters require gradients.{switched}",
                      [Fix(f"Call `{whole}.eval()` before the forward pass, and again after each "
                           "`train()` of a module that contains it.",
                           "it normalises with its running statistics, and dropout in it drops "
                           "nothing")], [case.tensor], line=line)
    return None


def _moving(model: Any) -> list[tuple[str, Any, tuple[int, int, list[float]]]]:
    """(path, layer, how it moved) of each BatchNorm whose statistics should have stayed."""
    found = [(inner, layer, moved) for inner, layer in inner_modules(model).items()
             if differs(layer) == "BatchNorm" and (moved := moved_of(layer)) is not None]
    return [(inner, layer, moved) for inner, layer, moved in found
            if any(step.order > moved[0] for step in every_step())
            and _is_in_frozen_part(model, inner, layer)]


def _is_in_frozen_part(model: Any, inner: str, layer: Any) -> bool:
    """Whether it is frozen, and so is the module around it or all that leads to its input.

    A discriminator may be frozen for a while: what passes or steps have reached is not.
    """
    own, around = _weights(layer), _weights(_around(model, inner))
    if not all(map(_is_frozen, own)):
        return False
    if around and all(map(_is_frozen, around)):
        return bool(own) or any(one.requires_grad for one in _weights(model))
    calls = [call for call in calls_of(layer) if call.training and call.grad_enabled]
    return bool(own and calls) and all(call.memory and all(call.memory) for call in calls)


def _is_frozen(leaf: Any) -> bool:
    return not leaf.requires_grad and not history_of(leaf)


def _around(model: Any, inner: str) -> Any:
    return inner_modules(model).get(inner.rpartition(".")[0], model)


def _weights(module: Any) -> list[Any]:
    return [one for _, one in members(module) if is_parameter(one)]


def _frozen_around(model: Any, inner: str) -> str:
    """The path of the largest module around a layer in which everything is frozen."""
    steps = inner.split(".")
    paths = [".".join(steps[:at]) for at in range(len(steps))]
    return next((one for one in paths if all(
        map(_is_frozen, _weights(inner_modules(model).get(one, model))))), inner)


def _switched(case: Case, layer: Any) -> Line | None:
    """The only line of the program that may call the train() of a module with this layer."""
    found = []
    for part in case.program.parts:
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and (
                part.func.attr == "train" and may_have_run(case.program, part)):
            owner = case.program.held(part.func.value)
            if not is_model(owner) or any(one is layer for one in inner_modules(owner).values()):
                found.append(part)
    return only_line(found)
