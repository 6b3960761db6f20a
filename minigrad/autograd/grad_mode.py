"""Modes: whether the operations of this thread are recorded.

A mode is a context manager and a decorator.  Around a generator function it is in force
while the generator's own lines run, not between them.
"""
from functools import wraps

from ..errors import NOT_A_BOOL, type_name, warn
from ..state import local

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You "
    "should only decorate functions or methods. To preserve the current behavior of "
    "class decoration, you can directly decorate the `__init__` method and nothing "
    "else.")
IS_GENERATOR = 0x20     # inspect.CO_GENERATOR, without the time to import inspect


class Mode:
    """Switches recording, and perhaps inference, for a block or a function.

    As in PyTorch, an object remembers one setting: a block inside a block of the same
    object replaces what the outer block would have restored.
    """

    def __new__(cls, *args, **kwargs):
        if args and callable(args[0]):
            return cls()(args[0])       # a decorator without parentheses
        return super().__new__(cls)

    def __enter__(self):
        state = local.state
        self.before = state.grad_enabled
        state.set_grad_enabled(self.records)

    def __exit__(self, *error):
        local.state.set_grad_enabled(self.before)

    def __call__(self, function):
        """Return the function with this mode around each of its calls."""
        if isinstance(function, type):
            warn(CLASS_DECORATED, FutureWarning)
            return self(lambda *args, **kwargs: function(*args, **kwargs))
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & IS_GENERATOR:
            return decorated_generator(self, function)

        @wraps(function)
        def decorated(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return decorated

    def clone(self):
        """Return a mode of the same kind, for one more block."""
        return type(self)()


def decorated_generator(mode, function):
    """Return the generator function with a mode around each of its steps."""
    @wraps(function)
    def decorated(*args, **kwargs):
        generator = function(*args, **kwargs)
        step, argument = generator.send, None
        while True:
            try:
                with mode.clone():
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
        if not isinstance(mode, bool):
            raise TypeError(NOT_A_BOOL.format("set_grad_enabled", type_name(mode)))
        self.mode = self.records = mode
        super().__enter__()

    def __enter__(self):
        local.state.set_grad_enabled(self.mode)

    def __call__(self, function):
        self.__exit__()     # it was switched too early for a decorator
        return super().__call__(function)

    def clone(self):
        return type(self)(self.mode)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class inference_mode(Mode):
    """Do not record, and make tensors that can never become part of a graph.

    >>> with torch.inference_mode():    # inference_mode(False) switches the mode off
    ...     y = x * 2                   # y.is_inference() is True
    """

    before = None           # while a block is open: the two switches before it

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        state, replaced = local.state, self.before
        self.before = state.grad_enabled, state.inference
        state.set_grad_enabled(not self.mode)
        state.set_inference(self.mode)
        # In PyTorch an open block of the same object ends here, after the switch.
        restore(replaced)

    def __exit__(self, *error):
        restore(self.before)
        self.before = None

    def clone(self):
        return type(self)(self.mode)


def restore(switches):
    """Set (recording, inference) as they were before a block; None leaves them."""
    if switches is not None:
        grad_enabled, inference = switches
        local.state.set_grad_enabled(grad_enabled)
        local.state.set_inference(inference)


FUNCTIONS_ONLY = "enable_grad inference_mode no_grad set_grad_enabled"
