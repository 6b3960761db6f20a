"""What a learner chooses with: buttons that carry the words of the options. One click chooses.

    Choice({"A": "A  4", "B": "B  5"}, chosen=None, keep=store, say=said)

Each button can be reached with Tab, and pressed with Enter or the space bar. The words are plain: ipywidgets
writes them as text, whatever they are. A page without a kernel has no buttons, so the output above them
repeats the options; `showing.STYLE` hides that repetition as long as there are buttons below it.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .showing import STYLE

CLASS = "mgchoosing"
# A click on a control would make its cell the active one, so that Shift+Enter would run that cell once more.
# JupyterLab learns of the click from these two events, so they end at the controls. A focus that comes from
# the keyboard goes on: JupyterLab gives Enter and the space bar to what has it in the active cell alone.
# A slider lets no press through, so the press is noticed on its way down.
STAY = """<style onload="let box=this.closest('.jp-OutputArea-output')||this.closest('.mgcontrols');
box&&(['pointerdown','mousedown'].forEach(kind=>box.addEventListener(kind,event=>{
box.clicked=true;setTimeout(()=>box.clicked=false)},true)),
box.addEventListener('mousedown',event=>{event.stopPropagation()}),
box.addEventListener('focusin',event=>{box.clicked&&event.stopPropagation()}))"></style>"""
SURE = "How sure are you? (if you like)"


class Choice:
    """Buttons for some options, below them perhaps a second row, and below that what there is to say.

    `options` are values and the words on their buttons. `keep(value)` is called after each click on another
    button than the last, `say()` gives the HTML that is then shown below. `sure` are words for the second
    row, with `keep_sure(word)`; the row is shown as long as `ask_sure()` is true.
    """

    def __init__(self, options: Mapping[str, str], chosen: str | None, keep: Callable[[str], None],
                 say: Callable[[], str], *, in_a_row: bool = False, tooltips: tuple[str, ...] = (),
                 sure: tuple[str, ...] = (), so_sure: str | None = None,
                 keep_sure: Callable[[str], None] = lambda word: None,
                 ask_sure: Callable[[], bool] = lambda: False) -> None:
        import ipywidgets as w

        self._keep, self._keep_sure, self._say, self._ask_sure = keep, keep_sure, say, ask_sure
        self._busy = False      # a value is set by this program, not by a click
        pairs = [(words, value) for value, words in options.items()]
        self.choice = w.ToggleButtons(options=pairs, value=chosen, tooltips=list(tooltips),
                                      layout=w.Layout(width="auto"),
                                      style={"button_width": "auto" if in_a_row else "100%"})
        self.sure = w.ToggleButtons(options=sure, value=so_sure, description=SURE,
                                    style={"description_width": "initial", "button_width": "auto"})
        self.said = w.HTML()
        self.widget = w.VBox([w.HTML(STYLE + STAY, layout=w.Layout(display="none")), self.choice, self.sure,
                              self.said])
        self.widget.add_class(CLASS)
        self.choice.add_class("mgrow" if in_a_row else "mgcolumn")
        self.choice.observe(self._on_choice, names="value")
        self.sure.observe(self._on_sure, names="value")
        self.refresh()

    def refresh(self) -> None:
        """Show what is to be said now; a screen reader reads it out when it changes."""
        self.sure.layout.display = "" if self._ask_sure() else "none"
        self.said.value = f'<div role="status" class="jp-RenderedHTMLCommon">{self._say()}</div>'

    def _on_choice(self, change: Any) -> None:
        if change.new is not None and not self._busy:
            self._set(self.sure, None)      # how sure one was of another option
            self._keep(change.new)
            self.refresh()

    def _on_sure(self, change: Any) -> None:
        if change.new is not None and not self._busy:
            self._keep_sure(change.new)
            self.refresh()

    def _set(self, buttons: Any, value: str | None) -> None:
        self._busy = True
        buttons.value = value
        self._busy = False
