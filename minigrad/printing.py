"""How a tensor is written out: `tensor([1.0000, 2.5000], requires_grad=True)`.

The numbers of one tensor share one notation and one width, chosen by looking at all that will be shown: plain
whole numbers ("3."), a fixed count of decimals, or powers of ten when the numbers differ too much in size.
Rows are broken at 80 columns, more than 1000 numbers are shortened to the first and last three, and what else
is worth knowing about the tensor (shape, dtype, grad_fn) follows where it fits. Every choice is PyTorch's.
"""

from contextlib import contextmanager

import numpy as np

_DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80}
_PROFILES = {"default": _DEFAULTS,
             "short": {**_DEFAULTS, "precision": 2, "edgeitems": 2},
             "full": {**_DEFAULTS, "threshold": float("inf")}}
_FLOAT32 = np.dtype(np.float32)
_NEVER_NAMED = (np.dtype(np.int64), np.dtype(np.bool_))  # besides the default floating-point dtype

_options = {**_DEFAULTS, "sci_mode": None}


def format_tensor(array, suffixes=(), *, default_dtype=_FLOAT32, prefix="tensor(", contents=None):
    """The text of a tensor.

    Args:
        array: the numbers; any shape and layout, dtype bool, integer or floating point.
        suffixes: what follows after the size and the dtype, e.g. ["requires_grad=True"].
        default_dtype: the floating-point dtype that need not be named.
        prefix: how the text begins, with its bracket; rows are indented by its length.
        contents: text to show in place of the numbers.
    """
    array = np.asarray(array)
    indent = len(prefix)
    if array.size == 0:
        # Nothing shows the shape or the dtype of no numbers, so both are spelled out.
        is_size_shown, is_dtype_shown = array.ndim != 1, array.dtype != default_dtype
        text = "[]"
    else:
        is_size_shown = not _options["edgeitems"]
        is_dtype_shown = array.dtype != default_dtype and array.dtype not in _NEVER_NAMED
        is_shortened = array.size > _options["threshold"]
        if contents is None:
            notation = _Notation(_edges(array) if is_shortened else array)
            contents = _nested_text(array, indent, is_shortened, notation)
        text = contents
    facts = [f"size={array.shape}"] if is_size_shown else []
    if is_dtype_shown:
        facts.append(f"dtype=torch.{array.dtype.name}")
    return _with_suffixes(prefix + text, [*facts, *suffixes], indent)


# --- options ------------------------------------------------------------------------------------------------

def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None,
                     sci_mode=None):
    """Changes how tensors are printed from now on; what is None stays as it is, except sci_mode.

    Args:
        precision: digits after the point (4).
        threshold: tensors with more elements are shortened (1000).
        edgeitems: how many items a shortened dimension shows at each end (3).
        linewidth: the column at which rows are broken (80).
        profile: "default", "short" or "full": a set of the above, which the other arguments correct.
        sci_mode: True always uses powers of ten, False never, None lets the numbers decide.
    """
    _options.update(_PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})
    _options["sci_mode"] = sci_mode


# --- one notation for all numbers of a tensor ---------------------------------------------------------------

class _Notation:
    """How each number of a tensor is written, so that all look alike and stand in columns.

    Args:
        shown: array of the numbers that will be printed.
    """

    def __init__(self, shown):
        self.width = 1
        self._is_float = shown.dtype.kind == "f"
        self._is_whole, self._has_powers = True, False
        if not self._is_float:
            self.width = max([1, *map(len, map(str, shown.ravel().tolist()))])
            return
        # Zeros, infinities and nan have no say in the notation, nor in the width.
        shown = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
        if shown.size == 0:
            return
        self._is_whole = bool(np.all(shown == np.ceil(shown)))
        self._has_powers = _options["sci_mode"]
        if self._has_powers is None:
            self._has_powers = _needs_powers(np.abs(shown))
        self.width = max([1, *map(len, map(self._digits, shown.tolist()))])

    def text(self, number):
        """A Python number as text, padded on the left to the common width."""
        return (self._digits(number) if self._is_float else str(number)).rjust(self.width)

    def _digits(self, number):
        if self._has_powers:
            return f"{number:.{_options['precision']}e}"
        if self._is_whole:  # the point tells 3. from the integer 3; inf and nan are never integers
            return f"{number:.0f}" + ("." if abs(number) < float("inf") else "")
        return f"{number:.{_options['precision']}f}"


def _needs_powers(sizes):
    smallest, largest = sizes.min(), sizes.max()
    with np.errstate(over="ignore"):
        return bool(largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4)


# --- rows, brackets and what follows them -------------------------------------------------------------------

def _nested_text(array, indent, is_shortened, notation):
    if array.ndim == 0:
        return notation.text(array.item())
    if array.ndim == 1:
        return _row_text(array, indent, is_shortened, notation)
    edge = _options["edgeitems"]
    is_cut = is_shortened and len(array) > 2 * edge
    shown = [*range(edge), *range(len(array) - edge, len(array))] if is_cut else range(len(array))
    parts = [_nested_text(array[i], indent + 1, is_shortened, notation) for i in shown]
    if is_cut:
        parts.insert(edge, "...")
    separator = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join(parts) + "]"


def _row_text(row, indent, is_shortened, notation):
    edge = _options["edgeitems"]
    if is_shortened and len(row) > 2 * edge:
        first, last = row[:edge].tolist(), row[len(row) - edge:].tolist()
        # The dots stand one space further away than a number would.
        items = [*map(notation.text, first), " ..." if edge else "...", *map(notation.text, last)]
    else:
        items = [notation.text(number) for number in row.tolist()]
    per_line = max(1, (_options["linewidth"] - indent) // (notation.width + 2))
    lines = [", ".join(items[start:start + per_line]) for start in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _edges(array):
    """The numbers a shortened text shows, without the middle of every long dimension."""
    edge = _options["edgeitems"]
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            array = array.take([*range(edge), *range(length - edge, length)], axis)
    return array


def _with_suffixes(text, suffixes, indent):
    """Appends `, suffix` for each suffix, on a new line where one would become too long, and the bracket."""
    column = len(text) - text.rfind("\n") + 1  # two more than the line has: PyTorch's own count
    for suffix in suffixes:
        if column + len(suffix) + 2 > _options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


FUNCTIONS_ONLY = "set_printoptions"
