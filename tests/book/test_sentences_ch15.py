"""Chapter 15: its loops are run as they are printed, measured and mended; its claims and rules are tried."""
import random
import re

import pytest

import minigrad as torch
from minigrad.book import count_nodes
from minigrad.book.chapters import ch15
from minigrad.book.chapters.ch15 import BUGS, LINES, LOOPS, MENDED, last_script, verdicts
from minigrad.book.exercises import judged
from minigrad.book.judging import first_wrong
from minigrad.book.verdict import NOT_YET, RIGHT
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(15)
WIDE = 63  # the column of a line's number


def sources():
    return ["".join(cell["source"]) for cell in load(15)["cells"] if cell["cell_type"] == "code"]


def loop(number):
    found, = [text for text in sources() if re.search(rf"# loop {number}(, its twin)?\n", text)
              and "step()" in text and "BEGIN" not in text]
    return found


def names(text, *extra, **given):
    """Run a loop of the chapter with the points and `start`; return its variables."""
    points, = [one for one in sources() if "def start(" in one]
    found = {"torch": torch, "nn": torch.nn, "print": lambda *words, **more: None, **given}
    for one in (points, *extra, text):
        exec(one, found)
    return found


def replaced(text, *pairs):
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


# --- what the four measurements show ------------------------------------------------------------------------

MEANT = "((w * x + b - wanted) ** 2).mean()"


def measured(text):
    """Return the measurements that show something unusual in a loop with the weights `w` and `b`."""
    lines = []
    for line in text.splitlines():
        code, space = line[:WIDE].strip(), line[:len(line) - len(line.lstrip())]
        if "loss.backward(" in code:
            lines += [f"{space}before += [w.grad, b.grad]", line,
                      f"{space}after += [w.grad is None or w.grad.item(), b.grad is None or b.grad.item()]",
                      f"{space}fresh += [one.item() for one in torch.autograd.grad({MEANT}, [w, b])]",
                      f"{space}moved += [w.item(), b.item()]"]
        else:
            lines.append(line)
    kept = {"before": [], "after": [], "fresh": [], "moved": []}
    found = names("\n".join(lines), "before, after, fresh, moved = [], [], [], []")
    kept = {name: found[name][:6] for name in kept}
    moved = kept["moved"]
    shown = {"before"} if any(one is not None and one.abs() > 0 for one in kept["before"]) else set()
    if any(a is True or abs(a - b) > 1e-4 for a, b in zip(kept["after"], kept["fresh"], strict=True)):
        shown.add("after")
    if moved[0] == moved[2] or moved[1] == moved[3]:
        shown.add("step")
    return shown


@pytest.mark.parametrize(("number", "shows"), [(7, {"after", "step"}), (8, {"step"}), (3, {"after", "step"}),
                                               (4, {"before", "after"}), (5, {"after"}), (1, {"after"})])
def test_the_measurements_show_what_the_chapter_says(number, shows):
    assert measured(loop(number)) == shows
    if number in LOOPS:
        assert set(LOOPS[number][1]) == shows


def test_a_healthy_loop_shows_nothing():
    healthy = replaced(loop(7), ("b.item() - wanted", "b - wanted"))
    assert measured(healthy) == set()


@pytest.mark.parametrize("number", [0.3, 1., 3., -2.5])
def test_the_slope_of_round_is_0_everywhere(number):
    p = torch.tensor(number, requires_grad=True)
    p.round().backward()
    assert p.grad.item() == 0


@CHAPTER.says("Two loops with the same weights in every step can compute different gradients.")
def test_loop_1_and_its_twin_have_the_same_weights_and_other_gradients():
    told = ("print(round(b.item(), 2), end=", "found.append((b.item(), b.grad.item())) or print(end=")
    found = names(replaced(loop(1), told), "found = []")["found"]
    for (one, slope), (other, fresh) in zip(found[:6], found[6:], strict=True):
        assert one == pytest.approx(other, rel=1e-4)
        assert slope == pytest.approx(9 * fresh, rel=1e-4)
    assert abs(found[5][0]) > 5


def test_loop_2_grows_and_its_cure_stops_it():
    assert [count_nodes(loss) for loss in names(loop(2))["losses"][:3]] == [9, 14, 19]
    cured = replaced(loop(2), ("* smooth +", "* smooth.detach() +"), ("(retain_graph=True)", "()"))
    assert {count_nodes(loss) for loss in names(cured)["losses"]} == {9}


def test_without_retain_graph_loop_2_raises_in_step_2():
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        names(replaced(loop(2), ("(retain_graph=True)", "()")))


def test_the_loss_of_loop_6_jumps_only_without_eval():
    extra = ""
    text = loop(6)
    found = names(text, extra)
    assert len({round(found["loss_of"](found["net"]).item(), 4) for _ in range(3)}) > 1
    found["net"].eval()
    assert len({found["loss_of"](found["net"]).item() for _ in range(3)}) == 1


CURES = {3: ((".round() + b", " + b"),),
         4: (("for_w.zero_grad()                                          # 2", "for_b.zero_grad()"),),
         5: (("error.data.abs_()", "error.detach().abs()"),)}


@pytest.mark.parametrize("number", CURES)
def test_a_cured_loop_shows_nothing(number):
    cured = replaced(loop(number), *CURES[number])
    assert measured(cured) == set()
    assert names(cured)["loss"].item() < names(loop(number))["loss"].item()


MENDS = {7: (("b.item() - wanted", "b - wanted"),),
         8: (("    for_w.zero_grad()", "    for_b.zero_grad(); for_w.zero_grad()"),
             ("    for_b.zero_grad()   ", "    #")),
         9: ((" if p.requires_grad", ""),),
         10: (("        continue ", "        sgd.zero_grad(); continue "),)}


@pytest.mark.parametrize("number", MENDS)
def test_a_mended_loop_ends_with_the_number_that_is_asked(number):
    last = "b" if number == 10 else "loss"
    found = names(replaced(loop(number), *MENDS[number]))[last].item()
    assert found == pytest.approx(MENDED[number](), rel=1e-4)
    broken = names(loop(number))[last].item()
    assert abs(broken - MENDED[number]()) > 0.02


def test_loop_10_can_be_mended_in_its_first_line_too():
    text = replaced(loop(10), ("    loss = ", "    sgd.zero_grad()\n    loss = "))
    assert names(text)["b"].item() == pytest.approx(MENDED[10](), rel=1e-4)


def test_the_symptoms_of_loops_7_to_10():
    assert names(loop(7))["b"].item() == names(loop(8))["b"].item() == 0
    assert names(loop(9))["b"].item() > 0.6
    assert names(loop(10))["b"].item() > 1.5
    assert LINES.keys() == MENDS.keys()


# --- the last script ----------------------------------------------------------------------------------------

FILLS = ("last(first(at)).sum().backward()", "at.grad = torch.autograd.grad(last(first(at)).sum(), at)[0]")
CACHED = ("last(hidden[rows])", "last(first(points[rows]))")


def script():
    return "\n".join(text for text in sources() if "# 2\norder" in text or "torch.randperm(40)" in text
                     or "def steepness" in text or "steep.append" in text)


def end_of(text):
    found = names(text)
    with torch.no_grad():
        return found["loss_on"](found["train"]).item()


def test_the_last_script_has_40_lines_and_two_bugs():
    lines = [line for line in script().splitlines() if line.strip()]
    assert 35 <= len(lines) <= 40
    ends = [end_of(script()), end_of(replaced(script(), CACHED)), end_of(replaced(script(), FILLS)),
            end_of(replaced(script(), FILLS, CACHED))]
    assert ends[0] == pytest.approx(1.0235, abs=1e-3)
    known = [last_script(fills=True), last_script(cached=True), last_script()]
    assert ends[1:] == pytest.approx(known, rel=1e-3)
    assert ends[3] < 0.02 < min(ends[:3])


def test_p_grad_and_one_hook_find_both_bugs():
    text = replaced(script(), ("    loss.backward()\n", "    loss.backward()\n    runs.append(0)\n"
                               "    stored = [p.grad for p in weights]\n"),
                    ("adam = torch", "weights[-1].register_hook(lambda grad: runs.append(1))\nadam = torch"))
    found = names(text, "runs = []")
    assert [one is None for one in found["stored"]] == [True, True, False, False]
    assert found["runs"][:6] == [1, 0, 1, 1, 0, 1]        # the hook runs once more after loss.backward()


# --- the claims ---------------------------------------------------------------------------------------------

def test_half_of_the_claims_are_true():
    assert verdicts(None) == [False, True, True, False]


@pytest.mark.parametrize("times", [0.1, 9, 1000])
def test_claim_3_holds_for_other_factors(times):
    assert ch15.steps_of_adam(times) == pytest.approx(ch15.steps_of_adam(1), rel=1e-3)


def test_the_witnesses_decide():
    program, = [text for text in sources() if '"claim 1:"' in text]
    said = []
    names(program, print=lambda *words: said.append(words))
    (_, inside), (_, after_zero_grad), *steps = said
    assert inside.item() == after_zero_grad.item() != 0
    assert [where for _, where, _ in steps[:3]] == [where for _, where, _ in steps[3:]] == [0, 0.05, 0.1]
    assert steps[3][2].item() == pytest.approx(9 * steps[0][2].item()) != 0


# --- the rules ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("arrived", [True, False])
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
@CHAPTER.says("`sgd.zero_grad()` sets the drawers of its weights to `None`, whether or not a gradient has "
              "arrived.")
def test_zero_grad_leaves_none_whatever_arrived(kind, arrived):
    w = torch.ones(2, requires_grad=True)
    if arrived:
        (w * 3).sum().backward()
    getattr(torch.optim, kind)([w], lr=0.1).zero_grad()
    assert w.grad is None


@pytest.mark.parametrize("seed", range(20))
def test_none_before_and_after_means_that_nothing_was_stored(seed):
    rng = random.Random(seed)
    leaves = [torch.tensor(rng.uniform(1, 2), requires_grad=True) for _ in range(4)]
    used = rng.sample(range(4), rng.randint(1, 3))
    loss = sum(leaves[at] ** 2 * rng.choice((0., 1.)) for at in used)
    loss.backward()
    assert [at for at, one in enumerate(leaves) if one.grad is not None] == sorted(used)


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("If an operation is recorded, the graph of its result contains the graph of each input, even "
              "if the input is from an earlier step.")
def test_a_recorded_operation_brings_the_graph_of_each_input(seed):
    rng = random.Random(seed)
    w = torch.tensor(1.5, requires_grad=True)
    old = [w.sin(), w * 2, (w + 1).exp(), w.detach() * 2, torch.tensor(3.)]
    inputs = rng.sample(old, 3)
    new = torch.stack(inputs).sum() + w
    behind, todo = set(), [new.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in behind:
            behind.add(node)
            todo += [child for child, _ in node.next_functions]
    assert all(one.grad_fn is None or one.grad_fn in behind for one in inputs)


# --- the exercises ------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in ch15.EXERCISES if one.id == key)


def test_every_line_and_measurement_that_is_right_is_taken():
    for loop_number, (lines, measurements) in LOOPS.items():
        for line in lines:
            for measurement in measurements:
                answer = ch15.named(None)
                at = 2 * (loop_number - 3)
                answer[at:at + 2] = [str(line), measurement.upper()]
                assert first_wrong(asked("15a"), answer, None) is None
    answer = [1, ch15.loop_7(), 6, ch15.loop_8(), 1, ch15.loop_9(), "6", 0.6894]
    assert first_wrong(asked("15b"), answer, None) is None


def test_a_right_answer_is_told_why():
    kind, _, *said = judged(asked("15b"), ch15.mended(None))
    assert kind == RIGHT and len(said) == 4
    assert len(judged(asked("15a"), ch15.named(None))) == 6


@pytest.mark.parametrize("lines", [[3, 7], [7, 3], [5 - 1, 12], ["12", "4"], {4, 7}])
def test_15d_takes_the_two_lines_in_any_order(lines):
    assert first_wrong(asked("15d"), {"lines": lines, "loss": 0.0119}, None) is None


@pytest.mark.parametrize(("lines", "says"), [([3, 4], "One of your lines"), ([1, 2], "None of your lines"),
                                             ([7], "Give two lines"), (3, "Give two lines")])
def test_15d_says_what_is_wrong(lines, says):
    kind, _, *said = judged(asked("15d"), {"lines": lines, "loss": 0.0119})
    assert kind == NOT_YET and says in " ".join(said)
    assert len(BUGS) == 2


def test_count_nodes_wants_a_graph():
    with pytest.raises(ValueError, match="has no graph"):
        count_nodes(torch.ones(1))
