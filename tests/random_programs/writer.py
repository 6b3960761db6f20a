"""Writes one random program: fills the holes of templates and remembers which tensors the program
has.

The writer knows shapes and dtypes and has a rough idea of which tensors require a gradient; it
never runs anything. Where it is wrong the program raises an error, which is compared like
everything else. It uses only `random.Random.random()`, which returns the same numbers in every
version of Python.
"""
import math
import random
import re
import textwrap
from typing import NamedTuple

FLOATS = ("float32", "float64")
DTYPES = ("bool", "number", "int64", "float32", "float64")      # in the order of promotion
NUMBERS = (0.5, -1.0, 2.0, 1.5, -0.5, 3.0, 0.25, -2.0, 1.0, 0.75, -1.5, 2.5, 0.1, 4.0)
SHAPES = ((), (3,), (2, 3), (1, 3), (2, 1), (4,), (2, 2), (3, 2), (1,), (2, 2, 3), (0,), (3, 0))
SHAPE_WEIGHTS = (4, 8, 8, 3, 3, 3, 4, 2, 2, 2, 0.4, 0.2)


class Impossible(Exception):
    """Raised when the program has no tensor that a template needs."""


class Expr(NamedTuple):
    """A piece of source text that returns a tensor, and what is known about that tensor."""
    src: str
    shape: tuple = ()
    dtype: str = "float32"
    grad: bool = False       # requires a gradient, as far as the writer can tell
    size: float = 4.0        # a rough bound on the values
    leaf: bool = False
    base: str = ""           # the variable whose memory it shares, where that is known

    def __str__(self):
        return self.src

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def count(self):
        return math.prod(self.shape)

    @property
    def floating(self):
        return self.dtype in FLOATS


class Writer:
    """The state of one program while it is written."""

    def __init__(self, seed):
        self._random = random.Random(seed).random
        self.tensors = []        # an Expr for every tensor variable, oldest first
        self.handles = []        # names of hook handles
        self.optimizers = []     # names of optimizers
        self.defined = set()     # custom Functions that the program has defined
        self._names = 0

    def chance(self, probability):
        return self._random() < probability

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
        """Return between one and `most` different items, in their own order."""
        chosen = {self.below(len(items)) for _ in range(1 + self.below(most))}
        return [items[i] for i in sorted(chosen)]

    def name(self, letter="t"):
        self._names += 1
        return f"{letter}{self._names - 1}"

    def keep(self, expr, name=None):
        """Give the expression a variable, and return the name of the variable."""
        name = name or self.name()
        self.tensors = [t for t in self.tensors if t.src != name]
        self.tensors.append(expr._replace(src=name, base=expr.base or name))
        return name

    def change(self, name, **known):
        """Note what a statement changed about a variable."""
        self.tensors = [t._replace(**known) if t.src == name else t for t in self.tensors]

    def pick(self, wanted=None):
        """Return a variable, rather a young one that requires a gradient."""
        fitting = [t for t in self.tensors if wanted is None or wanted(t)]
        if not fitting:
            raise Impossible
        return self.weighted(fitting,
                             [(2.5 if t.grad else 1) * (1 + 0.4 * i) for i,
                              t in enumerate(fitting)])

    def maybe(self, wanted):
        return self.pick(wanted) if any(map(wanted, self.tensors)) else None

    def shape(self):
        return self.weighted(SHAPES, SHAPE_WEIGHTS)

    def numbers(self, shape, dtype="float32"):
        """Return a nested list of the shape, as source text."""
        if shape:
            return "[" + ", ".join([self.numbers(shape[1:], dtype) for _ in range(shape[0])]) + "]"
        if dtype == "bool":
            return self.one_of(("True", "False"))
        return repr(self.one_of(NUMBERS)) if dtype in FLOATS else str(self.below(7) - 3)

    def literal(self, shape, dtype="float32", grad=False):
        """Return `torch.tensor(...)` of the shape."""
        kind = "" if dtype in ("float32", "int64",
                               "bool") and math.prod(shape) else f", dtype=torch.{dtype}"
        made = f"tensor({self.numbers(shape, dtype)}" if math.prod(shape) else f"zeros({shape}"
        src = f"torch.{made}{kind}{', requires_grad=True' if grad else ''})"
        return Expr(src, shape, dtype, grad, leaf=True)

    def partner(self, x, apart=False):
        """Return what broadcasts with x: a variable, a number or a literal; `apart`: not in x's
        memory."""
        roll = self.below(10)
        if roll < 5:
            found = self.maybe(lambda t: t.dtype != "bool"
                               and broadcast(t.shape, x.shape) is not None
                               and not (apart and t.base == x.base and t.src != x.src))
            if found:
                return found
        if roll < 8:
            number = self.one_of(NUMBERS) if self.chance(0.7) else 1 + self.below(3)
            return Expr(repr(number), (), "number")
        shape = tuple(1 if self.chance(0.2) else n for n in x.shape[self.below(x.ndim + 1):])
        return self.literal(shape, self.weighted(("float32", "float64", "int64"), (8, 1, 1)))


class Holes:
    """The values of the holes in a template: a mapping whose items are chosen when they are
    first used."""

    def __init__(self, writer, x):
        self.writer, self.x, self.chosen = writer, x, {"x": x, "resized": self.resized}
        if x is not None:
            self.chosen.update(s=x.shape, count=x.count)

    def __getitem__(self, hole):
        if hole not in self.chosen:
            if not hasattr(self, hole):
                raise KeyError(hole)
            self.chosen[hole] = getattr(self, hole)()
        return self.chosen[hole]

    def fill(self, template):
        return template.format_map(self)

    def y(self):
        """An operand that broadcasts with x."""
        return self.writer.partner(self.x)

    def z(self):
        """A tensor of the same shape and dtype as x, perhaps x itself."""
        return self.writer.maybe(lambda t: (t.shape, t.dtype) == (self.x.shape,
                                                                  self.x.dtype)) or self.x

    def u(self):
        """Any variable."""
        return self.writer.pick()

    def leaf(self):
        return self.writer.pick(lambda t: t.leaf and t.grad)

    def several(self):
        return ", ".join(self.writer.some([t.src for t in self.writer.tensors if t.grad]
                                          or [self.x.src], 3))

    def n(self):
        return self.writer.one_of(NUMBERS)

    def axis(self):
        """A dimension of x with its size not 0, counted from the front."""
        axes = [d for d, size in enumerate(self.x.shape) if size]
        if not axes:
            raise Impossible
        return self.writer.one_of(axes)

    def d(self):
        """The same dimension, as it is written: counted from either end."""
        return self["axis"] - (self.x.ndim if self.writer.chance(0.35) else 0)

    def before(self):
        """The colons in front of an index into that dimension."""
        return ":, " * self["axis"]

    def length(self):
        return self.x.shape[self["axis"]]

    def i(self):
        return self.writer.below(self["length"])

    def many(self):
        """A list of indices into that dimension."""
        return [self.writer.below(self["length"]) for _ in range(1 + self.writer.below(3))]

    def keepdim(self):
        return self.writer.one_of(("", "", ", keepdim=True"))

    def vector(self):
        """A vector that x can be multiplied by."""
        return self.writer.literal(self.x.shape[-1:], self.x.dtype, self.writer.chance(0.3))

    def matrix(self):
        return self.writer.literal((*self.x.shape[-1:], 2), self.x.dtype, self.writer.chance(0.3))

    def classes(self):
        """The labels of the rows of a matrix x."""
        return [self.writer.below(self.x.shape[1]) for _ in range(self.x.shape[0])]

    def one_row(self):
        """New values for one index of the dimension."""
        shape = self.resized(1)
        return self.writer.literal(shape, self.x.dtype, self.x.floating and self.writer.chance(0.3))

    def zeros(self):
        """Indices for gather and scatter: 0 everywhere along the dimension, once."""
        return f"torch.zeros({self.resized(1)}, dtype=torch.int64)"

    def reduction(self):
        return self.writer.one_of(("", "", ", reduction='sum'", ", reduction='none'"))

    def function(self):
        return self.writer.one_of(FUNCTIONS_OF_A_TENSOR)

    def new(self):
        """The name of a variable for the result, which the statements table takes to be like x."""
        return self.writer.keep(self.x._replace(leaf=False, size=self.x.size * 10, base=""))

    def handle(self):
        self.writer.handles.append(self.writer.name("h"))
        return self.writer.handles[-1]

    def optimizer(self):
        self.writer.optimizers.append(self.writer.name("o"))
        return self.writer.optimizers[-1]

    def old_handle(self):
        return self._old(self.writer.handles)

    def old_optimizer(self):
        return self._old(self.writer.optimizers)

    def _old(self, names):
        if not names:
            raise Impossible
        return self.writer.one_of(names)

    def v(self):
        """The name of a variable for something that is not a tensor."""
        return self.writer.name("v")

    def reduced(self):
        """The shape of x without the dimension, or with size 1 there if the source says keepdim."""
        return self.resized(1) if "True" in self["keepdim"] else self.removed()

    def loss_shape(self):
        return self.x.shape if "none" in self["reduction"] else ()

    def losses(self):
        return self.loss_shape()[:1]

    def removed(self):
        d = self["axis"]
        return self.x.shape[:d] + self.x.shape[d + 1:]

    def resized(self, size):
        d = self["axis"]
        return self.x.shape[:d] + (size,) + self.x.shape[d + 1:]


FUNCTIONS_OF_A_TENSOR = (
    "lambda x: (x * x).sum()", "lambda x: x.exp().sum()", "lambda x: x ** 3",
    "lambda x: x.sin() * 2",
    "lambda x: x.sum(0)", "lambda x: (x * 2, x.sum())", "lambda x: torch.ones(2)",
    "lambda x: x.detach()",
    "lambda x: 3", "lambda x: x.prod()", "lambda x: x.abs() + 1", "lambda x: x.clone()")


def broadcast(a, b):
    """Return the shape that two shapes broadcast to, or None."""
    out = []
    for i in range(max(len(a), len(b))):
        m = a[-1 - i] if i < len(a) else 1
        n = b[-1 - i] if i < len(b) else 1
        if m != n and 1 not in (m, n):
            return None
        out.append(n if m == 1 else m)
    return tuple(reversed(out))


def promote(a, b):
    """Return the dtype of a result of two operands; "number" is a Python number."""
    if "number" in (a, b):
        other = b if a == "number" else a
        return other if other in FLOATS else "float32"
    return DTYPES[max(DTYPES.index(a), DTYPES.index(b))]


def split_rows(table):
    """Return the rows of a table: blocks between empty lines, or else what stands between wide
    spaces."""
    table = textwrap.dedent(table).strip("\n")
    if "\n\n" in table or "\n    " in table:
        return table.split("\n\n")
    return re.split(r" {2,}|\n", table)
