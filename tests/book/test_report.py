"""What a teacher sees of a class: learners counted from their files, nobody named."""
import json
import re

import pytest

from minigrad.book.__main__ import main
from minigrad.book.build.report import as_html, as_text, gather
from minigrad.book.classroom.markup import marked_up
from minigrad.book.content.chapters import exercise, question
from minigrad.book.content.misconceptions import BELIEFS


def stored(key, **entry):
    """Return an entry as `predict` stores it: beside the mark of its question, if it has one."""
    mark = question(key).mark
    return {**entry, "asked": mark} if mark else entry


def progress(choice, confidence="fairly sure", key="6.1", more=None, **attempts):
    entry = stored(key, choice=choice, confidence=confidence, revealed=True)
    return json.dumps({"seat": None, "attempts": attempts, "predictions": {key: entry, **(more or {})}})


def put(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def handed_in(tmp_path):
    """Three learners; two believe M60 of question 6.1, one of them for certain."""
    put(tmp_path, "ann/progress.json", progress("A", "certain", **{"6b": {"tries": 2, "right": True}}))
    put(tmp_path, "bo/progress.json", progress("A", **{"6b": {"tries": 1, "right": False, "belief": "M02"}}))
    put(tmp_path, "cy/progress.json", progress("B", **{"6a": {"hints": 1}}))
    return tmp_path


def line_of(start, seen):
    return next(line for line in as_text(seen).splitlines() if line.startswith(start))


def test_beliefs_and_votes_are_counted(handed_in):
    seen = gather(handed_in)
    assert as_text(seen).startswith("3 learners\n")
    line = line_of("M60", seen)
    assert "2 of 3" in line and "!! 1" in line and "every operation saves its inputs" in line
    assert line.endswith("(6.1)")
    assert line_of("6.1", seen).startswith("6.1   A 2   B* 1   C 0")
    said = f"\n6b    1 of 2 solved it, 0 took a hint\n      1 × {BELIEFS['M02'].name}"
    assert as_text(seen).endswith(said)
    assert line_of("6a", seen) == "6a    0 of 0 solved it, 1 took a hint"
    assert not any(name in as_text(seen) for name in ("ann", "bo/", "cy/"))


def test_how_sure_somebody_was_may_be_missing(handed_in):
    before = as_text(gather(handed_in))
    put(handed_in, "dan/progress.json", json.dumps({"predictions": {"6.1": {"choice": "A"}}}))
    put(handed_in, "ea/progress.json", json.dumps({"predictions": {
        "6.1": {"choice": "A", "confidence": None}, "6.2": {"choice": "B", "revealed": True}}}))
    seen = gather(handed_in)
    assert not seen.unread and seen.lessons[6].votes["6.1"]["A"] == 4
    line = line_of("M60", seen)
    assert "4 of 5" in line and "!! 1" in line and "2 of 3" in before
    assert "None" not in as_text(seen) + as_html(seen)


def test_an_answer_to_an_earlier_question_with_the_same_id_is_not_counted(tmp_path):
    """An earlier edition asked something else in 11.4; a mark tells the two apart."""
    old = {"choice": "D", "revealed": True}
    put(tmp_path, "ann/progress.json", progress("A", key="11.1", more={"11.4": old}))
    put(tmp_path, "bo/progress.json", progress("A", key="11.1", more={"11.4": {
        "choice": "B", "asked": question("11.4").mark, "older": old}}))
    seen = gather(tmp_path)
    assert not seen.unread and seen.lessons[11].votes["11.1"]["A"] == 2
    assert dict(seen.lessons[11].votes["11.4"]) == {"B": 1}


def test_learners_are_counted_and_not_their_answers(tmp_path):
    """M04 can be chosen in 2.2 and 2.3: a learner who chooses it in both holds it once."""
    both = {"2.3": {"choice": "B", "confidence": "certain"}}
    assert question("2.2").option("C").belief == question("2.3").option("B").belief == "M04"
    put(tmp_path, "ann/progress.json", progress("C", key="2.2", more=both))
    put(tmp_path, "bo/progress.json", progress("A", key="2.2"))
    line = line_of("M04", gather(tmp_path))
    assert "1 of 2" in line and "!! 1" in line
    assert as_text(gather(tmp_path / "ann")).startswith("1 learner\n")


def test_a_copy_is_not_a_second_learner(handed_in):
    """A later copy beside the first one counts once, with all that is in either; two learners stay two."""
    put(handed_in, "ann/progress (1).json", progress("A", "certain", more={
        "6.2": {"choice": "C", "confidence": "a guess"}}, **{"6b": {"tries": 5, "right": True}}))
    put(handed_in, "dan/progress.json", progress("A"))
    put(handed_in, "dan/progress (1).json", progress("B"))
    put(handed_in, "ea.json", progress("A"))
    put(handed_in, "flo.json", progress("A"))
    seen = gather(handed_in)
    assert seen.learners == 7 and seen.copies == ["ann/progress (1).json"]
    assert "left out: ann/progress (1).json" in as_text(seen)
    assert seen.lessons[6].votes["6.2"] == {"C": 1} and seen.lessons[6].exercises["6b"].tried == 2


def test_the_assignments_of_nbgrader_are_one_learner_s(tmp_path):
    for number, key in ((5, "5.1"), (6, "6.1"), (7, "7.1")):
        put(tmp_path, f"ann/chapter_{number:02}/progress.json", progress("A", key=key))
        put(tmp_path, f"bo/chapter_{number:02}/progress.json", progress("B", key=key))
    seen = gather(tmp_path)
    assert seen.learners == 2 and sum(seen.lessons[6].votes["6.1"].values()) == 2 and not seen.copies


DAMAGED = {
    "half.json": '{"predictions": {"6.1": {"cho',
    "letter.json": progress("B", more={"6.2": {"choice": "X", "confidence": "certain"}}),
    "letters.json": progress("B", more={"6.2": {"choice": "AB", "confidence": "certain"}}),
    "too few options.json": progress("B", more={"2.1": {"choice": "D", "confidence": "certain"}}),
    "no such question.json": progress("B", more={"6.77": {"choice": "A", "confidence": "certain"}}),
    "list.json": '{"predictions": {"6.1": ["A"]}}',
    "tries.json": progress("B", **{"6b": {"tries": "many"}}),
    "belief.json": progress("B", **{"6b": {"tries": 1, "belief": "M99"}}),
    "wrong.json": progress("B", **{"6b": {"tries": 1, "wrong": {"the result of (1)": ["a"]}}}),
    "wrong list.json": progress("B", **{"6b": {"tries": 1, "wrong": ["a"]}}),
    "number.json": "7",
    "deep.json": "[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_changes_nothing_and_is_named(name, handed_in):
    before = gather(handed_in)
    put(handed_in, f"dan/{name}", DAMAGED[name])
    after = gather(handed_in)
    assert list(after.unread) == [f"dan/{name}"] and f"not read: dan/{name} (it" in as_text(after)
    after.unread.clear()
    assert after == before


def test_where_every_file_is_damaged_each_is_named(tmp_path):
    put(tmp_path, "ann/progress.json", "{")
    put(tmp_path, "bo/progress.json", '{"theme": "dark"}')
    with pytest.raises(ValueError, match=r"read: ann/progress.json \(it is damaged.*; bo/progress.json \(it"):
        gather(tmp_path)


def test_homes_of_learners_hold_files_of_other_programs(handed_in):
    put(handed_in, "ann/.local/share/kernel.json", '{"shell_port": 1}')
    put(handed_in, "bo/settings.json", '{"theme": "dark"}')
    seen = gather(handed_in)
    assert seen.learners == 3 and seen.unread == {"bo/settings.json": "it is another program's file"}


def test_lessons_and_questions_are_in_the_book_s_order_and_say_who_handed_in(tmp_path):
    put(tmp_path, "ann/progress.json", progress("A", key="10.1", more={"2.1": {"choice": "A"}},
                                                **{"2a": {"tries": 1}}))
    put(tmp_path, "bo/progress.json", progress("A", key="2.2", more={"2.1": {"choice": "A"}}))
    seen = gather(tmp_path)
    assert list(seen.lessons) == [2, 10]
    text = as_text(seen)
    assert "\n2 · The grad drawer: 2 of 2 learners\n" in text
    assert "\n10 · It learns: 1 of 2 learners\n" in text
    assert text.index("\n2.1 ") < text.index("\n2.2 ") < text.index("\n2a ") < text.index("\n10.1 ")
    assert "2a    0 of 1 solved it, 0 took a hint\n      1 × another wrong answer\n" in text
    html = as_html(seen)
    assert html.index("2 · The grad drawer") < html.index("10 · It learns") and html.count("<h2") == 2


def test_beliefs_stand_in_the_order_of_their_questions(tmp_path):
    wrong = [next(letter for letter in question(key).letters if letter != question(key).right)
             for key in ("3.1", "3.2", "3.3")]
    for at in range(3):
        put(tmp_path, f"{at}.json", progress(wrong[2], key="3.3"))
    put(tmp_path, "9.json", progress(wrong[0], key="3.1", more={"3.2": {"choice": wrong[1]}}))
    rows = re.findall(r"^M\d+ .*\((3\.\d)", as_text(gather(tmp_path)), re.MULTILINE)
    assert rows == sorted(rows) and rows[0] == "3.1"


def test_two_files_with_one_seat_and_one_answer_are_told(tmp_path):
    same = json.dumps({"seat": "ben", "predictions": {"6.1": {"choice": "A"}}, "attempts": {}})
    put(tmp_path, "ben/progress.json", same)
    put(tmp_path, "leo/progress.json", same)
    put(tmp_path, "cy/progress.json", same.replace('"A"', '"B"'))
    text = as_text(gather(tmp_path))
    assert "the same seat and the same answers, counted as 2 learners: ben/progress.json, leo/" in text
    assert text.startswith("3 learners\n")


def test_exercises_say_what_was_answered_wrongly_and_how_many_did(tmp_path):
    """Most frequent first. A known mistake is its belief or its reply, so seats with other numbers add up."""
    reply = next(wrong.says for wrong in exercise("6b").wrong if wrong.belief == "M35")
    for at, (seat, wrong) in enumerate([
            ("A", {reply: "", "the result of (3)": "error"}), ("B", {reply: ""}), ("C", {reply: ""}),
            ("D", {"the result of (3)": "error"}), ("A", {"what another edition says": "", "\x1b[1m": ""}),
            ("B", {"the result of (1)": ""}), ("C", {"the result of (4)": "<b>" * 40})]):
        put(tmp_path, f"{at}.json", json.dumps({"seat": seat, "attempts": {
            "6b": {"tries": 2, "right": at == 1, "wrong": wrong},
            "6a": {"tries": 1, "wrong": {"t * 5": "ticked"} if at else None}}}))
    text = as_text(gather(tmp_path))
    assert (f"6b    1 of 7 solved it, 0 took a hint\n      3 × {BELIEFS['M35'].name}\n"
            "      2 × the result of (3): error\n      1 × the result of (1)\n      and 2 others") in text
    assert "      6 × t * 5: ticked\n      1 × another wrong answer" in text
    html = as_html(gather(tmp_path))
    assert "6 × <code>t * 5</code>: ticked<br>1 × another wrong answer" in html
    assert "<b><b>" not in html and "\x1b" not in text + html


def test_copies_of_one_learner_s_file_add_up_their_wrong_answers(tmp_path):
    for name, tries, line in (("progress.json", 3, "t * 5"), ("progress (1).json", 1, "t / 2")):
        put(tmp_path, f"ann/{name}", progress("A", **{"6a": {"tries": tries, "wrong": {line: "ticked"}}}))
    assert gather(tmp_path).lessons[6].exercises["6a"].wrong == {"`t * 5`: ticked": 1, "`t / 2`: ticked": 1}


def test_one_chapter_alone(handed_in, capsys):
    put(handed_in, "ann/progress.json", progress(
        "A", more={"7.1": stored("7.1", choice="B")}, **{"7a": {"tries": 1}}))
    assert main(["report", str(handed_in), "--chapter", "7"]) == 0
    said = capsys.readouterr().out
    assert "7.1   A 0   B* 1" in said and "7a" in said and "6.1" not in said and "6b" not in said


def test_the_page_says_the_same_and_more(handed_in, capsys, tmp_path):
    page = tmp_path / "class.html"
    assert main(["report", str(handed_in), "--html", str(page)]) == 0
    html = page.read_text(encoding="utf-8")
    assert html == as_html(gather(handed_in)) and "2 of 3" in html and "://" not in html
    assert "3 learners" in capsys.readouterr().out
    for text in (question("6.1").text, *(option.text for option in question("6.1").options),
                 exercise("6b").goal, exercise("6a").goal):
        assert marked_up(text) in html
    assert BELIEFS["M60"].truth in html


def test_a_page_has_its_landmark_and_its_headings(handed_in):
    html = as_html(gather(handed_in))
    assert html.count("<main>") == html.count("</main>") == html.count("<h1>") == 1
    assert html.index("<h1>") < html.index("<h2 ") < html.index("<caption>Beliefs") < html.index("6.1 ")
    assert not re.search("<th[^>]*></th>", html)
    assert html.count("<table>") == html.count("<caption>")


def test_a_page_that_cannot_be_written_is_one_clear_line(handed_in, capsys):
    page = handed_in / "nowhere" / "class.html"
    assert main(["report", str(handed_in), "--html", str(page)]) == 1
    assert capsys.readouterr().err == f"minigrad.book: {page} can't be used: No such file or directory\n"


@pytest.mark.parametrize("where", ["nowhere", "."])
def test_nothing_to_read_is_one_clear_line(where, tmp_path, capsys):
    assert main(["report", str(tmp_path / where)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("minigrad.book: ") and said.count("\n") == 1
