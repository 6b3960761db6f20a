"""Causes in the middle of a pass: values that an earlier pass freed, and a gradient that is nan."""
from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import listed
from ..graph.facts import is_node, is_tensor, is_written_view
from ..graph.kept import saved_by
from ..graph.node_records import freed_by
from ..graph.walk import in_forward_order, leaves_of
from ..program.given import held_by
from ..program.lines import is_freed, line_words, statement_at
from ..program.node_lines import Line, line_of, only_line, place_of, short
from ..program.parsed import last_name
from ..program.ran import may_have_run
from ..program.stored import Assigned
from .lost_history import ENDS, ends, starts_of
from .scene import Scene
from .stale import anew, border, carried, culprit, replaced, separate_rounds, states
from .table import Told, cause

MOST = 2  # lines that compute one variable
ADD_UP = Fix("Add the results up and call backward() once.",
             "you get only the gradient of the sum, and the graphs of all the results stay in "
             "memory until then")
SEPARATE = Fix("Use `{0}.detach()` in the pass that doesn't need the gradients of what {0} was "
               "computed from.", "that pass adds nothing to the `.grad` of the leaves behind {0}")


@cause("freed", r"backward through the graph a second time|after they have already been freed")
def freed(scene: Scene, match: Any) -> Told:
    if not scene.roots:
        return freed_and_asked_for(scene)
    node, gone = culprit(scene)
    rows = saved_by(node) if node is not None else []
    lost = [f"`{row[0]}`" for row in rows if row[1] == "freed"]
    slots = ", ".join(lost if len(lost) < 5 else [*lost[:3], f"{len(lost) - 3} more"])
    kept = f" ({slots})" if slots else ""
    who = scene.node(node) if node is not None or not gone else f"one of {len(gone)} operations"
    words = [f"{scene.here} reached {who}, and what it had saved for its gradient{kept} is gone."]
    line = freed_by(node)
    if line is not None:
        same = line[:2] == (scene.file, scene.line) and not scene.passes_share_a_line
        again = ", the same line in an earlier run" * same
        words.append(f"It was freed by the backward pass of {line_words(line)}{again}: a pass "
                     "frees what it has used.")
    elif earlier := pass_through(scene, node):
        words.append(f"The backward pass of {line_words(earlier)} went through it before: a pass "
                     "frees what it has used.")
    else:
        words.append("An earlier backward() or grad() freed it: a pass frees what it has used. "
                     "`with watch():` would tell the line of that pass.")
    if rounds := carried(scene, gone):
        names = listed(list(rounds))
        verb = "carries" if len(rounds) == 1 else "carry"
        words[1] += f" {names} {verb} the graph of an earlier round into this one."
        texts = [f"{name}.detach()" for name in rounds]
        if idle := only_line(part for part in scene.program.parts
                             if isinstance(part, ast.Expr) and ast.unparse(part) in texts):
            words[1] += f" What {line_words(idle)} returns is kept nowhere, so it detaches nothing."
    root = scene.of(scene.roots[0], "")
    made = lines_of(scene, list(rounds) or [
        name for name in re.split(", | and ", anew(scene, gone)) if name != root])
    if made:
        words[1] += f" {made}"
    if once := None if rounds else next(made_once(scene, gone), None):
        words[1] += f" {once[0]}"
        return Told(words, once[1], [once[2]])
    return Told(words, fixes(scene, gone, line, rounds), gone if node is None else [node])


def made_once(scene: Scene, gone: list[Any]) -> Iterator[tuple[str, list[Fix], Any]]:
    """A tensor in an attribute of a model that __init__ has computed, and no later round."""
    ids = set(map(id, gone))
    for name, value, module, key in states(scene):
        node = value.grad_fn if is_tensor(value) and not is_written_view(value) else None
        line = only_line(part for part in scene.program.parts if isinstance(part, ast.Attribute)
                         and isinstance(part.ctx, ast.Store) and part.attr == key)
        statement = statement_at(line.filename, line.line) if line else None
        if id(node) not in ids or statement is None or replaced(module, key) or (
                ast.unparse(getattr(statement, "targets", [statement])[0]) != f"self.{key}"):
            continue
        fixes = [Fix(f"Keep the leaf alone in an attribute, and compute {name} from it in "
                     "forward().", "you run this part of the forward pass once more")]
        calls = [part for part in ast.walk(statement) if isinstance(part, ast.Call)
                 and last_name(part.func) == "Parameter" and len(part.args) == 1]
        if len(calls) == 1 and isinstance(statement, ast.Assign):
            given = ast.unparse(calls[0].args[0])
            given = f"({given})" if isinstance(calls[0].args[0], ast.BinOp) else given
            inner = ast.unparse(statement.value).replace(ast.unparse(calls[0]), given)
            fixes.insert(0, Fix(f"Make the result the parameter: `self.{key} = "
                                f"{ast.unparse(calls[0].func)}({inner})`.", "none"))
        yield (f"{name} was computed once, in {line_words(line_of(statement))}, and each pass goes "
               "through that operation. It is no leaf, and so no parameter of the model.",
               fixes, node)


def pass_through(scene: Scene, node: Any) -> Line | None:
    """The line of the one other pass in the text whose result was computed from a node."""
    found: dict[Line, None] = {}
    for program in scene.programs:
        for call, _ in program.calls:
            if last_name(call.func) != "backward" or not may_have_run(program, call) or (
                    program is scene.program and call in scene.calls_of("backward")):
                continue
            root = program.value(getattr(call.func, "value", call.func))
            if is_tensor(root) and any(one is node for one in in_forward_order([root.grad_fn])):
                found[line_of(call)] = None
    return next(iter(found)) if len(found) == 1 and node is not None else None


def lines_of(scene: Scene, names: list[str]) -> str:
    """A sentence about the lines that compute variables, where the text tells them."""
    told = []
    for name in names:
        program = next((one for one in scene.programs if name.isidentifier()
                        and any(one._places(name))), None)
        places = [one for one in program._places(name) if one] if program else []
        within = [one for one in places if any(
            loop.lineno <= one.expression.lineno <= (loop.end_lineno or 0)
            for of, loop, _ in scene.loops() if of is program)]
        lines = {line_of(one.expression): None for one in within or places}
        if 0 < len(lines) <= MOST:
            told.append(f"{name} is computed in {' and '.join(map(line_words, lines))}")
    return f"{listed(told)}." if told else ""


def fixes(scene: Scene, gone: list[Any], line: Any, rounds: dict[str, Any]) -> list[Fix]:
    root, leaves = scene.of(scene.roots[0], "the result"), set(map(id, leaves_of(scene.nodes)))
    steps = [one for _, one in scene.steps() if leaves & set(map(id, held_by(one)))]
    shared = border(scene, gone)
    detach = [Fix(*(part.format(shared) for part in SEPARATE))] if shared else []
    again = [Fix(f"Before each backward(), compute {anew(scene, gone)} anew, and everything that "
                 "follows from it.", "you run this part of the forward pass once more")]
    if unrecorded := without_create_graph(scene, line):
        return [unrecorded, again[0]._replace(
            price=f"{again[0].price}; what grad() returned is a constant in it")]
    if rounds:
        found = [separate_rounds(rounds), ADD_UP]
    else:  # with two optimizers, each has a result of its own
        two, one = len(set(map(id, steps))) > 1, is_the_same(scene, line, root)
        found = [*detach, *again] if two else [*again, *[ADD_UP] * (not one), *detach]
    if not steps:  # a step would change what the graph keeps
        unknown = line is None or scene.passes_share_a_line
        first = "the first pass" if unknown else f"the pass of {short(line.filename, line.line)}"
        found.append(Fix(f"Add retain_graph=True to {first}.",
                         "everything that the graph saved stays in memory as long as the graph "
                         f"does; `draw({root}, show='memory')` before that pass shows how much"))
    return found


def is_the_same(scene: Scene, line: Any, root: str) -> bool:
    """Whether the pass that freed, in a line above in the same text, started from this result."""
    above = max((call.lineno for call, _ in scene.program.calls if call.lineno < scene.line
                 and ast.unparse(call.func) == f"{root}.backward"
                 and line_of(call).filename == scene.file), default=0)
    if not above or line is not None and line[:2] != (scene.file, above):
        return False
    made = [line_of(one.expression) for one in scene.program._places(root) if one]
    return not any(one.filename == scene.file and above < one.line < scene.line for one in made)


def without_create_graph(scene: Scene, line: Any) -> Fix | None:
    """The fix for a result of the gradients of the grad() that freed: record that pass."""
    freeing = [statement_at(line.filename, line.line)] if line is not None else scene.ran()
    called = {last_name(call.func) for one in freeing if one is not None for call in ast.walk(one)
              if isinstance(call, ast.Call)}
    if "grad" not in called or "backward" in called:
        return None
    starts = [Assigned(part, "") for part in starts_of(scene, scene.of(scene.roots[0], ""))]
    end = next((word for word, *_ in ends(scene, starts) if word in ("grad", ".grad")), "")
    return Fix(*ENDS[end][1:]) if end else None


def freed_and_asked_for(scene: Scene) -> Told:
    """No pass was under way: the program itself asked a node for what it had saved."""
    nodes = [value for _, value in scene.expressions if is_node(value)]
    tensors = scene.tensors(lambda tensor: tensor.grad_fn is not None and is_freed(tensor.grad_fn))
    guilty = nodes[:1] or [tensor.grad_fn for tensor in tensors[:1]]
    line = freed_by(guilty[0]) if guilty else None
    who = f"the backward pass of {line_words(line)}" if line else "a backward pass"
    return Told(
        [f"{scene.here} asked for a value that {scene.node(guilty[0] if guilty else None)} had "
         f"saved, and {who} has freed it.", "A pass frees what it has used."],
        [Fix("Look at the value before backward().", "none"),
         Fix("Pass retain_graph=True to that pass.",
             "everything that the graph saved stays in memory as long as the graph does")],
        guilty, nodes[:1] or tensors[:1] or [])


# --- what anomaly mode finds

@cause("nan", r"Function '(\w+)' returned nan values in its (\d+)th output")
def nan(scene: Scene, match: Any) -> Told:
    alike = [node for node in scene.in_run_order() if node.name() == match[1]]
    guilty = [scene.failed] if scene.failed is not None else alike
    node = guilty[0] if len(guilty) == 1 else None
    who = scene.node(node) if node else f"one of {len(guilty)} {match[1]}" if guilty else match[1]
    recorded = f", recorded in {place_of(node)}" if node and place_of(node) else ""
    saved = [f"`{slot}` = {' '.join(str(value.tolist()).split())}"
             for slot, _, value, _ in (saved_by(node) if node else [])
             if is_tensor(value) and math.prod(value.shape) <= 6]
    had = f"; it had saved {', '.join(saved)}" if saved else ""
    return Told(
        [f"{scene.here} got nan from {who}{recorded}, in the gradient of its input "
         f"{match[2]}{had}.",
         "Such a nan is 0 times infinity, infinity minus infinity, or a nan that arrived. Often it "
         "is the slope of sqrt, log or a division at 0, in a branch that where() didn't choose."],
        [Fix("Make the input safe before the operation: `torch.where(ok, x, 1)` inside, and "
             "where() again outside.", "up to two more recorded operations, and a mask in memory"),
         Fix("Keep the input away from the edge: `x.clamp(min=1e-12).sqrt()`.",
             "where x is smaller, the result is that of 1e-12, and the gradient is 0")],
        guilty)
