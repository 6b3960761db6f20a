"""A tensor that a module trains: assigned to a module's attribute, it is found by ``module.parameters()``."""
from __future__ import annotations

import numpy as np

from ..autograd.grad_mode import no_grad
from ..memory import copy_in_order
from ..tensor import Tensor, wrap


class TensorKind(type(Tensor)):
    """Lets a tensor of a subclass of one's own count as a `Parameter`, if it was made one."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls.mark is not None and isinstance(instance, Tensor) and getattr(instance, cls.mark, False)


class Parameter(Tensor, metaclass=TensorKind):
    """A leaf around the memory of `data`, which requires a gradient unless told otherwise.

    Raises:
        RuntimeError: `data` holds integers (pass ``requires_grad=False``).
    """

    mark = "_is_param"
    _is_plain = True            # printed as a tensor, unlike subclasses
    _is_plain_result = True     # what is computed from it is a plain tensor, in subclasses too

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = wrap(np.zeros(0, np.float32))
        if type(data) is Tensor or isinstance(data, cls) and type(data) is cls:
            return Tensor._make_subclass(cls, data, requires_grad)
        made = data.detach().requires_grad_(requires_grad)      # a subclass of one's own keeps its class
        made._is_param = True
        return made


    def __repr__(self):
        text = super().__repr__()
        return f"Parameter containing:\n{text if type(self) is Parameter else f'Parameter({text})'}"


class Buffer(Tensor, metaclass=TensorKind):
    """A tensor of a module's state that is not trained: assigned to an attribute, it becomes a buffer."""

    mark = "_is_buffer"
    _is_plain_result = True

    def __new__(cls, data=None, *, persistent=True):
        data = wrap(np.zeros(0, np.float32)) if data is None else data
        made = data.detach()
        made.requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


__all__ = ["Buffer", "Parameter"]
