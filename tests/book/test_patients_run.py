"""A learner's repaired script runs in a process of its own: whatever it does, a sentence says so."""
from __future__ import annotations

import importlib.util
import os
import time

import pytest

from minigrad.book.classroom.patients import patient
from minigrad.book.classroom.patients.backend import for_minigrad
from minigrad.book.classroom.patients.running import run
from minigrad.book.classroom.reading import Misread

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of a process differ elsewhere")
HAS_TORCH = importlib.util.find_spec("torch") is not None


def test_the_script_itself_and_the_healthy_one_whose_number_is_an_answer():
    one = patient(7)
    for source, name in ((None, "ill"), (one.healthy, "healthy")):
        ran = one.run(source)
        assert abs(ran.number - one.numbers[name]) <= 0.01 * abs(one.numbers[name])
        assert ran.says == ""
        assert ran.output.split()[-1] == str(ran.number)
    assert one.check([one.lines(bug)[0] for bug in one.bugs], ran).right
    assert "raises an error" in repr(one.check([], one.run("1 / 0")))


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch isn't here")
def test_on_pytorch():
    one = patient(7)
    assert one.run(on="torch").number == pytest.approx(one.numbers["ill"], rel=0.01)


@pytest.mark.parametrize("source, says", [
    ("import time\ntime.sleep(100)", "stopped after 2 seconds"),
    ("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
    "stopped after 2 seconds"),
    ("while True: print('x' * 1000)", "printed more than 100 kB"),
    ("import os\nwhile True: os.fork()", "start another process"),
    ("import subprocess\nsubprocess.run(['ls'])", "start another process"),
    ("import os\nos.system('ls')", "start another process"),
    ("import os\nos.kill(os.getppid(), 9)", "send a signal"),
    ("import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1')", "use the network"),
    ("import ctypes\nctypes.string_at(0)", "call a library"),
    ("print(1.)\nexit()", "calls `exit`"),
    ("import os\nprint(1.)\nos._exit(0)", "ended its own process"),
    ("import nothing_like_this", "Line 1 raises an error: ModuleNotFoundError: No module named "
    "'nothing_like_this'"),
    ("import torch\n\ntorch.nothing", "Line 3 raises an error: AttributeError"),
    ("for", "Line 1 raises an error: SyntaxError"),
    ("print(1)\0", "raises an error: SyntaxError"),
    ("def f(): f()\nf()", "RecursionError"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("input()", "EOFError"),
    ("import torch\ntorch.ones(5_000_000_000)", "too much memory"),
    ("open('big', 'wb').write(b'0' * 50_000_000)", "File too large"),
    ("print('hello')", "its last line prints no number"),
    ("print(float('nan'))", "prints nan"),
    ("import warnings\nwarnings.warn('careful')\nprint(1.)", "The script warns: careful"),
    ("", "The script is empty"), ("  \n", "The script is empty"), ("#" * 300_000, "aren't read"),
])
def test_a_strange_script_gets_a_sentence(source, says):
    began = time.monotonic()
    ran = run(source, seconds=2. if "seconds" in says else 20.)
    assert says in ran.says
    assert time.monotonic() - began < 30
    assert says in repr(ran)


@pytest.mark.parametrize("source", [
    "import os\nos.remove({file!r})",
    "import os\nos.rename({file!r}, 'mine')",
    "import os\nos.truncate({file!r}, 0)",
    "import shutil\nshutil.rmtree({folder!r}, ignore_errors=True)\nprint(1.)",
    "import os\nd = os.open({folder!r}, os.O_RDONLY)\nos.unlink('kept.txt', dir_fd=d)",
    "import os\nd = os.open({folder!r}, os.O_RDONLY)\nos.open('kept.txt', os.O_WRONLY | os.O_TRUNC, "
    "dir_fd=d)",
    "open({file!r}, 'w').write('x')",
    "open({folder!r} + '/new.txt', 'w').write('x')",
    "import os\nos.chdir({folder!r})\nopen('new.txt', 'w').write('x')",
    "import os\nos.symlink({folder!r}, 'link')\nopen('link/new.txt', 'w').write('x')",
    "try: open({file!r}, 'w')\nexcept OSError: pass\nprint(1.)",
])
def test_files_of_others_stay_as_they_are(source, tmp_path):
    file = tmp_path / "kept.txt"
    file.write_text("kept", encoding="utf-8")
    ran = run(source.format(file=str(file), folder=str(tmp_path)))
    assert "isn't allowed here" in ran.says
    assert [one.name for one in tmp_path.iterdir()] == ["kept.txt"]
    assert file.read_text(encoding="utf-8") == "kept"


def test_it_may_write_into_its_own_folder():
    ran = run("import torch, tempfile\ntorch.save({'w': torch.ones(2)}, 'best.pt')\n"
              "with tempfile.TemporaryDirectory() as folder:\n    open(folder + '/a', 'w').close()\n"
              "print(torch.load('best.pt')['w'].sum().item())")
    assert (ran.number, ran.says) == (2., "")


@pytest.mark.parametrize("source", [None, 3, b"print(1)", ["print(1)"]])
def test_what_is_no_text_gets_a_sentence(source):
    with pytest.raises(Misread, match="A script is a text"):
        run(source)


def test_an_engine_that_is_none_gets_a_sentence():
    with pytest.raises(Misread, match='runs on "minigrad" or on "torch"'):
        patient(7).run(on="jax")


def test_the_imports_that_are_replaced():
    source = ("import torch   # the engine\nimport torch.nn as nn\nfrom torch.utils.data import DataLoader\n"
              "from torch import nn\nimport torchvision\ntorch_size = 3\nimport torch, os\nimport torch as "
              "t\n")
    assert for_minigrad(source).splitlines() == [
        "import minigrad as torch   # the engine", "import minigrad.nn as nn",
        "from minigrad.utils.data import DataLoader",
        "from minigrad import nn", "import torchvision", "torch_size = 3",
        "import minigrad as torch, os", "import minigrad as t"]
