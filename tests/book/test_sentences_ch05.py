"""Chapter 5: its rules, on random functions and on shapes that are broadcast."""
import random

import pytest

import minigrad as torch
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(5)


def random_function(rng):
    """A function from a vector of 2 to 4 elements to one of 2 to 4, whose outputs share steps."""
    size, count = rng.randint(2, 4), rng.randint(2, 4)
    steps = [(rng.choice("+*s"), rng.random(), rng.random()) for _ in range(6)]
    ends = [rng.random() for _ in range(count)]

    def function(x):
        made = [x[at] for at in range(size)]
        for kind, first, second in steps:
            a, b = made[int(first * len(made))], made[int(second * len(made))]
            made.append(a + b if kind == "+" else a * b if kind == "*" else a.sin())
        return torch.stack([made[int(end * len(made))] for end in ends])

    return function, [rng.uniform(-1.5, 1.5) for _ in range(size)], count


def slopes(function, values, nudge=1e-6):
    """The Jacobian by nudging, a row for each output."""
    columns = []
    for at in range(len(values)):
        ends = [function(torch.tensor([value + step * (at == place) for place, value in enumerate(values)],
                                      dtype=torch.float64)) for step in (nudge, -nudge)]
        columns.append((ends[0] - ends[1]) / (2 * nudge))
    return torch.stack(columns).T


def after(function, values, v, before=None):
    """The drawer after one call with coefficients."""
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    x.grad = before
    function(x).backward(v)
    return x.grad


@pytest.mark.parametrize("seed", range(30))
@CHAPTER.says("If all operations from a leaf vector `x` to a vector `y` are recorded, `y.backward(v)` adds "
              "`v @ J` to `x.grad`.")
def test_backward_adds_v_times_j_to_the_drawer(seed):
    rng = random.Random(seed)
    function, values, count = random_function(rng)
    v = torch.tensor([rng.uniform(-3., 3.) for _ in range(count)], dtype=torch.float64)
    want, before = v @ slopes(function, values), torch.ones(len(values), dtype=torch.float64)
    assert after(function, values, v).tolist() == pytest.approx(want.tolist(), abs=1e-6)
    assert after(function, values, v, before.clone()).tolist() == pytest.approx((want + 1).tolist(), abs=1e-6)
    if len(values) != count:
        with pytest.raises(RuntimeError, match="Mismatch in shape"):
            after(function, values, torch.ones(len(values), dtype=torch.float64))


@CHAPTER.says("If you number the six elements of the result, J has the row [1, 0] three times, and then "
              "[0, 1] three times.")
def test_between_matrices_j_has_a_row_and_a_column_for_each_element():
    rows = slopes(lambda flat: (torch.zeros(2, 3) + flat.reshape(2, 1)).reshape(-1), [1., 2.])
    assert rows.round().tolist() == [[1., 0.]] * 3 + [[0., 1.]] * 3


@CHAPTER.says("The square sends 1 · 6 to `u[0]`, and the product sends 10 · 2, together 26.")
def test_the_messages_of_the_outputs_are_those_of_the_text():
    u = torch.tensor([3., 2.], requires_grad=True)
    square, product = u[0] ** 2, u[0] * u[1]
    sent = square.grad_fn(torch.tensor(1.)), product.grad_fn(torch.tensor(10.))[0]
    assert [one.item() for one in sent] == [6., 20.]
    torch.stack([square, product, u[1] ** 3]).backward(torch.tensor([1., 10., 100.]))
    assert u.grad[0].item() == 26


SHAPES = [((), (3,)), ((3,), (2, 3)), ((1, 3), (2, 3)), ((2, 1), (2, 3)), ((2, 1), (1, 3)), ((1,), (4, 2, 3)),
          ((2, 3), (4, 1, 3)), ((3,), (3,))]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@CHAPTER.says("If broadcasting repeats an element, the pass adds up the messages that its repetitions "
              "receive. The result has the shape of the tensor before broadcasting.")
def test_a_repeated_element_receives_a_sum(shapes):
    torch.manual_seed(0)
    first, second = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    g = torch.randn(*(first * second).shape, dtype=torch.float64)
    (first * second).backward(g)
    wide = [one.detach().expand(g.shape).clone().requires_grad_() for one in (first, second)]
    (wide[0] * wide[1]).backward(g)
    for one, repeated in zip((first, second), wide, strict=True):
        total = repeated.grad
        while total.dim() > one.dim():
            total = total.sum(0)
        for at, size in enumerate(one.shape):
            if size == 1:
                total = total.sum(at, keepdim=True)
        assert one.grad.shape == one.shape
        assert torch.allclose(one.grad, total)
