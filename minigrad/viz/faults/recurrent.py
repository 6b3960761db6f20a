"""For `why`: recurrent weights that a step in time reaches, and that learn nothing from it."""
from __future__ import annotations

import re
from typing import Any

from ..drawing.explanation import Fix
from ..graph.kept import signed, stem_of
from ..graph.modules import inner_modules
from ..graph.walk import shapes_of
from .answer import Answer
from .evidence import Case


def all_zero(case: Case, tensor: Any) -> bool:
    found = case.common.numbers(tensor)
    return bool(found and found.norm == 0 and found.size)


def reverse_of_last(case: Case, opening: str) -> Answer | None:
    """The recurrent weights of a reverse direction, of which the last time step alone is used."""
    found = re.match(r"(.*)\.weight_hh_l(\d+)_reverse$", case.name)
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    layer: Any = next((one for one in inner_modules(model).values()
                       if any(own is case.tensor for own in vars(one)["_parameters"].values())),
                      None) if found and model is not None else None
    if found is None or not getattr(layer, "bidirectional", False) or (
            int(found[2]) != getattr(layer, "num_layers", 0) - 1):
        return None
    time = int(bool(layer.batch_first))
    for node in case.narrow:
        before, nr = node.next_functions[0] if node.next_functions else (None, 0)
        shape = (shapes_of(before)[nr:nr + 1] if before is not None else []) or [()]
        dim, at = case.dim(node), case.kept(node).get("index")
        if stem_of(node.name()) == "Select" and len(shape[0]) == 3 and dim == time and (
                type(at) is int and signed(at) in (-1, shape[0][time] - 1)):
            return Answer("zero", f"{opening}: {case.named(node)} takes the last time step alone. "
                          "The reverse direction begins there, so the weights have met nothing but "
                          "its state before the first step, which is 0.",
                          [Fix("Use the final states of both directions, which the layer also "
                               "returns: `torch.cat([h[-2], h[-1]], 1)`.",
                              "another function is trained")], [node])
    return None
