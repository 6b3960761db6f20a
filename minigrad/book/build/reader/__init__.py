"""The reader: chapters, error clinic and glossary as one website that needs no kernel and no network.

Open index.html of the folder it is built into. Chapters come from their files, with the outputs of their last
run; the programs of the clinic are run while it is built.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from ....tensor import NON_LEAF_GRAD
from ....viz.player.page import STYLE
from ...cases import CASES
from ...chapters import CHAPTERS, of
from ...glossary import GLOSSARY, Term
from ...misconceptions import BELIEFS
from ..pages import load, tags_of, text_of
from . import chapter, clinic, comparison, site
from .links import chapter_file, error_file, linked
from .markdown import words
from .outputs import Pictures
from .search import Page, as_script, index

HERE = Path(__file__).parent
WARNINGS = (NON_LEAF_GRAD,)  # that a chapter prints, and a reader may search for
SECTION = re.compile(r'<h([12]) id="([^"]+)">(.*?)</h\1>(.*?)(?=<h[12] id=|\Z)', re.DOTALL)
RESULTS = """<h1>Search</h1>
<form role="search"><label for="search-field">Paste an error message, or type a word or two</label>
<input id="search-field" type="search" name="q"> <button>Search</button></form>
<p id="search-status" role="status"></p>
<ol id="results"></ol>
<noscript><p>The search needs scripts. Without them, the <a href="errors.html">error clinic</a> lists every
message, and the <a href="glossary.html">glossary</a> every word.</p></noscript>"""


def build_reader(chapters: Sequence[int], folder: Path, tell: Callable[[str], None] = lambda line: None, *,
                 solutions: bool = True) -> list[Path]:
    """Write the reader of these chapters into `folder`; the files that were written, the start page first.

    Without `solutions`, it may be handed out: an exercise has its hints, and neither a solution nor the wrong
    answers that people often give.

    Raises:
        ImportError: pandoc is missing; the message is one line that says what to install.
        ValueError: a chapter has no file, or a program of the clinic doesn't do what its page says.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = Pictures(folder)
    numbers = sorted(chapters)
    bodies = {}
    for number in numbers:
        bodies[number] = chapter.body(load(number), number, numbers, pictures, solutions=solutions)
        tell(f"chapter {number}")
    files = {chapter_file(number): chapter_page(number, numbers, bodies[number]) for number in numbers}
    for case in CASES:
        files[error_file(case.slug)] = error_page(case, clinic.page(case, pictures, numbers))
    tell(f"{len(CASES)} errors")
    files["errors.html"] = site.page("errors.html", "Error clinic", clinic.index())
    files["glossary.html"] = site.page("glossary.html", "Glossary", glossary(numbers))
    files["beliefs.html"] = site.page("beliefs.html", "Misconceptions", beliefs(numbers))
    files["pictures.html"] = site.page("pictures.html", comparison.TITLE, comparison.body(pictures))
    files["search.html"] = site.page("search.html", "Search", RESULTS, search=False, scripts=(
        '<script src="search-index.js"></script>\n<script src="search.js"></script>\n'))
    files = {"index.html": start(numbers), **files}
    files["search-index.js"] = as_script(index(places(bodies)))
    for name, before in (("reader.css", STYLE), ("search.js", "")):
        files[name] = before + (HERE / name).read_text(encoding="utf-8")
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("utf-8"))
    return [*(folder / name for name in files), *pictures.files.values()]


def start(numbers: Sequence[int]) -> str:
    rows = []
    for number in numbers:
        title, minutes = CHAPTERS[number]
        rows.append(f'<li value="{number}"><a href="{chapter_file(number)}">{escape(title)}</a>'
                    f"<p>{words(question_of(number))} <span class=\"note\">{minutes} minutes</span></p></li>")
    return site.page("index.html", site.NAME, f"""<h1>{site.NAME}</h1>
<p>How PyTorch finds slopes: chapters to read, with predictions to make and pictures of what happens.
Everything here works without a network. To change numbers and run lines yourself, open the same chapters as
notebooks.</p>
<h2 id="chapters">Chapters</h2>
<ol class="chapters">{''.join(rows)}</ol>
<h2 id="also">Also here</h2>
<ul>
<li>The <a href="errors.html">error clinic</a>: {len(CASES)} errors, what they mean, and what would help.</li>
<li>The <a href="glossary.html">glossary</a>: the words of the book.</li>
<li>The <a href="beliefs.html">misconceptions</a>: what people believe about autograd that isn't so.</li>
<li><a href="pictures.html">{comparison.TITLE}</a>: ten models as minigrad.viz, torchviz, torchview and
torchlens draw them.</li>
</ul>""")


def question_of(number: int) -> str:
    """The question that a chapter opens with."""
    return re.search(r"^\*\*(.+?)\*\*$", text_of(load(number)["cells"][0]), re.MULTILINE)[1]


def chapter_page(number: int, numbers: Sequence[int], body: str) -> str:
    at = numbers.index(number)
    near = [(chapter_file(numbers[place]), CHAPTERS[numbers[place]][0]) if 0 <= place < len(numbers) else None
            for place in (at - 1, at + 1)]
    title = f"{number} · {CHAPTERS[number][0]}"
    return site.page(chapter_file(number), title, body, aside=True, around=site.around(*near))


def error_page(case, body: str) -> str:
    at = CASES.index(case)
    near = [(error_file(CASES[place].slug), CASES[place].title) if 0 <= place < len(CASES) else None
            for place in (at - 1, at + 1)]
    return site.page(error_file(case.slug), case.title, body, around=site.around(*near))


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


def beliefs(numbers: Sequence[int]) -> str:
    """Each false belief, what is true instead, and the chapters that test it."""
    met = {number: met_in(number) for number in numbers}
    rows = []
    for key, belief in BELIEFS.items():
        tested = [f'<a href="{chapter_file(number)}">chapter {number}</a>' for number in numbers
                  if key in met[number]]
        rows.append(f'<li id="{key}" tabindex="-1"><b>“{escape(belief.name)}”</b> {escape(belief.truth)} '
                    f'<span class="note">{", ".join([key, *tested])}</span></li>')
    return linked("<h1>Misconceptions</h1>\n<p>Each sentence in quotation marks is false, although many "
                  f"people believe it.</p>\n<ul class=\"plainly\">{''.join(rows)}</ul>", ())


def met_in(number: int) -> set[str]:
    """The beliefs that a chapter's options, known wrong answers and traps hold."""
    module = of(number)
    return {option.belief for question in module.QUESTIONS for option in question.options} | {
        wrong.belief for exercise in module.EXERCISES for wrong in exercise.wrong} | {
        tag for cell in load(number)["cells"] for tag in tags_of(cell)}


# --- what can be found --------------------------------------------------------------------------------------

def places(bodies: dict[int, str]) -> list[Page]:
    """Errors by their message, sections of chapters by their text, words by their meaning."""
    found = [Page(error_file(case.slug), case.title, "Error", clinic.short(case.message),
                  case.message) for case in CASES]
    found += [Page(error_file(case.slug), case.title, "Error, as older versions put it", clinic.short(old),
                   old) for case in CASES for old in case.older]
    for number, body in bodies.items():
        found += sections(number, body)
    return found + [Page(f"glossary.html#{term.anchor}", term.name, "Word", site.plain(words(term.meaning)),
                         f"{' '.join(term.forms)} {term.meaning}") for term in GLOSSARY]


def sections(number: int, body: str) -> list[Page]:
    title, _ = CHAPTERS[number]
    found = []
    for level, anchor, heading, text in SECTION.findall(body):
        prose = site.plain(re.sub(r"(?s)<(pre|style|script|figure|nav)\b.*?</\1>", " ", text))
        name = site.plain(heading) if level == "1" else f"{number} · {title}: {site.plain(heading)}"
        about = prose if len(prose) <= 120 else prose[:prose.rfind(" ", 0, 118)] + " …"
        url = f"{chapter_file(number)}#{anchor}"
        found.append(Page(url, name, "Chapter", about, f"{heading} {prose}"))
        found += [Page(url, name, "Warning", clinic.short(warning), f"UserWarning: {warning}")
                  for warning in WARNINGS if escape(warning) in text]
    return found
