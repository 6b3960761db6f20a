"""What nbgrader runs under an exercise: silent when the answer is right, an error that says what isn't."""
from __future__ import annotations

from typing import Any

from .exercises import first_wrong, is_open
from .progress import progress


def grade(key: str, answer: Any) -> None:
    """
    Raises:
        AssertionError: the answer is open, or wrong.
    """
    from .chapters import exercise as find
    exercise = find(key)
    if is_open(answer):
        raise AssertionError(f"{key}: not answered")
    if line := first_wrong(exercise, answer, exercise.numbers(progress.read()["seat"])):
        raise AssertionError(f"{key}: {line}")
