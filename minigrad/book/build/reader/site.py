"""The frame around every page: head, search field, ways around, style sheet and script.

All pages lie in one folder and name each other by file, so the folder can be opened from a disk, put on a
stick, or served from anywhere. No page asks anything of the network.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape

from ...classroom.markup import policy
from ..address import site as address
from ..licence import CREDIT
from .inert import scripts_in

NAME = "Autograd, by looking"
ABOUT = "How PyTorch computes gradients: chapters with questions, moving pictures, and every error explained."
PLACES = {"index.html": "Chapters", "errors.html": "Error clinic", "symptoms.html": "Symptoms",
          "beliefs.html": "Misconceptions", "glossary.html": "Glossary"}
PREVIEW, PREVIEW_SIZE = "preview.png", (1200, 630)  # made by pictures/preview.py
PREVIEW_WORDS = "The graph of y = (a + b) * (a * b) with its gradients, and PyTorch's famous error message"
HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)
HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
"""
FRAME = HEAD + """{shared}
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
<script src="site.js"></script>
{scripts}</body>
</html>
"""
SEARCH = ('<form role="search" aria-label="This site" action="search.html">'
          '<label for="header-field">Search, or paste an error message</label> <input id="header-field" '
          'type="search" name="q" placeholder="Words, or an error"> <button>Search</button></form>')


def page(file: str, title: str, body: str, *, aside: str = "", around: str = "", about: str = ABOUT,
         scripts: Sequence[str] = (), search: bool = True) -> str:
    """A whole page; `aside` stands beside its text, and a message that links to it has words `about` it."""
    places = "".join(f'<li><a href="{to}"{_here(to == file)}>{words}</a></li>'
                     for to, words in PLACES.items())
    whole = title if title == NAME else f"{title} · {NAME}"
    more = "".join(f'<script src="{name}"></script>\n' for name in scripts)
    return FRAME.format(title=escape(whole), policy=policy(scripts_in(body), " 'self' file:"), name=NAME,
                        places=places, search=SEARCH if search else "", aside=aside,
                        body=body, around=around, credit=CREDIT, scripts=more,
                        shared=shared(file, whole, about))


def shared(file: str, title: str, about: str) -> str:
    """What a message that links to the page shows of it: title, words and a picture (ogp.me)."""
    width, height = map(str, PREVIEW_SIZE)
    rows = {"og:type": "website", "og:site_name": NAME, "og:title": title, "og:description": plain(about),
            "og:image": address() + PREVIEW, "og:image:width": width, "og:image:height": height,
            "og:image:alt": PREVIEW_WORDS, **({"og:url": address() + file} if address() else {})}
    described = f'<meta name="description" content="{escape(plain(about))}">'
    card = '<meta name="twitter:card" content="summary_large_image">'
    return "\n".join([described, card, *(f'<meta property="{key}" content="{escape(value)}">'
                                         for key, value in rows.items())])


def contents(body: str, told: Sequence[tuple[str, str]] = ()) -> str:
    """The sections of a page; of `told`, (pattern, what to say): a heading that would answer a question."""
    rows = []
    for anchor, html in HEADING.findall(body):
        heading = plain(html)
        words = next((instead for pattern, instead in told if re.search(pattern, heading)), heading)
        rows.append(f'<li><a href="#{anchor}">{escape(words)}</a></li>')
    return ('<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>'
            f'<ul>{"".join(rows)}</ul></details></nav>\n')


def around(before: tuple[str, str] | None, after: tuple[str, str] | None,
           contents: tuple[str, str] | None = None) -> str:
    """Links to the page before, to the contents, and to the page after, each (address, title)."""
    rows = [f'<li><a {rel} href="{there[0]}">{signed.format(escape(there[1]))}</a></li>'
            for rel, signed, there in (('rel="prev"', "← {}", before), ('class="up"', "↑ {}", contents),
                                       ('rel="next"', "{} →", after)) if there]
    return f'<nav aria-label="Before, contents and next"><ul>{"".join(rows)}</ul></nav>' if rows else ""


def plain(html: str) -> str:
    """The words of a piece of HTML."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def _here(yes: bool) -> str:
    return ' aria-current="page"' if yes else ""
