"""Run programs in workers, one for each backend, and judge what explain() and why() said."""
from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.causes.programs import Program

ROOT = Path(__file__).resolve().parents[2]
HEALTHY = re.compile(r"(?i)nothing (that is |is )?wrong (was |is )?(found|here)|nothing wrong|healthy")
HONEST = re.compile(r"(?i)watch\(|not known|can't (tell|know)|cannot (tell|know)|unknown")
FIX = re.compile(r"^Fix \d+: (.*(?:\n(?:    ).*)*)", re.M)
PLACE = re.compile(r"([\w.-]+\.py):(\d+)")
MOST_PLACES = 6


class Worker:
    """A process that has imported one backend and answers jobs; see ask.py."""

    def __init__(self, backend: str) -> None:
        env = dict(os.environ, PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1")
        self.backend = backend
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.causes.ask", backend], cwd=ROOT, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, program: Program, files: dict[str, str] | None = None, *,
                 watched: bool = False, quiet: bool = False, values: bool = False) -> dict[str, Any]:
        """Run a program (or other files of it) and return its error, answers and values."""
        error = program.outcome == "error"
        asks_run = program.run and not quiet and not watched
        job = {
            "backend": self.backend, "watched": watched,
            "files": files or program.files, "main": program.main,
            "ask": [] if quiet or error else [*program.ask, *program.fine],
            "models": [] if quiet or error else program.model,
            "explain": error and not quiet,
            "call": [program.run["watch"], program.run["call"]] if asks_run else None,
            "values": program.gradient if values else [],
        }
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        """End the worker."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Verdict:
    """What came out for one program, one backend and one way of asking."""

    program: Program
    backend: str
    way: str
    cause: str = "not found"
    line: bool = False
    false: list[str] = field(default_factory=list)
    harmful: list[str] = field(default_factory=list)
    helpful: list[str] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    text: str = ""


def sentences(text: str) -> str:
    """Return an answer without its title, fixes and list of nodes, in one line."""
    text = re.split(r"^(?:Fix 1:|Graph behind )", text, maxsplit=1, flags=re.M)[0]
    first, _, rest = text.partition("\n")
    if re.match(r"\w*Error: |The gradient of ", first):
        text = rest
    return " ".join(text.split())


def fixes_of(text: str) -> list[str]:
    """Return the fixes that an answer offers."""
    return [" ".join(fix.split()) for fix in FIX.findall(text)]


def judge_cause(program: Program, text: str) -> str:
    """Return "right", "partly", "wrong", "honest" (it says what is not known), "not found" or "refused"."""
    if text.startswith("REFUSED"):
        return "refused"
    words = sentences(text)
    if re.search(program.wrong, words):
        return "wrong"
    if HEALTHY.search(words):
        return "not found"
    if re.search(program.right, words):
        return "right"
    if re.search(program.partly, words):
        return "partly"
    return "honest" if HONEST.search(text) else "wrong"


def judge_line(program: Program, text: str) -> bool:
    """Return whether the line to edit is named, among a few."""
    said = re.split(r"^Graph behind ", text, maxsplit=1, flags=re.M)[0]
    named = {f"{name}:{number}" for name, number in PLACE.findall(said)}
    return len(named) <= MOST_PLACES and bool(named & program.lines_to_edit())


def claims(program: Program, question: str, text: str) -> bool:
    """Return whether an answer about something healthy says that anything is wrong."""
    words = sentences(text)
    fact = program.facts.get(question, program.fact)
    return not (HEALTHY.search(words) or re.search(fact, words) or text.startswith("REFUSED"))


def close(a: Any, b: Any) -> bool:
    """Return whether two lists of values are the same to four digits."""
    if a is None or b is None or isinstance(a, float):
        return str(a) == str(b) or None not in (a, b) and math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-7)
    return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))


def values_after(program: Program, edits: list[list[str]], worker: Worker, known: dict[Any, Any]) -> Any:
    """Return the values that an edited program computes, or None if it raises an error; `known` remembers."""
    key = (program.name, worker.backend, json.dumps(edits))
    if key not in known:
        done = worker(program, program.edited(edits), quiet=True, values=True)
        known[key] = None if done["error"] else done["values"]
    return known[key]


def judge_fixes(verdict: Verdict, worker: Worker, known: dict[Any, Any]) -> None:
    """Sort an answer's fixes: applied, they give the intended values, or no or other ones."""
    program = verdict.program
    for fix in fixes_of(verdict.text):
        edits = [entry for entry in program.fixes if re.search(entry.says, fix)]
        if re.search(program.harmful, fix):
            verdict.harmful.append(fix)
        elif not edits:
            verdict.unjudged.append(fix)
        else:
            got = values_after(program, edits[0].edit, worker, known)
            if got is not None and close(got, values_after(program, program.mended, worker, known)):
                verdict.helpful.append(fix)
            elif got is None or close(got, values_after(program, [], worker, known)):
                verdict.unjudged.append(fix + "  [DOES NOT HELP]")
            elif not re.search(edits[0].excused, fix):
                verdict.harmful.append(fix)


def judge(program: Program, worker: Worker, watched: bool, known: dict[Any, Any]) -> list[Verdict]:
    """Run one program in one way; return the verdicts on the question, on why(model) and on the run."""
    found = worker(program, watched=watched)
    way, answers = "watched" if watched else "plain", found["answers"]
    if (found["error"] is None) == (program.outcome == "error") or "BENCH" in str(found["error"]):
        raise RuntimeError(f"{program.name} on {worker.backend}, {way}: {found['error']}")
    verdicts = []
    if program.healthy:
        verdict = Verdict(program, worker.backend, way)
        verdict.text = "\n\n".join(f"why({question})\n{answers[question]}" for question in program.ask)
        verdict.false = [q for q in program.ask if claims(program, q, answers[q])]
        verdicts.append(verdict)
    else:
        question = "explain" if program.outcome == "error" else program.ask[0] if program.ask else None
        if question:
            text = answers[question]
            verdict = Verdict(program, worker.backend, way, judge_cause(program, text), text=text)
            verdict.line = judge_line(program, text)
            verdict.false = [q for q in program.fine if q in answers and claims(program, q, answers[q])]
            if re.search(program.wrong, sentences(text)):
                verdict.false.append(question)
            judge_fixes(verdict, worker, known)
            verdicts.append(verdict)
    for question in [*program.model, "run"]:
        if question in answers:
            text, kind = answers[question], "run" if question == "run" else f"model, {way}"
            verdict = Verdict(program, worker.backend, kind, text=f"{question}\n{text}")
            if program.healthy:
                verdict.false = [question] if FIX.search(text) and claims(program, question, text) else []
            verdict.cause = "refused" if text.startswith("REFUSED") else judge_cause(program, text)
            verdict.line = judge_line(program, text)
            verdicts.append(verdict)
    return verdicts
