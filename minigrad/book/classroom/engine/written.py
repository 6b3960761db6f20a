"""Whether a learner has written all steps of a slice, so that a cell below them can run."""
from __future__ import annotations

from typing import Any

from ..judging import judge
from ..progress import progress
from .slice_exercises import ENGINE_EXERCISES


def is_written(slice_: str, answer: Any) -> bool:
    """Return whether no step of a slice is missing or a stub; if one is, print which.

        if is_written("10e", Tensor):
            ...

    Where a step is written and its check finds a mistake, a line says so, and the answer is True.
    """
    steps = {key: exercise for key, exercise in ENGINE_EXERCISES.items() if key.startswith(slice_)}
    missing = [key for key, exercise in steps.items()
               if exercise.untouched and exercise.untouched(answer)]
    if missing:
        print(f"Write {' and '.join(missing)} first, and then run this cell again.")
        return False
    seat = progress.read()["seat"]
    wrong = [key for key, exercise in steps.items()
             if judge(exercise, answer, exercise.numbers(seat)).says]
    if wrong:
        print(f"The check of {' and '.join(wrong)} finds a mistake, so what follows may be wrong, too.")
    return True
