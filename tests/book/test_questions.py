"""Predictions and attempts: what is asked, what is stored, what is said about it, and to whom."""
import errno
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import minigrad
from minigrad.book import chapter, check, hint, predict, reveal, solution
from minigrad.book.classroom import files, questions
from minigrad.book.classroom import progress as stored
from minigrad.book.classroom.contents import done_in, said
from minigrad.book.classroom.markup import marked_up
from minigrad.book.content.chapters import CHAPTERS, chapter_of, of, question
from minigrad.book.content.misconceptions import MISCONCEPTIONS
from tests.helpers.read_only import a_read_only_folder
from tests.helpers.stored_chapters import OURS

EVERY = [question for number in CHAPTERS for question in of(number).QUESTIONS]


@pytest.fixture(autouse=True)
def progress(tmp_path, monkeypatch):
    """A file of its own for each test."""
    path = tmp_path / "progress.json"
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(path))
    stored.progress.remembered = stored.fresh()
    yield path
    stored.progress.remembered = stored.fresh()


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("asked", EVERY, ids=lambda asked: asked.id)
def test_every_question_has_one_right_option_and_named_beliefs(asked):
    assert (3 if chapter_of(asked.id) in OURS else 2) <= len(asked.options) <= 4
    assert sum(option.right for option in asked.options) == 1
    assert {option.belief for option in asked.options if not option.right} <= set(MISCONCEPTIONS)
    assert all(option.says.endswith((".", "?", "!")) for option in asked.options)
    assert len({option.text for option in asked.options}) == len(asked.options)


def test_no_letter_is_a_good_guess():
    letters = [[asked.right for asked in of(number).QUESTIONS] for number in OURS]
    assert all(len(set(right)) > 1 or len(right) == 1 for right in letters)
    right = sum(letters, [])
    often = {letter: right.count(letter) for letter in "ABCD"}
    assert all(0 < count <= 0.4 * len(right) for count in often.values()), often


def test_a_prediction_is_asked_stored_and_compared(progress, capsys):
    shown = predict("6.1")
    assert "A  the node of e saves t" in repr(shown)
    assert "<code>t</code>" in shown._repr_mimebundle_()["text/html"]
    predict("6.1", "a", "certain")
    assert read(progress)["predictions"] == {"6.1": {"choice": "A", "confidence": "certain"}}
    reveal("6.1")
    said = capsys.readouterr().out
    assert "✗ 6.1: wrong. You said A (certain)." in said and "It is B" in said
    assert read(progress)["predictions"]["6.1"]["revealed"] is True


def test_how_sure_one_is_need_not_be_said(progress, capsys):
    predict("6.1", "A")
    assert "6.1: your prediction. Stored: A. Now run the next cell." in capsys.readouterr().out
    assert read(progress)["predictions"] == {"6.1": {"choice": "A"}}
    reveal("6.1")
    assert "✗ 6.1: wrong. You said A. " in capsys.readouterr().out
    reveal()
    surprise = capsys.readouterr().out
    assert "6.1: a surprise. You said A. " in surprise and "None" not in surprise and "()" not in surprise
    predict("6.1", "B")
    assert "You said B; your first answer was A." in " ".join(capsys.readouterr().out.split())
    assert read(progress)["predictions"]["6.1"]["again"] == {"choice": "B"}


def test_another_choice_forgets_how_sure_one_was_of_the_last(progress):
    predict("6.1", "A", "certain")
    predict("6.1", "B")
    assert read(progress)["predictions"] == {"6.1": {"choice": "B"}}
    assert stored.progress.read()["predictions"] == {"6.1": {"choice": "B"}}


def test_it_is_also_forgotten_where_nothing_is_written(monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    predict("6.1", "A", "certain")
    predict("6.1", "B")
    assert stored.progress.read()["predictions"] == {"6.1": {"choice": "B"}}


def test_options_carry_their_letters_and_their_code_in_html():
    asked = of(6).QUESTIONS[0]
    html = predict("6.1")._repr_mimebundle_()["text/html"]
    assert "<ol" not in html  # JupyterLab numbers lists in its own way
    assert [html.count(f"<b>{letter}</b>") for letter in "ABCDE"] == [1] * len(asked.letters) + [0]
    assert all(marked_up(option.text) in html for option in asked.options)


def test_after_its_answer_a_question_can_be_answered_again(progress, capsys):
    predict("6.1", "A", "certain")
    reveal("6.1")
    predict("6.1", "B", "fairly sure")
    said = capsys.readouterr().out.rpartition("Stored beside your first answer: B, fairly sure.")[2]
    assert "✓ 6.1: right. You said B (fairly sure); your first answer was A." in said
    stored = {"choice": "A", "confidence": "certain", "revealed": True,
              "again": {"choice": "B", "confidence": "fairly sure"}}
    assert read(progress)["predictions"]["6.1"] == stored
    reveal("6.1")
    assert "You said B" in capsys.readouterr().out
    predict("6.1", "C", "certain")
    stored["again"] = {"choice": "C", "confidence": "certain"}
    assert read(progress)["predictions"]["6.1"] == stored


def test_an_unanswered_question_gives_nothing_away(progress, capsys):
    reveal("6.1")
    said = capsys.readouterr().out
    assert "no prediction yet" in said and not progress.exists()
    assert not any(option.text in said or option.says in said for option in of(6).QUESTIONS[0].options)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: predict(0.1), 'write the name of the question in quotes, as in "6.1"; this is 0.1'),
    (lambda: predict("6.9"), "there is no question '6.9'; chapter 6 has 6.1, 6.2"),
    (lambda: predict("66.1"), "there is no question '66.1'"),
    (lambda: chapter(99), "there is no chapter 99"),
])
def test_what_is_not_there(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert message in str(error.value)


@pytest.mark.parametrize(("given", "says"), [
    (("E",), "E isn't one of the options, which are A, B, C and D. Nothing is stored yet."),
    (("E", "certain"), "E isn't one of the options"), (("",), "isn't one of the options"),
    (("A", "so so"), "How sure are you? Nothing is stored yet"), (("A", ""), "How sure are you?")])
def test_another_option_or_confidence_is_answered_with_a_sentence(given, says, progress, capsys):
    predict("6.1", *given)
    assert says in " ".join(capsys.readouterr().out.split())
    assert not progress.exists()


def test_surprises_are_quoted_beliefs_and_asked_again(capsys):
    for key, letter in (("6.1", "A"), ("6.2", of(6).QUESTIONS[1].right), ("6.3", "B")):
        predict(key, letter, "fairly sure")
        reveal(key)
    capsys.readouterr()
    reveal()
    said = capsys.readouterr().out
    joined = " ".join(said.split())
    for at, letter in ((0, "A"), (2, "B")):
        belief = MISCONCEPTIONS[of(6).QUESTIONS[at].option(letter).belief]
        assert f'Many people expect that {belief}; but ' in joined
    assert "6.2" not in said and not re.search(r"M\d{2,3}", said)
    assert max(map(len, said.splitlines())) <= 80


def test_a_later_chapter_asks_again_until_the_answer_is_right(capsys):
    for key in ("6.1", "6.3"):
        wrong = "A" if key == "6.1" else "B"
        predict(key, wrong, "a guess")
        reveal(key)
    capsys.readouterr()
    chapter(6)
    assert "Recall" not in capsys.readouterr().out
    chapter(7)
    assert 'Recall: 6.1 surprised you. Answer it again in a cell of your own: predict("6.1")' in \
        capsys.readouterr().out
    predict("6.1", "B", "certain")
    chapter(7)
    assert "Recall: 6.3 surprised you" in capsys.readouterr().out


def test_an_answer_to_an_option_that_is_gone_counts_as_none(progress, capsys):
    entry = {"choice": "D", "confidence": "certain", "revealed": True}
    progress.write_text(json.dumps({"predictions": {"2.1": entry, "77.7": entry}}), encoding="utf-8")
    reveal()
    reveal("2.1")
    chapter(8)
    said = capsys.readouterr().out
    assert "No surprises so far" in said and "2.1: no prediction yet" in said and "Recall" not in said


def test_an_answer_to_an_earlier_question_with_the_same_id_is_kept_and_not_read(progress, capsys):
    """An edition before asked something else in 11.4, and stored no mark beside an answer."""
    old = {"choice": "A", "confidence": "certain", "revealed": True, "again": {"choice": "B"}}
    same = {"choice": "A", "revealed": True}
    progress.write_text(json.dumps({"predictions": {"11.4": old, "11.1": same}}), encoding="utf-8")
    reveal("11.4")
    reveal()
    said_before = capsys.readouterr().out
    assert "11.4: no prediction yet" in said_before and "11.1: a surprise" in said_before
    assert "11.4: a surprise" not in said_before
    assert "predictions 1 of" in contents_of(11) and read(progress)["predictions"]["11.4"] == old
    predict("11.4", "B", "a guess")
    new = {"choice": "B", "confidence": "a guess", "asked": question("11.4").mark, "older": old}
    assert read(progress)["predictions"] == {"11.4": new, "11.1": same}
    reveal("11.4")
    predict("11.4", "C")
    again = {**new, "revealed": True, "again": {"choice": "C"}}
    assert read(progress)["predictions"]["11.4"] == stored_for("11.4") == again
    assert "predictions 2 of" in contents_of(11)


def test_an_answer_to_an_option_that_is_gone_is_kept_beside_the_new_one(progress):
    gone = {"choice": "D", "confidence": "certain", "revealed": True}
    progress.write_text(json.dumps({"predictions": {"2.1": gone}}), encoding="utf-8")
    predict("2.1", "A")
    predict("2.1", "B")
    assert read(progress)["predictions"]["2.1"] == {"choice": "B", "older": gone}


def test_an_answer_with_a_mark_is_none_where_the_question_has_no_mark(progress):
    newer = {"choice": "A", "asked": "2"}
    progress.write_text(json.dumps({"predictions": {"6.1": newer}}), encoding="utf-8")
    assert stored_for("6.1") == {}
    predict("6.1", "B")
    assert stored_for("6.1") == {"choice": "B", "older": newer}


@pytest.mark.parametrize("entry", [{"choice": "A", "asked": 2}, {"choice": "A", "older": "B"}])
def test_a_file_with_a_damaged_prediction_is_not_changed(entry, progress, capsys):
    before = json.dumps({"predictions": {"11.4": entry}})
    progress.write_text(before, encoding="utf-8")
    predict("11.4", "A")
    assert "is damaged" in capsys.readouterr().out and progress.read_text(encoding="utf-8") == before


def contents_of(number):
    return said(done_in(number, stored.progress.read(), ()))


def stored_for(key):
    return questions.stored(question(key))


def test_a_solution_is_shown_after_an_attempt_only(capsys):
    solution("6b")
    assert "6b: Try it first" in capsys.readouterr().out
    check("6b", [1, 2, 3, 4, 5])
    capsys.readouterr()
    solution("6b")
    assert "answer_6b = [" in capsys.readouterr().out


def test_hints_come_one_after_the_other(capsys):
    said = []
    for _ in range(3):
        hint("6b")
        said.append(capsys.readouterr().out.partition(": ")[2])
    assert said[0] != said[1] == said[2]


def test_a_seat_has_numbers_of_its_own(progress, capsys):
    before = chapter.numbers("6b")
    numbers = set()
    for seat in range(30):
        chapter(6, seat=seat)
        assert chapter.numbers("6b") == chapter.numbers("6b")
        numbers.add(str(chapter.numbers("6b")))
    assert before == of(6).EXERCISES[1].standard and len(numbers) > 3
    assert read(progress)["seat"] == "29"


def test_two_open_chapters_do_not_overwrite_each_other(progress):
    predict("6.1", "A", "certain")
    other = stored.Progress()
    other.change("predictions", "6.2", choice="B", confidence="certain")
    predict("6.3", "C", "certain")
    assert set(read(progress)["predictions"]) == {"6.1", "6.2", "6.3"}


WRITE_MANY = """
import sys
from minigrad.book.classroom.progress import progress
for at in range(60):
    progress.change("predictions", f"{sys.argv[1]}.{at}", choice="A", confidence="certain")
"""


def test_two_kernels_that_write_at_once_lose_nothing(progress):
    folder = {**os.environ, "PYTHONPATH": str(Path(minigrad.__file__).parents[1])}
    writers = [subprocess.Popen([sys.executable, "-c", WRITE_MANY, name], env=folder) for name in "78"]
    while any(writer.poll() is None for writer in writers):
        time.sleep(0.01)
        stored.checked(stored.from_file(progress))  # whole at any time
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert len(read(progress)["predictions"]) == 120
    assert [path.name for path in progress.parent.iterdir()] == [progress.name]


@pytest.mark.parametrize("system", ["this", "Windows", "a folder without locks"])
def test_what_a_killed_kernel_left_is_taken_over(progress, monkeypatch, system):
    if system == "Windows":
        monkeypatch.setattr(files, "fcntl", None)
    elif system != "this" and files.fcntl:
        def no_locks(*_):
            raise OSError(errno.ENOLCK, "No locks available")
        monkeypatch.setattr(files.fcntl, "flock", no_locks)
    for name in ("progress.json.lock", "progress.json.new"):
        progress.with_name(name).write_text("{", encoding="utf-8")
    predict("6.1", "A", "certain")
    assert "6.1" in read(progress)["predictions"]
    assert [path.name for path in progress.parent.iterdir()] == [progress.name]


@pytest.mark.parametrize("text", [
    "{", "[1, 2]", '{"predictions": 3}', "\xff", '{"predictions": {"6.1": 3}}',
    '{"attempts": {"6b": {"tries": "a"}}}'])
def test_a_file_that_is_something_else_is_left_alone(text, progress, capsys):
    progress.write_bytes(text.encode("latin-1"))
    predict("6.1", "A", "certain")
    reveal("6.1")
    check("6b", [1, 2, 3, 4, 5])
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("it was not changed") == 1 and "repair the file or move it away" in said
    assert "You said A" in said  # remembered until the kernel stops
    assert progress.read_bytes() == text.encode("latin-1")
    progress.unlink()
    predict("6.2", "B", "certain")
    assert set(read(progress)["predictions"]) == {"6.1", "6.2"}  # cured: nothing was lost


@pytest.mark.skipif(os.name == "nt", reason="Windows has no read-only folders")
def test_a_folder_that_cannot_be_written_stops_nothing(monkeypatch, capsys):
    with a_read_only_folder() as folder:
        monkeypatch.setenv("MINIGRAD_PROGRESS", str(folder / "progress.json"))
        predict("6.1", "A", "certain")
        reveal("6.1")
        said = " ".join(capsys.readouterr().out.split())
        assert said.count("progress.json: Your answers can't be stored (Permission denied)") == 1
        assert "You said A" in said
        assert list(folder.iterdir()) == []


FULL = """
import resource
from minigrad.book import predict, reveal
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
predict("6.2", "B", "certain")
reveal("6.2")
"""


@pytest.mark.skipif(os.name == "nt", reason="no limit to a file's size can be set there")
def test_a_disk_that_is_full_loses_nothing_that_was_stored(progress):
    predict("6.1", "A", "certain")
    before = progress.read_bytes()
    folder = {**os.environ, "PYTHONPATH": str(Path(minigrad.__file__).parents[1])}
    run = subprocess.run([sys.executable, "-c", FULL], env=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("Your answers can't be stored (File too large)") == 1
    assert "You said B" in run.stdout
    assert progress.read_bytes() == before
    assert [path.name for path in progress.parent.iterdir()] == [progress.name]


def test_a_missing_file_is_made_anew(progress):
    predict("6.1", "A", "certain")
    progress.unlink()
    reveal("6.1")
    predict("6.2", "B", "certain")
    assert set(read(progress)["predictions"]) == {"6.2"}


def test_off_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    predict("6.1", "A", "certain")
    assert list(tmp_path.iterdir()) == []
