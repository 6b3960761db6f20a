"""Looking changes nothing, and what a box says is true.

`draw`, `diff`, `explain` and `play` look at saved values, settings and variables; none of that may run a
function of the program. Everything here runs on minigrad and on PyTorch.
"""
from __future__ import annotations

import gc
import importlib
import re

import pytest

from minigrad import book
from minigrad.viz import diff, draw, explain, play


@pytest.fixture(params=["minigrad", "torch"])
def torch(request):
    pytest.importorskip(request.param)
    importlib.import_module(f"{request.param}.utils.checkpoint")
    return importlib.import_module(request.param)


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


def checkpointed(torch, function, *args):
    return torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=False)


def same(value):
    return value


def hooks(torch, pack=same, unpack=same):
    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


def look(y):
    """All that looks at a graph without running it."""
    draw(y, show="versions memory places settings")
    draw(y, view="maths", show="-saved")
    diff(y, y * 2)
    explain(y)
    error = RuntimeError("Trying to backward through the graph a second time (or directly access saved "
                         "tensors after they have already been freed).")
    try:
        raise error
    except RuntimeError:
        explain(error)


def tabs(y):
    """What the tabs say, without names."""
    return [tab for line in draw(y, names=False).text.splitlines() if "; saved: " in line
            for tab in re.split(r", (?!\d|\))", line.partition("; saved: ")[2])]


# ---------------------------------------------------------------- checkpointed functions

def test_looking_does_not_run_a_checkpointed_function(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    function = Counted(lambda a: (a * w).sin().exp())
    y = checkpointed(torch, function, x).sum()
    look(y)
    assert function.calls == 1
    play(y)  # runs a real backward pass, which runs the function again
    assert function.calls == 2
    look(y)
    assert function.calls == 2


def test_what_a_checkpointed_function_saved_is_recomputed_in_backward(torch):
    x = leaf(torch, 1.0, 2.0)
    y = checkpointed(torch, lambda a: a.sin().exp(), x).sum()
    assert tabs(y) == ["self (recomputed in backward)", "result (recomputed in backward)"]
    drawing = draw(y, show="memory")
    assert "2 saved values recomputed in backward" in drawing.text.splitlines()[0]
    assert drawing.text.endswith("Note: Not counted: 2 saved values recomputed in backward.")
    assert "Not counted" not in draw(y).text
    assert "self (recomputed in backward)" in drawing.dot


def test_play_tells_a_pass_through_a_checkpointed_function(torch):
    x = leaf(torch, 1.0, 2.0)
    player = play(checkpointed(torch, lambda a: a * a, x).sum())
    assert "Freed: self, other." in player.text and "x.grad is [2.0, 4.0]." in player.text
    assert x.grad is None


def test_looking_leaves_the_counters_of_batch_norm_alone(torch):
    norm, x = torch.nn.BatchNorm1d(2), torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    y = checkpointed(torch, norm, x).sum()
    before = norm.running_mean.tolist()
    look(y)
    assert (norm.num_batches_tracked.item(), norm.running_mean.tolist()) == (1, before)
    y.backward()
    assert norm.num_batches_tracked.item() == 2


def test_after_looking_selective_checkpointing_still_works():
    torch = pytest.importorskip("torch")
    from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

    x = torch.ones(2, 2, requires_grad=True)
    y = checkpoint(lambda a: (a @ a).sin(), x, use_reentrant=False,
                   context_fn=lambda: create_selective_checkpoint_contexts([torch.ops.aten.mm.default])).sum()
    look(y)
    y.backward()  # its cache gives each value once
    assert x.grad is not None


def test_looking_keeps_no_more_tensors_alive(torch):
    x = torch.ones(1000, requires_grad=True)
    y = x
    for _ in range(5):
        y = checkpointed(torch, lambda a: a.sin().exp(), y)
    y = y.sum()
    before = bytes_alive(torch)
    look(y)
    assert bytes_alive(torch) <= before


def bytes_alive(torch):
    return sum(4 * one.numel() for one in gc.get_objects() if type(one) is torch.Tensor)


# ---------------------------------------------------------------- hooks

def test_a_hook_that_may_run_once_has_not_run_when_backward_needs_it(torch):
    x, packed = leaf(torch, 1.0, 2.0), {}

    def pack(tensor):
        packed[len(packed)] = tensor
        return len(packed) - 1

    with hooks(torch, pack, packed.pop):
        y = (x * x).exp().sum()
    look(y)
    assert len(packed) == 3
    assert tabs(y) == ["self (packed by a hook)", "other (packed by a hook)", "result (packed by a hook)"]
    y.backward()
    assert not packed
    assert tabs(y) == ["self (freed)", "other (freed)", "result (freed)"]


def test_free_mode_refuses_values_that_a_hook_may_give_once(torch):
    x, unpack = leaf(torch, 1.0, 2.0), Counted(same)
    with hooks(torch, same, unpack):
        y = (x * x).sum()
    with pytest.raises(ValueError, match="free mode .* a saved value is packed by a hook"):
        book.play(y, free=True)
    assert unpack.calls == 0


def test_no_bytes_are_claimed_for_what_a_hook_packed(torch):
    x = torch.ones(100, requires_grad=True)
    y = x.sin()
    with hooks(torch, lambda tensor: None, lambda nothing: x):
        z = y.exp().sum()
    note = "Saved values hold 400 bytes in 1 piece of memory, each counted once. "
    assert draw(z, show="memory").text.endswith(f"Note: {note}Not counted: 1 saved value packed by a hook.")


def test_of_a_list_with_a_hook_nothing_is_read(torch):
    x, unpack = torch.ones(2, 2, requires_grad=True), Counted(same)
    rows, columns = torch.tensor([0, 1]), torch.tensor([1, 0])
    y = x[rows, columns]
    y.grad_fn._raw_saved_indices[1].register_hooks(same, unpack)
    assert tabs(y) == ["indices (packed by a hook)"]
    assert unpack.calls == 0


def test_hooks_of_a_custom_function(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad * ctx.saved_tensors[0]

    x, unpack = leaf(torch, 3.0), Counted(same)
    with hooks(torch, same, unpack):
        y = Square.apply(x)
    assert tabs(y) == ["saved_tensors (packed by a hook)"]
    assert tabs(Square.apply(x)) == ["saved_tensors[0] (1,)"]
    look(y)
    assert unpack.calls == 0
    y.backward()
    assert (unpack.calls, x.grad.item()) == (1, 6)
    assert tabs(y) == ["saved_tensors (freed)"]


# ---------------------------------------------------------------- objects of the program

class Silent:
    """It does not want to be looked at."""

    def __repr__(self):
        raise AssertionError("looked at")

    __str__ = __eq__ = __hash__ = __format__ = __bool__ = __len__ = __getattr__ = __repr__


def test_no_code_of_the_programs_objects_runs(torch):
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.note = ctx._saved_note = Silent()
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    variable = Silent()
    x = leaf(torch, 3.0)
    look(Keep.apply(x).exp())
    assert type(variable) is Silent


def test_a_number_of_the_programs_own_type_is_named():
    import minigrad

    class Loud(float):
        def __repr__(self):
            raise AssertionError("looked at")

        __str__ = __format__ = __repr__

    y = minigrad.tensor([2.0], requires_grad=True) ** Loud(3.0)
    assert "exponent = a Loud" in draw(y).text


def test_no_torch_function_of_a_subclass_or_a_mode_is_called():
    torch = pytest.importorskip("torch")
    heard = []

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            heard.append(function)
            return super().__torch_function__(function, types, args, kwargs)

    class Listening(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            heard.append(function)
            return function(*args, **(kwargs or {}))

    x = torch.ones(2).as_subclass(Loud).requires_grad_()
    y = (x * 2).sin().sum()
    heard.clear()
    with Listening():
        draw(y, show="versions memory")
        diff(y, y)
        explain(y)
    assert not heard


def test_looking_records_nothing(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).exp().sum()
    first = x.sin().grad_fn._sequence_nr()
    draw(y, show="versions memory")
    diff(y, y)
    explain(y)
    assert x.sin().grad_fn._sequence_nr() == first + 1


# ---------------------------------------------------------------- views

@pytest.mark.parametrize("look", [draw, explain, lambda y: diff(y, y), lambda y: None])
def test_looking_gives_no_view_a_new_history(torch, look):
    """A view of memory that was written gets it when asked for its grad_fn, and retain_grad moves there."""
    x = leaf(torch, 1.0, 2.0, 3.0)
    y = x * 1
    view = y[:2]
    view.retain_grad()
    total = view.sum()
    y.mul_(2)
    look(total)
    look(y.sum())
    last = x.exp().grad_fn._sequence_nr()
    total.backward()
    assert view.grad.tolist() == [1, 1]
    assert view.grad_fn._sequence_nr() > last


def test_a_view_that_refuses_its_history_is_no_obstacle(torch):
    y = leaf(torch, 1.0, 2.0) * 1
    first, second = y.unbind(0)
    y.mul_(2)
    shared = y.detach()
    look((y * shared).sum())
    with pytest.raises(RuntimeError, match="is a view"):
        draw(first)


# ---------------------------------------------------------------- what a box says: constants and settings


def test_a_convolution_without_bias():
    torch = pytest.importorskip("torch")
    x = torch.ones(1, 1, 5)
    for bias, count in ((False, 1), (True, 2)):
        layer = torch.nn.Conv1d(1, 1, 3, bias=bias)
        if bias:
            layer.bias.requires_grad_(False)
        text = draw(layer(x)).text
        assert text.splitlines()[0].count(f"{count} constant") == 1
        assert "constant x, shape (1, 1, 5)" in text
        assert ("value not kept" in text) is bias  # its gradient needs no value of the bias
        assert "sym_sizes" not in text


# ---------------------------------------------------------------- arguments

def test_arguments_of_another_type_are_refused_in_words(torch):
    y = leaf(torch, 1.0, 2.0) * 2
    assert "Caption" not in draw(y, caption=None).text
    for options, message in [({"caption": 3}, "caption takes a sentence as a string, not an int"),
                             ({"show": ["versions"]}, "show takes words in one string, .*, not a list"),
                             ({"values": "a"}, "values takes True, False or a number of elements, not")]:
        with pytest.raises(TypeError, match=message):
            draw(y, **options)
    with pytest.raises(TypeError, match="values takes True, False or a number"):
        play(y.sum(), values="a")


def test_a_shape_of_one_dimension_is_written_with_its_comma(torch):
    results = [leaf(torch, 1.0, 2.0, 3.0).exp() for _ in range(2)]
    total = results[0].sum() + results[1].sum()
    results[0].mul_(2)
    del results
    with pytest.raises(RuntimeError) as caught:
        total.backward()
    assert "a tensor of shape (3,)" in str(explain(caught.value))
