"""An answer as JSON: nothing of the learner's but numbers, words and the lists of them gets through."""
from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

from ...classroom.reading import as_lists

MOST, LONGEST, DEEPEST = 10_000, 20_000, 20  # elements of an answer, letters of a word, lists within lists


class NoData(TypeError):
    """An answer contains something that has no form in JSON, such as a function."""


def as_data(answer: Any, tensors: bool = True) -> Any:
    """The answer as JSON; `tensors` says whether the numbers of a tensor are all that matters of it.

    Raises:
        NoData: the answer contains something else than numbers, words, lists, dicts and sets.
        ValueError: the answer is too large.
    """
    return encoded(answer, tensors, [MOST], 0)


def encoded(value: Any, tensors: bool, room: list[int], depth: int) -> Any:
    room[0] -= 1
    if room[0] < 0 or depth > DEEPEST or isinstance(value, str) and len(value) > LONGEST:
        raise ValueError("the answer is too large")
    if value is None or value is ...:
        return None
    if value is True or value is False:
        return value
    if isinstance(value, (int, float)):  # an object that only claims to be one raises an error here
        return int.__add__(value, 0) if isinstance(value, int) else float.__add__(value, 0.)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, BaseException) or isinstance(value, type) and issubclass(value, BaseException):
        return "error"
    if tensors and not isinstance(value, type) and (hasattr(value, "tolist") or hasattr(value, "detach")):
        return encoded(as_lists(value), tensors, room, depth + 1)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [encoded(one, tensors, room, depth + 1) for one in list(value)[:MOST + 1]]
    if isinstance(value, Mapping):
        return {"dict": [[encoded(key, tensors, room, depth + 1), encoded(one, tensors, room, depth + 1)]
                         for key, one in value.items()]}
    if isinstance(value, (set, frozenset)):
        return {"set": [encoded(one, tensors, room, depth + 1) for one in value]}
    raise NoData(type(value).__name__)


def from_data(data: Any) -> Any:
    """The answer again; a list for a tuple or a tensor."""
    if isinstance(data, list):
        return [from_data(one) for one in data]
    if isinstance(data, dict):
        (kind, rows), = data.items()
        if kind == "set":
            return {one if not isinstance(one, (list, dict)) else str(one) for one in rows}
        return {key if not isinstance(key, (list, dict)) else str(key): from_data(one) for key, one in rows}
    return data
