"""The tensor: a NumPy array that remembers which operation made it.

A *leaf* was made by you and keeps its gradient in ``.grad``; any other tensor has a ``grad_fn``, the recorded
operation that made it.  What a tensor can do is attached in ``methods.py``; here is only what it is.
"""
from __future__ import annotations

import warnings
from collections import OrderedDict

from . import dtypes
from .errors import type_name
from .errors import noted
from .places import here, line_of
from .state import local

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't "
    "be populated during autograd.backward(). If you indeed want the .grad field to be populated for a "
    "non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
    "mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for "
    "more information.")

INFERENCE_WRITE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
    "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
    "details.")

INFERENCE_REQUIRES_GRAD = (
    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")

ONLY_FLOATS = "Only Tensors of floating point and complex dtype can require gradients"

GRAD_DTYPE = (
    "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the "
    "tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
    "caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume "
    "they match.")


class readonly(property):
    """A property that answers an attempt to set or delete it in PyTorch's words."""

    def __set__(self, tensor, value):
        name = getattr(self.fget, "__wrapped__", self.fget).__name__
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")


def readonly_as(name, get):
    """The read-only property `name` that `get`, some function, answers."""
    def answer(tensor):
        return get(tensor)
    answer.__name__, answer.__doc__ = name, get.__doc__
    return readonly(answer)


class VersionCounter:
    """Counts the in-place writes to one piece of memory; a tensor, its views and ``detach()`` share one."""

    __slots__ = ("value", "place")      # place: of the last write; missing before the first

    def __init__(self):
        self.value = 0


class Uncounted:
    """In place of the counter of a tensor made in inference mode, whose writes nobody counts."""

    __slots__ = ()

    @property
    def value(self):
        raise RuntimeError("Inference tensors do not track version counter.")


UNCOUNTED = Uncounted()

AS_THE_TENSOR = object()        # the dtype that a gradient has if nothing else was asked for


class Extra:
    """What few tensors have, kept apart so that a tensor stays small and quick to make."""

    __slots__ = ("accumulator", "hooks", "post_accumulate_hooks", "retain_handle", "grad_dtype", "inference",
                 "name")

    def __init__(self):
        self.accumulator = None             # weak reference to a leaf's AccumulateGrad
        self.hooks = None                   # what register_hook was given, by handle id
        self.grad_dtype = AS_THE_TENSOR     # or the NumPy dtype that gradients must have, or None: any
        self.post_accumulate_hooks = None
        self.retain_handle = None           # the (node, output number) at which retain_grad() listens
        self.inference = False              # made inside inference_mode
        self.name = None


class Tensor:
    """A multi-dimensional array of one dtype, with its place in the recorded graph."""

    __slots__ = ("_array", "_requires_grad", "_node", "_output_nr", "_grad", "_counter", "_view", "_extra",
                 "__dict__", "__weakref__")

    # _array          the numbers, a numpy.ndarray
    # _requires_grad  whether operations on it are recorded
    # _node           the node that made it, None for a leaf;  _output_nr: which of that node's outputs it is
    # _counter        a VersionCounter, made when first needed
    # _view           how it is a view of another tensor (a views.View), or None
    # _extra          an Extra, or None

    __array_priority__ = 1000   # ndarray * tensor must ask the tensor, not make an array of objects

    # --- the flags ------------------------------------------------------------------------------------------

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
        if self._node is not None:
            if value:
                return
            raise noted(RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                "variable in a subgraph that doesn't require differentiation use var_no_grad = "
                "var.detach()."))
        if value and self.is_inference() and not local.state.inference:
            raise noted(RuntimeError(INFERENCE_REQUIRES_GRAD))
        self._requires_grad = value

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
        return self._output_nr

    @readonly
    def _version(self) -> int:
        """How often the memory of this tensor has been written in place."""
        return 0 if self._counter is None else self._counter.value

    @readonly
    def _written_at(self):
        """The line that last wrote to this memory in place, or None; PyTorch has no such name."""
        return line_of(getattr(self._counter, "place", None))

    @readonly
    def retains_grad(self) -> bool:
        """Whether ``retain_grad()`` was called when this was no leaf; ``detach_()`` leaves that as it is."""
        return self._extra is not None and self._extra.retain_handle is not None

    def is_inference(self) -> bool:
        """Whether this tensor was made inside ``inference_mode``."""
        return self._extra is not None and self._extra.inference

    # --- the gradient ---------------------------------------------------------------------------------------

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by the backward passes so far: None before the first."""
        if self._grad is None and self._node is not None and not self.retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            self._check_assigned_grad(value)
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    def _check_assigned_grad(self, value):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {type_name(value)}")
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        wanted = self._gradient_dtype()
        if wanted is not None and value._array.dtype != wanted:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{dtypes.cpp_name(value._array.dtype)}' to a "
                f"tensor with grad_dtype '{dtypes.short_name(wanted)}'. {GRAD_DTYPE}")
        if value._array.shape != self._array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
                f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same "
                "size")

    @property
    def grad_dtype(self) -> dtypes.dtype | None:
        """The dtype of this leaf's gradient, at first its own; None: that of whatever arrives."""
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        wanted = self._gradient_dtype()
        return None if wanted is None else dtypes.BY_NUMPY[wanted]

    @grad_dtype.setter
    def grad_dtype(self, value):
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if value is not None and not isinstance(value, dtypes.dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
        wanted = None if value is None else value.numpy
        present = wanted if self._grad is None or wanted is None else self._grad._array.dtype
        if present != wanted:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{dtypes.short_name(wanted)}' because there is already a gradient "
                f"with dtype '{dtypes.cpp_name(present)}'. Please clear the gradient (.grad = None) before "
                "changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype.")
        extra = self._get_extra()
        extra.grad_dtype = wanted
        node = None if extra.accumulator is None else extra.accumulator()
        if node is not None:
            node.take_dtype_of_leaf()

    def _gradient_dtype(self):
        """The NumPy dtype of the gradient, or None."""
        extra = self._extra
        return self._array.dtype if extra is None or extra.grad_dtype is AS_THE_TENSOR else extra.grad_dtype

    # --- what the rest of the package uses ------------------------------------------------------------------

    def _get_counter(self) -> VersionCounter:
        if self._counter is None:
            self._counter = VersionCounter()
        return self._counter

    def _get_extra(self) -> Extra:
        if self._extra is None:
            self._extra = Extra()
        return self._extra

    @property
    def _backward_hooks(self) -> OrderedDict | None:
        """The hooks on the present value, by handle id; a value since overwritten has its own on its node."""
        return None if self._extra is None else self._extra.hooks

    @_backward_hooks.setter
    def _backward_hooks(self, value):
        self._get_extra().hooks = value

    @_backward_hooks.deleter
    def _backward_hooks(self):
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")


    @property
    def _grad_fn(self):
        """Like ``grad_fn``; setting it to None detaches the tensor."""
        return self.grad_fn

    @_grad_fn.setter
    def _grad_fn(self, value):
        if value is not None:
            raise RuntimeError("_grad_fn can be only set to None")
        self.detach_()

    @_grad_fn.deleter
    def _grad_fn(self):
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    @readonly
    def dtype(self) -> dtypes.dtype:
        """The type of the numbers, such as ``torch.float32``."""
        return dtypes.BY_NUMPY[self._array.dtype]


Tensor.__module__ = __name__.partition(".")[0]      # as it is printed: the class of the package's own name
_new = Tensor.__new__


def wrap(array, kind=Tensor) -> Tensor:
    """A tensor without history around `array` itself, not a copy of it."""
    tensor = _new(kind)
    tensor._array = array
    tensor._requires_grad = False
    tensor._node = tensor._grad = tensor._counter = tensor._view = tensor._extra = None
    tensor._output_nr = 0
    return tensor


def wrap_new(array) -> Tensor:
    """A tensor around a new array; inside inference_mode it is marked for life."""
    tensor = wrap(array)
    if local.state.inference:
        mark_inference(tensor)
    return tensor


def mark_inference(tensor):
    """Made in inference_mode: no node may save it, and its versions are not counted."""
    tensor._get_extra().inference = True
    tensor._counter = UNCOUNTED


def bump_version(tensor, place=None):
    """Count a write to the tensor's memory, and remember its place: where the program called this package.

    Tensors of inference mode have no version; PyTorch, too, refuses to count only after it has written.
    """
    counter = tensor._counter
    if counter is None:
        counter = tensor._get_counter()
    elif counter is UNCOUNTED:
        if local.state.inference:
            return
        raise noted(RuntimeError(INFERENCE_WRITE))
    counter.value += 1
    counter.place = place or here(3)
