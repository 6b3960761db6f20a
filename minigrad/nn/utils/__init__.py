"""Gradients kept small, and parameters as one long vector."""
from ...messages import without
from .clip_grad import clip_grad_norm, clip_grad_norm_, clip_grad_value_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters

__getattr__ = without(__name__)
