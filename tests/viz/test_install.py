"""`install()` puts a hint under errors of autograd, and neither hides nor changes one."""
import os
import subprocess
import sys

import pytest

from tests import ROOT

HINT = "explain()"
TWICE = """
x = torch.ones(2, requires_grad=True)
loss = (x * x).sum()
loss.backward()
loss.backward()
"""
IN_IPYTHON = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "nocolor")
for cell in {cells!r}:
    print("failed", type(shell.run_cell(cell).error_in_exec).__name__)
"""


@pytest.fixture(params=["minigrad", "torch"])
def opening(request):
    pytest.importorskip(request.param)
    return f"import {request.param} as torch\nimport minigrad.viz\n"


def ran(program):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, env=environment)


def test_a_script_gets_the_hint(opening):
    done = ran(f"{opening}minigrad.viz.install(){TWICE}")
    *_, error, hint = done.stderr.strip().splitlines()
    assert done.returncode == 1 and error.startswith("RuntimeError: Trying to backward through the graph")
    assert hint.startswith("To see what happened") and hint.endswith(HINT)
    assert done.stderr.count(HINT) == 1


def test_another_error_gets_none(opening):
    done = ran(f"{opening}minigrad.viz.install()\nprint(x)")
    assert done.returncode == 1 and done.stderr.endswith("NameError: name 'x' is not defined\n")


def test_uninstall_puts_everything_back(opening):
    if "minigrad as torch" in opening:
        pytest.skip("minigrad's own errors have the hint without install()")
    program = f"""{opening}
import sys
before = sys.excepthook
uninstall = minigrad.viz.install()
assert sys.excepthook is not before
uninstall()
assert sys.excepthook == before
{TWICE}"""
    done = ran(program)
    assert "RuntimeError: Trying to backward" in done.stderr and HINT not in done.stderr


def test_a_failing_explanation_hides_nothing(opening):
    program = f"""{opening}
from minigrad.viz import explain
minigrad.viz.install()
class Hard(RuntimeError):
    __slots__ = ()
    def __setattr__(self, name, value): raise TypeError("no")
    def __str__(self): raise ValueError("no words")
raise Hard("element 0 of tensors does not require grad")"""
    done = ran(program)
    assert done.returncode == 1 and "Hard" in done.stderr.splitlines()[-1]


def test_ipython_gets_the_hint_once(opening):
    pytest.importorskip("IPython")
    cells = [f"{opening}uninstall = minigrad.viz.install()", TWICE, "uninstall()", "1 / 0"]
    done = ran(IN_IPYTHON.format(cells=cells))
    assert done.stdout.count("failed RuntimeError") == done.stdout.count("failed ZeroDivisionError") == 1
    assert done.stdout.count(f"type: from minigrad.viz import explain; {HINT}") == 1


def test_a_notebook_shows_what_install_returns_as_a_sentence():
    assert "<function" not in ran("import minigrad.viz; print(repr(minigrad.viz.install()))").stdout
