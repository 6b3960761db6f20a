"""The bytes of a tensor read as numbers of another dtype: x.view(torch.int32)."""
from __future__ import annotations

from .. import dtypes
from ..memory import element_strides, storage_offset
from ..tensor import wrap_new


def viewed_as(self, dtype):
    """The same bytes read as numbers of another type: no history, but the version counter is shared."""
    array = self._array
    old, new = array.itemsize, dtype.itemsize
    if old != new:
        what = (f"to view {dtypes.short_name(array.dtype)} as {dtypes.short_name(dtype.numpy)} "
                "(different element sizes)")
        check_regrouping(array, new // old, what)
    result = wrap_new(array.view(dtype.numpy))
    result._counter = self._get_counter()
    return result


def check_regrouping(array, ratio, what):
    """Whether `ratio` old numbers can make a new one (0: the old ones are cut up)."""
    if array.ndim == 0:
        raise RuntimeError(f"self.dim() cannot be 0 {what}")
    steps = element_strides(array)
    if steps[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {what}, but got {steps[-1]}")
    if not ratio:
        return
    for name, value in (("size(-1)", array.shape[-1]), ("storage_offset()", storage_offset(array)),
                        *[(f"stride({i})", step) for i, step in enumerate(steps[:-1])]):
        if value % ratio:
            raise RuntimeError(f"self.{name} must be divisible by {ratio} {what}, but got {value}")
