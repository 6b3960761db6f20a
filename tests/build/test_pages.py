"""Sheets of paper: which lines a question rests on, what becomes a blank, and what a seat's numbers are."""
import ast
import os
import random
import re
from html import unescape

import pytest

import minigrad as torch
from minigrad.book.build import blanks, grading, keys, one_page, pages, pdf, pictures, sheets, tasks
from minigrad.book.build.lettering import coded, curly, typ
from minigrad.book.build.sheet_markdown import Page, student
from minigrad.book.classroom.helping import NO_SOLUTIONS, solution
from minigrad.book.classroom.progress import fresh, progress
from minigrad.book.content.chapters.on_paper import ON_PAPER
from minigrad.viz import draw
from tests.helpers.sheets_made_once import sheet
from tests.helpers.stored_chapters import OURS


def page(*cells):
    """(text, tags) for each cell; text in capitals is a heading."""
    return [pages.Cell(at, "markdown" if text.startswith("#") else "code", text, frozenset(tags))
            for at, (text, *tags) in enumerate(cells)]


CHAPTER = page(("# One",), ("x = torch.ones(2)\nx", ), ("y = x * 2", ), ("# Two",),
               ("z = y + 1  # why\nq = 5",), ("y.backward()",), ("z.add_(1)",),
               ("z = 0", "solution"), ("w = 1",))


@pytest.mark.parametrize(("names", "since", "code"), [
    ({"z"}, 0, "x = torch.ones(2)\ny = x * 2\nz = y + 1  # why\ny.backward()\nz.add_(1)"),
    ({"y"}, 0, "x = torch.ones(2)\ny = x * 2\ny.backward()"),
    ({"y"}, 3, ""),  # explained in an earlier section
    ({"q"}, 3, "q = 5"),
    ({"nowhere"}, 0, ""),
])
def test_the_lines_that_a_name_rests_on(names, since, code):
    assert pages.as_code(pages.rests_on(names, CHAPTER, len(CHAPTER), since)) == code


def test_a_change_before_the_last_value_is_left_out():
    lines = page(("x = 1",), ("z = x",), ("z.backward()",), ("z = x + 1",))
    assert pages.as_code(pages.rests_on({"z"}, lines, 4)) == "x = 1\nz = x + 1"


def test_a_write_through_a_tensor_that_shares_memory_is_a_change():
    writes = "x.detach().mul_(2)\nx.view(2, 1)[0].add_(1)\nx.data.add_(1)\nx.numpy()[0] = 5"
    lines = page(("x = torch.ones(2)\nx.sum().add_(1)\n" + writes,))
    assert pages.as_code(pages.rests_on({"x"}, lines, 1)) == "x = torch.ones(2)\n" + writes


def test_an_empty_drawer_is_not_emptied():
    lines = page(("x = 1\ny = x\nx.grad = None",), ("y.backward()\nx.grad = None",))
    assert pages.as_code(pages.rests_on({"y", "x"}, lines, 2)) == "x = 1\ny = x\ny.backward()\nx.grad = None"


def test_names_in_a_question():
    text = "`y = f(x)`, then `y.backward(v)` with `v = [1]`; `no code at all`."
    assert pages.quoted(text) == ({"f", "x"}, {"y", "v"})


@pytest.mark.parametrize(("code", "names"), [
    ("a.b[0].add_(1)", {"a"}), ("x.grad = None", {"x"}), ("x[0] = 1", {"x"}), ("x.add(1)", set()),
    ("(p + q).backward()", set())])
def test_what_a_line_changes(code, names):
    assert pages.changes(ast.parse(code)) == names


def test_numbers_of_a_picture_are_others_and_of_the_same_kind():
    code = ("a = torch.tensor([1., 2.], requires_grad=True)\n"
            "b = torch.tensor(0.5, requires_grad=True)\nc = a * 7")
    found = {pictures.other_numbers(code, random.Random(seed)) for seed in range(20)}
    for new in found:
        numbers = pictures.run(new)
        assert all(float(n).is_integer() and n not in (1, 2) for n in numbers["a"].tolist())
        assert not numbers["b"].item().is_integer() and new.endswith("c = a * 7")
    assert len(found) > 10


def test_what_a_function_takes_when_nothing_is_handed_to_it_is_another_number_too():
    code = "def fresh(a=2., b=3.):\n    return torch.tensor(a, requires_grad=True), b\na, b = fresh()"
    new = pictures.other_numbers(code, random.Random(1))
    assert new.splitlines()[1:] == code.splitlines()[1:]
    assert not set(pictures.run(new)["fresh"].__defaults__) & {2., 3.}


def test_a_constant_that_was_cut_off_is_a_blank():
    x = torch.tensor(7., requires_grad=True)
    y = x * x
    d = y.detach()
    picture = draw(x * d, view="maths", names={"x": x, "y": y, "d": d}).picture
    blank, answers = blanks.with_blanks(picture)
    assert ("d", "49.0") in answers and "49" not in repr([box.tensor for box in blank.boxes])


def test_a_sheet_shows_the_cut_that_its_chapter_shows():
    picture = pictures.drawn_by("x = torch.tensor(7., requires_grad=True)\ny = x * x\nd = y.detach()\n"
                                "z = d * x")
    assert "cut" in [arrow.kind for arrow in picture.arrows]


def test_a_number_that_stands_there_by_chance_is_noticed():
    def told(start):
        a, b = (torch.tensor(number, requires_grad=True) for number in (start, 6.))
        s = a * b
        return blanks.tells(draw(s, view="maths", names={"a": a, "b": b, "s": s}).picture)

    assert told(1.) and not told(4.)  # 1 times 6 is 6


def test_blanks_are_long_enough_and_do_not_tell_one_from_another():
    for number in sheets.CHAPTERS:
        one = sheet(number, "A")
        words = repr([(box.lines, box.saved, box.tensor) for box in one.picture.boxes])
        lines = {int(at): len(signs) for at, signs in re.findall(r"\((\d+)\)(?: |\\n)(_+)", words)}
        for kind in ("version", "tab", "number"):
            found = [(lines[at], answer) for at, (about, answer) in enumerate(one.answers, 1)
                     if blanks.kind_of(about) == kind]
            assert len({length for length, _ in found}) <= 1, number
            for length, answer in found:  # by hand, one leaves out ".0"
                assert length >= min(9, len(answer.replace(".0", ""))), (number, answer)


# words about a screen, which no sheet of paper has
SCREEN = re.compile(r"\b(cells?|click|slider|seat|answer_\d|run the|check|hand in|below|you run|folded)\b",
                    re.IGNORECASE)


@pytest.mark.parametrize("number", sheets.CHAPTERS)
def test_a_sheet_is_about_paper(number):
    for seat in sheets.VARIANTS:
        text = student(sheet(number, seat), Page("A", 2, 535)).text
        assert not SCREEN.findall(text), SCREEN.search(text)


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.mark.parametrize("number", sheets.CHAPTERS)
def test_no_answer_stands_elsewhere_on_the_sheet(number):
    """Numbers of a blank or a field that have digits enough to be nobody else's."""
    for seat in sheets.VARIANTS:
        one = sheet(number, seat)
        assert not blanks.tells(one.full)
        text = student(one, Page("A", 2, 535)).text
        shown = {float(found) for found in NUMBER.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))}
        shown |= {float(found) for box in one.picture.boxes if box.tensor is not None
                  for found in NUMBER.findall(box.tensor.values) if "__" not in box.tensor.values}
        asked = {answer for about, answer in one.answers if blanks.kind_of(about) == "number"}
        asked |= {value for task in one.tasks for _, value in keys.value_of(task, one)
                  if task.exercise.expected}
        telling = {float(found) for answer in asked for found in NUMBER.findall(answer)
                   if len(re.sub(r"\.0$|\.|-", "", found)) > 2}
        assert not telling & shown, (seat, telling & shown)


def test_blanks_hide_what_can_be_worked_out_and_keep_what_is_given():
    x = torch.tensor(3., requires_grad=True)
    y = x * x
    z = y.exp()
    y.backward(retain_graph=True)
    picture = draw(z, view="maths").picture
    tabs = {box.op: box.saved for box in draw(z).picture.boxes}
    for box in picture.boxes:
        box.saved = tabs.get(box.op, []) if box.kind == "op" else []
    blank, answers = blanks.with_blanks(picture)
    assert dict(answers) == {"x.grad": "6.0", "self and other, saved by ×": "x 3.0", "y": "9.0",
                             "result, saved by exp": "z 8103.084", "z": "8103.084"}
    shown = repr([(box.lines, box.saved, box.tensor) for box in blank.boxes])
    assert "3.0" in shown and "6.0" not in shown and "9.0" not in shown and "8103" not in shown
    assert all(item.state == "kept" for box in blank.boxes for item in box.saved)


def test_a_full_and_an_empty_drawer_look_alike():
    looks = []
    for passes in (0, 1):
        x = torch.tensor(3., requires_grad=True)
        y = x.exp()
        if passes:
            y.backward()
        blank, _ = blanks.with_blanks(draw(y, view="maths", names={"x": x, "y": y}).picture)
        looks.append(repr(blank))
    assert looks[0] == looks[1]
    assert "; its colour doesn" in student(sheet(13, "A"), pdf.Form().page("A")).text


def test_the_numbers_of_a_sheet_are_those_of_the_seat_on_the_screen():
    one = sheet(6, "B")
    task = next(task for task in one.tasks if task.exercise.id == "6b")
    assert task.numbers == task.exercise.numbers("B") and task.said == ""  # they stand in the code
    assert f"torch.tensor({task.numbers['w']}" in task.code and "chapter" not in task.code


def test_lines_to_tick_are_those_of_the_stub():
    assert sheet(6, "A").tasks[0].ticks[:2] == ["t + 4", "-t"]


@pytest.mark.parametrize(("line", "said"), [
    ("{'a': 6.0, 'b': 7.0}", "a = 6.0, b = 7.0"), ("x  = 3", "x = 3"),
    ("a = 4  b = 7.5", "a = 4, b = 7.5"), ("start: (8.0, 7.0)  right: (1.0, 2.0)",
                                          "start: (8.0, 7.0), right: (1.0, 2.0)")])
def test_numbers_as_one_writes_them(line, said):
    assert tasks.without_braces(line) == said


@pytest.mark.parametrize(("name", "said"), [
    ("slope", "slope"), ("p ** 2", "`p ** 2`"), ("x", "`x`"), ("w.grad after a.backward()",
                                                              "`w.grad` after `a.backward()`"),
    ("w.grad after (a + b).backward()", "`w.grad` after `(a + b).backward()`"),
    ("x * 0.1 under no_grad", "`x * 0.1` under `no_grad`"), ("losses, by nudging", "losses, by nudging")])
def test_code_in_a_name_is_marked(name, said):
    assert coded(name) == said


def test_words_for_typst():
    assert typ("p * p `a*b` #1 $x_0$") == "p \\* p `a*b` \\#1 \\$x\\_0\\$"


@pytest.fixture
def alone(monkeypatch):
    """A kernel of its own, without a file."""
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    monkeypatch.setattr(progress, "remembered", fresh())
    for name in (NO_SOLUTIONS, "NBGRADER_EXECUTION", "JUPYTERHUB_USER"):
        monkeypatch.setenv(name, "")


def test_an_assignment_has_the_numbers_of_the_login_name(alone, monkeypatch, capsys):
    monkeypatch.setattr("getpass.getuser", lambda: "anna")
    assert grading.login_name() == "anna"
    monkeypatch.setenv("JUPYTERHUB_USER", "bo")
    grading.assignment()
    assert progress.read()["seat"] == "bo"
    monkeypatch.setenv("JUPYTERHUB_USER", "cy")
    grading.assignment()
    assert progress.read()["seat"] == "bo", "a seat that was taken stays"


def test_a_computer_without_names_gives_no_seat(alone, monkeypatch):
    def nobody():
        raise KeyError("getpwuid(): uid not found: 1000")
    monkeypatch.setattr("getpass.getuser", nobody)
    grading.assignment()
    assert progress.read()["seat"] is None


def test_nbgrader_grades_with_the_numbers_of_the_learner(alone, monkeypatch, tmp_path):
    (tmp_path / "autograded/anna/chapter_06").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "autograded/anna/chapter_06")
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("JUPYTERHUB_USER", "the-teacher")
    grading.assignment()
    assert progress.read()["seat"] == "anna"


def test_an_assignment_shows_no_solution(alone, capsys):
    grading.assignment()
    progress.change("attempts", "6b", tries=1)
    solution("6b")
    assert "BEGIN" not in capsys.readouterr().out and os.environ[NO_SOLUTIONS] == "off"


@pytest.mark.parametrize("number", OURS)
def test_one_page_has_what_the_chapter_says(number):
    """Each rule, trap, row of the error's table and line of the recap, without a belief's number."""
    for tool in ("pypandoc", "typst"):
        pytest.importorskip(tool)
    made, printed = one_page.on_one_page(number, pdf.Form())
    assert pdf.pages_of(printed) == 1
    if "The error" in made.text and "⚠ Traps" in made.text:  # a trap may be a false cure of the error
        assert made.text.index("The error") < made.text.index("⚠ Traps")
    program = one_page.summary(number).program
    assert bool(program) == bool(ON_PAPER[number].program)
    shown = plain_words(made.text)
    assert plain_words(program) in shown
    texts = [cell.text for cell in pages.cells(pages.load(number))
             if cell.kind == "markdown" and "instructor" not in cell.tags]
    whole = "\n\n".join(texts)
    said = re.findall(r"^> \*\*(?:◆ Rule|⚠ Trap)[^*]*\*\*(.*(?:\n>.*)*)", whole, re.MULTILINE)
    assert len(one_page.summary(number).callouts.get("◀ Old code", [])) == whole.count("Old code**")
    recap = whole.partition("## Recap")[2].partition("**Exit ticket")[0]
    said += [part for line in recap.splitlines() for part in line.removeprefix("- ").split("|")]
    table = whole.partition("| It says | It means | Fix")[2].partition("\n\n")[0]
    said += [re.sub(r", \w+ below\s*$", "", cell)
             for row in re.findall(r"^\| (`.*)\|$", table, re.MULTILINE) for cell in row.split("|")]
    assert (any(said) or number == 15) and not [text for text in said if plain_words(text) not in shown]


def test_one_page_explains_words_that_it_uses_where_there_is_no_room_for_all():
    for tool in ("pypandoc", "typst"):
        pytest.importorskip(tool)
    made, printed = one_page.on_one_page(13, pdf.Form())
    assert pdf.pages_of(printed) == 1
    explained = re.findall(r"^- \*\*(.+?)\*\*", made.text.partition("## Words")[2], re.MULTILINE)
    assert {"curvature", "dual number", "Hessian-vector product"} <= {*explained}
    assert "gradient penalty" not in explained and explained == sorted(explained, key=str.lower)


@pytest.mark.parametrize("number", sheets.CHAPTERS)
def test_one_page_shows_the_nodes_where_the_chapter_draws_them(number):
    """As far as there is room: those of 12 and 15 are too wide, and that of 6 would displace its words."""
    for tool in ("pypandoc", "typst"):
        pytest.importorskip(tool)
    found = one_page.summary(number)
    made, _ = one_page.on_one_page(number, pdf.Form())
    nodes = [svg for svg in made.pictures.values() if "Backward0" in svg]
    assert (found.record is not None) == (number in (3, 6, 12, 15, 16))  # as the chapters draw
    assert bool(nodes) == (number in (3, 16))
    assert not nodes or "AccumulateGrad" in nodes[0]


def plain_words(text):
    text = unescape(text).replace("\n>", "\n")
    return " ".join(re.findall(r"\w+", text)).casefold()


SAME = 5  # so many words in a row, and it is the same sentence


@pytest.mark.parametrize("number", sheets.CHAPTERS)
def test_no_sheet_answers_its_own_prediction_elsewhere(number):
    """In the words of the right option or of its reply."""
    one = sheet(number, "A")
    text = student(one, Page("A", 2, 535)).text
    for question, _ in one.predictions:
        here = text.index(f"Predict {question.id}")
        after = re.search(r"## |\*\*✎", text[here:]).start() + here
        rest = text[:here] + text[after:]
        right = question.option(question.right)
        elsewhere = runs_of_words(rest)
        assert not (runs_of_words(right.text) | runs_of_words(right.says)) & elsewhere, question.id


@pytest.mark.parametrize("number", sheets.CHAPTERS)
def test_no_sheet_answers_its_own_exit_ticket(number):
    """Neither with a call that is the answer, nor with the same words."""
    asked, answer = sheet(number, "A").ticket
    for seat in sheets.VARIANTS:
        rest = student(sheet(number, seat), Page("A", 2, 535)).text.replace(curly(asked), "")
        assert asked and curly(asked) not in rest and "Exit ticket" in rest
        calls = [code for code in re.findall("`([^`]+)`", answer) if re.search(r"\w\(.*\)", code)]
        assert not [code for code in calls if code in rest]
        assert not runs_of_words(answer) & runs_of_words(rest)


def runs_of_words(text):
    words = re.findall(r"[\w.()]+|[*+/-]", text.casefold())
    return {tuple(words[at:at + SAME]) for at in range(len(words) - SAME + 1)}
