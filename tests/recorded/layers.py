"""Modules: parameters, first values, state, hooks, errors, and what a training step changes."""
from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

from . import error_of


def linear_values(torch):
    layer = torch.nn.Linear(5, 3)
    return [layer.weight, layer.bias, layer.weight.is_leaf, layer.weight.requires_grad]


def values_of_a_model(torch):
    nn = torch.nn
    return dict(nn.Sequential(nn.Linear(30, 4), nn.Tanh(), nn.Linear(4, 2, bias=False),
                              nn.LayerNorm(3),
                              nn.Embedding(3, 2, padding_idx=1), nn.BatchNorm1d(2)).state_dict())


def init_functions(torch):
    calls = {
        "uniform_": lambda f, w: f(w, -2, 3), "normal_": lambda f, w: f(w, 1, 2),
        "constant_": lambda f, w: f(w, 0.3), "zeros_": lambda f, w: f(w),
        "ones_": lambda f, w: f(w),
        "xavier_uniform_": lambda f, w: f(w, gain=2.0), "xavier_normal_": lambda f, w: f(w),
        "kaiming_uniform_": lambda f, w: f(w, a=1, mode="fan_out"),
        "kaiming_normal_": lambda f, w: f(w, nonlinearity="relu")}
    return {name: call(getattr(torch.nn.init, name), torch.empty(4, 3)) for name,
            call in calls.items()}


def printed_modules(torch):
    nn = torch.nn
    return [repr(module) for module in (
        nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Dropout(0.2), nn.Linear(3, 1, bias=False)),
        nn.ModuleList([nn.Linear(1, 1), nn.ReLU(), nn.ReLU(), nn.Sequential(nn.Tanh())]),
        nn.ModuleDict({"a": nn.Sigmoid(), "b": nn.Softmax(dim=1)}), nn.Flatten(),
        nn.LayerNorm((2, 3)),
        nn.BatchNorm1d(3), nn.Embedding(3, 4, padding_idx=0), nn.MSELoss(), nn.CrossEntropyLoss(),
        nn.BCELoss(),
        nn.Sequential(OrderedDict(first=nn.Tanh(), second=nn.Dropout())),
        nn.Parameter(torch.ones(2)))]


def _net(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor([2.0, 3.0]))
            self.register_buffer("seen", torch.zeros(1))
            self.register_buffer("hidden", torch.zeros(1), persistent=False)
            self.part = torch.nn.Linear(2, 1)
            self.plain = 5

        def forward(self, x):
            return self.part(x * self.scale)
    return Net()


def registration(torch):
    net, nn = _net(torch), torch.nn
    return [error_of(call) for call in (
        lambda: net.missing, lambda: setattr(net, "scale", torch.ones(2)),
        lambda: setattr(net, "part", 3),
        lambda: setattr(net, "seen", "x"), lambda: net.register_parameter("a.b", net.scale),
        lambda: net.register_parameter("plain", net.scale),
        lambda: net.register_parameter("new", torch.ones(1)),
        lambda: net.register_parameter("new", net.scale * 2),
        lambda: net.register_buffer("plain", None),
        lambda: net.register_buffer("new", 3), lambda: net.add_module("", net.part),
        lambda: net.add_module("new", 3), lambda: nn.Module()(1), lambda: nn.Sequential(1),
        lambda: net.train(1), lambda: nn.Linear(1, 2)(torch.ones(3)), lambda: nn.Dropout(2.0))]


def names_of_parts(torch):
    net = _net(torch)
    net.extra = torch.nn.Parameter(torch.ones(1))
    net.part = None
    del net.plain
    shared = torch.nn.Linear(1, 1)
    model = torch.nn.Sequential(shared, shared)
    hidden = torch.nn.Module()
    hidden.layers = [torch.nn.Linear(1, 1)]
    return [[name for name, _ in net.named_parameters()], [name for name, _ in net.named_buffers()],
            [name for name, _ in net.named_modules()], [name for name, _ in net.named_children()],
            list(net.state_dict()), len(list(model.parameters())), list(model.state_dict()),
            list(hidden.parameters())]


def parameters(torch):
    data = torch.ones(2)
    parameter = torch.nn.Parameter(data)
    data.add_(1)
    again = copy.deepcopy(parameter)
    parameter.sum().backward()
    return [parameter, parameter.is_leaf, type(parameter * 2).__name__,
            type(parameter.data).__name__, again.grad,
            copy.deepcopy(parameter).grad, type(pickle.loads(pickle.dumps(parameter))).__name__,
            torch.nn.Parameter(data, requires_grad=False).requires_grad,
            isinstance(data, torch.nn.Parameter)]


def conversion(torch):
    layer = torch.nn.Linear(2, 2)
    weight = layer.weight
    layer(torch.ones(1, 2)).sum().backward()
    layer.double()
    seen = [layer.weight is weight, weight.dtype, weight.grad.dtype]
    layer.to(torch.float32).zero_grad()
    seen += [weight.dtype, weight.grad, layer.requires_grad_(False)(torch.ones(1, 2)).requires_grad]
    layer.apply(lambda module: seen.append(type(module).__name__))
    return [*seen, layer.training, layer.eval().training, layer.train().training]


def state_dicts(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    weight, state = net[0].weight, net.state_dict()
    answers = [repr(net.load_state_dict(state)), net[0].weight._version, net[0].weight is weight,
               state["0.weight"].requires_grad]
    state["0.weight"].fill_(7)
    answers.append(net[0].weight)
    del state["0.bias"]
    state["1.more"] = state["other"] = torch.ones(1)
    answers.append(error_of(lambda: net.load_state_dict(state)))
    answers.append(repr(net.load_state_dict(state, strict=False)))
    state["0.weight"] = torch.ones(3, 2)
    answers.append(error_of(lambda: net.load_state_dict(state, strict=False)))
    return [*answers, list(copy.deepcopy(net).state_dict())]


def hooks_in_order(torch):
    net, seen = _net(torch), []
    net.register_forward_pre_hook(lambda module, args: seen.append(["pre", args[0]]))
    net.register_forward_pre_hook(lambda module, args: args[0] + 1)
    net.register_forward_hook(lambda module, args, output: output * 2)
    net.register_full_backward_pre_hook(lambda module, grads: seen.append(["grad_output", *grads]))
    handle = net.register_full_backward_hook(
        lambda module, inputs, outputs: seen.append(["grad_input", *inputs, *outputs]))
    x = torch.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    handle.remove()
    net(torch.ones(1, 2)).sum().backward()
    return [seen, x.grad, net.scale.grad]


def losses(torch):
    x, y = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 0.0, 1.0])
    rows, classes, nn = torch.randn(4, 3), torch.tensor([0, 2, 1, 1]), torch.nn
    return [nn.MSELoss()(x, y), nn.MSELoss(reduction="sum")(x, y),
            nn.L1Loss(reduction="none")(x, y),
            nn.MSELoss()(x.view(3, 1), y), nn.BCEWithLogitsLoss()(x, y),
            nn.BCELoss()(x.sigmoid(), y),
            nn.CrossEntropyLoss()(rows, classes), nn.NLLLoss()(rows.log_softmax(1), classes),
            nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.0, 0.5]))(rows, classes),
            *[error_of(call) for call in (
                lambda: nn.MSELoss(reduction="most")(x, y), lambda: nn.BCELoss()(x, y),
                lambda: nn.BCELoss()(x[:2], y), lambda: nn.CrossEntropyLoss()(x, torch.tensor(3)),
                lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0.0, 1.0])),
                lambda: nn.NLLLoss()(torch.ones(2, 3), torch.tensor([0, 1, 2])))]]


def dropout(torch):
    layer, x = torch.nn.Dropout(0.3), torch.ones(20, requires_grad=True)
    y = layer(x)
    layer.eval()
    return [y, y.grad_fn.name(), layer(x) is x]


def batch_norm(torch):
    norm, x = torch.nn.BatchNorm1d(2, momentum=0.5), torch.tensor([[1.0, 2.0], [3.0, 6.0]],
                                                                  requires_grad=True)
    y = norm(x)
    (y * y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return [y, y.grad_fn.name(), x.grad, norm.weight.grad, norm.num_batches_tracked,
            norm.running_mean,
            norm.running_var, norm.eval()(x), error_of(lambda: norm.train()(x[:1]))]


def embedding(torch):
    table = torch.nn.Embedding(3, 2, padding_idx=0)
    rows = table(torch.tensor([0, 1, 1]))
    rows.sum().backward()
    return [rows.grad_fn.name(), table.weight[0], table.weight.grad,
            error_of(lambda: table(torch.tensor([3]))),
            error_of(lambda: table(torch.ones(2)))]


def clipping(torch):
    params = [torch.nn.Parameter(torch.tensor([1.0, 2.0])),
              torch.nn.Parameter(torch.tensor([[3.0]]))]
    params[0].grad, params[1].grad = torch.tensor([3.0, 4.0]), torch.tensor([[12.0]])
    norm = torch.nn.utils.clip_grad_norm_(params, 6.5)
    clipped = [p.grad.tolist() for p in params]
    torch.nn.utils.clip_grad_value_(params, 3.0)
    vector = torch.nn.utils.parameters_to_vector(params)
    torch.nn.utils.vector_to_parameters(vector * 2, params)
    return [norm, clipped, [p.grad for p in params], params]


def training_loop(torch):
    """Train a classifier on two spirals of points, and return the losses of 40 steps."""
    nn = torch.nn
    turn = torch.linspace(0.5, 6, 60)
    x = torch.cat([torch.stack([turn.cos(), turn.sin()], 1),
                   -torch.stack([turn.cos(), turn.sin()], 1)])
    x, classes = x * turn.repeat(2).unsqueeze(1) / 6, torch.cat([torch.zeros(60),
                                                                 torch.ones(60)]).long()
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(),
                          nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9, weight_decay=1e-3)
    found = []
    for _ in range(40):
        optimizer.zero_grad()
        loss = nn.CrossEntropyLoss()(model(x), classes)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found
