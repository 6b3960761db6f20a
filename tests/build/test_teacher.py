"""What a teacher reads agrees with the questions: no letter, belief or table is written by hand."""
import json
import os
import re

import pytest

import minigrad as torch
from minigrad.book.__main__ import main
from minigrad.book.build import exam, keys, pages, plan, students
from minigrad.book.build.handouts import Form
from minigrad.book.build.sheets import VARIANTS
from minigrad.book.build.writing import Page
from minigrad.book.chapters import CHAPTERS, of, question
from minigrad.book.labs.coefficients_on_rows import function
from minigrad.book.misconceptions import BELIEFS, MISCONCEPTIONS
from tests import ROOT
from tests.helpers.sheets_made_once import sheet
from tests.helpers.stored_chapters import exercises_in, source, tags

NAMED = re.compile(r"(?<![\d.])(\d+\.\d)[*`|: ]{1,6}(?:is )?\**([A-D])\b(.*)")


def wrongly_named(text):
    """What names a letter of a question with a belief that isn't that option's, or as if it were right."""
    found = []
    for key, letter, rest in NAMED.findall(text):
        asked, ids = question(key), re.findall(r"\bM\d{2,3}\b", rest)
        good = letter in asked.letters and (
            ids == [asked.option(letter).belief] if ids else letter == asked.right)
        found += [] if good else [f"{key} {letter} {rest}"]
    return found


@pytest.mark.parametrize(("text", "wrong"), [
    ("| 2.1 C | M43 emptied first |", 1), ("| 2.1 B | M43 emptied first |", 0), ("5.1 by letters", 0),
    ("**For the teacher: 2.1 is B.**", 1), ("**For the teacher: 2.1 is C.**", 0),
    ("▶ **2.1** | **A**, for", 1), ("▶ **2.1** | **C**, because", 0), ("Predict 2.1: D", 1)])
def test_a_wrong_letter_is_found(text, wrong):
    assert len(wrongly_named(text)) == wrong


@pytest.mark.parametrize("number", CHAPTERS)
def test_every_letter_that_a_teacher_reads_is_right(number):
    notebook = students.instructor(pages.load(number), number)
    texts = [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    page = Page("key", 0, Form().wide)
    key = "\n".join(keys.key([sheet(number, seat) for seat in VARIANTS], 0, page).parts)
    asked = [one.id for one in of(number).QUESTIONS]
    for printed in ("\n".join(texts), key):
        named = [found[0] for found in NAMED.findall(printed)]
        assert set(asked) <= set(named) and wrongly_named(printed) == []


def test_every_letter_in_the_page_for_teachers_is_right():
    assert wrongly_named((ROOT / "TEACHERS.md").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_table_says_what_each_option_shows(number):
    """Each row has the option's own letter, words, belief and answer; the right one is called right."""
    tables = {found[1]: source(cell) for cell in students.instructor(pages.load(number), number)["cells"]
              if (found := re.match(r"\*\*For the teacher: (\d+\.\d) is", source(cell)))}
    for asked in of(number).QUESTIONS:
        rows = re.findall(r"^\| \*\*([A-D])\*\* (.*)$", tables[asked.id], re.MULTILINE)
        assert [letter for letter, _ in rows] == list(asked.letters)
        for letter, row in rows:
            option = asked.option(letter)
            assert row.startswith(option.text.replace("|", "\\|")) and option.says.replace("|", "\\|") in row
            assert ("| right |" in row) == (letter == asked.right)
            assert option.right or f"| {option.belief}: {MISCONCEPTIONS[option.belief]} |" in row


# --- beliefs ------------------------------------------------------------------------------------------------

BELONGS = {"1.1 A": "M41", "1.2 C": "M42", "3.3 A": "M50", "5.2 C": "M34", "6.2 A": "M61", "7.4 A": "M74",
           "8.3 C": "M18"}


def test_options_rest_on_the_belief_that_they_show():
    """Seven that were filed under another belief; the class report would have misled."""
    assert {key: question(key[:3]).option(key[-1]).belief for key in BELONGS} == BELONGS
    assert "same rule" not in MISCONCEPTIONS["M34"] and "different rules" in MISCONCEPTIONS["M34"]


@pytest.mark.parametrize(("key", "result", "start", "answer"), [("5.1", function, [3., 2.], "[2, 3]")])
def test_what_chapter_5_asks_can_be_run(key, result, start, answer):
    """With a list in place of a tensor, backward() raises a TypeError, and the right option is none."""
    v = eval(re.search(r"`v = (.*?)`", question(key).text)[1])
    x = torch.tensor(start, requires_grad=True)
    result(x).backward(v)
    assert question(key).option(question(key).right).text.startswith(f"`{answer}`")
    assert x.grad.tolist() == pytest.approx(json.loads(answer))


def test_each_false_belief_has_its_answer():
    for name, truth in BELIEFS.values():
        assert len(truth.split()) > 4 and truth.endswith("."), truth
        assert truth.count(". ") <= 1 and not name.endswith(".")


# --- the teacher's notebook ---------------------------------------------------------------------------------

def test_the_teacher_s_notebook_runs_its_solutions(monkeypatch):
    """Run All in a notebook with controls, where a learner's copy keeps its solutions closed."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    monkeypatch.delenv("MINIGRAD_BOOK", raising=False)
    made = nbformat.reads(json.dumps(students.instructor(pages.load(6), 6)), as_version=4)
    nbclient.NotebookClient(made, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": os.fspath(ROOT / "tests")}}).execute()
    checks = [cell for cell in made.cells if "check" in tags(cell)]
    assert len(checks) == len(exercises_in(pages.load(6))) >= 3
    for cell in checks:
        assert "✓" in json.dumps(cell.outputs, ensure_ascii=False), cell.source
    assert "it was not run" not in json.dumps(made.cells)


@pytest.mark.parametrize("number", CHAPTERS)
def test_no_mark_of_a_solution_is_left(number):
    made = students.instructor(pages.load(number), number)
    solutions = [source(cell) for cell in made["cells"] if "solution" in tags(cell)]
    assert len(solutions) == len(exercises_in(pages.load(number)))
    assert not [text for text in solutions if "### " in text or text != text.rstrip("\n") or not text]


# --- the page for teachers ----------------------------------------------------------------------------------

COMMANDS = re.findall(r"^\.venv/bin/python -m minigrad\.book (.*?)(?: {3,}.*)?$",
                      (ROOT / "TEACHERS.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_page_is_understood(command, monkeypatch, tmp_path, capsys):
    """It asks for kinds and chapters that there are; what is built then has tests of its own."""
    def stop(kinds):
        raise ValueError("now it would be built")
    monkeypatch.setattr(plan, "need_tools", stop)
    monkeypatch.setattr(exam, "need_paper", lambda: stop(()))
    (tmp_path / "handed_in").mkdir()
    (tmp_path / "handed_in/progress.json").write_text('{"predictions": {}, "attempts": {}}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done, said = main(command.split()), capsys.readouterr()
    assert (done, said.err) == (0, "") if command.startswith("report ") else (
        "now it would be built" in said.err)


def test_the_page_names_every_folder_that_is_built():
    text = (ROOT / "TEACHERS.md").read_text(encoding="utf-8")
    assert len(COMMANDS) >= 6
    assert not [kind.folder for kind in (*plan.KINDS.values(), *plan.NO_SOLUTIONS.values())
                if f"`{kind.folder.format(6)}/`" not in text]


# Names and types by values.schema.yaml of github.com/jupyterhub/zero-to-jupyterhub-k8s, at its commit
# 02dd73df. What is in a dict is handed on as it is.
CHART = {"singleuser.image.name": str, "singleuser.image.tag": str, "singleuser.defaultUrl": str,
         "singleuser.startTimeout": int, "singleuser.cpu.guarantee": (int, float),
         "singleuser.cpu.limit": (int, float), "singleuser.memory.guarantee": (int, float, str),
         "singleuser.memory.limit": (int, float, str), "singleuser.storage.capacity": str,
         "singleuser.extraEnv": (dict, list), "singleuser.extraFiles.settings.mountPath": str,
         "singleuser.extraFiles.settings.data": dict, "singleuser.lifecycleHooks.postStart": dict,
         "hub.config": dict, "cull.enabled": bool, "cull.timeout": int}


def settings(values, above=""):
    """(the dotted name, the value) of each setting, no deeper than the chart's schema looks."""
    for name, value in values.items():
        if isinstance(value, dict) and above + name not in CHART:
            yield from settings(value, f"{above}{name}.")
        else:
            yield above + name, value


def test_the_values_for_kubernetes_have_names_and_types_of_the_chart():
    yaml = pytest.importorskip("yaml")
    page = (ROOT / "docs/servers.md").read_text(encoding="utf-8")
    found = dict(settings(yaml.safe_load(page.partition("```yaml")[2].partition("```")[0])))
    assert set(found) == set(CHART)
    assert not [name for name, value in found.items() if not isinstance(value, CHART[name])]
    assert all(isinstance(value, str) for value in found["singleuser.extraEnv"].values())
