"""For `why`: an evaluation where BatchNorm or dropout do as in training."""
from __future__ import annotations

import ast
from bisect import bisect
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined
from ..program.names import as_code
from ..program.parsed import last_name
from ..watching.calls import known_calls, places
from ..watching.history import steps as every_step
from ..watching.measured import counted
from ..watching.modes import differs
from ..watching.unrecorded import Group, modes_in_watch
from .answer import Answer, place
from .unused import calls_in

NAMED = 2  # layers whose statistics are told


def evaluated_in_training(model: Any) -> Iterator[Answer]:
    """Calls in training mode that recorded nothing, of a model that never ran in evaluation mode.

    Those count of whose results no recorded operation took anything; on minigrad, where this is
    not followed, those after the last step. A generator, which feeds another model, also makes
    images to look at.
    """
    known = [(layer, found) for layer in inner_modules(model).values()
             if differs(layer) and (found := modes_in_watch(layer)) is not None
             and not getattr(next(iter(places.get(layer) or ()), None), "feeds", False)]
    if any(found.evaluated and (found.recorded or found.groups) for _, found in known):
        return
    last = max((step.order for step in every_step()), default=0)
    by_line: dict[Any, list[tuple[Any, Group]]] = {}
    for layer, found in known:
        for line, group in found.groups.items():
            by_line.setdefault(line, []).append((layer, group))
    for line, rows in by_line.items():
        if not any(group.trained or not group.followed and group.first < last
                   or 2 * group.repeats >= group.calls for _, group in rows):
            yield _told(line, rows)
            return


def _told(line: Any, rows: list[tuple[Any, Group]]) -> Answer:
    kinds = {differs(layer) for layer, _ in rows}
    group, moved = rows[0][1], [row for row in rows if any(row[1].moves)]
    did = [words for kind, words in (
        ("BatchNorm", "BatchNorm took the mean and the variance of the batch that it was given"),
        ("dropout", "dropout dropped numbers")) if kind in kinds]
    moves = " and ".join(f"the running mean of {_name(layer)} by {one.moves[0]:.3g} and its "
                         f"running variance by {one.moves[1]:.3g}" for layer, one in moved[:NAMED])
    more = f", and those of {len(moved) - NAMED} more" if len(moved) > NAMED else ""
    also = f" They also moved {moves}{more} (sums of the norms of the changes)." if moves else ""
    return Answer("training mode",
                  f"{group.path} was called {counted(group.calls, 'time', 'times')}{place(line)} "
                  f"in training mode while nothing was recorded, and {_names(rows)} never ran in "
                  f"evaluation mode. In these calls, {' and '.join(did)}.{also}",
                  [Fix(f"If this is an evaluation, call `{as_code(group.path)}.eval()` before it, "
                       f"and `{as_code(group.path)}.train()` where training goes on.", "none")],
                  line=line)


def _names(rows: list[tuple[Any, Group]]) -> str:
    names = [_name(layer) for layer, _ in rows]
    more = [f"{len(names) - NAMED} more layers"] * (len(names) > NAMED)
    return " and ".join([*names[:NAMED], *more])


def _name(layer: Any) -> str:
    root, inner = places.get(layer) or (None, "")
    return joined(root.name, inner) if root is not None else "the layer"


def dropped_in_evaluation(model: Any) -> Iterator[Answer]:
    """Lines that drop numbers in evaluation mode, as nothing in their text tells them the mode.

    Monte Carlo dropout gives a model one input several times between two steps.
    """
    calls = [call for call in known_calls(model) if call.dropped and not call.recomputed]
    calls = [call for call in calls if call.path == calls[0].path]
    shares = {line: share for call in calls for line, share in call.dropped
              if any(map(_always_drops, calls_in(line)))}
    steps, outer = [step.order for step in every_step()], {call.around[0] for call in calls}
    given = {(one.memory, bisect(steps, one.number)) for one in outer if one.grad_enabled}
    repeats = sum(one.repeats or one.grad_enabled for one in outer) - len(given)
    if shares and 2 * repeats < len(outer):
        line, share = next(iter(shares.items()))
        yield Answer("dropout", f"In {counted(len(calls), 'call', 'calls')} of {calls[0].path} in "
                     f"evaluation mode, dropout{' and'.join(map(place, [*shares][:NAMED]))} "
                     f"dropped numbers, with p={share}: nothing tells it the mode of the model.",
                     [Fix("Give it `training=self.training`, or make an nn.Dropout in __init__ and "
                          "call that one.", "none")], line=line)


def _always_drops(call: ast.Call) -> bool:
    """Whether it is `F.dropout(x)` with no word on training, or `nn.Dropout(p)(x)`."""
    if isinstance(call.func, ast.Call):
        return last_name(call.func.func).startswith("Dropout")
    given = {one.arg for one in call.keywords}
    return last_name(call.func).startswith("dropout") and len(call.args) < 3 and (
        given.isdisjoint({"training", None}) and not ast.unparse(call.func).startswith("self."))
