"""What a teacher hands out, made for one chapter in all forms, and looked into.

Handouts need pandoc and typst (requirements-handouts.txt); without them these tests are
skipped, and say so. CI installs them.
"""
import base64
import json
import re
import zlib
from dataclasses import replace
from importlib.util import find_spec
from itertools import product

import pytest

import minigrad as torch
from minigrad.book.__main__ import main
from minigrad.book.build import pages, plan, students
from minigrad.book.build.blanks import numbers_of
from minigrad.book.build.keys import TICKET
from minigrad.book.build.sheets import VARIANTS
from minigrad.book.chapters import CHAPTERS, of
from minigrad.book.judging import count_right, first_wrong
from tests import ROOT
from tests.helpers.sheets_made_once import sheet
from tests.helpers.stored_chapters import exercises_in, source, tags

CHAPTER = 6


def lacking(*tools):
    missing = [tool for tool in tools if find_spec(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed: "
                              "pip install -r requirements-handouts.txt")


with_paper = lacking("pypandoc", "typst")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Chapter 6 as notebooks."""
    folder = tmp_path_factory.mktemp("made") / "build"
    plan.build([str(CHAPTER)], "student,instructor,nbgrader", folder, tell=lambda line: None)
    return folder


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """Chapter 6 as handouts, and the node cards."""
    folder = tmp_path_factory.mktemp("made") / "build"
    plan.build([str(CHAPTER)], "handout", folder, tell=lambda line: None)
    plan.build(["4"], "cards", folder, tell=lambda line: None)
    return folder


def notebook(folder, pattern="**/06_*.ipynb"):
    return json.loads(next(iter(sorted(folder.glob(pattern)))).read_text(encoding="utf-8"))


def solution_lines(number):
    """Lines of the chapter's solutions that stand nowhere else in it."""
    cells = pages.load(number)["cells"]
    rest = "\n".join(source(cell) for cell in cells if "solution" not in tags(cell))
    lines = [line.strip() for cell in cells if "solution" in tags(cell) for line in source(cell).splitlines()]
    return [line for line in lines if len(line) > 12 and not line.startswith("###") and line not in rest]


# --- notebooks --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("number", CHAPTERS)
def test_a_student_s_file_has_no_answers(number):
    made = students.student(pages.load(number))
    whole = json.dumps(made, ensure_ascii=False)
    assert "SOLUTION" not in whole and "| belief |" not in whole
    assert solution_lines(number) and not [line for line in solution_lines(number)
                                           if json.dumps(line, ensure_ascii=False)[1:-1] in whole]
    assert not [cell for cell in made["cells"] if cell.get("outputs") or cell.get("execution_count")]
    words = "\n".join(source(cell) for cell in made["cells"])
    assert "olution" not in words.replace('`solution("0a")` shows one way', ""), "it names what isn't there"


@pytest.mark.parametrize("kind", ["student", "nbgrader/release"])
def test_run_all_passes_and_every_check_says_not_answered(files, kind, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MINIGRAD_BOOK", "text")
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    made = nbformat.read(next((files / kind).glob("**/*.ipynb")), as_version=4)
    assert nbformat.validate(made) is None
    nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()
    checks = [cell.outputs[0].text for cell in made.cells if "check" in cell.metadata.get("tags", ())]
    assert len(checks) == len(exercises_in(pages.load(CHAPTER)))
    assert all(said.startswith("□") for said in checks)


def test_a_slip_in_an_exercise_does_not_stop_run_all(files, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MINIGRAD_BOOK", "text")
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    made = nbformat.read(next((files / "student").glob("**/*.ipynb")), as_version=4)
    exercise = next(cell for cell in made.cells if "exercise" in cell.metadata.get("tags", ()))
    exercise.source = "answer = lines[:4]"
    nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()
    assert exercise.outputs[0].ename == "NameError"
    assert all(cell.execution_count for cell in made.cells if cell.cell_type == "code")


def test_the_teacher_s_file_has_everything(files):
    made = notebook(files / "instructor")
    texts = [source(cell) for cell in made["cells"]]
    for cell in pages.load(CHAPTER)["cells"]:
        assert re.sub("(?m)\n?^### END.*|^### BEGIN.*\n", "", source(cell)) in texts
    tables = [text for text in texts if "| belief |" in text]
    assert len(tables) >= len(of(CHAPTER).QUESTIONS) + len(of(CHAPTER).EXERCISES)
    assert texts[1].startswith("**Teacher's copy.**") and "| 0–3 |" in texts[1]
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])


# --- handouts ---------------------------------------------------------------------------------------------

@with_paper
@pytest.mark.parametrize("seat", VARIANTS)
def test_a_sheet_is_two_pages_without_answers(paper, seat):
    from minigrad.book.build.handouts import pages_of
    assert pages_of((paper / f"handouts/06-{seat}.pdf").read_bytes()) == 2
    html = (paper / f"handouts/06-{seat}.html").read_text(encoding="utf-8")
    one = sheet(CHAPTER, seat)
    for question in of(CHAPTER).QUESTIONS:
        assert f"Predict {question.id}" in html
        assert not [option.says for option in question.options if option.says in html]
    assert not [line for line in solution_lines(CHAPTER) if line in html]
    assert one.answers and all(len(answer) for _, answer in one.answers)
    (svg,) = (base64.b64decode(data).decode() for data in re.findall(r"svg\+xml;base64,([^\"]+)", html))
    words = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    blanks = [word for word in words if "____" in word]
    assert len(blanks) == len(one.answers)
    assert not [(word, answer) for _, answer in one.answers for word in words if word.endswith(f" {answer}")]


@with_paper
def test_the_pages_need_nothing_else(paper):
    for path in paper.glob("**/*.html"):
        html = path.read_text(encoding="utf-8")
        assert not re.findall(r"(?:src|href)=\"(?!data:)[^\"]*\"|url\(|@import|<script", html), path.name


def marking_table(folder):
    """The rows of the key to chapter 6: (label, points, answers)."""
    html = (folder / "handouts/06-key.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition('<div class="turn">')[0], re.DOTALL)
    plain = [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]
    return [(label, points, answers) for label, points, *answers in plain[1:]]


@with_paper
def test_the_key_says_what_the_engine_gives(paper):
    """6b and the picture, by hand: the key has these numbers, for each of the four sheets."""
    rows = {label: answers for label, _, answers in marking_table(paper)}
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
def test_the_key_has_the_order_of_the_sheet_and_a_point_for_each_thing_that_is_asked(paper):
    html = (paper / "handouts/06-A.html").read_text(encoding="utf-8")
    rows = marking_table(paper)
    marks = ["6.1", "6.2", "6.3", "6a", "6b", "6c", "caption", "Exit ticket"]
    on_sheet = sorted(marks, key=lambda mark: re.search(rf"(Predict|✎|Your|>) ?{mark}", html).start())
    on_key = [mark for label, _, _ in rows for mark in marks if re.search(rf"\b{mark}\b", label)]
    assert on_key == on_sheet
    points = sum(int(points or 0) for label, points, _ in rows[:-1] if points != "1–4")
    assert points == int(rows[-1][1]) == (
        len(sheet(CHAPTER, "A").answers) + TICKET
        + sum(one.parts for one in of(CHAPTER).EXERCISES))


@with_paper
@pytest.mark.parametrize("number", CHAPTERS)
def test_a_teacher_marks_by_one_page(number):
    """All answers stand on the first page of the key, those in words too; code comes later."""
    from minigrad.book.build import handouts, keys
    from minigrad.book.build.writing import Page
    form = handouts.Form()
    page = keys.key([sheet(number, seat) for seat in VARIANTS], 0, Page("key", 0, form.wide))
    strip = page.text.partition("```{=typst}\n#pagebreak()")[0]
    page.parts = [strip]
    (pdf,), (html,) = handouts.turned([page], ["Key"], form)
    assert handouts.pages_of(pdf) == 1 and "<pre" not in html
    for what in [question.id for question in of(number).QUESTIONS] + [one.id for one in of(number).EXERCISES]:
        assert f"<strong>{what}</strong>" in html or f"<b>{what}</b>" in html
    assert "because</th>" in html and "caption</th>" in html and "Exit ticket, 1 for each fact</th>" in html


@with_paper
def test_long_code_on_a_key_or_sheet_goes_on_in_the_next_line_of_a_table(tmp_path):
    import typst
    look = (ROOT / "minigrad" / "book" / "build" / "handout.typ").read_text(encoding="utf-8")
    rule = re.search(r"^#let whole.*?(?=^#show)", look, re.MULTILINE | re.DOTALL)[0]
    (tmp_path / "cell.typ").write_text(
        f"#let big = false\n{rule}\n"
        "#let high(code) = measure(block(width: 110pt, broken(raw(code)))).height\n"
        '#context [#metadata(high("squared.backward(retain_graph=True)") > 1.5 * high("w.grad")) <more>]',
        encoding="utf-8")
    (found,) = json.loads(typst.query(str(tmp_path / "cell.typ"), "<more>"))
    assert found["value"] is True


def test_a_key_has_a_program_in_one_row_and_a_case_beside_its_answer():
    from minigrad.book.build import keys
    rows = {row.label: row for row in keys.marking([sheet(14, seat) for seat in VARIANTS], 0)}
    cases = [of(14).EXERCISES[0].numbers(seat)[0] for seat in VARIANTS]
    assert [said.partition(" (")[2] for said in rows["line 1"].answers] == [f"{case})" for case in cases]
    assert rows["✎ **14b**"].points == 4 and "1 for each: the result" in rows["✎ **14b**"].values[0]
    rows = {row.label: row for row in keys.marking([sheet(12, seat) for seat in VARIANTS], 0)}
    assert rows["✎ **12a**"].points == 3 and "\n" in rows["✎ **12a**"].values[0]


def test_the_key_prints_the_rule_that_counts_the_points():
    """For boxes to tick, whatever is ticked; for other exercises, a point for each of its parts."""
    for number in CHAPTERS:
        for exercise in of(number).EXERCISES:
            assert bool(exercise.rule) == (exercise.parts > 1), exercise.id
    exercise = of(CHAPTER).EXERCISES[0]
    right, wrong = set(exercise.expected(None)), set(exercise.choices) - exercise.expected(None)
    assert exercise.rule == ("nothing ticked: 0; else 8, less 2 for each box that is ticked wrongly or "
                             "missing, at least 0")
    for ticked, missing in product(range(len(right) + 1), range(len(wrong) + 1)):
        boxes = set(sorted(right)[:ticked]) | set(sorted(wrong)[:missing])
        by_hand = max(0, 8 - 2 * (len(right) - ticked + missing)) if boxes else 0
        assert count_right(exercise, boxes, None) == by_hand
    rows = {row.label: row for row in marked(CHAPTER)}
    assert exercise.rule in rows["✎ **6a**"].values[0]


def marked(number):
    from minigrad.book.build import keys
    return keys.marking([sheet(number, seat) for seat in VARIANTS], 0)


def test_the_key_to_4b_has_all_short_orders_as_sets():
    from minigrad.book.chapters.on_paper import orders_behind, sets_of
    exercise = of(4).EXERCISES[1]
    for seat in VARIANTS:
        numbers = exercise.numbers(seat)
        found = orders_behind(numbers)
        assert found and all(count_right(exercise, " ".join(order), numbers) == 1 for order in found)
    assert orders_behind(exercise.numbers("B"))[:4] == ["ypcscd", "ypcsdc", "ypsdpc", "yspdpc"]
    assert sets_of(["ypcscd", "ypcsdc", "ypsdpc", "yspdpc"]) == ["y p c s (c d)", "y (p s) d p c"]
    assert sets_of(["yscd"]) == ["y s c d"]


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_right_option_has_another_letter_on_neighbouring_sheets(number):
    """On A the options have the book's order; the key says each letter."""
    rows = {row.label: row for row in marked(number)}
    four = [sheet(number, seat) for seat in VARIANTS]
    for question in of(number).QUESTIONS:
        orders = [one.orders[question.id] for one in four]
        assert orders[0] == question.letters
        assert all(sorted(order) == list(question.letters) for order in orders)
        places = [question.letters[order.index(question.right)] for order in orders]
        assert len(set(places)) == min(4, len(question.letters))
        assert rows[f"▶ **{question.id}**"].answers == [f"**{place}**" for place in places]
    for exercise in of(number).EXERCISES:
        if exercise.choices:
            at = of(number).EXERCISES.index(exercise)
            assert len({tuple(one.tasks[at].ticks) for one in four}) == 4


def test_comments_stand_under_each_other_two_spaces_after_the_code():
    from minigrad.book.build.lettering import near
    code = 'w = start()            # loop 1\n# alone\nprint("  # no")         # 2\nlonger_than_any_comment(w)'
    lines = ["w = start()      # loop 1", "# alone", 'print("  # no")  # 2', "longer_than_any_comment(w)"]
    assert near(code) == "\n".join(lines)
    assert near("if (") == "if ("


def test_what_the_key_takes_for_right():
    from minigrad.book.build import keys, tasks
    assert keys.said(16777216) == "16777216 = 2²⁴" and keys.said(33554431.) == "33554431 = 2²⁵ − 1"
    assert keys.within(25., 5e-3) == "24.88 to 25.12" and keys.within(25., 1e-3) == "25"
    solution = "import math\nanswer_3c = (p * q).exp() - p\nprint(1)"
    assert tasks.answer_in(solution) == ["(p * q).exp() - p"]
    assert tasks.answer_in("w = a.b_()  # why\nother = 3\nanswer_2b = w") == ["w = a.b_()"]
    rows = {row.label: row.values for row in keys.marking([sheet(4, seat) for seat in VARIANTS], 0)}
    assert [said[:18] for said in rows["the order"]] == ["any that ends with"] * 4


@with_paper
@pytest.mark.parametrize("number", CHAPTERS)
def test_every_chapter_fits_two_pages_of_either_paper(number):
    from minigrad.book.build.handouts import Form, fitted, pages_of
    for form in (Form(), Form(letter=True)):
        pdfs, _, _ = fitted([sheet(number, "A")], form)
        assert [pages_of(pdf) for pdf in pdfs] == [2]


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
@pytest.mark.parametrize("number", CHAPTERS)
def test_large_print_has_eighteen_points_throughout(number):
    """Words, code, the foot of the page and the labels in pictures, which stay whole on their page."""
    from minigrad.book.build.blanks import size_of
    from minigrad.book.build.handouts import Form, fitted, pages_of
    from minigrad.book.build.writing import Page
    form = Form(large=True, letter=number % 2 == 0)
    one = sheet(number, "A")
    (pdf,), (html,), _ = fitted([one], form)
    assert pages_of(pdf) > 2 and "--size: 18pt; --code: 18pt" in html
    page = Page("A", 2, form.wide, form.scale, form.tall)
    labels = set()
    for picture in [one.large, *(task.picture for task in one.tasks if task.picture)]:
        svg, width, height, turned = page.placed(picture)
        across, down = (height, width) if turned else (width, height)
        assert across <= form.wide and down <= form.tall
        sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)', svg)}
        assert min(sizes) * width / size_of(svg)[0] >= 18 - 1e-6
        labels |= sizes
    assert min(sizes_in(pdf) - labels) >= 18 * 0.6  # the smallest are exponents, as in x³


@pytest.mark.parametrize("number", CHAPTERS)
def test_the_four_sheets_differ_in_every_exercise_with_numbers_and_in_the_picture(number):
    """In what is to be written down, not only in what is given: neighbours can't copy."""
    four = [sheet(number, seat) for seat in VARIANTS]
    assert len({repr(numbers_of(one.full)) for one in four}) == len({one.code for one in four}) == 4
    for at, exercise in enumerate(of(number).EXERCISES):
        if exercise.draw is not None:
            tasks = [one.tasks[at] for one in four]
            assert len({repr((task.said, task.code)) for task in tasks}) == 4, exercise.id
            assert len({repr(exercise.told(task.numbers)) for task in tasks}) == 4, exercise.id


@with_paper
def test_pictures_are_not_smaller_than_eleven_points():
    from minigrad.book.build import keys
    from minigrad.book.build.blanks import size_of, svg_of
    from minigrad.book.build.handouts import Form
    wide = Form().wide
    for number in CHAPTERS:
        one = sheet(number, "A")
        others = [task.picture for task in one.tasks if task.picture]
        for picture in [one.picture, keys.on_key(one, wide), *others]:
            svg = svg_of(picture, wide)
            assert size_of(svg)[0] <= wide, number
            assert min(float(size) for size in re.findall(r'font-size="([\d.]+)', svg)) >= 11


@with_paper
def test_who_cannot_see_a_picture_hears_it(paper):
    """In the PDF and in the HTML, and without the answers."""
    one = sheet(CHAPTER, "A")
    html = (paper / "handouts/06-A.html").read_text(encoding="utf-8")
    (alt,) = re.findall(r'<img [^>]*alt="([^"]+)"', html)
    assert "leaf x" in alt and "freed" not in alt and alt.count("blank") == len(one.answers)
    assert not [answer for about, answer in one.answers if f" {answer}" in alt and "." in answer]
    pdf = (paper / "handouts/06-A.pdf").read_bytes()
    assert b"/Alt" in pdf


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
    """The hexadecimal codes of the signs that somebody may copy out of a PDF."""
    maps = [text for text in streams_in(pdf) if b"begincmap" in text]
    return {code for text in maps for code in re.findall(r"<\w+> <(\w{4})>", text.decode("latin-1"))}


@with_paper
def test_pdfs_are_accessible_and_copied_programs_run(paper):
    """PDF/UA, which typst checks itself; and no sign in a program that nobody sees."""
    for path in paper.glob("**/*.pdf"):
        pdf = path.read_bytes()
        assert b"<pdfuaid:part>1<" in pdf, path.name
        assert "0041" in signs_in(pdf) and "200B" not in signs_in(pdf), path.name


@with_paper
def test_a_program_line_that_goes_on_has_a_sign():
    from minigrad.book.build.handouts import Form, turned
    from minigrad.book.build.writing import Page
    form = Form()

    def made(line):
        page = Page("A", 0, form.wide)
        page.code(f"if ready:\n    {line}")
        (pdf,), (html,) = turned([page], ["Wide"], form)
        return pdf, html

    for line, wraps in (("x = 1", False), ("x = f(" + ", ".join(["argument"] * 9) + ")", True)):
        pdf, html = made(line)
        assert ("21AA" in signs_in(pdf)) == wraps
        assert f'<span class="line">    {line}\n</span>' in html


@with_paper
@pytest.mark.parametrize("number", [6, 15])
def test_large_print_has_the_order_of_the_other_sheets(number):
    from minigrad.book.build.handouts import Form, fit
    assert fit([sheet(number, "A")], Form(large=True)).first == fit([sheet(number, "A")], Form()).first


def outline(html):
    """The landmarks and headings of a page, and the words in the heads of its tables."""
    heads = [re.sub(r"<[^>]+>", "", head).strip() for head in re.findall(r"<th\b.*?</th>", html, re.DOTALL)]
    return re.findall(r"<(main|footer|h[1-6])\b", html), heads


@with_paper
def test_the_pages_have_landmarks_headings_and_no_empty_table_heads(paper):
    for path in paper.glob("**/*.html"):
        marks, heads = outline(path.read_text(encoding="utf-8"))
        assert marks[:2] == ["main", "h1"] and marks[-1] == "footer" and marks.count("h1") == 1, path.name
        assert all(heads), path.name


@with_paper
def test_the_foot_of_a_sheet_says_where_it_is_from(paper):
    from minigrad.book.build.handouts import web_address
    for path in paper.glob("**/*.html"):
        foot = re.search("<footer[^>]*>(.*)</footer>", path.read_text(encoding="utf-8"))[1]
        assert f"minigrad {torch.__version__}" in foot and "CC BY 4.0" in foot
    for url in ("git@host.org:me/book.git", "https://me:secret@host.org/me/book"):
        assert web_address(url) == "host.org/me/book"
    assert web_address("/srv/book") == ""


@with_paper
def test_node_cards(paper):
    """The messages on the key are those of the rule of two: what reaches c is 1 + d, and a.grad adds up."""
    from minigrad.book.build.cards import recorded
    from minigrad.book.build.handouts import pages_of
    for seat in VARIANTS:
        start, result, cards = recorded(seat)
        a, b = start["a"], start["b"]
        got = {card.made: card.got[0] for card in cards}
        assert result == (a + b) + a * b + (a + b) * a * b
        assert (got["c"], got["d"]) == (1 + a * b, 1 + a + b)
        assert (got["a"], got["b"]) == (got["c"] + got["d"] * b, got["c"] + got["d"] * a)
        assert pages_of((paper / f"cards/04-cards-{seat}.pdf").read_bytes()) == 2
        html = (paper / f"cards/04-cards-{seat}.html").read_text(encoding="utf-8")
        assert html.count("cutcard\"") == 8 and str(got["a"]) not in html
    assert len({recorded(seat)[1] for seat in VARIANTS}) == 4


# --- the command ------------------------------------------------------------------------------------------

def test_progress_and_summary(tmp_path, capsys):
    assert main(["build", "6", "2", "--only", "student", "--to", str(tmp_path / "out")]) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("[1/2] student    chapter 6") and second.startswith("[2/2]")
    assert re.search(r"out: 2 files, 0 printed pages, \d+\.\d s$", last)
    assert sorted(path.name[:2] for path in (tmp_path / "out/student").iterdir()) == ["02", "06"]


@pytest.mark.parametrize(("words", "line"), [
    (["99"], "there is no chapter '99'; there are 0, 1, 2"),
    (["6", "--only", "cards"], "cards are about chapter 4 alone"),
    (["6", "--only", "posters"], "there is no kind 'posters' to build; there are lesson, student"),
])
def test_one_clear_line_and_nothing_made(words, line, tmp_path, capsys):
    assert main(["build", *words, "--to", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and line in said.err
    assert not list(tmp_path.iterdir())


def test_a_missing_tool_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(plan, "find_spec", lambda name: None if name == "pypandoc" else True)
    assert main(["build", "6", "--only", "student,handout", "--to", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "handout needs pypandoc: pip install -r requirements-handouts.txt" in said
    assert "(or build --only student)" in said
    assert not list(tmp_path.iterdir())


def test_a_folder_that_can_t_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("here", encoding="utf-8")
    assert main(["build", "6", "--only", "student", "--to", str(tmp_path / "file" / "out")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_build_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    to = tmp_path / "out"
    plan.build(["6"], "student", to, tell=lambda line: None)
    before = {path: path.read_bytes() for path in to.rglob("*.ipynb")}
    monkeypatch.setattr(students, "student", lambda notebook: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        plan.build(["6"], "student", to, tell=lambda line: None)
    assert {path: path.read_bytes() for path in to.rglob("*.ipynb")} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@with_paper
def test_no_build_replaces_what_another_one_made(tmp_path, monkeypatch):
    """Large print has names of its own, and the site stays one of all chapters."""
    asked = []
    monkeypatch.setitem(plan.KINDS, "site", replace(
        plan.KINDS["site"], make=lambda chapters, folder, order: asked.append(chapters) or []))
    to = tmp_path / "build"
    plan.build(["6"], "handout", to, tell=lambda line: None)
    plan.build(["4"], "cards", to, tell=lambda line: None)
    before = {path: path.read_bytes() for path in to.rglob("*.*") if path.name != plan.MADE}
    for words, only in ((["6"], "handout"), (["4"], "cards")):
        plan.build(words, only, to, tell=lambda line: None, letter=True, large=True)
    assert len(before) == 22 and {path: path.read_bytes() for path in before} == before
    assert all((to / name).exists() for name in ("handouts/06-A-large-letter.pdf",
                                                 "cards/04-cards-A-large-letter.pdf"))
    plan.build(["6"], "", to, tell=lambda line: None)
    assert not asked
    plan.build(["6"], "reader", to, tell=lambda line: None)
    assert asked == [list(CHAPTERS)]
