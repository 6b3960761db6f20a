"""A run on one page, without network and without script, and the same in words."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..drawing.drawing import Drawing
from ..drawing.explanation import code
from ..drawing.render import CannotDraw
from ..drawing.style import ADDED, LINE, PROBLEM
from ..drawing.text import escaped, visible
from ..graph.facts import number
from ..program.lines import line_words
from .parts import Part
from .pictures import modules_of
from .table import Row

if TYPE_CHECKING:
    from .run import Run

SHOWN = 40  # rows of the table; the others are a click away
PASSES = 6  # whose modules are on the page
PICTURES = 24  # modules whose graph is on the page; run["..."] draws the others
STYLE = f"""<style>
.mgrun {{ max-width: 1200px; line-height: 1.45 }}
.mgrun table {{ border-collapse: collapse; width: 100%; font-size: .92em }}
.mgrun th, .mgrun td {{ text-align: left; vertical-align: top; padding: .25em .6em; border-bottom: 1px solid {LINE};
 overflow-wrap: anywhere; white-space: normal }}
.mgrun td.mgn {{ white-space: nowrap }}
.mgrun .mgbad {{ border-left: 4px solid {PROBLEM}; padding-left: .6em; margin: .8em 0 }}
.mgrun .mggood {{ border-left: 4px solid {ADDED}; padding-left: .6em; margin: .8em 0 }}
.mgrun details {{ margin: .2em 0 .2em .2em; padding-left: .8em; border-left: 1px solid {LINE} }}
.mgrun summary {{ cursor: pointer; overflow-wrap: anywhere }}
.mgrun small {{ opacity: .8 }}
</style>"""
HEAD = ("parameter", "gradient norm", "update / size", "optimizer", "what was found")


def html_of(run: Run) -> str:
    parts = [STYLE, f"<p>{escaped(run.opening())}</p>", "<h2>What was found</h2>", *_verdicts(run)]
    if run.taken:
        parts += ["<h2>The modules</h2>", *_pictures(run)]
    if run.rows:
        parts += ["<h2>The parameters, the worst first</h2>", _table(run.rows)]
    if run.parts:
        parts += ["<h2>Each module</h2>", "<p>A click opens what was measured, and the graph that autograd "
                  "recorded.</p>", _tree(run)]
    return f'<div class="mgrun">{"".join(parts)}</div>'


def _verdicts(run: Run) -> list[str]:
    found = []
    for verdict in run.verdicts:
        where = f" <small>({escaped(line_words(verdict.line))})</small>" if verdict.line else ""
        fixes = "".join(f"<br><b>Fix:</b> {code(visible(fix.words))} <small>Price: {code(visible(fix.price))}"
                        "</small>" for fix in verdict.fixes)
        found.append(f'<p class="mgbad"><b>{escaped(verdict.cause)}.</b> {code(visible(verdict.sentence))}'
                     f"{where}{fixes}</p>")
    return found or [f'<p class="mggood">{escaped(run.nothing_found())}</p>']


def _pictures(run: Run) -> list[str]:
    """The modules in the largest pass; those of the others are a click away."""
    found = []
    for taken in run.pictured[:PASSES]:
        picture = _picture(lambda taken=taken: modules_of(taken, run.calls))
        words = f"The backward pass in {escaped(line_words(taken.line))}" if taken.line else "A backward pass"
        found.append(f"<details><summary>{code(words)}</summary>{picture}</details>" if found else
                     f"<p>{code(words)}. An arrow leads the gradient to what it goes to next.</p>{picture}")
    return found


def _picture(make: Callable[[], Drawing]) -> str:
    try:
        return make().html
    except CannotDraw as reason:
        return f"<p>{escaped(str(reason))}</p>"


def _table(rows: Sequence[Row]) -> str:
    first = _rows(rows[:SHOWN])
    if len(rows) <= SHOWN:
        return first
    return f"{first}<details><summary>{len(rows) - SHOWN} more</summary>{_rows(rows[SHOWN:])}</details>"


def _rows(rows: Sequence[Row]) -> str:
    head = "".join(f'<th scope="col">{word}</th>' for word in HEAD)
    body = "".join(
        f"<tr><td>{escaped(row.name)} <small>{row.shape}</small></td>"
        + "".join(f'<td class="mgn">{escaped(word)}</td>' for word in cells(row)[:2])
        + f"<td>{escaped(cells(row)[2])}</td><td>{escaped(state_words(row))}</td></tr>" for row in rows)
    return f'<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def cells(row: Row) -> tuple[str, str, str]:
    """(gradient, update against size, optimizer) of a row."""
    norm = "None" if row.grad is None else "unknown" if row.grad.norm is None else number(row.grad.norm)
    ratio = "no step" if row.moved is None else number(row.ratio) if row.ratio is not None else number(row.update or 0)
    rate = "" if row.lr is None else f", lr {number(row.lr)}"
    return norm, ratio, f"{row.optimizer}{rate}" if row.optimizer else "none that took a step"


def state_words(row: Row) -> str:
    where = f" ({line_words(row.line)})" if row.line else ""
    return f"{row.state}: {row.sentence}{where}" if row.sentence else row.state or "nothing wrong"


def _tree(run: Run) -> str:
    drawn: dict[tuple[object, ...], str] = {}
    found, depth = [], 0
    for part in run.parts:
        found.append("</details>" * max(0, depth - part.depth))
        depth = part.depth + 1
        found.append(f"<details><summary><b>{escaped(part.title)}</b> <small>{escaped(part.words())}</small>"
                     f"</summary>{_graph(run, part, drawn)}")
    return "".join(found) + "</details>" * depth


def _graph(run: Run, part: Part, drawn: dict[tuple[object, ...], str]) -> str:
    """The autograd graph of a module, once for all that are alike."""
    if not run.has_graph(part.path):
        return "<p>No backward pass went through it.</p>"
    look = (part.last.kind, part.last.inputs, part.last.outputs, part.last.parameters)
    if look in drawn:
        return f"<p>Its graph is like that of {escaped(drawn[look])}.</p>"
    if len(drawn) >= PICTURES:
        return f"<p>run[{escaped(repr(part.path))}] draws its graph.</p>"
    drawn[look] = part.path
    return _picture(lambda: run[part.path])


def text_of(run: Run) -> str:
    lines = [run.opening()]
    for verdict in run.verdicts:
        where = f" ({line_words(verdict.line)})" if verdict.line else ""
        lines.append(f"{verdict.cause}: {verdict.sentence}{where}")
        lines += [f"    Fix: {fix.words} Price: {fix.price}" for fix in verdict.fixes]
    if not run.verdicts:
        lines.append(run.nothing_found())
    if run.rows:
        table = [(HEAD[0], "shape", *HEAD[1:]), *((row.name, str(row.shape), *cells(row), state_words(row))
                                                 for row in run.rows)]
        wide = [max(map(len, column)) for column in list(zip(*table))[:-1]]
        lines += ["", "The parameters, the worst first:"]
        lines += ["  ".join([*(word.ljust(room) for word, room in zip(row, wide)), row[-1]]) for row in table]
    if run.parts:
        lines += ["", "The modules:"]
        lines += [f"{'    ' * part.depth}{part.title}: {part.words()}" for part in run.parts]
    return visible("\n".join(lines))
