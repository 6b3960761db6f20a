"""What is wrong with a model beside the gradient of one parameter, which has one cause at most."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import networks
from .answer import Answer
from .beginning import starts_saturated
from .computed import computed_weights
from .evidence import Case
from .losses import class_weights
from .parameters import Row
from .training_mode import evaluated_in_training

Found = Sequence[tuple[Case, Row]]


def beside(model: Any, found: Found) -> list[Answer]:
    """Each of these once, of a model with its parameters, and what was found of them."""
    cases = [case for case, _ in found]
    return [*_hidden_pattern(found), *computed_weights(model, cases), *evaluated_in_training(model),
            *starts_saturated(model, cases), *class_weights(cases)]


def _hidden_pattern(found: Found) -> Iterator[Answer]:
    """A pattern in the graph that another cause hides, as it is told before it."""
    for case, row in found:
        if not row.is_fine and case.tensor.requires_grad and (
                answer := networks.pattern(case)) is not None:
            if answer.cause != "vanishing" and all(
                    other.cause != answer.cause for _, other in found):
                yield answer
            return
