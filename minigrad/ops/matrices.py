"""Square matrices and their parts: inverse, determinant, systems of equations, Cholesky, QR, eigenvalues, SVD."""
from __future__ import annotations

import numpy as np

from .. import dtypes, return_types
from ..autograd.differentiable import differentiable
from ..tensor import Tensor, wrap
from . import linalg, shape
from .reduction import product_of_others, shape_of


class LinAlgError(RuntimeError):
    """A matrix has no inverse, no factorisation, ..."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


# --- pieces of formulas, on arrays or tensors -------------------------------------------------------------------------

def times(a, *others):
    """Products of matrices, from the left."""
    for b in others:
        a = linalg.matmul(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else a @ b
    return a


def turned(x):
    return shape._transpose(x, -2, -1)


def constant(array, like):
    """An array as a constant of the formula, in the dtype of what it meets."""
    array = np.asarray(array, dtype_of(like))
    return wrap(array) if isinstance(like, Tensor) else array


def eye(like, n):
    return constant(np.eye(n), like)


def dtype_of(x):
    return (x._array if isinstance(x, Tensor) else x).dtype


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


def check_square(A, name):
    sizes = A._array.shape
    if len(sizes) < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if sizes[-1] != sizes[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {sizes[-2]} by {sizes[-1]} "
                           "matrices")
    if A._array.dtype.kind != "f":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got "
                           f"{dtypes.short_name(A._array.dtype)}")


# --- inverse, determinant, equations ----------------------------------------------------------------------------------

def _inverse_gradient(grad, inverse):
    turned_inverse = turned(inverse)
    return -times(turned_inverse, times(grad, turned_inverse))


@differentiable("LinalgInvExBackward0", outputs=("inverse",), self=_inverse_gradient)
def _inv(self):
    try:
        return by_columns(np.linalg.inv(self))
    except np.linalg.LinAlgError:
        raise LinAlgError(
            f"linalg.inv: {which_matrix(self)}The diagonal element {first_zero_pivot(self)} is zero, the inversion could "
            "not be completed because the input matrix is singular.") from None


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


def _det_gradient(grad, A, result):
    values = result._array if isinstance(result, Tensor) else np.asarray(result)
    if (values == 0).any():
        if not isinstance(A, Tensor):
            return column(column(grad)) * (A * 0)       # so PyTorch says, unless the gradient is itself recorded
        U, S, Vh = _svd(A, False)
        others = product_of_others(S, S._array.ndim - 1) * column(_det(U) * _det(Vh) * grad)
        return times(U * row(others), Vh)
    n = shape_of(A)[-1]
    weighted = shape._expand(column(grad * result), (*shape_of(A)[:-2], n))
    return _solve(turned(A), turned(on_diagonal(weighted)))


@differentiable("LinalgDetBackward0", A=_det_gradient)
def _det(A):
    return np.linalg.det(A)


def det(A):
    """The determinant of a square matrix, or of each of a batch."""
    check_square(A, "linalg.det")
    return _det(A)


def _slogdet_gradient(grads, A):
    if grads[1] is None:
        return None
    n = shape_of(A)[-1]
    return _solve(turned(A), turned(on_diagonal(shape._expand(column(grads[1]), (*shape_of(A)[:-2], n)))))


@differentiable("LinalgSlogdetBackward0", outputs=("sign", "logabsdet"), A=_slogdet_gradient)
def _slogdet(A):
    return tuple(np.linalg.slogdet(A))


def slogdet(A):
    """(sign, logabsdet) of the determinant."""
    check_square(A, "linalg.slogdet")
    return return_types.slogdet(_slogdet(A))


def logdet(A):
    """The logarithm of the determinant; nan if that is negative."""
    check_square(A, "logdet")
    sign, size = _slogdet(A)
    nan = wrap(np.asarray(np.nan, size._array.dtype))
    return comparison.where(sign == -1.0, nan, size)


def _solve_right(grad, A, result, B_shape):
    return _solve(turned(A), grad)


def _solve_left(grad, A, result, B_shape):
    through = _solve(turned(A), grad)
    if len(B_shape) == len(shape_of(A)) - 1:        # vectors
        return -(column(through) * row(result))
    return -times(through, turned(result))


@differentiable("LinalgSolveExBackward0", A=_solve_left, B=_solve_right)
def _solve(A, B):
    try:
        if B.ndim == A.ndim - 1:
            return np.linalg.solve(A, B[..., None])[..., 0]
        return np.linalg.solve(A, B)
    except np.linalg.LinAlgError:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.") from None


def solve(A, B, *, left=True):
    """X with A @ X = B (or X @ A = B with ``left=False``); B holds vectors or matrices."""
    check_square(A, "linalg.solve")
    return _solve(A, B) if left else turned(_solve(turned(A), turned(B)))


# --- factorisations ---------------------------------------------------------------------------------------------------

def _cholesky_gradient(grad, L):
    back = turned(_inv(L)) if isinstance(L, Tensor) else turned(np.linalg.inv(L))
    inner = times(turned(L), grad)
    symmetric = (lower(inner) + turned(lower(inner, 1))) * 0.5
    return times(back, symmetric, turned(back))


@differentiable("LinalgCholeskyExBackward0", outputs=("L",), self=_cholesky_gradient)
def _cholesky(self):
    try:
        return by_columns(np.linalg.cholesky(self))
    except np.linalg.LinAlgError:
        order = next((i for i in range(1, self.shape[-1] + 1) if (np.linalg.det(self[..., :i, :i]) <= 0).any()),
                     self.shape[-1])
        raise LinAlgError(
            "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the "
            f"leading minor of order {order} is not positive-definite).") from None


def cholesky(A, *, upper=False):
    """L, lower triangular, with L @ L.T = A, for a symmetric positive-definite A."""
    check_square(A, "linalg.cholesky")
    L = _cholesky(A)
    return turned(L) if upper else L


def _qr_gradient(grads, Q, R, mode):
    if mode == "complete" and shape_of(Q)[-1] > shape_of(R)[-1]:
        raise NotImplementedError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols")
    of_q, of_r = grads
    M = 0
    if of_r is not None:
        M = times(R, turned(of_r))
    if of_q is not None:
        M = M - times(turned(of_q), Q)
    inner = lower(M) + turned(lower(M, 1))
    total = times(Q, inner)
    if of_q is not None:
        total = total + of_q
    return turned(_solve(R, turned(total)))


@differentiable("LinalgQrBackward0", outputs=("Q", "R"), self=_qr_gradient)
def _qr(self, mode):
    return tuple([by_columns(part) for part in np.linalg.qr(self, mode)])


def qr(A, mode="reduced"):
    """(Q, R): orthonormal columns, and an upper triangle, with Q @ R = A."""
    return return_types.qr(_qr(A, mode))


def _eigh_gradient(grads, eigenvalues, eigenvectors):
    of_values, of_vectors = grads
    n = shape_of(eigenvalues)[-1]
    inner = 0
    if of_vectors is not None:
        gaps = row(eigenvalues) - column(eigenvalues) + eye(eigenvalues, n)
        inner = times(turned(eigenvectors), of_vectors) / gaps * constant(1 - np.eye(n), eigenvalues)
    if of_values is not None:
        if of_vectors is None:
            return times(eigenvectors * row(of_values), turned(eigenvectors))
        inner = inner + on_diagonal(of_values)
    return times(eigenvectors, inner, turned(eigenvectors))


@differentiable("LinalgEighBackward0", outputs=("eigenvalues", "eigenvectors"), self=_eigh_gradient)
def _eigh(self, UPLO):
    return tuple(np.linalg.eigh(self, UPLO))


def eigh(A, UPLO="L"):
    """(eigenvalues, eigenvectors) of a symmetric matrix, from the smallest eigenvalue on."""
    check_square(A, "linalg.eigh")
    return return_types.eigh(_eigh(A, UPLO))


def eigvalsh(A, UPLO="L"):
    """The eigenvalues of a symmetric matrix, from the smallest on."""
    check_square(A, "linalg.eigvalsh")
    return _eigh(A, UPLO)[0]


def _svd_gradient(grads, U, S, Vh, full_matrices):
    of_u, of_s, of_v = grads
    k = shape_of(S)[-1]
    m, n = shape_of(U)[-2], shape_of(Vh)[-1]
    if full_matrices and m != n and (of_u is not None or of_v is not None):
        raise NotImplementedError("svd with full_matrices=True: give a gradient only through the first columns")
    if full_matrices:
        U, Vh = slicing._slice(U, -1, 0, k, 1), slicing._slice(Vh, -2, 0, k, 1)
    if of_u is None and of_v is None:
        return None if of_s is None else times(U, column(of_s) * Vh) if m >= n else times(U * row(of_s), Vh)
    gaps = (row(S) - column(S)) * (row(S) + column(S)) + eye(S, k)
    inner = 0
    if of_u is not None:
        utgu = times(turned(U), of_u)
        inner = (utgu - turned(utgu)) / gaps * row(S)
    if of_v is not None:
        vtgv = times(Vh, turned(of_v))
        inner = inner + column(S) * ((vtgv - turned(vtgv)) / gaps)
    if of_s is not None:
        inner = inner + on_diagonal(of_s)
    total = times(U, inner, Vh)
    if m > k and of_u is not None:
        scaled = of_u / row(S)
        total = total + times(scaled - times(U, times(turned(U), scaled)), Vh)
    if n > k and of_v is not None:
        scaled = of_v / column(S)
        total = total + times(U, scaled - times(times(scaled, turned(Vh)), Vh))
    return total


@differentiable("LinalgSvdBackward0", outputs=("U", "S", "Vh"), A=_svd_gradient)
def _svd(A, full_matrices):
    return tuple(np.linalg.svd(A, full_matrices))


def svd(A, full_matrices=True):
    """(U, S, Vh): rotations and the singular values between them, U @ diag(S) @ Vh = A."""
    return return_types.svd(_svd(A, full_matrices))


def svdvals(A):
    """The singular values, from the largest on."""
    return _svd(A, False)[1]


def _pinv_gradient(grad, self, result):
    P, G = result, turned(grad)
    n, m = shape_of(P)[-2:]
    PG = times(G, P)
    through = -turned(times(P, PG))     # as of an inverse
    first = times(eye(P, m) - times(self, P), times(times(G, P), turned(P)))
    second = times(times(turned(P), times(P, G)), eye(P, n) - times(P, self))
    return through + first + second


@differentiable("LinalgPinvBackward0", self=_pinv_gradient)
def _pinv(self):
    return np.linalg.pinv(self, rcond=max(self.shape[-2:]) * np.finfo(self.dtype).eps)


def pinv(A):
    """The pseudo-inverse: the inverse where there is one, otherwise the nearest thing to it."""
    return _pinv(A)


def matrix_rank(A, tol=None):
    """How many singular values are not (numerically) 0."""
    s = np.linalg.svd(A._array, compute_uv=False)
    limit = s.max(-1, keepdims=True) * max(A._array.shape[-2:]) * np.finfo(s.dtype).eps if tol is None else tol
    return wrap(np.asarray((s > limit).sum(-1)))


def cond(A, p=None):
    """The condition number: the largest singular value by the smallest, or norm(A) * norm(inv(A))."""
    if p is None or p == 2:
        values = svdvals(A)
        return slicing.select(values, -1, 0) / slicing.select(values, -1, -1)
    return norms.matrix_norm(A, p) * norms.matrix_norm(inv(A), p)


METHODS = "inverse det slogdet logdet pinverse cholesky"


def pinverse(self):
    """`torch.linalg.pinv`."""
    return pinv(self)


from . import comparison, norms, slicing     # noqa: E402
