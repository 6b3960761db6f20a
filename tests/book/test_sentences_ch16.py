"""The appendix: sentences of old notes that are false today, and programs that try to break its rule."""
import contextlib
import re

import pytest

import minigrad as torch
from minigrad import book
from minigrad.book import expect_warning, source
from minigrad.book.chapters import exercise
from minigrad.book.chapters.ch16 import kinds_in
from minigrad.book.counting import code_cells, in_sections, minutes, theme_minutes
from minigrad.book.judging import first_wrong
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(16)
THEMES = re.findall(r"^\| (.+?) \| (\d+) \|$", "".join(load(16)["cells"][0]["source"]), re.MULTILINE)


def volatile():
    with expect_warning(UserWarning):
        return torch.autograd.Variable(torch.ones(2), volatile=True)


def test_volatile_keeps_no_line_from_being_recorded():
    assert (torch.ones(2, requires_grad=True) * volatile()).requires_grad


def test_a_variable_is_no_box_around_a_tensor():
    t = torch.tensor([3., 5.])
    v = torch.autograd.Variable(t, requires_grad=True)
    assert type(v) is type(t) and v.data_ptr() == t.data_ptr() and not t.requires_grad


def test_a_variable_made_from_a_tensor_leaves_the_tensor_as_it_is():
    assert "| `Variable(t, requires_grad=True)` | `t.requires_grad_()` |" not in CHAPTER
    for t in torch.ones(2), torch.ones(2, requires_grad=True):
        before = t.requires_grad
        for new in torch.autograd.Variable(t, requires_grad=True), t.detach().requires_grad_():
            assert new is not t and new.requires_grad and new.is_leaf and new.data_ptr() == t.data_ptr()
        assert t.requires_grad == before


def test_16a_gives_the_reason_that_belongs_to_the_line_it_names():
    told = first_wrong(exercise("16a"), {"y.data[0]", "y.creator"}, None)
    assert told.startswith("y.creator doesn't belong there. Today, the node of a result is in y.grad_fn.")


def test_the_table_names_every_theme_with_its_minutes():
    headings = [heading for cell in load(16)["cells"] if cell["cell_type"] == "markdown"
                for heading in re.findall(r"^## (.+)$", "".join(cell["source"]), re.MULTILINE)]
    assert [*(name for name, _ in THEMES), "Recap", "For the teacher"] == headings
    assert all(int(told) == theme_minutes(load(16), name) for name, told in THEMES)
    assert 0 <= minutes(load(16)) - sum(int(told) for _, told in THEMES) + len(THEMES) <= 9


@pytest.mark.filterwarnings("ignore:volatile was removed")
@pytest.mark.parametrize("theme", [name for name, _ in THEMES])
def test_a_theme_needs_no_cell_of_another_theme(theme):
    names = {**vars(book), "torch": torch}
    for cell in code_cells({"cells": in_sections(load(16), (f"## {theme}",))}):
        marks = set(cell["metadata"].get("tags", ()))
        if not {"judge", "predict", "reveal", "check"} & marks:
            fails = pytest.raises(TypeError) if "err-keyword" in marks else contextlib.nullcontext()
            with fails:
                exec("".join(cell["source"]), names)


def test_the_table_of_themes_goes_back_into_the_text():
    assert "| Leaves and graphs | {{ minutes of Leaves and graphs }} |" in source.written(load(16))


def test_the_kinds_in_a_picture_are_read_from_its_words():
    assert kinds_in("n0 leaf w, shape ()\nn1 constant x\nn2 operation ×, takes n0 and n1") == {
        "tensor", "operation"}
    assert kinds_in("n0 node MulBackward0") == {"node"}
    with pytest.raises(ValueError, match="no picture"):
        kinds_in("1.0")
