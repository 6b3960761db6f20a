"""Recorded history and how it is replayed.  Public names as in ``torch.autograd``."""
from ..messages import without
from . import anomaly_mode, function, grad_mode, graph
from .anomaly_mode import detect_anomaly, is_anomaly_check_nan_enabled, is_anomaly_enabled, set_detect_anomaly
from .function import Function, NestedIOFunction
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .gradients import _calculate_shape, backward, grad
from .graph import unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from .raw_saved import RawSavedTensor as SavedTensor
from .variable import Variable, variable


def __getattr__(name):
    """Load what few programs need when it is first asked for."""
    if name in ("functional", "forward_ad", "_functions"):
        import importlib
        return importlib.import_module(f"{__name__}.{name}")
    return without(__name__)(name)
