"""How a tensor is printed: ``tensor([1.0000, 2.5000], requires_grad=True)``.

The numbers of one tensor share one notation and one width, chosen from all numbers that are shown:
whole numbers ("3."), a fixed count of decimals, or powers of ten when the numbers differ too much
in size.  Rows are broken at 80 columns; more than 1000 numbers are shortened to the first and last
three.  Shape, dtype and ``grad_fn`` follow where they are not evident, as in PyTorch.
"""
import numpy as np

from . import dtypes
from .tensor import Tensor

options = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def tensor_text(self):
    """Return the text of a tensor; that of a subclass begins with the name of the class."""
    array, text, facts = self._array, "[]", []
    prefix = "tensor(" if "_is_plain" in vars(type(self)) else f"{type(self).__name__}("
    if array.size:
        is_cut = array.size > options["threshold"]
        kept = [kept_places(length, is_cut) for length in array.shape]
        shown = array[np.ix_(*kept)] if is_cut else array
        text = nested_text(array, len(prefix), is_cut, Notation(shown))
    elif array.ndim != 1:       # brackets without numbers don't show the shape
        facts = [f"size={array.shape}"]
    is_evident = array.size and array.dtype in (dtypes.INT64, dtypes.BOOL)
    if array.dtype != dtypes.Default.numpy and not is_evident:
        facts.append(f"dtype=torch.{array.dtype.name}")
    return with_suffixes(prefix + text, facts + history_of(self), len(prefix))


def history_of(tensor):
    try:
        node = tensor.grad_fn
    except RuntimeError:            # a view that may not be used any more can still be printed
        return ["grad_fn=<Invalid>"]
    if node is None:
        return ["requires_grad=True"] if tensor.requires_grad else []
    return [f"grad_fn=<{type(node).__name__}>"]


def format_number(self, format_spec):
    """Format a tensor without dimensions as its number: ``f"{loss:.3f}"``."""
    if self._array.ndim == 0 and type(self) is Tensor:
        return format(self._array.item(), format_spec)
    return object.__format__(self, format_spec)


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, *,
                     sci_mode=None):
    """Change how tensors are printed.  What is None stays as it is, except `sci_mode`.

    precision: digits after the point (4); threshold: how many numbers are shown in full (1000);
    edgeitems: how many at each end of a shortened dimension (3); linewidth: the columns of a row
    (80); sci_mode: True always uses powers of ten, False never, None lets the numbers decide.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems,
             "linewidth": linewidth}
    options.update({name: value for name, value in given.items() if value is not None})
    options["sci_mode"] = sci_mode


class Notation:
    """How each number of a tensor is written, given an array of the numbers that will be shown."""
    def __init__(self, shown):
        self.is_float = shown.dtype.kind == "f"
        self.is_whole, self.has_powers = True, False
        if self.is_float:
            shown = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)   # only these count
            self.is_whole = bool((shown == np.ceil(shown)).all())
            if shown.size:
                least, most = float(np.abs(shown).min()), float(np.abs(shown).max())
                self.has_powers = options["sci_mode"]
                if self.has_powers is None:
                    self.has_powers = most / least > 1000.0 or most > 1.0e8 or least < 1.0e-4
        self.width = max([1, *map(len, map(self.digits, shown.ravel().tolist()))])

    def digits(self, number):
        if not self.is_float:
            return str(number)
        if self.has_powers:
            return f"{number:.{options['precision']}e}"
        if self.is_whole:       # the point tells 3. from the integer 3
            return f"{number:.0f}" + ("." if abs(number) < float("inf") else "")
        return f"{number:.{options['precision']}f}"


def nested_text(array, indent, is_cut, notation):
    """Return the numbers of an array in brackets; without the middle of long dimensions if cut."""
    if array.ndim == 0:
        return notation.digits(array.item())
    kept = kept_places(len(array), is_cut)
    per_line = 1
    if array.ndim == 1:
        numbers = array[kept].tolist() if is_cut else array.tolist()
        items = [notation.digits(number).rjust(notation.width) for number in numbers]
        per_line = max(1, (options["linewidth"] - indent) // (notation.width + 2))
    else:
        items = [nested_text(array[i], indent + 1, is_cut, notation) for i in kept]
    if len(kept) < len(array):
        items.insert(options["edgeitems"], " ..." if array.ndim == 1 else "...")
    lines = [", ".join(items[start:start + per_line]) for start in range(0, len(items), per_line)]
    separator = "," + "\n" * max(1, array.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join(lines) + "]"


def kept_places(length, is_cut):
    """Return the places of a dimension that are shown: without the middle of a long one, if cut."""
    edge = options["edgeitems"]
    if is_cut and length > 2 * edge:
        return [*range(edge), *range(length - edge, length)]
    return list(range(length))


def with_suffixes(text, suffixes, indent):
    """Append each suffix, on a new line where one would become too long, and a bracket."""
    column = len(text) - text.rfind("\n") + 1       # two more than the line has: PyTorch's count
    for suffix in suffixes:
        if column + len(suffix) + 2 > options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


FUNCTIONS_ONLY = "set_printoptions"
OPERATORS = {"__repr__": tensor_text, "__format__": format_number, "_is_plain": True}
