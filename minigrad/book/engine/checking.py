"""Runs a program on a learner's engine and on minigrad, and says where they first differ."""
from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..verdict import code
from . import on_minigrad
from .programs import Program

PATIENCE = 2.0  # seconds for one program; minigrad needs milliseconds
NAMES = ("Tensor", "no_grad")


class TooSlow(BaseException):
    """An engine's time is over. No learner's `except Exception` catches this."""


def difference(program: Program, tensor: type) -> str | None:
    """What the learner's engine does that it should not do in this program; None: nothing."""
    theirs = {"np": np, "Tensor": tensor, "no_grad": beside(tensor, "no_grad")}
    ours = {"np": np, **{name: getattr(on_minigrad, name) for name in NAMES}}
    if theirs["no_grad"] is None and "no_grad" in program.text:
        return "The check also needs your class `no_grad`; define it in your notebook as a class."
    try:
        with patience(PATIENCE), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            said = compared(program, ours, theirs)
    except TooSlow:
        said = f"Your engine had not finished this program after {PATIENCE:g} seconds."
    return None if said is None else "\n".join(filter(None, (said, *quoted(program.text), program.why)))


def compared(program: Program, ours: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    raised = False
    for statement in program.statements:
        want, got = outcome(statement, ours), outcome(statement, theirs)
        if type(want) is not type(got):
            return about_errors(statement, want, got)
        raised = raised or want is not None
    for expression in () if raised and not program.after_errors else program.look:
        want = numbers(eval(expression, ours))
        try:
            got = numbers(eval(expression, theirs))
        except Exception as error:
            return f"{code(expression)} should be {number(want)}; your engine raised {named(error)}."
        if said := about_values(expression, want, got):
            return said
    return None


def outcome(statement: str, names: dict[str, Any]) -> BaseException | None:
    """What a statement raised, if it raised."""
    try:
        exec(compile(statement, "<program>", "exec"), names)
    except Exception as error:
        return error
    return None


def about_errors(statement: str, want: BaseException | None, got: BaseException | None) -> str:
    line = code(statement)
    if want is None:
        return f"The line {line} should work, but with your engine it raised {named(got)}."
    wanted = code(type(want).__name__)
    if got is None:
        return f"The line {line} should raise a {wanted}, but your engine went on without an error."
    return f"The line {line} should raise a {wanted}, but your engine raised {named(got)}."


def numbers(value: Any) -> Any:
    """The array of a tensor, as a gradient is from chapter 13 on; anything else as it is."""
    return value.data if hasattr(value, "requires_grad") else value


def about_values(expression: str, want: Any, got: Any) -> str | None:
    if want is None or got is None or isinstance(want, bool):
        return None if got is want else f"{code(expression)} should be {number(want)}, and is {number(got)}."
    try:
        values = np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        return f"{code(expression)} should be {number(want)}, and your engine has {code(repr(got))} there."
    if values.shape != want.shape:
        return (f"{code(expression)} should have the shape `{want.shape}`, and has the shape "
                f"`{values.shape}`: it should be {number(want)}, and is {number(values)}.")
    if np.allclose(values, want, rtol=1e-6, atol=1e-9, equal_nan=True):
        return None
    return f"{code(expression)} should be {number(want)}, and is {number(values)}."


def number(value: Any) -> str:
    """A number or an array as a person would write it."""
    if isinstance(value, (np.ndarray, np.number)):
        value = np.round(value, 6).tolist()
    return code(str(value), 90)


def named(error: BaseException) -> str:
    """The name of an error, and its text."""
    return code(f"{type(error).__name__}: {error}", 90)


def quoted(text: str) -> Iterator[str]:
    """The lines of a program, a paragraph each."""
    yield "The program:"
    yield from (f"`{line}`" for line in text.splitlines())


def beside(tensor: type, name: str) -> Any:
    """What somebody's class finds under a name: another class of the same notebook; None: nothing."""
    for method in vars(tensor).values():
        if hasattr(method, "__globals__"):
            return method.__globals__.get(name)
    return None


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise TooSlow inside, at some call, when the time is over."""
    end, before = time.monotonic() + seconds, sys.getprofile()

    def watch(frame: Any, event: str, argument: Any) -> None:
        if time.monotonic() > end:
            sys.setprofile(before)
            raise TooSlow

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)
