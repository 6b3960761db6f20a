"""``torch.save`` and ``torch.load``: tensors, and what is made of them, in a file.

The files are pickles of this package; those of PyTorch, which are zip archives, are not read.
"""
import pickle

from .. import dtypes

# What `load` builds unless it is told to trust the file: containers, and the parts of a tensor.
SAFE = {("collections", "OrderedDict"), ("collections", "defaultdict"), ("builtins", "set"),
        ("_codecs", "encode"), ("numpy", "ndarray"), ("numpy", "dtype"),
        ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.numeric", "_frombuffer"),
        ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.numeric", "_frombuffer")}
SAFE_HERE = {"Tensor", "Parameter", "Size", "rebuilt"} | {d.__reduce__() for d in dtypes.ALL}


def save(obj, f):
    """Write an object, without gradients: ``torch.save(model.state_dict(), "model.pt")``."""
    if not hasattr(f, "write"):
        with open(f, "wb") as file:
            return save(obj, file)
    pickle.dump(obj, f)


def load(f, *, weights_only=True):
    """Read what `save` wrote; UnpicklingError for more than tensors and containers of them."""
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return load(file, weights_only=weights_only)
    return WeightsUnpickler(f).load() if weights_only else pickle.load(f)


class WeightsUnpickler(pickle.Unpickler):
    """Reads what is known to be harmless, and refuses the rest."""
    def find_class(self, module, name):
        is_ours = module.partition(".")[0] == __name__.partition(".")[0]
        if name in SAFE_HERE if is_ours else (module, name) in SAFE:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"Weights only load failed. The file holds {module}.{name}. "
                                     "If you trust the file, load it with weights_only=False.")
