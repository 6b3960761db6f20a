"""Sheets of paper and their keys, looked into.

A PDF needs pandoc and typst (requirements-handouts.txt); without them these tests are skipped, and say so. CI
installs them.
"""
import json
import re
import zlib
from dataclasses import replace
from importlib.util import find_spec
from itertools import combinations, product

import pytest

import minigrad as torch
from minigrad.book.build import keys, pdf, plan
from minigrad.book.build.blanks import numbers_of
from minigrad.book.build.fitting import fit
from minigrad.book.build.keys import SENTENCE, TICKET
from minigrad.book.build.lettering import curly
from minigrad.book.build.pages import cell_tagged, cells, load
from minigrad.book.build.pdf import Form, as_pdf, pages_of
from minigrad.book.build.sheet_markdown import student
from minigrad.book.build.sheets import VARIANTS
from minigrad.book.build.tasks import also_right, judged_with
from minigrad.book.classroom.judging import count_right, first_wrong
from minigrad.book.classroom.saying import capitalised, uncapitalised
from minigrad.book.content.chapters import CHAPTERS, chapter_of, of
from minigrad.book.content.chapters.on_paper import OnPaper, on_sheet, paper_of
from minigrad.book.content.glossary import SCHOOL, terms_in
from tests import ROOT
from tests.helpers.sheets_made_once import sheet
from tests.helpers.stored_chapters import OURS, solution_lines

CHAPTER = 6


with_paper = pytest.mark.skipif(not all(map(find_spec, plan.KINDS["lesson"].needs)),
                                reason="pip install -r requirements-handouts.txt")


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """Two lessons in a room without computers."""
    folder = tmp_path_factory.mktemp("made") / "build"
    plan.build([str(CHAPTER), "4"], "", folder, room="paper", tell=lambda line: None)
    return folder


@with_paper
@pytest.mark.parametrize("seat", VARIANTS)
def test_a_sheet_is_two_pages_without_answers(seat):
    one = sheet(CHAPTER, seat)
    found = fit([one], Form())
    assert [pages_of(made) for made in found.pdfs] == [2]
    (page,) = found.pages
    for question in on_sheet(CHAPTER)[0]:
        assert f"Predict {question.id}" in page.text
        assert not [option.says for option in question.options if curly(option.says) in page.text]
    assert not [line for line in solution_lines(CHAPTER) if line in page.text]
    assert one.answers and all(len(answer) for _, answer in one.answers)
    (svg,) = page.pictures.values()
    words = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    blanks = [word for word in words if "____" in word]
    assert len(blanks) == len(one.answers)
    assert not [(word, answer) for _, answer in one.answers for word in words if word.endswith(f" {answer}")]


def marked(number, first=0):
    """The rows of a key, by their labels as they are read."""
    rows = keys.marking([sheet(number, seat) for seat in VARIANTS], first)
    return {re.sub(r"[*`]", "", row.label): row for row in rows}


def test_the_key_says_what_the_engine_gives():
    """6b and the picture, by hand: the key has these numbers, for each of the four sheets."""
    rows = {label: row.values for label, row in marked(CHAPTER).items()}
    both, given = [], []
    for seat in VARIANTS:
        w = torch.tensor(of(CHAPTER).EXERCISES[1].numbers(seat)["w"], requires_grad=True)
        h = w * w
        (3 * h + (h + 1)).backward()
        both.append(f"{w.grad.item():.6g}")
        given.append(f"w = {w.item():.6g}")
    assert rows["✎ 6b with"] == given and rows["(3) after (a + b).backward()"] == both
    x = torch.tensor(float(re.search(r"x = torch.tensor\((.*?),", sheet(CHAPTER, "C").code)[1]),
                     requires_grad=True)
    (x * x * 5).backward()
    assert rows["✎ (1) x.grad"][2] == f"{x.grad.item()}"
    assert rows["(2) after b.backward()"] == ["error"]  # said once for all sheets


@with_paper
def test_the_key_has_the_order_of_the_sheet_and_a_point_for_each_thing_that_is_asked():
    found = fit([sheet(CHAPTER, "A")], Form())
    text, rows = found.pages[0].text, marked(CHAPTER, found.first)
    marks = ["6.1", "6.2", "6.3", "6a", "6b", "6c", "caption", "Exit ticket"]
    printed = sorted(marks, key=lambda mark: re.search(rf"(Predict |✎ |Your |\*\*){mark}", text).start())
    on_key = [mark for label in rows for mark in marks if re.search(rf"\b{mark}\b", label)]
    assert on_key == printed
    four = [sheet(CHAPTER, seat) for seat in VARIANTS]
    points = sum(row.points for row in keys.marking(four, found.first))
    sentences = [*on_sheet(CHAPTER)[0], "caption"]  # a reason for each vote
    assert points == len(four[0].answers) + TICKET + SENTENCE * len(sentences) + sum(
        one.parts for one in of(CHAPTER).EXERCISES)
    whole = keys.key(four, found.first, Form().page("key")).text
    assert f"([*Points*], [{points}], " in whole


def test_a_key_to_two_sheets_has_their_letters():
    """6.1 is B on sheet A, and another letter on the sheets of a test."""
    text = keys.key([sheet(CHAPTER, seat) for seat in "CD"], 0, Form().page("key")).text
    right = on_sheet(CHAPTER)[0][0].letters[sheet(CHAPTER, "C").orders["6.1"].index("B")]
    assert right != "B"
    assert f"Predict 6.1: {right} on sheet C" in text
    assert "sheet C)" in text


def reasons_of(number):
    return [row for row in keys.marking([sheet(number, "A")], 0) if row.label == "because"]


@pytest.mark.parametrize("number", OURS)
def test_a_key_says_what_a_full_and_a_half_point_of_a_sentence_is(number):
    """Of each caption by its two parts; and of reasons once, by the reply to the right option."""
    rows = marked(number)
    full, half = rows["✎ caption"].values[0].split("\n")
    assert full == f"1: {paper_of(number).caption}" and half == f"½: {paper_of(number).half}."
    assert half.startswith("½: only ") and rows["✎ caption"].points == rows["because"].points == SENTENCE
    head = keys.key([sheet(number, "A")], 0, Form().page("key")).text.partition("The same on all")[0]
    assert "1 point if" in head and "½ if" in head and "0 if" in head
    assert {*paper_of(number).reasons} <= {question.id for question in on_sheet(number)[0]}
    for question, row in zip(on_sheet(number)[0], reasons_of(number), strict=True):
        assert row.values == [sheet(number, "A").paper.reason(question)]
        assert uncapitalised(row.values[0]).strip(".") not in question.option(question.right).text


def test_a_key_says_for_what_a_ticket_gets_its_two_points():
    for number in (3, 4, 13):
        answer, facts = marked(number)["Exit ticket"].values[0].split("\n")
        assert answer == sheet(number, "A").ticket[1] and re.fullmatch(r"1: [^:]+\. 1: [^:]+\.", facts)
    assert marked(CHAPTER)["Exit ticket"].values[0].endswith("\n1 for each fact")


def test_a_key_prints_a_rule_for_numbers_below_the_exercise():
    paper = replace(paper_of(CHAPTER), rules={"6b": "One rule for all of its numbers."})
    rows = keys.marking([replace(sheet(CHAPTER, seat), paper=paper) for seat in VARIANTS], 0)
    below = next(at for at, row in enumerate(rows) if "**6b**" in row.label) + 1
    assert (rows[below].label, rows[below].values) == ("", ["One rule for all of its numbers."])
    assert rows[below + 1].label


def test_the_key_to_a_new_chapter_says_it_too():
    one = replace(sheet(3, "A"), paper=OnPaper())
    assert "½: only one" in keys.caption(one)


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_key_says_what_is_behind_a_wrong_answer(number):
    text = keys.key([sheet(number, seat) for seat in VARIANTS], 0, Form().page("key")).text
    for exercise in on_sheet(number)[1]:
        for wrong in exercise.wrong:
            reply = curly(capitalised(wrong.says).replace("|", "\\|").replace("\n", " "))
            assert reply in text, exercise.id
            assert not wrong.belief or f"{wrong.belief}, the belief that" in text
    assert "<function" not in text
    assert "<class" not in text


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_key_has_each_wrong_answer_once_as_it_is_written_and_none_that_is_right(number):
    four = [sheet(number, seat) for seat in VARIANTS]
    for tasks in zip(*[one.tasks for one in four], strict=True):
        exercise = tasks[0].exercise
        shown = [keys.on_each(wrong, tasks) for wrong in exercise.wrong]
        assert len(set(shown)) == len(shown), exercise.id
        for wrong, text in zip(exercise.wrong, shown, strict=True):
            assert not re.search("<(function|class) |a program", text)
            if wrong.paper:
                assert wrong.paper.strip("`") not in tasks[0].solution.splitlines()
            else:
                assert not any(keys.answered(wrong.answer(task.numbers)) == keys.answered(task.solved)
                               for task in tasks), (exercise.id, text)


FORMS = [(exercise, forms) for number in CHAPTERS for exercise in on_sheet(number)[1]
         for forms in paper_of(number).forms.get(exercise.id, ())]


@pytest.mark.parametrize(("exercise", "forms"), FORMS, ids=lambda one: getattr(one, "id", ""))
def test_a_key_names_other_forms_that_the_check_accepts(exercise, forms):
    assert list(also_right(exercise, forms)) == list(forms[1:])
    row = next(row for row in marked(chapter_of(exercise.id)).values() if row.label == f"✎ **{exercise.id}**"
               or row.label.startswith(f"✎ **{exercise.id}** "))
    assert all(f"`{form}`" in row.values[0] for form in forms[1:])


def test_code_that_the_key_calls_wrong_is_that_mistake_to_the_check():
    tried = set()
    for exercise, forms in FORMS:
        for wrong in exercise.wrong:
            code = re.fullmatch("`[^`]+`", wrong.paper)
            if code and forms == paper_of(chapter_of(exercise.id)).forms[exercise.id][0]:
                found = judged_with(exercise.id, forms[0], wrong.paper.strip("`"))
                assert found.says and found.wrong in (wrong, None), (exercise.id, wrong.paper)
                tried.add(exercise.id)
    assert tried >= {"2b", "3b", "7b", "8b", "9b", "12a"}


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_vote_uses_no_word_that_a_class_without_computers_has_not_met(number):
    """An earlier chapter, the page before the votes, or the sheet above the question explains it."""
    page = cells(load(number))
    before = "\n".join(cell.text for cell in page[:cell_tagged(page, "predict").at])
    text = student(sheet(number, "A"), Form().page("A", 1)).text
    for question in on_sheet(number)[0]:
        above = text.partition(f"Predict {question.id}")[0] + text.partition(
            f"Predict {question.id}")[2].partition("#cards(")[0]
        options = " \n".join(option.text for option in question.options)
        for term in terms_in(f"{question.paper or question.text}\n{options}"):
            forms = [form.strip("`") for form in (term.name, *term.forms)]
            here = any(f"**{form.lower()}**" in before.lower() for form in forms)
            earlier = term.name in SCHOOL or (term.chapter or 0) < number
            assert earlier or here or f"**{term.name}**: " in above, (question.id, term.name)
            told = f"**{term.name}**: {term.on_sheets}" if f"**{term.name}**: " in text else ""
            assert not any(re.search(asked.told, told) for asked in on_sheet(number)[0]), told


GENERAL = {"element", "gradient", "input", "number", "result", "tensor", "value", "that", "them", "with"}


def said_in(text):
    """The words of a text that carry its meaning: "recorded" and "records" are one."""
    words = re.findall(r"[a-z_]{4,}", text.lower())
    return {re.sub(r"(ations?|ing|ed|es|s|e)$", "", word) for word in words if word not in GENERAL}


@pytest.mark.parametrize("number", CHAPTERS)
def test_no_word_that_a_sheet_explains_tells_the_answer_to_a_vote_above_it(number):
    """A learner sees the whole side. Telling is a word of the right answer and its reply which neither the
    question nor a wrong answer has."""
    above = []
    for question, _ in sheet(number, "A").predictions:
        for term in sheet(number, "A").words[question.id]:
            for asked in above:
                right = asked.option(asked.right)
                wrong = [f"{option.text} {option.says}" for option in asked.options if not option.right]
                telling = said_in(f"{right.text} {right.says}") - said_in(
                    " ".join([asked.paper or asked.text, *wrong]))
                assert not said_in(term.on_sheets) & telling, (term.name, asked.id)
        above.append(question)


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_word_that_only_the_right_answer_uses_is_explained_without_an_example(number):
    """`x[0]`, the example of a view, would say that a slice is one."""
    for question, _ in sheet(number, "A").predictions:
        right = question.option(question.right)
        others = [question.paper or question.text, *(one.text for one in question.options if one != right)]
        for term in sheet(number, "A").words[question.id]:
            if term in terms_in(right.text) and term not in terms_in("\n".join(others)):
                assert "such as" not in term.on_sheets, (term.name, question.id)


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_key_names_a_function_as_the_sheet_does(number):
    """A learner writes `hessian`; so a teacher doesn't look for another name."""
    for task in sheet(number, "A").tasks:
        answer = re.search(r"^answer_\w+ = (\w+)$", task.solution, re.MULTILINE)
        if answer and re.search(rf"^(def|class) {answer[1]}\b", task.solution, re.MULTILINE):
            assert re.search(rf"^(def|class) {answer[1]}\b", task.code, re.MULTILINE), task.exercise.id


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_person_counts_the_points_of_a_program(number):
    """What a check tries out is no rule for somebody who reads a line."""
    one = sheet(number, "A")
    for task in one.tasks:
        if "<" in keys.answered(task.solved) and task.exercise.parts > 1:
            assert task.exercise.id in one.paper.rules


def test_a_sheet_has_a_place_for_the_line_that_is_to_be_changed_and_the_key_has_the_line():
    assert "[the changed line]" in student(sheet(6, "B"), Form().page("B", 1)).text
    row = marked(6)["the changed line"]
    assert row.points == 0
    task = sheet(6, "B").tasks[2]
    line = row.values[0].split("`")[1]
    names = {"torch": torch, "print": lambda found: found}
    code = task.code.replace("h = w * h", line).replace("print(w.grad)", "seen.append(w.grad.item())")
    exec("seen = []\n" + code, names)
    assert names["seen"] == pytest.approx(list(task.exercise.expected(task.numbers)))


@with_paper
@pytest.mark.parametrize("number", CHAPTERS)
def test_a_teacher_marks_by_one_page(number):
    """The first page of the key has all answers, those in words too; code comes later."""
    form = Form()
    page = keys.key([sheet(number, seat) for seat in VARIANTS], 0, form.page("key"))
    strip = page.text.partition("```{=typst}\n#pagebreak()")[0]
    page.parts = [strip]
    (made,) = as_pdf([page], ["Key"], form)
    assert pages_of(made) == 1 and "~~~~" not in strip
    for asked in (*on_sheet(number)[0], *on_sheet(number)[1]):
        assert f"*{asked.id}*" in strip
    for label in ("because", "✎ caption", "Exit ticket"):
        assert f"([{label}], " in strip


@with_paper
def test_long_code_on_a_key_or_sheet_goes_on_in_the_next_line_of_a_table(tmp_path):
    import typst
    look = (ROOT / "minigrad" / "book" / "build" / "page.typ").read_text(encoding="utf-8")
    rule = re.search(r"^#let whole.*?(?=^#show)", look, re.MULTILINE | re.DOTALL)[0]
    (tmp_path / "cell.typ").write_text(
        f"#let big = false\n{rule}\n"
        "#let high(code) = measure(block(width: 110pt, broken(raw(code)))).height\n"
        '#context [#metadata(high("squared.backward(retain_graph=True)") > 1.5 * high("w.grad")) <more>]',
        encoding="utf-8")
    (found,) = json.loads(typst.query(str(tmp_path / "cell.typ"), "<more>"))
    assert found["value"] is True


def test_a_key_has_a_program_in_one_row_and_a_case_beside_its_answer():
    rows = marked(14)
    cases = [of(14).EXERCISES[0].numbers(seat)[0] for seat in VARIANTS]
    assert [said.partition(" (")[2] for said in rows["line 1"].answers] == [f"{case})" for case in cases]
    assert rows["✎ 14b"].points == 4 and "1 for each: `save_for_backward`" in rows["✎ 14b"].values[0]
    row = marked(12)["✎ 12a"]
    assert row.points == 3 and "\n" in row.values[0]


def test_the_key_prints_the_rule_that_counts_the_points():
    """For boxes to tick, whatever is ticked; for other exercises, a point for each of its parts."""
    for number in CHAPTERS:
        for exercise in on_sheet(number)[1]:
            assert bool(exercise.rule) == (exercise.parts > 1), exercise.id
    exercise = of(CHAPTER).EXERCISES[0]
    right, wrong = set(exercise.expected(None)), set(exercise.choices) - exercise.expected(None)
    assert exercise.rule == ("nothing ticked: 0; else 8, less 2 for each box that is ticked wrongly or "
                             "missing, at least 0")
    for ticked, missing in product(range(len(right) + 1), range(len(wrong) + 1)):
        boxes = set(sorted(right)[:ticked]) | set(sorted(wrong)[:missing])
        by_hand = max(0, 8 - 2 * (len(right) - ticked + missing)) if boxes else 0
        assert count_right(exercise, boxes, None) == by_hand
    assert exercise.rule in marked(CHAPTER)["✎ 6a"].values[0]


@pytest.mark.parametrize("number", CHAPTERS)
def test_any_two_sheets_differ_in_the_letters_of_right_options_as_far_as_these_allow(number):
    """On A the options have the book's order; the key says each letter. Neighbours sit beside each other, and
    opposite sheets of the circle A, B, C, D one behind the other."""
    rows = marked(number)
    four = [sheet(number, seat) for seat in VARIANTS]
    alike = {pair: [] for pair in combinations(VARIANTS, 2)}
    asked = on_sheet(number)[0]
    for question in asked:
        orders = [one.orders[question.id] for one in four]
        assert orders[0] == question.letters
        assert all(sorted(order) == list(question.letters) for order in orders)
        assert len({*orders}) == 4 or len(question.letters) == 2
        places = [question.letters[order.index(question.right)] for order in orders]
        assert len(set(places)) == min(4, len(question.letters))
        for one, other in alike:
            if places[VARIANTS.index(one)] == places[VARIANTS.index(other)]:
                alike[one, other].append(question)
        assert rows[f"▶ {question.id}"].answers == [f"**{place}**" for place in places]
    few = sum(len(question.letters) == 3 for question in asked)
    two = sum(len(question.letters) == 2 for question in asked)
    for (one, other), questions in alike.items():
        opposite = VARIANTS.index(other) - VARIANTS.index(one) == 2
        assert len(questions) <= two + opposite * -(-few // 2), (one, other)
        assert len(questions) < len(asked) or len(asked) == 1, (one, other)
    for exercise in on_sheet(number)[1]:
        if exercise.choices:
            at = on_sheet(number)[1].index(exercise)
            assert len({tuple(one.tasks[at].ticks) for one in four}) == 4


def test_comments_stand_under_each_other_two_spaces_after_the_code():
    from minigrad.book.build.lettering import near
    code = 'w = start()            # loop 1\n# alone\nprint("  # no")         # 2\nlonger_than_any_comment(w)'
    lines = ["w = start()      # loop 1", "# alone", 'print("  # no")  # 2', "longer_than_any_comment(w)"]
    assert near(code) == "\n".join(lines)
    assert near("if (") == "if ("


def test_what_the_key_takes_for_right():
    from minigrad.book.build import tasks
    assert keys.said(16777216) == "16777216 = 2²⁴" and keys.said(33554431.) == "33554431 = 2²⁵ − 1"
    assert keys.within(25., 5e-3) == "24.88 to 25.12" and keys.within(25., 1e-3) == "25"
    solution = "import math\nanswer_3c = (p * q).exp() - p\nprint(1)"
    assert tasks.answer_in(solution) == ["(p * q).exp() - p"]
    assert tasks.answer_in("w = a.b_()  # why\nother = 3\nanswer_2b = w") == ["w = a.b_()"]


@with_paper
@pytest.mark.parametrize("number", OURS)
def test_every_chapter_fits_two_pages_of_either_paper(number):
    for form in (Form(), Form(letter=True)):
        (made,) = fit([sheet(number, "A")], form).pdfs
        assert pages_of(made) == 2


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_solutions_are_right_with_the_numbers_of_every_sheet(number):
    """What the key shows, and what nbgrader takes for right."""
    for seat in VARIANTS:
        for task in sheet(number, seat).tasks:
            assert first_wrong(task.exercise, task.solved, task.numbers) is None, (task.exercise.id, seat)


def sizes_in(pdf):
    """The sizes of letters on the pages of a PDF, pictures included as they are placed."""
    return {float(size) for text in streams_in(pdf) for size in re.findall(rb"/\w+ ([\d.]+) Tf", text)}


@with_paper
@pytest.mark.parametrize("number", OURS)
def test_large_print_has_eighteen_points_throughout(number):
    """Words, code, the foot of the page and the labels in pictures, which stay whole on their page."""
    from minigrad.book.build.blanks import size_of
    form = Form(large=True, letter=number % 2 == 0)
    one = sheet(number, "A")
    (made,) = fit([one], form).pdfs
    assert pages_of(made) > (1 if number == 16 else 2)
    page = form.page("A", 2)
    labels = set()
    for picture in [one.large, *(task.picture for task in one.tasks if task.picture)]:
        svg, width, height, turned = page.placed(picture)
        across, down = (height, width) if turned else (width, height)
        assert across <= form.wide and down <= form.tall
        sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)', svg)}
        assert min(sizes) * width / size_of(svg)[0] >= 18 - 1e-6
        labels |= sizes
    assert min(sizes_in(made) - labels) >= 18 * 0.6  # the smallest are exponents, as in x³


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_four_sheets_differ_in_every_exercise_with_numbers_and_in_the_picture(number):
    """In what is to be written down, not only in what is given: neighbours can't copy."""
    four = [sheet(number, seat) for seat in VARIANTS]
    assert len({repr(numbers_of(one.full)) for one in four}) == len({one.code for one in four}) == 4
    for at, exercise in enumerate(on_sheet(number)[1]):
        if exercise.draw is not None:
            tasks = [one.tasks[at] for one in four]
            assert len({repr((task.said, task.code)) for task in tasks}) == 4, exercise.id
            assert len({repr(exercise.told(task.numbers)) for task in tasks}) == 4, exercise.id


@with_paper
def test_pictures_are_not_smaller_than_eleven_points():
    from minigrad.book.build.blanks import size_of, svg_of
    wide = Form().wide
    for number in CHAPTERS:
        one = sheet(number, "A")
        others = [task.picture for task in one.tasks if task.picture]
        for picture in [one.picture, keys.on_key(one, wide), *others]:
            svg = svg_of(picture, wide)
            assert size_of(svg)[0] <= wide, number
            assert min(float(size) for size in re.findall(r'font-size="([\d.]+)', svg)) >= 11
    assert Form().scale == 1 and Form(tight=True).scale * 11 >= 9.35  # said in page.typ


@with_paper
def test_letters_of_pictures_are_as_wide_as_arial_whatever_font_there_is():
    from minigrad.book.build.picture_letters import fitted, widths
    text = '<text text-anchor="start" font-family="Arial"{} font-size="11.00">{}</text>'

    def length(words, look=""):
        return float(re.search(r'textLength="([\d.]+)"', fitted(text.format(look, words)))[1])

    said = 11 * sum(widths(False)[one] for one in "w.grad -1 ")
    assert length("w.grad &#45;1 \N{ZERO WIDTH SPACE}") == pytest.approx(said, abs=0.01)
    assert length("w.grad", ' font-weight="bold"') > length("w.grad")
    assert "textLength" not in fitted(text.format("", "変数"))  # its width is not known


@with_paper
def test_who_cannot_see_a_picture_hears_it(paper):
    """And hears no answer."""
    one = sheet(CHAPTER, "A")
    text = student(one, Form().page("A", 2)).text
    (alt,) = re.findall(r'^#picture\("A-0.svg", \w+, 0deg, "(.*)"\)$', text, re.MULTILINE)
    assert "leaf x" in alt and "freed" not in alt and alt.count("blank") == len(one.answers)
    assert not [answer for about, answer in one.answers if f" {answer}" in alt and "." in answer]
    assert b"/Alt" in (paper / "lesson-06/class/06-sheets.pdf").read_bytes()


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_words_of_a_picture_name_every_blank_and_what_belongs_there(number):
    """Numbers, drawers, saved tabs and versions; in large print too, where blanks are numbers alone."""
    from minigrad.book.build.blanks import told
    one = sheet(number, "B")
    for picture in (one.picture, one.large):
        assert re.findall(r"\((\d+)\) blank", told(picture)) == [
            str(at) for at in range(1, len(one.answers) + 1)]
    full = " ".join(told(one.full).split())
    if number in (6, 8):
        assert "saved: other" in full
    if any(about.startswith("version of") for about, _ in one.answers):
        assert "version" in full


def streams_in(pdf):
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            yield zlib.decompress(stream)
        except zlib.error:
            continue


def signs_in(pdf):
    """The hexadecimal codes of the signs that a reader may copy out of a PDF."""
    maps = [text for text in streams_in(pdf) if b"begincmap" in text]
    return {code for text in maps for code in re.findall(r"<\w+> <(\w{4})>", text.decode("latin-1"))}


@with_paper
def test_pdfs_are_accessible_and_copied_programs_run(paper):
    """PDF/UA, which typst checks itself; and no invisible sign in a program."""
    paths = list(paper.glob("**/*.pdf"))
    assert len(paths) == 10
    for path in paths:
        made = path.read_bytes()
        assert b"<pdfuaid:part>1<" in made, path.name
        assert "0041" in signs_in(made) and "200B" not in signs_in(made), path.name


@with_paper
def test_a_program_line_that_goes_on_has_a_sign():
    for line, wraps in (("x = 1", False), ("x = f(" + ", ".join(["argument"] * 9) + ")", True)):
        page = Form().page("A")
        page.code(f"if ready:\n    {line}")
        (made,) = as_pdf([page], ["Wide"], Form())
        assert ("21AA" in signs_in(made)) == wraps


@with_paper
@pytest.mark.parametrize("number", [6, 15])
def test_large_print_has_the_order_of_the_other_sheets(number):
    assert fit([sheet(number, "A")], Form(large=True)).first == fit([sheet(number, "A")], Form()).first


@with_paper
def test_the_foot_of_a_sheet_says_where_it_is_from(monkeypatch):
    import typst
    seen = []
    monkeypatch.setattr(typst, "compile", lambda files, **options: seen.append(files["main.typ"].decode()))
    pdf.compiled(Form().page("A"), "", "6 · Why? · Sheet A", Form())
    (foot,) = re.findall(r"footer: context \[(.*?) #h", seen[0])
    assert f"6 · Sheet A · minigrad {torch.__version__}" in foot and "CC BY 4.0" in foot
    for url in ("git@host.org:me/book.git", "https://me:secret@host.org/me/book"):
        assert pdf.web_address(url) == "host.org/me/book"
    assert pdf.web_address("/srv/book") == ""
