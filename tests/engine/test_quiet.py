"""Operations give no floating-point warnings, as in PyTorch, and a program's NumPy settings stay as they are.

`quiet` in minigrad/state.py rests on where NumPy and Python keep settings; the first test fails elsewhere.
"""
from __future__ import annotations

import contextvars
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import minigrad as torch
from minigrad import state
from tests import ROOT

CASES = {
    "forward": lambda: torch.zeros(2).log() + torch.tensor(1e38) * 10,
    "several results": lambda: torch.tensor([3e38, -3e38]).std(),
    "in place": lambda: torch.zeros(2).div_(0),
    "backward": lambda: torch.zeros(2, requires_grad=True).log().sum().backward(),
    "recorded backward": lambda: torch.autograd.grad(
        (x := torch.zeros(2, requires_grad=True)).log().sum(), x, create_graph=True),
    "optimizer": lambda: torch.optim.SGD([overflowing()], lr=3e38).step(),
    "conversion": lambda: torch.tensor([1e300], dtype=torch.float64).float(),
}


def overflowing():
    parameter = torch.tensor([3e38], requires_grad=True)
    parameter.grad = -torch.ones(1)
    return parameter


def test_numpy_keeps_its_settings_in_the_context():
    """If this fails, every operation takes 1 us longer: see `quiet` in minigrad/state.py."""
    plain = getattr(sys.flags, "context_aware_warnings", False)
    assert type(state.quiet) is (state.QuietByErrstate if plain else contextvars.Context)


@pytest.mark.parametrize("way", [state.quiet, state.QuietByErrstate()], ids=["here", "plain"])
@pytest.mark.parametrize("case", CASES)
def test_what_raises_in_numpy_is_quiet_here(case, way, monkeypatch):
    for module in [module for name, module in sys.modules.items() if name.startswith("minigrad.")]:
        if getattr(module, "quiet", None) is state.quiet:
            monkeypatch.setattr(module, "quiet", way)
    with np.errstate(all="raise"):
        settings = np.geterr()
        CASES[case]()
        assert np.geterr() == settings
        with pytest.raises(FloatingPointError):
            np.zeros(2) / 0


def test_other_threads_are_quiet_and_keep_their_settings():
    found = []

    def work():
        with np.errstate(all="raise"):
            CASES["forward"]()
            found.append(np.geterr()["divide"])
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["raise"]


def test_a_numpy_that_keeps_them_elsewhere_is_quieted_the_plain_way():
    program = """
import contextvars, sys, warnings
class Context:                          # what is set in it is set everywhere
    copy = lambda self: self
    run = staticmethod(lambda function, *args, **kwargs: function(*args, **kwargs))
import numpy as np
contextvars.Context = Context
before = np.geterr()
import minigrad as torch
from minigrad import state
assert type(state.quiet) is state.QuietByErrstate and np.geterr() == before, state.quiet
warnings.simplefilter("error")
x = torch.zeros(2, requires_grad=True)
x.log().sum().backward()
print(x.grad)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (done.stdout, done.stderr) == ("tensor([inf, inf])\n", "")


def test_a_debugger_may_compute_inside_an_operation():
    found = []

    def profile(frame, event, _):
        if frame.f_code.co_name == "moments" and not found:
            found.append((torch.ones(2) * 2).tolist())
    sys.setprofile(profile)
    try:
        torch.ones(3).std()
    finally:
        sys.setprofile(None)
    assert found == [[2.0, 2.0]]


def test_a_program_s_filters_hold_for_the_warnings_of_an_operation():
    """A Python that keeps filters in the context (`context_aware_warnings`) must find them there."""
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.ones(1).std()
        assert len(caught) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning):
                torch.ones(1).std()


def test_nothing_asks_how_many_references_there_are():
    """Pythons count differently: 3.14 borrows references, and a free-threaded one splits the count."""
    before_3_13 = ROOT / "minigrad/viz/program/frame_variables.py"      # asks on older Pythons alone
    assert "sys.version_info < (3, 13)" in before_3_13.read_text("utf-8")
    assert not [path for path in (ROOT / "minigrad").rglob("*.py")
                if "refcount" in path.read_text("utf-8") and path != before_3_13]


def test_a_thread_that_ended_in_a_mode_leaves_no_trace():
    """Else all operations would look up their thread's state for ever."""
    thread = threading.Thread(target=torch.set_grad_enabled, args=(False,))
    before = len(state.unusual_threads)
    thread.start()
    thread.join()
    assert len(state.unusual_threads) == before
