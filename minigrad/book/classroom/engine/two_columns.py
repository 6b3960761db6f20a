"""Two columns: the learner's engine beside minigrad's, the same step at the same height.

The lines are read from the sources at each call. A test fails when a line of one of the two loops is in no
row, so a change of the engine can't go unnoticed.
"""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from ..reading import Misread
from ..saying import kind_of
from ..showing import Shown
from . import MONOSPACE, path

PACKAGE = Path(__file__).resolve().parents[3]
LAST = 13       # the slice of the learner's engine that is compared
ENGINE, PLAN, SAVED = "autograd/engine.py", "autograd/recording.py", "autograd/saved.py"
ARITHMETIC = "ops/arithmetic.py"


class Piece(NamedTuple):
    """Lines of a function, class or assignment: from one that begins so to one that begins so."""

    file: str       # "" for the learner's engine, else a file of minigrad
    name: str       # a qualified name
    first: str = ""     # "": from its first line on
    last: str = ""      # "": the first line alone; "...": to its end


class Row(NamedTuple):
    """What both engines do at this point, and the lines in which they do it; None: it has none."""

    what: str
    mine: Piece | None
    theirs: Piece | None


def mine(first: str, last: str = "") -> Piece:
    return Piece("", "Tensor.run_pass", first, last)


def theirs(first: str, last: str = "") -> Piece:
    return Piece(ENGINE, "Pass.run_plain_nodes", first, last)


PASS = (
    Row("What the pass keeps", mine("waiting = self.count()", "arrived, ready ="),
        theirs("sums, waiting, keep_graph =")),
    Row("Until no node is left", mine("while ready:"), theirs("while waiting:")),
    Row("Choose the next node", mine("node = ready.pop()"), theirs("node = self.running = ")),
    Row("Take the sum of its messages", mine("message = arrived.pop"), theirs("grad = sums.pop")),
    Row("Call hooks (minigrad: in another function, which runs on tensors)",
        mine("for hook in", "message = message if"), theirs("if not node._is_plain", "return node, grad")),
    Row("Run the node, and go through what it sends",
        mine("for child, grad in"), theirs("grads = node._plan", "    continue")),
    Row("Give a message the shape of its tensor", mine("grad = fitted"),
        theirs("if sent.shape !=", "sent = fit(")),
    Row("Add it to what has arrived", mine("arrived[child] ="),
        theirs("if child in sums:", "sums[child] = sent if")),
    Row("Let the receiver wait, or make it ready", mine("waiting[child] -=", "ready.append"),
        theirs("elif child._children:", "self.leaf_received(")),
    Row("Free what the node saved", mine("saves = any", "node.edges, node.freed"),
        theirs("if not keep_graph and", "node._values = self.freed")),
    Row("When a leaf with hooks is reached, count the messages to leaves", None,
        theirs("if self.leaf_has_hooks and", "self.count_leaves()")),
    Row("End", None, theirs("return None, None")),
)
PRODUCT = (
    Row("Multiply, and name the formulas of the node", Piece("", "Tensor.__mul__", "", "..."),
        Piece(ARITHMETIC, "_mul", "", '"MulBackward0"')),
    Row("The formula: what is sent to an input", Piece("", "times", "return"),
        Piece(ARITHMETIC, "_mul", "self=")),
    Row("Attach the node to the result", Piece("", "record", "result.requires_grad"),
        Piece("autograd/recording.py", "record", "result._node =", "result._requires_grad")),
    Row("Save a factor with its version", Piece("", "Node.__init__", "self.versions"),
        Piece(PLAN, "save_one", "counter =", "node._versions =")),
    Row("Refuse what was freed", Piece("", "Node.run", "if self.freed", "raise RuntimeError(\"Try"),
        Piece("autograd/node.py", "Freed.__getitem__", "", "...")),
    Row("Refuse what was written to", Piece("", "Node.run", "for (_, saved, _)", "f\"expected"),
        Piece(SAVED, "saved_array", "value = node", "return value")),
    Row("Call the formulas", Piece("", "Node.run", "return [", "..."),
        Piece(PLAN, "Plan.compile_formulas", "arguments = [", "calls.append(f")),
)
PARTS = {"pass": ("the loop of a backward pass", PASS), "product": ("a product", PRODUCT)}


def side_by_side(part: str = "pass") -> Shown:
    """Show your engine beside minigrad's, the same step at the same height.

        side_by_side()              the loop of the backward pass
        side_by_side("product")     what a product saves, and its formulas
    """
    if part not in PARTS:
        raise Misread(f'Call side_by_side("pass") or side_by_side("product"); this is {kind_of(part)}.')
    what, rows = PARTS[part]
    heads = f"your engine, after chapter {LAST}", "minigrad"
    text, cells = [f"{what}: {heads[0]}, and {heads[1]}"], []
    for row in rows:
        text += ["", f"{row.what}:"]
        for head, piece in zip(("yours", "minigrad"), row[1:], strict=True):
            for at, line in enumerate(shifted(piece)):
                text.append(f"    {'' if at else head:9} {line}")
        cells.append(f'<tr><th scope="colgroup" colspan="2" style="{LEFT};border-top:1px solid #8888">'
                     f"{escape(row.what)}{place(row.theirs)}</th></tr><tr>"
                     + "".join(f'<td style="{LEFT};width:50%">{as_lines(piece)}</td>' for piece in row[1:])
                     + "</tr>")
    head = "".join(f'<th scope="col" style="{LEFT}">{escape(one)}</th>' for one in heads)
    html = (f'<table style="table-layout:fixed;width:100%;max-width:715px;border-collapse:collapse">'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(cells)}</tbody></table>")
    return Shown("\n".join(text), html)


LEFT = "text-align:left;vertical-align:top;padding:3px 4px"


def place(piece: Piece | None) -> str:
    """Where the lines of minigrad are."""
    if piece is None:
        return ""
    number, _ = lines(piece)[0]
    return (f' <span style="font-weight:normal;font-family:{MONOSPACE};font-size:11px">'
            f"{escape(piece.file)}:{number}</span>")


def as_lines(piece: Piece | None) -> str:
    """Lines as HTML: a long one is broken, and goes on further to the right."""
    return "".join(
        f'<div style="font-family:{MONOSPACE};font-size:11px;line-height:1.4;overflow-wrap:anywhere;'
        f'padding-left:{len(line) - len(line.lstrip()) + 3}ch;text-indent:-3ch">{escape(line.strip())}</div>'
        for line in shifted(piece))


def shifted(piece: Piece | None) -> list[str]:
    """The lines of a piece without comments, from the left margin on."""
    found = [without_comment(text, strip=False) for _, text in lines(piece)] if piece else []
    found = [line for line in found if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in found), default=0)
    return [line[margin:] for line in found]


def without_comment(line: str, strip: bool = True) -> str:
    line = re.sub(r"\s*(?<!['\"])#(?![0-9a-f]{3}).*$", "", line).rstrip()
    return line.strip() if strip else line


@cache
def lines(piece: Piece) -> tuple[tuple[int, str], ...]:
    """The numbered lines of a piece.

    Raises:
        ValueError: a line that should begin or end it isn't there.
    """
    text = source_of(piece.file)
    node = named(text, piece.name)
    numbered = [(number, line) for number, line in enumerate(text.splitlines(), 1)
                if node.lineno <= number <= node.end_lineno]
    begin = starts(numbered, piece.first, 0, piece)
    if not piece.last:
        return (numbered[begin],)
    end = len(numbered) - 1 if piece.last == "..." else starts(numbered, piece.last.strip(), begin, piece)
    return tuple(numbered[begin:end + 1])


def starts(numbered: list[tuple[int, str]], beginning: str, after: int, piece: Piece) -> int:
    for at, (_, line) in enumerate(numbered):
        if at >= after and line.strip().startswith(beginning):
            return at
    raise ValueError(f"no line of {piece.name} begins with {beginning!r}")


def source_of(file: str) -> str:
    return (PACKAGE / file if file else path(LAST)).read_text(encoding="utf-8")


def named(text: str, name: str) -> ast.stmt:
    """The function, class or assignment with this qualified name in a source.

    Raises:
        ValueError: there is none.
    """
    body: list[ast.stmt] = ast.parse(text).body
    for part in name.split("."):
        found = [node for node in body if getattr(node, "name", None) == part or (
            isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == part)]
        if not found:
            raise ValueError(f"there is no {name}")
        body = getattr(found[0], "body", [])
    return found[0]


def of_minigrad() -> Iterator[tuple[str, int, str]]:
    """The lines of minigrad in all rows: file, number, text."""
    for _, rows in PARTS.values():
        for row in rows:
            if row.theirs:
                for number, text in lines(row.theirs):
                    yield row.theirs.file, number, text
