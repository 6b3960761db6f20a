"""The numbers without the history: ``detach()``, ``.data`` and ``requires_grad_()``."""
from .errors import type_name
from .state import local, next_sequence_nr
from .tensor import UNCOUNTED, Tensor, mark_inference, wrap

NOT_FLOATING = "only Tensors of floating point dtype can require gradients"
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using "
    "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
    "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
    "these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
    "function in torch/optim/optimizer.py as the solution.")


def detach(self) -> Tensor:
    """Return a constant in the same memory, which counts writes with this tensor.

    >>> y = x * 2
    >>> y.detach().requires_grad
    False
    """
    result = self.data
    if self._counter is not UNCOUNTED:
        result._counter = self._get_counter()
    return result


def detach_(self) -> Tensor:
    """Remove this tensor from the graph, and return it; it must not be a view."""
    if self._view is not None:
        raise RuntimeError(DETACH_VIEW)
    if self._node is not None:
        # Nodes of before that saved the tensor can't use it any more.
        self._get_extra().detached_at = next_sequence_nr()
    self._requires_grad = False
    self._node = self._output_nr = None
    return self


@property
def data(self) -> Tensor:
    """A constant in the same memory, whose writes this tensor does not notice."""
    result = wrap(self._array)
    if self.is_inference():
        mark_inference(result)
        if not local.state.inference:
            result._counter = None      # outside of this mode writes are counted
    return result


@data.setter
def data(self, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type_name(value)}")
    if self._requires_grad and value._array.dtype.kind != "f":
        raise RuntimeError("data set to a tensor that requires gradients must be "
                           "floating point or complex dtype")
    if self._extra is not None and value._array.dtype != self._array.dtype:
        # The leaf's AccumulateGrad expects the old dtype: have a new one made.
        self._extra.accumulator = None
    if self.is_inference() != value.is_inference():
        self._get_extra().inference = value.is_inference()
    self._array = value._array


@data.deleter
def data(self):
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def requires_grad_(self, requires_grad=True) -> Tensor:
    """Switch the recording of operations on this leaf on or off, and return the tensor.

    >>> w = torch.zeros(3).requires_grad_()

    Raises RuntimeError for integers, and to switch off what is not a leaf.
    """
    self._set_requires_grad(requires_grad, NOT_FLOATING)
    return self


METHODS = "detach detach_"
METHODS_ONLY = "data requires_grad_"
