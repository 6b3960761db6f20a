"""The names a package offers: those it defines, those loaded on demand, and no others.

What no chapter needs is defined in `minigrad.more`, whose modules are imported when
one of their names is first used: importing minigrad stays quick, and the code that a
reader follows stays short.  A name that exists nowhere is answered with one sentence.
"""
import sys
from functools import cache
from importlib import import_module

MINIGRAD = __name__.partition(".")[0]
COVERS = "It covers what the book needs; see docs/vocabulary.md"


def offer_names(package, names, submodules=(), load=None):
    """Return the ``__getattr__`` and the ``__dir__`` of a package.

    names: what the package defines itself; submodules: what is imported on demand;
    load(package, name): returns anything else, or None, in place of `from_more`.
    """
    def get(name):
        if name in submodules:
            return import_module(f"{package}.{name}")
        found = (load or from_more)(package, name)
        if found is None:
            raise absent(package, name, list_names())
        setattr(sys.modules[package], name, found)
        return found

    def list_names():
        return sorted({*names, *submodules, *more_names(package)})

    return get, list_names


def from_more(package, name):
    """Return what `minigrad.more` offers under a name; None if it offers nothing."""
    module = more_module(package, name)
    return None if module is None else getattr(module, name)


def more_module(owner, name):
    """Import the module of `minigrad.more` that offers a name; None if none does.

    owner: who was asked for the name, such as "minigrad.nn" or "minigrad.Tensor":
    ``more_module("minigrad.Tensor", "sort")`` is the module minigrad.more.sorting.
    """
    more = import_module(f"{MINIGRAD}.more")
    module = more.find_module(owner.partition(".")[2], name)
    return None if module is None else import_module(f"{MINIGRAD}.{module}")


def more_names(owner):
    """Return the names that `minigrad.more` adds to an owner."""
    more = import_module(f"{MINIGRAD}.more")
    return more.list_names(owner.partition(".")[2])


def absent(owner, name, known=()):
    """Return the error for a name that an owner, such as "minigrad.nn", doesn't have.

    A name that PyTorch has is no typing error, and a near name would mean something
    else: the sentence then offers an expression that is equal, if there is one.
    Otherwise it offers the nearest of the `known` names.
    """
    message = f"{owner} has no {name!r}. {COVERS}"
    if not name.startswith("_"):
        message += advice(owner.partition(".")[2], name, known)
    # Python would append a guess of its own if it knew the object; None has no names.
    return AttributeError(message, name=name, obj=None)


def advice(place, name, known):
    """Return what the sentence about an absent name adds; perhaps nothing."""
    pytorch = import_module(f"{MINIGRAD}.more.pytorch_names")
    names = pytorch.names_of_pytorch(place)
    if name in names:
        equal = pytorch.equal_expression(place, name)
        return ". For {}, write: {}".format(*equal) if equal else ""
    guess = closest(name, (*known, *names))
    # What is nearer to a name that is absent, too, means that one.
    return f". Did you mean: {guess!r}?" if guess in known else ""


def absent_names(owner):
    """Return the names that PyTorch's class `owner` has and minigrad's doesn't."""
    return import_module(f"{MINIGRAD}.more").ABSENT[owner]


@cache      # a program may ask each of its tensors for the same name
def closest(name, known):
    """Return the known name that `name` may be meant for, or None."""
    if name.startswith("_"):
        return None
    difflib = import_module("difflib")      # slow to load
    return next(iter(difflib.get_close_matches(name, known, 1, 0.8)), None)


def absent_option(function, option):
    """Return the error for an option of PyTorch's that a function doesn't have here."""
    message = f"{MINIGRAD}'s {function}() has no {option!r}. {COVERS}"
    if option == "out":
        message += f". Assign the result: out = {function}(...)"
    return TypeError(message)
