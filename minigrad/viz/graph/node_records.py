"""What a watch wrote down of a node: the lines of the operation and of its pass, and what passed.

A node's record is in its own `metadata`, so it lives exactly as long as the node does. It holds
words and numbers only. Where nothing was watched, each of these functions answers None.
"""
from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from .norms import Numbers

KEY = "watched_"  # in the metadata of a node, beside "traceback_" of anomaly mode


class Line(NamedTuple):
    """A line of the program."""

    filename: str = ""
    line: int = 0
    function: str = ""


def place_of(node: Any) -> Line | None:
    """The line that recorded a node."""
    return record_of(node).get("place")


def freed_by(node: Any) -> Line | None:
    """The line of the pass that freed what a node had saved; minigrad knows it without a watch."""
    return record_of(node).get("freed") or getattr(node, "_freed_at", None)


def passed(node: Any) -> list[Numbers | None] | None:
    """What arrived at each output of a node in the last watched pass; [] if it didn't run."""
    return record_of(node).get("passed")


def record_of(node: Any) -> dict[str, Any]:
    """The "place", "freed", "passed", "sent" and "of_pass" of a node, as far as they are known.

    "sent" is "nan" or "infinite" if one of the numbers that the node sent was that, and ""
    otherwise. "arrival" grows from node to node of a pass: PyTorch numbers the nodes of each thread
    anew. "call" is that of the module in which it was recorded. Of an AccumulateGrad also "added":
    the line of the last pass, if it added to numbers that were there. "failed":
    the line of a pass that ended with an error before it came to the node.
    """
    try:
        return node.metadata.get(KEY) or {}
    except Exception:  # no node, or one whose class has other plans with this name
        return {}


def metadata_of(node: Any, key: str) -> Any:
    try:
        return node.metadata.get(key)
    except Exception:  # as above
        return None


def note(node: Any, **facts: Any) -> dict[str, Any]:
    """Write facts into the record of a node; returns the record."""
    try:
        record: dict[str, Any] = node.metadata.setdefault(KEY, {})
    except Exception:  # as above
        record = {}
    record.update(facts)
    return record


def forget_since(node: Any, facts: dict[str, Any]) -> None:
    """Go back to a record that was read before."""
    with suppress(Exception):
        node.metadata[KEY] = facts
