"""Questions on a page: what is asked, its options, and the folds that hold what answers it.

In the page, options are a list, and the answer is a closed fold. site.js makes a button of each option; a
click opens the folds. Without scripts, a reader opens them by hand.
"""
from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ...classroom.notes import ASKED, VERDICTS, Note
from ...classroom.questions import Question
from .markdown import words
from .written_links import belief

BY_HAND = "Decide, and then open what is closed below."


def prediction(asked: Question, about: str = "", title: str = "") -> str:
    """The question and its options; `about` is HTML in place of its text, `title` in place of its number."""
    title = title or f"▶ Predict {asked.id}"
    told = f"<p><strong>{title}</strong></p>{about}" if about else (
        f"<p><strong>{title}</strong> {words(asked.text)}</p>")
    rows = "".join(row(letter, f"<b>{letter}</b> {words(asked.option(letter).text)}")
                   for letter in asked.letters)
    return group(asked.id, title, told, rows)


def comparison(asked: Question, title: str = "") -> str:
    """The right answer, and what speaks against each other one, in a fold that a choice opens."""
    right = asked.option(asked.right)
    rest = "".join(f'<li data-option="{letter}"><b>{letter}</b>: {words(one.says)}{belief(one.belief)}</li>'
                   for letter in asked.letters if not (one := asked.option(letter)).right)
    return sealed(asked.id, title or f"Compare with your prediction {asked.id}",
                  f"<p>It is <b>{asked.right}</b>: {words(right.text)}. {words(right.says)}</p>"
                  f"<p>What speaks against the others:</p><ul>{rest}</ul>"
                  + paragraphs(asked.explains.splitlines()), right=asked.right)


def judgement(note: Note) -> str:
    """The question for a verdict, and the verdict in a fold that a choice opens."""
    rows = "".join(row(verdict, f"<b>{verdict}</b>: {meaning}") for verdict, (meaning, _) in VERDICTS.items())
    return group(note.id, f"Verdict {note.id}",
                 f"<p><strong>✎ Your verdict {note.id}</strong> {words(ASKED)}</p>", rows) + sealed(
        note.id, "Compare with your verdict", f"<p><b>{VERDICTS[note.verdict][1].capitalize()}.</b></p>"
        + paragraphs(note.answer), right=note.verdict)


def group(key: str, label: str, question: str, rows: str) -> str:
    return (f'<div class="predict" id="ask-{escape(key)}" data-ask="{escape(key)}" role="group" '
            f'aria-label="{escape(label)}">{question}<menu class="options">{rows}</menu>'
            f'<p class="note" role="status">{BY_HAND}</p></div>')


def row(value: str, html: str) -> str:
    return f'<li data-option="{escape(value)}">{html}</li>'


def sealed(key: str, title: str, html: str, *, right: str = "") -> str:
    """A fold that stays closed until an option of this question is chosen; an answer has the `right` one."""
    answer = f' id="answer-{escape(key)}" data-right="{escape(right)}"' if right else ""
    return (f'<details class="{"compare" if right else "sealed"}" data-answers="{escape(key)}"{answer}>'
            f"<summary>{title}</summary>{html}</details>")


def paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p>{words(line)}</p>" for line in lines)
