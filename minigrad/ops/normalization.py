"""Layer and batch normalization, and the product of three tensors behind ``nn.Bilinear``."""
from __future__ import annotations

import math

import numpy as np

from ..autograd.differentiable import differentiable, shared
from ..dtypes import FLOAT64
from ..memory import by_rows
from ..tensor import Tensor, wrap
from .either import ndim_of, shape_of
from .elementwise import sqrt
from .operands import float_only
from .reduction import _mean_dim
from .rounding import multiply_add
from .shape import _expand, _reshape


def centered(x, dims, eps):
    """(x - mean) / deviation over `dims`, and 1 / deviation, as differentiable operations."""
    away = x - _mean_dim(x, dims, True)
    rstd = 1 / sqrt(_mean_dim(away * away, dims, True) + eps)
    return away * rstd, rstd


def through_standardized(grad, x_hat, rstd, dims):
    """The gradient of x, from that of x_hat = (x - mean) * rstd; a linear map, and symmetric."""
    return rstd * (grad - _mean_dim(grad, dims, True) - x_hat * _mean_dim(grad * x_hat, dims, True))


# --- over the last dimensions -------------------------------------------------------------------------------

# PyTorch has one formula for all three gradients, and saves the same for each: hence the unused parameters.

def _layer_parts(input, normalized_shape, result1, result2):
    """x_hat, rstd and the dimensions: from what was saved, or recomputed to be differentiated."""
    dims = tuple(range(-len(normalized_shape), 0))
    if not isinstance(input, Tensor):
        return (input - result1) * result2, result2, dims
    away = input - _mean_dim(input, dims, True)
    variance = _mean_dim(away * away, dims, True)
    eps = wrap(1 / (result2._array * result2._array) - variance._array)
    rstd = 1 / sqrt(variance + eps)
    return away * rstd, rstd, dims


def _layer_input(grad, input, normalized_shape, weight, bias, result1, result2):
    if isinstance(grad, Tensor):
        return _layer_backward(grad, input, normalized_shape, result1, result2, weight, bias)[0]
    x_hat, rstd, dims = _layer_parts(input, normalized_shape, result1, result2)
    return through_standardized(grad if weight is None else grad * weight, x_hat, rstd, dims)


def _layer_weight(grad, input, normalized_shape, weight, bias, result1, result2):
    if isinstance(grad, Tensor):
        return _layer_backward(grad, input, normalized_shape, result1, result2, weight, bias)[1]
    if not isinstance(input, Tensor):       # rounded like PyTorch's, where (input - mean) may be 0
        return grad * multiply_add(input, result2, -(result1 * result2))
    return grad * _layer_parts(input, normalized_shape, result1, result2)[0]


def _layer_bias(grad, input, normalized_shape, weight, bias, result1, result2):
    if isinstance(grad, Tensor):
        return _layer_backward(grad, input, normalized_shape, result1, result2, weight, bias)[2]
    return grad


def _layer_curvature_grad(grads, input, normalized_shape, mean, rstd, weight):
    of_input, of_weight, of_bias = grads
    x_hat, rstd, dims = _layer_parts(input, normalized_shape, mean, rstd)
    total = None
    if of_input is not None:
        total = through_standardized(of_input, x_hat, rstd, dims)
        total = total if weight is None else total * weight
    if of_weight is not None:
        total = x_hat * of_weight if total is None else total + x_hat * of_weight
    if of_bias is not None:
        total = of_bias if total is None else total + of_bias
    return _expand(total, shape_of(input))


def _layer_curvature_input(grads, grad_out, input, normalized_shape, mean, rstd, weight):
    """The gradient of the input, from those of its gradient and of the weight's."""
    of_input, of_weight, _ = grads
    x_hat, rstd, dims = _layer_parts(input, normalized_shape, mean, rstd)
    through = None if of_weight is None else grad_out * of_weight       # arrives at x_hat
    if of_input is None:
        return None if through is None else through_standardized(through, x_hat, rstd, dims)
    grad = grad_out if weight is None else grad_out * weight
    first = through_standardized(grad, x_hat, rstd, dims)
    means = _mean_dim(grad * x_hat, dims, True), _mean_dim(of_input * x_hat, dims, True)
    twice = -rstd * (of_input * means[0] + grad * means[1])
    through = twice if through is None else through + twice
    return (through_standardized(through, x_hat, rstd, dims)
            - rstd * x_hat * _mean_dim(of_input * first, dims, True))       # and through rstd itself


def _layer_curvature_weight(grads, grad_out, input, normalized_shape, mean, rstd, weight):
    of_input = grads[0]
    if of_input is None:
        return None
    x_hat, rstd, dims = _layer_parts(input, normalized_shape, mean, rstd)
    return grad_out * through_standardized(of_input, x_hat, rstd, dims)


@shared
@differentiable("NativeLayerNormBackwardBackward0", outputs=("result0", "result1", "result2"),
                grad_out=_layer_curvature_grad, input=_layer_curvature_input,
                mean=lambda grads: None, rstd=lambda grads: None,
                weight=_layer_curvature_weight, bias=lambda grads: None)
def _layer_backward(grad_out, input, normalized_shape, mean, rstd, weight, bias):
    """The three gradients at once."""
    saved = input, normalized_shape, weight, bias, mean, rstd
    lead = tuple(range(input.ndim - len(normalized_shape)))
    return (_layer_input(grad_out, *saved), np.add.reduce(_layer_weight(grad_out, *saved), axis=lead),
            np.add.reduce(grad_out, axis=lead))


def refuse_mixed(input, *parameters):
    """Weight and bias have the dtype of the input, or are float32 beside float16."""
    if any([array.dtype != input.dtype for array in parameters]):
        if any([array.dtype != np.float32 for array in parameters]):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if input.dtype != np.float16:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


@differentiable("NativeLayerNormBackward0", outputs=("result0", "result1", "result2"),
                input=_layer_input, weight=_layer_weight, bias=_layer_bias)
def _native_layer_norm(input, normalized_shape, weight, bias, eps):
    refuse_mixed(input, *[array for array in (weight, bias) if array is not None])
    float_only(input, "LayerNormKernelImpl")
    if input.dtype == np.float16:           # computed in float32
        wide = [v if v is None else v.astype(np.float32) for v in (input, weight, bias)]
        made = _native_layer_norm.operation.forward(wide[0], normalized_shape, *wide[1:], eps)
        return tuple([result.astype(np.float16) for result in made])
    input = by_rows(input)
    dims = tuple(range(-len(normalized_shape), 0))
    mean, variance = moments(input, dims, True)
    rstd = 1 / np.sqrt(variance + input.dtype.type(eps))
    result = (input - mean) * rstd
    if weight is not None and bias is not None:
        return multiply_add(result, weight, bias), mean, rstd
    if weight is not None:
        result *= weight
    if bias is not None:
        result += bias
    return result, mean, rstd


def moments(x, dims, keepdims):
    """Mean and variance, added up in float64."""
    count = math.prod([x.shape[d] for d in dims])
    mean = (np.add.reduce(x, axis=dims, keepdims=True, dtype=FLOAT64) / count).astype(x.dtype)
    away = x - mean
    variance = np.add.reduce(away * away, axis=dims, keepdims=keepdims, dtype=FLOAT64) / count
    return mean.reshape(variance.shape), variance.astype(x.dtype)


# --- over all but the channels ------------------------------------------------------------------------------

def along_channels(x, ndim):
    """Laid along dimension 1."""
    return None if x is None else _reshape(x, (1, -1, *[1] * (ndim - 2)))


def _batch_parts(input, running_mean, running_var, training, eps, mean, rstd):
    ndim = ndim_of(input)
    dims = (0, *range(2, ndim))
    if not training:
        rstd = 1 / sqrt(along_channels(running_var, ndim) + eps)
        return (input - along_channels(running_mean, ndim)) * rstd, rstd, dims
    if isinstance(input, Tensor):
        return *centered(input, dims, eps), dims
    rstd = along_channels(rstd, ndim)
    return (input - along_channels(mean, ndim)) * rstd, rstd, dims


def _batch_input(grad, input, weight, running_mean, running_var, training, eps, result1, result2):
    x_hat, rstd, dims = _batch_parts(input, running_mean, running_var, training, eps, result1, result2)
    if weight is not None:
        grad = grad * along_channels(weight, ndim_of(input))
    return through_standardized(grad, x_hat, rstd, dims) if training else grad * rstd


def _over_channels(grad, ndim):
    """Summed over all dimensions but 1."""
    dims = (0, *range(2, ndim))
    return grad.sum(dims) if isinstance(grad, Tensor) else np.add.reduce(grad, axis=dims)


def _batch_weight(grad, input, weight, running_mean, running_var, training, eps, result1, result2):
    x_hat, _, _ = _batch_parts(input, running_mean, running_var, training, eps, result1, result2)
    return _over_channels(grad * x_hat, ndim_of(input))


@differentiable("NativeBatchNormBackward0", outputs=("result0", "result1", "result2"),
                input=_batch_input, weight=_batch_weight,
                bias=lambda grad: _over_channels(grad, ndim_of(grad)), running_mean=None, running_var=None)
def _native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """Also moves the running mean and variance, in place, towards those of this batch when training."""
    ndim, number = input.ndim, input.dtype.type
    dims = (0, *range(2, ndim))
    if training:
        count = input.size // input.shape[1]
        mean, variance = moments(input, dims, False)
        rstd = (1 / np.sqrt(variance.astype(FLOAT64) + eps)).astype(input.dtype)
        if running_mean is not None:
            running_mean[...] = momentum * mean + (1 - momentum) * running_mean
            running_var[...] = momentum * (variance * (count / (count - 1))) + (1 - momentum) * running_var
        middle = mean
    else:
        rstd = 1 / np.sqrt(running_var + number(eps))
        middle, mean = running_mean, np.zeros(0, input.dtype)
    # in PyTorch's order: what each channel is multiplied by, and what is then added
    scale = rstd if weight is None else rstd * weight
    shift = -middle * scale if bias is None else multiply_add(-middle, scale, bias)
    result = multiply_add(input, along_channels(scale, ndim), along_channels(shift, ndim))
    return result, mean, rstd if training else np.zeros(0, input.dtype)


# --- a product of three -------------------------------------------------------------------------------------

def _swapped(rule, place):
    """The rule of the gradient of factor `place`: the result's letters and the factor's change places."""
    *factors, result = rule.replace("->", ",").split(",")
    factors[place], result = result, factors[place]
    return f"{','.join(factors)}->{result}"


@differentiable("TrilinearBackward0",
                i1=lambda grad, i2, i3, rule: _trilinear(grad, i2, i3, _swapped(rule, 0)),
                i2=lambda grad, i1, i3, rule: _trilinear(i1, grad, i3, _swapped(rule, 1)),
                i3=lambda grad, i1, i2, rule: _trilinear(i1, i2, grad, _swapped(rule, 2)))
def _trilinear(i1, i2, i3, rule):
    """The sum of products that an einsum rule of three factors describes."""
    return np.einsum(rule, i1, i2, i3, optimize=True)
