"""Chapter 3: its rules, and random programs that try to break them."""
import random

import pytest

import minigrad as torch
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(3)


def nodes(result):
    """Return the nodes behind a result, from its own to those of the leaves."""
    found = [result.grad_fn] if result.grad_fn is not None else []
    for node in found:
        found += [after for after, _ in node.next_functions if after is not None and after not in found]
    return found


STEPS = [  # (the name of its node, or None where nothing is recorded; what it computes from two tensors)
    ("MulBackward0", lambda a, b: a * b), ("AddBackward0", lambda a, b: a + b),
    ("SubBackward0", lambda a, b: a - b), ("TanhBackward0", lambda a, b: a.tanh()),
    ("RoundBackward0", lambda a, b: a.round()), ("MulBackward0", lambda a, b: a * 2),
    (None, lambda a, b: (a > b).float()), (None, lambda a, b: b.detach()),
    (None, lambda a, b: torch.ones_like(a)), (None, lambda a, b: a.long().float()),
]
SEEDS = pytest.mark.parametrize("seed", range(40))


def program(seed):
    """Run a random program: return its leaves, all its tensors, and the names of the operations that ran."""
    rng = random.Random(seed)
    leaves = [torch.tensor([rng.random(), rng.random()], requires_grad=rng.random() < 0.7) for _ in range(4)]
    leaves[0].requires_grad_(True)
    tensors, ran = list(leaves), set()
    for _ in range(8):
        name, operation = rng.choice(STEPS)
        ran.add(name)
        tensors.append(operation(rng.choice(tensors), rng.choice(tensors)))
    tensors.append(tensors[-1] * tensors[0])  # at least one operation is recorded
    return leaves, tensors, ran | {"MulBackward0"}


@SEEDS
@CHAPTER.says("The graph that a backward pass from `loss` follows was recorded earlier, while the lines that "
              "compute `loss` ran.")
def test_the_graph_was_built_before_the_pass(seed):
    """A pass adds no node, and needs no name."""
    leaves, tensors, _ = program(seed)
    result = tensors[-1]
    before = nodes(result)
    del tensors
    result.sum().backward()
    assert nodes(result) == before and leaves[0].grad is not None


@SEEDS
@CHAPTER.says("A backward pass follows edges. A leaf receives a gradient only if edges lead to its "
              "AccumulateGrad, or if the pass starts there.")
def test_a_pass_fills_the_leaves_that_edges_lead_to(seed):
    leaves, tensors, _ = program(seed)
    reached = {id(node.variable) for node in nodes(tensors[-1]) if hasattr(node, "variable")}
    tensors[-1].sum().backward()
    assert {id(leaf) for leaf in leaves if leaf.grad is not None} == reached
    start = torch.ones(3).sum().requires_grad_()  # a leaf: a pass that starts at it fills its drawer
    start.backward()
    assert start.grad_fn is None and start.grad == 1


@SEEDS
@CHAPTER.says("An operation is recorded only if it runs, has a floating-point (or complex) result, and at "
              "least one input requires a gradient.")
def test_an_operation_is_in_a_graph_only_if_it_ran(seed):
    _, tensors, ran = program(seed)
    assert {node.name() for node in nodes(tensors[-1]) if not hasattr(node, "variable")} <= ran


def test_an_operation_is_recorded_only_if_it_may_be():
    """Rule: a floating-point result, and at least one input that requires a gradient."""
    recorded = 0
    for seed in range(40):
        rng = random.Random(seed)
        a, b = (torch.tensor([3., 5.]).to(rng.choice([torch.float32, torch.int64, torch.float64]))
                for _ in range(2))
        for one in (a, b):
            if one.is_floating_point():
                one.requires_grad_(rng.random() < 0.5)
        for operation in (torch.add, torch.mul, torch.maximum, torch.eq, lambda a, b: a.argmax() + b,
                          lambda a, b: a.int(), lambda a, b: b.round(), lambda a, b: (a < b).double(),
                          lambda a, b: torch.zeros_like(b), lambda a, b: a.topk(1).indices,
                          lambda a, b: torch.ones_like(b, dtype=torch.float32, requires_grad=True)):
            result = operation(a, b)
            recorded += result.grad_fn is not None
            if result.grad_fn is not None:
                assert result.is_floating_point() and (a.requires_grad or b.requires_grad)
    assert recorded > 50


def test_the_program_of_3b_is_on_no_page():
    """Whoever reads the source of the page must not find the line that 3b asks for."""
    shown = [cell for cell in load(3)["cells"] if "solution" not in cell["metadata"].get("tags", ())]
    assert ".exp() - q" not in "".join("".join(cell["source"]) for cell in shown)
