"""Draws all frames of a player on one sheet: every box has the same place and size in each of them.

Graphviz lays one picture out in which each box has the most that it ever holds. The frames are then drawn
with boxes and arrows pinned to the places found there. Three runs of the program are enough for any number
of frames.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from .. import render
from ..image import slim
from ..model import Picture

EDGE = re.compile(r"^\s*(\S+) -> (\S+)(?= \[|$)")
NODE = re.compile(r"^\s*([ne]\d+[scf]?) \[")  # a box, its tabs, the word of a cut, the far end of an arrow
RIM = 0.06  # inches; the thick rim of a marked box must not touch its words


def svgs(pictures: Sequence[Picture]) -> list[str]:
    """One SVG for each picture; the pictures hold the same boxes and arrows, with other words in them."""
    sources = [render.dot_source(picture).splitlines() for picture in pictures]
    layouts = _layouts("\n".join(map("\n".join, sources)))
    sizes = [{item["name"]: (float(item["width"]), float(item["height"]))
              for item in layout.get("objects", ()) if "width" in item} for layout in layouts]
    room = {name: {side: max(size[name][at] for size in sizes if name in size) + RIM
                   for at, side in enumerate(("width", "height"))} for name in sizes[0]}
    widest = [_and(line, **room.get(key, {})) for key, line in _lines(_widest(sources, sizes))]
    [sheet] = _layouts("\n".join(widest))
    pinned = "\n".join("\n".join(_pinned(source, sheet)) for source in sources)
    drawn = render.run(pinned, "svg", "neato", "-n2").decode("utf-8").replace("\r\n", "\n")
    return [slim(text) for text in re.findall(r"<svg.*?</svg>", drawn, flags=re.DOTALL)]


def _layouts(source: str) -> list[dict]:
    """One for each graph in the source; the program writes them in a row, each brace of its own line."""
    text = render.run(source, "json0").decode("utf-8")
    return json.loads("[" + re.sub(r"^}\s+^{", "},{", text, flags=re.MULTILINE) + "]")


def _lines(source: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(what the line is about, the line); an edge is known by its ends, and by which of several it is."""
    seen: Counter[str] = Counter()
    for line in source:
        key = ""
        if match := EDGE.match(line):
            key = f"{match[1].partition(':')[0]}>{match[2].partition(':')[0]}"
            seen[key] += 1
            key += f"#{seen[key]}"
        elif match := NODE.match(line):
            key = match[1]
        yield key, line


def _widest(sources: Sequence[Sequence[str]], sizes: Sequence[dict]) -> list[str]:
    """For each box the line of the frame in which it is highest, then widest; for each arrow the longest."""
    best: dict[str, tuple[tuple[float, float], str]] = {}
    for source, size in zip(sources, sizes):
        for key, line in _lines(source):
            much = size[key][::-1] if key in size else (len(line), 0.0)
            if key and (key not in best or much > best[key][0]):
                best[key] = (much, line)
    return [best[key][1] if key else line for key, line in _lines(sources[0])]


def _pinned(source: Sequence[str], sheet: dict) -> Iterator[str]:
    """The source with the places of the sheet, and its corners, so that all frames have the same size."""
    places = {item["name"]: {"pos": item["pos"], "width": item["width"], "height": item["height"],
                             "fixedsize": "true"} for item in sheet["objects"] if "pos" in item}
    names = {item["_gvid"]: item["name"] for item in sheet["objects"]}
    seen: Counter[str] = Counter()
    for item in sheet.get("edges", ()):
        key = f"{names[item['tail']]}>{names[item['head']]}"
        seen[key] += 1
        places[f"{key}#{seen[key]}"] = {name: item[name] for name in ("pos", "lp") if name in item}
    *most, last = source
    for key, line in _lines(most):
        yield _and(line, **places.get(key, {}))
    left, low, right, high = sheet["bb"].split(",")
    for number, corner in enumerate((f"{left},{low}", f"{right},{high}")):
        yield f'corner{number} [pos="{corner}" shape=point style=invis width=0 height=0 label=""]'
    yield last


def _and(line: str, **attributes: object) -> str:
    if not attributes:
        return line
    more = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    line = line.rstrip()
    return f"{line[:-1]} {more}]" if line.endswith("]") else f"{line} [{more}]"
