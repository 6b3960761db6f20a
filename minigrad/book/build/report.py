"""What a class believes: the answers of its learners, from the progress files of a folder, counted.

    python -m minigrad.book report handed_in/ --html class.html

There is a page for each lesson, in the book's order: the beliefs, the votes, the exercises. Nobody is named:
the numbers are learners. `learners.py` says which files are one learner's, and `judging.mistakes` what is
stored of a wrong answer. The numbers of two seats differ, so a wrong answer is told by the idea behind it.
"""
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from ...viz.drawing.text_twin import visible
from ..classroom.exercise import Exercise
from ..classroom.markup import marked_up, plain, policy
from ..classroom.questions import CONFIDENCE, Question
from ..content.chapters import CHAPTERS, chapter_of, exercise, of, question
from ..content.misconceptions import BELIEFS, MISCONCEPTIONS
from .learners import Learner, learners, wrong_in

WIDTH = 20  # of the longest bar, in characters
SHOWN = 3  # wrong answers to an exercise, so that a lesson stays one page
LONGEST = 20  # letters of a value; those of `judging.mistakes` are shorter
UNKNOWN = "another wrong answer"


@dataclass
class Tally:
    """How many learners held a belief, of those who could, how many were certain, and in which questions."""

    asked: int = 0
    held: int = 0
    certain: int = 0
    questions: set[str] = field(default_factory=set)


@dataclass
class Work:
    """How many learners tried an exercise, solved it, took a hint; and how many gave each wrong answer."""

    tried: int = 0
    solved: int = 0
    hints: int = 0
    wrong: Counter = field(default_factory=Counter)


@dataclass
class Lesson:
    """What the learners answered in one chapter."""

    learners: int = 0
    votes: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))  # question: letters
    beliefs: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    exercises: dict[str, Work] = field(default_factory=lambda: defaultdict(Work))


@dataclass
class Class:
    learners: int = 0
    unread: dict[str, str] = field(default_factory=dict)  # path: why
    copies: list[str] = field(default_factory=list)
    doubled: list[list[str]] = field(default_factory=list)  # files of learners with one seat and one answer
    lessons: dict[int, Lesson] = field(default_factory=lambda: defaultdict(Lesson))


def gather(folder: Path, chapters: Collection[int] = ()) -> Class:
    """Count the learners under `folder`: their answers to all chapters, or to some.

    Raises:
        ValueError: there is no such folder, or nothing in it is a progress file.
    """
    found, unread, copies = learners(folder)
    alike = defaultdict(list)
    for one in found:
        if one.seat and (one.predictions or one.attempts):
            alike[one.seat, repr((sorted(one.predictions.items()), sorted(one.attempts.items())))] += [
                one.file]
    seen = Class(len(found), unread, copies, [files for files in alike.values() if len(files) > 1])
    for number in CHAPTERS:
        for one in found if not chapters or number in chapters else ():
            if any(chapter_of(key) == number for key in (*one.predictions, *one.attempts)):
                count_learner(seen.lessons[number], one, number)
    return seen


def count_learner(lesson: Lesson, one: Learner, number: int) -> None:
    """Add a learner's answers to one chapter."""
    lesson.learners += 1
    held, certain = set(), set()
    for asked in of(number).QUESTIONS:
        if (stored := one.predictions.get(asked.id)) is None:
            continue
        lesson.votes[asked.id][stored["choice"]] += 1
        for option in asked.options:
            if not option.right:
                lesson.beliefs[option.belief].questions.add(asked.id)
        if belief := asked.option(stored["choice"]).belief:
            held.add(belief)
            certain |= {belief} if stored.get("confidence") == CONFIDENCE[-1] else set()
    for belief, tally in lesson.beliefs.items():
        tally.asked += bool(tally.questions & one.predictions.keys())
        tally.held += belief in held
        tally.certain += belief in certain
    for key, stored in one.attempts.items():
        if chapter_of(key) == number:
            work = lesson.exercises[key]
            work.tried += bool(stored.get("tries"))
            work.solved += bool(stored.get("right"))
            work.hints += bool(stored.get("hints"))
            work.wrong.update(ideas(exercise(key), stored))


def ideas(one: Exercise, stored: dict) -> set[str]:
    """What a learner answered wrongly, in the markup of questions: beliefs, replies, parts."""
    said = {wrong.says: MISCONCEPTIONS.get(wrong.belief, wrong.says) for wrong in one.wrong}
    said |= {words: words for words in one.named.values()}
    said |= {line: f"`{line}`" for line in one.choices}
    found = {f"{said[name]}: {visible(value)[:LONGEST]}" if value else said[name]
             for name, value in wrong_in(stored).items() if name in said}
    if not found and stored.get("tries") and not stored.get("right"):
        found.add(MISCONCEPTIONS.get(stored.get("belief"), UNKNOWN))
    return found


def ranked(lesson: Lesson) -> list[tuple[str, Tally]]:
    """The beliefs that learners hold, in the order of the questions in which they first can be held."""
    rows = [(belief, tally) for belief, tally in lesson.beliefs.items() if tally.held]
    return sorted(rows, key=lambda row: (min(map(place, row[1].questions)), -row[1].held, row[0]))


def voted(lesson: Lesson) -> list[tuple[Question, Counter]]:
    return [(question(key), lesson.votes[key]) for key in sorted(lesson.votes, key=place)]


def place(key: str) -> tuple[int, ...]:
    """The place of a question in the book: 10.1 after 2.1."""
    return tuple(map(int, key.split(".")))


def people(count: int) -> str:
    return f"{count} learner{'' if count == 1 else 's'}"


def read_or_not(seen: Class) -> Iterator[str]:
    """A line for each file that was not counted, and for those that may be one learner's."""
    yield from (f"not read: {name} ({reason})" for name, reason in seen.unread.items())
    yield from (f"left out: {name} (a copy of the same learner's answers)" for name in seen.copies)
    yield from (f"the same seat and the same answers, counted as {len(files)} learners: {', '.join(files)}"
                for files in seen.doubled)


def title(number: int, seen: Class) -> str:
    """The chapter, and how many learners handed something in for it."""
    return f"{number} · {CHAPTERS[number][0]}: {seen.lessons[number].learners} of {people(seen.learners)}"


def often_wrong(work: Work) -> list[str]:
    """The wrong answers that most learners gave, before they solved the exercise or at the end."""
    rows = sorted(work.wrong.items(), key=lambda row: (-row[1], row[0] == UNKNOWN, row[0]))
    more = [f"and {len(rows) - SHOWN} others"] if len(rows) > SHOWN else []
    return [*(f"{count} × {idea}" for idea, count in rows[:SHOWN]), *more]


# --- as text ------------------------------------------------------------------------------------------------

def as_text(seen: Class) -> str:
    """For each lesson the beliefs, the votes on each question, and the exercises."""
    lines = [people(seen.learners), *read_or_not(seen)]
    for number, lesson in seen.lessons.items():
        lines += ["", title(number, seen)]
        if found := ranked(lesson):
            lines.append("Beliefs (of those who were asked; !! among them: certain; where to show it again)")
        for belief, tally in found:
            bar = "█" * max(1, round(WIDTH * tally.held / tally.asked))
            counts = f"{tally.held:3} of {tally.asked:<3} !! {tally.certain:<3}"
            lines.append(f"{belief}  {bar:{WIDTH}} {counts} {MISCONCEPTIONS[belief]} ({again(tally)})")
        if lesson.votes:
            lines.append("Predictions (* is right)")
        for asked, votes in voted(lesson):
            lines.append(f"{asked.id:5} " + "   ".join(
                f"{letter}{'*' if letter == asked.right else ''} {votes[letter]}"
                for letter in asked.letters))
        if lesson.exercises:
            lines.append("Exercises")
        for key, work in sorted(lesson.exercises.items()):
            lines.append(f"{key:5} {work.solved} of {work.tried} solved it, {work.hints} took a hint")
            lines += [f"      {plain(line)}" for line in often_wrong(work)]
    return "\n".join(lines)


def again(tally: Tally) -> str:
    """The questions in which a belief can be held; the slides have each of them."""
    return ", ".join(sorted(tally.questions, key=place))


# --- as a page ----------------------------------------------------------------------------------------------

STYLE = """:root{color-scheme:light dark;background:Canvas;color:CanvasText}
body{font:15px/1.4 sans-serif;max-width:64em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:.5em 0 1em;width:100%}caption{text-align:left;font-weight:bold}
td,th{border:1px solid #767676;padding:.2em .5em;text-align:left;vertical-align:top}
.bar{display:block;height:.4em;background:#0072b2}
.right{font-weight:bold}.count{white-space:nowrap;min-width:5em}
@media print{body{font-size:8pt;line-height:1.15;margin:0;max-width:none}h2{break-before:page;margin:0}
h2.first{break-before:auto}tr{break-inside:avoid}.bar{display:none}
table{margin:.2em 0 .6em}td,th{padding:.1em .4em}@page{margin:10mm}}"""


def as_html(seen: Class) -> str:
    """The same as a page of its own, with the words of questions, options and exercises; printed, a lesson
    has a sheet of paper."""
    parts = [f"<p>{people(seen.learners)}.</p>"]
    if lines := list(read_or_not(seen)):
        parts.append(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>")
    for number, lesson in seen.lessons.items():
        first = ' class="first"' if number == next(iter(seen.lessons)) else ""
        parts.append(f"<h2{first}>{escape(title(number, seen))}</h2>")
        parts += [table(*one) for one in tables(lesson) if one[2]]
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'{policy()}<meta name="viewport" content="width=device-width">'
            f"<title>What the class believes</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
            "<h1>What the class believes</h1>\n" + "\n".join(parts) + "\n</main></body></html>\n")


def tables(lesson: Lesson) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """The tables of a lesson: caption, heads, rows of HTML cells."""
    yield ("Beliefs: how many chose an answer that rests on it, of those who were asked",
           ("belief", "held by", "certain", "what is true", "show again"),
           [(escape(MISCONCEPTIONS[belief]), bar(tally.held, tally.asked), str(tally.certain),
             escape(BELIEFS[belief].truth), again(tally)) for belief, tally in ranked(lesson)])
    votes = voted(lesson)
    letters = sorted({letter for asked, _ in votes for letter in asked.letters})
    yield ("Predictions", ("question", *letters),
           [(f"{asked.id} {marked_up(asked.text)}", *cells_of(asked, votes, letters))
            for asked, votes in votes])
    yield ("Exercises: how many solved each, of those who tried",
           ("exercise", "solved", "took a hint", "wrong answers: their belief, the reply, or what was wrong"),
           [(f"{key} {marked_up(exercise(key).goal)}", bar(work.solved, work.tried), str(work.hints),
             "<br>".join(map(marked_up, often_wrong(work))))
            for key, work in sorted(lesson.exercises.items())])


def cells_of(asked: Question, votes: Counter, letters: list[str]) -> Iterator[str]:
    """A cell for each of the letters, empty where a question has fewer options."""
    for letter in letters:
        if letter not in asked.letters:
            yield ""
            continue
        right = ' <span class="right">(right)</span>' if letter == asked.right else ""
        yield bar(votes[letter], votes.total(), right) + marked_up(asked.option(letter).text)


def bar(count: int, of: int, note: str = "") -> str:
    share = 100 * count // of if of else 0
    return f'<div class="count">{count} of {of}{note}<span class="bar" style="width:{share}%"></span></div>'


def table(caption: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table of HTML cells; the first cell of a row is its heading."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>'
                   for row in rows)
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table>"
