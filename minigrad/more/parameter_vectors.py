"""All parameters of a model as one long vector."""
from ..ops.joining import cat


def parameters_to_vector(parameters):
    """Return all parameters joined in one vector, through which gradients flow."""
    return cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters):
    """Make each parameter the view of its part of the vector."""
    parameters = list(parameters)
    parts = vec.split([param.numel() for param in parameters])
    for param, part in zip(parameters, parts):
        param.data = part.view_as(param).data
