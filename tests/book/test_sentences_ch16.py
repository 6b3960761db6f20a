"""The appendix: sentences of old notes that are false today, and programs that try to break its rule."""
import minigrad as torch
from minigrad.book import expect_warning
from minigrad.book.chapters import exercise
from minigrad.book.judging import first_wrong
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(16)


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
