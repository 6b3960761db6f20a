"""The exercises "4e" to "13e": the slices of the engine, which `check` tries on small programs."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..exercises import Exercise, Part
from ..reading import Misread
from ..saying import kind_of
from . import SLICES, source
from .checking import difference
from .programs import programs

GOALS = {4: "An engine for sums and products of numbers", 5: "The engine for arrays, with a start v",
         6: "The engine frees what it saved", 7: "The engine with no_grad and detach",
         8: "The engine counts writes", 11: "The engine calls hooks",
         13: "The engine differentiates gradients"}
HINTS = {
    4: ("Draw the graph of prediction 4.2, and write on each node how many messages it must receive.",
        "Count first, in a dictionary `waiting`. A node is ready when its count has gone down to 0."),
    5: ("Compare shapes: a gradient must have the shape of its tensor when it arrives.",
        "Add `np.zeros(shape)` to the gradient. Sum it over the dimensions that were added or stretched."),
    6: ("Does a product save values? Does a sum? A node can lose only what it saved.",
        "When a node has run, mark it as freed if it saved something and `retain_graph` is false. A marked "
        "node raises the error."),
    7: ("In the engine that `engine(\"7\")` shows, `record` makes each operation's node. What must it find "
        "out first?",
        "In `__enter__`, store the setting that you find; in `__exit__`, restore it."),
    8: ("When must a stored count be compared with the present one: while recording, or when the node runs?",
        "Keep the count in a list, so that `detach` can pass on the same list. A node "
        "stores the number that the list holds when the product is recorded."),
    11: ("When has everything arrived that a hook should see? Find the line of `backward` that runs a node.",
         "Each node keeps a list of hooks. Before it runs, call each with the message. What a hook returns "
         "replaces the message, unless it is `None`."),
    13: ("A gradient can be differentiated if it was computed by operations that record.",
         "Pass on a `Tensor` wherever the engine passes on an array, from `v` to the drawer. Then `record` "
         "does the rest, if `no_grad.recording` equals `create_graph` during the pass."),
}


def engine_exercise(number: int) -> Exercise:
    """The exercise with the slice of a chapter."""
    key = f"{number}e"

    def judge(answer: Any, numbers: Any) -> Iterator[Part]:
        if not isinstance(answer, type):
            raise Misread(f"Your answer should be your class, `answer_{key} = Tensor`; "
                          f"it is {kind_of(answer)}.")
        said = next(filter(None, (difference(one, answer) for one in programs(number))), "")
        yield Part("engine", not said, True, said)

    return Exercise(key, GOALS[number], judge=judge, example=lambda numbers: reference(number),
                    hints=HINTS[number])


def reference(number: int) -> type:
    names: dict[str, Any] = {}
    exec(source(number), names)
    return names["Tensor"]


ENGINE_EXERCISES = {f"{number}e": engine_exercise(number) for number in SLICES}
