"""What a silent bug is: where it fits, the change that plants it, and everything that is said about it."""
from __future__ import annotations

from dataclasses import dataclass

from .script import Change, Misfit, Script, changed

KINDS = ("graph", "step", "mode", "loss", "data", "numbers")


@dataclass(frozen=True)
class Bug:
    """One silent bug.

    `ways` has one list of changes for each spelling of a script; the first that fits is used. The lines that
    the changes write or move are right answers, and so are those with a role in `also`. If a line is missing
    or in a wrong place, `places` says where its repair can stand: then the lines beside these places are
    right, and others with a role in `also` aren't. `measurements` are the names of those that show the bug;
    empty: none does.
    """

    name: str
    kind: str
    says: str
    ways: tuple[tuple[Change, ...], ...]
    hints: tuple[str, str, str]
    fix: str
    price: str
    also: str = ""
    needs: str = ""
    avoids: str = ""
    measurements: str = ""
    places: str = ""

    def planted(self, script: Script) -> Script:
        """Return the script with this bug.

        Raises:
            Misfit: the script has no place for it.
        """
        if not script.traits >= set(self.needs.split()) or script.traits & set(self.avoids.split()):
            raise Misfit(f"{self.name} needs other parts")
        for way in self.ways:
            try:
                ill = changed(script, way, self.name)
            except Misfit:
                continue
            if self.lines(ill):
                return ill
        raise Misfit(f"{self.name} has no way into this script")

    def fits(self, script: Script) -> bool:
        """Whether the script has a place for this bug."""
        try:
            self.planted(script)
        except Misfit:
            return False
        return True

    def lines(self, ill: Script) -> list[int]:
        """Return the numbers of the lines that belong to this bug in a script that has it."""
        return sorted({*ill.marked(self.name), *ill.with_roles(self.also.split())})


@dataclass(frozen=True)
class LookAlike:
    """A line or two that look like a bug and change no number, with the sentence that says why."""

    name: str
    says: str
    ways: tuple[tuple[Change, ...], ...]
    needs: str = ""
    avoids: str = ""

    planted = Bug.planted

    def lines(self, script: Script) -> list[int]:
        """Return the numbers of its lines."""
        return script.marked(self.name)

    fits = Bug.fits
