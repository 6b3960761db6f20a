"""A sheet as a page of markdown; what markdown has no word for (cards, lines to write on, pictures) is
written in typst, with the functions of page.typ.
"""
from __future__ import annotations

import json
import re
from itertools import product

from ..classroom.saying import uncapitalised
from .blanks import LAYOUTS, drawn, size_of, told
from .lettering import coded, curly, near, typ
from .predicted import on_paper
from .sheets import Sheet
from .tasks import Task, answer_in

LONG_NAME = 34  # a quantity with a longer name has a line of its own
LONG_LINES = 80  # what an exercise starts from is set line by line if it is longer
NARROW = 150  # points: words may stand beside a picture if there is as much room
SHRINK = 0.15  # so much smaller than it ought to be may a picture get
IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]+\)")  # of a file: paper has its words
LETTER, LEADING, RULE = 5.6, 17, 24.5  # points: a letter, a line of words, a line to write on
CAPTION = "Your caption: say in one sentence what the picture shows, and why."
NEXT = "NEXT-SHEET"  # between two sheets that are turned in one go


class Page:
    """Markdown in the making, and the pictures that it shows."""

    def __init__(self, name: str, lines: int, wide: float, scale: float = 1.0, tall: float = 750) -> None:
        self.name, self.lines, self.wide, self.scale, self.tall = name, lines, wide, scale, tall
        self.parts: list[str] = []
        self.pictures: dict[str, str] = {}

    def add(self, text: str) -> None:
        text = IMAGE.sub(r"*\1*", text)
        text = re.sub(r"^\[(?=.*\]:)", r"\\[", text, flags=re.MULTILINE)  # else markdown's target of a link
        self.parts.append(curly(text))

    def typst(self, text: str) -> None:
        self.parts.append(f"```{{=typst}}\n{text}\n```")

    def heading(self, title: str, box: str) -> None:
        """The title, and in a box what kind of sheet it is."""
        self.typst(f"#head-line[{typ(title)}][{box}]")

    def code(self, text: str) -> None:
        text = re.sub(" {3,}#", "  #", text) if self.large else near(text)
        if text.strip():
            self.parts.append(f"~~~~ {{.python}}\n{text.strip(chr(10))}\n~~~~")

    def keep(self) -> None:
        self.typst("#keep[")

    def end(self) -> None:
        self.typst("]")

    def picture(self, picture, high: float = 0) -> None:
        """A picture, no higher than `high` points if that is said, and the same in words."""
        svg, width, height, turned = self.placed(picture)
        width *= min(1, (high or height) / height)
        file = f"{self.name}-{len(self.pictures)}.svg"
        self.pictures[file] = svg
        said = json.dumps(told(picture), ensure_ascii=False)
        self.typst(f'#picture("{file}", {width:.0f}pt, {90 if turned else 0}deg, {said})')

    def placed(self, picture) -> tuple[str, float, float, bool]:
        """The picture, its width and height on paper, and whether the sheet has to be turned to read it: so
        large print stays large in a wide picture."""
        ways = []
        for turned, layout in product((False, True), LAYOUTS):
            wide, tall = (self.tall, self.wide) if turned else (self.wide, self.tall)
            svg = drawn(picture, layout)
            width, height = (side * self.scale for side in size_of(svg))
            fits = min(1, wide / width, tall / height)
            ways.append((fits, svg, width * fits, height * fits, turned))
            if fits == 1:
                break
        return max(ways, key=lambda way: way[0])[1:]

    def has_room_for(self, picture) -> bool:
        """Whether a picture fits with letters of its own size."""
        svg, width, _, _ = self.placed(picture)
        return width >= size_of(svg)[0] * self.scale - 1e-6

    def rules(self, count: int) -> None:
        self.typst(f"#ruled({count})")

    def room(self, share: int = 1) -> None:
        """Up to so many more lines on what is left of the page, where others get their share, too."""
        self.typst(f"#room({share})")

    def table(self, rows: list[list[str]]) -> None:
        head, *body = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
        lines = [head, ["---"] * len(head), *body]
        self.add("\n".join(f"| {' | '.join(line)} |" for line in lines))

    def strip(self, seats: list[str], rows: list) -> None:
        """The marking table of a key: a row has a label, points, and one value or one for each sheet."""
        made = []
        for row in rows:
            values = " ".join(f"[{lines_of(value)}]," for value in row.values)
            made.append(f"([{typ(row.label)}], [{row.points or ''}], ({values}))")
        first = 2 if max(len(row.label) for row in rows) > LONG_NAME else 1.5
        self.typst(f"#strip({first}fr, ({' '.join(f'[{seat}],' for seat in seats)}), {', '.join(made)})")

    def turn(self) -> None:
        """What follows is on a page of its own."""
        self.typst("#pagebreak()")

    @property
    def large(self) -> bool:
        return self.scale > 1

    @property
    def text(self) -> str:
        return "\n\n".join(self.parts)


def lines_of(value: str) -> str:
    """Words in typst; if there are several lines, one that is too long goes on with an indent."""
    lines = " #parbreak() ".join(map(typ, value.split("\n")))
    return f"#set par(hanging-indent: 3em); {lines}" if "\n" in value else lines


def student(sheet: Sheet, page: Page, first: int = 0, one_sided: bool = False) -> Page:
    """The two pages that a class gets, or the one; the first so many exercises stand before the picture."""
    page.heading(f"{sheet.number} · {sheet.title}", f"Sheet {sheet.seat}")
    page.typst("#name-line()")
    before = "do the rest" if one_sided else "turn the sheet"
    page.add(f"**{sheet.question}** Circle your predictions before you {before}.")
    for question, code in sheet.predictions:
        page.keep()
        page.add(f"## ▶ Predict {question.id}")
        if words := sheet.words[question.id]:
            page.add(" ".join(f"**{term.name}**: {uncapitalised(term.on_sheets)}" for term in words))
        page.code(code)
        page.add(on_paper(question))
        page.typst("#cards(")
        for letter, option in zip(question.letters, sheet.orders[question.id], strict=True):
            page.typst(f'("{letter}", [')
            page.add(question.option(option).text)
            page.typst("]),")
        page.typst(")")
        page.typst("#because()")
        page.end()
        page.room()
    if sheet.paper.reading:
        page.keep()
        page.add("## How a picture is read")
        page.table([["what you see", "what it is"], *map(list, sheet.paper.reading)])
        page.end()
    for task in sheet.tasks[:first]:
        exercise(task, page, sheet)
    if sheet.picture is not None:
        fill_in(sheet, page)
    for task in sheet.tasks[first:]:
        exercise(task, page, sheet)
    if sheet.paper.drawing:
        page.keep()
        page.add(f"**✎** {sheet.paper.drawing}")
        page.typst("#frame()")
        page.end()
    if sheet.ticket:
        two = " (two facts)" * bool(sheet.paper.facts)
        write_in(page, f"**Exit ticket{two}.** {sheet.ticket[0]}", 2)
    if page.lines > 1:
        write_in(page, "What I want to know next:", 1)
    return page


def write_in(page: Page, text: str, lines: int) -> None:
    """A question that is answered in words."""
    page.keep()
    page.add(text)
    page.rules(max(1, min(lines, page.lines)))
    page.end()
    page.room()


def fill_in(sheet: Sheet, page: Page) -> None:
    """The picture, with the words beside it if there is room, or else above and under it. One without blanks
    may answer a prediction, so it is on the other side."""
    if not sheet.answers:
        page.turn()
    picture = sheet.large if page.large else sheet.picture
    _, width, height, turned = page.placed(picture)
    seen = next((question.id for question, code in sheet.predictions if code and code == sheet.given), None)
    intro = asked(sheet, f"The lines of prediction {seen}, with these numbers," if seen else "These lines"
                  ) if sheet.answers else ""
    left = page.wide - width - 10
    beside = left > NARROW * page.scale and not turned and not page.large
    code = others(sheet) if seen else sheet.code
    used = (len(intro) * LETTER / (left if beside else page.wide) * page.scale + 2) * LEADING * page.scale
    over = (len(code.splitlines()) + 2) * LEADING * page.scale
    over += 0 if beside else used + 2 * RULE * page.scale
    page.keep()
    page.add("## ✎ Fill in the picture" if sheet.answers else "## ✎ The picture")
    page.code(code)
    if beside:
        page.typst("#beside([")
    if intro:
        page.add(intro)
    if beside:
        page.add(CAPTION)
        page.rules(max(2, min(4, int((height - used) / RULE / page.scale))))
        page.typst("], [")
    if apart := page.large or page.tall - over < height * (1 - SHRINK):
        page.end()
        page.room()
        page.keep()
    page.picture(picture, 0 if apart or beside else page.tall - over)
    if beside:
        page.typst("])")
    else:
        if page.large:
            page.end()
            page.room()
            page.keep()
            if sheet.answers:
                fields([f"({at})" for at in range(1, len(sheet.answers) + 1)], 2, page)
        page.add(CAPTION)
        page.rules(max(1, min(2, page.lines)))
    page.end()
    page.room()


def others(sheet: Sheet) -> str:
    """The lines with numbers that are other than in the chapter; of a function, what it takes."""
    pairs = zip(sheet.given.splitlines(), sheet.code.splitlines(), strict=True)
    lines = "\n".join(new for old, new in pairs if old != new)
    return re.sub(r"^def \w+\((.*)\):$", r"\1", lines, flags=re.MULTILINE)


def asked(sheet: Sheet, lines: str) -> str:
    about = " ".join(about for about, _ in sheet.answers)
    freed = " (or *freed*)" if sheet.number >= 6 else ""  # chapter 6 explains the word
    return (f"{lines} have run. What belongs in the blanks? A drawer holds a gradient, or *None*; its "
            "colour doesn't tell."
            + (f" A grey tab shows what the operation keeps now{freed}." if "saved" in about else "")
            + (" If the version has changed since the tensor was saved, the tab shows both versions instead: "
               "*at …, now …*."
               if "version" in about else ""))


def exercise(task: Task, page: Page, sheet: Sheet) -> None:
    page.keep()
    joined = ", ".join(task.said.splitlines())
    short = len(joined) < LONG_LINES and not 1 < len(task.said.splitlines()) == len(task.fields)
    said = f" **Sheet {sheet.seat}:**{f' `{joined}`' if short else ''}" if task.said else ""
    page.add(f"**✎ {task.exercise.id}** {task.text}{said}")
    if not short:
        page.code(task.said)
    if task.steps:
        page.add(task.steps)
    page.code(task.code)
    if task.picture is not None:
        page.picture(task.picture)
    answer(task, page, sheet.paper.more.get(task.exercise.id, ())[:1])
    given = bool(task.ticks or task.fields)  # there are places for the answer
    needed = 0 if given else 1 + len(answer_in(task.solution))
    lines = sheet.paper.lines.get(task.exercise.id, needed)
    page.rules(max(0 if given else 1, min(lines, page.lines)))
    page.end()
    if lines:
        page.room(lines)


def answer(task: Task, page: Page, more: tuple[str, ...]) -> None:
    """The places for an answer, and for what else is to be written down."""
    if task.ticks:
        codes = [f"`{option}`" for option in task.ticks]
        columns = 2 if page.large or max(map(len, codes)) > LONG_NAME else 4
        boxes = ", ".join(f"[{typ(code)}]" for code in codes)
        page.typst(f"#ticks({columns}, {boxes})")
    elif task.fields:
        names = [*map(coded, task.fields), *more]
        fields(names, 1 if page.large or page.lines and max(map(len, names)) > LONG_NAME else 2, page)


def fields(names: list[str], columns: int, page: Page) -> None:
    """Names with a line to write on after each."""
    page.typst(f"#fields({columns}, {', '.join(f'[{typ(name)}]' for name in names)})")
