"""Code as HTML, with the kinds of its words marked where Pygments is there to tell them."""
from __future__ import annotations

import re
from collections.abc import Collection
from html import escape

from ..lettering import near

# The kinds of words, by their names in Pygments, that reader.css colours.
COLOURED = {"k", "kn", "ow", "kc", "s1", "s2", "sa", "si", "sd", "se", "mi", "mf", "c1"}
KIND = re.compile(r'<span class="(\w+)">([^<]*)</span>')


def listing(code: str, numbered: bool = False, marked: Collection[int] = ()) -> str:
    """Code with its line numbers, if it is numbered; the lines of these numbers stand out."""
    html = coloured(near(code.rstrip("\n")))
    if numbered:  # each line keeps its end, so that a copy of the text is the program
        html = "".join(f'<span class="line{" marked" if at in marked else ""}">{line}\n</span>'
                       for at, line in enumerate(html.split("\n"), 1))
    return f'<pre class="code{" numbered" if numbered else ""}"><code>{html}</code></pre>'


def coloured(code: str) -> str:
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return escape(code, quote=False)
    html = highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n")
    # Nine of ten kinds have no colour, and would be a sixth of the whole site.
    return KIND.sub(lambda found: found[0] if found[1] in COLOURED else found[2], html)
