"""The lesson plan, the levels and the licence say what the chapters, the questions and the package say."""
import json
import re

import pytest

import minigrad as torch
from minigrad.book.build import pages, plan, students
from minigrad.book.build.sheets import VARIANTS
from minigrad.book.chapters import exercise, of, question
from minigrad.book.licence import ADDRESS, CREDIT, OF_NOTEBOOKS
from tests import ROOT

PAGE = (ROOT / "TEACHERS.md").read_text(encoding="utf-8")


def section(heading):
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return found[1]


def rows(heading):
    """The cells of a section's table, without its head."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("lesson", rows("The lessons"), ids=lambda lesson: lesson[1])
def test_what_may_be_left_out_is_an_exercise_of_that_chapter(lesson):
    number = int(lesson[1].partition(" ")[0])
    found = re.findall(r"\b\d+[a-d]\b", lesson[4])
    assert found or number == 0
    assert {exercise(key).id for key in found} <= {one.id for one in of(number).EXERCISES}


def test_there_are_four_levels_and_their_examples_are_true():
    levels = rows("Four levels for captions and reasons")
    assert [row[0].partition(" ")[0] for row in levels] == list("1234")
    w1 = torch.tensor([5., 9.], requires_grad=True)  # the lines of the picture on the sheet of chapter 2
    d = w1.mean()
    d.retain_grad()
    d.backward()
    assert w1.is_leaf and not d.is_leaf
    assert d.grad == 1
    alone = question("2.1").option("A").text.partition(":")[0]
    assert f"`w.grad = None`, it would be {alone}" in levels[3][2] and alone in question("2.1").text


def test_every_folder_that_is_built_is_in_the_table_and_every_kind_can_be_named():
    kinds = [*plan.KINDS.values(), *plan.NO_SOLUTIONS.values()]
    assert all(f"`{kind.folder}/`" in PAGE for kind in kinds)
    for words in re.findall(r"--only ([\w,]+)", PAGE):
        assert plan.wanted(words)
    assert "A to D" in PAGE and VARIANTS == "ABCD"


def test_the_licence_of_the_texts_is_named_everywhere():
    texts = (ROOT / "LICENSE-texts").read_text(encoding="utf-8")
    assert CREDIT in texts
    assert ADDRESS in texts
    assert "(LICENSE-texts)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(LICENSE-texts)" in PAGE
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'license = "MIT AND CC-BY-4.0"' in project
    assert 'license-files = ["LICENSE", "LICENSE-texts"]' in project
    made = json.loads(students.as_text(students.student(pages.load(6))))
    assert made["metadata"]["license"] == OF_NOTEBOOKS
    for name in re.findall(r"\b(?:minigrad|notebooks|pictures)/[\w./]*", texts):
        assert (ROOT / name.rstrip(".")).exists(), name
