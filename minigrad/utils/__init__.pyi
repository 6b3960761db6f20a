"""Recomputing instead of keeping, data sets in batches, and files of tensors."""
# Generated from the live objects: python -m tests.stubs --write
from minigrad.utils import checkpoint as checkpoint
from minigrad.utils import data as data
