"""A lesson: its minutes, its card, its folder and its path; and what the page for teachers says of them."""
import json
import re
from dataclasses import replace

import pytest

from minigrad.book.build import before_votes, class_sheets, lesson_card, lessons, pages, plan, students
from minigrad.book.build.counting import LONGER, MINUTES_EACH
from minigrad.book.build.lettering import typ
from minigrad.book.build.licence import ADDRESS, CREDIT, OF_NOTEBOOKS
from minigrad.book.build.pdf import Form, pages_of
from minigrad.book.build.sheet_markdown import Page
from minigrad.book.build.sheets import VARIANTS
from minigrad.book.content.chapters import CHAPTERS
from minigrad.book.content.chapters.on_paper import ON_PAPER
from tests import ROOT
from tests.helpers.sheets_made_once import sheet
from tests.helpers.stored_chapters import OURS, words_without_others

CARD = lesson_card.card
LEAST = {"question": 3, "exercise": MINUTES_EACH["exercise"], "ticket": 2}  # minutes in a class
PAGE = (ROOT / "TEACHERS.md").read_text(encoding="utf-8")


def section(heading):
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return found[1]


def rows(heading):
    """The cells of a section's table, without its head."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("number", CHAPTERS)
def test_what_is_left_out_when_time_is_short_has_minutes_in_that_room(number):
    found = lessons.lesson(number)
    for room in lessons.ROOMS:
        left = lessons.KEY.findall(found.shorter((room,)))
        assert {*left} <= {key for row in found.rows(room) for key in row.keys}
        assert left or number == 0


def test_every_folder_that_is_built_is_in_the_table_and_every_kind_can_be_named():
    assert all(f"`{kind.folder.format(6)}/`" in PAGE for kind in plan.KINDS.values())
    for words in re.findall(r"--only ([\w,-]+)", PAGE):
        assert plan.wanted(words)
    assert "A to D" in PAGE and VARIANTS == "ABCD"


def test_the_page_is_read_in_ten_minutes_and_begins_with_the_lesson():
    assert len(words_without_others(PAGE)) <= 1500
    assert re.findall("^## (.*)", PAGE, re.MULTILINE)[0] == "Tomorrow's lesson"


# --- the minutes --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("number", OURS)
def test_the_minutes_of_a_lesson_add_up_in_both_rooms(number):
    """They are those of the chapter's own plan, and each vote and exercise has as many as it takes."""
    found = lessons.lesson(number)
    assert found.alone == CHAPTERS[number][1]
    assert found.minutes == (lessons.WHOLE if number else 30)
    said = pages.text_of(pages.load(number)["cells"][-1])
    assert all(f"{row.start}–{row.end} " in said for row in found.computers)
    for room in lessons.ROOMS:
        all_rows = found.rows(room)
        assert sum(row.end - row.start for row in all_rows) == found.minutes
        assert [row.start for row in all_rows] == [0, *(row.end for row in all_rows[:-1])]
        named = [key for row in all_rows for key in row.keys]
        questions, exercises = found.asked((room,))
        at_home = ON_PAPER[number].without      # votes of optional sections are for home in both rooms
        assert [key for key in named if "." in key] == [one.id for one in questions if one.id not in at_home]
        done = [key for key in named if "." not in key]
        assert sorted([*done, *found.at_home(room)]) == sorted(one.id for one in exercises)
        for row in all_rows:
            takes = sum(LEAST["question" if "." in key else "exercise"] + LONGER.get(key, 0)
                        for key in row.keys)
            assert row.end - row.start >= takes + LEAST["ticket"] * ("xit ticket" in row.what), row


def test_a_class_without_computers_hears_the_error_before_the_votes_that_rest_on_it():
    """6.2 asks what a failed pass changed; the page with the error is for later: the teacher reads it."""
    for number, before in (6, "6.1"), (5, None), (2, "2.3"):
        rows = lessons.lesson(number).paper
        (at,) = [at for at, row in enumerate(rows) if row.what.startswith("The error")]
        votes = [key for row in rows[:at] for key in row.keys if "." in key]
        assert votes[-1:] == ([before] if before else [])


def test_when_time_is_short_something_that_has_minutes_is_left_out():
    """What is for home anyway saves no time."""
    shorter = {number: lessons.lesson(number).shorter(("paper",)) for number in (0, 6, 10)}
    assert "6c" in lessons.lesson(6).at_home("paper") and shorter[6].startswith("let learners do 6")
    assert lessons.lesson(10).at_home("paper") == ["10b"]
    assert shorter[10].startswith("let learners do 10.")
    assert shorter[0].startswith("do it at home")


def test_a_chapter_without_a_plan_for_paper_has_a_usual_one_and_a_wrong_name_is_refused():
    page = pages.cells(pages.load(6))
    rows = lessons.on_paper(6, lessons.usual_plan(6, page))
    assert [key for row in rows for key in row.keys] == ["6.1", "6.2", "6.3", "6a", "6b", "6c"]
    assert [row.what.partition(",")[0] for row in rows[-2:]] == [
        "The picture; each learner writes a caption", "Exit ticket"]
    with pytest.raises(ValueError, match="the plan of chapter 6 on paper names '7.1'; it may name board"):
        lessons.on_paper(6, "board 5, 7.1 5")


@pytest.mark.parametrize("said", ["", "recall", "3–5 recall", "0–3 recall · 4–9 6.1", "0–3 recall · 3–3 6.1"])
def test_a_plan_whose_minutes_do_not_follow_each_other_is_refused(said):
    with pytest.raises(ValueError, match="the teacher's cell of chapter 6"):
        lessons.rows_of(said, 6)


def test_a_row_names_questions_and_exercises():
    row = lessons.Row(3, 25, "6.1, then 6.2 to 6.4 by letters; a rate of 0.01; 6a, and `x ** 2`")
    assert row.keys == ["6.1", "6.2", "6.3", "6.4", "6a"]


def test_a_plan_is_read():
    said = "0–3 recall · 3–9 6.1, `a.b`, by letters: who? · 9–50 exit ticket. 6c is homework."
    assert lessons.rows_of(said, 6) == ((0, 3, "Recall"), (3, 9, "6.1, `a.b`, by letters: who?"),
                                        (9, 50, "Exit ticket"))
    assert lessons.note_of(said) == "6c is homework."


def test_the_path_has_nine_lessons_each_on_what_was_before():
    assert list(dict.fromkeys(step.lesson for step in lessons.PATH)) == list(range(1, 10))
    known = set()
    for step in lessons.PATH:
        assert set(lessons.needed(lessons.lesson(step.chapter).needs)) <= known
        known.add(step.chapter)
    assert {int(row[0].partition(" ")[0]) for row in rows("The lessons") if row[2] != "–"} == known


@pytest.mark.parametrize(("words", "numbers"), [
    ("chapters 3 to 5", [3, 4, 5]), ("chapters 6 to 8, and 10 for `softmax`", [6, 7, 8, 10]),
    ("Python and some school calculus", []), ("chapter 0, and slopes from school", [0])])
def test_what_a_chapter_needs_is_read(words, numbers):
    assert lessons.needed(words) == numbers


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_lesson_card_is_one_page_with_what_to_say_to_each_belief(number, tmp_path, monkeypatch):
    pytest.importorskip("typst")
    pytest.importorskip("pypandoc")
    made = []
    monkeypatch.setattr(lesson_card, "card", lambda *asked: made.append(CARD(*asked)) or made[-1])
    (card,) = lesson_card.lesson_card(number, tmp_path, Form())
    assert card.pages == 1 and card.path.name == f"{number:02}-card.pdf"
    text = made[-1].text
    for asked in lessons.lesson(number).voted():
        for one in lessons.replies(asked):
            assert typ(one.belief) in text and typ(one.says) in text


def test_a_question_that_no_row_names_is_for_home_and_on_no_card():
    found = replace(lessons.lesson(6), computers=(lessons.Row(0, 35, "6.1"), lessons.Row(35, 50, "6.2")),
                    paper=(lessons.Row(0, 50, "6.1"),))
    assert [one.id for one in found.voted(("paper",))] == ["6.1"]
    assert [one.id for one in found.voted()] == ["6.1", "6.2"]
    card = CARD(found, Form(), 10, ("paper",), True).text
    assert "*6.1*" in card and "*6.2*" not in card
    assert len(replace(found, paper=(lessons.Row(0, 50, "all votes"),)).voted(("paper",))) > 1


def test_a_card_names_the_minutes_in_which_its_rows_end():
    found = replace(lessons.lesson(6), computers=(lessons.Row(0, 35, "6.1"),),
                    paper=(lessons.Row(0, 30, "6.1"),))
    for rooms, words in ((("paper",), "Takes 30 minutes in class; a"),
                         (("computers",), "Takes 35 minutes in class; a"),
                         (lessons.ROOMS, "Takes 35 minutes in class with computers, and 30 without; a")):
        assert words in CARD(found, Form(), 10, rooms, True).text
    assert "Takes 50 minutes in class; a" in CARD(lessons.lesson(6), Form(), 10, lessons.ROOMS, True).text


# --- the folder of a lesson ---------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def built(tmp_path_factory):
    for tool in plan.KINDS["lesson"].needs:
        pytest.importorskip(tool)
    folder = tmp_path_factory.mktemp("lessons")
    for number, room in ("4", "paper"), ("15", "paper"), ("6", "computers"):
        plan.build([number], "", folder, learners="10", room=room, tell=lambda line: None)
    return folder


def test_a_lesson_is_a_folder_of_at_most_eight_files(built):
    def files(number):
        folder = built / f"lesson-{number}"
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert files("04") == ["class/04-before.pdf", "class/04-page.pdf", "class/04-sheets.pdf",
                           "teacher/04-card-paper.pdf", "teacher/04-key.pdf", "teacher/04-slides.html"]
    assert "class/15-program-15d.pdf" in files("15") and len(files("15")) <= 8
    assert files("06") == ["class/06_why_cant_i_go_back_twice.ipynb", "teacher/06-card-computers.pdf",
                           "teacher/06-key.pdf", "teacher/06-slides.html"]


def test_a_class_gets_a_sheet_each(built):
    assert pages_of((built / "lesson-04/class/04-sheets.pdf").read_bytes()) == 20


def test_before_the_first_vote_a_class_reads_what_answers_no_question():
    """The chapter up to its first question, the functions that a sheet calls, and the nine points."""
    pytest.importorskip("typst")
    pytest.importorskip("pypandoc")
    found = {}

    def text(number):
        made = Page("before", 0, 535)
        page = pages.cells(pages.load(number))
        before_votes.named(sheet(number, "A"), page, [], made)
        return made.text

    for number in (4, 6, 10):
        pdf = before_votes.before_votes(sheet(number, "A"), Form())
        found[number] = pages_of(pdf), text(number)
    assert {number: count <= 2 for number, (count, _) in found.items()} == dict.fromkeys(found, True)
    assert "The **nine points**" in found[6][1] and "[−1, −0.75" in found[6][1]


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_page_before_the_votes_speaks_of_no_answer_to_open(number):
    """On paper there is nothing to unfold."""
    notebook = pages.load(number)
    page = pages.cells(notebook)
    made = Page("before", 0, 535)
    for cell in page[1:next(cell.at for cell in page if "predict" in cell.tags)]:
        if cell.kind == "markdown":
            before_votes.shown(cell, page, notebook["cells"][cell.at], made)
    assert "<details" not in made.text and "open the answer" not in made.text


def test_neighbours_get_other_sheets_that_begin_on_front_sides(monkeypatch):
    pytest.importorskip("typst")
    pytest.importorskip("pypandoc")
    seen = []
    monkeypatch.setattr(class_sheets, "compiled", lambda page, text, title, form: seen.append(text) or b"")
    found = class_sheets.fitted(6, Form())
    class_sheets.dealt(found, 5, "ABCD")
    class_sheets.dealt(found, 3, "CD")
    assert [re.findall(r"(?<=6 · Sheet )[A-D]", text) for text in seen] == [list("ABCDA"), list("CDC")]
    assert seen[0].count('#pagebreak(to: "odd", weak: true)') == 5
    monkeypatch.undo()
    assert pages_of(class_sheets.dealt(found, 3, "ABC")) == 6
    one = found._replace(pages=[Page("A", 0, 500)], titles=["6 · a · Sheet A"], pdfs=found.pdfs[:1])
    one.pages[0].add("a page")
    assert pages_of(class_sheets.dealt(one, 3, "A")) == 5    # the backs stay empty


@pytest.mark.parametrize(("asked", "says"), [
    ({"learners": "0"}, "--learners takes a whole number from 1 to 200; this is '0'"),
    ({"learners": "-3"}, "this is '-3'"), ({"learners": "x"}, "this is 'x'"),
    ({"learners": "5000"}, "1 to 200"),
    ({"room": "hall"}, "there is no room 'hall'; there are computers and paper"),
    ({"sheets": "AE"}, "some of the letters ABCD; this is 'AE'"),
    ({"only": "student", "learners": "3"}, "are about lessons")])
def test_what_can_not_be_built_is_told_in_a_sentence(asked, says, tmp_path):
    with pytest.raises(ValueError, match=re.escape(says)):
        plan.build(["6"], asked.pop("only", ""), tmp_path / "build", **asked)
    assert not (tmp_path / "build").exists()


def test_a_build_replaces_its_own_files_and_no_other(tmp_path):
    def build():
        return plan.build(["6"], "student", tmp_path, tell=lambda line: None)
    (path,) = build()
    before = path.read_text(encoding="utf-8")
    build()
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=r"was changed, or isn't from a build: move it away"):
        build()
    assert path.read_text(encoding="utf-8") == "mine"
    path.rename(path.with_name("notes.txt"))  # another name is in nobody's way
    build()
    assert path.read_text(encoding="utf-8") == before
    path.unlink()
    path.mkdir()
    with pytest.raises(ValueError, match="isn't from a build"):
        build()


def test_a_foreign_file_is_refused_before_a_build_starts(tmp_path, monkeypatch):
    def begun(*asked):
        raise AssertionError
    monkeypatch.setitem(plan.KINDS, "lesson", replace(plan.KINDS["lesson"], make=begun, needs=()))
    mine = tmp_path / "lesson-06/class/06-sheets.pdf"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=r"06-sheets.pdf was changed, or isn't from a build"):
        plan.build(["6"], "", tmp_path, tell=lambda line: None)
    mine.rename(mine.with_name("07-sheets.pdf"))
    with pytest.raises(AssertionError):
        plan.build(["6"], "", tmp_path, tell=lambda line: None)


def test_a_file_in_the_place_of_a_folder_is_told_of(tmp_path):
    (tmp_path / "student").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="student is no folder: move it away"):
        plan.build(["6"], "student,slides", tmp_path, tell=lambda line: None)
    assert [path.name for path in tmp_path.iterdir()] == ["student"]


def test_the_licence_of_the_texts_is_named_everywhere():
    texts = (ROOT / "LICENSE-texts").read_text(encoding="utf-8")
    assert CREDIT in texts
    assert ADDRESS in texts
    assert "(LICENSE-texts)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(LICENSE-texts)" in PAGE
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'license = "MIT AND CC-BY-4.0"' in project
    assert 'license-files = ["LICENSE", "LICENSE-texts"]' in project
    made = json.loads(students.as_text(students.student(pages.load(6))))
    assert made["metadata"]["license"] == OF_NOTEBOOKS
    for name in re.findall(r"\b(?:minigrad|notebooks|pictures)/[\w./]*", texts):
        assert (ROOT / name.rstrip(".")).exists(), name
