"""Slides of a chapter: its opening example, the predictions of its lesson with a vote and a reply to each
option, its rules, its error, its picture and its exit ticket, in the order of the chapter.

nbconvert's own slide export makes them, from a notebook with a cell for each slide. The page that it would
put around them asks the network for reveal.js, jQuery and fonts whenever the slides are shown. The page here
has a style sheet and a script in the same file, so a room needs no network.
"""
from __future__ import annotations

import functools
from collections.abc import Iterator
from html import escape
from pathlib import Path

from ...classroom.markup import policy
from ...content.chapters import CHAPTERS
from ..lessons import lesson
from ..licence import CREDIT
from ..pages import question_of
from ..reader.markdown import words
from ..reader.site import HEAD
from ..votes import Choice, choices
from .shown import Shown, steps

HERE = Path(__file__).parent
PAGE = HEAD + """<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<main>
{slides}
</main>
<nav aria-label="Slides">
<button type="button" id="back">← Back</button> <span id="place" role="status"></span>
<button type="button" id="next">Next →</button>
</nav>
<script>{script}</script>
</body>
</html>
"""


def slides(number: int, folder: Path, name: str = "") -> Iterator[Path]:
    """Write the slides of a chapter; `name` follows its number."""
    made, script = notebook(number), f"\n{read('slides.js')}"
    html = PAGE.format(title=escape(made.metadata.title), style=read("slides.css"), script=script,
                       policy=policy([script]), slides=exporter().from_notebook_node(made)[0])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:02}{name}.html"
    path.write_text(html, encoding="utf-8")
    yield path


@functools.cache
def exporter():
    from nbconvert.exporters import SlidesExporter
    return SlidesExporter(template_file="base.html.j2")  # the sections, without the page around them


def read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def notebook(number: int):
    """A cell for each slide; those of one question belong together."""
    import nbformat.v4 as nb
    title = f"{number} · {CHAPTERS[number][0]}"
    cells = [("slide", f'<h1 class="title">{escape(title)}</h1><p>{words(question_of(number))}</p>'
                  '<p class="note">→ and ← turn the slides, F fills the screen.</p>'
                  f'<p class="note">{CREDIT}</p>')]
    voted = {one.id for one in lesson(number).voted()}
    questions = {one.id: one for one in choices(number) if one.id in voted}
    for step in steps(number):
        if isinstance(step, Shown):
            cells += [("slide", step.html), *[("subslide", step.answer)] * bool(step.answer)]
        elif one := questions.get(step):
            cells += [("slide", asked(one)), ("subslide", vote(one)), ("subslide", answer(one))]
    made = [nb.new_markdown_cell(html.replace("\n\n", "\n&#10;"),  # a blank line would end the HTML
                                 id=f"slide-{at}", metadata={"slideshow": {"slide_type": kind}})
            for at, (kind, html) in enumerate(cells, 1)]
    return nb.new_notebook(cells=made, metadata={"title": title})


def asked(one: Choice) -> str:
    options = "".join(f"<li><b>{letter}</b> <span>{html}</span></li>" for letter, html, _, _ in one.options)
    return f'<h1>▶ Predict {one.id}</h1>{one.html}<ul class="options">{options}</ul>'


def vote(one: Choice) -> str:
    """The options with a field for the number of hands, and a bar that shows it."""
    rows = "".join(f'<li><label for="v{one.id}{letter}"><b>{letter}</b> <span>{html}</span></label>'
                   f'<input id="v{one.id}{letter}" type="number" min="0" inputmode="numeric"> '
                   "<i></i></li>" for letter, html, _, _ in one.options)
    return (f"<h1>Vote on {one.id}</h1>"
            f'<div class="two"><div class="asked">{one.html}</div><div>'
            "<p>Choose alone, and raise your hand. Talk in pairs, and vote again.</p>"
            f'<ul class="options votes">{rows}</ul></div></div>')


def answer(one: Choice) -> str:
    rows = "".join(f'<li class="{"right" if right else "wrong"}"><b>{letter}</b> '
                   f"<span>{'✓ Right: ' if right else '✗ '}{html}<small>{reply}</small></span></li>"
                   for letter, html, right, reply in one.options)
    return f'<h1>The answer to {one.id}</h1><ul class="options">{rows}</ul>'
