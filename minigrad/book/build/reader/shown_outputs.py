"""What a cell showed, as HTML: text, errors, pictures as files of their own, all else made inert."""
from __future__ import annotations

import base64
import hashlib
import re
from html import escape, unescape
from pathlib import Path

from ....viz.drawing.image import OPENS, svgs_in, width
from . import clinic
from .inert import inert, only_draws
from .markdown import scrolling

ERROR = re.compile(r"^(\w+(?:Error|Exception)): ", re.MULTILINE)
CSS_PIXEL = 4 / 3  # for a point
MOST_LINES = 60  # that are shown unfolded: a patient's script is shown, the source of an engine isn't
PICTURE = re.compile(r'<div class="mgpicture"(?:(?!</?div).)*</div>', re.DOTALL)
PNG = re.compile(r'(?<=src=")data:image/png;base64,([\w+/=]+)(?=")')
FIGURE = """<figure class="picture">
<div class="wide"><a href="{file}"><img src="{file}" alt="{alt}" width="{width}" height="{height}" \
style="min-width:min({width}px,{least}px)"{opens}></a></div>
<details><summary>The picture in words</summary><pre>{words}</pre></details>
</figure>"""


class Pictures:
    """SVG and PNG files beside the pages; the same picture is one file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "pictures"
        self.files: dict[str, Path] = {}

    def add(self, picture: bytes, ending: str = "svg") -> str:
        """The address of a picture, relative to the pages."""
        name = f"{hashlib.sha256(picture).hexdigest()[:12]}.{ending}"
        if name not in self.files:
            self.folder.mkdir(exist_ok=True)
            self.files[name] = self.folder / name
            self.files[name].write_bytes(picture)
        return f"pictures/{name}"

    def figure(self, svg: str, words: str) -> str:
        width, height = (float(re.search(rf'\b{side}="([\d.]+)pt"', svg)[1])
                         for side in ("width", "height"))
        alt = words.partition("\n")[0] + " The words below the picture say what it shows."
        return FIGURE.format(file=self.add(svg.encode()), alt=escape(alt), width=round(width * CSS_PIXEL),
                             height=round(height * CSS_PIXEL), least=round(width),
                             words=escape(words), opens=OPENS)


def output(one: dict, pictures: Pictures) -> str:
    """One output of a cell."""
    kind = one["output_type"]
    if kind == "error":
        return error(f"{one['ename']}: {one['evalue']}")
    if kind == "stream":
        return text(joined(one["text"]))
    data = {name: joined(value) for name, value in one["data"].items() if isinstance(value, (str, list))}
    html, words = data.get("text/html", ""), data.get("text/plain", "")
    if PICTURE.fullmatch(html) and (svg := drawing_in(html)):
        return pictures.figure(svg, words)
    return f'<div class="shown">{tidy(html, pictures)}</div>' if html else text(words)


def drawing_in(html: str) -> str:
    """The SVG of a picture; nothing if it could do more than be looked at."""
    return next(filter(only_draws, svgs_in(html)), "")


def joined(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def text(words: str) -> str:
    """What was printed, folded if it is long; a message that the clinic knows gets a link to its page."""
    slugs = dict.fromkeys(slug for line in words.splitlines() if ERROR.match(line)
                          and (slug := clinic.slug_of(line)))
    shown = f'<pre class="out">{escape(words.rstrip())}</pre>' + "".join(map(clinic.pointer, slugs))
    lines = words.rstrip().splitlines()
    if len(lines) <= MOST_LINES:
        return shown
    return f"<details><summary>{escape(lines[0])} ({len(lines)} lines)</summary>{shown}</details>"


def error(message: str) -> str:
    slug = clinic.slug_of(message)
    return f'<pre class="out error">{escape(message)}</pre>' + (clinic.pointer(slug) if slug else "")


def tidy(html: str, pictures: Pictures) -> str:
    """HTML that was made for a notebook: nothing in it runs, and drawings are files."""
    html = PICTURE.sub(lambda found: _file_image(found[0], pictures), inert(html))
    html = PNG.sub(lambda found: pictures.add(base64.b64decode(found[1]), "png"), html)
    html = re.sub(r"(<pre[^>]*)>", r'\1 class="said">', html)
    return scrolling(html)


def _file_image(html: str, pictures: Pictures) -> str:
    words, svg = "".join(re.findall(r'alt="([^"]*)"', html)[:1]), drawing_in(html)
    return html if not svg else (
        f'<span class="wide"><img src="{pictures.add(svg.encode())}" alt="{escape(unescape(words))}" '
        f'style="min-width:{round(width(svg))}px"{OPENS}></span>')
