"""``Variable``, the name that tensors with a gradient had before 2018: calling it gives a tensor."""
from __future__ import annotations

import warnings

import numpy as np

from ..errors import type_name
from ..state import local
from ..tensor import ONLY_FLOATS, Tensor, wrap

VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


class VariableMeta(type):
    """Every tensor counts as an instance of `Variable`."""

    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data=None, requires_grad=False, volatile=False, _grad_fn=None, name=None, **others):
        for unknown in others:
            raise TypeError(f"'{unknown}' is an invalid keyword argument for this function")
        if volatile:
            warnings.warn(VOLATILE, UserWarning, stacklevel=2)
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        made = wrap(np.zeros(0, np.float32) if data is None else data._array)
        if data is not None:
            made._counter = data._get_counter()
        if requires_grad:
            made._set_requires_grad(True, ONLY_FLOATS)
        if name is not None:
            made._get_extra().name = name
        return made


class Variable(metaclass=VariableMeta):
    """``Variable(t)`` is ``t.detach()``, and ``Variable(t, requires_grad=True)`` a leaf with a gradient."""


def variable(*args, **kwargs):
    """The lower-case form went even earlier.

    Raises:
        RuntimeError: always; it says what to call instead.
    """
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")


class ExecutionEngine:
    """``Variable._execution_engine``: the few things that programs ask of PyTorch's engine directly."""

    @staticmethod
    def queue_callback(callback):
        """Call `callback()` when the pass that is under way has ended.

        Raises:
            RuntimeError: there is none.
        """
        if local.state.current_pass is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        local.state.current_pass.final_callbacks.append(callback)


Variable._execution_engine = ExecutionEngine()

VariableMeta.__module__ = Variable.__module__ = "torch.autograd.variable"
