"""Verdicts on notes: what is asked, what is stored, and that nothing is told before the choice."""
import json

import pytest

from minigrad.book import judge
from minigrad.book.classroom import notes
from minigrad.book.classroom.contents import done_in, said
from minigrad.book.classroom.notes import VERDICTS, Note
from minigrad.book.classroom.progress import progress as stored_progress
from minigrad.book.content.chapters import CHAPTERS
from minigrad.book.content.chapters import notes as of_chapter
from tests.helpers.own_progress import LUCKY, file_and_note

EVERY = [note for number in CHAPTERS for note in of_chapter(number)]


@pytest.fixture(autouse=True)
def progress(tmp_path, monkeypatch):
    """A file of its own for each test, and one note in chapter 6."""
    yield from file_and_note(tmp_path, monkeypatch)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))["notes"]


@pytest.mark.parametrize("note", EVERY, ids=lambda note: note.id)
def test_every_note_says_why_in_whole_sentences(note):
    assert note.verdict in VERDICTS
    assert note.says.endswith(".") and (not note.instead or note.instead.endswith("."))


def test_at_most_two_in_five_verdicts_are_wrong():
    """About half of what the notes say is right, and a learner who always chooses "wrong" learns nothing."""
    assert 0 < sum(note.verdict == "wrong" for note in EVERY) <= 0.4 * len(EVERY)


def test_nothing_is_told_before_the_choice(progress):
    shown = judge("6.n1")
    html = shown._repr_mimebundle_()["text/html"]
    assert "by chance)" in repr(shown) and "doublings" not in repr(shown) + html
    assert "right in its time: it was true of the PyTorch that its program used" in repr(shown)
    assert not progress.exists()


@pytest.mark.parametrize(("said", "kind"), [("lucky", "✓"), (" Wrong. ", "✗"), ("RIGHT in its  time", "✗")])
def test_a_verdict_is_stored_and_compared(said, kind, progress, capsys):
    judge("6.n1", said)
    found = " ".join(capsys.readouterr().out.split())
    chosen = " ".join(said.lower().strip(" .").split())
    assert found == (f"{kind} 6.n1: the note was lucky. You said {chosen}. Ten doublings were needed by "
                     "chance. Instead: Print the start.")
    assert read(progress) == {"6.n1": {"choice": chosen}}


def test_the_first_verdict_stays(progress):
    judge("6.n1", "wrong")
    judge("6.n1", "lucky")
    judge("6.n1", "right")
    assert read(progress) == {"6.n1": {"choice": "wrong", "again": "right"}}


@pytest.mark.parametrize(("key", "choice", "says"), [
    ("6.n7", None, "there is no note '6.n7'; chapter 6 has 6.n1"),
    ("99.n1", None, "notes are named as in"), (3, None, "in quotes")])
def test_other_keys_are_refused(key, choice, says, progress):
    with pytest.raises(ValueError, match=says):
        judge(key, choice)
    assert not progress.exists()


@pytest.mark.parametrize("choice", ["maybe", 4, "", "right?"])
def test_another_word_than_the_four_is_answered_with_a_sentence(choice, progress, capsys):
    judge("6.n1", choice)
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("6.n1: your verdict. ") and "isn't one of the four verdicts" in said
    assert 'choose one of "right", "right in its time", "lucky", "wrong".' in said
    assert not progress.exists()


def test_a_note_needs_one_of_the_four_verdicts():
    with pytest.raises(ValueError, match="note 6.n9 has the verdict 'true'"):
        Note("6.n9", "true", says="")


def test_a_damaged_entry_counts_as_no_verdict(progress):
    progress.write_text(json.dumps({"notes": {"6.n1": {"choice": "perhaps"}}}), encoding="utf-8")
    assert notes.stored(LUCKY) == {}


def of_the_chapter(key):
    return next(note for note in EVERY if note.id == key)


def test_a_verdict_of_an_older_edition_is_no_answer_to_another_note(progress, capsys):
    """An id may have been another note's in an earlier edition; at first verdicts had no rows beside them."""
    old = {"16.n7": {"choice": "right", "again": "lucky"}, "16.n99": {"choice": "wrong"}}
    progress.write_text(json.dumps({"notes": old}), encoding="utf-8")
    asked = of_the_chapter("16.n7")
    assert notes.stored(asked) == {}
    assert contents_of(16) == ""
    judge("16.n7", "wrong")
    judge("16.n7", "right in its time")
    assert "You said right in its time." in " ".join(capsys.readouterr().out.split())
    new = {"choice": "wrong", "again": "right in its time", "asked": "A4"}
    assert notes.stored(asked) == read(progress)["16.n7"] == {**new, "older": old["16.n7"]}
    assert read(progress)["16.n99"] == old["16.n99"]
    assert "verdicts 1 of" in contents_of(16)


def test_a_verdict_on_other_rows_is_no_answer(progress):
    progress.write_text(json.dumps({"notes": {"16.n7": {"choice": "right", "asked": "C5"}}}),
                        encoding="utf-8")
    assert notes.stored(of_the_chapter("16.n7")) == {}
    judge("16.n7", "right")
    assert notes.stored(of_the_chapter("16.n7"))["asked"] == "A4"


@pytest.mark.parametrize("entry", [{"choice": "right", "asked": 5}, {"choice": "right", "older": "wrong"}])
def test_a_file_with_a_damaged_verdict_is_not_changed(entry, progress, capsys):
    before = json.dumps({"notes": {"16.n7": entry}})
    progress.write_text(before, encoding="utf-8")
    judge("16.n7", "right")
    assert "is damaged" in capsys.readouterr().out and progress.read_text(encoding="utf-8") == before


def contents_of(number):
    return said(done_in(number, stored_progress.read(), ()))
