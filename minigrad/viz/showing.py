"""What an output shows: words for every page, and controls where somebody is there to use them.

A stored page (on paper, on GitHub, in a notebook that nobody has run yet) has no kernel, and controls would
stay empty there. So there are controls only in a running notebook, and never when the environment variable
MINIGRAD_BOOK says "text", as it does when chapters are run to be stored or tested.
"""
from __future__ import annotations

import os
import sys
from typing import Any


def somebody_is_there() -> bool:
    """Whether there is a notebook around this code, with a reader who can click."""
    if os.environ.get("MINIGRAD_BOOK") == "text" or "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Shown:
    """Text, the same as HTML, and perhaps a widget in their place."""

    def __init__(self, text: str, html: str, widget: Any = None) -> None:
        self.text, self.html, self.widget = text, html, widget

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle = {"text/plain": self.text, "text/html": self.html}
        if self.widget is not None:
            controls = self.widget._repr_mimebundle_()
            bundle = {**(controls if isinstance(controls, dict) else controls[0]), **bundle}
        return bundle
