"""How a reader runs a chapter: on Binder or Colab where the repository has an address, and on a computer.

As long as minigrad.book.address is empty, the page says what works without it.
"""
from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote

from ...address import BRANCH, repository
from ..pages import file_of
from ..students import students

FOLDER = "notebooks"
START = ("Unpack minigrad, open a terminal in its folder, and type <code>python3 start.py</code> (Windows: "
         "<code>py start.py</code>). The first time it takes about 530 MB and one to two minutes; then it "
         "opens the chapters")


def downloads(number: int, folder: Path) -> Iterator[Path]:
    """Write the notebook that a reader can take away: a learner's, without solutions."""
    return students(number, folder / FOLDER)


def everywhere(number: int) -> str:
    """Sentences that say how the chapters are run, from chapter `number` on."""
    links = online(quote(file_of(number).name))
    in_browser = f"In the browser: {' · '.join(links)}. " if links else ""
    return f"{in_browser}{where()}{START}."


def panel(number: int, first_cell: str) -> str:
    """The links that run a chapter, and its first cell in a fold."""
    name = quote(file_of(number).name)
    own = f'<a href="{FOLDER}/{name}" download>Download the notebook</a>'
    return (f'<div class="run"><p><b>Run this chapter:</b> {" · ".join([*online(name), own])}</p>'
            "<details><summary>On your computer</summary>"
            f"<p>{where()}{START}; this one is <code>my_chapters/{escape(name)}</code>. "
            f"It begins with this cell:</p>{first_cell}</details></div>")


def online(name: str) -> list[str]:
    """Links to services that run a notebook of the repository; none without its address."""
    found = repository()
    if not found:
        return []
    owner, project = found
    path = quote(f"lab/tree/my_chapters/{name}", safe="")
    return [f'<a href="https://mybinder.org/v2/gh/{owner}/{project}/{BRANCH}?urlpath={path}">Binder</a> '
            "(nothing to install)",
            f'<a href="https://colab.research.google.com/github/{owner}/{project}/blob/{BRANCH}/notebooks/{name}">'
            f"Colab</a> (its first cell must be <code>{escape(install(owner, project))}</code>)"]


def install(owner: str, project: str) -> str:
    return f'%pip install "minigrad-book[notebooks] @ git+https://github.com/{owner}/{project}"'


def where() -> str:
    """Where a copy of minigrad is to be had, if that is known."""
    found = repository()
    return "" if not found else (f'<a href="https://github.com/{"/".join(found)}/archive/refs/heads/{BRANCH}.zip">'
                                 "Download minigrad</a> as a zip file. ")
