"""Chapter 3, "What did my line record?": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator

import minigrad as torch

from ..claims import claim
from ..exercises import Exercise, Part, Wrong
from ..labs.expression import count
from ..questions import Option, Question
from ..saying import kind_of

IDEAS = ("forward pass", "node", "graph", "edge", "AccumulateGrad", "maths view", "engine view",
         "`next_functions`")

QUESTIONS = (
    Question("3.1", "`a` is a leaf with the value 6, and the line `s = a * a` runs. Then the name `a` is "
             "given to a new leaf with the value 5. Then `s.backward()` runs. What is `s`, and what gradient "
             "does the first leaf get?", (
        Option("`s` is 25, and the gradient is 10", "M08",
               "`s` was computed once, from the leaf 6, and is never computed again."),
        Option("`s` is 36, and the gradient is 12", None,
               "The multiplication was recorded when its line ran, with the leaf 6 as its input."),
        Option("`s` is 36, and the gradient is 10", "M07",
               "The graph was already there when the name `a` was given to another leaf."),
    ), told="built earlier|while your lines"),
    Question("3.2", "`double_up` is called with the leaf 400 and with the leaf 100. How many nodes do the "
             "graphs of the two results have?", (
        Option("3 and 5: each multiplication adds a node", None,
               "400 is doubled twice and 100 four times, and each leaf has an AccumulateGrad node."),
        Option("3 and 3: each line with `* 2` adds a node", "M08",
               "A line that runs several times is recorded several times."),
        Option("3 and 8: both calls add to one graph", "M48",
               "The two calls start from different leaves, so no edge leads from the nodes of one call to "
               "those of the other."),
    ), told="only if it ran|of its own|Each result"),
    Question("3.3", "`hits = ((guess - wanted).abs() < 1).float().mean()` is the share of the nine points "
             "that are hits. What does `hits.backward()` do?", (
        Option("It adds a gradient to `w.grad`, as `hits` depends on `w`", "M50",
               "A comparison gives truth values, and nothing is recorded for them."),
        Option("It adds zero to `w.grad`, as tiny nudges change no hit", "M50",
               "Zero would be right for most values of `w`; but the comparison was not recorded, so no pass "
               "can compute it."),
        Option("It raises an error, as no edges lead from `hits` to `w`", None,
               "The comparison was not recorded, so `hits` has no node at all."),
    ), paper="`guess = w * x + b`, computed from the leaves `w` and `b`, should be close to nine wanted "
             "numbers. `hits = ((guess - wanted).abs() < 1).float().mean()` is the share of the guesses "
             "that differ from the wanted number by less than 1. What does `hits.backward()` do?",
             told="truth values|no operation was recorded|has no node"),
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


def values(node) -> list:
    """Return the values of the leaves behind a node, in the order of `behind`."""
    return [at.variable.tolist() for at in behind(node) if hasattr(at, "variable")]


def squared():
    """Return the last node of the graph that has the values of 3b, and a power in the place of a product."""
    p, q = leaf_pair()
    return ((p ** 2).exp() - q).grad_fn


def redrawn(answer, _):
    """3b: a tensor with the graph of the picture, whatever its numbers."""
    node = getattr(answer, "grad_fn", None)
    if node is None:
        if isinstance(answer, str):
            says = "Put the tensor that your line makes into `answer_3b`: write the line without quotes."
        elif hasattr(answer, "next_functions"):
            says = "Put the tensor that your line makes into `answer_3b`, not the node in its `grad_fn`."
        else:
            says = f"Put the tensor that your line makes into `answer_3b`; {kind_of(answer)} has no graph."
        yield Part("line", False, True, says)
        return
    ending = "" if node.name() == wanted().name() else f"Your line ends in `{node.name()}`. "
    yield Part("line", drawn(node), drawn(wanted()), f"{ending}The picture shows another graph.")
    yield Part("line", values(node) == values(wanted())[::-1], False,
               "Your graph has the shape of the picture, with `p` and `q` the other way round.")


def recorded(witness, _, torch) -> Iterator[Part]:
    """3a: the witness returns a node (or a tensor that has one) behind which no pass has run."""
    if hasattr(witness, "next_functions"):  # a node can be called, too
        yield Part("witness", False, True, "Your witness is a node. Write a function that returns this "
                   "node, and give the function's name without `()`.")
        return
    returned = witness()
    node = getattr(returned, "grad_fn", returned)
    if not hasattr(node, "next_functions"):
        text = isinstance(returned, str)
        yield Part("witness", False, True, f"Your witness returned {kind_of(returned)}. Let it return the "
                   f"node itself, the `grad_fn` of a result{', not its name' if text else ''}.")
        return
    nodes = behind(node)
    drawers = [at.variable for at in nodes if hasattr(at, "variable")]
    yield Part("witness", len(nodes) > 1, True, "Return the node of an operation: the `grad_fn` of a result.")
    yield Part("witness", any(leaf.grad is not None for leaf in drawers), False,
               "A backward pass has already filled a drawer behind this node. Start from leaves "
               "with empty drawers, and don't call `backward()`.")


def double_up(x):
    y = x * 2
    while y.norm() < 1000:
        y = y * 2
    return y


def counted(start: float) -> list:
    """3c: nodes and edges of three graphs."""
    p, q, r, x = (torch.tensor(number, requires_grad=True) for number in (3., 0.5, 7., start))
    return [list(count(result)) for result in (p * q + p * r + p, p * p + p, double_up(x))]


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


def without_leaves(start: float) -> list:
    leaves = (3, 1, 1)
    return [[nodes - less, edges] for (nodes, edges), less in zip(counted(start), leaves, strict=True)]


EXERCISES = (
    claim("3a", "The graph exists before backward() is called", "", recorded,
          lambda _: "the `grad_fn` of a result, before any pass",
          verdict="true", belief="M07",
          paper="A widely used course says: \"we build the graph when we call `.backward()`\". A colleague "
          "says: \"The graph already exists by then.\" Is the colleague right? Give your verdict and a "
          "witness: lines that show a node of a graph before any backward pass.",
          hints=("`print(loss)` shows `grad_fn=<MeanBackward0>`. What kind of object is that?",
                 "Multiply two tensors that require gradients, and return the `.grad_fn` of the product.")),
    Exercise("3b", "One line that records the graph of the picture", judge=redrawn,
             example=lambda _: (lambda p, q: (p * p).exp() - q)(*leaf_pair()),
             paper="This picture shows how a tensor is computed from `p` and `q`. Write the line of code.",
             hints=("Start on the right: the last operation is a subtraction.",
                    "The first input of the subtraction is the result of `exp`. How many edges lead away "
                    "from the node to the left of `ExpBackward0`?"),
             wrong=(Wrong(lambda _: (lambda p, q: (p ** 2).exp() - q)(*leaf_pair()), None,
                          "In the picture two edges lead to the AccumulateGrad of `p`: the product has two "
                          "inputs.",
                          fits=lambda answer: drawn(answer.grad_fn) == drawn(squared())),
                    Wrong(lambda _: (lambda p, q: (p * p - q).exp())(*leaf_pair()), None,
                          "Which operation is the last one in the picture?",
                          fits=lambda answer: answer.grad_fn.name() != wanted().name()),
                    Wrong(lambda _: (lambda p, q: (p * q).exp() - p)(*leaf_pair()), None,
                          "Which leaf's AccumulateGrad does each edge lead to?",
                          fits=lambda answer: names(answer.grad_fn) == names(wanted())),
                    Wrong(lambda _: (lambda p, q: p * p.exp() - q)(*leaf_pair()), None,
                          "Follow the edges from right to left. Which node does each one lead to?",
                          fits=lambda answer: answer.grad_fn.name() == wanted().name()))),
    Exercise("3c", "Nodes and edges", {line: f"the pair for `{line}`" for line in (
                 "p*q + p*r + p", "p * p + p", "double_up(x)")}, expected=counted, standard=1.,
             draw=lambda rng: float(rng.randint(2, 480)),
             paper="How many nodes and how many edges do the graphs of these three results have? `p`, `q`, "
             "`r` and `x` are leaves that require gradients. `double_up(x)` computes `y = x * 2`, and then "
             "`y = y * 2` again and again while `y` is less than 1000; your sheet gives the value of `x`. "
             "Write two numbers for each result, and count the AccumulateGrad nodes as well.",
             hints=("Each leaf has one AccumulateGrad node, however often it is used.",
                    "Each use of a leaf or of a result is one edge. The 2 in `x * 2` has none."),
             wrong=(Wrong(with_each_use, None, "Two uses of a leaf lead to the same AccumulateGrad node."),
                    Wrong(lambda start: [counted(start)[0], [3, 3], counted(start)[2]], None,
                          "`p` is used three times in `p * p + p`, and each use is an edge."),
                    Wrong(with_constants, None, "No edge leads to the 2 in `x * 2` or `y * 2`."),
                    Wrong(without_first, None, "The line `y = x * 2` runs once before the loop, and is "
                          "recorded, too."),
                    Wrong(without_leaves, None, "The AccumulateGrad of each leaf is a node as well."))),
)
