"""Calls of a module that a later call of it is cut off from, as by a detach() in a loop over time.

That may be meant, so it is told as a fact and not as a fault.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ..program.lines import line_words
from .calls import Call

MOST = 3  # sentences


def cut_calls(calls: Iterable[Call]) -> list[str]:
    """Say of which modules only the last calls within a forward pass got a gradient."""
    groups: dict[str, dict[int, list[Call]]] = defaultdict(lambda: defaultdict(list))
    outermost: dict[int, Call] = {}
    for call in calls:
        if call.outer is None:
            outermost[call.number] = call
        elif call.grad_enabled and not call.recomputed:
            groups[call.path][call.around[0].number].append(call)
    found = []
    for path, by_outermost in groups.items():
        whole = [(outermost[at], inner) for at, inner in by_outermost.items()
                 if at in outermost and outermost[at].of_pass]
        if words := _words(path, whole):
            found.append(words)
    return found[:MOST]


def _words(path: str, whole: list[tuple[Call, list[Call]]]) -> str:
    firsts = [next((at for at, call in enumerate(inner) if call.of_pass), 0) for _, inner in whole]
    cuts = {inner[at].detached for at, (_, inner) in zip(firsts, whole)}
    if not whole or not all(firsts) or len(cuts) > 1 or (cut := cuts.pop()) is None:
        return ""
    counts = [len(inner) for _, inner in whole]
    got = [sum(call.of_pass > 0 for call in inner) for _, inner in whole]
    same = len(set(zip(counts, got))) == 1
    each = "the only call" if len(whole) == 1 else f"each of the {len(whole):,} calls"
    of = f"the {counts[0]}" if same else f"{sum(counts):,}"
    inside = f"{each if same else f'{len(whole):,} calls'} of {whole[0][0].path}"
    word, line = cut
    where = f" ({line_words(line)})" if line else ""
    return (f"Of {of} calls of {path} in {inside} that a backward pass reached, "
            f"{got[0] if same else sum(got)} got a gradient: the first that did was given what "
            f"{word}{where} returned, which has no history; the calls before it got none.")
