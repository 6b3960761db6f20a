"""Mixtures of three tensors in one operation: addcmul, addcdiv, lerp."""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, cpp_name, in_result_dtype
from ..ops.declaring import (
    check_dtype,
    declare,
    expect_tensors,
    new_zeros,
    times,
    with_in_place_form,
    wrong_type,
)
from ..tensor import Tensor

# --- self + value * a product or a quotient -----------------------------------------


@differentiable(
    "AddcmulBackward0",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * times(tensor2, value),
    tensor2=lambda grad, tensor1, value: grad * times(tensor1, value))
def _addcmul(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = in_result_dtype(self, tensor1, tensor2)
    check_dtype(self, "b", "addcmul_cpu_out")
    return self + np.asarray(value, self.dtype) * tensor1 * tensor2


@differentiable(
    "AddcdivBackward0",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: (
        grad * ((new_zeros(tensor2, ()) + value) / tensor2)),
    tensor2=lambda grad, tensor1, tensor2, value: (
        -grad * (times(tensor1, value) / (tensor2 * tensor2))))
def _addcdiv(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = in_result_dtype(self, tensor1, tensor2)
    check_dtype(self, "biu", "addcdiv_cpu_out")
    return self + value * tensor1 / tensor2


@with_in_place_form
def addcmul(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 * tensor2; all three broadcast."""
    expect_tensors("addcmul", input=self, tensor1=tensor1, tensor2=tensor2)
    return _addcmul, self, tensor1, tensor2, value


@with_in_place_form
def addcdiv(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 / tensor2, of floats; all three broadcast."""
    expect_tensors("addcdiv", input=self, tensor1=tensor1, tensor2=tensor2)
    return _addcdiv, self, tensor1, tensor2, value


# --- between two tensors ------------------------------------------------------------

def _mix(self, end, weight):
    for name, x in (("end", end), ("weight", weight)):
        if getattr(x, "dtype", self.dtype) != self.dtype:
            raise RuntimeError(
                f"expected dtype {cpp_name(self.dtype)} for `{name}` but got dtype "
                f"{cpp_name(x.dtype)}")
    kind = "tensor" if hasattr(weight, "shape") else "scalar"
    check_dtype(self, "biu", f"lerp_kernel_{kind}")
    # Each half begins at the nearer tensor, so that weight 1 gives exactly `end`.
    from_start = self + weight * (end - self)
    from_end = end - (end - self) * (1 - weight)
    return np.where(np.abs(weight) < 0.5, from_start, from_end)


_lerp_by_number = declare(
    "LerpBackward0", _mix,
    self=lambda grad, weight: times(grad, 1 - weight),
    end=lambda grad, weight: times(grad, weight))
_lerp_by_tensor = declare(
    "LerpBackward1", _mix,
    self=lambda grad, weight: grad * (new_zeros(weight, ()) + 1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, self, end: grad * (end - self))


@with_in_place_form
def lerp(self, end, weight):
    """Return self + weight * (end - self): self for weight 0, end for weight 1.

        torch.lerp(torch.tensor([0., 10.]), torch.tensor([1., 20.]), 0.5)
        # tensor([ 0.5000, 15.0000])
    """
    tensors = isinstance(self, Tensor) and isinstance(end, Tensor)
    if tensors and isinstance(weight, Tensor):
        return _lerp_by_tensor, self, end, weight
    if tensors and isinstance(weight, NUMBERS):
        return _lerp_by_number, self, end, weight
    expect_tensors("lerp", input=self, end=end)
    raise wrong_type("lerp", "weight", weight)


IN_PLACE = METHODS = "addcmul addcdiv lerp"
