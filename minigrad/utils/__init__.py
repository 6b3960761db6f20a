"""Recomputing instead of keeping (checkpoint), handles of hooks, data loading, files of tensors."""
from ..errors import closed
from . import checkpoint, data, hooks, serialization

__all__ = ["checkpoint", "data", "hooks", "serialization"]
__getattr__, __dir__ = closed(__name__, __all__)
