"""The picture of tensors and arrays that share memory: names, counters of their writes, and the numbers.

Which memory a tensor uses and what its version is, the tensors say themselves. Whether two tensors have one
counter, PyTorch doesn't say: one write is counted and taken back, to see whose version goes up.
"""
from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from ...viz.drawing.style import FAINT, GRADIENT, GREY, INK, LEAF, PAPER, PLATE, TAB
from ...viz.graph.facts import is_tensor, storage_of, version_of
from .labs.jacobian_rows import Rows, box, number, svg, words

ROW, CELL, EDGE, GAP, COUNTER, MEMORY, LETTER = 44, 26, 14, 52, 104, 96, 7.2  # points
MOST_NUMBERS = 8    # a larger memory is drawn as one box
TITLE = "Names, the counters of their writes, and the memory that they share"


class Named(NamedTuple):
    """A tensor or an array with its name, and where in its memory its numbers are."""

    name: str
    value: Any
    numbers: dict[int, float]   # place in the memory: the number

    @property
    def version(self) -> int | None:
        return version_of(self.value) if is_tensor(self.value) else None


class Block(NamedTuple):
    """One memory, and those that use it, divided by the counter that counts their writes."""

    size: int                   # how many numbers it holds
    groups: list[list[Named]]   # one counter for each; those without a counter are groups of their own

    @property
    def numbers(self) -> list[str]:
        known = {at: one for group in self.groups for named in group for at, one in named.numbers.items()}
        return [number(known[at]) if at in known else "?" for at in range(self.size)]


def draw_memory(**values: Any) -> Rows:
    """Draw which tensors and arrays share memory, and which counter counts the writes through each.

        t = torch.zeros(3)
        draw_memory(t=t, detached=t.detach(), data=t.data, array=t.numpy())

    Args:
        values: tensors, and NumPy arrays, by the names that the picture gives them.

    Raises:
        TypeError: a value is neither a tensor nor a NumPy array.
        ValueError: there is nothing to draw.
    """
    if not values:
        raise ValueError("draw_memory takes at least one tensor, as in draw_memory(t=t)")
    for name, value in values.items():
        if not is_tensor(value) and not hasattr(value, "__array_interface__"):
            raise TypeError(f"draw_memory takes tensors and NumPy arrays; {name} is a "
                            f"{type(value).__name__}")
    blocks = blocks_of(values)
    text = "\n".join([f"{TITLE}. Graph in words:", *(line for block in blocks for line in in_words(block))])
    return Rows(drawn(blocks, text), text)


# --- facts

def blocks_of(values: Mapping[str, Any]) -> list[Block]:
    """Return a block for each memory, in the order in which it is first named."""
    found: dict[int, Block] = {}
    for name, value in values.items():
        start, size = memory_of(value, found)
        step = value.element_size() if is_tensor(value) else value.itemsize
        block = found.setdefault(start, Block(size // step, []))
        named = Named(name, value, dict(numbers_in(value, start, step)))
        for group in block.groups:
            if share_a_counter(group[0], named):
                group.append(named)
                break
        else:
            block.groups.append([named])
    for block in found.values():
        block.groups.sort(key=lambda group: group[0].version is None)
    return list(found.values())


def memory_of(value: Any, found: Mapping[int, Block]) -> tuple[int, int]:
    """Return where the memory begins, and its bytes; an array may be in the memory of a tensor."""
    if is_tensor(value):
        return storage_of(value) or (id(value), 0)
    place = value.__array_interface__["data"][0]
    inside = [start for start, block in found.items() if start <= place < start + block.size * value.itemsize]
    return (inside[0] if inside else place), value.nbytes


def numbers_in(value: Any, start: int, step: int) -> Iterator[tuple[int, float]]:
    """Yield the place in the memory and the number of each element."""
    if is_tensor(value):
        first, strides, flat = (value.data_ptr() - start) // step, value.stride(), value.detach().reshape(-1)
    else:
        first = (value.__array_interface__["data"][0] - start) // step
        strides, flat = [length // step for length in value.strides], value.reshape(-1)
    places = product(*(range(length) for length in value.shape))
    for place, one in zip(places, flat.tolist(), strict=True):
        yield first + sum(at * stride for at, stride in zip(place, strides, strict=True)), float(one)


def share_a_counter(one: Named, other: Named) -> bool:
    """Return whether a write through one tensor counts for the other; no version is changed for good."""
    if one.version is None or other.version is None or one.version != other.version:
        return False
    if hasattr(one.value, "_get_counter"):      # a tensor of minigrad has an object that counts
        return one.value._get_counter() is other.value._get_counter()
    torch = sys.modules["torch"]
    before = other.value._version
    with torch.autograd._unsafe_preserve_version_counter(one.value):
        torch.autograd.graph.increment_version(one.value)
        return other.value._version != before


# --- words

def in_words(block: Block) -> list[str]:
    numbers = f": {', '.join(block.numbers)}" if block.size <= MOST_NUMBERS else ""
    lines = [f"A memory of {block.size} number{'s' * (block.size != 1)}{numbers}"]
    for group in block.groups:
        names = [one.name + part_of(one, block, " ({})") for one in group]
        told = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        counts = "no counter" if group[0].version is None else f"counter at version {group[0].version}"
        lines.append(f"  {told}: {'one ' * (len(names) > 1)}{counts}")
    return lines


def part_of(one: Named, block: Block, form: str = "{}") -> str:
    """Which numbers of the memory a tensor has, if not all."""
    if len(one.numbers) == block.size or not one.numbers:
        return ""
    first, last = min(one.numbers), max(one.numbers)
    return form.format(f"element {first}" if first == last else f"elements {first} to {last}")


# --- the picture

def drawn(blocks: list[Block], text: str) -> str:
    """The picture as SVG: a column of names, one of counters, one of memory."""
    longest = max(max(len(one.name), len(part_of(one, block)) * 0.9)
                  for block in blocks for group in block.groups for one in group)
    name = 26 + LETTER * longest
    lefts = (EDGE, EDGE + name + GAP, EDGE + name + 2 * GAP + COUNTER)
    wide = lefts[2] + MEMORY + EDGE
    parts = [words(left + width / 2, 24, head, 13, bold=True) for left, width, head in
             zip(lefts, (name, COUNTER, MEMORY), ("name", "counter", "memory"), strict=True)]
    y = 36.
    for block in blocks:
        height = max(ROW * rows_of(block), CELL * len(cells_of(block)) + 10)
        parts += block_drawn(block, y, height, lefts, name)
        y += height + 14
    frame = box(0.5, 0.5, wide - 1, y - 1, PLATE, GREY, 1, 8)
    return svg(wide, y, TITLE, text, [frame, *parts])


def cells_of(block: Block) -> list[str]:
    return block.numbers if block.size <= MOST_NUMBERS else [f"{block.size} numbers"]


def rows_of(block: Block) -> int:
    return sum(map(len, block.groups))


def block_drawn(block: Block, top: float, height: float, lefts: tuple[float, float, float], name: float
                ) -> list[str]:
    """One memory with the names that lead to it."""
    cells, parts = cells_of(block), []
    cell = max(CELL, (height - 12) / len(cells) if len(block.groups) > 1 else 0)
    first = top + (height - cell * len(cells)) / 2
    for at, told in enumerate(cells):
        y = first + cell * at
        parts += [box(lefts[2], y, MEMORY, cell, PAPER, INK, 1.4),
                  words(lefts[2] + MEMORY / 2, y + cell / 2 + 5, told, 13, INK, True)]
    y = top + (height - ROW * rows_of(block)) / 2
    inner = first + 8, first + cell * len(cells) - 8      # arrows enter the memory here
    for group in block.groups:
        tall = ROW * len(group)
        middle = y + tall / 2
        entry = min(max(middle, inner[0]), inner[1])
        if group[0].version is not None:
            parts += [box(lefts[1], y + 6, COUNTER, tall - 12, PAPER, GRADIENT, 2.2, 10),
                      words(lefts[1] + COUNTER / 2, middle + 5, f"version {group[0].version}", 13, INK, True),
                      *arrow(lefts[1] + COUNTER, middle, lefts[2], entry)]
        for at, one in enumerate(group):
            row = y + ROW * (at + 0.5)
            parts += name_drawn(one, part_of(one, block), lefts[0], row, name)
            if one.version is None:
                parts += arrow(lefts[0] + name, row, lefts[2], entry)
                parts += [box(lefts[1] + 8, row - 12, COUNTER - 16, 24, PLATE, PLATE, 1),
                          words(lefts[1] + COUNTER / 2, row + 4, "no counter", 12, FAINT)]
            else:
                parts += arrow(lefts[0] + name, row, lefts[1], row)
        y += tall
    return parts


def name_drawn(one: Named, part: str, left: float, middle: float, wide: float) -> list[str]:
    line, fill = (LEAF, PAPER) if is_tensor(one.value) else (GREY, TAB)
    parts = [box(left, middle - 17, wide, 34, fill, line, 2, 6),
             words(left + wide / 2, middle + (-1 if part else 5), one.name, 13, INK, True)]
    return [*parts, words(left + wide / 2, middle + 12, part, 11, INK)] if part else parts


def arrow(x: float, y: float, to_x: float, to_y: float) -> list[str]:
    """An arrow that ends at the left edge of a box."""
    bend = (x + to_x) / 2 if to_x - x < 2 * GAP else to_x - GAP / 2
    line = f"M{x:g} {y:g}H{bend:g}L{to_x - 8:g} {to_y:g}" if y != to_y else f"M{x:g} {y:g}H{to_x - 8:g}"
    return [f'<path d="{line}" fill="none" stroke="{GREY}" stroke-width="1.6"/>',
            f'<path d="M{to_x - 1:g} {to_y:g}l-9 -4.5v9z" fill="{GREY}"/>']
