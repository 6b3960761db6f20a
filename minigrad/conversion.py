"""Out of the tensor: Python numbers, lists, NumPy arrays, other dtypes."""
from __future__ import annotations
