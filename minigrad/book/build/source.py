"""A chapter's text, `notebooks/text/06_*.md`, and the notebook that is made of it.

The text is the source: Markdown, with the code cells between fences, in the form that jupytext calls
MyST. A cell carries its tags and nothing else; what follows from a tag, from the numbers of a
chapter or from the content of a cell is added when the notebook is made.

    notebook = made(text)           without outputs; minigrad.book.build.run_chapters executes it
    text = written(notebook)        for a notebook that was edited in JupyterLab
    edited(notebook)                whether anybody has changed its cells since it was made
"""
from __future__ import annotations

import copy
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from ..classroom.exercise import KEY
from ..classroom.helping import NOTEBOOKS
from . import callouts
from .counting import MAY_FAIL, RUN_ON, engine_minutes, minutes, patient_minutes, theme_minutes

TEXTS = NOTEBOOKS / "text"
FRONT_MATTER = {
    "jupytext": {"text_representation": {"extension": ".md", "format_name": "myst"}},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
}
METADATA = {"kernelspec": FRONT_MATTER["kernelspec"], "language_info": {"name": "python"}}
OURS = "minigrad"       # the key of a notebook's metadata for what the front matter says of the lesson
MINUTES, ENGINE_MINUTES = "{{ minutes }}", "{{ engine minutes }}"
PATIENT_MINUTES = "{{ patient minutes }}"
NUMBER_OF_MINUTES = re.compile(r"^\d+(?= minutes(?:, and .+)? · )", re.MULTILINE)
NUMBER_FOR_ENGINE = re.compile(r"(?<= minutes, and )\d+(?= for your engine)")
NUMBER_FOR_PATIENTS = re.compile(r"(?<= minutes, and )\d+(?= for patients)")
# A row of a chapter's own table, "| Leaves and graphs | {{ minutes of Leaves and graphs }} |":
THEME_MINUTES = re.compile(r"\{\{ minutes of (.+?) \}\}")
NUMBER_OF_A_THEME = re.compile(r"^(\| \[?(.+?)(?:\]\(#.*?\))? \| )\d+(?= \|$)", re.MULTILINE)
TRACES = ("jupyter", "nbgrader", "collapsed", "scrolled", "trusted", "execution", "editable",
          "deletable", "ExecuteTime")     # what JupyterLab and nbgrader write into a cell


class Unreadable(ValueError):
    """A text is no notebook, or a notebook has no text; the message says where, and what to do."""


# --- from the text to the notebook -------------------------------------------------------------

def made(text: str, name: str = "the text") -> dict:
    """Return the notebook that a text makes, without outputs.

    Raises:
        Unreadable: a tag or the front matter cannot be read; the message begins with `name`.
    """
    return made_with_lines(text, name)[0]


def made_with_lines(text: str, name: str = "the text") -> tuple[dict, list[int]]:
    """Return the notebook that a text makes, and the line of the text where each cell begins."""
    myst = _myst()
    from nbformat import ValidationError
    try:
        read = myst.myst_to_notebook(text, add_source_map=True)
    except (myst.MystMetadataParsingError, ValidationError, AttributeError) as reason:
        about = getattr(reason, "message", str(reason)).replace("\n", " ")
        raise Unreadable(f"{name}{_line_of_tags(text)}: {about}. Tags are words, written as in "
                         "`:tags: [viz, A2]` below a fence, and as in "
                         '`+++ {"tags": ["instructor"]}` before a text.') from reason
    lines = _first_lines(text, read.metadata.pop("source_map"))
    cells = [_cell(cell) for cell in read.cells]
    for cell, line in zip(cells, lines, strict=True):
        if cell["cell_type"] == "code" and "\n```{code-cell}" in f"\n{cell['source']}":
            raise Unreadable(f"{name}, line {line}: the code cell that begins here has no end: write ``` on "
                             "a line of its own below it")
    for cell, name_of_cell in zip(cells, _names(cells), strict=True):
        cell["id"] = name_of_cell
    lesson = read.metadata.get(OURS)
    notebook = {"cells": cells, "metadata": copy.deepcopy(METADATA), "nbformat": 4, "nbformat_minor": 5}
    if cells and MINUTES in cells[0]["source"]:
        fill_in_minutes(notebook)
    notebook["metadata"][OURS] = {**(lesson or {}), "cells": digest(notebook)}
    return callouts.with_labels(notebook), lines


def fill_in_minutes(notebook: dict) -> None:
    """Write into the first cell how long the chapter, its themes and its sections apart take."""
    first = notebook["cells"][0]
    text = first["source"]
    first["source"] = THEME_MINUTES.sub("0", text)      # one word, as the number will be
    for name in (MINUTES, ENGINE_MINUTES, PATIENT_MINUTES):
        first["source"] = first["source"].replace(name, "0")
    text = THEME_MINUTES.sub(lambda found: str(theme_minutes(notebook, found[1])), text)
    told = {MINUTES: minutes(notebook), ENGINE_MINUTES: engine_minutes(notebook),
            PATIENT_MINUTES: patient_minutes(notebook)}
    for name, number in told.items():
        text = text.replace(name, str(number))
    first["source"] = text


def _first_lines(text: str, starts: list[int]) -> list[int]:
    """Return the line, counted from 1, in which each cell's own words begin."""
    lines, found = text.split("\n"), []
    for start in starts:
        while start < len(lines) and (not lines[start].strip() or lines[start].startswith(":tags:")):
            start += 1
        found.append(start + 1)
    return found


def _line_of_tags(text: str) -> str:
    """Return the first line whose tags are not a list of words, as ", line 7"; "" if there is none."""
    import yaml
    for at, line in enumerate(text.split("\n"), 1):
        if line.startswith(":tags:"):
            try:
                tags = yaml.safe_load(line.removeprefix(":tags:"))
            except yaml.YAMLError:
                tags = None
            if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
                return f", line {at}"
    return ""


def _cell(read: Any) -> dict:
    metadata = dict(read.metadata)
    tags = metadata.get("tags", [])
    cell = {"cell_type": read.cell_type, "metadata": metadata, "source": read.source}
    if attachments := metadata.pop("attachments", None):
        cell["attachments"] = attachments
    metadata.update(follows_from(tags))
    if MAY_FAIL & set(tags):
        metadata["tags"] = [*tags, RUN_ON]
    if read.cell_type == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def follows_from(tags: list[str]) -> dict[str, Any]:
    """Return what JupyterLab and nbgrader are told of a cell with these tags."""
    if "solution" not in tags:
        return {"jupyter": {"source_hidden": True}} if "hide-input" in tags else {}
    key = next((tag for tag in tags if KEY.fullmatch(tag)), "unnamed")
    return {"jupyter": {"outputs_hidden": True, "source_hidden": True},
            "nbgrader": {"grade": False, "grade_id": f"solution-{key}", "locked": False,
                         "schema_version": 3, "solution": True, "task": False}}


def _names(cells: list[dict]) -> list[str]:
    """Return an id for each cell that depends on the cell alone, so that an edit changes one id."""
    seen: dict[str, int] = {}
    names = []
    for cell in cells:
        name = _hash([cell["cell_type"], cell["source"]])
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return names


# --- from the notebook to the text -------------------------------------------------------------

def written(notebook: dict, name: str = "the notebook") -> str:
    """Return the text of a notebook.

    Outputs are left out, and so are blank lines at both ends of a cell, and texts without a word.

    Raises:
        Unreadable: a cell would come back as another one; the message says which, and what to do.
    """
    cells = normal(notebook)
    text = _as_myst(cells, notebook["metadata"].get(OURS, {}))
    again = made(text, name)
    for at, cell in enumerate(cells):
        back = normal(again)[at] if at < len(again["cells"]) else None
        if back != cell:
            raise Unreadable(
                f"{name}: the cell that begins {cell['source'][:40]!r} cannot be written as text. A text "
                "must close its fences (```) and comments (<!-- -->), and has no line that begins with "
                "+++ or ```{code-cell} outside a fence; no cell has a line that ends in a form feed or "
                "another character than a line feed.")
    if len(again["cells"]) != len(cells):
        raise Unreadable(f"{name}: {len(cells)} cells would come back as {len(again['cells'])}.")
    return text


def _as_myst(cells: list[dict], ours: dict) -> str:
    import nbformat
    lesson = {key: value for key, value in ours.items() if key != "cells"}
    front_matter = {**FRONT_MATTER, OURS: lesson} if lesson else FRONT_MATTER
    shown = []
    for cell in cells:
        attachments = {"attachments": cell["attachments"]} if "attachments" in cell else {}
        make = getattr(nbformat.v4, f"new_{cell['cell_type']}_cell")
        shown.append(make(source=cell["source"], metadata={**cell["metadata"], **attachments}))
    plain = json.loads(json.dumps(front_matter))    # YAML would write an alias for what stands twice
    return _myst().notebook_to_myst(nbformat.v4.new_notebook(cells=shown, metadata=plain))


def normal(notebook: dict) -> list[dict]:
    """Return what a text keeps of the cells: kind, words, tags, attachments."""
    found = []
    for cell in notebook["cells"]:
        words = source_of(cell).rstrip()
        if cell["cell_type"] == "markdown":
            words = callouts.as_markdown(words)
        words = words[re.match(r"(?:[^\S\n]*\n)*", words).end():] if words else ""
        metadata = {key: value for key, value in cell["metadata"].items()
                    if key not in TRACES and value != []}
        if MAY_FAIL & set(metadata.get("tags", ())):
            metadata["tags"] = [tag for tag in metadata["tags"] if tag != RUN_ON]
        one = {"cell_type": cell["cell_type"], "metadata": metadata, "source": words}
        if cell.get("attachments"):
            one["attachments"] = cell["attachments"]
        if words or cell["cell_type"] != "markdown":
            found.append(one)
    if found and found[0]["source"].startswith("# "):
        first = NUMBER_OF_MINUTES.sub(MINUTES, found[0]["source"], count=1)
        first = NUMBER_FOR_ENGINE.sub(ENGINE_MINUTES, first, count=1)
        headings = {source_of(cell).partition("\n")[0] for cell in found}
        first = NUMBER_OF_A_THEME.sub(lambda row: f"{row[1]}{{{{ minutes of {row[2]} }}}}"
                                      if f"## {row[2]}" in headings else row[0], first)
        found[0]["source"] = NUMBER_FOR_PATIENTS.sub(PATIENT_MINUTES, first, count=1)
    return found


def source_of(cell: dict) -> str:
    return "".join(cell["source"])


# --- the two side by side ----------------------------------------------------------------------

def digest(notebook: dict) -> str:
    """Return a short name for what the cells of a notebook say."""
    return _hash(normal(notebook))


def edited(notebook: dict) -> bool:
    """Return whether the cells of a notebook are no longer those that were made from its text."""
    return notebook["metadata"].get(OURS, {}).get("cells") != digest(notebook)


def same(notebook: dict, new: dict) -> bool:
    """Return whether two notebooks have the same words, tags, ids and metadata, whatever their outputs."""
    return _without_outputs(notebook) == _without_outputs(new)


def _without_outputs(notebook: dict) -> dict:
    cells = [{**{key: value for key, value in cell.items() if key not in ("outputs", "execution_count")},
              "source": source_of(cell)} for cell in notebook["cells"]]
    return {**notebook, "cells": cells}


def text_of_notebook(path: Path) -> Path:
    """Return where the text of a notebook is."""
    return TEXTS / f"{path.stem}.md"


def notebook_of_text(path: Path) -> Path:
    return NOTEBOOKS / f"{path.stem}.ipynb"


def _hash(value: Any) -> str:
    words = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _myst() -> Any:
    """Return jupytext's reader and writer of MyST."""
    try:
        import jupytext.myst
    except ImportError as reason:
        raise Unreadable("jupytext reads the texts: python -m pip install -r requirements.txt") from reason
    return jupytext.myst
