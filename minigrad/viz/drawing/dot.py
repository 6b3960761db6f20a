"""A `Picture` as DOT source.

`labels` writes the table that stands in each box.
The order of what is written here decides the layout, and the ids; nothing in it depends on the run.
"""
from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import replace

from ..graph.model import Arrow, Box, Picture
from ..graph.modules import Chain, frame_lines, frames, inside
from . import style
from .direction import LONG, below, direction, spine
from .dot_language import Dot, lines, row, small, table
from .labels import MOST_PORTS, has_drawer, label, tabs
from .middle import columns
from .text_twin import arrow_words, escaped, label_of

LARGE = 200  # boxes; beyond, tabs move inside their hexagon, which halves the time of the layout
# columns; in a large picture a longer arrow is its end alone, and the name of what it leads to
FAR = 12


def dot_graph(picture: Picture, **attributes: str) -> Dot:
    """`attributes` are those of the whole graph."""
    way, narrow = direction(picture)
    picture = replace(picture, arrows=_bundled(picture), direction=way,
                      narrow=tuple(sorted(narrow)))
    large = len(picture.boxes) > LARGE
    graph = Dot(**style.GRAPH | {"rankdir": style.RANKS[picture.direction]}
                | (style.QUICK if large else {}) | attributes)
    graph.line("node", **style.NODE)
    graph.line("edge", **style.EDGE)
    _add_boxes(graph, picture, frames(picture), (), large)
    column = columns(picture)
    long = max(column, default=0) > LONG
    heavy = spine(picture) if long or picture.direction == "down" else ()
    least = below(picture) if picture.direction == "down" else {}
    for number, arrow in enumerate(picture.arrows):
        steps = column[arrow.tail] - column[arrow.head]
        far = large and steps > FAR and arrow.kind in ("next", "value", "none")
        if number in heavy and long:
            # it ends in the middle: the places of numbers are not
            arrow = replace(arrow, argument=None)
        look = ({"weight": "4"} if number in heavy else {}) | least.get(number, {})
        _edge(graph, picture, arrow, f"e{number}", far, look)
    if words := _below(picture):
        graph.line("graph", label=words)  # at the end, or groups would have it, too
    return graph


def _add_boxes(graph: Dot, picture: Picture, items: dict, frame: Chain, large: bool) -> None:
    """The boxes of a frame, and the frames in it."""
    for item in items[frame]:
        if isinstance(item, tuple):
            title, *facts = frame_lines(picture, item[-1])
            words = f"<{table(row(small(escaped(title))), style.LABEL)}>"
            name = f"m{inside(picture, item)[0]}_{len(item)}"
            inner = Dot("subgraph", f"cluster_{name}", id=name,
                        **style.FRAME | ({} if facts else style.TITLE[picture.network]))
            if facts:  # beside the boxes: an arrow would cross a title of several lines
                plate = table(row(small(lines(facts)), style.LABEL))
                inner.line(f"{name}f", label=f"<{plate}>", **style.BARE, id=f"{name}f")
            _add_boxes(inner, picture, items, item, large)
            inner.line("graph", label=words)  # after the boxes, whose own groups would take it over
            graph.group(inner)
            continue
        name, box = picture.id_of(item), picture.boxes[item]
        has_tabs = bool(box.weights or box.saved)
        beside = has_tabs and not large and (item not in picture.narrow or bool(box.weights))
        graph.line(name, label=label(picture, item, has_tabs and not beside), id=name,
                   **_box_style(box))
        if beside:
            _add_tabs(graph, name, f"<{tabs(picture, item)}>")


def _bundled(picture: Picture) -> list[Arrow]:
    """Draw four and more arrows between the same two boxes as one, with their number."""
    alike = [replace(arrow, argument=None) for arrow in picture.arrows]
    count = Counter(alike)
    found: dict = {}
    for number, (arrow, one) in enumerate(zip(picture.arrows, alike, strict=True)):
        if count[one] < 4:
            found[number] = arrow
        else:
            found[one] = replace(one, label=f"{one.label} {count[one]} edges".strip())
    return list(found.values())


def _edge(graph: Dot, picture: Picture, arrow: Arrow, id_: str, far: bool, look: dict) -> None:
    start, end, side = style.SIDES[picture.direction]
    tail, head = picture.id_of(arrow.tail), picture.id_of(arrow.head)
    if far:
        words, tail = f"{tail} {label_of(picture, arrow.tail)}", f"{id_}f"
        graph.line(tail, label=_plate(words, style.LINE), **style.BARE, id=tail)
    if arrow.kind == "cut":
        return _cut(graph, tail, head, arrow, id_, picture.direction)
    if arrow.kind == "view" and picture.boxes[arrow.tail].kind == "leaf":
        # beside the operations, where no gradient goes
        tail, head = f"{tail}:{side}", f"{head}:{side}"
    elif arrow.kind == "view":
        column = Dot("subgraph", rank="same")  # a base stands under its views
        column.line(tail)
        column.line(head)
        graph.group(column)
        tail, head = f"{tail}:{end}", f"{head}:{end}"  # round the outside, where it can be seen
    elif (arrow.kind == "value" and picture.direction != "down"
          and has_drawer(picture.boxes[arrow.tail])):
        tail += f":name:{end}"  # the value flows, and not what is in the drawer
    if arrow.kind == "variable" and picture.boxes[arrow.tail].tensor is not None:
        tail += f":grad:{end}"
    if arrow.kind == "grad_fn":
        head += f":grad_fn:{start}"
    elif arrow.argument is not None and picture.boxes[arrow.head].arguments <= MOST_PORTS:
        head += f":a{arrow.argument}:{start}"
    look, color = style.ARROWS[arrow.kind] | look, style.PALE
    if arrow.mark:
        _, color, width, line, _ = style.MARKS[arrow.mark]
        look |= {"color": color, "penwidth": str(width), "style": line
                 or look.get("style", "solid")}
    if words := arrow_words(arrow):
        look |= {"label": _plate(words, color)}
    graph.line(f"{tail} -> {head}", id=id_, **look)


def _cut(graph: Dot, tail: str, head: str, arrow: Arrow, id_: str, way: str) -> None:
    """A broken line: two bars, and the word between them."""
    start, end, _ = style.SIDES[way]
    label = _plate(arrow_words(arrow), style.PAPER, style.PAPER)
    graph.line(f"{id_}c", label=label, **style.BARE, id=f"{id_}c")
    graph.line(f"{tail} -> {id_}c:{start}", **style.CUT | {"arrowhead": "tee", "id": id_})
    graph.line(f"{id_}c:{end} -> {head}", **style.CUT | style.TO_THE_VALUE | {"id": f"{id_}b"})


def _plate(words: str, rim: str, fill: str = style.PLATE) -> str:
    """The label of what has no box of its own: on a dark page, its words need a light ground."""
    around = f'border="1" color="{rim}" bgcolor="{fill}"'
    return f"<{table(row(small(escaped(words))), around)}>"


def _box_style(box: Box) -> dict[str, str]:
    look = dict(style.BOXES[box.kind])
    if box.layer > 1:
        look.update(style.SECOND_LAYER)
    if box.mark:
        mark = style.MARKS[box.mark]
        line = ",".join(filter(None, [look.get("style", "filled"), mark.line]))
        look.update(color=mark.color, penwidth=str(mark.width), style=line, fontcolor=mark.text)
    return look


def _add_tabs(graph: Dot, name: str, tabs: str) -> None:
    """Keep saved values and parameters with their operation, in a cluster that is not seen."""
    group = Dot("subgraph", f"cluster_{name}", **style.CLUSTER)
    group.line(name)
    group.line(f"{name}s", label=tabs, **style.BARE, id=f"{name}s")
    group.line(f"{name} -> {name}s", **style.STEM, id=f"{name}t")
    graph.group(group)


def _below(picture: Picture) -> str:
    """Caption and legend, under the picture, on a plate of their own."""
    paragraphs = [textwrap.wrap(" ".join([*picture.notes, picture.caption]), 96)]
    if picture.legend:
        present = {box.kind for box in picture.boxes} | {arrow.kind for arrow in picture.arrows}
        present |= {"saved" for box in picture.boxes if box.saved}
        present |= {"weight" for box in picture.boxes if box.weights}
        present |= {"layer" for box in picture.boxes if box.layer > 1}
        words = "; ".join(words for kind, words in style.LEGEND.items() if kind in present)
        paragraphs.append(textwrap.wrap(f"Legend. {words}.", 110))
    left = 'align="left" balign="left" cellpadding="3"'
    rows = "".join(row(small(lines(words)), left) for words in paragraphs if words)
    return f"<{table(rows, style.LABEL)}>" if rows else ""
