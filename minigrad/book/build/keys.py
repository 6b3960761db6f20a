"""The key to the sheets of a chapter, for the teacher's desk: first a page to mark by, then the reasons.

The marking page is one table in the order of the sheet, with a column for each of the sheets A to D. What
the answers mean, which belief a wrong prediction shows and how the chapter solves an exercise follow on the
pages after it. The engine computes every number.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..classroom.exercise import Exercise, Wrong
from ..classroom.questions import Option, Question
from ..classroom.reading import as_lists
from ..classroom.saying import capitalised
from ..content.chapters.on_paper import OnPaper
from ..content.misconceptions import MISCONCEPTIONS
from .blanks import kind_of, size_of, svg_of
from .lettering import coded
from .pictures import AnyPicture, drawn_by
from .sheet_markdown import Page
from .sheets import Sheet
from .tasks import Task, also_right, answer_in

FEW_DIGITS = 1e-3  # so exact are numbers with three digits
SENTENCE = 1  # the points of a reason or a caption, which may get half of it
TICKET = 2  # points of an exit ticket that asks for two facts
SHORT = 30  # letters of a wrong answer that a key has for every sheet
LARGE = 1000  # from here on, a power of two is written as one, too


class Row(NamedTuple):
    """A line of the marking table; what is the same on all sheets is said once."""

    label: str
    points: int  # 0: the lines below say
    answers: list[str]  # an answer for each sheet, or one for all

    @property
    def values(self) -> list[str]:
        return self.answers[:1] if len(set(self.answers)) == 1 else self.answers


def key(sheets: list[Sheet], first: int, page: Page) -> Page:
    """The key; on the sheets, the first so many exercises come before the picture."""
    one = sheets[0]
    page.add(f"# Key to {one.number} · {one.title}")
    tabs = any(kind_of(about) == "tab" for about, _ in one.answers)
    grey = ", and in a grey tab, the name or the number" * tabs
    drawn = one.picture is not None
    row = "The row of the **caption** says what gets 1 and ½. " * drawn
    page.add("For the teacher. A prediction is a vote and has no points. Its **reason** gets 1 point if it "
             "says why, as the key does, in any words; ½ if it is true, but fits another option as well or "
             "says no more than the right one, or if the letter is wrong; 0 if it is false, or says no more "
             f"than a wrong option. {row}Three digits of a number are enough{grey}; a number that follows "
             "from a wrong one gets no point, as on computers. The options of a prediction have another "
             "order on each sheet.")
    same = [task.exercise.id for task in one.tasks if task.exercise.draw is None]
    named = ["the predictions", *same, *["the picture"] * (drawn and one.code == one.given),
             *["the caption"] * drawn, *["the exit ticket"] * bool(one.ticket)]
    page.add(f"**The same on all sheets**, but for the order of options: {', '.join(named)}.")
    rows = marking(sheets, first)
    page.strip([sheet.seat for sheet in sheets],
               [*rows, Row("**Points**", sum(row.points for row in rows), [""])])
    page.turn()
    page.add(f"## How to find the answers to {one.number}")
    page.add("On a computer, the exercises of sheet A have the numbers of "
             f"`chapter({one.number}, seat=\"A\")`, and so on; without a seat, they have numbers of their "
             "own. Sheet A has the options of a prediction in the order of the notebook and the slides; read "
             "them aloud when the class votes.")
    beliefs(sheets, page)
    if one.picture is not None:
        page.keep()
        page.add(f"## ✎ The picture (sheet {one.seat})")
        page.picture(on_key(one, page.wide / page.scale))
        page.end()
    if one.paper.drawn:
        page.keep()
        page.add("## ✎ The drawing")
        page.picture(drawn_by(one.paper.drawn))
        page.end()
    for at, task in enumerate(one.tasks):
        page.keep()
        page.add(f"## ✎ {task.exercise.id} " + re.sub(r"[*_]", r"\\\g<0>", task.exercise.goal))
        page.code(task.solution)
        page.end()
        mistakes([sheet.tasks[at] for sheet in sheets], page)
    return page


def marking(sheets: list[Sheet], first: int) -> list[Row]:
    """What is right, in the order of the sheet."""
    one = sheets[0]
    rows = []
    for question, _ in one.predictions:
        letters = [f"**{letter_of(question, question.right, sheet)}**" for sheet in sheets]
        rows += [Row(f"▶ **{question.id}**", 0, letters),
                 Row("because", SENTENCE, [one.paper.reason(question)])]
    tasks = [rows_of([sheet.tasks[at] for sheet in sheets], one) for at in range(len(one.tasks))]
    for found in tasks[:first]:
        rows += found
    rows += [Row(f"✎ ({at}) {coded(about)}", 1, [sheet.answers[at - 1][1] for sheet in sheets])
             for at, (about, _) in enumerate(one.answers, 1)]
    if one.picture is not None:
        rows.append(Row("✎ caption", SENTENCE, [caption(one)]))
    for found in tasks[first:]:
        rows += found
    if one.paper.drawing:
        rows.append(Row("✎ drawing", 1, ["the picture under “The drawing”"]))
    if one.ticket:
        rows.append(Row("Exit ticket", ticket_points(one.paper),
                        [f"{one.ticket[1]}\n{one.paper.facts}".strip()]))
    return rows


def ticket_points(paper: OnPaper) -> int:
    """The points of an exit ticket: two, where on_paper.py says that it asks for two facts."""
    return TICKET if paper.facts else SENTENCE


def caption(one: Sheet) -> str:
    """What a caption says that gets its point, and what gets half of it."""
    if not one.paper.caption:
        return "1: what the picture shows, and why. ½: only one of the two."
    return f"1: {one.paper.caption}\n½: {one.paper.half}."


def letter_of(question: Question, option: str, sheet: Sheet) -> str:
    """The letter that an option has on a sheet."""
    return question.letters[sheet.orders[question.id].index(option)]


def rows_of(tasks: list[Task], sheet: Sheet) -> list[Row]:
    """An exercise with all its quantities; the numbers of the sheets, where it has any."""
    exercise, columns = tasks[0].exercise, [value_of(task, sheet) for task in tasks]
    lines = [(coded(name), [column[at][1] for column in columns])
             for at, (name, _) in enumerate(columns[0])]
    start = f"✎ **{exercise.id}**"
    worth = 1 if exercise.named and len(lines) == exercise.parts else 0
    rule = "\n".join([*others(exercise, sheet), sheet.paper.rules.get(exercise.id, exercise.rule)]).strip()
    rows = [Row(name, worth, values) for name, values in lines]
    if len(rows) == 1 and exercise.draw is None:
        value = f"{rows[0].answers[0]}\n{rule}".strip()
        return [Row(f"{start} {rows[0].label}".strip(), exercise.parts, [value])]
    head = [said(task.numbers) for task in tasks] if exercise.draw else [""]
    if any("\n" in one for one in head):  # programs, which the sheets show
        head = [""]
    elif all(is_cases(task.numbers, len(rows)) for task in tasks):
        head = [""]
        cases = list(zip(*[task.numbers for task in tasks], strict=True))
        rows = [Row(name, worth, [f"{value} ({case})" for value, case in zip(values, those, strict=True)])
                for (name, values), those in zip(lines, cases, strict=True)]
    start += " with" if any(head) else ""
    if exercise.id in sheet.paper.more:
        name, value = sheet.paper.more[exercise.id]
        rows.append(Row(name, 0, [value]))
    if worth:
        rules = [Row("", 0, [sheet.paper.rules[exercise.id]])] if exercise.id in sheet.paper.rules else []
        return [Row(start, 0, head), *rules, *rows]
    return [Row(start, exercise.parts, head if any(head) else [rule]), *rows]


def others(exercise: Exercise, sheet: Sheet) -> Iterator[str]:
    """What else is right, in words: of each part of a solution, the other forms that the check accepts."""
    for forms in sheet.paper.forms.get(exercise.id, ()):
        if found := [f"`{form}`" for form in also_right(exercise, forms)]:
            yield f"Also right for `{forms[0]}`: {', '.join(found)}"


def is_cases(numbers: Any, count: int) -> bool:
    """Whether the sheet asks one thing about each of so many texts."""
    texts = isinstance(numbers, list) and all(isinstance(one, str) for one in numbers)
    return texts and len(numbers) == count


def value_of(task: Task, sheet: Sheet) -> list[tuple[str, str]]:
    """What is right with the numbers of a sheet: (quantity, value) in order."""
    exercise, numbers = task.exercise, task.numbers
    if exercise.id in sheet.paper.keys:
        return sheet.paper.keys[exercise.id](numbers)
    if exercise.expected is not None or exercise.example is not None and exercise.draw is not None:
        value = as_lists((exercise.expected or exercise.example)(numbers))
        if isinstance(value, dict):
            value = [value[name] for name in exercise.named]
        names = exercise.named or ("",)
        return [(name, within(one, exercise.within))
                for name, one in zip(names, value if exercise.named else [value], strict=True)]
    return [("", "\n".join(f"`{line}`" for line in answer_in(task.solution)))]


def within(value: Any, share: float) -> str:
    """A value, or all that count as right where that is more than a matter of digits."""
    if isinstance(value, float) and share > FEW_DIGITS:
        low, high = sorted((value * (1 - share), value * (1 + share)))
        return f"{low:.4g} to {high:.4g}"
    return said(value)


def beliefs(sheets: list[Sheet], page: Page) -> None:
    seats = " ".join(sheet.seat for sheet in sheets)
    for question, _ in sheets[0].predictions:
        page.keep()
        right = letter_of(question, question.right, sheets[0])
        page.add(f"## ▶ Predict {question.id}: {right} on sheet {sheets[0].seat}")
        rows = [[f"on {seats}", "answer", "the belief behind it, and the reply"]]
        for letter in question.letters:
            option = question.option(letter)
            letters = " ".join(letter_of(question, letter, sheet) for sheet in sheets)
            reply = f"**right**. {option.says}" if option.right else behind(option)
            rows.append([letters, option.text, reply])
        page.table(rows)
        page.end()


def mistakes(tasks: list[Task], page: Page) -> None:
    """What people answer to an exercise, why, and what to say."""
    rows = [[on_each(wrong, tasks), behind(wrong)] for wrong in tasks[0].exercise.wrong]
    if rows:
        page.table([["a wrong answer", "the belief behind it, and the reply"], *rows])


def on_each(wrong: Wrong, tasks: list[Task]) -> str:
    """A wrong answer with the numbers of each sheet; of the first alone, where all are too long."""
    if wrong.paper:
        return wrong.paper
    found = {task.seat: answered(wrong.answer(task.numbers)) for task in tasks}
    if len(set(found.values())) == 1:
        return found[tasks[0].seat]
    each = [f"{seat}: {text}" for seat, text in found.items()]
    return "; ".join(each) if max(map(len, each)) < SHORT else each[0]


def behind(wrong: Option | Wrong) -> str:
    """The belief behind a wrong answer, where one is known, and the reply."""
    known = f"{wrong.belief}, the belief that {MISCONCEPTIONS[wrong.belief]}. " if wrong.belief else ""
    return known + capitalised(wrong.says)


def answered(answer: Any) -> str:
    """An answer as it is written by hand, without what is left open."""
    return said({name: value for name, value in answer.items() if value is not None} if isinstance(
        answer, dict) else as_lists(answer))


def on_key(sheet: Sheet, widest: float) -> AnyPicture:
    """The picture with its numbers; where that is too wide, with the numbers of the blanks."""
    return sheet.full if size_of(svg_of(sheet.full, widest))[0] <= widest else sheet.picture


def said(value: Any) -> str:
    """A value as one would write it by hand."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, (int, float)) and value > LARGE and (power := power_of_two(value)):
        return f"{value:.0f} = {power}"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(said, value)) + "]"
    if isinstance(value, (set, frozenset)):
        return ", ".join(f"`{one}`" for one in sorted(value))
    if isinstance(value, dict):
        return ", ".join(f"{name} = {said(one)}" for name, one in value.items())
    return str(value)


def power_of_two(value: float) -> str:
    """16777216 as 2²⁴, 33554431 as 2²⁵ − 1; other numbers: nothing."""
    for less in (0, 1):
        whole = int(value) + less
        if value == int(value) and whole.bit_count() == 1:
            digits = str(whole.bit_length() - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
            return f"2{digits}" + " − 1" * less
    return ""
