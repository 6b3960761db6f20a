"""Chapter 4: the sentences that reviews found false, each with the program that refutes it, and its rules."""
import random

import pytest

import minigrad as torch
from minigrad.book.chapters import exercise
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

OPERATIONS = {  # each with its slopes by nudging: two inputs, even where only the first one counts
    "a + b": lambda a, b: a + b, "a - b": lambda a, b: a - b, "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b, "a ** b": lambda a, b: a ** b, "max": torch.maximum,
    "sin": lambda a, b: a.sin(), "exp": lambda a, b: a.exp(), "log": lambda a, b: a.log(),
}


@pytest.mark.parametrize("name", OPERATIONS)
@CHAPTER.says("its node multiplies the message it receives by its own slope for an input, and sends the "
              "product along that input's edge.")
def test_a_node_sends_the_message_times_its_own_slope(name):
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
    """Nobody waits: every message travels on alone."""
    if not node.next_functions:
        arrived[node] = arrived.get(node, 0.) + message.item()
        return
    for (child, _), one in zip(node.next_functions, node(message), strict=True):
        over_all_paths(child, one.detach(), arrived)


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("a backward pass waits until all messages to its node have arrived, adds them, and then runs "
              "the node once, with their sum.")
def test_a_node_runs_once_after_all_that_send_to_it_with_the_sum(seed):
    leaves, result = random_graph(random.Random(seed))
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
