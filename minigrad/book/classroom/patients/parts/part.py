"""One part of a script: a text with slots and roles, and the traits that decide what it fits."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Part:
    """A text of a part, what it needs of the parts chosen before it, and what it tells those after it.

    `needs` and `avoids` are traits of the script so far; `gives` are the traits that the part adds to them.
    `slots` has, for each slot, the values to choose from; a value that an earlier part chose stays.
    """

    name: str
    text: str
    gives: str = ""
    needs: str = ""
    avoids: str = ""
    slots: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def fits(self, traits: frozenset[str]) -> bool:
        """Whether a script with these traits may go on with this part."""
        return traits >= set(self.needs.split()) and not traits & set(self.avoids.split())
