"""The three walks of CONTRIBUTING.md lead where they say: through functions that really run, in order.

    python -m tests.engine.test_walks      print every function that the programs call, to write a walk

A step names a file and a function, and no line, so that a line that is added changes no walk.
"""
from __future__ import annotations

import ast
import operator
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import minigrad as torch
from tests import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PLACE = re.compile(r"`(minigrad/[\w/]+\.py)` `([\w.]+)`")


def steps(title):
    """Return (file, function) for each step of the walk under a title."""
    section = PAGE.split(f"### {title}\n")[1].split("\n#")[0]
    return [place for row in re.findall(r"^\| \d+ \|.*$", section, re.MULTILINE)
            for place in PLACE.findall(row)]


@cache
def definitions(file):
    """Return {(name, first line): qualified name} of what a file defines: functions and classes."""
    found = {}

    def visit(node, prefix):
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                inner = f"{prefix}{child.name}"
                first = min([child.lineno, *[one.lineno for one in child.decorator_list]])
                found[child.name, first] = inner
                inner += "."
            visit(child, inner)

    visit(ast.parse((ROOT / file).read_text(encoding="utf-8")), "")
    return found


def matches(wanted, qualified):
    """Return whether "Pass.run" means a function: its name, or the end of its qualified name."""
    return qualified == wanted or qualified.endswith(f".{wanted}")


def calls(program):
    """Run a program; return (file, qualified name, depth) for each function of ours it calls."""
    found, stack = [], []

    def profile(frame, event, _):
        code = frame.f_code
        if not code.co_filename.startswith(str(ROOT / "minigrad")) or not Path(code.co_filename).exists():
            return
        if event == "call":
            stack.append(code)
            file = Path(code.co_filename).relative_to(ROOT).as_posix()
            name = definitions(file).get((code.co_name, code.co_firstlineno), code.co_name)
            found.append((file, name, len(stack)))
        elif event == "return":
            stack.pop()

    sys.setprofile(profile)
    try:
        program()
    finally:
        sys.setprofile(None)
    return found


def forward():
    """Multiply two tensors that are not leaves, so that no AccumulateGrad has to be made for them.

    The first product of a program also prepares what all later ones use; it is not a part of the
    walk.
    """
    x, w = [torch.ones(3, requires_grad=True) * 1 for _ in range(2)]
    x * w
    return calls(lambda: x * w)


def backward():
    (torch.ones(3, requires_grad=True) * 2).sum().backward()
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).sum()
    return calls(y.backward)


def write():
    y = torch.ones(3, requires_grad=True) * 1
    v = y[:2]
    return calls(lambda: (operator.setitem(v, 0, 1), v.grad_fn))


WALKS = {"From `y = x * w` to a recorded node": (forward, 6),
         "From `y.backward()` to `x.grad`": (backward, 8),
         "From `v[0] = 1` to a new history of `v`": (write, 6)}


def test_every_function_that_the_page_names_is_there():
    places = PLACE.findall(PAGE)
    assert len(places) > 20
    for file, name in places:
        assert (ROOT / file).exists(), file
        assert any(matches(name, one) for one in definitions(file).values()), f"{file} has no {name}"


@pytest.mark.parametrize("title", WALKS)
def test_the_steps_run_in_that_order(title):
    run, most = WALKS[title]
    made = iter(run())
    for file, name in steps(title):
        assert any(call == file and matches(name, qualified) for call, qualified, _ in made), (
            f"{file} {name} is not called after the steps before it")
    assert 1 < len(steps(title)) <= most


@pytest.mark.parametrize("title", WALKS)
def test_few_functions_call_each_other_until_the_last_step(title):
    run, most = WALKS[title]
    file, name = steps(title)[-1]
    assert min(depth for call, qualified, depth in run()
               if call == file and matches(name, qualified)) <= most


if __name__ == "__main__":
    for walk, (run, _) in WALKS.items():
        print(f"\n{walk}")
        for file, name, depth in run():
            print(f"{'    ' * depth}`{file}` `{name}`")
