"""minigrad answers random programs as PyTorch did: 300 recorded programs of each table, so that
PyTorch isn't needed here.

The comparison includes memory: no two gradients, no gradient and another tensor, and nothing that an
optimizer keeps are in the same memory, unless they are in PyTorch, too.
"""
import pytest

from tests.helpers import answers
from tests.random_programs.differences import compare
from tests.random_programs.processes import Worker
from tests.random_programs.programs import TABLES

PROGRAMS = {table: answers.load(f"random_{table}")["programs"] for table in TABLES}


@pytest.fixture(scope="module")
def worker():
    with Worker("minigrad") as worker:
        yield worker


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("start", range(0, 300, 20))
def test_recorded_programs(worker, start, table):
    different = []
    for program in PROGRAMS[table][start:start + 20]:
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
