"""Runs a program on a learner's engine and on one that is right, and says where they first differ."""
from __future__ import annotations

import contextlib
import io
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import minigrad

from ..saying import their_line
from ..verdict import code
from . import minigrad_as_engine
from .programs import Program
from .their_notebook import TooSlow, beside, patience, restored

PATIENCE = 2.0  # seconds for one program; minigrad needs milliseconds
IN_A_HURRY = 0.2  # seconds for each of the others, once one program was stopped
NAMES = ("Tensor", "no_grad", "SGD")
NEEDS = {" + ": "__add__", " * ": "__mul__", " - ": "__sub__", " ** ": "__pow__", " @ ": "__matmul__",
         ".tanh(": "tanh", ".relu(": "relu",
         ".cross_entropy(": "cross_entropy", ".backward(": "backward", ".sum(": "sum", ".count(": "count",
         ".detach(": "detach", ".add_(": "add_", ".register_hook(": "register_hook"}
SAVE_A_TENSOR = ("Save a `Tensor`, not an array: a node compares the version of what it saved, and only a "
                 "`Tensor` has one.")


@dataclass(frozen=True)
class Difference:
    """What an engine does that it should not do in a program, and a reason if one fits."""

    says: str
    reason: str = ""
    slow: bool = False


def difference(program: Program, tensor: type, others: Mapping[str, Any] | None = None) -> str | None:
    """What the learner's engine does that it should not do in this program; None: nothing."""
    found = compare(program, minigrad_names(), learner_names(tensor, others))
    return None if found is None else told(program, found)


def told(program: Program, found: Difference) -> str:
    return "\n".join(filter(None, (found.says, *quoted(program.text), found.reason)))


def minigrad_names() -> dict[str, Any]:
    """What a program on minigrad uses."""
    return {"np": np, **{name: getattr(minigrad_as_engine, name) for name in NAMES}}


def learner_names(tensor: type, others: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a program on the learner's engine uses; `others` holds classes that were given with `Tensor`."""
    found = {name: beside(tensor, name) for name in NAMES[1:]}
    return {"np": np, **found, **(others or {}), "Tensor": tensor}


def compare(program: Program, ours: dict[str, Any], theirs: dict[str, Any],
            seconds: float | None = None) -> Difference | None:
    """Run a program among two sets of names; None: both do the same, or the program isn't for this engine."""
    if program.needs and not hasattr(theirs["Tensor"], program.needs):
        return None
    if theirs.get("no_grad", "") is None and "no_grad" in program.text:
        return Difference("The check also needs your class `no_grad`; define it in your notebook as a class.")
    seconds = PATIENCE if seconds is None else seconds
    try:
        with (restored(*theirs.values()), minigrad.set_grad_enabled(minigrad.is_grad_enabled()),
              patience(seconds), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore")):
            return compared(program, ours, theirs)
    except TooSlow:
        return Difference(f"Your engine had not finished this program after {seconds:g} seconds.",
                          program.why_slow, slow=True)


def count_passing(programs: Iterable[Program], ours: dict[str, Any],
                  theirs: dict[str, Any]) -> tuple[int, int, str]:
    """Return how many programs pass, how many there are, and what to say to the first that doesn't."""
    passing = count = 0
    says, seconds = "", None
    for program in programs:
        count += 1
        found = compare(program, dict(ours), dict(theirs), seconds)
        passing += found is None
        if found and not says:
            says = told(program, found)
        if found and found.slow:
            seconds = min(IN_A_HURRY, PATIENCE)
    return passing, count, says


def compared(program: Program, ours: dict[str, Any], theirs: dict[str, Any]) -> Difference | None:
    raised = False
    for statement in program.statements:
        want, got = outcome(statement, ours), outcome(statement, theirs)
        if type(want) is not type(got):
            return about_errors(statement, want, got, theirs, program.why)
        if said := about_results(statement, ours, theirs):
            return Difference(said)
        if said := program.reads and program.reads(ours, theirs):
            return Difference(said)
        raised = raised or want is not None
    for expression in () if raised and not program.after_errors else program.look:
        want = numbers(eval(expression, ours))
        try:
            got = numbers(eval(expression, theirs))
        except Exception as error:
            return Difference(f"{code(expression)} should be {number(want)}; your engine raised "
                              f"{named(error)}.", program.why)
        if said := about_values(expression, want, got):
            return Difference(said, program.why)
    return None


def outcome(statement: str, names: dict[str, Any]) -> BaseException | None:
    """What a statement raised, if it raised."""
    try:
        exec(compile(statement, "<program>", "exec"), names)
    except (Exception, SystemExit) as error:
        return error
    return None


# --- what to say --------------------------------------------------------------------------------------------

def about_errors(statement: str, want: BaseException | None, got: BaseException | None,
                 theirs: dict[str, Any], why: str) -> Difference:
    """Say which of the two raised an error; the reason of a program fits only where an error was expected."""
    line = code(statement)
    if want is None:
        return Difference(f"The line {line} should work, but with your engine it raised {named(got)}"
                          f"{in_their_line(got)}.",
                          what_is_missing(statement, theirs["Tensor"], got, why)
                          if "Tensor" in theirs else "")
    wanted = code(type(want).__name__)
    if got is None:
        return Difference(f"The line {line} should raise a {wanted}, but your engine went on without an "
                          "error.", why)
    return Difference(f"The line {line} should raise a {wanted}, but your engine raised {named(got)}"
                      f"{in_their_line(got)}.",
                      "" if isinstance(got, (AttributeError, TypeError, NameError)) else why)


def in_their_line(error: BaseException) -> str:
    """The words that quote the learner's line that raised an error; an empty text: its source isn't known."""
    _, text = their_line(error) or (0, "")
    return f", in your line {code(text, 90)}" if text else ""


def what_is_missing(statement: str, tensor: type, error: BaseException, why: str = "") -> str:
    """Why a line that should work raised an error, where the class or the error shows it."""
    if isinstance(error, RecursionError):
        return "A method calls itself again and again, until Python stops it."
    if "Tensor(" in statement and tensor.__init__ is object.__init__:
        return "Your class has no `__init__` yet, so it takes no arguments."
    if "Tensor(" in statement and isinstance(error, TypeError) and "__init__()" in str(error):
        return "The class should take a number, and a second argument that may be left out: " \
               "`Tensor(data, requires_grad=False)`."
    for sign, method in NEEDS.items():
        if sign in statement and not hasattr(tensor, method):
            return f"Your class has no `{method}` yet."
    said = str(error)
    if isinstance(error, ValueError) and any(word in said for word in ("mismatch", "broadcast", "shape")):
        return ("Two shapes don't fit. Write down the shape of the message, of what was saved, and of the "
                "tensor that receives the result.")
    if isinstance(error, AttributeError) and "ndarray" in said and "'version'" in said:
        return SAVE_A_TENSOR
    if isinstance(error, ValueError) and "truth value" in said:
        if ".step(" in statement:
            return "A gradient is an array, so `if p.grad:` can't decide. Write `if p.grad is not None:`."
        if raised_in(error, "__init__", "record"):
            return SAVE_A_TENSOR
        return "`if` and `max` compare single numbers. `np.maximum(a, 0)` and `a > 0` compare every element."
    if ".step(" in statement and "leaf" in said:
        return "`step` writes to leaves that require a gradient. Such a write belongs under `no_grad`."
    if isinstance(error, ValueError) and "values to unpack" in said:
        return "Change every line that makes an edge or takes one apart: all edges need the same parts."
    skips = isinstance(error, TypeError) and "NoneType" in said and ".step(" in statement
    return why if skips or isinstance(error, RuntimeError) else ""   # theirs refuses what should work


def raised_in(error: BaseException, *names: str) -> bool:
    """Whether an error was raised in a function or a method of one of these names."""
    called = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    return next((name for name in reversed(called) if name[0] != "<"), "") in names


def about_results(statement: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    """Say so, if a line made something of another kind than it should: people print, and forget `return`."""
    for name in re.findall(r"\b(\w+) = ", statement):
        want, got = ours.get(name), theirs.get(name)
        if want is not None and got is None:
            return (f"After the line {code(statement)}, `{name}` is `None`. A method without `return` gives "
                    "`None`, and so does one that prints its result.")
        if isinstance(want, ours.get("Tensor", ())) and isinstance(
                got, (bool, int, float, complex, str, list, tuple, dict, np.ndarray, np.generic)):
            return (f"After the line {code(statement)}, `{name}` should be a `Tensor`, and it is "
                    f"{code(repr(got))}. Let the method return a new `Tensor` that holds the number.")
    return None


def numbers(value: Any) -> Any:
    """The array of a tensor, as a gradient is from chapter 13 on; anything else as it is."""
    return value.data if hasattr(value, "requires_grad") else value


def about_values(expression: str, want: Any, got: Any) -> str | None:
    if want is None or got is None or isinstance(want, bool):
        return None if got is want else f"{code(expression)} should be {number(want)}, and is {number(got)}."
    wanted, want = number(want), np.asarray(want, dtype=float)
    try:
        values = None if isinstance(got, (str, bytes)) else np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        values = None
    if values is None:
        return f"{code(expression)} should be {wanted}, and your engine has {code(repr(got))} there."
    if values.shape != want.shape and not isinstance(got, list):
        return (f"{code(expression)} should have the shape `{want.shape}`, and has the shape "
                f"`{values.shape}`: it should be {wanted}, and is {number(values)}.")
    if values.shape == want.shape and np.allclose(values, want, rtol=1e-6, atol=1e-9, equal_nan=True):
        return None
    return f"{code(expression)} should be {wanted}, and is {number(got)}."


def number(value: Any) -> str:
    """A number or an array as a person would write it."""
    if isinstance(value, (np.ndarray, np.number)):
        value = np.round(value, 6).tolist()
    return code(str(value), 90)


def named(error: BaseException) -> str:
    """The name of an error, and its text."""
    text = str(error)
    return code(f"{type(error).__name__}: {text}" if text else type(error).__name__, 90)


def quoted(text: str) -> Iterator[str]:
    """The lines of a program, a paragraph each."""
    yield "The program:"
    yield from (f"`{line}`" for line in text.splitlines())
