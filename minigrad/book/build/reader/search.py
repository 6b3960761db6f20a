"""The search index, and the search itself: the same few lines in Python, for tests, as in search.js.

Somebody pastes a message, often from another version and with other numbers, or types a word or two. So only
words count, each once; a word that few pages have counts more; and a page is the better, the larger a part
of its own words was found.
"""
from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

WORD = re.compile(r"[a-z_]{2,}")
MOST = 20


class Page(NamedTuple):
    """A place that can be found. `about` is what is shown below its title; `text` what it is found by, and
    measured by: words of the title help to find it, and cost nothing if they are not in the query."""

    url: str
    title: str
    kind: str
    about: str
    text: str


def words(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


def index(pages: Sequence[Page]) -> dict:
    """Which pages have a word, and how much all the words of a page weigh together."""
    where: dict[str, list[int]] = {}
    for at, page in enumerate(pages):
        for word in sorted(words(f"{page.title} {page.text}")):
            where.setdefault(word, []).append(at)
    sums = [sum(weight(len(where[word]), len(pages)) for word in sorted(words(page.text))) for page in pages]
    return {"pages": [[page.url, page.title, page.kind, page.about, round(math.sqrt(total), 4)]
                      for page, total in zip(pages, sums, strict=True)],
            "words": dict(sorted(where.items()))}


def weight(having: int, count: int) -> float:
    return math.log(1 + count / having) ** 2


def search(made: dict, query: str) -> list[str]:
    """The addresses of the best pages, best first."""
    pages, where = made["pages"], made["words"]
    scores: dict[int, float] = {}
    for word in sorted(words(query)):
        begun = (one for one in where if len(word) > 2 and one.startswith(word))
        for known in [word] if word in where else begun:
            for at in where[known]:
                scores[at] = scores.get(at, 0) + weight(len(where[known]), len(pages))
    best = sorted(scores, key=lambda at: (-round(scores[at] / pages[at][4], 6), at))
    return list(dict.fromkeys(pages[at][0] for at in best))[:MOST]  # a page may be known by several messages


def as_script(made: dict) -> str:
    """A page that was opened as a file may not read other files, but it may run them."""
    return "var READER_INDEX = " + json.dumps(made, ensure_ascii=False, separators=(",", ":")) + ";\n"
