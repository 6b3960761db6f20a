"""Recorded history and how it is replayed.  Public names as in ``torch.autograd``."""
from ..vocabulary import offer_names
from . import anomaly_mode, function, grad_mode, graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .gradients import backward, grad
from .saved_attributes import SavedTensor

__all__ = [
    "Function", "SavedTensor", "Variable", "anomaly_mode", "backward", "detect_anomaly",
    "enable_grad", "function", "grad", "grad_mode", "gradcheck", "gradgradcheck",
    "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled"]
offer, __dir__ = offer_names(__name__, __all__, submodules=("functional", "gradcheck"))


def __getattr__(name):
    """Load what few programs need when it is asked for.

    The function gradcheck stands for its module; see the end of gradcheck.py.
    """
    if name == "gradgradcheck":
        return offer("gradcheck").gradgradcheck
    return offer(name)
