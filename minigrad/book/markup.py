"""The small markup of questions: `code` and **bold**, as HTML and as plain words."""
from __future__ import annotations

import re
from html import escape

MARKS = re.compile(r"`([^`]+)`|\*\*([^*`]+)\*\*")


def marked_up(text: str) -> str:
    """`code` and **bold**, as HTML."""
    return MARKS.sub(lambda found: f"<code>{found[1]}</code>" if found[1] else f"<b>{found[2]}</b>",
                     escape(text, quote=False))


def plain(text: str) -> str:
    """Without the marks; two stars inside code are a power, and stay."""
    return MARKS.sub(lambda found: found[1] or found[2], text)
