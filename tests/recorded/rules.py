"""Rules that random programs found broken: errors, views, writes, and graphs of gradients."""
from __future__ import annotations

from . import error_of


def _errors(torch, calls):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    names = {"t": torch, "F": torch.nn.functional, "x": x, "n": torch.tensor(1.0),
             "i": torch.tensor([1, 0]), "m": torch.ones(2, 3)}
    return {call: error_of(lambda call=call: eval(call, names)) for call in calls}


def _names(node):
    """Return the names of a graph's nodes, from the root to the leaves."""
    if node is None:
        return None
    return [node.name(), *[_names(child) for child, _ in node.next_functions]]


def indices_of_a_number(torch):
    return _errors(torch, [
        "n[0]", "n[1]", "n[1.5]", "n[[0]]", "i[0, 1.5]", "n.__setitem__(0, 2.0)",
        "n.__setitem__(-1, 2.0)", "n.__setitem__((0, 0), 2.0)"])


def operands_of_other_types(torch):
    return _errors(torch, ["None / x", "x / None", "'a' / x", "None * x", "2 / x.detach()"])


def wrong_arguments(torch):
    return _errors(torch, [
        "x.add(1, alpha=(0, 1))", "x.sub(x, alpha='a')", "n.mv(x)", "m.expand(2, 2, -7)",
        "m.expand(-2, 2, 3)", "i.softmax(0)", "t.ones(2, 2).long().softmax(0)",
        "t.ones(2, 2).long().log_softmax(-1)", "t.tensor([True]).median()", "m.split([1, 1], -1)",
        "x.lerp(x, i)", "x.lerp(x, x.double())", "t.dot(n, n)", "t.mm(m, m)", "t.mm(m, m.double().t())",
        "F.cross_entropy(t.ones(2, 2, 2, 2), i)", "F.binary_cross_entropy_with_logits(x, i)",
        "F.binary_cross_entropy_with_logits(x, i > 0)",
        "F.binary_cross_entropy_with_logits(x.double(), t.ones(2)).dtype"])


def inputs_and_outputs_of_a_pass(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    calls = [lambda: torch.autograd.grad(x.sum(), None), lambda: torch.autograd.grad(x.sum(), []),
             lambda: torch.autograd.grad([None], x), lambda: torch.autograd.backward([None])]
    return [[error_of(call), x.grad] for call in calls]


def division_without_a_gradient(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x // 2
    return [error_of(lambda: y.sum().backward()),
            error_of(lambda: y.sum().backward(inputs=[y]))]


def views_that_reshape_makes(torch):
    x = torch.ones(2, 3, requires_grad=True)
    views = [x.reshape(6), x[:, 1:].reshape(2, 1, 2), x[:, 1].flatten(), x.diagonal().reshape(2, 1),
             x.t().reshape(6), x.t().softmax(0).view(6)]
    return [[_names(view.grad_fn), view._is_view()] for view in views]


def layouts_of_similar_tensors(torch):
    columns = torch.ones(2, 3).t()
    return [torch.zeros_like(columns).stride(), torch.ones_like(columns[1:]).stride(),
            torch.full_like(torch.ones(3).expand(2, 3), 5.0).stride()]


def remainders_of_zero(torch):
    x = torch.tensor([-4.0, 4.0, -0.0, 5.0, -5.0])
    return [repr(x % 2), repr(x % -2), repr(x % float("inf")), repr(torch.tensor(-4.0) % 2),
            repr(torch.tensor([-4, 5]) % -2)]


def writes_over_itself(torch):
    def written(index):
        y = torch.tensor([1.0, 2.0, 3.0])
        y[index] = y
        return y

    one = torch.tensor([5.0])
    one[one > 0] = one
    return [one, *[error_of(lambda index=index: written(index)) for index in (
        [2, 1, 0], torch.tensor([True, True, True]), slice(None))]]


def unusable_views(torch):
    x = torch.ones(2, 2, requires_grad=True) * 1
    row, _ = x.unbind()
    x.mul_(2)
    return [error_of(lambda: row.unbind(3)), error_of(lambda: torch.dot(row, torch.ones(7))),
            error_of(lambda: row.softmax(9))]


def saved_numbers(torch):
    x = torch.ones(2, 3, requires_grad=True)
    w = torch.ones(3, 2)
    return [x.split(1, -1)[0].grad_fn._saved_dim, x[-1].grad_fn._saved_index,
            x.sum(-1).grad_fn._saved_dim, (x ** -1).grad_fn._saved_exponent,
            (x @ w).grad_fn._saved_mat2_sym_strides, (w @ x).grad_fn._saved_mat2_sym_strides]


def graphs_of_gradients(torch):
    functions = [
        lambda x: x.max(), lambda x: x.max(0)[0], lambda x: x.topk(1)[0], lambda x: x[[0, 0]],
        lambda x: x.tan(), lambda x: x.log1p(), lambda x: x.lerp(x, x), lambda x: x ** x,
        lambda x: torch.addcdiv(x, x, x), lambda x: x.amax(0), lambda x: x.amin(),
        lambda x: x[0].expand(()).relu()]
    graphs = []
    for function in functions:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = function(x)
        v = torch.ones_like(y, requires_grad=True)
        gradient, = torch.autograd.grad(y, x, v, create_graph=True)
        graphs.append(_names(gradient.grad_fn))
    return graphs


def apply_of_a_function_node(torch):
    """`grad_fn.apply` is the method `backward` of the class, with the node as its ctx."""
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            return 2 * x * grad

    class ByVjp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def vjp(ctx, grad):
            return grad * 7, "anything"

    class Without(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

    x = torch.tensor([1.0, 3.0], requires_grad=True)
    y = Square.apply(x)
    apply = y.grad_fn.apply
    results = [apply(torch.ones(2)), error_of(apply), error_of(lambda: apply(torch.ones(3))),
               apply(torch.ones(2)).requires_grad, ByVjp.apply(x).grad_fn.apply(2),
               error_of(lambda: Without.apply(x).grad_fn.apply(torch.ones(2))),
               error_of(lambda: (x * 2).grad_fn.apply)]
    y.sum().backward()
    return [*results, x.grad, error_of(lambda: apply(torch.ones(2)))]
