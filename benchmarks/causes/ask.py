"""Run programs, each in a process of its own, and ask explain() or why() what happened.

`python -m benchmarks.causes.ask BACKEND` imports the backend once, reads jobs from standard input, a line of
JSON each, forks for each of them, and prints a line of JSON with what the program's process found.
"""
from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import signal
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.causes.programs import for_backend

TIMEOUT = 60


def ask(question: Callable[[], Any]) -> str:
    """Return the words of an answer, or which error the question raised."""
    try:
        return str(question())
    except Exception as error:  # an answer like others, to be counted
        return f"REFUSED {type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"


def numbers(value: Any) -> Any:
    """Return a tensor's numbers, and None for no tensor."""
    return None if value is None else value.detach().double().reshape(-1).tolist()


def run_job(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run one program and return its error, the answers to the questions, and the values asked for."""
    from minigrad.viz import explain, watch, why

    questions = [*job["ask"], *job["models"]]
    for name, text in job["files"].items():
        text = for_backend(text, job["backend"])
        if name == job["main"]:
            count = text.count("\n")
            text += "".join(f"print(why({question}))\n" for question in questions)
        (folder / name).write_text(text, encoding="utf-8")
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    path = folder / job["main"]
    module = types.ModuleType("__main__")
    module.__file__ = str(path)
    sys.modules["__main__"] = module
    scope = module.__dict__
    scope.update(why=why, watch=watch)
    text = "".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:count])
    found: dict[str, Any] = {"error": None, "answers": {}, "values": []}
    watching = watch() if job["watched"] else contextlib.nullcontext()
    with watching:
        try:
            exec(compile(text, str(path), "exec"), scope)
        except Exception as raised:  # what the program is there for
            found["error"] = f"{type(raised).__name__}: {raised}"
            if job["explain"]:
                found["answers"]["explain"] = ask(lambda error=raised: explain(error))
    if found["error"] is None:
        for at, question in enumerate(questions, count):
            line = compile("\n" * at + f"why({question})", str(path), "eval")
            found["answers"][question] = ask(lambda line=line: eval(line, scope))
        if job.get("call"):
            lines = f"with watch({job['call'][0]}) as run:\n    {job['call'][1]}\n"
            start = count + len(questions)
            with open(path, "a", encoding="utf-8") as file:
                file.write(lines)
            code = compile("\n" * start + lines, str(path), "exec")
            found["answers"]["run"] = ask(lambda: (exec(code, scope), scope["run"])[1])
        found["values"] = [numbers(eval(value, scope)) for value in job["values"]]
    return found


def in_child(job: dict[str, Any]) -> dict[str, Any]:
    """Run one job in a fork of this process, which has imported the backend already."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        with os.fdopen(reader) as pipe:
            words = pipe.read()
        os.waitpid(child, 0)
        slow = {"error": "BENCH no answer: killed or too slow", "answers": {}, "values": []}
        return json.loads(words) if words else slow
    signal.alarm(TIMEOUT)
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                try:
                    found = run_job(job, Path(folder))
                except BaseException:  # the parent prints it
                    found = {"error": "BENCH " + traceback.format_exc(), "answers": {}, "values": []}
        with os.fdopen(writer, "w") as pipe:
            json.dump(found, pipe)
    finally:
        os._exit(0)


def main() -> None:
    """Answer the jobs of standard input."""
    backend = importlib.import_module(sys.argv[1])
    importlib.import_module("minigrad.viz")
    if hasattr(backend, "set_num_threads"):
        backend.set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(in_child(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
