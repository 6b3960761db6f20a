"""The small markup of questions: `code` and **bold**, as HTML and as plain words."""
from __future__ import annotations

import re
from html import escape


def marked_up(text: str) -> str:
    """`code` and **bold**, as HTML."""
    text = escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)


def plain(text: str) -> str:
    return text.replace("`", "").replace("**", "")
