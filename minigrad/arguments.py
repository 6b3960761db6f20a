"""Functions and methods whose errors about arguments are PyTorch's.

A call runs as it is; only where it fails, with Python's words or NumPy's, does `explain` (``parser.py``,
loaded then) look at the arguments as PyTorch's parser does before a call.
"""
from __future__ import annotations


def function_form(method, name=None):
    """The function ``torch.<name>`` of a method: the tensor is its first argument, and counts as one."""
    name = name or method.__name__
    several = method.__code__.co_flags & 4      # inspect.CO_VARARGS: it takes ``*args``

    def function(*args, **kwargs):
        try:
            if "input" in kwargs and not args:
                options = dict(kwargs)
                return method(options.pop("input"), **options)
            if several and len(args) > 1 and type(args[1]) is int:
                refusal = explain(name, args, kwargs)       # only methods take a list as x.flip(0, 1)
                if refusal:
                    raise refusal
            return method(*args, **kwargs)
        except Exception as error:
            raise in_words(error, name, args, kwargs) from None
    return like(method, function, name)


def method_form(method, name=None):
    """The method itself, with PyTorch's errors for arguments that do not fit."""
    name = name or method.__name__

    def call(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        except Exception as error:
            refusal = explain(name, args, kwargs, True)
            if refusal is None:
                histories_first(name, args)
            raise refusal or error from None
    return like(method, call, name)


def like(original, wrapper, name):
    """What functools.wraps does, quicker: some hundreds are made when minigrad is imported."""
    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__, wrapper.__module__, wrapper.__wrapped__ = original.__doc__, original.__module__, original
    return wrapper


def handing_on(native, names):
    """For a function that is written in Python in PyTorch, too: `names` of its arguments, in this order, are
    handed to the function `native`, which then objects to their types; ``name=`` as keywords."""
    def decorate(function):
        def call(*args, **kwargs):
            try:
                return function(*args, **kwargs)
            except ValueError:              # of Python's own checks, which come before
                raise
            except Exception as error:
                given = bound(function, args, kwargs)
                if given is None:
                    raise
                handed = tuple([given[name] for name in names.split() if name in given])
                named = {name: given[name] for name in names.replace("=", "").split() if name + "=" in names}
                raise explain(native + "_" * bool(given.get("inplace")), handed, named) or error from None
        return like(function, call, function.__name__)
    return decorate


def bound(function, args, kwargs):
    """{parameter: value} of a call; None if Python itself refuses it."""
    from inspect import signature
    try:
        given = signature(function).bind(*args, **kwargs)
    except TypeError:
        return None
    given.apply_defaults()
    return given.arguments


def in_words(error, name, args, kwargs):
    """The error for a function's arguments: the parser's, or what the operation itself had to say."""
    explained = explain(name, args, kwargs)
    if explained is not None:
        return explained
    histories_first(name, args)
    if type(error) is AttributeError and args and not hasattr(args[0], "_array") and name not in PYTHONS:
        error = argument_must_be(name, "input", 0, args[0])
    text = getattr(error, "in_function", None)
    if text is not None:
        error.args = (text,)
    return error


def histories_first(name, args):
    """PyTorch asks the operands of an operation for their histories before it looks at them more closely; so
    a stale view that may not be taken again speaks first.  What is made of several operations looks first,
    and so does what writes."""
    if name in COMPOSITE or name[-1] == "_":
        return
    from .autograd.operations import ask_for_histories
    for value in args:
        ask_for_histories(value if isinstance(value, (list, tuple)) else (value,))


COMPOSITE = frozenset("""
addr all allclose any argmax argmin atleast_1d atleast_2d atleast_3d broadcast_tensors broadcast_to chunk
column_stack cosine_similarity cross_entropy diff dsplit dstack einsum expand_as flatten hsplit inner
isclose kron linear matmul meshgrid moveaxis movedim narrow outer ravel reshape_as swapaxes swapdims
take_along_dim tensor_split tensordot tile trapezoid unflatten vsplit vstack
""".split())


# Functions that PyTorch wrote in Python, which ask their tensors for attributes before any parser sees them.
PYTHONS = "norm", "split", "tensordot"


def explain(name, args, kwargs, method=False):
    """The TypeError of PyTorch's parser for these arguments; None if it would take them.

    `method`: the first argument is the tensor whose method was called, and does not count.
    """
    return None
