"""What chapter 3 no longer says, with the programs that refute it; and its rules, each under attack."""
import contextlib
import io
import random

import pytest

import minigrad as torch
from minigrad.book.content.chapters.ch03 import double_up
from minigrad.viz import draw
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(3)
X = "x = torch.tensor([3., 5.], requires_grad=True)\n"
FALSE = [  # (a false sentence, a program that refutes it, what the program prints)
    ("backward() reads the graph and nothing else",
     X + "y = x + 2\nx.requires_grad_(False)\ny.sum().backward()\nprint(x.grad)", "None"),
    ("what was recorded still brings x its gradient after its flag was switched off",
     X + "y = x + 2\nx.requires_grad_(False)\ny.sum().backward()\nprint(y.requires_grad, x.grad)",
     "True None"),
    ("an operation saves only the tensors that its slope is computed from",
     X + "c = torch.tensor([2., 2.])\ny = x ** c\ny.add_(1)\n"
     "try:\n    y.sum().backward()\nexcept RuntimeError as e:\n    print('is at version 1' in str(e))",
     "True"),
    ("whatever is computed from x is recorded",
     X + "print(*[r.requires_grad for r in (x > 4, x.argmax(), x.long(), x.detach(), torch.ones_like(x))])",
     "False False False False False"),
    ("one number goes along each edge of x * x",
     X + "print([message.tolist() for message in (x * x).grad_fn(torch.ones(2))])",
     "[[3.0, 5.0], [3.0, 5.0]]"),
    ("a graph holds tensors and operations",
     X + "y = x * 2\nz = y + 1\nprint(*[node.name()[-14:] for node in nodes(z)])",
     "AddBackward0 MulBackward0 AccumulateGrad"),
    ("a graph holds operations only",
     X + "print(hasattr(nodes(x + 1)[-1], 'variable'))", "True"),
    ("a leaf can be told not to be recorded any more",
     X + "w = torch.ones(2, requires_grad=True)\nx.requires_grad_(False)\nprint((x + w).requires_grad)",
     "True"),
    ("a pass finds a slope for every number that went in",
     X + "c = torch.ones(2)\n(x * c).sum().backward()\nprint(x.grad is None, c.grad is None)", "False True"),
    ("in a picture every box is a tensor and every operation a hexagon",
     X + "print([box.kind for box in draw(x + 1).picture.boxes if box.title == 'AccumulateGrad'])",
     "['accumulate']"),
    ("a node holds a pair for each tensor that went into the operation",
     X + "print(*[len(y.grad_fn.next_functions) for y in (x + 2, x * x, x ** 2)])", "2 2 1"),
    ("a leaf is an AccumulateGrad object",
     X + "node = nodes(x + 1)[-1]\nprint(node is x, node.variable is x)", "False True"),
    ("double_up doubles a tensor until its norm is at least 1000",
     "print(double_up(torch.tensor(1000.)).item())", "2000.0"),
    ("no operation was recorded for hits",
     X + "distance = (x - 4).abs()\nhits = (distance < 1).float().mean()\n"
     "print(distance.grad_fn.name(), hits.grad_fn)", "AbsBackward0 None"),
    ("A backward pass can fill a leaf's drawer only if edges lead from the result's node",
     "total = torch.ones(3).sum().requires_grad_()\ntotal.backward()\nprint(total.grad_fn, total.grad)",
     "None tensor(1.)"),
    ("Each recorded operation has a node",
     X + "print(*[node.name()[-20:] for node in nodes(1 / x)][:2])", "MulBackward0 ReciprocalBackward0"),
    ("backward() looks for the variable by its name",
     "first = w = torch.tensor(3., requires_grad=True)\ny = w * w\nw = torch.tensor(4., requires_grad=True)\n"
     "y.backward()\nprint(first.grad, w.grad)", "tensor(6.) None"),
    ("For a random `x`, the gradient is 1024",
     "torch.manual_seed(5)\nx = torch.randn(3, requires_grad=True)\ndouble_up(x).sum().backward()\n"
     "print(x.grad)", "tensor([2048., 2048., 2048.])"),
    ("`total` is a leaf without a node",
     "total = torch.ones(3).sum().requires_grad_()\nnode = nodes(total * 2)[-1]\n"
     "print(node.name()[-14:], node.variable is total)", "AccumulateGrad True"),
    ("a pair for each differentiable input",
     X + "print(len((x + 2).grad_fn.next_functions))", "2"),
    ("a result requires a gradient only if at least one input requires a gradient",
     "print(torch.ones_like(torch.ones(2), requires_grad=True).requires_grad)", "True"),
]


def nodes(result):
    """Return the nodes behind a result, from its own to those of the leaves."""
    found = [result.grad_fn] if result.grad_fn is not None else []
    for node in found:
        found += [after for after, _ in node.next_functions if after is not None and after not in found]
    return found


@pytest.mark.parametrize("sentence, program, printed", FALSE, ids=[row[0] for row in FALSE])
def test_a_false_sentence_is_refuted(sentence, program, printed):
    assert sentence not in CHAPTER
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(program, {"torch": torch, "nodes": nodes, "draw": draw, "double_up": double_up})
    assert out.getvalue().strip() == printed


# --- the rules ----------------------------------------------------------------------------------------------

STEPS = {  # the name of its node, or None where nothing is recorded: what it computes from two tensors
    "mul": ("MulBackward0", lambda a, b: a * b), "add": ("AddBackward0", lambda a, b: a + b),
    "sub": ("SubBackward0", lambda a, b: a - b), "tanh": ("TanhBackward0", lambda a, b: a.tanh()),
    "round": ("RoundBackward0", lambda a, b: a.round()), "double": ("MulBackward0", lambda a, b: a * 2),
    "compare": (None, lambda a, b: (a > b).float()), "cut": (None, lambda a, b: b.detach()),
    "shape": (None, lambda a, b: torch.ones_like(a)), "whole": (None, lambda a, b: a.long().float()),
}
SEEDS = pytest.mark.parametrize("seed", range(40))


def program(seed):
    """Run a random program: return its leaves, all its tensors, and the names of the operations that ran."""
    rng = random.Random(seed)
    leaves = [torch.tensor([rng.random(), rng.random()], requires_grad=rng.random() < 0.7) for _ in range(4)]
    leaves[0].requires_grad_(True)
    tensors, ran = list(leaves), set()
    for _ in range(8):
        name = rng.choice(list(STEPS))
        if rng.random() < 0.3 and tensors[-1].sum() > 1:  # a branch that depends on the numbers
            name = "tanh"
        ran.add(STEPS[name][0])
        tensors.append(STEPS[name][1](rng.choice(tensors), rng.choice(tensors)))
    tensors.append(tensors[-1] * tensors[0])  # at least one operation is recorded
    return leaves, tensors, ran | {"MulBackward0"}


@SEEDS
@CHAPTER.says("The graph that a backward pass from `loss` follows was recorded earlier, while the lines that "
              "compute `loss` ran.")
def test_the_graph_was_built_before_the_pass(seed):
    """Rule: the graph that backward() follows was built earlier. A pass adds no node, and needs no name."""
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
