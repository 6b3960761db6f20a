"""Modes: whether the operations of this thread are recorded.

A mode is a context manager and a decorator.  Around a generator function it is in force
while the generator's own lines run, not between them.
"""
from functools import wraps

from ..state import local

IS_GENERATOR = 0x20     # inspect.CO_GENERATOR, without the time to import inspect


class Mode:
    """Switches recording, and perhaps inference, for a block or a function."""

    inference = None        # leaves that switch as it is
    outer = None            # while the mode is in force: the switches before it

    def __new__(cls, *args, **kwargs):
        if args and callable(args[0]):
            return cls()(args[0])       # a decorator without parentheses
        return super().__new__(cls)

    def __enter__(self):
        state = local.state
        if self.outer is None:
            self.outer = (state.grad_enabled, state.inference)
        state.set_grad_enabled(self.records)
        if self.inference is not None:
            state.set_inference(self.inference)

    def __exit__(self, *error):
        grad_enabled, inference = self.outer
        local.state.set_grad_enabled(grad_enabled)
        local.state.set_inference(inference)
        self.outer = None

    def __call__(self, function):
        """Return the function with this mode around each of its calls."""
        if self.outer is not None:
            self.__exit__()     # set_grad_enabled switched too early for a decorator
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & IS_GENERATOR:
            return decorated_generator(self, function)

        @wraps(function)
        def decorated(*args, **kwargs):
            with self.copy():
                return function(*args, **kwargs)

        return decorated

    def copy(self):
        """Return a mode of the same kind, for one more block."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy


def decorated_generator(mode, function):
    """Return the generator function with a mode around each of its steps."""
    @wraps(function)
    def decorated(*args, **kwargs):
        generator = function(*args, **kwargs)
        step, argument = generator.send, None
        while True:
            try:
                with mode.copy():
                    value = step(argument)
            except StopIteration as stop:
                return stop.value
            try:
                argument = yield value
                step = generator.send
            except BaseException as error:      # the generator may want to catch it
                step, argument = generator.throw, error

    return decorated


class no_grad(Mode):
    """Do not record: what is computed inside does not require a gradient.

    >>> with torch.no_grad():           # or @torch.no_grad() above a function
    ...     y = x * 2                   # y.requires_grad is False
    """

    records = False


class enable_grad(Mode):
    """Record, also inside ``no_grad``."""

    records = True


class set_grad_enabled(Mode):
    """Switch recording on or off at once; a block restores the old state at its end.

    >>> with torch.set_grad_enabled(training):
    ...     loss = model(x).sum()
    """

    def __init__(self, mode):
        self.records = mode
        self.__enter__()


class inference_mode(Mode):
    """Do not record, and make tensors that can never become part of a graph.

    >>> with torch.inference_mode():    # inference_mode(False) switches the mode off
    ...     y = x * 2                   # y.is_inference() is True
    """

    def __init__(self, mode=True):
        self.records = not mode
        self.inference = mode


FUNCTIONS_ONLY = "enable_grad inference_mode no_grad set_grad_enabled"
