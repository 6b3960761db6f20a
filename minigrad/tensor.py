"""The tensor: a NumPy array that remembers which operation made it.

A *leaf* is a tensor without a recorded operation; its gradient is kept in ``.grad``.  Any other has
a ``grad_fn``, the operation that made it.  What a tensor can do is attached in ``methods.py``.
"""
from __future__ import annotations

import warnings

from . import dtypes
from .errors import noted, type_name
from .places import here, line_of
from .state import local

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information.")
INFERENCE_WRITE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details.")
ONLY_FLOATS = "Only Tensors of floating point and complex dtype can require gradients"
NOT_A_LEAF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed "
    "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().")
GRAD_DTYPE = (
    "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set "
    "the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
    "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
    "downstream systems that assume they match.")


class readonly(property):
    """A property that refuses to be set or deleted in PyTorch's words."""
    def __init__(self, get, name=None):
        super().__init__(get)
        self.name = name or get.__name__

    def __set__(self, tensor, value):
        raise AttributeError(
            f"attribute '{self.name}' of 'torch._C.TensorBase' objects is not writable")


class VersionCounter:
    """Counts the writes in place to memory; a tensor, its views and its ``detach()`` share one."""
    __slots__ = ("value", "place")      # place: where the program wrote last, missing before that

    def __init__(self):
        self.value = 0


class Uncounted:
    """The counter of a tensor made in inference mode, whose writes are not counted."""
    @property
    def value(self):
        raise RuntimeError("Inference tensors do not track version counter.")


UNCOUNTED = Uncounted()


class Extra:
    """What few tensors have, kept apart so that a tensor stays small and quick to make."""
    accumulator = None                      # a weak reference to a leaf's AccumulateGrad
    hooks = post_accumulate_hooks = None    # what was registered, by handle id
    retain_node = None          # a weak reference to the node at which retain_grad() collects
    detached_at = -1            # the sequence number of detach_(): older nodes can't use the tensor
    inference = False           # made inside inference_mode
    name = None


class Tensor:
    """A multi-dimensional array of one dtype, with its place in the recorded graph.

        x = torch.tensor([1., 2.], requires_grad=True)
        y = (x * x).sum()
        y.backward()
        x.grad                              # tensor([2., 4.])
    """
    # _array          the numbers, a numpy.ndarray
    # _requires_grad  whether operations on it are recorded
    # _node           the node that made it; None for a leaf
    # _output_nr      which of that node's outputs it is; None if the node has only one
    # _grad           what `.grad` returns: a tensor, or None
    # _counter        a VersionCounter, made when first needed
    # _view           how it is a view of another tensor (a views.View), or None
    # _extra          an Extra, or None
    __slots__ = ("_array", "_requires_grad", "_node", "_output_nr", "_grad", "_counter", "_view",
                 "_extra", "__dict__", "__weakref__")

    __array_priority__ = 1000   # ndarray * tensor must ask the tensor, not make an array of objects

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient flows back to this tensor.  May be set on leaves only."""
        return self._requires_grad or self._view is not None and self._view.base._requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if value and self._node is not None:
            raise noted(RuntimeError("you can only change requires_grad flags of leaf variables."))
        self._set_requires_grad(value, ONLY_FLOATS.replace("O", "o"))

    @requires_grad.deleter
    def requires_grad(self):
        raise RuntimeError("requires_grad must be a bool")

    def _set_requires_grad(self, value: bool, wrong_dtype: str):
        if self._array.dtype.kind != "f" and value:
            raise noted(RuntimeError(wrong_dtype))
        if self._node is not None and not value:
            raise noted(RuntimeError(NOT_A_LEAF))
        if value and self.is_inference() and not local.state.inference:
            raise noted(RuntimeError("Setting requires_grad=True on inference tensor outside "
                                     "InferenceMode is not allowed."))
        self._requires_grad = bool(value)

    @readonly
    def grad_fn(self):
        """The node that made this tensor, or None for a leaf."""
        if self._view is not None:
            self._view.refresh(self)
        return self._node

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
        """The line that last wrote to this memory in place, or None (an extension of minigrad)."""
        return line_of(getattr(self._counter, "place", None))

    @readonly
    def retains_grad(self) -> bool:
        """Whether ``retain_grad()`` was called on this tensor when it was not a leaf."""
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
        if value is not None and not isinstance(value, Tensor):
            raise TypeError("assigned grad expected to be a Tensor or None but got grad of type "
                            f"{type_name(value)}")
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        mine = self._array
        given = mine if value is None else value._array
        if given.dtype != mine.dtype:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{dtypes.cpp_name(given.dtype)}' to a "
                f"tensor with grad_dtype '{dtypes.short_name(mine.dtype)}'. {GRAD_DTYPE}")
        if given.shape != mine.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(given.shape)}' to a tensor of "
                f"size '{list(mine.shape)}'. Please ensure that the gradient and the tensor are "
                "the same size")
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    def _get_counter(self) -> VersionCounter:
        if self._counter is None:
            self._counter = VersionCounter()
        return self._counter

    def _get_extra(self) -> Extra:
        if self._extra is None:
            self._extra = Extra()
        return self._extra


Tensor.__module__ = __name__.partition(".")[0]      # printed as minigrad.Tensor
_new = Tensor.__new__


def wrap(array, kind=Tensor) -> Tensor:
    """Return a tensor without history around `array` itself, not a copy of it."""
    tensor = _new(kind)
    tensor._array = array
    tensor._requires_grad = False
    tensor._node = tensor._output_nr = tensor._grad = None
    tensor._counter = tensor._view = tensor._extra = None
    return tensor


def wrap_new(array) -> Tensor:
    """Return a tensor around a new array; inside inference_mode it is marked as made there."""
    tensor = wrap(array)
    if local.state.inference:
        mark_inference(tensor)
    return tensor


def mark_inference(tensor):
    """Mark a tensor as made in inference_mode: no node may save it, no version is counted."""
    tensor._get_extra().inference = True
    tensor._counter = UNCOUNTED


def bump_version(tensor, place=None):
    """Count a write to the tensor's memory, and remember where in the program it happened."""
    counter = tensor._counter or tensor._get_counter()
    if counter is UNCOUNTED:
        if local.state.inference:
            return
        raise noted(RuntimeError(INFERENCE_WRITE))      # as in PyTorch, after the write
    counter.value += 1
    counter.place = place or here(3)
