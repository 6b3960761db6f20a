"""All silent bugs, by kind."""
from __future__ import annotations

from .data_bugs import DATA_BUGS
from .graph_bugs import GRAPH_BUGS
from .loss_bugs import LOSS_BUGS
from .mode_bugs import MODE_BUGS
from .number_bugs import NUMBER_BUGS
from .step_bugs import STEP_BUGS

BUGS = {bug.name: bug for bugs in (GRAPH_BUGS, STEP_BUGS, MODE_BUGS, LOSS_BUGS, DATA_BUGS, NUMBER_BUGS)
        for bug in bugs}
