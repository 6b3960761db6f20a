"""What entered the vocabulary last, as PyTorch 2.13 answered.

Each program has the output that PyTorch printed for it.
"""
import contextlib
import inspect
import io
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch

ROOT = Path(torch.__file__).parents[1]
PROGRAMS = [
    ("normal of two tensors", """
        torch.manual_seed(0)
        print(torch.normal(torch.tensor([1., 2., 3.]), torch.tensor([.1, .2, .3])))
        print(torch.normal(torch.arange(20.), torch.ones(20) * .5)[[0, 1, 15, 16, 19]])
        print(torch.normal(torch.zeros(2, 1), torch.ones(3)).shape, torch.rand(1))
    """, """
        tensor([1.1541, 1.9413, 2.3464])
        tensor([-0.1781,  1.2186, 13.8420, 15.9488, 19.0263])
        torch.Size([2, 3]) tensor([0.5932])
    """),
    ("normal of a tensor and a number", """
        torch.manual_seed(0)
        print(torch.normal(torch.tensor([1., 2., 3.]), 2.0), torch.normal(torch.ones(2)))
        print(torch.normal(0.5, torch.arange(20.))[[0, 1, 15, 16, 19]])
        print(torch.normal(mean=1.0, std=torch.tensor([.1, .2])), torch.rand(1))
        print(torch.normal(torch.ones(2), 1.0, generator=torch.Generator().manual_seed(3)))
    """, """
        tensor([ 4.0820,  1.4131, -1.3576]) tensor([ 1.5684, -0.0845])
        tensor([  0.5000,   1.0239,   1.2876,   8.8658, -29.6471])
        tensor([0.8601, 1.0384]) tensor([0.6984])
        tensor([1.8033, 1.1748])
    """),
    ("normal of numbers", """
        torch.manual_seed(0)
        print(torch.normal(0, 1, (2,)), torch.normal(1.0, 2.0, size=(2,), requires_grad=True))
        print(torch.normal(torch.tensor(1.), torch.tensor(2.), (2,), dtype=torch.float64))
    """, """
        tensor([ 1.5410, -0.2934]) tensor([-3.3576,  2.1369], requires_grad=True)
        tensor([-1.1690, -1.7972], dtype=torch.float64)
    """),
    ("gradients of normal", """
        torch.manual_seed(0)
        mean = torch.tensor([1., 2.], requires_grad=True)
        std = torch.tensor([1., 2.], requires_grad=True)
        y = torch.normal(mean, std)
        y.sum().backward()
        print(y, mean.grad, std.grad)
        print(torch.normal(mean, 1.0).grad_fn.name(), torch.normal(0.0, std).grad_fn.name())
    """, """
        tensor([2.5410, 1.4131], grad_fn=<NormalBackward3>) tensor([0., 0.]) tensor([0., 0.])
        NormalBackward1 NormalBackward2
    """),
    ("errors of normal", """
        attempt(lambda: torch.normal(torch.ones(3), -torch.ones(3)))
        attempt(lambda: torch.normal(torch.ones(3), -1.0))
        attempt(lambda: torch.normal(torch.tensor([1, 2]), 1.0))
        attempt(lambda: torch.normal(0.0, torch.tensor([1, 2])))
    """, """
        RuntimeError: normal expects all elements of std >= 0.0
        RuntimeError: normal expects std >= 0.0, but found std -1
        NotImplementedError: "normal_kernel_cpu" not implemented for 'Long'
        NotImplementedError: "normal_kernel_cpu" not implemented for 'Long'
    """),
    ("a data loader", """
        torch.manual_seed(0)
        data = torch.utils.data.TensorDataset(torch.arange(10.), torch.arange(10))
        loader = torch.utils.data.DataLoader(
            data, batch_size=3, shuffle=True, num_workers=0, pin_memory=False, drop_last=True)
        print(len(loader), loader.num_workers, loader.pin_memory, loader.drop_last)
        for x, y in loader:
            print(x, y)
        print(torch.rand(1))
    """, """
        3 0 False True
        tensor([6., 7., 1.]) tensor([6, 7, 1])
        tensor([4., 2., 0.]) tensor([4, 2, 0])
        tensor([9., 8., 3.]) tensor([9, 8, 3])
        tensor([0.3074])
    """),
    ("no GPU", """
        print(torch.cuda.is_available())
        print(torch.zeros(2).to(torch.device("cuda" if torch.cuda.is_available() else "cpu")))
    """, """
        False
        tensor([0., 0.])
    """),
    ("default tensor types", """
        torch.set_default_tensor_type(torch.DoubleTensor)
        print(torch.tensor(1.).dtype, torch.zeros(1).dtype)
        torch.set_default_tensor_type("torch.FloatTensor")
        print(torch.tensor(1.).dtype)
        attempt(lambda: torch.set_default_tensor_type(torch.LongTensor))
        attempt(lambda: torch.set_default_tensor_type(torch.float64))
        print(torch.get_default_dtype())
    """, """
        torch.float64 torch.float64
        torch.float32
        TypeError: only floating-point types are supported as the default type
        TypeError: invalid type object: only floating-point types are supported as the default type
        torch.float32
    """),
    ("a list of parameters", """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.matrices = torch.nn.ParameterList(
                    [torch.ones(2, 2), torch.nn.Parameter(torch.zeros(2, 2))])

            def forward(self, x):
                for matrix in self.matrices:
                    x = matrix @ x
                return x

        net = Net()
        net(torch.ones(2)).sum().backward()
        print(net, len(net.matrices), [name for name, _ in net.named_parameters()])
        print(net.matrices[-1].grad, list(net.state_dict()))
        net.matrices.append(torch.ones(1)).extend([torch.zeros(3)])
        net.matrices[0] = torch.ones(7)
        print(net.matrices, net.matrices[1:3], torch.nn.ParameterList())
        attempt(lambda: net.matrices[9])
        attempt(lambda: net.matrices.extend(torch.ones(3)))
        attempt(lambda: net.matrices(1))
        attempt(lambda: net.matrices + [torch.ones(1)])
    """, """
        Net(
          (matrices): ParameterList(
              (0): Parameter containing: [torch.float32 of size 2x2]
              (1): Parameter containing: [torch.float32 of size 2x2]
          )
        ) 2 ['matrices.0', 'matrices.1']
        tensor([[2., 2.],
                [2., 2.]]) ['matrices.0', 'matrices.1']
        ParameterList(
            (0): Parameter containing: [torch.float32 of size 7]
            (1): Parameter containing: [torch.float32 of size 2x2]
            (2): Parameter containing: [torch.float32 of size 1]
            (3): Parameter containing: [torch.float32 of size 3]
        ) ParameterList(
            (0): Parameter containing: [torch.float32 of size 2x2]
            (1): Parameter containing: [torch.float32 of size 1]
        ) ParameterList()
        IndexError: index 9 is out of range
        TypeError: ParameterList.extend should be called with an iterable, but got Tensor
        RuntimeError: ParameterList should not be called.
        TypeError: unsupported operand type(s) for +: 'ParameterList' and 'list'
    """),
    ("versions of fresh layers", """
        norm = torch.nn.BatchNorm1d(2)
        members = [*norm.named_parameters(), *norm.named_buffers()]
        print([(name, value._version) for name, value in members])
        norm(torch.ones(3, 2))
        print([(name, value._version) for name, value in members])
        print([value._version for value in torch.nn.LayerNorm(2).parameters()])
        print(torch.nn.Embedding(3, 2)._parameters["weight"]._version)
    """, """
        [('weight', 1), ('bias', 1), ('running_mean', 1), ('running_var', 1), ('num_batches_tracked', 1)]
        [('weight', 1), ('bias', 1), ('running_mean', 1), ('running_var', 1), ('num_batches_tracked', 2)]
        [1, 1]
        1
    """),
    ("momentum with gradients set to zero", """
        for name, options in (("SGD", dict(momentum=0.9)), ("SGD", dict(momentum=0.9, nesterov=True)),
                              ("SGD", dict(momentum=0.9, dampening=0.5, weight_decay=0.1)),
                              ("Adam", {}), ("RMSprop", dict(momentum=0.5)), ("Adagrad", {})):
            x = torch.tensor([2.0, -1.0], requires_grad=True)
            optimizer = getattr(torch.optim, name)([x], lr=0.1, **options)
            for _ in range(20):
                optimizer.zero_grad(set_to_none=False)
                (x ** 2).sum().backward()
                optimizer.step()
            print(name, x.detach())
    """, """
        SGD tensor([-0.6985,  0.3493])
        SGD tensor([-0.0790,  0.0395])
        SGD tensor([ 0.5868, -0.2934])
        Adam tensor([0.2225, 0.2712])
        RMSprop tensor([-0.0010,  0.0005])
        Adagrad tensor([ 1.3025, -0.3766])
    """),
    ("amsgrad with falling gradients", """
        for amsgrad in (False, True):
            x = torch.tensor([1.0, -2.0], requires_grad=True)
            optimizer = torch.optim.Adam([x], lr=0.1, betas=(0.5, 0.5), amsgrad=amsgrad)
            for scale in (10.0, 1.0, 0.1, 0.01, 0.001):
                optimizer.zero_grad()
                (x * scale).sum().backward()
                optimizer.step()
            print(x.detach(), sorted(optimizer.state_dict()["state"][0]))
    """, """
        tensor([ 0.7309, -2.2691]) ['exp_avg', 'exp_avg_sq', 'step']
        tensor([ 0.8106, -2.1894]) ['exp_avg', 'exp_avg_sq', 'max_exp_avg_sq', 'step']
    """),
    ("misspelt and missing keywords", """
        attempt(lambda: torch.tensor([1.], require_grad=True))
        attempt(lambda: torch.tensor())
        attempt(lambda: torch.tensor(1, 2, requires_grad=True))
        attempt(lambda: torch.zeros(2, require_grad=True))
        attempt(lambda: torch.zeros_like(torch.ones(2), require_grad=True))
        attempt(lambda: torch.nn.Linear(2, 1, bais=False))
        attempt(lambda: torch.nn.Linear(2))
        attempt(lambda: torch.optim.SGD([torch.ones(1)], lr=1, momentu=1))
        attempt(lambda: torch.nn.functional.cross_entropy(torch.ones(1, 2), torch.tensor([1]), wieght=None))
    """, """
        TypeError: tensor() got an unexpected keyword argument 'require_grad'
        TypeError: tensor() missing 1 required positional arguments: "data"
        TypeError: tensor() takes 1 positional argument but 2 were given
        TypeError: zeros() got an unexpected keyword argument 'require_grad'
        TypeError: zeros_like() got an unexpected keyword argument 'require_grad'
        TypeError: Linear.__init__() got an unexpected keyword argument 'bais'
        TypeError: Linear.__init__() missing 1 required positional argument: 'out_features'
        TypeError: SGD.__init__() got an unexpected keyword argument 'momentu'
        TypeError: cross_entropy() got an unexpected keyword argument 'wieght'
    """),
]


def attempt(function):
    """Print what a function returns, or the error that it raises."""
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


@pytest.mark.parametrize(("program", "printed"), [row[1:] for row in PROGRAMS],
                         ids=[row[0] for row in PROGRAMS])
def test_prints_what_pytorch_printed(program, printed):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(textwrap.dedent(program), {"torch": torch, "attempt": attempt})
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines == textwrap.dedent(printed).strip("\n").splitlines()


SENTENCE = "It covers what the book needs; see VOCABULARY in the README"


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
