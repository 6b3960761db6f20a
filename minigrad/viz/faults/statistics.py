"""For `why`: BatchNorms of a copied model whose statistics were not copied with its weights."""
from __future__ import annotations

from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined, members
from ..program.given import held_by
from ..program.names import as_code
from ..watching.history import history_of
from ..watching.modes import used_unset
from .answer import Answer, place
from .evidence import Case


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
    return any(id(one) in held or any(event.kind == "step" for event in history_of(one))
               for _, one in members(model))
