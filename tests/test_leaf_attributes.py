"""What a leaf lets you set and delete: the dtype of its gradient, its hooks, its history.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import importlib
import os
import re
from collections import OrderedDict

import pytest

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))
grad = torch.autograd.grad


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


def raises(kind, message):
    return pytest.raises(kind, match=re.escape(message))


class Wide(torch.autograd.Function):
    """Its gradient is float64 whatever it is asked for."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.to(torch.float64)


# --- grad_dtype ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("wanted", "arrives"), [
    ("float32", "float32"), ("float64", "float64"), ("float16", "float16"), (None, "float64")])
@pytest.mark.parametrize("recorded_before", [False, True])
def test_the_gradient_is_cast(wanted, arrives, recorded_before):
    wanted, arrives = wanted and getattr(torch, wanted), getattr(torch, arrives)
    x, seen = leaf(1.0, 2.0), []
    y = Wide.apply(x).sum() if recorded_before else None
    x.grad_dtype = wanted
    assert x.grad_dtype is wanted
    y = y if recorded_before else Wide.apply(x).sum()
    assert grad(y, x, retain_graph=True)[0].dtype is arrives
    x.register_hook(lambda grad: seen.append(grad.dtype))
    y.backward()
    assert x.grad.dtype is arrives and seen == [arrives]
    (x * 2).sum().backward()
    assert x.grad.dtype is arrives and x.grad.tolist() == [3, 3]


def test_accumulation_keeps_the_dtype_that_is_there():
    x = leaf(1.0, 2.0)
    x.grad_dtype = None
    (x * 2).sum().backward()
    Wide.apply(x).sum().backward()
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [3, 3]


def test_grad_dtype_is_for_leaves():
    assert torch.tensor([1]).grad_dtype is torch.int64
    y = leaf(1.0) * 2
    with raises(RuntimeError, "grad_dtype can only be accessed on leaf tensors."):
        y.grad_dtype
    with raises(RuntimeError, "grad_dtype can only be set on leaf tensors."):
        y.grad_dtype = None
    with raises(RuntimeError, "grad_dtype must be a torch.dtype or None, but got str"):
        leaf(1.0).grad_dtype = "float64"


def test_grad_dtype_and_the_gradient_that_is_there():
    x = leaf(1.0)
    x.grad = torch.ones(1)
    x.grad_dtype = torch.float32
    with raises(RuntimeError, "Cannot set grad_dtype to 'Double' because there is already a gradient with "
                              "dtype 'float'. Please clear the gradient (.grad = None) before changing "
                              "grad_dtype"):
        x.grad_dtype = torch.float64
    x.grad_dtype = None
    x.grad = torch.ones(1, dtype=torch.float64)
    x.grad = None
    x.grad_dtype = torch.float16
    with raises(RuntimeError, "attempting to assign a gradient with dtype 'float' to a tensor with "
                              "grad_dtype 'Half'."):
        x.grad = torch.ones(1)


def test_grad_dtype_is_not_inherited():
    x = leaf(1.0)
    x.grad_dtype = torch.float64
    assert x.detach().grad_dtype is torch.float32


# --- deleting and setting -----------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "message"), [
    ("_grad_fn", "Deletion of _grad_fn not allowed. Detach tensor instead!"),
    ("_backward_hooks", "Deletion of _backwards_hooks not allowed!"),
    ("_post_accumulate_grad_hooks", "Deletion of _post_accumulate_grad_hooks not allowed!"),
    ("requires_grad", "requires_grad must be a bool"),
    ("data", "Deleting tensor data is not allowed. Delete tensor instead!")])
def test_deletion(name, message):
    with raises(RuntimeError, message):
        delattr(leaf(1.0), name)


def test_the_other_name_of_grad_fn():
    x = leaf(1.0)
    y = x * 2
    assert y._grad_fn is y.grad_fn and x._grad_fn is None
    with raises(RuntimeError, "_grad_fn can be only set to None"):
        y._grad_fn = 3
    y._grad_fn = None
    assert y.grad_fn is None and not y.requires_grad


def test_hooks_by_hand():
    x, seen = leaf(1.0), []
    x._backward_hooks = hooks = OrderedDict(any=lambda grad: seen.append(grad.item()))
    assert x._backward_hooks is hooks
    (x * 3).backward()
    constant = torch.tensor([1.0])
    constant._backward_hooks = OrderedDict(any=lambda grad: seen.append("never"))
    (x * constant).backward()
    assert seen == [3, 1]
    x._backward_hooks = None
    (x * 3).backward()
    assert seen == [3, 1]


# --- a leaf that became another tensor ----------------------------------------------------------------------

def test_what_was_recorded_before_set_leads_elsewhere():
    x = leaf(1.0, 2.0)
    edge = torch.autograd.graph.get_gradient_edge(x)
    y = x.clone().sum()
    with torch.no_grad():
        x.set_(torch.ones(2))
    with raises(RuntimeError, "appears to not have been used in the graph"):
        grad(y, x, retain_graph=True)
    assert grad(y, edge)[0].tolist() == [1, 1]


def test_a_parameter_that_shrinks():
    x = leaf(1.0, 2.0, 3.0)
    x.sum().backward()
    for size in (2, 1):
        with torch.no_grad():
            x.set_(x[1:])
            x.grad = None
        x.sum().backward()
        assert x.grad.shape == (size,)


def test_resize_asks_for_no_gradient_except_in_inference_mode():
    x = leaf(1.0, 2.0)
    with raises(RuntimeError, "cannot resize variables that require grad"):
        x.resize_(2, 1)
    with torch.inference_mode():
        assert x.resize_(2, 1).shape == (2, 1)


# --- versions -----------------------------------------------------------------------------------------------

def test_writes_that_are_not_counted():
    x, y = leaf(1.0).clone(), torch.ones(2)
    x.add_(1)
    with torch.autograd._unsafe_preserve_version_counter((x, y)):
        x.mul_(2)
        y.mul_(3)
    assert (x._version, y._version, x.item()) == (1, 0, 4)


def test_another_place_in_the_order():
    x, order = leaf(1.0), []
    a, b = x * 2, x * 3
    c = a + b
    for name, tensor in zip("abc", (a, b, c)):
        tensor.register_hook(lambda grad, name=name: order.append(name))
    c.grad_fn._set_sequence_nr(0)
    a.grad_fn._set_sequence_nr(b.grad_fn._sequence_nr() + 1)
    c.backward()
    assert order == ["c", "a", "b"]
