"""What a build makes, says and refuses, and the notebooks that it makes."""
import json
import re
from dataclasses import replace
from importlib.util import find_spec

import pytest

from minigrad.book.__main__ import main
from minigrad.book.build import pages, plan, students
from minigrad.book.content.chapters import CHAPTERS
from tests import ROOT
from tests.helpers.stored_chapters import exercises_in, solution_lines, source

CHAPTER = 6
with_paper = pytest.mark.skipif(not all(map(find_spec, plan.KINDS["lesson"].needs)),
                                reason="pip install -r requirements-handouts.txt")


# --- notebooks --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("number", CHAPTERS)
def test_a_student_s_file_has_no_answers(number):
    made = students.student(pages.load(number))
    whole = json.dumps(made, ensure_ascii=False)
    assert "SOLUTION" not in whole and "| belief |" not in whole
    assert solution_lines(number) and not [line for line in solution_lines(number)
                                           if json.dumps(line, ensure_ascii=False)[1:-1] in whole]
    assert not [cell for cell in made["cells"] if cell.get("outputs") or cell.get("execution_count")]
    words = "\n".join(source(cell) for cell in made["cells"])
    assert "olution" not in words.replace('`solution("0a")` shows one way', ""), "it names what isn't there"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Chapter 6 as notebooks."""
    folder = tmp_path_factory.mktemp("made") / "build"
    plan.build([str(CHAPTER)], "student,nbgrader", folder, tell=lambda line: None)
    return folder


@pytest.mark.parametrize("kind", ["student", "nbgrader/release"])
def test_run_all_passes_and_every_check_says_not_answered(files, kind, monkeypatch):
    """In the student's file although an exercise has a slip."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MINIGRAD_BOOK", "text")
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    made = nbformat.read(next((files / kind).glob("**/*.ipynb")), as_version=4)
    assert nbformat.validate(made) is None
    exercise = next(cell for cell in made.cells if "exercise" in cell.metadata.get("tags", ()))
    if kind == "student":
        exercise.source = "answer = lines[:4]"
    nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()
    assert kind != "student" or exercise.outputs[0].ename == "NameError"
    assert all(cell.execution_count for cell in made.cells if cell.cell_type == "code")
    checks = [cell for cell in made.cells if "check" in cell.metadata.get("tags", ())]
    assert len(checks) == len(exercises_in(pages.load(CHAPTER)))
    assert all(cell.outputs[0].text.startswith("□") for cell in checks[kind == "student":])


# --- the command ------------------------------------------------------------------------------------------

def test_progress_and_summary(tmp_path, capsys):
    assert main(["build", "6", "2", "--only", "student", "--to", str(tmp_path / "out")]) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("[1/2] student    chapter 6") and second.startswith("[2/2]")
    assert re.search(r"out: 2 files, 0 printed pages, \d+\.\d s$", last)
    assert sorted(path.name[:2] for path in (tmp_path / "out/student").iterdir()) == ["02", "06"]


@pytest.mark.parametrize(("words", "line"), [
    (["99"], "there is no chapter '99'; there are 0, 1, 2"),
    (["6", "--only", "posters"], "there is no kind 'posters' to build; there are lesson, student"),
])
def test_one_clear_line_and_nothing_made(words, line, tmp_path, capsys):
    assert main(["build", *words, "--to", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and line in said.err
    assert not list(tmp_path.iterdir())


def test_a_missing_tool_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(plan, "find_spec", lambda name: None if name == "pypandoc" else True)
    assert main(["build", "6", "--only", "student,lesson", "--to", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "lesson needs pypandoc: pip install -r requirements-handouts.txt" in said
    assert "(or build --only student)" in said
    assert not list(tmp_path.iterdir())


def test_a_folder_that_can_t_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("here", encoding="utf-8")
    assert main(["build", "6", "--only", "student", "--to", str(tmp_path / "file" / "out")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_build_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    to = tmp_path / "out"
    plan.build(["6"], "student", to, tell=lambda line: None)
    before = {path: path.read_bytes() for path in to.rglob("*.ipynb")}
    monkeypatch.setattr(students, "student", lambda notebook: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        plan.build(["6"], "student", to, tell=lambda line: None)
    assert {path: path.read_bytes() for path in to.rglob("*.ipynb")} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@with_paper
def test_no_build_replaces_what_another_one_made(tmp_path, monkeypatch):
    """Large print has names of its own, and the site stays one of all chapters."""
    asked = []
    monkeypatch.setitem(plan.KINDS, "site", replace(
        plan.KINDS["site"], make=lambda chapters, folder, order: asked.append(chapters) or []))
    to = tmp_path / "build"
    plan.build(["4"], "", to, room="paper", tell=lambda line: None)
    before = {path: path.read_bytes() for path in to.rglob("*.*") if path.name != plan.MADE}
    plan.build(["4"], "", to, room="paper", tell=lambda line: None, letter=True, large=True)
    assert len(before) == 6 and {path: path.read_bytes() for path in before} == before
    for name in ("class/04-sheets", "teacher/04-key", "teacher/04-card-paper"):
        assert (to / f"lesson-04/{name}-large-letter.pdf").exists()
    assert not asked
    plan.build(["6"], "site", to, tell=lambda line: None)
    assert asked == [list(CHAPTERS)]
