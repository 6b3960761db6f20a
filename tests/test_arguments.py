"""What is said of arguments that do not fit: PyTorch 2.13's own words, recorded."""
import pathlib
import subprocess
import sys

import pytest

import minigrad as torch

X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

CASES = [
    ("X.sum(dims=1)",
     "sum() received an invalid combination of arguments - got (dims=int, ), but expected one of:\n"
     " * (*, torch.dtype dtype = None)\n"
     " * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)\n"),
    ("X.sum(0, 1)", "sum(): argument 'keepdim' (position 2) must be bool, not int"),
    ("X.amax(0, keepdim=0)", "amax(): argument 'keepdim' must be bool, not int"),
    ("X.unsqueeze(True)", "unsqueeze(): argument 'dim' (position 1) must be int, not bool"),
    ("X.select(0, True)", "select(): argument 'index' (position 2) must be int, not bool"),
    ("X.tril(1.5)", "tril(): argument 'diagonal' (position 1) must be int, not float"),
    ("X.topk(1, largest=1)", "topk(): argument 'largest' must be bool, not int"),
    ("X.logsumexp(None)", "logsumexp(): argument 'dim' (position 1) must be tuple of ints, not NoneType"),
    ("X.prod(None, keepdim=True)", "prod(): argument 'dim' (position 1) must be int, not NoneType"),
    ("X.add(X, alpha=torch.ones(2))", "add(): argument 'alpha' must be Number, not Tensor"),
    ("X.amax((1.5,))",
     "amax(): argument 'dim' (position 1) must be tuple of ints, but found element of type float at pos 0"),
    ("X.expand(2, (2, 2))",
     "expand(): argument 'size' failed to unpack the object at pos 2 with error \"type "
     'must be tuple of ints,but got tuple"'),
    ("X.expand((2, 2), 2)", "expand() takes 1 positional argument but 2 were given"),
    ("X.sort(stable=True, dim='a')",            # names come in the order of a hash table: the last first
     "sort() received an invalid combination of arguments - got (dim=str, stable=bool, ), but expected one "
     "of:\n * (*, bool stable, int dim = -1, bool descending = False)\n"
     " * (int dim = -1, bool descending = False)\n"
     "      didn't match because some of the keywords were incorrect: dim, stable\n"),
    ("X.mean(axis=0, dim=0)", "mean() got an unexpected keyword argument 'axis'"),
    ("torch.neg(input=3)", "neg(): argument 'input' must be Tensor, not int"),
    ("torch.stack(tensors=[None])", "expected Tensor as element 0 in argument 0, but got NoneType"),
    ("torch.einsum('ij', [X, 2])", "expected Tensor as element 1 in argument 1, but got int"),
    ("torch.einsum(3, X)", "einsum(): argument 'equation' (position 1) must be str, not int"),
    ("torch.atleast_2d([1, 2])", "expected Tensor as element 0 in argument 0, but got int"),
    ("torch.tensordot(X, X, dims=(0, 1))",
     "tensordot(): argument 'dims_self' (position 3) must be tuple of ints, not int"),
    ("torch.unique(None)", "_unique2(): argument 'input' (position 1) must be Tensor, not NoneType"),
    ("X.split([1, 'a'])", "split_with_sizes(): argument 'split_sizes' failed to unpack the object at pos 2 "
     'with error "type must be tuple of ints,but got str"'),
    ("torch.linalg.det(None)", "linalg_det(): argument 'A' (position 1) must be Tensor, not NoneType"),
    ("torch.linalg.multi_dot(X)",
     "linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"),
    ("X.norm(2, 'a')", "linalg_vector_norm(): argument 'dim' (position 3) must be tuple of ints, not str"),
    ("F.dropout([1, 2], p=0.0)", "dropout(): argument 'input' (position 1) must be Tensor, not list"),
    ("F.dropout(X, training=1)", "dropout(): argument 'train' (position 3) must be bool, not int"),
    ("F.kl_div(X, 3, reduction='sum')", "kl_div(): argument 'target' (position 2) must be Tensor, not int"),
    ("F.relu6(None)", "relu6(): argument 'input' (position 1) must be Tensor, not NoneType"),
    ("F.pad(X, (1.5, 0))",
     "pad(): argument 'pad' (position 2) must be tuple of ints, but found element of type float at pos 0"),
    ("F.layer_norm(X, (2,), weight=3)",
     "layer_norm(): argument 'weight' (position 3) must be Tensor, not int"),
    # types of C's are named with their module
    ("X.add(torch.float32)", "add(): argument 'other' (position 1) must be Tensor, not torch.dtype"),
    ("X.fill_(torch.Generator())",
     "fill_() received an invalid combination of arguments - got (torch._C.Generator), but expected one of:\n"
     " * (Tensor value)\n      didn't match because some of the arguments have invalid types: "
     "(!torch._C.Generator!)\n"
     " * (Number value)\n      didn't match because some of the arguments have invalid types: "
     "(!torch._C.Generator!)\n"),
    ("X.requires_grad_(torch.device('cpu'))",
     "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not torch.device"),
    ("X.__setitem__(0, torch.Size([2]))", "can't assign a torch.Size to a torch.FloatTensor"),
    ("X.mean(0, True, 1)", "mean() takes from 1 to 2 positional arguments but 3 were given"),
    ("X.max(dim=(0, 1))",
     "max() received an invalid combination of arguments - got (dim=tuple, ), but expected one of:\n"
     " * ()\n      didn't match because some of the keywords were incorrect: dim\n"
     " * (Tensor other)\n      didn't match because some of the keywords were incorrect: dim\n"
     " * (int dim, bool keepdim = False)\n"),
    ("X.cumsum()", 'cumsum() missing 1 required positional arguments: "dim"'),
    ("X.cumsum('a')", "cumsum(): argument 'dim' (position 1) must be int, not str"),
    ("torch.cumsum(X)", 'cumsum() missing 1 required positional arguments: "dim"'),
    ("X.transpose(0)", 'transpose() missing 1 required positional arguments: "dim1"'),
    ("X.view(1.5, 2)",
     "view() received an invalid combination of arguments - got (float, int), but expected one of:\n"
     " * (torch.dtype dtype)\n * (tuple of ints size)\n"),
    ("torch.add(X)",
     "add() received an invalid combination of arguments - got (Tensor), but expected (Tensor input, "
     "Tensor other, *, Number alpha = 1, Tensor out = None)"),
    ("torch.add(X, X, X)", "add() takes 2 positional arguments but 3 were given"),
    ("torch.sin()", 'sin() missing 1 required positional arguments: "input"'),
    ("X.sin(1)", "TensorBase.sin() takes no arguments (1 given)"),
    ("torch.flip(X, 0)", "flip(): argument 'dims' (position 2) must be tuple of ints, not int"),
    ("torch.max(1, 2)",
     "max() received an invalid combination of arguments - got (int, int), but expected one of:\n"
     " * (Tensor input, *, Tensor out = None)\n"
     " * (Tensor input, Tensor other, *, Tensor out = None)\n"
     " * (Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)\n"),
    ("torch.amax(X, (0, 'a'))",
     "amax(): argument 'dim' failed to unpack the object at pos 2 with error \"type must be tuple of "
     'ints,but got str"'),
    ("torch.mean(X, out='a')", "mean() received an invalid combination of arguments - got (Tensor, out=str), "
     "but expected one of:\n"
     " * (Tensor input, *, torch.dtype dtype = None, Tensor out = None)\n"
     " * (Tensor input, tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = "
     "None)\n"),
]


@pytest.mark.parametrize(("call", "said"), CASES)
def test_refused_in_pytorchs_words(call, said):
    with pytest.raises(TypeError) as caught:
        eval(call, {"torch": torch, "X": X, "F": torch.nn.functional})
    assert str(caught.value) == said


@pytest.mark.parametrize(("call", "said"), [
    ("torch.arange(0, 1, 0.25, dtype=torch.int64)", "step must be nonzero"),
    ("torch.broadcast_shapes((-1,), (2,))", "Attempting to broadcast a dimension with negative length!"),
    ("X.expand()", 'expand() missing 1 required positional arguments: "size"'),
    ("X.unique(2)", "_unique2(): argument 'sorted' must be bool, not int"),
    ("X.to(0)", "Cannot access accelerator device when none is available."),
    ("torch.ger(X[0], X)", "outer: Expected 1-D argument vec2, but got 2-D"),
    ("X.to(torch.int64).bitwise_and_(X)", "result type Float can't be cast to the desired output type Long"),
    ("torch.baddbmm(torch.ones(2), torch.ones(2, 3, 4), torch.ones(2, 5, 4))",
     "The expanded size of the tensor (4) must match the existing size (2) at non-singleton dimension 2.  "
     "Target sizes: [2, 3, 4].  Tensor sizes: [2]"),
    ("X.expand(-7, 2, 2)", "numel: integer multiplication overflow"),
    ("torch.einsum('ij')", "einsum(): must specify the equation string and at least one operand, or at least "
     "one operand and its subscripts list"),
    ("torch.tensordot(X, X, dims=1.5)", "tensordot expects dims to be int or tuple[list[int], list[int]] or "
     "list[list[int]] containing two lists, but got dims=1.5"),
    ("X.norm('foo')", "linalg.matrix_norm: Order foo not supported."),
])
def test_refused_values(call, said):
    with pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
        eval(call, {"torch": torch, "X": X, "F": torch.nn.functional})
    assert str(caught.value) == said


@pytest.mark.parametrize(("call", "said"), [
    ("F.softsign([1])", "'list' object has no attribute 'abs'"),
    ("F.sigmoid(None)", "'NoneType' object has no attribute 'sigmoid'"),
    ("torch.tensordot(None, X)", "'NoneType' object has no attribute 'dim'"),
    ("torch.split([1, 2], 1)", "'list' object has no attribute 'split'"),
    ("torch.nn.nothing", "module 'torch.nn' has no attribute 'nothing'"),
    ("torch.linalg.nothing", "module 'torch.linalg' has no attribute 'nothing'"),
    ("F.nothing", "module 'torch.nn.functional' has no attribute 'nothing'"),
])
def test_what_has_no_such_attribute(call, said):
    with pytest.raises(AttributeError) as caught:
        eval(call, {"torch": torch, "X": X, "F": torch.nn.functional})
    assert str(caught.value) == said


@pytest.mark.parametrize(("with_tensor", "with_number"), [
    ("X.softmax(torch.tensor(1))", "X.softmax(1)"),
    ("X.sum((torch.tensor(0),))", "X.sum(0)"),
    ("X.triu(torch.tensor(1))", "X.triu(1)"),
    ("X.add(X, alpha=torch.tensor(2))", "X.add(X, alpha=2)"),
    ("X.clamp(torch.tensor(2), 3)", "X.clamp(2, 3)"),
    ("X.movedim(torch.tensor(1), 0)", "X.movedim(1, 0)"),
    ("X.expand(torch.tensor(2), 2)", "X.expand(2, 2)"),
])
def test_a_tensor_of_one_number_stands_for_it(with_tensor, with_number):
    assert torch.equal(*[eval(call, {"torch": torch, "X": X}) for call in (with_tensor, with_number)])


def test_the_parser_is_loaded_when_a_call_fails():
    program = ("import sys, minigrad; minigrad.ones(2).sum(0); "
               "assert 'minigrad.parser' not in sys.modules\n"
               "try: minigrad.ones(2).sum('a')\n"
               "except TypeError: assert 'minigrad.parser' in sys.modules")
    subprocess.run([sys.executable, "-c", program], check=True, cwd=pathlib.Path(__file__).parent.parent)


def test_squeeze_takes_several_dimensions():
    x = torch.ones(1, 2, 1, 1)
    assert x.squeeze(0, 2).shape == x.squeeze((0, 2)).shape == x.squeeze(dim=(0, 2)).shape == (2, 1)


def test_other_errors_pass_through():
    with pytest.raises(IndexError, match="Dimension out of range"):
        X.sum(5)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.cumsum(X, 2)


def test_numpy_names_are_known():
    assert torch.equal(torch.amax(X, axis=1), X.max(dim=1).values)
    assert torch.equal(torch.cumsum(input=X, dim=0), X.cumsum(0))


def test_results_written_into_out_are_named_so():
    values, indices = torch.empty(2), torch.empty(2, dtype=torch.int64)
    assert repr(torch.max(X, 1, out=(values, indices))).startswith("torch.return_types.max_out(")
    assert values.tolist() == [2.0, 4.0]


def test_a_batch_of_gradients():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    rows, = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with pytest.raises(ValueError, match="dimensionality 0"):
        torch.autograd.grad((x * x).sum(), x, is_grads_batched=True)


def test_whole_numbers_take_no_gradient():
    x = torch.tensor([1.5, 2.0], requires_grad=True)
    for attempt in (lambda: x.sum(dtype=torch.int64), lambda: x.prod(dtype=torch.int64),
                    lambda: x.cumsum(0, dtype=torch.int64)):
        with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
            attempt()
    assert x.detach().sum(dtype=torch.int64).item() == 3


def test_range_warns_and_includes_its_end():
    with pytest.warns(UserWarning, match="torch.range is deprecated"):
        assert torch.range(0, 1, 0.25).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
