"""Labs and a picture: what the argument of `backward` does, and what an edit does to a gradient."""
from .edits import edit_explorer
from .jacobian import draw_rows, jacobian_explorer

__all__ = ["draw_rows", "edit_explorer", "jacobian_explorer"]
