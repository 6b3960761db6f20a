"""Every program of tests/conformance/ prints what PyTorch 2.13 printed, byte for byte.

Each runs unmodified in a process of its own, with minigrad standing in for torch; all are started before the
first is looked at, a few at a time.
"""
from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conformance import run

FOLDER = Path(run.__file__).parent
NAMES = run.scripts_in(str(FOLDER))


def options(corpus=FOLDER):
    return argparse.Namespace(corpus=str(corpus), module="minigrad", python=sys.executable, timeout=60.0,
                              diff=True, path=[str(FOLDER.parents[1])])


@pytest.fixture(scope="module")
def judged():
    """For each program the future of (name, passed, reason, difference)."""
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        yield {name: pool.submit(run.judge, name, options()) for name in NAMES}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", NAMES)
def test_prints_what_pytorch_printed(judged, name):
    _, passed, reason, difference = judged[name].result()
    assert passed, f"{reason}\n{difference}"


def test_all_programs_are_there():
    assert len(NAMES) == 209


def test_a_difference_is_seen(tmp_path):
    """The judge itself can fail: on another number, on an exception, on output that goes on too long."""
    for number, (program, printed) in enumerate([
            ("print(torch.ones(1))", "tensor([2.])\n"), ("print(1)\nraise ValueError", "1\n"),
            ("print(1)\nprint(2)", "1\n"), ("print(1)", "1\n")]):
        name = f"sample_{number:02}_program"
        (tmp_path / f"{name}.py").write_text(f"import torch\n{program}\n")
        (tmp_path / f"{name}.out").write_text(printed)
        assert run.judge(name, options(tmp_path))[1] == (number == 3)
