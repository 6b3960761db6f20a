"""An exercise on paper: its text, what it starts from, the numbers of a seat, and the form of its answer."""
from __future__ import annotations

import ast
import contextlib
import copy
import functools
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ...viz.graph.model import Picture
from ..classroom.exercise import PRINTED, Exercise
from ..classroom.judging import Judgement, first_wrong, judge
from ..classroom.labs import picture
from ..content.chapters import chapter_of
from ..content.chapters import exercise as find
from .blanks import bare
from .pages import ALWAYS_THERE, Cell, as_code, cells, load, needed, rests_on, statements
from .pictures import picture_at, run


@dataclass
class Task:
    """An exercise on paper."""

    exercise: Exercise
    seat: str
    text: str  # markdown
    code: str  # what the exercise starts from, with the numbers of the seat
    numbers: Any
    said: str  # the numbers, as the chapter prints them
    ticks: list[str] = field(default_factory=list)  # boxes to tick
    fields: list[str] = field(default_factory=list)  # what to write a value for
    picture: Picture | None = None
    solution: str = ""
    solved: Any = None  # what the chapter's solution says, with the numbers of the seat
    steps: str = ""  # a program told in words, as a list


class Seat:
    """What a stub asks for as `chapter.numbers("6b")`."""

    def __init__(self, exercise: Exercise, seat: str) -> None:
        self.given = exercise.numbers(seat)

    def numbers(self, _: str) -> Any:
        return self.given


class Nothing:
    """Numbers that aren't there."""

    def __getitem__(self, _: str) -> Nothing:
        return self

    def __repr__(self) -> str:
        return "0"


def task(page: list[Cell], exercise: Exercise, seat: str) -> Task:
    stub, solution = stub_and_solution(page, exercise)
    numbers = exercise.numbers(seat)
    code, ticks = stub_code(stub, exercise, numbers)
    shown = code != stub_code(stub, exercise, Nothing())[0]  # the numbers stand in the code
    said = "" if shown else printed(page, stub, exercise, seat)
    text = exercise.paper or words(page, exercise.id)
    steps = ""
    if code and all(line.startswith("#") for line in code.splitlines()):
        steps, code = "\n".join(map(step, code.splitlines())), ""
    return Task(exercise, seat, text, code, numbers, said, ticks, fields(stub, exercise),
                picture_before(page, stub), named_as_in(code, bare_solution(solution.text)),
                answer_of(page, stub, solution, exercise, seat), steps)


def answer_of(page: list[Cell], stub: Cell, solution: Cell, exercise: Exercise, seat: str) -> Any:
    """The answer that the chapter's solution comes to with the numbers of a sheet.

    Raises:
        ValueError: it stops, or its answer isn't right there.
    """
    try:
        answer = solved(page, stub, solution, exercise, seat)
    except Exception as error:
        raise ValueError(f"the solution of {exercise.id} stops on sheet {seat}: {type(error).__name__}: "
                         f"{error}") from error
    if exercise.expected is not None and (wrong := first_wrong(exercise, answer, exercise.numbers(seat))):
        raise ValueError(f"the solution of {exercise.id} isn't right on sheet {seat}: {wrong}")
    return answer


def stub_and_solution(page: list[Cell], exercise: Exercise) -> tuple[Cell, Cell]:
    """Return the cells of an exercise."""
    found = [next((cell for cell in page if {tag, exercise.id} <= cell.tags), None)
             for tag in ("exercise", "solution")]
    for tag, cell in zip(("exercise", "solution"), found, strict=True):
        if cell is None:
            raise ValueError(f"the text has no cell with the tags {tag} and {exercise.id}")
    return tuple(found)


def step(comment: str) -> str:
    """`# w.grad = None, then one more pass   # 2` as an item of a list, with its mark."""
    said, _, mark = comment.removeprefix("# ").partition("  #")
    said = said.rstrip()
    ends = [at for at, sign in enumerate(said) if sign == ","] + [len(said)]
    code = next((said[:end] for end in reversed(ends) if is_code(said[:end])), "")
    return f"- {f'**({mark.strip()})** ' if mark else ''}`{code}`{said[len(code):]}"


def is_code(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False


def words(page: list[Cell], key: str) -> str:
    """The text of "Your turn 6b", without the quotation marks of its callout; a seat is a sheet here."""
    cell = next((cell for cell in page if f"✎ Your turn {key}**" in cell.text), None)
    if cell is None:
        raise ValueError(f"the text has no box that begins with > **✎ Your turn {key}**")
    block = re.search(rf"^> \*\*✎ Your turn {key}\*\*.*(?:\n>.*)*", cell.text, re.MULTILINE)[0]
    plain = re.sub(r"^> ?", "", block, flags=re.MULTILINE)
    return plain.partition("**✎ Your turn ")[2].partition("**")[2].strip().replace("your seat", "your sheet")


def stub_code(stub: Cell, exercise: Exercise, numbers: Any) -> tuple[str, list[str]]:
    """The stub as it reads on paper, and the boxes to tick, if it is a choice among lines."""
    kept, ticks, known = [], [], set()
    for line in statements(stub):
        node = line.node
        given = "" if not isinstance(node, ast.Assign) else ast.unparse(node.value)
        about_numbers = is_literal(given, exercise, numbers) or takes_only(node, known)
        if isinstance(node, ast.Assign) and any(name.startswith("answer_") for name in targets(node)):
            comments = [one for one in line.text.splitlines() if one.startswith("#")]
            kept += comments
            ticks = ticks or (ticks_of(kept, exercise, node))
        elif about_numbers:
            known |= targets(node)
        elif not (is_shown(node) or ast.unparse(node).startswith("same_steps(")):
            kept.append(re.sub(r"(\n +)answer_\w+ = \w+", r"\1...", line.text))  # of a loop
    text = with_numbers("\n".join(kept), exercise, numbers)
    text = re.sub(r"\(([^()\n]*),\n +", r"(\1, ", text)  # a call that was long without its numbers
    return ("" if ticks else text).strip("\n"), ticks


def is_shown(node: ast.stmt) -> bool:
    """Whether it only prints numbers, one after the other or at once."""
    body = node.body if isinstance(node, ast.For) else [node]
    return all(isinstance(one, ast.Expr) and ast.unparse(one).startswith("print(") for one in body)


def fields(stub: Cell, exercise: Exercise) -> list[str]:
    """What the answer consists of: the keys of the stub's dict, or the quantities of the exercise. A program
    is one thing, whatever is looked at in it."""
    for line in statements(stub):
        if isinstance(line.node, ast.Assign) and isinstance(line.node.value, ast.Dict) and any(
                name.startswith("answer_") for name in targets(line.node)):
            return [ast.literal_eval(key) for key in line.node.value.keys]
    return list(exercise.named) if exercise.expected or len(exercise.named) == 1 else []


def is_literal(code: str, exercise: Exercise, numbers: Any) -> bool:
    """Whether it is nothing but numbers of the seat, which are printed anyway."""
    if "chapter.numbers(" not in code:
        return False
    try:
        ast.literal_eval(with_numbers(code.replace("'", '"'), exercise, numbers))
    except ValueError:
        return False
    return True


def targets(node: ast.stmt) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def takes_only(node: ast.stmt, known: set[str]) -> bool:
    """Whether it only takes apart what is printed as the numbers of the seat."""
    read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    return isinstance(node, ast.Assign) and bool(read) and read <= known


def ticks_of(kept: list[str], exercise: Exercise, node: ast.stmt) -> list[str]:
    """The lines to choose from, where the answer is a set of lines."""
    if ast.unparse(node.value) != "set()":
        return []
    lists = [one.value for one in ast.parse("\n".join(kept)).body
             if isinstance(one, ast.Assign) and isinstance(one.value, ast.List)]
    return ast.literal_eval(lists[-1]) if lists else []


def with_numbers(code: str, exercise: Exercise, numbers: Any) -> str:
    """`chapter.numbers("6b")["w"]` becomes 2.5."""
    def value(found: re.Match) -> str:
        return repr(eval(f"given{found[1] or ''}", {"given": numbers}))

    return re.sub(rf'chapter\.numbers\("{exercise.id}"\)((?:\[[^\]]+\])*)', value, code)


def printed(page: list[Cell], stub: Cell, exercise: Exercise, seat: str) -> str:
    """What the stub's own `print` says about the numbers, if it does."""
    if exercise.draw is None:
        return ""
    lines = statements(stub)
    shows = [line for line in lines if is_shown(line.node)]
    if not shows:
        return ""
    code = "\n".join(line.text for line in lines)
    missing = {one.id for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Name)} - ALWAYS_THERE
    before = as_code(rests_on(missing - targets(ast.parse(code)), page, stub.at))
    out = io.StringIO()
    names = run(before, chapter=Seat(exercise, seat))
    names["print"] = lambda *args, **options: None
    for line in lines:
        if line in shows:
            names.pop("print")
            with contextlib.redirect_stdout(out):
                exec(line.text, names)
            names["print"] = lambda *args, **options: None
        else:
            exec(line.text, names)
    return "\n".join(without_braces(line) for line in out.getvalue().splitlines())


def without_braces(line: str) -> str:
    """{'a': 6.0, 'b': 7.0} as one would write it: a = 6.0, b = 7.0."""
    if re.fullmatch(r"\{('\w+': [^,{}]+(, )?)+\}", line):
        line = ", ".join(f"{name} = {value}" for name, value in ast.literal_eval(line).items())
    return re.sub(r" {2,}(?=\w+(?: =|:))", ", ", line.replace(" ,", ",").strip()).replace("  ", " ")


def picture_before(page: list[Cell], stub: Cell) -> Picture | None:
    """The picture between an exercise's text and its stub."""
    above = page[stub.at - 1]
    if named := re.match(r'picture\("(\w+)"', above.text):  # its program is not on the page
        return bare(picture(named[1], view="maths").picture)
    return bare(picture_at(page, above)[1]) if "viz" in above.tags else None


def solved(page: list[Cell], stub: Cell, solution: Cell, exercise: Exercise, seat: str) -> Any:
    """The answer that the solution comes to, run after the stub and the lines that both rest on."""
    code, missing = stub.text + "\n" + solution.text, set()
    while True:
        before = as_code(rests_on(missing, page, stub.at))
        try:
            names = run(before + "\n" + code, chapter=Seat(exercise, seat), copy=copy)
            return names[f"answer_{exercise.id}"]
        except NameError as unknown:  # it rests on one more name
            if unknown.name in missing:
                raise
            missing.add(unknown.name)


def also_right(exercise: Exercise, forms: tuple[str, ...]) -> Iterator[str]:
    """Yield the forms that the check accepts in the place of the first, which is part of the solution."""
    first, *others = forms
    return (form for form in others if not judged_with(exercise.id, first, form).says)


@functools.cache
def judged_with(key: str, old: str, new: str) -> Judgement:
    """Judge the chapter's solution of an exercise with other code in the place of a part of it."""
    exercise, page = find(key), cells(load(chapter_of(key)))
    stub, solution = stub_and_solution(page, exercise)
    if solution.text.count(old) != 1:
        raise ValueError(f"the solution of {key} doesn't contain {old!r} once")
    changed = replace(solution, text=solution.text.replace(old, new))
    answer = solved(page, stub, changed, exercise, PRINTED[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(exercise, answer, exercise.numbers(PRINTED[0]))


def bare_solution(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("### "))


def named_as_in(code: str, solution: str) -> str:
    """Return a solution whose function or class has the name that it has on the sheet.

    In a chapter it has another one, such as `all_rows` for `hessian`, and leaves the learner's own alone.
    """
    asked = defined(code)
    names = [line.value.id for line in ast.parse(solution).body if isinstance(line, ast.Assign)
             and isinstance(line.value, ast.Name) and line.value.id in defined(solution)]
    if len(asked) != 1 or len(names) != 1:
        return solution
    return re.sub(rf"\b{names[0]}\b", asked[0], solution)


def defined(code: str) -> list[str]:
    """Return the names of the functions and classes that lines define."""
    return [line.name for line in ast.parse(code).body if isinstance(line, (ast.FunctionDef, ast.ClassDef))]


def answer_in(solution: str) -> list[str]:
    """Of a solution, the lines that its answer rests on; what is stored as the answer, if it is one line."""
    lines = statements(Cell(0, "code", solution, frozenset()))
    name = next(line.node.targets[0].id for line in lines if isinstance(line.node, ast.Assign)
                and line.text.startswith("answer_"))
    found = as_code(needed({name}, lines)).splitlines()
    found = [line.partition("  #")[0].rstrip() for line in found]
    if found[-1].startswith(f"{name} = "):
        kept = found[-1].removeprefix(f"{name} = ")
        found = found[:-1] if kept.isidentifier() else [*found[:-1], kept]
    return found
