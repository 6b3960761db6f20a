"""Where an error happened: the call, the tensors it was given, and their names in the program.

A traceback keeps the frames of an error, and with them the variables. The innermost call of
`backward` or `grad` gives the roots; the frames of the program, from the inside out, give the
names. Where the error came from another call, the statement that failed shows which tensors it was
about.
"""
from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from functools import cached_property
from itertools import takewhile
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Any

from ..graph.facts import is_node, is_tensor
from ..graph.node_records import passed, record_of
from ..graph.walk import in_forward_order
from ..program.frame_variables import variables
from ..program.lines import (
    COMPREHENSIONS,
    Place,
    Statement,
    is_library,
    is_pass,
    listed,
    of_the_program,
    place_in_text,
    source_line,
    statement_at,
    targets_of,
)
from ..program.names import Names, find_names
from ..program.node_lines import line_of, short
from ..program.parsed import last_name
from ..program.program_text import Program
from ..watching.passes import watched_pass
from .text import Text
from .tracebacks import tracebacks


class Scene(Text):
    """What can be found out about one error.

    It holds the program's tensors, so it is dropped after use.
    """

    def __init__(self, error: BaseException, caller: FrameType | None = None) -> None:
        self.error, self.message = error, str(error)
        self.frames = list(walk_tb(error.__traceback__))
        calls = [at for at, (frame, _) in enumerate(self.frames) if is_pass(frame)]
        self.call = variables(self.frames[calls[-1]][0]) if calls else {}
        self.verb = self.frames[calls[-1]][0].f_code.co_name.replace("tensor_", "") if calls else ""
        # The frames of the program, the innermost first; each with the line it is at.
        until = self.frames[: calls[-1] if calls else None]
        self.around: list[tuple[Any, int]] = of_the_program(until) or [(caller, 0)]
        self.frame, self.line = self.around[0]
        self.programs = [Program(frame, line) for frame, line in self.around]
        self.program = self.programs[0]
        inner = takewhile(lambda one: one is not self.frame, (one for one, _ in reversed(until)))
        self.inside = [frame for frame in inner  # the comprehensions that this frame was running
                       if frame.f_code.co_name in COMPREHENSIONS and not is_library(frame)]
        frames: list[Any] = [*self.inside, *(frame for frame, _ in self.around)]
        self.names = find_names(None, frames=frames) if self.frame else Names({})
        if self.names.frame is self.frame:
            self.names.reached = self.line

    # --- the pass

    @cached_property
    def roots(self) -> list[Any]:
        keys = ("tensors", "outputs", "self")
        given = next((self.call[key] for key in keys if key in self.call), ())
        return [one for one in listed(given) if is_tensor(one) or is_node(one)]

    @cached_property
    def inputs(self) -> list[Any]:
        return [one for one in listed(self.call.get("inputs")) if is_tensor(one)]

    @cached_property
    def nodes(self) -> list[Any]:
        """Every node behind the roots, in forward order."""
        starts = [root if is_node(root) else root.grad_fn for root in self.roots]
        return in_forward_order([start for start in starts if start is not None])

    @cached_property
    def named_from(self) -> dict[int, str]:
        """By the id of a node: the name of what it made, or of the first named result after it."""
        found: dict[int, str] = {}
        first: dict[int, tuple[int, str]] = {}  # of the nodes that take its result
        for node in reversed(self.nodes):
            found[id(node)] = name = self.made_by(node) or first.get(id(node), (0, ""))[1]
            for child, _ in node.next_functions:
                row = (node._sequence_nr(), name)
                first[id(child)] = min(first.get(id(child), row), row)
        return found

    @cached_property
    def failed(self) -> Any:
        """The node at work when the error arose, if the library's frames or a watch tell."""
        known = {id(node) for node in self.nodes}
        for frame, _ in reversed(self.frames):
            if frame.f_code is watched_pass.__code__:  # the last one at which a gradient arrived
                reached = [node for node in self.nodes if passed(node)]
                return max(reached, key=lambda node: record_of(node)["arrival"], default=None)
            node = variables(frame).get("node") if is_library(frame) else None
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
    def place(self) -> Place | None:
        """Of the expression that failed, in the program's text."""
        frame = next(iter(self.inside), self.frame)
        parts = tracebacks(self.error.__traceback__)
        at = next((part.tb_lasti for part in parts if part.tb_frame is frame), None)
        return None if at is None or frame is None else place_in_text(frame.f_code, at)

    @property
    def start(self) -> tuple[int, int]:
        """Where the expression that failed begins, or else its line."""
        return self.place[0] if self.place else (self.line, 0)

    @cached_property
    def statement(self) -> Statement:
        """The statement that failed, as far as the program's text is there to read."""
        return statement_at(self.file, self.line, self.place) if self.frame else None

    @cached_property
    def expressions(self) -> list[tuple[str, Any]]:
        """(text, value) of the names and paths in the statement, in the order of the text."""
        tree = ast.walk(self.statement) if self.statement else ()
        parts = [node for node in tree if isinstance(node, (ast.Name, ast.Attribute))]
        parts.sort(key=lambda node: (node.lineno, node.col_offset, node.end_col_offset))
        return [(ast.unparse(part), self.value(part)) for part in parts]

    def tensors(self, fits: Callable[[Any], bool] = lambda tensor: True) -> list[Any]:
        """The different tensors that the statement mentions."""
        found = {id(value): value for _, value in self.expressions if is_tensor(value)
                 and fits(value)}
        return list(found.values())

    def value(self, part: ast.expr) -> Any:
        if isinstance(part, ast.Attribute) and part.attr == "grad":
            owner = self.value(part.value)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return owner.grad if is_tensor(owner) else None
        found = self.program.held(part)
        if found is None and isinstance(part, ast.Name):  # the variable of a comprehension
            inner = map(variables, self.inside)
            found = next((held[part.id] for held in inner if part.id in held), None)
        return found

    def input_text(self, at: int) -> str:
        """How the program wrote input number `at` of the call of grad() or backward()."""
        for call in self.calls_of(self.verb)[:1]:
            given = [keyword.value for keyword in call.keywords if keyword.arg == "inputs"]
            given = given or (call.args[1:2] if self.verb == "grad" else [])
            parts = getattr(given[0], "elts", given) if given else given
            return ast.unparse(parts[at]) if at < len(parts) else ""
        return ""

    def calls_of(self, name: str) -> list[ast.Call]:
        """The calls of a function or method in the statement."""
        tree = ast.walk(self.statement) if self.statement else ()
        return [node for node in tree if isinstance(node, ast.Call)
                and last_name(node.func) == name]

    @property
    def file(self) -> str:
        return self.frame.f_code.co_filename if self.frame is not None else ""

    @property
    def passes_share_a_line(self) -> bool:
        """Whether the line that failed calls `backward()` or `grad()` more than once."""
        calls = {id(call) for program in self.programs[:1] for call, _ in program.calls
                 if call.lineno <= self.line <= (call.end_lineno or call.lineno)
                 and line_of(call).filename == self.file
                 and last_name(call.func) in ("backward", "grad")}
        return len(calls) > 1

    @property
    def started_at(self) -> str:
        """The expression on which the program called `backward()`, as it is before a dot, or ""."""
        owners = [call.func.value for call in self.calls_of("backward")
                  if isinstance(call.func, ast.Attribute)]
        of_module = len(owners) == 1 and isinstance(self.value(owners[0]), ModuleType)
        if self.verb != "backward" or len(owners) != 1 or of_module:
            return ""
        text = ast.unparse(owners[0])
        closed = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
        return text if isinstance(owners[0], closed) else f"({text})"

    def written(self) -> Any:
        """The tensor that the statement writes to in place, or tries to."""
        values = map(self.value, targets_of(self.statement))
        return next((value for value in values if is_tensor(value)), None)

    def subject(self, fits: Callable[[Any], bool] = lambda tensor: True) -> Any:
        """The tensor that the error is about: in the library's frames, or the statement's first."""
        for frame, _ in reversed(self.frames):
            if not is_library(frame):
                break
            held = variables(frame)
            for name in ("tensor", "result", "self"):
                value = held.get(name)
                if is_tensor(value) and fits(value):
                    return value
        return next(iter(self.tensors(fits)), None)

    # --- words

    def of(self, tensor: Any, otherwise: str = "a tensor") -> str:
        return self.names.of(tensor) or otherwise if tensor is not None else otherwise

    def node(self, node: Any) -> str:
        """`MulBackward0 (which made y)`."""
        if node is None:
            return "an operation"
        name = node.name().rpartition("::")[2]
        made = self.made_by(node)
        return f"{name} (which made {made})" if made else name

    def made_by(self, node: Any) -> str:
        """The name of a tensor that a node made, or ""."""
        return next((name for name, _ in self.names.outputs(node).values()), "")

    @property
    def here(self) -> str:
        """`train.py:12, "loss.backward()",` as the beginning of a sentence."""
        if self.frame is None or not self.line:
            return "the call"
        text = source_line(self.file, self.line)
        return short(self.file, self.line) + (f", `{text}`," if text else "")
