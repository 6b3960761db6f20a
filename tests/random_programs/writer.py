"""Writes one random program: keeps track of which tensors exist, so that most statements make sense.

The writer knows shapes and dtypes and has a rough idea of which tensors require a gradient; it never runs
anything.  When it is wrong, the program raises there, which is as good a test as any.
Only `random.Random.random()` is used, whose numbers are the same in every version of Python.
"""
import math
import random
from typing import NamedTuple

FLOATS = ("float32", "float64")
NUMBERS = (0.5, -1.0, 2.0, 1.5, -0.5, 3.0, 0.25, -2.0, 1.0, 0.75, -1.5, 2.5, 0.1, 4.0)
SHAPES = ((), (3,), (2, 3), (1, 3), (2, 1), (4,), (2, 2), (3, 2), (1,), (2, 2, 3), (0,), (3, 0))
SHAPE_WEIGHTS = (4, 8, 8, 3, 3, 3, 4, 2, 2, 2, 0.4, 0.2)


class Expr(NamedTuple):
    """A piece of source text that gives a tensor, and what is known about that tensor."""
    src: str
    shape: tuple
    dtype: str = "float32"
    grad: bool = False       # requires a gradient, as far as the writer can tell
    size: float = 4.0        # a rough bound on its values, to keep exp() and sin() meaningful
    leaf: bool = False
    root: str = ""           # the variable in whose memory it lies, if that is known
    repeats: bool = False    # some of its elements may share a place

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def floating(self):
        return self.dtype in FLOATS


class Writer:
    """The state of one program while it is being written."""

    def __init__(self, seed):
        self._random = random.Random(seed).random
        self.tensors = []        # Expr of every live tensor variable, oldest first
        self.handles = []        # names of hook handles
        self.optimizers = []     # (name, names of its parameters)
        self.classes = []        # names of custom Functions that have been defined
        self.once = set()        # things a program does at most once
        self.inference = False   # whether inference mode has been used
        self._next = 0

    # ------------------------------------------------------------ chance

    def chance(self, p):
        return self._random() < p

    def below(self, n):
        return int(self._random() * n)

    def one_of(self, items):
        return items[self.below(len(items))]

    def weighted(self, items, weights):
        mark = self._random() * sum(weights)
        for item, weight in zip(items, weights):
            mark -= weight
            if mark < 0:
                return item
        return items[-1]

    def some(self, items, most):
        """Between one and `most` different items, in their own order."""
        chosen = {self.below(len(items)) for _ in range(1 + self.below(most))}
        return [items[i] for i in sorted(chosen)]

    # ---------------------------------------------------------- variables

    def name(self, letter="t"):
        self._next += 1
        return f"{letter}{self._next - 1}"

    def keep(self, expr, name=None):
        """Give the expression a variable; returns the variable's name."""
        name = name or self.name()
        self.tensors = [t for t in self.tensors if t.src != name]
        self.tensors.append(expr._replace(src=name, root=expr.root or name))
        return name

    def change(self, name, **known):
        """Note that the variable is different now."""
        self.tensors = [t._replace(**known) if t.src == name else t for t in self.tensors]

    def pick(self, wanted=None, recent=True):
        """A variable, rather a young one that requires a gradient; None if no variable is as wanted."""
        fitting = [t for t in self.tensors if wanted is None or wanted(t)]
        if not fitting:
            return None
        weights = [(2.5 if t.grad else 1) * (1 + (0.4 * i if recent else 0)) for i, t in enumerate(fitting)]
        return self.weighted(fitting, weights)

    # ---------------------------------------------------------- literals

    def number(self):
        return self.one_of(NUMBERS)

    def shape(self):
        return self.weighted(SHAPES, SHAPE_WEIGHTS)

    def values(self, shape, dtype="float32"):
        """A nested list of the shape, as source text."""
        if not shape:
            return repr(self.number()) if dtype in FLOATS else self.whole(dtype)
        return "[" + ", ".join(self.values(shape[1:], dtype) for _ in range(shape[0])) + "]"

    def whole(self, dtype):
        return self.one_of(("True", "False")) if dtype == "bool" else str(self.below(7) - 3)

    def literal(self, shape, dtype="float32", grad=False):
        """`torch.tensor(...)` of the shape."""
        more = "" if dtype in ("float32", "int64", "bool") else f", dtype=torch.{dtype}"
        if math.prod(shape) == 0:
            more = f", dtype=torch.{dtype}"
            src = f"torch.zeros({shape}{more}"
        else:
            src = f"torch.tensor({self.values(shape, dtype)}{more}"
        return Expr(src + (", requires_grad=True)" if grad else ")"), shape, dtype, grad, 4.0, True)

    def partner(self, x, apart=False):
        """Something that broadcasts with x: a variable, a number, or a literal; if it is to lie `apart`, not
        in x's memory."""
        roll = self.below(10)
        if roll < 5:
            found = self.pick(lambda t: t.dtype != "bool" and broadcast(t.shape, x.shape) is not None
                              and not (apart and t.root == x.root and t.src != x.src))
            if found:
                return found
        if roll < 8:
            number = self.number() if self.chance(0.7) else 1 + self.below(3)
            return Expr(repr(number), (), "number", False, 4.0)
        shape = x.shape[self.below(len(x.shape) + 1):]
        return self.literal(tuple(1 if self.chance(0.2) else n for n in shape),
                            self.weighted(("float32", "float64", "int64"), (8, 1, 1)))


def broadcast(a, b):
    """The shape two shapes broadcast to, or None."""
    out = []
    for i in range(max(len(a), len(b))):
        m = a[-1 - i] if i < len(a) else 1
        n = b[-1 - i] if i < len(b) else 1
        if m != n and 1 not in (m, n):
            return None
        out.append(n if m == 1 else m)
    return tuple(reversed(out))


def promote(a, b):
    """The dtype two operands give together; "number" is a Python number."""
    order = ("bool", "number", "int64", "float32", "float64")
    if "number" in (a, b):
        other = b if a == "number" else a
        return "float32" if other in ("int64", "bool", "number") else other
    return order[max(order.index(a), order.index(b))]
