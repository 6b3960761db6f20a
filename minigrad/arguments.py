"""PyTorch's words for arguments that do not fit a function: too few, too many, a wrong name, a wrong type.

Nothing here runs before a call has failed with Python's own words.  Then `explain` reads PyTorch's
signatures of that function (``signatures.py``) and looks at the arguments as PyTorch's parser does.
"""
from __future__ import annotations

from functools import cache
from numbers import Number

import numpy as np

from . import dtypes
from .messages import argument_must_be
from .tensor import Tensor

# How messages call the types of the signatures.
SPELLED = {"Tensors": "tuple of Tensors", "ints": "tuple of ints", "floats": "tuple of floats",
           "dtype": "torch.dtype", "layout": "torch.layout", "device": "torch.device",
           "memory_format": "torch.memory_format", "Generator": "torch.Generator"}
NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
# Functions of any number of tensors; what they were given is looked at as one list.
GATHERING = {"meshgrid", "block_diag", "broadcast_tensors", "cartesian_prod"}
NUMBERS_AS_TENSORS = {"add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide",
                      "floor_divide", "copy"}


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
            raise explain(name, args, kwargs, True) or error from None
    return like(method, call, name)


def like(original, wrapper, name):
    """What functools.wraps does, quicker: some hundreds are made when minigrad is imported."""
    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__, wrapper.__module__, wrapper.__wrapped__ = original.__doc__, original.__module__, original
    return wrapper


def in_words(error, name, args, kwargs):
    """The error for a function's arguments: the parser's, or what the operation itself had to say."""
    explained = explain(name, args, kwargs)
    if explained is not None:
        return explained
    if type(error) is AttributeError and args and not hasattr(args[0], "_array"):
        error = argument_must_be(name, "input", 0, args[0])
    text = getattr(error, "in_function", None)
    if text is not None:
        error.args = (text,)
    return error


def explain(name, args, kwargs, method=False):
    """The TypeError of PyTorch's parser for these arguments; None if it would take them.

    `method`: the first argument is the tensor whose method was called, and does not count.
    """
    forms = forms_of(name, method)
    if not forms or (method and not args):
        return None
    if name in GATHERING and args and not (len(args) == 1 and isinstance(args[0], (list, tuple))):
        args = (args,)
    if method:
        args = args[1:]
        if not forms[0].parameters and len(forms) == 1:
            return takes_nothing(name, args, kwargs)
    for form in forms:
        refusal = form.refusal(args, kwargs)
        if refusal is None:
            return form.unreadable(args, kwargs)
        if len(forms) == 1:
            return refusal
    forms = [form for form in forms if not form.hidden]
    count = len(args) + len(kwargs)
    plausible = [form for form in forms if form.required <= count <= len(form.parameters)]
    if len(plausible) == 1:
        return plausible[0].refusal(args, kwargs)
    return no_form_fits(name, forms, args, kwargs)


def takes_nothing(name, args, kwargs):
    if kwargs:
        return TypeError(f"TensorBase.{name}() takes no keyword arguments")
    return TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)") if args else None


# --- one form of a function ---------------------------------------------------------------------------------

class Parameter:
    """One parameter as the table writes it: ``ints[1]? dim=None``."""

    def __init__(self, text, keyword_only):
        kind, self.name = text.split(" ", 1)
        self.name, _, self.default = self.name.partition("=")
        self.none = kind.endswith("?") or self.default == "None"
        self.kind, _, size = kind.rstrip("?").partition("[")
        self.single = bool(size)            # one number may stand for a list of them
        self.optional = bool(self.default)
        self.keyword_only = keyword_only

    @property
    def type(self):
        return SPELLED.get(self.kind, self.kind)

    def __str__(self):
        return f"{self.type} {self.name}{' = ' * self.optional}{self.default}"

    def given(self, kwargs):
        """The name by which it is given among keyword arguments, or None."""
        for name in (self.name, *NUMPY_NAMES.get(self.name, ())):
            if name in kwargs:
                return name
        return None


class Form:
    """One of the ways to call a function: its parameters, and what PyTorch says if they are not met."""

    def __init__(self, function, text):
        self.function, self.parameters, keyword_only = function, [], False
        self.hidden = text == "~"           # an old form, which messages keep quiet about
        for item in text.split(", ") if text not in ("", "~") else ():
            if item == "*":
                keyword_only = True
            else:
                self.parameters.append(Parameter(item, keyword_only))
        self.positional = len([p for p in self.parameters if not p.keyword_only])
        self.required = len([p for p in self.parameters if not p.optional])

    def __str__(self):
        parts, star = [], False
        for parameter in self.parameters:
            if parameter.keyword_only and not star:
                parts.append("*")
                star = True
            parts.append(str(parameter))
        return f"({', '.join(parts)})"

    def refusal(self, args, kwargs):
        """The TypeError for these arguments; None if they fit."""
        if self.hidden:
            return self.too_many(len(args))
        listed = self.listed(args)
        if len(args) > self.positional and not listed:
            return self.too_many(len(args))
        position, named = 0, len(kwargs)
        for i, parameter in enumerate(self.parameters):
            key = None
            if position < len(args):
                if parameter.keyword_only:
                    return self.too_many(len(args))
                value = args[position]
            else:
                key = parameter.given(kwargs)
                if key is None:
                    if parameter.optional:
                        continue
                    return self.missing(i)
                value = kwargs[key]
            if not (value is None and parameter.none):
                refusal = self.does_not_fit(parameter, value, None if key else position)
                if refusal and listed and not key:
                    position = len(args)
                    continue
                if refusal:
                    return refusal
            if key is None:
                position += 1
            else:
                named -= 1
        return self.wrong_name(kwargs, len(args)) if named > 0 else None

    def listed(self, args):
        """Whether the arguments are the numbers of one list, as in x.view(2, 3)."""
        return (self.positional == 1 and self.parameters[0].kind == "ints" and len(args) > 0
                and is_int(args[0]))

    def unreadable(self, args, kwargs):
        """The TypeError for a list of numbers in which another thing than the first is at fault."""
        for i, parameter in enumerate(self.parameters):
            value = args[i] if i < len(args) else kwargs.get(parameter.name)
            if self.listed(args):
                value = args
            if parameter.kind == "ints" and isinstance(value, (tuple, list)):
                for place, item in enumerate(value):
                    if not is_int(item):
                        return TypeError(
                            f"{self.function}(): argument '{parameter.name}' failed to unpack the object at "
                            f'pos {place + 1} with error "type must be tuple of ints,but got '
                            f'{type_name(item)}"')
        return None

    def too_many(self, given):
        most, least = self.positional, self.required
        if least != most:
            return TypeError(f"{self.function}() takes from {least} to {most} positional arguments but "
                             f"{given} were given")
        return TypeError(f"{self.function}() takes {most} positional argument{'s' * (most != 1)} but {given} "
                         f"{'was' if given == 1 else 'were'} given")

    def missing(self, start):
        names = [f'"{p.name}"' for p in self.parameters[start:] if not p.optional]
        plural = "s" * (len(names) == 1)        # so it is in PyTorch
        return TypeError(f"{self.function}() missing {len(names)} required positional argument{plural}: "
                         f"{', '.join(names)}")

    def does_not_fit(self, parameter, value, position):
        fit = fits(parameter.kind, value, parameter.single, self.function)
        if fit is True:
            return None
        where = "" if position is None else f" (position {position + 1})"
        start = f"{self.function}(): argument '{parameter.name}'{where} must be {parameter.type}, "
        if fit is False or position is None:
            return TypeError(f"{start}not {type_name(value)}")
        if parameter.kind == "Tensors":
            return TypeError(f"expected Tensor as element {fit} in argument {position}, but got "
                             f"{type_name(value[fit])}")
        return TypeError(f"{start}but found element of type {type_name(value[fit])} at pos {fit}")

    def wrong_name(self, kwargs, positional):
        names = [p.name for p in self.parameters]
        for key in kwargs:
            if key not in names:
                if any([key in NUMPY_NAMES.get(name, ()) for name in names]):
                    continue
                return TypeError(f"{self.function}() got an unexpected keyword argument '{key}'")
            if names.index(key) < positional:
                return TypeError(f"{self.function}() got multiple values for argument '{key}'")
        return TypeError("invalid keyword arguments")


def fits(kind, value, single=False, function=None):
    """Whether a value can be an argument of a type; of a list whose items are at fault, the place of one."""
    if kind == "Tensor":
        return isinstance(value, Tensor) or (
            function is not None and function.rstrip("_") in NUMBERS_AS_TENSORS and is_number(value))
    if kind == "Number" or kind == "float":
        return is_number(value) or is_scalar_tensor(value)
    if kind == "int":
        return is_int(value)
    if kind == "bool":
        return isinstance(value, (bool, np.bool_))
    if kind == "ints" or kind == "floats" or kind == "Tensors":
        if not isinstance(value, (tuple, list)):
            return single and is_int(value)
        fit = {"ints": is_int, "floats": is_number, "Tensors": lambda x: isinstance(x, Tensor)}[kind]
        looked_at = value[:1] if kind == "ints" else value      # the first tells, as in PyTorch
        return next((i for i, item in enumerate(looked_at) if not fit(item)), True)
    if kind == "dtype":
        return isinstance(value, dtypes.dtype) or value in (float, int, bool, complex)
    if kind == "str":
        return isinstance(value, str)
    if kind == "device" and isinstance(value, (str, int)):
        return True
    return type(value).__name__ == kind


def is_number(value):
    return isinstance(value, (Number, np.number, np.bool_))


def is_int(value):
    return (isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            or is_scalar_tensor(value) and value._array.dtype.kind in "iu")


def is_scalar_tensor(value):
    return isinstance(value, Tensor) and not value._array.ndim and not value.requires_grad


def type_name(value):
    """How messages write the type of an argument."""
    kind = type(value)
    module = kind.__module__
    if module == "numpy" or kind in (dtypes.dtype,):
        return f"{'numpy' if module == 'numpy' else 'torch'}.{kind.__name__}"
    return kind.__name__


# --- no form fits -------------------------------------------------------------------------------------------

def no_form_fits(name, forms, args, kwargs):
    got = listed([type_name(a) for a in args], [f"{k}={type_name(v)}" for k, v in kwargs.items()])
    start = f"{name}() received an invalid combination of arguments - got {got}, but expected"
    if len(forms) == 1:
        unknown = unknown_names(items_of(forms[0]), kwargs)
        if unknown:
            return TypeError(start.partition("got ")[0] + "got unrecognized keyword arguments: "
                             + ", ".join(unknown))
        return TypeError(f"{start} {forms[0]}")
    lines = "".join([f" * {form}\n{why_not(form, args, kwargs)}" for form in forms])
    return TypeError(f"{start} one of:\n{lines}")


def listed(positional, named):
    """``(int, dim=int, )``: the comma that is left when nothing stands first is PyTorch's."""
    return f"({', '.join([*positional, *named])}{', ' * (not positional and bool(named))})"


def why_not(form, args, kwargs):
    """The line below a form that takes as many arguments as were given (its ``*`` counted as one, as in
    PyTorch): which names it does not have, or which types are wrong."""
    items = items_of(form)
    if len(items) != len(args) + len(kwargs):
        return ""
    names = [item.rpartition(" ")[2] for item in items]
    unknown = unknown_names(items, kwargs)
    if unknown:
        return f"      didn't match because some of the keywords were incorrect: {', '.join(unknown)}\n"
    marked = []
    for i, item in enumerate(items):
        value = args[i] if i < len(args) else kwargs[names[i]]
        text = ("" if i < len(args) else f"{names[i]}=") + type_in_full(value)
        marked.append(text if item.rpartition(" ")[0] == type_name(value) else f"!{text}!")
    described = listed(marked[:len(args)], marked[len(args):])
    return f"      didn't match because some of the arguments have invalid types: {described}\n"


def items_of(form):
    return str(form)[1:-1].split(", ")


def unknown_names(items, kwargs):
    names = [item.rpartition(" ")[2] for item in items]
    return [key for key in kwargs if key not in names[max(len(names) - len(kwargs), 0):]]


def type_in_full(value):
    if isinstance(value, list):
        return f"list of [{', '.join(map(type_name, value))}]"
    if isinstance(value, tuple):
        return f"tuple of ({', '.join(map(type_name, value))}{',' * (len(value) == 1)})"
    return type_name(value)


# --- the table ----------------------------------------------------------------------------------------------

@cache
def forms_of(name, method):
    from .signatures import METHODS, OPTIONS, TABLE
    table = read(TABLE)
    text = read(METHODS).get(name) if method else None
    if text is None:
        text = table.get(name)
        if text is None and method:
            text = read(METHODS).get(name.removesuffix("_")) or table.get(name.removesuffix("_"))
        if text is None:
            return ()
        if method:
            text = [as_method(form) for form in text if takes_self(form) or form == "~"]
    return [Form(name, written_out(form, OPTIONS)) for form in text]


@cache
def read(table):
    """{name: its forms}."""
    rows = {}
    for line in table.replace("\n    ", " ").strip("\n").split("\n"):
        names, _, forms = line.partition(":")
        rows.update(dict.fromkeys(names.split(), [form.strip() for form in forms.split(";")]))
    return rows


def takes_self(form):
    return form.startswith(".") or "Tensor input" in form


def as_method(form):
    """A function's form without its tensor and its `out`."""
    items = [item for item in form.split(", ") if item not in (".", "Tensor input", "OUT", "OUTS2", "OUTS3")]
    return ", ".join(items[:-1] if items[-1:] == ["*"] else items)


def written_out(form, options):
    for short, full in ((".", "Tensor input"), ("OUT", "Tensor out=None"), ("OUTS2", "Tensors[2] out=None"),
                        ("OUTS3", "Tensors[3] out=None"), ("OPTIONS", options)):
        form = ", ".join([full if item == short else item for item in form.split(", ")])
    return form
