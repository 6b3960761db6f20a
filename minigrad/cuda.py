"""The GPUs, of which minigrad knows none: ``torch.cuda.is_available()`` is False."""
from .vocabulary import offer_names

__all__ = ["is_available"]
__getattr__, __dir__ = offer_names(__name__, __all__)


def is_available() -> bool:
    """Return whether tensors can be put on a GPU."""
    return False
