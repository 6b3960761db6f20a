"""why(): the right cause, the right line, fixes that hold; and nothing wrong where nothing is wrong.

Every program runs on minigrad and, where PyTorch is installed, on PyTorch.
"""
from __future__ import annotations

import importlib
import importlib.util
import linecache
import warnings

import pytest

from minigrad.viz import explain, why
from tests.why_programs import PROGRAMS

BACKENDS = ["minigrad"] + ["torch"] * (importlib.util.find_spec("torch") is not None)
PAIRS = [(backend, name) for backend in BACKENDS for name in PROGRAMS]


def run(backend, text, **scope):
    """The variables of a program, whose text can be read as that of a file."""
    linecache.cache["program.py"] = (len(text), None, text.splitlines(keepends=True), "program.py")
    scope.update(torch=importlib.import_module(backend), why=why, explain=explain, __name__="program")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "program.py", "exec"), scope)
    return scope


def guilty(told):
    return [box.title for box in told.picture.boxes if box.mark == "guilty"]


@pytest.mark.parametrize("backend, name", PAIRS)
def test_the_cause_the_line_and_the_words(backend, name):
    program = PROGRAMS[name]
    told = run(backend, program.text)["told"]
    assert told.cause == program.cause, told.text
    for words in program.says:
        assert words in " ".join(told.sentences)
    lines = [at for at, line in enumerate(program.text.splitlines(), 1) if "# here" in line]
    for line in lines:
        assert f"(program.py:{line}, `" in told.sentences[0]
    assert all(fix.price for fix in told.fixes)
    assert bool(told.fixes) == (program.cause != "healthy")
    assert bool(guilty(told)) == (program.cause not in ("healthy", "no pass", "emptied", "grad()", "no step"))


@pytest.mark.parametrize("backend, name", [pair for pair in PAIRS if PROGRAMS[pair[1]].mended])
def test_a_fix_holds_when_it_is_applied(backend, name):
    run(backend, PROGRAMS[name].mended)
