"""Chapter 7: one line, `t = m * h`, run in several ways, and five questions about each of them."""
from __future__ import annotations

import linecache
from html import escape
from typing import Any

import minigrad as torch

from ....viz import draw
from ..lab import Choice, Lab, State

START = """\
a = torch.tensor(3., requires_grad=True)
m = torch.tensor(5., requires_grad=True)
c = torch.tensor(7., requires_grad=True)
h = a * a"""
FULL = "full recording"
WAYS = {  # the rows of the table
    FULL: "t = m * h",
    "flag": "m.requires_grad_(False)\nt = m * h",
    "detach": "p = m * h\nt = p.detach()",
    "no_grad": "with torch.no_grad():\n    t = m * h",
    "inference_mode": "with torch.inference_mode():\n    t = m * h",
}
MORE = {  # ways that the lab compares with the rows
    "eval()": "layer = torch.nn.Dropout(0.5).eval()\nt = layer(m * h)",
    "set_grad_enabled(False)": "with torch.set_grad_enabled(False):\n    t = m * h",
    ".data": "p = m * h\nt = p.data",
}
COLUMNS = {
    "recorded?": "Is `m * h` recorded?",
    "upstream gradient?": "Does `a`, upstream of `t`, get a gradient?",
    "gradient of m?": "Does `m` get a gradient?",
    "shares memory?": "Does `t` share its memory with another tensor?",
    "may be saved?": "May a recorded operation save `t`?",
}
TABLE = "the whole table"


def run(way: str) -> dict[str, Any]:
    """Run the lines of a way, then `y = t + c`, and return the variables and the picture.

    `draw` reads the program's text to see where a tensor lost its history, so the text gets a file's name.
    """
    lines = {**WAYS, **MORE}[way]
    shown = "[y, p]" if "p" in lines.split() else "y"
    drawing = f"picture = draw({shown}, show='-saved', direction='down')"   # fits a page's width
    text = "\n".join([START, lines, "y = t + c", drawing])
    name = f"<lab of chapter 7: {way}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"torch": torch, "draw": draw}
    exec(compile(text, name, "exec"), names)
    return names


def answers(way: str) -> dict[str, bool]:
    """Return the answer to each of the five questions, found by trying."""
    names = run(way)
    a, m, c, t, y = (names[name] for name in "amcty")
    product = names.get("p", t)
    try:
        saved = (t * c).grad_fn is not None
    except RuntimeError:
        saved = False
    y.backward()
    return dict(zip(COLUMNS, (product.grad_fn is not None, a.grad is not None, m.grad is not None,
                                t is not product and t.data_ptr() == product.data_ptr(), saved), strict=True))


def show(state: State):
    """(the graph behind y, the lines and their five answers), or (the table of all ways, its text)."""
    if state["way"] == TABLE:
        return as_html(), as_text()
    found = [f"{question} {yes(answer)}" for question, answer in answers(state["way"]).items()]
    lines = [*{**WAYS, **MORE}[state["way"]].splitlines(), "y = t + c", "", *found]
    return run(state["way"])["picture"], "\n".join(lines)


def yes(answer: bool) -> str:
    return "yes" if answer else "no"


def as_text() -> str:
    """The table in words: for each way, what the answer is yes to."""
    lines = []
    for way in WAYS:
        found = [question.rstrip("?") for question, answer in answers(way).items() if answer]
        lines.append(f"{way}: {', '.join(found) or 'none of these'}")
    return "\n".join(lines)


def as_html() -> str:
    head = "".join(f'<th scope="col">{question}</th>' for question in COLUMNS)
    rows = "".join(f'<tr><th scope="row">{escape(way)}</th>'
                   + "".join(f"<td>{yes(answer)}</td>" for answer in answers(way).values()) + "</tr>"
                   for way in WAYS)
    return f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"


def solved(state: State, words: str) -> str:
    if state["way"] not in MORE:
        return ""
    row = next(way for way in WAYS if answers(way) == answers(state["way"]))
    return f"{state['way']} gives the same five answers as {row}."


def open_lab() -> Lab:
    return Lab("One line, many ways", show, controls={"way": Choice("Way:", (*WAYS, *MORE, TABLE))},
               start={"way": FULL}, fallback=({"way": TABLE}, {"way": "detach"}), solved=solved)
