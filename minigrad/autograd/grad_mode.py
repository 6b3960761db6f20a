"""Modes: whether the operations of this thread are recorded.

A mode is a context manager and a decorator.  Around a generator function it is in force while the
generator's own lines run, not between them.
"""
from __future__ import annotations

import functools
import inspect
import warnings
from copy import copy

from ..state import local


def is_grad_enabled() -> bool:
    """Return whether recording is on in this thread, ``inference_mode`` aside."""
    return local.state.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Return whether this thread is inside ``inference_mode``."""
    return local.state.inference


class Mode:
    """Switches recording on or off within a ``with`` block, or while a decorated function runs."""

    def __new__(cls, *args, **kwargs):
        if args and callable(args[0]):
            return cls()(args[0])           # a decorator without parentheses
        return super().__new__(cls)

    def __enter__(self):
        self.prev = local.state.grad_enabled, local.state.inference
        local.state.set_grad_enabled(self.mode)

    def __exit__(self, *error):
        enabled, inference = self.prev
        local.state.set_inference(inference)
        local.state.set_grad_enabled(enabled)

    def __call__(self, function):
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                "should only decorate functions or methods. To preserve the current behavior of "
                "class decoration, you can directly decorate the `__init__` method and nothing "
                "else.",
                FutureWarning, stacklevel=2)

        @functools.wraps(function)
        def decorated(*args, **kwargs):
            with copy(self):
                return function(*args, **kwargs)

        @functools.wraps(function)
        def decorated_generator(*args, **kwargs):
            generator = function(*args, **kwargs)
            step, argument = generator.send, None
            while True:
                try:
                    with copy(self):
                        value = step(argument)
                except StopIteration as stop:
                    return stop.value
                try:
                    step, argument = generator.send, (yield value)
                except BaseException as error:      # the generator may want to catch it
                    step, argument = generator.throw, error

        return decorated_generator if inspect.isgeneratorfunction(function) else decorated


class no_grad(Mode):
    """Do not record: what is computed inside does not require a gradient.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():           # or @torch.no_grad() above a function
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    mode = False


class enable_grad(Mode):
    """Record, also inside ``no_grad``.

    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    mode = True


class set_grad_enabled(Mode):
    """Switch recording on or off at once; a ``with`` block restores the old state at its end.

    >>> with torch.set_grad_enabled(training):
    ...     loss = model(x).sum()

    Raises:
        TypeError: `mode` is not a bool.
    """

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                            f"{type(mode).__name__}")
        self.mode = mode
        super().__enter__()

    def __enter__(self):
        local.state.set_grad_enabled(self.mode)

    def __call__(self, function):
        self.__exit__()                     # a decorator switches inside the function only
        return (enable_grad if self.mode else no_grad)()(function)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class inference_mode(Mode):
    """Do not record, and make tensors that can never become part of a graph.

    >>> with torch.inference_mode():
    ...     y = x * 2
    >>> y.is_inference()
    True

    ``inference_mode(False)`` switches the mode off inside another one.
    """

    def __init__(self, mode: bool = True):
        self.mode = mode

    def __enter__(self):
        self.prev = local.state.grad_enabled, local.state.inference
        local.state.set_inference(self.mode)
        local.state.set_grad_enabled(not self.mode)

FUNCTIONS_ONLY = """
enable_grad inference_mode is_grad_enabled is_inference_mode_enabled no_grad set_grad_enabled
"""
