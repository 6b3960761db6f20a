"""Whether operations are recorded: ``no_grad()`` and its relatives.  Each thread has a switch of its own.

Every operation reads the state of its thread once.  The state also holds ``quiet``, which calls a function
with NumPy's floating-point warnings off (PyTorch has none): entering a prepared context costs 0.04 us,
``np.errstate`` 0.7.
"""
from __future__ import annotations

import contextvars
import functools
import inspect
import threading
import warnings

import numpy as np


class ThreadState:
    """What one thread's operations must know."""

    __slots__ = ("recording", "grad_enabled", "inference", "quiet", "saved_tensors_hooks", "hooks_disabled",
                 "pass_depth", "current_pass", "evaluating", "in_formula", "multithreading")

    def __init__(self):
        self.grad_enabled = True
        self.inference = False
        self.recording = True               # grad_enabled and not inference
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        self.quiet = context.run            # a context can be entered once at a time: so one for each thread
        self.saved_tensors_hooks = ()       # the (pack, unpack) pairs now in force, innermost last
        self.hooks_disabled = None          # the message of a `disable_saved_tensors_hooks` block
        self.pass_depth = 0                 # backward passes inside backward passes
        self.current_pass = None            # the innermost of them
        self.multithreading = True
        self.evaluating = None              # the node whose gradient is being computed now
        self.in_formula = None              # while formulas are at work on tensors: what they share

    def set_grad_enabled(self, enabled: bool):
        self.grad_enabled = enabled
        self.recording = enabled and not self.inference

    def set_inference(self, inference: bool):
        self.inference = inference
        self.recording = self.grad_enabled and not inference


class _PerThread(threading.local):
    def __init__(self):
        self.state = ThreadState()


local = _PerThread()

# What `with np.errstate(all="ignore")` sets, and to what; made once, for a backward pass begins with it.
_context = contextvars.Context()
_context.run(np.seterr, all="ignore")
(ERROR_STATE, IGNORED), = _context.items()


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


    pass

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


