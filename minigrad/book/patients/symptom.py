"""Says what a person would notice about a patient, and nothing about the cause."""
from __future__ import annotations

import math

SHARES = ((0.1, "a tenth of this"), (0.2, "a fifth of this"), (0.5, "half of this"))


def symptom(ill: float, healthy: float, accuracy: bool, bugs: int) -> str:
    """Return the symptom in two sentences; it doesn't tell the healthy number."""
    cause = "One line is" if bugs == 1 else "Two things are"
    if math.isnan(ill):
        return f"The script ends without an error and prints nan. {cause} wrong."
    if accuracy:
        goal = next(share for share in (95, 90, 85, 80, 70, 50, 0) if 100 * healthy > share)
        return (f"The script ends without an error and prints a test accuracy of {ill}. "
                f"The repaired script reaches more than {goal} %. {cause} wrong.")
    size = next((words for share, words in SHARES if healthy < share * ill), "")
    better = f"less than {size}" if size else "a smaller one"
    return (f"The script ends without an error and prints a test loss of {ill}. "
            f"The repaired script prints {better}. {cause} wrong.")
