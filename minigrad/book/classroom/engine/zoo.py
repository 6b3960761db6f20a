"""The bug zoo: engines with one small bug each, which tests have to find.

A mutant is the reference engine after chapter 13 with an edit or two in its text. Each has a program that it
gets right, which `zoo()` shows, and one that it gets wrong, which is for tests and teachers.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

from . import path, source
from .programs import Program, program

EDITED = 13  # the reference engine that all mutants are made from


@dataclass(frozen=True)
class Mutant:
    """An engine with a bug: what it does, how it is made, and two programs."""

    name: str
    edits: tuple[tuple[str, str], ...]  # pieces of the reference's text, and what replaces them
    right: Program
    wrong: Program


def mutant(name: str, *edits: tuple[str, str], right: str, wrong: str) -> Mutant:
    return Mutant(name, edits, program(FIRST + right, "x.grad"), program(wrong, "x.grad"))


FIRST = "x = Tensor(3.0, True)\n"  # the first line of every program that a mutant gets right
SQUARE = FIRST + "y = x * x\n"
SQUARED = SQUARE + "y.backward()"
ONE_LINE = "(x * x).backward()"
ADDED = """
    x = Tensor(3.0, True)
    y = x + x
    y.backward()
"""
TWICE = """
    x = Tensor(3.0, True)
    t = x + x
    y = t * t
"""
ZOO = (
    mutant("overwrites what is in a drawer",
           ("message if drawer is None else drawer + message", "message"),
           right=ONE_LINE, wrong=SQUARED + "\n(x + x).backward()"),
    mutant("keeps only the last message to a node",
           ("arrived[child] + grad if child in arrived else grad", "grad"),
           right="(x * Tensor(4.0)).backward()", wrong=SQUARED),
    mutant("multiplies a message by the wrong factor of a product",
           ("(self, other, times), (other, self, times)", "(self, self, times), (other, other, times)"),
           right=ONE_LINE, wrong="""
               x = Tensor(3.0, True)
               (x * Tensor(4.0)).backward()
           """),
    mutant("runs a node at its first message, without waiting",
           ("waiting[child] -= 1                             # wait",
            "waiting[child] = 0 if child.edges and waiting[child] else waiting[child] - 1"),
           right="y = x * x\n(y + y).backward()", wrong=SQUARE + "(y * Tensor(4.0) + y).backward()"),
    mutant("starts every pass with 1",
           ("Tensor(self.first_message(v))", "Tensor(np.ones(self.data.shape))"),
           right=ONE_LINE, wrong=SQUARE + "y.backward(0.5)"),
    mutant("takes the mean of broadcast gradients, not their sum",
           ("grad.data.sum(axis=added)", "grad.data.mean(axis=added)"),
           right="(x * Tensor(5.0)).backward()", wrong="""
               x = Tensor(3.0, True)
               (x * Tensor([1.0, 2.0])).sum().backward()
           """),
    mutant("adds what an operation's node received in an earlier pass",
           ("message = arrived.pop(node)", "message = arrived.pop(node)\n            if node.edges:\n"
            "                node.before = message = message + getattr(node, 'before', Tensor(0.0))"),
           right="(x * x).backward(retain_graph=True)",
           wrong=SQUARE + "y.backward(retain_graph=True)\ny.backward()"),
    mutant("never frees what a product saved",
           ("if saves and not retain_graph:", "if False:"),
           right=ONE_LINE, wrong=SQUARED + "\ny.backward()"),
    mutant("frees sums and additions, which saved nothing",
           ("if saves and not retain_graph:", "if node.edges and not retain_graph:"),
           right="(x + x).backward()", wrong=ADDED + "\ny.backward()"),
    mutant("counts no writes",
           ("self.version[0] += 1", "pass"),
           right=ONE_LINE + "\nx.detach().add_(1.0)",
           wrong=TWICE + "with no_grad(): t.add_(1.0)\ny.backward()"),
    mutant("gives a detached tensor a version of its own",
           ("result.version = self.version", "pass"),
           right="y = x * x\ny.detach().add_(1.0)\ny.backward()",
           wrong=TWICE + "t.detach().add_(1.0)\ny.backward()"),
    mutant("records under no_grad",
           ("if edges and no_grad.recording:", "if edges:"),
           right="""
               with no_grad(): t = Tensor(4.0) * Tensor(5.0)
               (t * x).backward()
           """, wrong="""
               x = Tensor(3.0, True)
               with no_grad(): t = x * x
               (t * x).backward()
           """),
    mutant("calls a hook for each message",
           ("            for hook in node.hooks:\n                changed = hook(message)\n"
            "                message = message if changed is None else changed\n", ""),
           ("grad = fitted(grad, child.shape)\n", """grad = fitted(grad, child.shape)
                for hook in child.hooks:
                    changed = hook(grad)
                    grad = grad if changed is None else changed
"""),
           right="""
               x.register_hook(lambda grad: grad + grad)
               (x * Tensor(4.0)).backward()
           """, wrong="""
               x = Tensor(3.0, True)
               x.register_hook(lambda grad: grad * grad)
               (x * x).backward()
           """),
    mutant("treats what a product saved as a constant",
           ("    return g * saved\n\n\ndef once", "    return g * saved.detach()\n\n\ndef once"),
           right="(x * x).backward(create_graph=True)", wrong="""
               x = Tensor(3.0, True)
               y = x * x * x
               y.backward(create_graph=True)
               x.grad.backward()
           """),
)


def text_of(one: Mutant) -> str:
    """The source of a mutant.

    Raises:
        ValueError: a piece that should be edited isn't there, or is there more than once.
    """
    text = source(EDITED)
    for old, new in one.edits:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is {text.count(old)} times in the reference engine")
        text = text.replace(old, new)
    return text


@cache
def compiled(one: Mutant | None) -> CodeType:
    text = source(EDITED) if one is None else text_of(one)
    return compile(text, str(path(EDITED)) if one is None else f"<mutant that {one.name}>", "exec")


def fresh(one: Mutant | None = None) -> type:
    """Return the class `Tensor` of a mutant, or of the right engine, that nothing has used before."""
    names: dict[str, Any] = {}
    exec(compiled(one), names)
    return names["Tensor"]
