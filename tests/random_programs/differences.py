"""Compares two traces: the first statement after which the two modules differ, and in what.

Numbers are compared with a tolerance (also inside messages and printed tensors), everything else exactly.
"""
import math
import re
from collections.abc import Callable
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
    """The differences after the first statement that shows any; [] if the traces agree.

    What EXCEPTIONS names is no difference.
    """
    if any([one.holds(want) for one in EXCEPTIONS if one.about == "program"]):
        return []
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
        if any([one.holds(*state) for one in EXCEPTIONS if one.about == "rest"]):
            return []
        for name in dict.fromkeys(names + a.get("gone", []) + b.get("gone", [])):
            left, right = state[0].get(name), state[1].get(name)
            if left is None or right is None:
                if left is not right:
                    found.append(Difference(step, kind, "exists", name, left is not None, right is not None))
                continue
            found += [Difference(step, kind, field, name, left.get(field), right.get(field))
                      for field in {**left, **right} if field not in ignore and field != "shared"
                      and not same(left.get(field), right.get(field), left.get("dtype"))]
        program = Seen(statements[:step + 1], [one.get("error") for one in want[:step + 1]], *state)
        if any([one.holds(d, program) for d in found for one in EXCEPTIONS if one.about == "rest from it"]):
            return []
        found = [d for d in found
                 if not any([one.holds(d, program) for one in EXCEPTIONS if one.about == "difference"])]
        if found:
            return sorted(found, key=lambda d: ORDER.index(d.field) if d.field in ORDER else 99)
    if len(want) != len(got):
        return [Difference(min(len(want), len(got)), "end", "length", "", want[-1:], got[-1:])]
    return []


# --- what is known to differ, and why it stays --------------------------------------------------------------

class Seen(NamedTuple):
    """A program up to a difference."""
    statements: list
    errors: list            # how each of them ended in the reference: an error, or None
    variables: dict         # what the reference shows of each after the last of them
    others: dict            # what the other module shows

    @property
    def source(self):
        return "\n".join([source for _, source in self.statements])


class Exception_(NamedTuple):
    """One thing that is not compared.

    about: "program"          holds(trace of the reference): nothing of the program is compared
           "rest"             holds(what both show): nothing from that statement on
           "rest from it"   holds(difference, program): nothing from that difference on
           "difference"       holds(difference, program): this difference alone
           "not written"      the generator leaves it out: it would spoil every program it is in
    """
    about: str
    reason: str
    holds: Callable = None


def shares_gradient(want, got):
    def shared(state):
        return state.get("torch", {}).get("shared", False)
    return shared(want) and not shared(got)


def asserted(trace):
    signs = "INTERNAL ASSERT FAILED", "setStorage: sizes"
    return any([sign in step.get("error", "") for step in trace for sign in signs])


def tracks_integers(trace):
    return any(["tracks_integers" in step for step in trace])


def died(trace):
    return len(trace) == 1 and trace[0].get("error", "").startswith("the process died")


def strides_of_nothing(d, program):
    asked = "stride" * (".stride()" in program.source)
    return (d.field == "value" and differ_in_strides(d.want, d.got, asked)
            and any([0 in fields.get("shape", ()) for fields in program.variables.values()]))


def differ_in_strides(want, got, key):
    """Whether two values differ in nothing but entries whose key says that they are strides; in a list that
    is one, in nothing but lists of as many whole numbers."""
    if same(want, got):
        return True
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys():
        return all([differ_in_strides(want[k], got[k], k) for k in want])
    if not isinstance(want, list) or not isinstance(got, list) or len(want) != len(got):
        return key not in ("", "stride") and ("stride" in key or "storage_offset" in key)
    if want and all([type(n) is int for n in want + got]):
        return "stride" in key
    return all([differ_in_strides(a, b, key) for a, b in zip(want, got)])


def shows_inner_view(d, program):
    return ((d.field, d.want, d.got) in (("is_view", True, False), ("base", "unnamed", None))
            and "inference_mode" in program.source)


def reads_new_memory(d, program):
    return d.field in VALUES and ".resize_(" in program.source


def resizes_a_view(d, program):
    return d.field in VALUES and any([re.search(r"out=t\d+\.data\)", source)
                                      for source in responsible(d, program)])


WRITE = re.compile(r"(?:with .*\n\s+)?(\w+)(?:\S*\.\w+_\((.*)\)|\S* [-+*/]{1,2}= (.*)|\[.*\] = (.*))")


def reads_what_it_writes(d, program):
    """Whether it was a write that reads the same memory, except as `x.add_(x)` does; or one into memory in
    which an element stands in several places, though no stride is 0."""
    if d.field not in VALUES:
        return False
    for source in responsible(d, program):
        written = WRITE.fullmatch(source)
        if written:
            target, arguments = written[1], written[2] or written[3] or written[4] or ""
            if overlaps(program.variables.get(target, {})) or arguments != target and any(
                    [memory(name, program) == memory(target, program) for name in NAME.findall(arguments)]):
                return True
    return False


NAME = re.compile(r"\bt\d+\b")


def responsible(d, program):
    """The statements that may have made the difference: the last, and if all were looked at together at the
    end, the last that gave the variable a value."""
    own = [source for _, source in program.statements if re.match(rf"{d.name}\b(?!\.\w+ =)", source)]
    return {*own[-1:], *[source for _, source in program.statements[-1:]]}


def overlaps(fields):
    """Whether the elements of a tensor lie over each other, as those of `x.as_strided((2, 2), (1, 1))`."""
    if not isinstance(fields.get("stride"), list) or 0 in fields["stride"]:
        return False
    sizes = [size for size in fields["shape"] if size > 1]
    reach = 0               # how far the dimensions so far go
    for stride, size in sorted(zip(fields["stride"], sizes)):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


def memory(name, program):
    """The variable whose memory it is, if that is known."""
    base = program.variables.get(name, {}).get("base")
    return name if base in (None, "unnamed") else base


def rests_on_noise(d, program):
    """Whether it was made of numbers that agree only beside the larger ones they came from."""
    if d.field not in VALUES:
        return False
    for name in {name for source in responsible(d, program) for name in NAME.findall(source)} - {d.name}:
        left, right = [side.get(name, {}).get("values") for side in (program.variables, program.others)]
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            rough = ROUGH.get(program.variables[name].get("dtype"), 1e-3)
            if any([isinstance(a, float) and abs(a - b) > rough * max(abs(a), abs(b))
                    for a, b in zip(left, right) if a == a and b == b]):
                return True
    return False


HALFWAY = re.compile("ZeroDivisionError|out of bounds|out of range")


def wrote_before_it_failed(d, program):
    return d.field in VALUES and any([
        HALFWAY.search(error or "") and WRITE.fullmatch(source)
        for error, (_, source) in zip(program.errors, program.statements)])


def saves_before_it_computes(d, program):
    return (d.field == "error" and str(d.want).startswith("RuntimeError: Inference tensors cannot be saved")
            and d.got is not None)


def asks_inference_leaf(d, program):
    return any([fields.get("is_inference") and fields.get("requires_grad") and name in NAME.findall(source)
                for name, fields in program.variables.items() for source in responsible(d, program)
                if "inference_mode" not in source])


def size_of_number(d, program):
    names = NAME.findall(program.statements[-1][1])
    return (d.field == "error" and re.sub("size 1$", "size 0", str(d.want)) == d.got
            and any([program.variables.get(name, {}).get("shape") == [] for name in names]))


def names_a_type(d, program):
    return d.field == "error" and "operand type" in str(d.want) and d.want.replace("'torch.", "'") == d.got


def unallocated(trace):
    return any(["unallocated storage" in str(step) for step in trace])


VALUES = ("values", "value", "grad")

EXCEPTIONS = (
    Exception_("program", "The reference died, so there is nothing to compare with.", died),
    Exception_("program",
               "The reference failed at an assertion of its own, or at storage it had forgotten to make "
               "larger.",
               asserted),
    Exception_("program",
               "In PyTorch integers can come to require a gradient: `x[:, 0] = y` makes x so, if y is a "
               "number "
               "that does.  Nothing sensible follows; minigrad never lets them.", tracks_integers),
    Exception_("program",
               "The gradient of sgn() is PyTorch's zero tensor without memory, of which hardly anything can "
               "be "
               "asked; minigrad's is made of zeros.", unallocated),
    Exception_("rest",
               "Some .grad lies in the memory of another variable: after `x.view(4).backward(g)` PyTorch "
               "keeps "
               "its view of g as x.grad, and adds the next gradient to both.  minigrad makes a copy; from "
               "here "
               "on a write to one of the two is a write to both there, and not here.", shares_gradient),
    Exception_("difference",
               "Strides and offset of a tensor without elements: NumPy keeps none (`zeros((0,))[::2].strides`"
               " is 0), so they are made up, as a new tensor of the shape would have them.",
               strides_of_nothing),
    Exception_("difference",
               "Python's own messages name the module of a type that is written in C.", names_a_type),
    Exception_("difference",
               "The error of x[10], if x is a number, names a size of its dimension 0, which it has not: "
               "PyTorch reads what was left there when the dimension went.", size_of_number),
    Exception_("difference",
               "Of two errors at once PyTorch finds first that an operand cannot be saved; minigrad that the "
               "operation is impossible.", saves_before_it_computes),
    Exception_("difference",
               "What PyTorch makes of several operations (stack, repeat) ends with a view of its own; "
               "outside "
               "inference mode, for tensors of inference mode, that inner view shows as a view of a base "
               "that "
               "nobody can name.", shows_inner_view),
    Exception_("rest from it",
               "What is left when nearly equal numbers are subtracted depends on their last digits, in which "
               "libraries differ (PyTorch's square roots are not always the nearest); divided by, or "
               "compared with 0, it gives anything.", rests_on_noise),
    Exception_("rest from it",
               "An in-place operation that fails at an element in the middle has written those before it in "
               "PyTorch; minigrad computes all before it writes any.", wrote_before_it_failed),
    Exception_("rest from it",
               "PyTorch leaves autograd out of operations all of whose tensors are of inference mode, also "
               "where one is a leaf that requires a gradient, and outside that mode.  What comes of it "
               "depends on the calls that the operation makes itself: sum() gives no gradient, clone() a "
               "CopyBackwards, mean() an error about its own out=.", asks_inference_leaf),
    Exception_("rest from it",
               "resize_() to more elements shows memory that nobody has written.", reads_new_memory),
    Exception_("rest from it",
               "A write whose operand is another view of the memory it goes to, with gaps in it, or into "
               "memory whose elements overlap: PyTorch does not notice, reads some elements after it has "
               "written them, and calls the result undefined.", reads_what_it_writes),
    Exception_("not written",
               "`x.data = ` a tensor of inference mode, or in it: x then requires a gradient and yet is "
               "never "
               "recorded in PyTorch, which no longer tells the two kinds of tensors apart."),
    Exception_("rest from it",
               "`out=t.data` of another shape: what has the same memory shows what is in it now, see below.",
               resizes_a_view),
    Exception_("not written",
               "`out=` a tensor of another shape or dtype: PyTorch makes the storage larger and keeps what "
               "is "
               "behind it; a NumPy array cannot grow in place under other views of its memory."),
    Exception_("not written",
               "In-place writes from a variable that is known to lie in the same memory: see above."),
    Exception_("not written",
               "The indices of equal elements, and sorting nan: both depend on how C++ sorts."),
)


# What Python 3.12 and later add to messages that are Python's own.
NEWER_PYTHONS = re.compile(r" and no __dict__ for setting new attributes|\. Did you mean:? '\w+'\?")


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


ROUGH = {"torch.float64": 2e-6}


def _close(a, b, scale, dtype):
    if a == b or a != a and b != b:
        return True
    if abs(a) > 1e30 and abs(b) > 1e30 and dtype != "torch.float64":      # one side just overflowed
        return (a > 0) == (b > 0)
    if not (math.isfinite(a) and math.isfinite(b)):
        return False
    # (float64 may have been computed from float32, in whose last digit exp and log differ between libraries)
    rough = ROUGH.get(dtype, 1e-3)
    return abs(a - b) <= rough * abs(a) + max(0.02 * rough, 2e-7) * scale


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
