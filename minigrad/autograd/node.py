"""Nodes: what an operation leaves behind, so that the backward pass can retrace it.

    y = x * 2                   # x is a leaf that requires a gradient
    y.grad_fn                   # the node: <MulBackward0 object at 0x...>
    y.grad_fn.next_functions    # its edges: ((<AccumulateGrad object at 0x...>, 0),
                                #             (None, 0))

A node saves the values that its formulas need, and has edges to its children: the nodes
to which its gradients go.  The node of a leaf, ``AccumulateGrad``, has no children.
"""
from types import SimpleNamespace

from ..dtypes import BY_NUMPY
from ..places import line_of
from ..state import next_sequence_nr
from ..tensor import Tensor
from .node_hooks import add_hook, hooks_of

WHY_FREED = (
    "Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved {} after calling backward.")
BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed). ") + WHY_FREED.format("tensors")

# Functions that are called with each node when it was recorded: anomaly mode and
# minigrad.viz.watch() write down the line of the program.
recording_observers = []


class Node:
    """One recorded operation; subclasses carry the names that grad_fn=<...> shows."""

    # The ctx of a custom Function is a node, too: the underscores leave names to users.
    __slots__ = (
        "_children",    # for each input: the node its gradient goes to, or None; empty
                        # for a leaf's node alone, by which the engine knows it
        "_output_nrs",  # which output of that child; None if each child has only one
        "_values",      # the saved values, or None; Freed after a backward pass
        "_versions",    # the version that each of them had when it was saved
        "_shape",       # the shape and dtype of the result, and so those of the
        "_dtype",       # gradient that this node receives
        "_sequence",    # its number in the order of recording; of a leaf infinity
        "_outputs",     # None, or the (shape, dtype) of each of several results
        "_hooks",       # None, or the NodeHooks of this node and of its results
        "_metadata",    # None, or the notes in `metadata`
        "_is_plain",    # whether a pass can run its plan on arrays: it has one output,
                        # as has each child, and no function of the user looks on
        "__weakref__",
    )

    _plan = None                # how it computes on arrays (a Plan), if it can
    _none_gives_none = True     # without any gradient, none of its formulas runs

    def __init__(self, children, output_nrs, result):
        self._children = children
        self._output_nrs = output_nrs
        self._shape = result.shape
        self._dtype = result.dtype
        self._sequence = next_sequence_nr()
        self._values = self._outputs = self._hooks = self._metadata = None
        self._is_plain = False
        for observe in recording_observers:
            observe(self)

    def __lt__(self, other):
        """Heaps compare nodes whose numbers are equal: as in PyTorch, none is first."""
        return False

    def _shown(self):
        """Return the node itself, in the class that a program sees."""
        return self

    def name(self) -> str:
        return type(self).__name__

    @property
    def next_functions(self) -> tuple:
        """For each input: the node its gradient goes to, or None, and which output."""
        numbers = self._output_nrs or (None,) * len(self._children)
        return tuple([(None if child is None else child._shown(), number or 0)
                      for child, number in zip(self._children, numbers)])

    @property
    def metadata(self) -> dict:
        """Your own notes on this node; anomaly mode keeps the forward trace here."""
        if self._metadata is None:
            self._metadata = {}     # few nodes have notes
        return self._metadata

    @property
    def _input_metadata(self) -> tuple:
        """For each output, the shape and dtype of its gradient."""
        return tuple([SimpleNamespace(shape=shape, dtype=BY_NUMPY[dtype])
                      for shape, dtype in filter(None, self._describe_outputs())])

    @property
    def _freed_at(self):
        """The line whose pass freed what was saved; PyTorch doesn't have this."""
        return line_of(self._values.place) if type(self._values) is Freed else None

    def _sequence_nr(self) -> int:
        return self._sequence

    def _describe_outputs(self):
        """Return (shape, dtype) for each output; None for one that is no tensor."""
        return self._outputs or ((self._shape, self._dtype),)

    def __call__(self, *grads):
        """Return the gradients of the inputs, given those of the outputs."""
        count = len(self._describe_outputs())
        if len(grads) != count:
            raise TypeError(f"expected {count} arguments, got {len(grads)} instead")
        for i, grad in enumerate(grads):
            if grad is not None and not isinstance(grad, Tensor):
                raise TypeError(f"argument {i} is not a Variable")
        results = self._evaluate(list(grads))
        return results[0] if len(results) == 1 else tuple(results)

    def _evaluate(self, grads, wanted=None):
        """Return gradients of inputs, or None; for input `i` only if `wanted(i)`."""
        if self._none_gives_none and all([grad is None for grad in grads]):
            self._unpack()
            return (None,) * len(self._children)
        received = grads[0] if self._outputs is None else grads
        return self._gradients_of_tensors(received, wanted)

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` after this node ran.

        It may return new grad_inputs.
        """
        return add_hook(hooks_of(self).after, hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)`, which may replace these, before this node runs."""
        return add_hook(hooks_of(self).before, hook)

    def _unpack(self):
        """Return the saved tensors; raise if one was freed or modified since."""


class Freed:
    """What a pass, started at `place`, leaves instead of a node's saved values.

    Any use of it, a loop too, raises the error of a second pass.
    """

    def __init__(self, place):
        self.place = place

    def __getitem__(self, index):
        raise RuntimeError(BACKWARD_TWICE)


def name_in_messages(node):
    """Return the name in messages: Exp for ExpBackward0, Mean1 for MeanBackward1."""
    full = node.name()
    name, _, number = full.rpartition("Backward")
    if number and not number.isdigit():
        return full
    return name + number.removeprefix("0")
