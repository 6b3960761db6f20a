"""What is wrong with a model beside the gradient of one parameter, which has one cause at most."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import networks
from .answer import Answer
from .beginning import starts_saturated
from .computed import computed_weights
from .evidence import Case
from .extreme_numbers import grew
from .loss_inputs import class_weights
from .parameters import Row
from .second_derivatives import second_derivatives
from .steps import doubled
from .training_mode import dropped_in_evaluation, evaluated_in_training
from .written_backwards import never_called

Found = Sequence[tuple[Case, Row]]


def beside(model: Any, found: Found) -> list[Answer]:
    """Each of these once, of a model with its parameters, and what was found of them."""
    cases = [case for case, _ in found]
    led = [told for case, row in found if (told := led_to(case, row.cause))]
    return [*_hidden_pattern(found), *sorted(led, key=lambda one: one.cause)[:1],  # sums first
            *computed_weights(model, cases), *evaluated_in_training(model),
            *dropped_in_evaluation(model), *never_called(model, cases),
            *second_derivatives(cases), *starts_saturated(model, cases), *class_weights(cases)]


def _hidden_pattern(found: Found) -> Iterator[Answer]:
    """A pattern in the graph that another cause hides, as it is told before it."""
    for case, row in found:
        if not row.is_fine and case.tensor.requires_grad and (
                answer := networks.pattern(case)) is not None:
            if answer.cause != "vanishing" and all(
                    other.cause != answer.cause for _, other in found):
                yield answer
            return


def led_to(case: Case, cause: str) -> Answer | None:
    """What was wrong with a gradient before it was NaN or infinite, or while it became huge."""
    if cause not in ("nan", "huge"):
        return None
    found = (doubled(case, finite=True) if cause == "nan" else None) or grew(case)
    when = f" This was before {case.name}.grad held NaN or infinity." * (cause == "nan")
    return found and found._replace(sentence=f"{found.sentence}{when}")
