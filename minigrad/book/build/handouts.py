"""Handouts: two pages of paper per chapter and variant, and a key; as PDF, and as HTML without the network.

pandoc turns the words into typst and HTML, typst makes the PDF; both come with pip. The number of lines to
write on is the largest that still fits two pages; what is left of a page is filled with more of them.
"""
from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ... import __version__
from ..licence import TEXTS
from ..markup import policy
from . import keys, lettering, one_page, writing
from .reader.inert import inert
from .sheets import VARIANTS, Sheet, sheet
from .writing import NEXT, Page

HERE = Path(__file__).parent
PAGES = 2
LINES = (6, 5, 4, 3, 2, 1)  # to write on, under each exercise: the first that fits
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
        return 18 / 11 if self.large else 1.0  # a picture has labels of 11 points


@dataclass(frozen=True)
class Made:
    path: Path
    pages: int = 0


def handouts(number: int, folder: Path, form: Form) -> Iterator[Made]:
    """The sheets A to D of a chapter, their key, and the chapter on one page, each as .pdf and .html."""
    sheets = [sheet(number, seat) for seat in VARIANTS]
    pdfs, htmls, first = fitted(sheets, form)
    for one, pdf, html in zip(sheets, pdfs, htmls, strict=True):
        yield from write(folder, f"{number:02}-{one.seat}{form.suffix}", pdf, html)
    page = keys.key(sheets, first, Page("key", 0, form.wide, form.scale, form.tall))
    title = f"Key to chapter {number}"
    (pdf,), (html,) = turned([page], [title], form)
    yield from write(folder, f"{number:02}-key{form.suffix}", pdf, html)
    yield from write(folder, f"{number:02}-page{form.suffix}", *on_one_page(number, form))


def on_one_page(number: int, form: Form) -> tuple[bytes, str]:
    """The chapter on one page, with as much as there is room for; in large print on as many as it takes."""
    found = one_page.summary(number)
    title = f"{number} · {found.title} · On one page"

    def made(parts: tuple[str, ...], each: Form) -> tuple[bytes, str]:
        page = one_page.one_page(found, Page("page", 0, form.wide, form.scale, form.tall), parts)
        (pdf,), (html,) = turned([page], [title], each)
        return pdf, html

    whole = made(one_page.ORDER, form)
    if form.large or pages_of(whole[0]) == 1:
        return whole
    tight, kept, best = replace(form, tight=True), (), None
    for part in one_page.ORDER:
        tried = made((*kept, part), tight)
        if pages_of(tried[0]) == 1:
            kept, best = (*kept, part), tried
    if best is None:
        raise ValueError(f"chapter {number} has no room on one page, not even its error")
    roomy = made(kept, form)
    return roomy if pages_of(roomy[0]) == 1 else best


def write(folder: Path, name: str, pdf: bytes, html: str) -> Iterator[Made]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.pdf").write_bytes(pdf)
    (folder / f"{name}.html").write_text(html, encoding="utf-8")
    yield Made(folder / f"{name}.pdf", pages_of(pdf))
    yield Made(folder / f"{name}.html")


def save(path: Path, pdf: bytes) -> Made:
    """Write a PDF that has no copy as HTML."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pdf)
    return Made(path, pages_of(pdf))


class Fitted(NamedTuple):
    """Sheets that fit two pages: how they are to look, the pages, their titles, and how many exercises come
    before the picture."""

    form: Form
    pages: list[Page]
    titles: list[str]
    pdfs: list[bytes]
    first: int


def fitted(sheets: list[Sheet], form: Form) -> tuple[list[bytes], list[str], int]:
    """The sheets as PDF and HTML, and how many exercises come before the picture."""
    found = fit(sheets, form)
    return found.pdfs, as_html(found.pages, found.titles, found.form), found.first


def fit(sheets: list[Sheet], form: Form) -> Fitted:
    """The sheets on two pages, with as many lines to write on as there is room for.

    As many exercises as possible come before the picture: small things fill a page better, and the picture
    is on the other side of the predictions, which it might answer. What fits nowhere is as long as it is; a
    test looks at the pages.
    """
    titles = [f"{one.number} · {one.title} · Sheet {one.seat}" for one in sheets]

    def page_of(one: Sheet, lines: int, first: int) -> Page:
        return writing.student(one, Page(one.seat, lines, form.wide, form.scale, form.tall), first)

    @functools.cache
    def pages_with(form: Form, lines: int, first: int) -> int:
        return pages_of(as_pdf([page_of(sheets[0], lines, first)], titles[:1], form)[0])

    def needs(lines: int, first: int) -> int:
        return pages_with(form, lines, first)

    every = [0] if sheets[0].paper.picture_first else range(len(sheets[0].tasks), -1, -1)
    if not form.large and min(needs(0, first) for first in every) > PAGES:
        form = replace(form, tight=True)
    if form.large:  # in the order of the other sheets, so that one key is for both
        first = fit(sheets[:1], replace(form, large=False)).first
        plans = iter([min(((2, first), (1, first)), key=lambda plan: needs(*plan))])
    else:
        orders = [first for first in every if needs(0, first) <= PAGES] or [every[0]]
        found = ((lines, first) for lines in LINES for first in orders if needs(lines, first) <= PAGES)
        plans = chain(found, [(0, orders[0])])
    for plan in plans:
        pages = [page_of(one, *plan) for one in sheets]
        pdfs = as_pdf(pages, titles, form)
        if form.large or max(map(pages_of, pdfs)) <= PAGES:
            break
    return Fitted(form, pages, titles, pdfs, plan[1])


def turned(pages: list[Page], titles: list[str], form: Form) -> tuple[list[bytes], list[str]]:
    """Each page as PDF and as HTML."""
    return as_pdf(pages, titles, form), as_html(pages, titles, form)


def as_pdf(pages: list[Page], titles: list[str], form: Form) -> list[bytes]:
    return [compiled(*each, form) for each in zip(pages, converted(pages, "typst"), titles, strict=True)]


def as_html(pages: list[Page], titles: list[str], form: Form) -> list[str]:
    htmls = zip(converted(pages, "html5"), titles, strict=True)
    return [framed(html, title, form) for html, title in htmls]


def converted(pages: list[Page], to: str) -> list[str]:
    """Typst or HTML of several pages, in one call: to start pandoc is what takes its time.

    pypandoc's own functions start it four times, to ask what it can do.
    """
    import pypandoc
    whole = f"\n\n{NEXT}\n\n".join(page.text for page in pages)
    command = [pypandoc.get_pandoc_path(), f"--from={MARKDOWN}", f"--to={to}", "--wrap=none",
               "--columns=9999", "--mathml", "--syntax-highlighting=none"]
    text = subprocess.run(command, input=whole.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
    return re.split(rf"(?:<p>)?{NEXT}(?:</p>)?", text.replace("\r\n", "\n"))


def compiled(page: Page, text: str, title: str, form: Form) -> bytes:
    import typst
    head = (HERE / "handout.typ").read_text(encoding="utf-8")
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


def framed(html: str, title: str, form: Form) -> str:
    style = (HERE / "handout.css").read_text(encoding="utf-8")
    columns = {"THREE": "1", "COLUMNS": "1"} if form.large else {
        "THREE": "3", "COLUMNS": "2"}
    for word, value in {"PAPER": "letter" if form.letter else "A4", "SIZE": str(form.size), **columns,
                        "PRINT": "18" if form.large else "11",
                        "CODE": "18" if form.large else "11", "GAP": "12" if form.large else "7.6"}.items():
        style = style.replace(word, value)
    name, foot = escape(lettering.curly(title)), lettering.words(f"{short(title)} · {source()}")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{policy()}<title>{name}</title>'
            f'<meta name="viewport" content="width=device-width"><style>\n{style}</style></head>\n'
            f"<body>\n<main>\n{inert(in_lines(html.strip()))}\n</main>\n"
            f'<footer class="foot">{foot}</footer>\n</body></html>\n')


def in_lines(html: str) -> str:
    """Each line of a program as an element: one that is too long goes on with an indent and a sign."""
    def lines(found: re.Match) -> str:
        each = (f'<span class="line">{line}\n</span>' for line in found[2].split("\n"))
        return found[1] + "".join(each) + found[3]

    html = re.sub(r"<th[^>]*></th>", "<td></td>", html)  # the corner of a table is the head of nothing
    return re.sub(r"(<pre[^>]*><code>)(.*?)(</code></pre>)", lines, html, flags=re.DOTALL)


def pages_of(pdf: bytes) -> int:
    """How many pages a PDF has, by its own count."""
    return max(int(count) for count in re.findall(rb"/Count (\d+)", pdf))
