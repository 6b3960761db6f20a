"""The first page: the famous error, a question about it, a backward pass to step through, and the ways on."""
from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from minigrad.viz import draw, play

from ...classroom.questions import Option, Question
from ...content.cases import CASES
from ...content.cases.symptoms import SYMPTOMS
from ...content.chapters import CHAPTERS
from ...content.chapters.titles import EVENING
from ...content.misconceptions import BELIEFS
from ..pages import question_of
from . import asking, clinic, other_tools, site, symptoms, ways_to_run
from .code_as_html import listing
from .markdown import words
from .program import HEAD, run
from .shown_outputs import Pictures, tidy
from .written_links import chapter_file, error_file, linked

TITLE = "See how PyTorch computes gradients"
OPENING = ("A book with a picture of every step: predict what a line does, see what it did, and run it "
           "yourself.")
BEGINS = "The book begins with the error that most people meet first:"
FAMOUS = """x = torch.tensor(3., requires_grad=True)
y = x * x
y.backward()
y.backward()"""
FREED = "After the first pass, what the multiplication had saved is freed."
OTHER = FAMOUS.replace("x * x", "x + 4")
MOVING = """a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)
y = (a + b) * (a * b)"""
ASKED = Question("front", "One change: the second line is now `y = x + 4`. What happens at the second "
                          "`y.backward()`?", (
    Option("the same error: a graph can be used only once", "M13",
           "A pass frees only what the operations had saved, and `x + 4` had saved nothing."),
    Option("no error, and `x.grad` is `1.0`: the new gradient replaces the old one", "M02",
           "A pass adds to what is in `x.grad`, and the first one had left 1 there."),
    Option("no error, and `x.grad` is `2.0`: the two gradients are added", None,
           "The slope of `x + 4` is 1 whatever `x` is, so the operation saved nothing, the first pass freed "
           "nothing, and the second one ran, too."),
), told=r"saved nothing|saves nothing|\bfrees only\b|adds to what",
    explains="To compute the slope of `x * x`, a backward pass needs `x`, so the operation saved it. The "
             "first pass freed it: these are the “saved tensors” of the error. Chapter 6 tells the rest.")
MOVES = ("A backward pass starts at `y` with 1.0. Each node multiplies what it receives by its local "
         "derivatives and passes the results on, until `a` and `b` have their gradients.")
PASTE = """<section class="paste" aria-labelledby="paste">
<h2 id="paste">Paste an error message</h2>
<form role="search" aria-label="Errors" action="search.html"><label for="pasted">The
message or a whole traceback, also from an older PyTorch. It is looked up here, and sent nowhere.</label>
<textarea id="pasted" name="q" rows="4" spellcheck="false"></textarea>
<button>Find what it means</button></form>
</section>"""


def page(numbers: Sequence[int], pictures: Pictures) -> str:
    """The first page of a site with these chapters.

    Raises:
        ValueError: a program on it doesn't do what the page says.
    """
    message = famous_message()
    return site.page("index.html", site.NAME, "\n".join([
        '<div class="hero">', error(message, pictures), question(numbers), "</div>", moving(pictures), PASTE,
        without_a_message(), evening(numbers), chapters(numbers), also(numbers)]))


def famous_message() -> str:
    """What the famous program raises, once both programs have been seen to do what the page says.

    Raises:
        ValueError: one of them does something else.
    """
    famous, other = run(FAMOUS), run(f"{OTHER}\nx.grad")
    if "backward through the graph a second time" not in famous.message:
        raise ValueError(f"the program on the first page gave {famous.message or 'no error'}")
    if other.printed.strip() != "tensor(2.)":
        raise ValueError(f"the question of the first page is wrong: {other.message or other.printed}")
    return famous.message


def error(message: str, pictures: Pictures) -> str:
    """The famous error, and its graph after the first pass; on a phone, without what fills its screen."""
    slug = clinic.slug_of(message)
    first, rest = message.split(" (", 1)
    return (f'<div><h1>{TITLE}</h1><p><span class="roomy">{OPENING}</span> {BEGINS}</p>{listing(FAMOUS)}'
            f'<pre class="out error"><b>{escape(first)}</b><span class="roomy"> ({escape(rest)}</span></pre>'
            f"{freed(pictures)}"
            f'<p><a href="{error_file(slug)}">What it means, and how to fix it</a></p></div>')


def freed(pictures: Pictures) -> str:
    """The graph of the famous program after its first pass, drawn by running it."""
    names: dict[str, Any] = {}
    exec(HEAD + FAMOUS.rpartition("\n")[0], names)
    drawn = draw(names["y"], names={name: names[name] for name in "xy"})
    words = f"{FREED} {drawn.text.partition(chr(10))[0]}"
    return (f'<figure class="freed"><img src="{pictures.add(drawn.svg.encode())}" alt="{escape(words)}">'
            f"<figcaption>{FREED}</figcaption></figure>")


def question(numbers: Sequence[int]) -> str:
    told = f"<p>{words(ASKED.text)}</p>{listing(OTHER)}"
    return (f'<div>{asking.prediction(ASKED, told, "▶ Predict")}'
            f'{linked(asking.comparison(ASKED, "The answer"), numbers)}</div>')


def moving(pictures: Pictures) -> str:
    """A backward pass to step through, made by running it."""
    names: dict[str, Any] = {}
    exec(HEAD + MOVING, names)
    film = play(names["y"], names={name: names[name] for name in "aby"})
    return (f'<section aria-labelledby="moving"><h2 id="moving">Watch a backward pass</h2>'
            f"<p>{words(MOVES)}</p>{listing(MOVING)}"
            f'<div class="shown">{tidy(film.html, pictures)}</div></section>')


def without_a_message() -> str:
    rows = "".join(f"<li>{symptoms.link(symptom)}</li>" for symptom in SYMPTOMS)
    return (f'<section class="paste" aria-labelledby="symptoms"><h2 id="symptoms">No error message? '
            f'<a href="symptoms.html">{symptoms.TITLE}</a></h2><ul class="signs">{rows}</ul></section>')


def evening(numbers: Sequence[int]) -> str:
    """What to read first, if all its chapters are on this site."""
    if not EVENING.keys() <= set(numbers):
        return ""
    links = [f'<a href="{chapter_file(number)}">{number} · {escape(CHAPTERS[number][0])}</a>'
             for number in EVENING]
    return ('<section aria-labelledby="evening"><h2 id="evening">One evening: from a nudge to a network that '
            f"your own engine trains</h2><p>Read {', '.join(links)}, without their exercises and "
            "without &quot;If you have time&quot;, and write the "
            f"engine at the end of chapter {max(EVENING)}: about {sum(EVENING.values())} minutes in "
            "all.</p></section>")


def chapters(numbers: Sequence[int]) -> str:
    rows = []
    for number in numbers:
        title, minutes = CHAPTERS[number]
        rows.append(f'<li value="{number}"><a href="{chapter_file(number)}">{escape(title)}</a>'
                    f'<p>{words(question_of(number))} <span class="note">{minutes} minutes</span></p></li>')
    return f'<h2 id="chapters">Chapters</h2>\n<ol class="chapters">{"".join(rows)}</ol>'


def also(numbers: Sequence[int]) -> str:
    return f"""<h2 id="also">Also here</h2>
<ul>
<li>The <a href="errors.html">error clinic</a>: {len(CASES)} errors, what they mean, and what would help.</li>
<li><a href="beliefs.html">{len(BELIEFS)} misconceptions</a>: what people believe about autograd that
isn't so, with questions to test yourself.</li>
<li>The <a href="glossary.html">glossary</a>: the words of the book.</li>
<li><a href="pictures.html">{other_tools.TITLE}</a>: ten models as minigrad.viz, torchviz, torchview and
torchlens draw them.</li>
</ul>
<h2 id="run">Run the chapters</h2>
<p>On this site you read, predict and look. To change numbers and run lines yourself, use the same chapters as
notebooks. {ways_to_run.everywhere(min(numbers))}</p>"""
