"""The programs of the bench: their files, what is expected of an explanation, and their edits."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings tomli
    import tomli as tomllib  # type: ignore[no-redef]

IMPORT = re.compile(r"^(\s*)(import torch\b.*|from torch\b.*)$", re.M)


@dataclass
class Edit:
    """A change of a program that answers a fix which matches `says`."""

    says: str
    edit: list[list[str]]
    excused: str = "(?!)"


@dataclass
class Program:
    """A program and its expectations; see README.md for the keys of expected.toml."""

    name: str
    kind: str
    outcome: str
    main: str
    files: dict[str, str]
    cause: str = ""
    error: str = ""
    right: str = "(?!)"
    wrong: str = "(?!)"
    partly: str = "(?!)"
    harmful: str = "(?!)"
    watch: bool = False
    ask: list[str] = field(default_factory=list)
    model: list[str] = field(default_factory=list)
    fine: list[str] = field(default_factory=list)
    edit: list[str] = field(default_factory=list)
    mended: list[list[str]] = field(default_factory=list)
    gradient: list[str] = field(default_factory=list)
    fixes: list[Edit] = field(default_factory=list)
    fact: str = "(?!)"
    facts: dict[str, str] = field(default_factory=dict)
    run: dict[str, str] = field(default_factory=dict)
    backends: list[str] = field(default_factory=lambda: ["torch", "minigrad"])

    @property
    def healthy(self) -> bool:
        """True if nothing is wrong with the program."""
        return self.outcome == "healthy"

    def lines_to_edit(self) -> set[str]:
        """Return the places, such as "train.py:7", that one would edit."""
        found = set()
        for entry in self.edit:
            name, _, text = entry.partition(".py: ")
            name, text = (name + ".py", text) if text else (self.main, entry)
            for number, line in enumerate(self.files[name].splitlines(), 1):
                if line.strip() == text.strip():
                    found.add(f"{name}:{number}")
        return found

    def edited(self, edits: list[list[str]]) -> dict[str, str]:
        """Return the files after replacing, for each edit, its old text, which occurs once, by the new one.

        Raises:
            ValueError: an old text is not there, or there more than once.
        """
        files = dict(self.files)
        for edit in edits:
            name, old, new = edit if len(edit) == 3 else (self.main, *edit)
            if files[name].count(old) != 1:
                raise ValueError(f"{self.name}: {old!r} is {files[name].count(old)} times in {name}")
            files[name] = files[name].replace(old, new)
        return files


def read_program(folder: Path) -> Program:
    """Read one program from its folder."""
    told: dict[str, Any] = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
    fixes = [Edit(**entry) for entry in told.pop("fix", [])]
    for key in ("ask", "model"):
        if isinstance(told.get(key), str):
            told[key] = [told[key]]
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}
    return Program(name=folder.name, files=files, fixes=fixes, **told)


def read_programs(*folders: Path | str) -> list[Program]:
    """Read all programs of the folders, by name."""
    found = [path.parent for folder in folders for path in Path(folder).glob("*/expected.toml")]
    return [read_program(folder) for folder in sorted(found, key=lambda path: path.name)]


def for_backend(text: str, backend: str) -> str:
    """Return a file's text with minigrad in the place of PyTorch, if that is the backend."""
    if backend == "torch":
        return text

    def other(match: re.Match[str]) -> str:
        if re.fullmatch(r"import torch\s*", match[2]):
            return f"{match[1]}import minigrad as torch"
        return match[1] + re.sub(r"\btorch\b", "minigrad", match[2], count=1)

    return IMPORT.sub(other, text)
