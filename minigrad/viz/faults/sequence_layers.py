"""For `why`: layers over sequences that were given the batch as time, or an inverted mask."""
from __future__ import annotations

from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined, members
from ..watching.calls import calls_of
from ..watching.watched_sequences import RECURRENT, masked_of
from .answer import Answer, place
from .evidence import Case
from .made import line_of_path

FEWEST = 2  # calls, so that no finding rests on one


def batch_as_time(case: Case) -> Answer | None:
    """A layer without batch_first whose output counts in one place of what it takes as the batch.

    In each call that was the same place, and the model returned a row for each index of "time".
    """
    path, module = _layer(case, "recurrent") or ("", None)
    calls = [one for one in calls_of(module) if one.spread] if module is not None else []
    if len(calls) < FEWEST:
        return None
    last = calls[-1]
    (time, batch), (reached, places) = last.outputs[0][:2], last.spread or (0, [])
    if reached != time or len(places) > 1 or min(time, batch) < 2 or any(
            one.outer is None or one.spread != (one.outputs[0][0], places)
            or [len(shape) < 3 and shape[:1] for shape in one.around[0].outputs[:1]]
            != [one.outputs[0][:1]] for one in calls):
        return None
    line = line_of_path(case, path)
    return Answer("batch as time",
                  f"{path}{place(line)} was made without batch_first, so of its input of the shape "
                  f"{last.inputs[0]} it takes {time} for the steps in time and {batch} for the "
                  f"batch. But {last.root.name} returned {time} rows, and in each of {len(calls)} "
                  f"passes that were looked at, the gradient of its output was 0 but for index "
                  f"{places[0]} of these {batch}.",
                  [Fix("Make it with `batch_first=True`.", "none")], [case.tensor],
                  line=line or last.line)


def inverted_mask(case: Case) -> Answer | None:
    """A mask over keys that left padding alone, each time."""
    path, module = _layer(case, "masked") or ("", None)
    found = masked_of(module) if module is not None else None
    if found is None or found.others:
        return None
    name = "src_key_padding_mask" if hasattr(module, "layers") else "key_padding_mask"
    return Answer("inverted mask",
                  f"In each of {found.inverted} calls that were looked at, {path}"
                  f"{place(found.line)} attended to padding alone: of {found.all} keys its "
                  f"{name} left {found.left}, and exactly these were padding ({found.what}). True "
                  "means that a key is left out.",
                  [Fix("Invert the mask: True for padding, `~mask`.", "none")], [case.tensor],
                  line=found.line)


def _layer(case: Case, kind: str) -> tuple[str, Any] | None:
    """(path, module) of the layer of that kind around a parameter."""
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    if model is None:
        return None
    layers = reversed(inner_modules(model).items())  # the outermost of several is told
    return case.common.once(f"around {kind}", model, lambda: {
        id(leaf): (joined(path, inner), one) for inner, one in layers
        if (_takes_time_first(one) if kind == "recurrent" else masked_of(one) is not None)
        for _, leaf in members(one)}).get(id(case.tensor))


def _takes_time_first(module: Any) -> bool:
    return type(module).__name__ in RECURRENT and not any(
        vars(one).get("batch_first") for one in inner_modules(module).values())
