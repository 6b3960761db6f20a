"""Products of vectors and matrices by their names: dot, outer, mv, mm.

Each takes tensors of certain dimensions only, and raises RuntimeError for others; ``@``
takes them all.
"""
from ..ops.declaring import expect_tensors
from ..ops.matmul import _dot, _mm, _mv
from ..ops.shape import _reshape


def dot(self, tensor):
    """Return the sum of the products of two vectors.

        torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))       # tensor(11.)
    """
    expect_tensors("dot", input=self, tensor=tensor)
    return _dot(self, tensor)


def outer(self, vec2):
    """Return the products of each element of one vector with each of another.

        torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
        # tensor([[3., 4.], [6., 8.]])
    """
    expect_tensors("outer", input=self, vec2=vec2)
    for name, x in (("self", self), ("vec2", vec2)):
        if x._array.ndim != 1:
            raise RuntimeError(
                f"outer: Expected 1-D argument {name}, but got {x._array.ndim}-D")
    column = _reshape(self, (self._array.size, 1))
    return column * vec2


def mv(self, vec):
    """Return the product of a matrix and a vector.

        torch.mv(torch.ones(2, 3), torch.ones(3))           # tensor([3., 3.])
    """
    expect_tensors("mv", input=self, vec=vec)
    return _mv(self, vec)


def mm(self, mat2):
    """Return the product of two matrices.

        torch.mm(torch.ones(2, 3), torch.ones(3, 1))        # tensor([[3.], [3.]])
    """
    expect_tensors("mm", input=self, mat2=mat2)
    for name, x in (("self", self), ("mat2", mat2)):
        if x._array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    return _mm(self, mat2)


METHODS = "dot mm mv outer"
