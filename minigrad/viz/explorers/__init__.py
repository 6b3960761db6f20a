"""Labs and a picture: what the argument of `backward` does, and what an edit does to a gradient."""
from .edits import edit_explorer
from .jacobian import jacobian_explorer
from .rows import draw_rows

__all__ = ["draw_rows", "edit_explorer", "jacobian_explorer"]
