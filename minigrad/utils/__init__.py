"""Recomputing instead of keeping, data sets in batches, and files of tensors."""
from ..vocabulary import offer_names

__all__ = ["checkpoint", "data", "serialization"]
__getattr__, __dir__ = offer_names(__name__, [], submodules=__all__)
