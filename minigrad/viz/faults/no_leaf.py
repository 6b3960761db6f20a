"""For `why`: constants and results, which keep no gradient."""
from __future__ import annotations

import ast

from ..drawing.explanation import Fix
from ..graph.facts import whole_number
from ..graph.walk import in_forward_order, leaves_of
from ..program.names import as_code
from ..program.node_lines import line_of, watched_place
from . import optimizer_steps
from .answer import Answer, place
from .cut import MEMORY, cut_answer, no_gradient_of
from .evidence import Case
from .extreme_numbers import bad_result
from .made import freezing_line, made_line
from .misnamed import misnamed
from .moving_statistics import moving_statistics
from .singular import is_bad

IN_PLACE = ("Change {0} in place, so that it stays a leaf: `{0} -= ...` under "
            "`with torch.no_grad():`. Set `{0}.grad = None` before the next pass.",
            "a graph that saved the old values of {0} can't run a pass any more")

def constant(case: Case) -> Answer:
    name = case.name
    causes = optimizer_steps.stale, misnamed, moving_statistics, optimizer_steps.frozen
    if found := next(filter(None, (cause(case) for cause in causes)), None):
        return found
    for cut in case.cuts.cut_off(case.tensor, case.program.assigned(name)):
        return cut_answer(case, cut, name, f"{name} does not require a gradient")
    if found := no_gradient_of(case, name):
        return found
    start = f"{case.code} = {case.code}.float()" if whole_number(case.tensor) else case.code
    fix = Fix(f"Write `{start}.requires_grad_()` before the forward computation.", MEMORY)
    line = made_line(case) if optimizer_steps.is_parameter(case.tensor) else None
    frozen = freezing_line(case) if line else None
    where = f" It is made{place(line)}." if line else ""
    where = f" It is frozen{place(frozen)}." if frozen else where
    words = f"{name} does not require a gradient, so no pass computes one.{where}"
    return Answer("constant", words, [fix], [case.tensor], line=frozen or line)


def interior(case: Case) -> Answer:
    name, code, node = case.name, case.code, case.tensor.grad_fn
    maker, leaves = case.named(node).partition(" ")[0], "and passes leave gradients on leaves only"
    keep = Fix(f"Call `{code}.retain_grad()` before the pass.", "its gradient stays in memory")
    if is_bad(case, case.tensor) and (found := bad_result(case)):
        return found
    behind = leaves_of(in_forward_order([node]))
    parts = [as_code(case.names.of(one)) for one in behind]
    lost = any(one.shape == case.tensor.shape and not part for one, part in zip(behind, parts))
    for one in (one.expression for one in case.program._places(name) if one and lost):
        if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(one)):
            fix = Fix(*(part.format(code) for part in IN_PLACE))
            return Answer("replaced", f"{name} is no longer the leaf: `{name} = {ast.unparse(one)}`"
                          f"{place(line_of(one))} made a new tensor, {leaves}.", [fix], [node])
    fix = Fix(f"Make {name} a leaf: add `.detach().requires_grad_()` to the line that makes it.",
              "no gradient flows into what it was computed from")
    origin = case.program.assigned(name)
    where = place(line_of(origin.expression) if origin else watched_place(node))
    words = f"{name} is not a leaf: {maker} made it{where}, {leaves}."
    if parts and all(".parametrizations." in one for one in parts):
        read = " and ".join(f"`{one}.grad`" for one in parts)
        return Answer("not a leaf", f"{name} is not a leaf: {maker} makes it anew from "
                      f"{' and '.join(parts)} whenever it is asked for, {leaves}.",
                      [Fix(f"Read {read}.", "none")], [node])
    trains = any(root is case.tensor for _, root in case.roots) or (  # as a leaf it would not
        any(parts) and not tuple(case.tensor.shape))
    fixes = [keep, *[fix] * (not trains)] if case.names.of(case.tensor) else []
    return Answer("not a leaf", words, fixes, [node])
