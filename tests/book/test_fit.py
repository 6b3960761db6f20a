"""The nine points and the pictures of a line's fit: their numbers, their words, and what they refuse."""
import importlib
import re
from types import SimpleNamespace

import pytest

import minigrad as torch
from minigrad.book import curves, draw_loss, draw_points, points
from minigrad.book.classroom.curves import INSTALL


def loss_at(package, w, b):
    x, target = map(package.tensor, points())
    return ((w * x + b - target) ** 2).mean()


def test_the_points_are_three_x_plus_a_half_and_the_noise():
    inputs, targets = points()
    noise = torch.tensor([0.1, -0.1, 0.2, 0., -0.2, 0.1, 0., -0.1, 0.])
    assert inputs == torch.linspace(-1, 1, 9).tolist()
    assert targets == pytest.approx((3 * torch.tensor(inputs) + 0.5 + noise).tolist(), abs=1e-6)
    assert str(loss_at(torch, 1., 0.)) == "tensor(1.8522)"
    assert str(loss_at(torch, 1 + 0.5 * 1.6278, 0.5)) == "tensor(0.5534)"


def test_pytorch_prints_the_same_losses():
    real = pytest.importorskip("torch")
    assert str(loss_at(real, 1., 0.)) == "tensor(1.8522)"
    assert str(loss_at(real, 1 + 0.5 * 1.6278, 0.5)) == "tensor(0.5534)"


def test_a_change_to_the_lists_does_not_reach_the_next_call():
    inputs, targets = points()
    inputs.clear()
    targets[0] = 100.
    assert points()[0][0] == -1. and points()[1][0] == -2.4


def test_words_say_the_losses_and_the_residuals_of_the_last_line():
    words = str(draw_points((1., 0.), (1.8139, 0.5)))
    assert words.splitlines()[1:] == [
        "Line 1 (dashed): w = 1, b = 0, loss 1.8522.",
        "Line 2 (solid): w = 1.814, b = 0.5, loss 0.5534.",
        "The residuals of line 2, from left to right (+ means that the point is above the line): "
        "−1.09, −0.99, −0.39, −0.30, −0.20, +0.40, +0.59, +0.79, +1.19."]
    assert words.startswith("Nine points (input, target): (−1, −2.4), (−0.75, −1.85), ")
    assert "esiduals" not in str(draw_points((1., 0.), residuals=False))
    assert len(str(draw_points()).splitlines()) == 1


def test_words_of_the_loss_hold_the_slope_and_the_forward_difference():
    words = str(draw_loss(1., 0.))
    w = torch.tensor(1., requires_grad=True)
    loss_at(torch, w, 0.).backward()
    change = (loss_at(torch, 1.5, 0.) - loss_at(torch, 1., 0.)).item()
    slope = f"{w.grad.item():.4f}".replace("-", "−")
    assert f"The tangent there: slope {slope}." in words and slope == "−1.6278"
    assert f"changes the loss by {change:.4f}".replace("-", "−") in words
    assert f"forward difference {change / 0.5:.3f}".replace("-", "−") in words
    assert "a parabola, lowest at w = 2.953, where the loss is 0.2624." in words


@pytest.mark.parametrize("pair", [
    (torch.tensor(1.), torch.tensor([0.])), torch.tensor([1., 0.]), [1, 0],
    (torch.tensor(1., requires_grad=True), 0.),
    (SimpleNamespace(data=1.), SimpleNamespace(data=torch.tensor(0.)))])
def test_a_pair_may_be_floats_tensors_or_objects_with_data(pair):
    assert "The line: w = 1, b = 0, loss 1.8522." in str(draw_points(pair))
    assert "The tangent there: slope −1.6278." in str(draw_loss(*pair))


PAIRS = ("draw_points takes pairs of two numbers, such as `draw_points((1., 0.))` or "
         "`draw_points((w, b))`, but was ")


@pytest.mark.parametrize(("pairs", "error", "words"), [
    ((1., 0.), TypeError, PAIRS + "given 1.0"), (("ab",), TypeError, PAIRS + "given 'ab'"),
    ((None,), TypeError, PAIRS + "given None"), (((1, 2, 3),), TypeError, PAIRS + "given a tuple"),
    ((torch.ones(3),), TypeError, PAIRS + "given a Tensor"),
    (({1: 2, 3: 4},), TypeError, PAIRS + "given a dict"),
    ((("1", 2),), TypeError, "draw_points needs a number for w, but was given the text '1'"),
    (((1, None),), TypeError, "draw_points needs a number for b, but was given None"),
    (((torch.ones(3), 1),), TypeError, "draw_points needs a number for w, but was given a Tensor"),
    (((float("nan"), 1),), ValueError, "draw_points can't draw w = nan; w should be a finite number"),
    (((1, -1e999),), ValueError, "draw_points can't draw b = -inf; b should be a finite number")])
def test_what_is_no_pair_of_numbers(pairs, error, words):
    with pytest.raises(error, match=re.escape(words) + "$"):
        draw_points(*pairs)


@pytest.mark.parametrize(("arguments", "error", "words"), [
    ((None, 0.), TypeError, "draw_loss needs a number for w, but was given None"),
    ((1., [0.]), TypeError, "draw_loss needs a number for b, but was given a list"),
    ((1., 0., "h"), TypeError, "draw_loss needs a number for h, but was given the text 'h'"),
    ((1., 0., 0), ValueError, "draw_loss divides by the nudge h, so h can't be 0; try h=0.5")])
def test_what_draw_loss_refuses(arguments, error, words):
    with pytest.raises(error, match=re.escape(words)):
        draw_loss(*arguments)


def test_pictures_are_images_with_their_words_and_the_same_in_each_run():
    pytest.importorskip("matplotlib")
    for make in (lambda: draw_points((1., 0.), (50., 3.)), lambda: draw_loss(3., 0.5, h=-2)):
        shown = make()
        assert "data:image/png;base64," in shown.html and shown.html == make().html
        assert shown.text.splitlines()[0] in shown.html.replace("&#x27;", "'")


def test_without_matplotlib_the_words_say_what_to_install(monkeypatch):
    def fails(*_):
        raise ModuleNotFoundError(INSTALL, name="matplotlib")

    for name in ("fit", "curves"):
        monkeypatch.setattr(importlib.import_module(f"minigrad.book.classroom.{name}"), "new_figure", fails)
    for shown in (draw_points((1., 0.)), draw_loss(1., 0.), curves({"loss": [1.]})):
        assert str(shown).endswith(INSTALL) and shown.html.startswith("<pre")
        assert len(str(shown)) > len(INSTALL)
