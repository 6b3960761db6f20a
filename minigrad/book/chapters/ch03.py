"""Chapter 3, "What did my line record?": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator

import minigrad as torch

from ..claims import claim
from ..exercises import Exercise, Part, Wrong
from ..labs.expression import count
from ..questions import Option, Question
from ..saying import kind_of

QUESTIONS = (
    Question("3.1", "`a` is 3 when the line `s = a * a` runs. Then the name `a` is given to another tensor, "
             "10. Then `s.backward()`. What are `s`, and the slope of the old `a`?", (
        Option("9 and 6: the line was recorded when it ran", None, "What ran, ran with 3."),
        Option("100 and 20: `s` is computed anew, as in a spreadsheet", "M08",
               "The record holds tensors, not names."),
        Option("9 and 20: the graph is built when `backward()` is called", "M07",
               "The record was there before; the print before `backward()` shows it."),
    )),
    Question("3.2", "`p` is `[3, 5]`, and two edges lead from `p * p` to it. Ones come in. What does "
             "`MulBackward0` send to `p`?", (
        Option("`[6, 10]`, once: the slope of p²", "M31",
               "What is recorded is a multiplication of two inputs, not a square."),
        Option("`[3, 5]`, once: a second message would overwrite the first", "M06",
               "There are two uses, and each sends a message of its own; the drawer adds."),
        Option("`[3, 5]`, twice: once along each edge", None, "Two messages, added up in the drawer."),
    ), paper="`p` is `[3, 5]`, and `p * p` was recorded. Ones come in. What does `MulBackward0` send to "
             "`p`?"),
    Question("3.3", "`y = x + 2` was recorded. Then `x.requires_grad_(False)`. "
             "What does `y.requires_grad` say?", (
        Option("`False`: it follows `x`", "M08",
               "`y` was recorded when its line ran, and nothing runs again."),
        Option("`True`", None, "The record of `y` stands; only later lines go unrecorded."),
        Option("an error: `y` has lost its leaf", "M40", "Nothing was destroyed: the node still knows `x`."),
    )),
)


def three() -> list:
    p, q, r = (torch.tensor(numbers, requires_grad=True) for numbers in ([3., 5.], [0.5, 4.], [7., 6.]))
    return [(p * q + p * r).sum(), p * p, p ** 2]


def counted(_=None) -> list:
    return [list(count(result)) for result in three()]


def drawn(node) -> list:
    """A graph as (name, places of its inputs in this list) per node: a tensor used twice is one place."""
    nodes = [node]
    for at in nodes:
        nodes += [after for after, _ in at.next_functions if after is not None and after not in nodes]
    return [[at.name(), [nodes.index(after) for after, _ in at.next_functions if after is not None]]
            for at in nodes]


def wanted():
    """The last node of the picture of 3c."""
    p, q = leaf_pair()
    return ((p * q).exp() - p).grad_fn


def redrawn(answer, _):
    """3c: a tensor with the graph of the picture, whatever its numbers."""
    node = getattr(answer, "grad_fn", None)
    if node is None:
        yield Part("line", False, True, "Put the tensor that your line makes into `answer_3c`; "
                   f"{kind_of(answer)} has no graph.")
        return
    yield Part("line", drawn(node), drawn(wanted()), f"Your line ends in `{node.name()}`, and its graph has "
               f"{len(drawn(node))} nodes. The picture shows another graph.")


def recorded(witness, _, torch) -> Iterator[Part]:
    """3a: the witness returns a node (or a tensor that has one) behind which no pass has run."""
    returned = witness()
    node = getattr(returned, "grad_fn", returned)
    if not hasattr(node, "next_functions"):
        text = isinstance(returned, str)
        yield Part("witness", False, True, f"Your witness returned {kind_of(returned)}. Let it return the "
                   f"node itself, the `grad_fn` of a result{', not its name' if text else ''}.")
        return
    nodes = [node]
    for at in nodes:
        nodes += [after for after, _ in at.next_functions if after is not None and after not in nodes]
    drawers = [at.variable for at in nodes if hasattr(at, "variable")]
    yield Part("witness", len(nodes) > 1, True, "Return the node of an operation: the `grad_fn` of a result.")
    yield Part("witness", any(leaf.grad is not None for leaf in drawers), False,
               "A backward pass has already filled a drawer behind this node. Show one without any pass.")


def double_up(start: float):
    x = torch.tensor(start, requires_grad=True)
    y = x * 2
    while y.norm() < 1000:
        y = y * 2
    y.backward()
    return [count(y)[0], x.grad.item()]


def leaf_pair():
    return torch.tensor([3., 5.], requires_grad=True), torch.tensor([0.5, 4.], requires_grad=True)


EXERCISES = (
    claim("3a", "The graph is there before backward() is called", "", recorded, lambda _: "a node",
          verdict="true", belief="M07",
          paper="A course in wide use says: \"we build the graph when we call `.backward()`\". A colleague "
          "says: \"It is there before.\" Is the colleague right? Your verdict, and a witness: "
          "lines that show a node of a graph, without any backward pass.",
          hints=("Who made the note that `print(y)` shows?",
                 "Multiply two tensors that require gradients, and return `.grad_fn`: no `backward`.")),
    Exercise("3b", "Nodes and edges", {line: f"the pair for `{line}`" for line in (
                 "(p*q + p*r).sum()", "p * p", "p ** 2")}, expected=counted,
             paper="How many nodes and how many edges have these three? All three tensors ask for slopes. "
             "Write two numbers for each; the `AccumulateGrad` of a leaf is a node, too.",
             hints=("Each leaf has one `AccumulateGrad`, and that is a node.",
                    "Each use of a tensor is an edge: `p` is used twice in the first two."),
             wrong=(Wrong(lambda _: [counted()[0], [2, 1], [2, 1]], "M06",
                          "`p * p` uses `p` twice, and each use is an edge."),
                    Wrong(lambda _: [[4, 7], [1, 2], [1, 1]], None,
                          "The `AccumulateGrad` of each leaf is a node, too."))),
    Exercise("3c", "One line that records the graph of the picture", judge=redrawn,
             example=lambda _: (lambda p, q: (p * q).exp() - p)(*leaf_pair()),
             paper="Write one line with `p` and `q` that records the graph of this picture.",
             hints=("Start on the right: the last operation is a subtraction.",
                    "Its first input is an `exp` of a product; its second is `p` itself."),
             wrong=(Wrong(lambda _: (lambda p, q: (p * q - p).exp())(*leaf_pair()), None,
                          "Which operation is the last one in the picture?",
                          fits=lambda answer: answer.grad_fn.name() != wanted().name()),
                    Wrong(lambda _: (lambda p, q: (p * q).exp() - q)(*leaf_pair()), None,
                          "Look where the second edge of the subtraction leads.",
                          fits=lambda answer: len(drawn(answer.grad_fn)) == len(drawn(wanted()))))),
    Exercise("3d", "Two runs of one loop", {"the first start": "the pair for the first start",
                                            "the second start": "the pair for the second start"},
             paper="`x` is a leaf. Then `y = x * 2`, then `y = y * 2` again and again while `y` is less than "
             "1000, then `y.backward()`. For each of your sheet's two starts of `x`: how many nodes has the "
             "graph, and what is the slope? Two numbers for each.",
             expected=lambda starts: [double_up(start) for start in starts], standard=(1., 400.),
             draw=lambda rng: (float(rng.randint(2, 9)), float(rng.randint(110, 480))),
             hints=("Count the doublings until 1000 is reached: one multiplication each.",
                    "One node is the `AccumulateGrad`; the slope is 2 for each doubling, multiplied."),
             wrong=(Wrong(lambda starts: [double_up(starts[0])] * 2, "M08",
                          "The loop runs fewer times from this start, and fewer operations are recorded."),
                    Wrong(lambda starts: [[double_up(start)[0] - 1, double_up(start)[1]] for start in starts],
                          None, "Count the `AccumulateGrad`, too."))),
)
