"""Small programs on which a learner's engine is tried: each chapter's own examples, and random ones.

Those of chapters 9 and 10 are in training_programs.py: a learner may skip these slices.

A program is plain text, a statement a line, so that it can be shown as it is.
"""
from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import minigrad


@dataclass(frozen=True)
class Program:
    """Statements, the expressions to compare when they have run, and why they give what they give."""

    text: str
    look: tuple[str, ...]
    why: str = ""
    after_errors: bool = False  # whether to compare although a statement raised an error, as it should
    why_slow: str = ""  # why it takes so long, if it takes too long
    reads: Callable[[dict, dict], Any] | None = None  # looks at both sets of names after each statement
    needs: str = ""  # a method that an engine may lack; without it, this program is left out

    @property
    def statements(self) -> list[str]:
        return self.text.splitlines()


def program(text: str, look: str, why: str = "", after_errors: bool = False, **more: Any) -> Program:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return Program("\n".join(lines), tuple(look.split("; ")), why, after_errors, **more)


TRUNK = """
    x = Tensor(3.0, requires_grad=True)
    y = x * x
    p = y * Tensor(5.0)
    q = y * y
"""
VECTOR = """
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
"""

CHAPTER_4 = (
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        y.backward()
    """, "y.data; x.grad", "`x` is used twice, so two messages arrive at its drawer, and they are added."),
    program("""
        a = Tensor(4.0, requires_grad=True)
        b = Tensor(5.0, requires_grad=True)
        p = a * b
        s = a + b
        y = p * s
        y.backward()
    """, "y.data; a.grad; b.grad", "A product sends each input the other's value times what it received."),
    program("""
        a = Tensor(2.0, requires_grad=True)
        b = Tensor(3.0, requires_grad=True)
        c = a + b
        d = a * b
        s = c + d
        p = c * d
        y = s + p
        y.backward()
    """, "a.grad; b.grad", "`c` and `d` are used twice: each must wait for both messages, and run once."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        c = Tensor(7.0)
        y = c * x
        y.backward()
    """, "x.grad; c.grad; y.grad",
            "`c` requires no gradient, and `y` isn't a leaf; only `x` keeps a gradient."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        y.backward()
        z = x + x
        z.backward()
    """, "x.grad", "A pass counts only the edges of its own graph, and adds to what is in the drawer."),
    program("""
        x = Tensor(1.0, requires_grad=True)
        y = x
        for step in range(30): y = y + y
        y.backward()
    """, "x.grad", "Each step doubles the gradient.",
            why_slow="If every message is sent on at once, 30 steps need about 2 ** 31 runs. Let a node wait "
            "until all its messages have arrived: then it runs once."),
)
CHAPTER_5 = (
    program(VECTOR + """
        y = x * x
        y.backward([1.0, 10.0, 100.0])
    """, "x.grad", "A pass starts with `v`, which says how much each element of `y` counts."),
    program(VECTOR + """
        y = x * Tensor([4.0, 5.0, 6.0])
        loss = y.sum()
        loss.backward()
    """, "loss.data; x.grad", "A sum sends its gradient to every element."),
    program(VECTOR + """
        loss = (x * x).sum()
        loss.backward(0.5)
    """, "x.grad", "The weight of a scalar needn't be 1: here it is 0.5."),
    program(VECTOR + """
        m = Tensor([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], requires_grad=True)
        y = x + m
        y.sum().backward()
    """, "x.grad; m.grad", "`x` was added to both rows, so it receives the sum of both rows' gradients."),
    program("""
        w = Tensor(3.0, requires_grad=True)
        y = w * Tensor([1.0, 2.0, 4.0])
        y.backward([1.0, 10.0, 100.0])
    """, "w.grad", "The number `w` was multiplied by three elements, so three gradients are added."),
    program("""
        a = Tensor([[1.0], [2.0]], requires_grad=True)
        b = Tensor([[3.0, 4.0, 5.0]], requires_grad=True)
        y = a * b
        y.backward([[1.0, 10.0, 100.0], [0.1, 0.01, 0.001]])
    """, "y.data; a.grad; b.grad", "Each dimension of size 1 was stretched: sum over it, and keep it."),
    program("""
        m = Tensor([[1.0, 2.0, 3.0]], requires_grad=True)
        m.sum().backward()
    """, "m.grad", "A sum sends a number, without dimensions. The gradient of `m` has the shape (1, 3)."),
    program("""
        x = Tensor([3.0], requires_grad=True)
        x.sum().backward()
    """, "x.grad", "A sum sends a number, without dimensions. The gradient of `x` has the shape (1,)."),
    program(VECTOR + """
        y = x * x
        y.backward()
    """, "x.grad", "`y` has three elements, so a pass needs to be told how much each of them counts. PyTorch "
         "raises a `RuntimeError`: grad can be implicitly created only for scalar outputs."),
    program("""
        x = Tensor([3.0], requires_grad=True)
        y = x * x
        y.backward()
    """, "x.grad", "A list of one number counts as a scalar: the pass starts with 1."),
    program(VECTOR + """
        y = x * x
        y.backward([1.0, 10.0])
    """, "x.grad", "`v` has two elements and `y` has three: compare the shapes, and raise a `RuntimeError`."),
    program(VECTOR + """
        y = x * x
        y.backward(1.0)
    """, "x.grad", "`v` is one number and `y` has three elements. NumPy would stretch `v`; compare the "
         "shapes first, and raise a `RuntimeError`."),
)


def still_saved(ours: dict, theirs: dict) -> str | None:
    """What to say if, after the pass, the node of `y = x * x` holds the array of `x`; None: nothing.

    Only what the node's own attributes hold is looked at, and only if the tensor has a node.
    """
    x, node = theirs.get("x"), getattr(theirs.get("y"), "node", None)
    if getattr(x, "grad", None) is None or not isinstance(x.data, np.ndarray):
        return None
    held = list(getattr(node, "__dict__", {}).values())
    for _ in range(2):                   # a list of pairs, or a dictionary of them
        held += [part for value in held if isinstance(value, (list, tuple, set, dict))
                 for part in (value.values() if isinstance(value, dict) else value)]
    if any(value is x.data for value in held):
        return ("After the pass, the node of `y = x * x` still holds the numbers of `x`, so no memory is "
                "freed. When a node has run, it should drop what it saved.")
    return None


CHAPTER_6 = (
    program(TRUNK + """
        p.backward()
        q.backward()
    """, "x.grad", "The first pass ran the node of `y = x * x`, and freed the `x` that it had saved."),
    program(TRUNK + """
        p.backward(retain_graph=True)
        q.backward()
    """, "x.grad", "With `retain_graph=True` the first pass frees nothing."),
    program(TRUNK + """
        p.backward(retain_graph=True)
        q.backward()
        q.backward()
    """, "x.grad", "The second pass ran without the argument, so it freed what the third one needs."),
    program(VECTOR + """
        total = (x + Tensor(4.0)).sum()
        total.backward()
        total.backward()
    """, "x.grad", "An addition and a sum save nothing, so nothing is missing in a second pass."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        p = y + Tensor(4.0)
        q = x * Tensor(5.0)
        p.backward()
        q.backward()
    """, "x.grad", "Of the two products, the second pass runs only that of `q`, for the first time."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        y.backward()
        x.grad = None
        y = x * x
        y.backward()
    """, "x.grad", "The second `y = x * x` makes a new node, which no pass has run yet."),
    program(VECTOR + """
        y = x * x
        y.sum().backward()
    """, "x.grad", reads=still_saved),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x + x
        z = y * y
        z.backward()
        y.backward()
        z.backward()
    """, "x.grad", "The node of `z` saved `y`, and has run; the node of `y = x + x` saved nothing."),
)
CHAPTER_7 = (
    program("""
        x = Tensor(1.0, requires_grad=True)
        y1 = x * x
        with no_grad(): y2 = x * x * x
        y3 = y1 + y2
        y3.backward()
    """, "y1.requires_grad; y2.requires_grad; y3.requires_grad; y3.data; x.requires_grad; x.grad",
            "What was computed under `no_grad` is a constant."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        d = (x * x).detach()
        z = x * d
        z.backward()
    """, "d.requires_grad; d.data; z.data; x.grad",
            "`d` is a constant 9, so the local derivative of `x * d` is 9."),
    program(VECTOR + """
        y = x * x
        d = y.detach()
        y.sum().backward()
    """, "d.grad; y.requires_grad; x.grad", "`detach` returns a new tensor; the graph of `y` stays whole."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        with no_grad(): 1 / 0
        y = x * x
    """, "y.requires_grad", "The error must leave the block, and recording must go on after it.",
            after_errors=True),
    program("""
        x = Tensor(3.0, requires_grad=True)
        with no_grad(), no_grad(): a = x * x
        b = x * x
    """, "a.requires_grad; b.requires_grad", "After the outer block, recording goes on."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        outer = no_grad()
        outer.__enter__()
        with no_grad(): a = x * x
        b = x * x
        outer.__exit__(None, None, None)
    """, "a.requires_grad; b.requires_grad",
            "The inner block must restore the setting that it found: recording was off."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        with no_grad(): y.backward()
        with no_grad(): w = Tensor(2.0, requires_grad=True)
    """, "x.grad; w.requires_grad",
            "Under `no_grad`, a pass over a recorded graph still works, and a new leaf keeps its flag."),
    program(VECTOR + """
        d = x.detach()
        d.data[0] = 50.0
    """, "x.data; d.requires_grad", "A detached tensor holds the same array, not a copy of it."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        with no_grad(): y = x * x
        y.backward()
    """, "x.grad", "`y` has no graph, so there is no pass to run. PyTorch raises a `RuntimeError`: element 0 "
         "of tensors does not require grad."),
)
CHAPTER_8 = (
    program(VECTOR + """
        t = x + Tensor(4.0)
        y = (t * t).sum()
        with no_grad(): t.add_(1.0)
        y.backward()
    """, "x.grad", "The product saved `t`, and then `t` was written to. The pass compares the two counts."),
    program(VECTOR + """
        t = x + Tensor(4.0)
        with no_grad(): t.add_(1.0)
        y = (t * t).sum()
        y.backward()
    """, "t.data; x.grad", "`t` was written to before the product saved it, so nothing is wrong."),
    program(VECTOR + """
        t = x + Tensor(4.0)
        y = t.sum()
        with no_grad(): t.add_(1.0)
        y.backward()
    """, "x.grad", "A sum saves nothing, so the write does no harm."),
    program("""
        x = Tensor([1.0], requires_grad=True)
        y = x * Tensor(2.0)
        with no_grad(): x.add_(99.0)
        y.backward()
    """, "x.grad", "The local derivative is 2, so the product didn't save `x`."),
    program("""
        x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = (x * x).sum()
        x.data[0] = 999.0
        y.backward()
    """, "x.grad", "A write through `.data` is not counted, so the first number is wrong, without an error."),
    program(VECTOR + """
        t = x + Tensor(4.0)
        y = (t * t).sum()
        d = t.detach()
        d.add_(1.0)
        y.backward()
    """, "x.grad", "`d` and `t` share their numbers, so they must share the count of writes."),
    program(VECTOR + """
        d = x.detach()
        d.add_(1.0)
    """, "x.data", "`add_` writes into the numbers that are there; `x` and `d` share them."),
    program(VECTOR + """
        t = x + Tensor(4.0)
        y = (t * t).sum()
        d = t.detach()
        t = d.add_(1.0) + x
        z = (t * t).sum()
        z.backward()
    """, "x.grad", "`add_` returns its tensor. `z` was computed after the write, so its pass must not "
         "fail."),
    program("""
        w = Tensor([4.0, 5.0, 9.0], requires_grad=True)
        (w * w).sum().backward()
        with no_grad(): w.add_(-1.0)
        w.grad = None
        (w * w).sum().backward()
    """, "w.data; w.grad", "The write comes after the first pass, and the next product saves the new count."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        t = x * Tensor(3.0)
        y = t * t
        y.backward(retain_graph=True)
        with no_grad(): t.add_(1.0)
        y.backward()
    """, "x.grad", "The write comes after the first pass, so only the second one must fail."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        x.add_(1.0)
    """, "x.data", "`x` is a leaf that requires a gradient, and recording is on. PyTorch raises a "
         "`RuntimeError`: such a write belongs under `no_grad`."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        c = Tensor(5.0)
        c.add_(1.0)
        t = x * c
        t.add_(1.0)
        t.backward()
    """, "t.data; x.grad", "Only a leaf that requires a gradient is refused. `c` requires none, and `t` is a "
         "result."),
)
CHAPTER_11 = (
    program(VECTOR + """
        y = x * Tensor([4.0, 5.0, 6.0])
        y.register_hook(lambda grad: grad + grad)
        y.sum().backward()
    """, "x.grad", "What a hook returns replaces the gradient that arrived."),
    program(VECTOR + """
        seen = []
        x.register_hook(lambda grad: seen.append(1))
        (x * x).sum().backward()
    """, "x.grad; seen == [1]", "A hook that returns nothing changes nothing. It is called once, when both "
         "messages of `x` have arrived."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        y = x * x
        y.register_hook(lambda grad: grad + grad)
        y.register_hook(lambda grad: grad * grad)
        z = y * Tensor(3.0) + y * Tensor(4.0)
        z.backward()
    """, "x.grad", "The node of `y` waits for 3 and 4; then one hook sees 7, and the next one 14."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        y = x * x
        y.register_hook(lambda grad: grad * grad + grad)
        z = y * Tensor(-1.0)
        z.backward()
    """, "x.grad", "For the message -1 this hook returns 0. Zero isn't `None`: it replaces the message."),
    program("""
        x = Tensor(5.0, requires_grad=True)
        x.register_hook(lambda grad: grad * grad)
        (x * Tensor(3.0)).backward()
        (x * Tensor(3.0)).backward()
    """, "x.grad", "The hook of a leaf sees what one pass delivers, not what is in the drawer."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        y = x * x
        z = y * Tensor(3.0)
        y.register_hook(lambda grad: grad * grad)
        z.backward(retain_graph=True)
        z.backward()
    """, "x.grad", "A hook may be registered after the forward pass, and is called in every pass."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        y = x * x
        y.register_hook(lambda grad: 1 / 0)
        y.backward()
    """, "x.grad", "The error of a hook stops the pass.", after_errors=True),
    program("""
        c = Tensor(2.0)
        c.register_hook(lambda grad: grad)
    """, "c.requires_grad", "`c` requires no gradient, so the hook would never be called. PyTorch raises a "
         "`RuntimeError`: cannot register a hook on a tensor that doesn't require gradient."),
)
SCORES = [[0.5, -1.0, 2.0]]


def wrong_through_cross_entropy(ours: dict, theirs: dict) -> str | None:
    """What to say if a gradient was differentiated through `cross_entropy`, wrongly and without an error.

    An engine that raises an error in the first pass leaves the drawer empty, and in the second one it leaves
    the first gradient there.
    """
    got, want = (getattr(names.get("s"), "grad", None) for names in (theirs, ours))
    if got is None or want is None:
        return None
    s = minigrad.tensor(SCORES, dtype=minigrad.float64, requires_grad=True)
    minigrad.nn.functional.cross_entropy(s * s, minigrad.tensor([0])).backward()
    found = np.asarray(got.data if hasattr(got, "requires_grad") else got, dtype=float)
    if any(found.shape == right.shape and np.allclose(found, right, rtol=1e-6)
           for right in (want.data, s.grad.numpy())):
        return None
    return ("With your `cross_entropy`, the gradient of a gradient is wrong, and no error is raised: what "
            "its formula multiplies by was saved as numbers without a graph, and counts as a constant. Let "
            "the formula raise a `RuntimeError` if `no_grad.recording` is on.")


MATRIX_PRODUCT = """
    x = Tensor([[1.0, 2.0]], requires_grad=True)
    w = Tensor([[3.0, 1.0], [2.0, 5.0]], requires_grad=True)
    y = x @ w
    (y * y).sum().backward(create_graph=True)
    g, h = x.grad, w.grad
    x.grad = w.grad = None
"""
CHAPTER_13 = (
    program("""
        x = Tensor(2.0, requires_grad=True)
        y = x * x * x
        y.backward(create_graph=True)
        g = x.grad
        x.grad = None
        g.backward()
    """, "g; x.grad", "The gradient is 3x², so the gradient of the gradient is 6x."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        y = x * x * x
        y.backward(create_graph=True)
        x.grad.backward()
    """, "x.grad", "The second pass adds 12 to the 12 in the drawer."),
    program(VECTOR + """
        y = (x * x * x).sum()
        y.backward(create_graph=True)
        g = x.grad
        x.grad = None
        (g * Tensor([1.0, 10.0, 100.0])).sum().backward()
    """, "x.grad", "This is the product of a vector and the matrix of second derivatives."),
    program(VECTOR + """
        m = Tensor([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], requires_grad=True)
        y = (x * m * m).sum()
        y.backward(create_graph=True)
        g = x.grad
        x.grad = None
        m.grad = None
        (g * g).sum().backward()
    """, "g; x.grad; m.grad", "The gradient of `x` is a sum over the rows of `m`; that sum must be recorded, "
            "too."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        y.backward()
    """, "x.grad; x.grad.requires_grad", "Without `create_graph=True` a pass records nothing."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        with no_grad(): y.backward(create_graph=True); z = x * x
        t = x * x
    """, "x.grad.requires_grad; z.requires_grad; t.requires_grad", "During a pass, only `create_graph` "
            "decides whether it is recorded. Afterwards recording is off, as it was before, until the block "
            "ends."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        y = x * x
        y.backward()
        y.backward()
        z = x * x
    """, "z.requires_grad; x.grad", "After a pass that failed, recording goes on.", after_errors=True),
    program("""
        w = Tensor(2.0, requires_grad=True)
        x = Tensor(3.0, requires_grad=True)
        y = w * x * x
        y.backward(create_graph=True)
        penalty = x.grad * x.grad
        w.grad = None
        x.grad = None
        penalty.backward()
    """, "w.grad; x.grad", "The penalty is (2wx)²; its gradients are 8wx² and 8w²x."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x
        y.register_hook(lambda grad: grad * x)
        y.backward(create_graph=True)
        g = x.grad
        x.grad = None
        g.backward()
    """, "g; x.grad", "A hook receives a `Tensor`, and what it computes is recorded: the gradient is 2x², so "
            "the gradient of the gradient is 4x."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x * x * x
        y.backward(create_graph=True)
        y.backward(create_graph=True)
        g = x.grad
        x.grad = None
        g.backward()
    """, "g; x.grad", "The drawer holds the sum of two gradients. This sum must be recorded, too."),
    program("""
        x = Tensor(2.0, requires_grad=True)
        w = Tensor(1.0, requires_grad=True)
        s = x + w
        (s * s * s).backward(create_graph=True)
        g, h = x.grad, w.grad
        x.grad = w.grad = None
        (g * h).backward()
    """, "x.grad; w.grad", "Both gradients are 3s², which was computed from `x` and `w`. What the formula "
            "of a sum returns must be recorded for both inputs."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        w = Tensor(1.0, requires_grad=True)
        s = x - w
        (s * s * s).backward(create_graph=True)
        g, h = x.grad, w.grad
        x.grad = w.grad = None
        (g * h).backward()
    """, "x.grad; w.grad", "The gradients are 3s² and -3s², which were computed from `x` and `w`. What the "
            "formulas of a difference return must be recorded.", needs="__sub__"),
    program(VECTOR + """
        s = (x * x).sum()
        (s * s).backward(create_graph=True)
        g = x.grad
        x.grad = None
        g.sum().backward()
    """, "g; x.grad", "`sum` receives the message 2s, which was computed from `x`. What its formula returns "
            "must be recorded."),
    program(VECTOR + """
        s = (x * x).mean()
        (s * s).backward(create_graph=True)
        g = x.grad
        x.grad = None
        g.sum().backward()
    """, "g; x.grad", "`mean` receives the message 2s, which was computed from `x`. What its formula returns "
            "must be recorded.", needs="mean"),
    program("""
        x = Tensor([[1.0], [3.0]], requires_grad=True)
        m = Tensor([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], requires_grad=True)
        y = (x * m * m).sum()
        y.backward(create_graph=True)
        g = x.grad
        m.grad = None
        (g * g).sum().backward()
    """, "g; m.grad", "The gradient of `x` is a sum over the columns of `m`. This sum keeps its dimension, "
            "and must be recorded, too."),
    program(MATRIX_PRODUCT + """
        ((g * g).sum() + (h * h).sum()).backward()
    """, "g; h; x.grad; w.grad", "The message is 2y, and the gradients are `2y @ w.T` and `x.T @ 2y`. Both "
            "the transposes and the products must be recorded.", needs="__matmul__"),
    program(MATRIX_PRODUCT + """
        ((g * g).sum() + (h * h).sum()).backward(create_graph=True)
        g, h = x.grad, w.grad
        x.grad = w.grad = None
        ((g * g).sum() + (h * h).sum()).backward()
    """, "x.grad; w.grad", "The second recorded pass goes through the transposes of the first. What the "
            "formula of a transpose returns must be recorded, too.", needs="__matmul__"),
    program("""
        x = Tensor([[1.0, 2.0]], requires_grad=True)
        w = Tensor([[3.0, 1.0], [2.0, 5.0]], requires_grad=True)
        c = Tensor([[1.0, 4.0]], requires_grad=True)
        ((x @ w) * c).sum().backward(create_graph=True)
        with no_grad(): w.add_(100.0)
        x.grad.sum().backward()
    """, "c.grad", "The gradient of `x` was computed from the transpose of `w`, which has the memory of `w`. "
            "So it must share the version of `w`, too, as what `detach` returns does.",
            needs="__matmul__"),
    program("""
        x = Tensor(2.0, requires_grad=True)
        r = (x * x).relu()
        (r * r).backward(create_graph=True)
        g = x.grad
        x.grad = None
        g.backward()
    """, "g; x.grad", "`relu` receives the message 2r, which was computed from `x`. What its formula returns "
            "must be recorded.", needs="relu"),
    program(f"""
        from contextlib import suppress
        s = Tensor({SCORES}, requires_grad=True)
        with suppress(Exception): (s * s).cross_entropy(np.array([0])).backward(create_graph=True)
        with suppress(Exception): s.grad.sum().backward()
    """, "s.data", reads=wrong_through_cross_entropy),      # an engine may have no `cross_entropy`
)
EXAMPLES = {4: CHAPTER_4, 5: CHAPTER_5, 6: CHAPTER_6, 7: CHAPTER_7, 8: CHAPTER_8, 11: CHAPTER_11,
            13: CHAPTER_13}
RANDOM = 12  # random programs for each check


def programs(chapter: int) -> Iterator[Program]:
    """The examples of the chapters up to this one, and random programs with all that they have."""
    for number, examples in EXAMPLES.items():
        if number <= chapter:
            yield from examples
    for seed in range(RANDOM):
        yield random_program(chapter, random.Random(f"{chapter}:{seed}"))


SHAPES = ("3.0", "[1.0, -2.0, 4.0]", "[[1.0], [3.0]]", "[[2.0, 0.5, -1.0], [1.0, 3.0, 5.0]]")


def random_program(chapter: int, rng: random.Random) -> Program:
    """A few sums and products of random leaves, with whatever the chapters up to this one have added."""
    lines, names, signs = [], ["a", "b", "c"], rng.choice(("+*", "+*", "+"))
    for name in names:
        data = f"{rng.choice((-3, -2, 2, 3, 5)):.1f}" if chapter == 4 else rng.choice(SHAPES)
        flag = ", requires_grad=True" if name != "c" else ""
        lines.append(f"{name} = Tensor({data}{flag})")
    for name in "defgh":
        line = f"{name} = {rng.choice(names[-3:])} {rng.choice(signs)} {rng.choice(names)}"
        if chapter >= 7 and rng.random() < 0.25:
            line = rng.choice((f"with no_grad(): {line}", f"{line}.detach()"))
        names.append(name)
        lines.append(line)
        if chapter >= 8 and rng.random() < 0.3:
            lines.append(f"with no_grad(): {rng.choice(names)}.add_(1.0)")
        if chapter >= 11 and rng.random() < 0.3:
            lines.append(f"{rng.choice('ab')}.register_hook(lambda grad: grad {rng.choice('+*')} grad)")
    total = "" if chapter == 4 else ".sum()"
    lines.append(f"y = (a {signs[-1]} b + h {signs[-1]} g + f + e){total}")
    lines.append(f"z = ({'a' if chapter < 6 else 'h'} + b {signs[-1]} c){total}")
    start = rng.choice(("", "0.5")) if chapter >= 5 else ""
    keep = rng.choice(("", "retain_graph=True")) if chapter >= 6 else ""
    if chapter >= 13:
        keep = keep.replace("retain", "create")
    lines.append(f"y.backward({', '.join(filter(None, (start, keep)))})")
    if keep or rng.random() < 0.5:
        lines.append("z.backward()")
    return Program("\n".join(lines), ("y.data", "z.data", "a.grad", "b.grad"))
