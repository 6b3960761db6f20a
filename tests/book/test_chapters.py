"""Every chapter keeps the rules of the house, and the book as a whole holds what it promises."""
import contextlib
import copy
import dataclasses
import io
from types import SimpleNamespace

import pytest

import minigrad as torch
from minigrad.book.build import rules, source, tables
from minigrad.book.build.counting import minutes
from minigrad.book.classroom.exercise import Exercise
from minigrad.book.classroom.notes import Note
from minigrad.book.classroom.questions import Option, Question
from minigrad.book.content.chapters import CHAPTERS, of
from tests.helpers.stored_chapters import FILES, OURS, code_cells, load, tags
from tests.helpers.stored_chapters import source as words_of

CLAIMS = {f"claim-{n}" for n in (1, 4, 5, *range(7, 11))}


@pytest.fixture(autouse=True)
def _print_options():
    """A chapter that is run here may change how tensors are printed."""
    yield
    torch.set_printoptions(precision=4, threshold=1000, edgeitems=3, linewidth=80)


def test_every_chapter_has_its_file():
    assert set(FILES) == set(CHAPTERS)


@pytest.mark.parametrize(("number", "rule"), [
    (number, rule) for number in FILES for rule in rules.RULES + rules.OF_THE_BOOK * (number in OURS)],
    ids=lambda value: getattr(value, "__name__", value))
def test_chapter(number, rule):
    """`python -m minigrad.book check` says the same, with the line of the text."""
    assert list(map(str, rule(rules.chapter_of(number, load(number))))) == []


def test_everything_generated_is_up_to_date():
    """Titles and minutes, and the tables of README.md and TEACHERS.md: python -m minigrad.book write."""
    assert [path.name for path, _ in tables.outdated()] == []


def all_tags():
    return {tag for number in FILES for cell in load(number)["cells"] for tag in tags(cell)}


def test_every_false_statement_is_put_to_the_test():
    assert CLAIMS - all_tags() == set()


@pytest.mark.filterwarnings("ignore:volatile was removed")     # which chapter 16 shows
@pytest.mark.parametrize("number", FILES)
def test_a_student_s_file_runs_and_every_check_says_not_answered(number, monkeypatch):
    """Run the chapter without its solutions; nothing but the promised error is raised."""
    monkeypatch.setenv("MINIGRAD_BOOK", "text")
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    monkeypatch.setattr("minigrad.errors.given_warnings", set())    # as in a kernel that has just started
    namespace = {"__name__": "__main__"}
    checks = []
    for cell in code_cells(load(number)):
        if tags(cell) & {"solution", "raises-exception", "widget"}:
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(words_of(cell), f"chapter {number}", "exec"), namespace)
        if "check" in tags(cell):
            checks.append(out.getvalue())
    assert all(said.startswith("□") for said in checks), checks


# --- the rules themselves: a sound small chapter, and the ways to spoil it ----------------------------------

def text(words, *marks):
    return {"cell_type": "markdown", "metadata": {"tags": list(marks)}, "source": [words]}


def code(words, *marks, out="", data=None, **metadata):
    outputs = [{"output_type": "stream", "name": "stdout", "text": [out]}] if out else []
    outputs += [{"output_type": "display_data", "metadata": {}, "data": data}] if data else []
    return {"cell_type": "code", "execution_count": 1, "metadata": {"tags": list(marks), **metadata},
            "source": [words], "outputs": outputs}


def sound():
    picture = {"image/svg+xml": "<svg/>", "text/plain": "Graph behind x"}
    ideas = " ".join(f"**{idea}**" for idea in of(6).IDEAS)
    cells = [text("# 6 · Why can't I go back twice?\n\n**What is thrown away?**\n\n"
                  "{{ minutes }} minutes · needs chapter 3"),
             code("import minigrad as torch\nfrom minigrad.book import *\nchapter(6)", "setup")]
    for key in [one.id for one in of(6).QUESTIONS]:
        cells += [code(f'predict("{key}")', "book", "predict"), code("1"),
                  code(f'reveal("{key}")', "book", "reveal", out=f"{key}: no prediction yet.")]
    for note in of(6).NOTES:
        cells += [text("> **✎ From the notes**\n>\n> *The note says:* it fails."), code("1"),
                  code(f'judge("{note.id}")', "book", "judge")]
    cells += [code("draw(p)", "aha", data=picture), code("q.backward()", "raises-exception", "err-freed"),
              text("## The error\n\n| It says | It means | Fix, and its price |\n|---|---|---|"),
              text("> **⚠ Trap** Not always.", "M12"), code('play("two losses")', "widget")]
    for key in [one.id for one in of(6).EXERCISES]:
        cells += [code(f"answer_{key} = None", "exercise", key),
                  code("### BEGIN SOLUTION\nx = 1\n### END SOLUTION", "solution", key,
                       nbgrader={"solution": True}),
                  code(f'check("{key}", answer_{key})', "book", "check", out=f"✓ {key}: right")]
    cells += [text("fill") for _ in range(12)]
    cells += [text(f"## Recap\n\n**Exit ticket.** Why?\n\n{ideas}"),
              text("## For the teacher\n\n0–3 recall\n\n**Oral exam.** Why?", "instructor")]
    return {"cells": cells}


def chapter_of(notebook):
    """The chapter, with its minutes."""
    first = notebook["cells"][0]
    first["source"] = [words_of(first).replace(source.MINUTES, str(minutes(notebook)))]
    found = rules.chapter_of(6, notebook)
    return dataclasses.replace(found, questions=tuple(map(decided, found.questions)),
                               notes=tuple(map(decided, found.notes)))


def decided(asked):
    """The question or the note, decided in favour of its key: the cells of a small chapter print nothing."""
    if isinstance(asked, Note):
        return dataclasses.replace(asked, decided=lambda printed: asked.verdict)
    options = tuple(dataclasses.replace(option, claims=option.text) for option in asked.options)
    right = asked.option(asked.right).text
    return dataclasses.replace(asked, options=options, decided=lambda printed: right)


def at(mark):
    """The first cell with this tag, or that begins so."""
    def find(notebook):
        return next(cell for cell in notebook["cells"]
                    if mark in tags(cell) or words_of(cell).startswith(mark))
    return find


def put(mark, words):
    return lambda notebook: at(mark)(notebook).update(source=[words])


def drop(mark):
    return lambda notebook: notebook["cells"].remove(at(mark)(notebook))


def add(cell):
    return lambda notebook: notebook["cells"].insert(5, cell)


def says(mark, out):
    return lambda notebook: at(mark)(notebook)["outputs"][0].update(text=[out])


SPOILED = {
    "opens_as_all_chapters_do": [put("# 6", "# 7 · A title\n\n**Why?**\n\n40 minutes · needs it"),
                                 put("setup", "import torch"), put("# 6", "# 6 · No question")],
    "says_how_long_it_takes": [
        put("# 6", "# 6 · A title\n\n**Why?**\n\n95 minutes · needs chapter 3"), put("# 6", "# 6 · A title")],
    "ends_as_all_chapters_do": [drop("instructor"), put("## Recap", "## Recap"), put("instructor", "bye"),
                                 put("instructor", "## For the teacher\n\n0–3 recall · 5–9 6.1\n\n"
                                     "**Oral exam.** Why?"),
                                 put("## Recap", "## Recap\n\n**Exit ticket.** Why?\n\nNext: chapter 99.")],
    "notes_refer_to_what_is_there": [put("instructor", words) for words in (
        "| 6.1 A | M35 |", "Sources: CATALOGUE A7", "20–26 B9: let them do it")],
    "nothing_answers_before_it_is_asked": [
        lambda notebook, cell=cell: notebook["cells"].insert(3, cell)
        for cell in (text("It saved its result."), code("draw(p)  # it saves its result"))],
    "captions_stand_by_their_picture": [add(text("> **✎ Your caption** What waits?")),
                                        add(text("> **✎** Caption the picture."))],
    "signs_are_in_every_font": [add(text("⏱ 35 min")), add(text("⌛ Old code"))],
    "shapes_are_explained_once": [lambda notebook: [add(cell)(notebook) for cell in (
        code("draw(p, legend=True)"), text("| you see | it is |"))]],
    "headings_in_order": [add(text("# again")), add(text("#### deep"))],
    "code_within_budget": [add(code("x\n" * 18)), add(code("x" * 80)),
                           lambda notebook: [add(code("1\n2\n3\n4\n5"))(notebook) for _ in range(30)]],
    "words_within_budget": [add(text("word " * 91))],
    "enough_to_do": [drop("predict"), lambda notebook: [drop("exercise")(notebook) for _ in range(2)],
                     drop("aha"), drop("widget"), drop("raises-exception")],
    "a_question_and_one_picture": [lambda notebook: [drop("predict")(notebook) for _ in range(3)],
                                   add(code("2", "aha"))],
    "questions_are_those_of_the_chapter": [put("predict", 'predict("6.7")'), drop("reveal")],
    "exercises_are_those_of_the_chapter": [drop("check"), drop("exercise")],
    "checks_are_right_and_reveals_are_silent": [says("check", "✗ 6a: not yet"), says("reveal", "✓ said B")],
    "solutions_are_marked": [put("solution", "x = 1"), lambda notebook: at("solution")(notebook)[
        "metadata"].update(tags=["solution"])],
    "ideas_are_defined": [put("## Recap", "## Recap\n\n**Exit ticket.** Why?")],
    "an_error_is_read_out": [drop("## The error")],
    "floats_are_the_same_on_every_processor": [
        *(add(code("print(x)", out=words)) for words in (
            "277866432.0", "tensor(277866496.)", "0.30000001192092896 tensor(1.)", "2.77866432e+08",
            "-12345678e3", "tensor([       65.2082, 277866496.0000])")),
        add(code("x", data={"text/plain": "2.927144765853882"}))],
    "pictures_have_their_file": [add(text("![a cat](cat.png)"))],
    "pictures_can_be_read": [lambda notebook: at("aha")(notebook).update(outputs=[])],
    "tags_are_known": [add(code("1", "raises_exception"))],
    "no_line_ends_in_a_semicolon": [add(code("x.shape;")), add(code("x.shape; \ny"))],
    "callouts_are_known": [add(text("> **Note** well")), add(text("> **⚠ Trap** Not always.")),
                           put("> **⚠ Trap**", "> **⚠ Trap** (M12)")],
}


def asked(**changes):
    """The chapter with other questions."""
    found = chapter_of(sound())
    return dataclasses.replace(found, questions=tuple(dataclasses.replace(one, **changes)
                                                      for one in found.questions))


BOX = "> **✎ From the notes**\n>\n> *The note says:* a pass frees all."
NOTE = Note("3.n1", "wrong", says="Only what was saved.", told="[Oo]nly what was saved")


def rebuilt(*cells, notes=(NOTE,)):
    """A chapter of the third edition with these cells, and a question and a note."""
    asked = Question("3.1", "How many?", (Option("one", None, "It is one."),
                                          Option("it raises an error", "M12", "It doesn't.")),
                     told="one pass", decided=lambda printed: "one")
    return rules.Chapter(3, rules.chapter_of(3, {"cells": cells}).cells, {"cells": cells}, (asked,), notes)


JUDGE = code('judge("3.n1")', "book", "judge")
PREDICT = code('predict("3.1")', "book", "predict")
REVEAL = code('reveal("3.1")', "book", "reveal")
SOUND = {
    "nothing_open_answers_below_a_question": (
        PREDICT, text("<details><summary>Why</summary>\n\none pass\n\n</details>"), REVEAL,
        text("More.\n" * 25), text("It takes one pass.")),
    "no_cell_expects_what_is_asked": (PREDICT, code("f()"), REVEAL, code("with expect_error(E):\n    f()")),
    "notes_are_those_of_the_chapter": (text(BOX), code("1"), JUDGE),
}
BROKEN = {
    "nothing_open_answers_below_a_question": [
        (PREDICT, text("It takes one pass.")), (PREDICT, code("1  # one pass")),
        (PREDICT, REVEAL, text("## It takes one pass")), (PREDICT, REVEAL, text("More.\n" * 24 + "one pass")),
        (JUDGE, text("Only what was saved.")), (text("> **✎ What happened:** it runs."),)],
    "no_cell_expects_what_is_asked": [(PREDICT, code("with expect_error(E):\n    f()"), REVEAL)],
    "notes_are_those_of_the_chapter": [
        (text(BOX), code("1")), (code("1"), JUDGE), (text(BOX), JUDGE, JUDGE),
        (text(BOX), code('judge("3.n2")', "book", "judge")), (text(BOX), code('judge("3.n1")', "judge"))],
}


@pytest.mark.parametrize("name", SOUND)
def test_a_rule_of_the_third_edition_passes_a_sound_chapter(name):
    rule = next(rule for rule in rules.RULES if rule.__name__ == name)
    assert list(rule(rebuilt(*SOUND[name]))) == []


@pytest.mark.parametrize(("name", "cells"), [(name, cells) for name in BROKEN for cells in BROKEN[name]])
def test_a_rule_of_the_third_edition_complains(name, cells):
    rule = next(rule for rule in rules.RULES if rule.__name__ == name)
    assert list(rule(rebuilt(*cells)))


SPOILED_QUESTIONS = {
    "every_question_has_the_words_that_would_answer_it": lambda: asked(told=""),
    "keys_are_what_happens": lambda: asked(decided=lambda printed: "what no option claims"),
    "beliefs_are_known": lambda: asked(options=(Option("short", "M999", ""), Option("long", None, ""))),
    "the_right_option_does_not_stand_out": lambda: asked(options=(
        Option("short", "M12", ""), Option("this one is longer", None, ""))),
}


def test_every_rule_is_shown_to_complain():
    shown = SPOILED.keys() | SPOILED_QUESTIONS.keys() | BROKEN.keys() | {"what_is_right_can_be_computed"}
    assert shown == {rule.__name__ for rule in (*rules.RULES, *rules.OF_THE_BOOK)}


@pytest.mark.parametrize("rule", [*rules.RULES, *rules.ADVICE], ids=lambda rule: rule.__name__)
def test_a_sound_chapter_passes(rule):
    assert list(rule(chapter_of(sound()))) == []


@pytest.mark.parametrize(("rule", "change"), [(rule, change) for rule in (*rules.RULES, *rules.OF_THE_BOOK)
                                              for change in SPOILED.get(rule.__name__, ())],
                         ids=lambda value: getattr(value, "__name__", ""))
def test_a_rule_complains(rule, change):
    notebook = copy.deepcopy(sound())
    change(notebook)
    found = list(rule(chapter_of(notebook)))
    assert found and all(one.says and one.change for one in found)


@pytest.mark.parametrize("words", [
    "1073741824 tensor(277866432)", "The seed is 123456789.", "tensor([ 102.4000, 1024.0000,    0.1024])",
    "2.7787e+08", "300000000.0", "tensor([1.0000e+10, 0.0012346])", "torch 2.13.0 of 20261128.12345.1"])
def test_whole_numbers_and_short_floats_pass(words):
    notebook = copy.deepcopy(sound())
    add(code("print(x)", out=words))(notebook)
    assert list(rules.outputs.floats_are_the_same_on_every_processor(chapter_of(notebook))) == []


@pytest.mark.parametrize("name", SPOILED_QUESTIONS)
def test_a_rule_of_questions_complains(name):
    rule = next(rule for rule in rules.RULES if rule.__name__ == name)
    assert all(one.question for one in rule(SPOILED_QUESTIONS[name]()))
    assert list(rule(SPOILED_QUESTIONS[name]()))


@pytest.mark.parametrize("exercise", [
    Exercise("6a", "", expected=lambda numbers: numbers[0]),
    Exercise("6a", "", expected=lambda number: 1 / number, standard=0),
    Exercise("6a", "", expected=lambda number: number, standard=1, draw=lambda rng: rng.choice((1, 2))),
    Exercise("6a", "", judge=lambda answer, _: (), example=lambda number: 1 / number, standard=1,
             draw=lambda rng: rng.choice((0, 0.)))])
def test_what_is_right_must_be_computed_for_every_sheet(exercise, monkeypatch):
    monkeypatch.setattr(rules.order, "of", lambda number: SimpleNamespace(EXERCISES=(exercise,)))
    [found] = rules.order.what_is_right_can_be_computed(chapter_of(sound()))
    assert found.question == "6a" and "can't be computed" in found.says


def test_a_long_chapter_is_advised_and_not_refused():
    notebook = sound()
    notebook["cells"][5:5] = [text("more " * 80)] * 90
    found = rules.Chapter(6, chapter_of(notebook).cells, notebook, ideas=("one",) * 9)
    assert [len(list(advice(found))) for advice in rules.ADVICE] == [1, 1, 1, 0, 0, 0]
