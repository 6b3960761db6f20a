"""explain(): right cause, right node, right line, the program's own names; fixes that do what they promise.

Every program runs on minigrad and, where PyTorch is installed, on PyTorch.
"""
from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

import minigrad
from minigrad.viz import explain, watch
from minigrad.viz.drawing import render
from minigrad.viz.drawing.image import svgs_in
from minigrad.viz.errors.scene import Scene
from minigrad.viz.errors.table import TABLE
from tests.helpers.explained_programs import PROGRAMS
from tests.helpers.intended_gradients import INTENDED

BACKENDS = ["minigrad"] + ["torch"] * (importlib.util.find_spec("torch") is not None)
ROOT = Path(minigrad.__file__).parent
PAIRS = [(backend, name) for backend in BACKENDS for name in PROGRAMS]
FIXES = [(backend, name, words) for backend, name in PAIRS for words in PROGRAMS[name].mended]

UNTOLD = ("nan", "hook: size", "hook: type", "hook: dtype")  # PyTorch's frames don't tell the node


def error_of(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*arguments)
        except Exception as error:
            return error
    raise AssertionError("nothing was raised")


@functools.cache
def explained(backend, name):
    return explain(error_of(PROGRAMS[name].run, importlib.import_module(backend)))


def guilty(explanation):
    return [box for box in explanation.picture.boxes if box.mark == "guilty"]


@pytest.mark.parametrize("backend, name", PAIRS)
def test_cause_node_names_and_line(backend, name):
    program = PROGRAMS[name]
    explanation = explained(backend, name)
    words = " ".join(explanation.sentences)
    assert explanation.cause == program.cause
    assert len(explanation.sentences) == 2
    assert "No explanation" not in explanation.text
    for said in program.says:
        assert said in words
    if program.guilty:
        assert program.guilty in [box.title for box in guilty(explanation)]
        assert "[! problem] " in explanation.text
    if program.line and backend == "minigrad":
        source = Path(program.run.__code__.co_filename)
        number = next(at for at, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
                      if line.endswith(f"# {program.line}"))
        assert f"{source.name}:{number}" in words
    assert str(ROOT.parent) not in explanation.text  # nothing of this machine


@pytest.mark.parametrize("backend, name", [(backend, name) for backend, name in PAIRS
                                           if PROGRAMS[name].cause == "freed"])
def test_one_node_is_guilty_of_a_second_pass(backend, name):
    """PyTorch's frames don't show which node failed; the program's text does."""
    explanation = explained(backend, name)
    mine = explained("minigrad", name)
    assert [box.title for box in guilty(explanation)] == [box.title for box in guilty(mine)]
    assert len(guilty(explanation)) == 1
    with watch():
        error = error_of(PROGRAMS[name].run, importlib.import_module(backend))
    assert [box.title for box in guilty(explain(error))] == [box.title for box in guilty(mine)]


@pytest.mark.parametrize("backend, name, words", FIXES)
def test_a_fix_does_what_it_promises(backend, name, words):
    fix = next(fix for fix in explained(backend, name).fixes if words in fix.words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        taken = PROGRAMS[name].mended[words](importlib.import_module(backend))
    stated = re.search(r"([\d,]+) bytes?", fix.price)
    assert (stated is None) == (taken is None), fix.price
    if stated:
        assert int(stated[1].replace(",", "")) == taken


@pytest.mark.parametrize("backend, name", PAIRS)
def test_every_fix_is_tried(backend, name):
    mended = PROGRAMS[name].mended
    for fix in explained(backend, name).fixes:
        assert fix.price
        assert any(words in fix.words for words in mended), fix.words


def test_the_same_words_for_both_up_to_what_pytorch_does_not_tell():
    if "torch" not in BACKENDS:
        pytest.skip("needs PyTorch")
    for name, program in PROGRAMS.items():
        mine, its = explained("minigrad", name), explained("torch", name)
        assert mine.fixes == its.fixes or program.line, name
        assert mine.sentences[0] == its.sentences[0] or program.line or program.cause in UNTOLD, name


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_watch_names_the_lines_that_pytorch_does_not_record(backend):
    torch = importlib.import_module(backend)
    for name in ("twice", "result_overwritten", "step_between"):
        with watch():
            error = error_of(PROGRAMS[name].run, torch)
        lines = Path(PROGRAMS[name].run.__code__.co_filename).read_text(encoding="utf-8").splitlines()
        number = next(at for at, line in enumerate(lines, 1) if line.endswith(f"# {PROGRAMS[name].line}"))
        assert f"explained_programs.py:{number}" in explain(error).sentences[1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_names_are_those_of_the_program_around_a_helper(backend):
    def run(results):
        results().backward()

    def train(torch):
        x = torch.ones(2, requires_grad=True)
        y = x * x
        loss = y.sum()
        loss.backward()
        run(lambda: loss)
    words = explain(error_of(train, importlib.import_module(backend))).text
    assert "(which made y)" in words
    assert "compute y anew" in words


def test_channels_of_a_convolution():
    torch = pytest.importorskip("torch")
    error = error_of(lambda: torch.nn.Conv2d(3, 4, 3)(torch.ones(1, 8, 8, 1)))
    assert "shape [1, 8, 8, 1] with 8 channels" in explain(error).text
    torch.nn.Conv2d(8, 4, 1)(torch.ones(1, 8, 8, 1))
    torch.nn.Conv2d(1, 4, 3)(torch.ones(1, 8, 8, 1).permute(0, 3, 1, 2))


def test_another_exercise_is_no_misspelling():
    def program():
        answer_6b = 3
        return answer_6b + answer_6c  # noqa: F821

    told = explain(error_of(program))
    assert "uses `answer_6c`" in told.text and "nearest" not in told.text


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_leaf_that_was_made_anew(backend):
    torch = importlib.import_module(backend)

    def program():
        w = torch.tensor(2.0, requires_grad=True)
        loss = (w - 5) ** 2
        loss.backward()
        w = torch.tensor(2.0, requires_grad=True)
        w.grad.zero_()

    told = explain(error_of(program))
    assert "loss was computed from another leaf of shape (), which no variable holds any more." in told.text
    assert [fix.words for fix in told.fixes] == [
        "Run the line that computes loss again, and then the pass: both use the new w."]

    w = torch.tensor(2.0, requires_grad=True)
    loss = (w - 5) ** 2
    loss.backward()
    w.grad.zero_()


def test_every_row_of_the_table_has_a_program():
    programs = {program.cause for program in PROGRAMS.values()}
    only_torch = {"channels that do not fit", "sparse gradient"}
    assert {row.name for row in TABLE} == programs | only_torch


# --- other ways to ask

def test_explain_takes_the_last_error(monkeypatch):
    error = error_of(PROGRAMS["twice"].run, minigrad)
    monkeypatch.delattr(sys, "last_exc", raising=False)
    monkeypatch.setattr(sys, "last_value", error, raising=False)
    assert explain().cause == "freed"
    monkeypatch.delattr(sys, "last_value")
    assert explain().text.startswith("There is no error to explain")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_view_that_can_not_be_read_is_explained(backend):
    torch = importlib.import_module(backend)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    p, q = w
    with torch.no_grad():
        w -= 0.1
    assert "The call uses p, output 0 of Unbind" in explain(p).text
    assert "leaf w" in explain(p).twin


@pytest.mark.parametrize("error", [
    ZeroDivisionError("division by zero"), ValueError("strategy: independent of"), KeyError("x"),
    RuntimeError(""), RuntimeError("two\nlines"), ValueError("checkpoint() not found")])
def test_errors_of_others_get_one_clear_line(error):
    def raise_it():
        raise error
    explanation = explain(error_of(raise_it))
    assert explanation.cause == "unknown"
    assert explanation.text.startswith("explain() has no explanation for this error: ")
    assert "\n" not in explanation.text
    assert list(explanation._repr_mimebundle_()) == ["text/html", "text/plain"]


def test_what_is_no_error():
    with pytest.raises(TypeError, match="explain\\(\\) takes an error or a tensor, not a str"):
        explain("freed")
    with pytest.raises(TypeError, match="not an int"):
        explain(3)


def test_the_sentences_and_the_table_of_an_explanation():
    explanation = explained("minigrad", "twice")
    bundle = explanation._repr_mimebundle_()
    assert bundle["text/html"].count("a pass frees what it has used") == 1
    assert re.findall("<th .*?>", bundle["text/html"]) == ["<th scope='col' style='text-align:left'>"] * 2
    assert not [svg for svg in svgs_in(bundle["text/html"]) if "a pass frees" in svg]


def test_a_tall_picture_is_folded_below_the_words():
    def told(times):
        y = x = minigrad.tensor([1.0], requires_grad=True)
        for _ in range(times):
            y = y * x
        y.backward()
        return explain(y).html

    short, tall = told(1), told(8)
    fold = "<details><summary>The picture</summary>"
    assert fold not in short and svgs_in(short)
    assert tall.index("<p>") < tall.index(fold) < tall.index("<img")


def test_large_graphs_keep_the_problem_in_sight():
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(300):
        y = y.sin()
    late = y.exp()
    loss = late.sum()
    late += 1
    explanation = explain(error_of(loss.backward))
    assert [box.title for box in guilty(explanation)] == ["ExpBackward0"]
    assert len(explanation.picture.boxes) < 60


def test_twice_the_graph_is_twice_the_work(monkeypatch):
    calls = []
    made_by = Scene.made_by
    monkeypatch.setattr(Scene, "made_by", lambda scene, node: calls.append(node) or made_by(scene, node))

    def work(size):
        leaves = [minigrad.ones(2, requires_grad=True) for _ in range(size)]
        y = sum(leaf.exp() for leaf in leaves)
        y.sum().backward()
        calls.clear()
        explain(error_of((y * y).sum().backward))
        return len(calls)
    assert work(40) < 2.2 * work(20)


# --- notes

def test_errors_carry_a_note_and_their_text_is_unchanged():
    for name in ("twice", "leaf_written", "detached", "flag", "numpy"):
        error = error_of(PROGRAMS[name].run, minigrad)
        [note] = error.__notes__
        assert note.startswith("To see what happened, ")
        assert "see what" not in str(error)


def test_errors_of_others_carry_none():
    def hook(grad):
        raise ZeroDivisionError("division by zero")
    x = minigrad.tensor([1.0], requires_grad=True)
    x.register_hook(hook)
    assert not getattr(error_of(x.sum().backward), "__notes__", [])


SCRIPT = """
import minigrad as torch, sys
before = len(sys.modules)
x = torch.ones(2, requires_grad=True)
try:
    torch.ones(2) + torch.ones(3)
    x += 1
except RuntimeError as error:
    pass
print('minigrad.viz' in sys.modules, len(sys.modules) - before)
loss = (x * x).sum()
loss.backward()
loss.backward()
"""


def test_neither_minigrad_nor_an_error_loads_pictures(tmp_path):
    done = run_script(tmp_path, SCRIPT)
    assert done.stdout == "False 0\n"
    assert "To see what happened" not in done.stderr


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 prints no notes")
def test_the_note_of_a_script_works_as_it_is_printed(tmp_path):
    program = SCRIPT.replace("import minigrad as torch, ", "import minigrad as torch, minigrad.viz, ")
    note = run_script(tmp_path, program).stderr.splitlines()[-1]
    assert note.startswith("To see what happened, run the program with python -i, and then type: ")
    again = run_script(tmp_path, program, "-i", typed=note.partition("type: ")[2])
    assert "To see what happened, type: from minigrad.viz import explain; explain()" in again.stderr
    assert "script.py:13, `loss.backward()`, reached MulBackward0" in again.stdout


def run_script(folder, program, *options, typed=""):
    (folder / "script.py").write_text(program, encoding="utf-8")
    return subprocess.run([sys.executable, *options, "script.py"], input=typed + "\n", text=True, check=False,
                          capture_output=True, cwd=folder,
                          env={**os.environ, "PYTHONPATH": str(ROOT.parent)})


# --- what the engine remembers

def test_the_engine_remembers_lines_and_no_variables():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    assert y._written_at is None
    y.mul_(2)
    line = y._written_at
    assert (Path(line.filename).name, line.function) == ("test_explain.py",
                                                         "test_the_engine_remembers_lines_and_no_variables")
    assert y[:1]._written_at == y.detach()._written_at == line
    y[0] = 1
    assert y._written_at.line == line.line + 5
    z = (x * x).sum()
    node = z.grad_fn.next_functions[0][0]
    assert node._freed_at is None
    z.backward()
    assert node._freed_at.line == line.line + 10
    held = [type(value) for value in y._counter.place]
    assert [kind.__name__ for kind in held] == ["code", "int"]


def test_accumulation_is_a_write_of_the_backward_call():
    x = minigrad.tensor([1.0], requires_grad=True)
    x.sum().backward()
    assert x.grad._written_at is None
    x.sum().backward()
    line = x.grad._written_at
    assert "x.sum().backward()" in Path(line.filename).read_text(encoding="utf-8").splitlines()[line.line - 1]


# --- in a notebook

def test_in_ipython():
    pytest.importorskip("IPython")
    program = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "NoColor" if hasattr(shell, "colors") else None
for cell in ("import minigrad as torch", "from minigrad.viz import explain",
             "x = torch.ones(2, requires_grad=True)\\nloss = (x * x).sum()", "loss.backward()",
             "# again\\nloss.backward()"):
    result = shell.run_cell(cell, store_history=True, silent=False)
shell.run_cell("words = explain().sentences")
print("SAID", shell.user_ns["words"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT.parent), "HOME": tempfile.gettempdir()})
    said = next(line for line in done.stdout.splitlines() if line.startswith("SAID"))
    assert "cell" in said and "loss.backward()" in said
    assert "x * x" not in said


def test_two_passes_of_one_line_are_no_earlier_run():
    said = explained("minigrad", "twice_in_one_line").text
    assert "earlier run" not in said and "Add retain_graph=True to the first pass." in said


@pytest.mark.parametrize("writes", [False, True])
def test_a_graph_can_be_kept_unless_a_step_writes_to_its_leaves(writes):
    def program():
        p, a = (minigrad.tensor(2., requires_grad=True) for _ in "pa")
        opt = minigrad.optim.SGD([p], lr=0.1)
        (p * p).backward()
        loss = (p if writes else a) * a
        loss.backward()
        opt.step()
        loss.backward()
    said = explain(error_of(program)).text
    assert ("Add retain_graph=True" in said) != writes
    assert "Add the results up" not in said  # there is one


@pytest.mark.skipif(not render.dot_program().exists(), reason="pip install graphviz-pure")
def test_a_page_of_an_explanation_has_the_error_as_its_heading():
    told = explained("minigrad", "twice")
    page = told.forms()[".html"]()
    assert f"<h1>{told.title}</h1>" in page and f"<title>{told.title}</title>" in page


def explained_and_on_again(torch, program):
    """Explain the error of a program that leaves recording switched off, and switch it on."""
    try:
        return explain(error_of(program))
    finally:
        torch.set_grad_enabled(True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_recording_that_is_off_is_told_also_where_no_line_is_known(backend):
    torch = importlib.import_module(backend)

    def program():
        w = torch.ones(2, requires_grad=True)
        getattr(torch, "set_grad" + "_enabled")(False)
        loss = (w * 2).sum()
        loss.backward()

    told = explained_and_on_again(torch, program)
    assert "`torch.is_grad_enabled()` is False" in told.sentences[1]
    assert "Which line switched recording off is not known" in told.sentences[1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_watch_sees_the_line_that_switched_recording_off(backend):
    torch = importlib.import_module(backend)

    def program():
        w = torch.ones(2, requires_grad=True)
        with watch():
            with torch.set_grad_enabled(False):
                torch.set_grad_enabled(True)
            getattr(torch, "set_grad" + "_enabled")(False)  # here
            with torch.no_grad():
                pass
            loss = (w * 2).sum()
        loss.backward()

    told = explained_and_on_again(torch, program)
    line = inspect.getsourcelines(program)[1] + 5
    assert f"A watch last saw it switched off in test_explain.py:{line}, `getattr(" in told.sentences[1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_switch_that_comes_later_or_was_undone_is_not_named(backend):
    torch = importlib.import_module(backend)

    def program():
        w = torch.ones(2, requires_grad=True)
        torch.set_grad_enabled(False)
        torch.set_grad_enabled(True)
        loss = torch.ones(2).sum()
        loss.backward()
        torch.set_grad_enabled(False)
        return w

    assert "set_grad_enabled" not in explain(error_of(program)).text


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_switch_after_the_line_that_raised_is_not_named(backend):
    torch = importlib.import_module(backend)

    def program():
        w = torch.ones(2)
        try:
            w.nothing_of_this_name()
            torch.set_grad_enabled(False)
        except AttributeError:
            loss = (w * 2).sum()
            loss.backward()

    assert "set_grad_enabled" not in explain(error_of(program)).text


# --- the gradient that a fix leaves

def gradients_after(run, torch):
    """Return the .grad of every leaf that is a variable of a program when it ends, by their names."""
    found = {}

    def look(frame, event, _):
        if event == "return" and frame.f_code is run.__code__:
            found.update((name, value.grad) for name, value in frame.f_locals.items()
                         if isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        run(torch)
    finally:
        sys.setprofile(before)
    return {name: grad.tolist() for name, grad in found.items() if grad is not None}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name, words", INTENDED)
def test_a_fix_leaves_the_intended_gradient(name, words, backend):
    torch = importlib.import_module(backend)
    found, meant = gradients_after(PROGRAMS[name].mended[words], torch), INTENDED[name, words](torch)
    assert found.keys() == meant.keys()
    for leaf in meant:
        assert found[leaf] == pytest.approx(meant[leaf], rel=2e-3, abs=2e-4)


@pytest.mark.parametrize(("program", "advice"), [
    ("torch.log2(x)", "Write `x.log() / math.log(2)`."),
    ("torch.acos(x)", "Look at docs/vocabulary.md."),
    ("torch.exp(x, out=x)", "Assign the result: `out = exp(...)`."),
    ("torch.add(x, x, out=x)", "Assign the result: `out = add(...)`.")])
def test_a_name_or_an_option_outside_the_vocabulary_is_never_mended_with_a_near_one(program, advice):
    with pytest.raises((AttributeError, TypeError)) as caught:
        eval(program, {"torch": minigrad, "x": minigrad.ones(2)})
    assert [fix.words for fix in explain(caught.value).fixes] == [advice]
