"""Modes: whether the operations of this thread are recorded.

A mode is a context manager and a decorator.  Around a generator function it is in force while the
generator's own lines run, not between them.
"""
import functools
import inspect
from copy import copy

from ..state import local


class Mode:
    """Switches recording, and perhaps inference, for a ``with`` block or a decorated function."""
    inference = None            # leaves that switch as it is
    outer = None                # while the mode is in force: the switches as they were before

    def __new__(cls, *args, **kwargs):
        if args and callable(args[0]):
            return cls()(args[0])           # a decorator without parentheses
        return super().__new__(cls)

    def __enter__(self):
        state = local.state
        self.outer = self.outer or (state.grad_enabled, state.inference)
        state.set_grad_enabled(self.mode)
        if self.inference is not None:
            state.set_inference(self.inference)

    def __exit__(self, *error):
        local.state.set_grad_enabled(self.outer[0])
        local.state.set_inference(self.outer[1])
        self.outer = None

    def __call__(self, function):
        if self.outer:                      # set_grad_enabled switched too early for a decorator
            self.__exit__()

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

    >>> with torch.no_grad():           # or @torch.no_grad() above a function
    ...     y = x * 2                   # y.requires_grad is False
    """
    mode = False


class enable_grad(Mode):
    """Record, also inside ``no_grad``."""
    mode = True


class set_grad_enabled(Mode):
    """Switch recording on or off at once; a ``with`` block restores the old state at its end.

    >>> with torch.set_grad_enabled(training):
    ...     loss = model(x).sum()
    """
    def __init__(self, mode):
        self.mode = mode
        self.__enter__()


class inference_mode(Mode):
    """Do not record, and make tensors that can never become part of a graph.

    >>> with torch.inference_mode():    # inference_mode(False) switches the mode off inside it
    ...     y = x * 2                   # y.is_inference() is True
    """
    def __init__(self, mode=True):
        self.mode, self.inference = not mode, mode


FUNCTIONS_ONLY = "enable_grad inference_mode no_grad set_grad_enabled"
