"""What is in a box: a small table, in which the drawer has a place of its own."""
from __future__ import annotations

import re
from dataclasses import replace

from ..graph.model import Box, Picture, Saved, Weight
from . import style
from .direction import LONG_NAME, LONGEST_NARROW
from .dot_language import cell, lines, row, small, table, tr
from .text_twin import drawer_words, escaped, is_weight, saved_words, weight_words

FIELD = 'border="1" cellpadding="3"'  # a field of a tensor that an arrow may lead to
MOST_PORTS = 6  # an operation with more inputs than this shows no numbers


def label(picture: Picture, at: int, tabs_inside: bool) -> str:
    """The table of the box at a position."""
    box = picture.boxes[at]
    if box.kind == "op":
        return _operation(picture, at, tabs_inside)
    if box.kind == "accumulate":
        slot = row("", f'bgcolor="{style.INK}" height="4" fixedsize="true" width="60"')
        rows = row(escaped(box.title)) + slot + row(small(lines(box.lines)))
        return f"<{table(_badge(box) + rows)}>"
    return _tensor(box, picture.direction)


def has_drawer(box: Box) -> bool:
    return box.tensor is not None and box.tensor.grad is not None


def tabs(picture: Picture, at: int) -> str:
    """The parameters that stand on an operation, and what it saved."""
    box = picture.boxes[at]
    words = [(weight, weight_words(box, weight, picture.depth)) for weight in box.weights]
    rows = "".join(_weight(weight, words, at in picture.narrow) for weight, words in words)
    saved = [_short(item) if picture.network else item for item in box.saved
             if not is_weight(box, item)]
    rows += "".join(row(small(escaped(saved_words(item))), style.TABS[item.state])
                    for item in saved)
    around = f'border="0" cellborder="1" cellspacing="2" cellpadding="3" bgcolor="{style.PAPER}"'
    return f"<table {around}>{rows}</table>"


def _short(item: Saved) -> Saved:
    """Without the name of a buffer, which is called as the place where it is saved."""
    if item.tensor is None or item.tensor.name.rpartition(".")[2] != item.slot:
        return item
    return replace(item, tensor=replace(item.tensor, name=""))


def _weight(weight: Weight, words: list[str], narrow: bool) -> str:
    """A parameter, and its drawer, below it where there is little room."""
    grad = weight.tensor.grad
    name = cell(small(lines(words)), 'border="0" balign="left"')
    drawer = ""
    if grad is not None:
        fill, rim = (style.PAPER, style.GREY) if grad == "None" else (style.DRAWER, style.GRADIENT)
        drawer = cell(small(escaped(drawer_words(weight))), f'bgcolor="{fill}" color="{rim}"')
    rows = tr(name) + tr(drawer) if drawer and narrow else tr(name + drawer)
    color = style.GREY if grad is None else style.LEAF
    around = (f'border="2" color="{color}" bgcolor="{style.PLATE}" '
              'style="rounded" cellborder="1" cellspacing="2" cellpadding="1"')
    inner = f"<table {around}>{rows}</table>"
    return row(inner, 'border="0" cellpadding="0"')


def _tensor(box: Box, way: str) -> str:
    rows = [_badge(box),
            row(f"<b>{escaped(box.title)}</b>", 'port="name"' if has_drawer(box) else "")]
    if box.lines:
        rows.append(row(small(lines(box.lines))))
    if box.tensor is not None and box.tensor.values:
        rows.append(row(small(lines(box.tensor.values.splitlines())), 'balign="left"'))
    if box.grad_fn:
        field = row(small(".grad_fn"), f'port="grad_fn" {FIELD} color="{style.GREY}"')
        rows.insert(0 if way == "down" else len(rows), field)
    if box.tensor is not None and box.tensor.grad is not None:
        rows.append(_drawer(box.tensor.grad))
    if box.kind == "constant":
        dashed = f'border="1" style="dashed" color="{style.GREY}"'
        return f"<{table(''.join(rows), dashed, padding=3)}>"
    return f"<{table(''.join(rows))}>"


def _drawer(grad: str) -> str:
    full = grad != "None"
    inside, rim = (style.DRAWER, style.GRADIENT) if full else (style.PAPER, style.GREY)
    first, *rest = grad.splitlines()
    words = [f".grad {first}", *(" " * 9 + line for line in rest)]
    return row(small(lines(words)),
               f'port="grad" {FIELD} balign="left" bgcolor="{inside}" color="{rim}"')


def _badge(box: Box) -> str:
    word = style.MARKS[box.mark].word if box.mark else ""
    return row(small(f"<b>{escaped(word)}</b>")) if word else ""


def _operation(picture: Picture, at: int, tabs_inside: bool) -> str:
    box = picture.boxes[at]
    longest = LONG_NAME if picture.network else len(box.title)
    longest = LONGEST_NARROW if at in picture.narrow else longest
    middle = _badge(box) + row(lines(_broken(box.title, longest)))
    if tabs_inside:
        middle += row(tabs(picture, at))
    if below := box.lines + [f"made {words}" for words in box.made]:
        middle += row(small(lines(below)))
    if not 1 < box.arguments <= MOST_PORTS:
        return f"<{table(middle)}>"
    numbers = [cell(small(str(at)), f'port="a{at}"') for at in range(box.arguments)]
    if picture.direction == "down":
        return f"<{table(row(table(tr(''.join(numbers)))) + middle)}>"
    first, *rest = numbers
    rows = [first + cell(table(middle), f'rowspan="{box.arguments}"'), *rest]
    return f"<{table(''.join(map(tr, rows)))}>"


def _broken(title: str, longest: int) -> list[str]:
    """A long name in two lines of about the same length."""
    words = re.findall(r"[A-Z]?[^A-Z]+|[A-Z]", title)
    if len(title) <= longest or len(words) < 2:
        return [title]
    ways = [("".join(words[:at]), "".join(words[at:])) for at in range(1, len(words))]
    return list(min(ways, key=lambda way: max(map(len, way))))
