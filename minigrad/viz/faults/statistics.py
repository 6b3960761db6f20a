"""For `why`: BatchNorms of a copied model whose statistics were not copied with its weights."""
from __future__ import annotations

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined, members
from ..watching.modes import used_unset
from .answer import Answer, place
from .evidence import Case


def never_updated(case: Case) -> Answer | None:
    """A BatchNorm in evaluation mode that normalises with mean 0 and variance 1.

    Its model is an average or a copy: no optimizer holds it, and its weights changed with the
    steps of others.
    """
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    if model is None or case.training.holders or any(one.kind == "step" for one in case.history):
        return None
    for inner, layer in inner_modules(model).items():
        # It is told of the parameters of the layer, or, where it has none, of one of the model.
        own = [one for one in vars(layer)["_parameters"].values() if one is not None]
        about = own or [one for _, one in members(model)][:1]
        if not any(one is case.tensor for one in about) or (found := used_unset(layer)) is None:
            continue
        name, whole = joined(path, inner) or "the layer", path or "copied"
        return Answer("no statistics",
                      f"{name} ran in evaluation mode{place(found[0])} with num_batches_tracked 0: "
                      "its running mean and variance are still 0 and 1, though the weights of "
                      f"{path or 'its model'} have changed with the steps. Its parameters were "
                      "copied or averaged, and its buffers were not.",
                      [Fix("Copy the buffers where the weights are written: `for new, old in "
                           f"zip({whole}.buffers(), trained.buffers()): new.copy_(old)`.",
                           "the buffers are copied at each such write")],
                      [case.tensor], line=found[0])
    return None
