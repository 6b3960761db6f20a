"""Grad modes in all their forms, threads, and the tensors that inference_mode makes.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import asyncio
import threading

import pytest

from tests.helpers.backend import list_leaf as leaf
from tests.helpers.backend import raises, torch

enabled, inference = torch.is_grad_enabled, torch.is_inference_mode_enabled


@pytest.fixture(params=["no_grad", "enable_grad", "inference_mode"])
def mode(request):
    """A mode, inside the opposite one."""
    with torch.no_grad() if request.param == "enable_grad" else torch.enable_grad():
        yield getattr(torch, request.param)


@pytest.fixture
def inside(mode):
    return mode is torch.enable_grad


# --- forms --------------------------------------------------------------------------------------------------

def test_as_context(mode, inside):
    with mode():
        assert enabled() is inside and inference() is (mode is torch.inference_mode)
    assert enabled() is not inside
    with pytest.raises(ZeroDivisionError):
        with mode():
            1 / 0
    assert enabled() is not inside and not inference()


def test_as_decorator_with_and_without_parentheses(mode, inside):
    @mode()
    def called():
        return enabled()

    @mode
    def bare():
        "What it does."
        return enabled()

    assert called() is bare() is inside and enabled() is not inside
    assert bare.__name__ == "bare" and bare.__doc__ == "What it does."


def test_on_methods(mode, inside):
    class Some:
        @mode()
        def plain(self):
            return enabled()

        @classmethod
        @mode()
        def of_class(cls):
            return enabled()

    assert Some().plain() is Some.of_class() is inside


def test_on_generators(mode, inside):
    finished = []

    @mode()
    def generator():
        try:
            sent = yield enabled()
            while True:
                sent = yield enabled(), sent
        except ValueError:
            yield "caught", enabled()
        finally:
            finished.append(enabled())

    steps = generator()
    assert next(steps) is inside and enabled() is not inside
    assert steps.send(5) == (inside, 5) and enabled() is not inside
    assert steps.throw(ValueError()) == ("caught", inside)
    steps.close()
    assert finished == [inside] and enabled() is not inside


def test_what_generators_return(mode):
    @mode()
    def generator():
        try:
            yield 1
        except KeyError:
            return "caught"
        return "done"

    def outer():
        results.append((yield from generator()))

    results = []
    assert list(outer()) == [1] and results == ["done"]
    steps = generator()
    next(steps)
    with pytest.raises(StopIteration) as stopped:
        steps.throw(KeyError())
    assert stopped.value.value == "caught"


def test_on_coroutines_the_mode_ends_before_they_run(mode, inside):
    @mode()
    async def coroutine():
        return enabled()

    assert asyncio.run(coroutine()) is not inside


def test_set_grad_enabled():
    torch.set_grad_enabled(False)
    assert not enabled()
    with torch.set_grad_enabled(True):
        assert enabled()
    assert not enabled()
    torch.set_grad_enabled(True)

    @torch.set_grad_enabled(False)
    def decorated():
        return enabled()

    assert enabled() and not decorated() and enabled()


def test_threads_start_with_recording_on():
    seen = []
    with torch.inference_mode():
        thread = threading.Thread(target=lambda: seen.append((enabled(), inference())))
        thread.start()
        thread.join()
    assert seen == [(True, False)]


def test_recording_off_touches_no_leaves():
    x = leaf(1.0, 2.0)
    with torch.no_grad():
        made = torch.ones(2, requires_grad=True)
        y = (x * 2).requires_grad_()
        assert x.requires_grad and made.requires_grad
    assert y.is_leaf and y.requires_grad and (y * 2).requires_grad


# --- inference tensors --------------------------------------------------------------------------------------

@pytest.fixture
def frozen():
    with torch.inference_mode():
        return torch.ones(2) * 2


def test_flags_of_inference_tensors(frozen):
    assert frozen.is_inference() and not frozen.requires_grad and frozen.is_leaf
    assert frozen.view(2).is_inference() and frozen.detach().is_inference()
    assert not frozen.clone().is_inference() and not (frozen * 2).is_inference()
    x = leaf(1.0, 2.0)
    with torch.inference_mode():
        assert (x * 2).is_inference() and not x.view(2).is_inference()
    with raises(RuntimeError, "Inference tensors do not track version counter."):
        frozen._version


def test_refusals_of_inference_tensors(frozen):
    x = leaf(1.0, 2.0)
    with raises(RuntimeError, "Inference tensors cannot be saved for backward."):
        x * frozen
    assert (x + frozen).requires_grad                       # nothing is saved for a sum
    with raises(RuntimeError, "Inplace update to inference tensor outside InferenceMode is not allowed."):
        frozen.add_(1)
    with raises(RuntimeError, "Inplace update to inference tensor outside InferenceMode is not allowed."):
        frozen[0] = 1.0
    with raises(RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                              "allowed."):
        frozen.requires_grad_()


def test_what_is_allowed_inside():
    with torch.inference_mode():
        x = torch.ones(2)
        x.add_(1)
        assert x.requires_grad_().requires_grad and not (x * 2).requires_grad


def test_normal_tensors_inside():
    x = leaf(1.0, 2.0)
    y = x * 1
    with torch.inference_mode():
        y.add_(1)
        view = y[:1]
    assert y._version == 1 and y.grad_fn.name() == "MulBackward0"
    with raises(RuntimeError, "A view was created in inference mode and is being modified inplace in normal "
                              "mode."):
        view.add_(1)


def test_modes_inside_inference_mode():
    x = leaf(1.0)
    with torch.inference_mode():
        with torch.enable_grad():
            assert enabled() and not (x * 2).requires_grad and (x * 2).is_inference()
        with torch.inference_mode(False):
            assert enabled() and not inference() and (x * 2).requires_grad
        assert inference() and not enabled()


def test_a_pass_inside_inference_mode():
    x = leaf(1.0, 2.0)
    y = (x * 3).sum()
    with torch.inference_mode():
        y.backward()
    assert x.grad.tolist() == [3, 3]


def test_views_made_without_recording():
    x = leaf(1.0, 2.0)
    with torch.no_grad():
        view = x[:1]
        view.add_(1)
    with raises(RuntimeError, "A view was created in no_grad mode and is being modified inplace with grad "
                              "mode enabled."):
        view.add_(1)
