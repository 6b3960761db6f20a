"""Chapter 7, "Look away": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator

import minigrad as torch

from ..claims import claim
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import as_lists
from ..saying import kind_of

QUESTIONS = (
    Question("7.1", "`x` is 1. `y1 = x ** 2` is recorded, `y2 = x ** 3` runs under `no_grad`, and "
             "`y3 = y1 + y2`. After `y3.backward()`, what is `x.grad`?", (
        Option("2: `y2` counts as a constant", None, "Only `y1` leads back to `x`."),
        Option("5: `backward()` finds both terms", "M07",
               "`backward()` reads what was recorded, and of `y2` nothing was."),
        Option("`None`: `no_grad` has switched `x` off", "M17",
               "`x` still asks for slopes; only the line inside left no record."),
    )),
    Question("7.2", "`model.eval()` was called. Is `model(...)` recorded?", (
        Option("no: that is what `eval()` is for", "M16", "`eval()` changes how some layers compute."),
        Option("yes, as before", None, "Recording is another switch."),
        Option("only its layers without `Dropout`", "M16",
               "`eval()` makes `Dropout` let everything through; all of it is recorded."),
    )),
    Question("7.3", "`(x * x).exp().sin()` for 1000 numbers of 4 bytes. How much do the operations hold just "
             "before you call `.detach()` on the result?", (
        Option("nothing: the result is going to be detached", "M15",
               "While the lines run, nobody knows what you will do with their result."),
        Option("4000 bytes: the result", "M44",
               "The slope of `sin` needs its input, and that of `x * x` needs `x`: not the result."),
        Option("8000 bytes: `x`, and the result of `exp`", None,
               "`sin` needs what `exp` gave, so that tensor is saved for both."),
    )),
)


def gradients_arrive(numbers) -> list[bool]:
    layers = [torch.nn.Linear(2, 2) for _ in range(4)]
    layers[numbers["frozen"] - 1].requires_grad_(False)
    h = torch.ones(1, 2)
    for number, layer in enumerate(layers, 1):
        h = layer(h)
        h = h.detach() if number == numbers["cut"] else h
    h.sum().backward()
    return [layer.weight.grad is not None for layer in layers]


def draw_layers(rng) -> dict[str, int]:
    """Numbers for which a wrong belief gives another answer than a right one."""
    cut, frozen = rng.choice(((1, 3), (1, 4), (2, 4), (3, 2)))
    return {"cut": cut, "frozen": frozen}


def held(result) -> int:
    """The bytes that the record of `result` keeps, each memory once."""
    todo, found = [result.grad_fn] if result.grad_fn else [], {}
    for node in todo:
        for name in dir(node):
            value = getattr(node, name) if name.startswith("_saved_") else None
            if isinstance(value, torch.Tensor):
                found[value.data_ptr()] = value.nbytes
        todo += [after for after, _ in node.next_functions if after]
    return sum(found.values())


def two_costs(elements: int) -> list[int]:
    x = torch.ones(elements, requires_grad=True)
    before = held((x * x).exp().sin())
    with torch.no_grad():
        return [before, held((x * x).exp().sin())]


def weighed(witness, elements, torch) -> Iterator[Part]:
    """7b: the witness is given leaves of other sizes, too; one has elements of 8 bytes."""
    for count, dtype, size in ((elements, torch.float32, 4), (elements + 11, torch.float64, 8)):
        found = as_lists(witness(torch.ones(count, dtype=dtype, requires_grad=True)))
        yield Part("witness", found, [2 * size * count, 0], f"For {count} elements of {size} bytes your "
                   f"witness returned {kind_of(found)}. It should return two numbers of bytes: before "
                   "`detach()`, and under `no_grad`, measured with the `x` that it is given.")


LINES = ("sealed + x", "sealed * x", "y.requires_grad_(False)", "y.detach_()", "y.numpy()",
         "y.detach().numpy()", "y.tolist()")


def refused(_=None) -> set[str]:
    found = set()
    for line in LINES:
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        with torch.inference_mode():
            sealed = x * 2
        try:
            eval(line, {"x": x, "y": y, "sealed": sealed})
        except RuntimeError:
            found.add(line)
    return found


EXERCISES = (
    Exercise("7a", "Which layers get a gradient?", {f"layer {at}": f"layer {at}" for at in (1, 2, 3, 4)},
             truths=("No gradient is kept for the weights of {name}.",
                     "The weights of {name} do get a gradient."),
             paper="Four layers, one after the other. After one of them the result is detached (the cut), "
             "and one is frozen: its weights have `requires_grad_(False)`. Then a pass back. Which layers "
             "have a `weight.grad`? Write *true* or *false*.",
             expected=gradients_arrive, standard={"cut": 1, "frozen": 3}, draw=draw_layers,
             hints=("A message starts at layer 4. How far does it get?",
                    "The frozen layer lets messages through; the cut doesn't."),
             wrong=(Wrong(lambda numbers: [at > numbers["frozen"] for at in (1, 2, 3, 4)], None,
                          "Messages pass through a frozen layer."),
                    Wrong(lambda numbers: [at != numbers["frozen"] for at in (1, 2, 3, 4)], "M45",
                          "Past a cut, no message travels."))),
    claim("7b", "detach() at the end costs more memory than no_grad", "x", weighed, two_costs,
          verdict="true", belief="M15",
          paper="\"`detach()` at the end costs more memory than `no_grad`.\" Your verdict, and a witness: "
          "the bytes that `(x * x).exp().sin()` holds just before `detach()`, and those under `no_grad`, for "
          "your sheet's number of elements of 4 bytes each.",
          standard=300, draw=lambda rng: 100 * rng.randint(5, 40),
          hints=("`held()` counts what a record keeps: call it on the result before you detach it.",
                 "The first number is 8 bytes per element; under `no_grad` there is no record.")),
    Exercise("7c", "Which lines raise an error?", expected=refused, choices=LINES,
             paper="`x` is a leaf that asks for slopes, `y = x * 2`, and `sealed` is `x * 2`, made in "
             "`inference_mode`. Which of these lines raise an error? Tick them.",
             hints=("Which of them would lose slopes silently, or un-write a record?",
                    "An inference tensor may be used where nothing is saved; three lines raise."),
             wrong=(Wrong(lambda _: {*refused(), "sealed + x"}, None,
                          "An addition saves nothing, so the inference tensor is only read."),
                    Wrong(lambda _: {*refused(), "y.tolist()"}, None, "A list of numbers is only read."))),
)
