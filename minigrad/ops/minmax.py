"""The largest, the smallest, and the order of elements: max, min, argmax, sort, topk, median."""
from __future__ import annotations
