"""Chapter 14, "Test and attack your engine": its questions and exercises."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ...classroom.engine.attacking import killed, on_fresh
from ...classroom.engine.zoo import ZOO, Mutant
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, as_lists
from ...classroom.saying import kind_of, their_line
from ...classroom.verdict import code
from ..packages import package_of

IDEAS = ("mutant", "`gradcheck", "`torch.autograd.Function`", "kills", "bug zoo")

def killed_by_square(printed: str) -> str:
    """Return what 14.4 claims, from the board: which of the first three mutants are dead."""
    dead = tuple("dead" in line for line in printed.splitlines()[:3])
    return {(False, True, False): "only the second", (True, True, True): "all three",
            (True, True, False): "the first two"}.get(dead, "others")


QUESTIONS = (
    Question("14.1", "The right engine reaches a loss of 0.0124. How many of the fourteen "
             "mutants reach it, too?", (
        Option("2: nearly every bug makes some gradient wrong", "M140",
               "Most of them need another program to show: a second pass, a hook, a write."),
        Option("6: about half of the bugs are in lines that the loop runs", "M87",
               "The loop runs nearly all of these lines, but most of the bugs change no number in it."),
        Option("11: most of the bugs change no gradient in this loop", None,
               "Only the mutants 2, 3 and 6 change a gradient here."),
    ), told="eleven|11 of|no gradient in this loop",
        explains="Mutant 4 survives because `error` gets both its messages from one node, and mutant 7 "
        "because each step makes new nodes. So you need other tests.",
        decided=lambda printed: printed.count(" 0.0124 ")),
    Question("14.2", "`p` holds 2, and `y = Kept.apply(p)`. Then 3 is written into `p` under `no_grad()`. "
             "What does `y.backward()` leave in `p.grad`?", (
        Option("12, the slope of x³ at 2", "M37",
               "`ctx.x` is another name of `p`, and no copy of its numbers."),
        Option("nothing: the pass raises an error", "M180",
               "A pass compares versions, and only those of tensors that were given to "
               "`save_for_backward`."),
        Option("27, the slope of x³ at 3", None,
               "`ctx.x` is `p`, whose number is 3 now, and nothing has kept a version of it.", claims="27"),
    ), mark="2",
             paper="The `forward` of a `Function` for x³ sets `ctx.x = x`, without `save_for_backward`, and "
       "its `backward` returns `grad * 3 * ctx.x ** 2`. `p` holds 2, and `y` is the result for `p`. Then 3 "
       "is written into `p` under `no_grad()`, and `y.backward()` is called. What is in `p.grad`?",
       told=r"tensor\(27|is 27|27 is|another name of|compares versions",
       explains="`y` is 8, and its gradient is 12. No error says that 27 is wrong. With `save_for_backward`, "
       "the pass raises the error of chapter 8, as the next cell shows.",
       decided=lambda printed: "27" if "27." in printed else printed),
    Question("14.4", "Mutant 1 overwrites what is in a drawer. Mutant 2 keeps only the last message to a "
             "node. Mutant 3 takes the wrong factor of a product. Which of them does `square` kill?", (
        Option("only the second: the node of `x` gets two messages", None,
               "The second finds 3, and the others find 6: the factors are equal, and the drawer receives "
               "one sum."),
        Option("all three: each of them computes a part of `x * x`", "M87",
               "The bug has to change the number. Here both factors are 3, and the drawer receives one "
               "number, 6."),
        Option("the first two: each of them loses a message to `x`", "M05",
               "The messages are added before they reach the drawer, so it receives 6, and nothing is "
               "overwritten."),
    ), told="factors are equal|reach the drawer|1 of 14|13 mutants|changes what the test returns",
        explains="A test kills a mutant only if the bug changes what the test returns, or raises an error.",
        decided=killed_by_square),
)


# --- 14a: where gradcheck returns True ----------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "x.relu()": lambda x: x.relu(),
    "x.clamp(min=2)": lambda x: x.clamp(min=2),
    "x.detach() * x": lambda x: x.detach() * x,
    "x.item() * x": lambda x: x.item() * x,
    "x.abs()": lambda x: x.abs(),
    "x.round()": lambda x: x.round(),
    "x.floor()": lambda x: x.floor(),
}
LINES = {  # of each kind: the lines to draw from
    "kink": ("x.relu() at 0", "x.clamp(min=2) at 2"),
    "cut": ("x.detach() * x at 3", "x.item() * x at 5"),
    "flat": ("x.round() at 2.3", "x.floor() at 4.6", "x.relu() at -2"),
    "lucky": ("x.detach() * x at 0", "x.item() * x at 0", "x.abs() at 0"),
}
NAMES = {f"line {at}": f"your answer to line {at}" for at in (1, 2, 3, 4)}
STANDARD = [LINES["flat"][0], LINES["cut"][0], LINES["lucky"][2], LINES["kink"][1]]


def draw_lines(rng: Any) -> list[str]:
    """One line of each kind, in any order, and no function twice."""
    while True:
        lines = [rng.choice(LINES[kind]) for kind in rng.sample(list(LINES), 4)]
        if len({line.partition(" at ")[0] for line in lines}) == 4:
            return lines


def passes_gradcheck(line: str) -> bool:
    text, _, number = line.partition(" at ")
    x = torch.tensor(float(number), dtype=torch.float64, requires_grad=True)
    return torch.autograd.gradcheck(FUNCTIONS[text], x, raise_exception=False)


def verdicts(lines: list[str]) -> list[bool]:
    return [passes_gradcheck(line) for line in lines]


def mistaken(kind: str) -> Callable[[list[str]], list[bool]]:
    """The answer of a learner who is wrong about the lines of one kind."""
    return lambda lines: [right != (line in LINES[kind])
                          for line, right in zip(lines, verdicts(lines), strict=True)]


# --- 14b: a Function of two tensors -------------------------------------------------------------------------

PARTS = {"value": "the result", "gradient of a": "the gradient of `a`",
         "gradient of b": "the gradient of `b`", "write": "what a write does"}
POINT = {"a": [2., -3.], "b": [5., 0.5], "v": [10., 1.]}


def product(keeps: str = "tensors", times_grad: bool = True) -> type:
    """Return a Function for a * b ** 3; the arguments make the wrong ones."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            if keeps == "tensors":
                ctx.save_for_backward(a, b)
            else:
                ctx.a, ctx.b = a, b
            return a * b ** 3

        @staticmethod
        def backward(ctx, grad):
            a, b = ctx.saved_tensors if keeps == "tensors" else (ctx.a, ctx.b)
            grad = grad if times_grad else 1.
            return grad * b ** 3, grad * a * 3 * b ** 2

    return Product


def leaves(package: Any) -> tuple[Any, Any]:
    return tuple(package.tensor(POINT[name], requires_grad=True) for name in "ab")


def works_as_a_function(answer: Any, _: Any) -> Iterator[Part]:
    if not isinstance(answer, type) or not hasattr(answer, "apply"):
        raise Misread(f"Your answer should be your class, without brackets; it is {kind_of(answer)}. It "
                      "begins with `class Product(torch.autograd.Function):`.")
    package = package_of(vars(answer).get("forward", answer))
    package = package_of(getattr(answer.forward, "__func__", answer.forward)) if package is torch else package
    a, b = leaves(package)
    want_a, want_b = leaves(torch)
    y, want = completed("Product.apply(a, b)", lambda: answer.apply(a, b)), want_a * want_b ** 3
    yield Part("value", as_lists(y), as_lists(want), f"For `a` = {POINT['a']} and `b` = {POINT['b']}, the "
               f"result should be {as_lists(want)}.")
    completed("y.backward(v)", lambda: y.backward(package.tensor(POINT["v"])))
    want.backward(torch.tensor(POINT["v"]))
    for name, got, right in (("a", a, want_a), ("b", b, want_b)):
        found = None if got.grad is None else as_lists(got.grad)
        yield Part(f"gradient of {name}", found or "none", as_lists(right.grad),
                   f"For `a` = {POINT['a']}, `b` = {POINT['b']} and `v` = {POINT['v']}, the gradient of "
                   f"`{name}` should be {as_lists(right.grad)}, and is {found}.")
    written = next((name for name in "ab" if harmed_by_a_write(answer, package, name)), "")
    yield Part("write", not written, True,
               f"A write to `{written}` between the passes made a gradient wrong, and there was no error.")


def completed(line: str, do: Callable[[], Any]) -> Any:
    """Return the result of a line, or say what PyTorch refuses about the learner's class."""
    try:
        return do()
    except (RuntimeError, TypeError, AttributeError, NotImplementedError) as error:
        if their_line(error):
            raise
        said = " ".join(str(error).split())
        raise Misread(f"With your class, `{line}` raised {code(f'{type(error).__name__}: {said}', 160)}.") \
            from None


def harmed_by_a_write(answer: Any, package: Any, name: str) -> bool:
    """Whether a write to `a` or `b` between the passes makes a gradient wrong without an error."""
    (a, b), want = leaves(package), leaves(torch)
    y = answer.apply(a, b)
    with package.no_grad():
        {"a": a, "b": b}[name].mul_(2)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    (want[0] * want[1] ** 3).sum().backward()
    return any(as_lists(got.grad) != as_lists(right.grad) for got, right in zip((a, b), want, strict=True))


# --- 14c: tests that kill mutants ---------------------------------------------------------------------------

ENOUGH = 8
BOARD = {"right engine": "what your tests expect", "mutants": "the number of dead mutants"}


def square(Tensor):
    x = Tensor(3., True)
    (x * x).backward()
    return x.grad, 6


def paths(Tensor, no_grad):
    x, w = Tensor(3., True), Tensor([1., 2.], True)
    with no_grad():
        c = x * x
    y = x * w
    z = y * w + y + c
    z.backward([0.5, 1.], retain_graph=True)
    z.backward([0.5, 1.])
    return [x.grad, w.grad], [14, [9, 30]]


def second_pass(Tensor):
    x = Tensor(3., True)
    y = x * x
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return "error", "error"
    return "no error", "error"


def sum_twice(Tensor):
    x = Tensor(3., True)
    y = x + x
    y.backward()
    y.backward()
    return x.grad, 4


def half_of_the_gradient(Tensor):
    x = Tensor(3., True)
    (x * x).backward()
    return x.grad, 3


def enough_dead(answer: Any, _: Any) -> Iterator[Part]:
    right, dead = killed(answer)
    failing = next((f"The right engine fails your test `{name}`: {one.says}. Such a test kills nothing."
                    for name, one in right.items() if not one.passed), "")
    yield Part("right engine", not failing, True, failing)
    if failing:
        return      # how many mutants are dead would be beside the point
    count = sum(map(bool, dead.values()))
    alive = next((name for name, by in dead.items() if not by), "")
    yield Part("mutants", min(count, ENOUGH), ENOUGH, f"Your tests kill {count} of {len(ZOO)} mutants; they "
               f"should kill at least {ENOUGH}. The mutant that {alive} is still alive.")


def expects_a_wrong_number(answer: Any) -> bool:
    """Whether the right engine ran a test to its end, and found something else than the test expects."""
    return any(not one.passed and one.says.startswith("it found") for one in on_fresh(answer).values())


def programs_told(_: Any) -> list[tuple[str, str]]:
    """For each mutant on paper, a program that it gets wrong."""
    return [(f"({at}) {one.name}", "`" + "; ".join(one.wrong.statements[1:]) + "`")
            for at, one in enumerate(on_sheet(), 1)]


def on_sheet() -> list[Mutant]:
    """The mutants for whom a program fits on paper."""
    return [one for at, one in enumerate(ZOO, 1) if at in (1, 3, 5, 8)]


EXERCISES = (
    Exercise("14a", "Four lines for gradcheck", NAMES, expected=verdicts, standard=STANDARD, draw=draw_lines,
             truths=("For {name}, `gradcheck` doesn't return `True`.",
                     "For {name}, `gradcheck` returns `True`."),
             paper="Each line is a function of `x`, and a number. Does `gradcheck` return `True` for this "
             "function at this number? Answer *True* or *False*.",
             hints=("What do you find by nudging to both sides of the number? What does PyTorch's backward "
                    "pass give there?",
                    "`x.detach()` and `x.item()` are constants for a backward pass, but a nudge changes "
                    "them."),
             why="`x.detach() * x` passes at 0 and fails at 3, so check an operation of your own at several "
             "numbers. At its bound, the gradient of `clamp` is 1 in PyTorch 2.13.0 and 0 in 2.14.1. Nudging "
             "finds 0.5, so the answer is the same in both.",
             wrong=(Wrong(mistaken("kink"), None,
                          "The slope jumps there: nudging finds the mean of two slopes, and PyTorch "
                          "returns one of the two."),
                    Wrong(mistaken("cut"), "M45",
                          "The backward pass treats a part of the line as a constant, and a nudge changes "
                          "that part."),
                    Wrong(mistaken("flat"), None,
                          "A small nudge doesn't change the result there, and the gradient is also 0."),
                    Wrong(mistaken("lucky"), None,
                          "At this number, both ways find 0."))),
    Exercise("14c", f"Kill {ENOUGH} mutants", BOARD, judge=enough_dead,
             example=lambda _: [square, second_pass, sum_twice, paths],
             paper="`x` is a leaf with the value 3. For each of these mutants, write a program of at most "
             "four lines that it gets wrong, and the right `x.grad`. The mutant " + "; ".join(
                 f"({at}) {one.name}" for at, one in enumerate(on_sheet(), 1)) + ".",
             hints=("Read the program that a mutant gets right. What must change, so that the bug changes a "
                    "number? Other factors, another `v`, a second pass?",
                    "For 3, 4, 5 and 6, one test is enough, with two factors that differ, broadcasting, a "
                    "result that is used twice, and `v` = 0.5."),
             why="These tests know nothing of the source, so they can test every engine: the chapter "
             "now runs them on yours, and on minigrad.",
             wrong=(Wrong(lambda _: [square], "M87",
                          "The bug has to change what the test returns. With `x * x` in one pass, "
                          "most bugs change nothing.", paper="`(x * x).backward()`, and 6"),
                    Wrong(lambda _: [half_of_the_gradient], None,
                          "Compute by hand what it should find.", fits=expects_a_wrong_number,
                          paper="another number than `x.grad`"))),
    Exercise("14b", "A Function of two tensors", PARTS, judge=works_as_a_function,
             example=lambda _: product(),
             paper="Write the two functions of a `torch.autograd.Function` for `y = a * b ** 3`. A write to "
             "`a` or `b` between the passes must raise an error if it would make a gradient wrong.",
             hints=("The slopes are b³ for `a`, and 3ab² for `b`. Both need saved values.",
                    "`backward(ctx, grad)` multiplies each slope by `grad`, and returns a pair: first the "
                    "gradient of `a`."),
             why="Now you can put any computation into a graph, even one that can't be recorded, if you "
             "know its slopes.",
             wrong=(Wrong(lambda _: product(keeps="ctx"), None,
                          "What is kept as `ctx.a` has no version. Use `save_for_backward`.",
                          paper="`ctx.a, ctx.b = a, b` in `forward`"),
                    Wrong(lambda _: product(times_grad=False), None,
                          "Multiply each slope by `grad`, the message that the node received.",
                          paper="`return b ** 3, a * 3 * b ** 2`"))),
)
