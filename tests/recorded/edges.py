"""The edges of arguments: the first and last that is accepted, and the other form of a call."""
from __future__ import annotations

from . import error_of
from .rules import _errors


def einsum_with_a_list(torch):
    return _errors(torch, ["t.einsum('i,i->', [x, x])", "t.einsum('i->', [x])", "t.einsum('i->', x)"])


def places_of_parts(torch):
    return _errors(torch, [
        "m.narrow(1, -3, 1)", "m.narrow(1, 3, 0)", "m.narrow(1, 4, 0)", "m.narrow(1, -4, 1)",
        "m.narrow(1, 2, 2)", "m.narrow(0, 0, 2)", "m.select(1, -3)", "m.select(1, 3)", "m.select(1, -4)",
        "m[-2:].shape", "m[:, -4:].shape", "m[5:].shape", "m[None, ..., None].shape", "m[..., 0].shape",
        "m[:, None, 1:2].shape", "m[i].shape", "m[:, i].shape", "m[None, i].shape", "m[i, None].shape",
        "m[True].shape", "m[i, True].shape", "m[:, True].shape", "m[None, i, 0].shape", "m[..., i].shape",
        "m[:, [0], None].shape", "m[m > 0].shape", "m[m[:, 0] > 0].shape", "n[n > 0].shape", "n[None].shape",
        "n[...].shape", "n[True].shape", "n[False].shape", "m[[True, False]].shape", "m[0, [0, 2]].shape",
        "m[1, :, None].shape", "t.arange(24.).view(2, 3, 4)[:, [0, 2], 1]",
        "t.arange(24.).view(2, 3, 4)[0, :, [1, 2]]", "t.arange(24.).view(2, 3, 4)[[0, 1], :, [1, 2]]",
        "t.arange(24.).view(2, 3, 4)[None, :, [0, 2], 1].shape"])


def new_shapes(torch):
    return _errors(torch, [
        "m.view(-1)", "m.view(3, -1)", "m.view(-1, -1)", "m.view(4, -1)", "m.view(0, -1)", "m.view(7)",
        "t.ones(0, 2).view(-1)", "t.ones(0, 2).view(0, -1)", "t.ones(0, 2).view(-1, 1)",
        "t.ones(0, 2).view(1, 0)", "t.ones(0, 2).view(-1, 2)", "t.ones(0).reshape(0, 1)", "m.view(-2, 3)",
        "m.t().view(6)", "m.t().reshape(6)", "t.ones(0, 3).t().view(0)", "m.reshape(1, -1, 3).shape",
        "n.view(1)", "n.view(-1)", "n.view(())", "t.ones(1).view(())", "m.unsqueeze(-3).shape",
        "m.unsqueeze(2).shape", "m.unsqueeze(3)", "m.unsqueeze(-4)", "m.squeeze().shape",
        "m[:1].squeeze(0).shape", "m.squeeze(1).shape", "m[:1].squeeze((0, 1)).shape",
        "m.flatten(1, -1).shape",
        "m.flatten(1, 0)", "n.flatten()", "m.transpose(0, -3)", "m.permute(0)", "m.permute(1, 1)",
        "m.t().contiguous().view(6)", "m[:, :1].contiguous().stride()", "m.t().stride()",
        "t.ones(1, 3).t().is_contiguous()"])


def losses_of_odd_shapes(torch):
    return _errors(torch, [
        "F.cross_entropy(x, t.tensor(1))", "F.cross_entropy(x, i)", "F.cross_entropy(x, t.tensor([1]))",
        "F.cross_entropy(m, i)", "F.cross_entropy(m, t.ones(2, 1).long())", "F.cross_entropy(m, t.tensor(1))",
        "F.cross_entropy(m, t.tensor([0, 3]))", "F.cross_entropy(m, t.tensor([0, -1]))",
        "F.cross_entropy(m, t.tensor([0, -100]))", "F.cross_entropy(m, t.tensor([-100, -100]))",
        "F.cross_entropy(t.ones(2, 3, 2), t.zeros(2, 2).long())",
        "F.cross_entropy(t.ones(2, 3, 2), t.zeros(2, 3).long())",
        "F.cross_entropy(t.ones(2, 3, 2), t.zeros(2).long())",
        "F.cross_entropy(m, i.float())", "F.cross_entropy(m, t.ones(2, 3) / 3)",
        "F.nll_loss(m, i)", "F.nll_loss(x, t.tensor(1))", "F.nll_loss(m, t.tensor([1]))",
        "F.mse_loss(m, x)", "F.mse_loss(x, x, reduction='none')", "F.mse_loss(x, x, reduction='most')",
        "F.cross_entropy(m, i, reduction='sum')", "F.cross_entropy(m, i, weight=t.tensor([1., 2., 3.]))",
        "F.cross_entropy(m, i, weight=x)", "F.cross_entropy(m, i, ignore_index=0)",
        "F.one_hot(i)", "F.one_hot(i, 1)", "F.one_hot(i[:0])", "F.one_hot(i[:0], 0)",
        "F.one_hot(i[:0], 2).shape",
        "F.one_hot(i[:0], -3)", "F.one_hot(-i)"])


def operands_that_are_no_tensors(torch):
    return _errors(torch, [
        "t.maximum(x, x.detach()).sum()", "t.where(x > 1, x, 0.)", "t.where(x > 1, 1., 0.)",
        "x.where(x > 1, 0.)",
        "F.linear(x, t.ones(3, 2))", "F.linear(x, t.ones(3, 2), t.ones(3))", "F.linear(m, t.ones(4, 2))",
        "t.where(x > 1)", "x.clamp(None, None)", "x.clamp(1.5)", "x.clamp(max=1.5)", "x.clamp(2, 1)",
        "x.clamp(x, x)"])


def type_errors(torch):
    """Only the type of the error is PyTorch's: the words are its argument parser's."""
    x, i = torch.tensor([1.0, 2.0]), torch.tensor([1, 0])
    F = torch.nn.functional
    calls = [lambda: torch.maximum(x, [1, 2]), lambda: torch.maximum([1, 2], x), lambda: torch.maximum(x, 1),
             lambda: torch.minimum(x, None), lambda: F.linear([1.0], x), lambda: F.linear(x, [1.0, 2.0]),
             lambda: F.linear(x, x, 1.0), lambda: torch.addmm(x, x, 1), lambda: torch.mm(x, 1),
             lambda: torch.mm(1, x), lambda: torch.var_mean(x, None, True, False, 1),
             lambda: x.clamp(min=x, max=1.0),
             lambda: x.masked_fill(1, 2), lambda: x.gather(0, 1), lambda: torch.dot(x, 1),
             lambda: F.mse_loss(x, 1),
             lambda: F.cross_entropy(x, 1), lambda: x.index_select(0, 1), lambda: F.embedding(i, 1)]
    return [error_of(call).partition(":")[0] for call in calls]


def modules_and_their_parameters(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1, bias=False))
    for parameter in model.parameters():
        parameter.requires_grad = False
    thawed = [p.requires_grad for p in model.requires_grad_().parameters()]
    frozen = [p.requires_grad for p in model.requires_grad_(False).parameters()]
    model[0].register_parameter("scale", None)
    model[0].extra = torch.nn.Parameter(torch.ones(1))
    names = [name for name, _ in model.named_parameters()]
    del model[0].extra
    left = [name for name, _ in model.named_parameters()]
    return [thawed, frozen, names, left, error_of(lambda: delattr(model[0], "extra")),
            error_of(lambda: model[0].missing), error_of(lambda: setattr(model[0], "weight", 1)),
            error_of(lambda: model[0].register_parameter("a.b", None)),
            error_of(lambda: model[0].register_parameter("", None)),
            error_of(lambda: model[0].register_parameter("weight", torch.ones(1))),
            error_of(lambda: model.register_buffer("0", torch.ones(1)))]


def states_that_do_not_fit(torch):
    model = torch.nn.Linear(2, 1)
    state = model.state_dict()
    less = {"weight": state["weight"]}
    more = {**state, "scale": torch.ones(1)}
    both = {"weight": state["weight"], "scale": torch.ones(1)}
    wrong = {"weight": torch.ones(3, 2), "bias": state["bias"]}
    return [repr(model.load_state_dict(state)),
            *[error_of(lambda given=given: model.load_state_dict(given)) for given in (less, more, both,
            wrong, 1)],
            *[repr(model.load_state_dict(given, strict=False)) for given in (less, more, both)]]


def groups_of_an_optimizer(torch):
    a, b, c = [torch.nn.Parameter(torch.ones(1)) for _ in range(3)]
    SGD = torch.optim.SGD
    two = SGD([{"params": [a]}, {"params": [b, c], "lr": 0.5}], lr=0.1)
    one = SGD([a], lr=0.1)
    pair = SGD([a, b], lr=0.1)
    return [[group["lr"] for group in two.param_groups], len(two.param_groups[1]["params"]),
            error_of(lambda: SGD([], lr=0.1)), error_of(lambda: SGD([a, {"params": [b]}], lr=0.1)),
            error_of(lambda: SGD([{"params": [a]}, b], lr=0.1)), error_of(lambda: SGD([{"params": [a]},
            {"params": [a]}])),
            error_of(lambda: SGD([a, a], lr=0.1)), error_of(lambda: SGD(a, lr=0.1)),
            error_of(lambda: SGD([a * 2], lr=0.1)), error_of(lambda: SGD([1.0], lr=0.1)),
            error_of(lambda: one.load_state_dict(pair.state_dict())),
            error_of(lambda: pair.load_state_dict(one.state_dict())),
            error_of(lambda: one.load_state_dict(two.state_dict())),
            error_of(lambda: two.add_param_group({"params": c})), error_of(lambda: SGD([a], lr=-1)),
            error_of(lambda: SGD([a], lr=0.1, momentum=-1)), error_of(lambda: SGD([a], lr=0.1,
            nesterov=True))]


def products_along_a_dimension(torch):
    rows = torch.tensor([[2.0, 0.0, 3.0]], requires_grad=True)
    column = torch.tensor([[2.0], [0.0], [3.0]], requires_grad=True)
    results = []
    for x in (rows, column):
        for dim in (0, 1):
            y = x.cumprod(dim)
            results.append([y, torch.autograd.grad(y.sum(), x)[0], y.grad_fn.name()])
            z = x.cumsum(dim)
            results.append([z, torch.autograd.grad(z.sum(), x)[0], z.grad_fn.name()])
    return results


def lists_of_tensors(torch):
    return _errors(torch, [
        "t.cat([x, t.ones(0), x])", "t.cat([t.ones(0), x])", "t.cat([t.ones(0), t.ones(0)])",
        "t.cat([t.ones(0)]).shape", "t.cat([m, t.ones(0), m]).shape", "t.cat([m, t.ones(0), x])",
        "t.cat([x, i])",
        "t.cat([n])", "t.cat([])", "t.cat([m, m], 2)", "t.stack([x, i.float()]).shape", "t.stack([x, m])",
        "t.stack([])", "t.stack([x, x], 2)", "t.stack([x, x], -3)"])


def empty_parts_of_a_concatenation(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    empty = torch.ones(0, requires_grad=True)
    gradients = torch.autograd.grad((torch.cat([empty, x, empty, x]) * torch.arange(4.0)).sum(), [x, empty])
    nothing, = torch.autograd.grad(torch.cat([empty, empty]).sum(), empty)
    return [gradients, nothing]


def indices_at_the_limits(torch):
    return _errors(torch, [
        "x.detach().clone().__setitem__(0, 2 ** 63)", "i.clone().__setitem__(0, 2 ** 63)",
        "i.clone().__setitem__(0, 2 ** 63 - 1)", "i.clone().__setitem__(0, -2 ** 63)",
        "i.clone().__setitem__(0, -2 ** 63 - 1)", "t.ones(0, 2)[t.tensor([], dtype=t.long)].shape",
        "t.ones(0)[t.tensor([0])]", "t.ones(2, 0)[:, t.tensor([0])]", "m[t.tensor([2, 0])]",
        "m[t.tensor([-2, 1])].shape", "m[t.tensor([-3])]", "m[i, t.tensor([3, 0])]",
        "m[:, t.tensor([[0], [2]])].shape",
        "m[i, i, i]", "m[t.tensor([True, False, True])]", "m[t.tensor([True, False]), 0]", "m[(m > 0), 0]",
        "m[t.tensor(1)].shape", "m[t.tensor(True)].shape", "m[t.tensor([[True, False, True]])]"])


def powers_and_sums_of_integers(torch):
    return _errors(torch, [
        "i ** 2", "i ** -1", "i ** 0.5", "2 ** i", "i ** i", "x.detach() ** i", "(i > 0) ** 2",
        "i.float() ** -1",
        "m.any(axis=1)", "m.any(axis=0, keepdims=True)", "m.all(axis=0)", "i.sum(dtype=t.float64)",
        "i.mean()",
        "m.mean(dtype=t.float64)", "(i > 0).sum()", "i.prod()", "m.max(0, True)", "m.min(axis=1)",
        "t.addmm(t.tensor([float('nan')]), m, m.t(), beta=0)",
        "t.addmm(t.ones(2), m, m.t(), beta=2, alpha=3)",
        "t.addmm(t.ones(2), m, m.t(), beta=1)"])


def losses_at_the_limits(torch):
    F = torch.nn.functional
    p = torch.tensor([0.0, 1.0, 0.25], requires_grad=True)
    results = []
    for target in ([1.0, 0.0, 1.0], [0.0, 1.0, 0.5]):
        loss = F.binary_cross_entropy(p, torch.tensor(target), reduction="none")
        results += [loss, torch.autograd.grad(loss.sum(), p)[0]]
    z = torch.tensor([-2.0, 0.5, 3.0], requires_grad=True)
    target, weight = torch.tensor([1.0, 0.0, 0.5]), torch.tensor([3.0, 2.0, 0.5])
    for options in ({}, {"pos_weight": weight}, {"weight": weight}, {"weight": weight, "pos_weight": weight}):
        loss = F.binary_cross_entropy_with_logits(z, target, **options)
        first, = torch.autograd.grad(loss, z, create_graph=True)
        results += [loss, first, torch.autograd.grad(first.pow(2).sum(), z)[0]]
    return results


def batches_of_sequences(torch):
    norm = torch.nn.BatchNorm1d(2)
    x = torch.arange(12.0).view(2, 2, 3).pow(2).requires_grad_()
    y = norm(x)
    (y * torch.arange(12.0).view(2, 2, 3)).sum().backward()
    norm.eval()
    return [y, x.grad, norm.weight.grad, norm.bias.grad, norm.running_mean, norm.running_var, norm(x),
            error_of(lambda: norm(torch.ones(2))), error_of(lambda: norm(torch.ones(2, 3)))]


def repeated_numbers(torch):
    x = torch.arange(6.0).view(2, 3).requires_grad_()
    results = []
    for counts in ((2, 1), (1, 2), (2, 2), (3, 1, 2), (0, 1), (1, 1)):
        y = x.repeat(*counts)
        gradient, = torch.autograd.grad((y * torch.arange(float(y.numel())).view(y.shape)).sum(), x,
                                        create_graph=True)
        results.append([y.shape, gradient])
    return results


def sequences_of_layers(torch):
    from collections import OrderedDict
    nn = torch.nn
    named = OrderedDict([("first", nn.Linear(1, 2)), ("last", nn.ReLU())])
    model = nn.Sequential(named)
    return [repr(model), [name for name, _ in model.named_parameters()],
            error_of(lambda: nn.Sequential(named, nn.ReLU())), error_of(lambda: nn.Sequential(1)),
            error_of(lambda: model[2]), repr(model[-1]), repr(model[:1]), len(model)]


def functions_that_write_to_their_inputs(torch):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.mark_dirty(x)
            return x.mul_(2), y * 3

        @staticmethod
        def backward(ctx, first, second):
            return first * 2, second * 3

    def doubled(make):
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        base = x * 1
        part = make(base)
        y = Doubled.apply(part)
        return [y.grad_fn.name(), base.grad_fn.name(), y.output_nr,
                torch.autograd.grad(base.sum() + y.sum(), x)[0]]

    def both():
        x, y = [torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2)]
        first, second = Both.apply(x * 1, y)
        numbers = first.output_nr, second.output_nr
        return [numbers, torch.autograd.grad((first * second).sum(), [x, y])]

    return [doubled(lambda base: base), doubled(lambda base: base[1:]), both(),
            error_of(lambda: Doubled.apply(torch.ones(1, requires_grad=True))),
            error_of(lambda: Both.apply((torch.ones(2, requires_grad=True) * 1)[:1], torch.ones(1)))]


def writes_to_memory_with_an_offset(torch):
    import numpy as np
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    base = torch.from_numpy(np.arange(6.0, dtype=np.float32)[2:])
    part = base[1:3]
    part.mul_(w)
    base[2:].mul_(w)
    (base * torch.arange(1.0, 5.0)).sum().backward()
    return [base, part, w.grad, part.is_contiguous(), base[:0].contiguous().stride()]


def parts_that_take_a_name(torch):
    model = torch.nn.Linear(2, 1)
    model.scale = 2.0
    model.scale = torch.nn.Parameter(torch.ones(1))
    model.inner = "a word"
    model.inner = torch.nn.Linear(1, 1, bias=False)
    model.inner = None
    return [type(model.scale).__name__, "scale" in vars(model),
            [name for name, _ in model.named_parameters()], model.inner,
            error_of(lambda: setattr(model, "scale", 3.0))]


def retained_gradients_of_lost_tensors(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.retain_grad()
    z = (y * 3).sum()
    del y
    z.backward()
    return x.grad


def last_of_the_limits(torch):
    return _errors(torch, [
        "m.clone().__setitem__(True, t.ones(2, 3) * 2)", "m.clone().__setitem__(False, 5.)",
        "F.cross_entropy(x, t.zeros(1, 1).long())", "F.cross_entropy(m, t.zeros(2, 1).long())",
        "i ** t.tensor([-1, 2])", "t.tensor([2, -1, 1]) ** t.tensor([-2, -3, -1])",
        "t.ones(0, 2).view(1, 0, -1)", "t.ones(0, 2).view(0, 3).shape", "t.ones(0, 2).view(1, -1, 2).shape",
        "t.autograd.Variable(x, requires_grad=True, volatile=True)", "t.autograd.Variable([1], True, True)"])
