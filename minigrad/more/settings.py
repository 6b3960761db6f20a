"""What a program asks for or chooses: dtypes of floats and results, anomaly mode."""
from .. import dtypes
from ..autograd.anomaly_mode import anomaly
from ..dtypes import dtype


def get_default_dtype() -> dtype:
    """Return the dtype of tensors made from Python floats."""
    return dtypes.BY_NUMPY[dtypes.Default.numpy]


def set_default_dtype(d: dtype) -> None:
    """Make ``d`` the dtype of tensors made from Python floats."""
    refusal = "only floating-point types are supported as the default type"
    if not isinstance(d, dtype):
        raise TypeError(f"invalid dtype object: {refusal}")
    if not d.is_floating_point:
        raise TypeError(refusal)
    dtypes.Default.numpy = d.numpy


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the dtype of a sum of tensors of these two dtypes."""
    return dtypes.BY_NUMPY[dtypes.promote(type1.numpy, type2.numpy)]


def result_type(tensor1, tensor2) -> dtype:
    """Return the dtype of a sum of these two, tensors or numbers."""
    operands = [getattr(one, "_array", one) for one in (tensor1, tensor2)]
    return dtypes.BY_NUMPY[dtypes.result_dtype(*operands)]


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on."""
    return anomaly.enabled


FUNCTIONS_ONLY = """
get_default_dtype set_default_dtype promote_types result_type is_anomaly_enabled
"""
