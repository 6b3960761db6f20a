"""Looking keeps no tensor alive: not in a frame, not in a traceback, not in a cycle.

Each look runs in a function and at the level of a module. Nothing is collected, and the function is not left,
before the weak references are asked.
"""
from __future__ import annotations

import gc
import importlib
import importlib.util
import linecache
import os
import subprocess
import sys
import weakref
from pathlib import Path
from textwrap import indent

import pytest

import minigrad
from minigrad import viz

ROOT = Path(minigrad.__file__).parents[1]
BACKENDS = ["minigrad"] + ["torch"] * (importlib.util.find_spec("torch") is not None)
LOOKS = {
    "draw": "viz.draw(y)",
    "draw all": "print(viz.draw([y, z], view='maths', show='versions memory places settings gradients'))",
    "draw refuses": """
for wrong in ({"view": "no"}, {"around": "no"}, {"max_nodes": 0}, {"names": 3}, {"around": torch.ones(3)}):
    try:
        viz.draw(y, **wrong)
    except (TypeError, ValueError):
        pass""",
    "why": "viz.why(x); viz.why(y); viz.why(z)",
    "why under watch": """
with viz.watch():
    y.sum().backward(retain_graph=True)
viz.why(x)""",
    "why refuses": """
try:
    viz.why(x, 3)
except TypeError:
    pass""",
    "diff": "viz.diff(y, z)",
    "play": "viz.play(y.sum(), retain_graph=True)",
    "play fails": """
saved = y.exp()
total = (saved * y).sin().sum()
with torch.no_grad():
    saved.add_(1)
try:
    viz.play(total)
except RuntimeError as error:
    viz.explain(error)
del saved, total""",
    "freed": """
y.sum().backward()
try:
    y.sum().backward()
except RuntimeError as error:
    viz.explain(error)""",
    "no history": """
try:
    y.detach().sum().backward()
except RuntimeError:
    viz.explain()""",
    "overwritten": """
total = (y * y).sum()
with torch.no_grad():
    y.add_(1)
try:
    total.backward()
except RuntimeError as error:
    viz.explain(error)
del total""",
    "a view that refuses": """
first, second = x[:2]
with torch.no_grad():
    x -= 0.1
viz.explain(first); viz.why(second)
del first, second""",
    "no gradient": """
try:
    x.grad.zero_()
except AttributeError as error:
    viz.explain(error)""",
    "misspelt": """
try:
    y.bakward()
except AttributeError as error:
    viz.explain(error)""",
    "no name": """
try:
    yy
except NameError as error:
    viz.explain(error)""",
    "leaf written": """
try:
    x += 1
except RuntimeError as error:
    viz.explain(error)""",
    "error from a helper": """
error = raised_by(lambda total: total.backward(), y)
viz.explain(error)
del error""",
}
BODY = """
x = torch.ones(1000, requires_grad=True)
y = x.exp() * 2
z = (x * 3).sin()
gone = [weakref.ref(one) for one in (x, y, z)]
{look}
del x, y, z
alive = [one() is not None for one in gone]
"""


def raised_by(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def source(look):
    return BODY.format(look=LOOKS[look].strip())


@pytest.fixture(params=BACKENDS)
def torch(request):
    found = importlib.import_module(request.param)
    found.nn.Linear(2, 2)(found.ones(1, 2)).sum().backward()  # what PyTorch imports at a first use is its own
    if sys.gettrace() is not None and sys.version_info < (3, 13):
        pytest.skip("a tracer has variables of every frame written back")
    gc.disable()
    yield found
    gc.enable()


@pytest.mark.parametrize("look", LOOKS)
def test_in_a_function(torch, look):
    text = "def program():\n" + indent(source(look) + "return alive", "    ")
    linecache.cache["a_function.py"] = len(text), None, text.splitlines(keepends=True), "a_function.py"
    given = {"torch": torch, "viz": viz, "weakref": weakref, "raised_by": raised_by}
    exec(compile(text, "a_function.py", "exec"), given)
    assert given["program"]() == [False] * 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_at_the_level_of_a_module(backend, tmp_path):
    head = (f"import gc, weakref\nimport {backend} as torch\nfrom minigrad import viz\n"
            "from tests.viz.test_alive import raised_by\ntorch.ones(1, requires_grad=True).exp().backward()\n"
            "gc.collect(); gc.disable()\n")
    parts = [f"{source(look)}if any(alive): print({look!r}, alive, file=sys.stderr)\n" for look in LOOKS]
    program = f"import sys\n{head}{''.join(parts)}print('END')\n"
    (tmp_path / "a_module.py").write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, "a_module.py"], capture_output=True, text=True, check=False,
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (done.stderr, done.stdout.splitlines()[-1]) == ("", "END")


def test_what_locals_gave_the_program_stays(torch):
    y = torch.ones(2, requires_grad=True).exp()
    kept = locals()
    viz.draw(y)
    assert kept["y"] is y


def test_a_debugger_writes_back_what_it_finds(torch):
    """Before Python 3.13 a frame that is being traced gets its variables back from the stored copy."""
    def traced(frame, event, _):
        if event == "line" and "caught" in frame.f_locals:
            viz.explain(frame.f_locals["caught"])
        return traced

    def program():
        y = torch.ones(2, requires_grad=True).exp()
        try:
            y.bakward()
        except AttributeError as error:
            caught = error
        return y, caught

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        y, caught = program()
    finally:
        sys.settrace(before)
    assert y.grad_fn is not None and "bakward" in str(caught)


MEGABYTE = 2 ** 20


def resident():
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux tells the resident memory here")
@pytest.mark.parametrize("look", ["draw", "why", "freed", "play"])
def test_resident_memory_is_flat_over_ten_calls(torch, look):
    text = source(look).replace("1000", "10 * 2 ** 20").replace("\n", "\n        ")
    program = f"def program():\n    for _ in range(10):\n        {text}\n        after.append(resident())\n"
    given = {"torch": torch, "viz": viz, "weakref": weakref, "resident": resident, "after": []}
    exec(compile(program, "a_loop.py", "exec"), given)
    given["program"]()
    assert max(given["after"][1:]) - given["after"][0] < 20  # a tensor has 40 MB
