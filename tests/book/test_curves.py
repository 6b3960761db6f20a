"""Curves are an image with words, and the words hold the same numbers."""
import pytest

import minigrad as torch

pytest.importorskip("matplotlib")
from minigrad.book import curves, show_figure


def test_words_hold_the_first_the_last_and_some_between():
    shown = curves({"loss": [8., 4., 2., 1.]}, y="loss", alt="It falls.")
    assert repr(shown) == ("It falls.\nloss: 8 at step 0, 4 at step 1, 2 at step 2, 1 at step 3")
    assert 'alt="It falls.\nloss: 8 at step 0' in shown.html and "data:image/png;base64," in shown.html


def test_a_figure_is_shown_once_with_its_words():
    from matplotlib import pyplot
    figure, axes = pyplot.subplots()
    axes.bar(["sum", "mean"], [4, 1])
    assert pyplot.fignum_exists(figure.number)
    shown = show_figure(figure, alt='A "sum" is larger.')
    assert repr(shown) == 'A "sum" is larger.' and 'alt="A &quot;sum&quot; is larger."' in shown.html
    assert "data:image/png;base64," in shown.html and not pyplot.fignum_exists(figure.number)
    with pytest.raises(ValueError, match="show_figure needs words for someone who doesn't see the figure"):
        show_figure(figure, alt=" ")


def test_a_long_line_is_read_out_in_six_places():
    words = repr(curves({"a": range(101), "b": [torch.tensor(1.)] * 101}, x="epoch"))
    assert words.splitlines()[0] == "a: " + ", ".join(f"{k} at epoch {k}" for k in range(0, 101, 20))
    assert words.count(" at epoch ") == 12


def test_places_of_its_own_and_a_line_that_has_no_values_yet():
    assert repr(curves({"a": [3, 4]}, at=[10, 20])) == "a: 3 at step 10, 4 at step 20"
    assert repr(curves({"a": []})) == "a: no values yet"


@pytest.mark.parametrize(("lines", "places", "words"), [
    ({}, None, "1 to 4 lines, but was given 0"), (dict.fromkeys("abcde", [1]), None, "given 5"),
    ({"a": [1, 2]}, [1], "the line 'a' has 2 numbers, but `at` has 1")])
def test_what_cannot_be_drawn(lines, places, words):
    with pytest.raises(ValueError, match=words):
        curves(lines, at=places)
