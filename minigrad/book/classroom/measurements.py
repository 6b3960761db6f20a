"""The page of measurements: ten functions that show what a training script does, in the order of their use.

Each has at most seven lines, needs PyTorch alone (it imports nothing), and returns plain data. `code_of`
gives the text of one as a page prints it, without its docstring, so a learner can copy it into any script.
"""
from __future__ import annotations

import ast
import inspect


def shapes(*tensors):
    """Return the shape and the dtype of each tensor, and whether it is recorded for a backward pass.

    Anything else is left out, so all local names can be given: `shapes(*locals().values())`.

        shapes(model(x), y, model(x) - y)    # [((9, 1), 'float32', True), ((9,), 'float32', False), ...]
    """
    kept = [t for t in tensors if hasattr(t, "requires_grad")]
    return [(tuple(t.shape), str(t.dtype)[6:], t.requires_grad) for t in kept]


def overfit(loss_of, optimizer, x, y):
    """Train on four rows alone, with the script's own loss and optimizer, and return their last loss.

    The weights and what the optimizer stores are changed, so give it a run of its own, without the script's
    loop. With targets of about 1, a loss above 0.1 looks like a bug. Give it the loss as the loop has it,
    with its penalties: a loss far below 0 may have no smallest value.

        overfit(loss_of, optimizer, x, y)    # 0.001
    """
    for _ in range(500):
        optimizer.zero_grad()
        loss_of(x[:4], y[:4]).backward()
        optimizer.step()
    return round(loss_of(x[:4], y[:4]).item(), 3)


def nudge(loss_of, weight, by=0.01, at=0, along=1):
    """Return the slope of the loss along one number of a weight, or along a direction, from two losses.

    `loss_of` takes nothing and returns the loss; `at` says which number. They get their old values back. One
    number can't show a cut path from the others, so it is safer to move all, `at=...`, along random numbers;
    n numbers move `by` divided by the root of n, so that a large weight moves as far as one number. A slope
    that agrees with the gradient rules out a cut path from this weight alone, so nudge one of the first layer
    and one of each branch, and once more after a step, because a cut path can have the slope 0 for a while.
    If they differ, nudge again with a smaller `by`: near a kink, they come closer. Exactly on one, as with a
    bias of 0 and inputs of 0, add 0.1 to the number before the pass and the nudge.

        weight = model[0].weight                  # in a class, one such as model.encoder.weight
        nudge(lambda: loss_of(x, y), weight)      # 0.213; compare weight.grad.view(-1)[0], if it isn't None
        way = torch.randn(weight.numel())
        nudge(lambda: loss_of(x, y), weight, at=..., along=way)    # (weight.grad.view(-1) * way).sum()
    """
    numbers = weight.data.view(-1)[at]
    step = by / numbers.numel() ** 0.5  # shorter for many numbers
    values = [numbers + change * along for change in (step, -step, 0)]
    losses = [(numbers.copy_(value), loss_of().item())[1] for value in values]
    return round((losses[0] - losses[1]) / (2 * step), 3)


def drawers(model):
    """Return the norm of the gradient in each parameter's drawer, and None for an empty drawer.

    `zero_grad(set_to_none=False)` leaves zeros, so 0.0 before a pass is an empty drawer, too. A parameter
    without a gradient that the script has frozen is "frozen". A module that was given `requires_grad` as a
    plain attribute is "not frozen": modules have `requires_grad_()`.

        drawers(model)    # {'0.weight': 0.8213, '0.bias': None, '2.weight': 'frozen'}
    """
    found = {name: round(p.grad.norm().item(), 5) if p.grad is not None
             else None if p.requires_grad else "frozen"
             for name, p in model.named_parameters()}
    odd = [n for n, m in model.named_modules() if "requires_grad" in vars(m)]
    return found | dict.fromkeys(odd, "not frozen")


def moved(model, optimizer, old):
    """Return how far each parameter is from its old value, and the rate at which the optimizer moves it.

    The rate is None for a parameter that the optimizer doesn't hold.

        old = {name: p.detach().clone() for name, p in model.named_parameters()}    # before a step
        moved(model, optimizer, old)    # after it: {'0.weight': (0.0731, 0.1), '0.bias': (0.0, None)}
    """
    lr = {id(p): g["lr"] for g in optimizer.param_groups for p in g["params"]}
    return {name: (round((p - old[name]).norm().item(), 5), lr.get(id(p)))
            for name, p in model.named_parameters()}


def again(model, loss_of):
    """Return a number computed twice in evaluation mode, twice in training mode, and once in evaluation mode.

    `loss_of` takes nothing and returns exactly what the script's last line prints, its loop included. The
    last number differs from the first two if two passes in training mode change the running statistics of
    BatchNorm a lot. They get their old values back, and all layers get the mode of the model.

        again(model, lambda: loss_of(test_x, test_y))    # {'eval': [0.1, 0.1], 'train': [0.14, 0.13], ...}
    """
    kept, mode = [buffer.clone() for buffer in model.buffers()], model.training
    got = [float(f"{loss_of():.4f}") for k in range(5) if model.train(1 < k < 4)]
    for buffer, value in zip(model.train(mode).buffers(), kept):
        buffer.copy_(value)
    return {"eval": got[:2], "train": got[2:4], "eval again": got[4]}


def distinct(*tensors):
    """Return how many of the tensors differ from all before them, and how many there are.

    Give it the rows of a weight, which belong to the units of a layer, some batches, or the orders in which
    some epochs took their rows. Fewer rows of training and test data together than in each alone are shared.

        distinct(*model[0].weight)    # (16, 16); (1, 16) if all units are the same
        distinct(*batches)            # (8, 8)
    """
    return len({str(t.tolist()) for t in tensors}), len(tensors)


def versions(*tensors):
    """Return how often each tensor was written in place, and how many of these tensors have its address.

    A view that begins with the first number of its base has its address, and so has a tied weight.

        versions(x, model[0].weight, average[0])    # [(0, 1), (300, 2), (300, 2)]
    """
    places = [t.data_ptr() for t in tensors]
    return [(t._version, places.count(t.data_ptr())) for t in tensors]


def reaches(loss_of, x, y):
    """Return how far the loss moves with another input in the first row, and how this depends on the others.

    The first of four numbers is the move itself. For row 1, row 2 and row 3, another input is put into that
    row alone, row 0 moves the loss again, and a number says how far this move differs from the first. It is 0
    if the loss is a sum or a mean of terms that depend on the input of one row each, which may have weights
    or the targets of other rows. It can be more for a root of such a loss, and for a loss that compares rows
    on purpose. Inputs can be integers.

        reaches(loss_of, x, y)    # [0.41, 0.0, 0.0, 0.0]
    """
    def loss(*changed):                          # rows with other inputs
        rows = [3 - k if k in changed else k for k in range(4)]
        return loss_of(x[rows].detach(), y[:4]).item()
    own, *others = [loss(0, *k) - loss(*k) for k in ((), [1], [2], [3])]
    return [round(abs(m), 4) for m in (own, *(m - own for m in others))]


def picture(x, y):
    """Return [smallest, largest, mean, how many different numbers] of each column, and a ratio.

    The ratio is the mean distance of a target from the target of the row with the most similar input, divided
    by that of all targets from their mean. Near 0, the inputs tell the target; near 1 or above, the rows may
    not belong together. A healthy ratio is high, too, with few rows, with columns of very different size,
    with noisy targets, with many columns that don't matter, and if the target changes faster than the rows
    are spaced. Nine columns or more, as of images, count as one. A row isn't compared with itself, even if
    others are equal.

        picture(x, y)    # ([[-1.0, 1.0, 0.0, 9]], 0.43)
    """
    x, y = x.detach().double().reshape(len(x), -1), y.double()
    order = [(x - r).norm(dim=1).sort(stable=True).indices.tolist() for r in x]
    near = [b if a == at else a for at, (a, b, *_) in enumerate(order)]
    far = round(float((y[near] - y).abs().sum() / (y - y.mean()).abs().sum()), 2)
    return [[round(v, 3) for v in (min(c), max(c), sum(c) / len(c), len({*c}))]
            for c in (x.T if x.shape[1] < 9 else x.reshape(1, -1)).tolist()], far


MEASUREMENTS = (shapes, overfit, nudge, drawers, moved, again, versions, distinct, reaches, picture)


def code_of(function):
    """Return the text of a measurement without its docstring, as a page prints it.

        code_of(versions)    # "def versions(*tensors):\n    places = ..."
    """
    text = inspect.getsource(function)
    said = ast.parse(text).body[0].body[0]
    lines = text.splitlines(keepends=True)
    return "".join(lines[:said.lineno - 1] + lines[said.end_lineno:])
