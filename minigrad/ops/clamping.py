"""Numbers kept between bounds: ``clamp`` and its one-sided forms."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.accumulate import gradient_edge
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..autograd.operations import without_tensors
from ..memory import OVERLAPS_ITSELF, cast_in_place, elementwise_layout
from ..messages import counts_arguments, invalid_combination, not_implemented_for
from ..tensor import Tensor
from .comparison import logical_and, logical_or, where
from .pairs import of_two_tensors


@differentiable("ClampBackward1", self=lambda grad, self, min, max: where(_inside(self, min, max), grad, 0.0))
def _clamp(self, min, max):
    if self.dtype.kind == "f":
        return _limited(self, *[v if v is None else dtypes.with_number(self, v)[1] for v in (min, max)])
    kind = dtypes.result_dtype(self, *[v for v in (min, max) if v is not None])
    bounds = [v if v is None else np.asarray(v, kind) for v in (min, max)]
    return _limited(self.astype(kind, copy=False), *bounds)


def _inside(self, min, max):
    if max is None:
        return self >= min
    return self <= max if min is None else logical_and(self >= min, self <= max)


def _limited(self, min, max):
    if min is not None:
        self = np.maximum(min, self)        # in this order -0. stays, as in PyTorch
    return self if max is None else np.minimum(max, self)


@differentiable("ClampBackward0",
                self=lambda grad, self, min, max: where(_inside(self, min, max), grad, 0.0),
                min=lambda grad, self, min, max: where(_below(self, min, max), grad, 0.0),
                max=lambda grad, self, min, max: where(_above(self, min, max), grad, 0.0))
def _clamp_tensors(self, min, max):
    kind = dtypes.result_dtype(self, *[v for v in (min, max) if v is not None])
    if kind.kind == "b" and min is not None and max is not None:
        raise not_implemented_for("clamp_cpu", kind)
    bounds = [v if v is None else cast_in_place(v, kind) for v in (min, max)]
    return elementwise_layout(_limited(self.astype(kind, copy=False), *bounds), self,
                              *[v for v in bounds if v is not None])


def _below(self, min, max):
    return self < min if max is None else logical_and(self < min, min < max)


def _above(self, min, max):
    return self > max if min is None else logical_or(self > max, max < min)


@differentiable("ClampMinBackward0", self=lambda grad, self, min: where(self >= min, grad, 0.0))
def _clamp_min(self, min):
    return np.maximum(*dtypes.with_number(self, min))


@differentiable("ClampMinBackward1",
                self=lambda grad, self, min: where(self >= min, grad, 0.0),
                min=lambda grad, self, min: where(self < min, grad, 0.0))
def _clamp_min_tensor(self, min):
    """The larger of self and `min`, a number or a tensor."""
    return np.maximum(self, min)


@differentiable("ClampMaxBackward0", self=lambda grad, self, max: where(self <= max, grad, 0.0))
def _clamp_max(self, max):
    return np.minimum(*dtypes.with_number(self, max))


@differentiable("ClampMaxBackward1",
                self=lambda grad, self, max: where(self <= max, grad, 0.0),
                max=lambda grad, self, max: where(self > max, grad, 0.0))
def _clamp_max_tensor(self, max):
    """The smaller of self and `max`, a number or a tensor."""
    return np.minimum(self, max)


CLAMP_SIGNATURES = ("Tensor min = None, Tensor max = None", "Number min = None, Number max = None")


def _choose_clamp(name, of_numbers, of_tensors, self, min, max):
    if min is None and max is None:
        gradient_edge(self)             # the history is looked at first, and may object
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    given = [v for v in (min, max) if v is not None]
    if not all(isinstance(v, Tensor) for v in given):       # beside a number, a 0-d tensor is one, too
        min, max = without_tensors((min, max)) or (min, max)
        given = [v for v in (min, max) if v is not None]
    if all(isinstance(v, dtypes.NUMBERS) for v in given) and isinstance(self, Tensor):
        return of_numbers(self, min, max)
    if all(isinstance(v, Tensor) for v in given) and isinstance(self, Tensor):
        return of_tensors(self, min, max)
    raise invalid_combination(name, CLAMP_SIGNATURES, self, *given)


@counts_arguments
def clamp(self, min=None, max=None):
    """Every element moved into [min, max], two numbers or two tensors; nan stays.

    The gradient passes where the element was inside, the bounds included.
    """
    return _choose_clamp("clamp", _clamp, _clamp_tensors, self, min, max)


def clamp_(self, min=None, max=None):
    """`clamp`, written over self."""
    return _choose_clamp("clamp_", _write_clamp, _write_clamp_tensors, self, min, max)


def clamping_in_place(function):
    """The in-place form of a function of numbers, which says in C++'s words to which dtype it cannot cast."""
    write = in_place(function)

    def call(self, *bounds):
        try:
            return write(self, *bounds)
        except RuntimeError as error:
            kind = self._array.dtype
            result = dtypes.result_dtype(self._array, *[v for v in bounds if v is not None])
            if str(error) == OVERLAPS_ITSELF and not dtypes.can_cast(result, kind):
                raise RuntimeError(f"result type {dtypes.short_name(result)} can't be cast to the desired "
                                   f"output type {dtypes.cpp_name(kind)}") from None
            error.args = (str(error).replace(f"output type {dtypes.short_name(kind)}",
                                             f"output type {dtypes.cpp_name(kind)}"),)
            raise
    return call


_write_clamp, _write_clamp_tensors = clamping_in_place(_clamp), in_place(_clamp_tensors)


clamp_min, clamp_min_ = of_two_tensors("clamp_min", _clamp_min_tensor, _clamp_min, "min", clamping_in_place)
clamp_max, clamp_max_ = of_two_tensors("clamp_max", _clamp_max_tensor, _clamp_max, "max", clamping_in_place)
clip, clip_ = clamp, clamp_

METHODS = "clamp clip clamp_min clamp_max"
METHODS_ONLY = "clamp_ clip_ clamp_min_ clamp_max_"
