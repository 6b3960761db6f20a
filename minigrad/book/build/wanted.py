"""What a teacher asks for, beside the chapters and the kinds of things to make."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..classroom.exercise import PRINTED as SEATS
from .lessons import ROOMS


@dataclass(frozen=True)
class Order:
    """The form of pages, the number of learners, the rooms, and the sheets that are dealt."""

    form: Any = None
    learners: int = len(SEATS)
    rooms: tuple[str, ...] = ROOMS
    seats: str = SEATS  # the sheets that are dealt
