"""Chapter 2, "The grad drawer": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator

import minigrad as torch

from ..claims import claim
from ..comparing import same
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import as_lists
from ..saying import kind_of

QUESTIONS = (
    Question("2.1", "`d.backward()` has put 0.3333 three times into `w1.grad`. You call it a second time. "
             "What is in the drawer then?", (
        Option("0.3333 three times: same question, same answer", "M02",
               "The second message is added to the first, not put in its place."),
        Option("an error: the first call has used up the graph", "M13",
               "A mean keeps nothing that a pass could use up."),
        Option("0.6667 three times: the new message is added to the old one", None,
               "A drawer adds what arrives."),
    )),
    Question("2.2", "`c = a + b`, `d = c.sum()`, `d.backward()`. What is in `c.grad`?", (
        Option("ones: the message to `a` went through `c`", "M36",
               "It went through, and wasn't kept: `c` was made by an operation, and has no drawer."),
        Option("zeros: `c` isn't a leaf", "M04", "Zero would be an answer; nobody keeps one here."),
        Option("the same as `d`: `c.grad` is the slope of `c`", "M03",
               "A drawer holds slopes of the result; and `c` has no drawer."),
        Option("`None`: `c` has no drawer", None, "Only a leaf that asked for slopes has one."),
    )),
    Question("2.3", "You run the last cell, and only that one, twice more. Each run computes a new `value`. "
             "What does the third run print for `v.grad`?", (
        Option("three times as much", None, "Three messages came to one drawer."),
        Option("the same, `[[0.5, 1], [1.5, 2]]`: a new value, a new drawer", "M02",
               "The drawer belongs to `v`, and `v` was made in another cell."),
        Option("an error: `backward()` has been called before", "M13",
               "Each run records a new graph; it is the drawer that is old."),
    ), paper="The last two lines run twice more, the first line doesn't. Each time there is a new `value`. "
             "What is in `v.grad` after the third pass?"),
)


SEVEN = ("x", "x * 0.1", "torch.ones(3) * 0.1", "x.detach()", "x.view(3, 1)", "x * 0.1 under no_grad",
         "x.clone()")


def leaves(_=None) -> list[bool]:
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        unrecorded = x * 0.1
    seven = [x, x * 0.1, torch.ones(3) * 0.1, x.detach(), x.view(3, 1), unrecorded, x.clone()]
    return [t.is_leaf for t in seven]


def small_weights() -> list[float]:
    """What `torch.manual_seed(7); torch.randn(3) * 0.1` gives, without touching anybody's seed."""
    return (torch.randn(3, generator=torch.Generator().manual_seed(7)) * 0.1).tolist()


def repaired(w, _):
    """The repaired w of 2b: a leaf with the old numbers, in whose drawer a slope has arrived."""
    if not hasattr(w, "is_leaf"):
        yield Part("leaf", False, True, f"Put the tensor `w` itself into `answer_2b`; {kind_of(w)} is none.")
        return
    yield Part("leaf", w.is_leaf, True, "Your `w` is not a leaf yet.")
    yield Part("numbers", near(w), True, "The numbers in `w` are not those that it had.")
    arrived = w.grad if w.is_leaf else None
    yield Part("grad", arrived is not None, True,
               "No gradient has arrived: `w.grad` is `None`. Run the last line again, too.")
    yield Part("grad", arrived is None or same(as_lists(arrived), [5., 5., 5.], 1e-3), True,
               f"`w.grad` is {kind_of(arrived)}. One pass through `(w * 5).sum()` gives other numbers.")


def near(w) -> bool:
    """Whether a tensor has the numbers of small_weights()."""
    return same(as_lists(w), small_weights(), 1e-3)


def repair(_=None):
    w = torch.tensor(small_weights(), requires_grad=True)
    (w * 5).sum().backward()
    return w


def unrepaired(_):
    w = torch.tensor(small_weights(), requires_grad=True) * 1
    (w * 5).sum().backward()
    return w


def too_large(_):
    w = (torch.tensor(small_weights()) * 10).requires_grad_()
    (w * 5).sum().backward()
    return w


def no_zero_grad(_=None) -> str:
    loss = torch.ones(2, requires_grad=True).sum()
    try:
        loss.zero_grad()
    except AttributeError as error:
        return str(error)
    return ""


def zeroed(witness, _, torch) -> Iterator[Part]:
    """2c: the witness is given a loss, and then a number, which has no zero_grad either."""
    loss = torch.ones(2, requires_grad=True).sum()
    for given, owner, say in (
            (loss, "'Tensor'", "Call `loss.zero_grad()` inside `try`, and return the text of the error."),
            (5., "'float'", "It should call `.zero_grad()` on whatever it is given, here on 5.0.")):
        returned = witness(given)
        right = f"{owner} object has no attribute 'zero_grad'" in str(returned)
        yield Part("witness", right, True, f"Your witness returned {kind_of(returned)}. {say}")


def drawer_of(numbers) -> list[float]:
    """The first number in w.grad: after `calls` passes, then emptied and once more, then zeroed and twice."""
    w = torch.ones(3, requires_grad=True)
    for _ in range(numbers["calls"]):
        (w * numbers["factor"]).mean().backward()
    found = [w.grad[0].item()]
    w.grad = None
    (w * numbers["factor"]).mean().backward()
    found.append(w.grad[0].item())
    w.grad.zero_()
    for _ in range(2):
        (w * numbers["factor"]).mean().backward()
    return [*found, w.grad[0].item()]


EXERCISES = (
    Exercise("2a", "Which of the seven are leaves?", {line: f"`{line}`" for line in SEVEN}, expected=leaves,
             truths=("`{name}` is not a leaf.", "`{name}` is a leaf."),
             paper="Which of these seven are leaves? Write *true* or *false* for each. (`detach` and "
             "`no_grad` switch recording off, `view` gives another shape, `clone` copies.)",
             hints=("A leaf is a tensor that no recorded operation made. Was it recorded?",
                    "Where nothing is recorded, everything is a leaf: look at 3, 4 and 6."),
             wrong=(Wrong(lambda _: [True] + [False] * 6, None,
                          "A tensor that no recorded operation made is a leaf, however it was made."),
                    Wrong(lambda _: [*leaves()[:4], True, True, False], None,
                          "A view is made by a recorded operation, like any other result."),
                    Wrong(lambda _: [True] * 7, None,
                          "A recorded operation made it, since `x` requires gradients."))),
    Exercise("2b", "Repair w, and keep its numbers", {"leaf": "`w.is_leaf`", "numbers": "the numbers in `w`",
                                                      "grad": "`w.grad`"}, judge=repaired, example=repair,
             paper="Somebody wants small random weights, and gets no gradient: `w.grad` is `None` after the "
             "last line. Write the lines so that a gradient arrives, and `w` has the same numbers.",
             hints=("Why is `w` not a leaf? Look at the operation in its line.",
                    "Ask for slopes after the multiplication: `.requires_grad_()` comes last."),
             wrong=(Wrong(unrepaired, None, "Its numbers are right, but an operation made it, so no gradient "
                          "is kept in `w.grad`.", fits=lambda w: not w.is_leaf and near(w)),
                    Wrong(too_large, None, "The numbers should stay small: multiply by 0.1.",
                          fits=lambda w: near(w * 0.1)))),
    claim("2c", "Empty the drawers with loss.zero_grad()", "loss", zeroed, no_zero_grad, belief="M39",
          paper="A course in wide use advises: \"call `.zero_grad()` on the loss\". True or false? Say what "
          "happens if you do, and whose drawers are to be emptied.",
          hints=("Who owns the drawer: the loss, or the weights?",
                 "Call `loss.zero_grad()` inside `try`, and return the text of the `AttributeError`.")),
    Exercise("2d", "The first number in w.grad",
             {"after the first loop": "the number after the first loop",
              "after w.grad = None and one more pass": "the number after `w.grad = None` and one more pass",
              "after w.grad.zero_() and two more": "the number after `w.grad.zero_()` and two more passes"},
             paper="What is the first number in `w.grad` at the three places marked 1, 2 and 3?",
             expected=drawer_of, standard={"calls": 4, "factor": 6.},
             draw=lambda rng: {"calls": rng.randint(3, 6), "factor": float(rng.choice((1.5, 4.5, 7.5, 12.)))},
             hints=("One pass through the mean of three numbers brings `factor / 3`.",
                    "Count the passes since the drawer was last emptied."),
             wrong=(Wrong(lambda numbers: [numbers["factor"] / 3] * 3, "M02",
                          "Each pass adds to what is in `w.grad`."),
                    Wrong(lambda numbers: [numbers["calls"] * numbers["factor"] / 3,
                                           (numbers["calls"] + 1) * numbers["factor"] / 3,
                                           (numbers["calls"] + 3) * numbers["factor"] / 3], None,
                          "Both `None` and `zero_()` empty the drawer, and neither changes the weights."))),
)
