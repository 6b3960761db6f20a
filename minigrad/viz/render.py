"""Lays a picture out and cleans the SVG.

The layout is made by graphviz-pure, a program that pip puts beside this Python; it gives the same bytes on
every machine, which a system `dot` does not. A system `dot` is used only when the environment variable
MINIGRAD_DOT names it, or, with a warning, when graphviz-pure is missing. Whatever is missing or fails, the
reader gets one line that says what to install.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

from .dot import dot_source
from .model import Picture
from .text import escaped, label_of, visible

INSTALL = "pip install graphviz-pure"


class CannotDraw(RuntimeError):
    """No picture on this machine; the message is one line that says what to do."""


def png(picture: Picture) -> bytes:
    return run(dot_source(picture, dpi="144"), "png")


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


def svg(picture: Picture, twin: str, **layout: str) -> str:
    """With a title and a description for screen readers, and ids that no other drawing on the page has.

    `layout` are attributes of the graph, such as `ranksep`: a sheet of paper needs narrower pictures.
    """
    prefix = "mg" + hashlib.sha256((dot_source(picture) + twin).encode()).hexdigest()[:8]
    text = run(dot_source(picture, **layout), "svg").decode("utf-8").replace("\r\n", "\n")
    text = text[text.index("<svg"):]
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)  # among them the version of Graphviz
    text = re.sub(r' xml:space="preserve"| xmlns:xlink="[^"]*"', "", text)
    text = re.sub(r"<title>(.*?)</title>\n?", lambda match: _hover(picture, match[1]), text)
    text = re.sub(r'id="(\w+)"', rf'id="{prefix}-\1"', text)
    start, end = text[: text.index(">")], text[text.index(">") + 1:]
    return (f'{start} role="img" aria-labelledby="{prefix}-title {prefix}-desc">\n'
            f'<title id="{prefix}-title">{escaped(picture.title)}</title>\n'
            f'<desc id="{prefix}-desc">{escaped(twin)}</desc>{end}')


def _hover(picture: Picture, old: str) -> str:
    """Graphviz titles are its own node names; ours say what the box is, and edges have none."""
    if match := re.fullmatch(r"n(\d+)", old):
        return f"<title>{escaped(label_of(picture, int(match[1])))}</title>\n"
    return ""


def run(source: str, format_: str, engine: str = "dot", *options: str) -> bytes:
    """What the program makes of DOT source; several graphs in one source give several pictures in a row."""
    program = dot_program()
    command = [str(program), f"-K{engine}", f"-T{format_}", *options]
    unseen = {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0)}  # or Windows opens a window
    try:
        done = subprocess.run(command, input=source.encode("utf-8"), capture_output=True, **unseen)
    except OSError:
        asked = os.environ.get("MINIGRAD_DOT")
        why = f"MINIGRAD_DOT names {asked!r}, which can't be run. Unset it, and" if asked else \
            "graphviz-pure is not installed. To see one:"
        raise CannotDraw(f"No picture: {why} {INSTALL}") from None
    if done.returncode or not done.stdout:
        said = visible(done.stderr.decode("utf-8", "replace")).strip().splitlines()[:1] or ["it said nothing"]
        raise CannotDraw(f"No picture: {program.name} failed with code {done.returncode} ({said[0][:200]}). "
                         f"To repair it: {INSTALL} --force-reinstall")
    return done.stdout


def dot_program() -> Path:
    if asked := os.environ.get("MINIGRAD_DOT"):
        return Path(asked)
    name = "graphviz-pure.exe" if sys.platform == "win32" else "graphviz-pure"
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    for folder in (sysconfig.get_path("scripts"), user, str(Path(sys.executable).parent)):
        if folder and (Path(folder) / name).exists():
            return Path(folder) / name
    if system := shutil.which("dot"):
        warnings.warn(f"graphviz-pure is not installed, so {system} draws; its pictures differ from computer "
                      f"to computer. For the usual ones: {INSTALL}", stacklevel=2)
        return Path(system)
    return Path(name)
