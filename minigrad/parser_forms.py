"""One form of a function, as its signature writes it: whether arguments fit, and what is said if not."""
from __future__ import annotations

from numbers import Number

import numpy as np

from . import dtypes
from .messages import type_name
from .tensor import Tensor

# How messages call the types of the signatures.
SPELLED = {"Tensors": "tuple of Tensors", "ints": "tuple of ints", "floats": "tuple of floats",
           "dtype": "torch.dtype", "layout": "torch.layout", "device": "torch.device",
           "memory_format": "torch.memory_format", "Generator": "torch.Generator",
           "Storage": "torch.Storage"}
NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
NUMBERS_AS_TENSORS = {"add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide",
                      "floor_divide", "copy"}


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
        self.function, self.parameters, keyword_only = function.removeprefix("_VF."), [], False
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
                and is_listed_int(args[0]))

    def unreadable(self, args, kwargs):
        """The TypeError for a list of numbers in which another thing than the first is at fault."""
        for i, parameter in enumerate(self.parameters):
            value = args[i] if i < len(args) else kwargs.get(parameter.name)
            if self.listed(args):
                value = args
            if parameter.kind == "ints" and isinstance(value, (tuple, list)):
                for place, item in enumerate(value):
                    if not is_listed_int(item):
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
        if parameter.kind == "Tensors" and fit is not False:
            place = self.parameters.index(parameter)
            refusal = TypeError(f"expected Tensor as element {fit} in argument {place}, but got "
                                f"{type_name(value[fit])}")
            refusal.at_once = True          # no other form is tried
            return refusal
        if fit is False or position is None:
            return TypeError(f"{start}not {type_name(value)}")
        return TypeError(f"{start}but found element of type {type_name(value[fit])} at pos {fit}")

    def wrong_name(self, kwargs, positional):
        names = [p.name for p in self.parameters]
        for key in kwargs:
            if key not in names:
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
            return single and is_listed_int(value)
        fit = {"ints": is_listed_int, "floats": is_number, "Tensors": lambda x: isinstance(x, Tensor)}[kind]
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


def is_listed_int(value):
    """In a list a tensor of one element counts as its element, whatever its shape."""
    return is_int(value) or (isinstance(value, Tensor) and value._array.size == 1
                             and value._array.dtype.kind in "iu" and not value.requires_grad)


def is_scalar_tensor(value):
    return isinstance(value, Tensor) and not value._array.ndim and not value.requires_grad
