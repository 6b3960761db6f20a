"""Where the parts of the learner's engine are in minigrad, file by file.

Lines and sizes are read from the sources at each call, so they are never out of date.
"""
from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

from ..showing import Shown
from . import path
from .attacking import code_of, row, table
from .two_columns import LAST, PACKAGE, named


class Step(NamedTuple):
    """A part of the learner's engine, and the function or class of minigrad that does the same."""

    part: str   # a qualified name of the learner's engine
    what: str   # what this part does
    file: str
    name: str   # a qualified name in this file


WALK = (
    Step("Tensor", "numbers, drawer, version", "tensor.py", "Tensor"),
    Step("Tensor.add_", "counts a write", "tensor.py", "bump_version"),
    Step("Tensor.detach", "shares numbers and version", "detach.py", "detach"),
    Step("Tensor.__mul__", "computes a product", "autograd/calling.py", "binary_function"),
    Step("times", "is the formula of a product", "ops/arithmetic.py", "_mul"),
    Step("same", "is the formula of a sum", "ops/arithmetic.py", "_add"),
    Step("once", "refuses to be recorded", "autograd/function.py", "once_differentiable"),
    Step("record", "attaches a node to a result", "autograd/recording.py", "record"),
    Step("Node", "edges, and what is saved", "autograd/node.py", "Node"),
    Step("Accumulate", "adds to a drawer", "autograd/accumulate.py", "AccumulateGrad"),
    Step("Node.__init__", "saves a tensor with its version", "autograd/recording.py", "save_one"),
    Step("Node.run", "compares versions", "autograd/saved.py", "saved_array"),
    Step("no_grad", "stops the recording", "autograd/grad_mode.py", "no_grad"),
    Step("Tensor.register_hook", "stores a hook", "autograd/hooks.py", "register_hook"),
    Step("Tensor.backward", "begins a pass", "autograd/gradients.py", "run_backward"),
    Step("Tensor.first_message", "refuses a start without v", "autograd/gradients.py", "first_gradient"),
    Step("Tensor.run_pass", "runs the latest node, delivers", "autograd/engine.py", "Pass.run_plain_nodes"),
    Step("Tensor.count", "counts what nodes wait for", "autograd/engine.py", "Pass.count_leaves"),
    Step("Tensor.run_pass", "runs one node, with its hooks", "autograd/engine.py", "Pass.run_with_tensors"),
    Step("fitted", "undoes broadcasting", "autograd/accumulate.py", "fit"),
    Step("SGD.step", "moves the parameters", "optim/sgd.py", "SGD.update"),
)


def engine_map() -> Shown:
    """Show which part of your engine is where in minigrad, file by file."""
    text, cells = [], []
    for file in dict.fromkeys(step.file for step in WALK):
        size = f"{file} ({lines(PACKAGE / file):,} lines)"
        text.append(size)
        cells.append(f'<tr><th scope="colgroup" colspan="3" style="text-align:left">{escape(size)}</th></tr>')
        for step in WALK:
            if step.file == file:
                place = f"{Path(file).name}:{named((PACKAGE / file).read_text('utf-8'), step.name).lineno}"
                text.append(f"    {step.part:20} {step.what:32} {place} {step.name}")
                cells.append(row(code_of(step.part), escape(step.what), f"{code_of(place)} "
                                 f"{code_of(step.name)}"))
    files = sorted((PACKAGE / "autograd").glob("*.py"))
    total = (f"Your engine, if it is like the reference ({lines(path(LAST)):,} lines), against "
             f"minigrad/autograd ({sum(map(lines, files)):,} lines in {len(files)} files).")
    heads = ("in your engine", "what it does", "in minigrad")
    return Shown("\n".join([*text, total]), table(heads, "".join(cells)) + f"<p>{escape(total)}</p>")


def lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())

