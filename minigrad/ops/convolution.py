"""Convolution in any number of dimensions: a small weight slides over the input, a number for each place.

Three operations are each other's derivatives: the convolution itself, what flows back to its input, and what
flows back to its weight.
"""
from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..autograd.differentiable import differentiable
from ..dtypes import cpp_name, short_name
from .normalization import _over_channels


@differentiable(
    "ConvolutionBackward0",
    input=lambda grad, input_shape, weight, bias_sizesopt, stride, padding, dilation, groups:
        _convolution_input(grad, weight, input_shape, stride, padding, dilation, groups),
    weight=lambda grad, input, weight_shape, stride, padding, dilation, groups:
        _convolution_weight(grad, input, weight_shape, stride, padding, dilation, groups),
    bias=lambda grad: _over_channels(grad, len(grad.shape)))
def _convolution(input, weight, bias, stride, padding, dilation, groups):
    """input (N, C, ...), weight (out, C / groups, ...): result (N, out, ...)."""
    check(input.shape, weight, bias, stride, padding, dilation, groups)
    if bias is not None and bias.dtype != input.dtype:
        raise RuntimeError(f"Input type ({cpp_name(input.dtype)}) and bias type ({cpp_name(bias.dtype)}) "
                           "should be the same")
    if input.dtype != weight.dtype:
        raise RuntimeError(f"expected scalar type {short_name(input.dtype)} but found "
                           f"{short_name(weight.dtype)}")
    spatial = input.ndim - 2
    windows = windows_of(input, weight.shape[2:], stride, padding, dilation)
    results = [np.tensordot(part, own, (channels_and_kernel(spatial), range(1, 2 + spatial)))
               for part, own in zip(np.split(windows, groups, 1), np.split(weight, groups))]
    result = np.ascontiguousarray(np.moveaxis(np.concatenate(results, -1), -1, 1))
    return result if bias is None else result + bias.reshape(-1, *[1] * spatial)


@differentiable(
    "ConvolutionBackwardBackward0",
    grad=lambda grad2, weight, stride, padding, dilation, groups:
        _convolution(grad2, weight, None, stride, padding, dilation, groups),
    weight=lambda grad2, grad, weight_shape, stride, padding, dilation, groups:
        _convolution_weight(grad, grad2, weight_shape, stride, padding, dilation, groups))
def _convolution_input(grad, weight, input_shape, stride, padding, dilation, groups):
    """What a gradient of the result is to the input: each number goes back to the places it was made of."""
    spatial = grad.ndim - 2
    pieces = [np.tensordot(part, own, ((1,), (0,)))         # (N, *places, C / groups, *kernel)
              for part, own in zip(np.split(grad, groups, 1), np.split(weight, groups))]
    pieces = np.moveaxis(np.concatenate(pieces, 1 + spatial), 1 + spatial, 1)
    padded = np.zeros((*input_shape[:2], *[n + 2 * p for n, p in zip(input_shape[2:], padding)]), grad.dtype)
    for place in np.ndindex(*weight.shape[2:]):
        reached = [slice(k * d, k * d + s * (n - 1) + 1, s)
                   for k, d, s, n in zip(place, dilation, stride, grad.shape[2:])]
        padded[(slice(None), slice(None), *reached)] += pieces[(..., *place)]
    inner = [slice(p, p + n) for p, n in zip(padding, input_shape[2:])]
    return np.ascontiguousarray(padded[(slice(None), slice(None), *inner)])


@differentiable(
    "ConvolutionBackwardBackward0",
    grad=lambda grad2, input, stride, padding, dilation, groups:
        _convolution(input, grad2, None, stride, padding, dilation, groups),
    input=lambda grad2, grad, input_shape, stride, padding, dilation, groups:
        _convolution_input(grad, grad2, input_shape, stride, padding, dilation, groups))
def _convolution_weight(grad, input, weight_shape, stride, padding, dilation, groups):
    """What a gradient of the result is to the weight: it meets every number under it once for each place."""
    spatial = grad.ndim - 2
    over = (0, *range(2, 2 + spatial))
    windows = windows_of(input, weight_shape[2:], stride, padding, dilation)
    return np.concatenate([np.tensordot(part, own, (over, over)) for part, own
                           in zip(np.split(grad, groups, 1), np.split(windows, groups, 1))])


def channels_and_kernel(spatial):
    return (1, *range(2 + spatial, 2 + 2 * spatial))


def windows_of(x, kernel, stride, padding, dilation, fill=0):
    """A view of x, padded, with what lies under the kernel at each place: (N, C, *places, *kernel)."""
    if any(padding):
        x = np.pad(x, ((0, 0), (0, 0), *[(p, p) for p in padding]), constant_values=fill)
    steps = x.strides[2:]
    shape = (*x.shape[:2], *places_of(x.shape[2:], kernel, stride, dilation), *kernel)
    return as_strided(x, shape, (*x.strides[:2], *[s * n for s, n in zip(steps, stride)],
                                 *[s * n for s, n in zip(steps, dilation)]), writeable=False)


def places_of(sizes, kernel, stride, dilation):
    """How often a kernel fits into each dimension."""
    return [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(sizes, kernel, stride, dilation)]


def check(sizes, weight, bias, stride, padding, dilation, groups):
    """Refuse, in PyTorch's words, what does not fit together."""
    shape, spatial = list(weight.shape), weight.ndim - 2
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if spatial < 1:
        raise RuntimeError("weight should have at least three dimensions")
    for name, values in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        if len(values) != spatial:
            raise RuntimeError(f"expected {name} to be a single integer value or a list of {spatial} values "
                               f"to match the convolution dimensions, but got {name}={list(values)}")
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    check_dimensions(sizes, shape)
    if min(dilation) <= 0:
        raise RuntimeError("dilation should be greater than zero")
    if shape[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, "
                           f"but got weight of size {shape} instead")
    if shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension "
                           f"0, but got weight of size [{shape}] instead")
    if sizes[1] != shape[1] * groups:
        raise RuntimeError(f"Given groups={groups}, weight of size {shape}, expected input{list(sizes)} to "
                           f"have {shape[1] * groups} channels, but got {sizes[1]} channels instead")
    if bias is not None and bias.shape != (shape[0],):
        raise RuntimeError(f"Given weight of size {shape}, expected bias to be 1-dimensional with {shape[0]} "
                           f"elements, but got bias of size {list(bias.shape)} instead")
    padded = [n + 2 * p for n, p in zip(sizes[2:], padding)]
    reach = [d * (k - 1) + 1 for k, d in zip(shape[2:], dilation)]
    if any(n < r for n, r in zip(padded, reach)):
        raise RuntimeError(f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). "
                           f"Kernel size: ({' x '.join(map(str, reach))}). Kernel size can't be greater than "
                           "actual input size")


def check_dimensions(sizes, shape):
    if len(sizes) != len(shape):
        raise RuntimeError(f"Expected {len(shape)}-dimensional input for {len(shape)}-dimensional weight"
                           f"{shape}, but got {len(sizes)}-dimensional input of size {list(sizes)} instead")


def same_padding(kernel, dilation):
    """(before, after) of each dimension, that a convolution may keep the sizes."""
    totals = [d * (k - 1) for k, d in zip(kernel, dilation)]
    return [(total // 2, total - total // 2) for total in totals]
