"""Your engine: the autograd engine that a learner writes, a slice at the ends of chapters 4 to 11 and 13.

    after_4.py ... after_13.py   the reference versions: the whole engine as it is after each of them
    steps_of_4.py                that of chapter 4: what is given, and the two steps that a learner writes
    single_steps.py              the programs for single steps
    programs.py                  small programs on which a learner's engine is tried
    training_programs.py         those of the slices with which it trains, in chapters 9 and 10
    minigrad_as_engine.py        minigrad under the names that the learner's engine uses
    engine_checks.py             runs a program on both, and says where they differ
    slice_exercises.py           the exercises "4e1" to "13e", which `check` knows
    written.py                   whether the steps of a slice are written, for the cells that need them

    engine("6")                  loads and shows the newest version before that chapter: after_5.py
    engine("4e2")                loads and shows what is before that step: what is given, and step 1
"""
from __future__ import annotations

import ast
import difflib
import linecache
import re
import sys
from html import escape
from pathlib import Path
from typing import Any

from ....viz.program.where_it_runs import _caller
from ..showing import Shown, somebody_is_there

SLICES = (4, 5, 6, 7, 8, 9, 10, 11, 13)  # the chapters that end with a slice
STEPS_FILE = Path(__file__).with_name("steps_of_4.py")
STEPS = {4: 2, 10: 3}  # how many steps these slices have; engine("4e2") loads what is before the second
ADDED = {2: "relu", 3: "cross_entropy"}  # the methods that steps of chapter 10 add
MOST_LINES = 25     # that are shown unfolded: a longer source fills the screen
MONOSPACE = "var(--jp-code-font-family, monospace)"  # what the cells of a notebook are set in
LOADED: dict[str, Any] = {}  # what `engine` defined; whatever else has one of these names is the learner's


def engine(chapter: Any = None, replace: bool = False, show: bool = True) -> None:
    """Load and show the engine with which the slice of a chapter begins.

        engine("6")     defines `Tensor` and the rest as they are after chapter 5, and shows their source
        engine("13")    those of chapter 11, as chapter 12 has no slice
        engine("4e2")   defines what step 1 of chapter 4 and its given cells define; you begin with step 2
        engine()        says for which chapters there is an engine

    Names that you defined yourself are left as they are, and you are told so; `replace=True` replaces them.
    With `show=False` its source isn't shown, for a chapter that only uses it.
    """
    step, number = step_named(chapter), before(chapter)
    if step is None and number is None:
        print(overview(chapter))
        return
    names = _caller().f_globals  # in a notebook: what its cells define
    text = text_for(chapter)
    file = path(number if step is None else step[0]) if step is None or step[0] != 4 else STEPS_FILE
    own = [name for name in defined_in(text) if name in names and names[name] is not LOADED.get(name)]
    if own and not replace:
        said = (f"You have defined {listed(own)}, so nothing was loaded. "
                f'To replace your own: engine("{chapter}", replace=True)')
    else:
        load(text, file, names)
        said = (f"This is the engine after chapter {number}; it is loaded." if step is None else
                f"This is the engine before step {step[1]} of chapter {step[0]}; it is loaded.")
        if own:
            said = f"This replaced your own {listed(own)}. {said}"
    if not show:
        print(f'{said} engine("{chapter}") shows its {len(text.splitlines())} lines.')
    elif somebody_is_there():
        from IPython.display import display
        marked = as_html(text, number if step is None else step[0])
        display(Shown(f"{said}\n\n{text}", f"<p>{escape(said)}</p>{marked}"))
    else:
        print(f"{said}\n\n{text}")


def text_for(chapter: Any) -> str:
    """The source that `engine` loads and shows."""
    step = step_named(chapter)
    return source(before(chapter)) if step is None else before_step(*step)


def before(chapter: Any) -> int | None:
    """The last slice before a chapter, with which a learner can start cold; None: there is none."""
    text = str(chapter).strip()
    number = int(text) if text.isdecimal() else 0
    return max((one for one in SLICES if one < number <= SLICES[-1] + 1), default=None)


def overview(chapter: Any) -> str:
    said = "" if chapter is None else f"There is no engine for chapter {chapter}. "
    if str(chapter).strip() == str(SLICES[0]):
        said = f"In chapter {SLICES[0]} you begin your engine from nothing. "
    calls = ", ".join(f'engine("{number + 1}")' for number in SLICES)
    return f"{said}You can call {calls}: each loads the engine with which that chapter begins. " \
           'engine("4e1") and engine("4e2") load what is before that step of chapter 4; ' \
           'engine("10e2") and engine("10e3") load those of chapter 10.'


def source(number: int) -> str:
    """The reference engine after a chapter."""
    return path(number).read_text(encoding="utf-8")


def path(number: int) -> Path:
    return Path(__file__).with_name(f"after_{number}.py")


def defined_in(text: str) -> list[str]:
    """The names of the classes and functions of a source."""
    return [node.name for node in ast.parse(text).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]


def step_named(key: Any) -> tuple[int, int] | None:
    """The chapter and the step that a key such as "4e3" names, if there are steps before it."""
    found = re.fullmatch(r"(\d+)e(\d)", str(key).strip().lower())
    chapter, step = (int(found[1]), int(found[2])) if found else (0, 0)
    first = 1 if chapter == SLICES[0] else 2     # something is given before the first step of the first slice
    return (chapter, step) if first <= step <= STEPS.get(chapter, 0) else None


def steps() -> list[str]:
    """The sources of the first engine: what is given, and its two steps."""
    return re.split(r"(?m)^(?=# Step \d)", STEPS_FILE.read_text(encoding="utf-8"))


def before_step(chapter: int, step: int) -> str:
    """The source that a learner has before a step of this chapter."""
    if chapter == 4:
        return "".join(steps()[:step]).rstrip() + "\n"
    first, rest = source(chapter).split("\n", 1)
    for later in range(step, STEPS[chapter] + 1):
        rest = re.sub(rf"(?m)^    def {ADDED[later]}\(.*\n(?:(?:        .*)?\n)+", "", rest)
    return f"# Your engine before step {step} of chapter {chapter}.\n{rest}"


def loading(key: str) -> str:
    """The line with which a solution to a step begins, for somebody whose earlier steps may be wrong."""
    named = step_named(key)
    if named is None:
        return ""
    earlier = {1: "what is given", 2: "step 1"}.get(named[1], f"steps 1 to {named[1] - 1}")
    return f'engine("{key}", replace=True)    # {earlier}; leave this line out if yours are right\n\n'


def load(text: str, path: Path, names: dict[str, Any]) -> None:
    """Run a source among these names; a traceback shows its lines."""
    file = str(path)
    linecache.checkcache(file)
    exec(compile(text, file, "exec"), names)
    LOADED.update({name: names[name] for name in defined_in(text)})


def as_html(text: str, number: int) -> str:
    """A source for a notebook, with a bar beside the lines that are new since the chapter before."""
    new = set()
    last = before(number)
    if last:
        compared = difflib.ndiff(source(last).splitlines(), text.splitlines())
        kept = [line for line in compared if line[0] in "+ "]
        new = {at for at, line in enumerate(kept) if line[0] == "+" and line[1:].strip()}
    lines = [f'<span style="font-family:{MONOSPACE};border-left:4px solid '
             f'{"#0b62a8" if at in new else "transparent"};padding-left:8px">{escape(line)}</span>'
             for at, line in enumerate(text.splitlines())]
    told = f"A bar marks the lines that are new since chapter {last}." if new else ""
    listing = '<pre style="line-height:1.35;font-size:13px">' + "\n".join(lines) + "</pre>"
    if len(lines) <= MOST_LINES:
        return f"<p>{told}</p>{listing}" if told else listing
    summary = " ".join(filter(None, (f"Its {len(lines)} lines.", told)))
    return f"<details><summary>{summary}</summary>{listing}</details>"


def listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
