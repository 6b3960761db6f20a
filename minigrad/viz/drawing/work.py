"""What a picture of the forward pass says of a module: shapes, parameters, FLOPs, activations."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..graph.model import Inside, Work
from .text_twin import bytes_of

Shapes = tuple[tuple[int, ...], ...]
COUNTED = ("FLOPs are those of matrix products, linear layers, convolutions and fused attention, "
           "with 2 for each multiply-add")


def sum_of(works: Iterable[Work | None]) -> Work | None:
    """What several parts computed together; None where nothing is known of any of them."""
    known = [work for work in works if work is not None]
    others: Counter[str] = Counter()
    activations: dict[int, int] = {}
    for work in known:
        others.update(work.others)
        activations |= work.activations
    return Work(sum(work.flops for work in known), sum(work.counted for work in known),
                dict(others), activations) if known else None


def work_words(inside: Inside) -> list[str]:
    """The lines in the box of a module."""
    call, work = inside.call, inside.work or Work()
    lines = [inside.shape] * bool(inside.shape)
    count = sum(inside.parameters.values())
    if call is not None:
        lines, count = [f"{_shapes(call.inputs)} \N{RIGHTWARDS ARROW} {_shapes(call.outputs)}"], \
            call.parameters
    frozen = ", frozen" if call is not None and count and call.frozen == count else ""
    lines += [f"{count:,} parameter{'s' * (count != 1)}{frozen}"] * bool(count)
    return lines + flops_words(work, call.unrecorded if call is not None else 0) \
        + activation_words(work)


def flops_words(work: Work, unrecorded: int = 0) -> list[str]:
    """`2,048 FLOPs`, and how much is not counted; nothing where only shapes were changed."""
    rest = sum(work.others.values())
    if not work.counted:
        return ["FLOPs not counted"] * bool(rest or unrecorded)
    without = [f"{rest} other operation{'s' * (rest > 1)} not counted"] * bool(rest)
    without += [f"{unrecorded} module{'s' * (unrecorded > 1)} not recorded"] * bool(unrecorded)
    return [f"{work.flops:,} FLOPs", *(f"+ {words}" for words in without)]


def activation_words(work: Work) -> list[str]:
    size = sum(work.activations.values())
    return [f"activations: {bytes_of(size)}"] * bool(work.activations)


def note_on(work: Work | None, unrecorded: int) -> str:
    """The sentence under the picture: the sum, and what is not in it."""
    work = work or Work()
    rest = [f"{name} ({count})" for name, count in sorted(work.others.items())]
    rest += [f"{unrecorded} call{'s' * (unrecorded > 1)} of modules that recorded nothing"
             ] * bool(unrecorded)
    total = f": {work.flops:,} in all" if work.counted else ""
    return f"{COUNTED}{total}." + f" Not counted: {', '.join(rest)}." * bool(rest)


def shapes(found: Shapes) -> str:
    return " and ".join(map(str, found[:3])) + " ..." * (len(found) > 3) or "nothing"


def _shapes(found: Shapes) -> str:
    alike = len(found) > 1 and len(set(found)) == 1
    return f"{len(found)} \N{MULTIPLICATION SIGN} {found[0]}" if alike else shapes(found)
