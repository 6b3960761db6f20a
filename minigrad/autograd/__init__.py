"""Recorded history and how it is replayed.  Public names as in ``torch.autograd``."""
from importlib import import_module

from ..vocabulary import from_more, offer_names
from . import grad_mode
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

# Where the names are that are loaded when a program first uses them.
MODULE_OF = {
    "Function": "function", "SavedTensor": "saved_attributes", "backward": "gradients",
    "detect_anomaly": "anomaly_mode", "grad": "gradients", "gradgradcheck": "gradcheck",
    "set_detect_anomaly": "anomaly_mode",
}


def load(package, name):
    """Return what a module here or `minigrad.more` offers; None if neither does."""
    if name in MODULE_OF:
        return getattr(import_module(f"{package}.{MODULE_OF[name]}"), name)
    return from_more(package, name)


__all__ = [
    "Function", "SavedTensor", "Variable", "anomaly_mode", "backward", "detect_anomaly",
    "enable_grad", "function", "grad", "grad_mode", "gradcheck", "gradgradcheck",
    "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled"]
__getattr__, __dir__ = offer_names(
    __name__, __all__, load=load,
    submodules=("anomaly_mode", "function", "functional", "gradcheck", "graph"))
