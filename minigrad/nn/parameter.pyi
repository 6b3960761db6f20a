"""A tensor that a module trains: assigned to an attribute, it is found."""
# Generated from the live objects: python -m tests.stubs --write
from typing_extensions import Self
from minigrad.tensor import Tensor

class Parameter(Tensor):
    """A leaf that shares the memory of `data` and requires a gradient."""
    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self: ...
