"""Names that are loaded when they are first used, and names that do not exist."""
import copy
import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as torch
from minigrad import methods, more
from minigrad.more.pytorch_names import EQUAL, names_of_pytorch, rows_of
from minigrad.vocabulary import MINIGRAD
from tests.helpers import answers

MODULES = [f"more.{path.stem}" for path in Path(more.__file__).parent.glob("*.py")
           if path.stem not in ("__init__", "absent", "pytorch_names")]
ROWS = methods.LOADED_LATER | {f"more.{name}": names for name, names in more.table_of("").items()}
NO_METHODS = {*methods.NO_METHODS.split(), *more.FUNCTIONS_ONLY.split()}
METHODS_ALONE = {*methods.METHODS_ALONE.split(), *more.METHODS_ONLY.split()}
ROOT = Path(torch.__file__).parents[1]


def run(program):
    """Return what a program prints in a fresh Python."""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def names_of(module):
    """Return the public names that a module lists for tensors and for the package."""
    kinds = {kind: set(methods.listed(module, kind))
             for kind in ("METHODS", "METHODS_ONLY", "FUNCTIONS_ONLY", "IN_PLACE")}
    in_place = {f"{name}_" for name in kinds["IN_PLACE"]}
    operators = set(getattr(module, "ATTRIBUTES", {}))
    return (kinds["METHODS"], kinds["METHODS_ONLY"] | in_place | operators, kinds["FUNCTIONS_ONLY"])


@pytest.mark.parametrize("name", sorted({*MODULES, *ROWS}))
def test_the_table_lists_what_each_module_offers(name):
    module = importlib.import_module(f"{MINIGRAD}.{name}")
    both, only_methods, only_functions = names_of(module)
    assert set(ROWS.get(name, "").split()) == both | only_methods | only_functions
    assert only_methods - both <= METHODS_ALONE
    assert only_functions <= NO_METHODS
    assert not both & (METHODS_ALONE | NO_METHODS)


@pytest.mark.parametrize("place, module, name", [
    (place, module, name) for place, table in more.PARTS.items()
    for module, names in table.items() for name in names.split()])
def test_the_parts_offer_what_their_tables_list(place, module, name):
    part = importlib.import_module(f"{MINIGRAD}.{place}")
    defined = getattr(importlib.import_module(f"{more.__name__}.{module}"), name)
    assert name in dir(part)
    assert getattr(part, name) is defined
    assert vars(part)[name] is defined


def test_every_row_has_a_module_and_no_name_two():
    in_parts = {f"more.{name}" for table in more.PARTS.values() for name in table}
    assert {*ROWS, *in_parts} - set(methods.LOADED_LATER) == set(MODULES)
    for table in [ROWS, *more.PARTS.values()]:
        names = " ".join(table.values()).split()
        assert len(names) == len(set(names))


def test_importing_minigrad_loads_nothing_of_it():
    assert run(
        "import sys, copy, pickle, minigrad as torch\n"
        "x = torch.tensor([1., 2.], requires_grad=True)\n"
        "(x * x).sum().backward()\n"
        "copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), repr(x)\n"
        "import minigrad.nn, minigrad.optim, minigrad.utils\n"
        "print([name for name in sys.modules if 'minigrad.more.' in name])") == "[]"


def test_all_names_are_found_in_a_fresh_python():
    functions = "more.list_names('') | methods.LATER_FUNCTIONS"
    of_tensors = "more.list_names('Tensor') | methods.LATER_METHODS"
    for owner, names in (
            ("torch", functions), ("torch.Tensor", of_tensors), ("torch.ones(2)", of_tensors)):
        assert run(
            "import minigrad as torch\n"
            "from minigrad import methods, more\n"
            f"owner = {owner}\n"
            f"names = {names}\n"
            "assert set(names) <= set(dir(owner)), set(names) - set(dir(owner))\n"
            "assert all([hasattr(owner, name) for name in names])\n"
            "assert not [value for value in vars(torch.Tensor).values()\n"
            "            if type(value).__name__ == 'LoadedLater' and owner is not torch]\n"
            "print('all found')") == "all found"


def test_from_minigrad_import():
    assert run("from minigrad import save, load; print(save.__name__, load.__name__)") == "save load"
    with pytest.raises(ImportError, match="cannot import name 'conv2d' from 'minigrad'"):
        from minigrad import conv2d  # noqa: F401


METHOD = next(iter(more.list_names("Tensor") & more.list_names("")), None)


@pytest.mark.skipif(METHOD is None, reason="there is no such method yet")
@pytest.mark.parametrize("use", [
    "torch.Tensor.{0}", "torch.ones(2).{0}", "torch.{0}",
    "type('Mine', (torch.Tensor,), dict(get=lambda self: super(type(self), self).{0}))([1.]).get()"])
def test_a_method_is_found_on_the_class_by_super_and_in_the_package(use):
    assert run("import minigrad as torch\n"
               f"print(callable({use.format(METHOD)}))") == "True"


SENTENCE = "It covers what the book needs; see docs/vocabulary.md"


@pytest.mark.parametrize("program, start, end", [
    ("torch.conv2d", "minigrad has no 'conv2d'.", ""),
    ("torch.tesnor", "minigrad has no 'tesnor'.", ". Did you mean: 'tensor'?"),
    ("x.roll", "minigrad.Tensor has no 'roll'.", ""),
    ("x.unfold", "minigrad.Tensor has no 'unfold'.", ""),
    ("x.squeeze_", "minigrad.Tensor has no 'squeeze_'.", ""),
    ("torch.acos", "minigrad has no 'acos'.", ""),
    ("torch.log2", "minigrad has no 'log2'.", ". For log2(x), write: x.log() / math.log(2)"),
    ("x.log2", "minigrad.Tensor has no 'log2'.", ". For log2(x), write: x.log() / math.log(2)"),
    ("torch.relu_", "minigrad has no 'relu_'.", ". For relu_(x, ...), write: x.relu_(...)"),
    ("torch.acoss", "minigrad has no 'acoss'.", ""),        # nearer to acos than to cos
    ("torch.nn.LogSoftMax", "minigrad.nn has no 'LogSoftMax'.", ". Did you mean: 'LogSoftmax'?"),
    ("torch.nn.Conv2D", "minigrad.nn has no 'Conv2D'.", ""),
    ("torch.nn.Linear(1, 1).half", "minigrad.nn.Module has no 'half'.", ""),
    ("torch.cuda.device_count", "minigrad.cuda has no 'device_count'.", ""),
    ("torch.nn.init.normal", "minigrad.nn.init has no 'normal'.",
     ". For normal(x), write: nn.init.normal_(x)"),
    ("x.erf_", "minigrad.Tensor has no 'erf_'.", ""),
    ("torch.nn.Conv2d", "minigrad.nn has no 'Conv2d'.", ""),
    ("torch.nn.Liner", "minigrad.nn has no 'Liner'.", ". Did you mean: 'Linear'?"),
    ("torch.nn.functional.conv1d", "minigrad.nn.functional has no 'conv1d'.", ""),
    ("torch.optim.LBFGS", "minigrad.optim has no 'LBFGS'.", ""),
])
def test_a_name_that_exists_nowhere(program, start, end):
    x = torch.ones(2)
    with pytest.raises(AttributeError) as caught:
        eval(program, {"torch": torch, "x": x})
    assert str(caught.value) == f"{start} {SENTENCE}{end}"
    owner, name = program.rsplit(".", 1)
    assert hasattr(eval(owner, {"torch": torch, "x": x}), name) is False


@pytest.mark.parametrize("name, meant", [("require_grad", "requires_grad"), ("backwards", "backward")])
def test_python_says_what_a_misspelt_attribute_may_mean(name, meant):
    """A `Tensor.__getattr__` that said so would make every operation slower."""
    program = f"import minigrad as torch\ntorch.ones(2).{name}"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, text=True, stderr=subprocess.PIPE)
    assert done.stderr.splitlines()[-1] == (
        f"AttributeError: 'Tensor' object has no attribute '{name}'. Did you mean: '{meant}'?")


@pytest.mark.parametrize("name", ["foo", "zero_grad", "_foo", "__foo__"])
def test_a_name_that_pytorch_does_not_have_either(name):
    with pytest.raises(AttributeError) as caught:
        getattr(torch.ones(2), name)
    assert str(caught.value) == f"'Tensor' object has no attribute '{name}'"
    with pytest.raises(AttributeError, match=f"'Parameter' object has no attribute '{name}'"):
        getattr(torch.nn.Parameter(torch.ones(2)), name)


def test_names_that_minigrad_has_are_not_called_absent():
    names = more.ABSENT["Tensor"]
    assert set(names) == absent_names("Tensor")
    assert more.ABSENT["nn.Module"] == absent_names("nn.Module")


def owner_of(place):
    owner = torch
    for step in filter(None, place.split(".")):
        owner = getattr(owner, step)
    return owner


def absent_names(place):
    """Return the public names of PyTorch that minigrad does not have in this place."""
    return {name for name in names_of_pytorch(place) if not hasattr(owner_of(place), name)}


PLACES = ["", "Tensor", "autograd", "autograd.functional", "autograd.graph", "cuda", "nn", "nn.Module",
          "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "utils", "utils.data"]


@pytest.mark.parametrize("place", PLACES)
def test_a_name_of_pytorch_is_never_answered_with_a_near_one(place):
    owner = owner_of(place)
    if place in ("Tensor", "nn.Module"):
        owner = torch.ones(2) if place == "Tensor" else torch.nn.ReLU()
    names = absent_names(place)
    assert len(names_of_pytorch(place)) > 5
    for name in names:
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        advice = ""
        if place == "" and name[-1] == "_" and hasattr(torch.Tensor, name):
            advice = f". For {name}(x, ...), write: x.{name}(...)"
        elif name in rows_of(place):
            advice = ". For {}, write: {}".format(*rows_of(place)[name])
        whose = f"minigrad.{place}".rstrip(".")
        assert str(caught.value) == f"{whose} has no {name!r}. {SENTENCE}{advice}"


@pytest.mark.parametrize("place", EQUAL)
def test_every_row_is_of_a_name_that_pytorch_has_and_minigrad_lacks(place):
    places = ["", "Tensor"] if place in ("", "Tensor") else [place]
    lacking = set().union(*[absent_names(one) for one in places])
    assert set(rows_of(place)) <= lacking


def test_every_expression_was_compared_with_pytorch():
    recorded = answers.load("recorded")["names.equal_expressions"]["result"]
    assert {name.rpartition(".")[2] for name in recorded} == {
        name for place in EQUAL for name in rows_of(place)}
    assert [name for name, found in recorded.items() if "Error" in str(found)] == []


def test_the_first_modules_of_a_program_read_no_list_of_names():
    assert run(
        "import sys, minigrad as torch\n"
        "net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())\n"
        "hasattr(net, 'foo'), net(torch.ones(2)).sum().backward()\n"
        "print([name for name in sys.modules if name.endswith('pytorch_names')])") == "[]"


def test_python_adds_no_second_guess_to_the_sentence():
    result = subprocess.run([sys.executable, "-c", "import minigrad as torch\ntorch.ones(2).require_grad"],
                            capture_output=True, text=True, cwd=ROOT)
    assert result.stderr.count("Did you mean") == 1


def test_copies_and_pickles_ask_for_no_names_that_are_missing():
    x = torch.tensor([1., 2.], requires_grad=True)
    for made in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert repr(made) == repr(x)
    assert not hasattr(x, "__array_struct__") and not hasattr(x, "__torch_function__")
