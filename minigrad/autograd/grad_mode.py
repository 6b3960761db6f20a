"""Whether operations are recorded: ``no_grad()`` and its relatives.  Each thread has a switch of its own."""
from __future__ import annotations

import functools
import inspect
import warnings

from ..state import local


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread, ``inference_mode`` aside."""
    return local.state.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside ``inference_mode``."""
    return local.state.inference


DECORATED_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
    "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
    "the `__init__` method and nothing else.")


class ContextDecorator:
    """A context manager that can also stand above a function or a generator.

    Above a coroutine function, as in PyTorch, the mode is in force only while the coroutine is made, not
    while it runs.
    """

    def clone(self):
        return type(self)()

    def __call__(self, function):
        if inspect.isclass(function):
            warnings.warn(DECORATED_CLASS, FutureWarning, stacklevel=2)
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)
        return wrapped

    def _wrap_generator(self, function):
        """The mode holds while the generator's own lines run, not while it waits to be asked for a value."""
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            generator = function(*args, **kwargs)
            try:
                with self.clone():
                    value = generator.send(None)
                while True:
                    try:
                        request = yield value
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException as error:
                        with self.clone():
                            value = generator.throw(error)
                    else:
                        with self.clone():
                            value = generator.send(request)
            except StopIteration as stop:
                return stop.value
        return wrapped


class _NoArgumentMode(ContextDecorator):
    """A mode that may be used as a decorator with or without parentheses."""

    def __new__(cls, function=None):
        if function is None:
            return super().__new__(cls)
        return cls()(function)


class no_grad(_NoArgumentMode):
    """Operations inside are not recorded: their results are constants.  Context manager or decorator."""

    def __init__(self):
        self.prev = False

    def __enter__(self):
        self.prev = local.state.grad_enabled
        local.state.set_grad_enabled(False)

    def __exit__(self, *exc):
        local.state.set_grad_enabled(self.prev)


class enable_grad(_NoArgumentMode):
    """Operations inside are recorded, also within ``no_grad``.  Context manager or decorator."""

    def __enter__(self):
        self.prev = local.state.grad_enabled
        local.state.set_grad_enabled(True)

    def __exit__(self, *exc):
        local.state.set_grad_enabled(self.prev)


class set_grad_enabled(ContextDecorator):
    """Switch recording on or off at once; used with ``with``, the old state comes back at the end."""

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                            f"{type(mode).__name__}")
        self.prev = local.state.grad_enabled
        self.mode = mode
        local.state.set_grad_enabled(mode)

    def __call__(self, function):
        local.state.set_grad_enabled(self.prev)     # as a decorator it holds only inside the function
        return super().__call__(function)

    def __enter__(self):
        local.state.set_grad_enabled(self.mode)

    def __exit__(self, *exc):
        local.state.set_grad_enabled(self.prev)

    def clone(self):
        return type(self)(self.mode)


class inference_mode(ContextDecorator):
    """Like ``no_grad``; what is made inside can never be recorded later.  Context manager or decorator."""

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True):
        self.mode = mode

    def __enter__(self):
        state = local.state
        self.prev = (state.inference, state.grad_enabled)
        state.set_inference(self.mode)
        state.set_grad_enabled(not self.mode)

    def __exit__(self, *exc):
        inference, enabled = self.prev
        local.state.set_inference(inference)
        local.state.set_grad_enabled(enabled)

    def clone(self):
        return type(self)(self.mode)


