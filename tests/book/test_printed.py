"""An answer that was printed in place of being stored gets a sentence, and no other answer does."""
import types

import pytest

from minigrad.book.classroom import exercises, helping, printed


@pytest.fixture
def cells(monkeypatch):
    """The cells that a notebook has run."""
    ran = ["", "import minigrad as torch"]
    shell = types.SimpleNamespace(user_ns={"In": ran})
    monkeypatch.setattr(printed, "shell", lambda: shell)
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    return ran


@pytest.mark.parametrize("cell", ["answer_2b = print(w)", "x = 3\nanswer_2b = print(w, b)  # these"])
def test_print_is_noticed(cells, cell):
    cells.append(cell)
    kind, key, said = exercises.judged(helping.found("2b"), None)
    assert kind == exercises.NOT_ANSWERED and key == "2b" and "`print` shows a value, and returns" in said


@pytest.mark.parametrize("cell", [
    "answer_2b = None", "print(answer_2b)", "answer_2c = print(w)", "%time answer_2b = print(w)",
    "answer_2b = print(w)\nanswer_2b = None", "answer_2b = w.print()"])
def test_nothing_else_is(cells, cell):
    cells.append(cell)
    assert exercises.judged(helping.found("2b"), None) == (exercises.NOT_ANSWERED, "2b")


def test_the_last_answer_counts(cells):
    cells += ["answer_2b = print(w)", "answer_2b = None"]
    assert not printed.was_printed("2b")


def test_without_a_notebook_nothing_is_known():
    assert not printed.was_printed("2b")
