"""A saved part of a tensor, when another part was written: what is said, and the price of the copy."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

INSIDE = """
nn = torch.nn
torch.manual_seed(0)
layer = nn.Linear(1, 1)
def rolled(start, count):
    ys = torch.zeros(start.shape[0], count + 1, 1)
    ys[:, 0] = start
    for t in range(count):
        h = layer(ys[:, t])
        ys[:, t + 1] = h.tanh()
    size.append(ys.element_size() * ys.numel())
    return ys
size = []
"""
OUTSIDE = """
nn = torch.nn
torch.manual_seed(0)
layer = nn.Linear(3, 3)
track = torch.zeros(5, 4, 3)
track[0] = torch.ones(4, 3)
for k in range(4):
    h = layer(track[k])
    track[k + 1] = h.tanh()
size = [track.element_size() * track.numel()]
"""
ROWS = """
nn = torch.nn
layer = nn.Linear(3, 3)
table = torch.ones(4, 3)
taken, other = table[0], table[1]
out = layer(taken)
{write}
"""
END = """
told = None
try:
    {result}.sum().backward()
except RuntimeError as error:
    told = explain(error)
"""
PROGRAMS = {  # text, what was saved, the price's beginning, the write
    "a tensor of a function that returned": (
        INSIDE + END.format(result="rolled(torch.ones(4, 1), 5)"),
        "a tensor of shape (4, 1), a part of a larger one,", "at most ", "ys[:, t + 1] ="),
    "a variable": (OUTSIDE + END.format(result="track"), "a part of track", "", "track[k + 1] ="),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_price_is_that_of_the_tensor_which_the_fix_copies(name, backend):
    text, saved, most, write = PROGRAMS[name]
    scope = run(backend, text)
    told = scope["told"]
    assert f"saved {saved} as `mat1`" in told.sentences[0], told.text
    assert "memory that shares its version was written to in place once, perhaps in another part" in told.text
    variable = write.partition("[")[0]
    copy = f"{variable} = {variable}.clone()"
    fix = next(fix for fix in told.fixes if f"`{copy}`" in fix.words)
    assert fix.price == f"a second tensor of {most}{scope['size'][0]} bytes"
    mended = run(backend, text.replace(write, f"{copy}; {write}"))
    assert mended["told"] is None and float(mended["layer"].weight.grad.abs().sum()) > 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_write_to_the_saved_part_itself_is_told_as_that(backend):
    told = run(backend, ROWS.format(write="taken += 1") + END.format(result="out"))["told"]
    assert "taken was written to in place once" in told.sentences[0] and "another part" not in told.text
    told = run(backend, ROWS.format(write="other += 1") + END.format(result="out"))["told"]
    assert "saved taken as" in told.sentences[0] and "taken was written" not in told.text
    assert "perhaps in another part" in told.sentences[0]
    assert run(backend, ROWS.format(write="other = other + 1") + END.format(result="out"))["told"] is None
