"""Free mode: how it counts, what it says, and its buttons.

MINIGRAD_TEST_BACKEND=torch fires the nodes of real PyTorch graphs with the same expectations.
"""

import pytest

from minigrad.book import play
from minigrad.book.classroom.labs import free_buttons
from tests.helpers.two_paths import diamond, leaf, pictures, torch

RIGHT = "y n4 n5 c d a.grad b.grad".split()
HASTY = "y n4 c d n5 c d a.grad b.grad".split()


def test_the_right_order_gives_the_engines_numbers():
    y, names = diamond()
    game = play(y, free=True, names=names).fire(*RIGHT)
    assert game.text.splitlines()[1] == f"Fired: {', '.join(RIGHT)}."
    assert game.text.endswith("All leaves are right: the engine gets the same.")
    mine = {names_.leaf.name: game.state.drawers[op].item()
            for op, names_ in enumerate(game.game.graph.ops) if names_.leaf}
    assert names["a"].grad is None  # nothing real has happened yet
    y.backward()
    assert mine == {"a": names["a"].grad.item(), "b": names["b"].grad.item()} == {"a": 25.0, "b": 19.0}


def test_every_legal_order_gives_the_engines_numbers():
    y, names = diamond()
    for order in ("y n5 n4 d c b.grad a.grad", "y n4 n5 c d b.grad a.grad", "y n5 n4 c d a.grad b.grad"):
        assert play(y, free=True, names=names).fire(*order.split()).text.endswith("the engine gets the same.")


def test_a_node_fired_too_early_spoils_the_numbers():
    y, names = diamond()
    game = play(y, free=True, names=names)
    texts = [game.fire(id_).state.text for id_ in HASTY]
    assert texts[2] == ("You fired AddBackward0 (c) with 1.0, 1 of 2 messages: too early. "
                        "It sent 1.0 to AccumulateGrad of a, 1.0 to AccumulateGrad of b.")
    assert texts[5].startswith("You fired AddBackward0 (c) with 7.0, once more: what it sent before goes out "
                               "a second time.")
    assert texts[-1].endswith("Wrong: a.grad is 29.0, the engine gets 25.0; "
                              "b.grad is 22.0, the engine gets 19.0.")
    assert game.undo().state.text == texts[-2]
    assert game.restart().fire(*RIGHT).text.endswith("the engine gets the same.")


def test_free_mode_is_pure():
    y, names = diamond()
    game = play(y, free=True, names=names).game
    start = game.begin()
    first = game.fire(start, game.op_of("y"))
    assert game.begin() == start and not start.steps and len(first.steps) == 1
    assert game.fire(start, game.op_of("c")).text == ("Nothing has arrived at AddBackward0 (c) yet, "
                                                       "so it has nothing to send.")
    assert y.grad_fn(torch.tensor(1.0))[0].item() == 1.0  # still there


def test_free_mode_starts_from_the_gradients_of_its_beginning():
    y, names = diamond()
    game = play(y, free=True, names=names)
    names["a"].grad = torch.tensor(100.0)
    assert game.fire(*RIGHT).text.endswith("the engine gets the same.")


def test_free_mode_says_what_it_cannot_do():
    y, names = diamond()
    game = play(y, free=True, names=names)
    with pytest.raises(ValueError, match="no node is called 'n2'; there are a.grad, b.grad, c, d, n4"):
        game.fire("n2")
    y.backward()
    assert "can't run: RuntimeError: Trying to backward" in game.fire("y", "n5").text
    with pytest.raises(ValueError, match=r"needs gradient=, because the tensor has shape \(2,\)"):
        play(leaf([1.0, 2.0]) * 2, free=True)
    with pytest.raises(ValueError, match="free mode shows at most 5 boxes, and this graph has 8"):
        play(diamond()[0], free=True, max_nodes=5)


@pictures
def test_the_strip_of_free_mode_shows_right_and_wrong():
    y, names = diamond()
    game = play(y, free=True, names=names)
    bundle = game._repr_mimebundle_()
    assert bundle["text/html"].count("<img") == 3
    assert "All leaves are right" in bundle["text/html"]
    assert "a.grad is 29.0, the engine gets 25.0" in bundle["text/html"]
    assert bundle["text/plain"] == game.text


@pictures
def test_free_mode_has_buttons_only_where_somebody_can_press_them(monkeypatch):
    pytest.importorskip("ipywidgets")
    y, names = diamond()
    game = play(y, free=True, names=names)
    assert set(game._repr_mimebundle_()) == {"text/html", "text/plain"}
    with pytest.raises(NotImplementedError):  # leaves it to IPython: the strip alone
        game._ipython_display_()
    monkeypatch.setattr(free_buttons, "somebody_is_there", lambda: True)
    monkeypatch.setattr(free_buttons.Shown, "_ipython_display_", lambda shown: seen.append(shown))
    seen = []
    game._ipython_display_()
    assert "<img" in seen[0].html and "mgcontrols" not in seen[0].html
    assert seen[0].controls is not None


@pictures
def test_the_buttons_only_call_the_pure_function():
    ipywidgets = pytest.importorskip("ipywidgets")
    y, names = diamond()
    game = play(y, free=True, names=names)
    told = []
    nodes, controls, heard = game.widget(lambda text, html: told.append(html)).children
    assert [button.description for button in nodes.children][:2] == ["Fire y", "Fire n5"]
    assert all(isinstance(button, ipywidgets.Button) for button in (*nodes.children, *controls.children))
    before = game.page()
    nodes.children[0].click()
    assert "You fired AddBackward0 (y) with 1.0." in heard.value and "You fired" in told[-1] != before
    controls.children[0].click()
    assert told[-1] == before


@pictures
def test_the_strip_of_free_mode_shows_each_picture_once():
    assert play((leaf(2.0) * 3).exp(), free=True)._repr_mimebundle_()["text/html"].count("<img") == 2
