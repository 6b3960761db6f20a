"""The shipped stubs say what the live objects are, and an editor and mypy find it there."""
from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import minigrad
from tests import stubs
from tests.helpers import answers, vocabulary
from tests.op_samples.inputs import COPIES, NAMES
from tests.op_samples.measure import Call
from tests.op_samples.rows import all_rows

RUN = "run: python -m tests.stubs --write"


def shipped(module):
    return stubs.path_of(module).read_text(encoding="utf-8")


# --- the stubs and the live objects ------------------------------------------------------

@pytest.mark.parametrize("module", stubs.MODULES)
def test_a_stub_has_the_names_and_the_parameters_of_the_live_objects(module):
    written, live = (stubs.outline(text) for text in (shipped(module), stubs.Stub(module).text))
    assert {name: written.get(name) for name in live} == live, RUN
    assert set(written) == set(live), RUN


def test_no_stub_is_left_over():
    found = set((stubs.ROOT / "minigrad").rglob("*.pyi"))
    assert found == {stubs.path_of(module) for module in stubs.MODULES}, RUN


def test_every_method_of_a_tensor_is_in_its_stub():
    """The comparison above believes tests/stubs.py; this one looks at `Tensor` itself."""
    stubs.load_everything()
    written = {name.partition(".")[2]: parameters
               for name, parameters in stubs.outline(shipped("minigrad.tensor")).items()
               if name.startswith("Tensor.")}
    checked = 0
    for name, value in vars(minigrad.Tensor).items():
        if name == "__getattr__" or name.startswith("_") and name not in stubs.SPECIAL_METHODS:
            continue
        assert name in written, f"Tensor.{name}: {RUN}"
        if inspect.isfunction(value):
            live = list(inspect.signature(value).parameters)
            plain = [one.lstrip("*") for one in written[name]]
            if live != ["self", "args"] and name not in ("__eq__", "__ne__"):
                assert plain == live, f"Tensor.{name}: {RUN}"
                checked += 1
    assert checked > 100
    assert written["grad"] == ["self", "value"]
    assert "def grad(self) -> Tensor | None:" in shipped("minigrad.tensor")
    assert {"__add__", "__radd__", "__iadd__", "exp_", "cumsum", "backward"} <= set(written)


def test_every_name_of_the_vocabulary_is_in_a_stub():
    for part, names in vocabulary.VOCABULARY.items():
        module = {"": "minigrad", "Tensor": "minigrad.tensor"}.get(part, f"minigrad.{part}")
        prefix = ""
        if module not in stubs.MODULES or part == "Tensor":     # a class
            prefix = f"{part}."
        there = set(stubs.outline(shipped(module if module in stubs.MODULES else "minigrad")))
        assert {prefix + name for name in names.split()} - there == set()


# --- mypy --------------------------------------------------------------------------------

PROGRAM = '''\
import minigrad as torch
from minigrad import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(2, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.tanh(self.hidden(x)))


torch.manual_seed(0)
x = torch.randn(32, 2)
y = (x[:, 0] * x[:, 1]).unsqueeze(1)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(f"{epoch} {loss.item():.4f}")
with torch.no_grad():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    print(2 - w ** 2 / 3, w.grad, (w > 1).float().sum(dim=0))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2 * x * grad


@torch.no_grad()
def count(data: torch.Tensor) -> int:
    values, places = data.max(dim=0)
    return data.size(0) + data.shape[-1] + len(values)


v = Square.apply(w).sum()
g, = torch.autograd.grad(v, w, create_graph=True)
if w.grad is not None:
    w.grad.zero_()
w.register_hook(lambda grad: grad * 2).remove()
print(count(x), g.dtype == torch.float64, g.grad_fn, nn.Sequential(model)(x).shape)
pairs = torch.utils.data.TensorDataset(x, y)
for xs, ys in torch.utils.data.DataLoader(pairs, batch_size=8, shuffle=True):
    print(xs.numpy().shape, torch.einsum("ij,ij->", xs, xs), torch.cat([ys, ys], dim=1).topk(1))
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)
optimizer.step()
schedule.step()
for name, parameter in model.named_parameters():
    print(name, parameter.requires_grad, parameter.detach().view(-1).tolist())
'''
MISTAKES = {
    "torch.zeros(2, dtype='float')": "arg-type",
    "x.backwards()": "attr-defined",
    "torch.conv2d(x)": "attr-defined",
    "torch.exp()": "call-arg",
    "x.sum(dims=0)": "call-overload call-arg",
    "torch.optim.SGD(lr=0.1)": "call-arg",
    "x.shape.zero_()": "attr-defined",
    "x.requires_grad_('no')": "arg-type",
}


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Return a function that says what mypy finds in a program that imports minigrad."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("mypy")

    def check(text, *options):
        program = folder / "program.py"
        program.write_text(text, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), *options,
             str(program)], capture_output=True, text=True, encoding="utf-8", cwd=folder,
            env={**os.environ, "MYPYPATH": str(stubs.ROOT), "PYTHONIOENCODING": "utf-8"})
        assert run.returncode in (0, 1), run.stdout + run.stderr
        return run.stdout
    return check


def test_mypy_finds_no_error_in_a_program(mypy):
    assert mypy(PROGRAM).startswith("Success")


def test_the_program_runs(capsys):
    exec(compile(PROGRAM, "program", "exec"), {"__name__": "program"})
    assert "hidden.weight True" in capsys.readouterr().out


def test_mypy_finds_no_error_in_the_stubs(mypy):
    text = "\n".join([f"import {module}" for module in stubs.MODULES]) + "\n"
    assert mypy(text, "--strict").startswith("Success")


def test_mypy_finds_mistakes(mypy):
    head = "import minigrad as torch\nx = torch.ones(2)\n"
    said = mypy(head + "\n".join(MISTAKES) + "\n")
    for line, (text, kinds) in enumerate(MISTAKES.items(), 3):
        assert re.search(rf":{line}: error: .*\[({kinds.replace(' ', '|')})\]", said), (text, said)


def test_mypy_gives_the_table_of_operations_the_types_it_has(mypy):
    """Every row that PyTorch accepts is accepted by mypy, and has the type that it has here.

    The stubs of most operations have no `axis`, NumPy's name of `dim`, as PyTorch's stubs have none.
    """
    recorded = answers.load("op_samples")
    lines = ["import minigrad as t", "nan = inf = 0.0"]
    lines += [f"{name}: t.Tensor = t.ones(1)" for name in [*NAMES, *COPIES]]
    expected = {}
    for row in all_rows():
        call = Call(row)
        if "error" in recorded[row] or "axis=" in row:
            continue
        if call.is_statement:
            lines.append(row)
            continue
        kinds = kind_of_result(call)
        if kinds is not None:
            lines.append(f"reveal_type({row})")
            expected[len(lines)] = row, kinds
    said = mypy("\n".join(lines) + "\n")
    assert "error:" not in said, [line for line in said.split("\n") if "error:" in line]
    revealed = dict(re.findall(r':(\d+): note: Revealed type is "(.*?)"', said))
    assert len(expected) > 800
    for line, (row, kinds) in expected.items():
        shown = revealed[str(line)]
        assert shown == "Any" or any(kind in shown for kind in kinds), (row, shown, kinds)


def kind_of_result(call):
    """Return the names that the type of a row's result may have; None if it fails here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            given = {"t": minigrad, **call.inputs(minigrad)}
            for copy in call.copied:
                given[copy] = given[COPIES[copy]].clone()
            result = eval(call.code, given)
        except Exception:
            return None
    name = type(result).__name__
    if isinstance(result, tuple) and hasattr(result, "indices"):
        return ["ValuesAndIndices"]
    return {"list": ["list", "tuple"]}.get(name, [name])


# --- jedi, which completes in many editors -----------------------------------------------

def jedi_script(text):
    jedi = pytest.importorskip("jedi")
    project = jedi.Project(stubs.ROOT, sys_path=[str(stubs.ROOT), *filter(None, sys.path)])
    return jedi.Script("import minigrad as torch\nx = torch.ones(3)\n" + text, project=project)


@pytest.mark.parametrize("expression", [
    "x", "(x * 2 + 1)", "torch.exp(x)", "x.cumsum(0)", "x.grad", "torch.nn.Linear(1, 1)(x)"])
def test_jedi_completes_a_tensor(expression):
    names = {one.name for one in jedi_script(f"{expression}.").complete()}
    assert {"backward", "grad", "requires_grad_", "sum", "exp_", "cumsum", "topk"} <= names


@pytest.mark.parametrize(("call", "parameters"), [
    ("torch.tensor", "data dtype requires_grad"),
    ("torch.zeros", "dtype requires_grad"),
    ("torch.randn", "generator dtype requires_grad"),
    ("x.backward", "gradient retain_graph create_graph inputs"),
    ("x.sum", "dim keepdim dtype"),
    ("torch.optim.SGD", "params lr momentum"),
    ("torch.nn.Linear", "in_features out_features bias"),
])
def test_jedi_shows_a_signature(call, parameters):
    shown = jedi_script(f"{call}(").get_signatures()[0]
    assert set(parameters.split()) <= {one.name for one in shown.params}


def test_jedi_finds_the_source_of_what_is_public():
    """A stub does not stand between a reader and the source."""
    script = jedi_script("torch.optim.SGD")
    places = [one.module_path.name for one in
              script.infer(3, 13, prefer_stubs=False) if one.module_path]
    assert places == ["sgd.py"]


# --- the package -------------------------------------------------------------------------

def test_the_stubs_are_shipped():
    assert (Path(minigrad.__file__).parent / "py.typed").exists()
    for module in stubs.MODULES:
        source = Path(import_module(module).__file__)
        assert stubs.path_of(module) == source.with_suffix(".pyi")
        ast.parse(shipped(module))
