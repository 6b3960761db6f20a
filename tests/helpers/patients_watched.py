"""Asks `why` and `watch` about a patient: the loop runs under a watch, and `why(model)` follows the script.

A watch makes a program slower, so only the first turns of the loop are run. The script keeps its lines and
their numbers; a line that an answer names is a line of the patient.
"""
from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from minigrad.book.classroom.patients import patient
from minigrad.book.classroom.patients.backend import for_minigrad
from minigrad.book.classroom.patients.bugs import BUGS

TURNS, STEPS = 3, 30    # of the training loop; a watch makes a step several times as long
STORED = Path(__file__).parents[1] / "data" / "patients_watched.json"
HEALTHY = range(12)     # healthy scripts that why and watch are asked about
WORKERS = 2
LINE = re.compile(r"patient\.py:(\d+)|[Ll]ines? (\d+)")


def trains(node: ast.AST, functions: dict[str, ast.FunctionDef]) -> bool:
    """Whether a statement runs a backward pass, itself or in a function of the script."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr == "backward":
            return True
        if isinstance(part, ast.Name) and part.id in functions and trains(
                ast.Module(functions[part.id].body, []), functions):
            return True
    return False


def watched(source: str) -> ast.Module:
    """Return the script with its training loop inside `with watch(model, optimizer) as run:`."""
    tree = ast.parse(source)
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    at = next(at for at, one in enumerate(tree.body) if isinstance(one, ast.For) and trains(one, functions))
    loop = tree.body[at]
    names = [target.id for one in tree.body[:at] if isinstance(one, ast.Assign) for target in one.targets
             if isinstance(target, ast.Name) and "optim." in ast.unparse(one.value)
             and "lr_scheduler" not in ast.unparse(one.value)]
    given = f"model, [{', '.join(names)}]"
    held = ast.parse(f"with watch({given}) as run:\n    pass").body[0]
    for part in ast.walk(held):
        if hasattr(part, "lineno"):
            part.lineno = part.end_lineno = loop.lineno
    nested = any(isinstance(part, (ast.For, ast.Call)) and trains(part, functions) for part in loop.body)
    loop.iter = ast.copy_location(ast.Subscript(loop.iter, ast.Slice(upper=ast.Constant(
        TURNS if nested else STEPS)), ast.Load()), loop.iter)
    held.body = [loop]
    ast.fix_missing_locations(held)
    tree.body[at] = held
    return tree


def asked(source: str, library: str = "minigrad") -> dict[str, str]:
    """Return what `why(model)` and the page of the run say, and the error of a question that fails."""
    from minigrad.viz import watch, why
    text = for_minigrad(source) if library == "minigrad" else source
    path = "/patients/patient.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = {"__name__": "__main__", "__file__": path, "watch": watch, "why": why}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(watched(text), path, "exec"), names)
        return {"why": str(eval(compile("why(model)", path, "eval"), names)), "watch": str(names["run"])}


def lines_named(answer: str) -> set[int]:
    """Return the numbers of the lines that an answer names."""
    return {int(one or other) for one, other in LINE.findall(answer)}


CLAIM = re.compile(r"^([a-z ]+|[\w.\[\]]+\.[\w.]+): (.*)$", re.MULTILINE)


def claims(answer: str) -> list[list]:
    """Return [what was found, the numbers of the lines, the sentence] for each claim of an answer."""
    found = []
    for head, sentence in CLAIM.findall(answer.split("The parameters, the worst first")[0]):
        found.append([head, sorted(lines_named(sentence)), sentence])
    return found


# --- all of them ---

def jobs() -> Iterator[tuple[str, str]]:
    """Yield a script for each bug, with as few others as there are, and healthy ones."""
    for bug in BUGS:
        yield "bug", bug
    yield from (("healthy", str(seed)) for seed in HEALTHY)


@cache
def patient_with(bug: str) -> tuple[int, int] | None:
    """Return the seed and the level of the first patient with this bug, at level 1 if there is one."""
    for level, seeds in ((1, range(100)), (2, range(100))):
        for seed in seeds:
            if any(one.name == bug for one in patient(seed, level).bugs):
                return seed, level
    return None


def told(job: tuple[str, str]) -> tuple[str, dict[str, list]]:
    group, key = job
    if group == "healthy":
        answers, lines = asked(patient(int(key)).healthy), {}
    else:
        at = patient_with(key)
        if at is None:
            return f"{group}/{key}", {}
        one = patient(*at)
        answers, lines = asked(one.source), {bug.name: one.lines(bug) for bug in one.bugs}
    return f"{group}/{key}", {"lines": lines, **{name: claims(text) for name, text in answers.items()}}


def stored() -> dict[str, dict[str, Any]]:
    """Return what is stored: for each script its bugs' lines, and the claims of both."""
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}


def ask_all() -> None:
    """Ask why and watch again about all scripts, and store their claims."""
    with ProcessPoolExecutor(WORKERS) as pool:
        found = dict(pool.map(told, jobs()))
    rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    STORED.write_text("{\n" + rows + "\n}\n", encoding="utf-8")
