"""What is recorded: nodes, the edges between them, and the tensors they keep for the backward pass.

Every recorded operation leaves a node.  ``next_functions`` says, for each input, which node its gradient goes
to next; a leaf ends the chain with an ``AccumulateGrad``, which adds to the leaf's ``.grad``.
"""
from __future__ import annotations

import itertools
import sys
import threading
import warnings
import weakref

import numpy as np
from numpy import ndarray

from ..memory import dense, element_strides, empty_like_layout, refuse_overlap
from ..messages import broadcast_error
from ..places import line_of
from ..tensor import Tensor, VersionCounter, bump_version, wrap, wrap_new
from ..warn import warn_once
from .anomaly_mode import anomaly, record_forward_trace
from .grad_mode import local
from .hooks import NodeHooks, run_post_accumulate

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
    "if you need to access saved tensors after calling backward.")

DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
    "supported, please use out-of-place `.detach()` instead")

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
    "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.")

_next_sequence_nr = itertools.count().__next__


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

    def __init__(self, next_functions, result):
        self.next_functions = next_functions
        self._kept = None
        self._shape = result.shape
        self._dtype = result.dtype
        self.sequence_nr = _next_sequence_nr()
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

    def _set_sequence_nr(self, number: int):
        """Give the node another place in the order in which nodes run."""
        self.sequence_nr = number

    def describe_outputs(self):
        """The (shape, dtype) of each result."""
        return ((self._shape, self._dtype),) if self._outputs is None else self._outputs

    # Each kind of node says how it turns gradients into gradients, in the two modes of a pass.  The engine
    # calls `node._plan.gradients(node, grad)` on arrays, which for most nodes is a plan of formulas made
    # beforehand.

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
Node.undefined_gives_undefined = True       # no gradient arrived: none leaves, and nothing need be computed


class TensorNode(Node):
    """A node whose work is written for tensors only; when a pass carries arrays, they are wrapped."""

    __slots__ = ()

    def on_arrays(self, grad, wanted=None):
        if self._outputs is None:
            tensors = None if grad is None else wrap(np.asarray(grad))
        else:
            tensors = [g if g is None else wrap(np.asarray(g)) for g in grad]
        return tuple([g if g is None else g._array for g in self.on_tensors(tensors, wanted)])


class AnyDtype:
    """What the dtype of a gradient is compared with that need not be cast."""

    __hash__ = None

    def __eq__(self, other):
        return True


ANY_DTYPE = AnyDtype()
_accumulate_lock = threading.Lock()     # several threads may reach the same leaf at once


class AccumulateGrad(Node):
    """Where a backward pass ends: adds the gradient that arrived to the leaf's ``.grad``."""

    __module__ = "builtins"     # type(node) is written without a module, as in PyTorch
    __slots__ = ("variable", "own_hooks")
    undefined_gives_undefined = False       # the leaf's hooks run in any case

    def __init__(self, variable):
        super().__init__((), variable._array)
        self.variable = variable
        self.sequence_nr = float("inf")     # runs as soon as it is ready
        if variable._extra is not None:
            self.take_dtype_of_leaf()

    def take_dtype_of_leaf(self):
        """The gradient is cast to the leaf's ``grad_dtype``."""
        self._dtype = self.variable._gradient_dtype() or ANY_DTYPE

    def name(self):
        return "torch::autograd::AccumulateGrad"

    @property
    def _hooks(self):
        """The leaf's own hooks, which may come and go while graphs hold this node, and the node's."""
        extra = self.variable._extra
        if extra.hooks:
            if self.own_hooks is None:
                self.own_hooks = NodeHooks()
            self.own_hooks.tensor_hooks = [(0, extra.hooks)]
        return self.own_hooks

    @_hooks.setter
    def _hooks(self, value):
        self.own_hooks = value

    def on_arrays(self, grad, wanted=None):
        leaf = self.variable
        if grad is not None and leaf._requires_grad:
            if leaf._node is not None:
                raise RuntimeError("leaf variable has been moved into the graph interior")
            with _accumulate_lock:
                if leaf._grad is None:
                    leaf._grad = first_gradient(leaf, grad)
                else:
                    accumulate_in_place(leaf._grad, grad)
                    if leaf._grad._array.strides != leaf._array.strides:
                        check_layout(leaf._grad._array, leaf._array)
        extra = leaf._extra
        if extra is not None and extra.post_accumulate_hooks:
            run_post_accumulate(leaf)       # also where nothing was added
        return ()

    def on_tensors(self, grad, wanted=None):
        leaf = self.variable
        if grad is None or not leaf._requires_grad or not local.state.grad_enabled:
            return self.on_arrays(None if grad is None else grad._array.view())
        if leaf._node is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        if leaf._grad is None:
            leaf._grad = laid_out_like(leaf, grad)
        else:
            leaf._grad = leaf._grad + grad
            check_layout(leaf._grad._array, leaf._array)
        return self.on_arrays(None)

    def free(self, freed):
        pass


class Accumulation:
    """The plan of these nodes: `Direct` without its detours, as every pass ends with it."""

    gradients = staticmethod(AccumulateGrad.on_arrays)


AccumulateGrad.plan = Accumulation


def first_gradient(leaf: Tensor, grad) -> Tensor:
    """The leaf's first gradient, in memory that is the leaf's alone and laid out as the leaf is.

    An array with a base looks at memory that others may hold too, and is copied, unless the base turns out to
    be held by nothing but this array, as after the two transpositions on the way to the weights of a linear
    layer.  (For large arrays a copy takes longer than all the rest of the pass.)
    """
    if type(grad) is not ndarray:
        grad = np.asarray(grad)
    wanted = leaf._array.strides
    if grad.base is not None:
        base = grad.base if holders_of_base(grad) == HOLDERS_WHEN_ALONE else None
        if type(base) is ndarray and base.shape == grad.shape and base.strides == grad.strides:
            grad = base             # as long as its base, it is all of it
        else:
            copy = grad.copy()
            if grad.strides != wanted == copy.strides and any(
                    [size != 1 and had != has for size, had, has in zip(grad.shape, grad.strides, wanted)]):
                return written_once(copy)       # to PyTorch a write into memory laid out as the leaf's
            grad = copy
    return wrap_new(grad) if grad.strides == wanted else laid_out_like(leaf, wrap_new(grad))


def written_once(array) -> Tensor:
    made = wrap_new(array)
    made._get_counter().value = 1
    return made


def holders_of_base(array):
    return sys.getrefcount(array.base)


# Counted where nobody else is; the number differs between versions of Python.
HOLDERS_WHEN_ALONE = holders_of_base(np.empty((2, 2)).T)


def accumulate_in_place(total: Tensor, grad):
    """``total += grad``, which is never recorded."""
    refuse_overlap(total._array)
    try:
        np.add(total._array, grad, out=total._array)
    except ValueError:
        raise broadcast_error(total._array.shape, grad.shape) from None
    current = local.state.current_pass
    bump_version(total, current and current.place)


def check_layout(grad, leaf):
    """PyTorch warns once of gradients that lie in memory in another way than their leaves."""
    strides, wanted = element_strides(grad), element_strides(leaf)
    if not dense(leaf):
        obeys = grad.flags.c_contiguous
    else:
        obeys = all([size == 1 or i < len(wanted) and strides[i] == wanted[i]
                     for i, size in enumerate(grad.shape)])
    if not obeys:
        warn_once("grad and param do not obey the gradient layout contract. This is not an error, but may "
                  f"impair performance.\ngrad.sizes() = {list(grad.shape)}, strides() = {list(strides)}\n"
                  f"param.sizes() = {list(leaf.shape)}, strides() = {list(wanted)}")


def laid_out_like(leaf: Tensor, grad: Tensor) -> Tensor:
    """A copy of the gradient with the strides of the leaf; row by row, if the leaf's memory has gaps."""
    if not dense(leaf._array):
        return grad.clone().contiguous()
    copy = wrap_new(empty_like_layout(leaf._array.shape, element_strides(leaf._array), grad._array.dtype))
    return copy.copy_(grad)


# --- saved tensors ------------------------------------------------------------------------------------------

class SavedTensor:
    """An input kept for the backward pass, and the version it had: using it after an in-place write is an
    error."""

    __slots__ = ("tensor", "version", "made_by")

    def __init__(self, tensor):
        self.tensor = tensor
        self.made_by = tensor._node
        counter = tensor._counter
        self.version = 0 if counter is None else counter.value

    def array(self, node):
        tensor = self.tensor
        if tensor._node is None and self.made_by is not None:
            raise RuntimeError(DETACHED)
        counter = tensor._counter
        if counter is not None and counter.value != self.version:
            self.raise_modified(node) if node is None else node.complain(self)
        return tensor._array

    def is_modified(self):
        counter = self.tensor._counter
        return counter is not None and counter.value != self.version

    def raise_modified(self, node):
        raise_modified(self.tensor, self.tensor.grad_fn, self.tensor._output_nr, self.version)

    def unpack(self, node):
        """The tensor itself, with its history."""
        self.array(node)
        return self.tensor

    def shown(self, node):
        """The same for who only looks at this one: that the tensor was detached does not matter then."""
        if self.is_modified():
            self.raise_modified(node)
        return self.tensor

    def raw(self):
        return self.tensor


class SavedResult:
    """The node's own result.  Kept without its history, or node and tensor would keep each other alive."""

    __slots__ = ("value", "counter", "version", "output_nr", "later_grad_fn")

    def __init__(self, tensor, output_nr=0):
        self.value = tensor._array
        counter = tensor._counter
        if counter is None:
            counter = tensor._counter = VersionCounter()
        self.counter = counter
        self.version = counter.value
        self.output_nr = output_nr
        self.later_grad_fn = None       # of a result written into a view: (weakly) the view's own grad_fn

    def array(self, node):
        if self.counter.value != self.version:
            self.raise_modified(node) if node is None else node.complain(self)
        return self.value

    def is_modified(self):
        return self.counter.value != self.version

    def raise_modified(self, node):
        raise_modified(self.restored(node), self.grad_fn(node), self.output_nr, self.version)

    def unpack(self, node):
        self.array(node)
        return self.restored(node)

    def shown(self, node):
        if self.is_modified():
            self.raise_modified(node)
        return self.restored(node)

    def raw(self):
        """The result without its history."""
        tensor = wrap(self.value)
        tensor._counter = self.counter
        return tensor

    def grad_fn(self, node):
        return node if self.later_grad_fn is None else self.later_grad_fn() or node

    def restored(self, node):
        """A tensor that shares the result's memory and version and stands where the result stood in the
        graph."""
        tensor = self.raw()
        tensor._requires_grad, tensor._node, tensor._output_nr = True, self.grad_fn(node), self.output_nr
        return tensor


def raise_modified(tensor, grad_fn, output_nr, expected):
    """The error of a saved tensor that was written in place; it names the operation whose output it is."""
    made_by = ""
    if grad_fn is not None:
        made_by = f", which is output {output_nr} of {short_name(grad_fn)},"
    hint = ("Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
            "variable in "
            "question was changed in there or anywhere later. Good luck!" if anomaly.enabled else
            "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{'CPUBoolType' if tensor._array.dtype.kind == 'b' else tensor.dtype.tensor_type} "
        f"{list(tensor._array.shape)}]{made_by} is at version {tensor._counter.value}; expected version "
        f"{expected} instead. {hint}")


def short_name(node):
    """How messages write a node: ``Exp`` for ``ExpBackward0``, ``Mean1`` for ``MeanBackward1``."""
    name, _, number = node.name().rpartition("Backward")
    return f"{name}{number.removeprefix('0')}" if not number or number.isdigit() else node.name()


# --- edges --------------------------------------------------------------------------------------------------

NO_EDGE = (None, 0)

# The edge of a view taken under no_grad: it counts as taking a gradient, because its base does, but no
# gradient goes anywhere.
LOOSE_END = tuple(list(NO_EDGE))        # noqa: C414   equal, and not the same object


def gradient_edge(tensor):
    """Where a gradient for this tensor goes: (node, which of its outputs)."""
    view = tensor._view
    if view is not None:
        view.refresh(tensor)
    node = tensor._node
    if node is not None:
        return node, tensor._output_nr
    if tensor._requires_grad:
        return grad_accumulator(tensor), 0
    return NO_EDGE if view is None or not view.base._requires_grad else LOOSE_END


def grad_accumulator(leaf):
    """The leaf's AccumulateGrad: the same one for as long as any graph uses it."""
    extra = leaf._extra
    if extra is None:
        extra = leaf._get_extra()
    node = None if extra.accumulator is None else extra.accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        extra.accumulator = weakref.ref(node)
    return node


def warn(message):
    warnings.warn(message, UserWarning, stacklevel=3)
