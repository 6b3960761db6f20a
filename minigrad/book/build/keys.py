"""The key to the sheets of a chapter, for the teacher's desk. The engine computes every number in it."""
from __future__ import annotations

from typing import Any

from ...viz.model import Picture
from ..exercises import as_lists
from ..misconceptions import MISCONCEPTIONS
from .blanks import size_of, svg_of
from .sheets import Sheet
from .tasks import Task
from .writing import Page, coded, is_claim


def key(sheets: list[Sheet], page: Page) -> Page:
    first = sheets[0]
    page.add(f"# Key to {first.number} · {first.title}")
    page.add("For the teacher. The numbers of the sheets "
             f"{', '.join(one.seat for one in sheets)} are in their pictures and in their exercises; in the "
             f"exercises, they are those of `chapter({first.number}, seat=\"A\")` and so on. The predictions "
             "are the same for all, so that a class can vote.")
    for question, _ in first.predictions:
        page.keep()
        page.add(f"## ▶ Predict {question.id}: {question.right}")
        rows = [["", "answer", "what it shows"]]
        for letter in question.letters:
            option = question.option(letter)
            belief = "**right**" if option.right else f"{option.belief}: {MISCONCEPTIONS[option.belief]}"
            rows.append([letter, option.text, f"{belief}. {option.says}"])
        page.table(rows)
        page.end()
    page.keep()
    page.add("## ✎ The picture (sheet A)")
    page.picture(on_key(first, page.wide / page.scale))
    page.end()
    page.keep()
    page.table([["blank", "what", *(f"sheet {one.seat}" for one in sheets)],
                *([f"({at})", about.replace("*", "\\*"), *(one.answers[at - 1][1] for one in sheets)]
                  for at, (about, _) in enumerate(first.answers, 1))])
    page.end()
    for at in range(len(first.tasks)):
        answers(page, [one.tasks[at] for one in sheets], [one.seat for one in sheets])
    return page


def on_key(sheet: Sheet, widest: float) -> Picture:
    """The picture with its numbers; where that is too wide, with the numbers of the blanks."""
    return sheet.full if size_of(svg_of(sheet.full, widest))[0] <= widest else sheet.picture


def answers(page: Page, tasks: list[Task], seats: list[str]) -> None:
    first = tasks[0]
    page.keep()
    page.add(f"## ✎ {first.exercise.id} {first.exercise.goal}")
    values = [value_of(task) for task in tasks]
    if first.exercise.draw is None and values[0]:
        pairs = [f"{coded(name)}: {value}" if name else value for name, value in values[0]]
        page.add("All sheets: " + "; ".join(pairs))
    elif first.exercise.draw is not None:
        rows = [["", *(f"sheet {seat}" for seat in seats)],
                ["numbers", *(said(task.numbers) for task in tasks)]]
        rows += [[coded(name) if name else "answer", *(column[at][1] for column in values)]
                 for at, (name, _) in enumerate(values[0])]
        page.table(rows)
    page.code(first.solution)
    page.end()


def value_of(task: Task) -> list[tuple[str, str]]:
    """What is right with the numbers of a sheet: (quantity, value) in order.

    Where several answers are right, it is the one that the chapter's solution finds; where they don't depend
    on numbers, the solution itself says it best, and there is none.
    """
    exercise, numbers = task.exercise, task.numbers
    if exercise.expected is not None:
        value = as_lists(exercise.expected(numbers))
        if isinstance(value, dict):
            return [(name, said(value[name])) for name in exercise.quantities or value]
        if exercise.quantities:
            return [(name, said(one)) for name, one in zip(exercise.quantities, value, strict=True)]
        return [("", said(value))]
    if is_claim(task):
        steps = list(exercise.judge({"verdict": "false", "witness": lambda: None}, numbers))
        return [("verdict", said(steps[0][2])), ("the witness returns", said(as_lists(steps[-1][2])))]
    return [("", said(as_lists(task.solved)))] if exercise.draw else []


def said(value: Any) -> str:
    """A value as one would write it by hand."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(said, value)) + "]"
    if isinstance(value, (set, frozenset)):
        return ", ".join(f"`{one}`" for one in sorted(value))
    if isinstance(value, dict):
        return ", ".join(f"{name} = {said(one)}" for name, one in value.items())
    return str(value)
