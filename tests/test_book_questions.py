"""Predictions and attempts: what is asked, what is stored, what is said about it, and to whom."""
import json

import pytest

from minigrad.book import chapter, check, hint, predict, reveal, solution
from minigrad.book import progress as stored
from minigrad.book.chapters import CHAPTERS, of
from minigrad.book.misconceptions import MISCONCEPTIONS

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
    assert 3 <= len(asked.options) <= 4
    assert sum(option.right for option in asked.options) == 1
    assert {option.belief for option in asked.options if not option.right} <= set(MISCONCEPTIONS)
    assert all(option.says.endswith((".", "?", "!")) for option in asked.options)
    assert len({option.text for option in asked.options}) == len(asked.options)


def test_no_letter_is_a_good_guess():
    letters = [[asked.right for asked in of(number).QUESTIONS] for number in CHAPTERS]
    assert all(len(set(right)) > 1 or len(right) == 1 for right in letters)
    right = sum(letters, [])
    assert all(0 < right.count(letter) <= 0.4 * len(right) for letter in "ABCD")


def test_a_prediction_is_asked_stored_and_compared(progress, capsys):
    shown = predict("6.1")
    assert "A  both work" in repr(shown) and "<code>x.grad</code>" in shown._repr_mimebundle_()["text/html"]
    predict("6.1", "a", confidence="certain")
    assert read(progress)["predictions"] == {"6.1": {"choice": "A", "confidence": "certain"}}
    reveal("6.1")
    said = capsys.readouterr().out
    assert "✗ You said A (certain)" in said and "It is B" in said
    assert read(progress)["predictions"]["6.1"]["revealed"] is True


def test_after_the_answer_a_prediction_stays(progress, capsys):
    predict("6.1", "A")
    reveal("6.1")
    predict("6.1", "B")
    assert "stays A" in capsys.readouterr().out
    assert read(progress)["predictions"]["6.1"]["choice"] == "A"


def test_an_unanswered_question_gives_nothing_away(progress, capsys):
    reveal("6.1")
    said = capsys.readouterr().out
    assert "no prediction yet" in said and not progress.exists()
    assert not any(option.text in said or option.says in said for option in of(6).QUESTIONS[0].options)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: predict("6.9"), "there is no question '6.9'; there are: 6.1, 6.2"),
    (lambda: predict("66.1"), "there is no question '66.1'"),
    (lambda: predict("6.1", "E"), "question 6.1 has the options A, B, C, D, not 'E'"),
    (lambda: predict("6.1", ""), "not ''"),
    (lambda: predict("6.1", "A", confidence="so so"), "'a guess', 'fairly sure', 'certain'"),
    (lambda: chapter(99), "there is no chapter 99"),
])
def test_what_is_not_there(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert message in str(error.value)


def test_surprises_are_listed_and_asked_again(capsys):
    for key, letter in (("6.1", "A"), ("6.2", "C"), ("6.3", "B")):
        predict(key, letter)
        reveal(key)
    capsys.readouterr()
    reveal()
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"6.1  A, fairly sure: {MISCONCEPTIONS['M35']}", f"6.3  B, fairly sure: {MISCONCEPTIONS['M02']}"]
    chapter(max(CHAPTERS))
    said = capsys.readouterr().out
    assert ("6.1 surprised you" in said) == (max(CHAPTERS) > 6)


def test_a_solution_is_shown_after_an_attempt_only(capsys):
    solution("6b")
    assert "Try first" in capsys.readouterr().out
    check("6b", [1, 2, 3, 4, 5])
    capsys.readouterr()
    solution("6b")
    assert "answer_6b = []" in capsys.readouterr().out


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
    predict("6.1", "A")
    other = stored.Progress()
    other.change("predictions", "6.2", choice="B", confidence="certain")
    predict("6.3", "C")
    assert set(read(progress)["predictions"]) == {"6.1", "6.2", "6.3"}


@pytest.mark.parametrize("text", ["{", "[1, 2]", '{"predictions": 3}', "\xff"])
def test_a_file_that_is_something_else_is_left_alone(text, progress, capsys):
    progress.write_bytes(text.encode("latin-1"))
    predict("6.1", "A")
    assert "left as it is" in capsys.readouterr().out
    assert progress.read_bytes() == text.encode("latin-1")
    reveal("6.1")
    assert "You said A" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "nowhere" / "progress.json"))
    predict("6.1", "A")
    reveal("6.1")
    said = capsys.readouterr().out
    assert "can't be stored here" in said and "You said A" in said
    assert not (tmp_path / "nowhere").exists()


def test_off_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    predict("6.1", "A")
    assert list(tmp_path.iterdir()) == []


def test_controls_store_what_is_chosen(progress):
    widgets = pytest.importorskip("ipywidgets")
    from minigrad.book.questions import controls
    box = controls(of(6).QUESTIONS[0])
    choice, sure, button, done = box.children[1:]
    button.click()
    assert "Choose an option first" in done.value and not progress.exists()
    choice.value, sure.value = "B", "certain"
    button.click()
    assert read(progress)["predictions"] == {"6.1": {"choice": "B", "confidence": "certain"}}
    assert all(getattr(part, "description", "") for part in (choice, sure, button))
    assert isinstance(box, widgets.VBox)
