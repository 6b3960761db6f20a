"""A course for nbgrader: what it asks, and that honest and hostile submissions get the points they should."""
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from minigrad.book.build import nbgrader, pages, plan
from minigrad.book.build.marking import CHECKED, mark
from minigrad.book.build.marking.answers_as_json import NoData, as_data, from_data
from minigrad.book.classroom.engine import SLICES
from minigrad.book.classroom.engine.slice_exercises import ENGINE_EXERCISES
from minigrad.book.content.chapters import CHAPTERS, exercise, of
from tests import ROOT
from tests.helpers.stored_chapters import exercises_in, source

with_nbgrader = pytest.mark.skipif(find_spec("nbgrader") is None, reason="nbgrader is not installed: "
                                   "pip install nbgrader")
FILE = pages.file_of(6).name


def parts_of(made):
    """The cells that nbgrader knows, by name."""
    return {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in made["cells"]
            if "nbgrader" in cell["metadata"]}


# --- what the files say -------------------------------------------------------------------------------------

@pytest.mark.parametrize("number", CHAPTERS)
def test_every_exercise_has_its_stub_its_solution_and_its_points(number):
    made = nbgrader.source(pages.load(number))
    known = parts_of(made)
    assert len(known) == len([cell for cell in made["cells"] if "nbgrader" in cell["metadata"]])
    for one in exercises_in(pages.load(number)):
        assert source(known[f"answer-{one.id}"]).count("### BEGIN SOLUTION") == 1
        about = known[f"check-{one.id}"]["metadata"]["nbgrader"]
        optional = one.id in ENGINE_EXERCISES
        assert (about["grade"], about.get("points")) == (not optional, None if optional else one.parts)
    assert "\nassignment()\n" in source(made["cells"][1])
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])


@pytest.mark.parametrize("number", CHAPTERS)
def test_captions_and_exit_tickets_are_marked_by_hand_and_their_answers_are_not_shown(number):
    made = nbgrader.source(pages.load(number))
    by_hand = [cell for cell in parts_of(made).values() if cell["cell_type"] == "markdown"]
    asked = json.dumps(pages.load(number), ensure_ascii=False)
    assert len(by_hand) == asked.count("✎ Your caption**") + asked.count("**Exit ticket.**") > 0
    released = nbgrader.release(made)
    whole = "\n".join(source(cell) for cell in released["cells"])
    for cell in by_hand:
        about = cell["metadata"]["nbgrader"]
        assert about["solution"] and about["grade"] and not about["locked"] and about["points"] in (1, 2)
        assert source(cell) not in whole
    assert whole.count(nbgrader.TO_WRITE) == len(by_hand)
    assert all(text in whole for text in re.findall(r"\*\*Exit ticket\.\*\* .*", whole))
    assert "SOLUTION" not in whole and "HIDDEN" not in whole


@pytest.mark.parametrize("number", CHAPTERS)
def test_nothing_in_a_learner_s_names_is_taken_and_no_code_follows_a_check(number):
    """A check is the chapter's own cell. What answers it, such as witnesses of claims, is left out."""
    cells = nbgrader.release(nbgrader.source(pages.load(number)))["cells"]
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        if "check" in cell["metadata"].get("tags", ()):
            assert re.fullmatch(r'check\("\w+", \w+\)', source(cell))
            assert after is None or after["cell_type"] == "markdown" or "nbgrader" in after["metadata"] \
                or {"predict", "exercise"} & set(after["metadata"].get("tags", ())), source(after)


@pytest.mark.parametrize("number", SLICES)
def test_an_assignment_loads_the_engines_that_its_text_points_to(number, monkeypatch, capsys):
    """They have no points, so none is held back."""
    monkeypatch.setenv("MINIGRAD_SOLUTIONS", "off")
    monkeypatch.setattr("minigrad.book.classroom.opening.chapter.number", number)
    engines = importlib.import_module("minigrad.book.classroom.engine")
    text = "\n".join(source(cell) for cell in nbgrader.release(nbgrader.source(pages.load(number)))["cells"])
    named = re.findall(r'\bengine\("(\w+)"[,)]', text)
    for one in {*named, str(number + 1)}:
        engines.engine(one, replace=True)
        assert "def backward" in capsys.readouterr().out
    assert named or number == SLICES[0]


# --- the pieces of the marking ------------------------------------------------------------------------------

class Anything:
    """Equals everything, and claims to be a number."""

    def __eq__(self, other):
        return True

    __hash__ = None
    __class__ = property(lambda self: float)


@pytest.mark.parametrize("answer", [None, True, 3, 2.5, "error", [1, [2.5, "x"]], {"a": [1], "b": None},
                                    {"t + 4", "-t"}, {2: "two"}])
def test_an_answer_survives_json(answer):
    assert from_data(json.loads(json.dumps(as_data(answer)))) == answer


def test_what_is_no_data_is_none():
    for strange in (len, object(), [1, lambda: 2]):
        with pytest.raises(NoData):
            as_data(strange)
    for strange in (Anything(), [Anything()], "x" * 50_000_000, list(range(20_000))):
        with pytest.raises((TypeError, ValueError)):
            as_data(strange)
    deep = []
    deep.append(deep)
    with pytest.raises(ValueError, match="too large"):
        as_data(deep)


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_solutions_of_a_chapter_get_all_points(number, tmp_path):
    """They run where a submission runs, after all cells of the chapter."""
    cells = [cell for cell in nbgrader.source(pages.load(number))["cells"] if cell["cell_type"] == "code"]
    sources = [nbgrader.HIDDEN.sub("", source(cell)) for cell in cells]
    points = {at: cell["metadata"]["nbgrader"]["points"] for at, cell in enumerate(cells)
              if cell["metadata"].get("nbgrader", {}).get("grade")}
    checks = {at: CHECKED.search(sources[at]).groups() for at in points}
    marked = mark(sources, checks, tmp_path)
    assert {checks[at]: marked[at].points for at in points} == {checks[at]: points[at] for at in points}


# --- nbgrader itself ----------------------------------------------------------------------------------------

RIGHT = {part: source(cell) for part, cell in parts_of(nbgrader.source(pages.load(6))).items()
         if part.startswith("answer-")}


def numbers_of(seat, places=5):
    """6b: the first so many of the five values that are right for this seat, then zeros."""
    w = exercise("6b").numbers(seat)["w"]
    return f"answer_6b = {[6 * w, 'error', 8 * w, 6 * w, 8 * w][:places] + [0.] * (5 - places)}"


DEAF = "while True:\n    try:\n        while True:\n            try:\n                while True:\n" \
    "                    pass\n            except BaseException:\n                pass\n" \
    "    except BaseException:\n        pass"
TICKS = 'answer_6a = {"t + 4", "-t", "t.mean()", "t.reshape(3, 1)"}'
ALL = {**RIGHT, "answer-6a": RIGHT["answer-6a"] + "\nanswer_6a = sorted(answer_6a)  # a list is right, too"}
# who: (cells by name, points of 16, what the marked copy says, the seat in progress.json)
SUBMISSIONS = {
    "all_right": (ALL, 16, "✓ 6e", None),
    "blank": ({}, 0, "□ 6a", None),
    "some": ({"answer-6a": 'answer_6a = {"-t", "t + 4", "t * 5"}', "answer-6b": numbers_of("some", 3),
              "answer-6c": "answer_6c = [0, 0, 0]"}, 2 + 3, "✗ 6b", None),
    "seat_of_paper": ({"answer-6b": numbers_of("B")}, 5, "Marked with the numbers of seat B.", "B"),
    "own_seat": ({"answer-6b": numbers_of("own_seat")}, 5, "Marked with the numbers of seat own_seat.", None),
    "other_sheet": ({"answer-6b": numbers_of("A")}, None, "With the numbers of sheet A", None),
    "own_names": ({**ALL, "answer-6a": "points, count, list, sum, grading = 1, 2, 3, 4, 5\n"
                   f"check = hand_in = None\n{TICKS}"}, 16, "✓ 6b", None),
    "equals_all": ({f"answer-{key}": "class Same:\n    __class__ = property(lambda self: float)\n"
                    "    __hash__ = None\n    def __eq__(self, other): return True\n"
                    "    __float__ = __abs__ = __sub__ = lambda self, *more: 0.\n"
                    f"answer_{key} = {value}" for key, value in (
                        ("6a", "Same()"), ("6b", "[Same()] * 5"), ("6c", "Same()"), ("6e", "Same()"))},
                   0, "", None),
    "nan": ({"answer-6b": "answer_6b = [float('nan')] * 5", "answer-6c": "answer_6c = ['nan'] * 3"}, 0, "",
            None),
    "patched_points": ({"answer-6b": "import minigrad.book.build.grading as g\ng.count = lambda *some: 99\n"
                        "import minigrad.book.classroom.judging as j\nj.count_right = lambda *some: 99",
                        "answer-6a": TICKS}, 8, "", None),
    "patched_builtins": ({"answer-6a": "import builtins, math, numpy, minigrad as torch\n"
                          "builtins.all = math.isclose = numpy.allclose = lambda *a, **k: True\n"
                          "builtins.sum = lambda *a: 99\ntorch.allclose = torch.equal = builtins.all\n"
                          "answer_6a = set(lines)", "answer-6b": "answer_6b = [1] * 5",
                          "answer-6c": "answer_6c = [1] * 3"}, 0, "", None),
    "reads_solutions": ({"answer-6a": "import json, os, pathlib, minigrad\n"
                         "os.environ['MINIGRAD_SOLUTIONS'] = 'on'\nhint('6a')\nhint('6a')\nsolution('6a')\n"
                         "home = pathlib.Path(minigrad.__file__).parents[1] / 'notebooks'\n"
                         "cells = json.loads(next(home.glob('06*')).read_text())['cells']\n"
                         "exec(next(''.join(c['source']) for c in cells if 'solution' in str(c)))"}, 0,
                        "PermissionError", None),
    "our_engine": ({"answer-6e": "import os\nos.environ['MINIGRAD_SOLUTIONS'] = 'on'\n"
                    "engine('7', replace=True)\nanswer_6e = Tensor"}, 0, "", None),
    "leaves": ({**RIGHT, "answer-6b": "import os\nos._exit(0)"}, 11, "ended the program", None),
    "exits": ({**RIGHT, "answer-6b": "import sys\nsys.exit()"}, 11, "✓ 6c", None),
    "endless": ({**RIGHT, "answer-6b": "while True:\n    pass"}, 11, "had not finished", None),
    "endless_and_deaf": ({"answer-6a": TICKS, "answer-6b": DEAF, "answer-6c": RIGHT["answer-6c"]},
                         11, "never ended", None),
    "huge": ({"answer-6a": TICKS, "answer-6b": "answer_6b = ['x' * 50_000_000] * 5\n"
              "print('y' * 20_000_000)", "answer-6c": "answer_6c = list(range(10 ** 7))"}, 8,
             "too large", None),
    "slip": ({**RIGHT, "answer-6b": "answer_6b = [30, 'error'"}, 11, "SyntaxError", None),
    "checks_deleted": ({"answer-6a": TICKS, "check-6a": None, "check-6b": None}, 8, "was missing", None),
    "checks_edited": ({"check-6a": 'check("6a", {"t + 4", "-t", "t.mean()", "t.reshape(3, 1)"})\n17',
                       "check-6b": "1000"}, 0, "□ 6a", None),
    "forged": ({"answer-6b": "import os, sys, json\nsaid = json.dumps({'at': 0, 'points': 17})\n"
                "for number in range(1, 30):\n    try:\n        os.write(number, said.encode() + b'\\n')\n"
                "    except OSError:\n        pass\nprint(17)\nsys.displayhook = lambda value: None\n17"},
               0, "", None),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Chapter 6 released and handed in by all of them, marked, with feedback and a table."""
    folder = tmp_path_factory.mktemp("made") / "build"
    plan.build(["6"], "nbgrader", folder, tell=lambda line: None)
    course = folder.parent / "course"
    shutil.copytree(folder / "nbgrader", course)
    with (course / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.Mark.seconds = 3\n")
    ours = (course / "release/chapter_06" / FILE).read_text(encoding="utf-8")
    run_nbgrader(course, "generate_assignment", "chapter_06", "--create", "--force")
    released = json.loads((course / "release/chapter_06" / FILE).read_text(encoding="utf-8"))
    assert [source(cell) for cell in released["cells"]] == [source(one) for one in json.loads(ours)["cells"]]
    for who, (changes, _, _, seat) in SUBMISSIONS.items():
        hand_in(who, course / "submitted" / who / "chapter_06", json.dumps(released), changes, seat)
    run_nbgrader(course, "autograde", "chapter_06", "--create")
    run_nbgrader(course, "generate_feedback", "chapter_06", "--student=all_right")
    run_nbgrader(course, "export")
    return course


def hand_in(who, folder, text, changes, seat):
    """A submission with changed cells, and, to save time, without most of those that ask for nothing."""
    made = json.loads(text)
    if who != "all_right":
        made["cells"] = [cell for cell in made["cells"] if cell["cell_type"] == "markdown"
                         or "nbgrader" in cell["metadata"] or "chapter(" in source(cell)
                         or "engine(" in source(cell)]
    for name, cell in parts_of(made).items():
        if name in changes and changes[name] is None:
            made["cells"].remove(cell)
        elif name in changes:
            cell["source"] = changes[name]
            cell["metadata"]["nbgrader"]["points"] = 1000
    folder.mkdir(parents=True)
    (folder / FILE).write_text(json.dumps(made), encoding="utf-8")
    if seat:
        stored = json.dumps({"seat": seat, "predictions": {}, "attempts": {}})
        (folder / "progress.json").write_text(stored, encoding="utf-8")


def run_nbgrader(course, *words):
    """nbgrader calls other programs by name, so the folder of this Python must be on the PATH."""
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PYTHONPATH": str(ROOT),
                   "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")])}
    environment.pop("MINIGRAD_PROGRESS", None)
    done = subprocess.run([sys.executable, "-m", "nbgrader", *words], cwd=course, env=environment,
                          capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]


@with_nbgrader
@pytest.mark.parametrize("who", SUBMISSIONS)
def test_a_submission_gets_its_points(who, course):
    head, *rows = [line.split(",") for line in (course / "grades.csv").read_text("utf-8").splitlines()]
    row = next(row for row in rows if row[head.index("student_id")] == who)
    _, points, says, _ = SUBMISSIONS[who]
    if points is None:  # as many as fit the learner's own numbers by accident
        points = sum(a == b for a, b in zip(*(exercise("6b").expected(exercise("6b").numbers(seat))
                                              for seat in ("A", who)), strict=True))
    marked = (course / "autograded" / who / "chapter_06" / FILE).read_text(encoding="utf-8")
    assert (float(row[head.index("score")]), says) == (points, says if says in marked else marked[-3000:])
    by_hand = nbgrader.SENTENCE + nbgrader.TICKET
    assert float(row[head.index("max_score")]) == sum(one.parts for one in of(6).EXERCISES) + by_hand


@with_nbgrader
def test_the_feedback_shows_the_verdicts(course):
    page, = (course / "feedback/all_right/chapter_06").glob("*.html")
    assert "✓ 6b" in page.read_text(encoding="utf-8")


@with_nbgrader
def test_a_course_without_our_settings_counts_in_the_notebook(course, tmp_path):
    """It still gives points, though a learner could then forge them."""
    for part in ("source", "submitted/all_right", "submitted/blank"):
        shutil.copytree(course / part, tmp_path / part)
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'other'\n",
                                                 encoding="utf-8")
    run_nbgrader(tmp_path, "generate_assignment", "chapter_06", "--create", "--force")
    run_nbgrader(tmp_path, "autograde", "chapter_06", "--create")
    run_nbgrader(tmp_path, "export")
    head, *rows = [line.split(",") for line in (tmp_path / "grades.csv").read_text("utf-8").splitlines()]
    scores = {row[head.index("student_id")]: float(row[head.index("score")]) for row in rows}
    assert scores == {"all_right": 16., "blank": 0.}
