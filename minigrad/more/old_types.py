"""Ways to choose dtypes that older programs begin with."""
from .. import dtypes
from ..creation import new_of_dtype
from ..errors import warn_once


def tensor_type(dtype):
    """Return the function ``torch.FloatTensor``, or its like, of a dtype."""
    def make(*args):
        return new_of_dtype(args, dtype.numpy)
    make.dtype = dtype
    make.__doc__ = f"Return a tensor of {dtype!r} with this shape, or these values."
    return make


TENSOR_TYPES = {f"{d.short_name}Tensor": tensor_type(d) for d in dtypes.ALL}


def set_default_tensor_type(t, /):
    """Make the dtype of ``torch.DoubleTensor``, or its like, that of Python floats."""
    warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please "
              "use torch.set_default_dtype() and torch.set_default_device() as "
              "alternatives.")
    if isinstance(t, str):
        t = TENSOR_TYPES.get(t.removeprefix("torch."))
    if not hasattr(t, "dtype"):
        raise TypeError("invalid type object: only floating-point types are supported "
                        "as the default type")
    dtypes.set_default_dtype(t.dtype)


FUNCTIONS_ONLY = {
    "set_default_tensor_type": set_default_tensor_type,
    **TENSOR_TYPES,
}
