"""What a teacher sees of a class: counted from files, nobody named."""
import json

import pytest

from minigrad.book.__main__ import main
from minigrad.book.report import as_html, as_text, gather


@pytest.fixture
def handed_in(tmp_path):
    """Three learners; two believe M35 of question 6.1, one of them for certain."""
    def store(name, choice, confidence="fairly sure", **attempts):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "progress.json").write_text(json.dumps({
            "seat": name, "attempts": attempts,
            "predictions": {"6.1": {"choice": choice, "confidence": confidence, "revealed": True}}}))

    store("ann", "A", "certain", **{"6b": {"tries": 2, "right": True}})
    store("bo", "A", **{"6b": {"tries": 1, "right": False, "belief": "M02"}})
    store("cy", "B", **{"6a": {"hints": 1}})
    return tmp_path


def test_beliefs_and_votes_are_counted(handed_in):
    text = as_text(gather(handed_in))
    assert "3 learners" in text
    line = next(line for line in text.splitlines() if line.startswith("M35"))
    assert "2 of 3" in line and "!! 1" in line and "a graph stays whole" in line
    assert "6.1   A 2   B* 1   C 0   D 0" in text
    assert "6b    M02 1, solved 1" in text
    assert not any(name in text for name in ("ann", "bo ", "cy"))


def test_the_page_says_the_same(handed_in, capsys, tmp_path):
    page = tmp_path / "class.html"
    assert main(["report", str(handed_in), "--html", str(page)]) == 0
    html = page.read_text(encoding="utf-8")
    assert html == as_html(gather(handed_in)) and "2 of 3" in html and "http" not in html
    assert "3 learners" in capsys.readouterr().out


def test_other_files_are_named_and_skipped(handed_in):
    (handed_in / "broken.json").write_text("{")
    (handed_in / "old.json").write_text('{"predictions": {"6.77": {"choice": "A", "confidence": "certain"}}}')
    found = gather(handed_in)
    assert found.files == 3 and found.skipped == ["broken.json", "old.json"]
    assert "not read: broken.json, old.json" in as_text(found)


def test_homes_of_learners_hold_files_of_other_programs(handed_in):
    hidden = handed_in / "ann/.local/share"
    hidden.mkdir(parents=True)
    (hidden / "kernel.json").write_text('{"shell_port": 1}')
    (handed_in / "bo/settings.json").write_text('{"theme": "dark"}')
    found = gather(handed_in)
    assert found.files == 3 and found.skipped == ["settings.json"]


@pytest.mark.parametrize("where", ["nowhere", "."])
def test_nothing_to_read_is_one_clear_line(where, tmp_path, capsys):
    assert main(["report", str(tmp_path / where)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("minigrad.book: ") and said.count("\n") == 1


def test_an_unknown_chapter_is_one_clear_line(capsys):
    assert main(["run", "77"]) == 1
    assert "there is no chapter '77'; there are: " in capsys.readouterr().err
