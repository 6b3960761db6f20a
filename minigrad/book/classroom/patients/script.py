"""A script as lines that have roles, and the changes that plant a bug or a look-alike in it.

A part of a script is a text. A comment `#: pass` at the end of a line names the line's role, by which a
change
finds it, and is not printed. A line `#+ after_step` prints nothing: it is a place at which lines may be
added.
`$name` is a slot, which `filled` replaces by a number or a word.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

ROLE = re.compile(r"\s*#: ([\w ]+)$")
PLACE = re.compile(r"\s*#\+ (\w+)$")
SLOT = re.compile(r"\$(\w+)")


class Misfit(ValueError):
    """A change doesn't fit a script: the line it is about is not there, or is spelled otherwise."""


@dataclass(frozen=True)
class Line:
    """One line: its text, the roles by which it is found, and the names of the changes that made it."""

    text: str
    roles: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    printed: bool = True

    @property
    def indent(self) -> str:
        """The spaces that the line begins with."""
        return self.text[:len(self.text) - len(self.text.lstrip())]


@dataclass(frozen=True)
class Script:
    """The lines of a training script, and its traits: words about what the script is made of."""

    lines: tuple[Line, ...]
    traits: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The text, ready to run."""
        return "\n".join(line.text for line in self.lines if line.printed) + "\n"

    def has(self, role: str) -> bool:
        """Whether a line has this role."""
        return any(role in line.roles for line in self.lines)

    def at(self, role: str) -> int:
        """Return the index of the only line with this role.

        Raises:
            Misfit: no line has it.
        """
        for index, line in enumerate(self.lines):
            if role in line.roles:
                return index
        raise Misfit(f"no line has the role {role}")

    def numbered(self) -> list[tuple[int, Line]]:
        """Return the printed lines with their numbers, from 1."""
        return list(enumerate((line for line in self.lines if line.printed), 1))

    def numbers(self, found: Callable[[Line], bool]) -> list[int]:
        """Return the numbers of the printed lines for which `found` is true."""
        return [number for number, line in self.numbered() if found(line)]

    def marked(self, name: str) -> list[int]:
        """Return the numbers of the lines that the change called `name` wrote or moved."""
        return self.numbers(lambda line: name in line.marks)

    def with_roles(self, roles: Iterable[str]) -> list[int]:
        """Return the numbers of the lines that have one of these roles."""
        wanted = frozenset(roles)
        return self.numbers(lambda line: bool(wanted & line.roles))


def lines_of(text: str) -> list[Line]:
    """Read the text of a part."""
    found = []
    for row in text.strip("\n").split("\n"):
        if place := PLACE.match(row):
            found.append(Line(row, frozenset([place[1]]), printed=False))
            continue
        role = ROLE.search(row)
        found.append(Line(ROLE.sub("", row).rstrip(), frozenset(role[1].split() if role else ())))
    return found


def filled(text: str, slots: Mapping[str, object]) -> str:
    """Replace each `$name` by its value."""
    return SLOT.sub(lambda found: str(slots[found[1]]), text)


# --- changes: each takes a script and the name of who makes it, and returns another script ---

Change = Callable[[Script, str], Script]


def swap(role: str, old: str, new: str) -> Change:
    """Return a change of the line with this role: `new` in place of the pattern `old`."""
    def change(script: Script, name: str) -> Script:
        at = script.at(role)
        line = script.lines[at]
        bare = line.text[len(line.indent):]
        found = re.search(old, bare)
        if not found:
            raise Misfit(f"{bare!r} has no {old!r}")
        text = bare[:found.start()] + found.expand(new) + bare[found.end():]
        made = [Line(line.indent + row, line.roles if not number else frozenset(), line.marks | {name})
                for number, row in enumerate(text.split("\n"))]
        return spliced(script, at, at + 1, made)
    return change


def drop(role: str) -> Change:
    """Return a change that removes the line with this role."""
    def change(script: Script, name: str) -> Script:
        at = script.at(role)
        if script.lines[at].marks:
            raise Misfit(f"the line {role} was changed already")
        return spliced(script, at, at + 1, [])
    return change


def add(text: str, *, after: str = "", before: str = "", roles: str = "", marked: bool = True) -> Change:
    """Return a change that adds lines after or before the line (or place) with a role, indented like it.

    Lines that aren't `marked` belong to nobody: they are no right answer.
    """
    def change(script: Script, name: str) -> Script:
        at = script.at(after or before)
        indent = script.lines[at].indent
        made = [replace(line, text=indent + line.text if line.text else "",
                        marks=frozenset([name] if marked else ()),
                        roles=line.roles | frozenset(roles.split()))
                for line in lines_of(text)]
        where = at + bool(after)
        return spliced(script, where, where, made)
    return change


def move(role: str, *, after: str = "", before: str = "") -> Change:
    """Return a change that moves the line with a role behind or before another line."""
    def change(script: Script, name: str) -> Script:
        at = script.at(role)
        line = script.lines[at]
        rest = spliced(script, at, at + 1, [])
        to = rest.at(after or before)
        moved = replace(line, text=rest.lines[to].indent + line.text.lstrip(), marks=line.marks | {name})
        to += bool(after)
        return spliced(rest, to, to, [moved])
    return change


def only(traits: str) -> Change:
    """Return a change of nothing, which fits a script with these traits alone."""
    def change(script: Script, name: str) -> Script:
        if not script.traits >= set(traits.split()):
            raise Misfit(f"the script isn't {traits}")
        return script
    return change


def mark(role: str) -> Change:
    """Return a change that only notes the line with this role as one that belongs to the bug."""
    def change(script: Script, name: str) -> Script:
        at = script.at(role)
        line = script.lines[at]
        return spliced(script, at, at + 1, [replace(line, marks=line.marks | {name})])
    return change


def spliced(script: Script, start: int, end: int, made: list[Line]) -> Script:
    """Return the script with other lines in the place of those from `start` to `end`."""
    return replace(script, lines=(*script.lines[:start], *made, *script.lines[end:]))


def changed(script: Script, changes: Iterable[Change], name: str) -> Script:
    """Return the script after these changes, in order, made in somebody's name.

    Raises:
        Misfit: one of them doesn't fit.
    """
    for change in changes:
        script = change(script, name)
    return script
