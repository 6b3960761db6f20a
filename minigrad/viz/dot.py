"""A `Picture` as DOT source, through the graphviz package.

Every label is a small table, so that a drawer, a tab or the number of an argument can have a place of its
own. The order of what is written here decides the layout, and the ids; nothing in it depends on the run.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from . import style
from .fold import columns
from .model import Arrow, Box, Picture
from .modules import Frame, frame_words, frames
from .text import arrow_words, label_of, saved_words

if TYPE_CHECKING:
    import graphviz

_PLAIN = 'border="0"'
_DASHED = f'border="1" style="dashed" color="{style.GREY}"'
_FIELD = 'border="1" cellpadding="3"'  # a field of a tensor that an arrow may lead to
LARGE = 200  # boxes; beyond, tabs move inside their hexagon, which halves the time of the layout
FAR = 12  # columns; in a large picture a longer arrow is its end alone, and the name of what it leads to
MOST_PORTS = 6  # an operation with more inputs than this shows no numbers


def digraph(picture: Picture) -> graphviz.Digraph:
    import graphviz  # only now: a class without it still has the text twin

    graph = graphviz.Digraph(graph_attr=dict(style.GRAPH), node_attr=style.NODE, edge_attr=style.EDGE)
    large = len(picture.boxes) > LARGE
    if large:
        graph.attr(**style.QUICK)
    _add_boxes(graph, picture, frames(picture), large)
    column = columns(picture) if large else [0] * len(picture.boxes)
    for number, arrow in enumerate(_bundled(picture)):
        far = column[arrow.tail] - column[arrow.head] > FAR
        _edge(graph, picture, arrow, f"e{number}", far and arrow.kind in ("next", "value", "none"))
    if below := _below(picture):
        graph.attr(label=below)
    return graph


def _add_boxes(graph: graphviz.Digraph, picture: Picture, frame: Frame, large: bool) -> None:
    """The boxes of a frame, and the frames in it."""
    for item in frame.items:
        if isinstance(item, Frame):
            words = f"<{_table(_row(_small(escape(frame_words(picture, item.path)))), style.LABEL)}>"
            name = f"m{next(item.boxes())}_{item.path.count('.')}"
            with graph.subgraph(name=f"cluster_{name}", graph_attr={"id": name, **style.FRAME}) as inner:
                _add_boxes(inner, picture, item, large)
                inner.attr(label=words)  # after the boxes, whose own clusters would take it over
            continue
        name, box = picture.id_of(item), picture.boxes[item]
        graph.node(name, _label(box, large), id=name, **_box_style(box))
        if box.saved and not large:
            _add_tabs(graph, name, box)


def _bundled(picture: Picture) -> list[Arrow]:
    """Four and more arrows between the same two boxes are one, with their number; x * x keeps its two."""
    alike = [replace(arrow, argument=None) for arrow in picture.arrows]
    count = Counter(alike)
    found: dict = {}
    for number, (arrow, one) in enumerate(zip(picture.arrows, alike, strict=True)):
        if count[one] < 4:
            found[number] = arrow
        else:
            many = f"{count[one]} edges"
            found[one] = replace(one, label=" ".join(filter(None, [one.label, many])))
    return list(found.values())


def _edge(graph: graphviz.Digraph, picture: Picture, arrow: Arrow, id_: str, far: bool = False) -> None:
    tail, head = picture.id_of(arrow.tail), picture.id_of(arrow.head)
    if far:
        words = _small(escape(f"{tail} {label_of(picture, arrow.tail)}"))
        tail = f"{id_}f"
        around = f'border="1" color="{style.LINE}" bgcolor="{style.PLATE}"'
        graph.node(tail, f"<{_table(_row(words), around)}>", shape="plain", style="solid", id=tail)
    if arrow.kind == "cut":
        return _cut(graph, tail, head, arrow, id_)
    if arrow.kind == "view" and picture.boxes[arrow.tail].kind == "leaf":
        tail, head = f"{tail}:s", f"{head}:s"  # below the operations, where no gradient goes
    elif arrow.kind == "view":
        with graph.subgraph(graph_attr={"rank": "same"}) as column:  # a base stands under its views
            column.node(tail)
            column.node(head)
        tail, head = f"{tail}:e", f"{head}:e"  # round the outside, where the line is long enough to be seen
    if arrow.kind == "variable" and picture.boxes[arrow.tail].tensor is not None:
        tail += ":grad:e"
    if arrow.kind == "grad_fn":
        head += ":grad_fn:w"
    elif arrow.argument is not None and picture.boxes[arrow.head].arguments <= MOST_PORTS:
        head += f":a{arrow.argument}:w"
    if words := arrow_words(arrow):
        color = style.MARKS[arrow.mark].color if arrow.mark else style.PALE
        plate = f'border="1" color="{color}" bgcolor="{style.PLATE}"'
        label = f"<{_table(_row(_small(escape(words))), plate)}>"
        graph.edge(tail, head, label, id=id_, **_arrow_style(arrow))
    else:
        graph.edge(tail, head, id=id_, **_arrow_style(arrow))


def _cut(graph: graphviz.Digraph, tail: str, head: str, arrow: Arrow, id_: str) -> None:
    """A broken line: two bars, and the word between them."""
    plate = f'border="1" color="{style.PAPER}" bgcolor="{style.PAPER}"'
    label = f"<{_table(_row(_small(escape(arrow_words(arrow)))), plate)}>"
    graph.node(f"{id_}c", label, shape="plain", style="solid", id=f"{id_}c")
    graph.edge(tail, f"{id_}c:w", id=id_, arrowhead="tee", **style.CUT)
    graph.edge(f"{id_}c:e", head, id=f"{id_}b", dir="both", arrowtail="tee", arrowhead="vee", **style.CUT)


def _box_style(box: Box) -> dict[str, str]:
    look = dict(style.BOXES[box.kind])
    if box.layer > 1:
        look.update(style.SECOND_LAYER)
    if box.mark:
        mark = style.MARKS[box.mark]
        lines = ",".join(filter(None, [look.get("style", "filled"), mark.line]))
        look.update(color=mark.color, penwidth=str(mark.width), style=lines, fontcolor=mark.text)
    return look


def _arrow_style(arrow: Arrow) -> dict[str, str]:
    look = dict(style.ARROWS[arrow.kind])
    if arrow.mark:
        mark = style.MARKS[arrow.mark]
        look.update(color=mark.color, penwidth=str(mark.width), style=mark.line or look.get("style", "solid"))
    return look


def _add_tabs(graph: graphviz.Digraph, name: str, box: Box) -> None:
    """Saved values stand on their operation; an unseen cluster lets nothing come between the two."""
    with graph.subgraph(name=f"cluster_{name}", graph_attr=style.CLUSTER) as group:
        group.node(name)
        group.node(f"{name}s", f"<{_tabs(box)}>", shape="plain", style="solid", id=f"{name}s")
        group.edge(name, f"{name}s", dir="none", penwidth="4", weight="20", minlen="0", id=f"{name}t")


def _tabs(box: Box) -> str:
    rows = "".join(_row(_small(escape(saved_words(item))), style.TABS[item.state]) for item in box.saved)
    around = f'border="0" cellborder="1" cellspacing="2" cellpadding="3" bgcolor="{style.PAPER}"'
    return f"<table {around}>{rows}</table>"


def _label(box: Box, large: bool) -> str:
    if box.kind == "op":
        return _op_label(box, tabs_inside=large)
    return _accumulate_label(box) if box.kind == "accumulate" else _tensor_label(box)


def _tensor_label(box: Box) -> str:
    rows = [_badge(box), _row(f"<b>{escape(box.title)}</b>")]
    if box.lines:
        rows.append(_row(_small(_lines(box.lines))))
    if box.tensor is not None and box.tensor.values:
        rows.append(_row(_small(_lines(box.tensor.values.splitlines())), 'balign="left"'))
    if box.grad_fn:
        rows.append(_row(_small(".grad_fn"), f'port="grad_fn" {_FIELD} color="{style.GREY}"'))
    if box.tensor is not None and box.tensor.grad is not None:
        rows.append(_drawer(box.tensor.grad))
    if box.kind == "constant":
        return f"<{_table(''.join(rows), _DASHED, padding=3)}>"
    return f"<{_table(''.join(rows))}>"


def _drawer(grad: str) -> str:
    full = grad != "None"
    inside, rim = (style.DRAWER, style.GRADIENT) if full else (style.PAPER, style.GREY)
    first, *rest = grad.splitlines()
    lines = [f".grad {first}", *(" " * 9 + line for line in rest)]
    return _row(_small(_lines(lines)), f'port="grad" {_FIELD} balign="left" bgcolor="{inside}" color="{rim}"')


def _badge(box: Box) -> str:
    word = style.MARKS[box.mark].word if box.mark else ""
    return _row(_small(f"<b>{escape(word)}</b>")) if word else ""


def _op_label(box: Box, tabs_inside: bool) -> str:
    middle = _badge(box) + _row(escape(box.title))
    if box.saved and tabs_inside:
        middle += _row(_tabs(box))
    if small := box.lines + [f"made {words}" for words in box.made]:
        middle += _row(_small(_lines(small)))
    if not 1 < box.arguments <= MOST_PORTS:
        return f"<{_table(middle)}>"
    first, *rest = [_cell(_small(str(at)), f'port="a{at}"') for at in range(box.arguments)]
    rows = [first + _cell(_table(middle), f'rowspan="{box.arguments}"'), *rest]
    return f"<{_table(''.join(map(_tr, rows)))}>"


def _accumulate_label(box: Box) -> str:
    slot = _row("", f'bgcolor="{style.INK}" height="4" fixedsize="true" width="60"')
    return f"<{_table(_badge(box) + _row(escape(box.title)) + slot + _row(_small(_lines(box.lines))))}>"


def _below(picture: Picture) -> str:
    """Caption and legend, under the picture, on a plate of their own."""
    paragraphs = [textwrap.wrap(" ".join([*picture.notes, picture.caption]), 96)]
    if picture.legend:
        paragraphs.append(textwrap.wrap(_legend(picture), 110))
    left = 'align="left" balign="left" cellpadding="3"'
    rows = "".join(_row(_small(_lines(lines)), left) for lines in paragraphs if lines)
    plate = f'border="0" bgcolor="{style.PLATE}"'
    return f"<{_table(rows, plate)}>" if rows else ""


def _legend(picture: Picture) -> str:
    present = {box.kind for box in picture.boxes} | {arrow.kind for arrow in picture.arrows}
    present |= {"saved" for box in picture.boxes if box.saved}
    present |= {"layer" for box in picture.boxes if box.layer > 1}
    return "Legend. " + "; ".join(words for kind, words in style.LEGEND.items() if kind in present) + "."


def _table(rows: str, around: str = _PLAIN, padding: int = 2) -> str:
    return f'<table {around} cellborder="0" cellspacing="0" cellpadding="{padding}">{rows}</table>'


def _row(content: str, attributes: str = "") -> str:
    return _tr(_cell(content, attributes))


def _tr(cells: str) -> str:
    return f"<tr>{cells}</tr>"


def _cell(content: str, attributes: str = "") -> str:
    return f"<td {attributes}>{content}</td>" if attributes else f"<td>{content}</td>"


def _small(content: str) -> str:
    return f'<font point-size="{style.SMALL_SIZE}">{content}</font>'


def _lines(lines: list[str]) -> str:
    """Spaces at the start of a line are kept."""
    stripped = [(line.lstrip(), len(line) - len(line.lstrip())) for line in lines]
    return "<br/>".join("\N{NO-BREAK SPACE}" * indent + escape(text) for text, indent in stripped)
