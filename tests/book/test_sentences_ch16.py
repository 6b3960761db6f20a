"""The appendix: sentences of old notes that are false today, and programs that try to break its rule."""
import random

import pytest

import minigrad as torch
from minigrad.book import expect_warning
from minigrad.book.chapters import exercise
from minigrad.book.chapters.ch16 import COSTS, SCORES, all_actions, as_a_reward, over_all, without_log
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


def averaged(scores, rewards):
    """The average of the gradients of all draws, each with the weight of its probability."""
    for action, reward in enumerate(rewards):
        p = scores.softmax(0)
        (p[action].detach() * as_a_reward(p, action, reward)).backward()
    return scores.grad


@pytest.mark.parametrize("seed", range(30))
@CHAPTER.says("Averaged over the draws, the gradient of `-p[action].log() * reward` is minus the gradient "
              "of the expected reward.")
def test_the_average_over_the_draws_is_minus_the_gradient_of_the_expected_reward(seed):
    rng = random.Random(seed)
    size = rng.randint(2, 6)
    numbers, rewards = ([rng.uniform(-3, 3) for _ in range(size)] for _ in range(2))
    first, second = (torch.tensor(numbers, dtype=torch.float64, requires_grad=True) for _ in range(2))
    (second.softmax(0) * torch.tensor(rewards, dtype=torch.float64)).sum().backward()
    assert torch.allclose(averaged(first, rewards), -second.grad)


def test_without_detach_the_rule_is_broken():
    scores = torch.tensor(SCORES, requires_grad=True)
    p = scores.softmax(0)
    sum(p[k] * as_a_reward(p, k, reward) for k, reward in enumerate(COSTS)).backward()
    assert not torch.allclose(scores.grad, averaged(torch.tensor(SCORES, requires_grad=True), COSTS))


@pytest.mark.parametrize(("wrong", "words"), [
    (as_a_reward, "more likely"), (without_log, "count twice"),
    (all_actions, "only the action that was drawn"), (over_all, "its gradient is 0"),
    (lambda p, action, cost: p[action].detach().log() * cost, "requires no gradient")])
def test_each_likely_mistake_in_16b_has_its_answer(wrong, words):
    assert words in first_wrong(exercise("16b"), wrong, None)


def test_16b_takes_another_way_to_write_it():
    assert first_wrong(exercise("16b"), lambda p, action, cost: (p.log() * cost)[action], None) is None
    assert first_wrong(exercise("16b"), lambda p, action, cost: 3., None)
    assert "should take p, action, cost" in first_wrong(exercise("16b"), lambda p: p, None)


def test_16a_gives_the_reason_that_belongs_to_the_line_it_names():
    told = first_wrong(exercise("16a"), {"y.data[0]", "y.creator"}, None)
    assert told.startswith("y.creator doesn't belong there. Today, the node of a result is in y.grad_fn.")
