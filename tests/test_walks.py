"""The two walks of CONTRIBUTING.md lead where they say: through functions that really run, in that order."""
from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import minigrad as torch

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEP = re.compile(r"`(minigrad/[\w/]+\.py):(\d+)` `([\w.]+)`")


def steps(title):
    """Return (file, line, function) for each step of the walk under a title."""
    section = PAGE.split(f"### {title}\n")[1].split("\n#")[0]
    return [(file, int(line), name) for file, line, name in STEP.findall(section)]


def calls(program):
    """Run a program; return (file, line, function, depth) for each function of minigrad that it calls."""
    found, stack = [], []

    def profile(frame, event, _):
        code = frame.f_code
        if not code.co_filename.startswith(str(ROOT / "minigrad")):
            return
        if event == "call":
            stack.append(code)
            file = Path(code.co_filename).relative_to(ROOT).as_posix()
            found.append((file, code.co_firstlineno, code.co_name, len(stack)))
        elif event == "return":
            stack.pop()

    sys.setprofile(profile)
    try:
        program()
    finally:
        sys.setprofile(None)
    return found


def operands():
    """Return two tensors that are not leaves, so that no AccumulateGrad has to be made for them."""
    return [torch.ones(3, requires_grad=True) * 1 for _ in range(2)]


def forward():
    x, w = operands()
    return calls(lambda: x * w)


def backward():
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).sum()
    return calls(y.backward)


WALKS = {"From `y = x * w` to a recorded node": (forward, 6),
         "From `y.backward()` to `x.grad`": (backward, 8)}


@pytest.mark.parametrize("title", WALKS)
def test_each_step_names_the_line_of_its_function(title):
    for file, line, name in steps(title):
        source = (ROOT / file).read_text(encoding="utf-8").split("\n")
        pattern = rf" *def {re.escape(name.rpartition('.')[2])}\(|.*\b{re.escape(name)} = lambda"
        right = [number for number, text in enumerate(source, 1) if re.match(pattern, text)]
        assert line in right, f"{name} is at {file}:{right}, not {line}"


@pytest.mark.parametrize("title", WALKS)
def test_the_steps_run_in_that_order(title):
    run, most = WALKS[title]
    made = iter([(file, line, name) for file, line, name, _ in run()])
    for file, line, name in steps(title):
        wanted = (file, line, name.rpartition(".")[2])
        assert any(call == wanted for call in made), f"{wanted} is not called after the steps before it"
    assert 1 < len(steps(title)) <= most


@pytest.mark.parametrize("title", WALKS)
def test_few_functions_call_each_other_until_the_last_step(title):
    run, most = WALKS[title]
    file, line, _ = steps(title)[-1]
    assert min(depth for *place, _, depth in run() if place == [file, line]) <= most
