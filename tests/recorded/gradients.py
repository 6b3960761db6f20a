"""What `.grad` is after passes, writes and steps, and what a view may be used for."""
from __future__ import annotations

import contextvars
import warnings

from . import error_of


def a_gradient_that_was_written(torch):
    """Write to a gradient between passes, out of place and in place."""
    x, found = torch.tensor([1.0, -2.0, 3.0], requires_grad=True), []
    for change in (lambda g: g.add_(10), lambda g: g.zero_(), lambda g: g.mul_(-1),
                   lambda g: g[1:].fill_(7), lambda g: g.data.add_(1)):
        (x * x).sum().backward()
        change(x.grad)
        found.append(x.grad.clone())
        (x * 3).sum().backward()
        found.append(x.grad.clone())
    return found


def one_gradient_is_written(torch):
    """Write to the gradient of one of two leaves that get the same numbers."""
    found = []
    for combine in (lambda a, b: (a + b) * 2, lambda a, b: a + b, torch.add,
                    lambda a, b: (a.view(3) + b[...]).exp(), lambda a, b: torch.stack([a, b])):
        a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        combine(a, b).sum().backward()
        a.grad.zero_()
        found.append([a.grad.clone(), b.grad.clone()])
        combine(a, b).sum().backward()
        found.append([a.grad, b.grad])
    return found


def the_same_object(torch):
    """Say whether `.grad` stays the same tensor over passes, and with which flags."""
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x * 2).sum().backward()
    second = x.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x).sum().backward(create_graph=True)
    return [first is second, x.grad is second, first, x.grad, x.grad.requires_grad]


def layout_of_a_gradient(torch):
    """Say whether gradients may be viewed, of leaves with and without gaps in memory."""
    found = []
    for x in (torch.ones(2, 3), torch.ones(4, 6)[::2, ::3]):
        for function in (lambda t: t * 2, lambda t: t.transpose(0, 1) * 2, lambda t: t.exp(),
                         lambda t: t.transpose(0, 1).exp(), lambda t: (t * 2).transpose(0, 1)):
            leaf = x.detach().requires_grad_()
            out = function(leaf)
            out.backward(torch.ones_like(out))
            found.append([leaf.grad.is_contiguous(), error_of(lambda leaf=leaf: leaf.grad.view(-1))])
    return found


def a_gradient_that_overlaps_itself(torch):
    """Assign an expanded gradient, and add to it in a pass."""
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.ones(1).expand(3)
    before = x.grad
    return [error_of((x * 2).sum().backward), before, x.grad]


def a_gradient_given_by_the_program(torch):
    """Give a pass a gradient, and write to it afterwards; and to the gradient it became."""
    found = []
    for function in (lambda t: t * 1, lambda t: t + 1, lambda t: -t):
        x, given = torch.ones(2, requires_grad=True), torch.ones(2)
        function(x).backward(given)
        function(x).backward(given)
        found.append([x.grad.clone(), given.clone()])
        given.add_(5)
        x.grad.mul_(2)
        found.append([x.grad, given])
    return found


def gradients_of_views_made_without_recording(torch):
    """Use, write and differentiate views that were made in no_grad and in inference_mode."""
    found = []
    for mode in (torch.no_grad, torch.inference_mode):
        for write in (lambda v: v.mul_(2), lambda v: v.add_(1), lambda v: v.detach().add_(1)):
            y = torch.ones(3, requires_grad=True) * 2
            with mode():
                view = y[:2]
                other = view[:1]
            found.append([view._is_view(), view.is_inference(), view.requires_grad, view.is_leaf])
            found.append([error_of(lambda v=v, write=write: write(v)) for v in (view, other)])
            y.mul_(3)
            found.append([error_of(lambda v=v: (v * 2, v.grad_fn)[1]) for v in (view, other)])
    return found


def written_views_of_inference(torch):
    """Write a base in normal mode, then read a view that was made from it in inference_mode."""
    base = torch.ones(3)
    with torch.inference_mode():
        view = base[:2]
        late = view.view(2, 1)
    base.mul_(torch.ones(3, requires_grad=True))
    found = [error_of(lambda one=one: one.grad_fn) for one in (view, late)]
    return [*found, error_of(lambda: view.add_(1)), base]


def saved_result_of_a_written_view(torch):
    """Differentiate twice through a result that was saved when it was written into a view."""
    found = []
    for write in ("exp_", "tanh_", "sigmoid_", "sqrt_"):
        x, seen = torch.ones(3, requires_grad=True), []
        whole = x * 2
        part = whole[1:]
        getattr(part, write)()
        for tensor, hooked in ((whole, "whole"), (part, "part")):
            tensor.register_hook(lambda grad, seen=seen, hooked=hooked: seen.append([hooked, grad]))
        gradient, = torch.autograd.grad(whole.sum(), x, create_graph=True)
        seen.append("second")
        second, = torch.autograd.grad(gradient.sum(), x)
        found.append([part.grad_fn.name(), whole.grad_fn.name(), gradient, second, seen])
    return found


def as_strided_of_memory_read_twice(torch):
    """Differentiate as_strided() of sources whose elements share memory."""
    found = []
    for source in (lambda t: t.expand(2, 3), lambda t: t.expand(3, 3).t(), lambda t: t[:1].expand(4),
                   lambda t: t.as_strided((2, 2), (1, 1))):
        for geometry in (((2,), (1,)), ((1, 2), (0, 1)), ((3,), (0,)), ((2, 1), (1, 1), 0)):
            x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
            y = source(x).as_strided(*geometry)
            weights = (torch.arange(float(y.numel())) + 1).view(y.shape)
            found.append(torch.autograd.grad((y * y * weights).sum(), x)[0])
    return found


def context_variables(torch):
    """Read a ContextVar of the program in hooks and in functions that a pass calls."""
    number, seen = contextvars.ContextVar("number", default=0), []

    def note(*arguments):
        seen.append(number.get())
        return arguments[0] if len(arguments) == 1 else None

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            note()
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            note()
            return grad * 2

    def look():
        return number.get()

    def passes():
        number.set(5)
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(note, note):
            y = x * x
            z = y.exp()
        z.sum().backward()
        seen.append("hooks")
        x.register_hook(note)
        x.register_post_accumulate_grad_hook(lambda leaf: seen.append(look()))
        w = Twice.apply(x) * 1
        w.register_hook(note)
        w.grad_fn.register_hook(lambda inputs, outputs: seen.append(look()))
        w.grad_fn.register_prehook(lambda outputs: seen.append(look()))
        w.sum().backward()
        seen.append("set in a hook")
        v = x * 3
        v.register_hook(lambda grad: (number.set(7), None)[1])
        v.sum().backward()
        seen.append(number.get())

    contextvars.copy_context().run(passes)
    return [seen, number.get()]


def second_gradients_with_an_input_that_is_not_used(torch):
    x, y = (torch.tensor([1.5, 2.0], dtype=torch.float64, requires_grad=True) for _ in range(2))
    return [torch.autograd.gradgradcheck(lambda x, y: x * x, (x, y)),
            torch.autograd.gradgradcheck(lambda x, y: x * x * y, (x, y)),
            error_of(lambda: torch.autograd.gradcheck(lambda x, y: x * x, (x, y)))]


def strides_of_gradients(torch):
    """A leaf's first gradient has the strides of the leaf, unless these leave gaps."""
    def leaves():
        return {
            "by rows": torch.ones(2, 3), "by columns": torch.ones(3, 2).t(),
            "with gaps": torch.ones(2, 6)[:, ::2],
            "columns with gaps": torch.ones(6, 2).t()[:, ::2], "row": torch.ones(1, 3),
            "column": torch.ones(3, 1),
            "rolled": torch.ones(2, 3, 4).permute(2, 0, 1), "swapped": torch.ones(2, 3, 4).transpose(0, 1),
            "repeated": torch.ones(1, 3).expand(2, 3), "number": torch.tensor(1.0),
            "vector": torch.ones(3)[::2],
        }

    uses = {
        "sum": lambda x: x.sum(), "product": lambda x: (x * torch.ones_like(x)).sum(),
        "square": lambda x: (x * x).sum(), "turned": lambda x: (x.flatten() * 2).sum(),
        "used twice": lambda x: x.sum() + (x * 2).sum(), "hook": lambda x: x.exp().sum(),
        "stacked": lambda x: torch.stack([x, x]).sum(),
    }
    found = {}
    for name in leaves():
        for use, function in uses.items():
            for create_graph in (False, True):
                x, strides = leaves()[name].requires_grad_(), []
                if use == "hook":
                    x.register_hook(lambda grad: grad * 2)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    for _ in range(1 if create_graph else 2):
                        function(x).backward(create_graph=create_graph)
                        strides.append([list(x.grad.stride()), x.grad.is_contiguous()])
                found[f"{name}, {use}, {create_graph}"] = [strides, x.grad.sum()]
    return found


def gradient_of_a_count(torch):
    """`norm(0)` counts, and gives no gradient at all."""
    x, seen = torch.tensor([3.0, 0.0], requires_grad=True), []
    x.register_hook(lambda grad: seen.append(None if grad is None else grad.tolist()))
    y = x.norm(0)
    y.backward()
    h = x * 2
    rows = torch.ones(2, 2, requires_grad=True)
    (rows.norm(0, dim=1).sum() + rows.sum()).backward()
    return [y, y.grad_fn.next_functions[0][0].name(), x.grad, seen, rows.grad,
            x.norm(0).grad_fn(torch.tensor(1.0)), error_of((h.norm(0) + h.sum()).backward), x.grad, seen,
            error_of(lambda: torch.autograd.grad(x.norm(0), x)),
            torch.autograd.grad(x.norm(0), x, allow_unused=True),
            torch.autograd.grad(x.norm(0), x, allow_unused=True, create_graph=True),
            torch.autograd.grad(x.norm(0), x, materialize_grads=True)]


def a_pass_that_records_itself_and_keeps_nothing(torch):
    """Ask for a graph of the gradient, and not to keep that of the result."""
    x, found = torch.tensor([2.0, 3.0], requires_grad=True), []
    for keep in (None, True, False):
        y = (x * x).sum()
        x.grad = None
        y.backward(create_graph=True, retain_graph=keep)
        found += [x.grad.detach().clone(), error_of(y.backward)]
    return found


def detached_in_place_before_it_is_used(torch):
    """Remove a result from its graph, and only then compute with it."""
    x, found = torch.tensor([2.0, 3.0], requires_grad=True), []
    for again in (True, False):
        y = x * 2
        if again:
            (y * y).sum()
        y.detach_().requires_grad_()
        (y * y).sum().backward()
        found += [y.grad, x.grad, y.is_leaf]
    return found


def broadcast_in_front_and_inside(torch):
    """Sum a gradient over new dimensions and over those of size 1."""
    found = []
    for shape in ((1, 4), (3, 1), (1, 1), (1,), (1, 3, 1)):
        small = torch.ones(shape, requires_grad=True)
        large = torch.arange(24.0).reshape(2, 3, 4)
        (small * large).sum().backward()
        found.append(small.grad)
    return found


def the_output_that_a_saved_tensor_is(torch):
    """Look at what a product saved of two outputs of one node."""
    x, found = torch.arange(6.0, requires_grad=True), []
    a, b, c = (x * 1).reshape(3, 2).unbind(0)
    for first, second in ((a, b), (c, b), (b, b)):
        node = (first * second).grad_fn
        found += [node._saved_self.output_nr, node._saved_other.output_nr, node._saved_other.grad_fn]
    return [str(one).partition(" object")[0] for one in found]
