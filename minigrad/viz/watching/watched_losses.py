"""What a loss of PyTorch was given as it was called, where that is outside of what it can be."""
from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..graph.node_records import note
from ..graph.patterns import NEAR
from .here import here, looked_at, measured
from .write_records import line_here

LOSSES = ("kl_div", "cross_entropy")


@measured
def note_given(name: str, arguments: Any, keywords: dict[str, Any], result: Any) -> None:
    """Note for the graph of a loss what is wrong with its arguments, and what was measured."""
    with suppress(Exception):  # watching never fails in the place of the program
        if result.grad_fn is None or not looked_at((name, line_here()), here.seen):
            return
        given = dict(zip(("input", "target"), arguments)) | keywords
        scores, target = given["input"], given["target"]
        if found := _misgiven(name, scores, target, bool(given.get("log_target"))):
            before = scores if scores.grad_fn is not None else target
            note(result.grad_fn, misgiven=(found, before.grad_fn))


def _misgiven(name: str, scores: Any, target: Any, log_target: bool) -> tuple[str, str] | None:
    """(what is wrong, what was measured)."""
    if words := _probabilities(scores, 1, *[-1] * (name == "kl_div")):
        return f"{name} of probabilities", words
    if name != "kl_div":
        return None
    if (most := float(scores.detach().max())) > NEAR:
        return "kl_div of scores", f"its input has numbers up to {most:.3g}"
    least = float(target.detach().min())
    if not log_target and least < -NEAR:
        return "kl_div to logarithms", f"its target has numbers down to {least:.3g}"
    if log_target and (words := _probabilities(target, 1, -1)):
        return "kl_div to probabilities", words.replace("input", "target")
    return None


def _probabilities(value: Any, *dims: int) -> str:
    """What was measured of numbers of which none is negative and that sum to 1 along a dimension.
    """
    value = value.detach().float()
    low, high = float(value.min()), float(value.max())
    for dim in dims if low >= 0 and len(value.shape) > 1 else ():
        if value.shape[dim] > 1 and bool(((value.sum(dim) - 1).abs() < NEAR).all()):
            along = "each row" if len(value.shape) == 2 else f"what lies along dimension {dim}"
            return (f"the numbers of its input are between {low:.3g} and {high:.3g}, and {along} "
                    "sums to 1")
    return ""
