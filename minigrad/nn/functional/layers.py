"""What layers compute: linear maps, tables of vectors, dropout, normalization."""
from __future__ import annotations

import math

from ...arguments import function_form, handing_on
from ...creation import empty_like
from ...errors import only_bool, refuse_unless_tensor, whole_number

from ...ops.index_select import _one_hot
from ...ops.matmul import linear
from ...ops.pointwise import float_only  # noqa
from ...errors import warn


@handing_on("pad", "input pad mode value")
def pad(input, pad, mode="constant", value=None):
    """`value`, or 0, before and after along the last dimensions; negative numbers cut away.

    pad: (before, after) for the last dimension, then for the one before it, and so on.
    mode: or "reflect", "replicate" or "circular", for what is there already.
    """
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if value not in (None, 0):
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    count, ndim = len(pad) // 2, input._array.ndim
    if count not in (1, 2, 3) or ndim not in (count + 1, count + 2):
        raise NotImplementedError(PADDABLE.format(len(pad), ndim))
    if mode == "circular":
        return padding.circular(input, tuple(pad))
    if mode not in padding.BY_MODE:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return padding.BY_MODE[mode][count - 1](input, tuple(pad))


PADDABLE = (
    "Padding size {} is not supported for {}D input tensor.\nSupported combinations for non-constant padding:"
    "\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n  - 3D or 4D input: padding size = 4 "
    "(pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)")


@function_form
def one_hot(tensor, num_classes=-1):
    """A 1 at the place that each integer names, 0 elsewhere, in a new last dimension."""
    return _one_hot(tensor, num_classes)


# --- dropout ------------------------------------------------------------------------------------------------

@handing_on("dropout", "input p training")
def dropout(input, p=0.5, training=True, inplace=False):
    """When training, zero with probability p, else input / (1 - p); otherwise the input itself."""
    check_probability(p)
    refuse_unless_tensor(input, "dropout", inplace)
    only_bool(training)
    if p == 0 or not training or not input._array.size:
        return input
    noise = empty_like(input)
    if p == 1:
        noise.zero_()
    else:
        noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


ALPHA = 1.7580993408473766      # minus the limit of selu far below 0


def check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


# --- normalization ------------------------------------------------------------------------------------------


# --- dropout of whole channels ------------------------------------------------------------------------------


__all__ = ['dropout', 'linear', 'one_hot', 'pad']
