"""``torch.save`` and ``torch.load``, whose files are pickles and not PyTorch's zip archives."""
import copyreg
import io
import pickle
import struct
from pathlib import Path

import numpy as np

from .. import dtypes

# What `load` calls unless it is told to trust the file.  NumPy's own functions can break memory.
SAFE = {"collections.OrderedDict", "collections.Counter", "minigrad.attributes.Size",
        "minigrad.Tensor", "minigrad.nn.parameter.Parameter", "minigrad.conversion.rebuilt",
        f"{__name__}.array_of", *(f"{dtypes.__name__}.{d.__reduce__()}" for d in dtypes.ALL)}
FAILED = ("Weights only load failed. Re-running `torch.load` with `weights_only` set to `False` "
          "will likely succeed, but it can result in arbitrary code execution. Do it only if you "
          "got the file from a trusted source.\nWeightsUnpickler error: Unsupported ")


def save(obj, f):
    """Write an object, without gradients: ``torch.save(model.state_dict(), "model.pt")``."""
    if hasattr(f, "write"):
        pickler = pickle.Pickler(f)
        pickler.dispatch_table = copyreg.dispatch_table | {np.ndarray: reduce_array}
        return pickler.dump(obj)
    if not Path(f).parent.is_dir():
        raise RuntimeError(f"Parent directory {Path(f).parent} does not exist.")
    path = Path(f).resolve()
    new = path if path.is_char_device() else path.with_name(path.name + ".new")     # os.devnull
    try:
        with new.open("wb") as file:
            save(obj, file)
        new.replace(path)       # the old file stays until the new one is whole
    finally:
        if new != path:
            new.unlink(missing_ok=True)


def reduce_array(array):
    if array.dtype not in dtypes.BY_NUMPY:
        return array.__reduce__()
    order = "F" if array.flags.fnc else "C"
    return array_of, (array.tobytes(order), dtypes.BY_NUMPY[array.dtype], array.shape, order)


def array_of(numbers, dtype, shape, order):
    return np.frombuffer(numbers, dtypes.numpy_of(dtype)).reshape(shape, order=order).copy("K")


def load(f, *, weights_only=True):
    """Read what `save` wrote; UnpicklingError for more than tensors and containers of them."""
    file = io.BytesIO(f.read() if hasattr(f, "read") else Path(f).read_bytes())
    return (WeightsUnpickler if weights_only else pickle.Unpickler)(file).load()


class WeightsUnpickler(pickle._Unpickler):      # the one in Python can refuse an operand
    """Calls what is known to be harmless; BUILD could change a class, BYTEARRAY8 fill memory."""
    dispatch = pickle._Unpickler.dispatch.copy()
    del dispatch[ord(pickle.BUILD)], dispatch[ord(pickle.BYTEARRAY8)]

    def load(self):
        try:
            return super().load()
        except KeyError as operand:
            raise pickle.UnpicklingError(f"{FAILED}operand {operand}") from None
        except (EOFError, IndexError, struct.error):
            raise EOFError("Ran out of input") from None

    def find_class(self, module, name):
        if f"{module}.{name}" in SAFE:
            return super().find_class(module, name)
        refused = f"global: GLOBAL {module}.{name} was not an allowed global by default."
        raise pickle.UnpicklingError(FAILED + refused)
