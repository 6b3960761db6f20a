"""More ways to put dimensions in another order: movedim, swapaxes, and the properties x.T, x.mT, x.H."""
from __future__ import annotations

from functools import partial

from ..messages import dim_range
from ..tensor import readonly_as
from ..warn import warn_once
from . import shape


def swapaxes(self, axis0, axis1):
    """`transpose` under its NumPy name."""
    return shape.transpose(self, axis0, axis1)


def swapdims(self, dim0, dim1):
    """`transpose` under another name."""
    return shape.transpose(self, dim0, dim1)


def movedim(self, source, destination):
    """A view with some dimensions moved to new places; the others keep their order."""
    ndim = self._array.ndim
    source = (source,) if isinstance(source, int) else tuple(source)
    destination = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(source) != len(destination):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({list(source)} dims) "
                           "should contain "
                           f"the same number of dims as destination ({list(destination)} dims)")
    moved, places = [dim_range(d, ndim) for d in source], [dim_range(d, ndim) for d in destination]
    for name, dims, given in (("source", moved, source), ("destination", places, destination)):
        if len(set(dims)) < len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if not ndim:
        return shape.alias(self)
    order = [d for d in range(ndim) if d not in moved]
    for place, d in sorted(zip(places, moved)):
        order.insert(place, d)
    return shape._permute(self, tuple(order))


def moveaxis(self, source, destination):
    """`movedim` under its NumPy name."""
    return movedim(self, source, destination)


def adjoint(self):
    """The last two dimensions exchanged."""
    return matrix_transpose(self, "adjoint()")


def matrix_transpose(self, name):
    """``x.mT``: the last two dimensions exchanged."""
    if self._array.ndim == 0:
        called = name if name == "adjoint()" else f"Tensor.{name}"
        warn_once(OF_NUMBER.format(called, IS_IDENTITY if name == "mT" else USE_CONJ))
        return self
    if self._array.ndim < 2:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got "
                           f"{self._array.ndim}-D tensor.")
    return shape._transpose(self, -2, -1)


T_DEPRECATED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
    "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")
OF_NUMBER = "{} is deprecated on 0-D tensors. {}"
USE_CONJ, IS_IDENTITY = "Consider using x.conj().", "This function is the identity in these cases."


def reversed_dims(self):
    """``x.T``: all dimensions in reverse order, meant for matrices."""
    ndim = self._array.ndim
    if not ndim:
        warn_once(OF_NUMBER.format("Tensor.T", IS_IDENTITY))
        return self
    if ndim != 2:
        warn_once(T_DEPRECATED)
    return shape._permute(self, tuple(range(ndim - 1, -1, -1)))


def matrix_adjoint(self):
    """``x.H``: the matrix transposed (and conjugated, if numbers were complex)."""
    if self._array.ndim == 0:
        warn_once(OF_NUMBER.format("Tensor.H", USE_CONJ))
        return self
    if self._array.ndim != 2:
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if self._array.ndim > 2 else ""))
    return shape._transpose(self, -2, -1)


METHODS = "swapaxes swapdims movedim moveaxis adjoint"
OPERATORS = {
    "T": readonly_as("T", reversed_dims), "H": readonly_as("H", matrix_adjoint),
    **{name: readonly_as(name, partial(matrix_transpose, name=name)) for name in ("mT", "mH")}}
