"""A page of markdown as a PDF: pandoc turns its words into typst's markup, and typst makes the PDF, by the
standard PDF/UA, which is for those who hear a page. Both come with pip.
"""
from __future__ import annotations

import functools
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ... import __version__
from . import lettering
from .licence import TEXTS
from .sheet_markdown import NEXT, Page

HERE = Path(__file__).parent
MARKDOWN = ("markdown-implicit_figures-smart-citations-example_lists-fancy_lists"
            "-subscript-superscript-strikeout")


@functools.cache
def source() -> str:
    """What a copied sheet has to say: which book it is from, and under which licence."""
    return " · ".join(filter(None, [f"minigrad {__version__}", address(), TEXTS]))


@dataclass(frozen=True)
class Form:
    """How paper is to look."""

    letter: bool = False  # US Letter in place of A4
    large: bool = False  # large print: as many pages as it takes
    tight: bool = False  # the smallest letters that a class can read, where two pages would not do otherwise

    @property
    def suffix(self) -> str:
        """What the names of files end with, so that no form replaces another."""
        return "-large" * self.large + "-letter" * self.letter

    @property
    def size(self) -> float:
        return 18 if self.large else 11 if self.tight else 11.5

    @property
    def paper(self) -> str:
        return "us-letter" if self.letter else "a4"

    @property
    def wide(self) -> float:
        """Points between the margins."""
        return (612 if self.letter else 595) - 60

    @property
    def tall(self) -> float:
        return (792 if self.letter else 842) - 80

    @property
    def scale(self) -> float:
        return 18 / 11 if self.large else 0.85 if self.tight else 1.0  # a picture has labels of 11 points

    def page(self, name: str, lines: int = 0) -> Page:
        """An empty page that looks so, with as many lines to write on below each exercise."""
        return Page(name, lines, self.wide, self.scale, self.tall)


@dataclass(frozen=True)
class Made:
    path: Path
    pages: int = 0


def save_page(path: Path, page: Page, title: str, form: Form) -> Made:
    """Write a page as a file."""
    return save(path, as_pdf([page], [title], form)[0])


def save(path: Path, pdf: bytes) -> Made:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pdf)
    return Made(path, pages_of(pdf))


def as_pdf(pages: list[Page], titles: list[str], form: Form) -> list[bytes]:
    return [compiled(*each, form) for each in zip(pages, converted(pages), titles, strict=True)]


def converted(pages: list[Page]) -> list[str]:
    """Typst's markup of several pages, in one call: to start pandoc is what takes its time.

    pypandoc's own functions start it four times, to ask what it can do.
    """
    import pypandoc
    whole = f"\n\n{NEXT}\n\n".join(page.text for page in pages)
    command = [pypandoc.get_pandoc_path(), f"--from={MARKDOWN}", "--to=typst", "--wrap=none",
               "--columns=9999", "--syntax-highlighting=none"]
    text = subprocess.run(command, input=whole.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
    return text.replace("\r\n", "\n").split(NEXT)


def compiled(page: Page, text: str, title: str, form: Form) -> bytes:
    import typst
    head = (HERE / "page.typ").read_text(encoding="utf-8")
    for word, value in {"PAPER": form.paper, "SIZE": str(form.size), "TITLE": lettering.curly(title),
                        "FOOT": lettering.typ(f"{short(title)} · {source()}")}.items():
        head = head.replace(word, value)
    files = {"main.typ": (head + text).encode()}
    files |= {name: svg.encode() for name, svg in page.pictures.items()}
    return typst.compile(files, root=str(HERE), format="pdf", font_paths=fonts(),  # no file beyond is read
                         pdf_standards=["ua-1"])


def short(title: str) -> str:
    """Which chapter and which sheet it is; the first page begins with the chapter's name."""
    parts = title.split(" · ")
    return " · ".join(dict.fromkeys((parts[0], parts[-1])))


def address() -> str:
    """Where this copy of the book comes from, if it is a clone."""
    root = HERE.parents[2]
    try:
        url = subprocess.run(["git", "-C", str(root), "config", "--get", "remote.origin.url"], timeout=10,
                             capture_output=True, check=False, encoding="utf-8", errors="replace").stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return web_address(url.strip()) if (root / ".git").exists() else ""


def web_address(url: str) -> str:
    """git@github.com:me/book.git as one types it into a browser, without anybody's name or password."""
    found = re.search(r"(?:^|[/@])([\w-]+(?:\.[\w-]+)+)[:/](.+?)(?:\.git)?/?$", url)
    return f"{found[1]}/{found[2]}" if found else ""


def fonts() -> list[str]:
    """Where matplotlib keeps its fonts: they step in where a computer has no Arial."""
    try:
        import matplotlib
    except ImportError:
        return []
    return [str(Path(matplotlib.get_data_path()) / "fonts" / "ttf")]


def pages_of(pdf: bytes) -> int:
    """How many pages a PDF has, by its own count."""
    return max(int(count) for count in re.findall(rb"/Count (\d+)", pdf))
