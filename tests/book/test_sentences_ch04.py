"""Chapter 4: the sentences that reviews found false, each with the program that refutes it, and its rules."""
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


def sum_passed_on():
    c, b = leaf(5.), leaf(3.)
    return [sent.item() for sent in (c * b).grad_fn(torch.tensor(6.))]


def product_with_another_message():
    p, s = leaf(20.), leaf(9.)
    return [sent.item() for sent in (p * s).grad_fn(torch.tensor(4.))]


def edges_of_a_square():
    p = torch.tensor([3., 5.], requires_grad=True)
    return [sent.tolist() for sent in (p * p).grad_fn(torch.ones(2))]


def last_message_kept():
    x = leaf(3.)
    y = x * x
    *_, drawer = y.grad_fn(torch.tensor(1.))
    y.backward()
    return drawer.item(), x.grad.item()


def second_way_to_the_gradient():
    x = leaf(3.)
    gradient, = torch.autograd.grad(x * x, [x])
    return gradient.item(), x.grad


def messages_to_two_results():
    u, v = torch.tensor([2., 3.], requires_grad=True).unbind()
    received = []
    u.grad_fn.register_prehook(lambda messages: received.extend(one.item() for one in messages))
    (u * 5 + v * 7).backward()
    return received


def drawer_of_a_result():
    a = leaf(2.)
    c = a * 2
    c.retain_grad()
    gradient, = torch.autograd.grad(c * 3, [a])
    return gradient.item(), a.grad, c.grad.item()


def message_that_is_a_number():
    x = leaf(3.)
    with pytest.raises(TypeError, match="'float' object is not iterable"):
        (x * x).backward(10.)
    (x * x).backward(torch.tensor(10.))
    return x.grad.item()


def changes_by_a_nudge(h):
    """The changes of c, d, s, p and y when a moves from 2 to 2 + h, per unit of h."""
    def forward(a, b):
        c, d = a + b, a * b
        return c, d, c + d, c * d, c + d + c * d

    return [round((new - old) / h, 2) for old, new in zip(forward(2., 3.), forward(2. + h, 3.), strict=True)]


def pass_to_one_result():
    a, b = leaf(2.), leaf(3.)
    c, d = a + b, a * b
    ran = []
    d.grad_fn.register_hook(lambda outputs, inputs: ran.append("d"))
    gradient, = torch.autograd.grad((c + d) + c * d, [c])
    return gradient.item(), ran


FALSE = {
    "what a node sends on is the sum of its messages": (sum_passed_on, [18., 30.]),
    "a product sends each input the value of the other one": (product_with_another_message, [36., 80.]),
    "one number travels along each edge": (edges_of_a_square, [[3., 5.], [3., 5.]]),
    "self.grad = gradient, and recursion, is an excellent backward": (last_message_kept, (3., 6.)),
    "every way to run a pass fills the drawers": (second_way_to_the_gradient, (6., None)),
    "all messages to a node are added, even if its operation has two results":
        (messages_to_two_results, [5., 7.]),
    "autograd.grad leaves the drawer of a result as it was": (drawer_of_a_result, (6., None, 3.)),
    "every pass sends one message along each edge": (pass_to_one_result, (7., [])),
    "a backward pass waits until all messages to its node have arrived, adds them, and then runs the node "
    "once":
        (pass_to_one_result, (7., [])),
    "a product changes by the product of the changes": (lambda: changes_by_a_nudge(0.001)[3], 21.),
    "each change is exactly the local derivative times h": (lambda: changes_by_a_nudge(0.1)[3], 21.3),
    "the first message can be a Python number": (message_that_is_a_number, 60.),
}


@pytest.mark.parametrize("sentence", FALSE)
def test_a_false_sentence_is_refuted(sentence):
    assert sentence not in CHAPTER
    program, prints = FALSE[sentence]
    assert program() == prints


@pytest.mark.parametrize("seat", [None, *map(str, range(40))])
def test_each_wrong_rule_gives_a_wrong_number_in_4a(seat):
    task = exercise("4a")
    numbers = task.numbers(seat)
    right = task.expected(numbers)
    for wrong in task.wrong:
        given = wrong.answer(numbers)
        assert given != {name: right[name] for name in given}


# --- the rules, on random programs --------------------------------------------------------------------------

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


def over_all_paths(node, message, arrived):
    """Follow every path: each message travels on alone."""
    if not node.next_functions:
        arrived[node] = arrived.get(node, 0.) + message.item()
        return
    for (child, _), one in zip(node.next_functions, node(message), strict=True):
        over_all_paths(child, one.detach(), arrived)


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


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("a backward pass runs its node at most once, with the sum of all messages that the node "
              "receives.")
def test_a_pass_to_some_results_runs_no_node_twice(seed):
    rng = random.Random(seed)
    a, b = leaf(2.), leaf(3.)
    c, d = a + b, a * b
    s, p = c + d, c * d
    results = {"a": a, "b": b, "c": c, "d": d, "s": s, "p": p}
    wanted = rng.sample(sorted(results), rng.randint(1, 3))
    ran = []
    for name, one in results.items():
        if one.grad_fn is not None:
            one.grad_fn.register_hook(lambda outputs, inputs, name=name: ran.append((name, inputs[0].item())))
    torch.autograd.grad(s + p, [results[name] for name in wanted])
    assert len(ran) == len(dict(ran))
    assert dict(ran).items() <= {"s": 1., "p": 1., "c": 7., "d": 6.}.items()


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("a backward pass runs its node at most once, with the sum of all messages that the node "
              "receives.")
def test_a_node_runs_once_after_all_that_send_to_it_with_the_sum(seed):
    leaves, result = random_graph(random.Random(seed))
    sent_to, order, received, sent = senders(result.grad_fn), [], {}, {}
    local = {node: [one.item() for one in node(torch.tensor(1.))] for node in sent_to if node.next_functions}

    def watch(node):
        def ran(outputs, inputs):
            order.append(node)
            received[node] = inputs[0].item()
            for (child, _), one in zip(node.next_functions, outputs, strict=True):
                sent.setdefault(child, []).append(one.item())
            assert [one.item() for one in outputs] == pytest.approx(
                [received[node] * derivative for derivative in local[node]], rel=1e-3, abs=1e-5)
        node.register_hook(ran)

    for node in sent_to:
        if node.next_functions:
            watch(node)
    alone = {}
    over_all_paths(result.grad_fn, torch.tensor(1.), alone)
    order.clear(), received.clear(), sent.clear()
    result.backward()
    assert len(order) == len(set(order)) == len(received)
    for at, node in enumerate(order):
        assert {*sent_to[node]} <= {*order[:at]}
        if node is not result.grad_fn:
            assert len(sent[node]) == len(sent_to[node])
            assert received[node] == pytest.approx(sum(sent[node]), rel=1e-4, abs=1e-5)
    for one in leaves:
        over_paths = [total for node, total in alone.items() if node.variable is one]
        assert (one.grad is None) == (not over_paths)
        assert one.grad is None or one.grad.item() == pytest.approx(over_paths[0], rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("steps", [1, 4, 9])
def test_a_ladder_has_two_edges_a_step_and_a_power_of_two_of_paths(steps):
    x = y = leaf(1.)
    for _ in range(steps):
        y = y + y
    found = senders(y.grad_fn)
    assert len(found) == steps + 1 and sum(map(len, found.values())) == 2 * steps
    y.backward()
    assert x.grad.item() == 2 ** steps


# --- 4b, and the two pictures -------------------------------------------------------------------------------

@pytest.mark.parametrize("change, says", [
    ({"a.grad": 12.}, "a.grad is not 12. Two messages arrive at a, and you have both: add them."),
    ({"a.grad": -4.}, "but two messages arrive at each leaf, and they are added."),
    ({"a.grad": 12., "to p": 7.}, "The message to p is not 7."),
    ({"a.grad": "minus twelve"}, "Write a.grad in digits"),
    ({"to p": "three"}, "Write the message to p in digits"),
    ({"b.grad": None}, "Still missing: b.grad.")])
def test_4a_says_what_is_done_with_right_messages(change, says):
    task = exercise("4a")
    assert says in first_wrong(task, {**task.expected(task.standard), **change}, task.standard)


def diamond():
    a, b = leaf(2.), leaf(3.)
    c, d = a + b, a * b
    s, p = c + d, c * d
    y = s + p
    return y, {"a": a, "b": b, "c": c, "d": d, "s": s, "p": p, "y": y}


def test_the_picture_of_a_nudge_says_how_far_each_number_moves():
    y, names = diamond()
    text = draw_nudges(y, names["a"], names=names).text
    for line in ("d = 6, changes, by 3h, takes n0 [×3] and n1 [×2]", "s = 11, h + 3h, = 4h, takes n2 [×1]",
                 "y = 41, 4h + 21h, = 25h, takes n4 [×1]", "made by n6 [25h]"):
        assert line in text
    assert "made by n6 [19h]" in draw_nudges(y, names["b"], names=names).text


def test_the_picture_of_the_messages_says_what_each_edge_carries_and_leaves_the_graph_alone():
    y, names = diamond()
    text = draw_messages(y, names=names).text
    for line in ("a = 2, gradient, 7 + 18 = 25",
                 "d = 6, gradient, 1 + 5 = 6; next functions: n0 [18], n1 [12]",
                 "p = 30; next functions: n2 [6], n3 [5]"):
        assert line in text
    assert names["a"].grad is None
    y.backward()
    assert [names["a"].grad.item(), names["b"].grad.item()] == [25., 19.]
    with pytest.raises(ValueError, match="has freed this graph"):
        draw_messages(y)


def test_the_two_pictures_refuse_what_they_cannot_show():
    many = torch.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="every result is a single number"):
        draw_messages(many.sum())
    with pytest.raises(ValueError, match="computed from one that requires a gradient"):
        draw_messages(leaf(2.))
    with pytest.raises(ValueError, match="needs a leaf of this graph"):
        draw_nudges(leaf(2.) * 2, leaf(3.))


def test_an_edge_that_is_there_twice_shows_each_of_its_messages():
    x = leaf(3.)
    assert "next functions: n0 [1], n0 [−1]" in draw_messages(x - x).text


@pytest.mark.parametrize("draw", [draw_messages, lambda y, names: draw_nudges(y, names["a"], names=names)])
def test_the_pictures_fit_the_page_of_a_notebook(draw):
    y, names = diamond()
    width = float(re.search(r'width="([\d.]+)pt"', draw(y, names=names).svg)[1])
    assert width * 4 / 3 <= 720


@pytest.mark.parametrize("leaf_name", "ab")
def test_the_picture_of_the_slider_fits_the_page_wherever_the_slider_is(leaf_name):
    for tenths in range(-10, 11):
        picture, _ = forward_nudge.show({"leaf": leaf_name, "h": tenths / 10})
        assert float(re.search(r'width="([\d.]+)pt"', picture.svg)[1]) * 4 / 3 <= 720


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
