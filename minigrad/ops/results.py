"""``out=``: a function writes its result into a tensor that is there already, instead of a new one."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..arguments import explain, in_words, like
from ..autograd.grad_mode import no_grad
from ..autograd.inplace import OVERLAPS_SOURCE
from ..memory import partly_the_same, refuse_overlap, the_same
from ..errors import RESIZED
from .return_types import out_form
from ..state import local
from ..tensor import Tensor, wrap
from ..errors import warn
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

# Those among them through which no gradient goes: that an argument requires one does no harm.
CONSTANT = frozenset("""
all any argmax argmin eq floor_divide ge greater greater_equal gt heaviside isneginf isposinf le less
less_equal logical_and logical_not logical_or logical_xor lt ne not_equal
""".split())


NOT_GIVEN = object()


# Those whose result has the dtype of their input, and which convert neither.
OF_ONE_DTYPE = frozenset("abs absolute ceil clamp clamp_max clamp_min fix floor frac neg negative round sign "
                         "trunc"
                         .split())


# Those that convert nothing and say so in their own words.
OF_SAME_DTYPE = {}

# Those that may not write over what they read, nor over part of it; most may, element by element.
READS_ELSEWHERE = frozenset("cat column_stack concat dstack gather hstack index_select kron masked_select "
                            "stack take vstack".split())

# Those that compute a copy of their own first, or that do not look.
NEVER_MINDS = frozenset("""
addbmm addmv addr all amax amin aminmax any argmax argmin baddbmm bmm diff dot index_add index_copy inner
log_softmax logsumexp matmul mean mm mv nansum norm outer prod softmax sort std sum tensordot topk tril triu
var vdot
""".split())


def with_out(function, name):
    """The function `name` of a method, with an `out` argument."""
    def call(*args, out=NOT_GIVEN, **options):
        if out is None or out is NOT_GIVEN:
            try:
                if options and not args and "input" in options:
                    others = dict(options)
                    return function(others.pop("input"), **others)
                return function(*args, **options)
            except Exception as error:
                given = options if out is NOT_GIVEN else {**options, "out": None}
                raise in_words(error, name, args, given) from None
        if not args and "input" in options:
            args = (options.pop("input"),)
        refusal = explain(name, args, {**options, "out": out})
        if refusal:
            raise refusal
        outs = out if isinstance(out, (tuple, list)) else (out,)
        if not isinstance(outs[0], Tensor):         # add(x, 1, out=3): there, numbers count as tensors
            outs = (wrap(np.asarray(out)),)
        if (local.state.recording and name not in CONSTANT
                and requires_grad([*outs, *args, *options.values()])):
            raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                               "differentiation, but one of the arguments requires grad.")
        if name not in NEVER_MINDS:
            refuse_shared(outs, [*args, *options.values()], name in READS_ELSEWHERE)
        with no_grad():
            made = function(*args, **options)
            if name == "where" and outs[0]._array.dtype != made._array.dtype:
                raise RuntimeError(f"Expected out type to be {dtypes.short_name(made._array.dtype)} but got "
                                   f"{dtypes.short_name(outs[0]._array.dtype)}")
            for one, result in zip(outs, made if isinstance(made, tuple) else (made,)):
                if name in OF_ONE_DTYPE and one._array.dtype != result._array.dtype:
                    raise RuntimeError(f"Found dtype {dtypes.short_name(one._array.dtype)} but expected "
                                       f"{dtypes.short_name(result._array.dtype)}")
                if name in OF_SAME_DTYPE and one._array.dtype != result._array.dtype:
                    raise RuntimeError(OF_SAME_DTYPE[name](result._array.dtype, one._array.dtype))
                fill(one, result)
        return out_form(type(made))(outs) if isinstance(made, tuple) else out
    return like(function, call, name)


def tensors_in(values):
    flat = [v for value in values for v in (value if isinstance(value, (tuple, list)) else (value,))]
    return [v for v in flat if isinstance(v, Tensor)]


def requires_grad(values):
    return any([v.requires_grad for v in tensors_in(values)])


def refuse_shared(outs, operands, exactly_too):
    """What is read may lie in the memory that is written, if at all, element by element only."""
    for one in outs:
        for other in tensors_in(operands):
            a, b = one._array, other._array
            if partly_the_same(a, b) or exactly_too and the_same(a, b):
                raise RuntimeError(OVERLAPS_SOURCE)


def fill(out, result):
    """Write a result into a tensor, which takes its shape."""
    array, given = out._array, result._array
    refuse_overlap(array)
    if not dtypes.can_cast(given.dtype, array.dtype):
        raise RuntimeError(f"result type {dtypes.short_name(given.dtype)} can't be cast to the desired "
                           f"output type {dtypes.short_name(array.dtype)}")
    if array.shape != given.shape:
        if array.size:
            warn(RESIZED.format(list(array.shape), list(given.shape)))
        writing.give_size(out, given.shape)
    writing.copy_(out, result)
