"""Hooks that count what a pass will run."""
from __future__ import annotations

from . import error_of


def hooks_of_several_gradients(torch):
    """Run passes from several roots, with hooks that wait for the gradients of several tensors."""
    found = []
    for mode in ("all", "any"):
        for choose in (lambda x, y, z: [x, y], lambda x, y, z: [y, z], lambda x, y, z: [x, z],
                       lambda x, y, z: [z], lambda x, y, z: [x], lambda x, y, z: [x, y, z]):
            for run in _passes(torch):
                x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
                y = x * 2
                z = (y * y).sum()
                handle = torch.autograd.graph.register_multi_grad_hook(
                    choose(x, y, z), lambda grads, seen=seen: seen.append(grads), mode=mode)
                outcome = error_of(lambda run=run, x=x, y=y, z=z: run(x, y, z))
                found.append([outcome.partition("\n")[0], list(seen)])
                handle.remove()
    return found


def hooks_of_a_leaf_that_gets_no_gradient(torch):
    """Run a Function that returns None, and one that leaves a gradient out, with hooks everywhere."""
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None

    found = []
    for use in (lambda x: Nothing.apply(x), lambda x: Nothing.apply(x) + x, lambda x: Nothing.apply(x * 3)):
        x, seen = torch.ones(2, requires_grad=True), []
        x.register_hook(lambda grad, seen=seen: seen.append(["tensor", grad]))
        x.register_post_accumulate_grad_hook(lambda leaf, seen=seen: seen.append(["leaf", leaf.grad]))
        y = use(x)
        y.register_hook(lambda grad, seen=seen: seen.append(["result", grad]))
        y.grad_fn.register_hook(lambda inputs, outputs, seen=seen: seen.append(["node", inputs, outputs]))
        y.sum().backward()
        found.append([seen, x.grad])
    return found


def _passes(torch):
    return (lambda x, y, z: z.backward(),
            lambda x, y, z: z.backward(inputs=[x]),
            lambda x, y, z: z.backward(inputs=[y]),
            lambda x, y, z: torch.autograd.backward([z, y.sum()]),
            lambda x, y, z: torch.autograd.backward([z, z]),
            lambda x, y, z: y.backward(torch.ones(2)),
            lambda x, y, z: torch.autograd.grad(z, y),
            lambda x, y, z: torch.autograd.grad([z, y.sum()], [y]) and None)


def a_retained_gradient_has_memory_of_its_own(torch):
    x, seen = torch.ones(2, requires_grad=True), []
    y = x * 2
    y.register_hook(seen.append)
    y.retain_grad()
    given = torch.ones(2)
    y.backward(given)
    y.grad.mul_(7)
    return given, seen, x.grad, y.grad


def a_hook_that_is_registered_after_another_was_removed(torch):
    x, seen = torch.ones(2, requires_grad=True), []
    x.register_hook(lambda grad: seen.append("removed")).remove()
    for number in range(2):
        y = (x * 2).sum()
        x.register_hook(lambda grad, number=number: seen.append(number))
        y.backward()
    return seen


def forward_hooks_put_before_others(torch):
    seen, layer = [], torch.nn.Linear(1, 1)
    for number in range(3):
        layer.register_forward_hook(lambda *args, number=number: seen.append(number), prepend=number == 2)
        layer.register_forward_pre_hook(
            lambda *args, number=number: seen.append(-number), prepend=number == 1)
    layer(torch.ones(1))
    return seen


def one_of_two_results_is_written(torch):
    """The other result keeps its retained gradient.  PyTorch crashes if the written one has another."""
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            return 2 * first + 3 * second

    x, found = torch.ones(2, requires_grad=True), []
    for written, part in ((0, slice(None)), (1, slice(None)), (0, slice(1)), (1, slice(1))):
        a, b = results = Two.apply(x)
        results[1 - written].retain_grad()
        x.grad = None
        results[written][part].mul_(5)
        (a * a + b).sum().backward()
        found.append([x.grad, results[1 - written].grad, a.output_nr, b.output_nr])
    return found


def a_hook_after_accumulation_that_is_registered_late(torch):
    x, seen = torch.ones(2, requires_grad=True), []
    y = (x * 2).sum()
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.tolist()))
    y.backward()
    return seen
