"""What a watch sees in the graph of a pass: patterns, the first NaN, and where gradients are lost.

Afterwards the values are freed, and where a function has returned, the graph is gone, too: this is
noted for the leaves behind the operation concerned.
"""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..graph.facts import is_tensor
from ..graph.kept import saved_by, stem_of
from ..graph.node_records import Line, note, passed, place_of, record_of
from ..graph.norms import Numbers
from ..graph.patterns import ONE_NUMBER, patterns
from ..graph.walk import in_forward_order, is_accumulate, leaves_of
from ..program.custom_functions import WRITES, own_backward, returns_of, written_in
from .class_weights import note_weights
from .cut_notes import last_event, reached_by_grad
from .detached import constants_in
from .here import Seen, WhileAlive, here, looked_at, order
from .history import history_of, unseen
from .large import not_finite
from .not_finite import Made, first_made, made_by, masks_among, note_kept
from .starts import note_start
from .write_records import hook_line, is_written_since, written_since

KINDS = ("made", "sent", "written", "own", "wrote", "constant")
GROWN = 1e5
# which send on what came to them, unless they are saturated
EXACT = ("T", "Transpose", "View", "UnsafeView", "Permute", "Sub", "Neg", "Add", "Gather", "Index",
         "Select", "Squeeze", "LogSoftmax")


class Noted(NamedTuple):
    """What an operation behind which a leaf is does in a pass.

    `kind` is that of a pattern (see `graph.patterns`); ("made", "nan") or ("made", "infinite");
    ("sent", "nan"), ("sent", "zero") or ("sent", "huge") where a gradient that arrived was finite,
    not 0 yet, or smaller by a factor of more than GROWN; ("sent", "none") where a custom Function
    returned None, in `line_before`; ("sent", "opposite") of one from which several ways lead to a
    tensor, where what came along them was not 0 and adds up to 0, and `before` took its result;
    ("written", "") if what it had saved was written there; ("own", what `own_backward` says) of a
    Function of the program;
    ("wrote", its name and that of the variable) of one that wrote in `line_before` into a gradient
    that `before` was handed, too; ("constant", a word) of a sum: it adds `before`, which
    `line_before` took the history from.
    """

    kind: tuple[str, str]
    node: str
    line: Line | None
    before: str = ""  # the operation whose result it took; of "made" one that masked with inf
    line_before: Line | None = None
    hook: Line | None = None  # that of a hook between the two
    made: Made | None = None


_noted: Seen[Noted] = Seen()
_missed: WhileAlive[tuple[int, Line]] = WhileAlive()  # by leaf
failed: set[int] = set()  # the numbers of the passes that raised an error


def noted_of(leaf: Any, *kinds: str, until: float = math.inf) -> list[Noted]:
    """What was noted of the passes that came to a leaf, in order: of KINDS, or "pattern".

    `until` is the `order` of an event of the leaf: what was noted first after it is left out.
    """
    found = [] if unseen(leaf) else _noted.of(leaf, last_event(leaf), until)
    return [one for one in found if (one.kind[0] if one.kind[0] in KINDS else "pattern") in kinds]


def note_failed(nodes: list[Any], number: int, line: Line | None, fills: bool) -> None:
    """A pass has raised an error; `fills`: it was to fill the .grad of all its leaves."""
    failed.add(number)
    for node in nodes:
        if record_of(node).get("ran") is False and fills:
            note(node, failed=line)
            if is_accumulate(node) and node.variable.grad is None:
                _missed.set(node.variable, (next(order), line or Line()))


def missed_by(leaf: Any) -> Line | None:
    """The line of the last pass with a leaf, if it raised before it came there, and found None."""
    at, line = _missed.get(leaf) or (0, None)
    passes = [event.order for event in history_of(leaf) if event.kind == "pass"]
    return line if at > max([here.since, *passes[-1:]]) else None


def was_passed(leaf: Any) -> bool:
    """Whether a pass, or a grad(), came to a leaf and raised no error."""
    return bool(reached_by_grad(leaf)) or any(
        event.kind == "pass" and event.of_pass not in failed for event in history_of(leaf))


def note_begin(roots: list[Any], nodes: list[Any], line: Line | None) -> None:
    """Look at the graph of a pass that begins."""
    with suppress(Exception):  # watching never fails in the place of the program
        if is_written_since(nodes):
            _note_writes(nodes)
        often = looked_at(line, here.seen)
        if often or any(is_tensor(root) and not_finite(root) for root in roots):
            note_kept(nodes, roots)
        first = first_made(nodes)
        if first is not None and (made := made_by(first)) is not None:
            mask = next(iter(masks_among(in_forward_order([first]))), None)
            before = "" if mask is None else _short(mask)
            _note(Noted(("made", made.alarm), _short(first), place_of(first), before, made=made),
                  nodes[-1])
        if often:
            note_weights(nodes)
            note_start(nodes)
        for node in nodes if often else ():
            if name := own_backward(node):
                _note(Noted(("own", name), _short(node), place_of(node)), node)
        for node, known in constants_in(roots) if often else ():
            _note(Noted(("constant", known.word), _short(node), place_of(node), known.name,
                        known.line), node)
        for kind, node, before in patterns(nodes) if often else ():
            said = Noted(kind, _short(node), place_of(node), _short(before), place_of(before))
            _note(said, before, _beside(node, roots) if kind[0] == ONE_NUMBER else ())


def note_wrote(node: Any, reader: Any) -> None:
    """The backward of a Function wrote into the gradient that it was given."""
    name = own_backward(node).partition(" ")[0]
    if reader is None:
        return _note(Noted(("own", f"{name} ({WRITES})"), _short(node), None), node)
    lines = written_in(node)
    name = f"{name} {lines[0][0]}" if len(lines) == 1 else name
    _note(Noted(("wrote", name), _short(node), place_of(node), _short(reader),
                lines[0][1] if len(lines) == 1 else None), reader)


def _note_writes(nodes: list[Any]) -> None:
    """Note what was written through .data, or the like, after an operation had saved it."""
    for node in nodes:
        for row in saved_by(node, settings=False):
            line = written_since(row.value, node) if row.state == "kept" and is_tensor(
                row.value) else None
            if line is not None:
                _note(Noted(("written", ""), _short(node), place_of(node), "", line), node)


def note_end(nodes: list[Any]) -> None:
    """Look at what arrived at the operations of a pass: where a gradient became NaN, 0 or None."""
    with suppress(Exception):
        senders = Counter(id(one) for node in nodes for one, _ in node.next_functions)
        zeros: dict[int, Any] = {}
        exact: set[int] = set()
        for node in nodes:
            record = record_of(node)
            arrived = record.get("passed") or [None]
            if is_accumulate(node) or not all(map(_usual, arrived)):
                continue
            if record.get("sent"):
                _note(Noted(("sent", "nan"), _short(node), place_of(node)), node)
                continue
            most = max(one.norm or 0 for one in arrived if one is not None)
            for before, nr in node.next_functions:
                taken = passed(before)
                if senders[id(before)] > 1:  # what several sent may add up to 0
                    if taken and taken[nr] and taken[nr].norm == 0:
                        zeros[id(before)] = before
                        exact.update([id(before)] * (stem_of(node.name()) in EXACT))
                    continue
                if record_of(before).get("ran") and taken and not any(taken):
                    lines = returns_of(node)
                    _note(Noted(("sent", "none"), _short(node), place_of(node), "",
                                lines[0] if len(lines) == 1 else None), before)
                got = taken[nr] if taken and nr < len(taken) else None
                large = got is not None and (got.norm or 0) > GROWN * most
                if got is not None and got.size and (got.norm == 0 or large):
                    _note(Noted(("sent", "huge" if got.norm else "zero"), _short(node),
                                place_of(node), _short(before), place_of(before),
                                hook_line(before)), before)
        if exact and looked_at("opposite", here.seen):
            splits = {at: _split(nodes, before) for at, before in zeros.items()}
            sure = {id(splits[at]) for at in exact}
            for at, split in splits.items():
                if split is not None and id(split) in sure and all(
                        map(_usual, passed(split) or [])):
                    taker = next((_short(node) for node in nodes if any(
                        one is split for one, _ in node.next_functions)), "")
                    _note(Noted(("sent", "opposite"), _short(split), place_of(split), taker),
                          zeros[at])


def _split(nodes: list[Any], end: Any) -> Any:
    """Of the nodes on every way from the roots to a node the nearest to it; None: there is none."""
    between = [end]
    reached = {id(end)}
    for node in nodes:  # inputs before users
        if any(id(before) in reached for before, _ in node.next_functions):
            between.append(node)
            reached.add(id(node))
    last = {id(before): at for at, node in enumerate(between) for before, _ in node.next_functions}
    far = 0
    for at, node in enumerate(between):
        if at and far <= at:
            return node
        far = max(far, last.get(id(node), at))
    return None


def _usual(found: Numbers | None) -> bool:
    """Whether a gradient arrived that is finite and not all 0."""
    return found is not None and bool(found.norm) and not found.nans + found.infinite


def _beside(node: Any, roots: list[Any]) -> list[Any]:
    """The nodes that a pass comes to without going through one of them."""
    waiting = [root.grad_fn if is_tensor(root) else root for root in roots]
    found: dict[int, Any] = {}
    while waiting:
        one = waiting.pop()
        if one is not None and one is not node and id(one) not in found:
            found[id(one)] = one
            waiting += [before for before, _ in one.next_functions]
    return list(found.values())


def _note(found: Noted, behind: Any, left_out: Sequence[Any] = ()) -> None:
    out = set(map(id, left_out))
    for leaf in leaves_of([one for one in in_forward_order([behind]) if id(one) not in out]):
        _noted.note(leaf, found)


def _short(node: Any) -> str:
    return str(node.name()).rpartition("::")[2]
