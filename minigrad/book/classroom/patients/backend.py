"""Lets a script that is written for PyTorch run on minigrad, without another change."""
from __future__ import annotations

import re

WHOLE = re.compile(r"^([ \t]*)import torch(?=[ \t]*(?:$|[#,;]))", re.MULTILINE)
PART = re.compile(r"^([ \t]*)(import|from) torch(?=\.|[ \t]+(?:import|as)\b)", re.MULTILINE)


def for_minigrad(source: str) -> str:
    """Return the text with `minigrad` in the place of `torch` in its imports; lines keep their numbers.

        for_minigrad("import torch")                        "import minigrad as torch"
        for_minigrad("import torch.nn as nn")               "import minigrad.nn as nn"
        for_minigrad("from torch.utils.data import Dataset")  "from minigrad.utils.data import Dataset"
    """
    return PART.sub(r"\1\2 minigrad", WHOLE.sub(r"\1import minigrad as torch", source))
