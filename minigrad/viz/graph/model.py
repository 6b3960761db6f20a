"""What a drawing knows: plain words and numbers, nothing alive.

A `Graph` is what the public autograd names revealed: tensors, the operations recorded between them,
and what each operation saved. A `Picture` is one view of it: boxes and arrows, in forward order.
Neither holds a tensor or a node, so a drawing that you keep never keeps a graph in memory.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

# marks of gradients, the worst first
ALARMS = ("sends nan", "sends infinite", "nan", "none", "infinite")
# States of saved values that have an unpack hook: reading them would run the program's functions.
PACKED, RECOMPUTED = UNREAD = "packed by a hook", "recomputed in backward"


@dataclass(frozen=True)
class Tensor:
    """One tensor as a reader sees it.

    `kind` is "leaf", "constant" (takes no gradient) or "interior".
    """

    kind: str
    name: str = ""
    shape: tuple[int, ...] | None = None  # None: the public names don't reveal it
    values: str = ""  # small tensors only: "[1.0, 2.0]", rows separated by newlines
    grad: str | None = None  # what the .grad drawer shows; None: this tensor has no drawer
    version: int | None = None
    key: int | None = None  # the same number means the same tensor, wherever it turns up
    view_of: str | None = None  # the base that this tensor is a view of: its name, or ""
    base: int | None = None  # the key of that base
    # the address and the bytes of the memory it keeps, if asked for
    held: tuple[int, int] | None = None
    # the same, of what a model's modules save: it is summed, not shown
    stored: tuple[int, int] | None = None
    hooks: int = 0  # how many hooks are registered on it
    mark: str = ""  # as in Box
    module: tuple[str, ...] = ()  # of a parameter: the modules around it, as in Box
    # of a tied parameter: its other names and modules
    ties: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Saved:
    """A value kept for backward: kept, freed, changed since, unreadable, or one of UNREAD."""

    slot: str  # PyTorch's own name for it: self, other, result ...
    state: str
    tensor: Tensor | None = None
    versions: tuple[int, int] | None = None  # (at saving, now), when an in-place write came between


@dataclass(frozen=True)
class Weight:
    """A parameter on its operation, in place of a leaf, an AccumulateGrad, a transposition."""

    tensor: Tensor
    through: tuple[str, ...] = ()  # what changes its shape on the way: TBackward0
    uses: int = 1  # how many operations of the picture take it
    lines: tuple[str, ...] = ()  # of the gradient that arrived


@dataclass(frozen=True)
class Input:
    """One entry of next_functions: the operation that it leads to, or else a constant."""

    op: int | None
    output_nr: int = 0
    constant: Tensor | None = None
    # the variable that a constant without a known value was, as far as the program tells
    name: str = ""
    mark: str = ""  # as in Box: of the edge, and of a constant without a known value
    argument: int | None = None  # which input it is, where that is not its place in the list
    # why a constant shows no value; "" where the argument was left out
    reason: str = "value not kept"


@dataclass(frozen=True)
class Cut:
    """A place where a value goes on and its history doesn't: `target` was made from `source` by
    `word`.

    `target` is the key of a constant, or (operation, number of the input) where the constant is not
    kept.
    """

    word: str  # detach(), no_grad, integers, torch.tensor(), .item() ...
    source: Input
    target: int | tuple[int, int]
    # file, line and function, where the program's text tells
    line: tuple[str, int, str] = ("", 0, "")


class Gradient(NamedTuple):
    """What passed an operation in a watched backward pass."""

    lines: tuple[str, ...] = ()  # "gradient norm 2.4", "50% zeros"
    alarm: str = ""  # the mark of its box if it should be noticed
    norms: tuple[float, ...] = ()
    of_pass: int = 0  # which pass that was


@dataclass
class Op:
    """A recorded operation. For "accumulate" nodes `leaf` is the tensor whose .grad they fill."""

    name: str
    kind: str  # "op" or "accumulate"
    inputs: list[Input] = field(default_factory=list)
    saved: list[Saved] = field(default_factory=list)
    settings: list[tuple[str, str]] = field(default_factory=list)  # exponent = 2, dim = 0 ...
    outputs: dict[int, Tensor] = field(default_factory=dict)  # the outputs we know something about
    leaf: Tensor | None = None
    # of its outputs, as far as they are known
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    place: str = ""  # the line that recorded it: "line 2 of cell 3" or "file.py:12"
    layer: int = 1  # 2: recorded by a backward pass with create_graph=True
    gradient: Gradient = Gradient()
    # of the module in which it was recorded, if a watch noted it: a watching.calls.Call
    call: Any = None
    # whether a watch saw it; without a call it was then recorded outside of any module
    watched: bool = False
    mark: str = ""  # as in Box

    def given(self) -> list[tuple[int, Input]]:
        """The inputs by number, without the optional ones that were left out."""
        return [(nr, entry) for nr, entry in enumerate(self.inputs)
                if entry.op is not None or entry.constant is not None or entry.reason]


@dataclass
class Graph:
    """All operations behind the roots, each a tensor or (operation, output_nr); inputs first."""

    ops: list[Op] = field(default_factory=list)
    roots: list[tuple[int, int] | Tensor] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    focus: Input | None = None  # what the reader wants to see the surroundings of

    @property
    def made_roots(self) -> list[tuple[int, int]]:
        """The roots that an operation made."""
        return [root for root in self.roots if not isinstance(root, Tensor)]


class Work(NamedTuple):
    """What a part of a forward pass computed."""

    flops: int = 0  # of the operations that are counted
    counted: int = 0  # how many these are
    others: dict[str, int] = {}  # how many operations are not counted, by their names
    activations: dict[int, int] = {}  # bytes that each call of a module returned, by its number


class Inside(NamedTuple):
    """What is known of a folded part: its parameters and what it saved, each by its identity."""

    parameters: dict[Any, int] = {}  # how many numbers each has
    memory: dict[int, int] = {}  # address -> bytes
    unread: int = 0  # saved values of unknown size
    shape: str = ""  # of its output
    call: Any = None  # of the module, if a watch noted it
    work: Work | None = None  # in a picture of the forward pass


@dataclass
class Box:
    """One thing in a picture. `kind`: leaf, tensor, constant, op, accumulate or fold."""

    kind: str
    title: str
    lines: list[str] = field(default_factory=list)
    tensor: Tensor | None = None
    saved: list[Saved] = field(default_factory=list)
    weights: list[Weight] = field(default_factory=list)  # the parameters that stand on an operation
    shape: str = ""  # of what an operation made
    arguments: int = 0  # how many numbered inputs an operation shows
    made: list[str] = field(default_factory=list)  # the named tensors that an operation produced
    layer: int = 1  # as in Op
    grad_fn: bool = False  # shows its .grad_fn field, from which an arrow leads to its operation
    op: int | None = None  # index of its operation in Graph.ops
    folded: int = 0  # how many boxes a fold stands for
    inside: Inside | None = None  # of a folded module
    # of the gradients that passed: of a fold, the smallest and the largest
    norms: tuple[float, ...] = ()
    mark: str = ""  # one of style.MARKS: guilty, here, added, removed, same, gone
    module: tuple[str, ...] = ()  # the modules it belongs to, from the outside in
    # of a module that is one box: its class, and what else like ones share
    look: tuple | None = None


@dataclass(frozen=True)
class Arrow:
    """From box `tail` to box `head`, both positions in `Picture.boxes`, in forward direction.

    `kind`: "next" (an edge the gradient will travel), "none" (a constant: no gradient goes there),
    "variable" (AccumulateGrad and its leaf), "grad_fn" (a tensor and its operation), "value" (maths
    view), "cut" (a value went this way, and its history did not), "view" (a base and its view share
    their memory).
    """

    tail: int
    head: int
    kind: str
    argument: int | None = None
    label: str = ""  # a few words or numbers beside the line
    mark: str = ""  # as in Box


@dataclass
class Picture:
    view: str
    title: str
    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    hidden: int = 0  # how many boxes were folded away
    caption: str = ""
    legend: bool = False
    focus: int | None = None  # the box around which the reader wants to see
    # sentences under the picture, such as the sum of memory
    notes: list[str] = field(default_factory=list)
    saved: bool = True  # whether the operations show what they saved
    depth: int = 0  # how many frames around a box are drawn
    calls: dict[tuple[str, ...], Any] = field(default_factory=dict)  # by the modules as in Box
    network: bool = False  # shown compactly: parameters stand on their operations
    narrow: tuple[int, ...] = ()  # boxes with little room: drawers below names, tabs in hexagons
    classes: dict[str, str] = field(default_factory=dict)  # of the modules, by their names
    direction: str = "auto"  # the way it runs: right, down, or auto, by its shape
    # lines below the title of a frame, by its name
    facts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def id_of(self, position: int) -> str:
        return f"n{position}"
