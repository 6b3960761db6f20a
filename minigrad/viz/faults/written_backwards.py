"""For `why`: backwards that the program wrote: one that returns None, and one of a module."""
from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined
from ..program.custom_functions import returns_of, text_of, where_it_returns
from ..program.entered import is_library
from ..program.node_lines import line_of
from ..watching.calls import calls_of, places
from ..watching.measured import counted
from .answer import Answer, place
from .evidence import Case
from .missing import RETURN


def lost_on_the_way(case: Case) -> Answer | None:
    """A Function that returned None. One that raised has not run; of others a grad() asks less."""
    node = case.turn(lambda passed: passed is None, "ran")
    if not hasattr(type(node), "save_for_backward"):
        return None
    lines = returns_of(node)
    return Answer("None on the way",
                  f"{case.name}.grad is None: {case.named(node)} received a gradient and returned "
                  f"None for this input. {where_it_returns(node)}".strip(), [RETURN], [node],
                  line=lines[0] if len(lines) == 1 else None)


def never_called(model: Any, cases: list[Case]) -> Iterator[Answer]:
    """Modules that a pass went through, whose class defines `backward(self, grad)`, once a class.

    A program that computes its gradients by hand calls such methods, or hands them to a hook.
    """
    told = set[type]()
    for path, layer in inner_modules(model).items() if cases else ():
        kind, method = type(layer), inspect.getattr_static(type(layer), "backward", None)
        if kind in told or not isinstance(method, FunctionType) or is_library(method):
            continue
        told.add(kind)
        passed = [call for call in calls_of(layer) if call.of_pass]
        text = text_of(method.__code__)
        if text is None or len(text.args.args) < 2 or not passed or _used(cases[0]) or any(
                getattr(part, "attr", "") == "backward" for part in ast.walk(text)):
            continue
        root, inner = places.get(layer) or (None, path)
        name = joined(root.name, inner) if root is not None else path
        given = ", ".join(one.arg for one in text.args.args)
        yield Answer("backward not called",
                     f"{name} is a Module with a method backward({given}){place(line_of(text))}, "
                     "which nothing calls: autograd calls the backward of a Function alone. "
                     f"In {counted(len(passed), 'call', 'calls')}, the gradient went back "
                     "through what its forward recorded.",
                     [Fix(f"Make {kind.__name__} a `torch.autograd.Function` with static methods "
                          "`forward(ctx, x)` and `backward(ctx, grad)`, and call its "
                          "`apply(x)`.", "none")], line=line_of(text))


def _used(case: Case) -> bool:
    """Whether the text hands on a method `backward`, or calls one with a gradient."""
    text = case.program.parts
    calls = {id(part.func): part for part in text if isinstance(part, ast.Call)}
    found = [part for part in text if isinstance(part, ast.Attribute) and part.attr == "backward"]
    return any(id(one) not in calls or calls[id(one)].args for one in found)
