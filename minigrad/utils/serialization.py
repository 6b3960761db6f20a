"""``torch.save`` and ``torch.load``, whose files are pickles, not zip archives."""
import copyreg
import io
import pickle
import struct
from collections import Counter, OrderedDict
from pathlib import Path

import numpy as np

from .. import dtypes
from ..attributes import Size
from ..conversion import rebuilt
from ..tensor import Tensor
from ..vocabulary import MINIGRAD

# What `load` calls unless it is told to trust the file: NumPy's own functions, for
# instance, can break memory.
SAFE = {f"{one.__module__}.{one.__qualname__}"
        for one in (OrderedDict, Counter, Size, Tensor, rebuilt)}
SAFE |= {f"{MINIGRAD}.nn.parameter.Parameter", f"{__name__}.rebuilt_array"}
SAFE |= {f"{dtypes.__name__}.{dtype.__reduce__()}" for dtype in dtypes.ALL}

FAILED = (
    "Weights only load failed. Re-running `torch.load` with `weights_only` set to "
    "`False` will likely succeed, but it can result in arbitrary code execution. Do it "
    "only if you got the file from a trusted source.\n"
    "WeightsUnpickler error: Unsupported ")


def save(obj, f):
    """Write an object, without gradients: ``torch.save(model.state_dict(), "m.pt")``.

    f: a path, or a file that is open for writing.
    """
    if hasattr(f, "write"):
        write_pickle(obj, f)
        return
    folder = Path(f).parent
    if not folder.is_dir():
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    path = Path(f).resolve()
    if path.is_char_device():           # such as os.devnull
        with path.open("wb") as file:
            write_pickle(obj, file)
        return
    # The old file stays until the new one is whole.
    new = path.with_name(f"{path.name}.new")
    try:
        with new.open("wb") as file:
            write_pickle(obj, file)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def write_pickle(obj, file):
    pickler = pickle.Pickler(file)
    pickler.dispatch_table = copyreg.dispatch_table | {np.ndarray: reduce_array}
    pickler.dump(obj)


def reduce_array(array):
    """Give pickle the bytes of an array, and `rebuilt_array` to read them with."""
    if array.dtype not in dtypes.BY_NUMPY:
        return array.__reduce__()
    order = "F" if array.flags.fnc else "C"
    dtype = dtypes.BY_NUMPY[array.dtype]
    return rebuilt_array, (array.tobytes(order), dtype, array.shape, order)


def rebuilt_array(numbers, dtype, shape, order):
    """Return the array that `reduce_array` took apart."""
    array = np.frombuffer(numbers, dtypes.numpy_of(dtype))
    return array.reshape(shape, order=order).copy("K")


def load(f, *, weights_only=True):
    """Read what `save` wrote.

    Raises UnpicklingError for more than tensors and containers of them, unless
    `weights_only` is False: a pickle can run any program.
    """
    content = f.read() if hasattr(f, "read") else Path(f).read_bytes()
    unpickler = WeightsUnpickler if weights_only else pickle.Unpickler
    return unpickler(io.BytesIO(content)).load()


class WeightsUnpickler(pickle._Unpickler):
    """Reads pickles that call only what is known to be harmless.

    The base class is the one written in Python, which can refuse an operation.
    """
    dispatch = pickle._Unpickler.dispatch.copy()
    del dispatch[ord(pickle.BUILD)]             # could change a class
    del dispatch[ord(pickle.BYTEARRAY8)]        # could fill the memory

    def load(self):
        try:
            return super().load()
        except KeyError as operand:
            raise pickle.UnpicklingError(f"{FAILED}operand {operand}") from None
        except (EOFError, IndexError, struct.error):
            raise EOFError("Ran out of input") from None

    def find_class(self, module, name):
        if f"{module}.{name}" not in SAFE:
            raise pickle.UnpicklingError(
                f"{FAILED}global: GLOBAL {module}.{name} was not an allowed global by "
                "default.")
        return super().find_class(module, name)


FUNCTIONS_ONLY = "save load"
