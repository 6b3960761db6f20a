"""Schedulers that go up and down, or are made of others: rates of eight steps, recorded from PyTorch 2.13."""
import pytest

import minigrad as torch
from minigrad.optim import lr_scheduler

MAKERS = {
    "restarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 2, eta_min=0.1),
    "cyclic": lambda o: lr_scheduler.CyclicLR(o, 0.1, 1.0, step_size_up=2, step_size_down=1,
                                              mode="triangular2"),
    "cyclic exp": lambda o: lr_scheduler.CyclicLR(o, 0.1, 1.0, step_size_up=3, mode="exp_range", gamma=0.9),
    "one cycle": lambda o: lr_scheduler.OneCycleLR(o, 1.0, total_steps=8),
    "one cycle linear": lambda o: lr_scheduler.OneCycleLR(o, 1.0, total_steps=8, anneal_strategy="linear",
                                                          three_phase=True),
    "sequence": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.ConstantLR(o, 0.1, 2), lr_scheduler.ExponentialLR(o, 0.5)], [3]),
    "chain": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ConstantLR(o, 0.1, 2), lr_scheduler.ExponentialLR(o, 0.5)]),
}

RECORDED = {
    ("restarts", "lr"): [0.55, 1.0, 0.8681980515, 0.55, 0.2318019485, 1.0, 0.9657457896, 0.8681980515],
    ("cyclic", "lr"): [0.55, 1.0, 0.1, 0.325, 0.55, 0.1, 0.2125, 0.325],
    ("cyclic", "momentum"): [0.85, 0.8, 0.9, 0.875, 0.85, 0.9, 0.8875, 0.875],
    ("cyclic exp", "lr"): [0.37, 0.586, 0.7561, 0.49366, 0.277147, 0.1, 0.24348907, 0.358280326],
    ("cyclic exp", "momentum"): [0.87, 0.846, 0.8271, 0.85626, 0.880317, 0.9, 0.88405677, 0.871302186],
    ("one cycle", "lr"): [0.8192751049, 0.9719417774, 0.8117456539, 0.5559840141, 0.2830609982,
        0.0766415938, 4e-06, 0.0766415938],
    ("one cycle", "momentum"): [0.8688255099, 0.8528058335, 0.8688255099, 0.8944017762, 0.921694187,
        0.94233621, 0.95, 0.94233621],
    ("one cycle linear", "lr"): [0.7257142857, 0.5885714286, 0.0380954286, 0.0285725714, 0.0190497143,
        0.0095268571, 4e-06, -0.0095188571],
    ("one cycle linear", "momentum"): [0.8785714286, 0.8928571429, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95],
    ("sequence", "lr"): [0.1, 1.0, 1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125],
    ("chain", "lr"): [0.05, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625],
}


def optimizer():
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0, momentum=0.9)


@pytest.mark.parametrize("name", MAKERS)
def test_eight_steps(name):
    o = optimizer()
    scheduler = MAKERS[name](o)
    found = {"lr": [], "momentum": []}
    for _ in range(8):
        o.step()
        scheduler.step()
        for option, values in found.items():
            values.append(round(o.param_groups[0][option], 10))
    assert scheduler.get_last_lr() == [o.param_groups[0]["lr"]]
    for option, values in found.items():
        assert values == RECORDED.get((name, option), [0.9] * 8)


@pytest.mark.parametrize("name", MAKERS)
def test_saving_and_loading_continues_where_it_was(name):
    o, other = optimizer(), optimizer()
    first, second = MAKERS[name](o), MAKERS[name](other)
    for _ in range(3):
        o.step()
        first.step()
    second.load_state_dict(first.state_dict())
    other.load_state_dict(o.state_dict())
    for scheduler, owner in ((first, o), (second, other)):
        owner.step()
        scheduler.step()
    assert o.param_groups[0]["lr"] == other.param_groups[0]["lr"]


def test_refusals():
    o = optimizer()
    plateau = lr_scheduler.ReduceLROnPlateau(o)
    for make, said in (
            (lambda: lr_scheduler.CosineAnnealingWarmRestarts(o, 0), "Expected positive integer T_0"),
            (lambda: lr_scheduler.OneCycleLR(o, 1.0), "You must define either total_steps OR"),
            (lambda: lr_scheduler.CyclicLR(o, 0.1, 1.0, mode="up"), "mode is invalid and scale_fn is None"),
            (lambda: lr_scheduler.CyclicLR(o, [0.1, 0.2], 1.0), "base_lr must have the same length as"),
            (lambda: lr_scheduler.ChainedScheduler([plateau]), "does not support `ReduceLROnPlateau`"),
            (lambda: lr_scheduler.SequentialLR(o, [], []), "expects at least one scheduler, but got no")):
        with pytest.raises(ValueError, match=said):
            make()
