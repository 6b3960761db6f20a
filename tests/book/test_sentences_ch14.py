"""Chapter 14: sentences that are often said and false, programs that try to break its rules, and the zoo."""
import ast
import random
import sys
from pathlib import Path

import pytest

import minigrad as torch
from minigrad.book.classroom.engine import on_minigrad, source
from minigrad.book.classroom.engine.attacking import attack, killed, run_tests, same, train_mutants, zoo
from minigrad.book.classroom.engine.broken import broken_copy
from minigrad.book.classroom.engine.checking import difference
from minigrad.book.classroom.engine.their_notebook import beside
from minigrad.book.classroom.engine.two_columns import (
    LAST,
    PACKAGE,
    PASS,
    PRODUCT,
    lines,
    named,
    shifted,
    side_by_side,
)
from minigrad.book.classroom.engine.walk import WALK, engine_map
from minigrad.book.classroom.engine.zoo import ZOO, Mutant, fresh, text_of
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.reading import Misread
from minigrad.book.classroom.verdict import NOT_YET
from minigrad.book.content.chapters import of
from minigrad.book.content.chapters.ch14 import (
    LINES,
    paths,
    product,
    programs_told,
    second_pass,
    square,
    sum_twice,
    verdicts,
)
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(14)
gradcheck = torch.autograd.gradcheck


def shared(Tensor):
    x, w = Tensor(3., True), Tensor([1., 2.], True)
    y = x * w
    z = y * w + y
    z.backward([0.5, 1.], retain_graph=True)
    z.backward([0.5, 1.])
    return [x.grad, w.grad], [14, [9, 30]]


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


def calls_of_f(*values):
    """Return how often gradcheck calls a function."""
    called = []
    checked(lambda x: called.append(1) or x ** 2, *values)
    return len(called)


def drawer_of_f(value):
    """Return whether gradcheck fills a drawer if the function runs a backward pass of its own."""
    x = leaf(value)
    gradcheck(lambda x: (x ** 2).sum().backward() or x * 2, x, raise_exception=False)
    return x.grad is not None


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
    ("at the numbers in `x`, the gradients from backward passes are close to the slopes found by nudging",
     lambda: (checked(lambda x: (x * 2, x.detach() ** 2), 1., 2.),
              checked(lambda x: x.detach() ** 2, 1., 2.)),
     (True, False)),
    ("the price: two calls of `f` for each number in `x`, so use a small `x`", lambda: calls_of_f(1., 2., 3.),
     8),
    ("`gradcheck(f, x)` neither reads nor changes `x.grad`", lambda: drawer_of_f(3.), True),
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
    text, html = zoo("all").text, zoo("all").html
    for one in ZOO:
        assert one.name in text and one.right.text.splitlines()[-1] in text
    assert html.count("<tr>") == len(ZOO) + 1 and "# x.grad is 6.0" in text
    assert text.count("x = Tensor(3.0, True)") == 1


def test_the_zoo_shows_four_mutants_at_a_time():
    pages = [zoo(page) for page in (1, 2, 3, 4)]
    assert [page.html.count("<tr>") - 1 for page in pages] == [4, 4, 4, 2]
    assert zoo().text == pages[0].text and pages[0].text.endswith(
        "zoo(2) shows the next mutants; there are 14.")
    shown = "".join(page.text for page in pages)
    assert all(shown.count(f" {one.name}\n") == 1 for one in ZOO) and "next" not in pages[3].text
    for page in (0, 5, "2", None, True, 1.0):
        with pytest.raises(Misread, match=r"Call zoo\(1\) to zoo\(4\)"):
            zoo(page)


def test_eleven_mutants_train_the_nine_points_as_the_right_engine_does():
    cell = next("".join(one["source"]) for one in load(14)["cells"] if "def train(" in "".join(one["source"]))
    names = {"Tensor": (tensor := fresh()), "SGD": beside(tensor, "SGD")}
    exec(f"from minigrad.book import *\n{cell}", names)
    assert names["train"](tensor, names["SGD"]) == 0.0124
    text = train_mutants(names["train"]).text
    assert text.count(" 0.0124 ") == 11 and len(text.splitlines()) == len(ZOO) + 1
    assert " 0.0217 " in text and " nan " in text


def test_a_function_that_trains_badly_is_told_for_each_mutant():
    assert train_mutants(lambda Tensor, SGD: 1 / 0).text.count("ZeroDivisionError") == len(ZOO)
    with pytest.raises(Misread, match="Give your function"):
        train_mutants(3)


def test_without_a_function_the_mutants_are_listed_and_no_loss_is_shown():
    text = train_mutants().text
    assert [line[4:] for line in text.splitlines()] == [one.name for one in ZOO]
    assert "0.0" not in text and "loss" not in train_mutants().html


def test_a_function_that_keeps_its_input_on_ctx_sees_the_new_number():
    texts = ["".join(one["source"]) for one in load(14)["cells"]]
    cell = next(text for text in texts if "class Kept(" in text)
    names = {"torch": torch, "gradcheck": gradcheck, "x": leaf(1., 2., 3.)}
    exec(cell, names)
    assert gradcheck(names["Kept"].apply, names["x"])
    assert (after_a_write(names["Kept"].apply), after_a_write(careless)) == (2700., 60.)


@CHAPTER.says("| what a pass frees | repeated passes keep the graph |")
def test_gradcheck_repeats_passes_over_what_one_forward_pass_saved():
    passes = []

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.passes = 0
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            ctx.passes += 1
            passes.append(ctx.passes)
            return grad * 3 * x ** 2

    assert torch.autograd.gradcheck(Cube.apply, torch.tensor([2.], dtype=torch.float64, requires_grad=True))
    assert max(passes) > 1


@CHAPTER.says("At a corner, it may raise an error where nothing is wrong")
def test_at_a_corner_a_right_backward_can_fail():
    assert not checked(torch.relu, 0.) and checked(torch.relu, 0.5)


# --- the board ----------------------------------------------------------------------------------------------

def test_the_board_says_which_mutants_are_dead():
    text = attack([square]).text.splitlines()
    assert len(text) == len(ZOO) + 1 and text[-1] == "Dead mutants: 1 of 14."
    assert text[1].startswith(" 2 ● dead ") and text[1].endswith("square")
    assert all("○ alive" in line for line in [text[0], *text[2:-1]])
    assert attack(TESTS).text.splitlines()[-1] == "Dead mutants: 11 of 14."
    assert attack(TESTS[:3]).text.splitlines()[-1] == "Dead mutants: 5 of 14."


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
    from minigrad.book.classroom.engine import attacking
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
    ([1., 2.], 1, False), ("high", 3, False), ("error", "error", True), ("error", "Error", False),
    ("error", None, False), (None, "error", False), ("3", 3, False), (["error", 6.], ["error", 6], True),
    (True, False, False), (False, False, True), (6., "6.0", False)])
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
            found.add((Path(file).relative_to(PACKAGE).as_posix(), frame.f_lineno))

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
        assert named(source(LAST), step.part)
        node = named((PACKAGE / step.file).read_text(encoding="utf-8"), step.name)
        if step.name not in ("no_grad", "_mul", "_add", "once_differentiable", "SGD.update"):
            # The methods of `no_grad` are those of Mode, and two of these are no functions.
            assert any(file == step.file and node.lineno <= line <= node.end_lineno
                       for file, line in ran), step


def test_the_walk_covers_the_learner_s_engine_and_counts_its_lines():
    parts = {step.part.partition(".")[0] for step in WALK}
    assert parts == {node.name for node in ast.parse(source(LAST)).body
                     if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
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


def test_the_rows_of_a_product_run_when_a_product_is_computed():
    ran = lines_that_run()
    for row in PRODUCT:
        if row.theirs.name not in ("_mul", "Freed.__getitem__", "Plan.compile_formulas"):
            assert any((row.theirs.file, number) in ran for number, _ in lines(row.theirs)), row


def lines_that_run():
    """The lines of minigrad that a recorded product and its pass run, as (file, line)."""
    found = set()

    def trace(frame, event, _):
        file = frame.f_code.co_filename
        if not file.startswith(str(PACKAGE)):
            return None
        found.add((Path(file).relative_to(PACKAGE).as_posix(), frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        w = torch.tensor([2., 3.], requires_grad=True)
        (w * torch.tensor([4., 5.])).sum().backward()
    finally:
        sys.settrace(before)
    return found


def test_the_columns_lead_down_to_the_derivative():
    text = side_by_side("product").text
    assert "    yours     return g * saved\n    minigrad  self=lambda grad, other: grad * other, " in text
    assert "heappop(waiting)[1]" in side_by_side().text and "#" not in side_by_side().text
    row = next(row for row in PRODUCT if row.theirs.name == "_mul" and row.mine.name == "times")
    assert shifted(row.mine) == ["return g * saved"]


def test_the_columns_fit_a_page():
    for part in ("pass", "product"):
        html = side_by_side(part).html
        assert "table-layout:fixed" in html and "max-width:715px" in html and "overflow-wrap" in html
        assert max(map(len, side_by_side(part).text.splitlines())) <= 110
    with pytest.raises(Misread, match="Call side_by_side"):
        side_by_side("loop")


# --- a broken line ------------------------------------------------------------------------------------------

BREAKS = (
    {"line": "if not keep_graph and node._values is not None:", "instead": "if node._values is not None:"},
    {"line": "node._values = self.freed", "instead": "pass"},
    {"line": "heappush(waiting, (-child._sequence, child))",
     "instead": "heappush(waiting, (child._sequence, child))"},
    {"line": "sums[child] = sent if total is None else total + sent", "instead": "sums[child] = sent"},
    {"line": "counter is not None and counter.value != node._versions[i]):", "instead": "counter is None):"},
    {"line": "self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)",
     "instead": "self=lambda grad, other: grad * other, other=lambda grad, self: self)"},
)


def broken(changed):
    return broken_copy(changed["line"], changed["instead"])


def test_the_copies_of_the_chapter_are_tried_here():
    texts = ["".join(one["source"]) for one in load(14)["cells"]]
    cell = next(text for text in texts if "broken_2 = " in text)
    assert all(f'"{changed["line"]}"' in cell for changed in BREAKS[1:3])


@pytest.mark.parametrize("changed", BREAKS, ids=lambda one: one["line"][:20])
def test_a_broken_line_kills_a_test_of_the_solution_and_leaves_minigrad_alone(changed):
    text = run_tests([shared, second_pass, write], torch, broken(changed)).text.splitlines()[-1]
    assert text.startswith("torch passes 3 of 3 tests; broken passes 2 of 3 tests")
    assert difference(ZOO[0].wrong, on_minigrad.Tensor) is None
    assert "broken_" in broken(changed).__name__ and "<broken" not in torch.tensor.__code__.co_filename


@CHAPTER.says("minigrad keeps the waiting nodes in a **heap**, which returns the smallest pair; the minus "
              "makes the newest node the smallest.")
@CHAPTER.says("In the second, the minus is missing, so the oldest node runs first.")
@pytest.mark.parametrize("many", [2, 3, 7])
def test_without_the_minus_the_oldest_node_that_waits_runs_first(many):
    for package, order in (torch, range(many)[::-1]), (broken(BREAKS[2]), range(many)):
        x, ran = package.tensor(2., requires_grad=True), []
        results = [x * (place + 1) for place in range(many)]
        for place, result in enumerate(results):
            result.register_hook(lambda _, place=place, ran=ran: ran.append(place))
        package.stack(results).sum().backward()
        assert ran == [*order]


@pytest.mark.parametrize(("line", "instead", "says"), [
    ("x = 1", "pass", "No line of minigrad that side_by_side"), (3, "pass", "should be a line of minigrad"),
    ("while waiting:", "while waiting", "isn't Python any more"),
    ("node._values = self.freed", None, "should be one line of Python"),
    ("node._values = self.freed", "a\nb", "should be one line of Python")])
def test_a_line_that_can_t_be_broken(line, instead, says):
    with pytest.raises(Misread, match=says):
        broken_copy(line, instead)


def test_a_copy_that_runs_for_ever_is_stopped(monkeypatch):
    from minigrad.book.classroom.engine import attacking
    monkeypatch.setattr(attacking, "PATIENCE", 0.3)
    endless = broken_copy("grad = sums.pop(node)", "while True: grad = 1")
    assert "had not finished" in run_tests([square], endless).text


def test_two_copies_have_two_columns():
    text = run_tests([square], broken(BREAKS[0]), broken(BREAKS[1])).text
    assert "broken ● passes" in text and "broken 2 ● passes" in text


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
    assert "5 of 14" in first_wrong(asked("14c"), TESTS[:3], None)
    assert "most bugs change nothing" in first_wrong(asked("14c"), square, None)

    def wrong_number(Tensor):
        return 5, 6

    assert "fails your test wrong_number" in first_wrong(asked("14c"), [*TESTS, wrong_number], None)
    false = first_wrong(asked("14c"), [square, wrong_number], None)
    assert false.startswith("The right engine fails your test") and "kill 1" not in false
    assert "Compute by hand" in false
    assert "Compute by hand" not in first_wrong(asked("14c"), [square, lambda Tensor: 1 / 0], None)

    def a_word(Tensor):
        return "error", 6

    assert "one is a word, and the other is not" in first_wrong(asked("14c"), [square, a_word], None)
    assert "list of functions" in first_wrong(asked("14c"), "tests", None)


def test_14c_on_paper_asks_for_mutants_with_short_programs():
    rows = programs_told(None)
    assert len(rows) == 4
    assert all(len(program) < 75 for _, program in rows)


def test_14b_says_what_pytorch_refuses_about_a_class():
    class OneGradient(product()):
        @staticmethod
        def backward(ctx, grad):
            return grad

    class NoForward(torch.autograd.Function):
        pass

    said = first_wrong(asked("14b"), OneGradient, None)
    assert said.startswith("With your class, y.backward(v) raised RuntimeError: function OneGradientBackward "
                           "returned an incorrect number of gradients")
    for wrong in (OneGradient, NoForward):
        kind, _, *told = judged(asked("14b"), wrong)
        assert kind == NOT_YET and not any("can't be read" in one for one in told)


def test_a_test_must_not_take_a_name_from_the_engine():
    def record(Tensor):
        return Tensor(3., True).grad, None

    for run in (lambda: attack([square, record]), lambda: run_tests([record], torch)):
        with pytest.raises(Misread, match="`record` has the name of a part of the engine"):
            run()
