"""Compare a learner's answer with what the engine says, part by part, and say what to look at.

    check("6b", answer)     shows  □ not answered yet   ✗ not yet, and what is wrong   ✓ right

`reading.py` says what an answer means, `comparing.py` whether a part of it is right, `judging.py` which parts
are, and `saying.py` what is wrong. `check` never raises; a function of the learner's that raises is told
about like any other wrong answer.
"""
from __future__ import annotations

from typing import Any

from .exercise import Exercise
from .helping import found, may_see, with_buttons
from .judging import judge, untouched
from .printed import was_printed
from .progress import progress
from .showing import somebody_is_there
from .verdict import NOT_ANSWERED, NOT_YET, RIGHT, both, show

PRINTED_ANSWER = ("Your answer is `None`: `print` shows a value, and returns `None`. Store the value "
                  "itself, without `print`.")


def check(key: str, answer: Any = None) -> None:
    """Say whether `answer` is right. Numbers, tensors, arrays, lists, sets, dicts, strings and functions."""
    if exercise := found(key):
        said = judged(exercise, answer)
        if said[0] == NOT_YET and somebody_is_there():
            with_buttons(exercise, both(*said))._ipython_display_()
        else:
            show(*said)


def judged(exercise: Exercise, answer: Any) -> tuple[str, ...]:
    """What `check` shows: the kind of verdict, the exercise, paragraphs. The attempt is counted."""
    if untouched(exercise, answer):
        says = exercise.unchanged
        if answer is None:
            says = PRINTED_ANSWER if was_printed(exercise.id) else ""
        return NOT_ANSWERED, exercise.id, *filter(None, [says])
    judgement = judge(exercise, answer, exercise.numbers(progress.read()["seat"]))
    right, before = not judgement.says, progress.read()["attempts"].get(exercise.id, {})
    belief = judgement.wrong.belief if judgement.wrong else None
    facts = {"belief": belief, "wrong": before.get("wrong", {}) | judgement.mistakes}
    progress.change("attempts", exercise.id, tries=before.get("tries", 0) + 1,
                    right=right or bool(before.get("right")),  # what was right once stays right
                    real=judgement.real or bool(before.get("real")),
                    **{name: fact for name, fact in facts.items() if fact})
    if right:
        return RIGHT, exercise.id, *exercise.why.splitlines()
    shows = "" if not may_see(exercise.id) else f' `solution("{exercise.id}")` shows one way.'
    return NOT_YET, exercise.id, *judgement.says, f'`hint("{exercise.id}")` gives a hint.{shows}'
