"""Markdown as HTML, by pandoc: formulas become MathML, which a browser shows without any script."""
from __future__ import annotations

import re
from html import escape

from .inert import inert

MISSING = "the reader needs pandoc: pip install -r requirements-handouts.txt"
READS = "gfm+tex_math_dollars"
BREAK = "cell-break-{}"
KINDS = {"◆": "rule", "⚠": "trap", "✎": "turn", "▶": "ask", "◀": "old"}
GRID = re.compile(r"<mrow>(\s*<mo [^>]*>\[</mo>\s*<mtable>)")
CODE = re.compile(r"`([^`]+)`|\*\*([^*`]+)\*\*")


def converted(texts: list[str]) -> list[str]:
    """Each text as HTML; one run of pandoc for all, so that headings get different anchors.

    Raises:
        ImportError: pandoc isn't installed; the message is one line that says what to do.
    """
    try:
        import pypandoc
    except ImportError:
        raise ImportError(MISSING) from None
    if not texts:
        return []
    marks = [f"\n\n<!-- {BREAK.format(at)} -->\n\n" for at in range(len(texts))]
    whole = "".join(mark + text for mark, text in zip(marks, texts, strict=True))
    html = pypandoc.convert_text(whole, "html", READS,
                                 extra_args=["--mathml", "--wrap=none", "--syntax-highlighting=none"])
    parts = re.split(rf"<!-- {BREAK.format('[0-9]+')} -->", html.replace("\r\n", "\n"))[1:]
    return [polished(inert(part.strip())) for part in parts]


def polished(html: str) -> str:
    """Callouts by their sign, tables that scroll on their own, columns that say so."""
    for sign, kind in KINDS.items():
        html = re.sub(rf"<blockquote>\s*<p><strong>{sign}", f'<blockquote class="{kind}"><p><strong>{sign}',
                      html)
    html = GRID.sub(r'<mrow class="bracketed">\1', html)
    # JupyterLab's anchors of headings keep capitals and question marks; pandoc's don't.
    html = re.sub('href="#[^"]+"', lambda link: link[0].lower().replace("?", ""), html)
    html = html.replace("<th>", '<th scope="col">').replace("<th style=", '<th scope="col" style=')
    return scrolling(html)


def scrolling(html: str) -> str:
    """A table that is wider than the page scrolls on its own; an empty corner is no heading."""
    html = re.sub(r"<th\b[^>]*>\s*</th>", "<td></td>", html)
    return re.sub(r"(<table\b.*?</table>)", r'<div class="wide">\1</div>', html, flags=re.DOTALL)


def words(text: str) -> str:
    """`code` and **bold** in a sentence as HTML; everything else as it stands."""
    return CODE.sub(lambda found: f"<code>{found[1]}</code>" if found[1] else f"<strong>{found[2]}</strong>",
                    escape(text, quote=False))
