"""One printed page of a chapter: what a room without computers needs to know, beside the sheets to work on.

It has the chapter's picture with its numbers, the rules, the error with its table, the traps, a program and
the recap, all as the chapter's cells have them, and the words that the chapter brings; where these have no
room, those alone that the page uses. What has no room is left out.
"""
from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field, replace

from ...viz.graph.model import Picture
from ..content.chapters import CHAPTERS
from ..content.chapters.on_paper import paper_of
from ..content.glossary import GLOSSARY, Term, terms_in
from .blanks import bare
from .counting import is_of_the_clinic
from .pages import Cell, cells, load, printed, question_in
from .pdf import Form, as_pdf, pages_of
from .pictures import AnyPicture, draw_call, picture_at, record_at
from .sheet_markdown import Page

CALLOUT = re.compile(r"^> \*\*(◆ Rule|⚠ Trap|◀ Old code)[^*]*\*\*(.*(?:\n>.*)*)", re.MULTILINE)
NEARBY = re.compile(r", \w+ below$")  # what stands below in the chapter doesn't here
TABLE = re.compile(r"^\|.*(?:\n\|.*)*", re.MULTILINE)
LAST = "◀ Old code"
ORDER = ("error", "◆ Rule", "⚠ Trap", "recap", "picture", "program", "words", LAST)  # by what is kept first
ANSWERS = {"exercise", "check", "solution"}  # what a learner writes may fail
COLUMNS = 79  # letters of code that fit a line
BESIDE = 150  # points that rules need beside a high picture


@dataclass
class Summary:
    """What a chapter says, taken from its cells."""

    number: int
    title: str
    question: str
    code: str
    picture: AnyPicture
    record: Picture | None  # the same with its nodes and edges, if the chapter draws these
    program: str = ""
    error: str = ""  # the lines, and the message that they raise
    table: list[list[str]] = field(default_factory=list)  # what the message says, what it means, what to do
    callouts: dict[str, list[str]] = field(default_factory=dict)
    recap: str = ""
    words: list[tuple[str, str]] = field(default_factory=list)


def summary(number: int) -> Summary:
    notebook = load(number)
    page, paper = cells(notebook), paper_of(number)
    code, picture, record = "", None, None
    if aha := next((cell for cell in page if "aha" in cell.tags), None):
        code, picture, _ = picture_at(page, aha, code="" if draw_call(aha) else paper.code)
        record = record_at(page, aha)
    found = Summary(number, CHAPTERS[number][0], question_in(page[0].text), code, bare(picture),
                    record and bare(record))
    for cell in page:
        if paper.program and paper.program in cell.text:
            found.program = cell.text
        if cell.kind == "markdown" and "instructor" not in cell.tags:
            for kind, text in CALLOUT.findall(cell.text):
                found.callouts.setdefault(kind, []).append(plainly(text))
            if "## Recap" in cell.text:
                found.recap = cell.text.partition("## Recap")[2].partition("**Exit ticket")[0].strip()
            if not found.table and "| It says |" in cell.text:
                found.table = rows_of(cell.text)
        elif is_of_the_clinic(cell.tags) and not found.table:
            found.error, found.table = error_of(notebook["cells"][cell.at], cell, page)
        elif not found.error:
            found.error = raised_by(notebook["cells"][cell.at], cell)
    rules = bare_words(" ".join(found.callouts.get("◆ Rule", ())))
    found.recap = "\n".join(line for line in found.recap.splitlines()
                            if not line.startswith("- ") or bare_words(line) not in rules)
    found.words = [(term.name, term.meaning) for term in GLOSSARY if term.chapter == number]
    return found


def plainly(text: str) -> str:
    """A callout without its quotation marks; nothing comes after it."""
    text = " ".join(re.sub(r"^> ?", "", text, flags=re.MULTILINE).split())
    return re.sub(":$", ".", text)


def bare_words(text: str) -> str:
    return re.sub(r"\W+", " ", text).casefold().strip()


def raised_by(stored: dict, cell: Cell) -> str:
    """The lines of a cell that raise an error, with what it says; nothing for other cells."""
    raised = [output for output in stored.get("outputs", ()) if output["output_type"] == "error"]
    if not raised or cell.tags & ANSWERS:
        return ""
    says = printed({"outputs": raised[:1]}).replace("\n", "\n# ")
    return f"{cell.text}\n# {says}"


def error_of(stored: dict, cell: Cell, page: list[Cell]) -> tuple[str, list[list[str]]]:
    """The lines that raise an error with what they say, and the table that explains it."""
    after = next(one for one in page[cell.at:] if "| It says |" in one.text)
    return raised_by(stored, cell), rows_of(after.text)


def rows_of(text: str) -> list[list[str]]:
    """The first table of a text: its head, and its rows."""
    rows = [line.strip("|").split("|") for line in TABLE.search(text)[0].split("\n")]
    table = [[NEARBY.sub("", " ".join(part.split())) for part in row] for row in rows]
    return [table[0], *table[2:]]


def in_lines(code: str, longest: int) -> str:
    """Code whose comments are broken where they are too long for a line."""
    lines = []
    for line in code.split("\n"):
        long = line.startswith("# ") and len(line) > longest
        lines += textwrap.wrap(line, longest, subsequent_indent="# ") if long else [line]
    return "\n".join(lines)


def on_one_page(number: int, form: Form) -> tuple[Page, bytes]:
    """The page and its PDF, with as much as one page has room for; in large print on as many as it takes.

    A chapter that draws a record of operations has it here, too, if its letters needn't be smaller and
    nothing else is left out for it; if not, it has the formula.
    """
    found = summary(number)
    kept, *made = with_all_that_fits(found, form)
    if found.record is not None and form.page("page").has_room_for(found.record):
        more, *other = with_all_that_fits(replace(found, picture=found.record), form)
        if set(kept) <= set(more):
            return tuple(other)
    return tuple(made)


def with_all_that_fits(found: Summary, form: Form) -> tuple[tuple[str, ...], Page, bytes]:
    """The parts and the words that are kept, the page and its PDF.

    Where the words of the chapter have no room, they are as many of those that the page uses as it has room
    for."""
    title = f"{found.number} · {found.title} · On one page"

    def made(parts: tuple[str, ...], each: Form, said: Summary = found) -> tuple[Page, bytes]:
        page = one_page(said, each.page("page"), parts)
        return page, as_pdf([page], [title], each)[0]

    whole = made(ORDER, form)
    if form.large or pages_of(whole[1]) == 1:
        return named(ORDER, found), *whole
    tight, kept, said, best = replace(form, tight=True), (), found, None

    def tried(part: str, other: Summary) -> bool:
        nonlocal kept, said, best
        page = made((*dict.fromkeys([*kept, part]),), tight, other)
        if pages_of(page[1]) > 1:
            return False
        kept, said, best = (*dict.fromkeys([*kept, part]),), other, page
        return True

    for part in ORDER:
        if tried(part, said) or part != "words" or best is None:
            continue
        few = []
        for word in words_on(best[0], found.number):
            few += [word] * tried(part, replace(found, words=sorted([*few, word], key=in_the_glossary)))
    if best is None:
        raise ValueError(f"chapter {found.number} has no room on one page, not even its error")
    roomy = made(kept, form, said)
    return named(kept, said), *(roomy if pages_of(roomy[1]) == 1 else best)


def named(parts: tuple[str, ...], said: Summary) -> tuple[str, ...]:
    """These parts, and each word that is said."""
    return *parts, *(name for name, _ in said.words if "words" in parts)


def in_the_glossary(word: tuple[str, str]) -> int:
    return [term.name for term in GLOSSARY].index(word[0])


def words_on(page: Page, number: int) -> list[tuple[str, str]]:
    """The words of a chapter that a page uses, then those that explain one of these; each in a sentence."""
    used: list[Term] = []
    told = re.sub("~~~~.*?~~~~|`[^`]*`", "", page.text, flags=re.DOTALL)
    while new := [term for term in terms_in(told) if term.chapter == number and term not in used]:
        used += new
        told = " ".join(term.short for term in new)
    return [(term.name, term.short) for term in used]


def one_page(found: Summary, page: Page, kept: tuple[str, ...]) -> Page:
    """These parts, in the order in which they are read."""
    page.heading(f"{found.number} · {found.title}", "On one page")
    page.add(f"**{found.question}**")
    kept = [part for part in kept if part != "picture" or found.picture is not None]
    _, wide, tall, _ = page.placed(found.picture) if "picture" in kept else ("", 0, 0, False)
    beside = "picture" in kept and page.wide - wide > BESIDE and tall > wide / 2 and not page.large
    if "picture" in kept:
        page.code(found.code)
    if beside:
        page.typst("#beside([")
    elif "picture" in kept:
        page.picture(found.picture)
    if "◆ Rule" in kept:
        listed(page, "## ◆ Rules", found.callouts.get("◆ Rule", []))
    if beside:
        page.typst("], [")
        page.picture(found.picture)
        page.typst("])")
    if (found.error or found.table) and "error" in kept:
        page.keep()
        page.add("## The error")
        page.code(in_lines(found.error, int(COLUMNS * 11 / 18) if page.large else COLUMNS))
        if found.table:
            page.table(found.table)
        page.end()
    if "⚠ Trap" in kept:  # a trap may be a false cure of the error
        listed(page, "## ⚠ Traps", found.callouts.get("⚠ Trap", []))
    if found.program and "program" in kept:
        page.keep()
        page.add("## The program")
        page.code(found.program)
        page.end()
    if "words" in kept:
        listed(page, "## Words", [f"**{name}** {meaning}" for name, meaning in found.words])
    if LAST in kept:
        listed(page, "## Old code", found.callouts.get(LAST, []))
    if found.recap and "recap" in kept:
        page.keep()
        page.add("## In short")
        page.add(found.recap)
        page.end()
    return page


def listed(page: Page, head: str, lines: list[str]) -> None:
    if lines:
        page.keep()
        page.add(head)
        page.add("\n".join(f"- {line}" for line in lines))
        page.end()
