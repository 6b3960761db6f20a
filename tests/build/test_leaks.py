"""No file that learners get tells the answer of an exercise; and an answer that is put there is found."""
import json

import pytest

from minigrad.book.build import pages, plan
from minigrad.book.content.chapters import CHAPTERS
from tests.helpers import leaks
from tests.helpers.stored_chapters import source, tags

CELLS = {  # what is put into a chapter's file: (the chapter, the kind of cell, the text, what is found)
    "table": (6, "markdown", "| line | saves |\n|-|-|\n| `t + 4`, `-t`, `t.mean()`, `t.reshape(3, 1)` | no |",
              "the answer of 6a"),
    "rows": (6, "markdown", "| a | b |\n|---|---|\n| `t+4`, `-t` | nothing |\n| `t * 5` | the constant |\n"
             "| `t.mean()` and `t.reshape(3,1)` | nothing |", "the answer of 6a"),
    "sentence": (16, "markdown", "Today `w.grad.data.zero_()`, `v.data.sum()`, `y.creator` and `v.volatile` "
                 "raise an error, and `torch.autograd.backward([y], [torch.ones(())])` runs.", ""),
    "stub": (6, "code", 'answer_6a = {"t + 4"}', "the answer of 6a"),
    "numbers": (6, "code", 'answer_6b = [30., "error", 40., 30., 40.]', "the answer of 6b"),
    "solution": (6, "markdown", "Write `h = w * h.detach()` there.", "the answer of 6c"),
    "engine": (6, "markdown", 'Or call `engine("7")`.', "what 6e asks for"),
    "the engine before": (6, "markdown", 'Or call `engine("6")`.', ""),
    "some": (6, "markdown", "`-t`, `t + 4` and `t * 5`", ""),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    to = tmp_path_factory.mktemp("made") / "build"
    plan.build([], "student,nbgrader", to, tell=lambda line: None)
    return to


@pytest.mark.parametrize("number", CHAPTERS)
@pytest.mark.parametrize("kind", ["student", "nbgrader/release"])
def test_a_learner_s_notebook_tells_no_answer(kind, number, built):
    path, = (built / kind).glob(f"**/{number:02}_*.ipynb")
    assert leaks.leaks(path) == []


def test_the_site_without_solutions_tells_no_answer(tmp_path):
    pytest.importorskip("pypandoc")
    plan.build([], "site-no-solutions", tmp_path, tell=lambda line: None)
    pages_ = sorted(tmp_path.glob("*/chapter-*.html"))
    assert len(pages_) == len(CHAPTERS)
    assert [told for path in pages_ for told in leaks.leaks(path)] == []
    six = next(path for path in pages_ if path.name == "chapter-06.html")
    six.write_text(six.read_text(encoding="utf-8").replace(
        "</main>", "<p><code>t + 4</code>, <code>-t</code>, <code>t.mean()</code> and "
        "<code>t.reshape(3, 1)</code> save nothing.</p></main>"), encoding="utf-8")
    assert any("the answer of 6a" in told for told in leaks.leaks(six))


@pytest.mark.parametrize("name", CELLS)
def test_an_answer_that_is_put_there_is_found(name, built, tmp_path):
    number, kind, text, says = CELLS[name]
    path, = (built / "student").glob(f"{number:02}_*.ipynb")
    made = json.loads(path.read_text(encoding="utf-8"))
    made["cells"].append({"cell_type": kind, "id": "planted", "metadata": {}, "source": text})
    planted = tmp_path / path.name
    planted.write_text(json.dumps(made), encoding="utf-8")
    told = leaks.leaks(planted)
    assert bool(told) == bool(says) and all(says in one for one in told)


@pytest.mark.parametrize("number", CHAPTERS)
def test_every_solution_would_be_found(number, built, tmp_path):
    """The teacher's own notebook contains the solutions, so it is full of leaks."""
    page = pages.load(number)
    path = tmp_path / pages.file_of(number).name
    path.write_text(json.dumps(page), encoding="utf-8")
    told = "\n".join(leaks.leaks(path))
    for cell in page["cells"]:
        if "solution" in tags(cell) and "engine(" not in source(cell):
            key = next(tag for tag in tags(cell) if tag[0].isdigit())
            assert f"the answer of {key}:" in told
