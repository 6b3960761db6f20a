"""Where an error happened: the call, the tensors it was given, the names that your program has for them.

A traceback keeps the frames of an error, and with them the variables. The innermost call of `backward` or
`grad` tells the roots; the frame that called it tells the names. Where the error came from another call, the
statement that failed tells which tensors it was about.
"""

from __future__ import annotations

import ast
import linecache
import warnings
from collections.abc import Callable
from functools import cached_property
from types import FrameType
from typing import Any

from .explain_lines import Statement, frames_of, is_library, is_pass, listed, source_line, targets_of
from .facts import is_node, is_tensor
from .names import Names, _in_frame
from .places import short
from .read import in_forward_order
from .source import Program, _parsed, _statements


class Scene:
    """What can be found out about one error. Holds the program's tensors, so it is dropped after use."""

    def __init__(self, error: BaseException, caller: FrameType | None = None) -> None:
        self.error, self.message = error, str(error)
        self.frames = list(frames_of(error))
        calls = [at for at, (frame, _) in enumerate(self.frames) if is_pass(frame)]
        users = [
            at
            for at, (frame, _) in enumerate(self.frames[: calls[-1] if calls else None])
            if not is_library(frame)
        ]
        self.call = self.frames[calls[-1]][0].f_locals if calls else {}
        self.verb = self.frames[calls[-1]][0].f_code.co_name.replace("tensor_", "") if calls else ""
        self.frame, self.line = self.frames[users[-1]] if users else (caller, 0)
        self.names = Names(_in_frame(self.frame), self.frame) if self.frame else Names({})
        self.program = Program(self.frame)

    # --- the pass

    @cached_property
    def roots(self) -> list[Any]:
        given = next((self.call[key] for key in ("tensors", "outputs", "self") if key in self.call), ())
        return [one for one in listed(given) if is_tensor(one) or is_node(one)]

    @cached_property
    def inputs(self) -> list[Any]:
        return [one for one in listed(self.call.get("inputs")) if is_tensor(one)]

    @cached_property
    def gradients(self) -> list[Any]:
        given = next(
            (
                self.call[key]
                for key in ("grad_tensors", "grad_outputs", "gradient")
                if self.call.get(key) is not None
            ),
            None,
        )
        return listed(given)

    @cached_property
    def nodes(self) -> list[Any]:
        """Every node behind the roots, in forward order."""
        starts = [root if is_node(root) else root.grad_fn for root in self.roots]
        return in_forward_order([start for start in starts if start is not None])

    @cached_property
    def failed(self) -> Any:
        """The node at work when the error arose, where the library's own frames tell; or None."""
        known = {id(node) for node in self.nodes}
        for frame, _ in reversed(self.frames):
            node = frame.f_locals.get("node") if is_library(frame) else None
            if node is not None and id(node) in known:
                return node
        return None

    def in_run_order(self) -> list[Any]:
        """Of the nodes that are ready, the one recorded last runs first."""
        return sorted(self.nodes, key=lambda node: -node._sequence_nr())

    def first(self, fits: Callable[[Any], bool]) -> Any:
        """The node that failed, if that fits; or the first to run that does."""
        if self.failed is not None and fits(self.failed):
            return self.failed
        return next((node for node in self.in_run_order() if fits(node)), self.failed)

    # --- the statement

    @cached_property
    def statement(self) -> Statement:
        """The statement that failed, as far as the program's text is there to read."""
        if self.frame is None:
            return None
        tree = _parsed(linecache.getlines(self.frame.f_code.co_filename, self.frame.f_globals))
        found = (
            [
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.stmt) and node.lineno <= self.line <= node.end_lineno
            ]
            if tree
            else []
        )
        return min(found, key=lambda node: node.end_lineno - node.lineno, default=None)

    @cached_property
    def expressions(self) -> list[tuple[str, Any]]:
        """(text, value) of the names and paths in the statement, in the order of the text."""
        parts = (
            [node for node in ast.walk(self.statement) if isinstance(node, (ast.Name, ast.Attribute))]
            if self.statement
            else []
        )
        parts.sort(key=lambda node: (node.lineno, node.col_offset, node.end_col_offset))
        return [(ast.unparse(part), self.value(part)) for part in parts]

    def tensors(self, fits: Callable[[Any], bool] = lambda tensor: True) -> list[Any]:
        """The different tensors that the statement mentions."""
        found = {id(value): value for _, value in self.expressions if is_tensor(value) and fits(value)}
        return list(found.values())

    def value(self, part: ast.expr) -> Any:
        if isinstance(part, ast.Attribute) and part.attr == "grad":
            owner = self.value(part.value)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return owner.grad if is_tensor(owner) else None
        return self.program.held(part)

    def input_text(self, at: int) -> str:
        """How the program wrote input number `at` of the call of grad() or backward()."""
        calls = (
            [
                node
                for node in ast.walk(self.statement)
                if isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) == self.verb
            ]
            if self.statement
            else []
        )
        for call in calls[:1]:
            given = [keyword.value for keyword in call.keywords if keyword.arg == "inputs"]
            given = given or (call.args[1:2] if self.verb == "grad" else [])
            parts = given[0].elts if given and isinstance(given[0], (ast.Tuple, ast.List)) else given
            return ast.unparse(parts[at]) if at < len(parts) else ""
        return ""

    def written(self) -> Any:
        """The tensor that the statement writes to in place, or tries to."""
        return next(
            (value for value in map(self.value, targets_of(self.statement)) if is_tensor(value)), None
        )

    def subject(self, fits: Callable[[Any], bool] = lambda tensor: True) -> Any:
        """The tensor that the error is about: as the library's frames have it, or the statement's only
        one."""
        for frame, _ in reversed(self.frames):
            if not is_library(frame):
                break
            for name in ("tensor", "result", "self"):
                value = frame.f_locals.get(name)
                if is_tensor(value) and fits(value):
                    return value
        found = self.tensors(fits)
        return found[0] if found else None

    # --- words

    def of(self, tensor: Any, otherwise: str = "a tensor") -> str:
        return self.names.of(tensor) or otherwise if tensor is not None else otherwise

    def node(self, node: Any) -> str:
        """`MulBackward0 (which made y)`."""
        if node is None:
            return "an operation"
        name = node.name().rpartition("::")[2]
        made = [variable for variable, _ in self.names.outputs(node).values()]
        return f"{name} (which made {made[0]})" if made else name

    @property
    def place(self) -> str:
        return short(self.frame.f_code.co_filename, self.line) if self.frame and self.line else ""

    @property
    def here(self) -> str:
        """`train.py:12, "loss.backward()",` as the beginning of a sentence."""
        text = source_line(self.frame.f_code.co_filename, self.line) if self.place else ""
        return f"{self.place}, `{text}`," if text else f"{self.place}," if self.place else "the call"

    def writes_to(self, name: str) -> list[tuple[int, str]]:
        """(line, text) of the statements in the visible text that write to `name` in place."""
        found = []
        for body, _, _ in self.program.scopes[:1]:
            for statement in _statements(body):
                if name in [ast.unparse(part) for part in targets_of(statement)]:
                    found.append((statement.lineno, " ".join(ast.unparse(statement).split())))
        return found

    def steps(self) -> list[str]:
        """Where the visible text calls `step()`."""
        file = self.frame.f_code.co_filename if self.frame else ""
        return [
            f"{short(file, call.lineno)}, `{ast.unparse(call)}`"
            for call, _ in self.program.calls()
            if getattr(call.func, "attr", "") == "step"
        ]
