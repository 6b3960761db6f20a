"""What a class without computers reads before its first vote: the chapter up to its first question.

It answers no prediction, since nothing before a question does. What else the sheets name, such as a function
that an exercise calls, follows it.
"""
from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from ..classroom.points import points
from .blanks import bare
from .keys import said
from .pages import Cell, cell_tagged, cells, load, printed, statements
from .pdf import Form, as_pdf
from .pictures import picture_at
from .sheet_markdown import Page
from .sheets import Sheet

MOST_LINES = 12  # of output; the text of an engine is longer
ASKING = ("judge(", "check(", "hint(")  # calls that answer a learner at a computer
FOLD = re.compile("<details>.*?</details>", re.DOTALL)  # an answer, which a class finds itself
TO_OPEN = " before you open the answer"  # there is none on paper
FORMULA = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)


def before_votes(sheet: Sheet, form: Form) -> bytes:
    """The page as PDF."""
    notebook = load(sheet.number)
    page = cells(notebook)
    first = cell_tagged(page, "predict").at
    before = [cell for cell in page[1:first] if not cell.tags & {"setup", "widget", "instructor"}]
    made = form.page("before")
    made.heading(f"{sheet.number} · {sheet.title}", "Before the first vote")
    made.add(f"**{sheet.question}**")
    for cell in before:
        shown(cell, page, notebook["cells"][cell.at], made)
    named(sheet, page, before, made)
    return as_pdf([made], [f"{sheet.number} · {sheet.title} · Before the first vote"], form)[0]


def shown(cell: Cell, page: list[Cell], stored: dict, made: Page) -> None:
    """A cell with its picture, or with what it printed."""
    if cell.kind == "markdown":
        for formula in FORMULA.findall(cell.text):  # for who can't see it, as it is typed
            made.typst(f"#set math.equation(alt: {json.dumps(formula)})")
        made.add(FOLD.sub("", cell.text).replace(TO_OPEN, ""))
        return
    if cell.text.startswith(ASKING):
        return
    made.keep()
    made.code(cell.text)
    picture = picture_at(page, cell)[1]
    if picture is not None:
        made.picture(bare(picture))
    else:
        words = printed(stored)
        made.code(words if words.count("\n") < MOST_LINES else "")
    made.end()


def named(sheet: Sheet, page: list[Cell], before: list[Cell], made: Page) -> None:
    """What the sheet names and doesn't show: the nine points, and functions of the chapter."""
    codes = [code for _, code in sheet.predictions] + [task.code for task in sheet.tasks]
    words = " ".join([*codes, *(question.paper or question.text for question, _ in sheet.predictions),
                      *(task.text for task in sheet.tasks)])
    functions = list(called(codes, page, before))
    nine = re.search(r"nine points|\bpoints\(\)", words)
    if nine or functions:
        made.add("## What the sheet names")
    if nine:
        inputs, targets = points()
        made.add(f"The **nine points**, which `points()` returns: their inputs are {said(inputs)}, their "
                 f"targets {said(targets)}. A line through them is `w * x + b`, and the loss is "
                 "`((w * x + b - target) ** 2).mean()`.")
    for function in functions:
        made.code(function)


def called(codes: list[str], page: list[Cell], before: list[Cell]) -> Iterator[str]:
    """The functions that some lines call, and that neither they nor the cells before define."""
    whole = ast.parse("\n".join([*codes, *(cell.text for cell in before if cell.kind == "code")]))
    here = {node.name for node in ast.walk(whole) if isinstance(node, ast.FunctionDef)}
    calls = {node.func.id for code in codes for node in ast.walk(ast.parse(code))
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for cell in page:
        if cell.kind == "code" and not cell.tags & {"solution", "exercise"}:
            for line in statements(cell):
                if isinstance(line.node, ast.FunctionDef) and line.node.name in calls - here:
                    here.add(line.node.name)
                    yield line.text.strip("\n")
