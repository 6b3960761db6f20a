"""What a class believes: the answers of its learners, from the progress files of a folder, counted.

    python -m minigrad.book report handed_in/ --html class.html

Nobody is named: a row is a belief, a question or an exercise, and the numbers are learners. `learners.py`
says which files are one learner's.
"""
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from .exercises import chapter_of
from .learners import Learner, learners
from .markup import marked_up, policy
from .misconceptions import BELIEFS, MISCONCEPTIONS
from .questions import CONFIDENCE, Question

WIDTH = 20  # of the longest bar, in characters


@dataclass
class Tally:
    """How many learners held a belief, of those who could, and how many were certain of it."""

    asked: int = 0
    held: int = 0
    certain: int = 0


@dataclass
class Work:
    """How many learners tried an exercise, solved it, took a hint; and what the others believed."""

    tried: int = 0
    solved: int = 0
    hints: int = 0
    beliefs: Counter = field(default_factory=Counter)


@dataclass
class Class:
    learners: int = 0
    unread: dict[str, str] = field(default_factory=dict)  # path: why
    copies: list[str] = field(default_factory=list)
    votes: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))  # question: letters
    beliefs: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    exercises: dict[str, Work] = field(default_factory=lambda: defaultdict(Work))


def gather(folder: Path, chapters: Collection[int] = ()) -> Class:
    """Count the learners under `folder`: their answers to all chapters, or to some.

    Raises:
        ValueError: there is no such folder, or nothing in it is a progress file.
    """
    found, unread, copies = learners(folder)
    seen = Class(len(found), unread, copies)
    for one in found:
        _count_predictions(seen, one, chapters)
        for key, stored in one.attempts.items():
            if not chapters or chapter_of(key) in chapters:
                _count_attempt(seen.exercises[key], stored)
    return seen


def _count_predictions(seen: Class, one: Learner, chapters: Collection[int]) -> None:
    from .chapters import question
    asked, held, certain = set(), set(), set()
    for key, stored in one.predictions.items():
        if chapters and int(key.partition(".")[0]) not in chapters:
            continue
        seen.votes[key][stored["choice"]] += 1
        asked |= {option.belief for option in question(key).options if not option.right}
        if belief := question(key).option(stored["choice"]).belief:
            held.add(belief)
            certain |= {belief} if stored.get("confidence") == CONFIDENCE[-1] else set()
    for belief in asked:
        tally = seen.beliefs[belief]
        tally.asked += 1
        tally.held += belief in held
        tally.certain += belief in certain


def _count_attempt(work: Work, stored: dict) -> None:
    work.tried += bool(stored.get("tries"))
    work.solved += bool(stored.get("right"))
    work.hints += bool(stored.get("hints"))
    if stored.get("belief") and not stored.get("right"):
        work.beliefs[stored["belief"]] += 1


def ranked(seen: Class) -> list[tuple[str, Tally]]:
    """The beliefs that learners hold, the most common first."""
    rows = [(belief, tally) for belief, tally in seen.beliefs.items() if tally.held]
    return sorted(rows, key=lambda row: (-row[1].held / row[1].asked, row[0]))


def people(count: int) -> str:
    return f"{count} learner{'' if count == 1 else 's'}"


def read_or_not(seen: Class) -> Iterator[str]:
    """A line for each file that was not counted."""
    yield from (f"not read: {name} ({reason})" for name, reason in seen.unread.items())
    yield from (f"left out: {name} (a copy of the same learner's answers)" for name in seen.copies)


# --- as text ------------------------------------------------------------------------------------------------

def as_text(seen: Class) -> str:
    """Beliefs first, the most common first; then the votes on each question, and the exercises."""
    lines = [people(seen.learners), *read_or_not(seen), "",
             "Beliefs (learners who chose one, of those who were asked; !! among them: certain)"]
    for belief, tally in ranked(seen):
        bar = "█" * max(1, round(WIDTH * tally.held / tally.asked))
        counts = f"{tally.held:3} of {tally.asked:<3} !! {tally.certain:<3}"
        lines.append(f"{belief}  {bar:{WIDTH}} {counts} {MISCONCEPTIONS[belief]}")
    lines += ["", "Predictions (* is right)"]
    lines += [f"{asked.id:5} " + "   ".join(f"{letter}{'*' if letter == asked.right else ''} {votes[letter]}"
                                            for letter in asked.letters) for asked, votes in voted(seen)]
    if seen.exercises:
        lines += ["", "Exercises"]
    for key, work in sorted(seen.exercises.items()):
        believed = "".join(f"; {count}: {MISCONCEPTIONS[belief]}"
                           for belief, count in work.beliefs.most_common())
        lines.append(f"{key:5} {work.solved} of {work.tried} solved it, {work.hints} took a hint{believed}")
    return "\n".join(lines)


def voted(seen: Class) -> list[tuple[Question, Counter]]:
    from .chapters import question
    return [(question(key), votes) for key, votes in sorted(seen.votes.items())]


# --- as a page ----------------------------------------------------------------------------------------------

STYLE = """:root{color-scheme:light dark}
body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:.5em 0 1.5em}caption{text-align:left}
td,th{border:1px solid #767676;padding:.3em .6em;text-align:left;vertical-align:top}
.bar{display:block;height:.5em;background:#0072b2}
.right{font-weight:bold}.count{white-space:nowrap;min-width:6em}"""


def as_html(seen: Class) -> str:
    """The same as a page of its own, with the words of questions, options and exercises."""
    parts = [f"<p>{people(seen.learners)}.</p>"]
    if lines := list(read_or_not(seen)):
        parts.append(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>")
    parts += ["<h2>Beliefs</h2>", table(
        "How many learners chose an answer that rests on the belief, of those who were asked.",
        ("belief", "held by", "certain", "what is true", "id"),
        [(escape(MISCONCEPTIONS[belief]), bar(tally.held, tally.asked), str(tally.certain),
          escape(BELIEFS[belief].truth), belief) for belief, tally in ranked(seen)])]
    parts.append("<h2>Predictions</h2>")
    for asked, votes in voted(seen):
        rows = [(f"{letter} (right)" if letter == asked.right else letter,
                 marked_up(asked.option(letter).text), bar(votes[letter], votes.total()))
                for letter in asked.letters]
        parts += [f"<h3>{asked.id}</h3>", f"<p>{marked_up(asked.text)}</p>",
                  table(f"Votes on {asked.id}", ("letter", "option", "votes"), rows)]
    if seen.exercises:
        parts += ["<h2>Exercises</h2>", table("How many learners solved each, of those who tried.", (
            "exercise", "goal", "solved", "took a hint", "what others believed"), list(worked(seen)))]
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'{policy()}<meta name="viewport" content="width=device-width">'
            f"<title>What the class believes</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
            "<h1>What the class believes</h1>\n" + "\n".join(parts) + "\n</main></body></html>\n")


def worked(seen: Class) -> Iterator[tuple[str, ...]]:
    from .chapters import exercise
    for key, work in sorted(seen.exercises.items()):
        believed = "; ".join(f"{escape(MISCONCEPTIONS[belief])} ({count})"
                             for belief, count in work.beliefs.most_common())
        yield key, marked_up(exercise(key).goal), bar(work.solved, work.tried), str(work.hints), believed


def bar(count: int, of: int) -> str:
    share = 100 * count // of if of else 0
    return f'<div class="count">{count} of {of}<span class="bar" style="width:{share}%"></span></div>'


def table(caption: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table of HTML cells; the first cell of a row is its heading."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>'
                   for row in rows)
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table>"
