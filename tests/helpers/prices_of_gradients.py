"""Rows for the prices that are a gradient that is missing, or another one, and work that is done again."""
from __future__ import annotations

import pytest

from tests.helpers.prices import leaf, message, packed, price, shared

MODIFIED = "has been modified by an inplace operation"


@price("no gradient flows further back", "no gradient flows into what it was computed from",
       "no gradient flows through it")
def nothing_flows_behind_a_detached_tensor(torch):
    """Run a pass through a tensor, and through a leaf that was made of its values."""
    connected, cut = leaf(torch), leaf(torch)
    (connected * 2).exp().sum().backward()
    assert connected.grad is not None
    y = (cut * 2).detach().requires_grad_()
    y.exp().sum().backward()
    assert y.is_leaf and y.grad is not None and cut.grad is None


@price("no gradient flows into earlier rounds")
def nothing_flows_into_earlier_rounds(torch):
    """Detach the state after each round: the gradient of the last round is all that there is."""
    def last_round(detach):
        w, h = leaf(torch), torch.ones(2)
        for _ in range(3):
            before = h.detach() if detach else h
            h = before * w
        h.sum().backward()
        return w.grad.tolist(), before.tolist()
    cut, values = last_round(True)
    whole, _ = last_round(False)
    assert cut == values and whole == [3 * value for value in values]  # of before * w, and of w ** 3


@price("no gradient flows through it; the array shares the memory, and what "
       "NumPy writes to it changes no version")
def an_array_shares_the_memory(torch):
    """Write to the array: the tensor shows it, its version doesn't, and the array has no graph."""
    y = leaf(torch) * 2
    version = y._version
    array = y.detach().numpy()
    array[0] = 9
    assert y.tolist() == [9, 4] and y._version == version
    assert not torch.from_numpy(array).requires_grad and shared(torch.from_numpy(array), y)


@price("a graph that saved the old values of w can't run a pass any more")
def a_step_in_place_spoils_saved_values(torch):
    """Retain a graph, and step in place: the graph ran before the step, and does not after it."""
    w = leaf(torch)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    loss.backward(retain_graph=True)
    with torch.no_grad():
        w -= 0.1 * w.grad
    assert w.is_leaf and MODIFIED in message(loss.backward)


@price("an optimizer that was given the old w doesn't change the new one")
def an_optimizer_keeps_the_tensor_that_it_was_given(torch):
    """Give w a new leaf after the optimizer was made: its step changes the old one alone."""
    w = old = leaf(torch)
    optimizer = torch.optim.SGD([w], lr=0.1)
    w = (w - 0.5).detach().requires_grad_()
    (w + old).sum().backward()
    optimizer.step()
    assert w.is_leaf and w.tolist() == [0.5, 1.5] and old.tolist() == pytest.approx([0.9, 1.9])


@price("another function is trained")
def a_smooth_function_is_another_one(torch):
    """Compare argmax with softmax, and a comparison with sigmoid: only one has a gradient."""
    scores, out = leaf(torch, 1.0, 3.0), leaf(torch, -1.0, 2.0)
    for hard, smooth in ((scores.argmax(), torch.softmax(scores, 0)[1]),
                         ((out > 0).float(), torch.sigmoid(out))):
        assert not hard.requires_grad and smooth.requires_grad
        assert hard.tolist() != smooth.tolist()


@price("code that reads the gradient has to expect None")
def a_drawer_that_was_emptied_is_none(torch):
    """Set a gradient to None, and to zeros: only None fails when it is read."""
    w = leaf(torch)
    (w * w).sum().backward()
    w.grad.zero_()
    assert (w.grad * 2).tolist() == [0, 0]
    w.grad = None
    assert "NoneType" in message(lambda: w.grad * 2)


@price("each gradient is the sum of the gradients of all the numbers")
def a_sum_adds_the_gradients_up(torch):
    """Compare the gradient of the sum with the gradients of each number."""
    x = leaf(torch, 2.0, 3.0)
    y = torch.stack([x[0] * x[1], x[0] + x[1], x[1] * x[1]])
    each = torch.stack([torch.autograd.grad(one, x, retain_graph=True)[0] for one in y])
    y.sum().backward()
    assert x.grad.tolist() == each.sum(0).tolist() == [4, 9]


@price("the same, divided by how many numbers there are")
def a_mean_divides_the_sum(torch):
    """Compare the gradients of the mean and of the sum of four numbers."""
    x, same = leaf(torch, 1.0, 2.0, 3.0, 4.0), leaf(torch, 1.0, 2.0, 3.0, 4.0)
    (x * x).mean().backward()
    (same * same).sum().backward()
    assert x.grad.tolist() == (same.grad / 4).tolist()


@price("ones give the gradient of the sum; you must choose other weights yourself")
def weights_scale_the_gradients(torch):
    """Pass ones, and other weights: each number's gradient is multiplied by its weight."""
    def gradient(weights):
        x = leaf(torch)
        (x * x).backward(weights) if weights is not None else (x * x).sum().backward()
        return x.grad.tolist()
    assert gradient(torch.ones(2)) == gradient(None) == [2, 4]
    assert gradient(torch.tensor([10.0, 1.0])) == [20, 4]


@price("that pass adds nothing to the `.grad` of the leaves behind y",
       "the earlier pass adds nothing to the `.grad` of the leaves behind y")
def a_detached_pass_adds_nothing_behind(torch):
    """Run two passes through one result, one of them detached: the leaf receives the other's alone."""
    g, d = leaf(torch), leaf(torch)
    fake = g * g
    (fake.detach() * d).sum().backward()
    assert g.grad is None and d.grad.tolist() == [1, 4]
    (fake * 3).sum().backward()
    assert g.grad.tolist() == [6, 12]


@price("the gradient of y is None, also where that is a mistake")
def an_unused_input_gets_none(torch):
    """Ask for the gradient of an input that was forgotten: there is no error, and None."""
    x, forgotten = leaf(torch), leaf(torch)
    assert "not have been used" in message(lambda: torch.autograd.grad((x * x).sum(), [forgotten]))
    assert torch.autograd.grad((x * x).sum(), [forgotten], allow_unused=True) == (None,)


@price("the gradient of an unused input is zeros, also where that is a mistake")
def a_materialized_gradient_is_zeros(torch):
    """Ask for gradients of which one was forgotten: it is zeros, and the other one is not."""
    x, forgotten = leaf(torch), leaf(torch)
    used, zeros = torch.autograd.grad((x * x).sum(), [x, forgotten], materialize_grads=True)
    assert used.tolist() == [2, 4] and zeros.tolist() == [0, 0]


@price("zeros, also where that is a mistake")
def a_jacobian_of_nothing_is_zeros(torch):
    """Ask for a Jacobian of a function that forgot its argument, with and without strict=True."""
    x, c = torch.ones(2), torch.ones(2, requires_grad=True)
    jacobian = torch.autograd.functional.jacobian
    assert "independent of input 0" in message(lambda: jacobian(lambda x: c * 4, x, strict=True))
    assert jacobian(lambda x: c * 4, x).tolist() == [[0, 0], [0, 0]]


@price("the gradient of all of x is computed")
def a_part_comes_from_the_whole_gradient(torch):
    """Ask for x where a part is wanted: the gradient has the shape of x."""
    x = leaf(torch, 1.0, 2.0, 3.0)
    y = x[0] * x[0] + x[2]
    gradient, = torch.autograd.grad(y, x)
    assert gradient.shape == x.shape and gradient[0].item() == 2 and gradient.tolist() == [2, 0, 1]


@price("the result is computed without the write")
def a_later_write_leaves_the_result(torch):
    """Write before the result and after the pass: only the first changes the result."""
    def result(early):
        y = leaf(torch) * 2
        if early:
            y += 1
        loss = y.sum()
        loss.backward()
        if not early:
            y += 1
        return loss.item(), y.tolist()
    assert result(True) == (8, [3, 5]) and result(False) == (6, [3, 5])


@price("the write is not differentiated")
def a_write_under_no_grad_is_not_differentiated(torch):
    """Multiply a view by ten under no_grad, and recorded: only the second multiplies the gradient."""
    def gradient(recorded):
        x = leaf(torch)
        y = x * 2
        with torch.set_grad_enabled(recorded):
            view = y[:1]
            view *= 10
        y.sum().backward()
        return y.tolist(), x.grad.tolist()
    assert gradient(False) == ([20, 4], [2, 2])
    assert gradient(True) == ([20, 4], [20, 2])


@price("the write is not differentiated; values saved before it may not be used any more")
def a_write_to_a_leaf_spoils_saved_values(torch):
    """Write to a leaf under no_grad, as an optimizer does, before and after an operation saved it."""
    w, saved = leaf(torch), leaf(torch)
    loss = (saved * saved).sum()
    with torch.no_grad():
        w *= 10
        saved *= 10
    w.sum().backward()
    assert w.grad.tolist() == [1, 1] and w.is_leaf
    assert MODIFIED in message(loss.backward)


@price("the write is recorded")
def a_write_outside_no_grad_is_recorded(torch):
    """Take the view outside no_grad: the write is part of the graph, and of the gradient."""
    x = leaf(torch)
    y = x * 2
    view = y[:1]
    view *= 10
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [20, 2]


@price("the write is not recorded")
def a_write_inside_inference_mode_is_not_recorded(torch):
    """Write a leaf's values into an inference tensor, inside the mode: it changes, without a graph."""
    x = leaf(torch)
    with torch.inference_mode():
        i = torch.ones(2)
        i += x
    assert i.tolist() == [2, 3] and i.grad_fn is None and not i.requires_grad


@price("where x is smaller, the result is that of 1e-12, and the gradient is 0")
def a_clamped_input_has_the_edges_result(torch):
    """Take the root of a clamped input, at 0 and away from it."""
    x = leaf(torch, 0.0, 4.0)
    root = x.clamp(min=1e-12).sqrt()
    root.sum().backward()
    assert root.tolist() == pytest.approx([1e-6, 2]) and x.grad.tolist() == [0, 0.25]


@price("you run this part of the forward pass once more")
def a_part_that_is_computed_anew_runs_again(torch):
    """Run two passes, with the trunk computed anew and with its graph retained; count what it saves."""
    def run(anew):
        x = leaf(torch)
        h = x.exp()
        h.sum().backward(retain_graph=not anew)
        if anew:
            h = x.exp()
        h.sum().backward()
    assert len(packed(torch, lambda: run(False))) == 1
    assert len(packed(torch, lambda: run(True))) == 2


@price("you run this part of the forward pass once more; the gradient is that at the new value")
def a_pass_after_the_step_is_at_the_new_value(torch):
    """Compute the loss anew after a write to the leaf: it runs again, and its gradient is the new one."""
    def gradient(anew):
        w = leaf(torch, 3.0)
        loss = (w * w).sum()
        if anew:
            with torch.no_grad():
                w += 2
            loss = (w * w).sum()
        loss.backward()
        return w.grad.tolist()
    assert (gradient(False), gradient(True)) == ([6], [10])
    assert [len(packed(torch, lambda anew=anew: gradient(anew))) for anew in (False, True)] == [2, 4]


@price("you run this part of the forward pass once more; what grad() returned is a constant in it")
def what_grad_returns_is_a_constant(torch):
    """Add a penalty of the gradient, computed by grad() alone: only create_graph=True lets it count."""
    def gradient(**options):
        x = leaf(torch, 3.0)
        (g,) = torch.autograd.grad((x ** 3).sum(), x, **options)
        ((x ** 3).sum() + (g ** 2).sum()).backward()
        return x.grad.tolist()
    assert gradient() == [27] and gradient(create_graph=True) == [27 + 36 * 27]


@price("the write uses the sum of the gradients of both passes in w.grad")
def a_pass_before_the_step_adds_to_its_gradient(torch):
    """Run the second pass before the step: the step uses both gradients."""
    def moved(before):
        w = leaf(torch, 1.0)
        opt = torch.optim.SGD([w], lr=1.0)
        (w * 2).sum().backward()
        if before:
            (w * 5).sum().backward()
        opt.step()
        return w.tolist()
    assert (moved(False), moved(True)) == ([-1], [-6])


@price("the gradient is that at the old value; without inputs= it would also add to w.grad, which the write "
       "uses")
def a_pass_for_its_own_leaves_adds_to_no_other(torch):
    """Give the moved pass its inputs: the step that follows is the same as without it."""
    def moved(**options):
        v, w = leaf(torch, 3.0), leaf(torch, 1.0)
        opt = torch.optim.SGD([w], lr=1.0)
        (w * 2).sum().backward()
        if options:
            (v * w).sum().backward(inputs=[v, w] if options["all"] else [v])
        opt.step()
        return w.tolist(), v.grad if v.grad is None else v.grad.tolist()
    assert moved() == ([-1], None)
    assert moved(all=True) == ([-4], [1])
    assert moved(all=False) == ([-1], [1])  # 1 is the old value of w


@price("the rows that don't fill a batch are not used in this round")
def rows_left_out(torch):
    """Count the rows of a round: three in batches of two leave one out."""
    rows = torch.utils.data.TensorDataset(torch.arange(3.))

    def used(drop):
        return [x.tolist() for x, in torch.utils.data.DataLoader(rows, 2, drop_last=drop)]

    assert used(False) == [[0, 1], [2]] and used(True) == [[0, 1]]


@price("the layer uses its running statistics, and doesn't update them")
def running_statistics(torch):
    """Give a layer in evaluation mode one row: the result is what its running statistics make of it."""
    norm = torch.nn.BatchNorm1d(2)
    norm(torch.tensor([[0., 2.], [4., 6.]]))
    before = norm.running_mean.tolist(), norm.running_var.tolist(), int(norm.num_batches_tracked)
    norm.eval()
    result, x = norm(torch.ones(1, 2)), torch.ones(1, 2)
    expected = (x - norm.running_mean) / torch.sqrt(norm.running_var + norm.eps)
    assert torch.allclose(result, expected)
    assert before == (norm.running_mean.tolist(), norm.running_var.tolist(), int(norm.num_batches_tracked))
