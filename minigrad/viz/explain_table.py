"""The table of causes: which message leads to which explanation, and what an explanation consists of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .explanation import Fix

NAMELESS = r"(?:the|a) tensor(?: of shape \([^)]*\))?|the result|an input|a leaf|(?:in|out)put \d+"


class Row(NamedTuple):
    name: str
    pattern: re.Pattern
    tell: Callable  # (scene, match) -> Told
    sharp: bool  # the words are so much autograd's own that only a library of ours can have raised them


TABLE: list[Row] = []


@dataclass
class Told:
    """What a cause has to say."""

    sentences: list[str]
    fixes: list[Fix] = field(default_factory=list)
    guilty: list[Any] = field(default_factory=list)  # nodes and tensors to mark
    show: list[Any] | None = None  # the tensors to draw; None: the roots of the pass
    versions: bool = False

    def __post_init__(self) -> None:
        self.sentences = [
            re.sub(r"^(the|a|an|input) ", lambda word: word[0].capitalize(), sentence)
            for sentence in self.sentences
        ]
        self.fixes = [Fix(*(re.sub(r"`[^`]*`", in_code, part) for part in fix)) for fix in self.fixes]


def in_code(code: re.Match) -> str:
    """In code to write, a tensor without a name is x."""
    return re.sub(NAMELESS, "x", code[0])


def cause(name: str, *patterns: str) -> Callable:
    """Enter a function `tell(scene, match)` into the table, for messages that fit one of the patterns."""

    def enter(tell: Callable) -> Callable:
        TABLE.extend(Row(name, re.compile(pattern, re.DOTALL), tell, True) for pattern in patterns)
        return tell

    return enter


def simple(
    name: str, pattern: str, *sentences: str, fixes: tuple = (), show: bool = False, sharp: bool = True
) -> None:
    """A cause whose words need no more than the message: `{0}`, `{1}` ... stand for what the pattern found.

    With `show`, the tensors that the statement mentions are drawn, as no pass was under way.
    """

    def tell(scene: Any, match: re.Match) -> Told:
        words = [scene.here + " " + sentences[0].format(*match.groups())]
        words += [sentence.format(*match.groups()) for sentence in sentences[1:]]
        told = [Fix(*(part.format(*match.groups()) for part in fix)) for fix in fixes]
        return Told(words, told, show=scene.tensors() if show else None)

    TABLE.append(Row(name, re.compile(pattern, re.DOTALL), tell, sharp))
