"""What happened to a leaf: passes, zeroings, steps and writes, with their lines, on both backends."""
import gc
import sys
import weakref

import pytest

from minigrad.viz import watch
from minigrad.viz.watching.doubled import doubled
from minigrad.viz.watching.history import history_of, steps


def this_line():
    return sys._getframe(1).f_lineno


def kinds(leaf):
    return " ".join(event.kind for event in history_of(leaf))


def linear(torch, *sizes):
    torch.manual_seed(0)
    layers = [torch.nn.Linear(*pair) for pair in zip(sizes, sizes[1:])]
    return torch.nn.Sequential(*layers)


def test_a_step_has_its_gradient_its_rate_and_its_change(torch):
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    b = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=0.5)
    with watch():
        optimizer.zero_grad()
        (w * w).sum().backward()
        passed = this_line() - 1
        optimizer.step()
        optimizer.zero_grad()
    first, step, emptied = history_of(w)
    assert (first.kind, step.kind, emptied.kind) == ("pass", "step", "emptied")
    assert [event.line.line for event in (first, step, emptied)] == [passed, passed + 2, passed + 3]
    assert first.grad.norm == step.grad.norm == 10 and not first.added and emptied.grad is None
    assert (step.optimizer, step.lr, step.update, step.weight) == ("SGD", 0.5, 5.0, 0.0)
    assert first.order < step.order < emptied.order and step.version == 1
    alone, = history_of(b)
    assert (alone.kind, alone.grad, alone.update, alone.weight) == ("step", None, 0.0, 1.0)
    assert steps()[-1].optimizer == "SGD" and steps()[-1].held == 2


def test_a_write_by_hand_is_seen_by_its_version_or_by_the_values(torch):
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    with watch():
        (w * w).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
        (w * w).sum().backward()
        w.data.mul_(0.5)
        w.grad.zero_()
    assert kinds(w) == "pass written emptied pass written emptied"
    line = this_line() - 5
    written, emptied = history_of(w)[1:3]
    assert (written.line.line, emptied.line.line) == (line - 1, line)
    assert written.weight == pytest.approx(4.0)


def test_a_few_numbers_of_a_large_tensor_are_seen(torch):
    w = torch.ones(200_000, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with watch():
        (w * w).sum().backward()
        w.data[1] = 3.0
        w.grad.data[1] = float("nan")
        optimizer.step()
    assert kinds(w) == "pass written step"
    assert history_of(w)[0].grad.nans == 0 and history_of(w)[-1].grad.nans == 1


def test_a_tensor_of_more_than_a_million_numbers_is_measured_by_some_of_them(torch):
    w = torch.ones(1500, 1000, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with watch():
        w.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        (3 * w[0, 1]).backward()  # one number moves, which is not among them
        optimizer.step()
        w.data[1, 1] = 9.0
    assert kinds(w) == "pass step emptied pass step written"
    first, second = [event for event in history_of(w) if event.kind == "step"]
    assert first.update == pytest.approx(0.5 * 1_500_000 ** 0.5) and second.update > 0
    assert (second.grad.norm, second.grad.zeros) == (3.0, 1_499_999)


@pytest.mark.parametrize("to_none", [True, False])
def test_a_model_empties_too(torch, to_none):
    model = linear(torch, 2, 1)
    with watch():
        model(torch.ones(3, 2)).sum().backward()
        model.zero_grad(to_none)
    assert kinds(model[0].weight) == "pass emptied"
    assert history_of(model[0].weight)[1].line.line == this_line() - 2


def test_passes_of_a_closure_come_before_their_step(torch):
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with watch():
        optimizer.step(closure)
        optimizer.step(closure)
    assert kinds(w) == "pass step emptied pass step"
    assert doubled(history_of(w)) is None


def test_lbfgs_changes_its_weights_within_one_step():
    torch = pytest.importorskip("torch")
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=4, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = ((w - 1) ** 4).sum()
        loss.backward()
        return loss

    with watch():
        optimizer.step(closure)
    assert set(kinds(w).split()) == {"pass", "emptied", "step"}
    assert kinds(w).count("step") == 1 and kinds(w).endswith("step")


# ---------------------------------------------------------------- healthy and doubled


def test_a_loop_that_never_empties_is_called_doubled(torch):
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    with watch():
        for _ in range(2):
            (w * w).sum().backward()
            optimizer.step()
    found = doubled(history_of(w))
    assert found.added and found.line.line == this_line() - 3


def test_two_passes_without_any_step_are(torch):
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    with watch():
        (w * w).sum().backward()
        (w * 2).sum().backward()
    assert doubled(history_of(w)).line.line == this_line() - 1


# ---------------------------------------------------------------- nothing changes

def test_nothing_is_kept_alive(torch):
    model = linear(torch, 2, 1)
    optimizer = torch.optim.Adam(model.parameters())
    with watch(model, optimizer) as run:
        model(torch.ones(3, 2)).sum().backward()
        optimizer.step()
    gone = [weakref.ref(one) for one in (model, optimizer, model[0].weight)]
    del model, optimizer
    gc.collect()  # modules and optimizers of PyTorch hold themselves in cycles
    assert [one() for one in gone] == [None] * 3
    assert run.models == {} and len(run.calls) == 2


def test_the_optimizers_are_left_as_they_were(torch):
    optim = torch.optim
    before = [optim.Optimizer.zero_grad, optim.SGD.step, optim.Adam.step, torch.nn.Module.__call__,
              torch.nn.Module.zero_grad, vars(optim.Optimizer).get("step")]
    grad = torch.Tensor.grad
    with watch():
        pass
    after = [optim.Optimizer.zero_grad, optim.SGD.step, optim.Adam.step, torch.nn.Module.__call__,
             torch.nn.Module.zero_grad, vars(optim.Optimizer).get("step")]
    assert after == before and torch.Tensor.grad is grad
    if torch.__name__ == "torch":
        modules, optimizers = (sys.modules[name] for name in ("torch.nn.modules.module",
                                                             "torch.optim.optimizer"))
        assert not modules._global_forward_hooks and not modules._global_forward_pre_hooks
        assert not modules._global_forward_hooks_always_called
        assert not optimizers._global_optimizer_pre_hooks and not optimizers._global_optimizer_post_hooks
