"""Lays a picture out and cleans the SVG.

graphviz-pure, a program that pip puts beside this Python, gives the same bytes on every machine. A
system `dot` does not; it is used, with a warning, when graphviz-pure is missing.
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
from io import BytesIO
from pathlib import Path

from ..graph.model import Picture
from .dot import dot_graph
from .style import AS_ARIAL
from .text_twin import escaped, visible

INSTALL = "pip install graphviz-pure"
INSTALL_PDF = "pip install svglib"


# A frame: its rim, and the plate and the words of its title.
FRAME = re.compile(r'(<g id="[^"]*" class="cluster">\n<title>.*?</title>\n<path [^>]*/>\n)'
                   r'(<polygon [^>]*/>\n<text [^>]*>.*?</text>\n)</g>')


class CannotDraw(RuntimeError):
    """No picture on this machine; the message is one line that says what to do."""


def png(picture: Picture) -> bytes:
    return run(dot_graph(picture, dpi="144").source(), "png")


def pdf(svg: str) -> bytes:
    """The SVG as a PDF, with letters as text.

    graphviz-pure writes no PDF, and another Graphviz would make another layout. svglib is written
    in Python, so it needs no library of the system, as cairosvg would.
    """
    try:
        from reportlab.graphics import renderPDF
        from svglib.svglib import svg2rlg
    except ImportError:
        raise CannotDraw(f"No PDF: svglib is not installed. To write one: {INSTALL_PDF}") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about fonts that it looks for
        return renderPDF.drawToString(svg2rlg(BytesIO(svg.encode("utf-8"))))


def svg(picture: Picture, twin: str, **layout: str) -> str:
    """With a title and a description for screen readers, and ids that no other drawing on the page
    has.

    `layout` are attributes of the graph, such as `ranksep`: a sheet of paper needs narrower
    pictures.
    """
    prefix = "mg" + hashlib.sha256((dot_graph(picture).source() + twin).encode()).hexdigest()[:8]
    text = run(dot_graph(picture, **layout).source(), "svg").decode("utf-8").replace("\r\n", "\n")
    text = text[text.index("<svg"):]
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)  # among them the version of Graphviz
    text = titles_on_top(re.sub(r' xml:space="preserve"| xmlns:xlink="[^"]*"', "", text))
    text = re.sub(r"<title>.*?</title>\n?", "", text)  # Graphviz's own names of nodes and edges
    text = re.sub(r'id="(\w+)"', rf'id="{prefix}-\1"', text)
    start, end = text[: text.index(">")], text[text.index(">") + 1:]
    return (f'{start} style="{AS_ARIAL}" role="img" '
            f'aria-labelledby="{prefix}-title {prefix}-desc">\n'
            f'<title id="{prefix}-title">{escaped(picture.title)}</title>\n'
            f'<desc id="{prefix}-desc">{escaped(twin)}</desc>{end}')


def titles_on_top(svg: str) -> str:
    """Draw the titles of frames after the arrows, which would otherwise cross their letters."""
    titles = "".join(match[2] for match in FRAME.finditer(svg))
    body, end, rest = FRAME.sub(r"\1</g>", svg).rpartition("</g>\n</svg>")
    return body + titles + end + rest


def run(source: str, format_: str, engine: str = "dot", *options: str) -> bytes:
    """What the program makes of DOT source: one picture for each graph in it."""
    program = dot_program()
    command = [str(program), f"-K{engine}", f"-T{format_}", *options]
    unseen: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # or Windows opens a window
    try:
        done = subprocess.run(command, input=source.encode("utf-8"), capture_output=True,
                              creationflags=unseen)
    except OSError:
        raise CannotDraw(f"No picture: graphviz-pure is not installed. To see one: "
                         f"{INSTALL}") from None
    if done.returncode or not done.stdout:
        said = visible(done.stderr.decode("utf-8", "replace")).strip().partition("\n")[0][:200]
        raise CannotDraw(f"No picture: {program.name} failed with code {done.returncode} ({said}). "
                         f"To repair it: {INSTALL} --force-reinstall")
    return done.stdout


def dot_program() -> Path:
    folders = (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
    if found := shutil.which("graphviz-pure", path=os.pathsep.join(folders)):
        return Path(found)
    if system := shutil.which("dot"):
        warnings.warn(f"graphviz-pure is not installed, so {system} draws; its pictures differ "
                      f"from computer to computer. For the usual ones: {INSTALL}", stacklevel=2)
        return Path(system)
    return Path("graphviz-pure")
