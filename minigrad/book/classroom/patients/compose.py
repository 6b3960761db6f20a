"""Chooses parts that fit together, and joins them to a healthy script."""
from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from .parts.endings import ENDINGS
from .parts.extras import EXTRAS, Extra
from .parts.loop_parts import LOOPS
from .parts.loss_parts import LOSSES
from .parts.model_parts import MODELS
from .parts.optimizer_parts import OPTIMIZERS
from .parts.part import Part
from .script import Line, Script, filled, lines_of

T = TypeVar("T")
LENGTHS = {"epochs": (24, 30), "steps": (300, 400), "third": (8, 10), "often": (5, 8, 10)}
LONGEST, SHORTEST = 50, 28
TRAINED = Line("#+ trained", frozenset(["trained"]), printed=False)    # a place after the loop


class Chance:
    """Choices that are the same for the same words, with every Python from 3.10 on."""

    def __init__(self, *words: object) -> None:
        self.source = random.Random("/".join(map(str, words)))

    def below(self, count: int) -> int:
        """Return a whole number from 0 to count - 1."""
        return int(self.source.random() * count)

    def one(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """Return one of the items, the heavier the more often."""
        at = self.source.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            at -= weight
            if at < 0:
                return item
        return items[-1]

    def mixed(self, items: Iterable[T]) -> list[T]:
        """Return the items in another order."""
        left, found = list(items), []
        while left:
            found.append(left.pop(self.below(len(left))))
        return found


def compose(chance: Chance, data: Part) -> Script:
    """Return a healthy script about this data, made of parts that fit."""
    while True:
        script = composed(chance, data)
        if SHORTEST <= len(script.numbered()) <= LONGEST:
            return script


def composed(chance: Chance, data: Part) -> Script:
    traits: frozenset[str] = frozenset()
    slots: dict[str, Any] = {name: chance.one(values) for name, values in LENGTHS.items()}
    slots["seed"] = chance.below(90)
    if "digits" in data.gives:    # more would fit each row, and the last digits of the number would be chance
        slots |= {"epochs": 10, "steps": 100, "third": 4, "often": 2, "slow": 0.05, "rate": 0.2}
    chosen: dict[str, Part] = {}
    for kind, parts in (("data", (data,)), ("model", MODELS), ("loss", LOSSES),
                        ("optimizer", OPTIMIZERS), ("loop", LOOPS), ("ending", ENDINGS)):
        part = chance.one([part for part in parts if part.fits(traits)])
        chosen[kind] = part
        traits |= {part.name, *part.gives.split()}
        if traits >= {"norm", "digits"}:    # where Adam would scale up the rounding of gradients that are 0
            traits |= {"norm_of_pixels"}
        choose(chance, slots, part)
        if part.name == "micro":
            slots |= {"rate": 0.3, "slow": 0.1}
        if part.name == "binary":
            slots["outputs"] = 1
    extras = []
    groups: set[str] = set()
    for extra in chance.mixed(EXTRAS)[:1 + chance.below(3)]:
        if extra.fits(traits) and extra.group not in groups:
            extras.append(extra)
            traits |= {extra.name, *extra.gives.split()}
            groups |= {extra.group} - {""}
            choose(chance, slots, extra)
    slots["first_rate"] = slots["adam"] if "adam" in traits else slots["rate" if "sgd" in traits else "slow"]
    slots["width"] = slots.get("wide", slots.get("hidden"))
    return joined(chosen, extras, slots, traits)


def choose(chance: Chance, slots: dict[str, Any], part: Part | Extra) -> None:
    """Choose a value for each slot of a part that has none yet."""
    for name, values in part.slots.items():
        slots.setdefault(name, chance.one(values))


def joined(chosen: dict[str, Part], extras: list[Extra], slots: dict[str, Any],
           traits: frozenset[str]) -> Script:
    """Join the texts of the parts, with the lines of the extras at their places."""
    parts = {kind: lines_of(filled(part.text, slots)) for kind, part in chosen.items()}
    if "two" in traits:
        parts["loop"] = with_second_optimizer(parts["loop"])
    at = {place: [line for extra in extras if place in extra.lines
                  for line in lines_of(filled(extra.lines[place], slots))]
          for place in ("head", "setup", "end")}
    loop = []
    for line in parts["loop"]:
        loop.append(line)
        for extra in extras:
            for role in line.roles & set(extra.lines):
                loop += [replace(more, text=line.indent + more.text)
                         for more in lines_of(filled(extra.lines[role], slots))]
    if not traits & {"modes"}:
        loop = [line for line in loop if "train" not in line.roles]
    if not traits & {"modes"}:
        parts["ending"] = [line for line in parts["ending"] if "eval" not in line.roles]
    body = [*at["head"], *parts["optimizer"], *at["setup"]]
    blocks = [parts["data"], parts["model"], parts["loss"], body, [*loop, *at["end"], TRAINED],
              parts["ending"]]
    lines = header(blocks)
    for block in blocks:
        lines += [Line(""), *block]
    return Script(tuple(lines), traits)


def with_second_optimizer(loop: list[Line]) -> list[Line]:
    """Let the second optimizer empty its drawers and step behind the first."""
    found = []
    for line in loop:
        found.append(line)
        if line.roles & {"zero", "step"}:
            found.append(Line(line.text.replace("optimizer.", "for_head."),
                              frozenset(f"{role}_head" for role in line.roles)))
    return found


def header(blocks: list[list[Line]]) -> list[Line]:
    """Return the imports that the text needs."""
    text = "\n".join(line.text for block in blocks for line in block)
    rows = ["import torch"]
    if "nn." in text.replace("torch.nn.", ""):
        rows.append("import torch.nn as nn")
    if "F." in text:
        rows.append("import torch.nn.functional as F")
    if "DataLoader" in text:
        rows.append("from torch.utils.data import DataLoader, TensorDataset")
    if "digits()" in text or "points()" in text:
        rows += ["", f"from minigrad.book import {'digits' if 'digits()' in text else 'points'}"]
    return lines_of("\n".join(rows))
