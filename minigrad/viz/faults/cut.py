"""For `why`: what is said of a value that went on without its history."""
from __future__ import annotations

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..program.cuts import SHARED, Source
from ..program.statements import QUIET
from .answer import Answer, place
from .evidence import Case
from .recorded import MEMORY

ANOTHER = "another function is trained"
UNRECORDED = "unrecorded"
EQUAL = "equal value"  # the word for a value that is found again without an edge
CUTS = {  # how a value went on, what that does, what to do instead, and the price of that
    **dict.fromkeys(("no_grad", "inference_mode"), (
        "under {}", "where nothing is recorded", "Move this line out of {}.", MEMORY)),
    **{f"@{mode}": (f"under {mode}", "where nothing is recorded",
                    f"Compute it out of {mode}: remove the decorator.", MEMORY)
       for mode in QUIET},
    "integers": ("as whole numbers", "which have no slope",
                 "Use a smooth operation, such as softmax for argmax.", ANOTHER),
    "booleans": ("as booleans", "which have no slope",
                 "Use a smooth operation, such as sigmoid for a comparison.", ANOTHER),
    UNRECORDED: ("where nothing was recorded", "as under no_grad or set_grad_enabled(False)",
                 "Compute it while operations are recorded.", MEMORY),
    SHARED: ("without its history", "which keeps its memory as a constant",
             "Use the tensor itself here, without detach(), .data or NumPy.", MEMORY),
    EQUAL: ("as numbers alone", "where an equal value begins that has no history",
            "Use the tensor itself here, without .item(), .tolist() or NumPy.", MEMORY),
    "torch.tensor()": ("through torch.tensor()", "which copies the numbers alone",
                       "Use the tensor itself, or torch.stack([...]) for several.", MEMORY),
}
OTHER = ("through {}", "which passes the value on without its history",
         "Use the tensor itself here, without {}.", MEMORY)


def cut_answer(case: Case, cut: Source, text: str, opening: str) -> Answer:
    how, does, fix, price = (words.format(cut.word) for words in CUTS.get(cut.word, OTHER))
    source = (case.names.of(cut.value) or "a value") if is_tensor(cut.value) else cut.value.text
    found = cut.value if is_tensor(cut.value) else case.tensor
    return Answer("cut", f"{opening}: {source} went into {text} {how}{place(cut.line)}, {does}.",
                  [Fix(fix, price)], [found], [*(root for _, root in case.roots), found], cut=cut)
