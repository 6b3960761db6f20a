"""Lengths and angles: the distance of rows, their cosine, rows scaled to length 1."""
from __future__ import annotations

from ...arguments import function_form
from ...autograd.differentiable import differentiable
from ...autograd.grad_mode import no_grad
from ...dtypes import short_name
from ...messages import argument_must_be, common_shape
from ...metadata import result_type
from ...ops.arithmetic import _add_number
from ...ops.distances import pdist
from ...ops.norms import length, norm_gradient, vector_norm
from ...tensor import Tensor


@differentiable("NormBackward1", self=lambda grad, self, p, result, dim, keepdim:
                norm_gradient(grad, self, p, result, dim, keepdim))
def _norm(self, p, dim, keepdim):
    return length(self, p, dim, keepdim)


@function_form
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of x1 - x2 + eps over the last dimension."""
    for place, one in enumerate((x1, x2), 1):
        if not isinstance(one, Tensor):
            raise argument_must_be("pairwise_distance", f"x{place}", place, one)
    away = _add_number(x1 - x2, eps)
    return _norm(away, float(p), (away._array.ndim - 1,), keepdim)


@function_form
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between x1 and x2 along `dim`; neither length counts as less than `eps`."""
    kind = result_type(x1, x2)
    if not kind.is_floating_point:
        raise RuntimeError("expected common dtype to be floating point, yet common dtype is "
                           + short_name(kind.numpy))
    x1, x2 = [x if x.is_floating_point() else x.to(kind) for x in (x1, x2)]
    if x1.size() != x2.size():
        common = common_shape(x1._array.shape, x2._array.shape)
        x1, x2 = x1.expand(common), x2.expand(common)
    scaled = []
    for x in (x1, x2):
        size = vector_norm(x, 2, dim, True).clone()
        with no_grad():
            size.clamp_(min=eps)
        scaled.append(x / size)
    return (scaled[0] * scaled[1]).sum(dim)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """`input` divided by its p-norm along `dim`, which counts as at least `eps`."""
    size = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / size


__all__ = ["cosine_similarity", "normalize", "pairwise_distance", "pdist"]
