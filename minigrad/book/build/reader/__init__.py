"""The site: chapters, errors, symptoms, misconceptions and glossary, without a kernel and without a network.

Open index.html of the folder it is built into. Chapters come from their files, with the outputs of their last
run; the programs of the first page, of the clinic and of the symptoms are run while it is built.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ....tensor import NON_LEAF_GRAD
from ....viz.player.player_page import STYLE
from ...content.cases import CASES
from ...content.cases.symptoms import SYMPTOMS
from ...content.cases.symptoms.symptom import Symptom
from ...content.chapters import CHAPTERS, notes, of
from ...content.glossary import GLOSSARY, Term
from ...content.misconceptions import BELIEFS
from ..pages import load, question_of
from . import beliefs, chapter_body, clinic, front, other_tools, site, symptoms, ways_to_run
from .markdown import words
from .search import Page, as_script, index
from .shown_outputs import Pictures
from .written_links import belief_file, chapter_file, error_file, symptom_file

HERE = Path(__file__).parent
WARNINGS = (NON_LEAF_GRAD,)  # that a chapter prints, and a reader may search for
SECTION = re.compile(r'<h([12]) id="([^"]+)">(.*?)</h\1>(.*?)(?=<h[12] id=|\Z)', re.DOTALL)
LISTING = re.compile(r'<pre class="code[^>]*>.*?</pre>', re.DOTALL)
CALLED = re.compile(r"\b([A-Za-z_]{3,})\(")
UNSAID = re.compile(r"<(pre|style|script|figure|nav)\b.*?</\1>", re.DOTALL)
CLOSED = re.compile(r"<details\b.*</details>|<div class=\"run\">.*?</div>", re.DOTALL)
PATIENTS = 15  # the chapter about silent bugs, which names all symptoms
FALSE = "many people believe it, and it is false."
RESULTS = """<h1>Search</h1>
<form role="search"><label for="search-field">Paste an error message, or type a word or two</label>
<textarea id="search-field" name="q" rows="3" spellcheck="false"></textarea> <button>Search</button></form>
<p id="search-status" role="status"></p>
<ol id="results"></ol>
<noscript><p>The search needs scripts. Without them, the <a href="errors.html">error clinic</a> lists every
message, the <a href="symptoms.html">symptoms</a> what you can see without one, and the
<a href="glossary.html">glossary</a> every word.</p></noscript>"""


def build_reader(chapters: Sequence[int], folder: Path, tell: Callable[[str], None] = lambda line: None, *,
                 solutions: bool = True) -> list[Path]:
    """Write the site of these chapters into `folder`; the files that were written, the first page first.

    Without `solutions`, it may be handed out: an exercise has its hints, and neither a solution nor the wrong
    answers that people often give.

    Raises:
        ImportError: pandoc is missing; the message is one line that says what to install.
        ValueError: a chapter has no file, or a program of a page doesn't do what the page says.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = Pictures(folder)
    numbers = sorted(chapters)
    bodies = {}
    for number in numbers:
        bodies[number] = chapter_body.body(load(number), number, numbers, pictures, solutions=solutions)
        tell(f"chapter {number}")
    files = {chapter_file(number): chapter_page(number, numbers, bodies[number]) for number in numbers}
    for case in CASES:
        files[error_file(case.slug)] = error_page(case, clinic.page(case, pictures, numbers))
    tell(f"{len(CASES)} errors")
    for symptom in SYMPTOMS:
        files[symptom_file(symptom.slug)] = symptom_page(symptom, symptoms.page(symptom, numbers))
    tell(f"{len(SYMPTOMS)} symptoms")
    files["symptoms.html"] = site.page("symptoms.html", symptoms.TITLE, symptoms.index())
    files["errors.html"] = site.page("errors.html", "Error clinic", clinic.index())
    files["glossary.html"] = site.page("glossary.html", "Glossary", glossary(numbers))
    files["beliefs.html"] = site.page("beliefs.html", "Misconceptions", beliefs.index(numbers))
    files.update(beliefs.pages(numbers))
    files["pictures.html"] = site.page("pictures.html", other_tools.TITLE, other_tools.body(pictures))
    files["search.html"] = site.page("search.html", "Search", RESULTS, search=False,
                                     scripts=("search-index.js", "search.js"))
    files = {"index.html": front.page(numbers, pictures), **files}
    files["search-index.js"] = as_script(index(places(bodies)))
    for name, before in (("reader.css", STYLE), ("search.js", ""), ("site.js", "")):
        files[name] = before + (HERE / name).read_text(encoding="utf-8")
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("utf-8"))
    (folder / site.PREVIEW).write_bytes((HERE / site.PREVIEW).read_bytes())
    taken_away = [path for number in numbers for path in ways_to_run.downloads(number, folder)]
    return [*(folder / name for name in files), folder / site.PREVIEW, *taken_away, *pictures.files.values()]


def chapter_page(number: int, numbers: Sequence[int], body: str) -> str:
    at = numbers.index(number)
    near = [(chapter_file(numbers[place]), CHAPTERS[numbers[place]][0]) if 0 <= place < len(numbers) else None
            for place in (at - 1, at + 1)]
    title = f"{number} · {CHAPTERS[number][0]}"
    asked = (*of(number).QUESTIONS, *notes(number))
    aside = site.contents(body, [(one.told, f"After question {one.id}") for one in asked if one.told])
    body += symptoms.for_the_patients() if number == PATIENTS else symptoms.for_chapter(number)
    return site.page(chapter_file(number), title, body, aside=aside, about=question_of(number),
                     around=site.around(*near, contents=("index.html#chapters", "All chapters")))


def error_page(case, body: str) -> str:
    at = CASES.index(case)
    near = [(error_file(one.slug), one.title) if one else None for one in neighbours(CASES, at)]
    return site.page(error_file(case.slug), case.title, body, about=case.message.partition("\n")[0],
                     around=site.around(*near, contents=("errors.html", "All errors")))


def symptom_page(symptom: Symptom, body: str) -> str:
    at = SYMPTOMS.index(symptom)
    near = [(symptom_file(one.slug), one.title) if one else None for one in neighbours(SYMPTOMS, at)]
    return site.page(symptom_file(symptom.slug), symptom.title, body, aside=site.contents(body),
                     about=symptom.seen,
                     around=site.around(*near, contents=("symptoms.html", "All symptoms")))


def neighbours(all_of_them: Sequence[Any], at: int) -> list[Any]:
    """What comes before a place, and what comes after it; None where there is nothing."""
    return [all_of_them[place] if 0 <= place < len(all_of_them) else None for place in (at - 1, at + 1)]


def glossary(numbers: Sequence[int]) -> str:
    known = {term.name: term for term in GLOSSARY}

    def entry(term: Term) -> str:
        more = [f'<a href="#{known[name].anchor}">{name}</a>' for name in term.see]
        if term.chapter in numbers:
            more.append(f'<a href="{chapter_file(term.chapter)}">chapter {term.chapter}</a>')
        see = f' <span class="note">See {", ".join(more)}.</span>' if more else ""
        return f'<dt id="{term.anchor}" tabindex="-1">{term.name}</dt><dd>{words(term.meaning)}{see}</dd>'

    rows = sorted(GLOSSARY, key=lambda term: term.name.lower())
    return f"<h1>Glossary</h1>\n<dl class=\"glossary\">{''.join(map(entry, rows))}</dl>"


# --- what can be found --------------------------------------------------------------------------------------

def places(bodies: dict[int, str]) -> list[Page]:
    """Errors by message, symptoms by other words for them, chapters by their text, words by their meaning."""
    found = [Page(error_file(case.slug), case.title, "Error", clinic.short(case.message),
                  case.message) for case in CASES]
    found += [Page(error_file(case.slug), case.title, "Error, as older versions put it", clinic.short(old),
                   old) for case in CASES for old in clinic.quoted(case)]
    found += symptoms.places()
    found += [Page(belief_file(key), f"“{belief.name}”", "Misconception", FALSE,
                   f"{belief.name} {belief.truth}") for key, belief in BELIEFS.items()]
    for number, body in bodies.items():
        found += sections(number, body)
    return found + [Page(f"glossary.html#{term.anchor}", term.name, "Word", site.plain(words(term.meaning)),
                         f"{' '.join(term.forms)} {term.meaning}") for term in GLOSSARY]


def called(html: str) -> str:
    """What the listings of a section call, each name once."""
    code = " ".join(site.plain(listing) for listing in LISTING.findall(html))
    return " ".join(sorted(set(CALLED.findall(code))))


def sections(number: int, body: str) -> list[Page]:
    title, _ = CHAPTERS[number]
    found = []
    for level, anchor, heading, text in SECTION.findall(body):
        said = UNSAID.sub(" ", text)
        prose, seen = site.plain(said), site.plain(CLOSED.sub(" ", said))
        name = site.plain(heading) if level == "1" else f"{number} · {title}: {site.plain(heading)}"
        about = seen if len(seen) <= 120 else seen[:seen.rfind(" ", 0, 118)] + " …"
        url = f"{chapter_file(number)}#{anchor}"
        found.append(Page(url, name, "Chapter", about, f"{heading} {prose}", called(text)))
        found += [Page(url, name, "Warning", clinic.short(warning), f"UserWarning: {warning}")
                  for warning in WARNINGS if escape(warning) in text]
    return found
