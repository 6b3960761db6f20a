"""Predictions: say what a cell will print before you run it, and compare.

`predict("6.1")` asks, and stores the choice and how sure the learner is. `reveal("6.1")` compares. Each wrong
option is a belief that people really hold, with an id and a sentence that answers it. A question that was
never answered stops nothing: `reveal` says so in one line, and gives nothing away.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..viz.showing import Shown, somebody_is_there
from .markup import marked_up, plain
from .misconceptions import MISCONCEPTIONS
from .progress import progress

CONFIDENCE = ("a guess", "fairly sure", "certain")


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
    id: str
    text: str
    options: tuple[Option, ...]
    paper: str = ""  # the question on a sheet of paper, where `text` is about a screen

    def option(self, letter: str) -> Option:
        return self.options["ABCD".index(letter)]

    @property
    def letters(self) -> str:
        return "ABCD"[:len(self.options)]

    @property
    def right(self) -> str:
        return next(letter for letter in self.letters if self.option(letter).right)


def predict(question: str, choice: str | None = None, *, confidence: str = "fairly sure") -> Shown | None:
    """Ask a question of this book, or answer it: `predict("6.1", "B", confidence="certain")`.

    Raises:
        ValueError: there is no such question, option or confidence; the message says what there is.
    """
    from .chapters import question as find
    asked = find(question)
    if choice is not None:
        return answer(asked, choice, confidence)
    text, html = as_text(asked), as_html(asked)
    return Shown(text, html, controls(asked) if somebody_is_there() else None)


def answer(asked: Question, choice: str, confidence: str) -> None:
    letter = str(choice).strip().upper()
    if letter not in asked.letters or len(letter) != 1:
        raise ValueError(f"question {asked.id} has the options {', '.join(asked.letters)}, not {choice!r}")
    if confidence not in CONFIDENCE:
        raise ValueError(f"say how sure you are with one of {', '.join(map(repr, CONFIDENCE))}")
    print(store(asked, letter, confidence))


def store(asked: Question, letter: str, confidence: str) -> str:
    """Keep a prediction, unless the answer has been seen; say what was done."""
    before = progress.read()["predictions"].get(asked.id, {})
    if before.get("revealed"):
        return f"Your prediction for {asked.id} stays {before['choice']}: you have seen the answer."
    progress.change("predictions", asked.id, choice=letter, confidence=confidence)
    return f"Stored: {letter}, {confidence}. Now run the next cell."


def reveal(question: str | None = None) -> None:
    """Compare the prediction with the answer; without an id, list all predictions that were wrong."""
    from .chapters import question as find
    if question is None:
        return surprises()
    asked = find(question)
    stored = progress.read()["predictions"].get(asked.id)
    if not stored:
        print(f'{asked.id}: no prediction yet. Go back to the question, choose, and run this cell again.')
        return
    progress.change("predictions", asked.id, revealed=True)
    print(verdict(asked, stored))


def verdict(asked: Question, stored: dict) -> str:
    letter = stored["choice"]
    chosen = asked.option(letter)
    said = f"You said {letter} ({stored['confidence']})"
    if chosen.right:
        return f"✓ {said}: right. {plain(chosen.says)}"
    right = asked.option(asked.right)
    return (f"✗ {said}. {plain(chosen.says)}\n"
            f"  It is {asked.right}: {plain(right.text)}. {plain(right.says)}")


def surprises() -> None:
    from .chapters import question as find
    wrong = []
    for key, stored in sorted(progress.read()["predictions"].items()):
        chosen = find(key).option(stored["choice"])
        if stored.get("revealed") and not chosen.right:
            belief = MISCONCEPTIONS[chosen.belief]
            wrong.append(f"{key}  {stored['choice']}, {stored['confidence']}: {belief}")
    print("\n".join(["Your surprises so far:", *wrong] if wrong else ["No surprises so far."]))


def as_text(asked: Question) -> str:
    lines = [f"▶ Predict {asked.id}  {plain(asked.text)}"]
    lines += [f"  {letter}  {plain(asked.option(letter).text)}" for letter in asked.letters]
    lines.append(f'Answer in a cell of your own: predict("{asked.id}", "A")')
    return "\n".join(lines)


def as_html(asked: Question) -> str:
    rows = "".join(f"<li>{marked_up(asked.option(letter).text)}</li>" for letter in asked.letters)
    return (f"<p><b>▶ Predict {asked.id}</b> {marked_up(asked.text)}</p>"
            f'<ol type="A">{rows}</ol>'
            "<p>Write your letter down before you run the next cell.</p>")


def controls(asked: Question) -> Any:
    """Radio buttons for the options, a choice of how sure one is, and a button that stores both."""
    import ipywidgets as w

    wide = w.Layout(width="auto")
    stored = progress.read()["predictions"].get(asked.id, {})
    options = [(f"{letter}  {plain(asked.option(letter).text)}", letter) for letter in asked.letters]
    choice = w.RadioButtons(options=options, value=stored.get("choice"), layout=wide,
                            description="Your prediction:", style={"description_width": "initial"})
    sure = w.ToggleButtons(options=CONFIDENCE, value=stored.get("confidence", "fairly sure"),
                           description="How sure?", style={"description_width": "initial"})
    button = w.Button(description="Store my prediction", icon="check", layout=wide)
    done = w.HTML(f"Stored: {stored['choice']}." if stored else "Choose before you run the next cell.")

    def keep(_: Any) -> None:
        done.value = store(asked, choice.value, sure.value) if choice.value else "Choose an option first."

    button.on_click(keep)
    title = w.HTML(f"<b>▶ Predict {asked.id}</b> {marked_up(asked.text)}")
    return w.VBox([title, choice, sure, button, done])
