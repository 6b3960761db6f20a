"""How a tensor is printed: ``tensor([1.0000, 2.5000], requires_grad=True)``.

The numbers of one tensor share one notation and one width, chosen from all numbers that
are shown: whole numbers ("3."), a fixed count of decimals, or powers of ten when the
numbers differ too much in size.  Rows are broken at 80 columns; more than 1000 numbers
are shortened to the first and last three.  Shape, dtype and ``grad_fn`` follow where
they are not evident, as in PyTorch.
"""
import numpy as np

from . import dtypes
from .tensor import Tensor

print_options = {
    "precision": 4,
    "threshold": 1000,
    "edgeitems": 3,
    "linewidth": 80,
    "sci_mode": None,
}


def tensor_text(self, plain=Tensor):
    """Return the text of a tensor.

    It begins with "tensor(", or with the class unless that is `plain`.
    """
    name = "tensor" if type(self) is plain else type(self).__name__
    prefix = f"{name}("
    text = prefix + numbers_text(self._array, len(prefix))
    suffixes = [*type_suffixes(self._array), *history_suffixes(self)]
    return with_suffixes(text, suffixes, len(prefix))


def numbers_text(array, indent):
    """Return the numbers of an array in brackets."""
    if not array.size:
        return "[]"
    is_cut = array.size > print_options["threshold"]
    shown = array
    if is_cut:
        kept = [kept_positions(length, is_cut) for length in array.shape]
        shown = array[np.ix_(*kept)]
    return nested_text(array, indent, is_cut, Notation(shown))


def type_suffixes(array):
    """Return the shape and the dtype, where the numbers don't show them."""
    suffixes = []
    if not array.size and array.ndim != 1:
        suffixes.append(f"size={array.shape}")
    is_evident = array.size and array.dtype in (dtypes.INT64, dtypes.BOOL)
    if array.dtype != dtypes.Default.numpy and not is_evident:
        suffixes.append(f"dtype=torch.{array.dtype.name}")
    return suffixes


def history_suffixes(tensor):
    """Return the node that made a tensor, or whether a leaf requires a gradient."""
    try:
        node = tensor.grad_fn
    except RuntimeError:        # a view that may not be used any more
        return ["grad_fn=<Invalid>"]
    if node is not None:
        return [f"grad_fn=<{type(node).__name__}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []


def with_suffixes(text, suffixes, indent):
    """Append each suffix, on a new line where one becomes too long, and a bracket."""
    column = len(text) - text.rfind("\n") + 1   # two more than it has: PyTorch's count
    for suffix in suffixes:
        if column + len(suffix) + 2 > print_options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


class Notation:
    """How each number of a tensor is written, given an array of all that are shown."""
    def __init__(self, shown):
        self.is_float = shown.dtype.kind == "f"
        self.is_whole = True
        self.has_powers = False
        if self.is_float:       # zeros, infinities and NaN don't count
            shown = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
            self.is_whole = bool((shown == np.ceil(shown)).all())
            self.has_powers = shown.size > 0 and needs_powers(np.abs(shown))
        lengths = [len(self.digits(number)) for number in shown.ravel().tolist()]
        self.width = max(lengths, default=1)

    def digits(self, number):
        """Return the text of one number."""
        if not self.is_float:
            return str(number)
        if self.has_powers:
            return f"{number:.{print_options['precision']}e}"
        if self.is_whole:       # the point tells 3. from the integer 3
            point = "." if abs(number) < float("inf") else ""
            return f"{number:.0f}{point}"
        return f"{number:.{print_options['precision']}f}"


def needs_powers(sizes):
    """Return whether numbers of these sizes are written with powers of ten."""
    if print_options["sci_mode"] is not None:
        return print_options["sci_mode"]
    least, most = float(sizes.min()), float(sizes.max())
    return most / least > 1000.0 or most > 1.0e8 or least < 1.0e-4


def nested_text(array, indent, is_cut, notation):
    """Return an array in brackets; if cut, without the middle of long dimensions."""
    if array.ndim == 0:
        return notation.digits(array.item())
    kept = kept_positions(len(array), is_cut)
    if array.ndim == 1:
        numbers = array[kept].tolist()
        items = [notation.digits(number).rjust(notation.width) for number in numbers]
        dots = " ..."
        per_line = max(1, (print_options["linewidth"] - indent) // (notation.width + 2))
    else:
        items = [nested_text(array[i], indent + 1, is_cut, notation) for i in kept]
        dots = "..."
        per_line = 1
    if len(kept) < len(array):
        items.insert(print_options["edgeitems"], dots)
    starts = range(0, len(items), per_line)
    lines = [", ".join(items[start:start + per_line]) for start in starts]
    line_break = "\n" * max(1, array.ndim - 1)
    separator = "," + line_break + " " * (indent + 1)
    return "[" + separator.join(lines) + "]"


def kept_positions(length, is_cut):
    """Return the positions of a dimension that are shown: all, or not the middle."""
    edge = print_options["edgeitems"]
    if is_cut and length > 2 * edge:
        return [*range(edge), *range(length - edge, length)]
    return list(range(length))


def format_number(self, format_spec):
    """Format a tensor without dimensions as its number: ``f"{loss:.3f}"``."""
    if self._array.ndim == 0 and type(self) is Tensor:
        return format(self._array.item(), format_spec)
    return object.__format__(self, format_spec)


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, *,
                     sci_mode=None):
    """Change how tensors are printed; what is None stays as it is, except `sci_mode`.

    precision: digits after the point (4); threshold: how many numbers are shown in full
    (1000); edgeitems: how many at each end of a shortened dimension (3); linewidth: the
    columns of a row (80); sci_mode: True always uses powers of ten, False never, None
    lets the numbers decide.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems,
             "linewidth": linewidth}
    for name, value in given.items():
        if value is not None:
            print_options[name] = value
    print_options["sci_mode"] = sci_mode


FUNCTIONS_ONLY = "set_printoptions"
ATTRIBUTES = {"__repr__": tensor_text, "__format__": format_number}
