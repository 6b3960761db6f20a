"""The symptom pages: for a reader whose script raises no error and still does something wrong.

Every program of a page is run while the page is made, and so is every measurement in every program. What an
outcome rules out is worked out from these runs.
"""
from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterator
from html import escape
from typing import Any

from ...content.cases.symptoms import SYMPTOMS
from ...content.cases.symptoms.symptom import Cause, Look, Outcome, Remedy, Symptom
from ...content.cases.symptoms.symptom_measurements import MEASUREMENTS
from ...content.chapters import CHAPTERS
from . import clinic, measuring, site
from .code_as_html import listing
from .markdown import words
from .program import HEAD
from .search import Page
from .written_links import chapter_file, linked, symptom_file

TITLE = "Start from what you see"
NOTE = "If none of these is the cause"
EXPLAINED = "Symptoms that this chapter explains"
INTRODUCTION = """<p>Does your script do something wrong without raising an error? Choose what you see. Each
page says what to measure first, and what each result rules out. Then it shows a program for each cause, and
fixes with their prices. If there is an error message, use the <a href="errors.html">error clinic</a>.</p>"""
HOW = """<p>Take the measurements in this order. Each was also taken in every program on this page. So the
page can say which of its causes are still possible after a result. Your script can have another cause. Each
program shows the same symptom with <code>import torch</code> as its first line.</p>"""
BETWEEN = "…\n"  # between two changes
PLACES = {"start": "Before the loop:",
          "before the pass": "In the loop, right before <code>backward()</code>:",
          "after the pass": "In the loop, right after <code>backward()</code>:",
          "before the step": "In the loop, right before <code>optimizer.step()</code>:",
          "after the step": "In the loop, as its last line:",
          "end": "At the end of the script:"}


# --- the list of symptoms, and where else they are named

def index() -> str:
    return f'<h1>{TITLE}</h1>\n{INTRODUCTION}\n<ul class="plainly">{"".join(map(entry, SYMPTOMS))}</ul>'


def entry(symptom: Symptom) -> str:
    return f"<li>{link(symptom)}<p>{words(symptom.seen)}</p></li>"


def link(symptom: Symptom) -> str:
    return f'<a href="{symptom_file(symptom.slug)}">{escape(symptom.title)}</a>'


def cause_link(symptom: Symptom, cause: Cause) -> str:
    return f'<a href="{symptom_file(symptom.slug)}#{cause.slug}">{words(cause.title)}</a>'


def for_chapter(number: int) -> str:
    """The causes that a chapter explains, with links to their pages; nothing if there are none."""
    rows = [f'<li>{link(symptom)}<ul>{"".join(causes)}</ul></li>' for symptom in SYMPTOMS
            if (causes := [f"<li>{cause_link(symptom, cause)}</li>" for cause in symptom.causes
                           if cause.chapter == number])]
    return f'\n<h2 id="symptoms">{EXPLAINED}</h2>\n<ul>{"".join(rows)}</ul>' if rows else ""


def for_the_patients() -> str:
    """All symptoms, for the chapter about silent bugs."""
    rows = "".join(f"<li>{link(symptom)}</li>" for symptom in SYMPTOMS)
    return (f'\n<h2 id="symptoms"><a href="symptoms.html">{TITLE}</a></h2>\n<p>Each of these pages starts '
            f"from a symptom of a silent bug, and says what to measure first.</p>\n<ul>{rows}</ul>")


def places() -> Iterator[Page]:
    """Yield what the search finds: each symptom by the words that people use for it, and each cause."""
    for symptom in SYMPTOMS:
        for phrase in (symptom.title, *symptom.searched):
            yield Page(symptom_file(symptom.slug), symptom.title, "Symptom", plain(symptom.seen), phrase)
        for cause in symptom.causes:
            yield Page(f"{symptom_file(symptom.slug)}#{cause.slug}", plain(cause.title),
                       f"A cause of “{symptom.title}”", clinic.short(plain(cause.what)),
                       f"{cause.title} {cause.what}")


def plain(text: str) -> str:
    return site.plain(words(text))


# --- a page

def page(symptom: Symptom, chapters: Collection[int]) -> str:
    """The page of one symptom.

    Raises:
        ValueError: a program prints something else, or no outcome fits a measurement.
    """
    check(symptom)
    also = ", ".join(f"<q>{escape(phrase)}</q>" for phrase in symptom.searched)
    parts = [f"<h1>{escape(symptom.title)}</h1>", f"<p>{words(symptom.seen)}</p>",
             f'<p class="note">People also call it {also}.</p>',
             '<h2 id="measure">What to measure first</h2>', HOW,
             *(part for look in symptom.looks for part in measurement(symptom, look)),
             *(part for at in range(len(symptom.causes)) for part in cause(symptom, at, chapters))]
    if symptom.note:
        parts += [f'<h2 id="note">{NOTE}</h2>', f"<p>{words(symptom.note)}</p>"]
    return linked("\n".join(parts), chapters)


def check(symptom: Symptom) -> None:
    """Raise a ValueError unless each program prints what its symptom says, and each remedy helps."""
    for cause in symptom.causes:
        name = f"{symptom.slug}, {cause.slug}"
        ill = [measuring.printed(cause.code, start) for start in range(symptom.runs)]
        if symptom.runs > 1 and len(set(ill)) == 1:
            raise ValueError(f"the program of {name} printed the same in each run: {ill[0]}")
        if symptom.runs == 1 and (cause.exact and measuring.last_line(ill[0]) != cause.prints
                                  or symptom.good(measuring.number(ill[0]))):
            raise ValueError(f"the program of {name} doesn't show the symptom: it printed {ill[0]}")
        for at, remedy in enumerate(cause.remedies):
            for start in range(symptom.runs):
                well = measuring.printed(measuring.repaired(cause, at), start)
                if measuring.last_line(well) != remedy.prints or not symptom.good(measuring.number(well)):
                    raise ValueError(f"remedy {at + 1} of {name} doesn't help: the program printed {well}")


# --- measurements

def measurement(symptom: Symptom, look: Look) -> Iterator[str]:
    one = MEASUREMENTS[look.measurement]
    yield f'<h3 id="measure-{look.measurement}">{words(one.title)}</h3>'
    yield f"<p>{words(f'{one.does} {look.why}'.strip())}</p>"
    if one.code:
        yield copyable(one.code)
    for place, call in look.calls.items():
        yield f"<p>{PLACES[place]}</p>{copyable(call if place == 'start' else printing(call))}"
    rows = "".join(f"<dt>{words(one.words)}</dt><dd>{remains(symptom, look, one)}</dd>"
                   for one in look.outcomes)
    yield f'<dl class="outcomes">{rows}</dl>'


def copyable(code: str, **options) -> str:
    return f'<div class="copy">{listing(code, **options)}</div>'


def printing(call: str) -> str:
    """A line that prints a value, or several ones where the call has several."""
    several = isinstance(ast.parse(call, mode="eval").body, ast.Tuple)
    return f"print{call}" if several else f"print({call})"


def remains(symptom: Symptom, look: Look, outcome: Outcome) -> str:
    """The causes that are possible after an outcome, and those that it rules out."""
    possible, rest = [], []
    for at, cause in enumerate(symptom.causes, 1):
        if shows(symptom, cause, look) is outcome:
            possible.append(f'<a href="#{cause.slug}">{at}. {words(cause.title)}</a>')
        else:
            rest.append(str(at))
    if not possible:
        return "It rules out all causes on this page."
    numbers = " and ".join(filter(None, [", ".join(rest[:-1]), *rest[-1:]]))
    ruled_out = f"It rules out cause{'s' if len(rest) > 1 else ''} {numbers}." if rest else ""
    if len(possible) == 1:
        return f"Possible: {possible[0]}. {ruled_out}"
    return f'Possible:<ul class="plainly">{"".join(f"<li>{one}</li>" for one in possible)}</ul>{ruled_out}'


def shows(symptom: Symptom, cause: Cause, look: Look) -> Outcome:
    return measuring.outcome(look, measuring.measured(symptom, cause, look))


# --- causes

def cause(symptom: Symptom, at: int, chapters: Collection[int]) -> Iterator[str]:
    """The program, what it prints, the line with the cause, why, what the measurements show, and remedies."""
    cause = symptom.causes[at]
    whole = HEAD + cause.code
    lines = [number for number, line in enumerate(whole.splitlines(), 1) if cause.marks in line]
    yield f'<h2 id="{cause.slug}">{at + 1}. {words(cause.title)}</h2>'
    yield copyable(whole, numbered=True, marked=lines)
    runs = [measuring.printed(cause.code, start) for start in range(symptom.runs)]
    yield "".join(f"<p>{'It prints' if len(runs) == 1 else f'Run {run} prints'}:</p>{out(text)}"
                  for run, text in enumerate(runs, 1))
    line = whole.splitlines()[lines[0] - 1].strip()
    yield f"<p><b>Line {lines[0]}:</b> <code>{escape(line)}</code></p><p>{words(cause.what)}</p>"
    yield "<h3>What the measurements show</h3>"
    rows = (f"<dt>{words(MEASUREMENTS[look.measurement].title)}</dt>"
            f"<dd>{words(shows(symptom, cause, look).words)}{values(symptom, cause, look)}</dd>"
            for look in symptom.looks)
    yield f'<dl class="outcomes">{"".join(rows)}</dl>'
    yield f"<h3>{'Fix' if len(cause.remedies) == 1 else 'Fixes'}, and the price</h3>"
    for number, remedy in enumerate(cause.remedies):
        yield fix(symptom, cause, remedy, number)
    if cause.chapter in chapters:
        title = f"Chapter {cause.chapter}, {CHAPTERS[cause.chapter][0]}"
        yield f'<p>More about it: <a href="{chapter_file(cause.chapter)}">{escape(title)}</a>.</p>'


def out(text: str) -> str:
    return f'<pre class="out">{escape(text)}</pre>'


def fix(symptom: Symptom, cause: Cause, remedy: Remedy, at: int) -> str:
    """A remedy with its price, the lines that it changes, what the program then prints, and the program."""
    code = measuring.repaired(cause, at)
    prints = "prints" if symptom.runs == 1 else "prints in each run"
    return (f"<p><b>{words(remedy.words)}</b> The price: {words(remedy.price)}.</p>"
            f"{changes(cause.code, code)}<p>The program then {prints}:</p>{out(measuring.printed(code))}"
            f"<details><summary>The whole program</summary>{copyable(HEAD + code, numbered=True)}</details>")


def changes(old: str, new: str) -> str:
    """The lines that are removed and added, with their signs."""
    rows: list[str] = []
    for line in difflib.ndiff(old.splitlines(), new.splitlines()):
        if line.startswith("  ") and rows and rows[-1] != BETWEEN:
            rows.append(BETWEEN)
        elif line[0] in "-+" and line[1:].strip():
            kind = "del" if line[0] == "-" else "ins"
            rows.append(f"<{kind}>{escape(line, quote=False)}\n</{kind}>")
    if rows[-1] == BETWEEN:
        rows.pop()
    return f'<pre class="code change">{"".join(rows)}</pre>'


def values(symptom: Symptom, cause: Cause, look: Look) -> str:
    """A fold with the numbers that a measurement showed in the program of a cause."""
    told = measuring.measured(symptom, cause, look)
    look = look.of(cause)
    own = look.own.get(cause.slug, {})
    calls = "".join(copyable(printing(call)) for place, call in own.items() if place != "start")
    error = told.get("error", [""])[0]
    slug = clinic.slug_of(error) if error else None
    lines = [line for place in look.calls if place in told for line in steps(look.calls[place], told, place)]
    text = "\n".join([*lines, *filter(None, [error])]) or "Nothing."
    return (f"<details><summary>What it prints</summary>{calls}{out(text)}"
            f"{clinic.pointer(slug) if slug else ''}</details>")


def steps(call: str, told: dict[str, list[Any]], place: str) -> Iterator[str]:
    """Yield what a call prints in the first and the last step, or around the first NaN."""
    shown = list(map(line_of(call), told[place]))
    if "second run" in told:
        yield f"run 1, step 1: {shown[0]}"
        yield f"run 2, step 1: {line_of(call)(told['second run'][0][place][0])}"
    elif len(shown) == 1:
        yield shown[0]
    elif len(set(shown)) == 1:
        yield f"in each of {len(shown)} steps: {shown[0]}"
    else:
        ill = next((at for at, line in enumerate(shown) if "nan" in line), None)
        wanted = {0, len(shown) - 1} if ill is None else {0, max(ill - 1, 0), ill}
        for at in sorted(wanted):
            yield f"step {at + 1}: {shown[at]}"


def line_of(call: str):
    """What turns a value into the line that `printing` would print."""
    if isinstance(ast.parse(call, mode="eval").body, ast.Tuple):
        return lambda value: " ".join(map(str, value))
    return str
