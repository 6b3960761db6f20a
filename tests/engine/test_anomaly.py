"""Anomaly mode: where the message says that it went wrong.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import warnings

import pytest

from tests.helpers.backend import list_leaf as leaf
from tests.helpers.backend import raises, torch

set_detect_anomaly = torch.autograd.set_detect_anomaly


def is_on():
    """Whether nodes keep the lines that make them."""
    return bool((leaf(1.0) * 2).grad_fn.metadata)


def warned(run):
    """The warnings of a call that raises a RuntimeError."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError):
            run()
    return [str(one.message) for one in caught]


class Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("as planned")


def test_switching():
    assert not is_on()
    with set_detect_anomaly(True, check_nan=False):
        assert is_on()
        with set_detect_anomaly(False):
            assert not is_on()
        assert is_on()
    set_detect_anomaly(True)
    assert is_on()
    set_detect_anomaly(False)
    assert not is_on()


def test_detect_anomaly_warns_of_itself():
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled. This mode will increase the "
                                         "runtime and should only be enabled for debugging."):
        with torch.autograd.detect_anomaly():
            assert is_on()
    assert not is_on()


@pytest.mark.filterwarnings("ignore:Error detected")
def test_nan_is_found():
    with set_detect_anomaly(True):
        with raises(RuntimeError, "Function 'SqrtBackward0' returned nan values in its 0th output."):
            leaf(-1.0, 1.0).sqrt().sum().backward()
        with raises(RuntimeError, "Function 'MulBackward0' returned nan values in its 1th output."):
            (torch.ones(2) * float("nan") * leaf(1.0, 2.0)).sum().backward()
        x = leaf(0.0, 1.0)
        x.sqrt().sum().backward()
        assert x.grad.tolist() == [float("inf"), 0.5]          # infinity is no anomaly
    with set_detect_anomaly(True, check_nan=False):
        x = leaf(-1.0, 1.0)
        x.sqrt().sum().backward()


def test_the_warning_shows_the_line_that_made_the_node():
    with set_detect_anomaly(True):
        y = Failing.apply(leaf(1.0, 2.0))                       # this line
        message, = warned(y.sum().backward)
    assert message.startswith("Error detected in FailingBackward. Traceback of forward call that caused the "
                              "error:\n")
    assert "# this line" in message and __file__ in message


def test_without_the_mode_in_the_forward_pass():
    y = Failing.apply(leaf(1.0, 2.0)).sum()
    with set_detect_anomaly(True):
        message, = warned(y.backward)
    assert message.startswith("Error detected in FailingBackward. No forward pass information available. "
                              "Enable detect anomaly during forward pass for more information.")


def test_nodes_made_in_a_backward_pass_name_their_parents():
    class Parent(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return Failing.apply(grad)

    with set_detect_anomaly(True):
        x, start = leaf(1.0, 2.0), leaf(1.0, 1.0)
        g, = torch.autograd.grad(Parent.apply(x), x, start, create_graph=True)
        first, second = warned(g.sum().backward)
    assert first.startswith("Error detected in FailingBackward. Traceback of forward call that caused the "
                            "error:\n")
    assert second.startswith("\n\nPrevious calculation was induced by ParentBackward. Traceback of forward "
                             "call that induced the previous calculation:\n")


def test_metadata():
    with set_detect_anomaly(True):
        y = leaf(1.0) * 2
    assert list(y.grad_fn.metadata) == ["traceback_"]
    assert "y = leaf(1.0) * 2" in y.grad_fn.metadata["traceback_"][-1]
    assert (leaf(1.0) * 2).grad_fn.metadata == {}


@pytest.mark.filterwarnings("ignore:Error detected")
def test_the_hint_of_in_place_errors():
    x = leaf(1.0, 2.0)
    with set_detect_anomaly(True):
        y = x.tanh()
        y.add_(1)
        with raises(RuntimeError, "Hint: the backtrace further above shows the operation that failed to "
                                  "compute its "
                    "gradient. The variable in question was changed in there or anywhere later. Good luck!"):
            y.sum().backward()


def test_a_warning_made_an_error_hides_nothing(capsys):
    x = leaf(1.0, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with set_detect_anomaly(True):
            y = x + 1
            z = y ** 2
            y += 1
            with raises(RuntimeError, "modified by an inplace operation"):
                z.sum().backward()
    assert "Error detected in PowBackward0" in capsys.readouterr().err
