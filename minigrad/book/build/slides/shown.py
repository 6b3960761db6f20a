"""What a chapter shows, as slides between its predictions: words and pictures of its cells."""
from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from ....viz.graph.model import Picture
from ...classroom.markup import marked_up
from ..blanks import LAYOUTS, drawn, size_of, told
from ..counting import is_of_the_clinic
from ..lettering import near
from ..one_page import CALLOUT, error_of, plainly, raised_by, summary
from ..pages import Cell, cell_tagged, cells, exit_ticket, load, printed
from ..reader.shown_outputs import drawing_in, joined

MOST_LINES = 12  # of output on a slide
MOST_CODE = 19  # lines of the opening example
ROOM = (1240, 590)  # pixels for a picture, at 720p
DRAWN = re.compile(r'src="(data:image/(?:png|svg\+xml);base64,[A-Za-z0-9+/=]+)"')


class Shown(NamedTuple):
    """A slide, and the answer to what it asks."""

    html: str
    answer: str = ""


def steps(number: int) -> Iterator[Shown | str]:
    """The slides of a chapter in its order; a question is its id."""
    notebook = load(number)
    page = cells(notebook)
    opening = opening_at(page, notebook["cells"])
    for cell, stored in zip(page, notebook["cells"], strict=True):
        if found := re.match(r'predict\("(.+?)"\)', cell.text):
            yield found[1]
        elif opening and cell.at == opening[-1]:
            code = near("\n\n".join(page[at].text for at in opening))
            yield Shown(f"<h1>On the board</h1>{listing(code)}{pictured(stored) or short(printed(stored))}")
        elif "aha" in cell.tags:
            found = summary(number)
            if found.code:
                yield Shown(f"<h1>The lines of the picture</h1>{listing(found.code)}")
            if found.picture is not None:
                yield Shown(f"<h1>The picture</h1>{as_large_as_it_can_be(found.picture, found.record)}")
        elif is_of_the_clinic(cell.tags):
            code, table = error_of(stored, cell, page)
            yield Shown(f"<h1>The error</h1>{listing(code)}{tabled(table)}")
        elif code := raised_by(stored, cell):
            yield Shown(f"<h1>The error</h1>{listing(code)}")
        elif cell.kind == "markdown" and "instructor" not in cell.tags:
            yield from rules(cell.text)
    if ticket := exit_ticket(page, number):
        yield Shown(f'<h1>Exit ticket</h1><p class="rule">{marked_up(ticket[0])}</p>',
                    f"<h1>The answer to the exit ticket</h1><p>{marked_up(ticket[1])}</p>")


def rules(text: str) -> Iterator[Shown]:
    for kind, words in CALLOUT.findall(text):
        if kind == "◆ Rule":
            yield Shown(f'<h1>{kind}</h1><p class="rule">{marked_up(plainly(words))}</p>')


def opening_at(page: list[Cell], stored: list[dict]) -> list[int]:
    """The cells of the opening example: before the first question, the first that shows something, with the
    code directly before it, if there is room."""
    first = cell_tagged(page, "predict").at
    code = [cell.at for cell in page[:first] if cell.kind == "code"
            and not cell.tags & {"setup", "widget", "judge"}]
    if not code:
        return []
    end = next((at for at in code if pictured(stored[at]) or short(printed(stored[at]))), code[-1])
    start, lines = end, len(page[end].text.splitlines())
    while start - 1 in code and (lines := lines + len(page[start - 1].text.splitlines())) <= MOST_CODE:
        start -= 1
    return [*range(start, end + 1)]


def listing(code: str) -> str:
    return f"<pre>{escape(code, quote=False)}</pre>"


def pictured(stored: dict) -> str:
    """The pictures that a cell has shown."""
    found = []
    for output in stored.get("outputs", ()):
        data = output.get("data", {})
        html, alt = joined(data.get("text/html", "")), escape(joined(data.get("text/plain", "")))
        if svg := drawing_in(html):
            drawing = b64encode(svg.encode()).decode()
            found.append(f'<img alt="{alt}" src="data:image/svg+xml;base64,{drawing}">')
        elif drawing := DRAWN.search(html):
            found.append(f'<img alt="{alt}" src="{drawing[1]}">')
    return "".join(found)


def as_large_as_it_can_be(formula: Picture, record: Picture | None = None) -> str:
    """The record of the operations, if it needn't be smaller than it is, or else the formula; from left to
    right or from top to bottom, whichever has the larger letters on a slide."""
    for picture in filter(None, (record, formula)):
        ways = [drawn(picture, layout) for layout in LAYOUTS]
        svg = max(ways, key=scale)
        if picture is formula or scale(svg) >= 1:
            break
    return (f'<img alt="{escape(told(picture))}" class="whole" '
            f'src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">')


def scale(svg: str) -> float:
    """How many times as large as it is a picture is on a slide."""
    return min(room / side for room, side in zip(ROOM, size_of(svg), strict=True))


def short(words: str) -> str:
    """What a cell has printed, if a slide has room for it."""
    return listing(words) if words and words.count("\n") < MOST_LINES else ""


def tabled(rows: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{marked_up(cell)}</th>' for cell in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{marked_up(cell)}</td>' for cell in row)}</tr>" for row in rows[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
