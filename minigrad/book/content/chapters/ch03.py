"""Chapter 3, "What did my line record?": its questions and exercises."""
from __future__ import annotations

import minigrad as torch

from ....viz import draw
from ...classroom.deciding import judged
from ...classroom.deciding import numbers as numbers_in
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.labs.expression import count
from ...classroom.notes import Note
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.saying import kind_of

IDEAS = ("forward pass", "node", "graph", "edge", "AccumulateGrad", "maths view", "engine view",
         "`next_functions`")


def double_up(x):
    y = x * 2
    while y.norm() < 1000:
        y = y * 2
    return y


def loss_and_weight(value: float):
    """Return the loss of the nine points with this weight, the leaf, and the guesses."""
    inputs, targets = points()
    x, target = torch.tensor(inputs), torch.tensor(targets)
    w = torch.tensor(value, requires_grad=True)
    guess = w * x + torch.tensor(0., requires_grad=True)
    return ((guess - target) ** 2).mean(), w, guess, target


def leaf_and_value(printed: str) -> str:
    """3.1: which of the two drawers was filled, and the weight whose gradient this is."""
    first, second = printed.split()[:2]
    leaf, drawer = ("first", first) if second == "None" else ("second", second)
    for value in 1., 2.:
        loss, w, *_ = loss_and_weight(value)
        loss.backward()
        if str(w.grad) == drawer:
            return f"The {leaf} leaf; its gradient is computed at {value:.0f}"
    return "another gradient"


def what_a_pass_from_hits_does(_: str) -> str:
    """3.4: run it."""
    _, w, guess, target = loss_and_weight(1.)
    try:
        ((guess - target).abs() < 1).float().mean().backward()
    except RuntimeError:
        return "raises"
    return "adds a gradient" if w.grad else "adds zero"


QUESTIONS = (
    Question("3.1", "`loss` is computed from the leaf `w`, whose value is 1. Then another leaf, with the "
             "value 2, gets the name `w`, and `loss.backward()` runs. Which leaf gets a gradient, and at "
             "which value of the weight is this gradient computed?", (
        Option("The second leaf; its gradient is computed at 2", "M07",
               "`loss` was computed before the second leaf existed, and has no link to it."),
        Option("The first leaf; its gradient is computed at 1", None,
               "`loss` was computed from the first leaf, when its value was 1."),
        Option("The first leaf; its gradient is computed at 2", "M08",
               "`loss` was computed once, with the value 1, and is never computed again."),
    ), told="built earlier|recorded earlier|names play no part|original leaf|names don't matter",
       explains="Variable names don't matter. −1.6278 is the gradient at 1, as in chapter 1. The "
                "last line is the gradient at 2, from a loss that was computed anew.",
       decided=leaf_and_value),
    Question("3.2", "`one` is `double_up(near)`, and `two` is `double_up(far)`. The leaf `near` is 400, and "
             "the leaf `far` is 100. How many nodes can you reach from `one.grad_fn`, counting that node "
             "itself, and how many from `two.grad_fn`?", (
        Option("3 and 5: each multiplication adds a node", None,
               "400 is doubled twice and 100 four times, and each leaf has an AccumulateGrad node."),
        Option("3 and 3: each line with `* 2` adds a node", "M08",
               "A line that runs several times is recorded several times."),
        Option("3 and 8: both calls add to one graph", "M48",
               "The two calls start from different leaves, so no edge leads from the nodes of one call to "
               "those of the other."),
    ), told="only if it ran|of its own|Each result|depended on the numbers|doubled twice",
       explains="The norms in the loop add no node that can be reached.",
       paper="`double_up(x)` computes `y = x * 2`, then `y = y * 2` again and again while `y` is less than "
             "1000, and returns `y`. `one` is `double_up(near)`, and `two` is `double_up(far)`. The leaf "
             "`near` is 400, and the leaf `far` is 100. How many nodes can you reach along edges from "
             "`one.grad_fn`, counting that node itself, and how many from `two.grad_fn`?",
       decided=lambda _: " and ".join(str(count(double_up(torch.tensor(start, requires_grad=True)))[0])
                                      for start in (400., 100.))),
    Question("3.3", "`one` is `double_up(near)`, and `two` is `double_up(far)`. The leaf `near` is 400, the "
             "leaf `far` is 100, and both drawers are empty. What do `near.grad` and `far.grad` hold after "
             "`one.backward()` and `two.backward()`?", (
        Option("2 and 2: both calls repeat the same line", "M08",
               "The line was recorded each time it ran, and each of its nodes multiplies the gradient by 2."),
        Option("None and None: the loop depends on a comparison", "M50",
               "The pass follows the edges of the multiplications, and doesn't look at the condition."),
        Option("4 and 16: each multiplication that ran counts", None,
               "`one` is 4 times `near`, and `two` is 16 times `far`."),
    ), told=r"4 times|16 times|\b4 and 16\b",
             mark="2",
             explains="The condition of the loop decided which operations ran, and the pass follows those.",
             decided=lambda printed: " and ".join(f"{number:g}" for number in numbers_in(printed))),
    Question("3.4", "`hits = ((guess - target).abs() < 1).float().mean()` is the share of the nine points "
             "that are hits. What does `hits.backward()` do?", (
        Option("It adds a gradient to `w.grad`, as `hits` depends on `w`", "M50",
               "A comparison returns booleans, and no node is recorded for it.", claims="adds a gradient"),
        Option("It adds zero to `w.grad`, as tiny nudges change no hit", "M50",
               "Zero would be right for most values of `w`; but the comparison was not recorded, so no pass "
               "can compute it.", claims="adds zero"),
        Option("It raises an error, as no edges lead from `hits` to `w`", None,
               "The comparison was not recorded, so `hits` has no node, and a pass can't start there.",
               claims="raises"),
    ), paper="`guess = w * x + b`, computed from the leaves `w` and `b`, should be close to nine targets. "
             "`hits = ((guess - target).abs() < 1).float().mean()` is the share of the guesses that differ "
             "from their target by less than 1. What does `hits.backward()` do?",
             mark="2", told="returns booleans|no operation was recorded|has no node|does not have a grad_fn",
             explains="To find a line that wasn't recorded, print the `requires_grad` of each step. Train "
             "with a smooth function, such as `loss`; the price: you train that function, not the share of "
             "hits.",
             decided=what_a_pass_from_hits_does),
)

NOTES = (
    Note("3.n2", "wrong",
         says="`node` is an AccumulateGrad, and `node is p` is False: the leaf `p` is a tensor. The node "
              "holds `p` in its attribute `variable`, and adds gradients to the drawer of `p`. Further on, "
              "the note says that a leaf that requires a gradient *has* this mark, which is right.",
         instead="A leaf that requires a gradient has an AccumulateGrad node.",
         told="is a tensor, which the node holds|holds `p`", rows=("C4",),
         decided=lambda printed: judged("True True" in printed)),
    Note("3.n3", "wrong",
         says="`more` requires a gradient, as the note says. But `t` requires one, too, and five of the six "
              "results that are computed from it don't. A boolean or an integer can't change by a small "
              "amount; `ones_like` uses only the shape of `t`; `detach` returns values without recording. "
              "`round` is recorded: its results are floats.",
         instead="Ask the result itself: `result.requires_grad`.",
         told="five of these six|five of the six|can't change by a small", rows=("B1",),
         decided=lambda printed: judged("False" not in printed)),
)


def behind(node) -> list:
    """Return a node and all nodes that edges lead to from it, each once."""
    nodes = [node]
    for at in nodes:
        for after, _ in at.next_functions:
            if after is not None and after not in nodes:
                nodes.append(after)
    return nodes


def drawn(node) -> list:
    """Return a graph as (name, places of its inputs in this list) per node: a leaf is one place."""
    nodes = behind(node)
    return [[at.name(), [nodes.index(after) for after, _ in at.next_functions if after is not None]]
            for at in nodes]


def names(node) -> list[str]:
    """Return the names of the nodes of a graph, in the order of `behind`."""
    return [at.name() for at in behind(node)]


def leaf_pair():
    return torch.tensor([3., 5.], requires_grad=True), torch.tensor([0.5, 4.], requires_grad=True)


def wanted():
    """Return the last node of the picture of 3b."""
    p, q = leaf_pair()
    return ((p * p).exp() - q).grad_fn


def draw_3b(view: str = "engine"):
    """Return the picture of 3b. It is drawn here, because a cell that draws it would show the answer."""
    p, q = leaf_pair()
    return draw((p * p).exp() - q, view=view, show="-saved", values=False, names={"p": p, "q": q},
                direction="down" if view == "engine" else "auto",
                caption="Which line recorded this graph?")


def values(node) -> list:
    """Return the values of the leaves behind a node, in the order of `behind`."""
    return [at.variable.tolist() for at in behind(node) if hasattr(at, "variable")]


def squared():
    """Return the last node of the graph that has the values of 3b, and a power in the place of a product."""
    p, q = leaf_pair()
    return ((p ** 2).exp() - q).grad_fn


def swapped():
    """Return the last node of the graph in which the subtraction takes its inputs in the other order."""
    p, q = leaf_pair()
    return (q - (p * p).exp()).grad_fn


def redrawn(answer, _):
    """3b: a tensor with the graph of the picture, whatever its numbers."""
    node = getattr(answer, "grad_fn", None)
    if node is None:
        if isinstance(answer, str):
            says = "Put the tensor that your line makes into `answer_3b`: write the line without quotes."
        elif hasattr(answer, "next_functions"):
            says = "Put the tensor that your line makes into `answer_3b`, not the node in its `grad_fn`."
        elif callable(answer):
            says = "Put the tensor that your line makes into `answer_3b`, not a function."
        elif hasattr(answer, "requires_grad"):
            says = "Your tensor has no graph: no operation was recorded for it."
        else:
            says = f"Put the tensor that your line makes into `answer_3b`; {kind_of(answer)} has no graph."
        yield Part("line", False, True, says)
        return
    ending = "" if node.name() == wanted().name() else f"Your line ends in `{node.name()}`. "
    yield Part("line", drawn(node), drawn(wanted()), f"{ending}The picture shows another graph.")
    yield Part("line", values(node) == values(wanted())[::-1], False,
               "Your graph has the shape of the picture, with `p` and `q` the other way round.")


LINES = ("p * q + p", "p * p + q", "(p + q) * p", "p * 2 + q", "p * q + 2")


def walked(node, indent: str = "") -> str:
    """Return what the `walk` of the chapter prints from a node."""
    below = [walked(after, indent + "  ") for after, _ in node.next_functions if after is not None]
    return "\n".join([indent + node.name(), *below])


def node_of(line: str):
    p, q = leaf_pair()
    return eval(line, {"p": p, "q": q}).grad_fn


def walk_of(line: str) -> str:
    return walked(node_of(line))


def on_one_line(node) -> str:
    """Return a walk as it is printed on paper: brackets hold the nodes that edges lead to."""
    below = [on_one_line(after) for after, _ in node.next_functions if after is not None]
    name = node.name().rpartition("::")[2]
    return f"{name} ({', '.join(below)})" if below else name


def can_have_recorded(walk: str) -> set[str]:
    """3c: the lines whose walk is this one."""
    return {line for line in LINES if walk_of(line) == walk}


EXERCISES = (
    Exercise("3b", "One line that records the graph of the picture", judge=redrawn,
             why="Two edges lead to the AccumulateGrad of `p`, because both inputs of `p * p` are `p`. The "
             "node of `p ** 2` has only one edge.",
             example=lambda _: (lambda p, q: (p * p).exp() - q)(*leaf_pair()),
             paper="This picture shows how a tensor is computed from `p` and `q`. Write the line of code.",
             hints=("Start at the bottom: the last operation is a subtraction.",
                    "The first input of the subtraction is the result of `exp`. How many edges lead away "
                    "from the node above `ExpBackward0`?"),
             wrong=(Wrong(lambda _: (lambda p, q: (p ** 2).exp() - q)(*leaf_pair()), None,
                          "In the picture two edges lead to the AccumulateGrad of `p`: the product has two "
                          "inputs.",
                          fits=lambda answer: drawn(answer.grad_fn) == drawn(squared()),
                          paper="`(p ** 2).exp() - q`"),
                    Wrong(lambda _: (lambda p, q: (p * p - q).exp())(*leaf_pair()), None,
                          "Which operation is the last one in the picture?",
                          fits=lambda answer: answer.grad_fn.name() != wanted().name(),
                          paper="`(p * p - q).exp()`"),
                    Wrong(lambda _: (lambda p, q: q - (p * p).exp())(*leaf_pair()), None,
                          "The inputs of the subtraction are swapped.",
                          fits=lambda answer: drawn(answer.grad_fn) == drawn(swapped()),
                          paper="`q - (p * p).exp()`"),
                    Wrong(lambda _: (lambda p, q: (p * p).exp() - q.detach())(*leaf_pair()), None,
                          "In your graph, no edge leads to the AccumulateGrad of `q`.",
                          fits=lambda answer: values(answer.grad_fn) == [leaf_pair()[0].tolist()],
                          paper="`(p * p).exp() - q.detach()`"),
                    Wrong(lambda _: (lambda p, q: (p * q).exp() - p)(*leaf_pair()), None,
                          "Which leaf's AccumulateGrad does each edge lead to?",
                          fits=lambda answer: names(answer.grad_fn) == names(wanted()),
                          paper="`(p * q).exp() - p`"),
                    Wrong(lambda _: (lambda p, q: p * p.exp() - q)(*leaf_pair()), None,
                          "Follow the edges from the last operation. Which node does each one lead to?",
                          fits=lambda answer: answer.grad_fn.name() == wanted().name(),
                          paper="`p * p.exp() - q`"))),
    Exercise("3c", "Which of the five lines can have recorded the graph of a walk?",
             expected=can_have_recorded, choices=LINES, standard=walk_of(LINES[0]),
             why="A walk shows edges, not leaves: two equal lines of it may be one node. `is` tells whether "
             "two nodes are one.",
             paper="`walk` prints the name of a node, and then, in brackets here, does the same for each "
             f"node that its edges lead to: `{on_one_line(node_of(LINES[0]))}`. Which of the five lines can "
             "have recorded this graph? `p` and `q` are leaves that require a gradient. Tick them.",
             hints=("The first line of a walk is the node of the operation that ran last. The lines below "
                    "it, indented once, are where its edges lead.",
                    "One edge of the addition leads to a product, and the other one to a leaf. Does the walk "
                    "say which leaf?"),
             wrong=(Wrong(lambda _: {"p * q + p"}, None,
                          "A walk prints a node once for each edge that leads to it, so two of its lines may "
                          "be the same leaf's AccumulateGrad.", whole=True),
                    Wrong(lambda _: {"p * p + q"}, None,
                          "The two edges of the product may lead to two leaves.", whole=True),
                    Wrong(lambda walk: {*can_have_recorded(walk), "(p + q) * p"}, None,
                          "Its multiplication runs last, so its walk begins with `MulBackward0`."),
                    Wrong(lambda walk: {*can_have_recorded(walk), "p * 2 + q"}, None,
                          "No edge leads to the constant 2, so only one edge leads away from the product."),
                    Wrong(lambda walk: {*can_have_recorded(walk), "p * q + 2"}, None,
                          "No edge leads to the constant 2, so the addition has only one edge."))),
)
