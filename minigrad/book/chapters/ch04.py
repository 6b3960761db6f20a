"""Chapter 4, "Passing notes backwards": its questions and exercises."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import minigrad as torch

from ..claims import claim
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import Misread, as_lists, in_order, is_open, number
from ..saying import kind_of

QUESTIONS = (
    Question("4.1", "Two messages reach `a`: 45 from `p`, and 20 from `s`. What will `a.grad` be after "
             "`y.backward()`?", (
        Option("65: they are added", None, "A nudge of `a` reaches `y` in two ways, and the effects add up."),
        Option("20: the line with `s` comes last, so it counts", "M06",
               "`y` depends on `a` in both ways, so both count."),
        Option("45: a drawer takes one message, and it is full then", "M02",
               "A drawer adds whatever comes; nothing is refused, nothing replaced."),
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
        Option("6, once: the last use", "M06", "Both uses send a message, and they are added."),
        Option("nothing: `c` is no leaf, so nothing is computed for it", "M21",
               "The message is needed to go on to `a` and `b`; `c` only doesn't keep it."),
        Option("7, once", None, "`c` waits, so there is one sum, and the hook sees it once."),
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


HASTY = {  # an order for each way of not waiting: who ran after s or p, and again after the other
    "c and d": "y s c d p c d", "c after s": "y s c p c d", "d after s": "y s d p c d",
    "c after p": "y p c s c d", "d after p": "y p d s c d"}
STANDARD = {"a": 2., "b": 3.}


def numbers_of_4b(numbers: dict[str, Any]) -> dict[str, Any]:
    return {**numbers, "wrong": fired(HASTY[numbers["hasty"]], numbers)}


def draw_orders(rng) -> dict[str, Any]:
    return numbers_of_4b({"a": float(rng.choice((4, 6, 8))), "b": float(rng.choice((5, 7, 9))),
                          "hasty": rng.choice(list(HASTY))})


def opened(answer: Any) -> dict[str, Any]:
    return in_order(answer, ("right orders", "wrong order"))


def order_in(answer: Any) -> str:
    """The wrong order of an answer as names with spaces; Misread: it is no order."""
    order = opened(answer)["wrong order"]
    text = " ".join(order) if isinstance(order, list) else str(order)
    if not re.fullmatch(r"[yspcd][\s,yspcd]{0,60}", text):
        raise Misread("Your wrong order should be a string of names, such as `\"y s p c d\"`.")
    return " ".join(re.findall("[yspcd]", text))


def two_orders(answer: Any, numbers: dict[str, Any]) -> Iterator[Part]:
    given = opened(answer)
    yield Part("right orders", given["right orders"], len(right_orders(numbers)))
    if is_open(given["wrong order"]):
        yield Part("wrong order", None, numbers["wrong"])
        return
    left, wanted = fired(order_in(answer), numbers), numbers["wrong"]
    yield Part("wrong order", left, wanted, f"Your wrong order ends with {left[0]:g} for `a` and {left[1]:g} "
               f"for `b`; {wanted[0]:g} and {wanted[1]:g} are asked for.")


def replaced(witness: Callable, start: float, torch: Any) -> Iterator[Part]:
    """4d: the witness is given leaves with other numbers, too, and must let a pass run."""
    for value in (start, start + 1.5):
        x = torch.tensor(value, requires_grad=True)
        found = as_lists(witness(x))
        yield Part("witness", found, two_rules(value), f"For `x` = {value:g} your witness returned "
                   f"{kind_of(found)}. It should return two numbers: what the rule leaves in `x.grad`, and "
                   "what the engine puts there.")
        yield Part("witness", x.grad is not None, True, "Your witness never called `backward()` on `x * x`: "
                   "`x.grad` is still `None`. Let the engine show its number.")


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
    Exercise("4a", "All messages behind (a * b) * (a + b)", {
                 **{name: f"the message {'' if name.startswith('to') else 'from '}{name}"
                    for name in MESSAGES[:6]}, "a.grad": "`a.grad`", "b.grad": "`b.grad`"}, expected=messages,
             paper="The lines of prediction 4.1 with other numbers: all six messages, and what lies in the "
             "drawers.",
             standard={"a": -2., "b": 3.},
             draw=lambda rng: {"a": float(rng.choice((-4, -3, 3, 6))), "b": float(rng.choice((5, 7)))},
             hints=("What does a product send to an input? What it got, times the other input's value.",
                    "A sum sends on what it got, to both. In the end, add what arrives at `a`, and at `b`."),
             wrong=(Wrong(last_message_only, "M06", "Two messages arrive at each leaf, and both count."),
                    Wrong(own_values, None,
                          "A product sends to each input what it received, times the value of the other "
                          "input."))),
    Exercise("4b", "How many orders are right, and one that is wrong in a certain way",
             {"right orders": "the number of right orders", "wrong order": "your wrong order"},
             judge=two_orders, example=lambda numbers: {"right orders": len(right_orders(numbers)),
                                                        "wrong order": HASTY[numbers["hasty"]]},
             paper="In the graph of prediction 4.2, nodes run in an order such as `y s p c d`. How many "
             "orders are right, if each of the five runs once? Then find a *wrong* order, in which some "
             "nodes run again with all that they have received, that gives `a` and `b` the two numbers of "
             "`wrong`. (`right` is what the drawers should hold.)",
             standard=numbers_of_4b({"a": 2., "b": 3., "hasty": "c and d"}), draw=draw_orders,
             hints=("`y` must be first. Which two can come next, and do they have to wait for each other?",
                    "The difference between wrong and right is what a hasty node sent twice: `c` (or `d`) "
                    "ran after `s` or after `p`, and again after the other."),
             wrong=(Wrong(lambda _: {"right orders": 1}, None,
                          "Nodes that don't wait for each other may change places.",
                          fits=lambda answer: number(opened(answer)["right orders"]) == 1),
                    Wrong(lambda _: {"right orders": 4, "wrong order": "y s p c d"}, "M05",
                          "In this order each node waits for all its messages.",
                          fits=lambda answer: order_in(answer) in right_orders(STANDARD)),
                    Wrong(lambda _: {"right orders": 4, "wrong order": "y s p c d c d"}, None,
                          "There, both nodes ran twice after all messages had come.",
                          fits=lambda answer: order_in(answer) == "y s p c d c d"))),
    Exercise("4c", "Runs on a ladder, with and without waiting, and the slope",
             {"runs in all, if each node waits": "the number of runs with waiting",
              "runs in all, if every message is sent on at once": "the number of runs without waiting",
              "x.grad": "`x.grad`"},
             paper="A ladder: `x` is 1, then `y = x`, and in each step `y = y + y`. How many runs are needed "
             "in all, counting that of the drawer, if each node waits? How many if every message is sent on "
             "at once? And what is `x.grad`? Try short ladders, and find the rule. A power such as 2⁹ may "
             "stay one.",
             expected=ladder, standard=20, draw=lambda rng: rng.randint(14, 26), within=1e-6,
             hints=("Use `visits` on short ladders, and look how the number grows with each step.",
                    "Waiting: once for each step, and once for the drawer. Not waiting: twice, and 1 more, "
                    "with each step."),
             wrong=(Wrong(lambda steps: [steps + 1, steps + 1, 2. ** steps], "M05",
                          "Without waiting, both messages of a step are carried on separately."),
                    Wrong(lambda steps: [steps + 1, 2 * steps + 1, 2. ** steps], None,
                          "Each step doubles the number of runs below it; it doesn't add 2."),
                    Wrong(lambda steps: [steps + 1, 2 ** steps, 2. ** steps], None,
                          "That is how often the drawer is filled. The nodes of the steps run, too."),
                    Wrong(lambda steps: [steps + 1, 2 ** (steps + 1) - 1, 1.], "M06",
                          "Each step uses `y` twice, and both uses count: the slope doubles."))),
    claim("4d", "A backward() that says self.grad = gradient, and then calls itself for each input, is right",
          "x", replaced, two_rules, belief="M06",
          paper="A teacher's key for a well-known course calls this method of a tensor \"excellent\": "
          "`self.grad = gradient`, and then `parent.backward(message)` for each input of the operation. Is "
          "it right? Verdict, and a witness: for `x * x` at your sheet's `x`, what this rule leaves in "
          "`x.grad`, and what belongs there.",
          standard=3., draw=lambda rng: float(rng.choice((4, 5, 6, 7, 8, 9))),
          hints=("How many messages does `x * x` send to `x`? Ask its node.",
                 "With `=`, the second message replaces the first. Follow that; then call `backward()`.")),
)
