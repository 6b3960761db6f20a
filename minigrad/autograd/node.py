"""Nodes: what an operation leaves behind, so that the backward pass can retrace it.

    x = torch.tensor(3., requires_grad=True)
    y = x * 2
    y.grad_fn                       # the node: <MulBackward0 object at 0x...>
    y.grad_fn.next_functions        # its edges: ((<AccumulateGrad object at 0x...>, 0), (None, 0))

A node knows where its gradients go next (its edges) and what its formulas need (its saved values).  Edges
end at leaves: a leaf's node is an ``AccumulateGrad``, which adds what arrives to the leaf's ``.grad``.
"""
from __future__ import annotations

import itertools
import threading
import weakref

import numpy as np

from ..errors import broadcast_error
from ..memory import refuse_overlap
from ..places import line_of
from ..state import local
from ..tensor import Tensor, bump_version, wrap, wrap_new
from .anomaly_mode import anomaly, record_forward_trace
from .hooks import NodeHooks, run_post_accumulate

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
    "if you need to access saved tensors after calling backward.")

next_sequence_nr = itertools.count().__next__


class Node:
    """One recorded operation.  Its subclasses carry the names that ``grad_fn=<...>`` shows."""

    # The names begin with an underscore because a custom Function's ctx is a node too, and users give it
    # attributes of their own.
    #
    # _children      for each input: the node its gradient goes to, or None
    # _output_nrs    which output of that node each edge leads to; None if every child has only one
    # _kept         the values that the formulas need, or None; Freed after a backward pass
    # _versions      the version of each saved value when it was saved
    # _shape, _dtype what the gradient this node receives must look like: its result
    # _outputs       None, or the (shape, dtype) of each of several results
    # _hooks         None, or the NodeHooks registered on this node or on its results
    __slots__ = ("_children", "_output_nrs", "_kept", "_versions", "_shape", "_dtype", "_sequence", "_outputs",
                 "_hooks", "_metadata", "__weakref__")

    undefined_gives_undefined = True        # where no gradient arrives, the formulas need not run

    def __init__(self, children, output_nrs, result):
        self._children = children
        self._output_nrs = output_nrs
        self._shape = result.shape
        self._dtype = result.dtype
        self._sequence = next_sequence_nr()
        self._kept = self._outputs = self._hooks = self._metadata = None
        if anomaly.enabled:
            record_forward_trace(self)

    def __lt__(self, other):
        """Of two nodes that are ready, the one recorded last runs first."""
        return self._sequence > other._sequence

    def name(self) -> str:
        """Return PyTorch's name for this kind of node."""
        return type(self).__name__

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    @property
    def next_functions(self) -> tuple:
        """For each input, (the node its gradient goes to, which output of that node); (None, 0) for none."""
        numbers = self._output_nrs or (None,) * len(self._children)
        return tuple([(child, number or 0) for child, number in zip(self._children, numbers)])

    @property
    def metadata(self) -> dict:
        """A dictionary for your own notes on this node; anomaly mode keeps the forward trace here."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        """True for every node."""
        return True

    def _sequence_nr(self) -> int:
        return self._sequence

    def describe_outputs(self):
        """Return the (shape, dtype) of each result."""
        return ((self._shape, self._dtype),) if self._outputs is None else self._outputs

    # A kind of node says how it turns gradients into gradients, in the two modes of a pass.  The engine asks
    # `node._plan.gradients(node, grad)`: the plan of a declared operation was made when the operation was,
    # and the plan of another kind of node is its own class.

    def gradients(self, grad, wanted=None):
        """Return the gradients of the inputs as arrays.

        `grad` is an array, or a list with an array or None for each of several outputs.  `wanted(i)` says
        whether the gradient of input i is of any use; without it, all of them are.
        """
        raise NotImplementedError

    def gradients_as_tensors(self, grad, wanted=None):
        """Return the same as tensors; the computation is recorded if the thread records."""
        raise NotImplementedError

    def check_saved(self):
        """Raise if something saved was freed or modified, even where nothing is computed from it."""

    def free(self, freed):
        """Drop what was saved, when a pass has moved past this node."""
        if self._kept is not None:
            self._kept = freed

    @property
    def _freed_at(self):
        """The line whose backward pass freed what was saved, or None (an extension of minigrad)."""
        return line_of(self._kept.place) if type(self._kept) is Freed else None


class TensorNode(Node):
    """A node whose backward is written for tensors; when a pass carries arrays, they are wrapped."""

    __slots__ = ()

    def gradients(self, grad, wanted=None):
        if self._outputs is None:
            tensors = None if grad is None else wrap(np.asarray(grad))
        else:
            tensors = [g if g is None else wrap(np.asarray(g)) for g in grad]
        # The arrays may belong to somebody else's tensors: a view tells the engine so.
        return tuple([g if g is None else g._array.view() for g in self.gradients_as_tensors(tensors, wanted)])


TensorNode._plan = TensorNode


class Freed:
    """What a backward pass leaves in the place of a node's saved values; to ask for one is the famous error."""

    __slots__ = ("place", "absent")

    def __init__(self, place, absent=None):
        self.place = place          # where in the program the pass was started
        self.absent = absent        # for each saved value, whether it was None all along

    def __getitem__(self, index):
        raise RuntimeError(BACKWARD_TWICE)

    def __iter__(self):
        raise RuntimeError(BACKWARD_TWICE)


def short_name(node):
    """Return a node's name as messages write it: ``Exp`` for ExpBackward0, ``Mean1`` for MeanBackward1."""
    name, _, number = node.name().rpartition("Backward")
    return f"{name}{number.removeprefix('0')}" if not number or number.isdigit() else node.name()


# --- edges --------------------------------------------------------------------------------------------------

def gradient_node(tensor):
    """Return the node to which a gradient of this tensor goes, or None.

    Which of the node's outputs the tensor is says ``tensor._output_nr``: None for the only one.
    """
    view = tensor._view
    if view is not None:
        view.refresh(tensor)
    node = tensor._node
    if node is not None:
        return node
    return grad_accumulator(tensor) if tensor._requires_grad else None


def edges_to(inputs):
    """Return (children, output numbers) for a node with these inputs; None among them takes no gradient."""
    children = tuple([None if one is None else gradient_node(one) for one in inputs])
    numbers = tuple([None if one is None else one._output_nr for one in inputs])
    return children, None if all([number is None for number in numbers]) else numbers


# --- leaves -------------------------------------------------------------------------------------------------

def grad_accumulator(leaf):
    """Return the leaf's AccumulateGrad: the same one for as long as any graph uses it."""
    extra = leaf._extra or leaf._get_extra()
    node = None if extra.accumulator is None else extra.accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        extra.accumulator = weakref.ref(node)
    return node


class AccumulateGrad(Node):
    """Where a backward pass ends: it adds the gradient that arrived to the leaf's ``.grad``."""

    __module__ = "builtins"                 # type(node) prints without a module, as in PyTorch
    __slots__ = ("variable", "_node_hooks")

    undefined_gives_undefined = False       # the leaf's hooks run in any case
    lock = threading.Lock()                 # several threads may reach the same leaf at once

    def __init__(self, variable):
        self.variable = variable
        super().__init__((), None, variable._array)
        self._sequence = float("inf")       # it runs as soon as it is ready

    def name(self):
        return "torch::autograd::AccumulateGrad"

    @property
    def _hooks(self):
        """The hooks of the leaf, which may come and go while graphs hold this node, and of the node."""
        hooks = self._node_hooks
        extra = self.variable._extra
        if extra.hooks:
            if hooks is None:
                hooks = self._node_hooks = NodeHooks()
            hooks.tensor_hooks = [(0, extra.hooks)]
        return hooks

    @_hooks.setter
    def _hooks(self, value):
        self._node_hooks = value

    def gradients(self, grad, wanted=None):
        leaf = self.variable
        if grad is not None and self.accumulates():
            with self.lock:
                if leaf._grad is None:
                    leaf._grad = wrap_new(owned(grad, leaf._array))
                else:
                    add_in_place(leaf._grad, grad)
        return self.run_post_accumulate_hooks()

    def gradients_as_tensors(self, grad, wanted=None):
        leaf = self.variable
        if not local.state.grad_enabled:
            return self.gradients(None if grad is None else grad._array.view())
        if grad is not None and self.accumulates():
            if leaf._grad is None:
                leaf._grad = wrap_new(np.empty_like(leaf._array, grad._array.dtype)).copy_(grad)
            else:
                leaf._grad = leaf._grad + grad
        return self.run_post_accumulate_hooks()

    def accumulates(self):
        """Return whether the leaf takes a gradient; it must still be a leaf."""
        if self.variable._requires_grad and self.variable._node is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        return self.variable._requires_grad

    def run_post_accumulate_hooks(self):
        if self.variable._extra.post_accumulate_hooks:
            run_post_accumulate(self.variable)
        return ()

    def free(self, freed):
        pass


AccumulateGrad._plan = AccumulateGrad


def owned(grad, like):
    """Return the gradient as an array of its own, laid out as the leaf's numbers are.

    An array with a base looks at memory that others may hold, and is copied.
    """
    if grad.base is None and grad.strides == like.strides and type(grad) is np.ndarray:
        return grad
    copy = np.empty_like(like, grad.dtype)
    copy[...] = grad
    return copy


def add_in_place(total: Tensor, grad):
    """Add an array to a gradient; this is never recorded."""
    refuse_overlap(total._array)
    try:
        np.add(total._array, grad, out=total._array)
    except ValueError:
        raise broadcast_error(total._array.shape, grad.shape) from None
    current = local.state.current_pass
    bump_version(total, current and current.place)
