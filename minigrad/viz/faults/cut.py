"""For `why`: what is said of a value that went on without its history."""
from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, whole_number
from ..program.cut_words import LOSING, parts
from ..program.cuts import SHARED, Source, sources_of
from ..program.lines import line_words, statement_at
from ..program.node_lines import Line, line_of
from ..program.parsed import last_name
from ..program.program_text import Assigned
from ..program.statements import QUIET
from ..program.trail import Trail
from .answer import Answer, place
from .evidence import Case
from .recorded import MEMORY, SAMPLE

ANOTHER = "another function is trained"
UNRECORDED = "unrecorded"
NUMPY = ("np", "numpy")
WHOLE_NUMBERS = ("integers", "booleans")
EQUAL = "equal value"  # the word for a value that is found again without an edge
CUTS = {  # how a value went on, what that does, what to do instead, and the price of that
    **dict.fromkeys(("no_grad", "inference_mode"), (
        "under {}", "where nothing is recorded", "Move this line out of {}.", MEMORY)),
    **{f"@{mode}": (f"under {mode}", "where nothing is recorded",
                    f"Compute it out of {mode}: remove the decorator.", MEMORY)
       for mode in QUIET},
    "integers": ("as whole numbers", "which have no slope",
                 "Use a smooth operation, such as softmax for argmax.", ANOTHER),
    "booleans": ("as booleans", "which have no slope",
                 "Use a smooth operation, such as sigmoid for a comparison.", ANOTHER),
    UNRECORDED: ("where nothing was recorded", "as under no_grad or set_grad_enabled(False)",
                 "Compute it while operations are recorded.", MEMORY),
    SHARED: ("without its history", "which keeps its memory as a constant",
             "Use the tensor itself here, without detach(), .data or NumPy.", MEMORY),
    EQUAL: ("as numbers alone", "where an equal value begins that has no history",
            "Use the tensor itself here, without .item(), .tolist() or NumPy.", MEMORY),
    "sample()": ("through sample()", "which records nothing", SAMPLE.words, MEMORY),
    "torch.tensor()": ("through torch.tensor()", "which copies the numbers alone",
                       "Use the tensor itself, or torch.stack([...]) for several.", MEMORY),
}
RECORDS = "the backward pass is recorded, and its graph stays in memory until a pass frees it"
WITHOUT = "backward() and grad() record no history for gradients without create_graph=True"
GRADIENTS = {  # how a gradient was taken that has no history: why, the fix and its price
    "grad": (WITHOUT, "Give grad() `create_graph=True`.", RECORDS),
    ".grad": (WITHOUT, "Compute the gradient with `torch.autograd.grad(..., create_graph=True)`.",
              RECORDS),
}
CUTS["grad"] = ("through grad()", "which records no history without create_graph=True",
                *GRADIENTS["grad"][1:])
OTHER = ("through {}", "which passes the value on without its history",
         "Use the tensor itself here, without {}.", MEMORY)


def gradients_in(trail: Trail, expression: ast.expr) -> Iterator[tuple[str, ast.AST]]:
    """How an expression takes gradients, each a key of `GRADIENTS`, or "once" where recorded."""
    for part in ast.walk(expression):
        if isinstance(part, ast.Attribute) and part.attr == "grad":
            owner = trail.program.value(part.value)
            if is_tensor(owner) and owner.requires_grad:
                yield ".grad", part
        elif isinstance(part, ast.Call) and last_name(part.func) == "grad":
            given = [one.value for one in part.keywords if one.arg == "create_graph"]
            off = all(isinstance(one, ast.Constant) and not one.value for one in given)
            yield "grad" if off else "once", part


def gradients_behind(case: Case, starts: list[Assigned]) -> Iterator[tuple[Trail, str, Any]]:
    """The same of what a value was computed from, each with the text that it is in."""
    for trail, _, origin in case.cuts.trail.reached(starts):
        yield from ((trail, *found) for found in gradients_in(trail, origin.expression))


def cuts_in_text(case: Case) -> Iterator[tuple[Source, ast.expr]]:
    """What went without its history into what passes start from, as the text tells it."""
    starts = [(part, Assigned(part, "")) for part in case.starts]
    for part, start in starts:
        # whole numbers are often meant, as the choice of an expert, and a copy hardly ever is
        yield from ((cut, part) for cut in sorted(
            sources_of(case.cuts.trail, start, case.leads_to),
            key=lambda cut: cut.word in WHOLE_NUMBERS))
    for part, start in starts:
        for trail, word, call in gradients_behind(case, [start]):
            of = [one.value for one in getattr(call, "keywords", ()) if one.arg == "outputs"]
            for one in getattr(call, "args", [])[:1] or of if word == "grad" else ():
                yield from ((cut, part) for cut in sources_of(
                    trail, Assigned(one, ""), case.leads_to, Source(word, None, line_of(call))))
    for part, start in starts:
        yield from ((cut, part) for cut in unrecorded(case, start))


def unrecorded(case: Case, start: Assigned) -> Iterator[Source]:
    """A variable that the text computes from the tensor, but that takes no gradient."""
    for trail, _, origin in case.cuts.trail.reached([start]):
        program = trail.program
        names = [one for one in ast.walk(origin.expression) if isinstance(one, ast.Name)]
        for name in {one.id: one for one in names}.values():
            value, made = program.value(name), program.assigned(name.id)
            if made is None or not is_tensor(value) or value.requires_grad or whole_number(value):
                continue
            parts = [one for one in ast.walk(made.expression)
                     if isinstance(one, (ast.Name, ast.Attribute))]
            values = [program.value(one) for one in parts]
            sources = [one for one in values if is_tensor(one) and case.leads_to(one)]
            if sources and not made.quiet:
                yield Source(UNRECORDED, sources[0], line_of(made.expression))


def no_gradient_of(case: Case, name: str) -> Answer | None:
    """A constant that was computed from a gradient without a history."""
    starts = [Assigned(ast.Name(name, ast.Load()), "")] * name.isidentifier()
    for _, word, part in gradients_behind(case, starts):
        if word in GRADIENTS:
            why, fix, price = GRADIENTS[word]
            line = line_of(part)
            return Answer("cut", f"{name} does not require a gradient: it was computed from a "
                          f"gradient{place(line)}, and {why}.", [Fix(fix, price)],
                          [case.tensor], line=line)
    return None


def _parts_at(line: Line) -> list[ast.AST]:
    statement = statement_at(line.filename, line.line) if line.line else None
    return list(ast.walk(statement)) if statement is not None else []


def _straight_through(cut: Source) -> list[Fix] | None:
    """What to do at `q = z + (q - z).detach()`, where detach() gives z the gradient of the sum."""
    parts = _parts_at(cut.line) if cut.word == "detach()" else []
    for part in parts:
        right = getattr(part, "right", None)
        inner = getattr(getattr(right, "func", None), "value", None)
        if isinstance(part, ast.BinOp) and isinstance(inner, ast.BinOp) and isinstance(
                inner.op, ast.Sub) and ast.dump(inner.right) == ast.dump(part.left):
            name = ast.unparse(inner.left)
            again = any(isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                        and one.id == name for one in parts)
            return [Fix(f"Assign this sum to another variable, such as `{name}_through`, and pass "
                        f"that on; compute the loss that trains {name} from `{name}`.",
                        "none")] * again
    return None


def _numpy_fix(case: Case, cut: Source) -> Fix | None:
    """What to do where NumPy takes the value next, which refuses a tensor with a history."""
    parts = _parts_at(cut.line)
    if cut.word not in ("detach()", ".data", ".numpy()") or not any(
            getattr(part, "attr", "") == "numpy" for part in parts):
        return None
    library = sys.modules.get(type(case.tensor).__module__.partition(".")[0])
    known = [one.func.attr for one in parts if isinstance(one, ast.Call)
             and isinstance(one.func, ast.Attribute) and ast.unparse(one.func.value) in NUMPY
             and hasattr(library, one.func.attr)]
    such = f", such as torch.{known[0]}() for np.{known[0]}()" if known else ""
    return Fix(f"Compute it with operations of tensors in place of NumPy's{such}, and give them "
               f"the tensor itself, without {cut.word}.", MEMORY)


def cut_answer(case: Case, cut: Source, text: str, opening: str) -> Answer:
    how, does, fix, price = (words.format(cut.word) for words in CUTS.get(cut.word, OTHER))
    source = (case.names.of(cut.value) or "a value") if is_tensor(cut.value) else cut.value.text
    found = cut.value if is_tensor(cut.value) else case.tensor
    fixes = _straight_through(cut)
    if fixes is None:
        fixes = [_numpy_fix(case, cut) or Fix(f"{fix[:-1]}{later_words(cut)}.", price)]
    roots = [root for name, root in case.roots if name == text] or [one for _, one in case.roots]
    return Answer("cut", f"{opening}: {source} went into {text} {how}{place(cut.line)}, {does}.",
                  fixes, [found], [*roots, found], cut=cut)


def later_words(cut: Source) -> str:
    """The cuts that the value goes through after this one, which a fix concerns as well."""
    found, one = {(cut.word, cut.line): ""}, cut.later
    while one is not None and one.word:
        if one.word in LOSING and one.line.line:
            more = f", and in {line_words(one.line)} without {one.word}"
            found.setdefault((one.word, one.line), more)
        one = one.later
    return "".join(found.values())


def cuts_on_the_way(case: Case) -> Iterator[Source]:
    """Where the text behind a pass takes the history from a value, whatever that is."""
    for part in case.starts:
        for trail, _, origin in case.cuts.trail.reached([Assigned(part, "")]):
            for inner, word in parts(origin.expression):
                name = word in LOSING and isinstance(inner, ast.Name)
                if name and not isinstance(trail.program.held(inner), ModuleType):
                    yield Source(word, None, line_of(inner))
