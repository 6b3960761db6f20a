"""Node cards: a backward pass without computers (chapter 4). Each card is a node, and somebody holds it.

The graph is the one that the engine recorded, the rule on a card is that of its node, and the key lists the
messages that the engine sent. Cut along the dashed lines.
"""
from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import minigrad as torch

from ...viz.graph.facts import is_tensor
from .keys import said
from .lettering import typ
from .pdf import Form, Made, compiled, converted, save, save_page
from .pictures import run
from .sheets import VARIANTS
from .writing import Page

SMALL = (-3, -2, 2, 3, 4, 5)
LINES = "c = a + b\nd = a * b\ns = c + d\np = c * d\ny = s + p"


@dataclass
class Card:
    number: int
    name: str
    made: str  # the tensor that it made; of a drawer: its leaf
    waits: int  # how many slips must have arrived
    to: list[tuple[int, str]]  # card, and the factor it sends along this arrow
    got: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)


def numbers(seat: str) -> tuple[int, int]:
    """Two small ones; c and d then differ from them and from 0 and 1, so that a wrong slip shows."""
    pairs = [(a, b) for a in SMALL for b in SMALL if a > b and abs(a + b) > 1 and a + b not in (a * b, a, b)]
    return random.Random("cards").sample(pairs, len(VARIANTS))[VARIANTS.index(seat)]


@functools.cache
def recorded(seat: str) -> tuple[dict[str, float], float, list[Card]]:
    """The leaves, the result, and a card per node, after a backward pass of the engine."""
    leaves = {name: torch.tensor(float(value), requires_grad=True)
              for name, value in zip("ab", numbers(seat), strict=True)}
    names = run(LINES, **leaves)
    nodes = [names["y"].grad_fn]
    for node in nodes:
        nodes += [after for after, _ in node.next_functions if after is not None and after not in nodes]
    nodes.sort(key=lambda node: node.next_functions == ())  # the drawers come last
    place = {node: at for at, node in enumerate(nodes, 1)}
    cards = [card(node, place, nodes, names) for node in nodes]
    for node, one in zip(nodes, cards, strict=True):
        node.register_hook(listener(one))
    names["y"].backward()
    for one in cards:
        if not one.to:
            one.got = [names[one.made].grad.item()]
    return {name: leaf.item() for name, leaf in leaves.items()}, names["y"].item(), cards


def card(node, place: dict, nodes: list, names: dict) -> Card:
    arrows = [place[after] for after, _ in node.next_functions]
    waits = sum(after is node for one in nodes for after, _ in one.next_functions)
    leaf = getattr(node, "variable", None)
    made = next(name for name, value in names.items() if is_tensor(value)
                and (value is leaf if leaf is not None else value.grad_fn is node))
    factors = [""] * len(arrows)
    if node.name() == "MulBackward0":
        factors = [said(node._saved_other.item()), said(node._saved_self.item())]
    name = node.name().rpartition(":")[2]
    return Card(place[node], name, made, max(waits, 1), list(zip(arrows, factors, strict=True)))


def listener(one: Card):
    def hear(sent: tuple, got: tuple) -> None:
        one.got = [value.item() for value in got if value is not None]
        one.sent = [value.item() for value in sent if value is not None]
    return hear


def cards(folder: Path, teacher: Path, learners: int, form: Form) -> Iterator[Made]:
    """The sets that a class needs in one PDF; the key for the teacher. No learner is without a card."""
    each = len(recorded(VARIANTS[0])[2]) + 1
    pages = [of_set(seat, form) for seat in islice(cycle(VARIANTS), math.ceil(learners / each))]
    whole = Page("cards", 0, form.wide)
    whole.pictures = {name: svg for page in pages for name, svg in page.pictures.items()}
    pdf = compiled(whole, "\n#pagebreak()\n".join(converted(pages)), "Node cards", form)
    yield save(folder / f"04-cards{form.suffix}.pdf", pdf)
    yield save_page(teacher / f"04-cards-key{form.suffix}.pdf", key(form), "Key to the node cards", form)


def of_set(seat: str, form: Form) -> Page:
    page = Page(seat, 0, form.wide)
    face(page, seat, *recorded(seat))
    return page


def key(form: Form) -> Page:
    page = Page("key", 0, form.wide)
    page.add("# Key to the node cards")
    nodes = len(recorded(VARIANTS[0])[2])
    page.add("Print the sets on **one side** of the paper: the slips are on a second page. A set is for "
             f"{nodes} learners with a card each, and one who hands out the first slip and watches. In a set "
             "that is not full, nobody watches, or one learner holds two drawers.")
    for seat in VARIANTS:
        answers(page, seat, *recorded(seat))
    return page


def face(page: Page, seat: str, start: dict[str, float], result: float, found: list[Card]) -> None:
    given = ", ".join(f"{name} = {said(value)}" for name, value in start.items())
    lines = {one.partition(" ")[0]: one for one in LINES.split("\n")}
    page.typst("#cut-grid(")
    put(page, f"Start · set {seat}", [
        f"These lines ran, with {given}: `{'`, `'.join(lines.values())}`. They gave y = {said(result)}.",
        f"Hand a slip with **1** to card **{seat}{found[0].number}**. A card waits until *all* its "
        "slips have arrived, adds them, and then sends *once*. You are finished when both drawers hold a "
        "number."])
    for one in found:
        blank = "\\_" * 7
        place = f"line `{lines[one.made]}`" if one.to else f"drawer of `{one.made}`"
        title = f"{seat}{one.number} · the {place}"
        boxes = " ".join(["☐"] * one.waits)
        words = [f"Wait for **{one.waits} slip{'s' * (one.waits > 1)}** {boxes}",
                 f"{'Their sum' if one.waits > 1 else 'It says'}: {blank}"]
        if not one.to:
            words += ["It goes into your drawer.", f"**{one.made}.grad** = {blank}"]
        for to, factor in one.to:
            what = f"{factor} times that =" if factor else "the same number,"
            words.append(f"To card **{seat}{to}**: {what} {blank}")
        put(page, title, words)
    page.typst(")")
    page.typst("#slips(24)")


def put(page: Page, title: str, lines: list[str]) -> None:
    page.typst(f"cut-card[{typ(title)}][")
    for line in lines:
        page.add(line)
    page.typst("],")


def answers(page: Page, seat: str, start: dict[str, float], result: float, found: list[Card]) -> None:
    page.keep()
    page.add(f"## Set {seat}: {', '.join(f'{name} = {said(value)}' for name, value in start.items())}; "
             f"y = {said(result)}")
    page.table([["card", "node", "waits for", "sum of its slips", "sends"],
                *([f"{seat}{one.number}", f"{one.name} ({one.made})", str(one.waits),
                   ", ".join(map(said, one.got)),
                   "; ".join(f"{said(value)} to {seat}{to}" for value, (to, _) in zip(one.sent, one.to))
                   or "nothing: it stays in the drawer"] for one in found)])
    page.end()
