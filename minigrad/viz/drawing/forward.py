"""The forward pass as a picture of modules: what `draw(out, view="modules")` shows.

The operations and the arrows between them are those that autograd recorded. A watch adds which
call of which module recorded them, what went in and out, and the modules that recorded nothing.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..graph.assign import assign
from ..graph.box_order import forward, numbered, without_constants
from ..graph.collection import held_back
from ..graph.flops import flops_of
from ..graph.kept import stem_of
from ..graph.model import Arrow, Box, Graph, Inside, Picture, Work
from ..graph.modules import Chain
from ..graph.symbols import symbol
from .closed import module_box, passes_on, without_moves
from .compact import compact, with_shapes
from .fold import close
from .graph_views import engine_view
from .work import flops_words, note_on, sum_of, work_words

NO_HISTORY = "with a value that has no history"
NO_GRAPH = ("Nothing was recorded, as under no_grad: run the forward pass with gradients, inside "
            "`with minigrad.viz.watch(model):`.")
NO_WATCH = ("No call of a module was noted, so that frames are guessed from the parameters: run "
            "the forward pass inside `with minigrad.viz.watch(model):`.")


@held_back()
def forward_view(graph: Graph, classes: dict[str, str], depth: int) -> Picture:
    """Modules as boxes, the operations between them, and the inputs of the model."""
    picture = engine_view(graph)
    picture.depth, picture.classes = depth, dict(classes)
    assign(picture, graph)
    for box in picture.boxes:
        if box.kind == "op" and box.op is not None:
            box.inside = Inside(work=_work(graph, box.op))
            box.saved = []  # the memory of saved values is no answer here
            if any(entry.op is None for _, entry in graph.ops[box.op].given()):
                box.lines.append(NO_HISTORY)
    total = sum_of(box.inside.work for box in picture.boxes if box.inside is not None)
    calls = _Calls(graph)
    picture = _with_sources(picture, graph, calls)
    if graph.made_roots:  # else a constant is all there is
        picture = compact(with_shapes(without_constants(picture)))
    _tell_frames(picture)
    outer = {box.module[:end] for box in picture.boxes for end in range(len(box.module))}
    picture = close(picture, outer, 1)[0]  # a module that calls no other is a box
    picture = without_moves(picture, lambda box: box.made, accumulate=False)
    for box in picture.boxes:
        box.grad_fn = False
        if box.kind == "op":
            box.title = symbol(box.title)
            work = box.inside.work if box.inside is not None else None
            box.lines += flops_words(work) if work is not None and work.counted else []
    arrows = dict.fromkeys(Arrow(arrow.tail, arrow.head, "value") for arrow in picture.arrows)
    notes = [NO_GRAPH] if not graph.made_roots else [
        *[NO_WATCH] * (not calls.recorded),
        note_on(total, sum(root.unrecorded for root in calls.roots))]
    picture = replace(picture, arrows=list(arrows), view="modules", saved=False, network=True,
                      title="Modules of the forward pass", notes=notes)
    return numbered(forward(picture), ("",))


def _work(graph: Graph, at: int) -> Work:
    op = graph.ops[at]
    flops = flops_of(graph, op)
    if flops is not None:
        return Work(flops, 1)
    return Work() if passes_on(op.name) else Work(others={stem_of(op.name): 1})


class _Calls:
    """The calls of modules behind a graph, as a watch noted them."""

    def __init__(self, graph: Graph) -> None:
        self.last: dict[int, int] = {}  # number of a call -> the last operation that it recorded
        self.first: dict[int, int] = {}
        self.recorded: dict[int, Any] = {}  # the calls themselves
        for at, op in enumerate(graph.ops):
            for call in op.call.around if op.call is not None else ():
                self.recorded[call.number] = call
                self.first.setdefault(call.number, at)
                self.last[call.number] = at
        self.roots = [call for call in self.recorded.values() if call.outer is None]
        outer = {id(call.outer) for call in self.recorded.values()}
        # those that call no other
        self.inner = [call for call in self.recorded.values() if id(call) not in outer]
        # the outermost of those that recorded nothing
        self.plain = {call.number: call for model in {id(one.root): one.root for one in self.roots
                                                      }.values() for call in model.calls()
                      if call.number not in self.recorded and call.outer is not None
                      and call.outer.number in self.recorded}


def _with_sources(picture: Picture, graph: Graph, calls: _Calls) -> Picture:
    """The picture with the inputs of the model, and with modules that recorded nothing."""
    at_op = {box.op: at for at, box in enumerate(picture.boxes) if box.op is not None}
    first, last = ({number: at_op[op] for number, op in found.items()}
                   for found in (calls.first, calls.last))
    boxes, arrows = list(picture.boxes), list(picture.arrows)
    inputs: dict[tuple[int, int], list[int]] = {}  # (root call, address) -> boxes
    for root in calls.roots:
        many = f", call of {root.path}" if len(calls.roots) > 1 else ""
        for name, shape, address in zip(root.names, root.inputs, root.memory):
            if address:
                inputs.setdefault((root.number, address), []).append(len(boxes))
                boxes.append(Box("tensor", name, [f"input {shape}{many}"]))
    place: dict[int, int] = {}  # number of a call that recorded nothing -> its box
    for call in calls.plain.values():
        place[call.number] = len(boxes)
        boxes.append(_unrecorded_box(graph, call, boxes[first[call.outer.number]]))
    ends = [(call, first[call.number]) for call in calls.inner]
    for call, at in [*ends, *((call, place[number]) for number, call in calls.plain.items())]:
        tails = [tail for address in filter(None, call.memory)
                 for tail in inputs.get((call.around[0].number, address), ())]
        for source, _ in call.sources:
            plain = next((one for one in source.around if one.number in place), None)
            if source.number in last:
                tails.append(last[source.number])
            elif plain is not None and plain not in call.around:
                tails.append(place[plain.number])
        arrows += [Arrow(tail, at, "value") for tail in tails]
    for tail, head in _by_constants(picture, graph, inputs):
        arrows.append(Arrow(tail, head, "value"))
        if sum(entry.op is None for _, entry in graph.ops[boxes[head].op or 0].given()) == 1:
            boxes[head].lines.remove(NO_HISTORY)  # it is this input
    linked = {arrow.tail for arrow in arrows}
    for at in {at for found in inputs.values() for at in found} - linked:
        boxes[at].lines.append("no module takes it as it is")
    return forward(replace(picture, boxes=boxes, arrows=[
        arrow for arrow in arrows if arrow.tail != arrow.head]))


def _by_constants(picture: Picture, graph: Graph,
                  inputs: dict[tuple[int, int], list[int]]) -> Iterator[tuple[int, int]]:
    """(box of an input, box of an operation that uses it outside of the innermost modules)."""
    for head, box in enumerate(picture.boxes):
        op = graph.ops[box.op] if box.kind == "op" and box.op is not None else None
        if op is None or op.call is None:
            continue
        for entry in op.inputs:
            held = entry.constant.held if entry.constant is not None else None
            found = inputs.get((op.call.around[0].number, held[0]), []) if held else []
            if len(found) == 1:  # several that share their memory can't be told apart
                yield found[0], head


def _unrecorded_box(graph: Graph, call: Any, near: Box) -> Box:
    """The box of a call that recorded nothing; `near` is in the module that made the call."""
    inside = Inside(call=call, work=Work(activations={call.number: call.activations or 0}))
    around = graph.ops[near.op].call.around if near.op is not None else ()
    module = near.module[:len(call.outer.around) - len(around) + len(near.module)]
    return Box("fold", call.path, [call.kind, *work_words(inside)], inside=inside, module=module)


def _tell_frames(picture: Picture) -> None:
    """Say in the title of each frame what its module computed."""
    inside: dict[Chain, list[Box]] = {}
    for box in picture.boxes:
        for end in range(len(box.module)):
            inside.setdefault(box.module[:end + 1], []).append(box)
    for chain, boxes in inside.items():
        lines = module_box(picture, chain, boxes).lines
        facts = tuple(lines[1:] if picture.classes.get(chain[-1]) else lines)
        same = picture.facts.setdefault(chain[-1], facts) == facts
        picture.facts[chain[-1]] = facts if same else ()
