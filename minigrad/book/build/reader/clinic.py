"""The error clinic: a page for each error, with a program that raises it when the page is made.

What a page says comes from `explain`: the sentences, the picture with the problem marked, and the fixes with
their prices. For an error that `explain` doesn't know, the case has words of its own.
"""
from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from html import escape
from typing import TYPE_CHECKING

from minigrad.viz import explain
from minigrad.viz.drawing.explanation import Explanation, Fix
from minigrad.viz.errors.table import TABLE

from ...content.cases import CASES, THEMES
from ...content.cases.case import Case
from ...content.cases.wordings import releases, wordings
from ...content.chapters import CHAPTERS
from .code_as_html import listing
from .markdown import words
from .program import HEAD, run, traced
from .written_links import chapter_file, error_file, linked

if TYPE_CHECKING:
    from .shown_outputs import Pictures

# Not "message": the glossary would take it for the gradient on an edge.
YOUR_RELEASE = (f"These releases were run: {', '.join(releases())}. Of several lines, those that differ are "
                "shown.")
BY_SLUG = {case.slug: case for case in CASES}


def cause(message: str) -> str | None:
    """What `explain` would call this: the first row of its table that fits. Without the name of the class."""
    return next((row.name for row in TABLE if row.pattern.search(message.partition(": ")[2])), None)


@functools.cache
def slug_of(message: str) -> str | None:
    """The page about a message "RuntimeError: ...": the very same first line, or else the same cause."""
    first = message.partition("\n")[0]
    same = [case.slug for case in CASES if case.message.partition("\n")[0] == first]
    name = cause(message)
    kind = message.partition(":")[0]
    alike = [case.slug for case in CASES if name and case.message.partition(":")[0] == kind
             and cause(case.message) == name]
    return next(iter([*same, *alike]), None)


def pointer(slug: str) -> str:
    return (f'<p class="pointer"><a href="{error_file(slug)}">In the error clinic: '
            f"{escape(BY_SLUG[slug].title)}</a></p>")


def index() -> str:
    """All messages by theme, so that one can be found without a script, too."""
    parts = ["<h1>Error clinic</h1>",
             "<p>Every page shows the exact message, a few lines that raise it, a picture with the problem "
             "marked, and what would help, with its price. Copy your message into the search field above, or "
             "look for it here. If there is no message, <a href=\"symptoms.html\">start from what you "
             "see</a>.</p>"]
    for theme, cases in THEMES.items():
        rows = "".join(f'<li><a href="{error_file(case.slug)}">{escape(case.title)}</a>'
                       f"<p><code>{escape(short(case.message))}</code></p></li>" for case in cases)
        parts += [f"<h2>{theme}</h2>", f'<ul class="plainly">{rows}</ul>']
    parts.append(all_told_apart())
    return "\n".join(parts)


def short(message: str) -> str:
    return message if len(message) <= 150 else message[:message.rfind(" ", 0, 148)] + " …"


def page(case: Case, pictures: Pictures, chapters: Collection[int]) -> str:
    """The page of one error.

    Raises:
        ValueError: its program no longer raises what the case says, or the mended one fails.
    """
    broken, mended = run(case.code), run(case.fixed)
    if broken.message != case.message:
        raise ValueError(f"the program of error {case.slug!r} gave {broken.message or 'no error'}")
    if mended.error:
        raise ValueError(f"the mended program of error {case.slug!r} gave {mended.message}")
    told = explained(case)
    parts = [f"<h1>{escape(case.title)}</h1>", '<h2 id="message">The message</h2>',
             f'<pre class="out error">{escape(case.message)}</pre>', *older(case),
             '<h2 id="program">A program that raises it</h2>', listing(HEAD + case.code, numbered=True),
             f'<pre class="out error">{escape(traced(broken))}</pre>',
             '<h2 id="what">What happened</h2>', f"<p>{words(' '.join(told.sentences))}</p>",
             picture(told, pictures), '<h2 id="fixes">Fixes, and their price</h2>', fixes(told),
             '<h2 id="mended">The program, mended</h2>', listing(HEAD + case.fixed, numbered=True),
             f'<pre class="out">{escape(mended.printed.rstrip())}</pre>' if mended.printed else
             "<p>It runs, and prints nothing.</p>", *taught(case, chapters)]
    return linked("\n".join(parts), chapters)


def explained(case: Case) -> Explanation:
    """What `explain` says about the program of a case, or what the case says itself."""
    if case.what:
        return Explanation(case.slug, case.message, [case.what], [Fix(*fix) for fix in case.fixes], None)
    return explain(run(case.code).error)


def older(case: Case) -> list[str]:
    """The wordings of other releases: which releases say it where they were run, and what else is quoted."""
    told = wordings(case.slug)
    parts = [f"<p>{YOUR_RELEASE}</p>{told_apart(told)}"] if told else []
    parts += [f'<pre class="out error">{escape(one)}</pre>' for one in case.older]
    return [f"<details><summary>In other versions of PyTorch it reads</summary>{''.join(parts)}</details>"
            ] if parts else []


def quoted(case: Case) -> list[str]:
    """The message as people find it in other releases, for the search."""
    return [*case.older, *(one.message for one in wordings(case.slug) if one.message not in case.message)]


def told_apart(rows: Sequence[tuple[str, str]], *, links: Sequence[str] = ()) -> str:
    """A table of what a message says, and in which releases; with the link to its error in front."""
    heads = [*["Error"] * bool(links), "Your message says", "Then your PyTorch is"]
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "".join(f"<tr>{f'<td>{links[at]}</td>' if links else ''}<td><code>{escape(message)}</code></td>"
                   f"<td>{escape(releases)}</td></tr>" for at, (message, releases) in enumerate(rows))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide told-apart">{table}</div>'


def all_told_apart() -> str:
    """The wordings of all errors whose message has changed, for the list of errors."""
    every = [(case, one) for case in CASES for one in wordings(case.slug)]
    links = [f'<a href="{error_file(case.slug)}">{escape(case.title)}</a>' for case, _ in every]
    table = told_apart([one for _, one in every], links=links)
    return (f'<h2 id="release">What your message says about your PyTorch</h2><p>{YOUR_RELEASE}</p>'
            f"<details><summary>The table</summary>{table}</details>")


def picture(told: Explanation, pictures: Pictures) -> str:
    if not told.twin:
        return '<p class="note">For this error there is no picture.</p>'
    told.picture.caption = ""  # the same words stand above it
    return pictures.figure(told.svg, told.twin)


def fixes(told: Explanation) -> str:
    rows = "".join(f"<tr><td>{words(fix.words)}</td><td>{words(fix.price)}</td></tr>" for fix in told.fixes)
    return ('<div class="wide"><table><thead><tr><th scope="col">Fix</th><th scope="col">Its price</th></tr>'
            f"</thead><tbody>{rows}</tbody></table></div>")


def taught(case: Case, chapters: Collection[int]) -> list[str]:
    if case.chapter not in chapters:
        return []
    title = f"Chapter {case.chapter}, {CHAPTERS[case.chapter][0]}"
    return [f'<p>More about it: <a href="{chapter_file(case.chapter)}">{escape(title)}</a>.</p>']
