"""The measurements show nothing in forty healthy scripts, and something where one line is wrong."""
from __future__ import annotations

import pytest

from tests.helpers.alarms import alarms
from tests.helpers.healthy_scripts import SCRIPTS

LIBRARIES = ("minigrad", "torch")
ILL = {     # a healthy script, what is changed, and the measurement that shows it
    "all units start equal": (
        "plain", "\ndef loss_of", "\nnn.init.constant_(model[0].weight, 0.1)\nnn.init.zeros_(model[0].bias)\n"
        "\ndef loss_of", "distinct"),
    "a seed in the loop": (
        "rows drawn in each step", "    rows = ", "    torch.manual_seed(0)\n    rows = ", "distinct"),
    "a penalty with a minus": ("a penalty", "+ 0.001 * penalty", "- 0.1 * penalty", "overfit"),
    "a module's requires_grad": ("plain", "\ndef loss_of", "\nmodel[0].requires_grad = False\n\ndef loss_of",
                                 "drawers"),
    "swapped axes": ("words", "self.table(x).mean(dim=1)",
                     "self.table(x).view(6, len(x), 8).transpose(0, 1).mean(dim=1)", "reaches"),
}


@pytest.mark.parametrize(("name", "library"), [
    *((name, "minigrad") for name in SCRIPTS), *((name, "torch") for name in list(SCRIPTS)[::4])])
def test_no_measurement_shows_a_bug_in_a_healthy_script(name, library):
    """Every fourth on PyTorch: test_measurements.py compares what the measurements tell on both."""
    pytest.importorskip(library)
    assert alarms(SCRIPTS[name], library) == []


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("bug", ILL)
def test_a_measurement_shows_a_bug(bug, library):
    pytest.importorskip(library)
    name, old, new, measurement = ILL[bug]
    assert SCRIPTS[name].count(old) == 1
    assert measurement in {one for one, _ in alarms(SCRIPTS[name].replace(old, new), library)}
