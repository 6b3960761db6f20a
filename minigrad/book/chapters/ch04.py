"""Chapter 4, "Passing messages backwards": its questions and exercises."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import minigrad as torch

from ..claims import claim
from ..comparing import same
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import Misread, as_lists, in_order, is_open, number
from ..saying import kind_of

IDEAS = ("local derivative", "path", "chain rule", "message", "ready")

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
    ), told=r"\b2[68]\b|runs once|twice\b.*early",
        explains="In its early run, `d` sent 1 · 3 to `a`; in its second run it sent (1 + 5) · 3. So the "
        "first message was counted twice, and `a` received 3 too much.",
        paper="`a` = 2 and `b` = 3 are leaves, `c, d = a + b, a * b`, `s, p = c + d, c * d`, and "
        "`y = s + p`. In a pass from `y`, `s` has run, and its message 1 has arrived at `d`. The node of "
        "`d` runs immediately, with this 1. When the message 5 has arrived from `p`, the node of `d` runs "
        "again, with the sum 6. Every other node waits for all its messages. What does `a.grad` hold after "
        "the pass?"),
    Question("4.3", "`top` begins as the leaf `bottom`, and `top = top + top` runs 30 times. In the pass, "
             "no node waits: each message travels on alone. How many messages arrive at the drawer of "
             "`bottom`?", (
        Option("1: the last message takes the place of all others", "M06",
               "Nothing replaces a message: each one that arrives is passed on along both edges."),
        Option("1 073 741 824: each step turns one message into two", None,
               "Each step doubles the number of messages, and 2³⁰ is about a billion."),
        Option("60: two messages from each of the 30 steps", "M05",
               "Each step sends two messages for every one that it receives: the first step that runs sends "
               "2, the next one 4, then 8."),
    ), told=r"2ⁿ|\b1024\b|billion|doubl",
        explains="A ladder of n steps has 2ⁿ paths, but only n operations and 2n edges. The engine doesn't "
        "follow each path: it sends one message along each edge, 60 for 30 steps.\nThe last line of the cell "
        "prints a gradient, which is a sum over paths. Every local derivative here is 1, so the product of "
        "each path is 1, and the gradient counts the paths: 2³⁰."),
    Question("4.4", "A pass from the loss of the nine points leaves −1.6278 in the drawer of `w`. You empty "
             "the drawer, compute the loss again, and start the pass with 10 in place of 1: "
             "`backward(torch.tensor(10.))`. What is in the drawer now?", (
        Option("about −16.28: every message is computed from the 10", None,
               "The first message is a factor of every later one."),
        Option("about −1.63: the pass replaces the 10 by a 1 of its own", "M09",
               "The 10 is itself the first message, and nothing replaces it."),
        Option("10: the argument is where the result is stored", "M09",
               "`backward` reads its argument and never writes to it. The 10 enters at `loss`; the drawer is "
               "at the other end of the graph."),
    ), told=r"16\.2|ten times|factor of",
        explains="The argument of `backward` is the first message. It is a factor of every later message, so "
        "all gradients are ten times as large. When you called the nodes yourself, you began with 1, as "
        "`backward` does without an argument. You can begin with any number."),
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


MADE_FROM = {"y": "sp", "s": "cd", "p": "cd", "c": "ab", "d": "ab"}


def fired(order: str, numbers: dict[str, float]) -> list[float]:
    """What reaches a and b, if each node works with what it has when its turn comes."""
    return fire_all(order, numbers)[0]


def fire_all(order: str, numbers: dict[str, float]) -> tuple[list[float], list[str]]:
    """What reaches a and b, and the nodes to which a message came that they never sent on."""
    a, b = (torch.tensor(numbers[name], requires_grad=True) for name in "ab")
    c, d = a + b, a * b
    s, p = c + d, c * d
    nodes = {"y": (s + p).grad_fn, "s": s.grad_fn, "p": p.grad_fn, "c": c.grad_fn, "d": d.grad_fn}
    got, waits = dict.fromkeys("abcdspy", 0.) | {"y": 1.}, {"y"}
    for name in order.split():
        waits.discard(name)
        waits.update(MADE_FROM[name])
        for target, message in zip(MADE_FROM[name], nodes[name](torch.tensor(got[name])), strict=True):
            got[target] += message.item()
    return [got["a"], got["b"]], [name for name in MADE_FROM if name in waits]


def right_orders(numbers: dict[str, float]) -> set[str]:
    """Those in which each node runs once, and the drawers end as after a pass; found by trying."""
    right = fired("y s p c d", numbers)
    return {" ".join(order) for order in permutations("yspcd")
            if fired(" ".join(order), numbers) == right}


HASTY = (  # an order for each way of not waiting: c, d or both ran after s or p, and again after the other
    "y s c d p c d", "y s c p c d", "y s d p c d", "y p c s c d", "y p d s c d")
STANDARD = {"a": 2., "b": 3.}


def numbers_of_4b(values: dict[str, float], order: str) -> dict[str, Any]:
    return {**values, "right": fired("y s p c d", values), "wrong": fired(order, values)}


def draw_orders(rng) -> dict[str, Any]:
    values = {"a": float(rng.choice((4, 6, 8))), "b": float(rng.choice((5, 7, 9)))}
    return numbers_of_4b(values, rng.choice(HASTY))


def order_behind(numbers: dict[str, Any]) -> str:
    """The first order in which the drawers end with the numbers of `wrong`."""
    return next(order for order in HASTY if fired(order, numbers) == numbers["wrong"])


def order_in(answer: Any) -> str:
    """The order of an answer as names with spaces; Misread: it is no order."""
    if isinstance(answer, (list, tuple)) and all(isinstance(one, str) for one in answer):
        answer = " ".join(answer)
    text = str(answer).strip().lower()
    if not re.fullmatch(r"[yspcd]([\s,>-]*[yspcd]){0,60}", text):
        names = re.split(r"[\s,>-]+", text) if isinstance(answer, str) else []
        others = [name for name in names if re.fullmatch(r"(?![yspcdab]+$)\w{1,9}", name)]
        if len(names) > 1 and others:
            raise Misread(f"There is no node `{others[0]}` in this graph. Its nodes are `y`, `s`, `p`, `c` "
                          "and `d`.")
        raise Misread("Your order should be a string of names, such as `\"y s p c d\"`. The drawers don't "
                      "belong in it.")
    if not text.startswith("y"):
        raise Misread("`y` must run first: before it runs, no other node has received a message.")
    return " ".join(re.findall("[yspcd]", text))


def hasty_order(answer: Any, numbers: dict[str, Any]) -> Iterator[Part]:
    (left, waits), wanted = fire_all(order_in(answer), numbers), numbers["wrong"]
    still = f"At the end of your order, `{waits[0]}` holds a message that it never sent on. " if waits else ""
    yield Part("order", left, wanted, f"{still}Your order ends with {left[0]:g} for `a` and {left[1]:g} for "
               f"`b`; the pass ended with {wanted[0]:g} and {wanted[1]:g}.")


def replaced(witness: Callable, start: float, torch: Any) -> Iterator[Part]:
    """4c: the witness is given leaves with several values, and must run a backward pass."""
    for value in (start, start + 1.5):
        x = torch.tensor(value, requires_grad=True)
        found = as_lists(witness(x))
        yield Part("witness", found, two_rules(value), f"For `x` = {value:g} your witness returned "
                   f"{kind_of(found)}. {slip(found, value)}")
        yield Part("witness", x.grad is not None, True, "Either your witness never called `backward()` on "
                   "`x * x`, or it emptied the drawer of `x` afterwards. Let a real pass that fills the "
                   "drawer be the last step.")


def slip(found: Any, start: float) -> str:
    """What went wrong in a witness that returned these two numbers; else what it should return."""
    last, real = two_rules(start)

    def are(*two: float) -> bool:
        return same(found, list(two), SLACK)

    if are(last, last + real):
        return (f"The pass added {real:g} to the {last:g} that was still in the drawer: empty it between "
                "the two, with `x.grad = None`.")
    if are(last + real, last + real) or are(real, real):
        return ("The two numbers are the same, but after the two steps the drawer holds only the second "
                "message. Store each one with `x.grad = message`, read the drawer with `x.grad.item()`, "
                "empty it, and then run the real pass.")
    if are(real, last):
        return "The order should be the other way round: first `x.grad` after the two steps."
    return ("It should return two numbers: `x.grad` after the two steps, and `x.grad` after a real "
            "`backward()`, with the drawer emptied between the two.")


def two_rules(start: float) -> list[float]:
    """x.grad of x * x, if each message replaces the one before, and as the engine computes it."""
    x = torch.tensor(start, requires_grad=True)
    y = x * x
    *_, last = y.grad_fn(torch.tensor(1.))
    y.backward()
    return [last.item(), x.grad.item()]


EXERCISES = (
    Exercise("4a", "All messages of (a * b) * (a + b)", {name: what_it_is(name) for name in MESSAGES},
             expected=messages, judge=messages_by_hand,
             why="You can now check any gradient by hand, message by message, and find the node where a "
             "wrong one begins.",
             paper="`a` and `b` are leaves, `p, s = a * b, a + b`, and `y = p * s`. Compute by hand all six "
             "messages, and the two gradients.",
             standard={"a": -1., "b": 4.},
             draw=lambda rng: {"a": float(rng.choice((-3, -1, 3, 6))), "b": float(rng.choice((5, 7)))},
             hints=("A product sends each input the message that it received, times the *other* input. Begin "
                    "at `y`, with the message 1.",
                    "A sum sends the message that it received to both inputs, unchanged. At `a`, add what "
                    "arrives from `p` and from `s`."),
             wrong=(Wrong(last_message_only, "M06", "Two messages arrive at each leaf, and they are added."),
                    *(Wrong(answer, None,
                            "A product sends each input the message that it received, times the value of "
                            "the *other* input.")
                      for answer in (own_values, own_values_at_p, other_values_at_p)))),
    Exercise("4b", "The order behind a wrong gradient", {"order": "your order"},
             judge=hasty_order, example=order_behind,
             why="A wrong gradient can lead you back to its cause, and you can debug your own engine in the "
             "same way.",
             paper="This is the graph of prediction 4.2, with other values of `a` and `b`. Their drawers "
             "ended with the numbers of `wrong` instead of `right`: one or two nodes ran too early, and "
             "again later. In which order did the nodes run? An order is written like `y s p c d`.",
             standard=numbers_of_4b(STANDARD, "y p d s c d"), draw=draw_orders,
             hints=("Subtract `right` from `wrong`: this is what the early runs sent to `a` and to `b`.",
                    "An early run of `c` sends the same number to `a` and to `b`. An early run of `d` "
                    "multiplies its message by `b` for `a`, and by `a` for `b`."),
             wrong=(Wrong(lambda _: "y s p c d", None,
                          "In this order each node waits for all its messages, so the drawers end with "
                          "the right gradients.",
                          fits=lambda answer: order_in(answer) in right_orders(STANDARD)),
                    Wrong(lambda _: "y s p c d c d", None,
                          "Here `c` and `d` run twice, but never too early: all messages have arrived.",
                          fits=lambda answer: order_in(answer) == "y s p c d c d"))),
    claim("4c", "Two steps are enough for backward(): store the gradient, and call the inputs' backward()",
          "x", replaced, two_rules, belief="M06",
          why="Now you have a tiny program, `x * x`, that refutes such a pass: it is a good first test for "
          "any engine.",
          reason="`x * x` sends two messages to `x`, and `self.grad = gradient` keeps only the second one.",
          paper="\"Two steps are enough for a tensor's method `backward(gradient)`: `self.grad = gradient`, "
          "and then `input.backward(message)` for each input of its operation.\" True or false? Witness: "
          "for `x * x` at your sheet's `x`, `x.grad` after these steps, and `x.grad` after a real "
          "`backward()`.",
          standard=3., draw=lambda rng: float(rng.choice((4, 5, 6, 7, 8, 9))),
          hints=("How many messages does `x * x` send to `x`? Ask its node.",
                 "With `=`, the second message replaces the first. Do that by hand in your witness, and then "
                 "call `backward()`.")),
)
