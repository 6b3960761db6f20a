"""Says what a person would notice about a patient, and nothing about the cause."""
from __future__ import annotations

import math

SHARES = ((0.1, "a tenth of this"), (0.2, "a fifth of this"), (0.5, "half of this"))
GOALS = (95, 90, 85, 80, 70, 50, 0)
BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


def symptom(ill: float, healthy: float, accuracy: bool, bugs: int) -> str:
    """Return the symptom in three sentences; it doesn't tell the healthy number."""
    cause = "One line is" if bugs == 1 else "Two things are"
    told = "nan" if math.isnan(ill) else f"a test {'accuracy' if accuracy else 'loss'} of {ill}"
    return (f"The script ends without an error and prints {told}. "
            f"The repaired script {repaired(ill, healthy, accuracy)}. {cause} wrong.")


def repaired(ill: float, healthy: float, accuracy: bool) -> str:
    """Return what the repaired script does, as the end of a sentence."""
    if accuracy:
        return f"reaches more than {next(share for share in GOALS if 100 * healthy > share)} %"
    if math.isnan(ill):
        bound = next((bound for bound in BOUNDS if healthy < bound), None)
        return f"prints a test loss below {bound}" if bound else "prints a number"
    size = next((words for share, words in SHARES if healthy < share * ill), "")
    return f"prints less than {size}" if size else "prints a smaller one"
