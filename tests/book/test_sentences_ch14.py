"""Chapter 14: sentences that are often said and false, programs that try to break its rules, and the zoo."""
import ast
import random
import sys
from pathlib import Path

import pytest

import minigrad as torch
from minigrad.book.chapters import of
from minigrad.book.chapters.ch14 import (
    LINES,
    paths,
    product,
    programs_told,
    second_pass,
    square,
    sum_twice,
    verdicts,
    write,
)
from minigrad.book.engine import on_minigrad, source
from minigrad.book.engine.attacking import attack, killed, run_tests, same, zoo
from minigrad.book.engine.checking import difference
from minigrad.book.engine.walk import PACKAGE, WALK, line_of, side_by_side
from minigrad.book.engine.zoo import ZOO, Mutant, fresh, text_of
from minigrad.book.exercises import judged
from minigrad.book.judging import first_wrong
from minigrad.book.reading import Misread
from minigrad.book.verdict import NOT_YET
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(14)
gradcheck = torch.autograd.gradcheck
TESTS = [square, second_pass, sum_twice, write, paths]


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def checked(f, *values):
    return gradcheck(f, leaf(*values), raise_exception=False)


def operation(forward, backward, saves=True):
    """Return a Function that saves its input, and computes with these two functions."""

    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if saves:
                ctx.save_for_backward(x)
            else:
                ctx.x = x
            return forward(x)

        @staticmethod
        def backward(ctx, grad):
            return backward(ctx.saved_tensors[0] if saves else ctx.x, grad)

    return Made.apply


half_square = operation(lambda x: x ** 2, lambda x, grad: grad * 2 * x.abs())
careless = operation(lambda x: x ** 2, lambda x, grad: grad * 2 * x, saves=False)
nothing = operation(lambda x: x.sign(), lambda x, grad: None)


def after_a_write(f):
    """Return the gradient at 3 when x was multiplied by 10 between the passes, or "error"."""
    x = leaf(3.)
    y = f(x)
    with torch.no_grad():
        x.mul_(10)
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return "error"
    return x.grad.item()


def second_pass_works(f):
    y = f(leaf(3.))
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return False
    return True


SENTENCES = [
    ("a passing gradcheck proves a backward right", lambda: (checked(half_square, 1., 2.),
                                                             checked(half_square, 1., -2.)), (True, False)),
    ("gradcheck sees that a tensor was kept without its version",
     lambda: (checked(careless, 1.), after_a_write(careless), after_a_write(half_square)),
     (True, 60, "error")),
    ("gradcheck sees what is never freed",
     lambda: (second_pass_works(careless), second_pass_works(half_square)), (True, False)),
    ("gradcheck tells None from zeros", lambda: (checked(nothing, 1., 2.), checked(torch.sign, 1., 2.)),
     (True, True)),
    ("gradcheck fails only where a backward is wrong", lambda: checked(torch.relu, 0.), False),
    ("gradcheck fails at every kink", lambda: checked(torch.abs, 0.), True),
    ("a function without a derivative fails gradcheck", lambda: checked(torch.round, 2.3), True),
    ("a cut graph always fails gradcheck", lambda: checked(lambda x: x.detach() * x, 0.), True),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


# --- the rules ----------------------------------------------------------------------------------------------

SMOOTH = [(lambda x: x ** 3, lambda x: 3 * x ** 2), (torch.sin, torch.cos), (torch.exp, torch.exp),
          (lambda x: x ** 2, lambda x: 2 * x), (lambda x: 5 * x, lambda x: 5 + 0 * x)]
BUGS = [lambda right, x: right, lambda right, x: right * 1.01, lambda right, x: right + 0.1,
        lambda right, x: right * (1 + 1e-5), lambda right, x: right * x.sign(), lambda right, x: -right,
        lambda right, x: right.mean() + 0 * right, lambda right, x: right.flip(0),
        lambda right, x: torch.where(x.abs() > 1, right, 0 * right)]


@pytest.mark.parametrize("seed", range(60))
@CHAPTER.says("`gradcheck(f, x)` returns `True` only if, at the numbers in `x`, the gradients from backward "
              "passes are close to the slopes found by nudging.")
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


@pytest.mark.parametrize("before", [None, 7.])
@pytest.mark.parametrize("f", [torch.exp, half_square, careless, nothing, torch.relu,
                               lambda x: x.detach() ** 2, lambda x: (x * x).sum(), lambda x: x])
@CHAPTER.says("If `x` is a leaf, `gradcheck(f, x)` neither reads nor changes `x.grad`.")
def test_gradcheck_neither_reads_nor_changes_a_drawer(f, before):
    x, other = leaf(1., -2.), leaf(1., -2.)
    x.grad = None if before is None else torch.tensor([before, before], dtype=torch.float64)
    drawer = x.grad
    result = gradcheck(f, x, raise_exception=False)
    assert x.grad is drawer
    assert drawer is None or drawer.tolist() == [before, before]
    assert result == gradcheck(f, other, raise_exception=False)     # what is in a drawer makes no difference


# --- the zoo ------------------------------------------------------------------------------------------------

def test_there_are_enough_mutants_of_different_kinds():
    assert len(ZOO) >= 12 and len({one.name for one in ZOO}) == len(ZOO)
    assert len({text_of(one) for one in ZOO}) == len(ZOO)


@pytest.mark.parametrize("one", ZOO, ids=lambda one: one.name)
def test_a_mutant_gets_one_program_right_and_another_wrong(one):
    assert difference(one.right, fresh(one)) is None
    assert difference(one.wrong, fresh(one))
    for program in (one.right, one.wrong):
        assert difference(program, fresh()) is None


def test_an_edit_that_fits_nowhere_is_refused():
    broken = Mutant("has no place", (("not in the engine", ""),), ZOO[0].right, ZOO[0].wrong)
    with pytest.raises(ValueError, match="0 times"):
        text_of(broken)


def test_the_zoo_shows_every_name_and_no_program_that_goes_wrong():
    text, html = zoo().text, zoo().html
    for one in ZOO:
        assert one.name in text and one.right.text.splitlines()[-1] in text
    assert html.count("<tr>") == len(ZOO) + 1 and "# x.grad is 6.0" in text
    assert text.count("x = Tensor(3.0, True)") == 1


# --- the board ----------------------------------------------------------------------------------------------

def test_the_board_says_which_mutants_are_dead():
    text = attack([square]).text.splitlines()
    assert len(text) == len(ZOO) + 1 and text[-1] == "Dead mutants: 1 of 14."
    assert text[1].startswith(" 2 ● dead ") and text[1].endswith("square")
    assert all("○ alive" in line for line in [text[0], *text[2:-1]])
    assert attack(TESTS).text.splitlines()[-1] == "Dead mutants: 12 of 14."


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

    tests = [*TESTS, hook, second_derivative]
    assert attack(tests).text.splitlines()[-1] == "Dead mutants: 14 of 14."
    assert "Tensor passes 7 of 7 tests; torch passes 7 of 7 tests." in run_tests(tests, fresh(), torch).text


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
    from minigrad.book.engine import attacking
    monkeypatch.setattr(attacking, "PATIENCE", 0.1)

    def endless(Tensor):
        while True:
            Tensor(3.)

    assert "had not finished" in run_tests([endless], fresh()).text and sys.getprofile() is None


@pytest.mark.parametrize(("given", "says"), [
    (3, "a list of functions"), ([square, 4], "a list of functions"), ([square, square], "the name `square`"),
    ([lambda: 3], "takes no arguments"), ([lambda a, b, c: 3], "takes 3 arguments"),
    ([lambda Tensor: 3], "should return two things")])
def test_the_board_says_what_a_test_should_be(given, says):
    with pytest.raises(Misread, match=says):
        attack(given)


@pytest.mark.parametrize(("found", "expected", "alike"), [
    (6., 6, True), (6., 5, False), (None, None, True), (None, 0, False), (0, None, False), (True, True, True),
    ([6., [1., 2.]], [6, [1, 2]], True), ([6., None], [6, None], True), ([6.], [6, 7], False),
    ([1., 2.], 1, False), ("high", 3, False)])
def test_what_counts_as_found(found, expected, alike):
    assert same(found, expected) is alike
    assert same(fresh()([1., 2.]), [1, 2]) and same(on_minigrad.Tensor([1., 2.]), [1, 2])


# --- the walk -----------------------------------------------------------------------------------------------

def both_engines_run():
    """Use every part of the walk in minigrad, and return the functions that ran, as (file, line)."""
    found = set()

    def profile(frame, event, _):
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(PACKAGE)):
            found.add((str(Path(file).relative_to(PACKAGE)), frame.f_lineno))

    sys.setprofile(profile)
    try:
        x, w = torch.ones(3, requires_grad=True), torch.tensor(2., requires_grad=True)
        with torch.no_grad():
            (x * w).detach().add_(1)
        (w * x * w).sum().backward()
        x.register_hook(lambda grad: None)
        (w * x + w * torch.ones(3)).sum().backward()
        torch.autograd.grad(w * w, w, create_graph=True)
    finally:
        sys.setprofile(None)
    return found


def test_the_walk_names_parts_of_the_learner_s_engine_and_functions_that_run():
    ran = both_engines_run()
    for step in WALK:
        assert line_of(source(13), step.part)
        text = (PACKAGE / step.file).read_text(encoding="utf-8")
        first = line_of(text, step.name)
        node = next(one for one in ast.walk(ast.parse(text))
                    if isinstance(one, (ast.FunctionDef, ast.ClassDef)) and one.lineno == first)
        if step.name != "no_grad":      # the methods of this class are those of Mode
            assert any(file == step.file and first <= line <= node.end_lineno for file, line in ran), step


def test_the_walk_covers_the_learner_s_engine_and_counts_its_lines():
    parts = {step.part.partition(".")[0] for step in WALK}
    assert parts == {node.name for node in ast.parse(source(13)).body
                     if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    text = side_by_side().text
    assert f"({len(source(13).splitlines())} lines)" in text and "autograd/engine.py (" in text
    with pytest.raises(ValueError, match="no nothing"):
        line_of("", "nothing")


# --- the exercises ------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in of(14).EXERCISES if one.id == key)


@pytest.mark.parametrize(("kind", "passes"),
                         [("kink", False), ("cut", False), ("flat", True), ("lucky", True)])
def test_14a_knows_what_gradcheck_does(kind, passes):
    assert verdicts(list(LINES[kind])) == [passes] * len(LINES[kind])


def test_14b_takes_other_ways_and_says_what_is_wrong():
    assert first_wrong(asked("14b"), product(), None) is None
    for wrong, says in ((product(keeps="ctx"), "has no version"), (product(times_grad=False), "by grad"),
                        (3, "should be your class"), (product, "should be your class")):
        kind, _, *said = judged(asked("14b"), wrong)
        assert kind == NOT_YET and any(says in one.replace("`", "") for one in said)


def test_14b_tries_a_write_to_each_input_and_allows_a_write_that_does_no_harm():
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

    class KeepsSlopes(product()):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(b ** 3, a * 3 * b ** 2)
            return a * b ** 3

        @staticmethod
        def backward(ctx, grad):
            for_a, for_b = ctx.saved_tensors
            return grad * for_a, grad * for_b

    assert "A write to a between the passes" in first_wrong(asked("14b"), KeepsA, None)
    assert first_wrong(asked("14b"), KeepsSlopes, None) is None


def test_14b_asks_for_both_gradients():
    class OneGradient(product()):
        @staticmethod
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            return grad * b ** 3, None

    assert "gradient of b should be" in first_wrong(asked("14b"), OneGradient, None)


def test_14c_counts_dead_mutants_and_refuses_wrong_tests():
    assert first_wrong(asked("14c"), TESTS, None) is None
    assert "11 of 14" not in (few := first_wrong(asked("14c"), TESTS[:4], None)) and "7 of 14" in few
    assert "most bugs change nothing" in first_wrong(asked("14c"), square, None)

    def wrong_number(Tensor):
        return 5, 6

    assert "fails your test wrong_number" in first_wrong(asked("14c"), [*TESTS, wrong_number], None)
    assert "list of functions" in first_wrong(asked("14c"), "tests", None)


def test_14c_on_paper_asks_for_mutants_with_short_programs():
    rows = programs_told(None)
    assert len(rows) == 4
    assert all(len(program) < 75 for _, program in rows)
