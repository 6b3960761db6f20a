"""PyTorch's words for what NumPy refuses: shapes that do not go together."""
from __future__ import annotations


def translated(error, operation, args):
    """The error to raise in place of a ValueError that NumPy raised inside an operation."""
    shapes = [tuple(a._array.shape) for a in args if hasattr(a, "_array")]
    if "broadcast" in str(error) and len(shapes) >= 2:
        return broadcast_error(shapes[0], shapes[1]) or RuntimeError(str(error))
    return RuntimeError(str(error))


def broadcast_error(a, b):
    """Which dimension of two shapes does not fit; None if all do."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at non-singleton "
                f"dimension {max(len(a), len(b)) - back}")
    return None


def dim_range(dim, ndim):
    """Check a dimension number and make it non-negative; a 0-d tensor counts as having one dimension."""
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")
    return dim % count


def not_a_tensor(operation, position, value):
    """The error of an argument that had to be a tensor."""
    name = operation.parameters[position]
    return TypeError(f"{operation.name.strip('_')}(): argument '{'input' if name == 'self' else name}' (position "
                     f"{position + 1}) must be Tensor, not {type_name(value)}")


def type_name(value):
    """How PyTorch's messages write the type of an argument."""
    if isinstance(value, (list, tuple)) and value:
        return f"{type(value).__name__} of {type(value[0]).__name__}" if isinstance(value, list) else "tuple"
    return type(value).__module__ + "." + type(value).__name__ if type(value).__module__ == "numpy" else \
        type(value).__name__
