"""Comparisons, where, logic and bits, and conversions to other dtypes."""
from __future__ import annotations

import operator

from tests.op_samples.sample import Sample

NAN, INF = float("nan"), float("inf")


def doubles(t, *rows):
    return t.tensor(rows if len(rows) > 1 else rows[0], dtype=t.float64)


def pair(t):
    return doubles(t, [1.0, 2.0, NAN]), doubles(t, [1.0], [2.5])


def integers(t):
    return t.tensor([6, -3, 0]), t.tensor([3, 5, 1])


def booleans(t):
    return t.tensor([True, False, True]), t.tensor([True, True, False])


def odd(t):
    return (doubles(t, [NAN, INF, -INF, 0.0, -2.5]),)


def three(t):
    return t.tensor([[True], [False]]), doubles(t, [1.0, 2.0, 3.0]), doubles(t, [-1.0], [-2.0])


def mask_and_one(t):
    return t.tensor([True, False, True]), doubles(t, [1.0, 2.0, 3.0])


def one(t):
    return (doubles(t, [1.7, -1.7, 0.0]),)


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
BITS = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
BITS_IN_PLACE = {"iand": operator.iand, "ior": operator.ior, "ixor": operator.ixor}


def of_two(f):
    return lambda t, x, y: f(x, y)


SAMPLES = [
    *[Sample(name, inputs, of_two(getattr(operator, name))) for name in COMPARISONS
      for inputs in (pair, integers, booleans)],
    *[Sample(f"{name} number", odd, lambda t, x, name=name: getattr(t, name)(x, 0)) for name in COMPARISONS],
    *[Sample(f"{name} number", lambda t: (t.tensor([1, 2]),), lambda t, x, name=name: getattr(x, name)(1.5))
      for name in COMPARISONS],
    *[Sample(f"{name}_", one, lambda t, x, name=name: getattr(x, f"{name}_")(0.0), in_place=True)
      for name in COMPARISONS],
    *[Sample(f"{name}_ tensor", lambda t: (doubles(t, [1.0, 2.0]), doubles(t, [1.0, 3.0])),
             lambda t, x, y, name=name: getattr(x, f"{name}_")(y), in_place=True) for name in COMPARISONS],
    *[Sample(name, odd, lambda t, x, name=name: getattr(t, name)(x))
      for name in "isnan isinf isfinite isposinf isneginf logical_not signbit isreal".split()],
    *[Sample(name, inputs, lambda t, x, y, name=name: getattr(t, name)(x, y))
      for name in "logical_and logical_or logical_xor".split() for inputs in (pair, integers, booleans)],
    Sample("isclose", pair, lambda t, x, y: t.isclose(x, y)),
    Sample("isclose nan", odd, lambda t, x: t.isclose(x, x + 1e-12, equal_nan=True)),
    Sample("isclose integers", integers, lambda t, x, y: t.isclose(x, y, rtol=0.5)),
    Sample("isin", integers, lambda t, x, y: t.isin(x, y * 2)),

    Sample("where", three, lambda t, c, x, y: t.where(c, x, y)),
    Sample("where number", mask_and_one, lambda t, c, x: t.where(c, x, 0)),
    Sample("number where", mask_and_one, lambda t, c, x: t.where(c, 2.5, x)),
    Sample("where numbers", mask_and_one, lambda t, c, x: t.where(c, 1, 2.5)),
    Sample("where (method)", three, lambda t, c, x, y: x.where(c, y)),
    Sample("where integers", lambda t: (t.tensor([True, False]), t.tensor([1, 2])), lambda t, c,
           x: t.where(c, x, 0.5)),
    Sample("where mixed", lambda t: (t.tensor([True, False]), t.tensor([1.0, 2.0]), doubles(t, [3.0, 4.0])),
           lambda t, c, x, y: t.where(c, x, y)),

    *[Sample(name, inputs, of_two(f)) for name, f in BITS.items() for inputs in (integers, booleans)],
    *[Sample(name, inputs, of_two(f)) for name, f in BITS_IN_PLACE.items()
      for inputs in (integers, booleans)],
    *[Sample(f"{name} number", integers, lambda t, x, y, f=f: f(x, 6)) for name, f in BITS.items()],
    *[Sample(f"number {name}", integers, lambda t, x, y, f=f: f(6, x)) for name, f in BITS.items()],
    Sample("invert", integers, lambda t, x, y: ~x),
    Sample("invert booleans", booleans, lambda t, x, y: ~x),
    Sample("lshift", integers, lambda t, x, y: x << y),
    Sample("rshift", integers, lambda t, x, y: x >> y),
    Sample("number lshift", integers, lambda t, x, y: 1 << y),
    Sample("rshift number", integers, lambda t, x, y: x >> 1),
    Sample("bitwise_not", integers, lambda t, x, y: t.bitwise_not(x)),

    *[Sample(f"to {name}", one, lambda t, x, name=name: x.to(getattr(t, name)))
      for name in "float32 float64 float16 int64 int32 int16 int8 uint8 bool".split()],
    *[Sample(name, one, lambda t, x, name=name: getattr(x, name)())
      for name in "float double half long int short char byte bool".split()],
    Sample("to copy", one, lambda t, x: x.to(t.float64, copy=True)),
    Sample("to like", lambda t: (*one(t), t.tensor([1.0])), lambda t, x, like: x.to(like)),
    Sample("type_as", lambda t: (*one(t), t.tensor([1.0])), lambda t, x, like: x.type_as(like)),
    Sample("type", one, lambda t, x: x.type("torch.FloatTensor")),
    Sample("double of singles", lambda t: (t.tensor([1.5, -2.0]),), lambda t, x: x.double() * x),
]
