"""What a teacher reads agrees with the questions: no letter, belief or table is written by hand."""
import functools
import re

import pytest

from minigrad.book.__main__ import main
from minigrad.book.build import keys, plan
from minigrad.book.build.lettering import curly
from minigrad.book.build.pdf import Form
from minigrad.book.build.sheets import VARIANTS
from minigrad.book.classroom.patients import patient
from minigrad.book.content.chapters import CHAPTERS, question
from minigrad.book.content.chapters.on_paper import on_sheet
from minigrad.book.content.misconceptions import BELIEFS
from tests import ROOT
from tests.helpers.sheets_made_once import sheet

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


@functools.cache
def key(number):
    return keys.key([sheet(number, seat) for seat in VARIANTS], 0, Form().page("key")).text


@pytest.mark.parametrize("number", CHAPTERS)
def test_every_letter_that_a_teacher_reads_is_right(number):
    named = [found[0] for found in NAMED.findall(key(number))]
    assert {one.id for one in on_sheet(number)[0]} <= set(named)
    assert wrongly_named(key(number)) == []


def test_every_letter_in_the_page_for_teachers_is_right():
    assert wrongly_named((ROOT / "TEACHERS.md").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_table_says_what_each_option_shows(number):
    """Each row has the letters of the four sheets, the option, its belief and its reply."""
    tables = dict(re.findall(r"^## ▶ Predict (\d+\.\d):.*?^\|[ -|]+\n(.*?)\n\n", key(number),
                             re.MULTILINE | re.DOTALL))
    for asked in on_sheet(number)[0]:
        rows = re.findall(r"^\| ([A-D])( [A-D]){3} \| (.*)$", tables[asked.id], re.MULTILINE)
        assert [letter for letter, _, _ in rows] == list(asked.letters)
        for letter, _, row in rows:
            option = asked.option(letter)
            assert row.startswith(curly(option.text.replace("|", "\\|")))
            assert curly(option.says.replace("|", "\\|")) in row
            assert ("| **right**. " in row) == (letter == asked.right)
            assert option.right or f"| {option.belief}, the belief that " in row


# --- beliefs ------------------------------------------------------------------------------------------------

def test_each_false_belief_has_its_answer():
    for name, truth in BELIEFS.values():
        assert len(truth.split()) > 4 and truth.endswith("."), truth
        assert truth.count(". ") <= 1 and not name.endswith(".")


# --- the page for teachers ----------------------------------------------------------------------------------

COMMANDS = re.findall(r"^\.venv/bin/python -m minigrad\.book (.*?)(?: {3,}.*)?$",
                      (ROOT / "TEACHERS.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_page_is_understood(command, monkeypatch, tmp_path, capsys):
    """It asks for kinds and chapters that there are; what is built then has tests of its own."""
    def stop(kinds):
        raise ValueError("now it would be built")
    monkeypatch.setattr(plan, "need_tools", stop)
    (tmp_path / "handed_in").mkdir()
    (tmp_path / "handed_in/progress.json").write_text('{"predictions": {}, "attempts": {}}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done, said = main(command.split()), capsys.readouterr()
    assert (done, said.err) == (0, "") if command.startswith("report ") else (
        "now it would be built" in said.err)


def test_the_program_for_an_exam_gives_each_seat_another_script(tmp_path, monkeypatch, capsys):
    code = re.search("```python\n(.*?)```", (ROOT / "TEACHERS.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    monkeypatch.chdir(tmp_path)
    exec(code.replace("31", "4"), {})
    scripts = [(tmp_path / f"seat-{seat}.py").read_text(encoding="utf-8") for seat in (1, 2, 3)]
    assert scripts == [patient(seed, 2).source for seed in (1, 2, 3)] and len(set(scripts)) == 3
    key = capsys.readouterr().out.splitlines()
    for line, seed in zip(key, (1, 2, 3), strict=True):
        assert all(str(patient(seed, 2).lines(bug)) in line for bug in patient(seed, 2).bugs)


def test_the_page_names_every_folder_that_is_built():
    text = (ROOT / "TEACHERS.md").read_text(encoding="utf-8")
    assert len(COMMANDS) >= 6
    assert not [kind.folder for kind in plan.KINDS.values()
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
