"""What a watch writes down of a backward pass: its line, and what arrives at nodes and leaves."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from inspect import signature
from itertools import count
from typing import Any, NamedTuple

from ..drawing.text_twin import first_sentence
from ..graph.facts import hooks_of, is_node
from ..graph.node_records import Line, note
from ..graph.once import unchanged
from ..graph.walk import in_forward_order, is_accumulate
from ..program.lines import listed
from . import history, padding_rows
from .call_notes import Shares, arrived
from .cut_notes import note_new_leaves, note_reached
from .derivatives import note_derivative
from .doubled import parts_of, period, repeated_pass
from .first_steps import note_zeros
from .handed import Handed
from .here import everywhere, here, measured
from .large import not_finite, numbers
from .pass_notes import note_begin, note_end, note_failed, note_wrote
from .scaling import note_factors
from .watched_sequences import note_spread
from .write_records import line_here, named

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
    line, nodes, hooks, number = line_here(), list[Any](), list[Any](), next(_numbers)
    args, kwargs, inputs = _inputs_of(function, args, kwargs)
    try:
        here.in_pass = True
        _begin(function, args, kwargs, line, nodes, hooks, number)
        result = function(*args, **kwargs)
        if inputs:
            note_reached(inputs, result, line)
            note_derivative(_signature(function).bind(*args, **kwargs).arguments, nodes, result,
                            line)
        return result
    except Exception as error:
        with suppress(Exception):  # an error may refuse to be read
            fills = function.__name__ != "grad" and kwargs.get("inputs") is None
            note_failed(nodes, number, line, fills)
            said = f"{named(error, line)}: {first_sentence(str(error))}"
            for one in here.watches:
                one.failed.append(said)
        raise
    finally:
        here.in_pass = False
        _end(nodes, hooks)


def _inputs_of(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, Any, list[Any]]:
    """The arguments of a pass, and the inputs of a grad(), of which an iterator gives each once."""
    if getattr(function, "__name__", "") != "grad":
        return args, kwargs, []
    given = kwargs["inputs"] if "inputs" in kwargs else args[1] if len(args) > 1 else ()
    if isinstance(given, Iterator):
        given = tuple(given)
        args = args if "inputs" in kwargs else (args[0], given, *args[2:])
        kwargs = {**kwargs, "inputs": given} if "inputs" in kwargs else kwargs
    return args, kwargs, listed(given)


@measured
@unchanged
def _begin(function: Callable[..., Any], args: Any, kwargs: Any, line: Line | None,
           nodes: list[Any], hooks: list[Any], number: int) -> None:
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
        note_new_leaves(nodes)
        for one in here.watches:
            one.pass_begins(roots, nodes, line)
        seen = _Pass(number, line, None if keeps else line, repeats, parts, Shares(nodes, number))
        for node in nodes:
            hooks += seen.hooks(node, since)
        hooks += Handed(nodes, note_wrote).hooks()
        hooks += padding_rows.hooks(nodes)


@measured
def _end(nodes: list[Any], hooks: list[Any]) -> None:
    for hook in hooks:
        hook.remove()
    with suppress(Exception):  # watching never fails in the place of the program
        note_zeros(nodes)
        note_factors(nodes)
    note_end(nodes)
    for one in here.watches:
        one.pass_ends(nodes)


class _Pass(NamedTuple):
    """What is written down of a node when something arrives there, and when it has run."""

    number: int
    line: Line | None
    freed: Line | None  # the line, if the pass frees what the nodes saved
    repeats: int
    parts: dict[int, int]
    shares: Shares

    def hooks(self, node: Any, since: int | None) -> list[Any]:
        leaf = node.variable if is_accumulate(node) else None
        record = note(node, since=since, passed=[], sent="", of_pass=self.number, added=None,
                      ran=False, failed=None, unhooked=None,
                      hooks=0 if leaf is None else hooks_of(leaf))
        found: list[Any] = [node.register_prehook(partial(self.arrives, record, leaf)),
                            node.register_hook(partial(self.has_run, id(node), record, leaf))]
        if leaf is not None and (others := leaf._backward_hooks):
            found.append(_BeforeHooks(others, partial(self.comes, record)))
        return found

    @measured
    def comes(self, record: dict[str, Any], grad: Any) -> None:
        record["unhooked"] = numbers(grad)

    @measured
    def arrives(self, record: dict[str, Any], leaf: Any, grads: Any) -> None:
        record["passed"] = found = [numbers(grad) for grad in grads]
        record["arrival"] = next(_numbers)
        if "ends" in record:
            arrived(record["ends"], found, self.number)
            note_spread(record["ends"], grads)
        if leaf is not None and history.before_pass(leaf):
            record["added"] = self.line

    @measured
    def has_run(self, node: int, record: dict[str, Any], leaf: Any, sent: Any, grads: Any) -> None:
        self.shares.add(node, sent)
        alarms = [not_finite(one) for one in sent if one is not None]
        record["ran"], record["freed"] = True, record.get("freed") or self.freed
        record["sent"] = max(alarms, default="")  # "nan", "infinite" or ""
        if leaf is not None:
            history.after_pass(leaf, self.line, self.repeats, self.parts.get(node, 0),
                               added=record["added"] is not None, of_pass=self.number,
                             unhooked=record["unhooked"], hooks=record["hooks"],
                               arrived=(record["passed"] or [None])[0])


class _BeforeHooks:
    """A hook of a leaf that runs before those of the program, for one pass."""

    def __init__(self, hooks: dict[Any, Any], hook: Callable[[Any], None]) -> None:
        self.hooks, others = hooks, dict(hooks)
        hooks.clear()  # PyTorch runs them in the order in which they came into the dict
        hooks.update({id(self): hook, **others})

    def remove(self) -> None:
        self.hooks.pop(id(self), None)
