"""Modules that are one box each: which boxes they replace, and what is said of them."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from ..graph.box_order import only
from ..graph.facts import number
from ..graph.model import UNREAD, Box, Inside, Picture
from ..graph.modules import Chain
from .text_twin import bytes_of
from .work import sum_of, work_words

MOVES = ("View", "UnsafeView", "ReshapeAlias", "T", "Transpose", "Permute", "Expand", "Unsqueeze",
         "Squeeze")


def is_move(title: str) -> bool:
    """Whether an operation changes nothing but a shape, by its name."""
    return title.partition("Backward")[0] in MOVES


def passes_on(title: str) -> bool:
    """Whether an operation passes on the numbers that it takes, by its name."""
    return is_move(title) or title.startswith("CloneBackward")


def without_moves(picture: Picture, shown: Callable[[Box], Any],
                  accumulate: bool = True) -> Picture:
    """The picture without operations that pass on numbers, but for those that are to be `shown`.

    What they take goes to what takes their results. Without `accumulate` AccumulateGrad goes, too.
    """
    arrows, gone = list(picture.arrows), set()
    for at, box in enumerate(picture.boxes):
        to = [arrow for arrow in arrows if arrow.head == at]
        out = [arrow for arrow in arrows if arrow.tail == at]
        if not accumulate and box.kind == "accumulate" or (
                box.kind == "op" and passes_on(box.title) and len(to) == 1 and out
                and not shown(box)):
            gone.add(at)
            arrows = [arrow for arrow in arrows if at not in (arrow.tail, arrow.head)]
            arrows += [replace(arrow, tail=start.tail) for arrow in out for start in to]
    return only(replace(picture, arrows=arrows),
                [at for at in range(len(picture.boxes)) if at not in gone])


def groups(picture: Picture, opened: set[Chain], least: int = 2) -> dict[Chain, list[int]]:
    """The boxes of each module that is to be one box: the outermost that aren't opened.

    One of fewer than `least` boxes is left as it is, unless a parameter stands on it.
    """
    found: dict[Chain, list[int]] = {}
    for at, box in enumerate(picture.boxes):
        around = [box.module[:end + 1] for end in range(len(box.module))]
        for chain in [chain for chain in around if chain not in opened][:1]:
            found.setdefault(chain, []).append(at)
    return {chain: group for chain, group in found.items()
            if len(group) >= least or picture.boxes[group[0]].weights}


def module_box(picture: Picture, chain: Chain, boxes: list[Box]) -> Box:
    """The one box that replaces a module.

    Modules look alike that have the same class, the same shapes of parameters and the same
    operations. Those that change a shape alone don't count: a first layer lacks some, where its
    input takes no gradient.
    """
    kind, size = picture.classes.get(chain[-1], ""), sum(box.folded or 1 for box in boxes)
    shapes = Counter(weight.tensor.shape for box in boxes for weight in box.weights)
    shapes += Counter(box.tensor.shape for box in boxes if box.kind == "leaf"
                      and box.tensor is not None)
    ops = Counter(box.look or box.title for box in boxes if box.kind in ("op", "fold")
                  and not is_move(box.title))
    look = (kind, frozenset(shapes.items()), frozenset(ops.items()))
    inside = inside_of(boxes)._replace(call=(call := picture.calls.get(chain)))
    if inside.work is not None and call is not None and call.activations is not None:
        inside = inside._replace(work=inside.work._replace(
            activations={call.number: call.activations}))  # with those of unrecorded modules
    lines = [kind] * bool(kind and chain[-1]) + inside_words(inside) + _ties(boxes, chain)
    return Box("fold", chain[-1] or kind, lines, folded=size, module=chain[:-1], look=look,
               inside=inside)


def _ties(boxes: list[Box], chain: Chain) -> list[str]:
    """With which parameters outside of a module it shares one."""
    ties = [pair for box in boxes for weight in box.weights if weight.tensor.ties
            for pair in ((weight.tensor.name, weight.tensor.module), *weight.tensor.ties)]
    own = chain[-1].partition(", call ")[0]
    return [f"tied to {name}" for name, around in dict.fromkeys(ties) if own not in around]


def inside_of(boxes: Sequence[Box]) -> Inside:
    """What these boxes hold together; the output is that of the last of them."""
    parameters: dict[Any, int] = {}
    own: set[int] = set()  # the memory of the parameters
    memory: dict[int, int] = {}
    unread = 0
    for box in boxes:
        tensors = [weight.tensor for weight in box.weights]
        if box.kind in ("leaf", "constant") and box.tensor is not None:
            tensors.append(box.tensor)
        for tensor in tensors:
            if tensor.module:
                parameters[tensor.key] = prod(tensor.shape or ())
                own.update((tensor.stored or ())[:1])
        memory.update(item.tensor.stored for item in box.saved if item.tensor
                      and item.tensor.stored)
        unread += sum(item.state in UNREAD for item in box.saved)
        if box.inside is not None:
            parameters |= box.inside.parameters
            memory |= box.inside.memory
            unread += box.inside.unread
    shape = next((box.shape for box in reversed(boxes) if box.shape), "")
    memory = {place: size for place, size in memory.items() if place not in own}
    work = sum_of(box.inside.work for box in boxes if box.inside is not None)
    return Inside(parameters, memory, unread, shape, work=work)


def inside_words(inside: Inside) -> list[str]:
    """`(4, 16)`, `144 parameters`, `saves 1,024 bytes`; and what a watch noted of the call."""
    if inside.work is not None:
        return work_words(inside)
    call, shape = inside.call, inside.shape
    count, size = sum(inside.parameters.values()), sum(inside.memory.values())
    if call is not None:
        count = call.parameters
        shape = " and ".join(map(str, call.outputs)) if 0 < len(call.outputs) < 3 else shape
        size = size or call.saved or 0
    sizes = [f"{count:,} parameter{'s' * (count != 1)}"] * bool(count)
    if call is not None and call.frozen:
        sizes += ["frozen" if call.frozen == call.parameters else f"{call.frozen:,} of them frozen"]
    sizes += [f"saves {bytes_of(size)}"] * bool(size)
    if call is not None:  # there is more to say, so the box would become high
        sizes = [", ".join(sizes)] * bool(sizes)
    lines = [shape] * bool(shape) + sizes
    values = "value" if inside.unread == 1 else "values"
    lines += [f"{inside.unread} saved {values} not read"] * bool(inside.unread)
    return lines + (_noted(call) if call is not None else [])


def _noted(call: Any) -> list[str]:
    """The gradient's norms at both ends of a module, and the time that its call took."""
    ends = [number(grad.norm) for grad in (call.grad_out, call.grad_in)
            if grad is not None and grad.norm is not None]
    facts = ["gradient " + " \N{RIGHTWARDS ARROW} ".join(ends)] * bool(ends)
    facts += [f"{1000 * call.seconds:.2g} ms"] * bool(call.seconds)
    return [", ".join(facts)] * bool(facts)
