"""The section of the page that shows how norms went over the steps, as small lines and in words."""
from __future__ import annotations

import math
from collections.abc import Sequence

from ..drawing.image import image
from ..drawing.style import INK, PAPER, PROBLEM
from ..drawing.text_twin import escaped, in_columns, visible
from .over_steps import ARRIVED, FEWEST, GRADIENT, OUTPUT, UPDATE, OverSteps, Points, Track

SHOWN = 12  # rows of a table; the others are a click away
WIDTH, HEIGHT, RIM = 140, 30, 4  # points
HEADS = {"parameter": (GRADIENT, UPDATE), "module": (OUTPUT, ARRIVED)}
UNITS = ("Each line shows a norm (for a module's output, the root mean square) in powers of ten, "
         "from the first step to the last. A cross marks the first value that isn't finite.")


def html_of(over: OverSteps) -> str:
    """"" where too few steps were taken."""
    if over.count < FEWEST:
        return ""
    tables = "".join(_table(head, over.worst_first(tracks)) for head, tracks in _both(over))
    return f"<h2>Over the steps</h2><p>{escaped(over.opening())} {escaped(UNITS)}</p>{tables}"


def lines_of(over: OverSteps) -> list[str]:
    """The same in words."""
    if over.count < FEWEST:
        return []
    lines = ["", f"Over the steps: {over.opening()}"]
    for head, tracks in _both(over):
        rows = [(track.name, *(_words(track, kind) for kind in HEADS[head]))
                for track in over.worst_first(tracks)]
        lines += in_columns([(head, *HEADS[head]), *rows[:SHOWN]])
        lines += [f"... {len(rows) - SHOWN} more"] * (len(rows) > SHOWN)
    return lines


def _both(over: OverSteps) -> list[tuple[str, dict[str, Track]]]:
    return [(head, tracks) for head, tracks in (("parameter", over.parameters),
                                                ("module", over.modules)) if tracks]


def _words(track: Track, kind: str) -> str:
    return track.lines[kind].words() if kind in track.lines else "not known"


def _table(head: str, tracks: Sequence[Track]) -> str:
    heads = "".join(f"<th scope='col'>{words}</th>" for words in (head, *HEADS[head]))
    rows = [f"<tr><td>{escaped(track.name)}</td>"
            + "".join(f"<td>{_line(track, kind)}</td>" for kind in HEADS[head]) + "</tr>"
            for track in tracks]
    first, more = (f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(part)}</tbody></table>"
                   for part in (rows[:SHOWN], rows[SHOWN:]))
    closed = f"<details><summary>{len(rows) - SHOWN} more</summary>{more}</details>"
    return first + closed * (len(rows) > SHOWN)


def _line(track: Track, kind: str) -> str:
    words = _words(track, kind)
    if kind not in track.lines:
        return words
    drawn = image(_svg(track.lines[kind]), visible(f"The {kind} of {track.name}: {words}."))
    return f"{drawn}<br><small>{escaped(words)}</small>"


def _svg(points: Points) -> str:
    """One stroke for each stretch of steps with a number above 0."""
    found = list(points)
    logs = [math.log10(value) for _, value in found if 0 < value < math.inf]
    low, high = min(logs, default=0), max(logs, default=0)
    first, last = found[0][0], found[-1][0]
    high, last = max(high, low + 1), max(last, first + 1)  # a power of ten at least

    def across(step: int) -> float:
        return RIM + (WIDTH - 2 * RIM) * (step - first) / (last - first)

    strokes: list[list[str]] = [[]]
    for step, value in found:
        if 0 < value < math.inf:
            up = (math.log10(value) - low) / (high - low)
            strokes[-1].append(f"{across(step):.1f},{HEIGHT - RIM - (HEIGHT - 2 * RIM) * up:.1f}")
        elif strokes[-1]:
            strokes.append([])
    drawn = "".join(f'<polyline points="{" ".join(stroke * (1 + (len(stroke) == 1)))}"/>'
                    for stroke in strokes if stroke)
    if points.broke:
        x, y, r = across(points.broke), HEIGHT / 2, RIM
        cross = f"M{x - r:.1f} {y - r}l{2 * r} {2 * r}m0 {-2 * r}l{-2 * r} {2 * r}"
        drawn += f'<path stroke="{PROBLEM}" stroke-width="2" d="{cross}"/>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'style="background:{PAPER}" fill="none" stroke="{INK}" stroke-width="1.2" '
            f'stroke-linecap="round">{drawn}</svg>')
