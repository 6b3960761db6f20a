"""Runs tests that a learner wrote: on one engine, or on all mutants of the zoo.

A test is a function. It takes the class `Tensor` of an engine (and `no_grad`, if it has two parameters), runs
a small program, and returns two things: what it found, and what it should find. Each is a number, an array, a
word such as "error", True, False, None, or a list of these.
"""
from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable, Sequence
from html import escape
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..reading import Misread
from ..saying import kind_of
from ..showing import Shown
from ..verdict import code
from . import SLICES, defined_in, source
from .engine_checks import numbers
from .minigrad_as_engine import tensor_of
from .programs import Program
from .their_notebook import TooSlow, beside, patience
from .zoo import FIRST, ZOO, fresh

LONGEST = 100  # letters of an error
FOUR = 4  # mutants on a page of the zoo
PATIENCE = 1.0  # seconds for one test; the right engine needs milliseconds
PATIENCE_FOR_TRAINING = 30.0  # seconds for one mutant; a tenth of a second is usual
PARTS = defined_in(source(SLICES[-1]))  # the names that a test must leave to the engine
SIGNS = {True: "●", False: "○"}
Test = Callable[..., Any]


class Result(NamedTuple):
    """Whether an engine passed a test, and what the test returned or raised."""

    passed: bool
    says: str


def zoo(page: Any = 1) -> Shown:
    """Show four mutants, each with a program that it gets right. The programs share their first line.

        zoo()           mutants 1 to 4
        zoo(2)          the next four
        zoo("all")      all of them
    """
    pages = -(-len(ZOO) // FOUR)
    if page != "all" and (type(page) is not int or not 1 <= page <= pages):
        raise Misread(f'Call zoo(1) to zoo({pages}), or zoo("all"); this is {kind_of(page)}.')
    chosen = range(1, len(ZOO) + 1) if page == "all" else range(FOUR * page - FOUR + 1, FOUR * page + 1)
    rows = [(at, one.name, program_told(one.right)) for at, one in enumerate(ZOO, 1) if at in chosen]
    after = "" if page in ("all", pages) else f"zoo({page + 1}) shows the next mutants; there are {len(ZOO)}."
    text = "\n".join(f"{at:2}  {name}\n" + "\n".join(f"      {line}" for line in lines)
                     for at, name, lines in rows)
    cells = "".join(row(str(at), escape(name), pre(lines)) for at, name, lines in rows)
    begins = FIRST.strip()
    intro = f"After {begins}, each mutant gets the program below its name right."
    return Shown("\n".join(filter(None, (intro, text, after))),
                 table(("", "this mutant", f"gets this right, after {code_of(begins)}"), cells)
                 + (f"<p>{escape(after)}</p>" if after else ""))


def program_told(one: Program) -> list[str]:
    """The lines of a program after its first one, and what the right engine gives."""
    names: dict[str, Any] = {"Tensor": fresh()}
    names["no_grad"] = beside(names["Tensor"], "no_grad")
    exec(one.text, names)
    found = [f"{look} is {short(eval(look, names))}" for look in one.look]
    *lines, last = one.statements[1:]
    return [*lines, f"{last}  # {', '.join(found)}"]


def train_mutants(train: Callable[[type, type], float] | None = None) -> Shown:
    """Call a function with the classes `Tensor` and `SGD` of each mutant, and show the losses it returns.

    Without a function, list the mutants.
    """
    if train is None:
        text = "\n".join(f"{at:2}  {one.name}" for at, one in enumerate(ZOO, 1))
        return Shown(text, table(("", "the mutant that"), "".join(
            row(str(at), escape(one.name)) for at, one in enumerate(ZOO, 1))))
    if not callable(train):
        raise Misread(f"Give your function, train_mutants(train); this is {kind_of(train)}.")
    rows = []
    for at, one in enumerate(ZOO, 1):
        tensor = fresh(one)
        try:
            with patience(PATIENCE_FOR_TRAINING), np.errstate(all="ignore"):
                said = short(train(tensor, beside(tensor, "SGD")))
        except TooSlow:
            said = f"not finished after {PATIENCE_FOR_TRAINING:g} seconds"
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        rows.append((at, one.name, said))
    text = "\n".join(f"{at:2}  {said:8} {name}" for at, name, said in rows)
    cells = "".join(row(str(at), f"<code>{escape(said)}</code>", escape(name)) for at, name, said in rows)
    return Shown(f"Each mutant trained the nine points. Its last loss:\n{text}",
                 table(("", "last loss", "the mutant that"), cells))


def attack(tests: Sequence[Test]) -> Shown:
    """Run tests on every mutant, and show which mutants are dead.

    A mutant is dead if it fails a test that the right engine passes.
    """
    right, dead = killed(tests)
    failing = [f"The right engine fails {name}: {one.says}" for name, one in right.items() if not one.passed]
    rows = [(at, one.name, dead[one.name]) for at, one in enumerate(ZOO, 1)]
    count = f"Dead mutants: {sum(bool(by) for by in dead.values())} of {len(ZOO)}."
    width = max(len(one.name) for one in ZOO)
    text = "\n".join(f"{at:2} {SIGNS[bool(by)]} {'dead ' if by else 'alive'}  {name:{width}}  {by}".rstrip()
                     for at, name, by in rows)
    cells = "".join(row(str(at), f"{SIGNS[bool(by)]} <b>dead</b>" if by else f"{SIGNS[bool(by)]} alive",
                        escape(name), code_of(by)) for at, name, by in rows)
    notes = "".join(f"<p>{escape(one)}</p>" for one in failing)
    return Shown("\n".join([*failing, text, count]),
                 notes + table(("", "", "the mutant that", "killed by"), cells) + f"<p><b>{count}</b></p>")


def run_tests(tests: Sequence[Test], *engines: Any) -> Shown:
    """Run tests on engines, and say which they pass: `run_tests(tests, Tensor, torch)`.

    An engine is given by its class `Tensor`, or as a whole package, which then runs under the names that the
    learner's engine uses.
    """
    columns = {}
    for one in map(engine_of, engines):
        name = head = heading(one)
        while head in columns:      # two engines of one name
            head = f"{name} {1 + sum(known.startswith(name) for known in columns)}"
        columns[head] = on_engine(tests, one)
    rows = [(test.__name__, [told(results[test.__name__]) for results in columns.values()])
            for test in all_of(tests)]
    count = "; ".join(f"{name} passes {sum(one.passed for one in results.values())} of {len(results)} tests"
                      for name, results in columns.items()) + "."
    width = max(len(name) for name, _ in rows)
    text = "\n".join(f"{name:{width}}  " + "  ".join(f"{head} {one}" for head, one in zip(
        columns, said, strict=True)) for name, said in rows)
    cells = "".join(row(code_of(name), *map(escape, said)) for name, said in rows)
    return Shown(f"{text}\n{count}", table(("test", *columns), cells) + f"<p><b>{count}</b></p>")


def heading(engine: Any) -> str:
    """What an engine is called: "torch" for minigrad and for PyTorch, "broken" for a broken copy."""
    if isinstance(engine, ModuleType):
        return "broken" if engine.__name__.startswith("broken_") else "torch"
    return engine.__name__


def told(one: Result) -> str:
    return f"{SIGNS[one.passed]} {'passes' if one.passed else 'fails'}: {one.says}"


def engine_of(given: Any) -> Any:
    if not isinstance(given, (type, ModuleType)):
        raise Misread(f"Give your class `Tensor`, or `torch`; this is {kind_of(given)}.")
    return given


def on_engine(tests: Sequence[Test], engine: Any) -> dict[str, Result]:
    """Run tests on the engine that is given."""
    if isinstance(engine, ModuleType):
        return results_of(tests, tensor_of(engine), engine.no_grad)
    return results_of(tests, engine, beside(engine, "no_grad"))


def killed(tests: Sequence[Test]) -> tuple[dict[str, Result], dict[str, str]]:
    """What the right engine does in each test; and for each mutant the test that kills it, or nothing.

    The right engine runs once more at the end: a test that remembers its earlier runs must not kill anything.
    """
    first = on_fresh(tests)
    dead = {}
    for one in ZOO:
        results = on_fresh(tests, one)
        dead[one.name] = [name for name, result in results.items() if not result.passed]
    right = {name: min(first[name], result) for name, result in on_fresh(tests).items()}
    return right, {name: next((by for by in failed if right[by].passed), "") for name, failed in dead.items()}


def on_fresh(tests: Sequence[Test], one: Any = None) -> dict[str, Result]:
    """Run each test on an engine of its own."""
    found: dict[str, Result] = {}
    for test in all_of(tests):
        tensor = fresh(one)
        found |= results_of([test], tensor, beside(tensor, "no_grad"))
    return found


def results_of(tests: Sequence[Test], tensor: type, no_grad: Any) -> dict[str, Result]:
    return {test.__name__: result_of(test, tensor, no_grad) for test in all_of(tests)}


def all_of(tests: Any) -> list[Test]:
    """The tests of a list, or the one test that was given without a list."""
    given = [tests] if callable(tests) else tests
    if not isinstance(given, (list, tuple)) or not all(map(callable, given)):
        raise Misread(f"Your tests should be a list of functions; this is {kind_of(tests)}.")
    names = [getattr(test, "__name__", "") for test in given]
    for name in names:
        if names.count(name) > 1:
            raise Misread(f"Two of your tests have the name `{name}`; give each test a name of its own.")
        if name in PARTS:
            raise Misread(f"Your test `{name}` has the name of a part of the engine, and has replaced this "
                          'part. Give the test another name. Then run `engine("14", replace=True)`, or the '
                          "cell of your own engine, to get the part back.")
    return list(given)


def result_of(test: Test, tensor: type, no_grad: Any) -> Result:
    """Run one test on an engine."""
    given = (tensor, no_grad)[:parameters(test)]
    try:
        with patience(PATIENCE), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            returned = test(*given)
    except TooSlow:
        return Result(False, f"it had not finished after {PATIENCE:g} second")
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        return Result(False, f"it raised {said if len(said) <= LONGEST else said[:LONGEST] + '…'}")
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise Misread(f"A test should return two things, what it found and what it should find; "
                      f"`{test.__name__}` returned {kind_of(returned)}.")
    found, expected = returned
    if same(found, expected):
        return Result(True, short(found))
    if isinstance(found, str) != isinstance(expected, str):
        return Result(False, f"it found {short(found)}, and expected {short(expected)}: "
                             "one is a word, and the other is not")
    return Result(False, f"it found {short(found)}, and expected {short(expected)}")


def parameters(test: Test) -> int:
    try:
        count = len(inspect.signature(test).parameters)
    except (TypeError, ValueError):
        count = 0
    if count not in (1, 2):
        raise Misread(f"A test should take `Tensor`, or `Tensor` and `no_grad`; "
                      f"{code(getattr(test, '__name__', 'yours'))} takes {count or 'no'} arguments.")
    return count


def same(found: Any, expected: Any) -> bool:
    found, expected = numbers(found), numbers(expected)
    if isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected))
    if found is None or expected is None:
        return found is expected
    if isinstance(found, str) or isinstance(expected, str):
        return found == expected if isinstance(found, str) and isinstance(expected, str) else False
    try:
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    except (TypeError, ValueError):
        return False
    return found.shape == expected.shape and np.allclose(found, expected, rtol=1e-6, atol=1e-9)


def short(value: Any) -> str:
    """A number, an array or a list of them, as a person would write it."""
    value = numbers(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(short, value))}]"
    if isinstance(value, (np.ndarray, np.number)):
        return str(np.round(value, 6).tolist())
    if isinstance(value, str):
        return f'"{value}"'
    return str(value)


# --- tables ----------------------------------------------------------------------------------------------

def table(heads: Sequence[str], rows: str) -> str:
    return ('<table style="text-align:left"><thead><tr>'
            + "".join(f'<th scope="col" style="text-align:left">{head}</th>' for head in heads)
            + f"</tr></thead><tbody>{rows}</tbody></table>")


def row(*cells: str) -> str:
    return "<tr>" + "".join(f'<td style="text-align:left;vertical-align:top">{cell}</td>'
                            for cell in cells) + "</tr>"


def code_of(name: str) -> str:
    return f"<code>{escape(name)}</code>" if name else ""


def pre(lines: Sequence[str]) -> str:
    return '<pre style="margin:0;text-align:left">' + "\n".join(map(escape, lines)) + "</pre>"
