"""Checkpoints, data in batches, and saved files."""
from __future__ import annotations

import importlib
import io

from . import error_of


def checkpoint_draws_the_same_numbers(torch):
    x = torch.ones(2, requires_grad=True)
    result = torch.utils.checkpoint.checkpoint(lambda x: x * torch.rand(2), x, use_reentrant=False)
    afterwards = torch.get_rng_state()
    result.sum().backward()
    return [x.grad, result, torch.equal(torch.get_rng_state(), afterwards)]


def checkpoint_and_the_graph(torch):
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.tensor([1.0], requires_grad=True)
    result = checkpoint(torch.exp, x, use_reentrant=False)
    result.backward(retain_graph=True)
    result.backward()
    answers = [x.grad, error_of(result.backward)]
    y = x * 1
    result = checkpoint(torch.exp, y, use_reentrant=False)
    with torch.no_grad():
        y.add_(1)
    answers.append(error_of(result.backward))
    g, = torch.autograd.grad(checkpoint(lambda x: x ** 3, x, use_reentrant=False), x,
                             create_graph=True)
    return [*answers, torch.autograd.grad(g, x)]


def checkpoints_that_differ(torch):
    def run(*functions):
        rest, x = list(functions), torch.ones(2, requires_grad=True)
        result = torch.utils.checkpoint.checkpoint(lambda x: rest.pop(0)(x), x, use_reentrant=False)
        return error_of(result.sum().backward).split("\nTip")[0]

    one, two = (lambda x: x.exp()), (lambda x: x.exp().sin())
    return [run(two, one).split("\n")[0], run(one, lambda x: one(x[:1])).split("\n")[0]]


def reentrant_checkpoints(torch):
    """What a training step with use_reentrant=True does, and what such a checkpoint refuses."""
    checkpoint = torch.utils.checkpoint.checkpoint
    w, results = torch.tensor([0.5, 2.0], requires_grad=True), []

    def block(x):
        return (x * w).sin() * x

    for reentrant in (True, False):
        x, fixed = torch.tensor([1.0, 3.0], requires_grad=True), torch.tensor([1.0, 3.0])

        def call(x, reentrant=reentrant):
            return checkpoint(block, x, use_reentrant=reentrant).sum()

        w.grad = None
        total = call(x)
        total.backward()
        results.append([total, x.grad, w.grad, call(fixed).requires_grad])
        results.append([error_of(run) for run in (
            lambda x=x, call=call: torch.autograd.grad(call(x), x),
            lambda x=x, call=call: call(x).backward(inputs=[x]),
            lambda x=x, reentrant=reentrant: (
                checkpoint(block, x=x, use_reentrant=reentrant).sum().backward()))])
        total = call(x * 2)
        total.backward(retain_graph=True)
        total.backward()
        results.append([x.grad, w.grad, error_of(total.backward)])
        with torch.no_grad():
            results.append(call(x).requires_grad)
    return results


def loaders_of_nothing(torch):
    data = torch.utils.data
    nothing = data.TensorDataset(torch.ones(0, 2))
    return [error_of(lambda: data.DataLoader(nothing, shuffle=True)),
            error_of(lambda: data.DataLoader([], batch_size=3, shuffle=True)),
            len(data.DataLoader(nothing)), list(data.DataLoader([], batch_size=3))]


def _rows(torch):
    data = importlib.import_module(f"{torch.__name__}.utils.data")
    return data, data.TensorDataset(torch.arange(10.0), torch.arange(10) * 2)


def batches(torch):
    data, rows = _rows(torch)
    short = data.DataLoader(rows, batch_size=4, drop_last=True)
    return [list(data.DataLoader(rows, batch_size=4)), len(short), list(short), rows[3], len(rows)]


def shuffled_batches(torch):
    data, rows = _rows(torch)
    again = data.DataLoader(rows, batch_size=5, shuffle=True,
                            generator=torch.Generator().manual_seed(1))
    return [[x for x, _ in data.DataLoader(rows, batch_size=3, shuffle=True)],
            [x for x, _ in again]]


def own_dataset(torch):
    data, _ = _rows(torch)

    class Squares(data.Dataset):
        def __len__(self):
            return 5

        def __getitem__(self, at):
            return {"number": at, "square": float(at * at)}

    return [[batch["number"], batch["square"].dtype, batch["square"]]
            for batch in data.DataLoader(Squares(), batch_size=2)]


def parts_of_a_dataset(torch):
    data, rows = _rows(torch)
    parts = data.random_split(rows, [5, 3, 2])
    return [[len(part), [x for x, _ in part]] for part in parts]


def refused_datasets(torch):
    data, rows = _rows(torch)
    return [error_of(call) for call in (
        lambda: data.DataLoader(rows, batch_size=0),
        lambda: data.TensorDataset(torch.ones(2), torch.ones(3)),
        lambda: data.random_split(rows, [5, 3]), lambda: data.Dataset()[0])]


def saved_and_loaded(torch):
    def again(value):
        file = io.BytesIO()
        torch.save(value, file)
        file.seek(0)
        return torch.load(file)

    x = torch.ones(2, requires_grad=True)
    first, second = again([x, x])
    return [first, first is second, first.requires_grad, again(torch.nn.Linear(1, 1).state_dict()),
            again({"step": 3, "rate": 0.1})]
