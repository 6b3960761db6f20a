"""Recorded history and how it is replayed.  Public names as in ``torch.autograd``."""
from ..errors import without
from . import anomaly_mode, function, grad_mode, graph
from .anomaly_mode import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled
from .gradcheck import gradcheck, gradgradcheck
from .gradients import backward, grad
from .raw_saved import RawSavedTensor as SavedTensor
from .variable import Variable, variable


def __getattr__(name):
    """Load what few programs need when it is first asked for."""
    if name in ("functional", "forward_ad", "_functions"):
        import importlib
        return importlib.import_module(f"{__name__}.{name}")
    return without(__name__)(name)
