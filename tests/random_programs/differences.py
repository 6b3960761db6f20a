"""Compares two traces: the first statement after which the two modules differ, and in what.

Numbers are compared to the digits that are printed, also inside messages; everything else is
compared exactly.
"""
import math
import re
from typing import NamedTuple

NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?|-?\d+e[-+]?\d+|\b(?:nan|inf)\b")
FIELDS = ("error", "warnings", "values", "value", "dtype", "shape", "requires_grad", "is_leaf",
          "grad_fn", "graph", "shared",
          "version", "grad", "retains_grad", "is_view", "base", "output_nr", "same_as")


class Difference(NamedTuple):
    step: int
    kind: str        # of the statement, as the generator calls it
    field: str       # what differs: error, values, grad_fn, version, ...
    name: str        # the variable concerned, or ""
    want: object
    got: object

    @property
    def group(self):
        """Differences of one group probably have one cause."""
        what = ""
        if self.field in ("error", "warnings", "grad_fn", "dtype"):
            what = f"{_short(self.want)}  |  {_short(self.got)}"
        if self.field == "graph":
            pairs = zip(self.want or ["-"], self.got or ["-"])
            what = next((f"{_short(a)}  |  {_short(b)}" for a, b in pairs if a != b), "length")
        return self.kind, self.field, what


class Seen(NamedTuple):
    """A program up to a difference, and what both modules showed of its variables."""
    source: str
    want: dict
    got: dict


def compare(statements, want, got, ignore=()):
    """Return the differences after the first statement that shows any; [] if the traces agree."""
    state = {}, {}
    for step, (a, b) in enumerate(zip(want, got)):
        kind = statements[step][0] if step < len(statements) else "end"
        for side, trace in zip(state, (a, b)):
            _update(side, trace)
        found = [Difference(step, kind, field, "", a.get(field), b.get(field))
                 for field in ("error", "warnings")]
        for name in dict.fromkeys([*a.get("changed", ()), *b.get("changed", ()), *a.get("gone", ()),
                                   *b.get("gone", ())]):
            left, right = state[0].get(name, {}), state[1].get(name, {})
            found += [Difference(step, kind, field, name, left.get(field), right.get(field))
                      for field in {**left, **right} if field != "shared"]
        shared = [side.get("torch", {}).get("shared") or [] for side in state]
        found += [Difference(step, kind, "shared", pair, False, True)
                  for pair in shared[1] if pair not in shared[0]]
        dtypes = {name: fields.get("dtype") for name, fields in state[0].items()}
        found = [d for d in found if d.field not in ignore
                 and not same(d.want, d.got, dtypes.get(d.name))]
        seen = Seen("\n".join([source for _, source in statements[:step + 1]]), *state)
        if any([ends(a, seen) for ends in END_OF_COMPARISON.values()]):
            return []
        if any([holds(d, seen) for d in found for holds in NOT_COMPARED_FROM_HERE.values()]):
            return []
        found = [d for d in found if not any([holds(d, seen) for holds in NOT_COMPARED.values()])]
        if found:
            return sorted(found, key=lambda d: FIELDS.index(d.field) if d.field in FIELDS else 99)
    if len(want) != len(got):
        return [Difference(min(len(want), len(got)), "end", "length", "", want[-1:], got[-1:])]
    return []


def _update(side, trace):
    for name, fields in trace.get("changed", {}).items():
        if "same_as" in fields or "shape" in fields and "same_as" in side.get(name, {}):
            side[name] = {}
        side.setdefault(name, {}).update(fields)
    for name in trace.get("gone", ()):
        side.pop(name, None)


def same(a, b, dtype=None):
    """Return whether two values are equal, floating-point numbers to the digits that are
    printed."""
    if isinstance(a, float) and isinstance(b, float):
        return _close(a, b, 1.0, dtype)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all([same(a[k], b[k], a.get("dtype", dtype)) for k in a])
    if isinstance(a, list):
        if len(a) != len(b):
            return False
        if a and all([isinstance(v, float) for v in a + b]):
            largest = max([1.0] + [abs(v) for v in a if math.isfinite(v)])
            return all([_close(x, y, largest, dtype) for x, y in zip(a, b)])
        return all([same(x, y, dtype) for x, y in zip(a, b)])
    if isinstance(a, str) and a != b:
        a, b = NEWER_PYTHONS.sub("", a), NEWER_PYTHONS.sub("", b)
        numbers = list(zip(NUMBER.findall(a), NUMBER.findall(b)))
        return (_without_numbers(a) == _without_numbers(b)
                and len(NUMBER.findall(a)) == len(NUMBER.findall(b))
                and all([_close(float(x), float(y), max(1.0, abs(float(x))), "printed") for x,
                         y in numbers]))
    return a == b


# What Python 3.12 and later add to messages that are Python's own.
NEWER_PYTHONS = re.compile(r" and no __dict__ for setting new attributes|\. Did you mean:? '\w+'\?")
TOLERANCE = {"torch.float64": 1e-6, "printed": 2e-4}


def _close(a, b, largest, dtype):
    """Return whether two numbers agree, beside the largest number of the same tensor."""
    if a == b or a != a and b != b:
        return True
    if abs(a) > 1e30 and abs(b) > 1e30:              # one side may just have overflowed
        return (a > 0) == (b > 0)
    tolerance = TOLERANCE.get(dtype, 2e-5)
    return abs(a - b) <= tolerance * abs(a) + 0.1 * tolerance * largest


def _without_numbers(text):
    return re.sub(r"\s+", " ", NUMBER.sub("#", text))


def _short(what):
    text = what[0] if isinstance(what, list) and what else what
    return "(none)" if text is None else re.sub(r"(?<!Backward)\d+", "N", str(text).split("\n")[0])[:150]


# --- what is known to differ, and why it stays ---------------------------------------------------

def responsible(d, seen):
    """Return the variables in the statement that gave the difference, or in the last one for
    that variable."""
    lines = [line for line in seen.source.split("\n")
             if re.match(rf"\s*{d.name}\b", line)] if d.name else []
    return set(re.findall(r"\bt\d+\b", "\n".join([*lines[-1:], seen.source.split("\n")[-1]])))


GIVEN_ONCE = r"Using backward\(\) with create_graph=True|Converting a tensor with requires_grad=True"
WRONG_ARGUMENT = (r"TypeError: \w+\(\):? (argument|received|missing|takes|got)"
                  "|TypeError: expected Tensor as element|AttributeError: '(NoneType|int)' object"
                  "|AssertionError: Expected")


def _given_often(warnings):
    return {text for text in warnings or () if not re.search(GIVEN_ONCE, text)}


def rests_on_noise(d, seen):
    """Return whether an operand's values agree only beside larger ones: their last digits
    differ."""
    if d.field not in ("values", "value", "grad"):
        return False
    for name in responsible(d, seen):
        a, b = [side.get(name, {}).get("values") for side in (seen.want, seen.got)]
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and any(
                [isinstance(x, float) and isinstance(y, float) and x == x
                 and abs(x - y) > 2e-5 * abs(x)
                 for x, y in zip(a, b)]):
            return True
    return False


def rests_on_equal_numbers(d, seen):
    """Return whether values after a layer norm agree as far as equal numbers let them.

    What rounding leaves of equal numbers less their mean is divided by the root of eps, 1 / 316.
    """
    if d.field not in ("values", "value", "grad") or not re.search("LayerNorm|layer_norm", seen.source):
        return False
    values = [fields.get("values") for fields in seen.want.values()]
    largest = max([1.0, *[abs(v) for v in numbers_in(values) if math.isfinite(v)]])
    want, got = numbers_in(d.want), numbers_in(d.got)
    return len(want) == len(got) and all(
        [abs(a - b) <= 316 * 2e-7 * largest for a, b in zip(want, got) if math.isfinite(a)])


def numbers_in(value):
    """Return all floating-point numbers in nested lists and dictionaries."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in numbers_in(part)]
    return [value] if isinstance(value, float) else []


def made_from_gradients(source):
    """Return the variables that are a gradient, or were made from such a variable."""
    found = set()
    for name, value in re.findall(r"^(t\d+) = (.*)", source, re.MULTILINE):
        if ".grad" in value or found & set(re.findall(r"t\d+", value)):
            found.add(name)
    return found


BROKEN_OFF = ("the process died|INTERNAL ASSERT|please report an|unallocated storage"
              "|setStorage: sizes")
END_OF_COMPARISON = {
    "PyTorch's gradgradcheck() calls a function without its arguments if no result requires "
    "a gradient.":
        lambda step, seen: ("gradgradcheck(" in seen.source
                            and "required positional argument" in str(step)),
    "PyTorch died, failed at an assertion of its own, or stopped at memory it had not made.":
        lambda step, seen: re.search(BROKEN_OFF, str(step)),
    "In PyTorch integers can come to require a gradient (`x[0] = y`, if y does); nothing "
    "sensible follows.":
        lambda step, seen: "tracks_integers" in step,
    "PyTorch keeps the gradient it was given as .grad, minigrad a copy: a write to one is a "
    "write to both there.":
        lambda step, seen: bool(set(seen.want.get("torch", {}).get("shared") or ())
                                - set(seen.got.get("torch", {}).get("shared") or ())),
}
NOT_COMPARED_FROM_HERE = {
    "What is left when nearly equal numbers are subtracted depends on their last "
    "digits.": rests_on_noise,
    "So does what a layer norm makes of equal numbers: 0 or noise.": rests_on_equal_numbers,
}
NOT_COMPARED = {
    "PyTorch's isclose() writes its result in place, and the gradient of prod() is computed by "
    "other operations.":
        lambda d, seen: (d.field == "version" and "isclose(" in seen.source
                         or d.field in ("graph", "grad") and "CumprodBackward0" in str(d.want)
                         and "CumprodBackward0" not in str(d.got)),
    "What is said about an argument of a wrong type: by PyTorch's parser, or by Python where "
    "PyTorch is Python.":
        lambda d, seen: (d.field == "error" and d.got is not None
                         and re.match(WRONG_ARGUMENT, str(d.want)) is not None),
    "A warning that is given once in a process, and how often one warning is given.":
        lambda d, seen: d.field == "warnings" and _given_often(d.want) == _given_often(d.got),
    "How often PyTorch's kernels write tensors of inference mode themselves is counted outside "
    "that mode.":
        lambda d, seen: d.field == "version" and "inference_mode" in seen.source,
    "How often PyTorch wrote a gradient depends on which arrays its formulas steal.":
        lambda d, seen: d.field == "version" and d.name in made_from_gradients(seen.source),
    "Gradients that a pass returned may have been written before, which shows in versions in "
    "messages.":
        lambda d, seen: (d.field == "error" and "autograd.grad(" in seen.source
                         and "version" in str(d.want)
                         and re.sub(r"version \d+", "", str(d.want)) == re.sub(r"version \d+", "",
                                                                               str(d.got))),
    "PyTorch differentiates the gradient of a batch or layer norm as one node, minigrad its "
    "formula.":
        lambda d, seen: (d.field in ("graph", "grad", "grad_fn", "value")
                         and "NormBackwardBackward0" in str(d.want)),
    "x[10] for a number x names a size of its dimension 0, which it has not: PyTorch reads "
    "what was left there.":
        lambda d, seen: d.field == "error" and re.sub("size 1$", "size 0", str(d.want)) == d.got,
    "PyTorch's stack and repeat end with a view of their own, which shows for tensors of "
    "inference mode.":
        lambda d, seen: "inference_mode" in seen.source and (
            (d.field, d.want, d.got) in (("is_view", True, False), ("base", "unnamed", None))),
    "Where an operand's dimensions are in another order or repeated, the strides of a result "
    "are PyTorch's only as far as they decide whether view() is possible.":
        lambda d, seen: (d.field == "is_contiguous" and re.search(
            r"\.T\b|\bt\(\)|transpose|permute|expand", seen.source) is not None),
    "PyTorch's clamp_() alone writes the dtype as C++ does; and it has a text of its own for "
    "addcdiv() of integers.":
        lambda d, seen: d.field == "error" and (
            str(d.want).lower() == str(d.got).lower() and "clamp_(" in seen.source
            or "Integer division with addcdiv" in str(d.want)
            and "addcdiv_cpu_out" in str(d.got)),
    "A write through a mask to an expanded tensor is in PyTorch an index_put_() and a "
    "masked_fill_(), each with its warning.":
        lambda d, seen: (d.field == "warnings" and "index_put_ on expanded" in str(d.got)
                         and "masked_fill_ on expanded" in str(d.want)),
    "Of two errors PyTorch finds first that an operand cannot be saved, minigrad that the "
    "shapes don't fit.":
        lambda d, seen: (d.field == "error" and d.got is not None
                         and str(d.want).startswith("RuntimeError: Inference tensors cannot be")),
}


# What still differs among the programs 0:10000: 31 of them, 0.31 %.  They are compared, and count.
STILL_DIFFERENT = {
    "A call has two faults, of which one is that a view can't be used any more: PyTorch finds "
    "that first, minigrad where it finds it with the gradient.": (741, 2464, 5472, 6679, 7627, 8946),
    "PyTorch differentiates the gradient of binary_cross_entropy() as one node, minigrad its "
    "formula.": (8748, 8761, 9390),
    "nonzero() returns its columns one after the other, which a later result may keep.": (
        4292, 7480, 7942),
    "An index holds a list inside a list, which PyTorch takes for a tuple of indices.": (
        6043, 7421, 8719),
    "PyTorch's parser refuses an argument of a wrong type that minigrad accepts, or for which "
    "Python has another error.": (3150, 5015, 6846),
    "embedding() of a weight that is empty or has no dimensions.": (3833, 4427, 9336),
    "A negative count for repeat(), and topk() of bools.": (2135, 7775),
    "The last digits decide: a layer norm over one number, a logarithm beside 1.": (9280, 9346),
    "The node of // runs before any other: PyTorch numbers it last.": (5248,),
    "The gradient of amax() without dimensions begins with a view.": (7261,),
    "The gradient of a product that contains a zero is computed by other operations.": (9087,),
    "checkpoint() ends its error with advice on debugging.": (2268,),
    "A node is called by hand, with a gradient of another shape than its result.": (7840,),
    "cross_entropy() of classes that do not exist.": (9072,),
}
