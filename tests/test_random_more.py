"""The rarer distributions: numbers recorded from PyTorch 2.13 with the same seed."""
import pytest

import minigrad as torch


def test_rarer_distributions():
    torch.manual_seed(11)
    rounded = [round(v, 6) for v in torch.empty(4, dtype=torch.float64).log_normal_(0.5, 0.5).tolist()]
    assert rounded == [2.384083, 4.362148, 1.162101, 0.85972]
    rounded = [round(v, 6) for v in torch.empty(4, dtype=torch.float64).cauchy_(1, 2).tolist()]
    assert rounded == [1.493343, -2.785901, -2.261375, -3.354617]
    assert torch.empty(6).geometric_(0.3).tolist() == [1, 3, 1, 2, 1, 3]
    assert torch.poisson(torch.tensor([0.0, 1.0, 4.0, 15.0, 100.0])).tolist() == [0, 0, 2, 22, 97]


@pytest.mark.parametrize("fill", [
    lambda x: x.uniform_(), lambda x: x.exponential_(), lambda x: x.random_(), lambda x: x.bernoulli_(0.5),
    lambda x: x.random_(3, 9), lambda x: x.random_(9), lambda x: x.cauchy_(), lambda x: x.log_normal_()])
def test_a_tensor_is_filled_in_the_order_of_its_memory(fill):
    torch.manual_seed(3)
    in_order = fill(torch.empty(4, 5, 6))
    torch.manual_seed(3)
    turned = fill(torch.empty(4, 5, 6).permute(2, 0, 1))
    assert torch.equal(turned, in_order.permute(2, 0, 1))


def test_what_is_drawn_for_a_turned_tensor():
    p = torch.tensor([[0.1, 0.5, 0.9], [0.3, 0.3, 0.3]])
    torch.manual_seed(0)
    assert torch.empty(3, 2).t().bernoulli_(p).tolist() == [[0, 1, 1], [0, 1, 0]]
    torch.manual_seed(0)
    first = torch.empty(4, 6)[:, ::2].uniform_()[0]
    assert [round(v, 4) for v in first.tolist()] == [0.4963, 0.7682, 0.0885]
    torch.manual_seed(0)
    assert torch.nn.functional.dropout(torch.ones(2, 3).t()).tolist() == [[0, 0], [0, 0], [2, 0]]


@pytest.mark.parametrize(("draw", "said"), [
    (lambda: torch.zeros(2).log_normal_(0, -1), "log_normal_ expects std > 0.0, but found std=-1"),
    (lambda: torch.zeros(2).cauchy_(0, -1), "cauchy_ expects sigma > 0.0, but found sigma=-1"),
    (lambda: torch.zeros(2).geometric_(2), "geometric_ expects p to be in (0, 1), but got p=2"),
    (lambda: torch.poisson(torch.tensor([-1.0])), "invalid Poisson rate, expected rate to be non-negative"),
    (lambda: torch.ones(2, dtype=torch.int64).log_normal_(), "\"log_normal_cpu\" not implemented for 'Long'"),
    (lambda: torch.poisson(torch.tensor([1])), "\"poisson_cpu\" not implemented for 'Long'"),
    (lambda: torch.zeros(2, dtype=torch.int64).cauchy_(),
     "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
     "specified long int"),
])
def test_rarer_distributions_refuse(draw, said):
    with pytest.raises(RuntimeError) as caught:
        draw()
    assert str(caught.value) == said
