"""How many floating-point operations an operation of the forward pass took, from shapes alone.

They are counted as `torch.utils.flop_counter` counts them: a multiply-add is 2, and what a bias, a
scale or a softmax adds is left out. Any other operation is not counted, and None says so.
"""
from __future__ import annotations

from math import prod

from .kept import positions_of, stem_of
from .model import Graph, Op

# Which arguments of a product are multiplied. The second is a matrix or a vector.
PRODUCTS = {"Mm": (0, 1), "Bmm": (0, 1), "Mv": (0, 1), "Dot": (0, 1), "Addmm": (1, 2),
            "Baddbmm": (1, 2), "Addmv": (1, 2)}
Shape = tuple[int, ...]


def flops_of(graph: Graph, op: Op) -> int | None:
    """Return the FLOPs of a matrix product, linear layer, convolution or fused attention.

    None is for an operation that is not counted, or whose shapes are not known any more.
    """
    stem, made = stem_of(op.name), op.shapes[0] if op.shapes else None
    if made is None:
        return None
    if stem in PRODUCTS:
        first, second = (_shape(graph, op, at) for at in PRODUCTS[stem])
        if first:
            return 2 * prod(made) * first[-1]
        return 2 * prod(made) * second[-min(2, len(second))] if second else None
    if stem == "Linear":
        weight = _shape(graph, op, 1)
        return 2 * prod(made) * weight[-1] if weight else None
    if stem == "Convolution":
        weight = _shape(graph, op, 1)
        # The kernel is applied at each place of the output; a transposed one, of the input.
        places = _shape(graph, op, 0) if ("transposed", "True") in op.settings else made
        return 2 * made[0] * prod(places[2:]) * prod(weight) if places and weight else None
    if stem.startswith("ScaledDotProduct"):
        query, key, value = (_shape(graph, op, at) for at in range(3))
        if query and key and value:
            return 2 * prod(query[:-1]) * key[-2] * (query[-1] + value[-1])
    return None


def _shape(graph: Graph, op: Op, argument: int) -> Shape | None:
    """The shape of an argument: of what made it, or of what the operation saved."""
    entry = op.inputs[argument] if argument < len(op.inputs) else None
    if entry is not None and entry.op is not None:
        shapes = graph.ops[entry.op].shapes
        return shapes[entry.output_nr] if entry.output_nr < len(shapes) else None
    if entry is not None and entry.constant is not None:
        return entry.constant.shape
    places = positions_of(op.name)
    return next((item.tensor.shape for item in op.saved
                 if item.tensor is not None and places.get(item.slot) == argument), None)
