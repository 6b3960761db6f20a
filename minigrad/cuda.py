"""``torch.cuda``: there is no such device here, which is what programs ask before they choose one."""
from __future__ import annotations


def is_available() -> bool:
    """Whether tensors can be put on a CUDA device: never."""
    return False


def device_count() -> int:
    """How many such devices there are: none."""
    return 0


def manual_seed(seed):
    """Accepted, as without a device in PyTorch; what is drawn here follows ``torch.manual_seed``."""


manual_seed_all = manual_seed


def empty_cache():
    """Nothing is cached on no device."""
