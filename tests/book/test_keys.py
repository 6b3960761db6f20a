"""Every key is what happens: made false in any way, it is noticed, and the programs that decide are sound."""
from dataclasses import replace

import pytest

from minigrad.book.build import rules
from minigrad.book.classroom import deciding
from minigrad.book.classroom.deciding import (
    Contrast,
    claimed,
    faults_of_key,
    judged,
    numbers,
    outcome,
    shown_after,
)
from minigrad.book.classroom.notes import VERDICTS, Note
from minigrad.book.classroom.questions import Option, Question
from minigrad.book.content.chapters import CHAPTERS, notes, of
from tests.helpers.stored_chapters import load

QUESTIONS = [question for number in CHAPTERS for question in of(number).QUESTIONS]
NOTES = [note for number in CHAPTERS for note in notes(number)]


def chapter_with(asked):
    return rules.chapter_of(int(asked.id.partition(".")[0]), load(int(asked.id.partition(".")[0])))


def printed_for(asked):
    return deciding.what_was_printed(chapter_with(asked), asked)


def with_key(question, letter):
    """The question with another option as its key; the right one takes the belief of that one."""
    belief = question.option(letter).belief
    options = [replace(option, belief=belief) if option.right else option for option in question.options]
    options["ABCD".index(letter)] = replace(question.option(letter), belief=None)
    return replace(question, options=tuple(options))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_a_key_made_false_is_noticed(question):
    printed = printed_for(question)
    assert list(faults_of_key(question, printed)) == []
    for letter in question.letters:
        if letter != question.right:
            assert list(faults_of_key(with_key(question, letter), printed)), letter


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_a_wrong_option_that_is_also_right_is_noticed(question):
    right, printed = question.option(question.right), printed_for(question)
    for letter in question.letters.replace(question.right, ""):
        options = list(question.options)
        options["ABCD".index(letter)] = replace(question.option(letter), text=right.text, claims=right.claims)
        assert list(faults_of_key(replace(question, options=tuple(options)), printed)), letter


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.id)
def test_a_verdict_made_false_is_noticed(note):
    printed = printed_for(note)
    assert list(faults_of_key(note, printed)) == []
    for other in VERDICTS.keys() - {note.verdict}:
        assert list(faults_of_key(replace(note, verdict=other), printed)), other


# --- what decides

def question_of(*options, decided):
    return Question("1.1", "What is it?", options, decided=decided)


RIGHT, WRONG = Option("−2: it is less", None, ""), Option("2: it is more", "M02", "")


def test_an_option_claims_what_stands_before_its_colon_or_what_it_says_it_claims():
    assert claimed(RIGHT) == {"−2", "−2: it is less"}
    assert claimed(Option("`None`: nothing", None, "")) == {"None", "None: nothing"}
    assert claimed(Option("it is 3, as before", None, "", claims="3")) == {"3"}


def test_what_happens_is_compared_without_marks_and_with_either_minus():
    assert list(faults_of_key(question_of(RIGHT, WRONG, decided=lambda printed: -2), "")) == []
    assert list(faults_of_key(question_of(RIGHT, WRONG, decided=lambda printed: "`-2`."), "")) == []


@pytest.mark.parametrize("question", [
    question_of(RIGHT, WRONG, decided=None), question_of(RIGHT, WRONG, decided=lambda printed: 1 / 0),
    question_of(RIGHT, WRONG, decided=lambda printed: 3), question_of(WRONG, decided=lambda printed: 2),
    question_of(replace(RIGHT, claims="5"), WRONG, decided=lambda printed: 5)])
def test_a_key_without_reason_is_a_fault(question):
    assert list(faults_of_key(question, ""))


def test_a_verdict_follows_from_what_was_and_what_is():
    found = [judged(True), judged(False, held=True), judged(False, result=True), judged(False)]
    assert found == list(VERDICTS)
    note = Note("1.n1", "lucky", "", decided=lambda printed: judged(False, result=printed == "5"))
    assert [list(faults_of_key(note, printed)) == [] for printed in ("5", "6")] == [True, False]


def test_a_contrast_needs_two_programs_that_end_differently():
    def fails():
        raise ValueError

    assert outcome(fails) == "raises ValueError" and outcome(lambda: 3) == "3"
    assert Contrast("it waits", lambda: 1, lambda: 2)("") == "it waits"
    assert Contrast("it waits", lambda: 1, lambda: 1)("") == "no difference"


def test_numbers_are_read_from_what_was_printed():
    assert numbers("tensor([-1.5, 2.]) and 3e-05") == [-1.5, 2., 3e-05]
    assert shown_after("after:", "before: tensor(1.) after: tensor(-2.5773)") == "−2.5773"
