"""Compares an answer with what is right, by the kind of what is right: a truth, a number, a word, a list."""
from __future__ import annotations

import math
from typing import Any

from .reading import compact, flat, number, sequence, shaped, single, truth

ALIKE = {"neither": "none", "nothing": "none", "theinput": "input", "inputs": "input", "theoutput": "output",
         "outputs": "output", "theresult": "output", "result": "output"}


def same(got: Any, want: Any, within: float) -> bool:
    """Whether `got` means `want`; numbers may differ by the fraction `within`. Both come from `as_lists`."""
    if isinstance(want, bool):
        return truth(got) is want
    if isinstance(want, (int, float)):
        value = number(got)
        return value is not None and close(value, want, within)
    if isinstance(want, str):
        got = single(got)
        return is_error(got) if want == "error" else word(got) == word(want)
    if isinstance(want, list):
        got = shaped(sequence(got), want)
        return isinstance(got, list) and len(flat(got)) == len(flat(want)) and all(
            same(a, b, within) for a, b in zip(flat(got), flat(want), strict=True))
    return type(got) is type(want) and got == want


def same_kind(got: Any, want: Any) -> bool:
    """Whether `got` has the form of `want`, be it right or wrong. Both come from `as_lists`."""
    if isinstance(want, bool):
        return truth(got) is not None
    if isinstance(want, (int, float)):
        return number(got) is not None
    if isinstance(want, list):
        got = shaped(sequence(got), want)
        return isinstance(got, list) and len(flat(got)) == len(flat(want)) and all(
            map(same_kind, flat(got), flat(want)))
    return isinstance(got, type(want))


def close(got: float, want: float, within: float) -> bool:
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    return math.isclose(got, want, rel_tol=within, abs_tol=within * 1e-3)


def word(value: Any) -> str:
    text = compact(value) if isinstance(value, str) else ""
    return ALIKE.get(text, text)


def is_error(value: Any) -> bool:
    """Whether an answer says "error": the word, an error's name or text, or the error itself."""
    if isinstance(value, str):
        text = compact(value)
        return any(name in text for name in ("error", "exception", "raises")) and not text.startswith("no")
    return isinstance(value, BaseException) or isinstance(value, type) and issubclass(value, BaseException)
