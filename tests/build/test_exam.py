"""An exam has another patient for each seat, and a key with the answers; a strange wish gets a sentence."""
from __future__ import annotations

import importlib.util

import pytest

from minigrad.book.__main__ import main
from minigrad.book.build import exam
from minigrad.book.build.lettering import curly
from minigrad.book.build.pdf import Form
from minigrad.book.patients import patient

PAPER = all(importlib.util.find_spec(tool) for tool in ("pypandoc", "typst"))
needs_paper = pytest.mark.skipif(not PAPER, reason="pandoc and typst are not here")


@needs_paper
def test_each_seat_gets_a_sheet_and_a_script(tmp_path):
    assert main(["patients", str(tmp_path), "--seats", "3"]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"key.pdf", *(f"seat-{seat}.{kind}" for seat in (1, 2, 3) for kind in ("pdf", "py"))}
    sources = [(tmp_path / f"seat-{seat}.py").read_text(encoding="utf-8") for seat in (1, 2, 3)]
    assert sources == [patient(seed, 2).source for seed in range(3)]
    assert len(set(sources)) == 3


@pytest.mark.parametrize("level", [1, 2])
def test_the_key_has_the_answers_and_the_sheets_have_none(level):
    patients = [patient(seed, level) for seed in range(3)]
    key = exam.key(patients, Form()).text
    for seat, one in enumerate(patients, 1):
        sheet = exam.sheet(one, f"seat-{seat}", Form()).text
        assert f"Seat {seat} · `{one.name}`" in key
        assert str(one.numbers["healthy"]) in key
        assert f"Seat {seat}" in sheet
        assert "patient(" not in sheet
        assert all(word in sheet for word in one.source.split())
        for bug in one.bugs:
            assert curly(bug.fix) in key
            assert curly(bug.says[:20]) not in sheet


@pytest.mark.parametrize("words, says", [
    (["--seats", "0"], "an exam has 1 to 200 seats; this is 0"), (["--seats", "201"], "this is 201"),
    (["--level", "4"], "there are the levels 1, 2, 3; this is 4"), (["--first", "-1"], "seeds begin with 0"),
])
def test_a_strange_wish_gets_a_sentence(tmp_path, capsys, words, says):
    assert main(["patients", str(tmp_path / "exam"), *words]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "exam").exists()
