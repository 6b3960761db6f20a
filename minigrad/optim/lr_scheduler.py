"""Learning rates that change as training goes on; loaded when they are first used."""
from ..vocabulary import offer_names

__getattr__, __dir__ = offer_names(__name__, [])
