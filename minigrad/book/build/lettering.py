"""Words as they are printed: code marked, with printers' quotation marks, in typst's markup."""
from __future__ import annotations

import ast
import io
import re
import tokenize

CODE = re.compile(r"(?:\([^()]*\)|\b[a-z]\w*)(?:\.[a-z]\w*)+(?:\([^()]*\))?(?: = None)?"
                  r"|\b\w \* [\d.]+|\b\w+_\w+")


def coded(name: str) -> str:
    """A quantity's name, with what is code in it marked."""
    try:
        word = isinstance(ast.parse(name, mode="eval").body, ast.Name) and len(name) > 1
        return name if word else f"`{name}`"
    except SyntaxError:
        return CODE.sub(lambda found: f"`{found[0].strip()}`", name)


def near(code: str) -> str:
    """Code whose comments stand under each other, two spaces after the longest line that has one: so far to
    the left they fit a narrow page."""
    try:
        found = [one for one in tokenize.generate_tokens(io.StringIO(code).readline)
                 if one.type == tokenize.COMMENT and one.line[:one.start[1]].strip()]
    except (tokenize.TokenError, SyntaxError):
        return code
    lines = code.split("\n")
    before = {one.start[0] - 1: one.line[:one.start[1]].rstrip() for one in found}
    place = max(map(len, before.values()), default=0) + 2
    for one in found:
        at = one.start[0] - 1
        lines[at] = before[at].ljust(place) + one.string
    return "\n".join(lines)


def curly(text: str) -> str:
    """Apostrophes, quotation marks and minus signs as printers set them, outside `code`."""
    pieces = text.split("`")
    for at in range(0, len(pieces), 2):
        piece = re.sub(r"(?<=\w)'(?=\w)", "’", pieces[at])
        piece = re.sub(r"(?<![\w-])-(?=\d)", "−", piece)
        piece = re.sub(r'(^|(?<=[\s(]))"', "“", piece) if at == 0 else re.sub(r'(?<=[\s(])"', "“", piece)
        pieces[at] = piece.replace('"', "”")
    return "`".join(pieces)


def typ(text: str) -> str:
    """Words as typst writes them; `code` stays code, and **bold** bold."""
    pieces = curly(text).split("`")
    plain = ["".join("\\" + sign if sign in "\\#$*_<>@[]=~/+-" else sign for sign in piece)
             for piece in pieces[::2]]
    plain = [re.sub(r"\\\*\\\*(.+?)\\\*\\\*", r"*\1*", piece) for piece in plain]
    coded = [f"`{piece}`" for piece in pieces[1::2]]
    return "".join(one for pair in zip(plain, [*coded, ""]) for one in pair)
