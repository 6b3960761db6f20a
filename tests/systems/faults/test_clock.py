"""The clock is set back: nothing that the book stores, copies or counts depends on it."""
import itertools
import os
import time

from minigrad.book import check, hint, predict, reveal
from minigrad.book.__main__ import main
from minigrad.book.classroom import progress as stored


def work(folder, capsys, monkeypatch):
    """All that a learner's files are made of, and what the report says of them."""
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(folder / "progress.json"))
    stored.progress.remembered = stored.fresh()
    capsys.readouterr()
    for number in (None, "3", "3"):
        assert main(["copy", str(folder / "own"), *(["--fresh", number] if number else [])]) == 0
    predict("6.1", "A", "certain")
    reveal("6.1")
    predict("6.1", "B", "a guess")
    check("6b", [1, 2, 3, 4, 5])
    hint("6b")
    check("6b", [0, 0, 0, 0, 0])
    hint("6b")
    assert main(["report", str(folder)]) == 0
    said = capsys.readouterr().out.replace(str(folder), "")
    return said, {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}


def test_a_clock_that_runs_backwards_changes_nothing(tmp_path, capsys, monkeypatch):
    usual, other = tmp_path / "usual", tmp_path / "other"
    usual.mkdir()
    other.mkdir()
    (other / "progress.json").write_text('{"predictions": {}}', encoding="utf-8")
    future = time.time() + 10 ** 8
    os.utime(other / "progress.json", (future, future))
    expected = work(usual, capsys, monkeypatch)
    back = itertools.count(10 ** 9, -3600)
    monkeypatch.setattr(time, "time", lambda: float(next(back)))
    monkeypatch.setattr(time, "time_ns", lambda: next(back) * 10 ** 9)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(0))
    assert work(other, capsys, monkeypatch) == expected
