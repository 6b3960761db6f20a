"""A layer that looks up rows of numbers in a table."""
import numpy as np

from ..autograd.operation import differentiable
from ..creation import empty
from ..dtypes import BY_NUMPY, INT64
from ..nn import functional, init
from ..nn.modules.module import Module
from ..nn.parameter import Parameter


class Embedding(Module):
    """A table of `num_embeddings` rows, each with `embedding_dim` numbers.

        rows = nn.Embedding(10, 3)
        rows(torch.tensor([[1, 2, 4]])).shape           # torch.Size([1, 3, 3])

    The numbers come from the standard normal distribution.  The row `padding_idx` holds
    zeros and takes no gradient.
    """
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None,
                 dtype=None):
        super().__init__()
        if padding_idx is not None:
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        table = empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
        self.weight = Parameter(table)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw the table anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input):
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        sizes = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is None:
            return sizes
        return f"{sizes}, padding_idx={self.padding_idx}"


# --- the operation --------------------------------------------------------------------

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
    """Return the rows of `weight` that the integers in `input` name.

    input: int64 or int32, of any shape; weight: (rows, n).  The result has the shape
    (*input, n); row `padding_idx` takes no gradient.

        F.embedding(torch.tensor([2, 0]), torch.eye(3))
        # tensor([[0., 0., 1.], [1., 0., 0.]])

    Raises IndexError for a row that does not exist, RuntimeError for another dtype.
    """
    row = -1 if padding_idx is None else padding_idx % len(weight)
    return _embedding(weight, input, row, False, False)
