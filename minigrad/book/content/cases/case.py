"""One error as the clinic shows it: its exact message, a program that raises it, and that program mended."""
from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """`code` and `fixed` are programs that come after `import minigrad as torch`.

    `what` and `fixes` are the page's own words, for an error that `explain` has no explanation for.
    """

    slug: str  # names the page, and stays as it is: people keep links
    title: str
    message: str  # "RuntimeError: ...", word for word PyTorch's
    code: str
    fixed: str
    chapter: int | None = None  # that explains it best
    older: tuple[str, ...] = ()  # in releases before those of wordings.json, which are still quoted
    what: str = ""
    fixes: tuple[tuple[str, str], ...] = ()  # each with its price
