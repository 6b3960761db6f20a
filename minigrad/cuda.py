"""The GPUs, of which minigrad knows none: ``torch.cuda.is_available()`` is False."""
from .vocabulary import offer_names

__all__ = ["is_available", "manual_seed", "manual_seed_all"]
__getattr__, __dir__ = offer_names(__name__, __all__)


def is_available() -> bool:
    """Return whether tensors can be put on a GPU."""
    return False


def manual_seed(seed: int) -> None:
    """Seed the generator of the GPU: there is none, and nothing happens."""
    int(seed)           # raises for what is no number, as in PyTorch


manual_seed_all = manual_seed
