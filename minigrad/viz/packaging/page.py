"""What the package index shows of a distribution: its README and its addresses. Both use this.

The index knows no file of the repository, so links and pictures need whole addresses there. The
repository's own is in minigrad/book/build/address.py; while that is empty, a link is only its
words, and a picture says what it shows.
"""
from __future__ import annotations

import re
import runpy
from pathlib import Path
from posixpath import join, normpath
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = Path(__file__).resolve().parents[3]
SETTING = REPOSITORY / "minigrad" / "book" / "build" / "address.py"
LINK = re.compile(r"(!?)\[([^\[\]]+)\]\((?!https?:|#)([^()\s]+)\)")


class Page(MetadataHookInterface):
    """Fills in `readme` and `urls`. A source archive holds them already, and isn't asked again."""

    def update(self, metadata: dict[str, Any]) -> None:
        if "readme" in metadata:
            return
        setting = runpy.run_path(str(SETTING))
        owner_and_name = setting["repository"]()
        address = f"https://github.com/{'/'.join(owner_and_name)}" if owner_and_name else ""
        folder = Path(self.root)
        home = folder.resolve().relative_to(REPOSITORY).as_posix()
        text = readme((folder / "README.md").read_text(encoding="utf-8"), home, address,
                      setting["BRANCH"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {"Source": address, "Issues": f"{address}/issues",
                            "Book": setting["site"]()} if address else {}


def readme(text: str, folder: str, address: str, branch: str) -> str:
    """A README of the repository as it can be read elsewhere; `folder` is the one that it is in.

        >>> readme("See [it](docs/it.md).", ".", "", "main")
        'See it.'
    """
    def elsewhere(link: re.Match[str]) -> str:
        picture, words, path = link.groups()
        if not address:
            return f"*Picture: {words}.*" if picture else words
        kind = "raw" if picture else "blob"
        return f"{picture}[{words}]({address}/{kind}/{branch}/{normpath(join(folder, path))})"

    text = LINK.sub(elsewhere, text)
    return text.replace("git+https://...", f"git+{address}") if address else text
