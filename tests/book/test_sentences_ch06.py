"""Chapter 6: the sentences that were false in its first edition, its rules, and its Saved Table.

A rule is tried on many small random programs, so that it says neither too much nor too little.
"""
import gc
import json
import random
import re
import tracemalloc

import pytest

import minigrad as torch
from minigrad.book import play, saved_bytes
from minigrad.book.content.chapters.ch06 import LINES, save_nothing
from minigrad.viz.graph.kept import saved_by
from tests import ROOT
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(6)
NOTEBOOK = ROOT / "notebooks/06_why_cant_i_go_back_twice.ipynb"
LEAF = "x = torch.tensor([3., 5.], requires_grad=True)\n"

REFUTED = [  # (a sentence that is false, the program that refutes it, what to look at, what it is)
    ("A second pass fails exactly when an operation on its way had saved a tensor.",
     "y = x + 4; p = (y * 5).sum(); q = (y ** 2).sum(); p.backward(); q.backward()", "x.grad", [19., 23.]),
    ("A pass destroys the graph, so that nothing can go through its nodes again.",
     "p = (x + 4).sum(); p.backward(); p.backward()", "x.grad", [2., 2.]),
    ("After y = x + 2, a second pass fails without retain_graph=True.",
     "y = (x + 2).mean(); y.backward(); y.backward()", "x.grad", [1., 1.]),
    ("A pass that fails changes no drawer.",
     "b = torch.tensor(1., requires_grad=True); p = (x * x).sum() + b; p.backward(); fails(p); fails(p); "
     "fails(p)",
     "b.grad", 4.),
    ("retain_graph=True keeps what is in .grad, or replaces it.",
     "p = (x * x).sum(); p.backward(retain_graph=True); p.backward()", "x.grad", [12., 20.]),
    ("Without retain_graph=True, a pass frees what its nodes saved, whatever else it is called with.",
     "p = (x * x).sum(); torch.autograd.grad(p, x, create_graph=True); p.backward()", "x.grad", [6., 10.]),
    ("With retain_graph=True in every iteration, what a graph saves grows.",
     "sizes = [kept_by_one_turn(x) for turn in range(40)]", "max(sizes) - min(sizes)", 0),
    ("The note of D1: the gradient of (v ** 2).mean() is 1.5 at v = 1.",
     "v = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True); (v ** 2).mean().backward()", "v.grad",
     [[0.5, 1.], [1.5, 2.]]),
    ("The note of D5: the gradient is 20 for a weight of 2 on 2 * x.",
     "z = 2 * x; z.backward(torch.tensor([2., 0.5]))", "x.grad", [4., 1.]),
]


def fails(root):
    with pytest.raises(RuntimeError, match="second time"):
        root.backward()


def kept_by_one_turn(x):
    loss = (x * x).exp().sum()
    loss.backward(retain_graph=True)
    return saved_bytes(loss)


@pytest.mark.parametrize(("sentence", "program", "look", "found"), REFUTED, ids=lambda value: str(value)[:40])
def test_a_sentence_that_is_false(sentence, program, look, found):
    assert sentence not in CHAPTER
    names = {"torch": torch, "fails": fails, "kept_by_one_turn": kept_by_one_turn}
    exec(LEAF + program.replace("; ", "\n"), names)
    result = eval(look, names)
    assert (result.tolist() if isinstance(result, torch.Tensor) else result) == found


def test_the_notes_numbers_are_three_and_five_passes():
    v = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    out = (v ** 2).mean()
    for _ in range(3):
        out.backward(retain_graph=True)
    assert v.grad.tolist() == [[1.5, 3.], [4.5, 6.]]
    u = torch.tensor([1., 2., 3., 4.], requires_grad=True)
    z = (2 * u).view(2, 2)
    for _ in range(5):
        z.backward(torch.tensor([[2., 0.2], [0.01, 0.001]]), retain_graph=True)
    assert u.grad.tolist() == pytest.approx([20., 2., 0.1, 0.01])


def test_the_trunk_of_the_picture_stops_the_second_root():
    a = torch.tensor([3., 5.], requires_grad=True)
    y = a * a
    p, q = y.sum(), (y * y).mean()
    p.backward()
    assert saves(q.grad_fn.next_functions[0][0]) and not saves(y.grad_fn)
    fails(q)


@pytest.mark.parametrize("start", ["out", "z"])
def test_without_the_argument_the_notes_would_have_met_the_error(start):
    v = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    root = {"out": (v ** 2).mean(), "z": (2 * v).view(4).sum()}[start]
    root.backward()
    fails(root)


# --- memory -------------------------------------------------------------------------------------------------

def grown(linked):
    """How many bytes more are in use after 40 turns, each of which saves 80,000 bytes beside its input."""
    x = torch.linspace(0.1, 0.9, 20_000, requires_grad=True)
    total = 0
    tracemalloc.start()
    for turn in range(41):
        loss = (x * x).exp().sum()
        loss.backward(retain_graph=True)
        total = total + (loss if linked else loss.detach())
        if turn == 0:
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


def test_memory_is_flat_with_a_new_graph_in_each_turn_and_grows_where_graphs_are_linked():
    assert grown(linked=False) < 100_000 < 3_000_000 < grown(linked=True)


@CHAPTER.says("`saved_bytes(held)` adds up the bytes of all saved tensors in its graph, each counted once.")
def test_saved_bytes_counts_each_tensor_once_and_a_freed_one_not_at_all():
    x = torch.linspace(0.1, 0.9, 1000, requires_grad=True)
    h = (x * x).exp()
    p, q = h.sin().sum(), h.tanh().sum()
    assert saved_bytes(p, q) == 12_000 and saved_bytes(p) == 8000
    p.backward()
    assert saved_bytes(p, q) == 4000 and saved_bytes(p) == 0 and saved_bytes(x) == 0


def test_a_graph_of_the_chapter_holds_8000_bytes_half_of_them_its_input():
    for keep, size in ((True, 8000), (False, 0)):
        m = torch.linspace(0.1, 0.9, 1000, requires_grad=True)
        loss = (m * m).exp().sum()
        loss.backward(retain_graph=keep)
        assert saved_bytes(loss) == size
    assert m.numel() * m.element_size() == 4000


def test_saved_bytes_after_each_turn_are_none_stay_the_same_or_grow(capsys):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = next(text for cell in cells if "def measured" in (text := "".join(cell["source"])))
    names = {"torch": torch, "saved_bytes": saved_bytes}
    exec(code, names)
    assert names["measured"](False, False) == 4 * [0] == names["measured"](False, True)
    assert names["measured"](True, False) == 4 * [8000]
    assert names["measured"](True, True) == [8000, 12_000, 16_000, 20_000]
    assert capsys.readouterr().out.count("[") == 4


# --- the rules ----------------------------------------------------------------------------------------------

STEPS = {  # an operation on one or two tensors
    "a + b": lambda a, b: a + b, "a - b": lambda a, b: a - b, "a * b": lambda a, b: a * b,
    "-a": lambda a, b: -a, "a * 3": lambda a, b: a * 3, "a ** 2": lambda a, b: a ** 2,
    "exp": lambda a, b: a.exp(), "abs": lambda a, b: a.abs(), "tanh": lambda a, b: a.tanh(),
    "reshape": lambda a, b: a.reshape(2), "sin": lambda a, b: a.sin(), "clone": lambda a, b: a.clone()}


def random_graph(rng):
    """Two leaves, six operations on them or on each other's results, and two roots."""
    found = [torch.tensor([0.3, -0.5], requires_grad=True), torch.tensor([0.7, 0.2], requires_grad=True)]
    for _ in range(6):
        found.append(rng.choice(list(STEPS.values()))(rng.choice(found[-4:]), rng.choice(found)))
    return found[:2], [rng.choice(found[4:]).sum(), found[-1].sum()]


def nodes_behind(root):
    found = [root.grad_fn]
    for node in found:
        found += [after for after, _ in node.next_functions if after is not None and after not in found]
    return found


def saves(node):
    return any(isinstance(value, torch.Tensor) for _, state, value, _ in saved_by(node) if state == "kept")


@pytest.mark.parametrize("name", [name for name in STEPS if name not in ("reshape", "clone")])
@CHAPTER.says("An operation saves the tensors from which it will compute its local derivatives: inputs, its "
              "result, a constant, or numbers computed on the way.")
def test_local_derivatives_are_computed_from_what_was_saved_and_from_nothing_else(name):
    """A write through `.data`, which is not counted, changes a gradient exactly if it hits a saved tensor."""
    def gradients(change):
        a, b = (torch.tensor(numbers, requires_grad=True) for numbers in ([0.3, 0.5], [0.7, 0.2]))
        result = STEPS[name](a, b)
        kept = {value.data_ptr() for _, _, value, _ in saved_by(result.grad_fn)
                if isinstance(value, torch.Tensor)}
        changed = {"nothing": None, "a": a, "b": b, "result": result}[change]
        if changed is not None:
            changed.data[:] = torch.tensor([-0.8, -0.9])
        result.sum().backward()
        found = [leaf.grad.tolist() for leaf in (a, b) if leaf.grad is not None]
        return found, changed is not None and changed.data_ptr() in kept

    right, _ = gradients("nothing")
    for change in ("a", "b", "result"):
        found, was_saved = gradients(change)
        assert (found != right) == was_saved


@CHAPTER.says("A number that is computed on the way is, for example, the position of the largest element for "
              "`t.max(0)`.")
def test_a_maximum_saves_where_it_was_found():
    largest = torch.tensor([3., 7., 5.], requires_grad=True).max(0)
    kept = [value for _, _, value, _ in saved_by(largest.values.grad_fn) if isinstance(value, torch.Tensor)]
    assert [value.tolist() for value in kept] == [1]


@pytest.mark.parametrize("seed", range(150))
@CHAPTER.says("By default, a pass frees the saved tensors of each node that it runs. A later pass fails "
              "when it needs one of them.")
def test_a_pass_frees_what_its_nodes_saved_and_a_later_pass_fails_where_it_needs_that(seed):
    _, (first, second) = random_graph(random.Random(seed))
    used, needed = nodes_behind(first), nodes_behind(second)
    had_saved = {node for node in {*used, *needed} if saves(node)}
    should_fail = any(node in used and node in had_saved for node in needed)
    first.backward()
    assert not any(saves(node) for node in used)
    assert all(saves(node) for node in had_saved if node not in used)
    if should_fail:
        fails(second)
    else:
        second.backward()


@pytest.mark.parametrize("seed", range(50))
@CHAPTER.says("With **`retain_graph=True`**, a pass frees nothing, and still adds to `.grad`.")
def test_with_retain_graph_a_pass_frees_nothing_and_adds_as_before(seed):
    leaves, (first, second) = random_graph(random.Random(seed))
    had_saved = [node for node in {*nodes_behind(first), *nodes_behind(second)} if saves(node)]
    first.backward(retain_graph=True)
    assert all(saves(node) for node in had_saved)
    second.backward()
    apart = [leaf.grad for leaf in leaves]
    again, (first, second) = random_graph(random.Random(seed))
    (first + second).backward()
    for leaf, grad in zip(again, apart, strict=True):
        assert (leaf.grad is None) == (grad is None)
        assert grad is None or leaf.grad.tolist() == pytest.approx(grad.tolist(), rel=1e-4)


@CHAPTER.says("For the rows of a Jacobian (chapter 5), one graph serves several passes, each with another "
              "`v` and an empty drawer.")
def test_one_graph_gives_all_rows_of_a_jacobian():
    u = torch.tensor([3., 2.], requires_grad=True)
    y = torch.stack([u[0] ** 2, u[0] * u[1], u[1] ** 3])
    rows = []
    for v in torch.eye(3):
        u.grad = None
        y.backward(v, retain_graph=True)
        rows.append(u.grad.tolist())
    assert rows == [[6., 0.], [2., 3.], [0., 12.]]


@CHAPTER.says("A pass that fails may have changed some drawers: empty them all.")
def test_a_failed_pass_may_change_some_drawers_and_emptying_them_all_cures_it():
    """The rule says "may": it names no drawer that is safe, so all are emptied."""
    w, b = torch.tensor(2., requires_grad=True), torch.tensor(3., requires_grad=True)
    loss = w * w + b
    loss.backward()
    fails(loss)
    assert (w.grad.item(), b.grad.item()) == (4., 2.)
    w.grad = b.grad = None
    (w * w + b).backward()
    assert (w.grad.item(), b.grad.item()) == (4., 1.)


@pytest.mark.parametrize("formula", ["w * x + b", "b + w * x", "w * x - x + b"])
def test_of_the_nodes_that_are_ready_an_accumulate_grad_runs_first(formula):
    names = {"w": torch.tensor(1., requires_grad=True), "b": torch.tensor(0., requires_grad=True),
             "x": torch.tensor([1., 3.])}
    error = eval(formula, names)
    error.sum().backward()
    fails(error.sum())
    assert (names["w"].grad.item(), names["b"].grad.item()) == (4., 4.)


@CHAPTER.says("That of `abs` was freed by the failed pass itself: `squared.backward()` had never run this "
              "node.")
def test_a_failed_pass_frees_what_it_used_before_it_failed():
    w = torch.tensor(2., requires_grad=True)
    error = w * torch.tensor([1., 3.])
    squared, absolute = (error ** 2).mean(), error.abs().mean()
    node_of_abs = absolute.grad_fn.next_functions[0][0]
    squared.backward()
    assert saves(node_of_abs)
    fails(absolute)
    assert not saves(node_of_abs)


# --- the Saved Table ----------------------------------------------------------------------------------------

def table():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    text = next("".join(cell["source"]) for cell in cells if "**Saved Table**" in "".join(cell["source"]))
    rows = re.findall(r"^\| (`.*`) \|[^|]*\| (.*) \|$", text, re.MULTILINE)
    return [(line, what) for lines, what in rows for line in re.findall("`(.+?)`", lines)]


@pytest.mark.parametrize(("line", "what"), table())
def test_the_saved_table_says_what_is_saved(line, what):
    t, w = (torch.tensor(numbers, requires_grad=True) for numbers in ([3., 5., 7.], [1., 2., 4.]))
    result = eval(line, {"t": t, "w": w})
    kept = [value for _, _, value, _ in saved_by(result.grad_fn) if isinstance(value, torch.Tensor)]
    found = {"nothing" if not kept else
             "the result" if kept[0].data_ptr() == result.data_ptr() else
             "the constant" if kept[0].ndim == 0 else
             "both inputs" if len(kept) == 2 else "the input"}
    assert found == {what.partition("; ")[0]}


def test_a_product_with_a_constant_saves_the_constant_alone():
    """The Saved Table: "if only one requires a gradient, the other one"."""
    t, w = torch.tensor([3., 5., 7.], requires_grad=True), torch.tensor([1., 2., 4.])
    kept = [value for _, _, value, _ in saved_by((t * w).grad_fn) if isinstance(value, torch.Tensor)]
    assert [value.data_ptr() for value in kept] == [w.data_ptr()]
    assert [what for line, what in table() if line == "t * w"] == [
        "both inputs; if only one requires a gradient, the other one"]


def test_the_table_has_no_line_of_6a_and_those_that_save_nothing_can_run_twice():
    assert table() and not set(LINES) & {line for line, _ in table()}
    for line in LINES:
        total = eval(line, {"t": torch.tensor([3., 5., 7.], requires_grad=True)}).sum()
        total.backward()
        if line in save_nothing():
            total.backward()
        else:
            fails(total)


def test_the_lab_says_what_its_tensors_compute_and_whose_node_still_saves_something():
    lab = play("two losses")
    for keep, what in ((False, "self (node of q)"),
                       (True, "self and other (node of y), other (node of p), self (node of q)")):
        first, *_, last = lab.show({**lab.start, "keep": keep})[1].splitlines()
        assert (first, last) == ("x = 3, y = x * x, p = y * 5, q = y ** 2", f"Still saved: {what}")
