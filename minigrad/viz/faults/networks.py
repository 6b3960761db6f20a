"""For `why`: networks that are put together, or switched, in a way that spoils training."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.kept import stem_of
from ..graph.modules import inner_modules
from ..program.lines import is_freed
from ..program.places import line_of
from ..watching import records
from ..watching.calls import calls_of
from .evidence import Answer, Case, place

PAIRS = {  # (what takes the numbers, what made them) -> (what happens, what to do, its price)
    ("LogSoftmax", "Softmax"): (
        "takes the result of {}: softmax is taken twice, and gradients become small",
        "Give the loss the scores themselves, without softmax.",
        "the model returns scores; take softmax where probabilities are needed"),
    ("BinaryCrossEntropyWithLogits", "Sigmoid"): (
        "takes the result of {}: sigmoid is taken twice, and gradients become small",
        "Give the loss the scores themselves, without sigmoid.",
        "the model returns scores; take sigmoid where probabilities are needed"),
    ("NllLoss", "Softmax"): (
        "takes the result of {} without a logarithm: no probability is ever wrong enough",
        "Use log_softmax in place of softmax.", "none"),
}
DROPPING = ("Mul", "Dropout")


def twice(case: Case) -> Answer | None:
    """Softmax before cross-entropy, sigmoid before its version for scores, probabilities as logarithms."""
    for node, before, pair in case.common.once("pairs", case.behind, lambda: list(_pairs(case))):
        if before in case.between:
            happens, words, price = PAIRS[pair]
            return Answer("twice", f"{case.named(node)} {happens.format(case.named(before))}.",
                          [Fix(words, price)], [node, before], line=case.line(node))
    return None


def _pairs(case: Case) -> Iterator[tuple[Any, Any, tuple[str, str]]]:
    losses = {id(before) for node in case.behind if stem_of(node.name()).startswith("NllLoss")
              for before, _ in node.next_functions}
    for node in case.behind:
        for before, _ in node.next_functions:
            made = stem_of(before.name()) if before is not None else ""
            pair = stem_of(node.name()).removesuffix("2D"), made
            if pair in PAIRS and (pair[0] != "LogSoftmax" or id(node) in losses):
                yield node, before, pair


def wrong_mode(case: Case) -> Answer | None:
    """A model that learns in evaluation mode, where BatchNorm or dropout do something else."""
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    if model is None or not case.training.holders or not any(
            is_freed(node) or records.freed_by(node) for node in case.behind):
        return None
    watched = [call for call in calls_of(model) if call.of_pass]
    evaluated = not (watched[-1].training if watched else model.training)
    kind = _unlike_training(case, model, bool(watched)) if evaluated else ""
    if not kind:
        return None
    code = path or "model"
    lines = [part for body, _, _ in case.program.scopes for outer in body
             for part in ast.walk(outer)
             if isinstance(part, ast.Call) and getattr(part.func, "attr", "") == "eval"
             and not part.args]
    # no other can have run
    line = line_of(lines[0]) if len(lines) == 1 and not model.training else None
    fix = Fix(f"Call `{code}.train()` before the forward pass.",
              f"evaluation needs `{code}.eval()` again")
    return Answer("evaluation mode",
                  f"{code} was in evaluation mode{place(line)} when the pass ran that "
                  f"filled {case.name}.grad: {kind}.", [fix], [case.tensor], line=line)


def _unlike_training(case: Case, model: Any, watched: bool) -> str:
    """What evaluation changed in the graph: BatchNorm used its averages, or no number was dropped."""
    kinds = [(type(module).__name__, getattr(module, "p", 0))
             for module in inner_modules(model).values()]
    norms = [case.kept(node).get("training") for node in case.behind
             if stem_of(node.name()) == "BatchNorm"]
    if norms and not any(norms) and any(kind.startswith("BatchNorm") for kind, _ in kinds):
        return "BatchNorm used its running averages, which don't follow the data, in place of the batch's"
    drops = any(kind.startswith("Dropout") and p for kind, p in kinds)
    dropped = any(stem_of(node.name()) in DROPPING for node in case.behind)
    return "dropout dropped nothing" if drops and (watched or not dropped) else ""
