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
from ...classroom.reading import Misread
from ...classroom.saying import NUMBER_WORDS, kind_of

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
    ), told="built earlier|recorded earlier|names play no part|original leaf",
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
    ), told="only if it ran|of its own|Each result|depended on the numbers",
       explains="The norms in the loop add no node that can be reached; 3.3 says more.",
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
    ), paper="`double_up(x)` computes `y = x * 2`, then `y = y * 2` again and again while `y` is less than "
             "1000, and returns `y`. `one` is `double_up(near)`, and `two` is `double_up(far)`. The leaf "
             "`near` is 400, the leaf `far` is 100, and both drawers are empty. What do `near.grad` and "
             "`far.grad` hold after `one.backward()` and `two.backward()`?",
             told=r"4 times|16 times|\b4 and 16\b",
             mark="2",
             explains="The condition of the loop decided which operations ran, and the pass follows those. A "
             "norm is recorded, too (`True`), but no edge leads from a result of `double_up` to its node.",
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


def counted(start: float) -> list:
    """3c: nodes and edges of three graphs."""
    p, q, r, x = (torch.tensor(number, requires_grad=True) for number in (3., 0.5, 7., start))
    return [list(count(result)) for result in (p * q + p * r + p, p * p + p, double_up(x))]


class Pairs(Exercise):
    """3c: an exercise whose answer is three pairs."""

    def look(self, answer, numbers) -> list[Part]:
        try:
            parts = super().look(answer, numbers)
        except Misread:
            raise Misread("Your answer should be 3 pairs: `[(nodes, edges), (nodes, edges), (nodes, edges)]`."
                          ) from None
        return [Part(part.name, part.got, part.want, pair_problem(self.quantities[part.name], part.got))
                for part in parts]


def pair_problem(phrase: str, pair) -> str:
    """Say what is wrong with the form of a pair; empty: nothing."""
    numbers = pair if isinstance(pair, list) else [pair]
    if any(isinstance(number, str) and number.strip().lower() in NUMBER_WORDS for number in numbers):
        return f"Write {phrase} in digits."
    if pair is not None and len(numbers) != 2:
        return f"Write two numbers, nodes and edges, as {phrase}."
    return ""


def swapped_pairs(start: float) -> list:
    """Return the counts with the edges first."""
    return [[edges, nodes] for nodes, edges in counted(start)]


def with_another(start: float) -> list:
    """Return the counts with one more multiplication in `double_up`."""
    nodes, edges = counted(start)[2]
    return [*counted(start)[:2], [nodes + 1, edges + 1]]


def with_each_use(start: float) -> list:
    """Return the counts with an AccumulateGrad node for each use of a leaf."""
    return [[9, 8], [5, 4], counted(start)[2]]


def with_constants(start: float) -> list:
    """Return the counts with an edge to each 2 in `double_up`."""
    nodes, edges = counted(start)[2]
    return [*counted(start)[:2], [nodes, 2 * edges]]


def without_first(start: float) -> list:
    """Return the counts without the first line of `double_up`."""
    nodes, edges = counted(start)[2]
    return [*counted(start)[:2], [nodes - 1, edges - 1]]


def forgotten(nodes: int, edges: int):
    """Return a wrong answer whose slip is in the first pair alone."""
    return lambda start: [[nodes, edges], *counted(start)[1:]]


def without_leaves(start: float) -> list:
    leaves = (3, 1, 1)
    return [[nodes - less, edges] for (nodes, edges), less in zip(counted(start), leaves, strict=True)]


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
    Pairs("3c", "Nodes and edges", {line: f"the pair for `{line}`" for line in (
                 "p*q + p*r + p", "p * p + p", "double_up(x)")}, expected=counted, standard=1.,
             draw=lambda rng: float(rng.randint(2, 480)),
             why="Now you can tell from code how large its graph becomes, and notice a loop that makes it "
             "grow with each iteration.",
             paper="How many nodes and how many edges do the graphs of these three results have? `p`, `q`, "
             "`r` and `x` are leaves that require gradients. `double_up` is the function of 3.2; your sheet "
             "gives the value of `x`. Write the number of nodes first. Count the AccumulateGrad nodes as "
             "well.",
             hints=("Each leaf has one AccumulateGrad node, however often it is used.",
                    "Each use of a leaf or of a result is one edge. The 2 in `x * 2` has none."),
             wrong=(Wrong(with_each_use, None, "Two uses of a leaf lead to the same AccumulateGrad node."),
                    Wrong(lambda start: [counted(start)[0], [3, 3], counted(start)[2]], None,
                          "`p` is used three times in `p * p + p`, and each use is an edge."),
                    Wrong(lambda start: [counted(start)[0], [4, 4], counted(start)[2]], None,
                          "Two operations and one leaf have nodes: `p` has one AccumulateGrad, although it "
                          "is used three times."),
                    Wrong(swapped_pairs, None, "Write the nodes first, then the edges."),
                    Wrong(with_another, None, "The loop stops as soon as `y` is 1000 or more."),
                    Wrong(forgotten(7, 7), None, "`p` is used three times, and each use is an edge. Each of "
                          "the four operations has two inputs."),
                    Wrong(forgotten(6, 7), None, "Two products and two additions are four operations, so "
                          "there are four nodes and those of the three leaves. Each of the four has two "
                          "edges."),
                    Wrong(forgotten(8, 7), None, "`p` has one AccumulateGrad, although it is used three "
                          "times, and each of its uses is an edge."),
                    Wrong(with_constants, None, "No edge leads to the 2 in `x * 2` or `y * 2`."),
                    Wrong(without_first, None, "The line `y = x * 2` runs once before the loop, and is "
                          "recorded, too."),
                    Wrong(without_leaves, None, "The AccumulateGrad of each leaf is a node as well."))),
)
