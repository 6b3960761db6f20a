"""All silent bugs, by kind."""
from __future__ import annotations

from .data import DATA_BUGS
from .graph import GRAPH_BUGS
from .loss import LOSS_BUGS
from .mode import MODE_BUGS
from .numbers import NUMBER_BUGS
from .step import STEP_BUGS

BUGS = {bug.name: bug for bugs in (GRAPH_BUGS, STEP_BUGS, MODE_BUGS, LOSS_BUGS, DATA_BUGS, NUMBER_BUGS)
        for bug in bugs}
