"""For `why`: parameters in a reentrant checkpoint, which records nothing."""
import ast

from ..drawing.explanation import Fix
from ..program.entered import models_of
from ..program.parsed import last_name
from ..program.places import Line
from .answer import Answer, place
from .evidence import Case


def in_checkpoint(case: Case) -> Answer | None:
    """A parameter in a reentrant checkpoint none of whose inputs requires a gradient."""
    for part in case.operations.parts:
        call = part.expression
        if not isinstance(call, ast.Call) or last_name(call.func) != "checkpoint":
            continue
        given = [one.value for one in call.keywords if one.arg == "use_reentrant"]
        if not all(getattr(one, "value", None) is True for one in given):
            continue
        if any(case.common.holds(model, case.tensor) for model in models_of(call, part.program)):
            return of_checkpoint(case, part.line)
    return None


def of_checkpoint(case: Case, line: Line | None) -> Answer:
    return Answer("checkpoint", f"{case.name}.grad is None: {case.name} is used inside of "
                  f"a reentrant checkpoint(){place(line)}. That records nothing if "
                  "none of its inputs requires a gradient.",
                  [Fix("Pass `use_reentrant=False` to checkpoint().", "none")],
                  [case.tensor], line=line)
