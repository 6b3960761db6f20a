"""Two labs to play with: what the argument of `backward` does, and what an edit does to a gradient."""
from .edits import edit_explorer
from .jacobian import jacobian_explorer

__all__ = ["edit_explorer", "jacobian_explorer"]
