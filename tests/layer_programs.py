"""Short programs with layers, hooks, subclasses and optimizers that run on either package.

    python -m tests.layer_programs          from the project's root, in an environment with torch==2.13.0,
                                            records what tests/test_layers.py expects: tests/data/layers.json
"""
from __future__ import annotations

import copy
import io
import json
import pickle
from collections import Counter
from pathlib import Path

from tests.nn_programs import error_of, measured

DATA = Path(__file__).parent / "data" / "layers.json"


def numbers(torch, *shape, start=0.0):
    """Different numbers of both signs without a pattern, the same on both sides."""
    count = 1
    for n in shape:
        count *= n
    values = [((37 * i + 11) % 101 - 50) / 25 + start for i in range(count)]
    return torch.tensor(values, dtype=torch.float64).view(shape).requires_grad_()


def graph(torch, function, *inputs):
    """What flows through a function: values, first and second derivatives, and the names of the nodes."""
    result = function(*inputs)
    outputs = result if isinstance(result, tuple) else (result,)
    names, todo = Counter(), [outputs[0].grad_fn]
    seen = set()
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            names[node.name()] += 1
            todo += [edge[0] for edge in node.next_functions]
    first = torch.autograd.grad([(out * out * out).sum() for out in outputs], inputs, create_graph=True)
    second = torch.autograd.grad(sum((g * g).sum() for g in first), inputs)
    return [list(outputs), list(first), list(second), dict(sorted(names.items()))]


# --- layers ----------------------------------------------------------------------------------------------

def layer_cases(torch):
    """name -> (function, inputs)"""
    functional = torch.nn.functional

    def x(*shape, start=0.0):
        return numbers(torch, *shape, start=start)

    return {
        "conv1d": (lambda i, w, b: functional.conv1d(i, w, b, 2, 1), (x(2, 3, 5), x(2, 3, 3), x(2))),
        "conv1d unbatched": (functional.conv1d, (x(2, 4), x(3, 2, 2))),
        "conv2d": (lambda i, w, b: functional.conv2d(i, w, b, (2, 1), (1, 0), (1, 2)),
                   (x(1, 2, 4, 5), x(3, 2, 2, 2), x(3))),
        "conv2d grouped": (lambda i, w: functional.conv2d(i, w, groups=2, padding=1),
                           (x(1, 4, 3, 3), x(4, 2, 3, 3))),
        "conv2d same": (lambda i, w: functional.conv2d(i, w, padding="same"), (x(1, 1, 3, 4), x(1, 1, 2, 3))),
        "max_pool1d": (lambda i: functional.max_pool1d(i, 2), (x(1, 2, 6),)),
        "max_pool2d": (lambda i: functional.max_pool2d(i, 3, 2, 1, ceil_mode=True), (x(1, 2, 6, 4),)),
        "max_pool2d dilated": (lambda i: functional.max_pool2d(i, 2, 1, dilation=2), (x(2, 4, 5),)),
        "avg_pool1d": (lambda i: functional.avg_pool1d(i, 3, 2, 1), (x(1, 2, 6),)),
        "avg_pool2d": (lambda i: functional.avg_pool2d(i, 3, 2, 1, True), (x(1, 1, 6, 4),)),
        "avg_pool2d of pictures only": (lambda i: functional.avg_pool2d(i, 3, 2, 1, True, False),
                                        (x(1, 1, 6, 4),)),
        "avg_pool2d divisor": (lambda i: functional.avg_pool2d(i, 2, divisor_override=3), (x(1, 4, 4),)),
        "adaptive_avg_pool2d": (lambda i: functional.adaptive_avg_pool2d(i, (2, 3)), (x(1, 1, 3, 7),)),
        "adaptive_avg_pool2d to 1": (lambda i: functional.adaptive_avg_pool2d(i, 1), (x(1, 2, 3, 4),)),
        "group_norm": (lambda i, w, b: functional.group_norm(i, 2, w, b), (x(2, 4, 3), x(4), x(4))),
        "rms_norm": (lambda i, w: functional.rms_norm(i, (3,), w), (x(2, 3), x(3))),
        "glu": (lambda i: functional.glu(i, 0), (x(4, 3),)),
        "softmax2d": (lambda i: torch.nn.Softmax2d()(i), (x(1, 3, 2, 2),)),
        "batch_norm2d": (lambda i: torch.nn.BatchNorm2d(2, dtype=torch.float64)(i), (x(2, 2, 2, 2),)),
        "cosine_similarity of two shapes": (functional.cosine_similarity, (x(2, 3), x(3, start=0.7)))}


def cells(torch):
    """A step from a state, and one from no state and without a batch."""
    shown = []
    for name in ("RNNCell", "LSTMCell", "GRUCell"):
        cell = getattr(torch.nn, name)(2, 3, dtype=torch.float64)
        state = numbers(torch, 2, 3)
        given = (state, state * 2) if name == "LSTMCell" else state
        shown += [repr(cell),
                  graph(torch, lambda i, cell=cell, given=given: cell(i, given), numbers(torch, 2, 2)),
                  graph(torch, lambda i, cell=cell: cell(i), numbers(torch, 2)),
                  error_of(lambda cell=cell: cell(torch.ones(1, 1, 2)))]
    return shown


def printed_layers(torch):
    nn = torch.nn
    return [repr(module) for module in (
        nn.Conv2d(4, 6, (2, 3), stride=(1, 2), padding=(1, 0), dilation=2, groups=2, bias=False),
        nn.Conv1d(1, 2, 3, padding="same"), nn.MaxPool2d(2), nn.MaxPool1d(3, 2), nn.AvgPool2d(2, 1),
        nn.AvgPool1d(2), nn.AdaptiveAvgPool2d((1, 2)), nn.GroupNorm(2, 4), nn.RMSNorm(3), nn.BatchNorm2d(3),
        nn.BatchNorm3d(2, affine=False), nn.Dropout2d(0.3), nn.Dropout1d(), nn.GLU(0), nn.Softmax2d(),
        nn.RNNCell(2, 3, nonlinearity="relu", bias=False))]


def refused_layers(torch):
    nn, functional, ones = torch.nn, torch.nn.functional, torch.ones
    weight = ones(2, 1, 3, 3)
    return [error_of(call) for call in (
        lambda: functional.conv2d(ones(1, 3, 4, 4), weight), lambda: functional.conv2d(ones(4, 4), weight),
        lambda: functional.conv2d(ones(1, 1, 2, 2), weight),
        lambda: functional.conv2d(ones(1, 1, 4, 4).double(), weight),
        lambda: functional.conv2d(ones(1, 1, 4, 4), weight, ones(3)),
        lambda: functional.conv2d(ones(1, 1, 4, 4), weight, stride=0),
        lambda: functional.conv2d(ones(1, 1, 4, 4), weight, padding=-1),
        lambda: functional.conv2d(ones(1, 1, 4, 4), weight, padding="same", stride=2),
        lambda: functional.conv2d(ones(1, 3, 4, 4), weight, groups=3), lambda: nn.Conv2d(3, 4, 2, groups=2),
        lambda: nn.Conv2d(4, 4, 2, groups=0), lambda: functional.max_pool2d(ones(1, 1, 4, 4), 2, padding=2),
        lambda: functional.max_pool2d(ones(1, 1, 1, 1), 2), lambda: functional.max_pool1d(ones(4), 2),
        lambda: functional.avg_pool2d(ones(1, 1, 4, 4), 2, divisor_override=0),
        lambda: functional.glu(ones(2, 3)), lambda: functional.glu(torch.tensor(1.0)),
        lambda: nn.GroupNorm(3, 4), lambda: functional.group_norm(ones(2, 4), 3),
        lambda: functional.group_norm(ones(2, 4), 2, ones(3)), lambda: nn.RMSNorm(3)(ones(2, 2)),
        lambda: nn.BatchNorm2d(2)(ones(2, 2)), lambda: nn.Softmax2d()(ones(2, 2)),
        lambda: nn.RNNCell(2, 3)(ones(1, 3)), lambda: nn.RNNCell(2, 3)(ones(1, 2), ones(2, 3)),
        lambda: nn.GRUCell(2, 3)(ones(1, 2), ones(1, 4)), lambda: nn.LSTMCell(2, 3)(ones(1, 2), ones(1, 3)),
        lambda: functional.cosine_embedding_loss(ones(2, 3), ones(2, 3), torch.tensor([[1, -1]])),
        lambda: functional.cosine_embedding_loss(ones(3), ones(3), torch.tensor([1])),
        lambda: functional.triplet_margin_loss(ones(2, 3), ones(2, 3), ones(3)),
        lambda: functional.softshrink(ones(2), -1), lambda: functional.linear(ones(2), 3),
        lambda: functional.linear(ones(2, 3), ones(2, 3), 3),
        lambda: functional.linear(torch.tensor(1.0), ones(2)),
        lambda: functional.cross_entropy(ones(2, 3), ones(2, 3), label_smoothing=1.5),
        lambda: functional.cross_entropy(ones(2, 3), torch.tensor([0, 1]), label_smoothing=-0.5),
        lambda: functional.binary_cross_entropy_with_logits(ones(2), ones(2), pos_weight=ones(3)))]


# --- modules ---------------------------------------------------------------------------------------------

def global_hooks(torch):
    nn, seen = torch.nn, []
    every = nn.modules.module

    def note(kind):
        return lambda module, *more: seen.append((kind, type(module).__name__, len(more)))

    handles = [every.register_module_forward_pre_hook(note("before")),
               every.register_module_forward_hook(note("after")),
               every.register_module_full_backward_pre_hook(note("gradient of output")),
               every.register_module_full_backward_hook(note("gradient of input")),
               every.register_module_parameter_registration_hook(note("parameter")),
               every.register_module_module_registration_hook(note("part")),
               every.register_module_buffer_registration_hook(note("buffer"))]
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model(torch.ones(2, 2, requires_grad=True)).sum().backward()
    for handle in handles:
        handle.remove()
    model(torch.ones(2, 2)).sum().backward()
    return seen


def old_backward_hooks(torch):
    nn, seen = torch.nn, []

    def hook(module, inputs, outputs):
        seen.append([type(module).__name__, [g is not None and list(g.shape) for g in inputs],
                     [g is not None and list(g.shape) for g in outputs]])

    layer, bend = nn.Linear(2, 3), nn.ReLU()
    for module in (layer, bend):
        module.register_backward_hook(hook)
    bend(layer(torch.ones(1, 2, requires_grad=True))).sum().backward()
    layer(input=torch.ones(1, 2)).sum().backward()
    return [seen, error_of(lambda: layer.register_full_backward_hook(hook)),
            error_of(lambda: nn.Linear(1, 1).register_full_backward_hook(hook).id * 0)]


def backward_hooks_see_everything(torch):
    """Also what flows to an input that takes no gradient."""
    class Both(torch.nn.Module):
        def forward(self, x, y):
            return x * 2, y * 3, 5
    seen, module = [], Both()
    module.register_full_backward_hook(lambda module, inputs, outputs: seen.append([inputs, outputs]))
    module(torch.ones(1, requires_grad=True), torch.ones(1))[0].sum().backward()
    return seen


def extra_state(torch):
    class Counting(torch.nn.Module):
        count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    model = torch.nn.Sequential(torch.nn.Linear(1, 1), Counting())
    names = list(model.state_dict())
    model.load_state_dict({**model.state_dict(), "1._extra_state": {"count": 7}})
    state = model.state_dict()
    del state["1._extra_state"]
    old = torch.nn.BatchNorm1d(1).state_dict()
    del old["num_batches_tracked"], old._metadata
    return [names, model[1].count, error_of(lambda: model.load_state_dict(state)),
            error_of(lambda: torch.nn.Module().load_state_dict({"_extra_state": 1})),
            error_of(lambda: torch.nn.Module().get_extra_state()),
            error_of(lambda: torch.nn.BatchNorm1d(1).load_state_dict(old))]


def state_hooks(torch):
    module = torch.nn.Linear(1, 1)
    module.register_state_dict_post_hook(lambda *args: 3)
    refused = error_of(module.state_dict)
    module = torch.nn.Linear(1, 1)
    module._register_state_dict_hook(lambda module, state, prefix, metadata: {"replaced": prefix})
    seen = []
    module._register_load_state_dict_pre_hook(lambda state, prefix, *rest: seen.append((prefix, len(rest))))
    module.load_state_dict({}, strict=False)
    return [refused, module.state_dict(), seen]


def parts_set_by_name(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU()))
    model.set_submodule("1.0", nn.Tanh())
    model.set_submodule("1.new", nn.ReLU())
    return [repr(model), *[error_of(call) for call in (
        lambda: model.set_submodule("", nn.ReLU()), lambda: model.set_submodule("0.weight", nn.ReLU()),
        lambda: model.set_submodule("7", nn.ReLU(), strict=True), lambda: model.set_submodule("7", 3),
        lambda: model.to(torch.int64), lambda: model.to([1]), lambda: model.to("cpu", foo=3),
        lambda: model.to(torch.ones(1, dtype=torch.float64))[0].weight.dtype, lambda: model.cuda())]]


# --- tensors ---------------------------------------------------------------------------------------------

def reversed_tensors(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    return [reversed(x), type(reversed(x).grad_fn).__name__, reversed(torch.tensor(2.0)),
            error_of(lambda: x.__delitem__(0)), error_of(lambda: setattr(x, "imag", 1)),
            error_of(lambda: setattr(x, "real", 1)), error_of(lambda: x.type(3)),
            x.__repr__(tensor_contents="..."),
            error_of(lambda: x.type_as(3)), error_of(lambda: x.is_set_to(3)), torch.typename(x)]


def switches(torch):
    torch.backends.cudnn.deterministic = True
    torch.use_deterministic_algorithms(True)
    seen = [torch.backends.cudnn.deterministic, torch.are_deterministic_algorithms_enabled(),
            torch.backends.mps.is_available(), error_of(lambda: torch.set_num_threads(0)),
            error_of(lambda: torch.use_deterministic_algorithms(1))]
    torch.use_deterministic_algorithms(False)
    with torch.device("cpu"):
        seen.append(torch.ones(1).device)
    return seen


def saved_and_loaded(torch):
    x = torch.ones(2, requires_grad=True)

    def again(value, **options):
        file = io.BytesIO()
        torch.save(value, file)
        file.seek(0)
        return torch.load(file, **options)

    first, second, part = again([x, x, x.detach()])
    part.add_(1)
    return [first, first is second, first.requires_grad, again(torch.nn.Linear(1, 1).state_dict()),
            again(torch.device("cpu")), again(torch.float64), again(torch.ones(2, 3).size()),
            error_of(lambda: again(Counter)), type(again(Counter, weights_only=False)).__name__,
            error_of(lambda: torch.save(x, "/no/such/folder/file"))]


def subclasses(torch):
    """What is computed from tensors of a class of one's own is of that class."""
    class Mine(torch.Tensor):
        pass

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            heard.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs)

    heard = []
    mine, loud, plain = Mine([1.0, 2.0]), Loud([1.0, 2.0]), torch.ones(2)
    loss = (mine.requires_grad_() * 2).sum()
    loss.backward()
    results = [mine + plain, plain - mine, 2 / mine, mine[0], mine.max(0).values, torch.stack([plain, mine]),
               mine.detach(), mine.data, mine.view(1, 2).T, torch.nn.functional.relu(mine), mine.grad,
               mine.as_subclass(torch.Tensor), torch.tensor([1.0]).as_subclass(Mine)]
    _ = loud + plain, 2 - loud, loud ** 2, plain @ loud, loud < 1, torch.sum(loud, dim=0), loud.shape
    return [[type(result).__name__ for result in results], heard, repr(mine), repr(loss),
            error_of(lambda: mine.detach() + loud), error_of(lambda: copy.deepcopy(mine)),
            type(pickle.loads(pickle.dumps(torch.nn.Parameter(plain)))).__name__]


# --- optimizers ------------------------------------------------------------------------------------------

def curved(torch, **options):
    """L-BFGS on Rosenbrock's valley."""
    w = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], **options)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
        loss.backward()
        calls.append(1)
        return loss

    losses = [optimizer.step(closure) for _ in range(3)]
    state = optimizer.state_dict()["state"][0]
    return [losses, w.detach(), len(calls), list(state), state["n_iter"], state["func_evals"],
            repr(optimizer)]


def refused_by_lbfgs(torch):
    x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    lbfgs = torch.optim.LBFGS
    odd = lbfgs([x], line_search_fn="other")
    return [error_of(call) for call in (
        lambda: lbfgs([{"params": [x]}, {"params": [y]}]), lambda: lbfgs([x], lr=-1),
        lambda: lbfgs([x]).step(), lambda: odd.step(lambda: run_backward(x)))]


def run_backward(x):
    x.grad = None
    loss = (x * x).sum()
    loss.backward()
    return loss


PROGRAMS = {program.__name__: program for program in (
    cells, printed_layers, refused_layers, global_hooks, old_backward_hooks, backward_hooks_see_everything,
    extra_state, state_hooks, parts_set_by_name, reversed_tensors, switches, saved_and_loaded, subclasses,
    refused_by_lbfgs)}
LAYERS = ("conv1d", "conv1d unbatched", "conv2d", "conv2d grouped", "conv2d same", "max_pool1d",
          "max_pool2d", "max_pool2d dilated", "avg_pool1d", "avg_pool2d", "avg_pool2d of pictures only",
          "avg_pool2d divisor", "adaptive_avg_pool2d", "adaptive_avg_pool2d to 1", "group_norm", "rms_norm",
          "glu", "softmax2d", "batch_norm2d", "cosine_similarity of two shapes")


def layer(name):
    """The program of one layer."""
    def program(torch):
        function, inputs = layer_cases(torch)[name]
        return graph(torch, function, *inputs)
    return program


PROGRAMS |= {name: layer(name) for name in LAYERS}
PROGRAMS |= {f"LBFGS {options}": lambda torch, options=options: curved(torch, **options) for options in (
    {"lr": 0.002, "history_size": 2}, {"line_search_fn": "strong_wolfe", "max_iter": 6},
    {"line_search_fn": "strong_wolfe", "max_eval": 5})}


def main():
    import torch

    facts = {name: measured(torch, program) for name, program in PROGRAMS.items()}
    for fact in facts.values():
        fact["warnings"] = [text.partition(" (Triggered internally")[0] for text in fact["warnings"]]
    lines = [f"{json.dumps(name)}: {json.dumps(fact)}" for name, fact in facts.items()]
    DATA.write_text("{" + ",\n".join(lines) + "}\n")
    print(f"{len(facts)} programs, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
