"""Chapter 4, "Passing messages backwards": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import minigrad as torch

from ...classroom.comparing import same
from ...classroom.deciding import numbers as numbers_in
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.questions import Option, Question
from ...classroom.reading import in_order, is_open, number
from ...classroom.saying import kind_of

IDEAS = ("local derivative", "path", "chain rule", "message", "ready")


def arrivals_at_the_leaf(found: list[float]) -> str:
    """The gradient of a ladder counts its paths, if the messages that the cell counted do so, too."""
    *counted, gradient = found
    if any(messages != 2 ** steps for steps, messages in zip(counted[::2], counted[1::2], strict=True)):
        return "another number"
    return f"{int(gradient):,}".replace(",", " ")


QUESTIONS = (
    Question("4.1", "`c` is 5 and `d` is 6. The nudge of `a` changes `c` by h and `d` by 3h. By how much "
             "does the product `p = c * d` change, if h is small?", (
        Option("4h: the changes of both factors are added together", "M49",
               "4h is the change of the sum `s`. A product multiplies each change on its way."),
        Option("21h: each change is multiplied by the other factor", None,
               "The change of `c` counts 6 times, and the change of `d` counts 5 times."),
        Option("3h²: the changes of both factors are multiplied together", "M98",
               "If only `c` changed by h, `p` would change by 6h. The change of `d` can't take that away."),
    ), told=r"\b21(\.0|\.3)?h?\b|15h|6h",
        decided=lambda printed: f"{numbers_in(printed)[8]:g}h",     # p, with the small h
        explains="If only `c` changed, `p` would change from 5 · 6 to (5 + h) · 6: by 6h. If only `d` "
        "changed, it would change to 5 · (6 + 3h): by 15h. Together this is 21h.\nFor h = 0.1 the cell "
        "prints 21.3: the two changes also add their product, h · 3h = 3h², which is 0.3 per unit of h. It "
        "fades as h gets smaller: with h = 0.001 the cell prints 21.0."),
    Question("4.2", "In a pass from `y`, `s` has run, and its message 1 has arrived at `d`. The node of `d` "
             "runs immediately, with this 1. When the message 5 has arrived from `p`, the node of `d` runs "
             "again, with the sum 6. Every other node waits for all its messages. What does `a.grad` hold "
             "after the pass?", (
        Option("25: the second run of `d` replaces what the first one sent", "M05",
               "What the first run sent has already been added at `a`, and it stays there."),
        Option("26: the early message 1 reaches `a` once more, unchanged", "M49",
               "`d` multiplied the early 1 by its local derivative for `a`, which is `b` = 3."),
        Option("28: the early message 1 reaches `a` once more, times 3", None,
               "The local derivative of `d` for `a` is `b` = 3, so the early run adds 3."),
    ), told=r"\b2[68]\b|runs once|twice\b.*early|too much",
        decided=lambda printed: f"{numbers_in(printed)[0]:g}",
        explains="In its early run, `d` sent 1 · 3 to `a`; in its second run it sent (1 + 5) · 3. So the "
        "first message was counted twice, and `a` received 3 too much.",
        paper="`a` = 2 and `b` = 3 are leaves, `c, d = a + b, a * b`, `s, p = c + d, c * d`, and "
        "`y = s + p`. A node multiplies what it received by its local derivative for each input (for a "
        "factor of a product: the other factor), and sends this to the input. In a pass from `y`, `s` has "
        "run, and its message 1 has arrived at `d`. The node of `d` runs immediately, with this 1. When the "
        "message 5 has arrived from `p`, the node of `d` runs again, with the sum 6. Every other node waits "
        "for all its messages. What does `a.grad` hold after the pass?"),
    Question("4.3", "`top` begins as the leaf `bottom`, and `top = top + top` runs 30 times. In the pass, "
             "no node waits: each message travels on alone. How many messages arrive at the drawer of "
             "`bottom`?", (
        Option("1: the last message takes the place of all others", "M06",
               "Nothing replaces a message: each one that arrives is passed on to both inputs."),
        Option("1 073 741 824: each step turns one message into two", None,
               "Each step doubles the number of messages, and 2³⁰ is about a billion."),
        Option("60: two messages from each of the 30 steps", "M05",
               "Each step sends two messages for every one that it receives: the first step that runs sends "
               "2, the next one 4, then 8."),
    ), told=r"2ⁿ|\b1024\b|billion|doubl|2 \*\* 30",
        decided=lambda printed: arrivals_at_the_leaf(numbers_in(printed)),
        explains="A ladder of n steps has 2ⁿ paths, but only n operations and 2n edges. The engine doesn't "
        "follow each path: it sends one message along each edge, 60 for 30 steps.\nThe last line of the cell "
        "prints a gradient, which is a sum over paths. Every local derivative here is 1, so the product of "
        "each path is 1, and the gradient counts the paths: 2³⁰."),
)

SLACK = 1e-3  # relative, as in other exercises
MESSAGES = ("to p", "to s", "p to a", "p to b", "s to a", "s to b", "a.grad", "b.grad")


def messages(numbers: dict[str, float]) -> dict[str, float]:
    """All messages behind (a * b) * (a + b), from the nodes themselves; the drawers by a pass."""
    a, b = (torch.tensor(numbers[name], requires_grad=True) for name in "ab")
    p, s = a * b, a + b
    y = p * s
    to_p, to_s = y.grad_fn(torch.tensor(1.))
    sent = [to_p, to_s, *p.grad_fn(to_p), *s.grad_fn(to_s)]
    y.backward()
    return dict(zip(MESSAGES, (one.item() for one in (*sent, a.grad, b.grad)), strict=True))


def last_message_only(numbers: dict[str, float]) -> dict[str, float]:
    right = messages(numbers)
    return {**right, "a.grad": right["s to a"], "b.grad": right["s to b"]}


def own_values(numbers: dict[str, float]) -> dict[str, float]:
    """The messages of the two products, if a product sends each input its own value."""
    a, b = numbers["a"], numbers["b"]
    p, s = a * b, a + b
    return {"to p": p, "to s": s, "p to a": p * a, "p to b": p * b}


def own_values_at_p(numbers: dict[str, float]) -> dict[str, float]:
    """The messages from p, if p received the right one, and sent each input its own value."""
    return {f"p to {name}": messages(numbers)["to p"] * numbers[name] for name in "ab"}


def other_values_at_p(numbers: dict[str, float]) -> dict[str, float]:
    """The messages from p, if p sent each input the value of the other one, and ignored its own message."""
    return {"p to a": numbers["b"], "p to b": numbers["a"]}


def messages_by_hand(answer: Any, numbers: dict[str, float]) -> Iterator[Part]:
    """4a: where a gradient alone is wrong, say what is done with the messages, which are right."""
    want, last = messages(numbers), last_message_only(numbers)
    given = in_order(answer, MESSAGES, [*want.values()])
    sent_right = all(same(given[name], want[name], SLACK) for name in MESSAGES[:6])
    for name, got in given.items():
        says = ""
        if isinstance(got, str) and not is_open(got) and number(got) is None:
            says = f"Write {what_it_is(name)} in digits, such as `-12`; {kind_of(got)} isn't a number."
        elif name.endswith(".grad") and sent_right and number(got) is not None:
            if not same(got, last[name], SLACK):
                says = (f"`{name}` is not {kind_of(got)}. Two messages arrive at `{name[0]}`, and you have "
                        "both: add them.")
        yield Part(name, got, want[name], says)


def what_it_is(name: str) -> str:
    if name.endswith(".grad"):
        return f"`{name}`"
    return f"the message {'' if name.startswith('to') else 'from '}{name}"


EXERCISES = (
    Exercise("4a", "All messages of (a * b) * (a + b)", {name: what_it_is(name) for name in MESSAGES},
             expected=messages, judge=messages_by_hand,
             why="You can now check any gradient by hand, message by message, and find the node where a "
             "wrong one begins.",
             paper="`a` and `b` are leaves, `p, s = a * b, a + b`, and `y = p * s`. A pass from `y` begins "
             "with the message 1. Compute by hand all six that follow, and the two gradients.",
             standard={"a": -1., "b": 4.},
             draw=lambda rng: {"a": float(rng.choice((-3, -1, 3, 6))), "b": float(rng.choice((5, 7)))},
             hints=("A product sends each input the message that it received, times the other input. Begin "
                    "at `y`, with the message 1.",
                    "A sum sends the message that it received to both inputs, unchanged. At `a`, add what "
                    "arrives from `p` and from `s`."),
             wrong=(Wrong(last_message_only, "M06", "Two messages arrive at each leaf, and they are added."),
                    *(Wrong(answer, None,
                            "A product sends each input the message that it received, times the value of "
                            "the other input.")
                      for answer in (own_values, own_values_at_p, other_values_at_p)))),
)
