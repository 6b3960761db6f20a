"""An exam has another patient for each seat, and a key with the answers; a strange wish gets a sentence."""
from __future__ import annotations

import importlib.util
from html import unescape

import pytest

from minigrad.book.__main__ import main
from minigrad.book.patients import patient

PAPER = all(importlib.util.find_spec(tool) for tool in ("pypandoc", "typst"))
needs_paper = pytest.mark.skipif(not PAPER, reason="pandoc and typst are not here")


@needs_paper
@pytest.mark.parametrize("level", [1, 2])
def test_each_seat_gets_another_script_and_the_key_has_the_answers(tmp_path, level):
    assert main(["patients", str(tmp_path), "--seats", "3", "--level", str(level)]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"{name}.{kind}" for name in ("seat-1", "seat-2", "seat-3")
                     for kind in ("pdf", "html", "py")} | {
        "key.pdf", "key.html"}
    key = (tmp_path / "key.html").read_text(encoding="utf-8")
    sources = set()
    for seat in (1, 2, 3):
        one = patient(seat - 1, level)
        sheet = (tmp_path / f"seat-{seat}.html").read_text(encoding="utf-8")
        source = (tmp_path / f"seat-{seat}.py").read_text(encoding="utf-8")
        sources.add(source)
        assert source == one.source
        assert str(one.numbers["healthy"]) in key
        assert f"Seat {seat}" in sheet
        assert "patient(" not in sheet
        assert all(word in unescape(sheet) for word in source.split())
        for bug in one.bugs:
            assert bug.fix.split("`")[0] in key.replace("’", "'")
            assert bug.says[:20] not in sheet
    assert len(sources) == 3


@pytest.mark.parametrize("words, says", [
    (["--seats", "0"], "an exam has 1 to 200 seats; this is 0"), (["--seats", "201"], "this is 201"),
    (["--level", "4"], "there are the levels 1, 2, 3; this is 4"), (["--first", "-1"], "seeds begin with 0"),
])
def test_a_strange_wish_gets_a_sentence(tmp_path, capsys, words, says):
    assert main(["patients", str(tmp_path / "exam"), *words]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "exam").exists()
