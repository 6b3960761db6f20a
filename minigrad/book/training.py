"""A progress bar and a plot that grow while a loop runs: `training` of chapter 10."""
from __future__ import annotations

import io
import time
from collections.abc import Iterator
from html import escape

from ..viz.showing import shell
from .curves import as_html, read_out, two_panels
from .showing import Shown, somebody_is_there

SECONDS = 0.2  # the shortest time between two pictures: drawing one takes a tenth of a second


class Training:
    """A loop that shows how far it is, and the numbers that it was told: `training` makes one."""

    def __init__(self, count: int, unit: str = "step") -> None:
        self.count, self.unit, self.done, self.shown_at = count, unit, 0, 0.0
        self.numbers: dict[str, list[float]] = {}
        self.places: dict[str, list[int]] = {}
        self.shown = Shown("", "")

    def show(self, **numbers: float) -> None:
        """Add a point to the curve of each name: `run.show(loss=loss.item())`. There are up to two names."""
        for name, value in numbers.items():
            self.numbers.setdefault(name, []).append(float(value))
            self.places.setdefault(name, []).append(self.done)

    def __iter__(self) -> Iterator[int]:
        """Count from 0, as `range` does; show the picture while the loop runs, or, on paper, after it."""
        from tqdm import tqdm

        self.done, self.numbers, self.places = 0, {}, {}
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
            f"{name}: {read_out(self.places[name], values, self.unit)}"
            for name, values in self.numbers.items())])
        line = f"<pre>{escape(bar)}</pre>" if bar else f"<p>{words.splitlines()[0]}</p>"
        if not self.numbers:
            return words, line
        return words, line + as_html(two_panels(self.numbers, self.places, self.unit), words)

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
