"""``out=``: a function writes its result into a tensor that is there already, instead of a new one."""
from __future__ import annotations

import warnings
from functools import wraps

from .. import dtypes
from ..autograd.grad_mode import local, no_grad
from ..memory import refuse_overlap
from ..messages import argument_must_be
from ..tensor import Tensor
from . import writing

# The functions that can: in PyTorch, nearly all that compute something new.
NAMES = """
abs absolute acos add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax any argmax argmin asin
atan atan2 baddbmm bmm cat ceil clamp clamp_max clamp_min column_stack concat copysign cos cosh cumprod
cumsum diff div divide dot dstack eq erf erfc exp exp2 expm1 fix floor floor_divide fmax fmin fmod frac
gather ge ger greater greater_equal gt heaviside hstack hypot index_add index_copy index_select inner
isneginf isposinf kron le lerp less less_equal lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2
logcumsumexp logical_and logical_not logical_or logical_xor logsumexp lt masked_select matmul max maximum
mean min minimum mm mul multiply mv nan_to_num nansum ne neg negative norm not_equal outer pow prod
reciprocal remainder round rsqrt sigmoid sign sin sinc sinh softmax sort sqrt square stack std sub subtract
sum take tan tanh tensordot topk tril triu true_divide trunc var vdot vstack where xlogy
"""

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the "
    "required output shape {}. This behavior is deprecated, and in a future PyTorch release outputs will "
    "not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing "
    "it, inplace, to zero elements with t.resize_(0).")


def with_out(function):
    """The same function with an `out` argument."""
    name = function.__name__

    @wraps(function)
    def call(*args, out=None, **options):
        if out is None:
            return function(*args, **options)
        outs = out if isinstance(out, (tuple, list)) else (out,)
        for one in outs:
            if not isinstance(one, Tensor):
                raise argument_must_be(name, "out", len(args), one)
        if local.state.recording and requires_grad([*outs, *args, *options.values()]):
            raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                               "differentiation, but one of the arguments requires grad.")
        with no_grad():
            made = function(*args, **options)
            for one, result in zip(outs, made if isinstance(made, tuple) else (made,)):
                fill(one, result)
        return type(made)(outs) if isinstance(made, tuple) else out
    return call


def requires_grad(values):
    flat = [v for value in values for v in (value if isinstance(value, (tuple, list)) else (value,))]
    return any([isinstance(v, Tensor) and v.requires_grad for v in flat])


def fill(out, result):
    """Write a result into a tensor, which takes its shape."""
    array, given = out._array, result._array
    refuse_overlap(array)
    if not dtypes.can_cast(given.dtype, array.dtype):
        raise RuntimeError(f"result type {dtypes.short_name(given.dtype)} can't be cast to the desired "
                           f"output type {dtypes.short_name(array.dtype)}")
    if array.shape != given.shape:
        if array.size:
            warnings.warn(RESIZED.format(list(array.shape), list(given.shape)), UserWarning, stacklevel=4)
        writing.give_size(out, given.shape)
    writing.copy_(out, result)
