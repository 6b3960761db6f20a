"""A NumPy array or number beside a tensor gives what PyTorch 2.13 gives.

ANSWERS was recorded: each expression, and the type and the start of the text of its value or error.
"""
from __future__ import annotations

import numpy as np
import pytest

import minigrad as torch

ANSWERS = [
    ('c==a',
     'torch Tensor torch.bool tensor([True, True, True])'),
    ('c*a',
     'torch Tensor torch.float64 tensor([1., 4., 9.], dtype=torch.float64)'),
    ('c+a',
     'torch Tensor torch.float64 tensor([2., 4., 6.], dtype=torch.float64)'),
    ('c-a',
     'torch Tensor torch.float64 tensor([0., 0., 0.], dtype=torch.float64)'),
    ('c/a',
     'torch Tensor torch.float64 tensor([1., 1., 1.], dtype=torch.float64)'),
    ('c**a',
     'torch Tensor torch.float64 tensor([ 1., 4., 27.], dtype=torch.float64)'),
    ('c@a',
     'torch Tensor torch.float64 tensor(14., dtype=torch.float64)'),
    ('c<a',
     "TypeError '<' not supported between instances of 'Tensor' and 'numpy.ndarray'"),
    ('c!=a',
     'builtins bool True'),
    ('c//a',
     'torch Tensor torch.float64 tensor([1., 1., 1.], dtype=torch.float64)'),
    ('c%a',
     'torch Tensor torch.float64 tensor([0., 0., 0.], dtype=torch.float64)'),
    ('a*c',
     "TypeError unsupported operand type(s) for *: 'numpy.ndarray' and 'Tensor'"),
    ('a-c',
     "TypeError unsupported operand type(s) for -: 'numpy.ndarray' and 'Tensor'"),
    ('a==c',
     'torch Tensor torch.bool tensor([True, True, True])'),
    ('a<c',
     "TypeError '<' not supported between instances of 'numpy.ndarray' and 'Tensor'"),
    ('a@c',
     "TypeError unsupported operand type(s) for @: 'numpy.ndarray' and 'Tensor'"),
    ('a/c',
     'torch Tensor torch.float64 tensor([1.0000, 1.0000, 1.0000], dtype=torch.float64)'),
    ('x*a',
     "RuntimeError Can't call numpy() on Tensor that requires grad. Use tensor.detach().n"),
    ('x+a',
     "RuntimeError Can't call numpy() on Tensor that requires grad. Use tensor.detach().n"),
    ('a*x',
     "TypeError unsupported operand type(s) for *: 'numpy.ndarray' and 'Tensor'"),
    ('x==a',
     'torch Tensor torch.bool tensor([True, True, True])'),
    ('x@a',
     "RuntimeError Can't call numpy() on Tensor that requires grad. Use tensor.detach().n"),
    ('np.exp(c)',
     'torch Tensor torch.float32 tensor([ 2.7183, 7.3891, 20.0855])'),
    ('np.exp(x)',
     "RuntimeError Can't call numpy() on Tensor that requires grad. Use tensor.detach().n"),
    ('np.add(c,a)',
     'torch Tensor torch.float64 tensor([2., 4., 6.], dtype=torch.float64)'),
    ('c*np.float64(2)',
     'torch Tensor torch.float32 tensor([2., 4., 6.])'),
    ('np.float64(2)*c',
     'torch Tensor torch.float32 tensor([2., 4., 6.])'),
    ('x*np.float64(2)',
     'torch Tensor torch.float32 tensor([2., 4., 6.], grad_fn=<MulBackward0>)'),
    ('np.float64(2)*x',
     'torch Tensor torch.float32 tensor([2., 4., 6.], grad_fn=<MulBackward0>)'),
    ('np.float32(2)+x',
     'torch Tensor torch.float32 tensor([3., 4., 5.], grad_fn=<AddBackward0>)'),
    ('c&a',
     "TypeError ufunc 'bitwise_and' not supported for the input types, and the inputs"),
    ('c.bool()&a.astype(bool)',
     'torch Tensor torch.uint8 tensor([1, 1, 1], dtype=torch.uint8)'),
    ('c.long()*np.array([1,2,3])',
     'torch Tensor torch.int64 tensor([1, 4, 9])'),
    ('c==np.array([1,2])',
     'RuntimeError The size of tensor a (3) must match the size of tensor b (2) at non-si'),
    ('c+np.array([1,2])',
     'ValueError operands could not be broadcast together with shapes (3,) (2,)'),
    ('c==None',
     'builtins bool False'),
    ('c=="a"',
     'builtins bool False'),
    ('c==[1,2,3]',
     'builtins bool False'),
    ('c*[1,2,3]',
     'TypeError only integer tensors of a single element can be converted to an index'),
    ('np.maximum(c,a)',
     'torch Tensor torch.float64 tensor([1., 2., 3.], dtype=torch.float64)'),
    ('np.float64(1)==c',
     'torch Tensor torch.bool tensor([ True, False, False])'),
    ('c.__mul__(a)',
     'builtins NotImplementedType NotImplemented'),
    ('c.__eq__(a)',
     'torch Tensor torch.bool tensor([True, True, True])'),
    ('c.__rmul__(a)',
     'builtins NotImplementedType NotImplemented'),
    ('x.__mul__(a)',
     'builtins NotImplementedType NotImplemented'),
    ('c.__iadd__(a)',
     'builtins NotImplementedType NotImplemented'),
    ('torch.tensor(2.)*a',
     'torch Tensor torch.float64 tensor([2., 4., 6.], dtype=torch.float64)'),
    ('a*torch.tensor(2.)',
     "TypeError unsupported operand type(s) for *: 'numpy.ndarray' and 'Tensor'"),
    ('np.multiply(a,x)',
     "RuntimeError Can't call numpy() on Tensor that requires grad. Use tensor.detach().n"),
    ('np.array(2.)*c',
     "TypeError unsupported operand type(s) for *: 'numpy.ndarray' and 'Tensor'"),
    ('c*np.array(2.)',
     'torch Tensor torch.float64 tensor([2., 4., 6.], dtype=torch.float64)'),
    ('x*np.array(2.)',
     "RuntimeError Can't call numpy() on Tensor that requires grad. Use tensor.detach().n"),
]


@pytest.mark.filterwarnings("ignore:__array_wrap__:DeprecationWarning")
@pytest.mark.parametrize(("expression", "answer"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_answer(expression, answer):
    names = {"np": np, "torch": torch, "c": torch.tensor([1., 2., 3.]), "a": np.array([1., 2., 3.]),
             "x": torch.tensor([1., 2., 3.], requires_grad=True)}
    assert told(expression, names) == answer


def told(expression, names):
    try:
        value = eval(expression, names)
    except Exception as error:
        return " ".join(f"{type(error).__name__} {str(error)[:70]}".replace("\n", " | ").split())
    package = type(value).__module__.split(".")[0].replace("minigrad", "torch")
    return " ".join(f"{package} {type(value).__name__} {getattr(value, 'dtype', '')} {value!s}".split())
