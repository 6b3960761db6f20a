"""All parameters of a model as one long vector, and back."""
from __future__ import annotations

from ...messages import typename
from ...ops.joining import cat
from ...tensor import Tensor


def parameters_to_vector(parameters) -> Tensor:
    """All the numbers of all parameters, one after the other: a recorded operation."""
    return cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters) -> None:
    """Make pieces of `vec` the data of the parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for param in parameters:
        count = param.numel()
        param.data = vec[start:start + count].view_as(param).data
        start += count
