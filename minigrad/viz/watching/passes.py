"""What a watch writes down of a backward pass: its line, and what arrives at nodes and leaves."""
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from inspect import signature
from itertools import count
from typing import Any

from ..graph.facts import is_node, not_finite, numbers
from ..graph.records import Line, note, passed, record_of
from ..graph.walk import in_forward_order, is_accumulate
from ..program.lines import listed
from . import history
from .call_notes import Shares, arrived
from .first_steps import note_zeros
from .here import everywhere, here, measured
from .pass_notes import note_begin, note_end
from .records import line_here
from .repeated import parts_of, period, repeated_pass

ROOTS = ("tensors", "outputs", "self")  # names of the argument that a pass starts from
_numbers = count(1)
_signature = cache(signature)  # of the few functions that start a pass


def pass_anywhere(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A pass in any thread; that of one without a watch counts for the watches of all."""
    if here.watches:
        return watched_pass(function, args, kwargs)
    here.watches = list(everywhere)
    try:
        return watched_pass(function, args, kwargs)
    finally:
        here.watches = []


def watched_pass(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    if here.in_pass:  # a pass inside a pass, such as a checkpoint's
        return function(*args, **kwargs)
    line, nodes, hooks = line_here(), list[Any](), list[Any]()
    try:
        here.in_pass = True
        _begin(function, args, kwargs, line, nodes, hooks)
        return function(*args, **kwargs)
    except Exception:
        for node in nodes:
            if record_of(node).get("ran") is False:
                note(node, failed=line)
        raise
    finally:
        here.in_pass = False
        _end(nodes, hooks)


@measured
def _begin(function: Callable[..., Any], args: Any, kwargs: Any, line: Line | None,
           nodes: list[Any], hooks: list[Any]) -> None:
    number = next(_numbers)
    for one in here.watches:
        one.passes.append(line)
    with suppress(Exception):  # a call that is wrong: the library says so
        asked = _signature(function).bind(*args, **kwargs).arguments
        keeps = asked.get("retain_graph")
        keeps = asked.get("create_graph", False) if keeps is None else keeps
        given = listed(asked[next(name for name in ROOTS if name in asked)])
        since = period(asked)
        repeats = repeated_pass(given, asked, number)
        roots = [getattr(root, "node", root) for root in given]
        starts = [root if is_node(root) else root.grad_fn for root in roots]
        nodes += in_forward_order([start for start in starts if start is not None])
        parts = {} if since is None or repeats else parts_of(given, nodes, since, number)
        note_begin(roots, nodes, line)
        for one in here.watches:
            one.pass_begins(roots, nodes, line)
        shares = Shares(nodes, number)
        for node in nodes:
            note(node, since=since)
            before = repeats, parts.get(id(node), 0)
            hooks += _hooks(node, number, line, None if keeps else line, before, shares)


@measured
def _end(nodes: list[Any], hooks: list[Any]) -> None:
    for hook in hooks:
        hook.remove()
    with suppress(Exception):  # watching never fails in the place of the program
        note_zeros(nodes)
    note_end(nodes)
    for one in here.watches:
        one.pass_ends(nodes)


def _hooks(node: Any, number: int, line: Line | None, freed: Line | None,
           before: tuple[int, int], shares: Shares) -> list[Any]:
    """What writes down what arrives at a node and, once it ran, what it sent and what freed it."""
    leaf = is_accumulate(node)
    note(node, passed=[], sent="", of_pass=number, added=None, ran=False, failed=None)
    return [node.register_prehook(partial(_arrives, node, leaf, number, line)),
            node.register_hook(partial(_has_run, node, leaf, number, line, freed, before,
                                       shares))]


@measured
def _arrives(node: Any, leaf: bool, number: int, line: Line | None, grads: Any) -> None:
    found = [numbers(grad) for grad in grads]
    note(node, passed=found, arrival=next(_numbers))
    arrived(node, found, number)
    if leaf and history.before_pass(node.variable):
        note(node, added=line)


@measured
def _has_run(node: Any, leaf: bool, number: int, line: Line | None, freed: Line | None,
             before: tuple[int, int], shares: Shares, sent: Any, grads: Any) -> None:
    shares.add(node, sent)
    alarms = [not_finite(one) for one in sent]
    note(node, ran=True, freed=record_of(node).get("freed") or freed,
         sent=next((alarm for alarm in ("nan", "infinite") if alarm in alarms), ""))
    if leaf:
        added = record_of(node).get("added") is not None
        found = (passed(node) or [None])[0]
        history.after_pass(node.variable, line, *before, added=added, of_pass=number,
                           arrived=found)
