"""Data sets, and going through them in batches; loaded when a name is first used."""
from ..vocabulary import offer_names

__getattr__, __dir__ = offer_names(__name__, [])
