"""Square matrices: inverse, determinant, systems of equations."""
from __future__ import annotations

import numpy as np

from .. import dtypes, return_types
from ..autograd.differentiable import differentiable, shared
from ..messages import not_implemented_for
from ..tensor import Tensor, wrap
from . import axes, linalg, shape
from .either import beside, dtype_of, shape_of
from .reduction import product_of_others


class LinAlgError(RuntimeError):
    """A matrix has no inverse, no factorisation, ..."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


# --- pieces of formulas, on arrays or tensors ---------------------------------------------------------------

def times(a, *others):
    """Products of matrices, from the left."""
    for b in others:
        a = linalg.matmul(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else a @ b
    return a


def turned(x):
    return axes._transpose(x, -2, -1)


def constant(array, like):
    """An array as a constant of the formula, in the dtype of what it meets."""
    return beside(like, np.asarray(array, dtype_of(like)))


def eye(like, n):
    return constant(np.eye(n), like)


def column(x):
    return shape.unsqueeze(x, -1)


def row(x):
    return shape.unsqueeze(x, -2)


def on_diagonal(x):
    """Vectors as diagonal matrices."""
    return slicing._diag_embed(x, 0, -2, -1)


def lower(x, below=0):
    n, m = shape_of(x)[-2:]
    return x * constant(np.tril(np.ones((n, m)), -below), x)


def by_columns(array):
    """Laid column by column in memory, as PyTorch's library for these things leaves its results."""
    return np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)


def check_square(A, name, kernel=None):
    """`kernel`: what objects to whole numbers in its own words."""
    sizes = A._array.shape
    if len(sizes) < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if sizes[-1] != sizes[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {sizes[-2]} by "
                           f"{sizes[-1]} matrices")
    if kernel is not None and A._array.dtype.kind != "f":
        raise not_implemented_for(kernel, A._array.dtype)
    check_matrix(A, name)


def check_matrix(A, name):
    if A._array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if A._array.dtype.kind != "f":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got "
                           f"{dtypes.short_name(A._array.dtype)}")


# --- inverse, determinant, equations ------------------------------------------------------------------------

def _inverse_gradient(grad, inverse):
    inner = times(grad, turned(inverse))        # turned twice, which a graph of second derivatives shows
    return -times(turned(inverse), inner)


@differentiable("LinalgInvExBackward0", outputs=("inverse",), self=_inverse_gradient)
def _inv(self):
    try:
        return by_columns(np.linalg.inv(self))
    except np.linalg.LinAlgError:
        raise LinAlgError(
            f"linalg.inv: {which_matrix(self)}The diagonal element {first_zero_pivot(self)} is zero, the "
            "inversion could not be completed because the input matrix is singular.") from None


def which_matrix(a):
    """PyTorch's words for the first singular matrix of a batch."""
    if a.ndim < 3:
        return ""
    for i, matrix in enumerate(a.reshape(-1, *a.shape[-2:])):
        if first_zero_pivot(matrix):
            return f"(Batch element {i}): "
    return ""


def first_zero_pivot(a):
    """Where elimination with row exchanges stops, counted from 1; 0 if it doesn't."""
    for matrix in a.reshape(-1, *a.shape[-2:]):
        m = matrix.copy()
        for i in range(len(m)):
            p = i + np.abs(m[i:, i]).argmax()
            if m[p, i] == 0:
                return i + 1
            m[[i, p]] = m[[p, i]]
            m[i + 1:] -= np.outer(m[i + 1:, i] / m[i, i], m[i])
    return 0


def inv(A):
    """The inverse of a square matrix, or of each of a batch.

    Raises:
        LinAlgError: there is none.
    """
    check_square(A, "linalg.inv")
    return _inv(A)


def inverse(self):
    """`torch.linalg.inv`."""
    return inv(self)


def eliminated(A):
    """The two triangles that elimination with row exchanges ends with, in one matrix, and the exchanges."""
    n = A.shape[-1]
    LU, pivots = A.copy(), np.empty(A.shape[:-1], np.int32)
    if not A.size:
        return LU, pivots
    for m, exchanges in zip(LU.reshape(-1, n, n), pivots.reshape(-1, n)):
        for i in range(n):
            p = i + np.abs(m[i:, i]).argmax()
            exchanges[i] = p + 1
            if m[p, i] != 0:
                m[[i, p]] = m[[p, i]]
                m[i + 1:, i] /= m[i, i]
                m[i + 1:, i + 1:] -= np.outer(m[i + 1:, i], m[i, i + 1:])
    return by_columns(LU), pivots


def _det_gradient(grad, A, result, LU, pivots):
    values = result._array if isinstance(result, Tensor) else np.asarray(result)
    if (values == 0).any():
        if not isinstance(A, Tensor):
            # so PyTorch says, unless the gradient is itself recorded
            return column(column(grad)) * (A * 0)
        U, S, Vh = factorisations._svd(A, False)
        others = product_of_others(S, S._array.ndim - 1) * column(_det(U)[0] * _det(Vh)[0] * grad)
        return times(U * row(others), Vh)
    n = shape_of(A)[-1]
    weighted = shape._expand(column(grad * result), (*shape_of(A)[:-2], n))
    return solution(turned(A), turned(on_diagonal(weighted)))


@differentiable("LinalgDetBackward0", outputs=("result", "LU", "pivots"), A=_det_gradient)
def _det(A):
    return np.linalg.det(A), *eliminated(A)


def det(A):
    """The determinant of a square matrix, or of each of a batch."""
    check_square(A, "linalg.det")
    return _det(A)[0]


def _slogdet_gradient(grads, A, sign, LU, pivots):
    if grads[1] is None:
        return None
    n = shape_of(A)[-1]
    return solution(turned(A), turned(on_diagonal(shape._expand(column(grads[1]), (*shape_of(A)[:-2], n)))))


@differentiable("LinalgSlogdetBackward0", outputs=("sign", "logabsdet", "LU", "pivots"), A=_slogdet_gradient)
def _slogdet(A):
    return *np.linalg.slogdet(A), *eliminated(A)


def slogdet(A):
    """(sign, logabsdet) of the determinant."""
    check_square(A, "linalg.slogdet")
    return return_types.slogdet(_slogdet(A)[:2])


def linalg_slogdet(A):
    """The same, under the name of torch.linalg."""
    return return_types.linalg_slogdet(slogdet(A))


def logdet(A):
    """The logarithm of the determinant; nan if that is negative."""
    check_square(A, "logdet")
    sign, size = _slogdet(A)[:2]
    nan = wrap(np.asarray(np.nan, size._array.dtype))
    return comparison.where(sign == -1.0, nan, size)


@shared
def _solve_right(grad, A):
    return solution(turned(A), grad)


def _solve_left(grad, A, result, LU, pivots, B_shape):
    through = _solve_right(grad, A)
    if len(B_shape) == len(shape_of(A)) - 1:        # vectors
        return -(column(through) * row(result))
    return -times(through, turned(result))


def solution(A, B):
    return _solve(A, B)[0]


@differentiable("LinalgSolveExBackward0", outputs=("result", "LU", "pivots"), A=_solve_left,
                B=lambda grad, A, result, LU, pivots: _solve_right(grad, A))
def _solve(A, B):
    try:
        if B.ndim == A.ndim - 1:
            return np.linalg.solve(A, B[..., None])[..., 0], *eliminated(A)
        return by_columns(np.linalg.solve(A, B)), *eliminated(A)
    except np.linalg.LinAlgError:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is "
                          "singular.") from None


def solve(A, B, *, left=True):
    """X with A @ X = B (or X @ A = B with ``left=False``); B holds vectors or matrices."""
    check_square(A, "linalg.solve")
    return solution(A, B) if left else turned(solution(turned(A), turned(B)))


METHODS = "inverse det slogdet logdet"

from . import comparison, factorisations, slicing  # noqa: E402
