"""Predictions: say what a cell will print before you run it, and compare.

`predict("6.1")` asks, and stores the choice; how sure the learner is may be added, and need not be.
`reveal("6.1")` compares. Each wrong option is a belief that people really hold, with an id and a sentence
that answers it. A question that was never answered stops nothing: `reveal` says so in one line, gives nothing
away, and compares as soon as there is an answer. After its reveal a question can be answered again: the first
answer stays, for the report, and the newest is stored beside it.

A question whose id belonged to another one in an earlier edition has a `mark`, which is stored with its
answers. What was stored without the mark answers the earlier question: it isn't read, and the file keeps it
beside the new answer.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import verdict
from .markup import marked_up, plain
from .option_buttons import Choice
from .progress import progress
from .saying import against, kind_of
from .showing import Shown, somebody_is_there

CONFIDENCE = ("a guess", "fairly sure", "certain")
WORD = "your prediction"
NONE_YET = "no prediction yet"
WAITS = "Choose at the question above, and the comparison appears here. If it doesn't, run this cell again."


@dataclass(frozen=True)
class Option:
    """One answer to choose. `belief` is the id of a misconception, or None for the right answer."""

    text: str
    belief: str | None
    says: str  # one sentence: why it is right, or what speaks against it
    claims: str = ""    # what it says will happen, where that isn't what stands before its colon

    @property
    def right(self) -> bool:
        return self.belief is None


@dataclass(frozen=True)
class Question:
    """A question of a chapter. The id, "6.1", is also what `predict` and `reveal` call it.

    `told` is a regular expression: the words that would answer the question. Nothing open may match it, from
    the beginning of the chapter to the end of the screen below its `reveal`: neither a heading nor a text,
    a caption or a comment. `decided` says what happens; see deciding.py. `python -m minigrad.book check`
    looks at both.
    """

    id: str
    text: str
    options: tuple[Option, ...] = ()
    paper: str = ""  # the question on a sheet of paper, where `text` is about a screen
    told: str = ""
    explains: str = ""  # paragraphs, a line each, that everybody reads after the comparison
    decided: Callable[[str], object] | None = None  # what was printed -> what the right option claims
    mark: str = ""  # "2" if an earlier edition asked another question under the same id

    def option(self, letter: str) -> Option:
        return self.options["ABCD".index(letter)]

    @property
    def letters(self) -> str:
        return "ABCD"[:len(self.options)]

    @property
    def right(self) -> str:
        return next(letter for letter in self.letters if self.option(letter).right)


# What this notebook shows now, by the id of its question: the comparisons, and the buttons.
COMPARISONS: dict[str, Shown] = {}
BUTTONS: dict[str, Choice] = {}


def predict(question: str, choice: str | None = None, confidence: str | None = None) -> Shown | None:
    """Ask a question of this book, or answer it: `predict("6.1", "B")`, `predict("6.1", "B", "certain")`.

    An option or a confidence that isn't offered is answered with a sentence, and nothing is stored.

    Raises:
        ValueError: there is no such question; the message says what there is.
    """
    from ..content.chapters import question as find
    asked = find(question)
    if choice is None:
        return question_shown(asked)
    letter = str(choice).strip().upper()
    if letter not in asked.letters or len(letter) != 1:
        letters = f"{', '.join(asked.letters[:-1])} and {asked.letters[-1]}"
        verdict.show(verdict.NOTE, asked.id, f"{kind_of(choice)} isn't one of the options, which are "
                     f"{letters}. Nothing is stored yet.", word=WORD)
        return None
    if confidence is not None and confidence not in CONFIDENCE:
        calls = " or ".join(f'`predict("{asked.id}", "{letter}", "{word}")`' for word in CONFIDENCE)
        verdict.show(verdict.NOTE, asked.id, f"How sure are you? Nothing is stored yet: write {calls}, or "
                     "leave it out.", word=WORD)
        return None
    again = stored(asked).get("revealed")
    verdict.show(verdict.NOTE, asked.id, store(asked, letter, confidence), word=WORD)
    if asked.id in BUTTONS:
        BUTTONS[asked.id].refresh()
    if again:
        compare(asked)
    return None


def stored(asked: Question) -> dict:
    """What was stored for a question: `choice`, `revealed`, and `again`, the newest answer.

    A choice may have a `confidence` beside it. What an earlier edition stored for another question with this
    id isn't returned.
    """
    found = progress.read()["predictions"].get(asked.id, {})
    fine = all(isinstance(one, dict) and one.get("choice") in tuple(asked.letters)
               and one.get("confidence") in (*CONFIDENCE, None) for one in (found, newest(found)))
    return found if fine and answers(found, asked) else {}


def answers(found: dict, asked: Question) -> bool:
    """Return whether a stored entry is about this question, and not about an earlier one with its id."""
    return found.get("asked") == (asked.mark or None)


def newest(found: dict) -> dict:
    return found.get("again", found)


def said(answer: dict) -> str:
    """An answer in words: its letter, and how sure the learner was if that was said."""
    return ", ".join(filter(None, (answer["choice"], answer.get("confidence"))))


def how_sure(answer: dict) -> str:
    """How sure the learner was, in brackets after a space; nothing where that was not said."""
    return f" ({answer['confidence']})" if answer.get("confidence") else ""


def store(asked: Question, letter: str, confidence: str | None = None) -> str:
    """Keep a prediction, and say so; once the answer has been seen, keep it beside the first one.

    A comparison that waits for this prediction is shown.
    """
    answer = {"choice": letter, **({"confidence": confidence} if confidence else {})}
    if stored(asked).get("revealed"):
        progress.change("predictions", asked.id, again=answer)
        show_comparison(asked)
        return f"Stored beside your first answer: {said(answer)}."
    facts = {"choice": letter, "confidence": confidence, "asked": asked.mark or None}
    if not stored(asked) and (older := progress.read()["predictions"].get(asked.id)):
        # This is the answer to another question, or a damaged entry.
        facts = {**dict.fromkeys(older), **facts, "older": older}
    progress.change("predictions", asked.id, **facts)
    if asked.id in COMPARISONS:
        progress.change("predictions", asked.id, revealed=True)
        show_comparison(asked)
        return f'Stored: {said(answer)}. The comparison is below, at `reveal("{asked.id}")`.'
    return f"Stored: {said(answer)}. Now run the next cell."


def reveal(question: str | None = None) -> None:
    """Compare the prediction with the answer; without an id, list all predictions that were wrong.

    In a notebook, a comparison without a prediction waits for it.
    """
    from ..content.chapters import question as find
    if question is None:
        surprises()
        return
    asked = find(question)
    if stored(asked):
        progress.change("predictions", asked.id, revealed=True)
    elif not somebody_is_there():
        print(f"{asked.id}: {NONE_YET}. Go back to the question, choose, and run this cell again.")
        return
    if somebody_is_there():
        COMPARISONS[asked.id] = comparison(asked)
        COMPARISONS[asked.id].show()
        if asked.id in BUTTONS:
            BUTTONS[asked.id].refresh()
    else:
        compare(asked)


def comparison(asked: Question) -> Shown:
    """The newest answer beside the right one; without an answer, what to do."""
    if not stored(asked):
        return verdict.both(verdict.NOT_ANSWERED, asked.id, WAITS, word=NONE_YET)
    kind, word, lines = compared(asked)
    return verdict.both(kind, asked.id, *lines, word=word)


def show_comparison(asked: Question) -> None:
    """Show the newest answer where `reveal` was run in this notebook."""
    if asked.id in COMPARISONS:
        new = comparison(asked)
        COMPARISONS[asked.id].change(new.text, new.html)


def compare(asked: Question) -> None:
    """Show the newest answer to a question beside the right one."""
    kind, word, lines = compared(asked)
    verdict.show(kind, asked.id, *lines, word=word)


def compared(asked: Question) -> tuple[str, str, list[str]]:
    """(the kind of verdict, its word, its paragraphs) on the newest answer."""
    first = stored(asked)
    now = newest(first)
    told = f"You said **{now['choice']}**{how_sure(now)}"
    told += "." if now is first else f"; your first answer was {first['choice']}."
    chosen, right = asked.option(now["choice"]), asked.option(asked.right)
    explains = asked.explains.splitlines()
    if chosen.right:
        return verdict.RIGHT, "right", [f"{told} {chosen.says}", *explains]
    answer = f"It is **{asked.right}**: {right.text}. {right.says}"
    return verdict.NOT_YET, "wrong", [f"{told} {chosen.says}", answer, *explains]


def surprises() -> None:
    """List the predictions that were wrong, each belief quoted as one."""
    wrong = surprising()
    if not wrong:
        print("No surprises so far.")
    for asked, found in wrong:
        chosen = asked.option(found["choice"])
        lines = [f"You said {found['choice']}{how_sure(found)}. {against(chosen.belief, chosen.says)}"]
        if asked.option(newest(found)["choice"]).right:
            lines.append(f"Since then you have answered {asked.right}, which is right.")
        verdict.show(verdict.NOTE, asked.id, *lines, word="a surprise")


def surprising() -> list[tuple[Question, dict]]:
    """The revealed questions whose first answer was wrong, in the order of the book."""
    from ..content.chapters import CHAPTERS, of
    answered = {key.partition(".")[0] for key in progress.read()["predictions"]}
    found = [(asked, stored(asked)) for number in CHAPTERS if str(number) in answered
             for asked in of(number).QUESTIONS]
    return [(asked, one) for asked, one in found
            if one.get("revealed") and not asked.option(one["choice"]).right]


def question_shown(asked: Question) -> Shown:
    """The question; in a running notebook with the answer that is stored, and with buttons below."""
    if not somebody_is_there():
        return Shown(as_text(asked), as_html(asked))
    shown = Shown(as_text(asked), as_html(asked, below(asked)))
    BUTTONS[asked.id] = buttons(asked, shown)
    shown.controls = BUTTONS[asked.id].widget
    return shown


def buttons(asked: Question, shown: Shown) -> Choice:
    """A button for each option; after the click, one for each word of CONFIDENCE.

    `shown` is what stands above the buttons, and is saved without them.
    """
    open_ = {} if stored(asked).get("revealed") else stored(asked)

    def keep(letter: str) -> None:
        store(asked, letter)
        shown.change(as_text(asked), as_html(asked, below(asked)))

    def keep_sure(word: str) -> None:
        if sure_is_asked():     # not once the answer was seen
            progress.change("predictions", asked.id, confidence=word)
            shown.change(as_text(asked), as_html(asked, below(asked)))

    def sure_is_asked() -> bool:
        return bool(stored(asked)) and not stored(asked).get("revealed")

    return Choice({letter: f"{letter}\u2002{plain(asked.option(letter).text)}" for letter in asked.letters},
                  open_.get("choice"), keep, lambda: below(asked), sure=CONFIDENCE,
                  so_sure=open_.get("confidence"), keep_sure=keep_sure, ask_sure=sure_is_asked)


def below(asked: Question) -> str:
    """What is under the options: what is stored, and once a question was answered again, the comparison."""
    line = f"<p><b>{marked_up(stands(asked))}</b></p>"
    if "again" not in stored(asked):
        return line
    kind, word, lines = compared(asked)
    return line + verdict.as_html(kind, asked.id, *lines, word=word)


def stands(asked: Question) -> str:
    found = stored(asked)
    if not found:
        return "Choose before you run the next cell. One click stores your answer."
    now = said(newest(found))
    if "again" in found:
        return f"Stored beside your first answer: {now}."
    if not found.get("revealed"):
        return f"Stored: {now}. You can change it until you compare. Now run the next cell."
    if asked.id in COMPARISONS:
        return f'Stored: {now}. The comparison is below, at `reveal("{asked.id}")`. You can answer again.'
    return f"Your answer: {now}. You have seen the solution; you can answer again."


def as_text(asked: Question) -> str:
    lines = [f"▶ Predict {asked.id}  {plain(asked.text)}"]
    lines += [f"  {letter}  {plain(asked.option(letter).text)}" for letter in asked.letters]
    lines.append(f'Answer in a cell of your own: predict("{asked.id}", "A")')
    return "\n".join(lines)


def as_html(asked: Question,
            line: str = "<p>Write your letter down before you run the next cell.</p>") -> str:
    """The letters are part of the text: JupyterLab's own style, and its sanitizer, number lists anew."""
    rows = "".join(f'<p style="margin:0.2em 0 0.2em 2em"><b>{letter}</b>&ensp;'
                   f"{marked_up(asked.option(letter).text)}</p>" for letter in asked.letters)
    head = f'<p class="mgquestion"><b>▶ Predict {asked.id}</b> {marked_up(asked.text)}</p>'
    return f'<div class="mgask">{head}<div class="mgoptions">{rows}{line}</div></div>'
