"""The table of contents: what is done, what surprised, and links that lead somewhere."""
import json
import re

import pytest

from minigrad.book.build import own_copies
from minigrad.book.classroom.contents import contents
from minigrad.book.classroom.links import links
from minigrad.book.classroom.notes import store
from minigrad.book.classroom.progress import fresh, progress
from minigrad.book.content.chapters import CHAPTERS, of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A learner's folder, with all chapters and nothing done."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(progress, "remembered", fresh())
    list(own_copies.copy_chapters(tmp_path))
    return tmp_path


def line(number):
    return next(one for one in contents().text.splitlines() if f" {number} · " in f" {one}")


def test_nothing_is_done_at_first(folder):
    lines = contents().text.splitlines()[1:]
    assert len(lines) == len(CHAPTERS) and not re.search(r"✓|…|\d of \d", "\n".join(lines))


def test_what_is_done_is_counted(folder):
    question, exercise = of(6).QUESTIONS[0], of(6).EXERCISES[0]
    wrong = next(letter for letter in question.letters if letter != question.right)
    progress.change("predictions", question.id, choice=wrong, confidence="certain", revealed=True)
    progress.change("attempts", exercise.id, tries=2, right=True)
    progress.change("attempts", of(6).EXERCISES[1].id, tries=1, right=False)
    said = line(6)
    assert said.startswith("… ")
    assert f"predictions 1 of {len(of(6).QUESTIONS)}" in said
    assert f"exercises 1 of {len(of(6).EXERCISES)}" in said and f"surprised by {question.id}" in said


def test_a_chapter_is_finished_without_the_engine(folder):
    for asked in of(6).QUESTIONS:
        progress.change("predictions", asked.id, choice=asked.right, confidence="certain",
                        asked=asked.mark or None)
    for note in of(6).NOTES:
        store(note, note.verdict)
    assert line(6).startswith("… ")
    for exercise in of(6).EXERCISES:
        progress.change("attempts", exercise.id, tries=1, right=True)
    assert line(6).startswith("✓ ") and line(7).startswith("   ")


@pytest.mark.parametrize("page", [lambda: contents().html, lambda: links(6)], ids=["contents", "links"])
def test_every_link_leads_to_a_file(folder, page):
    found = re.findall(r'href="([^"]+)"', page())
    assert found and all((folder / name).is_file() for name in found)


def test_without_files_there_are_no_links(folder):
    for path in folder.glob("*.ipynb"):
        path.unlink()
    assert links(6) == "" and "href" not in contents().html


def test_the_copies_lead_from_one_to_the_next(folder):
    names = {number: own_copies.file_of(number).name for number in CHAPTERS}
    for number, name in names.items():
        last = json.loads((folder / name).read_text(encoding="utf-8"))["cells"][-1]["source"]
        beside = [names[one] for one in (number - 1, number + 1) if one in names]
        assert sorted(re.findall(r"\]\((.+?)\)", last)) == sorted([*beside, "contents.ipynb"])
    whole = json.loads((folder / "contents.ipynb").read_text(encoding="utf-8"))
    assert re.findall(r"\]\((.+?)\)", whole["cells"][1]["source"]) == list(names.values())
    assert "contents()" in whole["cells"][2]["source"]


def test_an_own_contents_page_is_never_overwritten(folder):
    (folder / "contents.ipynb").write_text("mine", encoding="utf-8")
    assert list(own_copies.copy_chapters(folder)) == []
    assert (folder / "contents.ipynb").read_text(encoding="utf-8") == "mine"
