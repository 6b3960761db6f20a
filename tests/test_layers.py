"""Layers, hooks on modules, subclasses of Tensor, saved files and L-BFGS: PyTorch's recorded answers, and
gradients against differences."""
from __future__ import annotations

import json
import warnings

import pytest

import minigrad as torch
from tests.layer_programs import DATA, LAYERS, PROGRAMS, layer_cases
from tests.nn_programs import measured

RECORDED = json.loads(DATA.read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_like_pytorch(name):
    got = json.loads(json.dumps(measured(torch, PROGRAMS[name])).replace("minigrad.", "torch."))
    assert_near(got, RECORDED[name], name)


def assert_near(got, expected, where):
    """Equal, but for the last digits of floats."""
    if isinstance(expected, list):
        assert len(got) == len(expected), where
        for i, (one, other) in enumerate(zip(got, expected)):
            assert_near(one, other, f"{where}[{i}]")
    elif isinstance(expected, dict):
        assert list(got) == list(expected), where
        for key in expected:
            assert_near(got[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, float):
        assert got == pytest.approx(expected, rel=1e-6, abs=1e-9), where
    else:
        assert got == expected, where


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_against_differences(name):
    function, inputs = layer_cases(torch)[name]
    assert torch.autograd.gradcheck(function, inputs)


def test_warnings_name_the_line_of_the_program():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.set_warn_always(True)
        _ = torch.ones(3).T
        float(torch.ones((), requires_grad=True))
        torch.tensor(torch.ones(2))
        torch.set_warn_always(False)
    assert [warning.filename for warning in caught] == [__file__] * 3


def test_a_tensor_without_subclasses_is_handled_by_plain_functions():
    import subprocess
    import sys
    code = "import minigrad; print('minigrad.overrides' in __import__('sys').modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
