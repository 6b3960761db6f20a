"""The small markup of questions, `code` and **bold**, as HTML and as plain words; and what a page may do."""
from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape

NOTHING = " 'none'"
MARKS = re.compile(r"`([^`]+)`|\*\*([^*`]+)\*\*")


def marked_up(text: str) -> str:
    """`code` and **bold**, as HTML."""
    return MARKS.sub(lambda found: f"<code>{found[1]}</code>" if found[1] else f"<b>{found[2]}</b>",
                     escape(text, quote=False))


def plain(text: str) -> str:
    """Without the marks; two stars inside code are a power, and stay."""
    return MARKS.sub(lambda found: found[1] or found[2], text)


def policy(scripts: Iterable[str] = (), files: str = "") -> str:
    """An element for a page's head: a browser shows what the page holds, or `files`, and runs these scripts.

    It is a second wall, if a text should ever get into a page as HTML.
    """
    hashes = [f" 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts]
    may_run = f"{files} 'unsafe-hashes'{''.join(hashes)}" if files or hashes else NOTHING
    return ("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
            f"form-action{files or NOTHING}; img-src data:{files}; style-src 'unsafe-inline'{files}; "
            f'script-src{may_run}">')
