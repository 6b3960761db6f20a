"""Code as HTML, with the kinds of its words marked where Pygments is there to tell them."""
from __future__ import annotations

from html import escape

from ..lettering import near


def listing(code: str, numbered: bool = False) -> str:
    html = marked(near(code.rstrip("\n")))
    if numbered:
        html = "".join(f'<span class="line">{line}</span>' for line in html.split("\n"))
    return f'<pre class="code{" numbered" if numbered else ""}"><code>{html}</code></pre>'


def marked(code: str) -> str:
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return escape(code, quote=False)
    return highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n")
