"""Gradients kept small, and parameters as one long vector."""
from ...errors import without
from .clip_grad import clip_grad_norm_, clip_grad_value_, get_total_norm

__getattr__ = without(__name__)
