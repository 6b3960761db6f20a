"""``torch.save`` and ``torch.load``: tensors, and what is made of them, in a file.

The files are pickles of this package; PyTorch's own, which are zip archives, are not read.
"""
from __future__ import annotations

import os
import pickle

from .messages import is_ours, public_module
from .placement import check_device

# What `load` may build unless it is told to trust the file: containers, and the parts of a tensor's pickle.
SAFE = {
    "collections": {"OrderedDict", "Counter"}, "builtins": {"set", "frozenset", "bytearray"},
    "_codecs": {"encode"}, "numpy": {"ndarray", "dtype"}, "numpy._core.multiarray": {"_reconstruct"},
    "numpy.core.multiarray": {"_reconstruct"}, "numpy._core.numeric": {"_frombuffer"},
    "numpy.core.numeric": {"_frombuffer"}}
SAFE_HERE = {
    "": {"Tensor", "device", "layout", "memory_format"}, "copying": {"unpickled"}, "size": {"Size"},
    "dtypes": None, "nn.parameter": {"Parameter", "rebuilt_parameter"}, "placement": None}

REFUSED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those "
    "steps only if you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the "
    "default value of the `weights_only` argument in `torch.load` from `False` to `True`. Re-running "
    "`torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary "
    "code execution. Do it only if you got the file from a trusted source.\n\t(2) Alternatively, to load "
    "with `weights_only=True` please check the recommended steps in the following error message.\n\t"
    "WeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{0}])` or the `torch.serialization.safe_globals([{0}])` context "
    "manager to allowlist this global if you trust this class/function.\n\nCheck the documentation of "
    "torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html.")


def save(obj, f, pickle_module=pickle, pickle_protocol=pickle.HIGHEST_PROTOCOL,
         _use_new_zipfile_serialization=True):
    """Write an object to a file: its name, or an object with ``write``.

    What shares memory shares it again after `load`; history, gradients and hooks are left out.
    """
    if hasattr(f, "write"):
        pickle_module.dump(obj, f, protocol=pickle_protocol)
        return
    folder = os.path.dirname(os.fspath(f))
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    with open(f, "wb") as file:
        pickle_module.dump(obj, file, protocol=pickle_protocol)


def load(f, map_location=None, pickle_module=pickle, *, weights_only=None, mmap=None):
    """Read what `save` wrote.

    weights_only: build nothing but tensors and plain containers; False trusts the file to run any code.

    Raises:
        UnpicklingError: the file holds something else, and is not trusted.
    """
    if isinstance(map_location, str) or hasattr(map_location, "type"):
        check_device(map_location, "load")
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return load(file, map_location, pickle_module, weights_only=weights_only)
    if weights_only is False or weights_only is None and pickle_module is not pickle:
        return pickle_module.load(f)
    return WeightsUnpickler(f).load()


class WeightsUnpickler(pickle.Unpickler):
    """Reads what is known to be harmless, and refuses the rest."""

    def find_class(self, module, name):
        inside = is_ours(module)
        known = SAFE_HERE if inside else SAFE
        place = module.partition(".")[2] if inside else module
        if place in known and (known[place] is None or name in known[place]):
            return super().find_class(module, name)
        shown = public_module(module)
        if (shown, name) in _trusted:
            return _trusted[shown, name]
        raise pickle.UnpicklingError(REFUSED.format(f"{shown}.{name}"))


# --- classes that a program trusts --------------------------------------------------------------------------

_trusted = {}


def add_safe_globals(safe_globals):
    """Let `load` build these classes, or call these functions, from now on."""
    _trusted.update(by_name(safe_globals))


class safe_globals:
    """The same for the length of a ``with`` block."""

    def __init__(self, safe_globals):
        self.wanted = by_name(safe_globals)

    def __enter__(self):
        self.before = dict(_trusted)
        _trusted.update(self.wanted)

    def __exit__(self, *exc):
        clear_safe_globals()
        _trusted.update(self.before)


def get_safe_globals():
    """All that was added."""
    return list(_trusted.values())


def clear_safe_globals():
    """Trust none of them any more."""
    _trusted.clear()


def by_name(values):
    return {(public_module(value.__module__), value.__name__): value for value in values}
