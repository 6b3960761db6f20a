"""Chapter 12, "Hunting a NaN and silent bugs": its questions and exercises."""
from __future__ import annotations

import contextlib
import inspect
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import minigrad as torch

from ...classroom.deciding import numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread
from ...classroom.saying import kind_of
from ..packages import package_of

IDEAS = ("NaN", "double where", "input-free baseline", "dead ReLU", "`why(x)`", "`watch()`")


def named(number: float) -> str:
    """Return a number as the options write it."""
    return "NaN" if number != number else "infinity" if number == float("inf") else f"{number:g}"


def as_named(printed: str) -> list[str]:
    return [named(number) for number in numbers(printed)]


MOVED = {("2.bias",): "only the bias after the ReLU",
         ("2.weight", "2.bias"): "the weight and the bias after the ReLU",
         ("0.weight", "0.bias", "2.weight", "2.bias"): "all four parameters of the model"}


def which_moved(printed: str) -> str:
    """Return what 12.4 claims, from the parameters that moved."""
    found = tuple(re.findall(r"(\S+) moved: True", printed))
    return MOVED.get(found, " and ".join(found))


def shape_and_slope(printed: str) -> str:
    """Return what 12.5 claims, from the slope after training and the shape of the differences."""
    slope, shape = float(printed.split()[1]), re.search(r"\[(.*)\]", printed)[1]
    return f"({shape}), and the slope {'rises towards 3' if slope > 1 else 'falls towards 0'}"


QUESTIONS = (
    Question("12.2", "`x1` is -1, so `relu` returns 0, and its node receives infinity. What is `x1.grad` in "
             "the book's engine, and in PyTorch?", (
        Option("NaN in the book's engine, 0 in PyTorch", None,
               "0 times infinity is NaN. PyTorch's node of `relu` **selects**: it sends 0 where its input is "
               "at most 0, and passes the message on elsewhere.", claims="NaN and 0"),
        Option("0 in the book's engine, 0 in PyTorch", "M27",
               "The book's engine multiplies infinity by 0. That is NaN, although every result of the "
               "forward pass is finite.", claims="0 and 0"),
        Option("NaN in the book's engine, NaN in PyTorch", "M120",
               "PyTorch's node of `relu` computes no product with the local derivative 0.",
               claims="NaN and NaN"),
    ), told=r"selects?\b|[Ss]election|sends 0 where|computes no product|(?i:nan) in the book's engine",
             explains="With finite messages, both ways give the same, so chapter 4 could say that every node "
             "multiplies.",
             paper="`x` is -1, so `relu` returns 0, and its node receives infinity. One engine "
             "sends `message * (x > 0)`. Another one, PyTorch's, sends `where(x <= 0, 0., message)`, which "
             "is 0 where the condition is true, and `message` elsewhere. What is the gradient of `x` in the "
             "first engine, and in PyTorch?",
             decided=lambda printed: " and ".join(as_named(printed.splitlines()[-1])), mark="2"),
    Question("12.3", "`t` is [0, 4], so `torch.where(t > 0, t.sqrt(), 0.)` is [0, 2]. What is `t.grad` after "
             "a backward pass from its sum?", (
        Option("[0, 0.25], because `sqrt` at 0 wasn't chosen", "M28",
               "`sqrt` is computed and differentiated at 0 as well, and 0 times infinity is NaN.",
               claims="[0, 0.25]"),
        Option("[NaN, 0.25], because `sqrt` at 0 receives a 0", None,
               "`where` sends 0 to `sqrt` there, and 0 times infinity is NaN.", claims="[NaN, 0.25]"),
        Option("[infinity, 0.25], because `sqrt` at 0 receives a 1", "M49",
               "`where` sends 1 only to the numbers that it chose, and 0 to the others.",
               claims="[infinity, 0.25]"),
    ), told=r"receives a 0|receives the message 0|sends 0 to|double where",
             explains="In 12.2, the pass met the selection after the root, and it removed the infinity. Here "
             "it comes first, and the 0 meets the infinity. Choose what `sqrt` "
             "receives: `torch.where(t > 0, t, 1.).sqrt()` has a finite local derivative. Its result at 0 "
             "is 1, so choose the result, too.",
             decided=lambda printed: f"[{', '.join(as_named(printed))}]"),
    Question("12.4", "In a network `Linear(1, 3)`, `ReLU`, `Linear(3, 1)`, all inputs of the ReLU are "
             "negative, for every point. The loss falls in each of 5 steps. Which parameters change?", (
        Option("all four parameters of the model", "M78",
               "One parameter that moves can be enough to make the loss fall."),
        Option("only the bias after the ReLU", None,
               "This bias is added after the ReLU, so its gradient isn't multiplied by a 0."),
        Option("the weight and the bias after the ReLU", "M79",
               "The gradient of that weight is a product with the results of the ReLU, which are all 0."),
    ), told="after the ReLU|[Dd]ead ReLU|moved: True|every parameter learns|only zeros",
             explains="The node of the ReLU sends only zeros, so the first layer gets zeros. The next weight "
             "is multiplied by the results of the ReLU, which are 0, so its gradient is 0 as well. So a "
             "falling loss doesn't show that every parameter learns.",
             decided=which_moved),
    Question("12.5", "In `fit(column, target)`, the model's result has the shape (9, 1), and `target` (9,). "
             "What shape does their difference have, and where does the slope go?", (
        Option("(9, 1), and the slope rises towards 3", "M20",
               "Broadcasting stretches both to (9, 9), and raises no error."),
        Option("(9, 9), and the slope rises towards 3", "M20",
               "72 of the 81 differences compare a result with the target of another point, and no error "
               "says so."),
        Option("(9, 9), and the slope falls towards 0", None,
               "Broadcasting compares each result with every target."),
    ), told=r"\(9, 9\)|every target|slope falls|81 differences|towards 0",
             explains="The best result is the mean of all targets, whatever the input is, so the slope "
             "falls towards 0.",
             paper="Nine points lie close to a line with the slope 3. A model starts with the slope 1. In "
             "its loss, `((w * x + b - target) ** 2).mean()`, `w * x + b` has the shape (9, 1), and `target` "
             "(9,). What shape does their difference have, and where does the slope go in training?",
             decided=shape_and_slope),
)


# --- 12a: an entropy with a finite gradient -----------------------------------------------------------------

SHARES = [0.5, 0., 0.125, 0.375]
OF_ENTROPY = {"value": "the entropy", "above": "the gradient where p is above 0",
              "zero": "the gradient where p is 0"}


def entropy(p):
    return -(p * (p + (p == 0)).log()).sum()


def unchanged(p):
    return -(p * p.log()).sum()


def chosen_late(p):
    return -torch.where(p > 0, p * p.log(), 0.).sum()


def a_little_more(p):
    return -(p * (p + 1e-6).log()).sum()


def function_of(answer: Any, name: str, takes: str) -> Any:
    """The package that a learner's function uses; a misread answer, if it is no such function."""
    if not callable(answer):
        is_text = isinstance(answer, str)
        found = f"a text: leave out the quotes of `{answer}`" if is_text else kind_of(answer)
        raise Misread(f"Your answer should be a function; it is {found}. Write `def {name}({takes}):`, and "
                      "give its name without calling it.")
    try:
        inspect.signature(answer).bind(*takes.split(", "))
    except TypeError:
        raise Misread(f"Your function should take `{takes}`.") from None
    return package_of(answer)


def called(function: Any, *given: Any) -> Any:
    """What a learner's function returns, without what it prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*given)


def value_and_gradients(answer: Any, _: Any) -> Iterator[Part]:
    package = function_of(answer, "entropy", "p")
    p, right = package.tensor(SHARES, requires_grad=True), torch.tensor(SHARES, requires_grad=True)
    result, want = called(answer, p), entropy(right)
    if getattr(result, "grad_fn", None) is None or result.numel() != 1:
        raise Misread("Your function should return a tensor with one number, computed from `p`.")
    result.sum().backward()
    want.backward()
    if p.grad is None:
        raise Misread("With your function, `p.grad` is `None` after a backward pass.")
    says = "For p = [0.5, 0, 0.125, 0.375], {} should be {}, and yours is {}."

    def part(name: str, got: list[float], wants: list[float]) -> Part:
        told = says.format(OF_ENTROPY[name], in_words(wants), in_words(got))
        return Part(name, got, wants, told)

    got, wants = p.grad.tolist(), right.grad.tolist()
    yield part("value", [result.item()], [want.item()])
    yield part("above", [got[0], *got[2:]], [wants[0], *wants[2:]])
    yield part("zero", [got[1]], [0.])


def in_words(numbers: list[float]) -> str:
    return ", ".join(f"{number:.4g}".replace("nan", "NaN") for number in numbers)


# --- 12b: a doctor, judged on nine patients -----------------------------------------------------------------

class Patient(NamedTuple):
    """A model, its optimizer and a loss that was just computed; `name` is the parameter to look at."""

    model: Any
    opt: Any
    loss: Any
    name: str


WORDS = {"None": "the word for a parameter that got no gradient",
         "NaN": "the word for a gradient with a NaN", "infinite": "the word for an infinite gradient",
         "zero": "the word for a gradient of zeros",
         "huge": "the word for a huge gradient",
         "not in the optimizer": "the word for a parameter that no optimizer holds",
         "didn't move": "the word for a parameter that the step leaves as it was",
         "ok": "the word for a healthy parameter",
         "one zero": "the word for a healthy parameter with one 0 in its gradient"}
POINTS = [[place / 4 + 0.25] for place in range(9)]     # none is negative: infinities have one sign


def word_of(illness: str) -> str:
    """What a doctor should say of this key of WORDS."""
    return {"infinite": "NaN", "one zero": "ok"}.get(illness, illness)


WORDS_OF_TABLE = {word_of(illness) for illness in WORDS}


def patient(word: str, package: Any) -> Patient:
    """A model with a parameter that has this illness, a key of WORDS."""
    if word == "one zero":
        return patient_with_one_zero(package)
    layers = [package.nn.Linear(1, 1) for _ in range(2)]
    model = package.nn.Sequential(layers[0], package.nn.Tanh(), layers[1])
    x = package.tensor(POINTS)
    with package.no_grad():
        for layer in layers:  # equal numbers, so that `p in held` finds a parameter that isn't held
            layer.weight.fill_(0.5)
            layer.bias.fill_(0.25)
    (1e9 * model(x) ** 2).sum().backward()  # an earlier pass, whose gradients are still there
    held = layers[1].parameters() if word == "not in the optimizer" else model.parameters()
    opt = package.optim.SGD(held, lr=0. if word in ("not in the optimizer", "didn't move") else 0.1)
    middle = model[1](layers[0](x))
    y = layers[1](middle.detach() if word == "None" else middle)
    losses = {"NaN": lambda: ((y - y.detach()) ** 2).sqrt(), "zero": lambda: y.softmax(1),
              "infinite": lambda: (y - y.detach()) * 1e30 * 1e30, "huge": lambda: y * 1e9}
    loss = losses.get(word, lambda: (y - 3 * x) ** 2)().mean()
    return Patient(model, opt, loss, "0.weight")


def patient_with_one_zero(package: Any) -> Patient:
    """Return a model with one parameter: its gradient is [g, 0, -g], with the sum 0; two numbers move."""
    model = package.nn.Sequential(package.nn.Linear(3, 1, bias=False))
    data = package.tensor([[number, 0., -number] for number, in POINTS])
    loss = (model(data) - package.tensor(POINTS)).sum()
    return Patient(model, package.optim.SGD(model.parameters(), lr=0.1), loss, "0.weight")


def doctor(model, opt, loss, empties=True, copies=True, steps=True, by_id=True, all_zeros=True,
           asks_first="None"):
    """A right answer; the flags make the mistakes that people make."""
    if empties:
        model.zero_grad()
    loss.backward()
    before = [p.detach().clone() if copies else p.detach() for p in model.parameters()]
    if steps:
        opt.step()
    held = [p for group in opt.param_groups for p in group["params"]]

    def is_held(p):
        return any(p is one or not by_id and (p == one).all() for one in held)

    found = {}
    for (name, p), old in zip(model.named_parameters(), before, strict=True):
        tests = {"None": lambda p: p.grad is None, "NaN": lambda p: not p.grad.isfinite().all(),
                 "zero": lambda p: (p.grad == 0).all() if all_zeros else (p.grad == 0).any(),
                 "huge": lambda p: p.grad.norm() > 1e6,
                 "not in the optimizer": lambda p: not is_held(p),
                 "didn't move": lambda p, old=old: (p == old).all()}
        tests = {word: tests[word] for word in sorted(tests, key=asks_first.__ne__)}
        found[name] = next((word for word, test in tests.items() if test(p)), "ok")
    return found


def all_patients(answer: Any, _: Any) -> Iterator[Part]:
    package = function_of(answer, "doctor", "model, opt, loss")
    for word, phrase in WORDS.items():
        ill = patient(word, package)
        found = called(answer, ill.model, ill.opt, ill.loss)
        if not isinstance(found, Mapping):
            own = type(found).__module__ not in ("builtins", package.__name__)
            what = f"an object of the class {type(found).__name__}" if own else kind_of(found)
            raise Misread(f"Your doctor should return a dict from names to words; it returned {what}.")
        if ill.name not in found:
            raise Misread("The keys of your dict should be the names that `model.named_parameters()` gives, "
                          f"such as `{ill.name}`.")
        said = found[ill.name]
        if isinstance(said, str) and said not in WORDS_OF_TABLE:
            raise Misread(f'Your doctor said "{said}", which is none of the words in the table.')
        yield Part(word, said, word_of(word),
                   f'For {phrase.removeprefix("the word for ")}, your doctor said "{said}".')


def wrong_patients(answer: Any) -> list[str]:
    return [part.name for part in all_patients(answer, None) if part.got != part.want]


def only_the_step_is_missing(answer: Any) -> bool:
    """Whether a doctor is right about all patients but the healthy ones, because it makes no step."""
    wrong = wrong_patients(answer)
    ill = patient("ok", package_of(answer))
    before = [p.detach().clone() for p in ill.model.parameters()]
    called(answer, ill.model, ill.opt, ill.loss)
    moved = any((p != old).any() for p, old in zip(ill.model.parameters(), before, strict=True))
    return wrong == ["ok", "one zero"] and not moved


# --- 12c: the line at which a NaN starts --------------------------------------------------------------------

OF_THE_HUNT = {"(1) line": "the number of the line", "(2) place": "the place of the number",
               "(3) residual": "the residual at that place"}


def residuals_at_the_start() -> list[float]:
    """Return the residuals of the nine points for w = 1 and b = 0."""
    return [round(x - target, 2) for x, target in zip(*points(), strict=True)]


def where_it_starts(_: Any) -> list[float]:
    """Return the line of the root, and the place at which the residual is 0."""
    residuals = residuals_at_the_start()
    return [3, residuals.index(0.), 0.]


EXERCISES = (
    Exercise("12c", "The line at which a NaN starts", OF_THE_HUNT, expected=where_it_starts,
             paper="The loss of the nine points is the mean of log(1 + size), in five lines: line 1 "
             "computes the residuals, 2 their squares, 3 the root of the squares, 4 the logarithm of 1 + the "
             "root, and 5 the mean. The residuals are " + ", ".join(f"{one:g}" for one in
                                                                    residuals_at_the_start()) +
             ". The nodes of one line receive finite numbers, but send one that isn't. Which line (1)? At "
             "which place from 0 to 8 (2)? What is the residual there (3)?",
             hints=("The pass goes through the lines from 5 to 1. A hook of `size` prints what the nodes of "
                    "line 4 send, and what the node of line 3 receives.",
                    "Register hooks on `logs`, `size`, `square` and `residual`, before the line "
                    "`loss.backward()`. Which is the first to print `inf` or `nan`?"),
             wrong=(Wrong(lambda _: {"(1) line": 2}, None,
                          "Line 2 sends the first NaN. What has its node received? See a hook of `square`."),
                    Wrong(lambda _: {"(1) line": 1}, None,
                          "The nodes of line 1 have received a NaN already. See a hook of `residual`."),
                    Wrong(lambda _: {"(1) line": 4}, None,
                          "What the nodes of line 4 send is finite. See a hook of `size`."),
                    Wrong(lambda _: {"(2) place": 4}, None,
                          "The first place has the number 0.")),
             why="With a few hooks, you can find such a line in plain PyTorch."),
    Exercise("12a", "An entropy with a finite gradient", OF_ENTROPY, judge=value_and_gradients,
             example=lambda _: entropy,
             paper="The function `entropy(p)` should return −Σ p log p. An element that is 0 should add 0 to "
             "the sum, and its gradient should be 0. Rewrite `-(p * p.log()).sum()`.",
             hints=("`log` should never receive a 0.",
                    "Choose its input with `torch.where`: which safe input has the logarithm 0?"),
             wrong=(Wrong(lambda _: chosen_late, "M28",
                          "The logarithm is computed and differentiated at 0 as well. Choose its input.",
                          paper="`-torch.where(p > 0, p * p.log(), 0.).sum()`"),
                    Wrong(lambda _: a_little_more, None,
                          "With a small number added, the gradient at 0 is finite, but it isn't 0.",
                          paper="`-(p * (p + 1e-6).log()).sum()`"),
                    Wrong(lambda _: unchanged, None,
                          "0 times the logarithm of 0 is NaN. Give the logarithm another input there.",
                          paper="`-(p * p.log()).sum()`")),
             why="The entropy says how undecided a classifier is; with your function, its gradient stays "
             "finite even where a probability has become 0."),
    Exercise("12b", "A doctor for models", WORDS, judge=all_patients, example=lambda _: doctor,
             paper="`doctor(model, opt, loss)` empties the drawers of the model, runs a backward pass and a "
             "step, and returns a word for each parameter. Write the tests for *NaN*, *not in the optimizer* "
             "and *didn't move*.",
             hints=("Copy the parameters before the step: `p.detach().clone()`.",
                    "The groups hold tensors. Compare `id(p)`, as `p in list` compares numbers."),
             wrong=(Wrong(lambda _: lambda *given: doctor(*given, steps=False), None,
                          "No parameter has moved, because your doctor doesn't call `opt.step()`.",
                          fits=lambda answer: only_the_step_is_missing(answer),
                          paper="no `opt.step()`"),
                    Wrong(lambda _: lambda *given: doctor(*given, all_zeros=False), None,
                          "The words `zero` and `didn't move` are about all numbers of a parameter. "
                          "In this gradient, one number is 0, and the others aren't.",
                          fits=lambda answer: wrong_patients(answer) == ["one zero"],
                          paper="`(p == old).any()` for *didn't move*"),
                    Wrong(lambda _: lambda *given: doctor(*given, copies=False), "M82",
                          "What it returns changes with the parameter. Call `clone()`, before the step.",
                          paper="`old` is `p.detach()`"),
                    Wrong(lambda _: lambda *given: doctor(*given, empties=False), None,
                          "That gradient is from an earlier pass. Empty the drawers of the model first.",
                          paper="no `model.zero_grad()`"),
                    Wrong(lambda _: lambda *given: doctor(*given, by_id=False), None,
                          "`p in list` compares numbers, and another parameter has equal ones. Use `id(p)`.",
                          paper="`p not in group[\"params\"]`"),
                    Wrong(lambda _: lambda *given: doctor(*given, asks_first="didn't move"), None,
                          "Test in the order of the table: a parameter with another fault may not "
                          "move either.", paper="the test for *didn't move* comes first")),
             why="Run your doctor once at the start of a training, and it names the parameters that a "
             "falling loss hides."),
)
