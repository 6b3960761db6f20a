"""The search index, and the search itself: the same few lines in Python, for tests, as in search.js.

Somebody pastes a message, often from another version and with other numbers, or types a word or two. So only
words count, each once; a word that few pages have counts more; and a page is the better, the larger a part
of its own words was found. A page fits if it has half of what was typed, or if it is a message whose words
are most of them in it, as in a whole traceback; if none does, the book has nothing about it, and only the
nearest are given.
"""
from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

WORD = re.compile(r"[a-z_]{2,}")
MOST, NEAREST = 20, 3  # pages to list, and pages to list if none fits
OF_QUERY, OF_PAGE = 0.5, 0.66  # the share of the query's words, or of the page's, that makes a page fit
MESSAGES = ("Error", "Warning")  # how the kinds of those pages begin


class Page(NamedTuple):
    """A place that can be found. `about` is what is shown below its title; `text` what it is found by, and
    measured by: words of the title, and `names` that its programs call, help to find it, and cost nothing if
    they are not in the query."""

    url: str
    title: str
    kind: str
    about: str
    text: str
    names: str = ""


def words(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


def index(pages: Sequence[Page]) -> dict:
    """Which pages have a word, and how much all the words of a page weigh together."""
    where: dict[str, list[int]] = {}
    for at, page in enumerate(pages):
        for word in sorted(words(f"{page.title} {page.text} {page.names}")):
            where.setdefault(word, []).append(at)
    sums = [sum(weight(len(where[word]), len(pages)) for word in sorted(words(page.text))) for page in pages]
    return {"pages": [[page.url, page.title, page.kind, page.about, round(math.sqrt(total), 4)]
                      for page, total in zip(pages, sums, strict=True)],
            "words": dict(sorted(where.items()))}


def weight(having: int, count: int) -> float:
    return math.log(1 + count / having) ** 2


def scores(made: dict, query: str) -> tuple[dict[int, float], float]:
    """What each page weighs by the words of the query that it has; and what they weigh together."""
    where, count = made["words"], len(made["pages"])
    found: dict[int, float] = {}
    whole = 0.0
    for word in sorted(words(query)):
        begun = (one for one in where if len(word) > 2 and one.startswith(word))
        known = [word] if word in where else list(begun)
        whole += max((weight(len(where[one]), count) for one in known), default=weight(1, count))
        for one in known:
            for at in where[one]:
                found[at] = found.get(at, 0) + weight(len(where[one]), count)
    return found, whole


def search(made: dict, query: str) -> tuple[list[str], bool]:
    """The addresses of the best pages, best first; and whether one of them fits."""
    pages = made["pages"]
    found, whole = scores(made, query)
    fits = any(score >= OF_QUERY * whole
               or (pages[at][2].startswith(MESSAGES) and score >= OF_PAGE * pages[at][4] ** 2)
               for at, score in found.items())
    best = sorted(found, key=lambda at: (-round(found[at] / pages[at][4], 6), at))
    urls = list(dict.fromkeys(pages[at][0] for at in best))  # a page may be known by several messages
    return urls[:MOST if fits else NEAREST], fits


def as_script(made: dict) -> str:
    """A page that was opened as a file may not read other files, but it may run them."""
    return "var READER_INDEX = " + json.dumps(made, ensure_ascii=False, separators=(",", ":")) + ";\n"
