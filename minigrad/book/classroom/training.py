"""A progress bar and a plot that grow while a loop runs: `training` of chapter 10."""
from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping
from html import escape

from ...viz.program.where_it_runs import shell
from .curves import as_html, panels_side_by_side, read_out
from .showing import Shown, somebody_is_there

SECONDS = 0.2  # the shortest time between two pictures: drawing one takes a tenth of a second


class Training:
    """A loop that shows how far it is, and the numbers that it was told: `training` makes one."""

    def __init__(self, count: int, unit: str = "step") -> None:
        self.count, self.unit, self.done, self.shown_at = count, unit, 0, 0.0
        self.panels: dict[str, dict[str, tuple[list[int], list[float]]]] = {}
        self.shown = Shown("", "")

    def show(self, **numbers: float | Mapping[str, float]) -> None:
        """Add a point to the curve in the panel of each name: `run.show(loss=loss.item())`.

        There are up to two panels. A panel may have several curves:
        `run.show(accuracy={"train": 0.9, "test": 0.8})`.
        """
        for panel, given in numbers.items():
            lines = self.panels.setdefault(panel, {})
            for name, value in (given if isinstance(given, Mapping) else {panel: given}).items():
                places, values = lines.setdefault(name, ([], []))
                places.append(self.done)
                values.append(float(value))

    def __iter__(self) -> Iterator[int]:
        """Count from 0, as `range` does; show the picture while the loop runs, or, on paper, after it."""
        from tqdm import tqdm

        self.done, self.panels = 0, {}
        live = somebody_is_there()
        bar = tqdm(total=self.count, unit=self.unit, file=io.StringIO(), ncols=60, ascii=False)
        if live:
            self.shown.place = self.displayed(str(bar))
        try:
            for at in range(self.count):
                self.done = at + 1
                yield at
                bar.update()
                if live and time.monotonic() - self.shown_at > SECONDS:
                    self.shown.change(*self.forms(str(bar)))
                    self.shown_at = time.monotonic()
        finally:
            bar.close()
            if live:
                self.shown.change(*self.forms(str(bar)))
            else:
                self.displayed("")

    def forms(self, bar: str) -> tuple[str, str]:
        """What is shown now, as text and as HTML. A bar tells the time, so nothing that is stored has one."""
        words = "\n".join([f"{self.done} of {self.count} {self.unit}s", *(
            f"{panel if line == panel else f'{panel}, {line}'}: {read_out(places, values, self.unit)}"
            for panel, lines in self.panels.items() for line, (places, values) in lines.items())])
        line = f"<pre>{escape(bar)}</pre>" if bar else f"<p>{words.splitlines()[0]}</p>"
        if not self.panels:
            return words, line
        return words, line + as_html(panels_side_by_side(self.panels, self.unit), words)

    def displayed(self, bar: str) -> object:
        self.shown.text, self.shown.html = self.forms(bar)
        if shell() is None:
            print(self.shown.text)
            return None
        from IPython.display import display
        return display(self.shown._repr_mimebundle_(), raw=True, display_id=True if bar else None)


def training(count: int, unit: str = "step") -> Training:
    """Return a loop over 0, 1, ... with a progress bar, and a plot of the numbers that you show it.

        run = training(20, "epoch")
        for epoch in run:
            ...
            run.show(loss=loss.item(), accuracy=accuracy())
    """
    return Training(count, unit)
