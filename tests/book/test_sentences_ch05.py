"""Chapter 5: the sentences that reviews found false, each with the program that refutes it, and its rules."""
import random
import warnings

import pytest

import minigrad as torch
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.content.chapters import exercise
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(5)


def vector(*numbers):
    return torch.tensor(numbers, requires_grad=True)


def only_scalars_have_gradients():
    x = vector(3., 5.)
    (x * x).backward(torch.tensor([1., 10.]))
    return x.grad.tolist()


def ones_add_up():
    w = torch.tensor(2., requires_grad=True)
    (w * torch.tensor([1., 4., 9.])).backward(torch.ones(3))
    return w.grad.item()


def list_as_argument():
    try:
        (vector(1., 2., 3.) * 2).backward([0.1, 1.0, 0.0001])
    except TypeError as error:
        return str(error)


def one_input_each():
    def swapped(x):
        return torch.stack([x[1] ** 2, 3 * x[0]])
    return torch.autograd.functional.jacobian(swapped, torch.tensor([2., 3.])).tolist()


def five_runs():
    p = vector(1., 2., 3., 4.)
    z = (2 * p).view(2, 2)
    for _ in range(5):
        z.backward(torch.tensor([[2., 0.2], [0.01, 0.001]]), retain_graph=True)
    return [round(number, 4) for number in p.grad.tolist()]


def carried_digits():
    """The dyes 1, 10 and 0 at (3, 2): the 12 of J gives no digit of its own."""
    J = torch.tensor([[6., 0.], [2., 3.], [0., 12.]])
    return (torch.tensor([0., 10., 1.]) @ J)[1].item()


def another_start():
    start = vector(300., -400., 1.)
    y = start * 2
    while y.norm() < 1000:
        y = y * 2
    y.backward(torch.ones(3))
    return start.grad.tolist()


def roots_and_leaves():
    w = torch.tensor(2., requires_grad=True)
    return [(w * w).is_leaf, w.is_leaf]


def today_s_name():
    x = vector(3., 5.)
    (x * x).backward(gradient=torch.tensor([1., 10.]))
    return x.grad.tolist()


def yesterday_s_name():
    x = vector(3., 5.)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        torch.autograd.backward([x * x], grad_variables=[torch.tensor([1., 10.])])
    return x.grad.tolist(), len(given)


def detached_factor():
    x = vector(3., 5.)
    (x.detach() * x).backward(torch.tensor([1., 10.]))
    return x.grad.tolist()


def two_nudges_in_one_product():
    """A message has the shape of the result, so this product has the right shape and the wrong numbers."""
    x, w, g = torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([[5., 6.], [7., 8.]]), torch.eye(2)
    w.requires_grad = True
    (x @ w).backward(g)
    return torch.equal(w.grad, x @ g), torch.equal(w.grad, x.T @ g)


def all_rows_in_one_call():
    """Minigrad refuses what PyTorch does here, and says so; tests/book/test_parity.py doesn't see it."""
    x = vector(3., 5.)
    try:
        return torch.autograd.grad(x * x, [x], torch.eye(2), is_grads_batched=True)
    except NotImplementedError as error:
        return str(error)


FALSE = {
    "Suppose a vector `y` is computed from a vector `x`, a leaf that requires a gradient. Then": (
        detached_factor, [3., 50.]),
    "If recorded operations lead from a leaf vector `x` to a vector `y`,": (detached_factor, [3., 50.]),
    "One pass gives one weighted sum of rows, not the separate rows.": (
        all_rows_in_one_call, "minigrad has no batched gradients: call grad for each vector"),
    "the shape alone tells which factor is transposed": (two_nudges_in_one_product, (False, True)),
    "only a scalar can be differentiated (B5)": (only_scalars_have_gradients, [6., 100.]),
    "a vector of ones differentiates the components separately (B7)": (ones_add_up, 14.),
    "backward([0.1, 1.0, 0.0001]) gives a gradient": (
        list_as_argument, "gradients can be either Tensors or None, but got float"),
    "J is diagonal if each output depends on one input only": (one_input_each, [[0., 6.], [3., 0.]]),
    "the gradient of D5 is [20, 2, 0.1, 0.01], without a repetition": (five_runs, [20., 2., 0.1, 0.01]),
    "if the entries of J are integers, the digits of the gradient are its entries": (carried_digits, 42.),
    "the loop of B6 multiplies by 1024": (another_start, [2., 2., 2.]),
    "a pass starts at leaf nodes (C1)": (roots_and_leaves, [False, True]),
    "only notes of 2017 call the argument gradient": (today_s_name, [6., 100.]),
    "grad_variables is no longer accepted": (yesterday_s_name, ([6., 100.], 1)),
}


@pytest.mark.parametrize("sentence", FALSE)
def test_a_false_sentence_is_refuted(sentence):
    assert sentence not in CHAPTER
    program, prints = FALSE[sentence]
    assert program() == prints


@pytest.mark.parametrize("answer, is_it", [
    ([260, 312], True), ([30, 40, 16], False), ([26, 312], False), ([1, 2, 3], False), ([], False)])
def test_an_answer_is_called_the_gradient_only_if_it_is(answer, is_it):
    assert ("that is the gradient" in (first_wrong(exercise("5a"), answer, [260., 312.]) or "")) is is_it


# --- the rules, on random programs --------------------------------------------------------------------------

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


@CHAPTER.says("The argument of `backward` always has the shape of the result",
              "If you number the six elements of the result, J has the row [1, 0] three times, and then "
              "[0, 1] three times.")
def test_between_matrices_j_has_a_row_and_a_column_for_each_element():
    """J is built from nudges of the elements, in the order in which `reshape(-1)` numbers them."""
    torch.manual_seed(0)
    start, g = torch.randn(2, 3, dtype=torch.float64), torch.randn(3, 2, dtype=torch.float64)

    def function(x):
        return (x * x).T + x.T[:, :1] * x.T[:, 1:]

    J = slopes(lambda flat: function(flat.reshape(2, 3)).reshape(-1), start.reshape(-1).tolist())
    x = start.clone().requires_grad_()
    function(x).backward(g)
    assert torch.allclose(x.grad, (g.reshape(-1) @ J).reshape(2, 3), atol=1e-6)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        function(x).backward(g.reshape(-1))
    rows = slopes(lambda flat: (torch.zeros(2, 3) + flat.reshape(2, 1)).reshape(-1), [1., 2.])
    assert rows.round().tolist() == [[1., 0.]] * 3 + [[0., 1.]] * 3


@CHAPTER.says("The square sends 1 · 6 to `u[0]`, and the product sends 10 · 2, together 26.")
def test_the_messages_of_the_outputs_are_those_of_the_text():
    u = vector(3., 2.)
    square, product = u[0] ** 2, u[0] * u[1]
    sent = square.grad_fn(torch.tensor(1.)), product.grad_fn(torch.tensor(10.))[0]
    assert [one.item() for one in sent] == [6., 20.]
    torch.stack([square, product, u[1] ** 3]).backward(torch.tensor([1., 10., 100.]))
    assert u.grad[0].item() == 26


@pytest.mark.parametrize("seed", range(30))
def test_one_call_with_coefficients_is_the_sum_of_many_calls(seed):
    rng = random.Random(seed)
    function, values, count = random_function(rng)
    v = torch.tensor([rng.uniform(-3., 3.) for _ in range(count)], dtype=torch.float64)
    rows = [after(function, values, row) for row in torch.eye(count, dtype=torch.float64)]
    total = sum(coefficient * row for coefficient, row in zip(v, rows, strict=True))
    assert after(function, values, v).tolist() == pytest.approx(total.tolist(), abs=1e-9)


def nudged(function, tensor, place, nudge=1e-5):
    """How fast the number that a function returns changes with one element of a tensor."""
    ends = []
    for step in (nudge, -nudge):
        other = tensor.detach().clone()
        other[place] += step
        ends.append(function(other).item())
    return (ends[0] - ends[1]) / (2 * nudge)


def random_matrix(rng, rows, columns):
    return torch.tensor([[rng.uniform(-2., 2.) for _ in range(columns)] for _ in range(rows)],
                        dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("seed", range(15))
def test_a_matrix_product_sends_two_matrix_products(seed):
    rng = random.Random(seed)
    m, n, k = (rng.randint(1, 4) for _ in range(3))
    X, W = random_matrix(rng, m, n), random_matrix(rng, n, k)
    Y, g = X @ W, random_matrix(rng, m, k)
    sent = [message.tolist() for message in Y.grad_fn(g)]
    for message, want in zip(sent, (g @ W.T, X.T @ g), strict=True):
        assert message == [pytest.approx(row) for row in want.tolist()]
    row, column = rng.randrange(m), rng.randrange(n)
    slope = nudged(lambda X: (X @ W * g).sum(), X, (row, column))
    assert sent[0][row][column] == pytest.approx(slope, abs=1e-6)
    row, column = rng.randrange(n), rng.randrange(k)
    slope = nudged(lambda W: (X @ W * g).sum(), W, (row, column))
    assert sent[1][row][column] == pytest.approx(slope, abs=1e-6)


SHAPES = [((), (3,)), ((3,), (2, 3)), ((1, 3), (2, 3)), ((2, 1), (2, 3)), ((2, 1), (1, 3)), ((1,), (4, 2, 3)),
          ((2, 3), (4, 1, 3)), ((3,), (3,))]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("kind", "+*-")
@CHAPTER.says("If broadcasting repeats an element, the pass adds up the messages that its repetitions "
              "receive. The result has the shape of the tensor before broadcasting.")
def test_a_repeated_element_receives_a_sum(shapes, kind):
    torch.manual_seed(0)
    first, second = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    operation = {"+": torch.add, "*": torch.mul, "-": torch.sub}[kind]
    g = torch.randn(*operation(first, second).shape, dtype=torch.float64)
    operation(first, second).backward(g)
    wide = [one.detach().expand(g.shape).clone().requires_grad_() for one in (first, second)]
    operation(*wide).backward(g)
    for one, repeated in zip((first, second), wide, strict=True):
        total = repeated.grad
        while total.dim() > one.dim():
            total = total.sum(0)
        for at, size in enumerate(one.shape):
            if size == 1:
                total = total.sum(at, keepdim=True)
        assert one.grad.shape == one.shape
        assert torch.allclose(one.grad, total)


def test_the_next_chapter_begins_where_this_one_ends():
    w, v, x = torch.tensor(2., requires_grad=True), torch.ones(3), torch.tensor([1., 2., 3.])
    losses, sums = (w * x - 1) ** 2, w + x
    losses.backward(v)
    with pytest.raises(RuntimeError, match="second time"):
        losses.backward(v)
    sums.backward(v)
    sums.backward(v)
