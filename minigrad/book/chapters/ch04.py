"""Chapter 4, "Passing notes backwards": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import minigrad as torch

from ..claims import claim
from ..exercises import Exercise, Wrong
from ..questions import Option, Question

QUESTIONS = (
    Question("4.1", "Two messages reach `a`: 45 from `p`, and 20 from `s`. What will `a.grad` be after "
             "`y.backward()`?", (
        Option("20: the line with `s` comes last, so it counts", "M06",
               "`y` depends on `a` in both ways, so both count."),
        Option("45: a drawer takes one message, and it is full then", "M02",
               "A drawer adds whatever comes; nothing is refused, nothing replaced."),
        Option("65: they are added", None, "A nudge of `a` reaches `y` in two ways, and the effects add up."),
    )),
    Question("4.2", "`s` has run, and its 1 lies at `c`. You let `c` run at once; and again with all that it "
             "has, when the 6 from `p` has come. `a.grad` ought to be 25. What do you get?", (
        Option("25: what came late was passed on later", "M05",
               "The second time `c` sent on all that it had, and the early 1 was part of that."),
        Option("26: something is counted twice", None, "`c` sent 1, and then 7; the 1 is in both."),
        Option("24: the early 1 is lost", "M06", "Nothing is replaced on the way; messages add up."),
    )),
    Question("4.3", "A hook on `c` prints each message that it sees. `c` is used in two lines, which send 1 "
             "and 6. What is printed during `y.backward()`?", (
        Option("1, then 6: once for each use", "M22", "The hook stands where the sum is complete."),
        Option("7, once", None, "`c` waits, so there is one sum, and the hook sees it once."),
        Option("6, once: the last use", "M06", "Both uses send a message, and they are added."),
        Option("nothing: `c` is no leaf, so nothing is computed for it", "M21",
               "The message is needed to go on to `a` and `b`; `c` only doesn't keep it."),
    )),
)

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
    """What comes out if a product sends each input its own value."""
    a, b = numbers["a"], numbers["b"]
    p, s = a * b, a + b
    return dict(zip(MESSAGES, (p, s, p * a, p * b, s, s, p * a + s, p * b + s), strict=True))


MADE_FROM = {"y": "sp", "s": "cd", "p": "cd", "c": "ab", "d": "ab"}


def fired(order: str, numbers: dict[str, float]) -> list[float]:
    """What reaches a and b, if each node works with what it has when its turn comes."""
    a, b = (torch.tensor(numbers[name], requires_grad=True) for name in "ab")
    c, d = a + b, a * b
    s, p = c + d, c * d
    nodes = {"y": (s + p).grad_fn, "s": s.grad_fn, "p": p.grad_fn, "c": c.grad_fn, "d": d.grad_fn}
    got = dict.fromkeys("abcdspy", 0.) | {"y": 1.}
    for name in order.split():
        for target, message in zip(MADE_FROM[name], nodes[name](torch.tensor(got[name])), strict=True):
            got[target] += message.item()
    return [got["a"], got["b"]]


def right_orders(numbers: dict[str, float]) -> set[str]:
    """Those in which each node runs once, and the drawers end as after a pass; found by trying."""
    right = fired("y s p c d", numbers)
    return {" ".join(order) for order in permutations("yspcd")
            if fired(" ".join(order), numbers) == right}


HASTY = "y s c d p c d"
STANDARD = {"a": 2., "b": 3.}


def two_orders(answer: Any, numbers: dict[str, float]) -> Iterator[tuple[str, Any, Any]]:
    yield "how many orders are right", answer["right orders"], len(right_orders(numbers))
    order = answer["wrong order"]
    if not isinstance(order, str) or not set(order.split()) <= set(MADE_FROM):
        yield "your wrong order (names with spaces between)", order, "a string such as 'y s p c d'"
    yield "a.grad and b.grad after your wrong order", fired(order, numbers), fired(HASTY, numbers)


def ladder(steps: int) -> list[float]:
    x = torch.tensor(1., requires_grad=True)
    y = x
    for _ in range(steps):
        y = y + y
    y.backward()
    return [steps + 1, 2 ** (steps + 1) - 1, x.grad.item()]


def two_rules(start: float) -> list[float]:
    """x.grad behind x * x, if a message replaces what was there, and what it is."""
    x = torch.tensor(start, requires_grad=True)
    y = x * x
    *_, last = y.grad_fn(torch.tensor(1.))
    y.backward()
    return [last.item(), x.grad.item()]


EXERCISES = (
    Exercise("4a", "All messages behind (a * b) * (a + b)", MESSAGES, expected=messages,
             paper="The lines of prediction 4.1 with other numbers: all six messages, and what lies in the "
             "drawers.",
             standard={"a": -2., "b": 3.},
             draw=lambda rng: {"a": float(rng.choice((-4, -3, 3, 6))), "b": float(rng.choice((5, 7)))},
             hints=("What does a product send to an input? What it got, times the other input's value.",
                    "A sum sends on what it got, to both. In the end, add what arrives at a, and at b."),
             wrong=(Wrong(last_message_only, "M06", "Two messages arrive at each leaf, and both count."),
                    Wrong(own_values, None,
                          "A product sends each input the value of the other one, times what it got."))),
    Exercise("4b", "How many orders are right, and one that is wrong in a certain way", judge=two_orders,
             paper="In the graph of prediction 4.2, nodes run in an order such as `y s p c d`. How many "
             "orders are right, if each of the five runs once? And find a *wrong* order, in which some run "
             "again with all that they have, that adds 1 + `b` too much to `a`, and 1 + `a` too much to `b`. "
             "With 2 and 3, it gives 29 and 22 instead of 25 and 19. (`right` is what belongs into the "
             "drawers.)",
             standard=STANDARD,
             draw=lambda rng: {"a": float(rng.choice((4, 6, 8))), "b": float(rng.choice((5, 7, 9)))},
             hints=("y must be first. Which two can come next, and do they have to wait for each other?",
                    "For the wrong numbers, both c and d were hasty: they ran after s, and again after p."),
             wrong=(Wrong(lambda _: {"right orders": 1, "wrong order": HASTY}, None,
                          "Nodes that don't wait for each other may change places.",
                          fits=lambda answer: answer["right orders"] == 1),
                    Wrong(lambda _: {"right orders": 4, "wrong order": "y s p c d"}, "M05",
                          "In this order each node waits for all its messages.",
                          fits=lambda answer: answer["wrong order"] in right_orders(STANDARD)),
                    Wrong(lambda _: {"right orders": 4, "wrong order": "y s c p c d"}, None,
                          "There, only c was hasty."))),
    Exercise("4c", "Runs on a ladder, with and without waiting, and the slope",
             ("runs in all, if each node waits", "runs in all, if every message is sent on at once",
              "x.grad"),
             paper="A ladder: `x` is 1, then `y = x`, and in each step `y = y + y`. How many runs are needed "
             "in all, that of the drawer too, if each node waits? How many if every message is sent on at "
             "once? And what is `x.grad`? Try short ladders, and find the rule. A power such as 2⁹ may stay "
             "one.",
             expected=ladder, standard=20, draw=lambda rng: rng.randint(14, 26), within=1e-6,
             hints=("Use visits on short ladders, and look how the number grows with each step.",
                    "Waiting: once for each step, and once for the drawer. Not waiting: twice, and 1 more, "
                    "with each step."),
             wrong=(Wrong(lambda steps: [steps + 1, steps + 1, 2. ** steps], "M05",
                          "Without waiting, both messages of a step are carried on separately."),
                    Wrong(lambda steps: [steps + 1, 2 * steps + 1, 2. ** steps], None,
                          "Each step doubles what has to be done below it; it doesn't add 2."),
                    Wrong(lambda steps: [steps + 1, 2 ** (steps + 1) - 1, 1.], "M06",
                          "Each step uses y twice, and both uses count: the slope doubles."))),
    claim("4d", "A backward() that says self.grad = gradient, and then calls itself for each input, is right",
          "what that rule leaves in x.grad, and what the engine does", two_rules, belief="M06",
          paper="A teacher's key for a well-known course calls this method of a tensor \"excellent\": "
          "`self.grad = gradient`, and then `parent.backward(message)` for each input of the operation. Is "
          "it right? Verdict, and a witness: for `x * x` at your sheet's `x`, what this rule leaves in "
          "`x.grad`, and what belongs there.",
          standard=3., draw=lambda rng: float(rng.choice((4, 5, 6, 7, 8, 9))),
          hints=("How many messages does x * x send to x? Ask its node.",
                 "With =, the second message replaces the first. Follow that, and then call backward().")),
)
