"""Convolution and pooling of sequences and pictures, with PyTorch's keywords and checks."""
from __future__ import annotations

from ...autograd.grad_mode import local
from ...messages import type_name
from ...ops import convolution as kernels
from ...ops import pooling
from ...ops.operands import float_only
from ...ops.rearrange import constant_pad_nd
from ...tensor import Tensor
from ...warn import warn_once


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """`weight` (out, C / groups, k) slides over `input` (N, C, L) or (C, L)."""
    return convolved("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """`weight` (out, C / groups, h, w) slides over `input` (N, C, H, W) or (C, H, W).

    padding: how many zeros around; "valid" is 0, "same" keeps the size.
    """
    return convolved("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def convolved(name, spatial, input, weight, bias, stride, padding, dilation, groups):
    for argument, value in (("input", input), ("weight", weight)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}(): argument '{argument}' must be Tensor, not {type_name(value)}")
    stride, dilation = [n_fold(value, spatial) for value in (stride, dilation)]
    ndim = input._array.ndim
    if ndim not in (spatial + 1, spatial + 2):
        raise RuntimeError(f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to "
                           f"{name}, but got input of size: {list(input._array.shape)}")
    if isinstance(padding, str):
        if weight._array.ndim != ndim:
            kernels.check_dimensions(input._array.shape, list(weight._array.shape))
        input, padding = with_named_padding(input, weight, stride, padding, dilation)
    padding = n_fold(padding, spatial)
    if ndim == spatial + 1:
        input = input.unsqueeze(0)
    result = kernels._convolution(input, weight, bias, stride, padding, dilation, groups)
    return result.squeeze(0) if ndim == spatial + 1 else result


def with_named_padding(input, weight, stride, padding, dilation):
    """The input, padded where both sides differ, and the number of zeros around."""
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    around = kernels.same_padding(weight._array.shape[2:], dilation)
    if any(before != after for before, after in around):
        warn_once("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded "
                  "copy of the input be created")
        more = [n for before, after in reversed(around) for n in (0, after - before)]
        input = constant_pad_nd(input, more)
    return input, tuple([before for before, _ in around])


def n_fold(value, count):
    """One number for each dimension, from one for all or from a list."""
    if isinstance(value, int):
        return (value,) * count
    return tuple(value) * count if len(value) == 1 else tuple(value)


# --- pooling ------------------------------------------------------------------------------------------------

def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number under each window of `input` (N, C, H, W) or (C, H, W)."""
    if input._array.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    sizes = []
    for name, value in (("kernel_size", kernel_size), ("stride", stride or kernel_size), ("padding", padding),
                        ("dilation", dilation)):
        sizes.append(n_fold(kernel_size if stride is None and name == "stride" else value, 2))
        if len(sizes[-1]) != 2:
            raise RuntimeError(f"max_pool2d: {name} must either be a single int, or a tuple of two ints")
    if stride == 0:
        raise RuntimeError("stride should not be zero")
    values, indices = pooling._max_pool2d_with_indices(input, *sizes, ceil_mode)
    return (values, indices) if return_indices else values


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number under each window of `input` (N, C, L) or (C, L)."""
    if input._array.ndim not in (2, 3) or 0 in input._array.shape[-2:]:
        raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size "
                           f"for input, but got:{list(input._array.shape)}")
    stride = kernel_size if stride is None else stride
    kernel, step, around, wide = [n_fold(v, 1)[0] for v in (kernel_size, stride, padding, dilation)]
    if return_indices or input.requires_grad and local.state.recording:
        values, indices = pooling._max_pool2d_with_indices(
            input.unsqueeze(-2), (1, kernel), (1, step), (0, around), (1, wide), ceil_mode)
        values = values.squeeze(-2)
        return (values, indices.squeeze(-2)) if return_indices else values
    for name, value in (("kernel_size", kernel), ("stride", step), ("dilation", wide)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if around < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {around}")
    if around > kernel // 2:
        raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got "
                           f"padding={around} and kernel_size={kernel}")
    size, = pooling.output_sizes(input._array.shape[-1:], (kernel,), (step,), (around,), (wide,), ceil_mode)
    if size < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")
    float_only(input._array, "max_pool1d_impl")
    return pooling._max_pool2d_with_indices(input.unsqueeze(-2), (1, kernel), (1, step), (0, around),
                                            (1, wide), ceil_mode)[0].squeeze(-2)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of the numbers under each window of `input` (N, C, H, W) or (C, H, W).

    count_include_pad: whether the zeros around count.  divisor_override: divide by this instead.
    """
    if input._array.ndim < 3:
        n = input._array.ndim
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got -3)")
    kernel, around = n_fold(kernel_size, 2), n_fold(padding, 2)
    step = kernel if stride is None or stride == () else n_fold(stride, 2)
    return pooling._avg_pool2d(input, kernel, step, around, ceil_mode, count_include_pad, divisor_override)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of the numbers under each window of `input` (N, C, L) or (C, L)."""
    if input._array.ndim not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input._array.ndim}-dimensional tensor for "
                           "argument #1 'self' (while checking arguments for avg_pool1d)")
    kernel, around = n_fold(kernel_size, 1), n_fold(padding, 1)
    step = kernel if stride is None else n_fold(stride, 1)
    return pooling._avg_pool2d(input.unsqueeze(-2), (1, *kernel), (1, *step), (0, *around), ceil_mode,
                               count_include_pad, None).squeeze(-2)


def adaptive_avg_pool2d(input, output_size):
    """Means over as many windows as `output_size` asks for: (H, W), or one number for both."""
    shape = input._array.shape
    if not isinstance(output_size, int) and len(shape) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    if len(shape) not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(shape)}")
    if not isinstance(output_size, int) and len(output_size) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    size = tuple([n if wanted is None else wanted for wanted, n in zip(n_fold(output_size, 2), shape[-2:])])
    if min(size) < 0:
        raise RuntimeError("adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 "
                           f"but received {{{size[0]}, {size[1]}}}")
    return input.mean((-1, -2), keepdim=True) if size == (1, 1) else pooling._adaptive_avg_pool2d(input, size)


__all__ = ["adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "conv1d", "conv2d", "max_pool1d", "max_pool2d"]
