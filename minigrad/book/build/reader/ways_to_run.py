"""How a reader runs a chapter: on Binder or Colab where the repository has an address, and on a computer.

While minigrad.book.build.address holds none, the page says what works without it.
"""
from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote

from ..address import BRANCH, repository
from ..pages import file_of
from ..students import students

FOLDER = "notebooks"
START = ("Unpack minigrad, open a terminal in its folder, and type <code>python3 start.py</code> (Windows: "
         "<code>py start.py</code>). The first time it takes about 454 MB and one to two minutes; then it "
         "opens the chapters")


def downloads(number: int, folder: Path) -> Iterator[Path]:
    """Write the notebook that a reader can take away: a learner's, without solutions."""
    return students(number, folder / FOLDER)


def everywhere(number: int) -> str:
    """Sentences that say how the chapters are run, from chapter `number` on."""
    links = online(quote(file_of(number).name))
    return (f"In the browser: {' · '.join(links)}. {on_colab()}" if links else "") + f"{where()}{START}."


def panel(number: int, first_cell: str) -> str:
    """The links that run a chapter; in a fold, what else to do, and its first cell."""
    name = quote(file_of(number).name)
    ways = [*online(name), f'<a href="{FOLDER}/{name}" download>Download the notebook</a>']
    return (f'<div class="run"><p><b>Run this chapter:</b> {" · ".join(ways)}</p>'
            f"<details><summary>How it runs</summary><p>{on_colab()}{where()}{START}; this one is "
            f"<code>my_chapters/{escape(name)}</code>. It begins with this cell:</p>{first_cell}</details>"
            "</div>")


def online(name: str) -> list[str]:
    """Links to services that run a notebook of the repository; none without its address."""
    if not repository():
        return []
    project = "/".join(repository())
    path = quote(f"lab/tree/my_chapters/{name}", safe="")
    colab = f"https://colab.research.google.com/github/{project}/blob/{BRANCH}/notebooks/{name}"
    return [f'<a href="https://mybinder.org/v2/gh/{project}/{BRANCH}?urlpath={path}">Binder</a>',
            f'<a href="{colab}">Colab</a>']


def on_colab() -> str:
    """What Colab needs, which has no minigrad; Binder reads the repository's own requirements."""
    if not repository():
        return ""
    address = f"https://github.com/{'/'.join(repository())}"
    command = f'%pip install "git+{address}#subdirectory=minigrad/viz" "git+{address}"'
    return ("Binder installs everything by itself, and forgets your work when you leave. On Colab, run this "
            f"line in a cell of its own first: <code>{escape(command)}</code>. ")


def where() -> str:
    """Where a copy of minigrad is to be had, if that is known."""
    found = repository()
    return "" if not found else (f'<a href="https://github.com/{"/".join(found)}/archive/refs/heads/{BRANCH}.zip">'
                                 "Download minigrad</a> as a zip file. ")
