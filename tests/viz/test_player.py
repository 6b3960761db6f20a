"""The player: what it records from a real pass, and what its frames say.

MINIGRAD_TEST_BACKEND=torch plays real PyTorch passes with the same expectations.
"""
import re
import weakref
from html.parser import HTMLParser

import pytest

from minigrad.viz import play, watch, why
from minigrad.viz.graph.model import Op, Saved, Tensor
from minigrad.viz.player.frames import MOST_FRAMES
from minigrad.viz.player.record import Grad, _Recorder
from minigrad.viz.player.step_words import RULES, told
from tests.helpers.two_paths import diamond, leaf, pictures, torch


def steps(player):
    """The words of each step, without 'Step 1 of 7. '."""
    return [re.sub(r"^Step \d+ of \d+\. ", "", step.text) for step in player.frames]


# ---------------------------------------------------------------- what is recorded

def test_the_diamond_step_by_step():
    y, names = diamond()
    player = play(y, names=names)
    assert steps(player) == [
        "Before the pass. 1.0 goes into AddBackward0 (y). A node runs when all its messages have arrived.",
        "AddBackward0 (y): 1.0 arrived. To AddBackward0: 1.0, unchanged. To MulBackward0: 1.0, unchanged.",
        "MulBackward0: 1.0 arrived. To AddBackward0 (c): 1.0 × 6.0 (saved other, d) = 6.0. "
        "To MulBackward0 (d): 1.0 × 5.0 (saved self, c) = 5.0. AddBackward0 (c) has 1 of 2: it waits. "
        "MulBackward0 (d) has 1 of 2: it waits. Freed: self, other.",
        "AddBackward0: 1.0 arrived. To AddBackward0 (c): 1.0, unchanged. "
        "To MulBackward0 (d): 1.0, unchanged.",
        "MulBackward0 (d): 5.0 + 1.0 = 6.0 arrived. To AccumulateGrad of a: 6.0 × 3.0 (saved other, b) "
        "= 18.0. To AccumulateGrad of b: 6.0 × 2.0 (saved self, a) = 12.0. "
        "AccumulateGrad of a has 1 of 2: it waits. "
        "AccumulateGrad of b has 1 of 2: it waits. Freed: self, other.",
        "AddBackward0 (c): 6.0 + 1.0 = 7.0 arrived. To AccumulateGrad of a: 7.0, unchanged. "
        "To AccumulateGrad of b: 7.0, unchanged.",
        "AccumulateGrad of a: 18.0 + 7.0 = 25.0 arrived. a.grad was None and is now 25.0.",
        "AccumulateGrad of b: 12.0 + 7.0 = 19.0 arrived. b.grad was None and is now 19.0.",
        "The pass is over. a.grad is 25.0; b.grad is 19.0. 4 saved values freed.",
    ]
    assert names["a"].grad is None, "a player puts back what it fills"
    assert repr(player).splitlines() == ["Backward from y:", *(step.text for step in player.frames)]


def test_the_order_is_the_engines_own_and_the_pass_runs_once():
    x = leaf([1.0, 2.0])
    u, v = x.exp(), x.sin()
    z = (u * v + u).sum()
    order = []
    for name, tensor in (("u", u), ("v", v), ("x", x)):
        tensor.register_hook(lambda grad, name=name: order.append(name))
    player = play(z, names={"x": x, "u": u, "v": v})
    told_order = [player.recording.graph.ops[step.op] for step in player.recording.steps]
    assert [name for op in told_order for name in ("u", "v", "x")
            if name == (op.leaf.name if op.leaf else op.outputs.get(0, Tensor("")).name)] == order
    assert sorted(order) == ["u", "v", "x"]


def test_a_player_can_run_twice_and_changes_nothing():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    c.retain_grad()
    y = c * a
    b.grad = held = torch.tensor(5.0)
    first, second = (play(y, names={"a": a, "b": b, "c": c}).text for _ in range(2))
    assert first == second and first.endswith("a.grad is 12.0; b.grad is 9.0. 4 saved values freed.")
    assert a.grad is None and b.grad is held and held.item() == 5.0 and c.grad is None
    y.backward()
    assert (a.grad.item(), b.grad.item(), c.grad.item()) == (12.0, 9.0, 2.0)
    with pytest.raises(RuntimeError, match="a second time"):
        play(y)


def test_a_player_is_no_evidence_of_a_pass():
    w = leaf(2.0)
    y = w * w
    with watch():
        play(y)
    assert "no pass has gone through" in why(w, y).text
    with watch():
        y.backward(retain_graph=True)
        play(y)
    assert "sum over passes" not in why(w, y).text


def test_a_pass_that_fails_changes_no_drawer_either():
    x, y = leaf(2.0), leaf(3.0)
    z = x * 2
    z.register_hook(lambda grad: 1 / 0)
    w = z * y
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            play(w)
        assert x.grad is None and y.grad is None


def test_hooks_and_retained_gradients_are_told():
    x = leaf([1.0, 2.0])
    y = x * x
    y.retain_grad()
    y.register_hook(lambda grad: grad * 10)
    text = play(y.sum(), names={"x": x, "y": y}).text
    assert "[1.0, 1.0] arrived, and a hook made it [10.0, 10.0]" in text
    assert "y.grad is now [10.0, 10.0] (retained)." in text
    assert "x.grad was None and is now [20.0, 40.0]" in text


def test_a_hook_on_a_node_that_changes_what_is_sent_gets_no_formula():
    x = leaf(3.0)
    y = x.exp()
    y.grad_fn.register_hook(lambda sent, got: (sent[0] * 2,))
    text = play(y, names=False).text
    assert "1.0 in, 40.17 out." in text


def test_custom_functions_with_several_outputs():
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b, a + b

        @staticmethod
        def backward(ctx, product, total):
            a, b = ctx.saved_tensors
            return product * b + total, product * a + total

    x = leaf(3.0)
    p, q = Both.apply(x, x * 2)
    player = play(p, names={"x": x, "p": p, "q": q})
    assert ("BothBackward (p, q): 1.0 arrived at output 0, no gradient (None) arrived at output 1. "
            "To AccumulateGrad of x: 6.0 out. To MulBackward0: 3.0 out. AccumulateGrad of x has 1 of 2: it "
            "waits. Freed: saved_tensors[0], saved_tensors[1].") in player.text
    assert "x.grad is 12.0." in player.text


def test_broadcast_gradients_are_added_up():
    a, b = leaf([1.0, 2.0]), leaf([[1.0, 2.0], [3.0, 4.0]])
    text = play(a * b, torch.ones(2, 2), names={"a": a, "b": b}).text
    assert ("To AccumulateGrad of a: [[1.0, 1.0], [1.0, 1.0]] × [[1.0, 2.0], [3.0, 4.0]] (saved other, b), "
            "added up to shape (2,) = [4.0, 6.0].") in text


def test_several_roots_a_leaf_and_chosen_inputs():
    a = leaf([1.0, 2.0])
    both = play([a.sum(), (a * 2).sum()], [torch.tensor(1.0), torch.tensor(10.0)], names={"a": a})
    assert "a.grad is [21.0, 21.0]." in both.text
    x = leaf(2.0)
    assert "x.grad was None and is now 5.0." in play(x, torch.tensor(5.0), names={"x": x}).text
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    assert "x.grad is 3.0." in play(y * y.detach() / 6, inputs=[x], names={"x": x, "w": w}).text
    assert w.grad is None


# ---------------------------------------------------------------- errors and bad input

def test_an_error_in_the_middle_is_raised_and_the_steps_before_it_are_kept():
    x = leaf(3.0)
    w = x.exp()
    z = (w * x).sin()
    with torch.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        play(z, names={"x": x, "w": w, "z": z})
    player = raised.value.player
    assert [step.text.partition(":")[0] for step in player.frames[1:]] == [
        "Step 1 of 2. SinBackward0 (z)", "Step 2 of 2. MulBackward0"]
    assert player.frames[-1].text.endswith("instead. Hint: enable anomaly detection to find the operation "
                                           "that failed to compute its gradient, with torch.autograd."
                                           "set_detect_anomaly(True, check_nan=False). The pass stops here.")
    assert [box.title for box in player.frames[-1].picture.boxes if box.mark == "guilty"] == ["MulBackward0"]
    assert x.grad is None


def test_no_hook_stays_behind(monkeypatch):
    x = leaf(2.0)
    y = x.exp()
    calls = []
    begins = _Recorder.begins
    monkeypatch.setattr(_Recorder, "begins", lambda self, *got: (calls.append(got), begins(self, *got))[1])
    play(y, retain_graph=True)
    assert len(calls) == 2
    y.backward()
    assert len(calls) == 2 and x.grad.item() == pytest.approx(7.389056)


def test_bad_input_gets_the_usual_words():
    for wrong, words in ((None, "not None"), (3, "not an int"), ([], "this list is empty")):
        with pytest.raises(TypeError, match=words):
            play(wrong)
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        play(torch.tensor(1.0))
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        play(leaf([1.0, 2.0]) * 2)


def test_a_player_keeps_nothing_alive():
    x = leaf(2.0)
    player = play(x.exp() * x, names={"x": x})
    gone = weakref.ref(x)
    del x
    assert gone() is None and "x.grad" in player.text


# ---------------------------------------------------------------- frames


def test_what_a_frame_shows():
    y, names = diamond()
    player = play(y, names=names)
    second = player.frames[2].picture
    by_title = {(box.title, *box.made): box for box in second.boxes}
    assert by_title["AddBackward0", "c ()"].lines == ["1 of 2 arrived: wait"]
    assert [box.title for box in second.boxes if box.mark == "here"] == ["MulBackward0"]
    assert [arrow.label for arrow in second.arrows if arrow.label] == ["6.0", "5.0", "1.0", "1.0", "1.0"]
    leaves = [[box.tensor.grad for box in step.picture.boxes if box.kind == "leaf"] for step in player.frames]
    assert leaves[0] == ["None", "None"] and leaves[6] == ["25.0", "None"] and leaves[-1] == ["25.0", "19.0"]
    states = [[saved.state for box in step.picture.boxes for saved in box.saved] for step in player.frames]
    assert states[1] == ["kept"] * 4 and states[2].count("freed") == 2 and states[-1] == ["freed"] * 4


def test_large_graphs_fold_and_the_number_of_frames_is_bounded():
    x = leaf(0.5)
    y = x
    for _ in range(2000):
        y = y.sin()
    player = play(y, names={"x": x, "y": y})
    assert len(player.frames) < 50
    assert re.search(r"\d+ nodes ran that are not shown one by one: \d+ SinBackward0\.", player.text)
    assert sum(frame.key for frame in player.frames) <= 8
    leaves = [leaf(float(at)) for at in range(60)]
    wide = play(sum(item * item for item in leaves), max_nodes=None)
    assert len(wide.frames) <= MOST_FRAMES
    assert "nodes ran that are not shown one by one: " in wide.frames[-2].text


# ---------------------------------------------------------------- words

SCALAR = {name: rules for name, rules in RULES.items() if all(rule.sum for rule in rules) and name != "Mean"}


@pytest.mark.parametrize("name", [name for name in SCALAR if hasattr(torch, name.lower())])
def test_the_words_of_a_rule_are_what_the_engine_does(name):
    """With every slot filled from a real operation, no message is told as 'x in, y out'."""
    two = len(RULES[name]) == 2
    function = getattr(torch, name.lower())
    a, b = (leaf([0.7]), leaf([1.6])) if name == "Dot" else (leaf(0.7), leaf(1.6))
    y = function(a, b) if two else function(a, 3) if name == "Pow" else function(a)
    y = y * 1.5
    player = play(y, names={"a": a})
    sent = [step for step in player.frames if step.text.split(". ", 1)[1].startswith(name)]
    assert sent and " in, " not in sent[0].text, player.text


def test_a_formula_that_does_not_hold_is_not_told():
    op = Op("MulBackward0", "op", saved=[Saved("other", "kept", Tensor("leaf", "b", (), "3.0"))])
    assert told(op, 0, Grad((), 2.0), Grad((), 6.0)) == "2.0 × 3.0 (saved other, b) = 6.0"
    assert told(op, 0, Grad((), 2.0), Grad((), 7.0)) == "2.0 in, 7.0 out"
    assert told(op, 1, Grad((), 2.0), Grad((), 7.0)) == "2.0 in, 7.0 out"  # self is not known


def test_a_factor_that_the_rules_do_not_know_gets_no_formula():
    x, y = leaf([1.0] * 10), leaf([1.0] * 10)
    text = play(torch.add(x, y, alpha=3), torch.ones(10), names={"x": x, "y": y}).text
    assert "To AccumulateGrad of y: shape (10,) in, shape (10,) out." in text


# ---------------------------------------------------------------- the page

class Outline(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def outline(html):
    parser = Outline()
    parser.feed(html)
    return parser.tags


@pictures
def test_the_page_holds_everything_once():
    y, names = diamond()
    player = play(y, names=names)
    tags = outline(player.html)
    figures = [attrs for tag, attrs in tags if tag == "figure"]
    images = [attrs for tag, attrs in tags if tag == "img"]
    assert len(figures) == len(images) == 9
    assert [at for at, attrs in enumerate(figures) if "hidden" not in attrs] == [0]
    assert all(image["src"].startswith("data:image/svg+xml,") and image["alt"] for image in images)
    assert not any(tag == "script" for tag, _ in tags)
    assert not re.search(r"https?://(?!www\.w3\.org)", player.html)
    assert len(player.html) / 9 < 15_000
    assert 0 < sum("class" in attrs for attrs in figures) <= 8


@pictures
def test_a_saved_player_is_a_page_of_its_own(tmp_path):
    y, names = diamond()
    player = play(y, names=names)
    player.save(tmp_path / "player.html")
    text = (tmp_path / "player.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "<h1>Backward from y</h1>" in text
    player.save(tmp_path / "player.txt")
    assert (tmp_path / "player.txt").read_text(encoding="utf-8") == player.text + "\n"
    with pytest.raises(ValueError, match="a player saves as .html, .txt"):
        player.save(tmp_path / "player.gif")
