"""The numbers that a recorded backward pass keeps: integer or float, and to the last digit.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import importlib
import os

import pytest

BACKEND = os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad")
torch = importlib.import_module(BACKEND)
functional = importlib.import_module(f"{BACKEND}.nn.functional")

# what is differentiated: the numbers in the graph behind its gradient, as (operation, slot, how it prints)
NUMBERS = {
    "x ** 2": ["MulBackward1 other 2.0", "PowBackward0 exponent 1.0"],
    "x ** 3": ["MulBackward1 other 3.0", "PowBackward0 exponent 2.0"],
    "x ** 2.5": ["MulBackward1 other 2.5", "PowBackward0 exponent 1.5"],
    "x ** -1": ["MulBackward1 other -1.0", "PowBackward0 exponent -2.0"],
    "x ** 0": [],
    "x.norm(3)": ["PowBackward0 exponent 1.0", "PowBackward0 exponent 2.0"],
    "x.log10()": ["MulBackward1 other 2.3025850929940455"],
    "x.erfinv()": ["MulBackward1 other 0.8862269254527579", "PowBackward0 exponent 2"],
    "functional.relu6(x)": ["HardtanhBackwardBackward0 max_val 6", "HardtanhBackwardBackward0 min_val 0"],
    "functional.pairwise_distance(x, 2 * x, p=2)": ["NormBackward1 p 2.0"],
}


def numbers_behind(tensor):
    found, nodes = set(), [tensor.grad_fn] if tensor.grad_fn is not None else []
    for node in nodes:  # grows as we go
        for slot in dir(node):
            value = getattr(node, slot) if slot.startswith("_saved_") else None
            if type(value) in (int, float) and "dim" not in slot:
                found.add(f"{node.name()} {slot.removeprefix('_saved_')} {value!r}")
        nodes += [following for following, _ in node.next_functions if following is not None]
    return found


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_behind_a_gradient(text):
    x = torch.tensor([0.25, 0.5], requires_grad=True)
    y = eval(text, {"x": x, "torch": torch, "functional": functional})
    (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    found = numbers_behind(gradient)
    kinds = {line.split()[0] for line in NUMBERS[text]} | {"PowBackward0", "MulBackward1"}
    assert {line for line in found if line.split()[0] in kinds} == set(NUMBERS[text])


def test_numbers_of_a_formula_are_floats():
    x = torch.tensor([0.25, 0.5], requires_grad=True)
    assert {"MulBackward1 other 0.5", "MulBackward1 other 1.0"} <= numbers_behind(torch.trapezoid(x, dx=1))
