"""The functions that can be called in several ways, and what PyTorch says to a call that is none of them."""
from __future__ import annotations

from .dtypes import dtype
from .messages import type_in_full
from .nested import class_name

OPTIONS = ("torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool "
           "pin_memory = False, bool requires_grad = False")
OUT = f"Tensor out = None, {OPTIONS}"


def drawn(*arguments):
    """The forms of a random function: each with and without a generator."""
    return [f"{given}, *, {generator}{OUT}" for given in arguments for generator
            in ("torch.Generator generator, ", "")]


def spaced(more=""):
    """The forms of linspace and logspace: both ends may be tensors."""
    return [f"{start} start, {end} end, int steps{more}, *, {OUT}"
            for start, end in (("Tensor", "Tensor"), ("Number", "Tensor"), ("Tensor", "Number"),
                               ("Number", "Number"))]


FORMS = {
    "rand": drawn("tuple of ints size"),
    "randn": drawn("tuple of ints size"),
    "randint": drawn("int high, tuple of ints size", "int low, int high, tuple of ints size"),
    "randperm": drawn("int n"),
    "normal": [*[f"{arguments}, *, torch.Generator generator = None, Tensor out = None" for arguments in (
                   "Tensor mean, Tensor std", "Tensor mean, float std = 1", "float mean, Tensor std")],
               f"float mean, float std, tuple of ints size, *, torch.Generator generator = None, {OUT}"],
    "arange": [f"Number end, *, {OUT}", f"Number start, Number end, *, {OPTIONS}",
               f"Number start, Number end, Number step = 1, *, {OUT}"],
    "linspace": spaced(),
    "logspace": spaced(", float base = 10.0"),
    "eye": [f"int n, *, {OUT}", f"int n, int m, *, {OUT}"],
    "new": ["*, torch.device device = None", "torch.Storage storage", "Tensor other",
            "tuple of ints size, *, torch.device device = None",
            "object data, *, torch.device device = None"],
}


def no_such_form(function, args, **keywords):
    """The TypeError of a call that fits none of the forms; keywords that are None were not given."""
    keywords = {name: value for name, value in keywords.items() if value is not None}
    given = [named(value) for value in args] + [f"{name}={named(value)}" for name, value in keywords.items()]
    lines = []
    for i, form in enumerate(FORMS[function]):
        lines.append(f" * ({form})\n")
        if function == "new" and i in closest(args):
            lines.append(f"      didn't match because {objection(args, keywords)}\n")
    return TypeError(f"{function}() received an invalid combination of arguments - got ({', '.join(given)}), "
                     f"but expected one of:\n{''.join(lines)}")


def named(value):
    return "torch.dtype" if isinstance(value, dtype) else class_name(value)


def closest(args):
    """The forms of ``torch.Tensor(...)`` that PyTorch takes the call for."""
    return (3, 4) if all(type(value) is int for value in args) else (0,)


def objection(args, keywords):
    if keywords:
        return f"some of the keywords were incorrect: {', '.join(keywords)}"
    wrong = ", ".join([f"!{type_in_full(value)}!" for value in args])
    return f"some of the arguments have invalid types: ({wrong})"
