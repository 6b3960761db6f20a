"""Pooling: of the numbers under a window that moves over pictures, the largest or the mean."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable
from ..messages import not_implemented_for
from .convolution import windows_of
from .elementwise import zeros_like

# --- the largest --------------------------------------------------------------------------------------------


@differentiable("MaxPool2DWithIndicesBackward0", outputs=("result0", "result1"),
                self=lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1:
                _max_pool2d_backward(grad, self, result1))
def _max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest of each window of pictures (..., H, W), and where in its picture it is."""
    check_window(self.shape, kernel_size, stride, padding, dilation, ceil_mode)
    lowest = -np.inf if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    numbers = np.arange(self.shape[-2] * self.shape[-1]).reshape(self.shape[-2:])
    windows, places = [windows_in(x, kernel_size, stride, padding, dilation, ceil_mode, fill)
                       for x, fill in ((self, lowest), (numbers, -1))]
    which = np.argmax(windows, -1)[..., None]           # of equal ones the first
    shape = (*self.shape[:-2], *windows.shape[1:3])
    indices = np.take_along_axis(np.broadcast_to(places, windows.shape), which, -1)
    return np.take_along_axis(windows, which, -1).reshape(shape), indices.reshape(shape)


@differentiable("MaxPool2DWithIndicesBackwardBackward0",
                grad=lambda grad2, indices: _picked(grad2, indices),
                self=lambda grad2, self: zeros_like(self), indices=None)
def _max_pool2d_backward(grad, self, indices):
    """Each gradient goes back to where the largest number was."""
    return put_back(grad, indices, self.shape)


def put_back(grad, indices, shape):
    result = np.zeros((int(np.prod(shape[:-2])), shape[-2] * shape[-1]), grad.dtype)
    rows = np.arange(len(result))[:, None]
    np.add.at(result, (rows, indices.reshape(len(result), -1)), grad.reshape(len(result), -1))
    return result.reshape(shape)


@differentiable("GatherBackward0", self=lambda grad, self_shape, indices:
                _unpicked(grad, indices, self_shape), indices=None)
def _picked(self, indices):
    flat_self = self.reshape(*self.shape[:-2], -1)
    flat_indices = indices.reshape(*indices.shape[:-2], -1)
    return np.take_along_axis(flat_self, flat_indices, -1).reshape(indices.shape)


@differentiable("GatherBackwardBackward0", grad=lambda grad2, indices: _picked(grad2, indices), indices=None)
def _unpicked(grad, indices, shape):
    return put_back(grad, indices, shape)


# --- the mean -----------------------------------------------------------------------------------------------

def _avg_input(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    return _avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                                divisor_override)


@differentiable("AvgPool2DBackward0", self=_avg_input)
def _avg_pool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The mean of each window of pictures (..., H, W)."""
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    check_window(self.shape, kernel_size, stride, padding, (1, 1), ceil_mode)
    total = np.add.reduce(windows_in(self, kernel_size, stride, padding, (1, 1), ceil_mode, 0), -1)
    divisor = divisors(self.shape, kernel_size, stride, padding, ceil_mode, count_include_pad,
                       divisor_override)
    divide = np.divide if self.dtype.kind == "f" else np.floor_divide
    return divide(total, divisor.astype(self.dtype)).reshape(*self.shape[:-2], *divisor.shape)


def _avg_again(grad2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    return _avg_pool2d(grad2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@differentiable("AvgPool2DBackwardBackward0", grad=_avg_again, self=lambda grad2, self: zeros_like(self))
def _avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                         divisor_override):
    """Each gradient goes back to all that it is the mean of."""
    shape = self.shape
    divisor = divisors(shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    shares = grad / divisor.astype(grad.dtype)
    reach = [(n - 1) * s + k for n, s, k in zip(grad.shape[-2:], stride, kernel_size)]
    size = [max(r, n + 2 * p) for r, n, p in zip(reach, shape[-2:], padding)]
    padded = np.zeros((*shape[:-2], *size), grad.dtype)
    for place in np.ndindex(*kernel_size):
        reached = [slice(k, k + s * (n - 1) + 1, s) for k, s, n in zip(place, stride, grad.shape[-2:])]
        padded[(..., *reached)] += shares
    inner = [slice(p, p + n) for p, n in zip(padding, shape[-2:])]
    return np.ascontiguousarray(padded[(..., *inner)])


def divisors(shape, kernel, stride, padding, ceil_mode, count_include_pad, override):
    """By what the sum of each window is divided."""
    counts = []
    for n, k, s, p, places in zip(shape[-2:], kernel, stride, padding,
                                  output_sizes(shape, kernel, stride, padding, (1, 1), ceil_mode)):
        begin = np.arange(places) * s - p
        end = np.minimum(begin + k, n + p)
        counts.append(end - begin if count_include_pad else np.minimum(end, n) - np.maximum(begin, 0))
    counts = np.outer(*counts)
    return counts if override is None else np.full_like(counts, override)


@differentiable("AdaptiveAvgPool2DBackward0",
                self=lambda grad, self: _adaptive_avg_pool2d_backward(grad, self))
def _adaptive_avg_pool2d(self, size):
    """Means of as many windows as `size` (H, W) asks for; they may overlap."""
    if self.dtype.kind != "f":
        raise not_implemented_for("adaptive_avg_pool2d", self.dtype)
    result = np.empty((*self.shape[:-2], *size), self.dtype)
    for place, window in adaptive_windows(self.shape[-2:], size):
        result[(..., *place)] = self[(..., *window)].mean((-1, -2))
    return result


@differentiable("AdaptiveAvgPool2DBackwardBackward0",
                grad=lambda grad2, grad_shape: _adaptive_avg_pool2d(grad2, tuple(grad_shape[-2:])),
                self=lambda grad2, self: zeros_like(self))
def _adaptive_avg_pool2d_backward(grad, self):
    result = np.zeros(self.shape, grad.dtype)
    for place, window in adaptive_windows(self.shape[-2:], grad.shape[-2:]):
        part = result[(..., *window)]
        part += (grad[(..., *place)] / (part.shape[-1] * part.shape[-2]))[..., None, None]
    return result


def adaptive_windows(sizes, counts):
    """(place in the result, slices of the input) of each window."""
    along = [[slice(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]
             for n, count in zip(sizes, counts)]
    for i, j in np.ndindex(*counts):
        yield (i, j), (along[0][i], along[1][j])


# --- windows ------------------------------------------------------------------------------------------------

def output_sizes(shape, kernel, stride, padding, dilation, ceil_mode):
    """How many windows there are along H and W; with `ceil_mode` also one that hangs over the end."""
    sizes = []
    for n, k, s, p, d in zip(shape[-2:], kernel, stride, padding, dilation):
        room = n + 2 * p - d * (k - 1) - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (count - 1) * s >= n + p:
            count -= 1          # the last window must begin inside
        sizes.append(count)
    return sizes


def windows_in(x, kernel, stride, padding, dilation, ceil_mode, fill):
    """The numbers under each window: (pictures, windows along H, along W, numbers); `fill` lies around."""
    height, width = output_sizes(x.shape, kernel, stride, padding, dilation, ceil_mode)
    around = [(p, p + s - 1) for p, s in zip(padding, stride)]      # room for a window that hangs over
    x = np.pad(x.reshape(-1, 1, *x.shape[-2:]), ((0, 0), (0, 0), *around), constant_values=fill)
    windows = windows_of(x, kernel, stride, (0, 0), dilation)[:, 0, :height, :width]
    return windows.reshape(*windows.shape[:3], -1)


def check_window(shape, kernel, stride, padding, dilation, ceil_mode):
    if min(stride) <= 0:
        raise RuntimeError("stride should not be zero")
    if min(dilation) <= 0:
        raise RuntimeError("dilation should be greater than zero, but got dilationH: {} dilationW: {}".format(
            *dilation))
    for p, k, d in zip(padding, kernel, dilation):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError("pad should be at most half of effective kernel size, but got "
                               f"pad={p}, kernel_size={k} and dilation={d}")
    sizes = output_sizes(shape, kernel, stride, padding, dilation, ceil_mode)
    if min(sizes) < 1:
        channels = shape[-3]
        raise RuntimeError(f"Given input size: ({channels}x{shape[-2]}x{shape[-1]}). Calculated output size: "
                           f"({channels}x{max(sizes[0], 0)}x{max(sizes[1], 0)}). Output size is too small")
