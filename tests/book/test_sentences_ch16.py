"""The appendix: its tables of old lines, its themes, and other answers to its questions and exercises."""
import contextlib
import importlib
import json
import re
import warnings
from importlib.util import find_spec

import pytest

import minigrad as torch
from minigrad import book
from minigrad.book.build import source
from minigrad.book.build.counting import code_cells, in_sections, minutes, theme_minutes
from minigrad.book.classroom.deciding import numbers
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.content.chapters import ch16, exercise, question
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import NOTEBOOKS, load

CHAPTER = Chapter(16)
LIBRARIES = ["minigrad", *(["torch"] if find_spec("torch") else [])]
THEMES = re.findall(r"^\| \[?([^|\]]+?)(?:\]\(.+?\))? \| (\d+) \|$",
                    "".join(load(16)["cells"][0]["source"]), re.MULTILINE)


# --- themes -------------------------------------------------------------------------------------------------

def test_each_theme_ends_with_a_sentence_to_keep():
    for theme in [name for name, _ in THEMES if name != "Your turn"]:     # which is an exercise alone
        cells = in_sections(load(16), (f"## {theme}",))
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        assert "".join(texts).count("**Keep:** ") == 1 and cells[-1]["cell_type"] == "markdown", theme
        assert texts[-1].rpartition("\n\n")[2].startswith("**Keep:** "), theme


def test_the_table_names_every_theme_with_its_minutes_and_leads_to_it():
    head = "".join(load(16)["cells"][0]["source"])
    headings = [heading for cell in load(16)["cells"] if cell["cell_type"] == "markdown"
                for heading in re.findall(r"^## (.+)$", "".join(cell["source"]), re.MULTILINE)]
    assert [*(name for name, _ in THEMES), "Recap", "For the teacher"] == headings
    for name, _ in THEMES:
        assert f"| [{name}](#{name.replace(' ', '-')}) |" in head     # as JupyterLab calls a heading
    assert all(int(told) == theme_minutes(load(16), name) for name, told in THEMES)
    assert minutes(load(16)) == sum(int(told) for _, told in THEMES)


@pytest.mark.filterwarnings("ignore:volatile was removed")
@pytest.mark.parametrize("theme", [name for name, _ in THEMES])
def test_a_theme_needs_no_cell_of_another_theme(theme):
    names = {**vars(book), "torch": torch}
    for cell in code_cells({"cells": in_sections(load(16), (f"## {theme}",))}):
        marks = set(cell["metadata"].get("tags", ()))
        if not {"judge", "predict", "reveal", "check"} & marks:
            fails = {"A4", "A7"} & marks and "raises-exception" in marks     # in its last line
            with pytest.raises((RuntimeError, TypeError)) if fails else contextlib.nullcontext():
                exec("".join(cell["source"]), names)


def test_the_table_of_themes_goes_back_into_the_text():
    row = "| [Updating a weight](#Updating-a-weight) | {{ minutes of Updating a weight }} |"
    assert row in source.written(load(16))


# --- exercises and questions --------------------------------------------------------------------------------

def shown_for(*marks):
    """The cells of the chapter with these marks, in their order."""
    return [cell for cell in code_cells(load(16)) if set(marks) <= set(cell["metadata"].get("tags", ()))]


def written_with(*pairs):
    """The solution of 16b with some of its words replaced."""
    text, = ["".join(cell["source"]) for cell in load(16)["cells"]
             if {"solution", "16b"} <= set(cell["metadata"].get("tags", ()))]
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    names = {"torch": torch}
    exec(text, names)
    return names["answer_16b"]


WRITE = "        w -= 0.5 * w.grad\n"
LAST = "        return ((w * x"


@pytest.mark.parametrize("pairs", [(), [("w.grad = None", "w.grad.zero_()")],
                                   [("(loss + penalty).backward()",
                                     "loss.backward()\n    penalty.backward()")],
                                   [("target) ** 2).mean()\n\n", "target) ** 2).mean().item()\n\n")],
                                   [("w -= 0.5 * w.grad", "w.copy_(w - 0.5 * w.grad)")]])
def test_16b_takes_every_way(pairs):
    assert first_wrong(exercise("16b"), written_with(*pairs), None) is None


@pytest.mark.parametrize(("pairs", "says"), [
    ([(LAST, LAST.removeprefix("    "))], "volatile has no effect"),
    ([(WRITE, "        w.data.sub_(0.5 * w.grad)\n")],
     "The weight and the losses are right, but a write through .data doesn't raise the version."),
    ([("(loss + penalty).backward()",
       "loss.backward()\n    w.data.sub_(0.5 * w.grad)\n    penalty.backward()")],
     "After two calls, w is"),
    ([("(loss + penalty).backward()",
       "loss.backward()\n    with torch.no_grad():\n        w -= 0.5 * w.grad\n    penalty.backward()")],
     "modified by an inplace operation"),
    ([("return ((w * x", "((w * x")], "None")])
def test_16b_says_what_is_wrong(pairs, says):
    assert says in first_wrong(exercise("16b"), written_with(*pairs), None)


@pytest.mark.filterwarnings("ignore:volatile was removed")
def test_the_program_of_16b_runs_and_is_wrong_in_every_part():
    stub, = ["".join(cell["source"]) for cell in load(16)["cells"]
             if {"exercise", "16b"} <= set(cell["metadata"].get("tags", ()))]
    names = {"torch": torch}
    exec(stub, names)
    assert all(part.got != part.want for part in exercise("16b").look(names["step"], None))
    assert "penalty had saved w for its pass" in first_wrong(exercise("16b"), names["step"], None)


@pytest.mark.filterwarnings("ignore:volatile was removed")
@pytest.mark.parametrize("pairs", [(), [(LAST, LAST.removeprefix("    "))]])
def test_16b_warns_of_no_loss(pairs, monkeypatch):
    """Whether the learner's loss has a graph, or only that of a known wrong answer, which is run as well."""
    monkeypatch.setattr("minigrad.errors.given_warnings", set())    # as in a kernel that has just started
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first_wrong(exercise("16b"), written_with(*pairs), None)
    assert [str(one.message) for one in caught] == []


def lists_of_16_1(library, *pairs, today=False):
    """Run the program of 16.1, or that of today, with some of its words replaced; return its two lists."""
    text = ["".join(cell["source"]) for cell in code_cells(load(16))
            if "totals.append(" in "".join(cell["source"])][today]
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    names = {"torch": importlib.import_module(library)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(text, names)
    return names["totals"], names["weights"]


SUM, INDEX = ("** 2).sum()\n    totals", "** 2).sum().item()\n    totals"), ("w.data[0]", "w.data[0].item()")


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_program_of_16_1_raises_nothing_and_each_of_two_lines_spoils_a_list(library):
    totals, weights = lists_of_16_1(library)
    assert all(one is totals[0] for one in totals) and {one.item() for one in totals} == {6.5625}
    assert {one.item() for one in weights} == {1.875}
    assert lists_of_16_1(library, SUM)[0] == [5., 6.25, 6.5625]
    assert {one.item() for one in lists_of_16_1(library, SUM)[1]} == {1.875}
    assert lists_of_16_1(library, INDEX)[1] == [1., 1.5, 1.75]
    assert {one.item() for one in lists_of_16_1(library, INDEX)[0]} == {6.5625}
    assert lists_of_16_1(library, SUM, INDEX) == lists_of_16_1(library, today=True)


@pytest.mark.parametrize(("key", "printed", "claim"), [
    ("16.1", "[tensor(5.), tensor(5.)]\n[tensor(1.), tensor(1.)]", "each holds one number, three times"),
    ("16.1", "[tensor(5.), tensor(6.)]\n[tensor(1.), tensor(1.)]",
     "only `totals` holds three different numbers"),
    ("16.1", "[tensor(5.), tensor(5.)]\n[tensor(1.), tensor(2.)]",
     "only `weights` holds three different numbers"),
    ("16.1", "[5.0, 6.25]\n[1.0, 1.5]", "each holds three different numbers")])
def test_a_question_reads_in_what_is_printed_the_claim_of_one_option(key, printed, claim):
    assert question(key).decided(printed) == claim
    assert sum(option.text.startswith(f"{claim}: ") for option in question(key).options) == 1


def old_lines_of_16c():
    """Return the lines of the program of 16c, as a learner sees them."""
    text, = ["".join(cell["source"]) for cell in shown_for("exercise", "16c")]
    names = {}
    exec(text, names)
    return names["old"].splitlines()


def test_the_program_of_16c_is_the_one_that_decides():
    lines = old_lines_of_16c()
    assert [line.partition("#")[0].rstrip() for line in lines] == ch16.OLD
    assert [int(line.partition("#")[2]) for line in lines] == [*range(1, len(ch16.OLD) + 1)]
    assert ch16.lines_with_an_error() == [7, 8] and ch16.lines_that_do_harm() == [3, 5]


@pytest.mark.parametrize("library", LIBRARIES)
def test_in_both_libraries_the_same_lines_of_16c_do_harm(library, monkeypatch):
    """Today's form of a line alone, in place of the old one, changes what the repaired program prints."""
    monkeypatch.setattr(ch16, "torch", importlib.import_module(library))
    assert ch16.run_with([])[1] == 7 and ch16.run_with([7])[1] == 8
    repaired = ch16.run_with([7, 8])
    assert repaired == ([1., 3.24, 1.166, 1., 1., 2., 1., 2., 1., 0.], None)
    assert ch16.run_with(ch16.NEW) == ([1., 3.24, 1.166, 1., 1., 2., 2., 0.676], None)
    assert [at for at in ch16.NEW if ch16.run_with({7, 8, at}) != repaired] == [3, 5]
    assert ch16.run_with([3, 5, 7, 8]) == ch16.run_with(ch16.NEW)


@pytest.mark.parametrize("answer", [
    {"error": [7, 8], "silent": [3, 5]}, {"error": {8, 7}, "silent": {5, 3}},
    {"error": (8, 7), "silent": "3, 5"}, [[7, 8], [3, 5]], {"silent": [5, 3], "error": ["7", 8.]}])
def test_16c_takes_every_form(answer):
    assert first_wrong(exercise("16c"), answer, None) is None


@pytest.mark.parametrize(("answer", "says"), [
    ({"error": [8], "silent": [3, 5]}, "One more line belongs in error."),
    ({"error": [7, 8, 9], "silent": [3, 5]}, "Line 9 raises no error."),
    ({"error": [7, 8], "silent": [3, 5, 7]}, "Line 7 raises an error, so its harm isn't silent."),
    ({"error": [7, 8], "silent": [1, 3, 5]},
     "With line 1 in its new form, the program prints the same numbers."),
    ({"error": [7, 8], "silent": [3, 11]}, "numbers: its 0 is due to line 3, whose start changes with w."),
    ({"error": [7, 8], "silent": [3, 5, 12]}, "There is no line 12."),
    ({"error": [7, 8], "silent": []}, "Still missing: the lines that do harm."),
    ({"error": ["seven"], "silent": [3, 5]}, "In error, give the numbers of lines, such as [1, 2].")])
def test_16c_says_what_is_wrong(answer, says):
    assert says in first_wrong(exercise("16c"), answer, None)


@CHAPTER.says("a pass can be wrong, if it reads what was saved before the write")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("write", ["u.data.sub_(1.)", "u.data -= 1.", "u.data = u.data - 1."])
@pytest.mark.parametrize(("line", "right"), [("3 * u + 1", True), ("u.exp()", True), ("u ** 2", False)])
def test_a_write_through_data_harms_only_a_pass_that_reads_what_it_changed(library, write, line, right):
    before, u = (importlib.import_module(library).tensor(3., requires_grad=True) for _ in range(2))
    eval(line, {"u": before}).backward()
    y = eval(line, {"u": u})
    exec(write, {"u": u})
    y.backward()
    assert (u.grad == before.grad) == right


@CHAPTER.says("A helper that asks with `type`, and wraps what isn't a Variable, now wraps a weight or a "
              "result, too. `Variable` then returns a new leaf, and a part of the gradient is missing. "
              "There is no error if another path leads to the weight")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("given", [{}, {"requires_grad": True}])
def test_a_variable_of_a_weight_or_of_a_result_cuts_the_graph_without_an_error(library, given):
    package = importlib.import_module(library)
    x = package.ones(2, requires_grad=True)
    for h, part, whole in (x, 1., 2.), (x * 2, 2., 4.):
        leaf = package.autograd.Variable(h, **given)
        assert leaf.is_leaf and leaf.requires_grad == bool(given) and leaf is not h
        assert package.autograd.grad((leaf * x).sum(), x)[0].tolist() == [part] * 2
        assert package.autograd.grad((h * x).sum(), x)[0].tolist() == [whole] * 2
        with pytest.raises(RuntimeError):       # no other path
            package.autograd.grad((leaf * 2.).sum(), x)
    assert type(x) is not package.autograd.Variable and isinstance(x, package.autograd.Variable)


@CHAPTER.says("Where an old line took a number from data, by an index, a sum or a norm, write `.item()`, "
              "but never in what a pass has to go through")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_number_has_no_backward_and_takes_a_part_of_a_gradient_away(library):
    w = importlib.import_module(library).tensor([3., 5.], requires_grad=True)
    with pytest.raises(AttributeError, match="'float' object has no attribute 'backward'"):
        (w * w).sum().item().backward()
    (w.sum() * w.sum().item()).backward()
    assert w.grad.tolist() == [8., 8.]          # and not 16, 16


@CHAPTER.says("put each line that uses the volatile variable, or a result computed from it, into a `no_grad` "
              "block, up to where the old program clears `volatile` or takes `.data`")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_loss_of_a_target_that_was_volatile_stays_outside_of_the_block(library):
    package = importlib.import_module(library)
    w, x = package.ones(1, requires_grad=True), package.ones(1)
    with package.no_grad():
        target = w * x
        inside = (2 * w - target) ** 2
    ((2 * w - target) ** 2).backward()
    assert w.grad.tolist() == [4.]              # and not 2: the target is constant
    with pytest.raises(RuntimeError, match="does not require grad"):
        inside.backward()


@CHAPTER.says("and shows 20, 2, 0.1 and 0.01 as `x.grad`. Five runs of its cell leave that.")
def test_the_note_shows_the_gradient_after_the_fifth_run(capsys):
    cell, = shown_for("D5")
    exec("".join(cell["source"]), {"torch": torch})
    runs = [numbers(line) for line in capsys.readouterr().out.splitlines()]
    assert [run for run, *gradient in runs if gradient == [20., 2., 0.1, 0.01]] == [5.]


@CHAPTER.says("a saved `w` can change, too")
@pytest.mark.parametrize("library", LIBRARIES)
def test_an_assignment_to_data_changes_a_weight_that_was_saved_itself(library):
    """And none that was saved as a view: a linear layer saves one, of the old memory."""
    package = importlib.import_module(library)
    w = package.tensor(3., requires_grad=True)
    y = w ** 2
    w.data = w.data - 1.
    y.backward()
    assert w.grad.item() == 4.                  # and not 6
    layer, x = package.nn.Linear(1, 1), package.ones(1, 1, requires_grad=True)
    before, y = layer.weight.item(), layer(x)
    layer.weight.data = layer.weight.data - 1.
    y.sum().backward()
    assert x.grad.item() == before


@CHAPTER.says("It does record a write to a result, and that makes no cycle")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("write", ["h.sub_(1.)", "h.mul_(2.)", "h.mul_(h.detach())"])
def test_a_recorded_write_makes_a_new_node_and_no_cycle(library, write):
    """The picture of the chapter."""
    h = importlib.import_module(library).tensor(2., requires_grad=True) * 2
    before = h.grad_fn
    exec(write, {"h": h})
    assert h.grad_fn != before and [node for node, _ in h.grad_fn.next_functions if node] == [before]


# --- the tables of old lines --------------------------------------------------------------------------------

KINDS = ("changed", "always", "error")     # of the tables of old lines, in their order


def tables():
    """Return the rows of each table of old lines: the old words, the new ones, what the old do, where."""
    text, = ["".join(cell["source"]) for cell in load(16)["cells"]
             if "".join(cell["source"]).startswith("## Look up an old line")]
    found = [[row.strip("| ").split(" | ") for row in table.splitlines() if row.startswith("| `")]
             for table in text.split("\n\n")]
    return [rows for rows in found if rows]


def old_lines():
    """Return each row of the tables, with the kind of its table."""
    return [(kind, *row) for kind, rows in zip(KINDS, tables(), strict=True) for row in rows]


# For each old word: a program that uses it, a program that does today what the table says, and the words of
# the cells that show it, in the order in which the row names these. `t` is a leaf, and `y` a result of shape
# ().
PROGRAMS = {
    "a - b": ("a, b = t.view(3, 1), t + 0\nassert (a - b).shape == (3, 3)",
              "a, b = t.view(3, 1), t + 0\nassert (a - b.view(3, 1)).tolist() == [[0.], [0.], [0.]]",
              "fit(column, target)", "(a - b).shape, (a - b.view(2, 1)).shape"),
    ".data[0]": (
        "x = t.data; first = x[0]; x.sub_(1.); assert first.item() == 0.\n"
        "w = torch.ones(1, requires_grad=True); first = w.data[0]; w.data.sub_(1.)\n"
        "assert first.item() == 0. and type(first) is torch.Tensor",
        "x = t.data; first = x[0].item(); x.sub_(1.); assert first == 1.",
        "weights.append(w.data[0])"),
    ".data = w.data - step": ("s = (t * t).sum(); t.data = t.data - 1.; s.backward()\n"
                              "assert t.grad.tolist() == [0., 2., 4.]",                  # and not 2, 4, 6
                              "with torch.no_grad(): t.sub_(1.)\nassert t._version == 1",
                              '"u.data = u.data - 1."'),
    "e / e.sum(1).expand_as(e)": (
        "e = torch.tensor([[1., 3.], [1., 1.]]); r = e / e.sum(1).expand_as(e)\n"
        "assert r.tolist() == [[.25, 1.5], [.25, .5]] and e.mean(1).shape == e.prod(1).shape == (2,)\n"
        "sums = e.sum(1)\nfor j in range(2): assert r[:, j].tolist() == (e[:, j] / sums[j]).tolist()",
        "e = torch.tensor([[1., 3.], [1., 1.]]); r = e / e.sum(1, keepdim=True)\n"
        "assert r.sum(1).tolist() == [1., 1.] and e.mean(1, keepdim=True).shape == (2, 1)",
        "print(e / e.sum(1).expand_as(e))\nprint(e / e.sum(1, keepdim=True))"),
    "isinstance(h, Variable)": ("V = torch.autograd.Variable\n"
                                "assert isinstance(t, V) and isinstance(t.data, V) and isinstance(y, V)\n"
                                "assert isinstance(torch.tensor([1, 2]), V)",
                                "assert t.requires_grad and y.requires_grad and not t.data.requires_grad",
                                "isinstance(t, torch.autograd.Variable)"),
    "total += t.sum()": (
        "x, total, totals = t.data, 0, []\nfor i in range(3): total += x.sum(); totals.append(total)\n"
        "assert [one.item() for one in totals] == [18.] * 3 and type(x.sum()) is torch.Tensor",
        "x, total, totals = t.data, 0, []\nfor i in range(3): total += x.sum().item(); totals.append(total)\n"
        "assert totals == [6., 12., 18.] and type(total) is float",
        "total += (error.data ** 2).sum()"),
    "t.sum()": ("x = t.data; a, b = x[0], x.sum()\n"
                "assert x[0] not in {1.} and x[0] not in {a: 0} and len({x[0], x[0]}) == 2\n"
                "assert x.sum() not in {6.} and x.sum() not in {b: 0} and a == x[0] and b == x.sum()",
                "x = t.data\nassert x[0].item() in {1.} and len({x[0].item(), x[0].item()}) == 1\n"
                "assert x.sum().item() in {6.}", "{t[0], t[0]}, {t[0].item(), t[0].item()}"),
    "type(h) == Variable": (
        "V = torch.autograd.Variable\nassert type(t) != V and type(y) != V and type(V(t.data)) != V\n"
        "h = y if type(y) == V else V(y)\nassert y.grad_fn is not None and h.grad_fn is None",
        "h = y if isinstance(y, torch.Tensor) else torch.tensor(y); assert h is y",
        "t if type(t) == Variable else Variable(t)"),
    ".data.sub_(step)": ("s = (t * t).sum(); t.data.sub_(1.); s.backward()\n"
                         "assert t.grad.tolist() == [0., 2., 4.] and t._version == 0",     # and not 2, 4, 6
                         "with torch.no_grad(): t.sub_(1.)\nassert t._version == 1",
                         "w.data.sub_(", '"u.data -= 1."'),
    "total += loss": ("total = 0.; total += y; total += y * y; node = total.grad_fn\n"
                      "assert [n.name() for n, _ in node.next_functions] == ['AddBackward0', 'MulBackward0']",
                      "total = 0.; total += y.item(); assert type(total) is float", "held = held + loss"),
    "Variable(h.data)": ("h = torch.autograd.Variable(t.data); h.zero_(); assert t._version == 0",
                         "t.detach().zero_(); assert t._version == 1",
                         "data, array = t.view(3, 1), t.detach(), t.data",
                         '"torch.autograd.Variable(u.data).sub_(1.)"'),
    ".data.add_(-lr, w.grad.data)": ("y.backward(); t.data.add_(-1., t.grad.data); y = t * t\n"
                                     "t.data.add_(-1., torch.ones(3)); y.sum().backward()\n"
                                     "assert t.grad.tolist() == [-1., 1., 3.]",          # and not 1, 3, 5
                                     "y.backward()\nwith torch.no_grad(): t.sub_(0.1 * t.grad)\n"
                                     "assert t._version == 1", "w.data.sub_("),
    "F()(x)": ("class F(torch.autograd.Function):\n    def forward(self, x): return x\nF()(t)",
               "class F(torch.autograd.Function):\n    @staticmethod\n"
               "    def forward(ctx, x): return x * 1\n"
               "assert F.apply(t).grad_fn is not None", "@staticmethod\n    def forward(ctx"),
    "grad_variables=[v]": ("torch.autograd.backward([t * 2], grad_variables=[t.detach()])",
                           "torch.autograd.backward([t * 2], grad_tensors=[t.detach()])\n"
                           "assert t.grad.tolist() == [2., 4., 6.]", "grad_variables=[v, None]"),
    ".grad.data.zero_()": ("t.grad.data.zero_()", "t.grad = None", "b.grad.data.zero_()"),
    "loss.backward(retain_variables=True)": ("y.backward(retain_variables=True)",
                                             "y.backward(retain_graph=True); y.backward()",
                                             "backward(retain_variables=True)"),
    "loss.backward(torch.Tensor([1.0]))": ("y.backward(torch.Tensor([1.0]))", "y.backward()",
                                           "Today, its shape is `()`"),
    "loss.creator.previous_functions": ("y.creator.previous_functions",
                                        "assert y.grad_fn.next_functions", "q.grad_fn.next_functions"),
    "loss.data[0]": ("y.data[0]", "assert type(y.item()) is float", "Today, its shape is `()`"),
    "optimizer.step()": ("z, step = t ** 2, torch.optim.SGD([t], 0.1).step\n"
                         "z.sum().backward(retain_graph=True); step(); (z ** 2).sum().backward()",
                         "z, step = t ** 2, torch.optim.SGD([t], 0.1).step\n"
                         "z.sum().backward(retain_graph=True); (z ** 2).sum().backward(); step()",
                         "sgd.step()\nsecond.backward()"),
    ".reinforce(reward)": ("y.argmax().reinforce(1.)", "(-y.log() * 2.).backward()", "action.reinforce("),
    "volatile=True": ("v = torch.autograd.Variable(torch.ones(2), volatile=True)\n"
                      "assert (t.sum() * v).requires_grad",
                      "with torch.no_grad(): assert not (t * 2).requires_grad", "volatile=True"),
}


def word_of(row):
    """Return the words by which a row is looked up."""
    return re.match("`(.+?)`", row[1])[1]


def test_the_tables_of_old_lines_are_sorted_and_have_every_program():
    """By what a line does today, if it did so in 2017, and then by its words."""
    assert [word_of(row) for row in old_lines()] == [*PROGRAMS]
    keys = [(KINDS.index(row[0]), re.sub(r"\W", "", word_of(row)).casefold()) for row in old_lines()]
    assert keys == sorted(keys)


def told(row):
    """Return what a row says of its old line: it raises an error, gives a warning, or is silent."""
    kind, _, _, does, _ = row
    return re.match("error|warning", does)[0] if kind == "error" else "silent"


@pytest.fixture
def every_warning(monkeypatch):
    """Some warnings are given once in a process."""
    monkeypatch.setattr("minigrad.errors.given_warnings", set())
    if find_spec("torch"):
        import torch as pytorch
        before = pytorch.is_warn_always_enabled()
        pytorch.set_warn_always(True)
        yield
        pytorch.set_warn_always(before)
    else:
        yield


@pytest.mark.usefixtures("every_warning")
@pytest.mark.parametrize("row", old_lines(), ids=word_of)
@pytest.mark.parametrize("library", LIBRARIES)
def test_an_old_line_does_today_what_the_table_says(row, library):
    package = importlib.import_module(library)
    old, now, *_ = PROGRAMS[word_of(row)]
    for program, expected in (old, told(row)), (now, "silent"):
        t = package.tensor([1., 2., 3.], requires_grad=True)
        names = {"torch": package, "t": t, "y": (t * t.detach() / t.detach()).sum()}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(program, names)
                found = "warning" if caught else "silent"
            except (AttributeError, IndexError, RuntimeError, TypeError):
                found = "error"
        assert found == expected, program


@CHAPTER.says("This search finds all of them but `a - b`")
def test_the_search_finds_every_old_line_of_the_tables():
    text, = ["".join(cell["source"]) for cell in load(16)["cells"] if "grep -nE" in "".join(cell["source"])]
    pattern = re.compile(re.search("grep -nE '(.+)' ", text)[1])
    assert [word_of(row) for row in old_lines() if not pattern.search(word_of(row))] == ["a - b"]
    assert not pattern.search("loss = (w * x - target) ** 2") and not pattern.search("loss.backward()")
    old, = (source for source in map("".join, (cell["source"] for cell in load(16)["cells"]))
            if source.startswith("old = "))
    sorted_out = [line for line in old.splitlines() if re.search(r"# [3578]$", line)]
    assert len(sorted_out) == 4 and all(map(pattern.search, sorted_out))    # those of 16c
    assert pattern.search("y = Scale(2.)(x)") and pattern.search("e / e.std(1).expand_as(e)")


@CHAPTER.says("`.data.add_` warns only once")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_second_line_with_the_old_add_is_silent(library):
    package = importlib.import_module(library)
    w = package.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w.data.add_(-0.1, package.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w.data.add_(-0.1, package.ones(2))


@CHAPTER.says("In 2017, an index, a sum or a norm could be a Python number. Today it is a tensor")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "norm", "prod"])
def test_each_function_that_makes_one_number_makes_a_tensor_which_a_later_line_changes(library, name):
    t = importlib.import_module(library).tensor([3., 5.])
    total = getattr(t, name)()
    stored, number = total, total.item()
    total += 1.
    assert stored.shape == () and stored.item() == pytest.approx(number + 1)


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_conditions_in_the_table_of_old_lines_are_needed(library):
    """Under another condition, an old line does something else."""
    package = importlib.import_module(library)
    Variable = package.autograd.Variable

    def repackage_hidden(h):
        if type(h) == Variable:                         # noqa: E721, as in old language models
            return Variable(h.data)
        return tuple(repackage_hidden(v) for v in h)

    for h in package.ones(2, 3), (package.ones(2), package.ones(2)):
        with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
            repackage_hidden(h)

    w = package.ones(1, requires_grad=True)             # of shape (1,), not ()
    (w * 2).backward(package.Tensor([1.0]))
    assert w.grad.item() == 2 and (w * 2).data[0] == 2
    w.grad.data.zero_()                                 # after a pass
    package.optim.SGD([w], 0.1).zero_grad()
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'data'"):
        w.grad.data.zero_()

    total = sum((w * w).sum() for _ in range(2))        # a pass starts at it
    assert package.autograd.grad(total, w)[0].item() == 2 * package.autograd.grad((w * w).sum(), w)[0].item()
    with pytest.raises(AttributeError):
        (w * w).sum().item().backward()
    with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
        package.ones(2, 2)[0].item()                    # of two dimensions

    class Double(package.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, message):
            return message * 2

    Double.apply(w).sum().backward()
    assert w.grad.item() == 2
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward"):
        Double()(w)


@pytest.mark.filterwarnings("ignore:volatile was removed")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_variable_cannot_be_volatile_and_require_a_gradient(library):
    """An old rule that is left: the argument is still read."""
    package = importlib.import_module(library)
    with pytest.raises(ValueError, match="can't be volatile and require_grad at the same time"):
        package.autograd.Variable(package.ones(1), volatile=True, requires_grad=True)


@CHAPTER.says("`Variable(t)` of data does no harm by itself")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_variable_of_data_is_a_new_tensor_in_its_memory(library):
    package = importlib.import_module(library)
    x = package.tensor([1., 2., 3.])
    for given in {}, {"requires_grad": True}:
        v = package.autograd.Variable(x, **given)
        assert v.is_leaf and v.requires_grad == bool(given)
        assert v is not x and v.data_ptr() == x.data_ptr() and not x.requires_grad


def source_of(cell):
    return "".join(cell["source"])


def below_the_tables():
    """Return the cells of code below the tables, as one text."""
    cells = in_sections(load(16), ("## Look up an old line",))
    return "\n".join(map(source_of, code_cells({"cells": cells})))


def test_the_table_of_old_lines_leads_to_what_shows_them():
    """The last column has links, as JupyterLab calls a heading, chapters, and "below" for the next cells."""
    for row in old_lines():
        named = re.sub(r"\[([^\]]+)\]\(\w+\.ipynb\)", r"\1", row[-1])
        places = named.removeprefix("new form: ").split(", ")
        assert len(places) == len(PROGRAMS[word_of(row)][2:]), row
        for place, words in zip(places, PROGRAMS[word_of(row)][2:], strict=True):
            if theme := re.fullmatch(r"\[(.+)\]\(#(.+)\)", place):
                assert theme[1] in dict(THEMES) and theme[2] == theme[1].replace(" ", "-")
                text = "\n".join(map(source_of, in_sections(load(16), (f"## {theme[1]}\n",))))
            elif chapter := re.fullmatch(r"chapter (\d+)", place):
                text = "\n".join(map(source_of, load(int(chapter[1]))["cells"]))
            elif place == "gallery":
                gallery = json.loads((NOTEBOOKS / "gallery.ipynb").read_text(encoding="utf-8"))
                text = "\n".join(map(source_of, code_cells(gallery)))
            else:
                assert place == "below"
                text = below_the_tables()
            assert words in text, row
