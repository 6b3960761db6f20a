"""Tensors put together and taken apart: cat, stack, split, chunk, unbind."""
from __future__ import annotations
