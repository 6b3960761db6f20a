"""A page for each misconception: a question that tests it, what is true instead, and where the book meets it.

The truth is open only where no question asks for it.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from ...classroom.questions import Question
from ...content.chapters import CHAPTERS, of
from ...content.misconceptions import BELIEFS
from ..pages import load, tags_of, text_of
from ..votes import lines_of_questions
from . import asking, site
from .code_as_html import listing
from .markdown import converted, words
from .written_links import belief_file, chapter_file, linked

INTRODUCTION = """<p>Each sentence below is false, although many people believe it. Its page says what is true
instead, and most pages have a question with which you can test yourself.</p>"""
TRAP = re.compile(r"^> \*\*⚠ Trap\*\*.*(?:\n>.*)*", re.MULTILINE)


def index(numbers: Sequence[int]) -> str:
    """All misconceptions, under the first chapter that meets them."""
    met = {number: met_in(number) for number in numbers}
    first: dict[int | None, list[str]] = {number: [] for number in (*numbers, None)}
    for key, belief in BELIEFS.items():
        at = next((number for number in numbers if key in met[number]), None)
        first[at].append(f'<li id="{key}"><a href="{belief_file(key)}">{escape(belief.name)}</a></li>')
    parts = ["<h1>Misconceptions</h1>", INTRODUCTION]
    for number, rows in first.items():
        title = "Elsewhere" if number is None else f"{number} · {CHAPTERS[number][0]}"
        parts += [f"<h2>{escape(title)}</h2>", f'<ul class="plainly">{"".join(rows)}</ul>'] if rows else []
    return "\n".join(parts)


def pages(numbers: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yield the file and the page of each misconception."""
    first = first_traps(numbers)
    traps = dict(zip(first, converted(list(first.values())), strict=True))
    met = {number: met_in(number) for number in numbers}
    code = {key: lines for number in numbers for key, lines in lines_of_questions(number).items()}
    keys = list(BELIEFS)
    for at, key in enumerate(keys):
        near = [(belief_file(keys[place]), BELIEFS[keys[place]].name) if 0 <= place < len(keys) else None
                for place in (at - 1, at + 1)]
        parts = [*tested(key, numbers, code, traps.get(key, "")), *where_met(key, met)]
        yield belief_file(key), site.page(
            belief_file(key), f"“{BELIEFS[key].name}”", linked("\n".join(parts), numbers),
            around=site.around(*near, contents=("beliefs.html", "All misconceptions")))


def tested(key: str, numbers: Sequence[int], code: dict[str, str], trap: str) -> list[str]:
    """The false sentence, a question that tests it, and the truth: closed if there is a question."""
    parts = [f"<h1>“{escape(BELIEFS[key].name)}”</h1>",
             "<p>Many people believe this sentence, and it is false.</p>"]
    truth = f'<p class="truth">{escape(BELIEFS[key].truth)}</p>{trap}'
    asked = next((one for number in numbers for one in of(number).QUESTIONS if key in held_by(one)
                  and not (one.told and re.search(one.told, BELIEFS[key].name))), None)
    if not asked:
        return [*parts, '<h2 id="truth">What is true instead</h2>', truth]
    about = f"<p>{words(asked.paper or asked.text)}</p>"
    if code[asked.id].strip():
        about += listing(code[asked.id])
    return [*parts, '<h2 id="test">Test it on yourself</h2>', asking.prediction(asked, about),
            asking.comparison(asked, "Compare with your answer"),
            asking.sealed(asked.id, "What is true instead", truth)]


def where_met(key: str, met: dict[int, set[str | None]]) -> list[str]:
    rows = []
    for number in met:
        tests = [f'<a href="{chapter_file(number)}#ask-{one.id}">prediction {one.id}</a>'
                 for one in of(number).QUESTIONS if key in held_by(one)]
        tests += [f"exercise {one.id}" for one in of(number).EXERCISES
                  if key in {wrong.belief for wrong in one.wrong}]
        if key in met[number]:
            rows.append(f'<li><a href="{chapter_file(number)}">{number} · {escape(CHAPTERS[number][0])}</a>'
                        f'{": " if tests else ""}{", ".join(tests)}</li>')
    return ['<h2 id="where">Where the book meets it</h2>', f"<ul>{''.join(rows)}</ul>"] if rows else []


def held_by(asked: Question) -> set[str | None]:
    return {option.belief for option in asked.options}


def first_traps(numbers: Sequence[int]) -> dict[str, str]:
    """For each misconception that a trap of a chapter answers, the first such trap, as Markdown."""
    found: dict[str, str] = {}
    for number in numbers:
        for cell in load(number)["cells"]:
            if trap := TRAP.search(text_of(cell)):
                found.update({key: trap[0] for key in tags_of(cell) if key in BELIEFS and key not in found})
    return found


def met_in(number: int) -> set[str | None]:
    """The misconceptions that a chapter's options, known wrong answers and traps hold."""
    module = of(number)
    return set().union(*map(held_by, module.QUESTIONS)) | {
        wrong.belief for exercise in module.EXERCISES for wrong in exercise.wrong} | {
        tag for cell in load(number)["cells"] for tag in tags_of(cell)}
