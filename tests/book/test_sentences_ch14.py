"""Chapter 14: gradcheck, the zoo of mutants, the two columns, broken copies, and its exercises."""
import ast
import itertools
import random
import sys

import pytest

import minigrad as torch
from minigrad.book.classroom.engine import attacking, minigrad_as_engine, source
from minigrad.book.classroom.engine.attacking import attack, killed, run_tests, same, train_mutants, zoo
from minigrad.book.classroom.engine.broken import broken_copy
from minigrad.book.classroom.engine.engine_checks import difference
from minigrad.book.classroom.engine.places_in_minigrad import WALK, engine_map
from minigrad.book.classroom.engine.two_columns import LAST, PACKAGE, PASS, lines, named, side_by_side
from minigrad.book.classroom.engine.zoo import ZOO, fresh
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.reading import Misread
from minigrad.book.content.chapters import exercise
from minigrad.book.content.chapters.ch14 import (
    LINES,
    paths,
    product,
    second_pass,
    square,
    sum_twice,
    verdicts,
)
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(14)
gradcheck = torch.autograd.gradcheck


def write(Tensor, no_grad):
    x = Tensor(3., True)
    t = x * x
    y = t * t
    with no_grad():
        t.add_(1.)
    try:
        y.backward()
    except RuntimeError:
        return "error", "error"
    return "no error", "error"


TESTS = [square, second_pass, sum_twice, write, paths]


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def checked(f, *values):
    return gradcheck(f, leaf(*values), raise_exception=False)


def operation(forward, backward):
    """Return a Function that saves its input, and computes with these two functions."""

    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, grad):
            return backward(ctx.saved_tensors[0], grad)

    return Made.apply


# --- gradcheck ----------------------------------------------------------------------------------------------

SMOOTH = [(lambda x: x ** 3, lambda x: 3 * x ** 2), (torch.sin, torch.cos), (torch.exp, torch.exp),
          (lambda x: x ** 2, lambda x: 2 * x), (lambda x: 5 * x, lambda x: 5 + 0 * x)]
BUGS = [lambda right, x: right, lambda right, x: right * 1.01, lambda right, x: right + 0.1,
        lambda right, x: right * (1 + 1e-5), lambda right, x: right * x.sign(), lambda right, x: -right,
        lambda right, x: right.mean() + 0 * right, lambda right, x: right.flip(0),
        lambda right, x: torch.where(x.abs() > 1, right, 0 * right)]


@pytest.mark.parametrize("seed", range(60))
@CHAPTER.says("`gradcheck(f, x)` returns `True` only if, at `x`, the gradients of all results that require a "
              "gradient are close to the slopes found by nudging.")
def test_gradcheck_returns_true_only_if_both_slopes_are_close(seed):
    """No wrong backward passes, whatever is wrong with it, unless it is right at the numbers given."""
    rng = random.Random(seed)
    forward, slope = rng.choice(SMOOTH)
    bug = rng.choice(BUGS)
    f = operation(forward, lambda x, grad: grad * bug(slope(x), x))
    values = [rng.choice((-2., -0.5, 0.5, 1., 2.)) for _ in range(rng.randint(1, 3))]
    x = torch.tensor(values, dtype=torch.float64)
    claimed, right = bug(slope(x), x), slope(x)
    far = bool(((claimed - right).abs() > 1.1e-5 + 1.1e-3 * right.abs()).any())
    near = bool(((claimed - right).abs() < 0.5e-5 + 0.5e-3 * right.abs()).all())
    assert far or near
    assert checked(f, *values) == near


@pytest.mark.parametrize("f", [
    lambda x: x.detach() * x, lambda x: x.detach() ** 2, lambda x: x.data.exp(), lambda x: x * x.item(),
    operation(lambda x: x ** 2, lambda x, grad: None), operation(lambda x: x ** 2, lambda x, grad: 2 * x),
    lambda x: torch.tensor([1.], dtype=torch.float64) * x.item() ** 2])
def test_gradcheck_doesn_t_return_true_where_no_gradient_or_a_part_arrives(f):
    assert not checked(f, 3.)


def test_gradcheck_looks_only_at_results_that_require_a_gradient():
    assert checked(lambda x: (x * 2, x.detach() ** 2), 1., 2.)


@CHAPTER.says("| what a pass frees | repeated passes keep the graph |")
def test_gradcheck_repeats_passes_over_what_one_forward_pass_saved():
    events = []
    cube = operation(lambda x: events.append("forward") or x ** 3,
                     lambda x, grad: events.append("backward") or grad * 3 * x ** 2)
    assert checked(cube, 2.)
    assert any(pair == ("backward", "backward") for pair in itertools.pairwise(events))


# --- the zoo ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("one", ZOO, ids=lambda one: one.name)
def test_a_mutant_gets_one_program_right_and_another_wrong(one):
    assert difference(one.right, fresh(one)) is None
    assert difference(one.wrong, fresh(one))
    for program in (one.right, one.wrong):
        assert difference(program, fresh()) is None


def test_the_zoo_shows_four_mutants_at_a_time_and_no_program_that_goes_wrong():
    pages = [zoo(page) for page in (1, 2, 3, 4)]
    assert [page.html.count("<tr>") - 1 for page in pages] == [4, 4, 4, 2]
    assert zoo().text == pages[0].text and pages[0].text.endswith(
        "zoo(2) shows the next mutants; there are 14.")
    whole = zoo("all").text
    for one in ZOO:
        assert whole.count(f" {one.name}\n") == 1 and one.right.text.splitlines()[-1] in whole
        assert sum(page.text.count(f" {one.name}\n") for page in pages) == 1
    for page in (0, 5, "2", None, True, 1.0):
        with pytest.raises(Misread, match=r"Call zoo\(1\) to zoo\(4\)"):
            zoo(page)


def test_a_function_that_trains_badly_is_told_for_each_mutant():
    assert train_mutants(lambda Tensor, SGD: 1 / 0).text.count("ZeroDivisionError") == len(ZOO)
    with pytest.raises(Misread, match="Give your function"):
        train_mutants(3)


# --- the board ----------------------------------------------------------------------------------------------

def test_every_mutant_can_be_killed():
    def hook(Tensor):
        x = Tensor(3., True)
        x.register_hook(lambda grad: grad * grad)
        (x * x).backward()
        return x.grad, 36

    def second_derivative(Tensor):
        x = Tensor(3., True)
        (x * x * x).backward(create_graph=True)
        first, x.grad = x.grad, None
        first.backward()
        return x.grad, 18

    def write_to_a_detached_one(Tensor):
        x = Tensor(3., True)
        y = x * x
        x.detach().add_(1.)
        try:
            y.backward()
        except RuntimeError:
            return ["error", x.grad], ["error", None]
        return ["no error", x.grad], ["error", None]

    tests = [*TESTS, hook, second_derivative, write_to_a_detached_one]
    assert attack(tests).text.splitlines()[-1] == "Dead mutants: 14 of 14."
    assert "Tensor passes 8 of 8 tests; torch passes 8 of 8 tests." in run_tests(tests, fresh(), torch).text


def test_what_the_right_engine_fails_kills_nothing():
    def wrong_number(Tensor):
        x = Tensor(3., True)
        (x * x).backward()
        return x.grad, 3

    def raises(Tensor):
        return Tensor(3.).nothing, 3

    runs = []

    def remembers(Tensor):
        runs.append(1)
        return len(runs), 1

    for test in (wrong_number, raises, remembers):
        right, dead = killed([test])
        assert not any(dead.values()) and not right[test.__name__].passed
    assert attack([wrong_number]).text.startswith(
        "The right engine fails wrong_number: it found 6.0, and expected 3\n")


def test_a_test_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(attacking, "PATIENCE", 0.1)

    def endless(Tensor):
        while True:
            Tensor(3.)

    assert "had not finished" in run_tests([endless], fresh()).text and sys.getprofile() is None


def shared_name(Tensor):
    return Tensor(3., True).grad, None


shared_name.__name__ = "record"


@pytest.mark.parametrize(("given", "says"), [
    (3, "a list of functions"), ([square, 4], "a list of functions"), ([square, square], "the name `square`"),
    ([lambda: 3], "takes no arguments"), ([lambda a, b, c: 3], "takes 3 arguments"),
    ([lambda Tensor: 3], "should return two things"),
    (shared_name, "`record` has the name of a part of the engine")])
def test_the_board_says_what_a_test_should_be(given, says):
    with pytest.raises(Misread, match=says):
        attack(given)


@pytest.mark.parametrize(("found", "expected", "alike"), [
    (6., 6, True), (6., 5, False), (None, None, True), (None, 0, False), (0, None, False), (True, True, True),
    ([6., [1., None]], [6, [1, None]], True), ([6.], [6, 7], False), ([1., 2.], 1, False),
    ("error", "error", True), ("error", "Error", False), ("error", None, False), ("3", 3, False),
    (6., "6.0", False), (True, False, False)])
def test_what_counts_as_found(found, expected, alike):
    assert same(found, expected) is alike
    assert same(fresh()([1., 2.]), [1, 2]) and same(minigrad_as_engine.Tensor([1., 2.]), [1, 2])


# --- the walk -----------------------------------------------------------------------------------------------

def test_the_walk_names_every_part_of_the_learner_s_engine_and_counts_its_lines():
    parts = {node.name for node in ast.parse(source(LAST)).body
             if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert {step.part.partition(".")[0] for step in WALK} == parts
    assert all(named(source(LAST), step.part) for step in WALK)
    text = engine_map().text
    assert f"({len(source(LAST).splitlines())} lines)" in text and "autograd/engine.py (" in text


# --- the two columns ----------------------------------------------------------------------------------------

@pytest.mark.parametrize(("column", "file", "name"), [
    (1, "", "Tensor.run_pass"), (2, "autograd/engine.py", "Pass.run_plain_nodes")])
def test_every_line_of_the_two_loops_is_in_one_row(column, file, name):
    """Somebody who changes the engine's loop changes the rows, too."""
    text = source(LAST) if column == 1 else (PACKAGE / file).read_text(encoding="utf-8")
    body = [one for one in named(text, name).body
            if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    wanted = [number for number in range(body[0].lineno, body[-1].end_lineno + 1)
              if text.splitlines()[number - 1].strip()]
    found = [number for row in PASS if row[column] for number, _ in lines(row[column])]
    assert found == wanted


def test_the_columns_lead_down_to_the_derivative_and_fit_a_page():
    text = side_by_side("product").text
    assert "    yours     return g * saved\n    minigrad  self=lambda grad, other: grad * other, " in text
    assert "heappop(waiting)[1]" in side_by_side().text and "#" not in side_by_side().text
    for part in ("pass", "product"):
        html = side_by_side(part).html
        assert "table-layout:fixed" in html and "max-width:715px" in html and "overflow-wrap" in html
        assert max(map(len, side_by_side(part).text.splitlines())) <= 110
    with pytest.raises(Misread, match="Call side_by_side"):
        side_by_side("loop")


# --- a broken line ------------------------------------------------------------------------------------------

HEAP = "heappush(waiting, (-child._sequence, child))"
BREAKS = (
    ("if not keep_graph and node._values is not None:", "if node._values is not None:"),
    ("node._values = self.freed", "pass"), (HEAP, HEAP.replace("-", "")),
    ("sums[child] = sent if total is None else total + sent", "sums[child] = sent"),
    ("counter is not None and counter.value != node._versions[i]):", "counter is None):"),
    ("self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)",
     "self=lambda grad, other: grad * other, other=lambda grad, self: self)"),
)


@pytest.mark.parametrize("changed", BREAKS, ids=lambda one: one[0][:20])
def test_a_broken_line_kills_a_test_of_the_solution_and_leaves_minigrad_alone(changed):
    broken = broken_copy(*changed)
    text = run_tests([paths, second_pass, write], torch, broken).text.splitlines()[-1]
    assert text.startswith("torch passes 3 of 3 tests; broken passes 2 of 3 tests")
    assert difference(ZOO[0].wrong, minigrad_as_engine.Tensor) is None
    assert "broken_" in broken.__name__ and "<broken" not in torch.tensor.__code__.co_filename


@CHAPTER.says("minigrad keeps the waiting nodes in a **heap**, which returns the smallest pair; the minus "
              "makes the newest node the smallest.")
@CHAPTER.says("In the second, the minus is missing, so the oldest node runs first.")
def test_without_the_minus_the_oldest_node_that_waits_runs_first():
    for package, order in (torch, [2, 1, 0]), (broken_copy(HEAP, HEAP.replace("-", "")), [0, 1, 2]):
        x, ran = package.tensor(2., requires_grad=True), []
        results = [x * (place + 1) for place in range(3)]
        for place, result in enumerate(results):
            result.register_hook(lambda _, place=place, ran=ran: ran.append(place))
        package.stack(results).sum().backward()
        assert ran == order


@pytest.mark.parametrize(("line", "instead", "says"), [
    ("x = 1", "pass", "No line of minigrad that side_by_side"), (3, "pass", "should be a line of minigrad"),
    ("while waiting:", "while waiting", "isn't Python any more"),
    ("node._values = self.freed", None, "should be one line of Python"),
    ("node._values = self.freed", "a\nb", "should be one line of Python")])
def test_a_line_that_can_t_be_broken(line, instead, says):
    with pytest.raises(Misread, match=says):
        broken_copy(line, instead)


# --- the exercises ------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("kind", "passes"),
                         [("kink", False), ("cut", False), ("flat", True), ("lucky", True)])
def test_14a_knows_what_gradcheck_does(kind, passes):
    assert verdicts(list(LINES[kind])) == [passes] * len(LINES[kind])


class KeepsSlopes(product()):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b ** 3, a * 3 * b ** 2)
        return a * b ** 3

    @staticmethod
    def backward(ctx, grad):
        for_a, for_b = ctx.saved_tensors
        return grad * for_a, grad * for_b


class KeepsA(product()):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b)
        ctx.a = a
        return a * b ** 3

    @staticmethod
    def backward(ctx, grad):
        b, = ctx.saved_tensors
        return grad * b ** 3, grad * ctx.a * 3 * b ** 2


class NoneForB(product()):
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[1] ** 3, None


class OneGradient(product()):
    @staticmethod
    def backward(ctx, grad):
        return grad


class NoForward(torch.autograd.Function):
    pass


@pytest.mark.parametrize(("answer", "says"), [
    (KeepsSlopes, None), (KeepsA, "A write to a between the passes"), (NoneForB, "gradient of b should be"),
    (OneGradient, "With your class, y.backward(v) raised RuntimeError: function OneGradientBackward returned "
                  "an incorrect number of gradients"),
    (NoForward, "With your class, Product.apply(a, b) raised NotImplementedError"),
    (product, "should be your class")])
def test_14b_takes_another_way_and_says_what_is_wrong(answer, says):
    """A write may change `a` where nothing that was saved uses it."""
    said = first_wrong(exercise("14b"), answer, None)
    assert said is None if says is None else says in said.replace("`", "")


def wrong_number(Tensor):
    return 5, 6


def a_word(Tensor):
    return "error", 6


@pytest.mark.parametrize(("answer", "says"), [
    (TESTS, None), (TESTS[:3], "Your tests kill 5 of 14"), ("tests", "list of functions"),
    ([*TESTS, wrong_number], "The right engine fails your test wrong_number"),
    ([square, a_word], "one is a word, and the other is not")])
def test_14c_counts_dead_mutants_and_refuses_wrong_tests(answer, says):
    said = first_wrong(exercise("14c"), answer, None)
    assert said is None if says is None else says in said.replace("`", "")


@pytest.mark.parametrize(("test", "advised"), [(wrong_number, True), (lambda Tensor: 1 / 0, False)])
def test_14c_advises_to_compute_by_hand_where_a_number_is_wrong(test, advised):
    assert ("Compute by hand" in first_wrong(exercise("14c"), [square, test], None)) == advised
