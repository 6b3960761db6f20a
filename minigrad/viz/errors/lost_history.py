"""The cause "does not require grad": where, on the way to the result, the history ended.

The graph of a constant is empty, but the program's text says how the constant was computed. A cut
on that way is found as for `why`; besides, a gradient may have been computed without a record, or a
leaf replaced.
"""
from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import listed
from ..faults.answer import place
from ..faults.cut import GRADIENTS, MEMORY, RECORDS, cut_answer, gradients_in
from ..faults.evidence import Case
from ..faults.no_leaf import IN_PLACE
from ..faults.recorded import NOT_REENTRANT, RECORDS_NOTHING, reentrant
from ..graph.facts import is_tensor, is_written_view
from ..graph.modules import members
from ..program.cut_words import parts
from ..program.cuts import sources_of
from ..program.lines import line_words
from ..program.node_lines import Line, line_of
from ..program.operations import Operations
from ..program.parsed import last_name
from ..program.statements import switch_around, switch_of
from ..program.stored import Assigned
from ..program.trail import Trail
from ..watching.cut_notes import REENTRANT, losses_of
from ..watching.here import here
from .frozen import called_models, frozen
from .scene import Scene
from .table import Told, cause

UNRECORDED = "Comparisons, integers and lines in no_grad are not recorded."
ENDS = {  # what ended the history, where that is no cut: why, the fix and its price
    "switch": ("nothing is recorded from there on",
               "Call `torch.set_grad_enabled(True)` before the forward pass.", MEMORY),
    "block": ("what runs inside is not recorded", "Compute the result outside of {0}.", MEMORY),
    "once": ("the backward of {0} is marked @once_differentiable, so nothing was recorded",
             "Write the backward of {0} with tensor operations, and remove the mark.", RECORDS),
    **GRADIENTS,
    "bare": ("the new tensor requires no gradient", "Write `{0}`.", "none"),
    "step": ("{0} is no longer the leaf that it was", *IN_PLACE),
}


@cause("no history", r"element (\d+) of tensors does not require grad")
def no_history(scene: Scene, match: Any) -> Told:
    root = scene.roots[int(match[1])] if len(scene.roots) > int(match[1]) else None
    name = scene.of(root, "the result")
    named = root is not None and scene.names.of(root)
    words = (f"{scene.here} starts at {f'{name}, ' if named else ''}a constant: no recorded "
             "operation leads from a leaf to it.")
    starts = [Assigned(part, "") for part in starts_of(scene, name)]
    case = Case(root, scene.names)
    cuts = [cut for start in starts for cut in case.cuts.cut_off(root, start)]
    if cuts:
        found = cut_answer(case, cuts[0], name, f"{name} has no history")
        more, fixes = found.sentence, with_copies(scene, starts, cuts[0].word, list(found.fixes))
    elif nothing_learns(scene, starts) and (constant := frozen(scene, name, starts)):
        more, fixes = constant
    elif line := checkpoint_line(scene, starts):
        more = f"{name} was computed by a reentrant checkpoint(){place(line)}. {RECORDS_NOTHING}"
        fixes = [NOT_REENTRANT]
    elif end := next(ends(scene, starts), None):
        word, said, part = end
        why, *fix = (text.format(said) for text in ENDS[word])
        more, fixes = f"The history ends in {line_words(line_of(part))}: {why}.", [Fix(*fix)]
    elif is_recording(scene) is False:
        more = (f"No operation is recorded at this moment, as `torch.is_grad_enabled()` is False; "
                f"{name} was "
                "probably computed like that. ")
        more += f"A watch last saw it switched off in {line_words(here.switched)}." if (
            here.switched) else "Which line switched recording off is not known."
        fixes = [Fix(*ENDS["switch"][1:])]
    else:
        more, fixes = frozen(scene, name, starts) or unknown_end(scene, name, starts)
    if named:
        more += f" `{name}.requires_grad_()` would silence the error and train nothing."
    return Told([words, more], fixes, [root] if root is not None else [])


def with_copies(scene: Scene, starts: list[Assigned], word: str, fixes: list[Fix]) -> list[Fix]:
    """The fix of a cut, and that of a torch.tensor() further on."""
    copies = ("torch.tensor()", "torch.as_tensor()")
    texts = [ast.unparse(part) for trail, _, origin in origins(scene, starts)
             for part, cut in parts(origin.expression)
             if isinstance(part, ast.Call) and cut != word and cut in copies
             and next(sources_of(trail, Assigned(part, "")), None)]
    copied = next(iter(texts), "")
    also = f"Besides, write `torch.stack(...)` in place of `{copied}`."
    return [Fix(f"{fixes[0].words} {also}", fixes[0].price),
            *fixes[1:]] if copied and fixes else fixes


def checkpoint_line(scene: Scene, starts: list[Assigned]) -> Line | None:
    """The reentrant checkpoint() that ran parameters which require a gradient, or None."""
    leaves = [one for _, model in scene.names.models for _, one in members(model)]
    noted = [loss.line for leaf in leaves for loss in losses_of(leaf) if loss.word == REENTRANT]
    text = Operations((Trail(scene.program), start.expression) for start in starts)
    noted += [line for line, models in reentrant(text) if not models or any(
        one.requires_grad for model in models for _, one in members(model))]
    return next(iter(noted), None)


def is_recording(scene: Scene) -> bool | None:
    """Whether operations are recorded now by the engine that the result comes from."""
    kinds = [kind for root in scene.roots for kind in type(root).__mro__]
    engines: list[Any] = [sys.modules.get(kind.__module__.partition(".")[0]) for kind in kinds]
    return next((engine.is_grad_enabled() for engine in engines
                 if hasattr(engine, "is_grad_enabled")), None)


def starts_of(scene: Scene, name: str) -> list[ast.expr]:
    """What backward() or grad() was called on: its variable, or the expression in the statement."""
    found: list[ast.expr] = [ast.Name(name, ast.Load())] if name.isidentifier() else []
    for call in scene.calls_of(scene.verb) if not found else ():
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        method = owner is not None and not isinstance(scene.value(owner), ModuleType)
        found += [owner] if owner is not None and method else call.args[:1]
    return found


def unknown_end(scene: Scene, name: str, starts: list[Assigned]) -> tuple[str, list[Fix]]:
    """Say what the result was computed from; a variable that took no part in it is not named."""
    used = tensors_used(scene, starts)
    leaves = [key for key, tensor in used.items() if tensor.requires_grad and tensor.is_leaf]
    constants = [key for key, tensor in used.items() if not tensor.requires_grad]
    one = len(leaves or constants) == 1
    if not any(is_leaf_with_gradient(tensor) for tensor in scene.names.tensors.values()):
        more = "None of the variables here is a leaf that requires a gradient."
        frozen = [key for key, tensor in scene.names.tensors.items()
                  if type(tensor).__name__ == "Parameter"]
        if frozen:
            every = ", as it is of every parameter here" * (len(frozen) > 1)
            more = f"{more[:-1]}: requires_grad of {frozen[0]} is False{every}."
    elif leaves:
        more = (f"{listed(leaves)} require{'s' * one} a gradient, but no recorded operation "
                f"leads from {'it' if one else 'them'} to {name}. {UNRECORDED}")
    elif constants:
        more = (f"{name} was computed from {listed(constants)}, and "
                f"{'it' if one else 'none of them'} "
                f"require{'s' if one else ''} {'no' if one else 'a'} gradient.")
    else:
        more = UNRECORDED
    return more, [Fix(f"Let a leaf require a gradient (requires_grad=True) before {name} is "
                      f"computed, and compute {name} from it outside no_grad, and without "
                      "comparisons or integers.",
                      MEMORY)]


def nothing_learns(scene: Scene, starts: list[Assigned]) -> bool:
    """Whether the text computes the result with models, and with nothing that takes a gradient."""
    models = list(called_models(scene, starts))
    used = [*tensors_used(scene, starts).values(), *(one for model in models
                                                     for _, one in members(model))]
    return bool(models) and not any(one.requires_grad for one in used)


def is_leaf_with_gradient(tensor: Any) -> bool:
    return tensor.requires_grad and not is_written_view(tensor) and tensor.is_leaf


def tensors_used(scene: Scene, starts: list[Assigned]) -> dict[str, Any]:
    """By name: the tensors from which the text computes the result."""
    found: dict[int, tuple[str, Any]] = {}
    roots = {id(root) for root in scene.roots}
    for trail, _, origin in origins(scene, starts):
        for part in ast.walk(origin.expression):
            value = None
            if isinstance(part, (ast.Name, ast.Attribute)):
                value = trail.program.value(part)
            if is_tensor(value) and id(value) not in roots and not is_written_view(value):
                found.setdefault(id(value), (scene.names.of(value) or ast.unparse(part), value))
    return dict(found.values())


def ends(scene: Scene, starts: list[Assigned]) -> Iterator[tuple[str, str, ast.expr]]:
    """(key of ENDS, what its words name, the expression) for every other end of the history."""
    for trail, name, origin in origins(scene, starts):
        if is_step(name, origin):
            made, code = origin.expression, ast.unparse(origin.expression)
            if last_name(getattr(made, "func", made)) == "tensor" and "requires_grad" not in code:
                yield "bare", f"{name} = {code[:-1]}, requires_grad=True)", made
            else:
                yield "step", name, made
        for word, _ in gradients_in(trail, origin.expression):
            marked = once_differentiable(scene) if word == "once" else ""
            if marked or word != "once":
                yield word, marked, origin.expression
    yield from blocks(scene, starts)
    yield from switches(scene, starts)


def blocks(scene: Scene, starts: list[Assigned]) -> Iterator[tuple[str, str, ast.expr]]:
    """A `with` or a decorator around a line, or a call, that computed the result."""
    places = [(trail.program, origin.expression.lineno)
              for trail, name, origin in origins(scene, starts) if name]
    names = [start.expression.id for start in starts if isinstance(start.expression, ast.Name)]
    if all(scene.program.assigned(name) for name in names):  # else it may be computed elsewhere
        places += [(program, line)
                   for program, (_, line) in zip(scene.programs, scene.around, strict=True)]
    switch = next(filter(None, (switch_around(*place) for place in places)), None)
    if switch is not None and switch.on is False:
        yield "block", f"`{ast.unparse(switch.part)}`", switch.part


def switches(scene: Scene, starts: list[Assigned]) -> Iterator[tuple[str, str, ast.expr]]:
    """The last call of set_grad_enabled() before the result was computed, if it switched off.

    With recording off at this moment, it is the last one that ran at all.
    """
    off = is_recording(scene) is False
    computed = [] if off else [origin.expression for _, _, origin in origins(scene, starts)]
    last = None
    for statement in scene.ran():
        if last is not None and any(part in computed for part in ast.walk(statement)):
            break
        value = getattr(statement, "value", None)
        switch = switch_of(value, scene.program) if isinstance(value, ast.Call) else None
        last = switch or last
    if last is not None and last.on is False:
        yield "switch", "", last.part


def origins(scene: Scene, starts: list[Assigned]) -> Iterator[tuple[Trail, str, Assigned]]:
    """What the text says a value was computed from: each with the variable it was assigned to."""
    return Trail(scene.program).reached(starts)


def is_step(name: str, origin: Assigned) -> bool:
    """Whether a variable was replaced by itself and a gradient: `w = w - lr * w.grad`."""
    used = {ast.unparse(part) for part in ast.walk(origin.expression)
            if isinstance(part, (ast.Name, ast.Attribute))}
    return name in used and (f"{name}.grad" in used or bool(origin.quiet))


def once_differentiable(scene: Scene) -> str:
    """The name of a Function in the visible text whose backward is marked so, or ""."""
    marked = (one.name for one in scene.program.parts if isinstance(one, ast.ClassDef)
              for method in one.body
              if "once_differentiable" in map(last_name, getattr(method, "decorator_list", [])))
    return next(marked, "")
