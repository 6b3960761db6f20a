"""What is printed on paper alone: drawings, and the words that a key expects for an answer.

A learner sees a whole sheet at once, so nothing on it may answer its own predictions; where a chapter's exit
ticket or picture would, the sheet has another, and so have the slides.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...classroom.exercise import Exercise
from ...classroom.questions import Question
from . import of
from .ch05 import DYES, gradient
from .ch14 import programs_told
from .ch15 import last_script, patient_of

Rows = Callable[[Any], list[tuple[str, str]]]  # the numbers of a sheet -> (what, the answer) for each row


@dataclass(frozen=True)
class OnPaper:
    caption: str = ""  # one that says what a caption has to say
    half: str = ""  # what gets half a point: only one of the two things that it says
    reasons: dict[str, str] = field(default_factory=dict)  # for a vote whose right reply says no reason
    ticket: tuple[str, str] = ()  # an exit ticket and its answer, where the chapter's would answer a vote
    facts: str = "1 for each fact"  # what gets the two points of the exit ticket; empty: it has one point
    code: str = ""  # the lines of the picture, where those of the chapter tell too much or are too wide
    reading: tuple[tuple[str, str], ...] = ()  # how a picture is read: (what you see, what it is)
    drawing: str = ""  # a picture to draw
    drawn: str = ""  # the lines whose picture that is
    picture_first: bool = False  # the exercises are about the picture
    lines: dict[str, int] = field(default_factory=dict)  # to write on, where an answer needs more or fewer
    keys: dict[str, Rows] = field(default_factory=dict)  # what is right, where several answers are
    more: dict[str, tuple[str, str]] = field(default_factory=dict)  # to write without points: (what, answer)
    rules: dict[str, str] = field(default_factory=dict)  # for points, where a person marks by another
    # For each part of a solution, what else may be in its place; the key has those that the check accepts.
    forms: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    # The rows of a lesson without computers, and their minutes, such as "board 5, 3.1 6, page 4, 3b 7":
    # see PAPER_ROWS in build/lessons.py.
    plan: str = ""
    program: str = ""  # is in the cell of the chapter that a learner keeps
    without: tuple[str, ...] = ()  # questions and exercises for computers at home, which aren't on its sheet

    def reason(self, asked: Question) -> str:
        """Why the right option of a vote is right."""
        return self.reasons.get(asked.id, asked.option(asked.right).says)


def good_weights(numbers: list[float]) -> list[tuple[str, str]]:
    found = [[a, b, c] for a in DYES for b in DYES for c in DYES if gradient([a, b, c]) == numbers]
    return [("`v`", " or ".join(map(str, found)))]


def bugs_told(key: str) -> Rows:
    """Return a function that gives the lines of each bug of a patient, what is wrong, and what shows it."""
    def rows(_: Any) -> list[tuple[str, str]]:
        ill = patient_of(key)
        return [(f"line {' or '.join(map(str, sorted(ill.accepted(bug))))}",
                 f"{bug.says} {bug.fix} `{bug.measurements}` shows it.")
                for bug in ill.bugs]
    return rows


ON_PAPER = {
    0: OnPaper(
        "`u` is multiplied by the constant `k`, and `c` is added.",
        half="only one of the two operations",
        plan="board 3, 0.1 4, page 3, picture 6, 0.2 5, 0a 7, ticket 2",
        without=("0b",),
        picture_first=True,
        reading=(  # rows of the chapter's table
            ("box with a thick blue border",
             "a leaf that requires a gradient; no recorded operation made it. Its `.grad` holds its "
             "gradient, or `None`"),
            ("box with a dashed border",
             "a constant: it requires no gradient. PyTorch calls it a leaf, too; the pictures don't"),
            ("box with a thin border", "a tensor that a recorded operation made"),
            ("hexagon", "an operation; the arrows `0` and `1` bring its first and second input")),
        drawing="Draw the picture of `s` after `t = p + q` and `s = t * p`, where `p` = 3 and `q` = 5 are "
                "leaves that require a gradient.",
        drawn="p = torch.tensor(3., requires_grad=True)\nq = torch.tensor(5., requires_grad=True)\n"
              "t = p + q\ns = t * p"),
    1: OnPaper(
        "`backward()` goes back through the operations that ran, from `loss` to `w` and `b`, and uses the "
        "slope of each.",
        half="only that it goes back, or only the slopes",
        plan="board 6, 1.1 6, 1.2 6, error 5, 1.3 6, page 4, 1b 7, picture 8, ticket 2",
        code="w = torch.tensor(2., requires_grad=True)\nb = torch.tensor(5., requires_grad=True)\n"
             "loss = (w * 3 + b - 4) ** 2\nloss.backward()",
        lines={"1a": 2, "1b": 3}),
    2: OnPaper(
        "The blue box is a leaf and has a drawer; the grey one is the result of an operation and has none.",
        half="only which box has a drawer, and not why",
        reasons={"2.1": "A pass adds to what is in `.grad`, and nothing has emptied it.",
                 "2.3": "An operation made `c`, and a pass stores gradients only in leaves."},
        plan="board 6, 2.1 6, 2.2 6, 2.3 6, page 4, error 5, 2a 7, picture 8, ticket 2",
        code="w1 = torch.tensor([5., 9.], requires_grad=True)\nd = w1.mean()\nd.backward()",
        forms={"2b": (("(torch.randn(3) * 0.1).requires_grad_()", "torch.randn(3).mul_(0.1).requires_grad_()",
                       "(torch.randn(3, requires_grad=True) * 0.1).detach().requires_grad_()",
                       "torch.tensor((torch.randn(3) * 0.1).tolist(), requires_grad=True)"),)}),
    3: OnPaper(
        "A pass from `guess` sends gradients to `w` and `b`, and none to `x`, because `x` requires no "
        "gradient.",
        half="only how `guess` is computed, or no reason why no gradient goes to `x`",
        reasons={"3.2": "Each time the line runs, it adds a node: twice for 400, four times for 100. Each "
                        "leaf has a node, too.",
                 "3.3": "Each multiplication that ran doubles the gradient: two for 400, four for 100."},
        facts="1: these two nodes and no other. 1: a comparison isn't recorded.",
        rules={"3b": "Wrong: `p ** 2`, which has one edge to `p`. `exp(...)` without `torch` is right."},
        plan="board 5, 3.1 8, 3.2 8, 3.3 6, 3.4 8, page 5, picture 7, ticket 3",
        code="w = torch.tensor(0.5, requires_grad=True)\nb = torch.tensor(2.5, requires_grad=True)\n"
             "x = torch.tensor(3.)\nscaled = w * x\nguess = scaled + b",
        lines={"3b": 1},
        forms={"3b": (("(p * p).exp() - q", "torch.exp(p * p) - q", "torch.sub((p * p).exp(), q)",
                       "p.mul(p).exp().sub(q)"),)}),
    4: OnPaper(
        "`c` and `d` each go into both `s` and `p`, so two messages will arrive at each in a pass.",
        half="only that they go into both, or only that two messages arrive",
        facts="1: 70. 1: 100.",
        plan="board 6, 4.1 7, 4.2 10, 4.3 6, page 4, 4a 8, picture 6, ticket 3",
        code="a = torch.tensor(2., requires_grad=True)\nb = torch.tensor(3., requires_grad=True)\n"
             "c, d = a + b, a * b\ns, p = c + d, c * d\ny = s + p",
        lines={"4a": 1}),
    5: OnPaper(
        "`v` enters at `y` and has the shape of `y`; the gradient arrives at `u` and has the shape of `u`.",
        half="only one of the two",
        plan="board 6, error 5, 5.1 6, 5.2 6, 5.3 6, page 4, 5a 7, picture 8, ticket 2",
        code="v = torch.tensor([1., 2., 1.])\nu = torch.tensor([3., 2.], requires_grad=True)\n"
             "y = torch.stack([u[0] ** 2, u[0] * u[1], u[1] ** 3])\ny.backward(v)",
        lines={"5a": 2, "5b": 1}, keys={"5a": good_weights}),
    6: OnPaper(
        "`p.backward()` freed what the node of `y = x * x` had saved, so `q.backward()` fails there.",
        half="only what was freed, or only that `q.backward()` fails",
        plan="board 5, 6.1 5, error 5, 6.2 5, 6.3 5, page 4, 6a 6, 6b 6, picture 7, ticket 2",
        code="x = torch.tensor(3., requires_grad=True)\ny = x * x\np, q = y * 5, y ** 2\np.backward()",
        ticket=("Every `backward()` has `retain_graph=True`. What does that cost, and which mistake does it "
                "hide?",
                "It costs memory, as long as the graph exists. A second pass by mistake raises no error."),
        lines={"6c": 1}, more={"6c": ("the changed line", "`h = w * h.detach()`, or with `h.item()`")}),
    7: OnPaper(
        "One path is left from `z` to `x`. The path through `y` is cut at `d`, so `x.grad` will be the value "
        "of `d`.",
        half="only that the path is cut, or only what `x.grad` will be",
        plan="board 5, 7.1 5, 7.2 5, 7.3 5, 7.4 5, page 4, error 5, 7a 7, picture 7, ticket 2",
        code="x = torch.tensor(3., requires_grad=True)\ny = x * x\nd = y.detach()\nz = d * x",
        lines={"7a": 0, "7b": 1},
        rules={"7b": "3: a gradient reaches `b` through `middle`. 1: the line of `middle` is named"},
        keys={"7b": lambda _: [("the line", "`middle = p.mean()`")]},
        forms={"7b": (("middle = p.mean()", "middle = torch.mean(p)", "middle = p.sum() / 9",
                       "middle = w * x.mean() + b"),)}),
    8: OnPaper(
        "The product saved only the 5. So a counted write to `x` or `s` doesn't make a pass from `y` fail.",
        half="only what was saved, or only that no pass fails",
        plan="board 5, 8.1 4, error 5, 8.2 4, 8.3 4, 8.4 4, 8.5 4, page 4, 8a 7, picture 7, ticket 2",
        code="x = torch.tensor(3., requires_grad=True)\ns = x + 4\ny = s * 5",
        lines={"8b": 2}, keys={
            "8b": lambda _: [("the line", "`best, smallest = w.detach().clone(), loss.item()`")]},
        rules={"8b": "2: `best` keeps the value that `w` has now. 1: the line is named"},
        forms={"8b": (("w.detach().clone()", "w.clone()", "w.item()", "float(w)", "copy.deepcopy(w)",
                       "torch.tensor(w.item())", "w.detach() + 0"),)}),
    9: OnPaper(
        "After the pass, each leaf has a gradient in its drawer. `step()` will read both drawers, and change "
        "`w` and `b`.",
        half="only what the drawers hold, or only what `step()` will do",
        plan="board 5, 9.1 4, 9.2 4, 9.3 4, 9.4 4, 9.5 4, 9.6 4, page 4, 9a 7, picture 8, ticket 2",
        code="w = torch.tensor(3., requires_grad=True)\nb = torch.tensor(4., requires_grad=True)\n"
             "loss = (w * 2 + b) ** 2\nloss.backward()",
        # The chapter's says that a frozen layer can move, which 9.5 asks.
        ticket=("`w.grad` is 4, and plain SGD with `lr` = 0.5 takes two steps, without a pass between them. "
                "By how much does `w` change?",
                "By −4: each step subtracts 0.5 · 4, because a step empties no drawer."),
        program="for step in range(8):", lines={"9a": 7, "9b": 2},
        rules={"9a": "1 for each: the decay is added to `g`, before the momentum; the old buffer is used; "
                     "the new one is stored; `p` changes in place, and `g` doesn't",
               "9b": "4: a part counts by its share of all points. 2: each part counts the same, or is "
                     "divided by 9"},
        keys={"9b": lambda _: [("the line", "`(loss * len(some) / len(x)).backward()`")]},
        forms={"9a": (("p.add_(g, alpha=-lr)", "p -= lr * g", "p.sub_(lr * g)", "p.copy_(p - lr * g)"),
                      ("g = g + weight_decay * p", "g = g.add(p, alpha=weight_decay)")),
               "9b": (("(loss * len(some) / len(x)).backward()", "(loss / len(x) * len(some)).backward()",
                       "loss.backward(torch.tensor(len(some) / len(x)))"),)}),
    10: OnPaper(
        "The product sends each factor the message that it received, times the other factor.",
        half="only that the message is multiplied, and not by what",
        plan="board 6, 10.1 6, 10.2 6, 10.3 6, 10.4 6, 10.5 6, page 4, picture 8, ticket 2",
        code="w = torch.tensor(2., requires_grad=True)\nv = torch.tensor(3., requires_grad=True)\n"
             "first = w * v\nsecond = w ** 3\ntotal = first + second",
        program="torch.randperm(1000)",
        ticket=("You choose the learning rate by the accuracy on the test set. What is wrong with this "
                "number afterwards, and what do you do instead?",
                "The rate was chosen for these images, so the number says less about new ones. Choose by a "
                "validation set, and measure on the test set once.")),
    11: OnPaper(
        "`y` is used twice, so its drawer holds the sum of two messages, 3 and 4.",
        half="only that `y` is used twice, or only what its drawer holds",
        plan="board 5, 11.1 6, 11.4 6, 11.5 6, 11.6 6, page 4, 11a 7, picture 8, ticket 2",
        code="x = torch.tensor(2., requires_grad=True)\ny = x * x\ny.retain_grad()\nz = y * 3 + y * 4\n"
             "z.backward()",
        program="def measure(", lines={"11d": 6},
        rules={"11d": "1 for each: a norm for each layer, with hooks; each divided by its neighbour"},
        keys={"11d": lambda _: [
            ("the lines", "`forward, backward = measure(net)` and `[b / a for a, b in zip(forward, "
             "forward[1:])]`: the first number belongs to layer 2")]}),
    12: OnPaper(
        "The ReLU returned 0, so `u` gets a gradient of 0; the gradient of `v` is −1.",
        half="only one of the two gradients, or both without the ReLU",
        plan="board 5, 12.2 5, 12.3 5, 12.4 5, 12.5 5, page 4, 12a 6, 12c 7, picture 6, ticket 2",
        code="u = torch.tensor(-4., requires_grad=True)\nv = torch.tensor(5., requires_grad=True)\n"
             "h = torch.relu(u)\nsize = h - v\nsize.backward()",
        rules={"12a": "1 for each: the sum is right; `log` receives no 0; an element that is 0 adds 0",
               "12b": "3 for each of the three tests"},
        forms={"12a": (("-(p * safe.log()).sum()", "-torch.where(p > 0, p * safe.log(), 0.).sum()"),
                       ("safe = torch.where(p > 0, p, 1.)", "safe = torch.where(p == 0, 1., p)",
                        "safe = p + (p == 0)", "safe = p.masked_fill(p == 0, 1.)", "safe = p = p[p > 0]")),
               "12b": (("not torch.isfinite(p.grad).all()", "not p.grad.isfinite().all()"),
                       ("torch.equal(p, old)", "(p == old).all()", "p.tolist() == old.tolist()"))},
        lines={"12b": 3}, keys={"12b": lambda _: [
            ("NaN", "`not torch.isfinite(p.grad).all()`"),
            ("not in the optimizer", "`id(p)` is none of the ids of the parameters in the groups"),
            ("didn't move", "`torch.equal(p, old)`, `old` being a clone from before the step")]}),
    13: OnPaper(
        "The upper operation computes `y`. The three below it were recorded during a backward pass, and "
        "compute 1 · 3 · x².",
        half="only what the three compute, or only when they were recorded",
        reasons={"13.1": "The pass that computed the sensitivity wasn't recorded, so no path leads from the "
                         "penalty to `w`."},
        plan="board 6, 13.1 8, error 6, 13.2 7, 13.4 8, page 4, picture 7, ticket 4",
        without=("13.3", "13.6", "13c", "13d"),
        reading=(("double outline, “layer 2”",
                  "an operation of a backward pass, recorded by `create_graph=True`"),
                 ("`×` with one arrow and no number",
                  "times the first message of the pass, 1, which isn't drawn")),
        code="x = torch.tensor(3., requires_grad=True)\ny = x ** 3\n"     # 3 is never drawn: both would be 27
             "g, = torch.autograd.grad(y, x, create_graph=True)",
        ticket=("Three calls of `grad` return the first, second and third derivative of `y`. Which need "
                "`create_graph=True`, and why?",
                "The first two. The next call runs a pass through the graph of the result, and no call "
                "follows the third."),
        facts="1: the first two. 1: the next call goes through the graph of their result, or no call follows "
              "the third.",
        lines={"13a": 1, "13c": 8, "13d": 1},
        keys={"13a": lambda _: [("the line", "`sensitivity, = grad(guess.sum(), x, create_graph=True)`")],
              "13c": lambda _: [
            ("the lines", "`g, = grad(f(p), p, create_graph=True)` and `return grad(g, p, v)[0]`; "
                          "`v = torch.randn(len(p))`, 50 times `v = hvp(f, p, v)` and `v = v / v.norm()`, "
                          "then `return (v * hvp(f, p, v)).sum()`")],
              "13d": lambda _: [("the tangent", "`(a.tangent - value * b.tangent) / b.value`")]},
        rules={"13a": "2: the line", "13c": "1 for each function",
               "13d": "2: the tangent. 1: one of its two terms is right"},
        forms={"13a": (("grad(guess.sum(), x, create_graph=True)",
                        "grad(guess.sum(), x, retain_graph=True, create_graph=True)",
                        "grad(guess, x, torch.ones_like(guess), create_graph=True)"),),
               "13c": (("return grad(g, p, v)[0]", "return grad((g * v).sum(), p)[0]"),
                       ("return (v * hvp(f, p, v)).sum()", "return hvp(f, p, v).norm()",
                        "return v @ hvp(f, p, v)")),
               "13d": (("return Dual(value, (a.tangent - value * b.tangent) / b.value)",
                        "return Dual(value, a.tangent / b.value - a.value * b.tangent / b.value ** 2)"),)}),
    14: OnPaper(
        "An engine that runs the node of `y` at its first message gives another gradient: `y` gets messages "
        "from two nodes.",
        half="only that `y` gets two messages, or only that the gradient is another one",
        plan="board 5, 14.1 5, error 5, 14.2 5, 14.4 6, page 4, 14c 11, picture 7, ticket 2",
        code="x = torch.tensor(3., requires_grad=True)\ny = x * x\nz = y * 4 + y\nz.backward()",
        rules={"14b": "1 for each: `save_for_backward`; the result; both slopes; both times `grad`",
               "14c": "2: four programs and their numbers. 1: two of them"},
        forms={"14b": (("return grad * b ** 3, grad * a * 3 * b ** 2",
                        "return b ** 3 * grad, 3 * a * b * b * grad"),)},
        lines={"14b": 7, "14c": 6}, keys={
            "14b": lambda _: [("`forward`", "`ctx.save_for_backward(a, b)` and `return a * b ** 3`"),
                              ("`backward`", "`a, b = ctx.saved_tensors` and `return grad * b ** 3, grad * a "
                               "* 3 * b ** 2`")],
            "14c": programs_told}),
    15: OnPaper(
        "`v` is missing: the line of `h` wasn't recorded, so `h` is a constant in the picture.",
        half="only that `v` is missing, or only that `h` is a constant",
        plan="board 7, 15.1 7, 15.2 7, 15.3 7, 15.4 7, page 4, picture 9, ticket 2",
        code="w = torch.tensor(3., requires_grad=True)\nv = torch.tensor(2., requires_grad=True)\n"
             "with torch.no_grad():\n    h = v * 4\nloss = h * w",
        lines={"15a": 1, "15b": 1, "15d": 0},
        rules={"15a": "1 for each: the line and the reason; the repair",
               "15b": "1 for each measurement, 1 for both lines"},
        keys={"15a": bugs_told("15a"), "15b": bugs_told("15b"), "15d": lambda _: [
            ("measured", "`distinct`: 1 unit of 16. `drawers`: other numbers right before the step than "
             "right after the pass."),
            ("lines", "4: all units of the first layer are equal, and stay so, as `distinct` shows. "
             "7 or 11: the drawers change between `loss.backward()` and `adam.step()`."),
            ("number", f"{last_script():.4f} without line 4, and less than 0.1 with other unequal starts")]}),
    16: OnPaper(
        "`h` was computed from `y`, so a pass from either of them ends at `w`.",
        half="only that `h` was computed from `y`, or only where a pass ends",
        plan="board 9, 16.1 12, page 8, 16b 15, picture 4, ticket 2",
        without=("16c",),
        code="w = torch.tensor(3., requires_grad=True)\ny = w * 2\nh = y ** 2",
        lines={"16b": 7},
        rules={"16b": "1 for each: the weight after two steps; the two losses; the returned loss has no "
                      "graph; the write is counted"},
        forms={"16b": (("w -= 0.5 * w.grad", "w.sub_(0.5 * w.grad)", "w.add_(w.grad, alpha=-0.5)"),
                       ("w.grad = None", "w.grad.zero_()"),
                       ("(loss + penalty).backward()", "torch.autograd.backward([loss, penalty])",
                        "loss.backward(); penalty.backward()"))}),
}


def paper_of(number: int) -> OnPaper:
    """Return what a chapter has on paper alone; a new chapter may have nothing, and then its exit ticket asks
    for one fact."""
    return ON_PAPER.get(number, OnPaper(facts=""))


def on_sheet(number: int) -> tuple[list[Question], list[Exercise]]:
    """Return the questions and the exercises that a chapter's sheet asks."""
    chapter, without = of(number), paper_of(number).without
    return ([one for one in chapter.QUESTIONS if one.id not in without],
            [one for one in chapter.EXERCISES if one.id not in without])
