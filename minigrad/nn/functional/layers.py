"""What layers compute: linear maps, tables of vectors, dropout, normalization."""
from __future__ import annotations

import math

from ...arguments import function_form, handing_on
from ...creation import empty_like
from ...limits import finfo
from ...messages import only_bool, refuse_unless_tensor, whole_number
from ...ops import normalization as kernels
from ...ops import padding
from ...ops.arithmetic import _add_number
from ...ops.grouping import _native_group_norm
from ...ops.indexing import _embedding, _one_hot
from ...ops.linalg import linear
from ...ops.operands import float_only
from ...ops.rearrange import constant_pad_nd
from ...warn import warn


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
def bilinear(input1, input2, weight, bias=None):
    """x1 @ W @ x2 for each of the matrices W in `weight` (out, in1, in2), plus bias."""
    check_bilinear(*[x.size() for x in (input1, input2, weight)], bias)
    shape = input1.size()[:-1]
    flat1, flat2 = input1.view(-1, input1.size()[-1]), input2.view(-1, input2.size()[-1])
    result = kernels._trilinear(flat1, weight, flat2, "ni,oij,nj->no").view(*shape, weight.size()[0])
    return result if bias is None else result + bias


def check_bilinear(size1, size2, size, bias):
    """Refuse inputs that do not go with each other or with the weight."""
    if len(size1) != len(size2):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(size1)} and {len(size2)}")
    for i, (a, b) in enumerate(zip(size1[:-1], size2[:-1])):
        if a != b:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {a} and {b}")
    for i, given in enumerate((size1, size2), 1):
        if given[-1] != size[i]:
            raise RuntimeError(f"bilinear(): input{i} size does not match weight size: got {given[-1]} but "
                               f"expected {size[i]}")
    if bias is not None and bias.size(0) != size[0]:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.size(0)} but "
                           f"expected {size[0]}")


@handing_on("embedding", "weight input")
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
              sparse=False):
    """The rows of `weight` (rows, n) at the places that the integers in `input` name: shape (*input, n).

    padding_idx: the row that takes no gradient.
    """
    if weight._array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    rows = weight._array.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += rows
    return _embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


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


@handing_on("alpha_dropout", "input p training")
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout for networks of selu: keeps mean 0 and variance 1."""
    check_probability(p)
    refuse_unless_tensor(input, "alpha_dropout", inplace)
    only_bool(training)
    if p == 0 or not training or not input._array.size:
        return input
    if p == 1:
        return input * empty_like(input).zero_()
    a = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    noise = empty_like(input).bernoulli_(1 - p)
    shift = noise.add(-1).mul_(ALPHA * a).add_(ALPHA * a * p)
    noise.mul_(a)
    return input.mul_(noise).add_(shift) if inplace else (input * noise).add_(shift)


def check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


# --- normalization ------------------------------------------------------------------------------------------

@handing_on("layer_norm", "input normalized_shape weight bias eps")
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Mean 0 and variance 1 over the last dimensions, which are `normalized_shape`; * weight + bias."""
    shape, x = tuple([n if type(n) is int else whole_number(n) for n in normalized_shape]), input._array
    kernels.refuse_mixed(x, *[v._array for v in (weight, bias) if v is not None][:1])
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                           "least one element, but got normalized_shape = []")
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and value._array.shape != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of "
                               f"shape {list(value._array.shape)} and normalized_shape = {list(shape)}")
    if x.shape[len(x.shape) - len(shape):] != shape or x.ndim < len(shape):
        expected = ", ".join(["*", *[str(n) for n in shape]])
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [{expected}], "
                           f"but got input of size{list(x.shape)}")
    return kernels._native_layer_norm(input, shape, weight, bias, eps)[0]


@handing_on("batch_norm", "input weight bias running_mean running_var training momentum eps")
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1,
               eps=1e-5):
    """Mean 0 and variance 1 in each channel (dimension 1); * weight + bias.

    training: take mean and variance of this batch, and move the running ones towards them; else use those.
    """
    x = input._array
    if training:
        if x.size == x.shape[1] if x.ndim > 1 else True:
            raise ValueError("Expected more than 1 value per channel when training, got input size "
                             f"{input.size()}")
    else:
        for name, value in (("running_mean", running_mean), ("running_var", running_var)):
            if value is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    for name, value in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight),
                        ("bias", bias)):
        if value is not None and value._array.size != x.shape[1]:
            raise RuntimeError(f"{name} should contain {x.shape[1]} elements not {value._array.size}")
    float_only(x, "batch_norm")
    return kernels._native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum,
                                      eps)[0]


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Mean 0 and variance 1 over each of `num_groups` groups of channels (dimension 1); * weight + bias."""
    input.dim()
    shape = list(input._array.shape)
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if shape[0] * math.prod(shape[2:]) * (shape[1] // num_groups) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")
    if shape[1] % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got "
                           f"input of shape {shape} and num_groups={num_groups}")
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and value._array.shape != (shape[1],):
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of channels in "
                               f"input, but got {name} of shape {list(value._array.shape)} and input of "
                               f"shape {shape}")
    float_only(input._array, "GroupNormKernelImpl")
    return _native_group_norm(input, weight, bias, num_groups, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """`input` divided by its root mean square over the last dimensions, which must be `normalized_shape`."""
    shape, sizes = tuple(normalized_shape), input._array.shape
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                           "least one element, but got normalized_shape = []")
    if weight is not None and weight._array.shape != shape:
        raise RuntimeError("Expected weight to be of same shape as normalized_shape, but got weight of shape "
                           f"{list(weight._array.shape)} and normalized_shape = {list(shape)}")
    if sizes[len(sizes) - len(shape):] != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[*{', '.join(map(str, shape))}], but got input of size{list(sizes)}")
    float_only(input._array, "rms_norm")
    eps = finfo(input.dtype).eps if eps is None else eps
    mean = (input ** 2).mean(tuple(range(-len(shape), 0)), keepdim=True)
    result = input * _add_number(mean, eps).rsqrt()
    return result if weight is None else result * weight


# --- dropout of whole channels ------------------------------------------------------------------------------

def dropout1d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of `input` (N, C, L) or (C, L)."""
    check_probability(p)
    if input._array.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input._array.ndim}D input. "
                           "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
                           "spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D "
                           "or 3D inputs).")
    if input._array.ndim == 3:
        return feature_dropout(input, p, training, inplace)
    return feature_dropout(input.unsqueeze(0), p, training, inplace).squeeze(0)


def feature_dropout(input, p, training, inplace):
    """Dropout in which the numbers of one channel of one sample live or die together."""
    if p == 0 or not training or not input._array.size:
        return input
    if input._array.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    noise = input.new_empty((*input._array.shape[:2], *[1] * (input._array.ndim - 2)))
    noise = noise.zero_() if p == 1 else noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of `input` (N, C, H, W)."""
    check_probability(p)
    warn_unless_pictures("dropout2d", input._array.ndim, 2, "3D or 4D")
    if input._array.ndim == 3:
        warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
             "is desired - input is interpreted as shape (N, C, L), where C is the channel dim. This "
             "behavior will change in a future release to interpret the input as one without a batch "
             "dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please "
             "switch to using dropout1d instead.")
    return feature_dropout(input, p, training, inplace)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of `input` (N, C, D, H, W) or (C, D, H, W)."""
    check_probability(p)
    warn_unless_pictures("dropout3d", input._array.ndim, 3, "4D or 5D")
    if input._array.ndim == 5:
        return feature_dropout(input, p, training, inplace)
    return feature_dropout(input.unsqueeze(0), p, training, inplace).squeeze(0)


def warn_unless_pictures(name, ndim, spatial, wanted):
    if ndim not in (spatial + 1, spatial + 2):
        warn(f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error "
             "in a future release. To retain the behavior and silence this warning, please use dropout "
             f"instead. Note that {name} exists to provide channel-wise dropout on inputs with {spatial} "
             "spatial dimensions, a channel dimension, and an optional batch dimension (i.e. "
             f"{wanted} inputs).")


__all__ = ["alpha_dropout", "batch_norm", "bilinear", "dropout", "dropout1d", "dropout2d", "dropout3d",
           "embedding",
           "group_norm", "layer_norm", "linear", "one_hot", "pad", "rms_norm"]
