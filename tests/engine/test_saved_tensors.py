"""Saved tensors as objects, in other forms, and after writes to what they were saved from.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import contextlib
import importlib
import math
import weakref

import pytest

from tests.helpers.backend import list_leaf as leaf
from tests.helpers.backend import raises, torch

graph = torch.autograd.graph
grad = torch.autograd.grad


def same(tensor):
    return tensor


# --- the objects --------------------------------------------------------------------------------------------

def test_what_is_kept():
    x = leaf(1.0, 2.0)
    y, z = x * x, x.exp()
    kept = y.grad_fn._raw_saved_self
    assert isinstance(kept, torch.autograd.SavedTensor)
    assert kept.data is x and kept.unpack_hook is None
    result = z.grad_fn._raw_saved_result.data       # without history, or node and tensor held each other
    assert result is not z and result.grad_fn is None and result.tolist() == z.tolist()
    assert (x * 2).grad_fn._raw_saved_self.data is None
    y.sum().backward()
    assert kept.data is None


def test_what_hooks_made_of_it():
    x = leaf(1.0, 2.0)
    saved = (x * x).grad_fn._raw_saved_self
    saved.register_hooks(lambda tensor: "packed", same)
    assert saved.data == "packed" and saved.unpack_hook is same
    with graph.saved_tensors_hooks(same, same):
        assert x.exp().grad_fn._raw_saved_result.unpack_hook is same


def test_refusals():
    x = leaf(1.0, 2.0)
    y = x * x
    kept = y.grad_fn._raw_saved_self
    with raises(RuntimeError, "saved tensor with value None is forbidden"):
        (x * 2).grad_fn._raw_saved_self.register_hooks(same, same)
    kept.register_hooks(same, same)
    with raises(RuntimeError, "whose hooks have already been set"):
        kept.register_hooks(same, same)
    y.sum().backward()
    with raises(RuntimeError, "Calling register_hooks on a saved tensor after it has been freed"):
        kept.register_hooks(same, same)
    with raises(RuntimeError, "Trying to create a SavedTensor object from Python is forbidden."):
        torch.autograd.SavedTensor()


def test_a_saved_list():
    x = torch.ones(2, 2, requires_grad=True)
    columns = torch.tensor([0, 1])
    y = x[:, columns]
    nothing, kept = y.grad_fn._raw_saved_indices
    assert nothing.data is None and kept.data.tolist() == [0, 1]
    kept.register_hooks(lambda tensor: tensor + 0, lambda tensor: tensor - 1)
    assert y.grad_fn._saved_indices[1].tolist() == [-1, 0]
    y.sum().backward()
    assert x.grad.tolist() == [[1, 1], [1, 1]]


def test_of_a_custom_function():
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return ctx.saved_tensors[0] * grad

    x = leaf(3.0)
    y = Keep.apply(x)
    first, none = y.grad_fn._raw_saved_tensors
    with raises(RuntimeError, "None is forbidden"):
        none.register_hooks(same, same)
    first.register_hooks(lambda tensor: tensor.item(), lambda number: torch.tensor([number + 1]))
    y.backward()
    assert x.grad.item() == 4


@pytest.mark.parametrize("empty, compute", [
    ("weight", lambda nn, x: nn.nll_loss(x, torch.tensor([0, 1]))),
    ("weight", lambda nn, x: nn.binary_cross_entropy(x, torch.ones(2, 3))),
    ("pos_weight weight", lambda nn, x: nn.binary_cross_entropy_with_logits(x, torch.ones(2, 3))),
    ("bias weight", lambda nn, x: nn.layer_norm(x, (3,))),
    ("running_mean running_var weight", lambda nn, x: nn.batch_norm(x, None, None, training=True)),
    ("weight", lambda nn, x: nn.batch_norm(x, torch.zeros(3), torch.ones(3))),
    ("max", lambda nn, x: x.clamp(min=torch.zeros(1))),
    ("self", lambda nn, x: x * 2),
])
def test_a_slot_that_never_held_a_tensor_is_none_after_the_pass_too(empty, compute):
    y = compute(torch.nn.functional, torch.full((2, 3), 0.5, requires_grad=True))
    node = y.grad_fn
    assert slots_with_none(node) == empty
    y.sum().backward()
    assert slots_with_none(node) == empty


def slots_with_none(node):
    found = []
    for name in sorted(dir(node)):
        with contextlib.suppress(RuntimeError):     # it was freed
            if name.startswith("_saved_") and getattr(node, name) is None:
                found.append(name[len("_saved_"):])
    return " ".join(found)


# --- tensors that changed after they were saved -------------------------------------------------------------

DETACHED = "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."


@pytest.mark.parametrize("again", [False, True])
def test_a_saved_input_that_was_detached(again):
    x = leaf(1.0).clone()
    y = x.sin()
    x.detach_()
    if again:
        x.requires_grad_()
    assert y.grad_fn._saved_self is x           # looking is allowed
    with raises(RuntimeError, DETACHED):
        y.backward()


def test_a_saved_result_that_was_detached():
    x = leaf(0.0)
    y = x.clone()
    z = y.exp()
    y.detach_()
    z.backward()
    assert x.grad.item() == 1
    y = x.exp()
    z = y * 2
    y.detach_()
    z.backward()
    assert x.grad.item() == 3


def test_a_constant_that_was_detached_is_none_the_worse():
    x, constant = leaf(2.0), torch.tensor([3.0])
    y = x * constant
    constant.detach_()
    y.backward()
    assert x.grad.item() == 3


# --- writes that nobody minds -------------------------------------------------------------------------------

def test_only_inside():
    outside = "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    x = leaf(1.0, 2.0)
    with graph.allow_mutation_on_saved_tensors():
        y = (x ** 2).sum()
    with raises(AssertionError, outside):
        y.backward()
    with graph.allow_mutation_on_saved_tensors():
        with raises(AssertionError, outside):
            y.backward()
        with raises(RuntimeError, "allow_mutation_on_saved_tensors contexts cannot be nested"):
            with graph.allow_mutation_on_saved_tensors():
                pass


@pytest.mark.parametrize("function", [torch.sin, lambda x: x.sin() * x.cos()])
def test_hooks_around_a_checkpoint_keep_the_inputs_of_its_function(function):
    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    x, log = leaf(1.0, 2.0), []

    def pack(tensor):
        log.append(tensor is x)
        return tensor

    def unpack(tensor):
        log.append("unpacked")
        return tensor * 0

    with graph.saved_tensors_hooks(pack, unpack):
        y = checkpoint(function, x, use_reentrant=False).sum()
    assert log == [True]
    y.backward()
    assert log == [True, "unpacked"]
    assert x.grad.tolist() == [1, 1]        # the slopes at 0, where it ran again


# --- hooks that come and go during a pass -------------------------------------------------------------------

def test_a_block_entered_by_a_pass_ends_with_it():
    def scope():
        def unpack(tensor):
            reference().__enter__()
            return tensor

        block = graph.saved_tensors_hooks(same, unpack)
        reference = weakref.ref(block)
        x = leaf(1.0)
        with block:
            x.sin().backward()
        return weakref.ref(unpack)

    assert scope()() is None


def test_a_block_left_by_a_pass_comes_back():
    def unpack(tensor):
        block.__exit__()
        return tensor

    block = graph.saved_tensors_hooks(same, unpack)
    with block:
        leaf(1.0).sin().backward()
        assert leaf(1.0).sin().grad_fn._raw_saved_self.unpack_hook is unpack
    assert leaf(1.0).sin().grad_fn._raw_saved_self.unpack_hook is None


# --- when a leaf's gradient is there for a function that unpacks --------------------------------------------

def product(a, b):
    return (a + 1) * b


def product_in_place(a, b):
    return (a + 1).mul_(b)


@pytest.mark.parametrize("multiply", [product, product_in_place])
def test_complete_leaves_are_filled_before_an_unpack_hook(multiply):
    early, a, b = leaf(1.0), leaf(2.0), leaf(3.0)
    seen = []

    def unpack(tensor):
        seen.append(early.grad is not None)
        return tensor

    with graph.saved_tensors_hooks(same, unpack):
        y = multiply(a, b)
    (y + early).sum().backward()
    assert seen == [True, True]


@pytest.mark.parametrize(("operation", "name"), [
    (lambda x: (x + 1).mul(leaf(2.0, 3.0)), "_raw_saved_other"),
    (lambda x: x[torch.tensor([0, 1])], "_raw_saved_indices"),
])
def test_complete_leaves_are_filled_before_a_hook_on_one_saved_tensor(operation, name):
    early, x = leaf(1.0), leaf(1.0, 2.0)
    seen = []

    def unpack(tensor):
        seen.append(early.grad is not None)
        return tensor

    y = operation(x)
    saved = getattr(y.grad_fn, name)
    saved = saved[0] if isinstance(saved, tuple) else saved
    saved.register_hooks(same, unpack)
    (y.sum() + early).sum().backward()
    assert seen == [True]


# --- what a write in place saves ----------------------------------------------------------------------------

def test_a_tensor_that_cannot_be_saved_is_refused_before_the_write():
    x = leaf(1.0, 2.0)
    with torch.inference_mode():
        other = torch.ones(2)
    y = x * 3
    with raises(RuntimeError, "Inference tensors cannot be saved for backward."):
        y.mul_(other)
    assert y._version == 0 and y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_the_result_of_a_write_to_one_of_several_outputs():
    x = leaf(1.0, 2.0, 4.0)
    mean = torch.var_mean(x)[1]
    mean.exp_()
    assert mean.output_nr == 0 and mean.grad_fn.name() == "ExpBackward0"
    slope, = grad(mean, x, create_graph=True)
    slope.sum().backward()
    assert x.grad.tolist() == pytest.approx([math.exp(7 / 3) / 3] * 3)
