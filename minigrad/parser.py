"""PyTorch's argument parser: what is wrong with the arguments of a call, in its words.

Loaded when a call has failed.  `explain` reads the forms of the function (``signatures.py``), looks at the
arguments as PyTorch does before it computes anything, and gives the TypeError, if it would have raised one.
"""
from __future__ import annotations

from functools import cache

from .parser_forms import Form
from .parser_words import no_form_fits

# Functions of any number of tensors; what they were given is looked at as one list.
GATHERING = {"meshgrid", "block_diag", "broadcast_tensors", "cartesian_prod"}


def explain(name, args, kwargs, method=False):
    """The TypeError of PyTorch's parser for these arguments; None if it would take them.

    `method`: the first argument is the tensor whose method was called, and does not count.
    """
    forms, name = forms_of(name, method), name.removeprefix("_VF.")
    if not forms or (method and not args):
        return None
    if name.startswith("atleast_") and len(args) > 1:
        args = (args,)
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
        if len(forms) == 1 or getattr(refusal, "at_once", False):
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
