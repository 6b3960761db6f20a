"""Recomputing instead of keeping (checkpoint), data sets in batches, files of tensors."""
from ..errors import closed
from . import checkpoint, data, serialization

__all__ = ["checkpoint", "data", "serialization"]
__getattr__, __dir__ = closed(__name__, __all__)
