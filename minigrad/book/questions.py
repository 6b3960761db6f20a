"""Predictions: say what a cell will print before you run it, and compare.

`predict("6.1")` asks, and stores the choice and how sure the learner is. `reveal("6.1")` compares. Each wrong
option is a belief that people really hold, with an id and a sentence that answers it. A question that was
never answered stops nothing: `reveal` says so in one line, and gives nothing away. After its reveal a
question can be answered again: the first answer stays, for the report, and the newest is stored beside it.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import verdict
from .markup import marked_up, plain
from .progress import progress
from .saying import against, kind_of
from .showing import UNSEEN, Shown, somebody_is_there

CONFIDENCE = ("a guess", "fairly sure", "certain")
WORD = "your prediction"


@dataclass(frozen=True)
class Option:
    """One answer to choose. `belief` is the id of a misconception, or None for the right answer."""

    text: str
    belief: str | None
    says: str  # one sentence: why it is right, or what speaks against it

    @property
    def right(self) -> bool:
        return self.belief is None


@dataclass(frozen=True)
class Question:
    """A question of a chapter. The id, "6.1", is also what `predict` and `reveal` call it.

    `told` is a regular expression: the words that would answer the question. Nothing open may match it, from
    the beginning of the chapter to the heading after its `reveal`: neither a text nor a caption nor a
    comment. `python -m minigrad.book check` looks.
    """

    id: str
    text: str
    options: tuple[Option, ...]
    paper: str = ""  # the question on a sheet of paper, where `text` is about a screen
    told: str = ""
    explains: str = ""  # paragraphs, a line each, that everybody reads after the comparison

    def option(self, letter: str) -> Option:
        return self.options["ABCD".index(letter)]

    @property
    def letters(self) -> str:
        return "ABCD"[:len(self.options)]

    @property
    def right(self) -> str:
        return next(letter for letter in self.letters if self.option(letter).right)


def predict(question: str, choice: str | None = None, confidence: str | None = None) -> Shown | None:
    """Ask a question of this book, or answer it: `predict("6.1", "B", "certain")`.

    An option or a confidence that isn't offered is answered with a sentence, and nothing is stored.

    Raises:
        ValueError: there is no such question; the message says what there is.
    """
    from .chapters import question as find
    asked = find(question)
    if choice is None:
        return question_shown(asked)
    letter = str(choice).strip().upper()
    if letter not in asked.letters or len(letter) != 1:
        letters = f"{', '.join(asked.letters[:-1])} and {asked.letters[-1]}"
        verdict.show(verdict.NOTE, asked.id, f"{kind_of(choice)} isn't one of the options, which are "
                     f"{letters}. Nothing is stored yet.", word=WORD)
        return None
    if confidence not in CONFIDENCE:
        calls = " or ".join(f'`predict("{asked.id}", "{letter}", "{word}")`' for word in CONFIDENCE)
        verdict.show(verdict.NOTE, asked.id, f"How sure are you? Nothing is stored yet: write {calls}.",
                     word=WORD)
    else:
        again = stored(asked).get("revealed")
        verdict.show(verdict.NOTE, asked.id, store(asked, letter, confidence), word=WORD)
        if again:
            compare(asked)
    return None


def stored(asked: Question) -> dict:
    """What was stored for a question: `choice`, `confidence`, `revealed`, and `again`, the newest answer."""
    found = progress.read()["predictions"].get(asked.id, {})
    return found if all(isinstance(one, dict) and one.get("choice") in tuple(asked.letters)
                        and one.get("confidence") in CONFIDENCE for one in (found, newest(found))) else {}


def newest(found: dict) -> dict:
    return found.get("again", found)


def store(asked: Question, letter: str, confidence: str) -> str:
    """Keep a prediction, and say so; once the answer has been seen, keep it beside the first one."""
    answer = {"choice": letter, "confidence": confidence}
    if stored(asked).get("revealed"):
        progress.change("predictions", asked.id, again=answer)
        return f"Stored beside your first answer: {letter}, {confidence}."
    progress.change("predictions", asked.id, **answer)
    return f"Stored: {letter}, {confidence}. Now run the next cell."


def reveal(question: str | None = None) -> None:
    """Compare the prediction with the answer; without an id, list all predictions that were wrong."""
    from .chapters import question as find
    if question is None:
        surprises()
        return
    asked = find(question)
    if not stored(asked):
        word, do = "no prediction yet", "Go back to the question, choose, and run this cell again."
        if somebody_is_there():
            verdict.show(verdict.NOT_ANSWERED, asked.id, do, word=word)
        else:
            print(f"{asked.id}: {word}. {do}")
        return
    progress.change("predictions", asked.id, revealed=True)
    compare(asked)


def compare(asked: Question) -> None:
    """Show the newest answer to a question beside the right one."""
    kind, word, lines = compared(asked)
    verdict.show(kind, asked.id, *lines, word=word)


def compared(asked: Question) -> tuple[str, str, list[str]]:
    """(the kind of verdict, its word, its paragraphs) on the newest answer."""
    first = stored(asked)
    now = newest(first)
    letter = now["choice"]
    said = f"You said **{letter}** ({now['confidence']})."
    if now is not first:
        said = f"You said **{letter}** ({now['confidence']}); your first answer was {first['choice']}."
    chosen, right = asked.option(letter), asked.option(asked.right)
    explains = asked.explains.splitlines()
    if chosen.right:
        return verdict.RIGHT, "right", [f"{said} {chosen.says}", *explains]
    told = f"It is **{asked.right}**: {right.text}. {right.says}"
    return verdict.NOT_YET, "wrong", [f"{said} {chosen.says}", told, *explains]


def surprises() -> None:
    """List the predictions that were wrong, each belief quoted as one."""
    wrong = surprising()
    if not wrong:
        print("No surprises so far.")
    for asked, found in wrong:
        chosen = asked.option(found["choice"])
        lines = [f"You said {found['choice']} ({found['confidence']}). {against(chosen.belief, chosen.says)}"]
        if asked.option(newest(found)["choice"]).right:
            lines.append(f"Since then you have answered {asked.right}, which is right.")
        verdict.show(verdict.NOTE, asked.id, *lines, word="a surprise")


def surprising() -> list[tuple[Question, dict]]:
    """The revealed questions whose first answer was wrong, in the order of the book."""
    from .chapters import CHAPTERS, of
    found = [(asked, stored(asked)) for number in CHAPTERS for asked in of(number).QUESTIONS]
    return [(asked, one) for asked, one in found
            if one.get("revealed") and not asked.option(one["choice"]).right]


def question_shown(asked: Question) -> Shown:
    """The question; in a running notebook with the answer that is stored, and with controls below."""
    if not somebody_is_there():
        return Shown(as_text(asked), as_html(asked))
    line = f"<p><b>{stands(asked)}</b></p>"
    shown = Shown(as_text(asked), as_html(asked, line))
    shown.controls = controls(asked, lambda line: shown.change(as_text(asked), as_html(asked, line)))
    return shown


def stands(asked: Question) -> str:
    found = stored(asked)
    if not found:
        return "Choose below before you run the next cell."
    now = f"{newest(found)['choice']}, {newest(found)['confidence']}"
    if found.get("revealed"):
        return f"Your answer: {now}. You have seen the solution; you can answer again."
    return f"Stored: {now}. You can change it until you compare."


def as_text(asked: Question) -> str:
    lines = [f"▶ Predict {asked.id}  {plain(asked.text)}"]
    lines += [f"  {letter}  {plain(asked.option(letter).text)}" for letter in asked.letters]
    lines.append(f'Answer in a cell of your own: predict("{asked.id}", "A", "{CONFIDENCE[1]}")')
    return "\n".join(lines)


def as_html(asked: Question,
            line: str = "<p>Write your letter down before you run the next cell.</p>") -> str:
    """The letters are part of the text: JupyterLab's own style, and its sanitizer, number lists anew."""
    rows = "".join(f'<p style="margin:0.2em 0 0.2em 2em"><b>{letter}</b>&ensp;'
                   f"{marked_up(asked.option(letter).text)}</p>" for letter in asked.letters)
    return f"<p><b>▶ Predict {asked.id}</b> {marked_up(asked.text)}</p>{rows}{line}"


def controls(asked: Question, tell: Callable[[str], None]) -> Any:
    """A button for each letter, a choice of how sure one is, and a button that stores both.

    `tell` is called with a line of HTML when there is something new to show below the question.
    """
    import ipywidgets as w

    found = {} if stored(asked).get("revealed") else stored(asked)
    style = {"description_width": "initial", "button_width": "auto"}
    choice = w.ToggleButtons(options=list(asked.letters), value=found.get("choice"), style=style,
                             description="Your prediction:")
    sure = w.ToggleButtons(options=CONFIDENCE, value=found.get("confidence"), style=style,
                           description="How sure are you?")
    button = w.Button(description="Store my prediction", icon="check",
                      layout=w.Layout(width="auto", align_self="flex-start"))
    done = w.HTML()

    def keep(_: Any) -> None:
        missing = "Choose an option first." if choice.value is None else \
            "How sure are you? Choose one of the three, then store." if sure.value is None else ""
        if missing:
            done.value = f'<p role="status">{missing}</p>'
            return
        again = stored(asked).get("revealed")
        line = f"<p><b>{store(asked, choice.value, sure.value)}</b></p>"
        if again:
            kind, word, lines = compared(asked)
            line += verdict.as_html(kind, asked.id, *lines, word=word)
        done.value = f'<div role="status" style="{UNSEEN}">{line}</div>'
        tell(line)

    button.on_click(keep)
    return w.VBox([choice, sure, button, done])
