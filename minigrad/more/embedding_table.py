"""Rows looked up in a table by their numbers: ``nn.functional.embedding``."""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import BY_NUMPY, INT64


def gradient_of_table(
        grad, indices, weight_size0, padding_idx, scale_grad_by_freq, sparse):
    return embedding_backward(grad, indices, weight_size0, padding_idx)


@differentiable(
    "EmbeddingBackward0",
    weight=gradient_of_table, indices=None)
def _embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse):
    """Return the rows named by `indices`; padding_idx -1 stands for no such row."""
    if indices.dtype not in (INT64, np.int32):
        given = BY_NUMPY[indices.dtype].tensor_type
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following "
            f"scalar types: Long, Int; but got {given} instead (while checking "
            "arguments for embedding)")
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.size and not 0 <= indices.min() <= indices.max() < len(weight):
        raise IndexError("index out of range in self")
    return weight.take(indices, 0)


def gradient_of_rows(grad, indices, padding_idx):
    counted = (indices != padding_idx)[..., None]
    return _embedding(grad, indices, padding_idx, False, False) * counted


@differentiable(
    "EmbeddingDenseBackwardBackward0", grad_output=gradient_of_rows, indices=None)
def embedding_backward(grad_output, indices, num_weights, padding_idx):
    """Add each row's gradient to its row of the table."""
    result = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    np.add.at(result, indices, grad_output)
    if padding_idx >= 0:
        result[padding_idx] = 0
    return result


def embedding(input, weight, padding_idx=None):
    """Return the rows of `weight` that the whole numbers in `input` name.

    input: int64 or int32, of any shape; weight: (rows, n).  The result has the shape
    (*input, n); row `padding_idx` takes no gradient.

        F.embedding(torch.tensor([2, 0]), torch.eye(3))
        # tensor([[0., 0., 1.], [1., 0., 0.]])

    Raises IndexError for a row that does not exist, RuntimeError for another dtype.
    """
    row = -1 if padding_idx is None else padding_idx % len(weight)
    return _embedding(weight, input, row, False, False)
