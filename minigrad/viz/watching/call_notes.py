"""What a watch notes when a module is called, and when a pass comes to its output and its input."""
from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..graph.facts import is_tensor, shape_of, unheard
from ..graph.modules import inner_modules, joined
from ..graph.node_records import note, record_of
from ..graph.norms import Numbers, together
from .calls import MOST, Call, Model, call_of, innermost, made, makers, own, places
from .cut_notes import note_loss, sampled_in
from .detached import detached_in
from .forward_notes import note_inputs, note_keywords, note_outputs
from .here import here, measured, order
from .hook_notes import observe
from .large import memory_of, numbers
from .modes import differs, note_mode
from .over_steps import root_mean_square
from .unrecorded import follow, is_repeated, note_returned
from .write_records import line_here

DEEPEST = 4  # lists, dicts and objects around the tensors that a module takes or returns

@measured
@unheard
def enter(module: Any, given: Any) -> None:
    """A module is called; `given` are its arguments."""
    with suppress(Exception):  # watching never fails in the place of the program
        recording = _records(module)
        if differs(module):
            note_mode(module, recording, here.calls[0].line if here.calls else line_here())
        if not recording:
            note_loss(own(module, "_parameters").values(), "no_grad", leaves=True)
        root, inner, registered = _place(module)
        if root is None:
            return
        frozen, size = 0, 0
        for tensor in {id(one): one for part in inner_modules(module).values()
                       for one in own(part, "_parameters").values() if one is not None}.values():
            size += (numel := tensor.numel())
            frozen += 0 if tensor.requires_grad else numel
        tensors = list(_tensors(given))
        call = Call(root, inner, type(module).__name__, next(order), innermost(), line_here(),
                    tuple(map(shape_of, tensors)), size, frozen, bool(module.training),
                    recording, here.in_pass, registered)
        if not call.grad_enabled:
            note_loss(tensors, "no_grad")
            call.repeats = call.outer is None and is_repeated(tensors)
        elif call.outer is None:
            follow(tensors, [], recorded=True)
            with suppress(Exception):  # no memory of the usual kind, as under vmap
                for maker, _ in filter(None, map(makers.get, map(memory_of, tensors))):
                    maker.root.feeds |= maker.root is not root
        _mark(tensors, call, "in")
        call.sources, call.sampled = _sources(tensors), sampled_in(tensors)
        call.detached = detached_in(tensors)
        note_inputs(call, module, given, _tensors)
        observe(call, module, _tensors)
        made.setdefault(module, lambda: deque(maxlen=MOST)).append(call)
        here.calls.append(call)
        for one in here.watches:
            one.called(call)
        call.error = id(sys.exc_info()[1])
        call.started = time.perf_counter()


@measured
@unheard
def leave(module: Any, keywords: Any, result: Any) -> None:
    """It has returned its result, or raised; `keywords` are arguments that `enter` wasn't given."""
    now = time.perf_counter()
    with suppress(Exception):
        last = made.get(module)
        if not last or not any(call is last[-1] for call in here.calls):
            return
        while (call := here.calls.pop()) is not last[-1]:  # one that never returned
            call.raised = True
            if call.unwrap is not None:
                call.unwrap()
        if call.unwrap is not None:
            call.unwrap()
        call.seconds = now - call.started
        call.raised = call.error != id(sys.exc_info()[1])
        more, tensors = list(_tensors(keywords)), list(_tensors(result))
        call.inputs += tuple(map(shape_of, more))
        call.outputs = tuple(map(shape_of, tensors))
        call.output = root_mean_square(tensors)
        _mark(more, call, "in")
        call.sources += _sources(more)
        call.detached = call.detached or detached_in(more)
        _claim(tensors, call)
        _mark(tensors, call, "out")
        for tensor in tensors:
            before = makers.get(memory_of(tensor))
            if before is None or call not in before[0].around:  # those around it return the same
                makers.set(memory_of(tensor), (call, bool(tensor.requires_grad)))
        note_keywords(call, keywords, _tensors)
        note_outputs(call, tensors)
        note_returned(call, tensors)


def _sources(tensors: list[Any]) -> tuple[tuple[Call, bool], ...]:
    """The calls that returned the memory of tensors which have no history."""
    plain = [memory_of(tensor) for tensor in tensors if not tensor.requires_grad]
    return tuple(found for found in map(makers.get, plain) if found is not None)


def _place(module: Any) -> tuple[Model | None, str, bool]:
    """(its model, its place there, whether it is registered)."""
    found = places.get(module)
    if found is not None:
        followed = any(one.follows(found[0]) for one in here.watches)
        return (*found, True) if followed else (None, "", True)
    if here.calls:
        outer = here.calls[-1]
        return outer.root, joined(outer.inner, type(module).__name__), False
    found = next(filter(None, (one.adopted(module) for one in here.watches)), None)
    return (*found, True) if found else (None, "", True)


def _records(module: Any) -> bool:
    for name in ("torch", __name__.partition(".")[0]):
        library: Any = sys.modules.get(name)
        if isinstance(module, getattr(getattr(library, "nn", None), "Module", ())):
            return bool(library.is_grad_enabled())
    return True


def _tensors(value: Any, depth: int = 0) -> Iterator[Any]:
    """The tensors in what a module takes or returns."""
    if is_tensor(value):
        yield value
    elif depth < DEEPEST:
        if isinstance(value, dict):
            inside: Any = value.values()
        elif isinstance(value, (list, tuple)):
            inside = value
        else:
            inside = vars(value).values() if hasattr(type(value), "__dataclass_fields__") else ()
        for one in list(inside):
            yield from _tensors(one, depth + 1)


def _mark(tensors: list[Any], call: Call, side: str) -> None:
    """Have the nodes of its inputs and outputs tell a call what arrives there in a pass."""
    for tensor in tensors:
        if (node := tensor.grad_fn) is not None:
            ends = record_of(node).get("ends", ())
            end = (call, side, getattr(tensor, "output_nr", 0))
            if end not in ends:  # as where attention is given one tensor three times
                note(node, ends=(*ends, end))


def _claim(tensors: list[Any], call: Call) -> None:
    """Give a call the nodes behind its results that nobody saw recorded: those of a Function."""
    stack, seen = [tensor.grad_fn for tensor in tensors], set()
    while stack:
        node = stack.pop()
        if node is None or id(node) in seen or not node.next_functions:
            continue
        seen.add(id(node))  # the results keep it alive
        record = record_of(node)
        if any(one is call and side == "in" for one, side, _ in record.get("ends", ())):
            continue
        if "call" not in record and "place" not in record:
            note(node, call=call)
        elif record.get("call") is not call:
            continue
        stack += [child for child, _ in node.next_functions]


def arrived(ends: tuple[Any, ...], found: list[Numbers | None], of_pass: int) -> None:
    """Tell the calls whose outputs a node made what has arrived at it in a pass."""
    for call, side, nr in sorted(ends, key=lambda end: end[1] == "in"):
        if side == "out" and call.of_pass != of_pass:
            call.of_pass, call.grad_in, call.grad_out = of_pass, None, None
        grad = found[nr] if nr < len(found) else None
        if side == "out" and call.of_pass == of_pass:
            call.grad_out = together(call.grad_out, grad)
        elif (call, "out", nr) in ends:  # what a module only hands on has the same gradient before
            _add_to_input(call, grad, of_pass)


def _add_to_input(call: Call, grad: Numbers | None, of_pass: int) -> None:
    if call.of_pass == of_pass:
        call.grad_in = together(call.grad_in, grad)


class Shares:
    """What each call sends to its own inputs in a pass; others may send to the same tensors.

    In `x + layer(x)`, the gradient of `x` is a sum, and only what the nodes of `layer` send to it
    is that of the layer's input, as PyTorch's full backward hooks have it.
    """

    def __init__(self, nodes: list[Any], of_pass: int) -> None:
        self.of_pass = of_pass
        self.waiting: Counter[tuple[int, int, int]] = Counter()  # call, node, which output of it
        self.sums: dict[tuple[int, int, int], Any] = {}
        self.of: dict[int, list[tuple[int, Call, tuple[int, int, int]]]] = {}
        for node in nodes:
            if (inside := call_of(node)) is not None and (found := self._sent(node, inside)):
                self.of[id(node)] = found  # the pass keeps its nodes alive
                self.waiting.update(key for _, _, key in found)

    @staticmethod
    def _sent(node: Any, inside: Call) -> list[tuple[int, Call, tuple[int, int, int]]]:
        """(which edge, the call, the place of the sum) for each edge to an input of a call."""
        around = inside.around
        return [(at, call, (call.number, id(child), nr))
                for at, (child, nr) in enumerate(node.next_functions) if child is not None
                for call, side, output in record_of(child).get("ends", ())
                if side == "in" and output == nr and call in around]

    def add(self, node: int, sent: Any) -> None:
        """A node, given by its id, has run, and `sent` these gradients along its edges."""
        for at, call, key in self.of.get(node, ()):
            self.waiting[key] -= 1
            grad, before = sent[at], self.sums.pop(key, None)
            if grad is not None and (before is not None or self.waiting[key]):
                grad = grad.detach() if before is None else before + grad.detach()
            elif grad is None:
                grad = before
            if self.waiting[key] and grad is not None:
                self.sums[key] = grad
            elif grad is not None:
                _add_to_input(call, numbers(grad), self.of_pass)
