"""For `why`: a model that learns in evaluation mode, unless the program chose that mode."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import listed
from ..graph.kept import stem_of
from ..graph.modules import inner_modules, is_model, joined, members
from ..program.custom_functions import text_of
from ..program.lines import is_freed, is_of_library, line_words
from ..program.node_lines import Line, line_of
from ..program.parsed import FUNCTIONS, last_name, parts_of
from ..program.ran import statement_of
from ..watching.calls import calls_of
from ..watching.modes import differs, is_unset, modes_of
from .answer import Answer
from .evidence import Case
from .optimizer_steps import is_parameter

DROPPING = ("Mul", "Dropout")
NAMED = 3  # layers or modules in one sentence
TRAINS = ("backward", "step", "zero_grad")
# What a function may call that does nothing but to choose modes.
CHOOSES = ("eval", "train", "modules", "named_modules", "children", "named_children", "apply",
           "parameters", "requires_grad_", "isinstance", "type", "lower", "hasattr", "getattr",
           "any", "super", "startswith", "endswith", "items", "values", "print", "info")
Layer = tuple[str, Any, str]  # its place in the model, the layer, and "BatchNorm" or "dropout"


def wrong_mode(case: Case) -> Answer | None:
    """A model that learns in evaluation mode, where BatchNorm or dropout do something else."""
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    if model is None:
        return None
    layers = case.common.once("layers", model, lambda: [
        (inner, module, kind) for inner, module in inner_modules(model).items()
        if (kind := differs(module)) and _learns(model, inner)])
    watched = any(modes_of(module) for _, module, _ in layers)
    found = [one for one in (_watched_in_evaluation if watched else _evaluated_in_graph)(
        case, layers) if not case.common.once("chosen", one[1], lambda: _chosen(
            case, model, one))]  # noqa: B023
    if not found:
        return None
    outer = [one for one, part in inner_modules(model).items() if _was_evaluated(part)]
    codes = list(dict.fromkeys(joined(path, next(
        (one for one in outer if _within(inner, one)), inner)) or "model"
        for inner, _, _ in found))
    lines = _switches(case)
    where = " and ".join(line_words(line) for line in lines)
    train = " and ".join(f"`{code}.train()`" for code in codes)
    whole = " and ".join(f"`{code}.eval()`" for code in codes)
    return Answer("evaluation mode",
                  f"{_list(codes)} {'was' if len(codes) == 1 else 'were'} in evaluation mode when "
                  f"the pass ran that filled {case.name}.grad: {_does(path, codes, found)}."
                  f"{f' It is switched by eval() ({where}).' * bool(where)}",
                  [Fix(f"Call {train} before the forward pass.", f"evaluation needs {whole} again")
                   ], [case.tensor], line=lines[0] if lines else None)


def _list(names: list[str]) -> str:
    more = [f"{len(names) - NAMED} more"] * (len(names) > NAMED)
    return listed([*names[:NAMED], *more])


def _within(inner: str, outer: str) -> bool:
    """Whether a place in a model is another one, or in it; "" is the model."""
    return not outer or f"{inner}.".startswith(f"{outer}.")


def _does(path: str, codes: list[str], found: list[Layer]) -> str:
    """What each kind of these layers does in evaluation mode, with their names."""
    said = []
    for kind, does in (("BatchNorm", "used its running averages, which it didn't update, in place "
                                     "of the batch's"), ("dropout", "dropped nothing")):
        names = [joined(path, inner) for inner, _, one in found if one == kind]
        if names:
            said.append(f"{kind}{f' ({_list(names)})' if names != codes else ''} {does}")
    return ", and ".join(said)


def _was_evaluated(module: Any) -> bool:
    """Whether its last recorded call was in evaluation mode; else, whether it is in that mode."""
    calls = [call for call in calls_of(module) if call.grad_enabled]
    return not (calls[-1] if calls else module).training


def _learns(model: Any, inner: str) -> bool:
    """Whether a layer is trained: a frozen one may be in evaluation mode on purpose."""
    modules = inner_modules(model)
    own = [one for _, one in members(modules[inner]) if is_parameter(one)]
    around = own or [one for _, one in members(modules.get(inner.rpartition(".")[0], model))]
    return any(one.requires_grad for one in around)


def _watched_in_evaluation(case: Case, layers: list[Layer]) -> list[Layer]:
    """The layers that ran in evaluation mode alone before a pass whose gradient a step took."""
    events = case.history
    for at in reversed(range(len(events) - 1)):
        if events[at].kind == "pass" and any(one.kind == "step" for one in events[at + 1:]):
            start = max((one.order for one in events[:at] if one.kind in ("pass", "step")),
                        default=0)
            calls = [(layer, [one for one in modes_of(layer[1])
                              if start < one.order < events[at].order and one.recording])
                     for layer in layers]
            return [layer for layer, its in calls if its and not any(one.training for one in its)]
    return []


def _evaluated_in_graph(case: Case, layers: list[Layer]) -> list[Layer]:
    """The same from the graph of a pass that was not watched, in which BatchNorm tells it."""
    if not layers or not case.training.holders or not any(is_freed(node) for node in case.behind):
        return []
    norms = [case.kept(node).get("training") for node in case.behind
             if stem_of(node.name()) == "BatchNorm"]
    dropped = any(stem_of(node.name()) in DROPPING for node in case.behind)
    return [layer for layer in layers if not layer[1].training and (
        norms and not any(norms) if layer[2] == "BatchNorm" else not dropped)]


def _switches(case: Case) -> list[Line]:
    """The lines of the program that call eval(), if they are few."""
    lines = {line_of(part) for part in case.program.parts if _is_eval(part)}
    return sorted(lines) if len(lines) <= 3 else []


def _is_eval(part: ast.AST) -> bool:
    return isinstance(part, ast.Call) and not part.args and (
        getattr(part.func, "attr", "") == "eval")


# --- where the mode was chosen

def _chosen(case: Case, model: Any, layer: Layer) -> bool:
    """Whether the program puts a layer into evaluation mode each time it calls train().

    A BatchNorm whose statistics no batch has ever updated can't be meant so.
    """
    inner, module, _ = layer
    calls = [call for call in calls_of(module) if call.grad_enabled]
    if is_unset(module) or calls and not calls[-1].around[0].training:
        return False
    texts = case.common.once("overrides", model, lambda: [*_overrides(model)])
    return any(_switches_off(case, module, text, "") or any(
        last_name(call.func) == "train" and call.args and not isinstance(call.args[0], ast.Name)
        for call in _calls(text)) for path, text in texts if _within(inner, path)) or any(
        _switches_off(case, module, later, owner)
        for owner, later in case.common.once("after train", case.program, lambda: [
            *_after_train(case)]))


def _overrides(model: Any) -> Iterator[tuple[str, ast.AST]]:
    """(path, text) of the train() of each module whose class, or a parent of it, has its own."""
    for path, module in inner_modules(model).items():
        for kind in type(module).__mro__:
            own = vars(kind).get("train")
            if isinstance(own, FunctionType) and not is_of_library(kind) and (
                    text := text_of(own.__code__)) is not None:
                yield path, text


def _after_train(case: Case) -> Iterator[tuple[str, ast.stmt]]:
    """(what it is called on, statement) of what comes right after a train(), before the pass."""
    for call in case.program.parts:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and (
                call.func.attr == "train"):
            statement = statement_of(call)
            blocks = [getattr(getattr(statement, "parent", None), name, None)
                      for name in ("body", "orelse", "finalbody")]
            block = next((one for one in blocks if isinstance(one, list) and statement in one), [])
            for later in block[block.index(statement) + 1:] if block else ():
                if any(last_name(one.func) in TRAINS for one in _calls(later)):
                    break
                yield ast.unparse(call.func.value), later


def _calls(text: ast.AST) -> list[ast.Call]:
    return [part for part in parts_of(text) if isinstance(part, ast.Call)]


def _switches_off(case: Case, layer: Any, text: ast.AST, whole: str) -> bool:
    """Whether a text puts a part into evaluation mode, itself or by a function that does no more.

    `whole` is what train() was called on: its eval() only ends the training.
    """
    for call in filter(_is_eval, parts_of(text)):
        part = call.func.value  # type: ignore[attr-defined]
        owner = case.program.held(part)
        if ast.unparse(part) != whole and (not is_model(owner) or any(
                one is layer for one in inner_modules(owner).values())):
            return True
    named = [part for call in _calls(text) for part in (call.func, *call.args)]
    return any(_only_chooses(function) for part in named if last_name(part)
               for function in _functions(case, part))


def _functions(case: Case, part: ast.expr) -> Iterator[ast.AST]:
    """The texts of the functions that a name, or the name of a method, may refer to."""
    value = case.program.held(part) if isinstance(part, ast.Name) else None
    if isinstance(value, FunctionType) and (text := text_of(value.__code__)) is not None:
        yield text
    yield from (one for one in case.program.parts if isinstance(one, FUNCTIONS)
                and one.name == last_name(part) and one.name not in TRAINS)


def _only_chooses(function: ast.AST) -> bool:
    calls = _calls(function)
    return any(map(_is_eval, calls)) and all(last_name(one.func) in CHOOSES for one in calls)
