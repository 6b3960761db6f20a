"""Pictures for paper: the numbers a learner can work out are blanks, numbered, and the key has them.

What becomes a blank: the number of every result (also of a constant that something was cut off from), what
lies in a drawer, what a saved tab holds, and versions. What stays: the shape of the graph, the names, and the
numbers that the first line put in. A blank looks the same whether its tab is full, freed or changed, or a
drawer is empty, so the look doesn't tell; blanks of one kind are as long as the longest answer needs.
"""
from __future__ import annotations

import copy
import re
from dataclasses import replace

from ...viz.drawing import render
from ...viz.drawing.text_twin import saved_words, twin
from ...viz.graph.model import Box, Picture, Saved, Tensor
from . import picture_letters
from .stored_pictures import StoredPicture

WIDE = 535  # points between the margins of A4
SIGNS = ((8, 20), (8, 14), (6, 13), (6, 9))  # in a blank: at least, and at most; the first that fits
VERSION = 4  # signs in a blank for a version
ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"  # a value in the place of a shape, which is not seen
_made: dict[str, str] = {}  # layouts take time, and a sheet is tried several times
SAME_EITHER_WAY = ("+", "\N{MULTIPLICATION SIGN}")  # their inputs need no numbers
LAYOUTS = (  # the first that is narrow enough: from left to right, closer together, from top to bottom
    {"ranksep": "0.24", "nodesep": "0.14"},
    {"ranksep": "0.1", "nodesep": "0.1"},
    {"ranksep": "0.12", "nodesep": "0.14", "rankdir": "TB"},
)


def with_blanks(picture: Picture | StoredPicture) -> tuple[Picture | StoredPicture, list[tuple[str, str]]]:
    """The picture with blanks, and for each blank what it is about and what belongs there. Blanks are as
    long as the longest answer of their kind, as far as the picture still fits on paper from left to right.
    A picture that was stored has no blanks."""
    if not isinstance(picture, Picture):
        return picture, []
    plain = bare(picture)
    need = {}
    for about, answer in answers_of(picture):
        need[kind_of(about)] = max(len(answer), need.get(kind_of(about), 0))
    tries = [asked(plain, need, *size) for size in SIGNS]
    fitting = (found for layouts in (LAYOUTS[:2], LAYOUTS[2:]) for found in tries
               if any(size_of(drawn(found[0], layout))[0] <= WIDE for layout in layouts))
    return next(fitting, tries[-1])


def numbered(picture: Picture | StoredPicture) -> Picture | StoredPicture:
    """The picture with a number in place of each blank, for large print, which has the blanks below it."""
    if not isinstance(picture, Picture):
        return picture
    blank, _ = asked(bare(picture), {}, 0, 0)
    for box in blank.boxes:
        box.lines = [line for line in box.lines if line != "tensor ()"]
    return blank


def answers_of(picture: Picture) -> list[tuple[str, str]]:
    return asked(bare(picture), {}, 0, 0)[1]


def numbers_of(picture: Picture) -> list[str]:
    """What belongs in the blanks for numbers."""
    return [answer for about, answer in answers_of(picture) if kind_of(about) == "number"]


def asked(plain: Picture, need: dict[str, int], short: int, long: int) -> tuple[Picture, list]:
    """The picture with blanks of at least `short` signs, and at most `long`; and the answers."""
    blank, answers = copy.deepcopy(plain), []

    def ask(about: str, answer: str) -> str:
        kind = kind_of(about)
        answers.append((about, " ".join(answer.split("\n"))))
        signs = VERSION if kind == "version" else min(max(need.get(kind, short), short), long)
        own_line = short < SIGNS[0][0] and kind == "number" and signs > SIGNS[0][0]
        return f"({len(answers)})" + ("\n" if own_line else " ") + "_" * signs

    for at, box in enumerate(blank.boxes):
        if box.tensor is not None:
            made = box.tensor.kind == "interior" or any(arrow.head == at for arrow in blank.arrows)
            _tensor(box, made, ask)
        box.saved = [_tab(box, slots, answer, ask) for slots, answer in _kept(box)]
    return blank, answers


def kind_of(about: str) -> str:
    """What a blank is for: a version, a tab or a number."""
    return "version" if about.startswith("version of ") else "tab" if ", saved by " in about else "number"


def tells(picture: Picture) -> bool:
    """Whether a number that is asked for stands in the picture by chance."""
    blank, answers = asked(bare(picture), {}, 0, 0)
    shown = {line for box in blank.boxes if box.tensor is not None
             for line in [*box.lines, *box.tensor.values.split("\n")]}
    return any(answer in shown for about, answer in answers if kind_of(about) == "number")


def bare(picture: Picture | StoredPicture) -> Picture | StoredPicture:
    """Without caption, legend and notes, which a sheet has in its own words or leaves to the learner, and
    without results that have neither a name nor a number: the arrow goes on to where they are used."""
    if not isinstance(picture, Picture):
        return picture
    plain = copy.deepcopy(picture)
    plain.caption, plain.legend, plain.notes = "", False, []
    used = {arrow.tail for arrow in plain.arrows}
    dull = {at: [arrow for arrow in plain.arrows if arrow.head == at] for at, box in enumerate(plain.boxes)
            if box.kind == "tensor" and not box.tensor.name and not box.tensor.values and at in used}
    dull = {at: arrows[0].tail for at, arrows in dull.items() if len(arrows) == 1}
    kept = [at for at in range(len(plain.boxes)) if at not in dull]
    new = {at: place for place, at in enumerate(kept)}
    plain.arrows = [replace(arrow, tail=new[dull.get(arrow.tail, arrow.tail)], head=new[arrow.head])
                    for arrow in plain.arrows if arrow.head in new]
    plain.boxes = [plain.boxes[at] for at in kept]
    for at, box in enumerate(plain.boxes):
        if box.kind == "op" and box.title in SAME_EITHER_WAY:
            box.arguments = 0
            plain.arrows = [replace(arrow, argument=None) if arrow.head == at else arrow
                            for arrow in plain.arrows]
        box.lines = [] if box.tensor is None and box.kind == "constant" else box.lines
        if box.title == "select" and box.lines[:1] == ["dim = 0"]:  # as in the code: x[1]
            box.title, box.lines = f"[{box.lines[1].rpartition(' ')[2]}]", []
        elif box.title == "stack":
            box.lines = []
    return plain


def _tensor(box: Box, made: bool, ask) -> None:
    tensor, name = box.tensor, box.title
    lines = []
    for line in box.lines:
        words, found, version = line.partition(", version ")
        lines += [words, "version " + ask(f"version of {name}", version)] if found else [line]
    box.lines = lines
    if made and tensor.values:
        tensor = replace(tensor, values=ask(name if tensor.name else "the result", tensor.values))
    if tensor.grad is not None:
        about = f"{tensor.name}.grad" if tensor.name else ".grad"
        tensor = replace(tensor, grad=ask(about, tensor.grad))
    box.tensor = tensor


def _kept(box: Box) -> list[tuple[str, str]]:
    """(slots, answer) for each tab; slots of one operation that hold the same are one tab."""
    found: dict[str, list[str]] = {}
    for item in box.saved:
        found.setdefault(_answer(item), []).append(item.slot)
    return [(", ".join(slots), answer) for answer, slots in found.items()]


def _answer(item: Saved) -> str:
    if item.versions:
        return f"at {item.versions[0]}, now {item.versions[1]}"
    if item.state != "kept" or item.tensor is None:
        return item.state
    return " ".join(filter(None, [item.tensor.name, item.tensor.values or str(item.tensor.shape)]))


def _tab(box: Box, slots: str, answer: str, ask) -> Saved:
    line = ask(f"{slots}, saved by {box.title}", answer)
    return Saved(slots, "kept", Tensor("constant", name=line, shape=(), values=ZERO_WIDTH))


def told(picture: Picture | StoredPicture) -> str:
    """The picture in words for somebody who hears it, with its versions and tabs, and with its blanks."""
    if isinstance(picture, StoredPicture):
        return picture.words
    head, *lines = twin(picture).split("\n")
    for at, box in enumerate(picture.boxes):
        versions = [line for line in box.lines if box.tensor is not None and "version" in line]
        tabs = f"saved: {', '.join(map(saved_words, box.saved))}" if box.saved else ""
        lines[at] = "; ".join(filter(None, [lines[at], *versions, tabs]))
    words = "\n".join([head, *lines]).replace(ZERO_WIDTH, "")
    return re.sub(r"\((\d+)\) ?_*", r"(\1) blank", words)


def svg_of(picture: Picture, widest: float) -> str:
    """The picture as SVG, at most `widest` points wide if that can be, with fonts that any computer has."""
    fitting = (text for text in (drawn(picture, layout) for layout in LAYOUTS) if size_of(text)[0] <= widest)
    return next(fitting, drawn(picture, LAYOUTS[-1]))


def drawn(picture: Picture | StoredPicture, layout: dict[str, str]) -> str:
    if isinstance(picture, StoredPicture):
        return picture.svg
    key = repr((picture, layout))
    if key not in _made:
        _made[key] = picture_letters.fitted(render.svg(picture, twin(picture), **layout))
    return _made[key]


def size_of(svg: str) -> tuple[float, float]:
    """Width and height in points."""
    return tuple(float(re.search(rf'<svg[^>]*\b{side}="([\d.]+)pt"', svg)[1]) for side in ("width", "height"))
