"""Rows for the prices that are tensors: second ones, new ones, and none where memory is shared."""
from __future__ import annotations

from copy import deepcopy

from tests.helpers.prices import is_second, leaf, price, shared


@price("a second tensor")
def conversions_and_clones_have_memory_of_their_own(torch):
    """Convert, clone and lengthen tensors: each result is new, and the old tensor is still there."""
    n, single, double = torch.tensor([3, 5]), torch.tensor([0.0, 1.0]), torch.ones(2, dtype=torch.float64)
    with torch.inference_mode():
        i = torch.ones(2)
    for tensor, copy in ((n, n.float()), (single, single.long()), (double, double.to(single.dtype)),
                         (i, i.clone())):
        assert is_second(copy, tensor)
        assert copy.tolist() == tensor.tolist()
    assert not shared(torch.cat([single, torch.zeros(1)]), single)
    seen = []
    x = leaf(torch)
    x.register_hook(lambda grad: seen.append((grad, grad.double().to(grad.dtype))) or seen[-1][1])
    x.sum().backward()
    assert is_second(*seen[0])


@price("a second tensor of N bytes", "a second tensor of its size")
def a_copy_takes_the_bytes_of_its_tensor(torch):
    """Clone, write out of place, and take the activation out of place: the bytes are those of the tensor."""
    x = torch.ones(3)
    relu = torch.nn.functional.relu(x, inplace=False)
    copies = [x.clone(), x.detach().clone(), x + 1, torch.where(x < 0.5, 0, x), relu]
    assert all(is_second(copy, x) and copy.nbytes == x.nbytes for copy in copies)
    assert shared(torch.nn.functional.relu(x, inplace=True), x)


@price("a second tensor of N bytes; the write no longer reaches y")
def a_copy_of_a_view_takes_the_bytes_of_the_view(torch):
    """Write into a copy of a part: the whole stays as it was."""
    y = torch.ones(3)
    half = y[:2]
    for copy in (half.clone().add_(1), half.add(1)):
        assert copy.nbytes == 8 and copy.tolist() == [2, 2] and y.tolist() == [1, 1, 1]
    half.add_(1)
    assert y.tolist() == [2, 2, 1]


@price("a second tensor of its size; it has no history")
def a_detached_clone_has_no_history(torch):
    """Copy the numbers of a computed tensor."""
    y = leaf(torch) * 2
    copy = y.detach().clone()
    assert is_second(copy, y) and copy.nbytes == y.nbytes
    assert y.grad_fn is not None and copy.grad_fn is None and not copy.requires_grad


@price("a second tensor, where no view is possible")
def reshape_copies_only_scattered_memory(torch):
    """Reshape a transpose, which has to be copied, and a tensor in order, which has not."""
    x = torch.ones(2, 3)
    assert is_second(x.t().reshape(6), x)
    assert shared(x.reshape(6), x)


@price("a second tensor where you pad; a slice shares the memory")
def a_pad_copies_and_a_slice_shares(torch):
    """Bring a tensor to a longer and to a shorter shape."""
    x = torch.ones(3)
    assert not shared(torch.cat([x, torch.zeros(1)]), x)
    assert shared(x[:2], x)


@price("whole numbers above 16 777 216 may be rounded")
def floats_round_large_whole_numbers(torch):
    """Write whole numbers around the limit with a decimal point."""
    for n, rounded in ((16_777_215, 0), (16_777_216, 0), (16_777_217, -1)):
        assert torch.tensor([float(n)]).long().item() - n == rounded


@price("a second tensor, and the same rounding")
def float_rounds_too(torch):
    """Convert whole numbers around the limit."""
    n = torch.tensor([16_777_215, 16_777_216, 16_777_217])
    assert is_second(n.float(), n)
    assert (n.float().long() - n).tolist() == [0, 0, -1]


@price("a second tensor, with fewer digits")
def float_drops_digits(torch):
    """Convert a number of 16 digits."""
    x = torch.tensor([0.1234567890123456], dtype=torch.float64)
    assert is_second(x.float(), x)
    assert 0 < abs(x.float().double() - x).item() < 1e-7


@price("a float64 tensor takes twice the memory of a float32 tensor")
def float64_doubles_the_bytes(torch):
    """Compare the bytes of the same numbers in both types."""
    x = torch.ones(3)
    assert x.dtype == torch.float32 and x.double().nbytes == 2 * x.nbytes


@price("a new tensor of shape S")
def a_broadcast_result_is_a_new_tensor(torch):
    """Write out of place where the result is larger."""
    y = torch.ones(2)
    result = y + torch.ones(3, 2)
    assert tuple(result.shape) == (3, 2) and not shared(result, y) and y.tolist() == [1, 1]


@price("a new tensor of type Float")
def a_promoted_result_is_a_new_tensor(torch):
    """Write out of place where the result has another type."""
    n = torch.tensor([3, 5])
    result = n + 0.5
    assert result.dtype == torch.float32 and is_second(result, n) and n.tolist() == [3, 5]


@price("a tensor of one number")
def a_number_as_a_tensor(torch):
    """Start a pass from a number that was written as a tensor."""
    x, start = leaf(torch), torch.tensor(10.0)
    x.sum().backward(start)
    assert start.numel() == 1 and x.grad.tolist() == [10, 10]


@price("a tensor of that shape")
def a_filled_tensor_has_the_shape(torch):
    """Put a number into a tensor of the shape of another one."""
    x = leaf(torch)
    full = torch.full_like(x, 3.0)
    assert full.shape == x.shape and is_second(full, x)
    x.grad = full
    (x * 2).backward(full)
    assert x.grad.shape == x.shape


@price("a tensor of N bytes; ones give the same as the sum")
def ones_are_the_gradient_of_the_sum(torch):
    """Pass ones as the weights, and compare with the pass from the sum."""
    x, same = leaf(torch), leaf(torch)
    y = x * x
    ones = torch.ones_like(y)
    y.backward(ones)
    (same * same).sum().backward()
    assert is_second(ones, y) and ones.nbytes == y.nbytes and x.grad.tolist() == same.grad.tolist()


@price("a tensor of zeros, N bytes, also where that is a mistake")
def zeros_take_the_bytes_of_the_input(torch):
    """Ask for the gradient of an input that was forgotten: there is no error, and a tensor of zeros."""
    x, forgotten = leaf(torch), leaf(torch, 3.0, 4.0, 5.0)
    zeros, = torch.autograd.grad((x * x).sum(), [forgotten], materialize_grads=True)
    assert zeros.tolist() == [0, 0, 0] and is_second(zeros, forgotten) and zeros.nbytes == forgotten.nbytes


@price("only a new tensor takes memory; the other two share it")
def flags_and_detach_share(torch):
    """Take the three ways around an attribute that can't be assigned."""
    x = torch.ones(2)
    assert shared(x.detach(), x) and x.requires_grad_() is x and is_second(x * 1, x)


@price("both share the memory; after `[:, None]` the result may be larger than both tensors")
def a_dimension_of_one_broadcasts(torch):
    """Add a dimension, and transpose."""
    x, y, matrix = torch.ones(2), torch.ones(3), torch.ones(2, 3)
    assert shared(x[:, None], x) and shared(matrix.T, matrix)
    assert (x[:, None] + y).numel() == 6 > max(x.numel(), y.numel())


@price("none: it shares the memory")
def detach_and_reshape_share(torch):
    """Detach a tensor, and give it a dimension."""
    y, number = leaf(torch) * 2, torch.tensor(3.0)
    assert shared(y.detach(), y) and shared(number.reshape(1), number)


@price("a copy of each saved tensor")
def a_pack_hook_that_clones(torch):
    """Keep what a pack hook cloned: two saved tensors, two copies."""
    kept = []
    x = leaf(torch) * 1
    with torch.autograd.graph.saved_tensors_hooks(
            lambda tensor: kept.append((tensor, tensor.clone())) or kept[-1][1], lambda one: one):
        y = x * x
    assert y.requires_grad and len(kept) == 2
    assert all(shared(tensor, x) and is_second(copy, tensor) for tensor, copy in kept)
    assert not shared(kept[0][1], kept[1][1])


@price("more parameters")
def an_output_more_is_more_parameters(torch):
    """Give a layer one output more."""
    counts = [sum(p.numel() for p in torch.nn.Linear(3, outputs).parameters()) for outputs in (2, 3)]
    assert counts == [8, 12]


@price("its parameters are in memory twice, and the copy has to be updated")
def a_copy_of_a_model_has_parameters_of_its_own(torch):
    """Copy a model and take a step: the copy stays as it was."""
    net = torch.nn.Linear(2, 1)
    target, before = deepcopy(net), net.weight.tolist()
    assert all(is_second(*pair) for pair in zip(target.parameters(), net.parameters(), strict=True))
    net(torch.ones(2)).backward()
    torch.optim.SGD(net.parameters(), lr=1.0).step()
    assert target.weight.tolist() == before != net.weight.tolist()
