"""A chapter's predictions and exercises as Moodle XML, which Moodle imports into its question bank.

A prediction is a multiple-choice question with a reply to each option and without points, as it is a vote; a
text to write follows it, for the reason. An exercise is a multiple-choice question with several right
options, or a question of the type "embedded answers" (cloze). The format has no published schema: this
follows what Moodle's own importer reads (question/format/xml/format.php), and
docs.moodle.org/en/Moodle_XML_format.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from ..chapters import CHAPTERS
from ..licence import ADDRESS, CREDIT
from .platforms import BECAUSE, Blank, Choice, Form, choices, forms, ticks

TOP = "$course$/top/minigrad"


def moodle(number: int, folder: Path) -> Iterator[Path]:
    """Write the chapter's file; Moodle sorts its questions into categories by chapter and sheet."""
    quiz = ET.Element("quiz")
    place = f"{TOP}/{number} · {CHAPTERS[number][0]}"
    category(quiz, f"{place}/Predictions")
    for one in choices(number):
        multiple_choice(quiz, one)
        reason(quiz, one)
    sheets: dict[str, list[Form | Choice]] = {"": list(ticks(number))}
    for form in forms(number):
        sheets.setdefault(form.sheet, []).append(form)
    for sheet, found in sorted(sheets.items()):
        if not found:
            continue
        category(quiz, f"{place}/Exercises, {f'sheet {sheet}' if sheet else 'the same on all sheets'}")
        for form in found:
            (multiple_choice if isinstance(form, Choice) else cloze)(quiz, form)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:02}.xml"
    ET.indent(quiz, " ")
    ET.ElementTree(quiz).write(path, encoding="utf-8", xml_declaration=True)
    yield path


def category(quiz: ET.Element, place: str) -> None:
    """The questions after it belong into this category."""
    made = ET.SubElement(quiz, "question", type="category")
    text(made, "category", place, None)
    text(made, "info", f'Texts: <a href="{ADDRESS}">{CREDIT}</a>')


def question(quiz: ET.Element, kind: str, name: str, html: str, **more: str) -> ET.Element:
    made = ET.SubElement(quiz, "question", type=kind)
    text(made, "name", name, None)
    text(made, "questiontext", html)
    text(made, "generalfeedback", "")
    for tag, value in {"penalty": "0.3333333", "hidden": "0", "idnumber": f"minigrad-{name}", **more}.items():
        ET.SubElement(made, tag).text = value
    return made


def text(parent: ET.Element, name: str, words: str, form: str | None = "html", **attributes: str
         ) -> ET.Element:
    """An element as Moodle writes all that is read: <name format="html"><text>words</text></name>."""
    made = ET.SubElement(parent, name, {**attributes, **({"format": form} if form else {})})
    ET.SubElement(made, "text").text = words
    return made


def multiple_choice(quiz: ET.Element, one: Choice) -> None:
    """Options, in the order and with the letters that a class talks about.

    Where several are right, a tick wins or loses its share, and the sum isn't below 0.
    """
    made = question(quiz, "multichoice", one.id, one.html, defaultgrade=str(one.points),
                    single=str(not one.points).lower(), shuffleanswers="false",
                    answernumbering="none" if one.points else "ABCD")
    for name in ("correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"):
        text(made, name, "")
    share = 100 / sum(right for _, _, right, _ in one.options)
    for _, html, right, reply in one.options:
        fraction = share if right else -share if one.points else 0
        answer = text(made, "answer", html, fraction=f"{fraction:.7g}")
        text(answer, "feedback", reply)


def reason(quiz: ET.Element, one: Choice) -> None:
    """What a learner writes after "Because", without points and without a right answer."""
    question(quiz, "essay", f"{one.id}-because", f"<p>{BECAUSE.format(one.id)}</p>", defaultgrade="0",
             responseformat="plain", responserequired="0", responsefieldlines="3", attachments="0")


def cloze(quiz: ET.Element, form: Form) -> None:
    """An exercise; its blanks are written into its text, with what is right and the replies."""
    rows = "".join(f"<p>{one.label}: {blank(one)}</p>" for one in form.blanks)
    question(quiz, "cloze", form.key, form.html + rows)


def blank(one: Blank) -> str:
    """{1:NUMERICAL:=7.5:0.0075~%0%1.5:0.0015#Each pass adds.}, or the same with SHORTANSWER for a word, which
    may be written with quotation marks, too."""
    def answers(value: float | str) -> list[str]:
        if isinstance(value, str):
            return list(map(escaped, one.forms(value)))
        return [f"{value:.15g}:{one.room(value):.3g}"]

    right = "~%100%".join(answers(one.value))
    wrong = "".join(f"~%0%{answer}#{escaped(reply)}" for value, reply in one.wrong
                    for answer in answers(value))
    return f"{{1:{'SHORTANSWER' if isinstance(one.value, str) else 'NUMERICAL'}:={right}{wrong}}}"


def escaped(words: str) -> str:
    """What ends an answer or a reply inside a blank is written as an entity there."""
    return re.sub("[}#~]", lambda sign: f"&#{ord(sign[0])};", words)
