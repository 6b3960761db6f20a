"""Nodes: what an operation leaves behind, so that the backward pass can retrace it.

    y = x * 2                       # x is a leaf that requires a gradient
    y.grad_fn                       # the node: <MulBackward0 object at 0x...>
    y.grad_fn.next_functions        # its edges: ((<AccumulateGrad object at 0x...>, 0), (None, 0))

A node keeps the values that its formulas need, and has edges to its children: the nodes to which
its gradients go.  The node of a leaf, ``AccumulateGrad``, has none: it adds to ``.grad``.
"""
import threading
import weakref
from types import SimpleNamespace

import numpy as np

from ..dtypes import BY_NUMPY
from ..memory import refuse_overlap
from ..places import line_of
from ..state import local, next_sequence_nr
from ..tensor import Tensor, bump_version, wrap_new
from .anomaly_mode import anomaly, record_forward_trace
from .hooks import hooks_of, registered, replaced

WHY_FREED = (
    "Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second "
    "time or if you need to access saved {} after calling backward.")
BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). ") + WHY_FREED.format("tensors")


class Node:
    """One recorded operation.  Its subclasses carry the names that ``grad_fn=<...>`` shows."""
    # The ctx of a custom Function is a node, too: the underscores leave names to users.
    # _children      for each input: its child, the node its gradient goes to, or None
    # _output_nrs    which output of that child it is for; None if every child has only one output
    # _kept          the saved values, or None; Freed after a backward pass
    # _versions      the version that each of them had
    # _shape, _dtype those of the result, and so of the gradient that this node receives
    # _outputs       None, or the (shape, dtype) of each of several results
    # _hooks         None, or the NodeHooks registered on this node and on its results
    # _plan          the Plan (operation.py) for a pass on arrays; None if this node needs tensors
    __slots__ = ("_children", "_output_nrs", "_kept", "_versions", "_shape", "_dtype", "_sequence",
                 "_outputs", "_hooks", "_metadata", "__weakref__")

    _plan = None
    none_gives_none = True          # if every gradient is None, return None; don't run the formulas

    def __init__(self, children, output_nrs, result):
        self._children, self._output_nrs = children, output_nrs
        self._shape, self._dtype = result.shape, result.dtype
        self._sequence = next_sequence_nr()
        self._kept = self._outputs = self._hooks = self._metadata = None
        if anomaly.enabled:
            record_forward_trace(self)

    def __lt__(self, other):
        """Of two nodes that are ready, the one recorded last runs first."""
        return self._sequence > other._sequence

    def name(self) -> str:
        return type(self).__name__

    @property
    def next_functions(self) -> tuple:
        """For each input: (the node its gradient goes to, or None; which output of that node)."""
        numbers = self._output_nrs or (None,) * len(self._children)
        return tuple([(child, number or 0) for child, number in zip(self._children, numbers)])

    @property
    def metadata(self) -> dict:
        """Your own notes on this node; anomaly mode keeps the forward trace here."""
        if self._metadata is None:
            self._metadata = {}             # few nodes have notes: the others need no dictionary
        return self._metadata

    @property
    def _input_metadata(self) -> tuple:
        """For each output, the shape and dtype of its gradient."""
        return tuple([SimpleNamespace(shape=shape, dtype=BY_NUMPY[dtype])
                      for shape, dtype in filter(None, self.describe_outputs())])

    @property
    def _freed_at(self):
        """The line whose backward pass freed what was saved, or None (an extension of minigrad)."""
        return line_of(self._kept.place) if type(self._kept) is Freed else None

    def _sequence_nr(self) -> int:
        return self._sequence

    def describe_outputs(self):
        return ((self._shape, self._dtype),) if self._outputs is None else self._outputs

    def __call__(self, *grads):
        """Return the gradients of the inputs, given those of the outputs, as tensors."""
        count = len(self.describe_outputs())
        if len(grads) != count:
            raise TypeError(f"expected {count} arguments, got {len(grads)} instead")
        for i, grad in enumerate(grads):
            if grad is not None and not isinstance(grad, Tensor):
                raise TypeError(f"argument {i} is not a Variable")
        results = self.evaluate(list(grads))
        return results[0] if len(results) == 1 else tuple(results)

    def evaluate(self, grads, wanted=None):
        """Return the gradients of the inputs, or of those with `wanted(i)`; None is no gradient."""
        if self.none_gives_none and all([grad is None for grad in grads]):
            self.check_saved()
            return (None,) * len(self._children)
        return self.gradients_as_tensors(grads[0] if self._outputs is None else grads, wanted)

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` after this node; it may return new grad_inputs."""
        return registered(hooks_of(self).after, hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before this node runs; it may return new grad_outputs."""
        return registered(hooks_of(self).before, hook)

    def check_saved(self):
        """Raise if something saved was freed or modified, though nothing is computed from it."""


class Freed:
    """What a pass, started at `place` in the program, leaves instead of a node's saved values."""
    def __init__(self, place):
        self.place = place

    def __getitem__(self, index):
        raise RuntimeError(BACKWARD_TWICE)


def short_name(node):
    """Return the name in messages: Exp for ExpBackward0, Mean1 for MeanBackward1."""
    name, _, number = node.name().rpartition("Backward")
    return f"{name}{number.removeprefix('0')}" if not number or number.isdigit() else node.name()


def gradient_node(tensor):
    """Return the node to which a gradient of this tensor goes, or None."""
    if tensor._view is not None:
        tensor._view.refresh(tensor)
    if tensor._node is not None or not tensor._requires_grad:
        return tensor._node
    extra = tensor._extra or tensor._get_extra()
    return extra.accumulator and extra.accumulator() or AccumulateGrad(tensor)


def edges_to(inputs):
    """Return (children, output numbers) for a node with these inputs; None takes no gradient."""
    return (tuple([None if one is None else gradient_node(one) for one in inputs]),
            tuple([None if one is None else one._output_nr for one in inputs]))


class AccumulateGrad(Node):
    """Where a backward pass ends: it adds the gradient that arrived to the leaf's ``.grad``."""
    __module__ = "builtins"                 # type(node) prints without a module, as in PyTorch
    __slots__ = ("variable", "_plan")
    none_gives_none = False                 # the leaf's hooks run in any case
    lock = threading.RLock()                # several threads may reach the same leaf at once

    def __init__(self, variable):
        super().__init__((), None, variable._array)
        self._plan = AccumulateGrad         # it computes with arrays itself: see `gradients`
        self._sequence = float("inf")       # it runs as soon as it is ready
        self.variable, extra = variable, variable._extra
        extra.accumulator = weakref.ref(self)       # the same one for as long as any graph uses it
        if extra.hooks is not None:                 # those registered before this node was made
            hooks_of(self).tensor_hooks.append((0, extra.hooks))

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def gradients(self, grad):
        """Add an array to the leaf's gradient, which keeps the array if the pass made it for it."""
        own = type(grad) is np.ndarray and grad.base is None and grad.flags.c_contiguous
        if not own and self.variable._grad is None:
            grad = np.array(grad, order="C")
        return self.gradients_as_tensors(wrap_new(np.asarray(grad)), None, True)

    def gradients_as_tensors(self, grad, wanted=None, own=False):
        """Add a tensor to `.grad`; named like every node's method, it has no inputs: return ()."""
        leaf = self.variable
        if leaf._node is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        if grad is not None and leaf._requires_grad:
            with self.lock:
                total = leaf._grad
                if total is None:
                    leaf._grad = grad if own else wrap_new(np.empty_like(leaf._array)).copy_(grad)
                elif local.state.grad_enabled:
                    leaf._grad = total + grad       # out of place, so that the sum is recorded
                else:
                    refuse_overlap(total._array)
                    np.add(total._array, grad._array, out=total._array)
                    bump_version(total, getattr(local.state.current_pass, "place", None))
        for hook in list((leaf._extra.post_accumulate_hooks or {}).values()):
            if replaced(leaf, hook(leaf), hook) is not leaf:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        return ()       # there are no inputs
