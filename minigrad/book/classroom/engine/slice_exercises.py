"""The exercises of the learner's engine, which `check` tries on small programs.

    4e1, 4e2       the first engine: four operations and what a node sends; the pass
    5e1, 5e2       gradients in the shape of their tensor; the engine for arrays
    6e to 8e       a slice at the end of each of these chapters
    9e             an optimizer for the learner's tensors
    10e1 to 10e3   what a network needs: @, relu, cross_entropy
    11e, 13e       slices for chapters that don't train: their checks don't ask for those of 9 and 10
"""
from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..exercise import Exercise, Part
from ..reading import Misread
from ..saying import kind_of
from . import SLICES, source
from .engine_checks import compare, count_passing, learner_names, minigrad_names
from .programs import Program, programs
from .single_steps import OPERATIONS_OF_4, SHAPES, STEPS
from .their_notebook import beside
from .training_programs import CROSS_ENTROPY, MATMUL, RELU
from .training_programs import SGD as SGD_PROGRAMS

GOALS = {"4e1": "Four operations, and the messages of a node",
         "4e2": "An engine for sums and products of numbers", "5e1": "Gradients in the shape of their tensor",
         "5e2": "The engine for arrays, with a start v", "6e": "The engine frees what it saved",
         "7e": "The engine with no_grad and detach", "8e": "The engine counts writes",
         "9e": "An optimizer for your tensors", "10e1": "The engine multiplies matrices",
         "10e2": "relu", "10e3": "The cross-entropy",
         "11e": "The engine calls hooks", "13e": "The engine differentiates gradients"}
ALIASES = {"4e": "4e2", "5e": "5e2", "10e": "10e3"}    # the whole slice is what its last step tries
OPERATIONS = {"__mul__", "tanh", "__sub__", "__pow__"}
ADDS = {1: OPERATIONS, 2: {"backward"}}  # by the step of 4
OF_STEPS = {"__init__", "__add__", "count", "backward", *OPERATIONS}
HINTS = {
    "4e1": ("When `a` grows by 1, by how much does `a * b` grow? This is the local derivative for `a`.",
            "Each operation returns `record(number, (input, local derivative), ...)`, as `add` does. `run` "
            "returns a list with a pair for each edge: the node of the input, and the message times the "
            "local derivative."),
    "4e2": ("What must have happened before a node may run? And what becomes of its messages?",
            "A dictionary `arrived` holds the sum of the messages to each node, and a list `ready` the nodes "
            "whose count has gone down to 0. Begin with 1.0 at `self.node`."),
    "5e1": ("Compare the two shapes from the right: `(2, 3)` with `(3,)`. Which dimension is new?",
            "Add `np.zeros(shape)` to the gradient. Sum it over the first dimension while it has too many; "
            "then over the dimensions of size 1, with `keepdims=True`."),
    "5e2": ("Where does your `backward` deliver a message? There it must have the shape of its tensor, so "
            "each node has to know that shape.",
            "Store `np.asarray(data, dtype=float)`, and a `shape` on each node. Call `fitted` where a "
            "message is delivered. The first message is `v`, or ones."),
    "6e": ("Does a product save values? Does a sum? A node can lose only what it saved.",
           "When a node has run, mark it as freed if it saved something and `retain_graph` is false. A "
           "marked node raises the error."),
    "7e": ("In the engine that `engine(\"7\")` shows, `record` makes each operation's node. What must it "
           "find out first?",
           "In `__enter__`, store the setting that you find; in `__exit__`, restore it."),
    "8e": ("When must a stored count be compared with the present one: while recording, or when the node "
           "runs?",
           "Keep the count in a list, so that `detach` can pass on the same list. A node "
           "stores the number that the list holds when the product is recorded."),
    "9e": ("Chapter 9's table of the five lines says what each call reads, and what it changes.",
           "`zero_grad` sets each `grad` to `None`. `step` writes with `add_`, under `no_grad`, and skips a "
           "parameter whose `grad` is `None`."),
    "10e1": ("The node of `x @ w` receives `g`, which has the shape of the result. Which product of `g` and "
             "`w` has the shape of `x`? Which product of `x` and `g` has the shape of `w`?",
             "Let `record` take an input, what is saved for it, and a function of the message and of what is "
             "saved. In `run`, the node calls it. For `x` it returns `g @ w.T`, and for `w` `x.T @ g`."),
    "10e2": ("By how much does the result change when a positive input changes by a little, and by how much "
             "when a negative one does?",
             "`self.data > 0` is 1 where the message passes, and 0 elsewhere. Save it as a `Tensor`, as a "
             "product saves its other factor."),
    "10e3": ("Compute the sum of `np.exp` of the scores in each row (`axis=1, keepdims=True`). The "
             "probabilities and the loss both need it.",
             "`np.arange(len(labels))` and `labels` select the right digit in each row. Copy the "
             "probabilities, subtract 1 there, divide by the number of rows, and save this for the input."),
    "11e": ("When has everything arrived that a hook should see? Find the line of `backward` that runs a "
            "node.",
            "Each node keeps a list of hooks. Before it runs, call each with the message. What a hook "
            "returns replaces the message, unless it is `None`."),
    "13e": ("Pass on a `Tensor` wherever the engine passes on an array, from `v` to the drawer. Then "
            "`record` does the rest, if `no_grad.recording` equals `create_graph` during the pass.",
            "`fitted` must record, too: it returns the array that it has computed as `record(array, (grad, "
            "None, same))`. When the message to this node is delivered, `fitted` gives it the right shape."),
}


# --- what an answer is --------------------------------------------------------------------------------------

def class_in(answer: Any, key: str) -> tuple[type, dict[str, Any]]:
    """The learner's class, and other classes that were given with it, by name.

    Raises:
        Misread: it is something else.
    """
    wanted = f'`check("{key}", Tensor)`' if key in STEP_KEYS else f"`answer_{key} = Tensor`"
    given = answer.values() if isinstance(answer, Mapping) else answer
    several = {one.__name__: one for one in given if isinstance(one, type)} if isinstance(
        answer, (tuple, list, set, frozenset, Mapping)) else {}
    if "Tensor" in several:
        return class_in(several.pop("Tensor"), key)[0], several
    if isinstance(answer, type):
        if said := no_class_of_theirs(answer):
            raise Misread(f"{said} Your answer should be the class that you wrote, {wanted}.")
        return answer, {}
    if isinstance(answer, str):
        raise Misread(f"Your answer should be your class, {wanted}, without quotation marks; it is the text "
                      f"{kind_of(answer)}.")
    if callable(answer) and hasattr(answer, "__name__"):
        raise Misread(f"Your answer should be your class, {wanted}; it is the function `{answer.__name__}`.")
    if hasattr(type(answer), "backward") or type(answer).__name__ == "Tensor":
        raise Misread(f"Your answer should be your class, {wanted}; it is one tensor, not the class that "
                      "made it.")
    raise Misread(f"Your answer should be your class, {wanted}; it is {kind_of(answer)}.")


def no_class_of_theirs(answer: type, parts: Sequence[str] = ("__add__", "backward")) -> str | None:
    """What to say to a class that the learner hasn't written, or that is a helper and has none of the parts.

    None: it may be the learner's.
    """
    for one in answer.__mro__:
        package = {"minigrad": "minigrad's", "torch": "PyTorch's"}.get(str(one.__module__).partition(".")[0])
        if package:
            inside = "" if "step" in parts else ", with an engine inside"
            return (f"This is {package} own `{answer.__name__}`{inside}." if one is answer else
                    f"Your class is built on {package} `{one.__name__}`"
                    f"{inside.replace('with', 'which has')}.")
    if getattr(builtins, answer.__name__, None) is answer:
        return f"`{answer.__name__}` is a class of Python's own."
    if isinstance(beside(answer, "Tensor"), type) and not vars(answer).keys() & {*parts} and (
            answer.__name__ not in ("Tensor", "SGD", "no_grad")):
        return f"This is the class `{answer.__name__}`."
    return None


def is_stub(function: Any) -> bool:
    """Whether a function has no body yet: `...` or `pass`."""
    if not hasattr(function, "__code__"):
        return False
    left = [one for one in dis.get_instructions(function) if one.opname not in ("RESUME", "NOP")]
    return all("CONST" in one.opname or one.opname == "RETURN_VALUE" for one in left) and all(
        one.argval is None for one in left if "CONST" in one.opname)


def not_begun(answer: Any, step: int) -> bool:
    """Whether a class is as the steps before this one of chapter 4 leave it, or as empty as the stub."""
    if not isinstance(answer, type) or answer.__bases__ != (object,) or no_class_of_theirs(answer):
        return False
    own = {name for name in vars(answer) if name in OF_STEPS or not name.startswith("__")}
    return not own or own <= OF_STEPS and not own & ADDS[step]


# --- the exercises ------------------------------------------------------------------------------------------

def reference(number: int) -> type:
    return reference_names(number)["Tensor"]


def reference_names(number: int) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(source(number), names)
    return names


def engine_exercise(key: str, judge: Callable[[Any], Iterator[Part]], example: Callable[[], Any],
                    count: int, untouched: Callable[[Any], bool] | None = None) -> Exercise:
    return Exercise(key, GOALS[key], judge=lambda answer, numbers: judge(answer),
                    example=lambda numbers: example(), hints=HINTS[key], untouched=untouched,
                    why=f"All {count} programs pass.")


def slice_exercise(key: str, number: int) -> Exercise:
    """A whole engine, on all programs up to this chapter."""
    def judge(answer: Any) -> Iterator[Part]:
        tensor, others = class_in(answer, key)
        yield part(*count_passing(programs(number), minigrad_names(), learner_names(tensor, others)))

    untouched = (lambda answer: not_begun(answer, 2)) if number == 4 else None
    return engine_exercise(key, judge, lambda: reference(number), len(list(programs(number))), untouched)


def step_exercise(step: int) -> Exercise:
    """A step before the pass. Somebody who wrote the whole engine in another way is right, too."""
    key = f"4e{step}"

    def judge(answer: Any) -> Iterator[Part]:
        tensor, others = class_in(answer, key)
        theirs, ours = learner_names(tensor, others), reference_names(4)
        passing, count, said = count_passing(STEPS[step], ours, theirs)
        every = (*programs(4), *OPERATIONS_OF_4)
        if said and hasattr(tensor, "backward") and all(
                compare(one, minigrad_names(), dict(theirs)) is None for one in every):
            said = ""
        yield part(passing, count, said)

    return engine_exercise(key, judge, lambda: reference(4), len(STEPS[step]),
                           lambda answer: not_begun(answer, step))


def shapes_exercise(key: str) -> Exercise:
    def judge(answer: Any) -> Iterator[Part]:
        if isinstance(answer, type) or not callable(answer):
            raise Misread(f'Your answer should be your function, `check("{key}", fitted)`; it is '
                          f"{kind_of(answer)}.")
        yield part(*count_passing(SHAPES, {"np": np, "fitted": reference_names(5)["fitted"]},
                                  {"np": np, "fitted": answer}))

    return engine_exercise(key, judge, lambda: reference_names(5)["fitted"], len(SHAPES), is_stub)


def part(passing: int, count: int, said: str) -> Part:
    """All programs pass if nothing is said."""
    many = f"{passing or 'none'} of {count} programs {'pass' if passing > 1 else 'passes'}"
    return Part("engine", not said, True, said and f"{said}\nSo far, {many}.")


def optimizer_in(answer: Any) -> tuple[type | None, Any, dict[str, Any]]:
    """The learner's optimizer, the class `Tensor` for which it was written, and other classes, by name.

    Raises:
        Misread: it is something else.
    """
    wanted = '`check("9e", SGD)`'
    given = list(answer.values() if isinstance(answer, Mapping) else answer) if isinstance(
        answer, (tuple, list, set, frozenset, Mapping)) else [answer]
    classes = {one.__name__: one for one in given if isinstance(one, type)}
    if not classes:
        if isinstance(answer, str):
            raise Misread(f"Your answer should be your class, {wanted}, without quotation marks; it is the "
                          f"text {kind_of(answer)}.")
        if hasattr(type(answer), "step"):
            raise Misread(f"Your answer should be your class, {wanted}; it is one optimizer, not the class "
                          "that made it.")
        raise Misread(f"Your answer should be your class, {wanted}; it is {kind_of(answer)}.")
    for one in classes.values():
        if said := no_class_of_theirs(one, parts=("step", "zero_grad")):
            raise Misread(f"{said} Your answer should be the class that you wrote, {wanted}.")
    one = next(iter(classes.values()))
    optimizer = classes.pop("SGD", None) or next(
        (one for one in classes.values() if hasattr(one, "step")), None) or beside(one, "SGD")
    tensor = classes.pop("Tensor", None) or beside(one, "Tensor")
    if optimizer is None and one.__name__ != "Tensor":
        optimizer = one
    return optimizer, tensor, classes


def judge_optimizer(answer: Any) -> Iterator[Part]:
    optimizer, tensor, others = optimizer_in(answer)
    if not isinstance(tensor, type):
        raise Misread('The check also needs your class `Tensor`; define it in your notebook, or run '
                      '`engine("9")`.')
    if not isinstance(optimizer, type):
        raise Misread("The check needs your class `SGD`; define it in your notebook.")
    names = learner_names(tensor, {**others, "SGD": optimizer})
    yield part(*count_passing(SGD_PROGRAMS, minigrad_names(), names))


def no_optimizer_yet(answer: Any) -> bool:
    """Whether a class is as empty as the stub."""
    return isinstance(answer, type) and answer.__name__ == "SGD" and answer.__bases__ == (object,) and all(
        name.startswith("__") for name in vars(answer)) and "__init__" not in vars(answer)


def operation_exercise(key: str, method: str, tried: Sequence[Program], whole: bool = False) -> Exercise:
    """An operation of chapter 10; `whole`: the engine changes for it, so all of it is tried."""
    asked = [*(programs(8) if whole else ()), *tried]

    def judge(answer: Any) -> Iterator[Part]:
        tensor, others = class_in(answer, key)
        yield part(*count_passing(asked, minigrad_names(), learner_names(tensor, others)))

    def untouched(answer: Any) -> bool:
        if not isinstance(answer, type) or no_class_of_theirs(answer) or not hasattr(answer, "__mul__"):
            return False
        return is_stub(getattr(answer, method, None)) or not hasattr(answer, method)

    return engine_exercise(key, judge, lambda: reference(10), len(asked), untouched)


STEP_KEYS = ("4e1", "4e2", "10e2", "10e3")
ENGINE_EXERCISES = {
    **{f"4e{step}": step_exercise(step) for step in STEPS}, "4e2": slice_exercise("4e2", 4),
    "5e1": shapes_exercise("5e1"), "5e2": slice_exercise("5e2", 5),
    **{f"{number}e": slice_exercise(f"{number}e", number) for number in (6, 7, 8)},
    "9e": engine_exercise("9e", judge_optimizer, lambda: reference_names(9)["SGD"], len(SGD_PROGRAMS),
                          no_optimizer_yet),
    "10e1": operation_exercise("10e1", "__matmul__", MATMUL, whole=True),
    "10e2": operation_exercise("10e2", "relu", RELU),
    "10e3": operation_exercise("10e3", "cross_entropy", CROSS_ENTROPY),
    **{f"{number}e": slice_exercise(f"{number}e", number) for number in SLICES if number > 10}}


def keys_of(chapter: int) -> tuple[str, ...]:
    """The exercises of a chapter's slice."""
    return tuple(key for key in ENGINE_EXERCISES if key.partition("e")[0] == str(chapter))


def engine_exercise_named(key: Any) -> Exercise | None:
    name = key.strip().lower() if isinstance(key, str) else ""
    return ENGINE_EXERCISES.get(ALIASES.get(name, name))
