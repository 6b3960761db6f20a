"""The error clinic: its programs raise what its pages say, here and in PyTorch; messages lead to pages."""
from __future__ import annotations

import ast
import importlib
import importlib.util
import re

import pytest

from minigrad.book.build.reader import clinic, search
from minigrad.book.build.reader.program import run, traced
from minigrad.book.build.reader.shown_outputs import Pictures
from minigrad.book.content.cases import CASES
from minigrad.book.content.cases.wordings import wordings
from minigrad.book.content.chapters import CHAPTERS
from minigrad.viz import explain
from minigrad.viz.errors.table import TABLE
from tests.helpers.foreign_errors import FOREIGN

HEADS = {"minigrad": "import minigrad as torch\n"}
if importlib.util.find_spec("torch"):
    HEADS["torch"] = "import torch\n"
EACH = pytest.mark.parametrize("case", CASES, ids=[case.slug for case in CASES])
BOTH = pytest.mark.parametrize("library", HEADS)
TENSORS = re.compile(r"requires_grad=True|optim\.|^\w+(, \w+)* = torch\.(tensor|ones)")

TIP = "\n\nTip: "  # PyTorch adds advice on its compiler, which minigrad doesn't have

NO_GRADIENT = {  # causes without a page of their own, as no gradient is involved
    "matrices that do not fit", "another number of elements", "view of scattered memory",
    "parts of different shapes", "batches of different sizes", "index out of range", "class out of range",
    "channels that do not fit", "a batch of one", "targets of another shape",
    "indices that are no whole numbers", "a number in place of a tensor", "a name without a value",
    "a name that an object lacks", "sparse gradient", "what is no list of parameters",
    "what is no parameter", "state of another optimizer", "a parameter twice", "a target of another shape",
    "no probabilities"}


@BOTH
@EACH
def test_the_program_raises_the_stated_message(case, library):
    assert run(case.code, HEADS[library]).message.partition(TIP)[0] == case.message


@EACH
def test_the_mended_program_runs_and_prints_what_pytorch_prints(case):
    ran = {library: run(case.fixed, head) for library, head in HEADS.items()}
    assert not any(one.message for one in ran.values())
    assert len({one.printed for one in ran.values()}) == 1
    assert case.fixed != case.code


@EACH
def test_a_program_is_three_statements_beside_its_tensors(case):
    def sets_the_scene(node):
        return isinstance(node, (ast.ClassDef, ast.Import)) or (
            isinstance(node, ast.Assign) and TENSORS.search(ast.unparse(node)) is not None)
    lines = [node for node in ast.parse(case.code).body if not sets_the_scene(node)]
    assert len(lines) <= (4 if case.slug == "version-step" else 3)
    assert all(len(line) <= 100 for line in case.code.splitlines() + case.fixed.splitlines())


@EACH
def test_every_error_is_explained_with_a_price(case):
    told = clinic.explained(case)
    assert told.fixes
    assert all(fix.words and fix.price for fix in told.fixes)
    assert "program.py" in " ".join(told.sentences)
    words = " ".join(told.sentences)
    assert ".py:" not in words.replace("program.py:", "")  # lines of the program, and no others
    assert "/" not in words


def test_the_guilty_node_is_marked_wherever_a_pass_failed():
    for slug in ("freed", "freed-state", "version", "version-step", "nan", "function-count", "hook-size",
                 "no-grad-fn-detached", "not-scalar"):
        told = explain(run(clinic.BY_SLUG[slug].code).error)
        assert [box.title for box in told.picture.boxes if box.mark == "guilty"], slug


def test_every_cause_has_a_page():
    paged = {clinic.cause(case.message) for case in CASES}
    assert {row.name for row in TABLE} - paged == NO_GRADIENT


@EACH
def test_a_case_has_words_of_its_own_where_explain_has_none(case):
    ran = run(case.code)
    assert bool(case.what) == bool(case.fixes) == (explain(ran.error).cause == "unknown")
    if case.what:
        line = re.match(r"program\.py:(\d+), `", case.what)[1]
        assert f"program.py, line {line}\n" in traced(ran)


def test_names_are_unique_and_chapters_exist():
    slugs = [case.slug for case in CASES]
    assert len(set(slugs)) == len(slugs)
    assert all(re.fullmatch(r"[a-z0-9-]+", slug) for slug in slugs)
    assert len({case.title for case in CASES}) == len(CASES)
    assert all(case.chapter is None or case.chapter in CHAPTERS for case in CASES)


# --- pages

@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    pictures = Pictures(tmp_path_factory.mktemp("clinic"))
    return {case.slug: clinic.page(case, pictures, list(CHAPTERS)) for case in CASES}


@EACH
def test_a_page_has_all_its_parts(case, pages):
    page, plain = pages[case.slug], clinic.escape(case.message)
    told = sum(clinic.escape(one.message).count(plain) for one in wordings(case.slug))
    assert page.count(plain) == 2 + told  # as the message, as what the program printed, and by release
    for part in ("message", "program", "what", "fixes", "mended"):
        assert f'<h2 id="{part}">' in page
    assert "Its price" in page
    assert ('<figure class="picture">' in page) != ("there is no picture" in page)
    if case.chapter in CHAPTERS:
        assert f'href="chapter-{case.chapter:02}.html"' in page


def test_a_page_says_what_really_was_printed(pages):
    assert "program.py, line 5\n    loss.backward()\nRuntimeError: Trying" in pages["freed"]
    assert "tensor([12., 20.])" in pages["freed"]
    assert "reached MulBackward0" in pages["freed"]


def test_the_fix_of_a_mended_program_is_in_the_table(pages):
    mended = {"missing-grad": "if w.grad is not None:", "missing-grad-step": "torch.no_grad():"}
    for slug, condition in mended.items():
        table = pages[slug].partition('<h2 id="fixes">')[2].partition('<h2 id="mended">')[0]
        assert condition in re.sub("<[^>]+>", "", table)
        assert condition in clinic.BY_SLUG[slug].fixed


def test_a_page_that_would_lie_is_not_made(tmp_path):
    case = clinic.BY_SLUG["freed"]
    other = case._replace(message=case.message.replace("second", "third"))
    with pytest.raises(ValueError, match="the program of error 'freed' gave RuntimeError: Trying"):
        clinic.page(other, Pictures(tmp_path), [])
    with pytest.raises(ValueError, match="mended program of error 'freed' gave RuntimeError"):
        clinic.page(case._replace(fixed=case.code), Pictures(tmp_path), [])
    with pytest.raises(ValueError, match="gave no error"):
        clinic.page(case._replace(code=case.fixed), Pictures(tmp_path), [])


def test_a_traceback_shows_the_program_alone():
    ran = run("print(4)\ndef f():\n    torch.ones(2).backward()\nf()\n")
    assert traced(ran) == ("4\nprogram.py, line 5\n    f()\n"
                           "program.py, line 4\n    torch.ones(2).backward()\n"
                           "RuntimeError: element 0 of tensors does not require grad and does not have a "
                           "grad_fn")


# --- from a message to its page

@EACH
def test_a_message_leads_to_a_page_that_shows_it(case):
    assert clinic.BY_SLUG[clinic.slug_of(case.message)].message == case.message


@pytest.mark.parametrize("message, slug", [
    ("RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
     "operation: [torch.FloatTensor [3, 1]], which is output 0 of AsStrided, is at version 2; expected "
     "version 1 instead.", "version"),
    ("RuntimeError: The differentiated Tensor at index 1 appears to not have been used in the graph.",
     "not-used"),
    ("RuntimeError: Function 'LogBackward0' returned nan values in its 0th output.", "nan"),
    ("ZeroDivisionError: division by zero", None),
    ("ValueError: element 0 of tensors does not require grad", None),  # another class, another error
])
def test_other_numbers_and_names_lead_to_the_same_page(message, slug):
    assert clinic.slug_of(message) == slug


@pytest.fixture(scope="module")
def made():
    from minigrad.book.build.reader import places
    return search.index(places({}))


@EACH
def test_a_pasted_message_is_found_first(case, made):
    for text in (case.message, *case.older):
        pasted = f'Traceback (most recent call last):\n  File "train.py", line 12\n{text}'
        urls, fits = search.search(made, pasted)
        first = urls[0]
        assert fits
        found = clinic.BY_SLUG[first.removeprefix("error-").removesuffix(".html")]
        assert found.message == case.message
        assert text == case.message or first == f"error-{case.slug}.html"


@pytest.mark.parametrize("query, wanted", [
    ("backward second time", "error-freed.html"), ("inplace version", "error-version.html"),
    ("numpy", "error-numpy.html"), ("grad can be implicitly", "error-not-scalar.html"),
    ("Jacobi", "glossary.html#jacobian"), ("leaf in-place", "error-leaf-written.html"),
    ("expected scalar type Long but found Float", "error-dtype-class.html"),
    ("mat1 and mat2 must have the same dtype, but got Float and Double", "error-dtype-product.html"),
    ("unsupported operand type(s) for *: 'float' and 'NoneType'", "error-missing-grad-step.html")])
def test_a_few_words_find_the_page(query, wanted, made):
    urls, fits = search.search(made, query)
    assert wanted in urls[:3]
    assert fits


def test_a_word_with_a_slip_finds_the_page_with_a_caution(made):
    urls, fits = search.search(made, "tryng to backwrd thru graph second time")
    assert urls[0] == "error-freed.html"
    assert not fits


@pytest.mark.parametrize("query", FOREIGN)
def test_the_search_says_when_nothing_fits(query, made):
    urls, fits = search.search(made, query)
    assert not fits
    assert len(urls) <= 3


def test_searching_for_nothing(made):
    assert search.search(made, "") == search.search(made, "zzz 123 Ω") == ([], False)


def test_the_index_is_a_script_that_json_can_read(made):
    import json
    text = search.as_script(made)
    assert json.loads(text.removeprefix("var READER_INDEX = ").removesuffix(";\n")) == made
    assert len(text) < 400_000


# --- a fix that was once wrong

def named(cause, words):
    """The fix of an explanation that has these words."""
    fix, = [fix for fix in clinic.explained(clinic.BY_SLUG[cause]).fixes if words in fix.words]
    return fix


@BOTH
def test_a_step_with_the_loss_that_replaces_reinforce_makes_the_action_more_likely(library):
    assert "with a minus" in named("reinforce", "-p[action].log() * reward").words
    names = {}
    exec(HEADS[library] + clinic.BY_SLUG["reinforce"].fixed, names)
    scores, action = names["scores"], int(names["action"])
    after = (scores.detach() - 0.1 * scores.grad).softmax(0)
    assert after[action] > names["p"][action]
