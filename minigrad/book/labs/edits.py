"""Chapter 8: the edit explorer."""
from __future__ import annotations

from ...viz.explorers import edit_explorer
from ...viz.lab import Lab


def open_lab() -> Lab:
    return edit_explorer()
