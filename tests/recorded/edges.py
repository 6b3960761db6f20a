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


def overlapping_memory(torch):
    x = torch.arange(6.0, requires_grad=True)
    results = []
    for size, stride in (((2, 2), (1, 1)), ((3, 2), (2, 1)), ((2, 3), (0, 1)), ((2, 2), (2, 1)), ((1, 3),
    (0, 2)),
                         ((2, 3), (2, 1)), ((2, 2), (1, 3))):
        part = (x * 1).as_strided(size, stride)
        weights = torch.arange(1.0, part.numel() + 1).view(size)
        gradient, = torch.autograd.grad((part * weights).sum(), x)
        results.append(gradient)
    expanded = x[:1].expand(4).as_strided((2,), (0,))
    return [results, torch.autograd.grad(expanded.sum(), x)[0]]


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
