"""Notes: what somebody wrote down while learning PyTorch, and the learner's verdict on it.

`judge("3.n1")` asks for a verdict on the first note of chapter 3, which the text above it quotes. There are
four. What speaks for the right one is shown once the learner has chosen, and not before. The first choice
stays, for the report; the newest is stored beside it.

A verdict is stored with the rows of its note, because another edition of the book may give the note's id to
another note. A verdict that was stored for other rows is no answer: the file keeps it beside the new one.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import verdict
from .markup import marked_up, plain
from .option_buttons import Choice
from .progress import progress
from .saying import kind_of
from .showing import Shown, somebody_is_there
from .verdict import code

VERDICTS = {  # a verdict: what it means, and how the comparison says it
    "right": ("it is true today", "the note is right"),
    "right in its time": ("it was true of the PyTorch that its program used",
                          "the note was right in its time"),
    "lucky": ("it gave the right result by chance", "the note was lucky"),
    "wrong": ("it is not true", "the note is wrong"),
}
WORD = "your verdict"
ASKED = "Is the note right, right in its time, lucky (right by chance), or wrong?"


@dataclass(frozen=True)
class Note:
    """A note that a chapter quotes. The id, "3.n1", is also what `judge` calls it.

    `rows` names the rows of `rows.py` that its program shows. `told` is a regular expression: the words that
    would give the verdict away. Neither a text nor a comment may match it, from the beginning of the chapter
    to the end of the screen below `judge`. `decided` says which verdict is right; see deciding.py.
    """

    id: str
    verdict: str    # one of VERDICTS
    says: str       # why, in one to three sentences
    instead: str = ""   # what to say or do instead
    told: str = ""
    rows: tuple[str, ...] = ()
    decided: Callable[[str], object] | None = None  # what was printed -> the verdict

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"note {self.id} has the verdict {self.verdict!r}; there are "
                             f"{', '.join(map(repr, VERDICTS))}")

    @property
    def answer(self) -> list[str]:
        """Return the paragraphs that a learner reads after the choice."""
        label = "Better" if self.verdict == "right" else "Instead"
        return [self.says, *([f"**{label}:** {self.instead}"] if self.instead else [])]


def judge(note: str, choice: str | None = None) -> Shown | None:
    """Ask for a verdict on a note of this book, or give it: `judge("3.n1", "lucky")`.

    A verdict that isn't one of the four is answered with a sentence, and nothing is stored.

    Raises:
        ValueError: there is no such note; the message says what there is.
    """
    from ..content.chapters import note as find
    asked = find(note)
    if choice is None:
        return note_shown(asked)
    chosen = " ".join(str(choice).strip(" .\"'").casefold().split())
    if chosen not in VERDICTS:
        words = ", ".join(code(f'"{word}"') for word in VERDICTS)
        verdict.show(verdict.NOTE, asked.id, f"{kind_of(choice)} isn't one of the four verdicts. Nothing is "
                     f"stored yet: choose one of {words}.", word=WORD)
        return None
    store(asked, chosen)
    kind, word, lines = compared(asked)
    verdict.show(kind, asked.id, *lines, word=word)
    return None


def stored(asked: Note) -> dict:
    """Return what was stored for a note: `choice`, the first verdict, and `again`, the newest one.

    What an older edition stored under the same id, for another note, isn't returned.
    """
    found = progress.read()["notes"].get(asked.id, {})
    is_verdict = found.get("choice") in VERDICTS and newest(found) in VERDICTS
    return found if is_verdict and found.get("asked") == rows_of(asked) else {}


def rows_of(asked: Note) -> str | None:
    """Return the rows of a note in one string, which tells it from another note with its id."""
    return " ".join(asked.rows) or None


def newest(found: dict) -> str:
    return found.get("again", found.get("choice"))


def store(asked: Note, chosen: str) -> None:
    if stored(asked):
        progress.change("notes", asked.id, again=chosen)
        return
    facts = {"choice": chosen, "again": None, "asked": rows_of(asked)}
    if older := progress.read()["notes"].get(asked.id):
        facts["older"] = older      # another note's verdict, or a damaged entry
    progress.change("notes", asked.id, **facts)


def compared(asked: Note) -> tuple[str, str, list[str]]:
    """Return the kind of verdict, its word and its paragraphs, on the newest choice."""
    chosen = newest(stored(asked))
    word = VERDICTS[asked.verdict][1]
    kind = verdict.RIGHT if chosen == asked.verdict else verdict.NOT_YET
    first, *rest = asked.answer
    return kind, word, [f"You said **{chosen}**. {first}", *rest]


def note_shown(asked: Note) -> Shown:
    """Return the question; in a running notebook with what is stored, and with a button for each verdict."""
    if not somebody_is_there():
        return Shown(as_text(asked), as_html(asked))
    shown = Shown(as_text(asked), as_html(asked, below(asked)))
    shown.controls = buttons(asked, shown).widget
    return shown


def below(asked: Note) -> str:
    """Return what is under the question: the comparison, or what to do."""
    if not stored(asked):
        return "<p>Choose one of the four. Then you see which one it is, and why.</p>"
    kind, word, lines = compared(asked)
    return verdict.as_html(kind, asked.id, *lines, word=word)


def as_text(asked: Note) -> str:
    lines = [f"✎ Your verdict {asked.id}  {plain(ASKED)}"]
    lines += [f"  {name}: {meaning}" for name, (meaning, _) in VERDICTS.items()]
    lines.append(f'Answer in a cell of your own: judge("{asked.id}", "right")')
    return "\n".join(lines)


def as_html(asked: Note, line: str = "<p>Write your verdict down before you read on.</p>") -> str:
    rows = "".join(f'<p style="margin:0.2em 0 0.2em 2em"><b>{name}</b>: {meaning}</p>'
                   for name, (meaning, _) in VERDICTS.items())
    head = f'<p class="mgquestion"><b>✎ Your verdict {asked.id}</b> {marked_up(ASKED)}</p>'
    return f'<div class="mgask">{head}<div class="mgoptions">{rows}{line}</div></div>'


def buttons(asked: Note, shown: Shown) -> Choice:
    """Return a button for each verdict; one click stores it and shows the comparison.

    `shown` is what stands above the buttons, and is saved without them.
    """
    def keep(chosen: str) -> None:
        store(asked, chosen)
        shown.change(as_text(asked), as_html(asked, below(asked)))

    return Choice({name: name for name in VERDICTS}, newest(stored(asked)), keep, lambda: below(asked),
                  in_a_row=True, tooltips=tuple(meaning for meaning, _ in VERDICTS.values()))
