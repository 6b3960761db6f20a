"""minigrad answers random programs as PyTorch did: 300 recorded programs, so that PyTorch isn't
needed here."""
import pytest

from tests import answers
from tests.random_programs.differences import compare
from tests.random_programs.processes import Worker

PROGRAMS = answers.load("random_programs")["programs"]


@pytest.fixture(scope="module")
def worker():
    with Worker("minigrad") as worker:
        yield worker


@pytest.mark.parametrize("start", range(0, len(PROGRAMS), 20))
def test_recorded_programs(worker, start):
    different = []
    for program in PROGRAMS[start:start + 20]:
        trace = worker.run(program["statements"], program["every"])
        found = compare(program["statements"], program["trace"], trace)
        if found:
            first = found[0]
            source = "\n".join(source for _, source in program["statements"][:first.step + 1])
            different.append(
                f"seed {program['seed']}, after\n{source}\n"
                f"{first.field} of {first.name or 'the statement'}: "
                f"PyTorch {first.want!r}, minigrad {first.got!r}")
    assert not different, f"{len(different)} of 20 programs differ\n\n" + "\n\n".join(different[:3])
