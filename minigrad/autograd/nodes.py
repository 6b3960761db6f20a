"""What is recorded: every operation on a tensor that takes a gradient leaves a node behind.

``next_functions`` says, for each input, which node its gradient goes to next.  What a node keeps for the
backward pass is in ``saved.py``; the nodes at which gradients end, those of the leaves, are in
``accumulate.py``.
"""
from __future__ import annotations

import itertools

import numpy as np

from ..places import line_of
from ..tensor import wrap
from .anomaly_mode import anomaly, record_forward_trace

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
    "if you need to access saved tensors after calling backward.")

next_sequence_nr = itertools.count().__next__


class Node:
    """One recorded operation.  Its subclasses carry the names that ``grad_fn=<...>`` shows."""

    __slots__ = ("next_functions", "_kept", "_shape", "_dtype", "sequence_nr", "_outputs", "_hooks",
                 "_metadata", "__weakref__")

    # next_functions  for each input: (node, which of its outputs); (None, 0) where no gradient goes
    # _kept           the tensors that the formulas need, or None; Freed after a backward pass
    # _shape, _dtype  what the gradient this node receives must look like: its result
    # _outputs        None, or the (shape, dtype) of each of several results
    # _hooks          None, or the NodeHooks registered on this node or on its result
    # (Names that nobody will give to an attribute of a `ctx`, which is a node, too.)

    undefined_gives_undefined = True        # no gradient arrived: none leaves, and nothing need be computed

    def __init__(self, next_functions, result):
        self.next_functions = next_functions
        self._kept = None
        self._shape = result.shape
        self._dtype = result.dtype
        self.sequence_nr = next_sequence_nr()
        self._outputs = self._hooks = self._metadata = None
        if anomaly.enabled:
            record_forward_trace(self)

    def __lt__(self, other):
        """Of two nodes that are ready, the one recorded last runs first."""
        return self.sequence_nr > other.sequence_nr

    def name(self) -> str:
        """The name PyTorch gives this kind of node."""
        return type(self).__name__

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    @property
    def metadata(self) -> dict:
        """A dictionary for your own notes on this node; anomaly mode keeps the forward trace here."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return self.sequence_nr


    def describe_outputs(self):
        """The (shape, dtype) of each result."""
        return ((self._shape, self._dtype),) if self._outputs is None else self._outputs

    # Each kind of node says how it turns gradients into gradients, in the two modes of a pass.  The engine
    # calls `node._plan.gradients(node, grad)` on arrays; the plan of most is made of formulas, beforehand.

    def on_arrays(self, grad, wanted=None) -> tuple:
        """Gradients of the inputs as arrays; `grad` is an array, or a list of arrays for several outputs.

        `wanted(i)` says whether the gradient of input i is of any use; None means all of them are.
        """
        raise NotImplementedError

    def on_tensors(self, grad, wanted=None) -> tuple:
        """The same with tensors, recorded if the thread records."""
        raise NotImplementedError

    def check_saved(self):
        """All that was saved must still be there, and what it was, even where nothing comes of it."""

    def complain(self, kept):
        """Something saved turned out to be modified: raise the error that says so."""
        kept.raise_modified(self)

    def free(self, freed):
        """Drop what was saved, when a pass has moved past this node."""
        if self._kept is not None:
            self._kept = freed

    @property
    def _freed_at(self):
        """The line whose backward pass freed what was saved, or None; PyTorch has no such name."""
        return line_of(self._kept.place) if type(self._kept) is Freed else None


class Direct:
    """The plan of a node that is not made of formulas: ask the node."""

    @staticmethod
    def gradients(node, grad):
        # views, so that the engine sees that the arrays may be somebody else's
        return tuple([g if g is None else g.view() for g in node.on_arrays(grad)])


Node._plan = Direct


class TensorNode(Node):
    """A node whose work is written for tensors only; when a pass carries arrays, they are wrapped."""

    __slots__ = ()

    def on_arrays(self, grad, wanted=None):
        if self._outputs is None:
            tensors = None if grad is None else wrap(np.asarray(grad))
        else:
            tensors = [g if g is None else wrap(np.asarray(g)) for g in grad]
        return tuple([g if g is None else g._array for g in self.on_tensors(tensors, wanted)])


class Freed:
    """Stands where a node's saved tensors were: asking for any of them is the famous error.  Each pass leaves
    one, which knows where in the program it was."""

    __slots__ = ("place",)

    def __init__(self, place):
        self.place = place

    def __getitem__(self, index):
        raise RuntimeError(BACKWARD_TWICE)

    def __iter__(self):
        raise RuntimeError(BACKWARD_TWICE)


def short_name(node):
    """How messages write a node: ``Exp`` for ``ExpBackward0``, ``Mean1`` for ``MeanBackward1``."""
    name, _, number = node.name().rpartition("Backward")
    return f"{name}{number.removeprefix('0')}" if not number or number.isdigit() else node.name()
