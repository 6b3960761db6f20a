"""why(): the right cause, the right line, fixes that hold; and nothing wrong where nothing is wrong.

Every program runs on minigrad and, where PyTorch is installed, on PyTorch.
"""
from __future__ import annotations

import ast
import importlib
import importlib.util
import linecache
import re
import warnings

import pytest

from minigrad.viz import explain, watch, why
from tests.helpers import why_causes  # noqa: F401  (it enters programs)
from tests.helpers.counting import counted_calls
from tests.helpers.why_meant import EACH, GOT, MEANT, UNMEASURED
from tests.helpers.why_programs import PROGRAMS, START, WATCH

BACKENDS = ["minigrad"] + ["torch"] * (importlib.util.find_spec("torch") is not None)
WATCHING = "with watch()"
PAIRS = [(backend, name) for backend in BACKENDS for name in PROGRAMS]


def run(backend, text, **scope):
    """The variables of a program, whose text can be read as that of a file."""
    linecache.cache["program.py"] = (len(text), None, text.splitlines(keepends=True), "program.py")
    scope.update(torch=importlib.import_module(backend), why=why, explain=explain, watch=watch)
    scope["__name__"] = "program"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "program.py", "exec"), scope)
    return scope


def guilty(told):
    return [box.title for box in told.picture.boxes if box.mark == "guilty"]


@pytest.mark.parametrize("backend, name", PAIRS)
def test_the_cause_the_line_and_the_words(backend, name):
    program = PROGRAMS[name]
    told = run(backend, program.text)["told"]
    assert told.cause == program.cause, told.text
    for words in program.says:
        assert words in " ".join(told.sentences)
    lines = [at for at, line in enumerate(program.text.splitlines(), 1) if "# here" in line]
    for line in lines:
        assert f"(program.py:{line}, `" in told.sentences[0]
    assert all(fix.price for fix in told.fixes)
    assert len(told.fixes) == len(program.fixes), told.text
    assert bool(guilty(told)) == (program.cause not in ("healthy", "no pass", "emptied", "grad()", "no step"))


@pytest.mark.parametrize("backend, name", PAIRS)
def test_every_fix_ends_the_complaint_when_it_is_applied(backend, name):
    program = PROGRAMS[name]
    for fix in program.fixes:
        told = run(backend, program.mended(fix))["told"]
        if fix == WATCH:
            assert program.fixed in told.sentences[0] and WATCHING not in told.text, told.text
        else:
            assert told.cause == ("healthy" if WATCH in program.fixes else program.fixed), told.text


# --- the picture

def cuts(told):
    boxes = told.picture.boxes
    return [(boxes[arrow.tail].title, arrow.label, boxes[arrow.head].title)
            for arrow in told.picture.arrows if arrow.kind == "cut"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name, cut", [
    ("detach", ("enc(X)", "detach()", "constant")), ("item", ("SumBackward0", ".item()", "loss")),
    ("argmax", ("AddmmBackward0", "integers", "best"))])
def test_the_cut_is_drawn(backend, name, cut):
    assert cuts(run(backend, PROGRAMS[name].text)["told"]) == [cut]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_path_from_the_tensor_to_the_result_is_marked(backend):
    told = run(backend, PROGRAMS["dead relu"].text)["told"]
    boxes = told.picture.boxes
    path = [(boxes[arrow.tail].title, boxes[arrow.head].title) for arrow in told.picture.arrows
            if arrow.mark == "path"]
    assert path == [("AccumulateGrad", "SubBackward0"), ("SubBackward0", "ReluBackward0"),
                    ("ReluBackward0", "MulBackward0"), ("MulBackward0", "SumBackward0")]
    assert told.text.count("[path]") == 4


# --- other ways to ask


def test_chapters_can_use_it():
    assert importlib.import_module("minigrad.book").why.__wrapped__ is why


def test_what_is_no_tensor():
    with pytest.raises(TypeError, match="why\\(\\) takes a tensor or a model, not a float"):
        why(1.0)
    with pytest.raises(TypeError, match="why\\(\\) takes a tensor, not a str, as its loss"):
        why(importlib.import_module("minigrad").ones(1), "loss")


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_any_text_nothing_is_guessed(backend):
    torch = importlib.import_module(backend)
    scope = {"w": torch.ones(2, requires_grad=True), "why": why}
    exec("d = w.detach()\ntold = why(w)", scope)
    assert scope["told"].cause == "not used"
    assert "tensors in the variables here" in scope["told"].sentences[1]


# --- looking changes nothing

@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("passes", [0, 1, 2])
def test_no_hook_runs_and_nothing_changes(backend, passes):
    torch = importlib.import_module(backend)
    calls = []
    w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    opt = torch.optim.Adam([w, v], lr=0.1)
    w.register_hook(calls.append)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: calls.append(t) or t):
        h = torch.relu(w * v)
        loss = (h * h).sum()
    h.register_hook(calls.append)
    h.grad_fn.register_hook(lambda *grads: calls.append(grads))
    for _ in range(passes):
        loss.backward(retain_graph=True)
    before, calls[:] = facts(w), []
    for tensor in (w, h, loss, w.detach()):
        why(tensor)
    why(w, loss)
    assert calls == [] and facts(w) == before and len(opt.state) == 0


def facts(tensor):
    grad = tensor.grad
    inside = grad is not None and (grad.tolist(), grad._version)
    return tensor._version, tensor.requires_grad, id(grad), inside


def test_the_work_grows_with_the_graph_and_not_with_its_square():
    torch = importlib.import_module("minigrad")
    counts = []
    for size in (2000, 4000):
        w = torch.zeros(1, requires_grad=True)
        y = w
        for _ in range(size):
            y = y.relu()
        y.sum().backward()
        told, count = counted_calls(lambda: why(w, y))  # noqa: B023
        assert told.cause == "zero"
        counts.append(count)
    assert counts[1] < 2.5 * counts[0]


# --- each fix gives the gradient that was meant

FIXED = [name for name, program in PROGRAMS.items() if any(fix != WATCH for fix in program.fixes)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", [name for name in FIXED if name not in UNMEASURED])
def test_each_fix_gives_what_was_meant(backend, name):
    program = PROGRAMS[name]
    texts = EACH.get(name, [MEANT[name]] * len(program.fixes))
    for fix, text_of_meant in zip(program.fixes, texts, strict=True):
        if fix != WATCH:
            meant = run(backend, START + text_of_meant)["meant"].detach()
            text = program.mended(fix)
            asked = re.findall(r"told = why\(([^\n]*)\)\n", text)[-1].partition(", ")[0]
            scope = run(backend, text)
            got = eval(GOT.get(name, f"{asked}.grad"), scope)
            assert scope["torch"].allclose(got.detach().reshape(meant.shape), meant, atol=1e-5), (got, meant)


def test_every_program_with_a_fix_says_what_was_meant():
    assert set(FIXED) == set(MEANT) & set(FIXED) | set(UNMEASURED)


@pytest.mark.parametrize("name", ["where with sqrt", "where with a division", "log under where",
                                  "best weights"])
def test_the_code_of_a_fix_is_what_was_applied(name):
    program = PROGRAMS[name]
    code, = re.findall(r"`(.*)`", run("minigrad", program.text)["told"].fixes[0].words)
    made = "".join(ast.unparse(ast.parse(program.mended(program.fixes[0]))).split())
    assert "".join(code.split()) in made


def test_a_divisor_that_is_nan_is_not_called_negative():
    """The deviation of one row is NaN; the division that takes it is not to blame."""
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings(), watch():
        warnings.simplefilter("ignore")
        x = torch.tensor([[1., 2.]], requires_grad=True)
        s = x.std(0)
        z = (x - x.mean(0)) / s
        z.pow(2).sum().backward()
        told = why(x).text
    assert "negative" not in told and "StdBackward0" in told


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_the_second_result_of_an_operation_is_looked_at(library):
    torch = pytest.importorskip(library)

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            return second * float("nan")

    with watch():
        x = torch.ones(3, requires_grad=True)
        _, second = Two.apply(x)
        second.sum().backward()
        told = why(x).text
    assert "the gradient was finite when it arrived at TwoBackward" in told
    assert "Run the program again" not in told


EXPERTS = """
a, b = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()])
x = torch.ones(2, 3)
for expert in ORDER:
    opt.zero_grad()
    loss = expert(x).sum()
    loss.backward()
    opt.step()
told = why(b.weight)
"""


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_earlier_passes_used_is_no_fault(backend, watched):
    head, *lines = EXPERTS.splitlines()
    text = "\n".join(["with watch():", *(f"    {line}" for line in lines)]) if watched else EXPERTS
    told = run(backend, text.replace("ORDER", "(a, b, a)"))["told"]
    assert told.cause == "not in the last pass" and not told.fixes
    assert ("but an earlier pass (" in told.text) is watched, told.text
    assert ("a step of opt took it before, and keeps averages of it" in told.text) is not watched
    assert run(backend, text.replace("ORDER", "(a, a, a)"))["told"].cause == "not used"
