"""Three tensors at once: ``addcmul``, ``addcdiv`` and ``lerp``."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import elementwise_layout
from ..messages import argument_must_be, counts_arguments, invalid_combination
from ..tensor import Tensor
from .arithmetic import minus, over
from .operands import alike, float_only, not_bool, warn_of_old_order

GRADIENT_FIRST = True       # see Operation.gradient_first


@differentiable("AddcmulBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
                tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))
def _addcmul(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = alike(self, tensor1, tensor2)
    not_bool(self, "addcmul_cpu_out")
    product = tensor1 * tensor2 if value == 1 else np.asarray(value).astype(self.dtype) * tensor1 * tensor2
    return elementwise_layout(self + product, self, tensor1, tensor2)


@differentiable("AddcdivBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * over(value, tensor2),
                tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)))
def _addcdiv(self, tensor1, tensor2, value):
    if tensor1.dtype.kind != "f" and tensor2.dtype.kind != "f":
        raise RuntimeError(ADDCDIV_OF_INTEGERS)
    self, tensor1, tensor2 = alike(self, tensor1, tensor2)
    quotient = (tensor1 if value == 1 else np.asarray(value, self.dtype) * tensor1) / tensor2
    return elementwise_layout(self + quotient, self, tensor1, tensor2)


ADDCDIV_OF_INTEGERS = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
    "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + "
    "value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * "
    "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: "
    "(input + value * tensor1 / tensor2), for all dtypes.")


@counts_arguments
def addcmul(self, tensor1, tensor2, *more, value=1):
    """self + value * tensor1 * tensor2, broadcast."""
    return _addcmul(self, *three("addcmul", tensor1, tensor2, more, value))


@counts_arguments
def addcdiv(self, tensor1, tensor2, *more, value=1):
    """self + value * tensor1 / tensor2, broadcast."""
    return _addcdiv(self, *three("addcdiv", tensor1, tensor2, more, value))


def three(name, tensor1, tensor2, more, value):
    """(tensor1, tensor2, value), also from the old order ``x.addcmul(value, tensor1, tensor2)``."""
    if more and isinstance(tensor1, dtypes.NUMBERS):
        warn_of_old_order(f"{name}(Number value, Tensor tensor1, Tensor tensor2)",
                          f"{name}(Tensor tensor1, Tensor tensor2, *, Number value = 1)")
        tensor1, tensor2, value = tensor2, more[0], tensor1
    elif more:
        raise TypeError(f"{name}() takes 2 positional arguments but {2 + len(more)} were given")
    for i, tensor in enumerate((tensor1, tensor2), 1):
        if not isinstance(tensor, Tensor):
            raise argument_must_be(name, f"tensor{i}", i, tensor)
    return tensor1, tensor2, value


@differentiable("LerpBackward0",
                self=lambda grad, weight: grad * (1 - weight),
                end=lambda grad, weight: grad * weight)
def _lerp(self, end, weight):
    check_lerp(self, end, "end")
    float_only(self, "lerp_kernel_scalar")
    return elementwise_layout(_between(self, end, np.asarray(weight, self.dtype)), self, end)


@differentiable("LerpBackward1",
                self=lambda grad, weight: grad * minus(1, weight),
                end=lambda grad, weight: grad * weight,
                weight=lambda grad, self, end: grad * (end - self))
def _lerp_tensor(self, end, weight):
    check_lerp(self, end, "end")
    if weight.ndim:
        check_lerp(self, weight, "weight")
    self, end, weight = alike(self, end, weight)
    float_only(self, "lerp_kernel_tensor")
    return elementwise_layout(_between(self, end, weight), self, end, weight)


def _between(start, end, weight):
    # from whichever end is nearer, so that weight 1 gives exactly `end`
    result = np.where(np.abs(weight) < 0.5, start + weight * (end - start),
                      end - (end - start) * (1 - weight))
    return elementwise_layout(result, start, end, weight)


def check_lerp(self, other, name):
    if other.dtype != self.dtype:
        raise RuntimeError(f"expected dtype {dtypes.cpp_name(self.dtype)} for `{name}` but got dtype "
                           f"{dtypes.cpp_name(other.dtype)}")


LERP_SIGNATURES = ("Tensor end, Tensor weight", "Tensor end, Number weight")


@counts_arguments
def lerp(self, end, weight):
    """Between self (weight 0) and `end` (weight 1); the weight is a number or a tensor."""
    if not isinstance(end, Tensor) or not isinstance(weight, (Tensor, *dtypes.NUMBERS)):
        raise invalid_combination("lerp", LERP_SIGNATURES, self, end, weight)
    return _lerp_tensor(self, end, weight) if isinstance(weight, Tensor) else _lerp(self, end, weight)


_write_addcmul, _write_addcdiv = in_place(_addcmul), in_place(_addcdiv)
_write_lerp, _write_lerp_tensor = in_place(_lerp), in_place(_lerp_tensor)


def addcmul_(self, tensor1, tensor2, *more, value=1):
    """`addcmul`, written over self."""
    return _write_addcmul(self, *three("addcmul_", tensor1, tensor2, more, value))


def addcdiv_(self, tensor1, tensor2, *more, value=1):
    """`addcdiv`, written over self."""
    return _write_addcdiv(self, *three("addcdiv_", tensor1, tensor2, more, value))


def lerp_(self, end, weight):
    """`lerp`, written over self."""
    check_lerp(self._array, end._array, "end")      # before the dtypes are made alike
    return (_write_lerp_tensor if isinstance(weight, Tensor) else _write_lerp)(self, end, weight)


METHODS = "addcmul addcdiv lerp"
METHODS_ONLY = "addcmul_ addcdiv_ lerp_"
