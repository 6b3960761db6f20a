"""Short programs with modules and optimizers that run on either package; what they return must be PyTorch's.

Each takes the package and returns plain data.  Floats are compared digit for digit where nothing but sums and
products went before; PyTorch's square roots and exponentials differ from NumPy's in the last digit.
"""
from __future__ import annotations

import warnings
from collections import OrderedDict


def measured(torch, program):
    """What a program returns, and the warnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.manual_seed(0)
        result = program(torch)
    return {"result": plain(result), "warnings": [f"{w.category.__name__}: {w.message}" for w in caught]}


def plain(value):
    """Tensors as lists, everything else as JSON can hold it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if isinstance(value, (int, float, str, type(None))) else str(value)


def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


# --- first values ----------------------------------------------------------------------------------------

def linear_values(torch):
    layer = torch.nn.Linear(5, 3)
    return [layer.weight, layer.bias, layer.weight._version, layer.bias._version]


def model_values(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(30, 4), nn.Tanh(), nn.Linear(4, 2, bias=False),
                          nn.Embedding(3, 2, padding_idx=1), nn.Bilinear(2, 3, 2), nn.LayerNorm(3),
                          nn.BatchNorm1d(2), nn.PReLU())
    return dict(model.state_dict())


def init_functions(torch):
    calls = {
        "uniform_": lambda f, w: f(w, -2, 3), "normal_": lambda f, w: f(w, 1, 2), "constant_": lambda f,
        w: f(w, 0.3), "eye_": lambda f, w: f(w), "xavier_uniform_": lambda f, w: f(w, gain=2.0),
        "xavier_normal_": lambda f, w: f(w), "kaiming_uniform_": lambda f, w: f(w, a=1, mode="fan_out"),
        "kaiming_normal_": lambda f, w: f(w, nonlinearity="relu"), "trunc_normal_": lambda f,
        w: f(w, std=1.5), "sparse_": lambda f, w: f(w, 0.5), "zeros_": lambda f, w: f(w), "ones_": lambda f,
        w: f(w)}
    return {name: [call(getattr(torch.nn.init, name), w := torch.empty(4, 3)), w._version]
            for name, call in calls.items()}


# --- modules ---------------------------------------------------------------------------------------------

def printed_modules(torch):
    nn = torch.nn
    return [repr(module) for module in (
        nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Dropout(0.2), nn.Linear(3, 1, bias=False)),
        nn.ModuleList([nn.Linear(1, 1), nn.ReLU(), nn.ReLU(), nn.Sequential(nn.ELU(inplace=True))]),
        nn.ModuleDict({"a": nn.LeakyReLU(0.1), "b": nn.Softmax(dim=1)}),
        nn.ParameterList([torch.ones(2), torch.ones(1, 3)]), nn.Identity(), nn.Flatten(),
        nn.LayerNorm((2, 3)), nn.BatchNorm1d(3), nn.Embedding(3, 4, padding_idx=0), nn.GELU(),
        nn.CrossEntropyLoss(), nn.Softplus(), nn.Sequential(OrderedDict(first=nn.Tanh(),
                                                                        second=nn.Hardtanh(-2, 2))))]


class Net:
    """Makes a module with a parameter, two buffers and a part; a function, as `Module` is known only at
    run time."""

    def __new__(cls, torch):
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.tensor([2.0, 3.0]))
                self.register_buffer("seen", torch.zeros(1))
                self.register_buffer("hidden", torch.zeros(1), persistent=False)
                self.part = torch.nn.Linear(2, 1)
                self.plain = 5

            def forward(self, x):
                return self.part(x * self.scale)
        return Module()


def registration_errors(torch):
    net, nn = Net(torch), torch.nn
    return [error_of(call) for call in (
        lambda: net.missing, lambda: setattr(net, "scale", torch.ones(2)), lambda: setattr(net, "part", 3),
        lambda: setattr(net, "seen", "x"), lambda: net.register_parameter("a.b", net.scale),
        lambda: net.register_parameter("plain", net.scale),
        lambda: net.register_parameter("new", torch.ones(1)),
        lambda: net.register_parameter("new", net.scale * 2), lambda: net.register_buffer("plain", None),
        lambda: net.register_buffer("new", 3), lambda: net.add_module("", net.part),
        lambda: net.add_module("new", 3), lambda: nn.Module()(1), lambda: nn.Sequential(1),
        lambda: net.get_parameter("part.nothing"), lambda: net.get_submodule("scale"), lambda: net.train(1),
        lambda: nn.Linear(1, 2)(torch.ones(3)), lambda: nn.Dropout(2.0))]


def names_of_parts(torch):
    net = Net(torch)
    net.extra = torch.nn.Parameter(torch.ones(1))
    net.part = None
    del net.plain
    return [[name for name, _ in net.named_parameters()], [name for name, _ in net.named_buffers()],
            [name for name, _ in net.named_modules()], list(net.state_dict())]


def state_dict_errors(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    state = net.state_dict()
    answers = [repr(net.load_state_dict(state)), net[0].weight._version]
    del state["0.bias"]
    state["1.more"] = state["other"] = torch.ones(1)
    answers.append(error_of(lambda: net.load_state_dict(state)))
    answers.append(repr(net.load_state_dict(state, strict=False)))
    state["0.weight"] = torch.ones(3, 2)
    answers.append(error_of(lambda: net.load_state_dict(state, strict=False)))
    answers.append(error_of(lambda: net.load_state_dict([1])))
    return answers


def hooks_in_order(torch):
    net, seen = Net(torch), []
    net.register_forward_pre_hook(lambda module, args: seen.append(["pre", args[0]]))
    net.register_forward_pre_hook(lambda module, args, kwargs: ((args[0] + 1,), kwargs), with_kwargs=True)
    net.register_forward_hook(lambda module, args, output: output * 2)
    net.register_full_backward_pre_hook(lambda module, grads: seen.append(["grad_output", *grads]))
    handle = net.register_full_backward_hook(
        lambda module, inputs, outputs: seen.append(["grad_input", *inputs, *outputs]))
    x = torch.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    handle.remove()
    net(torch.ones(1, 2)).sum().backward()
    return [seen, x.grad, net.scale.grad]


def losses_with_warnings(torch):
    x, y = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 0.0, 1.0])
    nn = torch.nn
    return [nn.MSELoss(size_average=False)(x, y), nn.L1Loss(reduce=False)(x, y),
            nn.MSELoss()(x.view(3, 1), y), nn.SmoothL1Loss()(x, y),
            error_of(lambda: nn.MSELoss(reduction="most")(x, y)), error_of(lambda: nn.BCELoss()(x, y)),
            error_of(lambda: nn.BCELoss()(x[:2], y)),
            error_of(lambda: nn.CrossEntropyLoss()(x, torch.tensor(3))),
            error_of(lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0.0, 1.0]))),
            error_of(lambda: nn.NLLLoss()(torch.ones(2, 3), torch.tensor([0, 1, 2])))]


def long_negative_log_likelihood(torch):
    x, classes = torch.randn(200, 5), torch.randint(5, (200,))
    return [torch.nn.functional.nll_loss(x[:n], classes[:n], weight=w, reduction=reduction)
            for n in (1, 7, 16, 17, 33, 64, 200) for w in (None, torch.tensor([0.2, 1.0, 0.5, 2.0, 0.1]))
            for reduction in ("mean", "sum")]


def dropout_mask(torch):
    dropout, x = torch.nn.Dropout(0.3), torch.ones(20, requires_grad=True)
    y = dropout(x)
    dropout.eval()
    return [y, y.grad_fn.name(), dropout(x) is x]


def clipping(torch):
    params = [torch.nn.Parameter(torch.tensor([1.0, 2.0])), torch.nn.Parameter(torch.tensor([[3.0]]))]
    params[0].grad, params[1].grad = torch.tensor([3.0, 4.0]), torch.tensor([[12.0]])
    norm = torch.nn.utils.clip_grad_norm_(params, 6.5)
    torch.nn.utils.clip_grad_value_(params, 3.0)
    vector = torch.nn.utils.parameters_to_vector(params)
    torch.nn.utils.vector_to_parameters(vector * 2, params)
    return [norm, [p.grad for p in params], [p.grad._version for p in params], params]


# --- optimizers ------------------------------------------------------------------------------------------

def stepped(torch, kind, **options):
    """Six steps on two parameters, one of which never gets a gradient."""
    p = torch.tensor([1.5, -0.25, 3.0], requires_grad=True)
    unused = torch.ones(2, requires_grad=True)
    optimizer = getattr(torch.optim, kind)([p, unused], **options)
    for i in range(6):
        optimizer.zero_grad()
        (p * p * torch.tensor([0.3, -1.0, 0.7]) + p * (i - 3)).sum().backward()
        optimizer.step()
    return [p, p._version, unused, optimizer.state_dict(), repr(optimizer)]


SGD_OPTIONS = [{"lr": 0.1}, {"lr": 0.1, "momentum": 0.9}, {"lr": 0.1, "momentum": 0.9, "nesterov": True},
               {"lr": 0.1, "momentum": 0.5, "dampening": 0.3}, {"lr": 0.1, "weight_decay": 0.05},
               {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "maximize": True}]


def optimizer_errors(torch):
    optim, x = torch.optim, torch.ones(2, requires_grad=True)
    sgd = optim.SGD([x], lr=0.1)
    return [error_of(call) for call in (
        lambda: optim.SGD([], lr=1), lambda: optim.SGD(x, lr=1), lambda: optim.SGD([x * 2], lr=1),
        lambda: optim.SGD([3.0]), lambda: optim.SGD([x], lr=-1), lambda: optim.SGD([x], momentum=-1),
        lambda: optim.SGD([x], nesterov=True), lambda: optim.Adam([x], betas=(1.0, 0.9)),
        lambda: optim.Adam([x], eps=-1), lambda: optim.AdamW([x], weight_decay=-1),
        lambda: optim.RMSprop([x], alpha=-1), lambda: optim.Adagrad([x], lr_decay=-1),
        lambda: optim.Adadelta([x], rho=2), lambda: optim.Rprop([x], etas=(1, 2)),
        lambda: optim.NAdam([x], momentum_decay=-1), lambda: optim.SGD([x], lr=torch.ones(2)),
        lambda: optim.SGD([x, ("name", x)]), lambda: sgd.add_param_group({"params": [x]}),
        lambda: sgd.add_param_group([x]), lambda: sgd.add_param_group({"params": {x}}),
        lambda: sgd.load_state_dict({"state": {}, "param_groups": []}),
        lambda: optim.Optimizer([x], {}).step())]


def schedules(torch):
    def rates(make):
        p = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([p], lr=0.1)
        scheduler, seen = make(torch.optim.lr_scheduler, optimizer), []
        for _ in range(7):
            optimizer.step()
            scheduler.step()
            seen += scheduler.get_last_lr()
        return seen
    return [rates(make) for make in (
        lambda s, o: s.StepLR(o, 2), lambda s, o: s.MultiStepLR(o, [1, 3, 3]), lambda s,
        o: s.ExponentialLR(o, 0.5), lambda s, o: s.ConstantLR(o, total_iters=2), lambda s,
        o: s.LinearLR(o, total_iters=3), lambda s, o: s.CosineAnnealingLR(o, 3, eta_min=0.01), lambda s,
        o: s.LambdaLR(o, lambda epoch: 1 / (epoch + 1)), lambda s,
        o: s.MultiplicativeLR(o, lambda epoch: 0.9), lambda s, o: s.PolynomialLR(o, 4, 2.0))]


def plateau(torch):
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    scheduler, rates = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1), []
    for metric in (1, 0.9, 0.95, 0.95, 0.95, 0.95, 0.8):
        scheduler.step(metric)
        rates.append(optimizer.param_groups[0]["lr"])
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scheduler.step()        # before the optimizer: a warning
    return rates


def training_loop(torch):
    """A classifier on two spirals of points: the losses of 40 steps."""
    nn = torch.nn
    turn = torch.linspace(0.5, 6, 60)
    x = torch.cat([torch.stack([turn.cos(), turn.sin()], 1), -torch.stack([turn.cos(), turn.sin()], 1)])
    x = x * turn.repeat(2).unsqueeze(1) / 6
    classes = torch.arange(2).repeat_interleave(60)
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9, weight_decay=1e-3)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        loss = nn.CrossEntropyLoss()(model(x), classes)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


EXACT = {function.__name__: function for function in (
    linear_values, model_values, init_functions, printed_modules, registration_errors, names_of_parts,
    state_dict_errors, hooks_in_order, losses_with_warnings, long_negative_log_likelihood, dropout_mask,
    clipping, optimizer_errors, schedules, plateau)}
EXACT |= {f"SGD {options}": lambda torch, options=options: stepped(torch, "SGD", **options) for options
          in SGD_OPTIONS}
ADAPTIVE = [("Adam", {"lr": 0.1}), ("Adam", {"lr": 0.05, "amsgrad": True, "weight_decay": 0.1}),
            ("AdamW", {"lr": 0.1, "maximize": True}), ("RMSprop", {"momentum": 0.5, "centered": True}),
            ("Adagrad", {"lr": 0.5, "lr_decay": 0.1}), ("Adadelta", {}), ("Rprop", {}), ("ASGD", {"t0": 1}),
            ("NAdam", {"weight_decay": 0.1}), ("RAdam", {"betas": (0.5, 0.6)}), ("Adamax", {"lr": 0.1})]
EXACT_TO_A_DIGIT = {f"{kind} {options}": lambda torch, kind=kind,
                    options=options: stepped(torch, kind, **options)
                    for kind, options in ADAPTIVE}
EXACT_TO_A_DIGIT["training_loop"] = training_loop
PROGRAMS = EXACT | EXACT_TO_A_DIGIT
