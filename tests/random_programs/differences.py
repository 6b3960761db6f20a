"""Compares two traces: the first statement after which the two modules differ, and in what.

Numbers are compared with a tolerance (also inside messages and printed tensors), everything else exactly.
"""
import math
import re
from typing import NamedTuple

NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
ORDER = ("error", "warnings", "values", "value", "dtype", "shape", "requires_grad", "is_leaf", "grad_fn",
         "graph",
         "version", "grad", "retains_grad", "is_view", "base", "output_nr", "same_as", "stride",
         "grad_version")


class Difference(NamedTuple):
    step: int
    kind: str        # the kind of statement, as the generator calls it
    field: str       # what differs: error, values, grad_fn, version, ...
    name: str        # the variable concerned, or ""
    want: object
    got: object

    @property
    def group(self):
        """Differences of one group are probably one bug."""
        if self.field in ("error", "warnings"):
            return self.kind, self.field, f"{_short(self.want)}  |  {_short(self.got)}"
        if self.field in ("grad_fn", "dtype"):
            return self.kind, self.field, f"{self.want}  |  {self.got}"
        if self.field == "graph":
            return self.kind, self.field, _first_node(self.want, self.got)
        return self.kind, self.field, ""


def compare(statements, want, got, ignore=()):
    """The differences after the first statement that shows any; [] if the traces agree."""
    if died(want) or hit_a_bug(want):
        return []                  # such a program says nothing about the other module
    state = {}, {}
    for step, (a, b) in enumerate(zip(want, got)):
        kind = statements[step][0] if step < len(statements) else "end"
        found = [Difference(step, kind, field, "", a.get(field),
                            b.get(field)) for field in ("error", "warnings")
                 if field not in ignore and not same(a.get(field), b.get(field))]
        names = list({**a.get("changed", {}), **b.get("changed", {})})
        for side, trace in zip(state, (a, b)):
            for name, fields in trace.get("changed", {}).items():
                if "same_as" in fields or "shape" in fields and "same_as" in side.get(name, {}):
                    side[name] = {}
                side.setdefault(name, {}).update(fields)
            for name in trace.get("gone", ()):
                side.pop(name, None)
        if shares_gradient(state[0]) and not shares_gradient(state[1]):
            return []                  # from here on a write to one of the two is a write to both
        for name in dict.fromkeys(names + a.get("gone", []) + b.get("gone", [])):
            left, right = state[0].get(name), state[1].get(name)
            if left is None or right is None:
                if left is not right:
                    found.append(Difference(step, kind, "exists", name, left is not None, right is not None))
                continue
            found += [Difference(step, kind, field, name, left.get(field), right.get(field))
                      for field in {**left, **right} if field not in ignore and field != "shared"
                      and not same(left.get(field), right.get(field), left.get("dtype"))]
        if found:
            return sorted(found, key=lambda d: ORDER.index(d.field) if d.field in ORDER else 99)
    if len(want) != len(got):
        return [Difference(min(len(want), len(got)), "end", "length", "", want[-1:], got[-1:])]
    return []


def shares_gradient(state):
    """Whether some .grad lies in the memory of another variable: after `x.view(4).backward(g)` PyTorch keeps
    its view of g as x.grad, and adds the next gradient to both.  minigrad makes a copy."""
    return state.get("torch", {}).get("shared", False)


def hit_a_bug(trace):
    """Whether the reference failed in a way of its own: at an internal assertion, or with integers that
    require a gradient (`x[:, 0] = y` makes x so, if y is a number that does)."""
    dtypes = {}
    for step in trace:
        if "INTERNAL ASSERT FAILED" in step.get("error", "") or "setStorage: sizes" in step.get("error", ""):
            return True
        for name, fields in step.get("changed", {}).items():
            dtypes[name] = fields.get("dtype", dtypes.get(name))
            if fields.get("requires_grad") is True and dtypes[name] in ("torch.int64", "torch.bool"):
                return True
    return False


# What Python 3.12 and later add to messages that are Python's own.
NEWER_PYTHONS = re.compile(r" and no __dict__ for setting new attributes|\. Did you mean:? '\w+'\?")


def died(trace):
    return len(trace) == 1 and trace[0].get("error", "").startswith("the process died")


def same(a, b, dtype=None):
    """Equal, with a tolerance for floating point numbers wherever they are."""
    if isinstance(a, float) or isinstance(b, float):
        return _numbers(a) and _numbers(b) and type(a) is type(b) and _close(a, b, 1.0, dtype)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], a.get("dtype", dtype)) for k in a)
    if isinstance(a, list):
        if len(a) != len(b):
            return False
        if a and all(isinstance(v, float) for v in a) and all(isinstance(v, float) for v in b):
            scale = max([1.0] + [abs(v) for v in a if math.isfinite(v)])
            return all(_close(x, y, scale, dtype) for x, y in zip(a, b))
        return all(same(x, y, dtype) for x, y in zip(a, b))
    if isinstance(a, str) and a != b:
        a, b = NEWER_PYTHONS.sub("", a), NEWER_PYTHONS.sub("", b)
        left, right = NUMBER.findall(a), NUMBER.findall(b)
        return (len(left) == len(right) and _blank(a) == _blank(b)
                and all(_close(float(x), float(y), max(1.0, abs(float(x))), dtype) for x,
                        y in zip(left, right)))
    return a == b


def _numbers(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def _close(a, b, scale, dtype):
    if a == b or a != a and b != b:
        return True
    if abs(a) > 1e30 and abs(b) > 1e30 and dtype != "torch.float64":      # one side just overflowed
        return (a > 0) == (b > 0)
    if not (math.isfinite(a) and math.isfinite(b)):
        return False
    # (float64 may have been computed from float32, in whose last digit exp and log differ between libraries)
    rough = 2e-6 if dtype == "torch.float64" else 1e-3
    return abs(a - b) <= rough * abs(a) + 0.02 * rough * scale


def _blank(text):
    """The text without its numbers and without runs of spaces (columns move with the width of a number)."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", text))


def _short(what):
    text = what[0] if isinstance(what, list) and what else what
    return "(none)" if text is None else re.sub(r"\d+", "N", str(text).split("\n")[0])[:150]


def _first_node(want, got):
    if not isinstance(want, list) or not isinstance(got, list):
        return f"{_short(want)}  |  {_short(got)}"
    for a, b in zip(want, got):
        if a != b:
            return f"{re.sub(r'of t[0-9]+', '', a)}  |  {re.sub(r'of t[0-9]+', '', b)}"
    return "length"
