"""Names that entered the vocabulary late, and expressions that are equal to names outside it."""
from __future__ import annotations

import copy
import math
import warnings
from collections import OrderedDict
from functools import partial

from . import error_of

# What the rows of minigrad/more/pytorch_names.py call by these letters.
MATRICES = {"x": [[0.25, 0.5, -1.5], [0.75, 3.0, 2.0]], "y": [[2.0, 0.5, 1.0], [-1.0, 0.75, 4.0]]}
VECTORS = {"u": [0.5, -2.0], "v": [1.0, -2.0, 3.0], "w": [0.5, 0.25, -1.0]}


def equal_expressions(torch):
    """Ask for each name, and for the expression that is offered in its place."""
    from minigrad.more.pytorch_names import EQUAL, rows_of

    found = {}
    for place in EQUAL:
        for name, (call, expression) in rows_of(place).items():
            owner = torch
            for step in filter(None, place.split(".")):
                owner = getattr(owner, step)
            if place == "" and (call.startswith("x.") or name in OF_TENSORS_ALONE):
                continue
            if place == "Tensor" and name in OF_THE_PACKAGE_ALONE:
                continue
            if place == "" or place.startswith("nn"):
                asked = f"owner.{call}"
            else:
                first, _, rest = call.partition("(")[2].partition(", ")
                asked = call if call.startswith("x.") else f"{first.rstrip(')')}.{name}({rest or ')'}"
            called = asked if hasattr(owner, name) else expression
            found[f"{place}.{name}"] = [_answer(torch, owner, called), _answer(torch, owner, expression)]
    return found


OF_TENSORS_ALONE = """nelement ndimension reshape_as type_as byte char new_tensor new_full
    multiply_ subtract_ divide_ true_divide_""".split()
OF_THE_PACKAGE_ALONE = "rsub std_mean concat concatenate logspace".split()


def _answer(torch, owner, expression):
    """Return the value of an expression, and the gradients that its inputs receive."""
    torch.manual_seed(0)
    leaves = {name: torch.tensor(rows, requires_grad=True)
              for name, rows in (MATRICES | VECTORS).items()}
    inputs = {name: leaf * 1 for name, leaf in leaves.items()}
    inputs |= {
        "r": torch.ones(2, 2), "k": torch.arange(8.0).reshape(2, 2, 2), "m": torch.ones(2, 2, 2),
        "i": torch.tensor([1, 0]), "j": torch.tensor([3, 5]), "s": torch.tensor(2.5), "a": 0, "b": 1,
        "n": 3, "dim": 1, "index": torch.tensor([0, 4]), "tensors": [inputs["x"], inputs["y"]],
        "data": [[1, 2]], "size": (2, 2), "torch": torch, "nn": torch.nn, "F": torch.nn.functional,
        "math": math, "owner": owner}
    try:
        with warnings.catch_warnings():         # some names are deprecated
            warnings.simplefilter("ignore")
            result = eval(expression, inputs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    parts = result if isinstance(result, tuple) else (result,)
    tracked = [part for part in parts if getattr(part, "requires_grad", False)]
    if tracked and ".init" not in getattr(owner, "__name__", ""):
        sum([part.sum() for part in tracked]).backward()
    return [list(parts), [str(getattr(part, "dtype", "")) for part in parts],
            [None if leaf.grad is None else leaf.grad + torch.zeros(leaf.shape)
             for leaf in leaves.values()]]


def dictionary_of_parameters(torch):
    nn, p = torch.nn, torch.nn.Parameter(torch.ones(2))
    both = nn.ParameterDict({"b": torch.zeros(2, 3), "a": p, "c": 3})
    ordered = nn.ParameterDict(OrderedDict(z=p, y=torch.ones(1)))
    pairs = nn.ParameterDict([("one", p)])
    pairs.update({"two": torch.ones(1)})
    found = [repr(both), list(both), len(both), "a" in both, both["a"] is p, list(ordered.keys()),
             [name for name, _ in both.named_parameters()], list(both.state_dict()),
             [name for name, _ in both.items()], len(list(both.values())),
             repr(both | pairs), repr(ordered.popitem()), repr(ordered.copy()), repr(pairs.pop("one")),
             pairs.get("one"), pairs.get("one", 5), pairs.setdefault("new", p) is p, list(pairs),
             repr(copy.deepcopy(both)), repr(nn.ParameterDict()), both == both, repr(nn.Sequential(pairs))]
    del both["c"]
    both |= {"d": p}
    found += [list(both), pairs.clear(), len(pairs)]
    return found + [error_of(call) for call in (
        lambda: both["x"], lambda: both.pop("x"), lambda: both.__delitem__("x"), lambda: both(1),
        lambda: both.__setitem__(1, p), lambda: nn.ParameterDict(3), lambda: nn.ParameterDict([3]),
        lambda: nn.ParameterDict([(1, 2, 3)]), lambda: nn.ParameterDict({"keys": p}))]


def a_lazy_layer(torch):
    nn = torch.nn
    layer = nn.LazyLinear(3)
    net = nn.Sequential(layer, nn.ReLU(), nn.LazyLinear(1, bias=False))
    found = [repr(net), repr(layer.weight), repr(layer.state_dict()), layer.has_uninitialized_params(),
             [name for name, _ in net.named_parameters()], layer.weight.requires_grad, layer.weight.grad,
             repr(copy.deepcopy(layer)), layer.reset_parameters(), net.to("cpu") is net]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    errors = [error_of(lambda: layer.weight.shape),
              error_of(lambda: nn.Linear(4, 3).load_state_dict(layer.state_dict()))]
    used = [error_of(call).partition(" in <")[0].partition(". ")[0] for call in (
        lambda: layer.weight + 1, lambda: layer.weight.sum(), lambda: layer.forward(torch.ones(2, 4)),
        lambda: layer.weight.numel())]
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    loaded = nn.LazyLinear(3)
    found += [repr(net), type(net[0]).__name__, dict(net.state_dict()), layer.weight.grad, errors, used,
              loaded.load_state_dict(layer.state_dict()), repr(loaded), loaded.weight,
              loaded(torch.ones(1, 4)), repr(loaded), error_of(lambda: layer(torch.ones(2, 5)))]
    return found


def layers_and_their_settings(torch):
    nn, x, y = torch.nn, torch.tensor([[-1.0, 0.5, 2.0]]), torch.tensor([[0.0, 0.0, 0.25]])
    layers = [nn.LogSoftmax(dim=1), nn.LogSoftmax(), nn.Softmax(), nn.LeakyReLU(), nn.LeakyReLU(0.2, True),
              nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.SiLU(inplace=True), nn.ELU(), nn.ELU(0.5, True)]
    losses = [nn.SmoothL1Loss(), nn.SmoothL1Loss(beta=0.5), nn.HuberLoss(), nn.HuberLoss("sum", 0.5)]
    layer = nn.Linear(2, 1)
    return [[repr(one), one(x.clone())] for one in layers] + [[repr(one), one(x, y)] for one in losses] + [
        layer.cpu() is layer, isinstance(nn.LogSoftmax(), nn.Softmax), isinstance(nn.SiLU(), nn.ReLU)]


def members_with_several_names(torch):
    layer = torch.nn.Linear(2, 2)
    layer.also = layer.weight
    layer.register_buffer("mean", torch.ones(1))
    net = torch.nn.Sequential(layer, layer)
    return [[name for name, _ in members] for members in (
        net.named_parameters(), net.named_parameters(remove_duplicate=False),
        net.named_parameters("net", True, False), net.named_parameters(remove_duplicate=False, recurse=False),
        net.named_buffers(remove_duplicate=False), net.named_modules(remove_duplicate=False),
        net.named_modules(prefix="net"))]


def ways_to_compute_a_step(torch):
    found = []
    for kind, options in (("SGD", {"foreach": True}), ("SGD", {"fused": True}), ("Adam", {"foreach": False}),
                          ("Adam", {"fused": True}), ("AdamW", {"foreach": True}),
                          ("AdamW", {"fused": False}), ("Adagrad", {"foreach": True}),
                          ("RMSprop", {"foreach": True})):
        p = torch.tensor([1.0, -2.0], requires_grad=True)
        optimizer = getattr(torch.optim, kind)([p], lr=0.1, **options)
        for _ in range(2):
            optimizer.zero_grad()
            (p * p).sum().backward()
            optimizer.step()
        group = {key: value for key, value in optimizer.param_groups[0].items() if key != "params"}
        found.append([p, list(group.items()), repr(optimizer)])
    makers = [getattr(torch.optim, kind) for kind in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop")]
    return found + [error_of(partial(make, [p], foreach=True, fused=True)) for make in makers]


def clipping_of_infinite_gradients(torch):
    found = []
    for numbers in ([3.0, 4.0], [math.inf, 1.0], [math.nan, 1.0]):
        for options in ({}, {"error_if_nonfinite": True}, {"norm_type": "inf", "foreach": False}):
            p = torch.nn.Parameter(torch.ones(2))
            p.grad = torch.tensor(numbers)
            clip = torch.nn.utils.clip_grad_norm_
            found.append([error_of(partial(clip, [p], 1.0, **options)), p.grad])
    return found


def a_loader_with_workers(torch):
    data = torch.utils.data
    batches = [[[list(data.DataLoader(list(range(7)), 3, shuffle, num_workers=workers)), torch.rand(1)]
                for workers in (0, 2)] for shuffle in (False, True)]
    return [batches, data.DataLoader([1], num_workers=2).num_workers,
            error_of(lambda: data.DataLoader([1], num_workers=-1)),
            error_of(lambda: data.DataLoader([], shuffle=True)), list(data.DataLoader([]))]


def seeds_of_a_gpu(torch):
    torch.cuda.manual_seed(3)
    torch.cuda.manual_seed_all(4)
    return [torch.rand(2), error_of(lambda: torch.cuda.manual_seed("a")),
            error_of(lambda: torch.cuda.manual_seed_all([1]))]


def anomaly_mode_asked_for(torch):
    before = torch.is_anomaly_enabled()
    with torch.autograd.set_detect_anomaly(True):
        within = torch.is_anomaly_enabled()
    return [before, within, torch.is_anomaly_enabled()]


def softmax_without_a_dimension(torch):
    functional = torch.nn.functional
    return [functional.softmax(torch.arange(8.0).reshape(shape)) for shape in ((8,), (2, 4), (2, 2, 2))] + [
        functional.log_softmax(torch.ones(2, 2)), functional.softmax(torch.tensor(1.0)),
        functional.softmax(torch.ones(2, 2), 1, 3, torch.float64)]
