"""Every program of tests/conformance/ prints what PyTorch 2.13 printed, byte for byte.

Each runs unmodified in a process of its own, with minigrad standing in for torch.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from tests.conformance import run

FOLDER = Path(run.__file__).parent
NAMES = run.scripts_in(str(FOLDER))


def judged(names, corpus=FOLDER):
    """Return {name: (whether it passed, the reason if not, the difference)}."""
    options = argparse.Namespace(corpus=str(corpus), module="minigrad", python=sys.executable,
                                 timeout=60.0,
                                 diff=True, path=[str(FOLDER.parents[1])])
    answers = [run.judge(*answer, options) for answer in run.execute_all(names, options)]
    return {name: rest for name, *rest in answers}


@pytest.fixture(scope="module")
def results():
    return judged(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_prints_what_pytorch_printed(results, name):
    passed, reason, difference = results[name]
    assert passed, f"{reason}\n{difference}"


def test_all_programs_are_there():
    assert len(NAMES) == 76


def test_a_difference_is_seen(tmp_path):
    """The judge itself can fail: on another number, on an exception, on output that goes on too
    long."""
    programs = [("print(torch.ones(1))", "tensor([2.])\n"), ("print(1)\nraise ValueError", "1\n"),
                ("print(1)\nprint(2)", "1\n"), ("print(1)", "1\n")]
    names = [f"sample_{number:02}_program" for number in range(4)]
    for name, (program, printed) in zip(names, programs):
        (tmp_path / f"{name}.py").write_text(f"import torch\n{program}\n", encoding="utf-8")
        (tmp_path / f"{name}.out").write_text(printed, encoding="utf-8")
    assert [passed for passed, *_ in judged(names, tmp_path).values()] == [False, False, False,
                                                                           True]
