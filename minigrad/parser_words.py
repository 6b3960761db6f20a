"""What PyTorch says where none of a function's forms fits: all of them, and what is wrong with each."""
from __future__ import annotations

from .messages import type_in_full, type_name


def no_form_fits(name, forms, args, kwargs):
    got = listed([type_name(a) for a in args], [f"{k}={type_name(kwargs[k])}" for k in in_hash_order(kwargs)])
    name = name.removeprefix("_VF.")
    start = f"{name}() received an invalid combination of arguments - got {got}, but expected"
    if len(forms) == 1:
        unknown = unknown_names(items_of(forms[0]), kwargs)
        if unknown:
            return TypeError(start.partition("got ")[0] + "got unrecognized keyword arguments: "
                             + ", ".join(unknown))
        return TypeError(f"{start} {forms[0]}")
    lines = "".join([f" * {form}\n{why_not(form, args, kwargs)}" for form in forms])
    return TypeError(f"{start} one of:\n{lines}")


def in_hash_order(kwargs):
    """PyTorch keeps the names in a hash table, where the last comes first."""
    return reversed(kwargs)


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
    return [key for key in in_hash_order(kwargs) if key not in names[max(len(names) - len(kwargs), 0):]]

