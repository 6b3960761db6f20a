"""Chapter 7: sentences that earlier editions got wrong, and programs that try to break its rules."""
import contextlib
import random
import re
import threading
from xml.etree import ElementTree

import pytest

import minigrad as torch
from minigrad.book import draw_layers, saved_bytes
from minigrad.book.classroom.judging import first_wrong, judge
from minigrad.book.classroom.labs.ways import FULL, MORE, WAYS, answers, as_text, run
from minigrad.book.content.chapters import of
from minigrad.book.content.chapters.ch07 import LOOK, fixed, given, nine_points
from minigrad.book.content.chapters.ch07 import table as table_of_7a
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load, texts

CHAPTER = Chapter(7)


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def inference_results_are_recorded_with():
    x = leaf(1., 1.)
    with torch.inference_mode():
        sealed = x * 2
    (sealed + x).sum().backward()
    return x.grad.tolist()


def a_frozen_weight_moves():
    p = leaf(1.)
    sgd = torch.optim.SGD([p], lr=0.1)
    (p * 2).sum().backward()
    sgd.step()
    p.requires_grad_(False)
    sgd.step()
    return round(p.item(), 4)


def flag_off_after_recording():
    u = torch.ones(2, 4, requires_grad=True)
    y = u + 2
    u.requires_grad_(False)
    y.sum().backward()
    return u.requires_grad, y.requires_grad, u.grad


def what_5x_is_not():
    x = torch.tensor(4., requires_grad=True)
    (x ** 2 + x ** 3).backward()
    return x.grad.item()


def freezing_is_not_no_grad():
    found = []
    for way in ("flag", "no_grad"):
        found.append(answers(way)["upstream gradient?"])
    return found


def eval_records():
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Dropout(0.5)).eval()
    return model(torch.ones(1, 3)).requires_grad


def dropout_leaves_no_node_in_evaluation_mode():
    y = leaf(1., 2.) * 3
    return torch.nn.Dropout(0.5).eval()(y).grad_fn is y.grad_fn


def which_results_are_inference_tensors():
    x = leaf(1., 2.)
    with torch.inference_mode():
        found = [x * 2, torch.ones(2), x.detach(), x[:1]]
    return [one.is_inference() for one in found]


def create_graph_records_under_no_grad():
    x = torch.tensor(3., requires_grad=True)
    y = x ** 3
    with torch.no_grad():
        gradient, = torch.autograd.grad(y, [x], create_graph=True)
        inner = []
        with torch.enable_grad():
            inner.append(x * 2)
    return gradient.requires_grad, inner[0].requires_grad


def another_thread_records():
    x, found = leaf(1.), []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: found.append((x * 2).requires_grad))
        thread.start()
        thread.join()
    return found


def a_view_made_under_no_grad():
    x = leaf(1., 2.)
    with torch.no_grad():
        view = x.view(2, 1)
    return view.requires_grad, view.grad_fn


def detach_in_place_switches_a_result_s_flag_off():
    x = leaf(3.)
    y = x * x
    y.detach_()
    return y.requires_grad


def a_moving_target():
    w, b = torch.tensor(1., requires_grad=True), torch.tensor(0., requires_grad=True)
    early, later = w * 1. + b, w * 2. + b
    ((early - later) ** 2).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    return round((w * 1. + b).item(), 4), ((w * 1. + b) - (w * 2. + b)).item() ** 2 < 1


def a_bare_call_outlives_an_error():
    try:
        torch.set_grad_enabled(False)
        raise ValueError("something else went wrong")
    except ValueError:
        return (leaf(1.) * 2).requires_grad
    finally:
        torch.set_grad_enabled(True)


def detach_at_the_end_comes_after_recording():
    x = leaf(1., 2.)
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t), lambda t: t):
        (x * x).exp().sin().detach()
        recorded = len(packed)
        with torch.no_grad():
            (x * x).exp().sin()
    return recorded > 0, len(packed) - recorded


def a_frozen_layer_passes_nothing_to_an_input_that_requires_no_gradient():
    frozen, second = torch.nn.Linear(2, 2).requires_grad_(False), torch.nn.Linear(2, 2)
    found = []
    for flag in (True, False):
        given = torch.ones(1, 2, requires_grad=flag)
        second(frozen(given)).sum().backward()
        found.append(given.grad is not None)
    return found


def a_layer_without_weights():
    return list(torch.nn.Dropout(0.5).parameters())


SENTENCES = [
    ("results of inference_mode never enter a graph again", inference_results_are_recorded_with, [1., 1.]),
    ("freezing always keeps a weight where it is", a_frozen_weight_moves, 0.6),
    ("a flag switched off later changes nothing for the pass", flag_off_after_recording, (False, True, None)),
    ("the derivative of x² + x³ is 5x", what_5x_is_not, 56.),
    ("no_grad around a layer is like freezing it", freezing_is_not_no_grad, [True, False]),
    ("eval() stops recording", eval_records, True),
    ("under eval() every line is still recorded", dropout_leaves_no_node_in_evaluation_mode, True),
    ("all results in an inference_mode block are inference tensors", which_results_are_inference_tensors,
     [True, True, False, False]),
    ("under no_grad no operation is recorded", create_graph_records_under_no_grad, (True, True)),
    ("no_grad switches recording off everywhere", another_thread_records, [True]),
    ("a result of a no_grad block never requires a gradient", a_view_made_under_no_grad, (True, None)),
    ("only a leaf's flag can be switched off", detach_in_place_switches_a_result_s_flag_off, False),
    ("a smaller loss means that the prediction came closer to its target", a_moving_target, (0.8, True)),
    ("set_grad_enabled(False) ends with the line", a_bare_call_outlives_an_error, False),
    ("detach() at the end gives what no_grad gives", detach_at_the_end_comes_after_recording, (True, 0)),
    ("behind a frozen layer, every input gets a gradient",
     a_frozen_layer_passes_nothing_to_an_input_that_requires_no_gradient, [True, False]),
    ("a layer is a function with weights of its own", a_layer_without_weights, []),
]


@pytest.mark.parametrize(("sentence", "program", "prints"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_false_sentence_is_refuted(sentence, program, prints):
    assert sentence not in CHAPTER
    assert program() == prints


# --- the rules ----------------------------------------------------------------------------------------------

OPERATIONS = [lambda t: t * t, lambda t: t + 3, lambda t: t.exp(), lambda t: t.sin(), lambda t: t / 2,
              lambda t: t ** 2, lambda t: t.reshape(-1), lambda t: t.tanh()]


def after_some_operations(t, rng):
    for _ in range(rng.randint(1, 4)):
        t = rng.choice(OPERATIONS)(t)
    return t


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("A pass that reaches a leaf through a line adds to its `.grad` only if the flag was on when "
              "the line ran, and is on when the gradient arrives.")
def test_rule_a_flag_is_read_when_a_line_uses_the_leaf_and_when_a_gradient_reaches_it(seed):
    rng = random.Random(seed)
    x, other = leaf(0.3, 0.5), leaf(0.2, 0.4)
    first, between, second = (rng.random() < 0.5 for _ in range(3))
    x.requires_grad_(first)
    y = after_some_operations(x, rng) + other
    x.requires_grad_(between)  # what it is in between doesn't matter
    x.requires_grad_(second)
    y.sum().backward()
    assert (x.grad is not None) == (first and second) and other.grad is not None


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("`y.detach()` shares its memory with `y`, and no gradient passes through it back to `y`.")
def test_rule_detach_shares_memory_and_lets_no_gradient_back(seed):
    rng = random.Random(seed)
    x, other = leaf(0.3, 0.5), leaf(0.2, 0.4)
    y = after_some_operations(x, rng)
    d = y.detach()
    assert d.data_ptr() == y.data_ptr() and d.tolist() == y.tolist() and d.grad_fn is None
    (after_some_operations(d, rng) * other).sum().backward()
    assert x.grad is None and other.grad is not None
    d.requires_grad_()
    after_some_operations(d, rng).sum().backward()
    assert x.grad is None and d.grad is not None


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("A gradient can pass through a frozen layer to the layers before it, but never through "
              "`detach`.")
def test_rule_a_gradient_passes_a_frozen_layer_and_no_detach(seed):
    rng = random.Random(seed)
    count = rng.randint(3, 6)
    layers = [torch.nn.Linear(2, 2) for _ in range(count)]
    frozen = set(rng.sample(range(count), rng.randint(1, count - 1)))
    detached = rng.choice([None, *range(count - 1)])
    h = torch.ones(1, 2)
    for number, layer in enumerate(layers):
        layer.requires_grad_(number not in frozen)
        h = layer(h).detach() if number == detached else layer(h)
    if h.requires_grad:
        h.sum().backward()
    after = -1 if detached is None else detached
    assert [layer.weight.grad is not None for layer in layers] == [
        number > after and number not in frozen for number in range(count)]


@pytest.mark.parametrize("seed", range(30))
@CHAPTER.says("An operation is recorded only if, when its line runs, recording is on and an input requires a "
              "gradient.")
def test_rule_both_conditions_are_needed_when_the_line_runs(seed):
    """Blocks in blocks, and flags that change before and after the line."""
    rng = random.Random(seed)
    inputs, on = [torch.tensor([0.3, 0.5]) for _ in range(3)], True
    with contextlib.ExitStack() as blocks:
        for _ in range(rng.randint(0, 3)):
            on = rng.random() < 0.5
            plain = torch.enable_grad if on else torch.no_grad
            blocks.enter_context(plain() if rng.random() < 0.5 else torch.set_grad_enabled(on))
        for one in inputs:
            one.requires_grad_(rng.random() < 0.5)
            one.requires_grad_(rng.random() < 0.4)      # what it was before doesn't matter
        needed = any(one.requires_grad for one in inputs)
        result = torch.stack(inputs)
        assert torch.is_grad_enabled() == on
    for one in inputs:
        one.requires_grad_(rng.random() < 0.5)          # nor what it becomes
    assert (result.grad_fn is not None) == result.requires_grad == (on and needed)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_condition_alone_records_nothing(operation):
    x, fixed = leaf(0.3, 0.5), torch.tensor([0.3, 0.5])
    with torch.no_grad():
        assert operation(x).grad_fn is None
    assert operation(fixed).grad_fn is None and operation(x).grad_fn is not None


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("Nothing, unless something in the block switches recording on again, such as "
              "`torch.enable_grad()`, a backward pass with `create_graph=True` (chapter 13), or a new "
              "thread.")
def test_rule_nothing_is_recorded_under_no_grad_and_no_flag_changes(seed):
    rng = random.Random(seed)
    x, fixed = leaf(0.3, 0.5), torch.ones(2)
    y = x * 2
    node = y.grad_fn
    with torch.no_grad():
        results = [after_some_operations(rng.choice([x, y, fixed]), rng) for _ in range(5)]
        made = leaf(1.)  # a leaf is made, not recorded
        fixed.add_(x)
    for result in results:
        assert result.grad_fn is None  # although a view's flag is that of its base
        (result * made).sum().backward()
    assert x.grad is None and made.grad is not None
    assert (x.requires_grad, y.requires_grad, fixed.requires_grad, made.requires_grad) == (
        True, True, False, True) and y.grad_fn is node


READ = [lambda s, x: s + x, lambda s, x: x - s, lambda s, x: torch.cat([x, s]), lambda s, x: x.add(s)]
SAVE = [lambda s, x: s * x, lambda s, x: x / s, lambda s, x: x @ s, lambda s, x: s @ x]


@pytest.mark.parametrize("program", READ + SAVE)
@CHAPTER.says("is then an **inference tensor**, which no node can save",
              "the gradient of `x` needs `sealed`, which can't be saved")
def test_rule_an_inference_tensor_is_read_but_not_saved(program):
    x = leaf(0.3, 0.5)
    with torch.inference_mode():
        sealed = x * 2
    if program in SAVE:
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            program(sealed, x)
        program(sealed.clone(), x).sum().backward()  # what the chapter's table advises
    else:
        program(sealed, x).sum().backward()
    assert x.grad is not None


# --- the table ----------------------------------------------------------------------------------------------

def test_every_row_of_the_table_is_different():
    rows = [tuple(answers(way).values()) for way in WAYS]
    assert len(set(rows)) == len(WAYS) == 5 and tuple(rows[0]) == (True, True, True, False, True)


def test_the_other_ways_repeat_a_row():
    same = {way: next(row for row in WAYS if answers(row) == answers(way)) for way in MORE}
    assert same == {"eval()": FULL, "set_grad_enabled(False)": "no_grad", ".data": "detach"}


def test_the_lab_shows_eval_with_a_layer_that_the_chapter_explains():
    layer = re.search(r"nn\.(\w+)", MORE["eval()"])[1]
    assert any(text.count(f"`{layer}` is a layer") for text in texts(load(7)))


@pytest.mark.parametrize("way", [*WAYS, *MORE])
def test_a_picture_of_the_lab_fits_the_page(way):
    assert float(re.search(r'width="([\d.]+)pt"', run(way)["picture"].svg)[1]) * 4 / 3 <= 715


def test_an_answer_to_the_table_is_told_which_column_is_wrong():
    table = of(7).EXERCISES[0]
    right = table_of_7a()
    assert first_wrong(table, right, None) is None
    for way in right:
        for at, column in enumerate(LOOK):
            row = [answer != (place == at) for place, answer in enumerate(right[way])]
            said = first_wrong(table, {**right, way: row}, None)
            assert f'In the row {way}, the answer to "{column}" is not right.' in said


def test_a_row_of_the_table_may_stay_unfinished():
    table = of(7).EXERCISES[0]
    right = table_of_7a()
    half = {**right, "no_grad": [False, None, None]}
    assert "Still missing: the row `no_grad`." in " ".join(judge(table, half, None).says)
    said_of_it = first_wrong(table, {**half, "no_grad": [True, None, None]}, None)
    assert 'In the row no_grad, the answer to "recorded?" is not right.' in said_of_it


def test_each_of_the_four_forms_switches_recording_off():
    x = leaf(1., 2.)

    @torch.no_grad()
    def double(t):
        return t * 2

    with torch.no_grad():
        found = [x * 2]
    with torch.set_grad_enabled(False):
        found.append(x * 2)
    found.append(double(x))
    torch.set_grad_enabled(False)
    found.append(x * 2)
    torch.set_grad_enabled(True)
    assert [one.requires_grad for one in found] == [False] * 4 and (x * 2).requires_grad


@CHAPTER.says("sets values to zero at random, and multiplies the others so that the mean stays about the "
              "same")
def test_dropout_scales_what_it_keeps():
    torch.manual_seed(0)
    for p in (0.2, 0.5, 0.8):
        found = torch.nn.Dropout(p)(torch.ones(100_000))
        kept = found[found != 0]
        assert 0 < len(kept) < len(found) and kept.tolist() == pytest.approx([1 / (1 - p)] * len(kept))
        assert found.mean().item() == pytest.approx(1., abs=0.02)


@CHAPTER.says("`eval()` matches full recording, `set_grad_enabled(False)` matches `no_grad`, and `.data` "
              "matches `detach`.")
def test_the_answer_to_the_lab_is_what_its_three_ways_do():
    for way, row in ("eval()", FULL), ("set_grad_enabled(False)", "no_grad"), (".data", "detach"):
        assert answers(way) == answers(row)


@CHAPTER.says("in which `Dropout` changes nothing; `model.train()` switches back")
def test_train_switches_dropout_on_again():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Dropout(0.5))
    ones = torch.ones(50)
    assert torch.equal(model.eval()(ones), ones)
    assert not torch.equal(model.train()(ones), ones)


@CHAPTER.says("it was moved down to 1.8. After 50 steps, both guesses are 1.5.",
              "The first guess moves to the second one, which stays at 2.")
def test_a_detached_target_stays_and_the_other_one_moves():
    def after(steps, target_of):
        guess, stays = leaf(1., 2.), True
        for _ in range(steps):
            target = target_of(guess[1])
            guess.grad = None
            ((guess[0] - target) ** 2).backward()
            with torch.no_grad():
                guess -= 0.1 * guess.grad
            stays = stays and guess[1].item() == 2
        return guess.tolist(), stays

    assert after(1, lambda later: later) == (pytest.approx([1.2, 1.8]), False)
    assert after(50, lambda later: later) == (pytest.approx([1.5, 1.5], abs=1e-4), False)
    assert after(1, lambda later: later.detach()) == (pytest.approx([1.2, 2.]), True)
    assert after(50, lambda later: later.detach()) == (pytest.approx([2., 2.], abs=1e-4), True)


def test_the_table_in_words_names_what_is_true_of_each_way():
    assert as_text().splitlines()[1:] == [
        "flag: recorded, upstream gradient, may be saved", "detach: recorded, shares memory, may be saved",
        "no_grad: may be saved", "inference_mode: none of these"]


# --- the three needs ----------------------------------------------------------------------------------------

def test_an_evaluation_saves_bytes_for_each_loss_and_none_under_no_grad():
    x = torch.linspace(-1, 1, 1000)
    w, b = torch.tensor(2.9, requires_grad=True), torch.tensor(0.4, requires_grad=True)

    def evaluate():
        return ((w * x + b - (3 * x + 0.5)) ** 2).mean()

    assert [saved_bytes(*[evaluate() for _ in range(count)]) for count in (1, 2, 3)] == [8000, 12000, 16000]
    with torch.no_grad():
        assert saved_bytes(*[evaluate() for _ in range(3)]) == 0
        assert w.requires_grad


def test_a_frozen_weight_saves_the_inputs_and_the_other_weight_gets_the_same_gradient():
    x, target = nine_points()
    found = []
    for flag in (True, False):
        w, b = torch.tensor(3., requires_grad=True), torch.tensor(0., requires_grad=True)
        w.requires_grad_(flag)
        assert (w * x).requires_grad == flag
        loss = ((w * x + b - target) ** 2).mean()
        found.append(saved_bytes(loss))
        loss.backward()
        assert b.grad.item() == -1 and (w.grad is not None) == flag
    assert found == [72, 36]


def test_the_program_of_7c_has_the_symptom_that_it_describes():
    for program, gradient in ((given, -1.), (fixed, 0.)):
        w, b = torch.tensor(1., requires_grad=True), torch.tensor(0., requires_grad=True)
        loss = program(w, b)
        loss.backward()
        assert b.grad.item() == pytest.approx(gradient, abs=1e-6)
        assert loss.item() == pytest.approx(program(w, b + 0.1).item(), abs=1e-6)


def test_a_write_through_data_between_the_passes_gives_a_wrong_gradient():
    x = leaf(3.)
    y = x ** 2
    x.data.mul_(100)
    y.backward()
    assert x.grad.item() == 600


# --- the picture of the layers ------------------------------------------------------------------------------

def after_a_pass(detached=None, frozen=()):
    layers = [torch.nn.Linear(2, 2) for _ in range(4)]
    h = torch.ones(1, 2)
    for number, layer in enumerate(layers, 1):
        layer.requires_grad_(number not in frozen)
        h = layer(h).detach() if number == detached else layer(h)
    h.sum().backward()
    return layers


def test_the_picture_shows_a_cut_and_a_frozen_layer_and_fits_the_page():
    picture = draw_layers({"detached": after_a_pass(detached=2), "frozen": after_a_pass(frozen=[3])})
    assert repr(picture).splitlines()[1:] == [
        "detached:", "  layer 4: a gradient", "  layer 3: a gradient", "  cut: the gradient stops here",
        "  layer 2: None", "  layer 1: None",
        "frozen:", "  layer 4: a gradient", "  layer 3 (frozen): None", "  layer 2: a gradient",
        "  layer 1: a gradient"]
    ElementTree.fromstring(picture.svg)
    assert float(re.search(r'width="(\d+)pt"', picture.svg)[1]) * 4 / 3 <= 715


@pytest.mark.parametrize(("detached", "frozen", "cut"), [
    (None, [1], False), (1, [3], True), (2, [1, 2], False), (3, [1], True), (None, [], False)])
def test_a_cut_is_drawn_where_a_layer_that_is_not_frozen_got_nothing(detached, frozen, cut):
    assert ("cut" in repr(draw_layers({"model": after_a_pass(detached, frozen)}))) == cut


FIX = next(one for one in of(7).EXERCISES if one.id == "7b")


@pytest.mark.parametrize(("answer", "says"), [
    (torch.mean, "`mean` can't be called with `w` and `b`, two tensors of one number."),
    (torch.nn.Linear, "`Linear` can't be called with `w` and `b`"),
    (divmod, "`divmod` can't be called with `w` and `b`"),
    (max, "At `w` = 1 and `b` = 0, your loss is 1."),   # it has no signature
    (print, "it returned `None`")])
def test_a_function_of_a_library_is_answered_in_words(answer, says):
    said = " ".join(judge(FIX, answer, None).says)
    assert says.replace("`", "") in said.replace("`", "") and "can't be read" not in said


@CHAPTER.says("and PyTorch then stores less about each tensor")
def test_pytorch_stores_less_about_an_inference_tensor():
    with torch.inference_mode():
        sealed = torch.ones(2) * 2
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        sealed._version


def test_a_loss_of_nine_numbers_is_answered_in_words():
    def without_mean(w, b):
        x, target = nine_points()
        return (w * x + b - target) ** 2
    says = first_wrong(FIX, without_mean, None)
    assert "Your function should return one number, the loss; it returned a tensor of shape (9,)" in says


def test_layers_before_any_pass_are_one_clear_line():
    with pytest.raises(ValueError, match="call backward"):
        draw_layers({"model": [torch.nn.Linear(2, 2)]})


def test_only_a_leaf_s_flag_can_be_switched_off():
    y = leaf(1.) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad_(False)
