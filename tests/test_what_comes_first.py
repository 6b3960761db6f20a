"""Which objection comes first where several apply, how results lie in memory, which dtypes meet.

All was recorded from PyTorch 2.13.
"""
import pytest

import minigrad as torch

F = torch.nn.functional

OVERLAPS = ("unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation.")
READS_WHAT_IT_WRITES = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location. Please clone() the tensor before performing the operation.")
TWO_AND_THREE = "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"


def given():
    X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    return {"torch": torch, "F": F, "X": X, "T": X.T, "W": X.expand(2, 2, 2), "N": X.long(), "B": X > 2,
            "D": torch.ones(2, 2, dtype=torch.float64), "V": torch.ones(3), "E": torch.zeros(0, 3)}


@pytest.mark.parametrize(("call", "kind", "said"), [
    ("B | V", RuntimeError, TWO_AND_THREE),
    ("B.bitwise_or_(V)", RuntimeError, TWO_AND_THREE),
    ("N.add(V, alpha=0.5)", RuntimeError, TWO_AND_THREE),
    ("N.expand(2, 2, 2).add_(3, alpha=0.5)", RuntimeError, OVERLAPS),
    ("W.index_copy_(0, N[0], D)", RuntimeError, OVERLAPS),
    ("W.index_add_(0, torch.tensor([9]), W[:1].clone())", RuntimeError, OVERLAPS),
    ("W.masked_scatter_(X, V)", RuntimeError, OVERLAPS),
    ("torch.add(X, X, out=X[:1])", RuntimeError, READS_WHAT_IT_WRITES),
    ("torch.cat([X, X], out=X)", RuntimeError, READS_WHAT_IT_WRITES),
    ("torch.bitwise_left_shift(B, B)", NotImplementedError, "\"lshift_cpu\" not implemented for 'Bool'"),
    ("B.addcmul_(B, B)", NotImplementedError, "\"addcmul_cpu_out\" not implemented for 'Bool'"),
    ("N.lerp(N, N)", NotImplementedError, "\"lerp_kernel_tensor\" not implemented for 'Long'"),
    ("N.lerp_(N, V[0] / 2)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("F.embedding(N, E)", RuntimeError, "index_select(): self indexing axis dim should be positive"),
    ("N.__setitem__(N[0] + 5, X)", RuntimeError,
     "Index put requires the source and destination dtypes match, got Long for the destination and Float for "
     "the source."),
    ("N.__setitem__(N[0] + 5, V)", RuntimeError,
     "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2, 2]"),
    ("X[0, 0].unflatten(0, (1, 1))", RuntimeError,
     "unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions"),
    ("torch.split(X, 2, None)", TypeError,
     "split() received an invalid combination of arguments - got (Tensor, int, NoneType), but expected one "
     "of:\n"
     " * (Tensor input, int split_size, int dim = 0)\n"
     "      didn't match because some of the arguments have invalid types: (Tensor, int, !NoneType!)\n"
     " * (Tensor input, tuple of ints split_size, int dim = 0)\n"
     "      didn't match because some of the arguments have invalid types: (Tensor, !int!, !NoneType!)\n"),
    ("F.binary_cross_entropy_with_logits(N, X)", NotImplementedError,
     "\"log_sigmoid_cpu\" not implemented for 'Long'"),
    ("F.binary_cross_entropy_with_logits(X, B)", RuntimeError,
     "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
     "operator instead."),
    ("F.soft_margin_loss(B, X)", RuntimeError,
     "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
     "the `~` or `logical_not()` operator instead."),
    ("F.soft_margin_loss(N, D)", RuntimeError,
     "result type Double can't be cast to the desired output type Long"),
    ("F.layer_norm(X, (3,), D)", RuntimeError,
     "mixed dtype (CPU): expect parameter to have scalar type of Float"),
    ("F.layer_norm(D, (3,), V)", RuntimeError,
     "mixed dtype (CPU): all inputs must share same datatype."),
    ("F.layer_norm(X, (2,), V, D)", RuntimeError,
     "Expected weight to be of same shape as normalized_shape, but got weight of shape [3] and "
     "normalized_shape = [2]"),
    ("F.threshold(B[0].expand(2, 2), 0.1, 0, inplace=True)", NotImplementedError,
     "\"threshold_cpu\" not implemented for 'Bool'"),
    ("B.clamp(B, B)", NotImplementedError, "\"clamp_cpu\" not implemented for 'Bool'"),
    ("X.round(decimals=1.5)", TypeError, "round(): argument 'decimals' must be int, not float"),
    ("torch.add(None, out=None)", TypeError,
     "add(): argument 'input' (position 1) must be Tensor, not NoneType"),
])
def test_first_objection(call, kind, said):
    with pytest.raises(kind) as caught:
        eval(call, given())
    assert type(caught.value) is kind and str(caught.value) == said


@pytest.mark.parametrize(("call", "strides"), [
    ("torch.lerp(X, T, X)", (2, 1)), ("torch.lerp(T, X, X)", (1, 2)), ("torch.clamp(T, X)", (1, 2)),
    ("torch.clamp(X, T)", (2, 1)), ("B.T & B", (1, 2)), ("torch.logical_and(T, X)", (1, 2)),
    ("torch.isclose(T, X)", (1, 2)), ("torch.rsub(X, T)", (1, 2)), ("X[:1].mv(X[0])", (1,)),
    ("F.mse_loss(T, X, reduction='none')", (1, 2)), ("F.smooth_l1_loss(T, X, reduction='none')", (1, 2)),
    ("F.binary_cross_entropy_with_logits(X, T, reduction='none')", (1, 2)),
    ("F.soft_margin_loss(T, X, reduction='none')", (1, 2)),
    ("torch.arange(6.0).unfold(0, 2, 1).t().tanh()", (1, 2)),
    ("torch.autograd.grad(X.requires_grad_() * 2, X, T.detach().clone())[0]", (1, 2)),
])
def test_the_first_operand_decides_how_the_result_lies(call, strides):
    assert eval(call, given()).stride() == strides


@pytest.mark.parametrize(("call", "kind", "shape", "values"), [
    ("torch.floor_divide(2.5, other=1)", "float32", (), [2.0]),
    ("torch.floor_divide(-5, 2)", "int64", (), [-3]),
    ("torch.lerp(N, N * 5, V[0] / 4)", "float32", (2, 2), [2.0, 4.0, 6.0, 8.0]),
    ("torch.lerp(X, X, D[0, 0])", "float32", (2, 2), [1.0, 2.0, 3.0, 4.0]),
    ("E.expand(2, 0, 3) @ D.new_ones(2, 3, 1)", "float64", (2, 0, 1), []),
    ("E.long().expand(2, 0, 3).bmm(X.new_ones(2, 3, 1))", "float32", (2, 0, 1), []),
    ("F.binary_cross_entropy_with_logits(D, X, reduction='none')", "float32", (2, 2),
     [0.3133, -0.6867, -1.6867, -2.6867]),
    ("F.binary_cross_entropy_with_logits(X, X, weight=D)", "float32", (), [-4.8733]),
])
def test_dtypes_that_meet(call, kind, shape, values):
    result = eval(call, given())
    assert (result.dtype, tuple(result.shape)) == (getattr(torch, kind), shape)
    assert result.flatten().tolist() == pytest.approx(values, abs=1e-4)


def test_what_a_hook_after_accumulation_returns_is_refused_before_the_next():
    x, seen = torch.ones(1, requires_grad=True), []
    x.register_post_accumulate_grad_hook(lambda p: 3)
    x.register_post_accumulate_grad_hook(seen.append)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        (x * 2).backward()
    assert seen == []


@pytest.mark.parametrize("shape", [(), (1,), (2, 1)])
def test_a_summed_gradient_is_no_view(shape):
    x = torch.ones(shape, requires_grad=True)
    other = torch.arange(6.0).reshape((2, 3) if len(shape) == 2 else (6,))
    grad, = torch.autograd.grad((other + x).norm(), x)
    assert not grad._is_view()


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "RAdam"])
def test_a_parameter_that_outgrew_its_state(optimizer):
    x = torch.ones(2, requires_grad=True)
    step = getattr(torch.optim, optimizer)([x], lr=0.1)
    x.grad = torch.ones(2)
    step.step()
    x.data = torch.ones(6)
    with pytest.raises(RuntimeError) as caught:
        step.step()
    assert str(caught.value) == ("The size of tensor a (6) must match the size of tensor b (2) at "
                                 "non-singleton dimension 0")


def test_isfinite_computes_and_minds_a_stale_view():
    y = torch.ones(2, 2, requires_grad=True) * 1
    _, row = y.unbind(0)
    y[:, :1] = 3.0
    assert not torch.isnan(row).any()
    with pytest.raises(RuntimeError, match="Output 1 of Unbind is a view"):
        torch.isfinite(row)
