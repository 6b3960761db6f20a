"""The seen half of the bench: right causes and lines, no false claim, no fix that does harm.

How the answers are judged stands in bench/README.md. The held half is run by hand:
`python -m tests.viz.bench.run FOLDER`.
"""
from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.viz.bench.bench import Verdict, Worker, close, judge
from tests.viz.bench.programs import read_programs

PROGRAMS = {program.name: program for program in read_programs(Path(__file__).parent / "bench" / "seen")}
BROKEN = [name for name, program in PROGRAMS.items() if not program.healthy]
HEALTHY = [name for name, program in PROGRAMS.items() if program.healthy]
BACKENDS = ["torch"] * (importlib.util.find_spec("torch") is not None) + ["minigrad"]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each program runs in a fork of a worker")


@pytest.fixture(scope="module", params=BACKENDS)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    made = Worker(request.param)
    yield made
    made.close()


def verdicts_of(name: str, worker: Worker) -> dict[str, Verdict]:
    program = PROGRAMS[name]
    if worker.backend not in program.backends:
        pytest.skip(f"not for {worker.backend}")
    return {v.way: v for watched in (False, True) for v in judge(program, worker, watched, {})}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_found(name: str, worker: Worker) -> None:
    program, found = PROGRAMS[name], verdicts_of(name, worker)
    watched, plain = found["watched"], found["plain"]
    assert watched.cause == "right", watched.text
    assert watched.line, f"none of {sorted(program.lines_to_edit())} is named:\n{watched.text}"
    allowed = {"right", "partly", "honest"} | ({"not found"} if program.watch else set())
    assert plain.cause in allowed, plain.text
    for verdict in found.values():
        assert not verdict.false, verdict.text
        assert not verdict.harmful, verdict.text


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_claimed_about_a_healthy_program(name: str, worker: Worker) -> None:
    for verdict in verdicts_of(name, worker).values():
        assert not verdict.false, verdict.text


@pytest.mark.parametrize("name", BROKEN)
def test_the_program_is_broken_and_the_mended_one_is_not(name: str, worker: Worker) -> None:
    program = PROGRAMS[name]
    if worker.backend not in program.backends:
        pytest.skip(f"not for {worker.backend}")
    broken = worker(program, quiet=True, values=True)
    mended = worker(program, program.edited(program.mended), quiet=True, values=True)
    assert mended["error"] is None and None not in mended["values"]
    assert (broken["error"] is not None) == (program.outcome == "error")
    assert broken["error"] or not close(broken["values"], mended["values"])
