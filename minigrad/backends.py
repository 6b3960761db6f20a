"""``torch.backends``: switches that programs set for repeatable runs; here they change nothing.

What is computed on the CPU is repeatable anyway.
"""
from __future__ import annotations


class _Switches:
    """Attributes that may be set, and the question whether the backend is there: no."""

    def __init__(self, **switches):
        self.__dict__.update(switches)

    def is_available(self) -> bool:
        """Whether this backend can compute: never."""
        return False

    is_built = is_available


cudnn = _Switches(benchmark=False, deterministic=False, enabled=True, allow_tf32=True)
mps, cuda = _Switches(), _Switches()
