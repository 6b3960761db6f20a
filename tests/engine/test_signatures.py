"""What functions say of their options: signatures, misspelt keywords, and options that minigrad lacks."""
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch

ROOT = Path(torch.__file__).parents[1]
SENTENCE = "It covers what the book needs; see docs/vocabulary.md"


@pytest.mark.parametrize(("call", "start"), [
    (lambda x: torch.optim.RMSprop([x], centered=True), "minigrad's RMSprop() has no 'centered'."),
    (lambda x: torch.nn.functional.cross_entropy(x, x, label_smoothing=0.1),
     "minigrad's cross_entropy() has no 'label_smoothing'."),
    (lambda x: torch.nn.CrossEntropyLoss(label_smoothing=0.1)(x, x),
     "minigrad's cross_entropy() has no 'label_smoothing'."),
])
def test_an_option_that_minigrad_does_not_have(call, start):
    with pytest.raises(TypeError) as caught:
        call(torch.ones(1, 2))
    assert str(caught.value) == f"{start} {SENTENCE}"


@pytest.mark.parametrize("call", ["torch.tensor([1.], {0})", "torch.zeros(2, {0})", "torch.randn(2, {0})",
                                  "torch.rand_like(torch.ones(2), {0})", "torch.arange(3., {0})",
                                  "torch.randint(3, (2,), {0})", "torch.linspace(0, 1, 3, {0})",
                                  "torch.full((2,), 1., {0})", "torch.normal(0., 1., (2,), {0})"])
def test_a_misspelt_keyword_names_the_function(call):
    name = call.partition(".")[2].partition("(")[0]
    with pytest.raises(TypeError) as caught:
        eval(call.format("require_grad=True"))
    wanted = f"{name}() got an unexpected keyword argument 'require_grad'"
    assert str(caught.value).partition(". Did you mean")[0] == wanted


def functions_of(owner):
    """Return the names of the functions among the public names of an owner."""
    return [name for name in dir(owner) if name[0] != "_" and inspect.isfunction(getattr(owner, name, None))]


@pytest.mark.parametrize(("owner", "name"), [
    (owner, name) for owner in (torch, torch.Tensor, torch.nn.functional) for name in functions_of(owner)])
def test_an_option_that_a_function_lacks_is_named_with_the_function(owner, name):
    x = torch.ones(2)
    for option in ("out", "oot"):
        with pytest.raises(TypeError) as caught:
            getattr(owner, name)(x, **{option: x})
        error = str(caught.value).removeprefix("Tensor.")
        assert error in (
            f"{name}() got an unexpected keyword argument '{option}'",
            f"minigrad's {name}() has no 'out'. {SENTENCE}. Assign the result: out = {name}(...)")


PUBLIC = [(place, name) for place in ("", "nn", "nn.functional", "nn.init", "nn.utils", "optim",
                                      "optim.lr_scheduler", "random", "utils.data")
          for name in dir(eval(f"torch.{place}".rstrip("."), {"torch": torch})) if name[0] != "_"]
NEW_TENSORS = """tensor zeros ones empty full eye arange linspace zeros_like ones_like empty_like full_like
    rand randn randint randperm normal rand_like randn_like""".split()


def test_the_signature_of_tensor():
    assert str(inspect.signature(torch.tensor)).partition(" ->")[0] == (
        "(data, *, dtype=None, device=None, requires_grad=False)")


@pytest.mark.parametrize("name", NEW_TENSORS)
def test_an_editor_sees_the_options_of_new_tensors(name):
    parameters = inspect.signature(getattr(torch, name)).parameters
    assert list(parameters)[-3:] == ["dtype", "device", "requires_grad"]


# Functions and classes whose own arguments are of any number.
OPEN = {"Tensor", "Size", "device", "Function", "Variable", "Sequential", "TensorDataset", "dtype",
        "broadcast_tensors", "einsum", "Module", "no_grad", "enable_grad"} | {
    name for name in dir(torch) if name.endswith("Tensor")}


@pytest.mark.parametrize(("place", "name"), PUBLIC)
def test_public_functions_have_real_signatures(place, name):
    found = getattr(eval(f"torch.{place}".rstrip("."), {"torch": torch}), name)
    if callable(found) and name not in OPEN and not inspect.ismodule(found):
        for parameter in inspect.signature(found).parameters.values():
            assert parameter.kind is not parameter.VAR_KEYWORD
            assert parameter.default is not ...


def test_the_first_error_of_a_program_loads_nothing():
    program = """
        import sys
        import minigrad as torch
        x = torch.ones(2, requires_grad=True)
        x[0].backward()
        before = set(sys.modules)
        for line in ("x.numpy()", "x.add_(1)", "(x * 2).backward()"):
            try:
                eval(line)
            except RuntimeError as error:
                print(getattr(error, "__notes__", []))
        print(sorted(set(sys.modules) - before))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True,
                          cwd=ROOT, check=True)
    assert done.stdout == "[]\n" * 4


def state_arrays(optimizer):
    return [value._array for state in optimizer.state.values() for value in state.values()]


@pytest.mark.parametrize("make", [
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, maximize=True),
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1),
    lambda p: torch.optim.Adam(p, amsgrad=True), lambda p: torch.optim.AdamW(p),
    lambda p: torch.optim.RMSprop(p, momentum=0.5), lambda p: torch.optim.Adagrad(p)])
def test_gradients_parameters_and_optimizer_state_share_no_memory(make):
    params = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)]
    optimizer = make(params)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=False)
        (params[0].sum() * params[1]).sum().backward()
        optimizer.step()
        arrays = [*state_arrays(optimizer), *[p._array for p in params], *[p.grad._array for p in params]]
        for i, one in enumerate(arrays):
            assert not any(np.shares_memory(one, other) for other in arrays[:i])
