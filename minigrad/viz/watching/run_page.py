"""A run on one page, without network and without script, and the same in words."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..drawing.drawing import Drawing
from ..drawing.explanation import code, html_table
from ..drawing.image import slim, svgs_in, width, with_twin
from ..drawing.render import CannotDraw
from ..drawing.style import ADDED, LINE, PROBLEM
from ..drawing.text_twin import escaped, in_columns, visible
from ..program.lines import line_words
from . import small_lines
from .measured import unchecked_beside
from .parts import Part, which_calls
from .pass_pictures import modules_of

if TYPE_CHECKING:
    from .run import Run

SHOWN, MOST_SHOWN = 12, 40  # rows of the table, and of a bad one; the others are a click away
PASSES = 6  # whose modules are on the page
MOST_ALT = 300  # letters of an alternative text; a longer one is a list beside the picture
PICTURES = 24  # modules whose graph is on the page; run["..."] draws the others
FOUND = {"emptied": "nothing", "constant": "frozen",
         "zero at first": "0 until a factor that begins with 0 has moved"}
HEAD = ("parameter", "gradient", "update / size", "optimizer", "what was found")
STYLE = f"""<style>
.mgrun {{ max-width: 1200px; line-height: 1.45 }}
.mgrun table {{ border-collapse: collapse; width: 100%; font-size: .92em }}
.mgrun th, .mgrun td {{ text-align: left; vertical-align: top; padding: .25em .6em;
 border-bottom: 1px solid {LINE}; white-space: normal }}
.mgrun td:first-child {{ overflow-wrap: anywhere; min-width: 12em }}
.mgrun p {{ overflow-wrap: anywhere }}
.mgrun .mgbad {{ border-left: 4px solid {PROBLEM}; padding-left: .6em; margin: .8em 0 }}
.mgrun .mggood {{ border-left: 4px solid {ADDED}; padding-left: .6em; margin: .8em 0 }}
.mgrun details {{ margin: .2em; padding-left: .8em; border-left: 1px solid {LINE} }}
.mgrun summary {{ cursor: pointer; overflow-wrap: anywhere }}
.mgrun small {{ opacity: .8 }}
.mgrun .mgsides {{ display: flex; flex-wrap: wrap; gap: 0 2em; align-items: flex-start }}
.mgrun section {{ flex: 1 1 540px; min-width: 0 }}
</style>"""


def html_of(run: Run) -> str:
    parts = [STYLE, f"<p>{escaped(run.opening())}</p>", "<h2>What was found</h2>", *_verdicts(run)]
    parts.append('<div class="mgsides">')
    if run.taken:
        pictures = "".join(_passes(run))
        wide = max(map(width, svgs_in(pictures)), default=0)
        which = which_calls(len(run.calls), run.called_in_all)
        parts.append(f'<section style="min-width:min(100%,{wide:.0f}px)">'
                     f"<h2>The modules{which}</h2>{pictures}</section>")
    if run.rows:
        table = _table(run.rows)
        table += small_lines.html_of(run.over_steps)
        parts.append(f"<section><h2>The parameters, the worst first</h2>{table}</section>")
    parts.append("</div>")
    if run.calls:
        parts += ["<h2>Each module</h2>", "<p>A click opens its autograd graph.</p>", _tree(run)]
    return f'<div class="mgrun">{"".join(parts)}</div>'


def _verdicts(run: Run) -> list[str]:
    found = []
    for one in run.verdicts:
        words = f"<b>{escaped(one.cause)}:</b> {code(_sentence(one))}"
        for fix in one.fixes:
            price = f"<small>Price: {code(fix.price)}</small>"
            words += f"<br><b>Fix:</b> {code(fix.words)} {price}"
        found.append(f'<p class="mgbad">{words}</p>')
    before, after = (f'<p class="mgbad">{code(words)}</p>' * bool(words)
                     for words in unchecked_beside(run.rows))
    found = [*filter(None, [before, *found, after])]
    unknown = run.error or run.failed or any(row.cause == "no pass" for row in run.rows)
    kind = "mgbad" if unknown else "mggood"
    return found or [f'<p class="{kind}">{code(run.nothing_found())}</p>']


def _sentence(verdict: Any) -> str:
    """What was found, its line unless the sentence names it, and for how many parameters."""
    where = line_words(verdict.line) if verdict.line else ""
    where = f" ({where})" if where and where not in verdict.sentence else ""
    more = f" So it is for {verdict.others} more." if verdict.others else ""
    return f"{verdict.sentence}{where}{more}"


def _passes(run: Run) -> list[str]:
    """The modules in the largest pass; those of the others are a click away."""
    found: list[str] = []
    for taken in run.pictured[:PASSES]:
        picture = _picture(lambda one=taken: modules_of(one, run.calls))  # type: ignore[misc]
        words = code(f"The backward pass in {line_words(taken.line)}" if taken.line else "A pass")
        found.append(f"<details><summary>{words}</summary>{picture}</details>" if found else
                     f"<p>{words}. An arrow leads the gradient to where it goes next.</p>{picture}")
    return found


def _picture(make: Callable[[], Drawing]) -> str:
    try:
        drawing = make()
        return with_twin(slim(drawing.svg), drawing.text, nearly=True, most=MOST_ALT)
    except CannotDraw as reason:
        return f"<p>{escaped(str(reason))}</p>"


def _table(rows: Sequence[Any]) -> str:
    shown = min(max(SHOWN, sum(not row.is_fine for row in rows)), MOST_SHOWN)
    first = html_table(HEAD, map(cells, rows[:shown]))
    more = rows[shown:]
    table = html_table(HEAD, map(cells, more))
    closed = f"<details><summary>{len(more)} more</summary>{table}</details>"
    return first + closed * bool(more)


def cells(row: Any) -> tuple[str, ...]:
    """What the page says of a parameter, under the words of HEAD."""
    name, shape, grad, ratio, optimizer, moved, cause = row.words()
    update = {None: "no step seen", False: "not moved"}.get(row.moved, ratio)
    update += f", {moved}" * bool(row.still)
    found = cause if grad == "None" else FOUND.get(cause, cause)
    if row.line and not row.is_fine:
        found += f" ({Path(row.line[0]).name}:{row.line[1]})"
    return f"{name} ({shape})", grad, update, optimizer, found


def _tree(run: Run) -> str:
    drawn: dict[tuple[object, ...], str] = {}
    found, depth, parts = [], 0, run.parts
    for part, after in zip_longest(parts, parts[1:]):
        found.append("</details>" * max(0, depth - part.depth))
        depth = part.depth + 1
        words = f"<b>{escaped(part.title)}</b> <small>{escaped(part.words())}</small>"
        graph = _graph(run, part, drawn)
        if whole := part.depth == 0 and after is not None and after.depth > 0:  # its parts show
            graph = f"<details><summary>The graph of all of it</summary>{graph}</details>"
        found.append(f"<details{' open' * whole}><summary>{words}</summary>{graph}")
    return "".join(found) + "</details>" * depth


def _graph(run: Run, part: Part, drawn: dict[tuple[object, ...], str]) -> str:
    """The autograd graph of a module, once for all that are alike."""
    if not any(part.path in taken.paths for taken in run.taken.values()):
        return "<p>No backward pass went through it.</p>"
    look = (part.last.kind, part.last.inputs, part.last.outputs, part.last.parameters)
    if look in drawn:
        return f"<p>Its graph is like that of {escaped(drawn[look])}.</p>"
    if len(drawn) >= PICTURES:
        return f"<p>run[{escaped(repr(part.path))}] draws its graph.</p>"
    drawn[look] = part.path
    return _picture(lambda: run[part.path])


def text_of(run: Run) -> str:
    before, after = unchecked_beside(run.rows)
    lines = [run.opening(), *filter(None, [before])]
    for one in run.verdicts:
        lines.append(f"{one.cause}: {_sentence(one)}")
        lines += [f"    Fix: {fix.words} Price: {fix.price}" for fix in one.fixes]
    lines += [run.nothing_found()] if not run.verdicts else [*filter(None, [after])]
    if run.rows:
        lines += ["", "The parameters, the worst first:"]
        lines += in_columns([HEAD, *map(cells, run.rows)])
    lines += small_lines.lines_of(run.over_steps)
    if run.calls:
        lines += ["", f"The modules{which_calls(len(run.calls), run.called_in_all)}:"]
        lines += [f"{'    ' * part.depth}{part.title}: {part.words()}" for part in run.parts]
    return visible("\n".join(lines))
