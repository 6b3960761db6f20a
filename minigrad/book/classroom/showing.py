"""What an output shows: words for every page, and controls where somebody is there to use them.

A stored page (on paper, on GitHub, in a notebook that nobody has run yet) has no kernel, and controls would
stay empty there. So there are controls only in a running notebook, and never when the environment variable
MINIGRAD_BOOK says "text", as it does when chapters are run to be stored or tested.
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...viz.program.where_it_runs import shell


def somebody_is_there() -> bool:
    """Whether there is a notebook around this code, with a reader who can click."""
    return os.environ.get("MINIGRAD_BOOK") != "text" and type(shell()).__name__ == "ZMQInteractiveShell"


UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"  # only heard
DEAD = "To use the controls, run this cell again."
PAGE = Path(__file__).with_name("page.css")
# JupyterLab prefers a widget to any other form of an output, and where its kernel is gone it writes an error
# in the widget's place. These rules write what to do instead, and mark controls that can do nothing any more.
# `.mgoptions` is what the buttons below it say as well. All else of how a page looks is in page.css.
CHILD = ".jp-OutputArea-child"
MISSING = f"{CHILD}:has(.mgshown) + {CHILD} .jp-OutputArea-output.jupyter-widgets:not(:has(*))"
LIVE = ".mgcontrols.mgchoosing:not(.jupyter-widgets-disconnected)"
STYLE = f"""<style>
{MISSING} {{ font-size: 0; padding-left: 0; visibility: hidden }}
{MISSING}::after, .mgcontrols.jupyter-widgets-disconnected::before {{
  content: "{DEAD}"; visibility: visible; color: inherit; font: italic 13px sans-serif; padding: 4px 0 }}
.mgcontrols.jupyter-widgets-disconnected > * {{ display: none }}
{CHILD}:has(+ {CHILD} {LIVE}) .mgoptions {{ display: none }}
.mgchoosing .widget-toggle-buttons {{ height: auto; margin: 2px 0 }}
.mgchoosing .widget-toggle-button {{ height: auto; min-height: 28px; padding: 3px 10px; line-height: 1.5;
  white-space: normal; text-align: left; overflow: visible }}
.mgcolumn .widget-toggle-button {{ display: block; margin: 3px 0; padding-left: 2.4em; text-indent: -1.4em }}
.mgchoosing .widget-toggle-button::before {{ content: "○ " }}
.mgchoosing .widget-toggle-button.mod-active::before {{ content: "● " }}
</style>"""


def page_style() -> None:
    """Show the style sheet of the chapters in this page, for a JupyterLab that start.py has not set up."""
    from IPython.display import display
    style = f'<style class="mg-page">{PAGE.read_text(encoding="utf-8")}</style>'
    display({"text/plain": "", "text/html": style}, raw=True)


class Shown:
    """Text, the same as HTML, and below them perhaps controls.

    The controls are an output of their own: what is above them can be read in a saved notebook, in a page and
    on paper, where controls are gone.
    """

    def __init__(self, text: str, html: str, controls: Any = None) -> None:
        self.text, self.html, self.controls = text, html, controls
        self.place: Any = None  # where it was shown last

    def change(self, text: str, html: str) -> None:
        """Show something else from now on, in the notebook and in what is saved of it."""
        self.text, self.html = text, html
        if self.place is not None:
            self.place.update(self._repr_mimebundle_(), raw=True)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        html = f'{STYLE}<div class="mgshown">{self.html}</div>' if self.controls is not None else self.html
        return {"text/plain": self.text, "text/html": html}

    def show(self) -> None:
        """Show the text and the HTML here, in a place that `change` can find again."""
        from IPython.display import display
        self.place = display(self._repr_mimebundle_(), raw=True, display_id=True)

    def _ipython_display_(self) -> None:
        """Show both outputs; without controls leave it to IPython, which then makes a single one."""
        if self.controls is None:
            raise NotImplementedError
        from IPython.display import display
        self.show()
        self.controls.add_class("mgcontrols")
        bundle = self.controls._repr_mimebundle_()
        bundle = bundle if isinstance(bundle, dict) else bundle[0]
        display({**bundle, "text/plain": DEAD, "text/html": f"<p><i>{DEAD}</i></p>"}, raw=True)
