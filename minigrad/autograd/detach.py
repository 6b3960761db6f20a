"""A tensor's numbers without its history: ``detach()``, ``.data``, and the switch ``requires_grad_()``."""
from __future__ import annotations

from ..errors import type_name
from ..state import local
from ..tensor import UNCOUNTED, Tensor, VersionCounter, mark_inference, wrap
from .node import next_sequence_nr

CANNOT_DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
    "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
    "detach_() cannot be called on these gradients. To fix this error, please refer to the "
    "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.")


def detach(self) -> Tensor:
    """Return a constant with the same numbers, in the same memory.

    It shares the version counter too: the backward pass notices a harmful write through it.

    >>> y = x * 2
    >>> y.detach().requires_grad
    False
    """
    result = without_history(self)
    if self._counter is not UNCOUNTED:
        result._counter = self._get_counter()
    return result


def detach_(self) -> Tensor:
    """Remove this tensor, which must not be a view, from the graph, in place; return the tensor."""
    if local.state.inference:
        return self
    if self._view is not None:
        raise RuntimeError(CANNOT_DETACH_VIEW)
    if self._node is not None:
        self._get_extra().detached_at = next_sequence_nr()      # nodes that saved it before can't use it
    self._requires_grad, self._node, self._output_nr = False, None, None
    return self


def without_history(self):
    result = wrap(self._array)
    if self.is_inference():
        mark_inference(result)
        if not local.state.inference:
            result._counter = VersionCounter()      # outside inference mode, writes to it are counted
    return result


@property
def data(self) -> Tensor:
    """A constant that shares the memory but counts its own writes, which this tensor does not notice."""
    return without_history(self)


@data.setter
def data(self, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type_name(value)}")
    if self._requires_grad and value._array.dtype.kind != "f":
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex "
                           "dtype")
    if self._extra is not None and value._array.dtype != self._array.dtype:
        self._extra.accumulator = None              # the old one expects gradients of the old dtype
    if self.is_inference() != value.is_inference():
        self._get_counter()                         # stays as it is
        self._get_extra().inference = value.is_inference()
    self._array = value._array


@data.deleter
def data(self):
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def requires_grad_(self, requires_grad=True) -> Tensor:
    """Switch the recording of operations on this leaf on or off, and return the tensor.

    >>> w = torch.zeros(3).requires_grad_()

    Raises RuntimeError if the tensor holds integers, or is not a leaf and shall be switched off.
    """
    if not isinstance(requires_grad, bool):
        raise TypeError("requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                        f"{type_name(requires_grad)}")
    self._set_requires_grad(requires_grad, "only Tensors of floating point dtype can require gradients")
    return self


def clear_grad(param, set_to_none):
    """Set a parameter's gradient to None, or to zeros without history: what ``zero_grad()`` does."""
    grad = param._grad
    if set_to_none or grad is None:
        param._grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


METHODS = "detach detach_"
METHODS_ONLY = "data requires_grad_"
