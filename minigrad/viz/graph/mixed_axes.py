"""Numbers that ended up on another axis than they belong to, told from the shapes in a graph.

A view keeps the order of the numbers in memory: where it gives an axis the place of another, none
has moved. And a product of matrices sums over one axis, over which the weights of attention are to
add up to 1.
"""
from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from .facts import is_tensor, shape_of
from .kept import kept_by, signed, stem_of
from .walk import shapes_of

Shape = tuple[int, ...]
VIEWS = ("View", "UnsafeView", "ReshapeAlias")
MOVING = ("Transpose", "Permute", "T", *VIEWS)
HANDING = ("Dropout", "NativeDropout", "Expand", "Clone", "ToCopy", *VIEWS)
KEEPING = ("Clone", "Select", "Slice", "Squeeze", "Unsqueeze", "ToCopy")
SCORING = ("Mul", "Div", "MaskedFill", "Where", "Add", *VIEWS)  # from a product to its softmax
PRODUCTS = ("Bmm", "Mm")
FEWEST = 3  # axes; two may be split and joined on purpose
FAR = 6  # operations between a convolution and a view


def mixed(node: Any) -> str:
    """What a view mixes up, and in backticks the calls that move the axis; "" if nothing."""
    before, nr = node.next_functions[0] if stem_of(node.name()) in VIEWS else (None, 0)
    shapes, made = shapes_of(before) if before is not None else [], (shapes_of(node) or [()])[0]
    if nr >= len(shapes) or not (code := _moved(shapes[nr], made, before)):
        return ""
    return (f"gives numbers of the shape {shapes[nr]} the shape {made} without moving an axis: a "
            f"view keeps their order in memory, so that numbers of different places stand in one "
            f"row of the result `{code}`")


def _moved(given: Shape, made: Shape, maker: Any) -> str:
    """The calls that move an axis of `given` to where `made` seems to have it, or ""."""
    size = len(given)
    if _convolved(maker, given[:2]) and (code := _channels_last(given, made)):
        return code
    if _was_moved(maker):
        return ""
    if sorted(given) == sorted(made) and [n for n in given if n > 1] != [n for n in made if n > 1]:
        order, left = [], list(range(size))
        for length in made:
            order.append(next(at for at in left if given[at] == length))
            left.remove(order[-1])
        *_, low, high = sorted(given[-2:])  # (N, heads * D) to (N * heads, D), where N is D
        meant = given[-1] != made[-1] and high % low == 0 and not _convolved(maker, given[:2])
        return f".permute({', '.join(map(str, order))})" if size >= FEWEST and not meant else ""
    for at in range(size - 1):  # (T, heads * D) to (heads, T, D), and back
        length, width = given[at:at + 2]
        head, tail = given[:at], given[at + 2:]
        if len(made) == size + 1 and made[:at] == head and made[at + 3:] == tail and (
                made[at + 1] == length != made[at]) and made[at] * made[at + 2] == width and (
                min(length, made[at]) > 1):
            split = (*head, length, made[at], made[at + 2], *tail)
            return f".reshape{split}.transpose({at}, {at + 1})"
        if at + 3 == size and len(made) == size - 1 and made[:at] == head and (
                made[at] == width != length) and made[at + 1] == length * given[-1] and (
                min(length, width) > 1):
            return f".transpose({at}, {at + 1}).reshape{made}"
    return ""


def _was_moved(node: Any) -> bool:
    """Whether an axis was moved right before, so that what the view does is meant."""
    while node is not None and stem_of(node.name()) in KEEPING:
        node = node.next_functions[0][0]
    return node is not None and stem_of(node.name()) in ("Transpose", "Permute", "T")


def _channels_last(given: Shape, made: Shape) -> str:
    """The same for (N, C, H, W) to (N, H * W, C), to (N * H * W, C), or with several boxes."""
    count, channels, *places = given
    of = prod(places)
    if len(places) < 2 or min(of, channels, made[-1]) < 2 or made[-1] == places[-1] or (
            channels % made[-1] or made[:-1] != (count, of * channels // made[-1])
            and made != (count * of, channels)):
        return ""
    order = (0, *range(2, len(given)), 1)
    return f".permute{order}.reshape{made}"


def _convolved(node: Any, start: Shape) -> bool:
    """Whether a convolution made the channels of a result."""
    for _ in range(FAR):
        if node is None or (shapes_of(node) or [()])[0][:2] != start or (
                stem_of(node.name()) in MOVING):
            return False
        if stem_of(node.name()) == "Convolution":
            return True
        node = node.next_functions[0][0] if node.next_functions else None
    return False


def off_axis(node: Any, users: dict[int, list[Any]]) -> tuple[str, Any] | None:
    """What is wrong with the weights of attention, and the product that takes them, or None."""
    shape = (shapes_of(node) or [()])[0]
    dim = kept_by(node).get("dim") if stem_of(node.name()) == "Softmax" else None
    if len(shape) < 2 or type(dim) is not int or signed(dim) % len(shape) != len(shape) - 2:
        return None
    if shape[-1] != shape[-2] and not _scores(node) or min(shape[-2:]) < 2:
        return None
    product, weights = node, node
    while product is node or stem_of(product.name()) in HANDING:
        weights, takers = product, users.get(id(product), [])
        if len(takers) != 1 or (shapes_of(product) or [()])[0][-2:] != shape[-2:]:
            return None
        product = takers[0]
    if stem_of(product.name()) not in PRODUCTS or product.next_functions[0][0] is not weights:
        return None
    return (f"is taken over dim {len(shape) - 2} of weights of the shape {shape}, but {{}} sums "
            "over their last axis: what it sums is not weighted by numbers that add up to 1"
            ), product


def _scores(node: Any) -> bool:
    """Whether softmax takes a product of two computed matrices."""
    node = node.next_functions[0][0]
    while node is not None and stem_of(node.name()) in SCORING:
        node = node.next_functions[0][0]
    return node is not None and stem_of(node.name()) in PRODUCTS and all(
        one is not None and one.next_functions for one, _ in node.next_functions)


def divided_again(node: Any) -> tuple[str, Any] | None:
    """A mean over all numbers that is divided by their count, and the mean; or None."""
    if stem_of(node.name()) != "Div" or (shapes_of(node) or [(0,)])[0] != ():
        return None
    value = kept_by(node).get("other")
    if value is None or is_tensor(value) and (value.requires_grad or shape_of(value)):
        return None
    for mean in _summands(node.next_functions[0][0]):
        before, nr = mean.next_functions[0]
        shapes = shapes_of(before) if before is not None else []
        size = prod(shapes[nr]) if nr < len(shapes) else 0
        if size > 1 and kept_by(mean).get("dim") is None and float(value) == size:
            return f"divides by {size} what is already the mean of {size} numbers", mean
    return None


def _summands(node: Any) -> Sequence[Any]:
    """The means of which a result is the sum."""
    if node is None:
        return []
    if stem_of(node.name()) == "Mean":
        return [node]
    inside = node.next_functions if stem_of(node.name()) in ("Neg", "Add", "Sub") else ()
    return [one for before, _ in inside for one in _summands(before)]
