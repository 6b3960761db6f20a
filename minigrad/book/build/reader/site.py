"""The frame around every page: head, search field, ways around, and the style sheet.

All pages lie in one folder and name each other by file, so the folder can be opened from a disk, put on a
stick, or served from anywhere. No page asks anything of the network.
"""
from __future__ import annotations

import re
from html import escape, unescape

from ...licence import CREDIT
from ...markup import policy
from .inert import scripts_in

NAME = "Autograd, by looking"
PLACES = {"index.html": "Chapters", "errors.html": "Error clinic", "glossary.html": "Glossary"}
HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)
FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="reader.css">
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<p class="name"><a href="index.html">{name}</a></p>
<nav aria-label="Parts of the book"><ul>{places}</ul></nav>
{search}
</header>
<div class="page">
{aside}<main id="main" tabindex="-1">
{body}
</main>
</div>
<footer>{around}<p>Made from the chapters of minigrad, with the outputs of their last run.
Texts: {credit}.</p></footer>
{scripts}</body>
</html>
"""
SEARCH = ('<form role="search" action="search.html">'
          '<label for="header-field">Search, or paste an error message</label>'
          ' <input id="header-field" type="search" name="q"> <button>Search</button></form>')


def page(file: str, title: str, body: str, *, aside: bool = False, around: str = "", scripts: str = "",
         search: bool = True) -> str:
    """A whole page; with `aside`, a list of its sections beside it."""
    places = "".join(f'<li><a href="{to}"{_here(to == file)}>{words}</a></li>'
                     for to, words in PLACES.items())
    whole = title if title == NAME else f"{title} · {NAME}"
    return FRAME.format(title=escape(whole), policy=policy(scripts_in(body), " 'self' file:"), name=NAME,
                        places=places, search=SEARCH if search else "", aside=contents(body) if aside else "",
                        body=body, around=around, credit=CREDIT, scripts=scripts)


def contents(body: str) -> str:
    rows = "".join(f'<li><a href="#{anchor}">{escape(plain(words))}</a></li>'
                   for anchor, words in HEADING.findall(body))
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ul>{rows}</ul></nav>\n'


def around(before: tuple[str, str] | None, after: tuple[str, str] | None) -> str:
    """Links to the pages before and after, each (file, title)."""
    rows = [f'<li><a rel="{rel}" href="{there[0]}">{sign} {escape(there[1])}</a></li>'
            for rel, sign, there in (("prev", "Before:", before), ("next", "Next:", after)) if there]
    return f'<nav aria-label="Before and after"><ul>{"".join(rows)}</ul></nav>' if rows else ""


def plain(html: str) -> str:
    """The words of a piece of HTML."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def _here(yes: bool) -> str:
    return ' aria-current="page"' if yes else ""
