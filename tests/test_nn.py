"""Modules, losses and first values: PyTorch's recorded answers, and laws that need no record."""
from __future__ import annotations

import copy
import json
import pickle

import pytest

import minigrad as torch
from minigrad import nn
from minigrad.nn import functional as F
from tests.nn_programs import EXACT, measured
from tests.record_nn import DATA

RECORDED = json.loads(DATA.read_text())
MODULES = [name for name in EXACT if not name.startswith("SGD") and name not in (
    "optimizer_errors", "schedules", "plateau")]


@pytest.mark.parametrize("name", MODULES)
def test_like_pytorch(name):
    got = json.loads(json.dumps(measured(torch, EXACT[name])))
    assert got == RECORDED[name]


# --- parameters ------------------------------------------------------------------------------------------

def test_a_parameter_is_a_leaf_that_shares_memory():
    data = torch.ones(2)
    parameter = nn.Parameter(data)
    data.add_(1)
    assert parameter.is_leaf
    assert parameter.requires_grad
    assert parameter.tolist() == [2.0, 2.0]
    assert isinstance(parameter, torch.Tensor)
    assert not isinstance(data, nn.Parameter)
    assert type(parameter * 2) is torch.Tensor
    assert type(parameter.data) is torch.Tensor


def test_printed_parameter():
    assert repr(nn.Parameter(torch.ones(2))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"


@pytest.mark.parametrize("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_are_independent(again):
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model.note = "kept"
    other = again(model)
    with torch.no_grad():
        model[0].weight.zero_()
    assert type(other[0].weight) is nn.Parameter
    assert other.note == "kept"
    assert other[0].weight.abs().sum() > 0
    assert list(other.state_dict()) == list(model.state_dict())


def test_a_copied_parameter_has_no_gradient():
    parameter = nn.Parameter(torch.ones(2))
    parameter.sum().backward()
    assert copy.deepcopy(parameter).grad is None


# --- modules ---------------------------------------------------------------------------------------------

def test_parameters_in_a_python_list_are_not_found():
    model = nn.Module()
    model.layers = [nn.Linear(1, 1)]
    assert list(model.parameters()) == []
    model.layers = nn.ModuleList(model.layers)
    assert len(list(model.parameters())) == 2


def test_shared_parts_are_listed_once():
    layer = nn.Linear(1, 1)
    model = nn.Sequential(layer, layer)
    assert len(list(model.parameters())) == 2
    assert len(list(model.named_parameters(remove_duplicate=False))) == 4
    assert len(model.state_dict()) == 4


def test_modules_without_hooks_call_forward_directly():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    x = torch.ones(1, 2)
    before = model(x)
    handle = model.register_forward_hook(lambda module, args, output: output + 1)
    assert torch.equal(model(x), before + 1)
    handle.remove()
    assert torch.equal(model(x), before)


def test_a_hook_that_always_runs_sees_no_output():
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("no")
    seen = []
    model = Fails()
    model.register_forward_hook(lambda module, args, output: seen.append(output), always_call=True)
    with pytest.raises(ValueError, match="no"):
        model(1)
    assert seen == [None]


def test_conversion_keeps_the_parameter_objects():
    layer = nn.Linear(2, 2)
    weight = layer.weight
    layer(torch.ones(1, 2)).sum().backward()
    layer.double()
    assert layer.weight is weight
    assert weight.dtype == weight.grad.dtype == torch.float64


def test_zero_grad_and_freezing():
    layer = nn.Linear(1, 1)
    layer(torch.ones(1, 1)).backward()
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad.tolist() == [[0.0]]
    layer.zero_grad()
    assert layer.weight.grad is None
    assert not layer.requires_grad_(False)(torch.ones(1, 1)).requires_grad


def test_load_state_dict_writes_in_place():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    weight, version = second.weight, second.weight._version
    second.load_state_dict(first.state_dict())
    assert second.weight is weight
    assert weight._version == version + 1
    assert torch.equal(weight, first.weight)
    second.load_state_dict(first.state_dict(), assign=True)
    assert second.weight is not weight
    assert isinstance(second.weight, nn.Parameter)


def test_state_dict_shares_memory_without_history():
    layer = nn.Linear(1, 1)
    state = layer.state_dict()
    state["weight"].fill_(7)
    assert layer.weight.item() == 7
    assert not state["weight"].requires_grad


# --- losses ----------------------------------------------------------------------------------------------

def test_cross_entropy_is_log_softmax_and_negative_log_likelihood():
    x, classes = torch.randn(6, 4, dtype=torch.float64), torch.tensor([0, 3, 2, 2, 1, 0])
    weight = torch.rand(4, dtype=torch.float64)
    for reduction in ("mean", "sum", "none"):
        together = F.cross_entropy(x, classes, weight, reduction=reduction)
        assert torch.equal(together, F.nll_loss(F.log_softmax(x, 1), classes, weight, reduction=reduction))


def test_class_numbers_are_probabilities_of_one():
    x, classes = torch.randn(6, 4, dtype=torch.float64), torch.tensor([0, 3, 2, 2, 1, 0])
    shares = F.one_hot(classes).to(torch.float64)
    for smoothing in (0.0, 0.3):
        assert torch.allclose(F.cross_entropy(x, classes, label_smoothing=smoothing),
                              F.cross_entropy(x, shares, label_smoothing=smoothing))


def test_logits_and_probabilities_agree():
    x, y = torch.randn(5, dtype=torch.float64), torch.rand(5, dtype=torch.float64)
    assert torch.allclose(F.binary_cross_entropy_with_logits(x, y),
                          F.binary_cross_entropy(torch.sigmoid(x), y))


def test_huber_with_a_wide_delta_is_half_the_square():
    x, y = torch.randn(5, dtype=torch.float64), torch.zeros(5, dtype=torch.float64)
    assert torch.allclose(2 * F.huber_loss(x, y, delta=100.0), F.mse_loss(x, y))


@pytest.mark.parametrize("loss", [
    lambda x, y: F.mse_loss(x, y), lambda x, y: F.smooth_l1_loss(x, y, beta=0.4),
    lambda x, y: F.huber_loss(x, y, delta=0.3), lambda x, y: F.binary_cross_entropy(torch.sigmoid(x), y),
    lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=torch.tensor(2.0, dtype=torch.float64)),
    lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1), lambda x,
    y: F.kl_div(x, y, reduction="batchmean"), lambda x, y: F.layer_norm(x, (3,)), lambda x,
    y: F.batch_norm(x, None, None, training=True), lambda x, y: F.cosine_similarity(x, y),
    lambda x, y: F.cross_entropy(x, torch.tensor([0, 2, 1, 1]), ignore_index=2)])
def test_gradients_against_differences(loss):
    torch.manual_seed(3)
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    y = torch.rand(4, 3, dtype=torch.float64) * 0.8 + 0.1
    assert torch.autograd.gradcheck(loss, (x, y))
    assert torch.autograd.gradgradcheck(loss, (x, y))


def test_dropout_keeps_the_mean_and_sleeps_after_eval():
    x, dropout = torch.ones(10000), nn.Dropout(0.25)
    y = dropout(x)
    assert set(y.tolist()) == {0.0, torch.tensor(1 / 0.75).item()}
    assert abs(y.mean().item() - 1) < 0.03
    assert dropout.eval()(x) is x


def test_batch_norm_remembers():
    norm, x = nn.BatchNorm1d(2, momentum=0.5), torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    y = norm(x)
    assert torch.allclose(y.mean(0), torch.zeros(2))
    assert norm.num_batches_tracked.item() == 1
    assert norm.running_mean.tolist() == [1.0, 2.0]
    assert norm.running_var.tolist() == [1.5, 4.5]
    expected = (x - norm.running_mean) / (norm.running_var + 1e-5).sqrt()
    assert torch.allclose(norm.eval()(x), expected)


def test_embedding_leaves_the_padding_alone():
    table = nn.Embedding(3, 2, padding_idx=0)
    table(torch.tensor([0, 1, 1])).sum().backward()
    assert table.weight[0].tolist() == [0.0, 0.0]
    assert table.weight.grad.tolist() == [[0, 0], [2, 2], [0, 0]]


def test_orthogonal_rows():
    for shape in ((3, 5), (5, 3), (2, 2, 3)):
        w = nn.init.orthogonal_(torch.empty(*shape, dtype=torch.float64), gain=2).flatten(1)
        product = w @ w.t() if len(w) <= w.shape[1] else w.t() @ w
        assert torch.allclose(product, 4 * torch.eye(len(product), dtype=torch.float64))


def test_truncated_normal_stays_inside():
    for bounds in ((-2.0, 2.0), (0.5, 0.7)):
        w = nn.init.trunc_normal_(torch.empty(500), 0.0, 1.0, *bounds)
        assert w.min() >= bounds[0]
        assert w.max() <= bounds[1]
