"""What a cell showed, as HTML: text, errors, pictures as files of their own, players and labs as they are."""
from __future__ import annotations

import hashlib
import re
from html import escape, unescape
from pathlib import Path

from ....viz.image import OPENS, svgs_in, width
from . import clinic
from .markdown import scrolling

ERROR = re.compile(r"^(\w+(?:Error|Exception)): ", re.MULTILINE)
CSS_PIXEL = 4 / 3  # for a point
PICTURE = re.compile(r'<div class="mgpicture"(?:(?!</?div).)*</div>', re.DOTALL)
FIGURE = """<figure class="picture">
<div class="wide"><a href="{file}"><img src="{file}" alt="{alt}" width="{width}" height="{height}" \
style="min-width:min({width}px,{least}px)"{opens}></a></div>
<details><summary>The picture in words</summary><pre>{words}</pre></details>
</figure>"""


class Pictures:
    """SVG files beside the pages; the same picture is one file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "pictures"
        self.files: dict[str, Path] = {}

    def add(self, svg: str) -> str:
        """The address of a picture, relative to the pages."""
        name = hashlib.sha256(svg.encode()).hexdigest()[:12] + ".svg"
        if name not in self.files:
            self.folder.mkdir(exist_ok=True)
            self.files[name] = self.folder / name
            self.files[name].write_bytes(svg.encode("utf-8"))
        return f"pictures/{name}"

    def figure(self, svg: str, words: str) -> str:
        width, height = (float(re.search(rf'\b{side}="([\d.]+)pt"', svg)[1])
                         for side in ("width", "height"))
        alt = words.partition("\n")[0] + " The words below the picture say what it shows."
        return FIGURE.format(file=self.add(svg), alt=escape(alt), width=round(width * CSS_PIXEL),
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
    if "image/svg+xml" in data:
        return pictures.figure(data["image/svg+xml"], data["text/plain"])
    if PICTURE.fullmatch(data.get("text/html", "")):
        return pictures.figure(*svgs_in(data["text/html"]), data["text/plain"])
    if "text/html" in data:
        return f'<div class="shown">{tidy(data["text/html"], pictures)}</div>'
    return text(data.get("text/plain", ""))


def joined(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def text(words: str) -> str:
    """What was printed; a message that the clinic knows gets a link to its page."""
    slugs = dict.fromkeys(slug for line in words.splitlines() if ERROR.match(line)
                          and (slug := clinic.slug_of(line)))
    return f'<pre class="out">{escape(words.rstrip())}</pre>' + "".join(map(clinic.pointer, slugs))


def error(message: str) -> str:
    slug = clinic.slug_of(message)
    return f'<pre class="out error">{escape(message)}</pre>' + (clinic.pointer(slug) if slug else "")


def tidy(html: str, pictures: Pictures) -> str:
    """HTML that was made for a notebook: nothing changes on a page, so nothing is announced; SVG in files."""
    html = html.replace(' role="status"', "")
    html = PICTURE.sub(lambda found: _file_image(found[0], pictures), html)
    html = re.sub(r"(<pre[^>]*)>", r'\1 class="said">', html)
    return scrolling(html)


def _file_image(html: str, pictures: Pictures) -> str:
    words = unescape(re.search(r'alt="([^"]*)"', html)[1])
    [svg] = svgs_in(html)
    return (f'<span class="wide"><img src="{pictures.add(svg)}" alt="{escape(words)}" '
            f'style="min-width:{round(width(svg))}px"{OPENS}></span>')
