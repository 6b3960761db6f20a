"""The labels of the boxes in a chapter: Markdown in its text, and with a class in its notebook.

    > **◆ Rule** ...                        in notebooks/text/
    > <b class="mg-rule">◆ Rule</b> ...     in the notebook that is made of it

A notebook cannot give a class to a box. It can give one to the box's label, and page.css finds the box by it.
Where there is no style sheet, the label is bold, as before. `labelled` and `as_markdown` are inverse to each
other.
"""
from __future__ import annotations

import re

CLASSES = {  # how a label begins: the class of its box
    "◆ Rule": "mg-rule",
    "⚠ Trap": "mg-trap",
    "✎ From the notes": "mg-notes",
    "✎ Your turn": "mg-turn",
    "✎ Your caption": "mg-caption",
    "◀ Old code": "mg-old",
}
_FENCED = r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?^ {0,3}(?P=fence)[`~]*[ \t]*$|.*\Z)"  # shown as it is
_LABEL = rf"(?P<label>(?:{'|'.join(CLASSES)})[^*<\n]*)"
_IN_TEXT = re.compile(rf"{_FENCED}|^> \*\*{_LABEL}\*\*", re.MULTILINE | re.DOTALL)
_IN_NOTEBOOK = re.compile(rf'{_FENCED}|^> <b class="mg-[a-z]+">{_LABEL}</b>', re.MULTILINE | re.DOTALL)


def labelled(text: str) -> str:
    """Return the Markdown with a class at each label of a box; code between fences stays as it is."""
    def label(found: re.Match) -> str:
        if not (words := found["label"]):
            return found[0]
        kind = next(kind for start, kind in CLASSES.items() if words.startswith(start))
        return f'> <b class="{kind}">{words}</b>'
    return _IN_TEXT.sub(label, text)


def as_markdown(text: str) -> str:
    """Return the Markdown with its labels in bold, as it is in a chapter's text."""
    return _IN_NOTEBOOK.sub(lambda found: f"> **{found['label']}**" if found["label"] else found[0], text)


def with_labels(notebook: dict) -> dict:
    """Give every label in the texts of a notebook its class, and return the notebook."""
    return _each(notebook, labelled)


def with_markdown(notebook: dict) -> dict:
    """Write every label in the texts of a notebook in bold, and return the notebook."""
    return _each(notebook, as_markdown)


def _each(notebook: dict, change) -> dict:
    for cell in notebook["cells"]:
        if cell["cell_type"] != "markdown":
            continue
        words = "".join(cell["source"])
        if (changed := change(words)) != words:
            is_list = isinstance(cell["source"], list)
            cell["source"] = changed.splitlines(keepends=True) if is_list else changed
    return notebook
