"""What nbgrader runs under an exercise: an error for a wrong answer, or points for its right parts.
"""
from __future__ import annotations

from typing import Any

from .exercises import count_right, first_wrong, is_open
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


def points(key: str, answer: Any) -> tuple[int, int]:
    """(right, all): how many parts of an answer are right, and how many parts the exercise has."""
    from .chapters import exercise as find
    exercise = find(key)
    return count_right(exercise, answer, exercise.numbers(progress.read()["seat"])), exercise.parts
