"""Reads a learner's answer: the same number may come as 3, 3.0, "3", [3] or a tensor, the same truth as 1.

The functions say what an answer means, whatever its form. They don't know what is right.
"""
from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from difflib import get_close_matches
from fractions import Fraction
from numbers import Real
from types import ModuleType
from typing import Any

from .markup import plain

TRUE = {"true", "t", "yes", "y", "right", "correct", "1"}
FALSE = {"false", "f", "no", "n", "wrong", "incorrect", "nottrue", "0"}
THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?")
HOURS = re.compile(r"(?<=[\d.])h(ours?)?$")  # the one unit that an answer of this book has
POWER = re.compile(r"(\d{1,4})(?:\*\*|\^)(\d{1,4})")


class Misread(ValueError):
    """An answer has a form that can't be read; the message says what to do, in the markup of questions."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the message alone, since the lines of the book's code help no learner."""
        return [plain(str(self))]


def as_lists(value: Any) -> Any:
    """Tensors and arrays as lists, tuples as lists; everything else as it is."""
    if isinstance(value, (type, ModuleType)):  # they have a `detach`, but no numbers
        return value
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [as_lists(item) for item in value]
    if isinstance(value, Mapping):
        return {key: as_lists(item) for key, item in value.items()}
    return frozenset(value) if isinstance(value, (set, frozenset)) else value


def is_open(answer: Any) -> bool:
    """Whether a stub was left as it was."""
    if answer is None or answer is ...:
        return True
    if isinstance(answer, (str, set, frozenset)):
        return not answer
    if isinstance(answer, (list, tuple)):
        return all(map(is_open, answer)) if answer else True
    return isinstance(answer, Mapping) and all(map(is_open, answer.values()))


def compact(text: Any) -> str:
    """A text without what doesn't matter: spaces, quotation marks, capital letters."""
    return re.sub(r"[\s`'\"]", "", str(text)).casefold()


def single(value: Any) -> Any:
    """What is in a list of one element, and in that one's list, or the value itself."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def truth(value: Any) -> bool | None:
    """True or False, in any form; None: it is neither."""
    value = single(value)
    if isinstance(value, str):
        word = compact(value).rstrip(".!")
        return True if word in TRUE else False if word in FALSE else None
    return bool(value) if isinstance(value, (bool, int, float)) and value in (0, 1) else None


def number(value: Any) -> float | None:
    """A number, in any form; None: it is none. True and False are none."""
    value = single(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, Real):
        return value if isinstance(value, (int, float)) else float(value)
    if not isinstance(value, str):
        return None
    text = compact(value)
    if THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    text = HOURS.sub("", text)
    try:
        if power := POWER.fullmatch(text):
            return int(power[1]) ** int(power[2])
        return float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def sequence(value: Any) -> Any:
    """A list that was written as a text, "[0, 1, 0]" or "0, 1, 0", as a list; everything else as it is."""
    if isinstance(value, str) and "," in value:
        try:
            return as_lists(ast.literal_eval(value.strip()))
        except (ValueError, SyntaxError):
            return value
    return value


def flat(value: Any) -> list:
    """All elements of a list and of the lists in it."""
    return [one for item in value for one in flat(item)] if isinstance(value, list) else [value]


def shaped(got: Any, want: list) -> Any:
    """`got` in the shape of `want`, where it has as many elements and only the brackets differ."""
    if not isinstance(got, list) or len(flat(got)) != len(flat(want)):
        return got
    elements = iter(flat(got))

    def filled(form: Any) -> Any:
        return [filled(item) for item in form] if isinstance(form, list) else next(elements)

    return filled(want)


def by_name(answer: Mapping, names: Any) -> dict[str, Any]:
    """The entries of a dict under the names that are asked for.

    Raises:
        Misread: an entry is missing, and another one has a name that nobody asked for.
    """
    def key_of(name: Any) -> str:
        return compact(name).replace("_", "")

    given = {key_of(key): value for key, value in answer.items()}
    known = {key_of(name): name for name in names}
    for key in answer:
        if known.keys() - given.keys() and key_of(key) not in known:
            near = get_close_matches(key_of(key), list(known), n=1, cutoff=0.5)
            there = "the fields are " + " and ".join(f"`{name}`" for name in names) if len(known) < 5 else \
                "write your answer in the form that it has in the cell of the exercise"
            raise Misread(f"There is no field `{key}`; " + (f"did you mean `{known[near[0]]}`?" if near
                                                            else f"{there}."))
    return {name: given.get(key_of(name)) for name in names}


def in_order(answer: Any, names: Any, want: list | None = None) -> dict[str, Any]:
    """The values of an answer by name, whether it is a dict or a list in the order of the names.

    Raises:
        Misread: it has too many values, or too few, or no order.
    """
    names = list(names)
    answer = sequence(as_lists(answer))
    if isinstance(answer, Mapping):
        return by_name(answer, names)
    count = len(names)
    if isinstance(answer, frozenset):
        raise Misread(f"A set has no order. Give a list of {count} values.")
    if isinstance(answer, list) and len(answer) != count:
        answer = single(answer) if isinstance(single(answer), list) else answer
        answer = shaped(answer, want) if want else answer
    if isinstance(answer, list) and len(answer) == count:
        return dict(zip(names, answer, strict=True))
    if not isinstance(answer, list) and count == 1:
        return {names[0]: answer}
    has = len(answer) if isinstance(answer, list) else 1
    raise Misread(f"Your answer has {has} value{'s' if has != 1 else ''}, and {count} are asked for.")


def ticked(answer: Any, choices: tuple[str, ...]) -> dict[str, bool]:
    """Which of the choices are in an answer: a set or a list of them, or True and False for each.

    Raises:
        Misread: something else is in it.
    """
    answer = as_lists(answer)
    if isinstance(answer, Mapping):
        answer = [name for name, value in answer.items() if truth(value)]
    if isinstance(answer, list) and len(answer) == len(choices):
        told = [None if isinstance(one, str) and compact(one) in map(compact, choices) else truth(one)
                for one in answer]
        if None not in told:
            return dict(zip(choices, told, strict=True))
    items = answer if isinstance(answer, (list, frozenset)) else [answer]
    known = {compact(choice): choice for choice in choices}
    for item in items:
        if compact(item) not in known:
            near = get_close_matches(compact(item), list(known), n=1)
            raise Misread(f"`{str(item)[:40]}` isn't one of the lines" + (
                f"; did you mean `{known[near[0]]}`?" if near else ". Copy them from the list."))
    return {choice: compact(choice) in map(compact, items) for choice in choices}
