"""A chapter's predictions and exercises as a QTI 2.1 package, which many learning platforms import: a
zip file with an item for each question, and the manifest that lists them.

The format is that of www.imsglobal.org/question/qtiv2p1; an item says by itself how it is marked.
"""
from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from ..chapters import CHAPTERS
from ..exercises import chapter_of
from .platforms import BECAUSE, Blank, Choice, Form, choices, forms, ticks

ITEM = "http://www.imsglobal.org/xsd/imsqti_v2p1"
SCHEMA = "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
WHEN = (2026, 1, 1, 0, 0, 0)  # the same package is the same file, whenever it is made


def qti(number: int, folder: Path) -> Iterator[Path]:
    """Write the chapter's package."""
    items = {}
    for one in choices(number):
        items |= {f"{one.id}.xml": prediction(one), f"{one.id}-because.xml": reason(one)}
    items |= {f"{one.id}.xml": ticked(one) for one in ticks(number)}
    items |= {f"{form.key}.xml": exercise(form) for form in forms(number)}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:02}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, root in {"imsmanifest.xml": manifest(number, list(items)), **items}.items():
            ET.indent(root, " ")
            text = ET.tostring(root, encoding="utf-8", xml_declaration=True)
            package.writestr(zipfile.ZipInfo(name, WHEN), text, zipfile.ZIP_DEFLATED)
    yield path


def manifest(number: int, names: list[str]) -> ET.Element:
    root = ET.Element("manifest", xmlns=PACKAGE, identifier=f"minigrad-chapter-{number}")
    about = add(root, "metadata")
    add(about, "schema", "QTIv2.1 Package")
    add(about, "schemaversion", "1.0.0")
    add(root, "organizations")
    resources = add(root, "resources")
    for name in names:
        one = add(resources, "resource", identifier=f"minigrad-{name.removesuffix('.xml')}",
                  type="imsqti_item_xmlv2p1", href=name)
        add(one, "file", href=name)
    return root


def add(parent: ET.Element, tag: str, text: str | None = None, /, **attributes: str) -> ET.Element:
    made = ET.SubElement(parent, tag, attributes)
    made.text = text
    return made


def fill(parent: ET.Element, html: str) -> None:
    """Put HTML, which is well-formed here, into an element."""
    body = ET.fromstring(f"<body>{html}</body>")
    parent.text = body.text
    parent.extend(body)


def item(key: str) -> ET.Element:
    return ET.Element("assessmentItem", {
        "xmlns": ITEM, "xmlns:xsi": XSI, "xsi:schemaLocation": f"{ITEM} {SCHEMA}",
        "identifier": f"minigrad-{key}", "title": f"{key} · {CHAPTERS[chapter_of(key)][0]}",
        "adaptive": "false", "timeDependent": "false"})


def declare(root: ET.Element, name: str, kind: str, *values: str, of: str = "outcome",
            cardinality: str = "single") -> ET.Element:
    """Declare a variable: a response with what is right, or an outcome with the value it starts from."""
    made = add(root, f"{of}Declaration", identifier=name, cardinality=cardinality, baseType=kind)
    if values:
        known = add(made, "correctResponse" if of == "response" else "defaultValue")
        for value in values:
            add(known, "value", value)
    return made


def declare_score(root: ET.Element, most: int) -> None:
    declare(root, "SCORE", "float", "0")
    declare(root, "MAXSCORE", "float", str(most))


def prediction(one: Choice) -> ET.Element:
    """A vote without points; the reply to the chosen option is shown afterwards."""
    root = item(one.id)
    right = next(letter for letter, _, right, _ in one.options if right)
    declare(root, "RESPONSE", "identifier", right, of="response")
    declare_score(root, one.points)
    declare(root, "FEEDBACK", "identifier")
    options(root, one, most="1")
    marking = add(root, "responseProcessing")
    add(add(marking, "setOutcomeValue", identifier="FEEDBACK"), "variable", identifier="RESPONSE")
    for letter, _, _, reply in one.options:
        feedback(root, letter, reply)
    return root


def reason(one: Choice) -> ET.Element:
    """What a learner writes after "Because", in an item of its own: then the vote needs no marking.

    The item sets its score, or else a platform would ask a teacher for it.
    """
    root = item(f"{one.id}-because")
    declare(root, "RESPONSE", "string", of="response")
    declare_score(root, one.points)
    found = add(add(root, "itemBody"), "extendedTextInteraction", responseIdentifier="RESPONSE",
                expectedLines="3")
    add(found, "prompt", BECAUSE.format(one.id))
    score = add(add(root, "responseProcessing"), "setOutcomeValue", identifier="SCORE")
    value(score, "float", "0")
    return root


def options(root: ET.Element, one: Choice, most: str) -> None:
    """The text and its options; each is one paragraph, in which no player may drop a blank beside code."""
    body = add(root, "itemBody")
    fill(body, one.html)
    found = add(body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="false", maxChoices=most)
    for letter, html, _, _ in one.options:
        fill(add(add(found, "simpleChoice", identifier=letter), "p"), html)


def ticked(one: Choice) -> ET.Element:
    """Boxes: a point for each that is as it should be, minus one for each that isn't, and never below 0."""
    root = item(one.id)
    right = [letter for letter, _, is_right, _ in one.options if is_right]
    answer = declare(root, "RESPONSE", "identifier", *right, of="response", cardinality="multiple")
    mapping = add(answer, "mapping", defaultValue="0")
    for letter, _, is_right, _ in one.options:
        add(mapping, "mapEntry", mapKey=letter, mappedValue="2" if is_right else "-2")
    declare_score(root, one.points)
    options(root, one, most="0")
    marking = add(root, "responseProcessing")
    some = add(add(marking, "responseCondition"), "responseIf")  # nothing ticked is no answer
    add(add(add(some, "not"), "isNull"), "variable", identifier="RESPONSE")
    total = add(add(some, "setOutcomeValue", identifier="SCORE"), "sum")
    add(total, "mapResponse", identifier="RESPONSE")
    value(total, "float", str(len(one.options) - 2 * len(right)))
    when = add(add(marking, "responseCondition"), "responseIf")
    below = add(when, "lt")
    add(below, "variable", identifier="SCORE")
    value(below, "float", "0")
    value(add(when, "setOutcomeValue", identifier="SCORE"), "float", "0")
    return root


def exercise(form: Form) -> ET.Element:
    """Blanks, each worth a point; the reply to a known wrong answer is shown afterwards."""
    root = item(form.key)
    names = [f"RESPONSE_{at}" for at in range(1, len(form.blanks) + 1)]
    replies: dict[str, str] = {}
    for name, one in zip(names, form.blanks, strict=True):
        kind = "string" if isinstance(one.value, str) else "float"
        declare(root, name, kind, written(one.value), of="response")
    declare_score(root, len(names))
    declare(root, "FEEDBACK", "identifier", cardinality="multiple")
    body = add(root, "itemBody")
    fill(body, form.html)
    for name, one in zip(names, form.blanks, strict=True):
        line = add(body, "p")
        fill(line, f"{one.label}: ")
        add(line, "textEntryInteraction", responseIdentifier=name, expectedLength="12")
    marking = add(root, "responseProcessing")
    for name, one in zip(names, form.blanks, strict=True):
        mark(add(marking, "responseCondition"), name, one, replies)
    for reply, key in replies.items():
        feedback(root, key, reply)
    return root


def mark(branches: ET.Element, name: str, one: Blank, replies: dict[str, str]) -> None:
    """A point for what is right; for a known wrong answer its reply, each of which has a name."""
    when = add(branches, "responseIf")
    is_near(when, name, one, one.value)
    total = add(add(when, "setOutcomeValue", identifier="SCORE"), "sum")
    add(total, "variable", identifier="SCORE")
    value(total, "float", "1")
    for answer, reply in one.wrong:
        when = add(branches, "responseElseIf")
        is_near(when, name, one, answer)
        both = add(add(when, "setOutcomeValue", identifier="FEEDBACK"), "multiple")
        add(both, "variable", identifier="FEEDBACK")
        value(both, "identifier", replies.setdefault(reply, f"REPLY_{len(replies) + 1}"))


def is_near(parent: ET.Element, name: str, blank: Blank, wanted: float | str) -> None:
    """The condition that a response is this word, in any of its forms, or this number, or near it."""
    if isinstance(wanted, str):
        either = add(parent, "or")
        for form in blank.forms(wanted):
            same = add(either, "stringMatch", caseSensitive="false")
            add(same, "variable", identifier=name)
            value(same, "string", form)
        return
    between = add(parent, "and")
    for sign, bound in (("gte", wanted - blank.room(wanted)), ("lte", wanted + blank.room(wanted))):
        side = add(between, sign)
        add(side, "variable", identifier=name)
        value(side, "float", f"{bound:.12g}")


def value(parent: ET.Element, kind: str, text: str) -> None:
    add(parent, "baseValue", text, baseType=kind)


def written(number: float | str) -> str:
    return number if isinstance(number, str) else f"{number:.15g}"


def feedback(root: ET.Element, key: str, html: str) -> None:
    shown = add(root, "modalFeedback", outcomeIdentifier="FEEDBACK", identifier=key, showHide="show")
    fill(add(shown, "p"), html)
