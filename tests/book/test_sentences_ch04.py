"""Chapter 4: its rules on random programs, its pictures, and what 4a says to right messages."""
import random
import re

import pytest

import minigrad as torch
from minigrad.book import draw_messages, draw_nudges
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.labs import forward_nudge
from minigrad.book.content.chapters import exercise
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(4)


def leaf(value):
    return torch.tensor(value, requires_grad=True)


OPERATIONS = {  # each with its local derivatives by nudging: two inputs, even where only the first one counts
    "a + b": lambda a, b: a + b, "a - b": lambda a, b: a - b, "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b, "a ** b": lambda a, b: a ** b, "max": torch.maximum,
    "sin": lambda a, b: a.sin(), "exp": lambda a, b: a.exp(), "log": lambda a, b: a.log(),
}


@pytest.mark.parametrize("name", OPERATIONS)
@CHAPTER.says("With single numbers, a node sends along each edge the sum of the messages it received, times "
              "its local derivative for that input.")
def test_a_node_sends_the_message_times_its_local_derivative(name):
    rng, operation = random.Random(name), OPERATIONS[name]
    for _ in range(20):
        values = [rng.uniform(0.5, 2.) for _ in "ab"]
        message, nudge = rng.uniform(-3., 3.), 1e-6
        leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
        sent = operation(*leaves).grad_fn(torch.tensor(message, dtype=torch.float64))
        for at, one in enumerate(sent if isinstance(sent, tuple) else (sent,)):
            ends = []
            for step in (nudge, -nudge):
                moved = [torch.tensor(value + step * (at == place), dtype=torch.float64)
                         for place, value in enumerate(values)]
                ends.append(operation(*moved).item())
            slope = (ends[0] - ends[1]) / (2 * nudge)
            assert one.item() == pytest.approx(message * slope, rel=1e-5, abs=1e-6)


def random_graph(rng):
    """Leaves, and a scalar of sums and products in which many results are used several times."""
    leaves = [leaf(rng.uniform(-1.5, 1.5)) for _ in range(3)]
    made = list(leaves)
    for _ in range(rng.randint(3, 12)):
        first, second = rng.choice(made), rng.choice(made[-4:])
        made.append(first + second if rng.random() < 0.5 else first * second)
    return leaves, made[-1]


def senders(root):
    """Each node that a pass reaches, and the nodes with an edge to it, one entry for each edge."""
    found = {root: []}
    todo = [root]
    for node in todo:
        for child, _ in node.next_functions:
            if child not in found:
                found[child] = []
                todo.append(child)
            found[child].append(node)
    return found


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("With single numbers, the gradient of a leaf is a sum over all paths to it; each path adds "
              "the product of its local derivatives.")
def test_a_gradient_is_the_sum_over_paths_of_products_of_local_derivatives(seed):
    leaves, result = random_graph(random.Random(seed))
    local = {node: [sent.item() for sent in node(torch.tensor(1.))]
             for node in senders(result.grad_fn) if node.next_functions}
    sums = {}

    def follow(node, factor):
        if not node.next_functions:
            sums[node.variable] = sums.get(node.variable, 0.) + factor
        for (child, _), derivative in zip(node.next_functions, local.get(node, ()), strict=True):
            follow(child, factor * derivative)

    follow(result.grad_fn, 1.)
    result.backward()
    for one in leaves:
        assert (one.grad is None) == (one not in sums)
        assert one.grad is None or one.grad.item() == pytest.approx(sums[one], rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("a backward pass runs its node at most once, with the sum of all messages that the node "
              "receives.")
def test_a_node_runs_once_after_all_that_send_to_it_with_the_sum(seed):
    _, result = random_graph(random.Random(seed))
    sent_to, order, received, sent = senders(result.grad_fn), [], {}, {}

    def watch(node):
        def ran(outputs, inputs):
            order.append(node)
            received[node] = inputs[0].item()
            for (child, _), one in zip(node.next_functions, outputs, strict=True):
                sent.setdefault(child, []).append(one.item())
        node.register_hook(ran)

    for node in sent_to:
        if node.next_functions:
            watch(node)
    result.backward()
    assert len(order) == len(set(order)) == len(received)
    for at, node in enumerate(order):
        assert {*sent_to[node]} <= {*order[:at]}
        if node is not result.grad_fn:
            assert len(sent[node]) == len(sent_to[node])
            assert received[node] == pytest.approx(sum(sent[node]), rel=1e-4, abs=1e-5)


def test_a_ladder_of_30_steps_has_60_edges():
    """What 4.3 explains: "it sends one message along each edge, 60 for 30 steps"."""
    y = leaf(1.)
    for _ in range(30):
        y = y + y
    assert sum(map(len, senders(y.grad_fn).values())) == 60


@CHAPTER.says("equal units stay equal")
def test_units_that_start_equal_stay_equal():
    units = [[leaf(1.), leaf(1.), leaf(-1.)] for _ in range(2)]
    for _ in range(20):
        loss = sum((sum(v * torch.tanh(w * x + b) for v, w, b in units) - target) ** 2
                   for x, target in ((-1., 2.), (0., 1.), (2., -1.)))
        loss.backward()
        for weight in sum(units, []):
            weight.data = weight.data - 0.02 * weight.grad
            weight.grad = None
    first, second = ([weight.item() for weight in unit] for unit in units)
    assert first == second and first != [1., 1., -1.]


# --- 4a, and the two pictures -------------------------------------------------------------------------------

@pytest.mark.parametrize("change, says", [
    ({"a.grad": 12.}, "a.grad is not 12. Two messages arrive at a, and you have both: add them."),
    ({"a.grad": 12., "to p": 7.}, "The message to p is not 7."),
    ({"a.grad": "minus twelve"}, "Write a.grad in digits"),
    ({"p to a": "three"}, "Write the message from p to a in digits")])
def test_4a_says_what_is_done_with_right_messages(change, says):
    task = exercise("4a")
    assert says in first_wrong(task, {**task.expected(task.standard), **change}, task.standard)


def diamond():
    a, b = leaf(2.), leaf(3.)
    c, d = a + b, a * b
    s, p = c + d, c * d
    y = s + p
    return y, {"a": a, "b": b, "c": c, "d": d, "s": s, "p": p, "y": y}


def fits_the_page(picture):
    return float(re.search(r'width="([\d.]+)pt"', picture.svg)[1]) * 4 / 3 <= 720


def test_the_picture_of_a_nudge_says_how_far_each_number_moves():
    y, names = diamond()
    picture = draw_nudges(y, names["a"], names=names)
    for line in ("d = 6, changes, by 3h, takes n0 [×3] and n1 [×2]", "s = 11, h + 3h, = 4h, takes n2 [×1]",
                 "y = 41, 4h + 21h, = 25h, takes n4 [×1]", "made by n6 [25h]"):
        assert line in picture.text
    assert "made by n6 [19h]" in draw_nudges(y, names["b"], names=names).text and fits_the_page(picture)


def test_the_picture_of_the_messages_says_what_each_edge_carries_and_leaves_the_graph_alone():
    y, names = diamond()
    picture = draw_messages(y, names=names)
    for line in ("a = 2, gradient, 7 + 18 = 25",
                 "d = 6, gradient, 1 + 5 = 6; next functions: n0 [18], n1 [12]",
                 "p = 30; next functions: n2 [6], n3 [5]"):
        assert line in picture.text
    assert names["a"].grad is None and fits_the_page(picture)
    y.backward()
    assert [names["a"].grad.item(), names["b"].grad.item()] == [25., 19.]
    x = leaf(3.)
    assert "next functions: n0 [1], n0 [−1]" in draw_messages(x - x).text      # two edges to one node


def test_the_two_pictures_refuse_what_they_cannot_show():
    freed = leaf(2.) ** 2
    freed.backward()
    for result, says in ((freed, "has freed this graph"), (leaf(2.), "computed from one that requires"),
                         (torch.ones(2, requires_grad=True).sum(), "every result is a single number")):
        with pytest.raises(ValueError, match=says):
            draw_messages(result)
    with pytest.raises(ValueError, match="needs a leaf of this graph"):
        draw_nudges(leaf(2.) * 2, leaf(3.))


def test_the_picture_of_the_slider_fits_the_page_wherever_the_slider_is():
    assert all(fits_the_page(forward_nudge.show({"leaf": name, "h": tenths / 10})[0])
               for name in "ab" for tenths in range(-10, 11))
