"""Links to the contents and to the chapters beside one, where their files are in the notebook's folder."""
from __future__ import annotations

from html import escape
from pathlib import Path

from ..content.chapters.titles import CHAPTERS, EVENING

NOTEBOOK = "contents.ipynb"


def links(number: int) -> str:
    """Return HTML links to the contents and to the chapters before and after one; "" if none is there."""
    found = []
    if number - 1 in CHAPTERS:
        found.append(link(number - 1, f"← {number - 1} · {CHAPTERS[number - 1][0]}"))
    if Path(NOTEBOOK).exists():
        found.append(f'<a href="{NOTEBOOK}">Contents</a>')
    if number + 1 in CHAPTERS:
        found.append(link(number + 1, f"{number + 1} · {CHAPTERS[number + 1][0]} →"))
    after = next((one for one in EVENING if one > number), 0) if number in EVENING else 0
    if after in CHAPTERS and after > number + 1:
        found.append(link(after, f"One evening: {after} · {CHAPTERS[after][0]} →"))
    return " &ensp; ".join(one for one in found if one.startswith("<a "))


def link(number: int, words: str) -> str:
    """Return the words, as a link if the file of the chapter is in this folder."""
    files = sorted(Path().glob(f"{number:02}_*.ipynb"))
    return f'<a href="{escape(files[0].name)}">{escape(words)}</a>' if files else escape(words)
