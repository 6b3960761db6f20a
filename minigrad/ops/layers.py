"""What layers compute: normalization, and rows looked up in a table.

The formulas of normalization compute mean and deviation anew from the input, so that a second
derivative goes through them.
"""
import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from .elementwise import sqrt
from .expansion import _sum_dim as sum
from .losses import weighted
from .reduction import _mean_dim as mean
from .shape import _reshape as reshape


def standardized(x, dims, eps):
    """Return (x - mean) / deviation over `dims`, and 1 / deviation."""
    distance = x - mean(x, dims, True)
    rstd = 1 / sqrt(mean(distance * distance, dims, True) + eps)
    return distance * rstd, rstd


def through_standardized(grad, weight, x, dims, eps):
    """Return the gradient of x from that of `standardized(x) * weight`."""
    result, rstd = standardized(x, dims, eps)
    grad = weighted(grad, weight)
    return rstd * (grad - mean(grad, dims, True) - result * mean(grad * result, dims, True))


def moments(x, dims):
    """Return mean and variance over `dims`, added up in float64."""
    return [moment(x, axis=dims, keepdims=True, dtype=np.float64).astype(x.dtype)
            for moment in (np.mean, np.var)]


def normalized(x, average, variance, eps, weight, bias):
    """Return (x - average) / deviation * weight + bias, and 1 / deviation."""
    rstd = 1 / np.sqrt(variance + x.dtype.type(eps))
    result = weighted((x - average) * rstd, weight)
    return (result if bias is None else result + bias), rstd


def last_dims(shape):
    return tuple(range(-len(shape), 0))


# Some formulas have parameters that they do not use: PyTorch saves these values, too.
@differentiable(
    "NativeLayerNormBackward0", outputs=("result0", "result1", "result2"),
    input=lambda grad, input, normalized_shape, weight, bias, _eps, result1, result2: (
        through_standardized(grad, weight, input, last_dims(normalized_shape), _eps)),
    weight=lambda grad, input, normalized_shape, weight, bias, _eps, result1, result2: (
        grad * standardized(input, last_dims(normalized_shape), _eps)[0]),
    bias=lambda grad: grad)
def layer_norm(input, normalized_shape, weight=None, bias=None, _eps=1e-5):
    """Return the result, the mean and 1 / deviation."""
    average, variance = moments(input, last_dims(normalized_shape))
    result, rstd = normalized(input, average, variance, _eps, weight, bias)
    return result, average, rstd


def all_but_channels(x):
    return (0, *range(2, len(x.shape)))


def along_channels(x, like):
    """Return `x` (C,) in a shape that broadcasts along dimension 1 of `like`; None stays None."""
    return None if x is None else reshape(x, (1, -1, *[1] * (len(like.shape) - 2)))


def standardized_batch(x, running_mean, running_var, training, eps):
    """Return (x - mean) / deviation, of the batch in training, of all batches so far otherwise."""
    if training:
        return standardized(x, all_but_channels(x), eps)[0]
    return (x - along_channels(running_mean, x)) / sqrt(along_channels(running_var, x) + eps)


def through_batch_norm(grad, input, weight, running_mean, running_var, training, eps, result1,
                       result2):
    weight = along_channels(weight, input)
    if training:
        return through_standardized(grad, weight, input, all_but_channels(input), eps)
    return weighted(grad, weight) / sqrt(along_channels(running_var, input) + eps)


@differentiable(
    "NativeBatchNormBackward0", outputs=("result0", "result1", "result2"),
    running_mean=None, running_var=None, input=through_batch_norm,
    weight=lambda grad, input, weight, running_mean, running_var, training, eps, result1, result2: (
        sum(grad * standardized_batch(input, running_mean, running_var, training, eps),
            all_but_channels(input), False)),
    bias=lambda grad: sum(grad, all_but_channels(grad), False))
def batch_norm(input, weight=None, bias=None, running_mean=None, running_var=None,
               training=False, momentum=0.1, eps=1e-5):
    """Return the result, and in training the batch's mean and 1 / deviation."""
    weight, bias, average, variance = [
        along_channels(x, input) for x in (weight, bias, running_mean, running_var)]
    if training:
        average, variance = moments(input, all_but_channels(input))
        if running_mean is not None:        # these move, in place, towards those of this batch
            count = input.size // input.shape[1]
            running_mean += momentum * (average.reshape(-1) - running_mean)
            running_var += momentum * (variance.reshape(-1) * (count / (count - 1)) - running_var)
    result, rstd = normalized(input, average, variance, eps, weight, bias)
    kept = None if training else 0          # evaluation saves empty arrays
    return result, average.reshape(-1)[:kept], rstd.reshape(-1)[:kept]


@differentiable(
    "EmbeddingBackward0", indices=None,
    weight=lambda grad, indices, weight_size0, padding_idx, scale_grad_by_freq, sparse: (
        embedding_dense_backward(grad, indices, weight_size0, padding_idx)))
def embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse):
    """Return the rows that `indices` name; row `padding_idx` takes no gradient (-1: all do)."""
    if indices.dtype not in (dtypes.INT64, np.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {dtypes.BY_NUMPY[indices.dtype].tensor_type} instead (while "
            "checking arguments for embedding)")
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.size and not 0 <= indices.min() <= indices.max() < len(weight):
        raise IndexError("index out of range in self")
    return weight.take(indices, 0)


@differentiable(
    "EmbeddingDenseBackwardBackward0", indices=None,
    grad_output=lambda grad, indices, padding_idx: (
        embedding(grad, indices, padding_idx, False, False) * (indices != padding_idx)[..., None]))
def embedding_dense_backward(grad_output, indices, num_weights, padding_idx):
    result = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    np.add.at(result, indices, grad_output)
    if padding_idx >= 0:
        result[padding_idx] = 0
    return result
