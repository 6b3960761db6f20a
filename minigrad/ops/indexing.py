"""Picking elements: x[...], gather, index_select, masked_select, and writing to them: x[...] = y, scatter, index_add."""
from __future__ import annotations
