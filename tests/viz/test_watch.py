"""`watch()` writes down lines and gradients, and changes nothing: on minigrad and on PyTorch."""
import sys
import threading
import warnings
import weakref

import pytest

from minigrad.viz import draw, explain, watch
from minigrad.viz.graph.node_records import passed, place_of
from minigrad.viz.graph.walk import in_forward_order
from minigrad.viz.watching.write_records import writes_of


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def this_line():
    return sys._getframe(1).f_lineno


def test_a_warning_names_the_line_of_the_program(torch):
    x, y, shown = torch.ones(3, 1), torch.ones(3), warnings.showwarning
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("default")
        with watch():
            for _ in range(2):
                first = this_line(), torch.nn.functional.mse_loss(x, y)
                second = this_line(), torch.nn.functional.mse_loss(x, y), torch.ones(1).std()
        warnings.warn("of the program", stacklevel=1)
        last = this_line() - 1
    found = [(one.lineno, str(one.message).split()[0]) for one in log]
    assert found == [(first[0], "Using"), (second[0], "Using"), (second[0], "std():"), (last, "of")]
    assert {one.filename for one in log} == {__file__} and warnings.showwarning is shown


@pytest.mark.parametrize("action, count", [("ignore", 0), ("always", 2)])
def test_a_filter_for_warnings_counts_under_a_watch(torch, action, count):
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter(action)
        with watch():
            for _ in range(2):
                torch.nn.functional.mse_loss(torch.ones(3, 1), torch.ones(3))
    assert len(log) == count


# ---------------------------------------------------------------- lines

def test_every_operation_has_its_line(torch):
    x = leaf(torch, 1.0, 2.0)
    with watch():
        y, first = x * 2, this_line()
        y[0], second = 3.0, this_line()
        loss, third = torch.nn.functional.cross_entropy(y.unsqueeze(0), torch.tensor([1])), this_line()
    lines = [place_of(node) for node in in_forward_order([loss.grad_fn])]
    assert lines[0] is None  # of the leaf
    assert [line.line for line in lines[1:]] == [first, second, third, third, third]
    assert lines[1].filename == __file__ and lines[1].function == "test_every_operation_has_its_line"


def test_what_was_there_before_the_watch_has_no_line(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.exp() * 3
    part = y[:1]
    with watch():
        part.add_(1)
        z = y.sin()
    names = {node.name(): place_of(node) for node in in_forward_order([z.grad_fn])}
    assert names["ExpBackward0"] is names["MulBackward0"] is None
    assert names["SinBackward0"].line == names["torch::autograd::CopySlices"].line + 1


def test_writes_are_known_by_version_through_any_name(torch):
    x = leaf(torch, 1.0, 2.0)
    with watch():
        y = x.exp()
        y[:1].add_(1)
        first = this_line() - 1
        assert [(version, line.line) for version, line in writes_of(y)] == [(1, first)]
        y.detach().mul_(2)
    assert writes_of(y)[-1][0] == y._version == 2
    assert writes_of(y)[-1][1].line == writes_of(y[1:])[-1][1].line == first + 3
    assert writes_of(x) is None


def test_a_write_to_data_is_not_taken_for_a_counted_one(torch):
    x = leaf(torch, 1.0, 2.0)
    with watch():
        x.data.add_(1)
    assert writes_of(x) is None


# ---------------------------------------------------------------- passes


@pytest.mark.parametrize("way", ["method", "function", "grad"])
def test_a_pass_tells_what_passed(torch, way):
    x, w = leaf(torch, 3.0, 0.0, -1.0), leaf(torch, 1.0)
    y = (x.relu() * w).sqrt()
    with watch():
        if way == "method":
            y.backward(torch.ones(3))
        elif way == "function":
            torch.autograd.backward([y], [torch.ones(3)])
        else:
            torch.autograd.grad(y, x, torch.ones(3))
    multiplied, = passed(y.grad_fn.next_functions[0][0])
    assert multiplied.size == 3 and multiplied.norm == float("inf")
    relu, = passed(in_forward_order([y.grad_fn])[1])
    assert (relu.zeros, relu.nans, relu.size) == (0, 0, 3)


# ---------------------------------------------------------------- nothing changes

def program(torch):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    inputs = torch.randn(5, 3)
    for _ in range(3):
        loss = (model(inputs) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    slope, = torch.autograd.grad((model(inputs) ** 2).mean(), model[0].weight, create_graph=True)
    slope.sum().backward()
    return [loss.item(), *(value for one in model.parameters()
                           for value in (one._version, one.tolist(), one.grad.tolist()))]


def test_results_and_versions_are_the_same(torch):
    plain = program(torch)
    with watch():
        watched = program(torch)
    assert watched == plain


def test_errors_are_the_same_and_end_the_watch(torch):
    x = leaf(torch, 1.0, 2.0)

    def twice():
        y = (x * x).sum()
        y.backward()
        y.backward()

    def shapes():
        return x + torch.ones(3)

    for wrong in (twice, shapes, lambda: x.backward("no"), lambda: torch.autograd.grad(3, x)):
        with pytest.raises(Exception) as plain:
            wrong()
        with pytest.raises(Exception) as watched, watch():
            wrong()
        assert (type(watched.value), str(watched.value)) == (type(plain.value), str(plain.value))
    y = x * 2
    assert place_of(y.grad_fn) is None


def test_no_hook_and_no_graph_stays(torch):
    x = leaf(torch, 1.0, 2.0)
    calls = []
    with watch():
        y = x.exp()
        y.register_hook(calls.append)
        y.sum().backward(retain_graph=True)
        node = y.grad_fn
    before = passed(node)
    (y * 100).sum().backward(retain_graph=True)
    assert passed(node) == before  # nobody watches any more
    assert len(calls) == 2
    gone = weakref.ref(y)
    del y, node
    assert gone() is None


def test_the_backends_are_left_as_they_were(torch):
    places = [(torch.Tensor, "backward"), (torch.autograd, "backward"), (torch.autograd, "grad"),
              (torch.autograd.graph.Node, "__init__")]
    before = [getattr(*place) for place in places]
    with watch(), watch():
        pass
    assert [getattr(*place) for place in places] == before


def test_a_compiled_function_runs_and_has_a_line_of_the_program():
    torch = pytest.importorskip("torch")
    x = leaf(torch, 1.0)
    double = torch.compile(lambda x: x * 2, backend="eager")
    with watch():
        y = double(x)
    assert place_of(y.grad_fn).filename == __file__


# ---------------------------------------------------------------- nested, generators, threads

def test_nested_watches_see_the_same(torch):
    x = leaf(torch, 1.0)
    with watch() as outer:
        with watch() as inner:
            (x * 2).backward()
        y = x * 3
        y.backward()
    assert (len(outer.passes), len(inner.passes)) == (2, 1)
    assert place_of(y.grad_fn).line == this_line() - 3


def test_a_watch_sees_the_passes_of_a_thread_that_does_not_watch_and_nothing_else(torch):
    x, found = leaf(torch, 1.0), []

    def other():
        y = x * 2
        y.backward()
        found.append((place_of(y.grad_fn), passed(y.grad_fn) is not None))

    with watch() as seen:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert found == [(None, True)] and len(seen.passes) == 1
    other()
    assert len(seen.passes) == 1


def test_a_generator_watches_until_it_ends(torch):
    x = leaf(torch, 1.0)

    def steps():
        with watch() as seen:
            yield seen

    running = steps()
    seen = next(running)
    (x * 2).backward()
    running.close()
    (x * 2).backward()
    assert len(seen.passes) == 1


# ---------------------------------------------------------------- pictures

def test_a_picture_shows_what_passed(torch):
    x, w = leaf(torch, -1.0, 0.0, 4.0, 2.0), leaf(torch, 0.0)
    y = x.relu().reshape(2, 2).sum() + (w * 0).sqrt().sum()
    with watch():
        y.backward()
    text = draw(y, show="gradients").text
    assert "operation ReluBackward0, gradient norm 2.0; next" in text
    assert "the .grad of n0, gradient norm 1.414, 50% zeros" in text
    assert "[! sends infinity] operation SqrtBackward0, gradient norm 1.0" in text
    assert "[! sends NaN] operation MulBackward0, gradient norm inf, 1 infinite" in text
    assert "[! NaN] AccumulateGrad, adds what arrives to the .grad of n5, gradient norm nan, 1 NaN" in text
    assert "gradient norm" not in draw(y).text
    assert "operation relu, gradient norm 2.0" in draw(y, show="gradients", view="maths").text


def test_none_is_marked_and_what_was_not_reached_is_said(torch):
    class Lost(torch.autograd.Function):
        forward = staticmethod(lambda ctx, x: x * 2)
        backward = staticmethod(lambda ctx, grad: None)

    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    y = Lost.apply(x.exp()) * w
    with watch():
        y.backward(retain_graph=True)
        text = draw(y, show="gradients").text
        torch.autograd.grad(y, x, allow_unused=True, retain_graph=True)
    assert "[! no gradient] operation ExpBackward0, gradient None" in text
    assert "to the .grad of n4, gradient: not in the last pass" in draw(y, show="gradients").text


def test_a_picture_says_how_to_get_gradients(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    y.backward()
    assert "Note: No gradients were noted: run the backward pass inside" in draw(y, show="gradients").text
    y = x * 2
    with watch():
        y.backward()
    assert "operation MulBackward0, gradient norm 1.0" in draw(y, show="gradients").text


def test_a_leaf_shows_nothing_of_a_pass_through_another_graph(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    with watch():
        y.backward()
    assert "gradient norm" in draw(y, show="gradients").text
    assert "gradient norm" not in draw(x * 3, show="gradients").text


def test_a_fold_tells_what_passed_inside(torch):
    x, zero = leaf(torch, 1.0), leaf(torch, 0.0)
    y = x
    for _ in range(30):
        y = y * 0.5
    bad = zero * 1
    for _ in range(30):
        bad = bad.sqrt()
    with watch():
        (y + bad * 0).backward()
    text = draw(y + 1, show="gradients").text
    assert "gradient norm 1.863e-09 to 1.0" in text
    lines = draw(bad + 1, show="gradients", max_nodes=20).text.splitlines()
    (fold,) = [line for line in lines if "SqrtBackward0 ×30" in line]
    assert "[! sends NaN] SqrtBackward0 ×30: gradient norm 0.0;" in fold


# ---------------------------------------------------------------- explanations

def explained(program, *arguments):
    with watch(), pytest.raises(RuntimeError) as error:
        program(*arguments)
    return " ".join(explain(error.value).text.split())


def test_explain_names_the_line_of_a_write_that_no_variable_leads_to(torch):
    def forward(x):
        hidden = torch.sigmoid(x)
        hidden += 1
        return hidden.sum()

    text = explained(lambda: forward(leaf(torch, 1.0, 2.0)).backward())
    first = forward.__code__.co_firstlineno
    assert f"SigmoidBackward0, recorded in test_watch.py:{first + 1}, saved a tensor" in text
    assert f"The write was in test_watch.py:{first + 2}, `hidden += 1`." in text


def test_a_leaf_of_the_same_shape_is_not_blamed(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True))
    text = explained(lambda: model(torch.ones(2)).sum().backward())
    assert "bias" not in text.partition("Fix")[0]
    assert f"The write was in test_watch.py:{this_line() - 2}" in text
