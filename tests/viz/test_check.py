"""`python -m minigrad.viz check` runs a script as it is, and writes a page about its steps."""
import os
import subprocess
import sys
import time

import pytest

import minigrad
from minigrad.viz import watch
from tests import ROOT

TRAINING = """
import sys
import {backend} as torch

def train(steps):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        opt.zero_grad()
        loss = (model(torch.randn(5, 3)) ** 2).mean()
        loss.backward()
        print("step", step, loss.item())
        opt.step()
    print([one.tolist() for one in model.parameters()], [one.grad.tolist() for one in model.parameters()])

if __name__ == "__main__":
    print(__name__, sys.argv[1:], __file__)
    train(int(sys.argv[1]))
"""


@pytest.fixture(params=["minigrad", "torch"])
def backend(request):
    pytest.importorskip(request.param)
    return request.param


@pytest.fixture
def program(tmp_path):
    """Run a script in a folder of its own, plainly or checked."""
    def run(text, *words, check=None):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        (tmp_path / "scripts" / "train.py").write_text(text, encoding="utf-8")
        command = [sys.executable, *(["-m", "minigrad.viz", "check", *check] if check is not None else [])]
        return subprocess.run([*command, os.path.join("scripts", "train.py"), *words], cwd=tmp_path,
                              capture_output=True, text=True, encoding="utf-8",
                              env={**os.environ, "PYTHONPATH": str(ROOT)})
    return run


def test_a_script_that_ends_by_itself_gives_the_same_bits(program, backend):
    text = TRAINING.format(backend=backend)
    plain, checked = program(text, "2"), program(text, "2", check=["--steps", "9"])
    assert (checked.returncode, checked.stdout) == (0, plain.stdout), checked.stderr
    assert "check: A run of model: 2 backward passes, 2 steps of opt (Adam)" in checked.stderr
    assert "times as long as without" in checked.stderr and "Nothing wrong was found" in checked.stderr
    assert "The script was stopped" not in checked.stderr and "Nothing wrong was found. " in checked.stderr


def test_a_script_is_stopped_after_some_steps(program, backend, tmp_path):
    text = TRAINING.format(backend=backend)
    checked = program(text, "100", "--steps", "2", check=[])
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count("step ") == 2
    assert "__main__ ['100']" in checked.stdout
    page = (tmp_path / "train.check.html").read_text(encoding="utf-8")
    assert "2 backward passes, 2 steps of opt (Adam)" in page and "model.2.weight" in page
    for told in (checked.stderr, page):
        assert "Nothing wrong was found in the first 2 steps." in told
        assert "was stopped after the first 2 steps: what it does later was not seen" in told
    assert "`--steps 20` shows more" in checked.stderr


def test_all_optimizers_take_their_steps(program, backend):
    checked = program(f"""
import {backend} as torch
G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
opts = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (G, D)]
while True:
    for opt in opts:
        opt.zero_grad()
        (D(G(torch.ones(1, 2))) ** 2).sum().backward()
        opt.step()
""", check=["--steps", "1", "--save", "page.txt"])
    assert "1 step of opts[0] (SGD), 1 step of opts[1] (SGD)" in checked.stderr


TWO_NAMES = """
import {backend} as torch
teacher, student = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
{names}
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        opt.zero_grad()
        (model(torch.ones(4, 2)) ** 2).sum().backward()
        opt.step()
"""


def test_a_loop_or_a_function_makes_no_module_a_copy_of_itself(program, backend):
    loop = "for model, lr in ((teacher, 0.1), (student, 0.2)):"
    checked = program(TWO_NAMES.format(backend=backend, names=loop), check=[])
    assert "Nothing wrong was found in the first 3 steps." in checked.stderr, checked.stderr
    text = TWO_NAMES.format(backend=backend, names="def train(model):")
    text += "    return loss\n\nloss = train(teacher)\n"
    text = text.replace("(model(torch.ones(4, 2)) ** 2).sum().backward()",
                        "loss = (model(torch.ones(4, 2)) ** 2).sum()\n        loss.backward()")
    checked = program(text, check=[])  # what is given to a function has a second name, too
    assert "Nothing wrong was found in the first 3 steps." in checked.stderr, checked.stderr
    ill = program(TWO_NAMES.format(backend=backend, names="model = teacher\nif True:"), check=[])
    assert "model and teacher are one and the same module" in ill.stderr, ill.stderr


def test_exit_codes_errors_and_streams_are_the_script_s_own(program):
    for text in ("import sys; sys.exit(7)", "raise SystemExit('over')", "import sys; sys.exit()",
                 "def f():\n    1 / 0\n\nprint('a')\nf()", "x = (", "print('\\u00e9')\nassert False, 'no'"):
        plain, checked = program(text), program(text, check=[])
        assert (checked.returncode, checked.stdout) == (plain.returncode, plain.stdout), text
        kept = [line for line in checked.stderr.splitlines() if not line.startswith("check: ")]
        assert kept == plain.stderr.splitlines(), text


def test_what_a_script_sees_is_what_it_would_see(program, tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "beside.py").write_text("value = 3\n", encoding="utf-8")
    text = """
import sys, beside, os, pickle
class Here: pass
print(sys.argv, sys.path[0], __name__, __file__, beside.value, os.getcwd())
print(sys.modules['__main__'].__dict__ is globals())
print(pickle.loads(pickle.dumps(Here())).__class__ is Here, __spec__, __doc__, __package__)
"""
    plain, checked = program(text, "-v", "--", "b"), program(text, "--", "-v", "--", "b", check=[])
    assert checked.stdout == plain.stdout and "No optimizer took a step." in checked.stderr


def test_nothing_stays(program):
    pytest.importorskip("torch")
    text = TRAINING.format(backend="torch") + """
import atexit
from torch.nn.modules import module
optimizer = sys.modules["torch.optim.optimizer"]
atexit.register(lambda: print(len(module._global_forward_hooks), len(module._global_forward_pre_hooks),
                              len(optimizer._global_optimizer_post_hooks),
                              torch.overrides._get_current_function_mode_stack(), torch.__spec__.loader))
"""
    moved = text.replace('if __name__ == "__main__":', "def main():") + "\nmain()\n"
    checked, plain = program(moved, "5", "--steps", "1", check=[]), program(moved, "1")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.splitlines()[-1].startswith("0 0 0 [] <_frozen_importlib_external.SourceFileLoader")
    assert plain.stdout.splitlines()[-1].startswith("0 0 0 []")


def test_a_script_that_is_missing(program, tmp_path):
    ran = subprocess.run([sys.executable, "-m", "minigrad.viz", "check", "nothing.py"], cwd=tmp_path,
                         capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert ran.returncode == 2 and "can't read 'nothing.py'" in ran.stderr
    ran = subprocess.run([sys.executable, "-m", "minigrad.viz"], cwd=tmp_path, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert ran.returncode == 1 and "check [--steps N]" in ran.stderr


def test_a_file_name_is_words(program, tmp_path):
    name = "<img src=x onerror=alert(1)>.py"
    (tmp_path / name).write_text("import minigrad as torch\nnet = torch.nn.Linear(1, 1)\n"
                                 "net(torch.ones(1)).sum().backward()\n", encoding="utf-8")
    ran = subprocess.run([sys.executable, "-m", "minigrad.viz", "check", "--save", "page.html", name],
                         cwd=tmp_path, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert ran.returncode == 0, ran.stderr
    assert "<img src=x" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_watching_costs_is_counted_from_the_first_call_also_when_it_is_forgotten(monkeypatch):
    monkeypatch.setattr("minigrad.viz.watching.run.MOST", 2)
    net, x = minigrad.nn.Linear(2, 1), minigrad.ones(1, 2)
    with watch(net) as run:
        before = time.perf_counter()
        net(x)
        after = time.perf_counter()
        for _ in range(3):
            net(x)
    assert len(run.calls) == 2 and before <= run.began <= after <= run.calls[0].started
