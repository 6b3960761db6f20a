"""Lays a picture out and cleans the SVG.

The graphviz package runs graphviz-pure, a program that pip puts beside this Python; it gives the same bytes
on every machine, which a system `dot` does not. A system `dot` is used only when the environment variable
MINIGRAD_DOT names it. Whatever is missing or fails, the reader gets one line that says what to install.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import sysconfig
import threading
from html import escape
from pathlib import Path
from typing import Any

from .dot import digraph
from .model import Picture
from .text import label_of

INSTALL = "pip install graphviz graphviz-pure"
_one_at_a_time = threading.Lock()


class CannotDraw(RuntimeError):
    """No picture on this machine; the message is one line that says what to do."""


def dot_source(picture: Picture) -> str:
    return _digraph(picture).source


def png(picture: Picture) -> bytes:
    return _lay_out(picture, "png", dpi="144")


def pdf(svg_text: str) -> bytes:
    """One page of the picture's own size; where Arial is missing, another font steps in."""
    try:
        import typst
    except ImportError:
        reason = "the typst package is not installed"
        raise CannotDraw(f"No PDF: {reason}. To save one: pip install typst") from None
    fonts = 'font-family="Arial,Liberation Sans,Helvetica,DejaVu Sans Condensed"'
    page = b"#set document(date: none)\n#set page(width: auto, height: auto, margin: 0pt)\n#image(\"x.svg\")"
    picture = re.sub(r'font-family="[^"]*"', fonts, svg_text).encode("utf-8")
    return typst.compile({"main.typ": page, "x.svg": picture}, format="pdf")


def svg(picture: Picture, twin: str, **graph_attributes: str) -> str:
    """With a title and a description for screen readers, and ids that no other drawing on the page has."""
    text = _lay_out(picture, "svg", **graph_attributes).decode("utf-8").replace("\r\n", "\n")
    prefix = "mg" + hashlib.sha256((dot_source(picture) + twin).encode()).hexdigest()[:8]
    return clean(text, picture, twin, prefix)


def clean(text: str, picture: Picture, twin: str, prefix: str) -> str:
    text = text[text.index("<svg"):]
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)  # among them the version of Graphviz
    text = re.sub(r' xml:space="preserve"| xmlns:xlink="[^"]*"', "", text)
    text = re.sub(r"<title>(.*?)</title>\n?", lambda match: _hover(picture, match[1]), text)
    text = re.sub(r'id="(\w+)"', rf'id="{prefix}-\1"', text)
    start, end = text[: text.index(">")], text[text.index(">") + 1:]
    return (
        f'{start} role="img" aria-labelledby="{prefix}-title {prefix}-desc">\n'
        f'<title id="{prefix}-title">{escape(picture.title)}</title>\n'
        f'<desc id="{prefix}-desc">{escape(twin)}</desc>{end}'
    )


def _hover(picture: Picture, old: str) -> str:
    """Graphviz titles are its own node names; ours say what the box is, and edges have none."""
    if match := re.fullmatch(r"n(\d+)", old):
        return f"<title>{escape(label_of(picture, int(match[1])))}</title>\n"
    return ""


def _digraph(picture: Picture):
    try:
        return digraph(picture)
    except ImportError:
        reason = "the graphviz package is not installed"
        raise CannotDraw(f"No picture: {reason}. To see one: {INSTALL}") from None


def _lay_out(picture: Picture, format_: str, **graph_attributes: str) -> bytes:
    graph = _digraph(picture)
    graph.attr(**graph_attributes)
    return run(graph.source, format_)


def run(source: str, format_: str, engine: str = "dot", **options: Any) -> bytes:
    """What the program makes of DOT source; several graphs in one source give several pictures in a row."""
    import graphviz
    from graphviz.backend import dot_command

    program = dot_program()
    with _one_at_a_time:
        before, dot_command.DOT_BINARY = dot_command.DOT_BINARY, program
        try:
            return graphviz.pipe(engine, format_, source.encode("utf-8"), quiet=True, **options)
        except Exception as error:  # not found, not executable, crashed: one line, no trace
            raise CannotDraw(_reason(error, program)) from None
        finally:
            dot_command.DOT_BINARY = before


def _reason(error: Exception, program: Path) -> str:
    if type(error).__name__ == "ExecutableNotFound":
        asked = os.environ.get("MINIGRAD_DOT")
        if asked:
            return f"No picture: MINIGRAD_DOT names {asked!r}, which can't be run. Unset it, and {INSTALL}"
        return f"No picture: graphviz-pure is not installed. To see one: {INSTALL}"
    what = f"{program.name} failed ({type(error).__name__})"
    return f"No picture: {what}. To repair it: {INSTALL} --force-reinstall"


def dot_program() -> Path:
    asked = os.environ.get("MINIGRAD_DOT")
    if asked:
        return Path(asked)
    name = "graphviz-pure.exe" if sys.platform == "win32" else "graphviz-pure"
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    for folder in (sysconfig.get_path("scripts"), user, str(Path(sys.executable).parent)):
        if folder and (Path(folder) / name).exists():
            return Path(folder) / name
    return Path(sysconfig.get_path("scripts")) / name
