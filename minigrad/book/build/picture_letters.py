"""Letters of a picture as wide as Arial's, whatever font a computer has.

The boxes of a picture fit Arial. The letters of DejaVu Sans, which step in where a computer has no such
font, are about an eighth wider. SVG's textLength sets the width of a text: those letters are pressed
together, and Arial's stay as they are. matplotlib brings the widths of Helvetica, which are Arial's.
"""
from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

FONTS = "Arial,Liberation Sans,Helvetica,DejaVu Sans"
METRICS = {False: "phvr8a.afm", True: "phvb8a.afm"}  # plain and bold
NAMED = {"×": "multiply", "−": "minus", "\xa0": "space"}
NO_WIDTH = "\u200b"


def fitted(svg: str) -> str:
    """Return the picture with these fonts; `svg` has Arial."""
    return re.sub(r'<text([^>]*) font-family="[^"]*"([^>]*)>([^<]*)</text>', _fit, svg)


def _fit(found: re.Match[str]) -> str:
    before, after, text = found.groups()
    across = width(html.unescape(text), "bold" in after) * float(re.search(r'font-size="([\d.]+)', after)[1])
    limit = f' textLength="{across:.2f}" lengthAdjust="spacingAndGlyphs"' if across else ""
    return f'<text{before} font-family="{FONTS}"{after}{limit}>{text}</text>'


def width(text: str, bold: bool) -> float:
    """Return how wide a text is, in units of its size; 0: one of its letters is unknown."""
    known = widths(bold)
    letters = [NAMED.get(letter, letter) for letter in text if letter != NO_WIDTH]
    return sum(known[letter] for letter in letters) if all(one in known for one in letters) else 0


@cache
def widths(bold: bool) -> dict[str, float]:
    """Return the width of each letter, and of each letter's name in the font."""
    try:
        import matplotlib
    except ImportError:
        return {}
    afm = Path(matplotlib.get_data_path()) / "fonts/afm" / METRICS[bold]
    found = re.findall(r"^C (-?\d+) ; WX (\d+) ; N (\w+)", afm.read_text(encoding="utf-8"), re.MULTILINE)
    by_code = {chr(int(code)): int(wide) / 1000 for code, wide, _ in found if 32 <= int(code) < 127}
    return {name: int(wide) / 1000 for _, wide, name in found} | by_code
