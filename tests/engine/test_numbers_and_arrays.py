"""NumPy's numbers and arrays beside tensors, and norms of very large and small numbers.

Each program stands beside what PyTorch 2.13 prints for it.  Where PyTorch is installed, it is
asked again.
"""
from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

WRITES = {
    # NumPy's float64 is a Python float, and its integers count as integers; its other numbers don't
    "c[0] = np.float64(3)": "tensor([3., 2., 3.])",
    "c[0] = np.float64('nan')": "tensor([nan, 2., 3.])",
    "c[0] = np.int64(5)": "tensor([5., 2., 3.])",
    "c[0] = np.float32(3)":
        "TypeError: can't assign a numpy.float32 to a torch.FloatTensor",
    "c[0] = np.bool_(True)": "TypeError: can't assign a numpy.bool to a torch.FloatTensor",
    "c[0] = np.complex64(1)":
        "TypeError: can't assign a numpy.complex64 to a torch.FloatTensor",
    "c[0] = 1j":
        "RuntimeError: value cannot be converted to type float without overflow",
    "c[:] = np.ones(3)":
        "TypeError: can't assign a numpy.ndarray to a torch.FloatTensor",
    "c[:] = [1, 2, 3]": "TypeError: can't assign a list to a torch.FloatTensor",
    "c[0] = None": "TypeError: can't assign a NoneType to a torch.FloatTensor",
    "c[np.array([0, 1])] = np.float64(5)": "tensor([5., 5., 3.])",
    "c[c > 1] = np.float64(5)": "tensor([1., 5., 5.])",
    "c[np.int64(1)] = 5": "tensor([1., 5., 3.])",
    "i[0] = np.float64(3.7)": "tensor([3, 2, 3])",
    "i[0] = np.float64('inf')":
        "RuntimeError: value cannot be converted to type int64_t without overflow",
    "b[1] = np.float64(2)": "tensor([True, True])",
    "u[0] = np.int64(-1)": "tensor([255,   2,   3], dtype=torch.uint8)",
    "u[0] = np.int64(300)":
        "RuntimeError: value cannot be converted to type uint8_t without overflow",
    "c.copy_(np.ones(3))": "TypeError",
    "c.copy_([1, 2, 3])": "TypeError",
    "c.copy_(None)": "TypeError",
    "c.copy_(np.float64(1))": "tensor([1., 1., 1.])",
    "c.fill_(np.float32(2))": "tensor([2., 2., 2.])",
    "c.fill_(np.ones(()))": "TypeError",
    "c.fill_([1])": "TypeError",
    "c.fill_('a')": "TypeError",
    "c.masked_fill_(c > 1, np.float64(5))": "tensor([1., 5., 5.])",
}
INDICES = {
    "c[np.int64(1)]": "tensor(2.)",
    "c[np.uint8(1)]": "tensor(2.)",
    "c[np.array([1, 0])]": "tensor([2., 1.])",
    "c[np.array([1, 0], np.int16)]": "tensor([2., 1.])",
    "c[np.array([True, False, True])]": "tensor([1., 3.])",
    "c[np.int64(0):np.int64(2)]": "tensor([1., 2.])",
    "c[np.float64(1)]":
        "IndexError: only integers, slices (`:`), ellipsis (`...`), None and long or byte "
        "Variables are valid indices (got numpy.float64)",
    "m[np.array([0, 1]), [0, 1]]": "tensor([0., 4.])",
}
ARGUMENTS = {
    "c.view_as(np.ones((3, 1)))": "TypeError",
    "c.expand_as(np.ones((2, 3)))": "TypeError",
    "t.broadcast_tensors(c, np.ones(3))":
        "TypeError: expected Tensor as element 1 in argument 0, but got numpy.ndarray",
    "t.cat([c, np.ones(3)])":
        "TypeError: expected Tensor as element 1 in argument 0, but got numpy.ndarray",
    "t.cat(c)": "TypeError",
    "t.stack(np.ones((2, 3)))": "TypeError",
    "t.nn.functional.one_hot(np.array([0, 1]))": "TypeError",
    "t.gather(m, 0, np.array([[0, 1, 0]]))":
        "TypeError: gather(): argument 'index' (position 3) must be Tensor, not numpy.ndarray",
    "c.masked_fill(np.array([True, False, True]), 0.)": "TypeError",
    "c.masked_select(np.array([True, False, True]))": "TypeError",
    "c.index_select(0, np.array([0]))": "TypeError",
    "c.scatter_(0, np.array([0]), 1.)": "TypeError",
    "t.add(c, np.ones(3), alpha=2)": "TypeError",
    "t.div(c, np.ones(3), rounding_mode='floor')": "TypeError",
    "t.mean(np.ones(3))":
        "TypeError: mean(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
    "m.mean(axis=0)": "tensor([1.5000, 2.5000, 3.5000])",
    "m.max(axis=1, keepdims=True).values": "tensor([[2.],\n        [5.]])",
    "m.argmin(axis=0)": "tensor([0, 0, 0])",
    "m.all(axis=1)": "tensor([False,  True])",
    "t.cat([m, m], axis=1).shape": "torch.Size([2, 6])",
    "t.stack([m, m], axis=1).shape": "torch.Size([2, 2, 3])",
    "c.max(np.ones(3))": "TypeError",
    "c.sum(np.int64(0))": "tensor(6.)",
    "c.view(np.int64(3), 1).shape": "torch.Size([3, 1])",
    "c.reshape(t.tensor(3), 1).shape": "torch.Size([3, 1])",
    "c.expand(np.int64(2), 3).shape": "torch.Size([2, 3])",
    "c.norm(np.float64(2))": "tensor(3.7417)",
    "c.norm(np.int64(1))": "tensor(6.)",
    "c.norm(t.tensor(2.))": "tensor(3.7417)",
    "c.std(correction=np.int64(0))": "tensor(0.8165)",
    "t.flip(m, dims=(0,))": "tensor([[3., 4., 5.],\n        [0., 1., 2.]])",
    "t.permute(m, dims=(1, 0)).shape": "torch.Size([3, 2])",
    "m.reshape(shape=(3, 2)).shape": "torch.Size([3, 2])",
    "m.view(size=(3, 2)).shape": "torch.Size([3, 2])",
    "m[:1].expand(size=(2, 3)).shape": "torch.Size([2, 3])",
    "m.repeat(repeats=(2, 1)).shape": "torch.Size([4, 3])",
    "c.sort(stable=True).indices": "tensor([0, 1, 2])",
    "c.topk(1, sorted=True).values": "tensor([3.])",
}
# The norm, and the gradient of its sum.
NORMS = {
    # of a single number, whose square would be infinite or 0
    "1e30": "1e+30 1.0",
    "-1e30": "1e+30 -1.0",
    "[-1e-30]": "1e-30 [-1.0]",
    "[1e30], 1.5": "1e+30 [1.0]",
    "[1e30], 3": "1e+30 [nan]",
    "[-3.0], 3": "3.0 [-1.0]",
    "[0.0]": "0.0 [0.0]",
    "[0.0], 3": "0.0 [0.0]",
    "[-2.0], math.inf": "2.0 [-1.0]",
    "[[1e30], [-2e-30]], 2, 1": "[1e+30, 2e-30] [[1.0], [-1.0]]",
    "[[1e30, 2.0]], 2, 0": "[1e+30, 2.0] [[1.0, 1.0]]",
    "[[1e30, 2.0]], 2, (0,), True": "[[1e+30, 2.0]] [[1.0, 1.0]]",
    "[[[-2.0]]], 2, (0, 2)": "[2.0] [[[-1.0]]]",
    # of several, whose squares are added up
    "[1e30, 1e30]": "inf [0.0, 0.0]",
    "[[1e30, 2.0]], 2, 1": "[inf] [[0.0, 0.0]]",
    "[3.0, -4.0]": "5.0 [0.6, -0.8]",
    "[3.0, -4.0, 0.0], 1": "7.0 [1.0, -1.0, 0.0]",
    "[3.0, -4.0, 0.0], 3": "4.49794 [0.444851, -0.790847, 0.0]",
    "[2.0, -2.0, 1.0], math.inf": "2.0 [0.5, -0.5, 0.0]",
    "[2.0, -2.0, 1.0], -math.inf": "1.0 [0.0, -0.0, 1.0]",
    "[[3.0, -4.0], [0.0, 1.0]], math.inf, 1": "[4.0, 1.0] [[0.0, -1.0], [0.0, 1.0]]",
    "[]": "0.0 []",
    "[], math.inf":
        "RuntimeError: linalg.vector_norm cannot compute the inf norm on an empty tensor because "
        "the operation does not have an identity",
}
CLIPPED = {
    "[1e30]": "1e+30 [1.0]",
    "[-1e30]": "1e+30 [-1.0]",
    "[1e-30]": "1e-30 [1e-30]",
    "[3.0, 4.0]": "5.0 [0.6, 0.8]",
    "[[1e30, 0.0]]": "inf [[0.0, 0.0]]",
}
PACKAGES = ["minigrad", "torch"]


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("program", [*WRITES, *INDICES, *ARGUMENTS])
def test_numpy_beside_a_tensor(program, package):
    torch = pytest.importorskip(package)
    wanted = {**WRITES, **INDICES, **ARGUMENTS}[program]
    got = printed(torch, program)
    if wanted == "TypeError":           # the text is the argument parser's
        got = got.partition(":")[0]
    assert got == wanted


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("arguments", NORMS)
def test_norms_and_their_gradients(arguments, package):
    torch = pytest.importorskip(package)
    data, *rest = eval(f"({arguments},)", {"math": importlib.import_module("math")})
    x = torch.tensor(data, requires_grad=True)
    try:
        result = x.norm(*rest)
        result.sum().backward()
        got = f"{digits(result.tolist())} {digits(x.grad.tolist())}"
    except RuntimeError as error:
        got = f"RuntimeError: {error}"
    assert got == NORMS[arguments]


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("grad", CLIPPED)
def test_gradients_clipped_to_norm_1(grad, package):
    torch = pytest.importorskip(package)
    grad_of_leaf = torch.tensor(eval(grad))
    leaf = torch.zeros_like(grad_of_leaf).requires_grad_()
    leaf.grad = grad_of_leaf
    before = torch.nn.utils.clip_grad_norm_([leaf], 1.0)
    assert f"{digits(before.tolist())} {digits(leaf.grad.tolist())}" == CLIPPED[grad]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_count_has_no_gradient(package):
    torch = pytest.importorskip(package)
    x = torch.tensor([3.0, 0.0, -4.0], requires_grad=True)
    result = x.norm(0)
    assert result.item() == 2
    result.backward()
    assert x.grad is None or x.grad.tolist() == [0, 0, 0]


def printed(torch, program):
    """Return what a program prints: its value or, after a write, the tensor written to."""
    given = {"t": torch, "np": np, "c": torch.tensor([1.0, 2.0, 3.0]),
             "i": torch.tensor([1, 2, 3]), "b": torch.tensor([True, False]),
             "u": torch.tensor([1, 2, 3], dtype=torch.uint8),
             "m": torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if " = " in program:
                exec(program, given)
                return str(given[program[0]])
            return str(eval(program, given))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def digits(value):
    """Return numbers, or nested lists of them, with six digits."""
    if isinstance(value, list):
        return f"[{', '.join([digits(one) for one in value])}]"
    return repr(float(f"{value:.6g}"))


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("name", ["add", "sub", "addcmul", "addcdiv"])
def test_a_call_without_its_operands_is_a_type_error(name, package):
    """The form with the factor first is looked for only where there are enough arguments."""
    torch = pytest.importorskip(package)
    x = torch.ones(2)
    for call in (getattr(torch, name), getattr(torch.Tensor, name), getattr(torch.Tensor, f"{name}_")):
        with pytest.raises(TypeError, match=rf"{name}_?\(\)"):
            call(x)
