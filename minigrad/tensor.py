"""The tensor: a NumPy array that remembers which operation made it.

A *leaf* is a tensor without a recorded operation; its gradient is kept in ``.grad``.
Any other has a ``grad_fn``, the operation that made it.  What a tensor can do is
attached in ``methods.py``.
"""
from __future__ import annotations

import warnings

from . import dtypes
from .errors import offered, type_name
from .places import here, line_of
from .state import local

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
    ".grad attribute won't be populated during autograd.backward(). If you indeed "
    "want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() "
    "on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
    "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 "
    "for more information.")
INFERENCE_WRITE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can "
    "make a clone to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details.")
INFERENCE_REQUIRES_GRAD = (
    "Setting requires_grad=True on inference tensor outside InferenceMode is not "
    "allowed.")
ONLY_FLOATS = (
    "Only Tensors of floating point and complex dtype can require gradients")
FLAG_OF_FLOATS = (
    "only Tensors of floating point and complex dtype can require gradients")
FLAG_OF_LEAVES = "you can only change requires_grad flags of leaf variables."
FLAG_OF_COMPUTED = (
    f"{FLAG_OF_LEAVES} If you want to use a computed variable in a subgraph that "
    "doesn't require differentiation use var_no_grad = var.detach().")
GRAD_TYPE = "assigned grad expected to be a Tensor or None but got grad of type {}"
GRAD_DTYPE = (
    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype "
    "'{}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
    "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or "
    "None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a "
    "tensor and its gradient may break downstream systems that assume they match.")
GRAD_SIZE = (
    "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please "
    "ensure that the gradient and the tensor are the same size")


class readonly(property):
    """A property that refuses to be set or deleted in PyTorch's words."""

    def __init__(self, get, name=None):
        super().__init__(get)
        self.name = name or get.__name__

    def __set__(self, tensor, value=None):
        raise AttributeError(
            f"attribute '{self.name}' of 'torch._C.TensorBase' objects is not writable")

    __delete__ = __set__


class VersionCounter:
    """Counts the writes to memory; a tensor, its views and ``detach()`` share one."""

    __slots__ = ("value", "place")

    def __init__(self):
        self.value = 0
        self.place = None       # where the program wrote last


class Uncounted:
    """The counter of a tensor made in inference mode, whose writes are not counted."""

    place = None

    @property
    def value(self):
        raise RuntimeError("Inference tensors do not track version counter.")


UNCOUNTED = Uncounted()


class Extra:
    """What few tensors have, kept apart so that a tensor stays small, quick to make."""

    accumulator = None              # a weak reference to a leaf's AccumulateGrad
    hooks = None                    # what register_hook() registered, by handle id
    post_accumulate_hooks = None    # those that follow a change of .grad
    retain_node = None      # weakly, the node at which retain_grad() collects
    detached_at = -1        # the sequence number of detach_(): no older node can use it
    inference = False       # made inside inference_mode


class Tensor:
    """A multi-dimensional array of one dtype, with its place in the recorded graph.

        x = torch.tensor([1., 2.], requires_grad=True)
        y = (x * x).sum()
        y.backward()
        x.grad                              # tensor([2., 4.])
    """

    __slots__ = (
        "_array",           # the numbers, a numpy.ndarray
        "_requires_grad",   # whether operations on it are recorded
        "_node",            # the node that made it; None for a leaf
        "_output_nr",       # which of its outputs; None if the node has only one
        "_grad",            # what `.grad` returns: a tensor, or None
        "_counter",         # a VersionCounter, made when first needed
        "_view",            # how it is a view of another tensor (a views.View), or None
        "_extra",           # an Extra, or None
        "__dict__",
        "__weakref__",
    )

    __array_priority__ = 1000   # ndarray * tensor asks the tensor: no array of objects

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient flows back to this tensor.  May be set on leaves only."""
        # A view follows its base, which a later write may have given a history.
        view = self._view
        return self._requires_grad or view is not None and view.base._requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if value and self._node is not None:
            raise offered(RuntimeError(FLAG_OF_LEAVES))
        self._set_requires_grad(value, FLAG_OF_FLOATS)

    @requires_grad.deleter
    def requires_grad(self):
        raise RuntimeError("requires_grad must be a bool")

    def _set_requires_grad(self, value: bool, message_if_not_float: str):
        if self._array.dtype.kind != "f" and value:
            raise offered(RuntimeError(message_if_not_float))
        if self._node is not None and not value:
            raise offered(RuntimeError(FLAG_OF_COMPUTED))
        if value and self.is_inference() and not local.state.inference:
            raise offered(RuntimeError(INFERENCE_REQUIRES_GRAD))
        self._requires_grad = bool(value)

    @readonly
    def grad_fn(self):
        """The node that made this tensor, or None for a leaf."""
        if self._view is not None:
            self._view.refresh(self)
        return None if self._node is None else self._node._shown()

    @readonly
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor."""
        return self.grad_fn is None

    @readonly
    def output_nr(self) -> int:
        """Which output of its ``grad_fn`` this tensor is; 0 for a leaf."""
        return self._output_nr or 0

    @readonly
    def _version(self) -> int:
        """How often the memory of this tensor was written in place."""
        return 0 if self._counter is None else self._counter.value

    @readonly
    def _written_at(self):
        """The line that last wrote to this memory, or None; PyTorch doesn't have it."""
        return None if self._counter is None else line_of(self._counter.place)

    @readonly
    def retains_grad(self) -> bool:
        """Whether ``retain_grad()`` was called when this tensor was not a leaf."""
        return self._extra is not None and self._extra.retain_node is not None

    def is_inference(self) -> bool:
        """Return whether this tensor was made inside ``inference_mode``."""
        return self._extra is not None and self._extra.inference

    @readonly
    def dtype(self) -> dtypes.dtype:
        """The type of the numbers, such as ``torch.float32``."""
        return dtypes.BY_NUMPY[self._array.dtype]

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have accumulated; None before the first.

        You may assign None, or a tensor of the same shape and dtype.
        """
        if self._grad is None and self._node is not None and not self.retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            self._check_gradient(value)
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    def _check_gradient(self, value):
        """Raise if `value` can't be the gradient of this tensor."""
        if not isinstance(value, Tensor):
            raise TypeError(GRAD_TYPE.format(type_name(value)))
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        mine, given = self._array, value._array
        if given.dtype != mine.dtype:
            raise RuntimeError(GRAD_DTYPE.format(
                dtypes.cpp_name(given.dtype), dtypes.short_name(mine.dtype)))
        if given.shape != mine.shape:
            raise RuntimeError(GRAD_SIZE.format(list(given.shape), list(mine.shape)))

    def _get_counter(self) -> VersionCounter:
        if self._counter is None:
            self._counter = VersionCounter()
        return self._counter

    def _get_extra(self) -> Extra:
        if self._extra is None:
            self._extra = Extra()
        return self._extra


Tensor.__module__ = __name__.partition(".")[0]      # printed as minigrad.Tensor
new_object = object.__new__      # Tensor.__new__ is for users: see creation.py


def wrap(array, kind=Tensor) -> Tensor:
    """Return a tensor without history around `array` itself, not a copy of it."""
    tensor = new_object(kind)
    tensor._array = array
    tensor._requires_grad = False
    tensor._node = tensor._output_nr = tensor._grad = None
    tensor._counter = tensor._view = tensor._extra = None
    return tensor


def wrap_new(array) -> Tensor:
    """Return a tensor around a new array, marked if made in inference_mode."""
    tensor = wrap(array)
    if local.state.inference:
        mark_inference(tensor)
    return tensor


def mark_inference(tensor):
    """Mark as made in inference_mode: no node may save it, no version is counted."""
    tensor._get_extra().inference = True
    tensor._counter = UNCOUNTED


def bump_version(tensor, place=None):
    """Count a write to the tensor's memory, and remember where in the program it is."""
    counter = tensor._counter or tensor._get_counter()
    if counter is UNCOUNTED:
        if local.state.inference:
            return
        # As in PyTorch, after the write.
        raise offered(RuntimeError(INFERENCE_WRITE))
    counter.value += 1
    if place is None:
        place = here(3)     # here <- bump_version <- a function that writes <- a caller
    counter.place = place
