"""Kills a piece of work at each step that it takes with files, and looks at what is left.

    python -m tests.systems.faults.killed WORK FOLDER [MOST]    at all its steps, or at MOST of them

A process that is killed gets no chance to tidy up or to write what is still in its memory; `os._exit` ends it
the same way. Each file must then hold what it held before, or all that it should hold in the end; and the
same work, done again, must end as if nothing had happened.
"""
import io
import json
import os
import shutil
import sys
from pathlib import Path

import nbclient
import nbconvert.filters  # noqa: F401 - as run() imports them, and here once for all
import nbformat  # noqa: F401

import minigrad as torch
from minigrad.book.build import own_copies, plan, run_chapters
from minigrad.book.classroom.progress import Progress

STEPS = {"open", "write", "flush", "fsync", "close", "flock", "replace", "rename", "unlink", "mkdir", "rmdir",
         "dump"}  # functions written in C; the last writes the file of torch.save
CHAPTER = Path(run_chapters.NOTEBOOKS, "00_before_you_start.ipynb")
KILLED = 9


def store(folder, question, choice):
    os.environ["MINIGRAD_PROGRESS"] = str(folder / "progress.json")
    Progress().change("predictions", question, choice=choice, confidence="certain")


def run_again(folder):
    """Without a kernel; what is written is made longer."""
    longer = {"source": "# It ran.\n" * 9999}
    nbclient.NotebookClient.execute = lambda client, **_: client.nb.cells[0].update(longer)
    run_chapters.run(folder / CHAPTER.name)


def copy(folder):
    own_copies.CHAPTERS = {0: None, 3: None}
    list(own_copies.copy_chapters(folder))


def build(folder):
    plan.build(["6"], "student,nbgrader", folder, tell=lambda line: None)


# name: (what is there before, the work)
WORKS = {
    "progress": (lambda folder: store(folder, "6.1", "A"), lambda folder: store(folder, "6.2", "B")),
    "run": (lambda folder: shutil.copy(CHAPTER, folder), run_again),
    "copy": (lambda folder: Path(folder, "00_before_you_start.ipynb").write_bytes(b"mine"), copy),
    "build": (lambda folder: (build(folder), Path(folder, "own.txt").write_bytes(b"mine")), build),
    "save": (lambda folder: torch.save(torch.zeros(9999), folder / "model.pt"),
             lambda folder: torch.save(torch.ones(99999), folder / "model.pt")),
}


def at_step(work, folder, step):
    """Do the work in a process that is killed at this step; which steps it got to, and how it ended."""
    reader, writer = os.pipe()
    if child := os.fork():
        os.close(writer)
        with open(reader, "rb") as pipe:
            steps = len(pipe.read())
        return steps, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    steps = 0

    def look(frame, event, function):
        nonlocal steps
        if event in ("c_call", "c_return") and function.__name__ in STEPS and not isinstance(
                function.__self__, (str, io.StringIO)):
            if steps == step:
                os._exit(KILLED)
            steps += 1
            os.write(writer, b".")

    status = 1
    try:
        sys.setprofile(look)
        work(folder)
        status = 0
    finally:
        sys.setprofile(None)
        os._exit(status)


def contents(folder):
    """The files that count: not what a killed process left for the next one to remove."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in (".new", ".lock") and ".unfinished" not in path.parts}


def prepared(folder, prepare):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    prepare(folder)
    return contents(folder)


def main(name, folder, most=10**9):
    prepare, work = WORKS[name]
    folder = Path(folder, "work")
    before = prepared(folder, prepare)
    steps, status = at_step(work, folder, None)
    after = contents(folder)
    assert status == 0 and before != after or name == "build", status
    kills = 0
    for step in range(0, steps, max(1, steps // int(most))):
        assert prepared(folder, prepare) == before
        assert at_step(work, folder, step)[1] == KILLED
        left = contents(folder)
        for path, data in left.items():
            assert data in (before.get(path), after.get(path)), f"killed at step {step}: half of {path}"
        assert before.keys() <= left.keys(), f"killed at step {step}, it lost {before.keys() - left.keys()}"
        assert at_step(work, folder, None)[1] == 0, f"killed at step {step}, it can't be done again"
        every = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert contents(folder) == after and every == after.keys(), f"killed at step {step}: {every}"
        kills += 1
    print(json.dumps({"steps": steps, "kills": kills}))


if __name__ == "__main__":
    main(*sys.argv[1:])
