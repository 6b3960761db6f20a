"""Says what is wrong with an answer, as a person would: which part, what it is, and what to do.

All texts are in the markup of questions: `code` and **bold**.
"""
from __future__ import annotations

import linecache
import re
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..content.misconceptions import MISCONCEPTIONS
from .reading import as_lists, compact, number, truth
from .verdict import code

if TYPE_CHECKING:
    from .exercise import Exercise, Part, Wrong

PACKAGE = str(Path(__file__).resolve().parents[2])
NOT_THEIRS = (PACKAGE, sysconfig.get_paths()["stdlib"], "site-packages", "dist-packages", "<frozen")
LONGEST = 160  # of the text of an error
NUMBER_WORDS = set("zero one two three four five six seven eight nine ten eleven twelve twenty".split())
THE_REST = "The rest is right."  # of what was said before
LATER_WORDS = re.compile(r" (?:after|at|before|between|by|for|from|if|in|of|on|that|to|when|where|which|with|"
                         r"without)\b.*")
CLAUSES = ("how ", "what ", "whether ")  # "whether the loss falls" takes a singular verb


def about(part: Part, exercise: Exercise) -> str:
    """One sentence about a part of an answer that is not right."""
    if part.says:
        return part.says
    phrase = exercise.named.get(part.name, "your answer")
    if isinstance(part.want, bool) and truth(part.got) is not None:
        return exercise.truths[not truth(part.got)].format(name=part.name)
    if problem := kind_problem(part.got, part.want):
        return f"{capitalised(phrase)} should be {problem}."
    if part.name not in exercise.named:
        return f"{code(short(part.got))} is not right."
    return f"{capitalised(phrase)} {'are' if is_plural(phrase) else 'is'} not {code(short(part.got))}."


def is_plural(phrase: str) -> bool:
    """Whether the words for a part of an answer are a plural: their noun stands before the first preposition.

        is_plural("the drawers after a step")    # True
    """
    noun = LATER_WORDS.sub("", phrase)
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and not noun.startswith(CLAUSES)


def kind_problem(got: Any, want: Any) -> str | None:
    """What an answer should be, where it is of another kind than what is right."""
    if isinstance(want, bool):
        return f"`True` or `False`; {code(short(got))} is neither"
    if isinstance(want, (int, float)) and number(got) is None and not isinstance(got, str):
        return f"a number; {code(short(got))} isn't one"
    if isinstance(want, (int, float)) and isinstance(got, str) and compact(got) in NUMBER_WORDS:
        return "written in digits"
    if isinstance(want, list):
        if not isinstance(got, list):
            return f"a list of {len(want)} values; {code(short(got))} isn't one"
        if len(got) != len(want):
            return f"a list of {len(want)} values; yours has {len(got)}"
    return None


def explained(sentence: str, wrong: Wrong | None) -> str:
    """A sentence and what is to be said to a known wrong answer, with its belief.

    What begins with "That" says what the wrong value is; it goes on after a colon.
    """
    if wrong is None:
        return sentence
    if wrong.says.startswith("That ") and sentence.endswith("."):
        return f"{sentence[:-1]}: {uncapitalised(wrong.says)}"
    return f"{sentence} {against(wrong.belief, wrong.says)}"


def against(belief: str | None, says: str) -> str:
    """The sentence that answers a belief, with the belief quoted as what people expect."""
    if belief is None:
        return says
    return f"Many people expect that {uncapitalised(MISCONCEPTIONS[belief]).rstrip('.')}; " \
           f"but {uncapitalised(says)}"


def uncapitalised(sentence: str) -> str:
    """The sentence as it goes on after a colon; names and code keep their letters."""
    first = re.match(r"[A-Z][a-z]*(?:'[a-z]+)?(?=[\s,])|A(?= )", sentence)
    return sentence[:1].lower() + sentence[1:] if first else sentence


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def short(value: Any) -> str:
    """A value as a person would write it, with six digits."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(map(short, value)) + "]"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(repr, value))) + "}"
    text = str(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def so_far(exercise: Exercise, right: list[str]) -> str:
    """How much is right already, if anything is."""
    of = exercise.parts
    if len(right) == 1 and of == 2:
        phrase = exercise.named[right[0]]
        return f"{capitalised(phrase)} {'are' if is_plural(phrase) else 'is'} right."
    if of < 2 or not right:
        return ""
    if len(right) == of - 1:
        return THE_REST
    return f"So far, {len(right)} of {of} {'is' if len(right) == 1 else 'are'} right."


def aliased(answer: Any) -> str | None:
    """A sentence, if an answer holds one tensor several times: people append `w.grad` after each pass."""
    values = list(answer.values()) if isinstance(answer, Mapping) else answer
    if not isinstance(values, (list, tuple)):
        return None
    places = [value.data_ptr() for value in values if hasattr(value, "data_ptr")]
    if len(places) == len(set(places)):
        return None
    return ("Your answer holds the same tensor several times: a `.grad` is changed in place by each pass, so "
            "every entry shows the last value. Store a copy, such as `.grad.clone()`.")


def raised(error: BaseException) -> str:
    """What a learner's function raised, and in which of its lines; or that an answer can't be read."""
    text = re.sub(r"\s+", " ", str(error).split("\n")[0]).replace("`", "'").strip(" .")
    name = code(f"{type(error).__name__}: {text}" if text else type(error).__name__, LONGEST)
    line = their_line(error)
    if line is None:
        return f"Your answer can't be read: it raised {name}."
    quoted = f", {code(line[1])}," if line[1] else ""
    return f"Your code didn't run to its end: its line {line[0]}{quoted} raised {name}."


def their_line(error: BaseException) -> tuple[int, str] | None:
    """The last line of the learner's that an error passed through: its number and its text; None: no line."""
    trace, line = error.__traceback__, None
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if not any(part in path for part in NOT_THEIRS):
            line = trace.tb_lineno, linecache.getline(path, trace.tb_lineno).strip()
        trace = trace.tb_next
    return line


def kind_of(answer: Any) -> str:
    return code(short(as_lists(answer)))
