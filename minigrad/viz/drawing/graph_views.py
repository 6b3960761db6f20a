"""From a `Graph` to one of its two pictures.

The engine view shows what backward will run: the recorded operations and the edges between them,
with an AccumulateGrad in front of every leaf. The maths view shows tensors, and operations between
them.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from ..graph.box_order import forward
from ..graph.collection import held_back
from ..graph.model import Arrow, Box, Graph, Input, Op, Picture, Saved, Tensor
from ..graph.symbols import stretched, symbol
from .text_twin import memory_note, traits


@held_back()
def engine_view(graph: Graph, saved: bool = True) -> Picture:
    draft = _Draft("engine", graph)
    roots = graph.made_roots  # these have boxes of their own
    for index, op in enumerate(graph.ops):
        if op.leaf is not None:
            leaf = draft.tensor(op.leaf)
            drawer = f"{op.leaf.name}.grad" if op.leaf.name else ".grad"
            box = Box("accumulate", op.name, [f"{drawer} += ...", *op.gradient.lines], op=index,
                      mark=op.mark or op.gradient.alarm, norms=op.gradient.norms)
            draft.made[index, 0] = draft.add(box)
            draft.arrow(leaf, draft.made[index, 0], "variable", mark=op.mark)
            continue
        here = draft.operation(index, op.name,
                               without={nr for owner, nr in roots if owner == index})
        draft.picture.boxes[here].saved = merged(op.saved) if saved else []
        draft.made[index, 0] = here
    for root in graph.roots:
        if isinstance(root, Tensor):
            draft.tensor(root)
        elif (tensor := graph.ops[root[0]].outputs.get(root[1])) is not None:
            here = draft.tensor(tensor)
            draft.picture.boxes[here].grad_fn = True
            draft.arrow(draft.made[root[0], 0], here, "grad_fn", mark=tensor.mark)
    return draft.finished(saved)


@held_back()
def maths_view(graph: Graph, saved: bool = True) -> Picture:
    draft = _Draft("maths", graph)
    wanted = _outputs_in_use(graph)
    for index, op in enumerate(graph.ops):
        if op.leaf is not None:
            draft.made[index, 0] = draft.tensor(op.leaf)
            continue
        here = draft.operation(index, symbol(op.name), without=set(op.outputs))
        for nr in sorted(wanted[index]):
            shape = op.shapes[nr] if nr < len(op.shapes) else None
            draft.made[index, nr] = draft.tensor(op.outputs.get(nr)
                                                 or Tensor("interior", shape=shape))
            draft.arrow(here, draft.made[index, nr], "value", mark=op.mark)
    for root in graph.roots:
        if isinstance(root, Tensor):
            draft.tensor(root)
    return draft.finished(saved)


def view_of(name: str) -> Callable[..., Picture]:
    """The function that draws the view of this name."""
    if name not in ("engine", "maths", "modules"):
        raise ValueError(f"unknown view {name!r}: choose 'engine', 'maths' or 'modules'")
    return engine_view if name == "engine" else maths_view


def merged(saved: list[Saved]) -> list[Saved]:
    """A tensor that one operation saved twice is one tab: `self and other = x`."""
    tabs: dict[int, Saved] = {}
    for at, item in enumerate(saved):
        key = item.tensor.key if item.tensor is not None else None
        key = -1 - at if key is None else key
        before = tabs.get(key)
        tabs[key] = replace(before, slot=f"{before.slot} and {item.slot}") if before else item
    return list(tabs.values())


def tensor_words(tensor: Tensor) -> str:
    """The line under a tensor's name: what it is, its shape, its version."""
    kind = "tensor" if tensor.kind == "interior" else tensor.kind
    words = [kind if tensor.shape is None else f"{kind} {tensor.shape}"]
    words += [f"version {tensor.version}"] * (tensor.version is not None)
    return ", ".join(words + traits(tensor))


class _Draft:
    """A picture in the making; a tensor that turns up twice is one box."""

    def __init__(self, view: str, graph: Graph) -> None:
        self.picture = Picture(view, _title(graph, view))
        self.graph, self.engine = graph, view == "engine"
        # (operation, output) -> box; the engine view has output 0
        self.made: dict[tuple[int, int], int] = {}
        self.known: dict[int, int] = {}  # key of a tensor -> position of its box
        # (operation, input) -> box of a constant that is not kept
        self.lost: dict[tuple[int, int], int] = {}

    def add(self, box: Box) -> int:
        self.picture.boxes.append(box)
        return len(self.picture.boxes) - 1

    def arrow(self, tail: int, head: int, kind: str, argument: int | None = None, label: str = "",
              mark: str = "") -> None:
        self.picture.arrows.append(Arrow(tail, head, kind, argument, label, mark))

    def tensor(self, tensor: Tensor) -> int:
        if tensor.key is not None and tensor.key in self.known:
            return self.known[tensor.key]
        words = tensor_words(tensor)
        kind = "tensor" if tensor.kind == "interior" else tensor.kind
        at = self.add(Box(kind, tensor.name or words, [words] * bool(tensor.name), tensor,
                          mark=tensor.mark))
        if tensor.key is not None:
            self.known[tensor.key] = at
        return at

    def constant(self, entry: Input, place: tuple[int, int]) -> int:
        if entry.constant is not None:
            return self.tensor(entry.constant)
        lines = [f"constant, {entry.reason}" if entry.name else entry.reason]
        self.lost[place] = self.add(Box("constant", entry.name or "constant", lines,
                                        mark=entry.mark))
        return self.lost[place]

    def operation(self, index: int, title: str, without: set[int]) -> int:
        """Add the box of an operation, after those of its constants, and the arrows into it."""
        op = self.graph.ops[index]
        inputs = op.given()
        sources = [self.constant(entry, (index, nr)) if entry.op is None
                   else self.place_of(entry.op, entry.output_nr) for nr, entry in inputs]
        here = self.add(_op_box(op, title, without, index))
        for (nr, entry), source in zip(inputs, sources, strict=True):
            engine = "none" if entry.op is None else "next"
            argument = _argument(entry, nr) if len(inputs) > 1 else None
            self.arrow(source, here, engine if self.engine else "value", argument,
                       stretched(self.graph, op, entry), entry.mark)
        return here

    def place_of(self, op: int, output_nr: int) -> int:
        """The box of an operation's output."""
        return self.made[op, 0 if self.engine else output_nr]

    def source_of(self, source: Input) -> int | None:
        """The box of an operation's output, or of a tensor."""
        if source.op is not None:
            return self.place_of(source.op, source.output_nr)
        return None if source.constant is None else self.tensor(source.constant)

    def finished(self, saved: bool) -> Picture:
        """With the cuts, and a note on memory."""
        for cut in self.graph.cuts:
            target = cut.target
            head = self.lost.get(target) if isinstance(target, tuple) else self.known.get(target)
            if head is not None and (tail := self.source_of(cut.source)) is not None:
                self.arrow(tail, head, "cut", label=cut.word)
        if self.engine:  # in the maths view the base is an input of its view anyway
            self.views()
        if (focus := self.graph.focus) is not None:
            key = -1 if focus.constant is None or focus.constant.key is None else focus.constant.key
            self.picture.focus = self.known.get(key) if focus.op is None else self.source_of(focus)
        self.picture.saved = saved
        self.picture.notes = [note for note in [memory_note(self.graph)] if note and saved]
        return forward(self.picture)

    def views(self) -> None:
        """One line through a base and all its views, as they are one piece of memory."""
        # a base, and the view that the line has come to
        last = {at: at for at in self.known.values()}
        for at in reversed(range(len(self.picture.boxes))):  # a base is drawn below its views
            tensor = self.picture.boxes[at].tensor
            key = tensor.base if tensor is not None else None
            base = self.known.get(key) if key is not None else None
            if base is not None:
                self.arrow(min(last[base], at), max(last[base], at), "view")
                last[base] = at


def _op_box(op: Op, title: str, without: set[int], index: int) -> Box:
    """`without`: the outputs that the picture shows as boxes of their own."""
    made = [tensor for nr, tensor in sorted(op.outputs.items()) if tensor.name
            and nr not in without]
    lines = [f"{slot} = {value}" for slot, value in op.settings]
    lines += ["a write into a view"] * (op.name == "CopySlices")
    lines += [f"layer {op.layer}"] * (op.layer > 1)
    lines += filter(None, (op.place, *op.gradient.lines))
    words = [f"{tensor.name} {tensor.shape} ({', '.join(traits(tensor))})".removesuffix(" ()")
             for tensor in made]
    words += [f"{tensor.name}.grad {tensor.grad}" for tensor in made if tensor.grad]  # retained
    count = 1 + max((_argument(entry, nr) for nr, entry in op.given()), default=-1)
    shape = " and ".join(map(str, op.shapes))
    if len(op.shapes) > 2:
        shape = f"{len(op.shapes)} \N{MULTIPLICATION SIGN} {op.shapes[0]}"
    return Box("op", title, lines, made=words, shape=shape, arguments=count if count > 1 else 0,
               layer=op.layer, op=index, mark=op.mark or op.gradient.alarm, norms=op.gradient.norms)


def _argument(entry: Input, nr: int) -> int:
    return nr if entry.argument is None else entry.argument


def _outputs_in_use(graph: Graph) -> dict[int, set[int]]:
    wanted: dict[int, set[int]] = defaultdict(set)
    used = [*(entry for op in graph.ops for entry in op.inputs),
            *(cut.source for cut in graph.cuts)]
    for owner, nr in [*((entry.op, entry.output_nr) for entry in used if entry.op is not None),
                      *graph.made_roots]:
        wanted[owner].add(nr)
    return wanted


def _title(graph: Graph, view: str) -> str:
    words = []
    for root in graph.roots:
        tensor = root if isinstance(root, Tensor) else graph.ops[root[0]].outputs.get(root[1])
        unnamed = graph.ops[root[0]].name if isinstance(root, tuple) else ""
        unnamed = unnamed if tensor is None else f"a {tensor_words(tensor)}"
        words.append(tensor.name if tensor is not None and tensor.name else unnamed)
    return f"Graph behind {' and '.join(words)}, {view} view"
