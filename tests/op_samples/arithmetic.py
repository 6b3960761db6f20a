"""Sums, products, quotients and powers: operators, methods, in-place forms, numbers, mixed dtypes."""
from __future__ import annotations

import operator

from tests.op_samples.sample import Sample


def doubles(t, *rows):
    return t.tensor(rows if len(rows) > 1 else rows[0], dtype=t.float64)


def pair(t):
    return doubles(t, [1.0, 2.0, -3.0]), doubles(t, [3.0], [-4.5])


def same_shape(t):
    return doubles(t, [1.5, 2.5, -3.0]), doubles(t, [0.5, -4.0, 2.0])


def with_scalar(t):
    return doubles(t, [1.5, -2.0]), t.tensor(-0.75, dtype=t.float64)


def with_transposed(t):
    return doubles(t, [1.0, 2.0], [3.0, 4.0]).t(), doubles(t, [0.5, -1.0], [2.0, 0.25])


def with_integers(t):
    return doubles(t, [1.5, -2.0, 0.5]), t.tensor([2, 3, -1])


def with_singles(t):
    return doubles(t, [1.5, -2.0, 0.5]), t.tensor([2.0, 3.5, -1.0])


def integers(t):
    return t.tensor([7, -7, 7, -7]), t.tensor([2, 2, -2, -2])


def small_integers(t):
    return t.tensor([5, 250, 7], dtype=t.uint8), t.tensor([2, 10, 3], dtype=t.int16)


def booleans(t):
    return t.tensor([True, False, True]), t.tensor([True, True, False])


def powers(t):
    return doubles(t, [0.5, 1.5, 2.0]), doubles(t, [2.0], [-1.5])


def powers_of_zero(t):
    return doubles(t, [0.0, 0.0, 2.0]), doubles(t, [0.0, 2.0, 0.0])


def one(t):
    return (doubles(t, [0.5, 1.5, -2.0, 3.0]),)


def above_zero(t):
    return (doubles(t, [0.5, 1.5], [2.0, 3.0]),)


def one_integer(t):
    return (t.tensor([1, -2, 3]),)


FOUR = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv}
FOUR_IN_PLACE = {"iadd": operator.iadd, "isub": operator.isub, "imul": operator.imul,
                 "itruediv": operator.itruediv}
WHOLE = {"floordiv": operator.floordiv, "mod": operator.mod}


def of_two(f):
    return lambda t, x, y: f(x, y)


def with_number(f, number):
    return lambda t, x: f(x, number)


def after_number(f, number):
    return lambda t, x: f(number, x)


SAMPLES = [
    *[Sample(name, inputs, of_two(f)) for name, f in FOUR.items()
      for inputs in (pair, same_shape, with_scalar, with_transposed, with_integers, with_singles, integers)],
    *[Sample(name, same_shape, of_two(f), in_place=True) for name, f in FOUR_IN_PLACE.items()],
    *[Sample(name, with_singles, of_two(f), in_place=True) for name, f in FOUR_IN_PLACE.items()],
    *[Sample(f"{name} number", one, with_number(f, number)) for name, f in FOUR.items()
      for number in (3, 0.5)],
    *[Sample(f"number {name}", above_zero, after_number(f, number)) for name, f in FOUR.items()
      for number in (3, 0.5)],
    Sample("mod number", one, lambda t, x: x % 0.75),
    # floor division has no derivative
    *[Sample(f"number {name}", above_zero, lambda t, x, f=f: f(3, x.detach())) for name, f in WHOLE.items()],
    Sample("floordiv", pair, lambda t, x, y: x.detach() // y.detach()),
    Sample("floordiv number", one, lambda t, x: x.detach() // 0.75),
    *[Sample(f"{name} number", one, with_number(f, 3), in_place=True) for name, f in FOUR_IN_PLACE.items()],
    *[Sample(f"integers {name} number", one_integer, with_number(f, number)) for name,
      f in (FOUR | WHOLE).items()
      for number in (2, 0.5)],
    *[Sample(f"{name} small integers", small_integers, of_two(f)) for name, f in (FOUR | WHOLE).items()],
    Sample("add booleans", booleans, lambda t, x, y: x + y),
    Sample("mul booleans", booleans, lambda t, x, y: x * y),
    Sample("mul", pair, lambda t, x, y: t.mul(x, y)),
    Sample("square by mul", one, lambda t, x: x * x),
    Sample("add alpha", pair, lambda t, x, y: t.add(x, y, alpha=-2)),
    Sample("add alpha number", one, lambda t, x: x.add(1.5, alpha=3)),
    Sample("add_ alpha", same_shape, lambda t, x, y: x.add_(y, alpha=0.5), in_place=True),
    Sample("sub alpha", pair, lambda t, x, y: t.sub(x, y, alpha=-2)),
    Sample("sub_ alpha", same_shape, lambda t, x, y: x.sub_(y, alpha=0.5), in_place=True),
    Sample("rsub", pair, lambda t, x, y: t.rsub(x, y)),
    Sample("rsub alpha", pair, lambda t, x, y: t.rsub(x, y, alpha=2)),
    Sample("rsub number", one, lambda t, x: t.rsub(x, 2, alpha=3)),
    Sample("subtract", same_shape, lambda t, x, y: t.subtract(x, y)),
    Sample("multiply_", same_shape, lambda t, x, y: x.multiply_(y), in_place=True),
    Sample("true_divide", same_shape, lambda t, x, y: t.true_divide(x, y)),
    Sample("divide_", same_shape, lambda t, x, y: x.divide_(y), in_place=True),
    Sample("neg (operator)", one, lambda t, x: -x),
    Sample("pos", one, lambda t, x: +x),
    Sample("positive", one, lambda t, x: x.positive()),

    *[Sample(f"div {mode}", inputs, lambda t, x, y, mode=mode: t.div(x, y, rounding_mode=mode))
      for mode in ("floor", "trunc") for inputs in (pair, integers)],
    Sample("div_ floor", same_shape, lambda t, x, y: x.div_(y, rounding_mode="floor"), in_place=True),
    Sample("floor_divide", integers, lambda t, x, y: t.floor_divide(x, y)),
    *[Sample("remainder", inputs, lambda t, x, y: t.remainder(x, y)) for inputs in (pair, integers)],
    *[Sample("fmod", inputs, lambda t, x, y: t.fmod(x, y)) for inputs in (pair, integers)],
    Sample("remainder number", one, lambda t, x: x.remainder(0.75)),
    Sample("fmod number", one, lambda t, x: x.fmod(0.75)),
    Sample("remainder_", same_shape, lambda t, x, y: x.remainder_(y), in_place=True),
    Sample("fmod_", same_shape, lambda t, x, y: x.fmod_(y), in_place=True),
    Sample("imod", one, lambda t, x: operator.imod(x, 0.75), in_place=True),

    *[Sample(f"pow {exponent}", above_zero, with_number(operator.pow, exponent))
      for exponent in (0, 1, 2, 3, 4, 0.5, -1, -2, -0.5, 2.5, -3)],
    Sample("pow at 0", lambda t: (doubles(t, [0.0, -0.0, 1.0]),), lambda t, x: x ** 0.5),
    Sample("pow of negatives", one, lambda t, x: x ** 3),
    *[Sample("pow tensor", inputs, of_two(operator.pow))
      for inputs in (powers, powers_of_zero, with_integers,
                     lambda t: (t.tensor([2, -1, 3]), t.tensor([3, 2, 0])))],
    Sample("pow of integers to negative powers", lambda t: (t.tensor([2, -1, 1]), t.tensor([-3, -3, -2])),
           lambda t, x, y: x ** y),
    *[Sample(f"number pow {base}", one, after_number(operator.pow, base)) for base in (2, 0.5, 1)],
    Sample("number pow 0", above_zero, lambda t, x: 0 ** x),
    Sample("integers pow number", one_integer, lambda t, x: x ** 2),
    Sample("integers pow float", one_integer, lambda t, x: x ** 2.0),
    Sample("pow_", above_zero, lambda t, x: x.pow_(2.5), in_place=True),
    Sample("pow_ tensor", lambda t: (doubles(t, [0.5, 1.5]), doubles(t, [2.0, -1.5])), lambda t, x,
           y: x.pow_(y),
           in_place=True),
    Sample("ipow", above_zero, lambda t, x: operator.ipow(x, 2), in_place=True),
    Sample("square", one, lambda t, x: x.square()),
    Sample("square_", one, lambda t, x: x.square_(), in_place=True),
    Sample("float_power", powers, lambda t, x, y: t.float_power(x, y)),
    Sample("float_power number", one, lambda t, x: x.float_power(2)),
    Sample("float_power of integers", one_integer, lambda t, x: x.float_power(3)),
]
