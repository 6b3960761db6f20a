"""The engine that learners write: its reference versions, how they are loaded, and what a check accepts."""
import ast
import contextlib
import difflib
import io
import linecache
import sys

import numpy as np
import pytest

import minigrad as torch
import minigrad.book
from minigrad.book.classroom import progress as stored
from minigrad.book.classroom.engine import (
    LOADED,
    SLICES,
    as_html,
    before,
    defined_in,
    engine,
    engine_checks,
    source,
    steps,
)
from minigrad.book.classroom.engine.engine_checks import difference
from minigrad.book.classroom.engine.programs import EXAMPLES, programs
from minigrad.book.classroom.engine.slice_exercises import ENGINE_EXERCISES, reference, reference_names
from minigrad.book.classroom.engine.written import is_written
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.helping import solution_text
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.verdict import as_text
from minigrad.book.content.chapters import exercise
from tests.book.closure_engine import CLOSURES
from tests.helpers.stored_chapters import load


@pytest.fixture(autouse=True)
def nothing_stored(monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    stored.progress.remembered = stored.fresh()
    LOADED.clear()


def said(number, tensor):
    """What the check says to a class; None: it is right. The slice of chapter 10 has three checks."""
    keys = ("10e1", "10e2", "10e3") if number == 10 else (f"{number}e",)
    return next(filter(None, (first_wrong(exercise(key), tensor, None) for key in keys)), None)


def defined(text):
    names = {}
    exec(text, names)
    return names


# --- the reference versions -----------------------------------------------------------------------------

@pytest.mark.parametrize("number", SLICES)
def test_a_reference_is_right_and_the_one_before_is_not(number):
    assert said(number, reference(number)) is None
    if before(number):
        assert said(number, reference(before(number)))


@pytest.mark.parametrize("number", SLICES[1:])
def test_a_reference_is_the_one_before_with_a_short_slice(number):
    old, new = lines_of(before(number)), lines_of(number)
    compared = list(difflib.ndiff(old, new))
    assert 4 <= len(new) - len(old) <= {5: 18, 8: 15, 9: 16, 10: 24, 13: 15}.get(number, 12)
    changed = sum(line.startswith("- ") for line in compared)
    # Chapter 5 goes from numbers to arrays, and leaves out what the network alone needed.
    assert changed <= (16 if number == 5 else 13 if number >= 10 else 9), "the slice changes too much"


def lines_of(number):
    return [line for line in source(number).splitlines() if line.strip()]


@pytest.mark.parametrize("number", SLICES)
def test_a_reference_fits_on_a_page(number):
    assert len(lines_of(number)) <= (140 if number <= 10 else 165)
    assert max(map(len, lines_of(number))) <= 88
    assert lines_of(number)[0].startswith(f"# Your engine after chapter {number}: ")


@pytest.mark.parametrize("number", SLICES)
def test_a_reference_goes_as_deep_as_memory_allows(number):
    tensor = reference(number)
    x = y = tensor(1.0, requires_grad=True)
    for _ in range(5000):
        y = y + x
    y.backward()
    assert engine_checks.numbers(x.grad) == 5001


@pytest.mark.parametrize("number", [6, 7, 8, 9, 10, 11, 13])
def test_what_was_saved_is_let_go(number):
    """Freeing is there for memory: the array itself must go, not only a mark be set."""
    tensor = reference(number)
    x, c = tensor([1.0, 2.0], requires_grad=True), tensor([3.0, 4.0])
    y = x * c
    saved = c if number >= 8 else c.data
    holders = sys.getrefcount(saved)
    y.backward([1.0, 1.0])
    assert sys.getrefcount(saved) == holders - 1


# --- mutants: each is a small mistake that people make, and a check must notice it -----------------------
# Here are those that few programs notice: no other mutant fails in a part of the programs in which one of
# these fails, so a program that is lost is missed here.

DRAWER = "message if drawer is None else drawer + message"
SUM = "arrived[child] = arrived.get(child, 0) + grad "
READY = "if waiting[child] == 0:\n                    ready.append(child)"
SAVES = "if saves and not retain_graph:"
FREED = 'raise RuntimeError("Trying to backward'
RESTORED = "no_grad.recording = self.before"
STEP = "p.add_(-self.lr * p.grad)"
UNDER = "        with no_grad():\n            for p"
MUTANTS = {
    4: {
        "a drawer is overwritten": [(DRAWER, "message")],
        "each gradient is sent on at once": [
            ("arrived.pop(node)", "arrived.pop(node, 0.0)"), (READY, "ready.append(child)")],
        "each child is counted once": [("waiting.get(child, 0) + 1", "1")],
        "a gradient is kept for results, too": [
            ("result.requires_grad, result.node =", "result.grad, result.requires_grad, result.node = 0.0,")],
    },
    5: {
        "several numbers are no obstacle": [("v is None and self.data.size != 1", "False")],
        "a list of one number is refused": [("self.data.size != 1", "self.data.shape")],
        "v is stretched": [("if v.shape != self.data.shape:", "if v.ndim > self.data.ndim:")],
        "added dimensions are averaged": [("grad.sum(axis=0)", "grad.mean(axis=0)")],
        "stretched dimensions are not summed": [("grad.sum(axis=stretched, keepdims=True)", "grad")],
        "a sum's gradient must have dimensions": [
            ("grad = grad + np.zeros(shape)", "pass"), ("if size == 1)", "if size == 1 < grad.shape[dim])"),
            ("axis=stretched, keepdims=True)", "axis=stretched, keepdims=True) + np.zeros(shape)")],
        "a sum's gradient is shared out": [
            ("record(self.data.sum(), (self, 1))", "record(self.data.sum(), (self, 1 / self.data.size))")],
    },
    6: {
        "the error is raised, but the saved arrays stay": [
            ("node.edges, node.freed = [], True", "node.freed = True")],
        "retain_graph is ignored": [(SAVES, "if saves:")],
        "what saved nothing is freed": [(SAVES, "if not retain_graph:")],
        "what was freed sends nothing": [
            (FREED, FREED.replace("raise", "return []\n            raise"))],
    },
    7: {
        "detach copies": [("return Tensor(self.data)", "return Tensor(self.data.copy())")],
        "detach cuts the tensor itself": [
            ("return Tensor(self.data)", "self.node, self.requires_grad = None, False\n        return self")],
        "no_grad is not put back after an error": [
            (RESTORED, f"{RESTORED} if error[0] is None else False")],
        "no_grad always switches on at its end": [(RESTORED, "no_grad.recording = True")],
        "no_grad stops a pass": [("        waiting, found =", "        if not no_grad.recording:\n"
                                  "            return\n        waiting, found =")],
    },
    8: {
        "a detached tensor counts for itself": [("result.version = self.version", "pass")],
        "any write at all is an error": [("[saved and saved.version[0] for", "[saved and 0 for")],
        "a write makes a new array": [("self.data += number", "self.data = self.data + number")],
        "a write returns nothing": [("+= 1\n        return self", "+= 1")],
        "both inputs are compared, needed or not": [
            ("def record(data, *inputs):\n", "def record(data, *inputs):\n    everything = inputs\n"),
            ("Node(edges, result.data.shape)\n", "Node(edges, result.data.shape)\n"
             "        result.node.used = [(one, one.version[0]) for one, _ in everything]\n"),
            ("        for (_, saved), version in zip(self.edges, self.versions):",
             "        for (_, saved), version in zip([(0, one) for one, _ in self.used],"
             " [count for _, count in self.used]):")],
    },
    9: {
        "a write isn't counted": [(STEP, "p.data -= self.lr * p.grad")],
        "a step needs every gradient": [("if p.grad is not None", "if True")],
        "only the first parameter moves": [("for p in self.parameters:\n                if",
                                            "for p in self.parameters[:1]:\n                if")],
        "zeros take the place of None": [("p.grad = None", "p.grad = 0.0 * p.data")],
    },
    10: {
        "the matrix isn't transposed": [("g @ w.data.T", "g @ w.data")],
        "a matrix product saves nothing": [
            ("(self, other, lambda g, w: g @ w.data.T)", "(self, None, lambda g, _: g @ other.data.T)"),
            ("(other, self, lambda g, x: x.data.T @ g)", "(other, None, lambda g, _: self.data.T @ g)")],
        "relu passes on at 0": [("self.data > 0", "self.data >= 0")],
        "relu multiplies by its input": [("Tensor(self.data > 0)", "self")],
        "relu saves nothing": [("(self, Tensor(self.data > 0), times)",
                                "(self, None, lambda g, _: g * (self.data > 0))")],
        "relu takes the size": [("np.maximum(self.data, 0)", "np.abs(self.data)")],
        "relu changes its input": [("np.maximum(self.data, 0)", "np.maximum(self.data, 0, out=self.data)")],
        "the largest score isn't subtracted": [(" - self.data.max(axis=1, keepdims=True)", "")],
        "the gradient isn't divided": [("Tensor(p / len(labels))", "Tensor(p)")],
        "the loss is a sum": [("scores[rows, labels]).mean()", "scores[rows, labels]).sum()")],
    },
    11: {
        "a hook that returns nothing empties the message": [
            ("message = message if changed is None else changed", "message = changed")],
        "a hook that returns zero is ignored": [
            ("message = message if changed is None else changed",
             "message = changed if np.any(changed) else message")],
        "hooks run in the opposite order": [("in node.hooks:", "in node.hooks[::-1]:")],
        "a hook is called once and forgotten": [
            ("            for child, grad in node.run(message):",
             "            node.hooks = []\n            for child, grad in node.run(message):")],
        "the errors of hooks are swallowed": [
            ("                changed = hook(message)\n",
             "                try:\n                    changed = hook(message)\n"
             "                except Exception:\n                    changed = None\n")],
    },
    13: {
        "every pass is recorded": [("no_grad.recording = create_graph", "no_grad.recording = True")],
        "recording is on after every pass": [
            ("            self.run_pass(v, retain_graph or create_graph)\n",
             "            self.run_pass(v, retain_graph or create_graph)\n"
             "        no_grad.recording = True\n")],
        "hooks receive arrays": [
            ("changed = hook(message)", "changed = hook(message.data)"),
            ("message = message if changed is None else changed",
             "message = message if changed is None else Tensor(changed)")],
        "a drawer adds without recording": [
            ("drawer + message\n", "Tensor(drawer.data + message.data)\n")],
        "a sum that keeps its dimension is not recorded": [
            ("    return record(grad.data.sum(axis=stretched, keepdims=True), (grad, None, same))",
             "    if not stretched:\n        return grad\n"
             "    return Tensor(grad.data.sum(axis=stretched, keepdims=True))")],
    },
}


@pytest.mark.parametrize(("number", "name"), [(n, name) for n in SLICES for name in MUTANTS[n]])
def test_a_mutant_is_noticed(number, name):
    text = source(number)
    for old, new in MUTANTS[number][name]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    assert said(number, defined(text)["Tensor"])


def test_every_slice_has_mutants():
    assert set(MUTANTS) == set(SLICES) and all(len(mutants) >= 4 for mutants in MUTANTS.values())


def test_random_programs_notice_a_mutant_without_the_examples():
    """They are not decoration: each chapter's random programs kill a mutant of their own."""
    for number, (old, new) in {4: (SUM, "arrived[child] = grad "), 6: (SAVES, "if not retain_graph:"),
                                    7: ("return Tensor(self.data)", "return self"),
                                    8: ("[saved and saved.version[0] for", "[saved and 0 for")}.items():
        tensor = defined(source(number).replace(old, new))["Tensor"]
        examples = {one for several in EXAMPLES.values() for one in several}
        assert any(difference(one, tensor) for one in programs(number) if one not in examples), number


# --- engines that learners build in another way ----------------------------------------------------------

RECURSIVE = source(4).partition("    def backward(self):")[0] + """
    def backward(self):
        send(self.node, 1.0)


def send(node, message):
    for child, grad in node.run(message):
        send(child, grad)


def record""" + source(4).partition("def record")[2]


@pytest.mark.parametrize("key", ["4e2", "5e2", "6e", "7e", "8e", "9e", "10e1", "10e2", "10e3"])
def test_closures_in_a_sorted_graph_are_right_in_every_slice_up_to_10(key):
    names = defined(CLOSURES)
    assert told(key, names["SGD" if key == "9e" else "Tensor"]).startswith(f"✓ {key}: right")


def test_plain_recursion_is_right_until_the_ladder(monkeypatch):
    monkeypatch.setattr(engine_checks, "PATIENCE", 0.3)
    tensor = defined(RECURSIVE)["Tensor"]
    wrong = [difference(one, tensor) for one in EXAMPLES[4]]
    assert [bool(one) for one in wrong] == [False] * 5 + [True]
    assert said(4, tensor).startswith("Your engine had not finished this program after 0.3 seconds.")
    assert "Let a node wait" in said(4, tensor) and sys.gettrace() is None


# --- what a check says -----------------------------------------------------------------------------------

def test_a_check_shows_the_number_the_program_and_the_reason():
    text = source(4).replace(DRAWER, "message").replace(SUM, "arrived[child] = grad ")
    assert as_text(*judged(exercise("4e"), defined(text)["Tensor"])).splitlines()[:7] == [
        "✗ 4e2: not yet. x.grad should be 6.0, and is 3.0.", "  The program:",
        "  x = Tensor(3.0, requires_grad=True)", "  y = x * x", "  y.backward()",
        "  x is used twice, so two messages arrive at its drawer, and they are added.",
        "  So far, 1 of 18 programs passes."]


@pytest.mark.parametrize(("number", "before", "after", "words"), [
    (5, "keepdims=True", "keepdims=False", "should have the shape (2, 1), and has the shape (2,)"),
    (6, SAVES, "if False:", "q.backward() should raise a RuntimeError, but your engine went on without an"),
    (6, SAVES, "if not retain_graph:", "total.backward() should work, but with your engine it raised Run"),
    (6, FREED, FREED.replace("Runtime", "Value"), "a RuntimeError, but your engine raised Value"),
    (7, "return Tensor(self.data)", "return self", "d.requires_grad should be False, and is True."),
    (4, "self.grad = data, None", "self.gradient = data, None", "raised AttributeError"),
    (4, "self.leaf.grad = message if", "self.leaf.grad = 'high' if", "6.0, and your engine has 'high'"),
])
def test_a_check_says_what_differs(number, before, after, words):
    assert words in said(number, defined(source(number).replace(before, after))["Tensor"])


def test_no_grad_is_looked_for_beside_the_class():
    assert said(7, reference(6)).startswith("The check also needs your class no_grad")


@pytest.mark.parametrize("answer", [3, "Tensor", [1.0]])
def test_an_answer_that_is_no_class(answer):
    assert "should be your class, answer_6e = Tensor" in said(6, answer)


def test_a_stub_is_not_answered():
    assert judged(exercise("6e"), None)[0] == "not answered yet"


def test_names_of_exercises():
    assert exercise(" 6E ") is ENGINE_EXERCISES["6e"] and exercise("4e") is ENGINE_EXERCISES["4e2"]
    assert {key.partition("e")[0] for key in ENGINE_EXERCISES} == set(map(str, SLICES))
    for one in ENGINE_EXERCISES.values():
        assert one.goal and len(set(filter(None, one.hints))) == 2


# --- the first engine: what is given, and two steps ------------------------------------------------------

def notebook():
    """A class whose methods find each other, as in a notebook: its names."""
    names = {}
    exec("class Node:\n    def __init__(self, edges):\n        self.edges = edges\n"
         "class Accumulate: ...\nclass Tensor: ...", names)
    return names


def told(key, answer):
    """What a check shows, as plain text."""
    return " ".join(as_text(*judged(exercise(key), answer)).split())


def test_the_steps_make_the_engine_of_chapter_4():
    names = notebook()
    for at, text in enumerate(steps()):
        exec(text, names)
        for later in range(at + 1, 3):
            assert told(f"4e{later}", names["Tensor"]) == f"□ 4e{later}: not answered yet"
        for earlier in range(1, at + 1):
            assert told(f"4e{earlier}", names["Tensor"]).startswith(f"✓ 4e{earlier}: right")


def test_the_steps_are_the_lines_of_the_reference():
    """The functions of the steps are the methods of after_4.py, apart from names and docstrings."""
    methods = {f"{one.name}.{part.name}": part for one in ast.parse(source(4)).body
               if isinstance(one, ast.ClassDef) for part in one.body if isinstance(part, ast.FunctionDef)}
    wanted = sorted(body_of(one) for one in [*methods.values(), *functions(source(4))])
    found = [one for text in steps() for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
    assert sorted(map(body_of, found)) == wanted


def test_the_chapter_gives_what_the_file_of_the_steps_gives():
    cells = ["".join(cell["source"]) for cell in load(4)["cells"] if cell["cell_type"] == "code"]
    given = "\n\n".join(text for text in cells if text.startswith("# Given"))
    assert body(given) == body(steps()[0])


def functions(text):
    return [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]


def body_of(function):
    return "\n".join(ast.unparse(one) for one in function.body
                     if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)))


def test_the_solutions_of_the_chapter_are_the_steps():
    for at, text in enumerate(steps()[1:], 1):
        assert body(solution_text(f"4e{at}")) == body(text)


def body(text):
    lines = ast.unparse(ast.parse(text))
    return (lines.partition("replace=True)\n")[2] or lines).strip()


@pytest.mark.parametrize("key", ["4e1", "4e2",
                                 "5e2", "6e", "7e", "8e", "11e", "13e"])
def test_the_lines_of_a_solution_are_right_for_somebody_whose_class_is_wrong(key, capsys):
    names = notebook()
    exec("from minigrad.book import *\nclass Tensor:\n    def __init__(self): ...\n"
         "    def __add__(self, other): return 1\n    __mul__ = backward = __add__\n"
         "    def count(self): ...", names)
    assert told(key, names["Tensor"]).startswith(f"✗ {key}: not yet.")
    exec(solution_text(key), names)
    assert told(key, names["Tensor"]).startswith(f"✓ {key}: right")


def test_a_step_shows_its_own_lines_and_loads_those_before_it(capsys):
    text = solution_text("4e2")
    assert text.startswith('engine("4e2", replace=True)    # step 1; ') and "Accumulate" not in text
    assert "def backward(self):" in text
    assert solution_text("4e1").startswith('engine("4e1", replace=True)    # what is given; ')
    names = called({}, "4e2")
    assert {"Node", "Accumulate", "Tensor", "record", "add", "count", "mul", "tanh"} <= names.keys()
    assert "the engine before step 2 of chapter 4; it is loaded" in capsys.readouterr().out
    assert told("4e1", names["Tensor"]).startswith("✓ 4e1: right")
    assert told("4e2", names["Tensor"]) == "□ 4e2: not answered yet"


@pytest.mark.parametrize("step", [1, 2])
def test_a_whole_engine_of_another_structure_is_right_in_every_step(step):
    names = defined("""
import numpy as np
class Tensor:
    def __init__(self, data, requires_grad=False, made_from=()):
        self.data, self.grad, self.made_from = data, None, made_from
        self.requires_grad = requires_grad or any(one.requires_grad for one, _ in made_from)
    def __add__(self, other):
        return Tensor(self.data + other.data, False, ((self, 1), (other, 1)))
    def __mul__(self, other):
        return Tensor(self.data * other.data, False, ((self, other.data), (other, self.data)))
    def __sub__(self, other):
        return Tensor(self.data - other.data, False, ((self, 1), (other, -1)))
    def __pow__(self, n):
        return Tensor(self.data ** n, False, ((self, n * self.data ** (n - 1)),))
    def tanh(self):
        t = np.tanh(self.data)
        return Tensor(t, False, ((self, 1 - t ** 2),))
    def backward(self):
        order, seen = [], set()
        def visit(one):
            if one not in seen:
                seen.add(one)
                for child, _ in one.made_from:
                    visit(child)
                order.append(one)
        visit(self)
        arrived = {self: 1.0}
        for one in reversed(order):
            for child, derivative in one.made_from:
                arrived[child] = arrived.get(child, 0.0) + arrived[one] * derivative
            if one.requires_grad and not one.made_from:
                one.grad = arrived[one] + (one.grad or 0.0)
""")
    assert told(f"4e{step}", names["Tensor"]).startswith(f"✓ 4e{step}: right")


def after(at, edit=None):
    """The names after some of the steps, with an edit in the last one."""
    names, (*earlier, last) = notebook(), steps()[:at + 1]
    for text in earlier:
        exec(text, names)
    assert edit is None or edit[0] in last
    exec(last.replace(*edit) if edit else last, names)
    return names["Tensor"]


@pytest.mark.parametrize(("step", "edit", "words"), [
    (1, ("return record(self.data * ", "record(self.data * "),
     "After the line p = a * b, p is None. A method without return gives"),
    (1, ("return record(self.data * ", "return print("), "so does one that prints its result"),
    (1, ("return record(self.data * other.data,\n                  (self, other.data), (other, self.data))",
         "return self.data * other.data"),
     "p should be a Tensor, and it is 6.0. Let the method return a new Tensor"),
    (1, ("(self, other.data), (other, self.data)", "(self, self.data), (other, other.data)"),
     "If a grows by 1, a * b grows by the value of b, which is 3."),
    (1, ("message * derivative", "derivative"), "A node multiplies the message by its local derivative"),
    (1, ("1 - t * t", "t"), "and the local derivative is 1 - t * t."),
    (1, ("math.tanh(self.data)", "self.data"), "t is math.tanh(0.5), about 0.46"),
    (1, ("return self + Tensor(-1.0) * other", "return other + Tensor(-1.0) * self"), "d.data should be -1"),
    (1, ("(n - 1)", "n"), "The local derivative of x ** n is n * x ** (n - 1)"),
    (1, ("Tensor.__sub__, Tensor.__pow__ = sub, power", ""), "Your class has no __sub__ yet."),
    (2, ("= arrived.get(child, 0) + grad", "= grad"), "x.grad should be 6.0, and is 3.0."),
    (2, ("waiting = self.count()", "waiting = {}"), "y.backward() should work, but with your"),
])
def test_what_a_step_says(step, edit, words, monkeypatch):
    monkeypatch.setattr(engine_checks, "PATIENCE", 0.3)
    said_of_it = told(f"4e{step}", after(step, edit))
    assert words in said_of_it and "So far, " in said_of_it


# --- what people hand in ---------------------------------------------------------------------------------

EVERY_CHECK = [key for key in ENGINE_EXERCISES if key != "5e1"]


class Half:
    def __init__(self, data, requires_grad=False): pass


class Loops:
    def __init__(self, data, requires_grad=False):
        self.data, self.grad, self.requires_grad, self.node = data, None, requires_grad, self
        self.edges, self.leaf = [], self

    def __add__(self, other):
        while True: pass  # noqa: E701

    def __mul__(self, other):
        return self * other

    def run(self, message):
        while True:
            try:
                self.edges = []
            except Exception:
                pass

    count = backward = sum = __add__


class Other:
    def __init__(self, value, children=(), op=""): self.value = value

    def backward(self): ...


class Alien(Other):
    """A class whose `__init__` takes other arguments, and which derives from another one."""


@pytest.mark.parametrize("key", EVERY_CHECK)
@pytest.mark.parametrize("answer", [
    3, print, torch.Tensor, int, Half, Half(1.0), Loops, type("Tensor", (), {"__init__": None}), (Half, 3),
    type("Tensor", (), {"backward": lambda self: None}), torch],
    ids=lambda one: str(one)[:30])
def test_every_check_answers_whatever_is_handed_in(key, answer, monkeypatch):
    monkeypatch.setattr(engine_checks, "PATIENCE", 0.05)
    monkeypatch.setattr(engine_checks, "IN_A_HURRY", 0.01)
    said_of_it = told(key, answer)
    open_step = isinstance(answer, type) and (answer is Loops) is key.startswith("10")
    open_step = open_step and key.startswith(("4", "10"))
    assert said_of_it.startswith(f"✗ {key}: not yet. ") or (
        open_step and said_of_it == f"□ {key}: not answered yet")
    assert "can't be read" not in said_of_it
    assert "Part(" not in said_of_it and sys.gettrace() is None


@pytest.mark.parametrize(("answer", "words"), [
    ("Tensor", 'should be your class, check("4e2", Tensor), without quotation marks; it is the text Tensor.'),
    (torch.Tensor, "This is minigrad's own Tensor, with an engine inside."),
    (type("Tensor", (torch.Tensor,), {}), "Your class is built on minigrad's Tensor, which has an engine"),
    (len, "it is the function len."), (int, "int is a class of Python's own."),
    (Loops(1.0), "it is one tensor, not the class that made it."), (3, "it is 3."),
    (Alien, "The class should take a number, and a second argument that may be left out: "),
    (type("Tensor", (), {"backward": lambda self: None}), "Your class has no __init__ yet"),
])
def test_what_is_said_to_something_else(answer, words):
    assert words in told("4e2", answer)


def test_a_helper_class_is_not_taken_for_the_tensor():
    names = defined(source(4))
    assert "This is the class Node." in told("4e2", names["Node"])


def test_a_method_that_is_missing_is_named_and_no_other_reason_is_given():
    tensor = after(0)
    tensor.backward = lambda self: None
    said_of_it = told("4e2", tensor)
    assert "Your class has no __mul__ yet." in said_of_it and "used twice" not in said_of_it


def test_endless_recursion_is_said_in_words():
    tensor = defined(source(4))["Tensor"]
    tensor.__mul__ = lambda self, other: self * other
    assert "A method calls itself again and again, until Python stops it." in told("4e2", tensor)


@pytest.mark.parametrize(("number", "form"), [
    (7, tuple), (8, list), (13, lambda both: {"Tensor": both[0], "no_grad": both[1]})])
def test_both_classes_may_be_handed_in(number, form):
    names = defined(source(number))
    assert told(f"{number}e", form([names["Tensor"], names["no_grad"]])).startswith(f"✓ {number}e: right")


def test_a_class_is_read_as_what_it_is_by_every_check():
    """`Tensor.detach` is a function here, and no method of the answer."""
    assert "can't be read" not in told("1a", reference(8))


def test_a_flag_that_a_program_left_switched_off_is_restored():
    names = defined(source(7).replace(RESTORED, "pass"))
    assert told("7e", names["Tensor"]).startswith("✗") and names["no_grad"].recording is True


def fitted_that_needs_dimensions(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for dim, size in enumerate(shape):
        if size == 1 and grad.shape[dim] > 1:
            grad = grad.sum(axis=dim, keepdims=True)
    return grad + np.zeros(shape)


@pytest.mark.parametrize(("answer", "words"), [
    (lambda grad, shape: grad, "has the shape (2, 3)"), (lambda grad: grad, "it raised TypeError"),
    (lambda grad, shape: print(grad), "found is None. "), ("fitted", 'your function, check("5e1", fitted)'),
    (reference(5), "your function"), (3, "it is 3."),
    (lambda grad, shape: np.ones(shape), "found should be [[1.0, 2.0, 4.0], [10.0, 20.0, 40.0]], and is"),
    (fitted_that_needs_dimensions, "it raised IndexError"),
])
def test_what_is_said_of_fitted(answer, words):
    assert words in told("5e1", answer)


def test_a_stub_of_fitted_is_not_answered():
    def fitted(grad, shape):
        ...

    assert told("5e1", fitted) == "□ 5e1: not answered yet"


# --- engine("6") -----------------------------------------------------------------------------------------

def called(names, *arguments):
    exec(f"from minigrad.book import engine\nengine({', '.join(map(repr, arguments))})", names)
    return names


def test_engine_defines_and_shows_the_version_of_the_chapter_before(capsys):
    names = called({}, "6")
    out = capsys.readouterr().out
    assert out.startswith("This is the engine after chapter 5; it is loaded.\n\n") and source(5) in out
    assert said(5, names["Tensor"]) is None and set(defined_in(source(5))) <= names.keys()
    called(names, 7)  # what engine itself defined is no loss
    assert said(6, names["Tensor"]) is None and "replaced" not in capsys.readouterr().out


def test_engine_uses_what_the_learner_defines_afterwards():
    names = called({}, "5")
    exec("def record(*anything):\n    return 'mine'", names)
    assert names["Tensor"](2.0) + names["Tensor"](3.0) == "mine"


def test_engine_leaves_what_the_learner_defined(capsys):
    class Tensor:
        pass

    names = called({"Tensor": Tensor, "record": 3}, "6")
    out = capsys.readouterr().out
    assert out.startswith('You have defined Tensor and record, so nothing was loaded. To replace your own: '
                          'engine("6", replace=True)\n\n') and source(5) in out
    assert names["Tensor"] is Tensor and "Node" not in names
    called(names, "6", True)
    assert capsys.readouterr().out.startswith("This replaced your own Tensor and record. This is the engine")
    assert names["Tensor"] is not Tensor


@pytest.mark.parametrize("asked", [None, "4", 4, "99", "six", 4.5, "15"])
def test_engine_says_which_there_are(asked, capsys):
    engine() if asked is None else engine(asked)
    out = capsys.readouterr().out
    assert 'You can call engine("5"), ' in out and 'engine("14"): each loads' in out
    assert ("begin your engine from nothing" in out) is (str(asked) == "4")
    assert ("There is no engine for chapter" in out) is (asked is not None and str(asked) != "4")


def test_a_page_marks_the_new_lines():
    lines = as_html(source(7), 7).splitlines()
    marked = [line.partition('">')[2].removesuffix("</span>") for line in lines if "#0b62a8" in line]
    assert "class no_grad:" in marked and "class Node:" not in marked
    assert all("monospace" in line for line in lines if "<span" in line)
    assert "Tensor(self.data)" in as_html(source(7), 7) and "A bar marks" not in as_html(source(4), 4)


def test_a_long_source_is_folded_below_what_is_said_of_it():
    folded = as_html(source(7), 7)
    assert folded.startswith(f"<details><summary>Its {len(source(7).splitlines())} lines. A bar marks")
    assert "<details" not in as_html("x = 1\n" * 25, 4) and "<details" in as_html("x = 1\n" * 26, 4)


@pytest.mark.parametrize("replace", [False, True])
def test_an_engine_that_is_only_used_is_loaded_without_its_source(replace, capsys):
    names = {"engine": engine}
    exec(f'engine("14", replace={replace}, show=False)', names)
    out = capsys.readouterr().out
    lines = len(source(13).splitlines())
    assert out == "This is the engine after chapter 13; it is loaded. " \
                  f'engine("14") shows its {lines} lines.\n'
    assert {"Tensor", "SGD", "no_grad"} <= set(names)


# --- what the engine is for -------------------------------------------------------------------------------

def test_the_engine_of_chapter_4_trains_the_network_with_the_losses_of_pytorch():
    """The last cells of chapter 4 print the same losses on any right engine, and on tensors of arrays."""
    cells = ["".join(cell["source"]) for cell in load(4)["cells"] if cell["cell_type"] == "code"]
    found = []
    for tensor in reference(4), defined(source(4))["Tensor"], of_one_number:
        names = {"bent_points": minigrad.book.bent_points}
        for cell in cells:
            if "inputs, targets = bent_points()" in cell or cell.startswith("def train("):
                exec(cell, names)
        losses, fits = names["train"](tensor)
        found.append(losses)
    assert found[0] == found[1] == found[2]
    assert found[0][0] > 1 > found[0][20] > found[0][100] and found[0][100] < 0.01
    assert repr(minigrad.book.draw_bend(fits)).count("step ") == len(fits) == 4


def of_one_number(number, requires_grad=False):
    return torch.tensor(number, dtype=torch.float64, requires_grad=requires_grad)


MICROGRAD = """
class Tensor:
    def __init__(self, data, requires_grad=False, children=()):
        self.data, self.grad, self.requires_grad = data, 0.0, True
        self.children, self.send = children, lambda: None
    def __add__(self, other):
        out = Tensor(self.data + other.data, children=(self, other))
        def send():
            self.grad += out.grad
            other.grad += out.grad
        out.send = send
        return out
    def __mul__(self, other):
        out = Tensor(self.data * other.data, children=(self, other))
        def send():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.send = send
        return out
    def backward(self):
        order, seen = [], set()
        def visit(one):
            if one not in seen:
                seen.add(one)
                for child in one.children:
                    visit(child)
                order.append(one)
        visit(self)
        self.grad = 1.0
        for one in reversed(order):
            one.send()
"""


def test_the_design_of_micrograd_is_refused_with_its_reason():
    """It keeps a gradient in every result, and in constants."""
    said_of_it = told("4e2", defined(MICROGRAD)["Tensor"])
    assert "c.grad should be None, and is 3.0" in said_of_it
    assert "c requires no gradient, and y isn't a leaf; only x keeps a gradient." in said_of_it


@pytest.mark.parametrize("number", [9, 10, 11, 13])
def test_the_slices_of_9_and_10_are_in_the_later_engines(number):
    names = reference_names(number)
    for answer in names["SGD"], (names["Tensor"], names["SGD"]):
        assert told("9e", answer).startswith("✓")
    assert number == 9 or said(10, names["Tensor"]) is None


@pytest.mark.parametrize(("answer", "words"), [
    (3, 'should be your class, check("9e", SGD); it is 3.'),
    ("SGD", "without quotation marks; it is the text SGD."), (print, "it is <built-in function print>."),
    (torch.optim.SGD, "This is minigrad's own SGD. Your answer"), (int, "int is a class of Python's own."),
    (type("SGD", (torch.optim.SGD,), {}), "Your class is built on minigrad's SGD. Your answer"),
    (torch.optim.SGD([torch.ones(1)], lr=1.), "it is one optimizer, not the class that made it."),
    (reference(8), "The check needs your class SGD; define it"),
    (type("SGD", (), {"step": lambda self: None}), "The check also needs your class Tensor")])
def test_what_is_said_of_an_optimizer(answer, words):
    assert words in told("9e", answer)


def test_an_optimizer_that_is_a_stub_is_not_answered():
    assert told("9e", type("SGD", (), {})) == "□ 9e: not answered yet"


def test_operations_that_are_missing_or_stubs_are_not_answered():
    tensor = reference(9)
    for key in ("10e1", "10e2", "10e3"):
        assert told(key, tensor) == f"□ {key}: not answered yet"
    tensor.relu = lambda self: None
    assert told("10e2", tensor) == "□ 10e2: not answered yet"


@pytest.mark.parametrize(("number", "edit", "key", "words"), [
    (9, ("                if p.grad is not None:\n    ", "            "), "9e", "so the step skips b."),
    (9, (UNDER, "        if True:\n            for p"), "9e", "Such a write belongs under"),
    (9, (STEP, "p.data -= self.lr * p.grad"), "9e", "with add_, so that the write is counted"),
    (10, ("g @ w.data.T", "w.data.T @ g"), "10e1", "Two shapes don't fit. Write down"),
    (10, ("np.maximum(self.data, 0)", "max(self.data, 0)"), "10e2", "np.maximum(a, 0)"),
    (10, (" - self.data.max(axis=1, keepdims=True)", ""), "10e3", "Subtract the largest score"),
    (9, ("if p.grad is not None", "if p.grad"), "9e", "Write if p.grad is not None:."),
    (10, ("(self, Tensor(self.data > 0), times)", "(self, self.data > 0, lambda g, saved: g * saved)"),
     "10e2", "Save a Tensor, not an array"),
    (10, ("        scores = self.data - self.data.max(axis=1, keepdims=True)",
          "        self.data -= self.data.max(axis=1, keepdims=True)\n        scores = self.data"),
     "10e3", "must leave the numbers of its scores as they are"),
    (10, ("        loss = (np.log(sums[:, 0]) - scores[rows, labels]).mean()\n"
          "        p = np.exp(scores) / sums",
          "        p = np.exp(scores) / sums\n        loss = -np.log(p[rows, labels]).mean()"),
     "10e3", "Compute the loss by the third formula"),
    (10, ("        loss = (np.log(sums[:, 0]) - scores[rows, labels]).mean()\n"
          "        p = np.exp(scores) / sums",
          "        p, chosen = np.exp(scores) / sums, np.zeros(scores.shape)\n"
          "        chosen[rows, labels] = 1\n"
          "        loss = -(chosen * np.log(p)).sum(axis=1).mean()"),
     "10e3", "it contains 0 times the logarithm of a probability that is 0"),
    (10, ("        p[rows, labels] -= 1\n        return record(loss, (self, Tensor(p / len(labels)), times))",
          "        def minus_one(g, saved):\n            saved.data[rows, labels] -= 1\n"
          "            return g * saved.data / len(labels)\n"
          "        return record(loss, (self, Tensor(p), minus_one))"),
     "10e3", "if the formula leaves what was saved as it is"),
])
def test_what_the_checks_of_9_and_10_say(number, edit, key, words):
    names = defined(source(number).replace(*edit))
    assert words in told(key, names["SGD" if key == "9e" else "Tensor"])


def test_a_check_quotes_the_line_in_which_an_error_was_raised():
    text = source(10).replace("for child, _, _ in node.edges", "for child, _ in node.edges")
    linecache.cache["<cell>"] = len(text), None, text.splitlines(True), "<cell>"
    names = {}
    exec(compile(text, "<cell>", "exec"), names)
    assert "unpack (expected 2), in your line for child, _ in node.edges:." in told("10e1", names["Tensor"])


def test_engine_loads_the_steps_of_chapter_10(capsys):
    for step, there, not_there in ((2, "__matmul__", "relu"), (3, "relu", "cross_entropy")):
        names = called({}, f"10e{step}")
        assert hasattr(names["Tensor"], there) and not hasattr(names["Tensor"], not_there)
        assert f"the engine before step {step} of chapter 10; it is loaded" in capsys.readouterr().out
        assert told(f"10e{step - 1}", names["Tensor"]).startswith("✓")
        assert told(f"10e{step}", names["Tensor"]) == f"□ 10e{step}: not answered yet"


def test_the_steps_that_are_missing_are_named(capsys):
    tensor = reference(9)
    assert not is_written("10e", tensor)
    assert capsys.readouterr().out == "Write 10e1 and 10e2 and 10e3 first, and then run this cell again.\n"
    tensor.relu = lambda self: None
    tensor.__matmul__ = tensor.cross_entropy = lambda self, other: self
    assert not is_written("10e", tensor)
    assert capsys.readouterr().out.startswith("Write 10e2 first")
    assert is_written("10e", reference(10)) and not capsys.readouterr().out


def test_a_cell_below_a_wrong_engine_says_that_it_may_be_wrong(capsys):
    class Wrong(reference(4)):
        def __mul__(self, other):
            return self + other

    assert is_written("4e", reference(4)) and not capsys.readouterr().out
    assert is_written("4e", Wrong)
    assert capsys.readouterr().out == ("The check of 4e1 and 4e2 finds a mistake, so what follows may be "
                                       "wrong, too.\n")


def test_a_cross_entropy_is_not_differentiated_twice_without_a_word():
    tensor = reference(13)
    scores = tensor([[1.0, 2.0]], requires_grad=True)
    with pytest.raises(RuntimeError, match="twice"):
        scores.cross_entropy(np.array([0])).backward(create_graph=True)


PLUS, PRODUCTS = "(self, None, same), (other, None, same))", "Both the transposes and the products"
MINUS, OF_MINUS = "self + Tensor(-1.0) * other", "formulas of a difference"
MEAN = "self.sum() * Tensor(1 / self.data.size)"
# A formula of each operation, the same formula without a record, and what the check says of it:
UNRECORDED = [
    (PLUS, "(self, None, fixed), (other, None, same))", "for both inputs"),
    (PLUS, "(self, None, same), (other, None, fixed))", "for both inputs"),
    (MINUS, "record(self.data - other.data, (self, None, fixed), (other, None, minus))", OF_MINUS),
    (MINUS, "record(self.data - other.data, (self, None, same), (other, None, fixed_minus))", OF_MINUS),
    ("(self, other, times), (", "(self, other, lambda g, saved: fixed(g) * saved), (", "3x²"),
    ("(other, self, times))", "(other, self, lambda g, saved: g * fixed(saved)))", "3x²"),
    ("record(self.data.sum(), (self, None, same))", "record(self.data.sum(), (self, None, fixed))",
     "sum receives the message 2s"),
    (MEAN, "record(self.data.mean(), (self, None, lambda g, _: Tensor(g.data / self.data.size)))",
     "mean receives the message 2s"),
    ("g @ w.T", "g @ fixed(w).T", PRODUCTS),
    ("g @ w.T", "fixed(g) @ w.T", PRODUCTS),
    ("x.T @ g", "fixed(x).T @ g", PRODUCTS),
    ("x.T @ g", "x.T @ fixed(g)", PRODUCTS),
    ("record(self.data.T, (self, None, lambda g, _: g.T))", "Tensor(self.data.T)", PRODUCTS),
    ("lambda g, _: g.T", "lambda g, _: fixed(g.T)", "the formula of a transpose"),
    ("Tensor(self.data > 0), times)", "Tensor(self.data > 0), lambda g, saved: fixed(g * saved))",
     "relu receives the message 2r"),
    ("Tensor(p / len(labels)), once)", "Tensor(p / len(labels)), times)", "saved as numbers without a graph"),
]
FIXED = """

def fixed(g, _=None):
    return Tensor(g.data)


def minus(g, _):
    return g * Tensor(-1.0)


def fixed_minus(g, _):
    return Tensor(-g.data)
"""


@pytest.mark.parametrize(("old", "new", "words"), UNRECORDED)
def test_a_formula_that_is_not_recorded_is_refused(old, new, words):
    """Each of these engines finds every first gradient."""
    text = source(13) + FIXED
    assert text.count(old) == 1
    assert words in told("13e", defined(text.replace(old, new))["Tensor"])


def test_the_formulas_that_are_refused_are_those_of_every_operation():
    """Somebody who adds an operation to the engine must add its formula to UNRECORDED."""
    methods = {one.name: ast.get_source_segment(source(13), one) for top in ast.parse(source(13)).body
               if getattr(top, "name", "") == "Tensor" for one in top.body}
    changed = {name for name, text in methods.items() if any(old in text for old, *_ in UNRECORDED)}
    recorded = {name for name, text in methods.items() if " record(" in text}
    assert changed == recorded | {"mean", "__sub__"}     # these two are made of other operations


def test_an_engine_without_what_chapters_9_and_10_add_can_be_right_in_chapter_13():
    tensor = reference(13)
    for name in ("__sub__", "mean", "__matmul__", "T", "relu", "cross_entropy"):
        delattr(tensor, name)
    assert said(13, tensor) is None


def scene(number, *words):
    """The cells of a chapter's engine that hold these words, in the order of the words."""
    cells = ["".join(cell["source"]) for cell in load(number)["cells"] if cell["cell_type"] == "code"]
    found = [next((cell for cell in cells if word in cell), None) for word in words]
    if None in found:
        pytest.skip(f"chapter {number} has no such section")
    return found


@pytest.mark.parametrize("engine_text", [source(9), source(11), CLOSURES], ids=["9", "11", "closures"])
def test_the_engine_of_chapter_9_takes_the_eight_steps_of_pytorch(engine_text):
    names = defined(engine_text)
    losses = "1.8522 0.5534 0.1965 0.0751 0.0337 0.0197 0.0149 0.0133".split()
    exec("from minigrad.book import *\ninputs, targets = points()", names)     # as the chapter begins
    names["losses"] = losses        # PyTorch's, which the cell prints below the engine's
    printed = io.StringIO()
    for cell in scene(9, "train_points(8)"):
        with contextlib.redirect_stdout(printed):
            exec(cell, names)
    assert printed.getvalue().split() == losses * 2


@pytest.mark.parametrize("engine_text", [source(10), CLOSURES], ids=["10", "closures"])
def test_the_engine_of_chapter_10_reads_the_digits(engine_text):
    names = defined(engine_text)
    exec("from minigrad.book import *\nimport minigrad as torch", names)
    for cell in scene(10, "def layer(inputs", "cross_entropy(answers[rows])"):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(cell, names)
    assert names["accuracy_of"](range(1200, 1797)) > 0.9


def test_an_exit_without_arguments_does_not_leave_recording_off():
    right = source(7)
    wrong = right.replace("def __exit__(self, *error)", "def __exit__(self)")
    assert wrong != right
    assert said(7, defined(wrong)["Tensor"])
    assert minigrad.is_grad_enabled()
    assert said(7, defined(right)["Tensor"]) is None
