"""Matrices taken apart: Cholesky, QR, eigenvalues, singular values, and what follows from them."""
from __future__ import annotations

import numpy as np

from .. import dtypes, return_types
from ..autograd.differentiable import differentiable
from ..tensor import Tensor, wrap
from ..warn import warn_once
from . import matrices, shape, slicing
from .either import shape_of
from .matrices import (
    LinAlgError,
    _inv,
    by_columns,
    check_matrix,
    check_square,
    column,
    constant,
    eye,
    lower,
    on_diagonal,
    row,
    solution,
    times,
    turned,
)


def _cholesky_gradient(grad, L):
    back = turned(_inv(L)) if isinstance(L, Tensor) else turned(np.linalg.inv(L))
    inner = times(turned(L), grad)
    symmetric = (lower(inner) + turned(lower(inner, 1))) * 0.5
    return times(back, symmetric, turned(back))


def _either_gradient(grad, L, upper):
    return _cholesky_gradient(turned(grad), turned(L)) if upper else _cholesky_gradient(grad, L)


@differentiable("LinalgCholeskyExBackward0", outputs=("L",), self=_either_gradient)
def _cholesky(self, upper):
    L = triangle(self, "linalg.cholesky")
    return np.swapaxes(L, -1, -2) if upper else L


def triangle(array, name):
    """L of an array; in errors, the function has this name."""
    try:
        return by_columns(np.linalg.cholesky(array))
    except np.linalg.LinAlgError:
        n = array.shape[-1]
        order = next((i for i in range(1, n + 1) if (np.linalg.det(array[..., :i, :i]) <= 0).any()), n)
        raise LinAlgError(
            f"{name}: The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {order} is not positive-definite).") from None


def linalg_cholesky(A, *, upper=False):
    """L, lower triangular, with L @ L.T = A, for a symmetric positive-definite A."""
    check_square(A, "linalg.cholesky")
    return _cholesky(A, upper)


def _qr_gradient(grads, Q, R, mode):
    if mode == "complete" and shape_of(Q)[-1] > shape_of(R)[-1]:
        raise NotImplementedError("The QR decomposition is not differentiable when mode='complete' and nrows "
                                  "> ncols")
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
    return turned(solution(R, turned(total)))


@differentiable("LinalgQrBackward0", outputs=("Q", "R"), self=_qr_gradient)
def _qr(self, mode):
    return tuple([by_columns(part) for part in np.linalg.qr(self, mode)])


def qr(A, mode="reduced"):
    """(Q, R): orthonormal columns, and an upper triangle, with Q @ R = A."""
    check_matrix(A, "linalg.qr")
    return return_types.qr(_qr(A, mode))


def _eigh_gradient(grads, eigenvalues, eigenvectors):
    of_values, of_vectors = grads
    n = shape_of(eigenvalues)[-1]
    inner = 0
    if of_vectors is not None:
        gaps = row(eigenvalues) - column(eigenvalues) + eye(eigenvalues, n)
        turning = times(turned(eigenvectors), of_vectors)       # only its antisymmetric part turns them
        inner = (turning - turned(turning)) * 0.5 / gaps * constant(1 - np.eye(n), eigenvalues)
    if of_values is not None:
        if of_vectors is None:
            return times(eigenvectors * row(of_values), turned(eigenvectors))
        inner = inner + on_diagonal(of_values)
    return times(eigenvectors, inner, turned(eigenvectors))


@differentiable("LinalgEighBackward0", outputs=("eigenvalues", "eigenvectors"), self=_eigh_gradient)
def _eigh(self, UPLO):
    values, vectors = np.linalg.eigh(self, UPLO)
    return values, by_columns(vectors)


def eigh(A, UPLO="L"):
    """(eigenvalues, eigenvectors) of a symmetric matrix, from the smallest eigenvalue on."""
    check_square(A, "linalg.eigh", "linalg_eigh_cpu")
    return return_types.eigh(_eigh(A, UPLO))


def eigvalsh(A, UPLO="L"):
    """The eigenvalues of a symmetric matrix, from the smallest on."""
    check_square(A, "linalg.eigvalsh", "linalg_eigh_cpu")
    return _eigh(A, UPLO)[0]


def _svd_gradient(grads, U, S, Vh, full_matrices):
    of_u, of_s, of_v = grads
    k = shape_of(S)[-1]
    m, n = shape_of(U)[-2], shape_of(Vh)[-1]
    if full_matrices and m != n and (of_u is not None or of_v is not None):
        raise NotImplementedError("svd with full_matrices=True: give a gradient only through the first "
                                  "columns")
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
    U, S, Vh = np.linalg.svd(A, full_matrices)
    return by_columns(U), S, Vh


def svd(A, full_matrices=True):
    """(U, S, Vh): rotations and the singular values between them, U @ diag(S) @ Vh = A."""
    check_matrix(A, "linalg.svd")
    return return_types.svd(_svd(A, full_matrices))


def svdvals(A):
    """The singular values, from the largest on."""
    check_matrix(A, "linalg.svd")
    return _svd(A, False)[1]


def _pinv_gradient(grad, self, result):
    P, Ph, G = result, turned(result), turned(grad)
    rows, columns = shape_of(self)[-2:]
    if rows <= columns:
        K = times(G, P)
        KP = times(K, Ph)
        return (-turned(times(P, K)) + KP - times(times(self, P), KP)
                + times(times(Ph, P), G - times(K, self)))
    K = times(P, G)
    PK = times(Ph, K)
    return (-turned(times(K, P)) + times(times(G - times(self, K), P), Ph) + PK
            - times(times(PK, P), self))


@differentiable("LinalgPinvBackward0", self=_pinv_gradient)
def _pinv(self, atol, rtol, hermitian):
    if not self.size:
        return np.zeros((*self.shape[:-2], *self.shape[:-3:-1]), self.dtype)
    sizes = np.linalg.svd(self, compute_uv=False).max(-1)       # what counts as 0, beside the largest
    part = np.divide(smallest(self, sizes, atol, rtol), sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return np.linalg.pinv(self, rcond=np.minimum(part, 2), hermitian=hermitian).astype(self.dtype)


def smallest(array, largest, atol, rtol):
    """Up to where a singular value counts as 0: `atol`, or the part `rtol` of the largest."""
    if rtol is None:
        rtol = 0.0 if atol is not None else max(array.shape[-2:]) * np.finfo(array.dtype).eps
    return np.maximum(0.0 if atol is None else atol, rtol * largest)


def limit(value):
    """A tolerance given as a tensor, as an array."""
    return value._array if isinstance(value, Tensor) else value


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """The pseudo-inverse: the inverse where there is one, otherwise the nearest thing to it.

    atol, rtol: singular values up to atol, or up to rtol times the largest, count as 0.
    """
    if A._array.ndim < 2 or A._array.dtype.kind != "f":
        kind = dtypes.short_name(A._array.dtype)
        raise RuntimeError(f"linalg.pinv({kind}{{{list(A._array.shape)}}}): expected a tensor with 2 or more "
                           "dimensions of float, double, cfloat or cdouble types")
    return _pinv(A, limit(atol), limit(rtol if rcond is None else rcond), hermitian)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    """How many singular values are not (numerically) 0; `atol` and `rtol` as for `pinv`."""
    if A._array.dtype.kind != "f":
        raise RuntimeError("This function doesn't handle types other than float and double")
    s = np.linalg.svd(A._array, compute_uv=False)
    if tol is not None:
        atol, rtol = tol, 0.0
    if not s.shape[-1]:
        return wrap(np.zeros(s.shape[:-1], np.int64))
    found = smallest(A._array, s.max(-1, keepdims=True), *[
        v[..., None] if isinstance(v, np.ndarray) else v for v in (limit(atol), limit(rtol))])
    return wrap(np.asarray((s > found).sum(-1)))


def cond(A, p=None):
    """The condition number: the largest singular value by the smallest, or norm(A) * norm(inv(A))."""
    check_matrix(A, "linalg.svd")
    if p is None or p == 2:
        values = svdvals(A)
        last = values._array.shape[-1] - 1
        ratio = slicing.narrow(values, -1, 0, 1) / slicing.narrow(values, -1, last, 1)
        return shape.squeeze(ratio, -1)
    return norms.matrix_norm(A, p) * norms.matrix_norm(matrices.inv(A), p)


def pinverse(self, rcond=1e-15):
    """`torch.linalg.pinv`."""
    return pinv(self, rcond)


@differentiable("CholeskyBackward0", self=lambda grad, result, upper: _either_gradient(grad, result, upper))
def _old_cholesky(self, upper):
    L = triangle(self, "cholesky")
    return np.swapaxes(L, -1, -2) if upper else L


def cholesky(self, upper=False):
    """`torch.linalg.cholesky`, as it was called once."""
    warn_once(OLD_CHOLESKY)
    check_square(self, "cholesky", "cholesky_cpu")
    return _old_cholesky(self, upper)


OLD_CHOLESKY = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
    "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
    "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform "
    "will produce equivalent results for all valid (symmetric positive definite) inputs.")
METHODS = "pinverse cholesky"

from . import norms  # noqa: E402
