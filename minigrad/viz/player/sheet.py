"""Draws all frames of a player on one sheet: every box has the same place and size in each of them.

Graphviz lays one picture out in which each box has the most that it ever holds. The frames are then
drawn with boxes and arrows pinned to the places found there.
"""
import json
import re
from collections.abc import Sequence

from ..drawing import render
from ..drawing.dot import dot_graph
from ..drawing.dot_language import Dot
from ..drawing.image import slim
from ..graph.model import Picture

RIM = 0.06  # inches; the thick rim of a marked box must not touch its words


def svgs(pictures: Sequence[Picture]) -> list[str]:
    """One SVG for each picture; they hold the same boxes and arrows, with other words."""
    graphs = [dot_graph(picture) for picture in pictures]
    sizes = [{item["id"]: (float(item["height"]), float(item["width"]))
              for item in layout["objects"] if "width" in item}
             for layout in _layouts("\n".join(graph.source() for graph in graphs))]
    [sheet] = _layouts(graphs[0].source(_largest(graphs, sizes)))
    places = {item["id"]: {key: item[key] for key in ("pos", "lp", "width", "height")
                           if key in item}
              for item in [*sheet["objects"], *sheet.get("edges", ())] if "pos" in item}
    left, low, right, high = sheet["bb"].split(",")
    for graph in graphs:
        # so that all have one size
        for number, corner in enumerate((f"{left},{low}", f"{right},{high}")):
            graph.line(f"corner{number}", pos=corner, shape="point", style="invis", width="0",
                       height="0")
    pinned = "\n".join(graph.source(places) for graph in graphs)
    drawn = render.run(pinned, "svg", "neato", "-n2").decode("utf-8").replace("\r\n", "\n")
    found = re.findall(r"<svg.*?</svg>", drawn, flags=re.DOTALL)
    return [slim(render.titles_on_top(text)) for text in found]


def _layouts(source: str) -> list[dict]:
    """One for each graph in the source, which the program writes in a row."""
    text = render.run(source, "json0").decode("utf-8")
    return json.loads("[" + re.sub(r"^}\s+^{", "},{", text, flags=re.MULTILINE) + "]")


def _largest(graphs: Sequence[Dot], sizes: Sequence[dict]) -> dict[str, dict[str, str]]:
    """What each box holds in the frame where it is highest, then widest, and each arrow's longest
    label.

    A box has room for its height and its width in every frame.
    """
    best: dict[str, tuple[tuple[float, float], dict[str, str]]] = {}
    for graph, size in zip(graphs, sizes):
        for _, attributes in graph.lines:
            if id_ := attributes.get("id"):
                much = size.get(id_) or (len(attributes.get("label", "")), 0.0)
                if id_ not in best or much > best[id_][0]:
                    best[id_] = much, attributes
    room = {id_: {side: str(max(size[id_][at] for size in sizes if id_ in size) + RIM)
                  for at, side in enumerate(("height", "width"))} for id_ in sizes[0]}
    return {id_: attributes | room.get(id_, {}) for id_, (_, attributes) in best.items()}
