"""Chapter 6: its rules on random programs, and its Saved Table."""
import random
import re

import pytest

import minigrad as torch
from minigrad.book import saved_bytes
from minigrad.book.content.chapters.ch06 import LINES
from minigrad.viz.graph.kept import saved_by
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load, texts

CHAPTER = Chapter(6)


def fails(root):
    with pytest.raises(RuntimeError, match="second time"):
        root.backward()


@CHAPTER.says("`saved_bytes(held)` adds up the bytes of all saved tensors in its graph, each counted once.")
def test_saved_bytes_counts_each_tensor_once_and_a_freed_one_not_at_all():
    x = torch.linspace(0.1, 0.9, 1000, requires_grad=True)
    h = (x * x).exp()
    p, q = h.sin().sum(), h.tanh().sum()
    assert saved_bytes(p, q) == 12_000 and saved_bytes(p) == 8000
    p.backward()
    assert saved_bytes(p, q) == 4000 and saved_bytes(p) == 0 and saved_bytes(x) == 0


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


def tensors_saved_by(node):
    return [value for _, state, value, _ in saved_by(node)
            if isinstance(value, torch.Tensor) and state == "kept"]


def saves(node):
    return bool(tensors_saved_by(node))


@pytest.mark.parametrize("name", [name for name in STEPS if name not in ("reshape", "clone")])
@CHAPTER.says("An operation saves the tensors from which it will compute its local derivatives: inputs, its "
              "result, a constant, or numbers computed on the way.")
def test_local_derivatives_are_computed_from_what_was_saved_and_from_nothing_else(name):
    """A write through `.data`, which is not counted, changes a gradient exactly if it hits a saved tensor."""
    def gradients(change):
        a, b = (torch.tensor(numbers, requires_grad=True) for numbers in ([0.3, 0.5], [0.7, 0.2]))
        result = STEPS[name](a, b)
        kept = {value.data_ptr() for value in tensors_saved_by(result.grad_fn)}
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
    assert [value.tolist() for value in tensors_saved_by(largest.values.grad_fn)] == [1]


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


@pytest.mark.parametrize("formula", ["w * x + b", "b + w * x", "w * x - x + b"])
@CHAPTER.says("A pass that fails may have changed some drawers: empty them all.")
def test_of_the_nodes_that_are_ready_an_accumulate_grad_runs_first(formula):
    names = {"w": torch.tensor(1., requires_grad=True), "b": torch.tensor(0., requires_grad=True),
             "x": torch.tensor([1., 3.])}
    error = eval(formula, names)
    error.sum().backward()
    fails(error.sum())
    assert (names["w"].grad.item(), names["b"].grad.item()) == (4., 4.)


# --- the Saved Table ----------------------------------------------------------------------------------------

def table():
    cell, = [text for text in texts(load(6)) if "**Saved Table**" in text]
    rows = re.findall(r"^\| (`.*`) \|[^|]*\| (.*) \|$", cell, re.MULTILINE)
    return [(line, what) for lines, what in rows for line in re.findall("`(.+?)`", lines)]


@pytest.mark.parametrize(("line", "what"), table())
def test_the_saved_table_says_what_is_saved(line, what):
    t, w = (torch.tensor(numbers, requires_grad=True) for numbers in ([3., 5., 7.], [1., 2., 4.]))
    result = eval(line, {"t": t, "w": w})
    kept = tensors_saved_by(result.grad_fn)
    found = ("nothing" if not kept else
             "the result" if kept[0].data_ptr() == result.data_ptr() else
             "the constant" if kept[0].ndim == 0 else
             "both inputs" if len(kept) == 2 else "the input")
    assert found == what.partition("; ")[0]
    assert line not in LINES        # of 6a, which would be answered


def test_a_product_with_a_constant_saves_the_constant_alone():
    """The Saved Table: "if only one requires a gradient, the other one"."""
    t, w = torch.tensor([3., 5., 7.], requires_grad=True), torch.tensor([1., 2., 4.])
    assert [value.data_ptr() for value in tensors_saved_by((t * w).grad_fn)] == [w.data_ptr()]
