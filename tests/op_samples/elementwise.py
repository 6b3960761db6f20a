"""Functions of one number and of two, activations included: torch.exp, torch.relu, torch.maximum, x.clamp_
..."""
from __future__ import annotations

from tests.op_samples.sample import Sample


def doubles(t, *rows):
    return t.tensor(rows if len(rows) > 1 else rows[0], dtype=t.float64)


def mixed(t):
    """Below, at and above 0, and one that is large."""
    return (doubles(t, [-1.5, -0.25, 0.0], [0.5, 1.25, 30.0]),)


def inside(t):
    """Between -1 and 1, without dimensions that matter."""
    return (doubles(t, [-0.9, -0.25, 0.125, 0.75]),)


def positive(t):
    """Above 1, laid out in another order."""
    return (doubles(t, [1.25, 2.5, 3.0], [4.5, 10.0, 1.5]).t(),)


def odd(t):
    """What is no ordinary number."""
    return (doubles(t, [float("nan"), float("inf"), -float("inf"), -0.0, 2.5]),)


def scalar(t):
    return (t.tensor(0.75, dtype=t.float64),)


def integers(t):
    return (t.tensor([-3, 0, 1, 2]),)


def empty(t):
    return (t.zeros(0, 3, dtype=t.float64),)


def pair(t):
    """Broadcast against each other; ties and opposite signs among them."""
    return doubles(t, [-1.5, -0.25, 0.5]), doubles(t, [0.5], [-0.25])


def positive_pair(t):
    return doubles(t, [0.5, 1.25, 2.0]), doubles(t, [0.5], [3.0])


def pair_with_scalar(t):
    return doubles(t, [-1.5, 0.25]), t.tensor(0.25, dtype=t.float64)


def same_shape(t):
    return doubles(t, [-1.5, -0.25, 0.5, 2.0]), doubles(t, [0.5, -0.25, 1.0, -3.0])


def three(t):
    return (doubles(t, [-1.5, -0.25, 0.5, 2.0]), doubles(t, [0.5, -1.0, 1.0, 3.0]),
            doubles(t, [0.25, -0.5, 0.75, 1.5]))


def three_broadcast(t):
    return doubles(t, [-1.5, 0.5]), doubles(t, [0.5], [3.0]), doubles(t, [0.25], [1.5])


EVERYWHERE = ("exp expm1 exp2 sin cos tan atan sinh cosh tanh asinh sigmoid sign floor ceil trunc round frac "
              "square relu deg2rad rad2deg nan_to_num neg sinc clone erf erfc")
INSIDE = "asin acos atanh erfinv arcsin arccos arctanh"
POSITIVE = "log log2 log10 log1p sqrt rsqrt reciprocal acosh lgamma digamma negative fix"
INSIDE_IN_PLACE = "asin acos erfinv arcsin arccos"
POSITIVE_IN_PLACE = "log log2 log10 log1p sqrt rsqrt reciprocal lgamma digamma negative fix"
# PyTorch's own second derivative of abs cannot be looked at in 2.13 (its tensor has no memory): first
# derivative only.
FLAT = "abs absolute"
IN_PLACE = ("exp expm1 exp2 sin cos tan atan sinh cosh tanh sigmoid sign floor ceil trunc round frac square "
            "relu deg2rad rad2deg nan_to_num neg sinc erf erfc")


def named(name):
    return lambda t, x: getattr(t, name)(x)


def method(name, *args, **kwargs):
    return lambda t, *inputs: getattr(inputs[0], name)(*inputs[1:], *args, **kwargs)


SAMPLES = [
    *[Sample(name, mixed, named(name)) for name in EVERYWHERE.split()],
    *[Sample(name, odd, named(name)) for name in EVERYWHERE.split() if name != "sinc"],
    *[Sample(name, scalar, named(name)) for name in (EVERYWHERE + " " + INSIDE).split()],
    *[Sample(name, inside, named(name)) for name in INSIDE.split()],
    *[Sample(name, positive, named(name)) for name in POSITIVE.split()],
    # in float32 the last digit may differ: of integers only what is exact
    *[Sample(name, integers, named(name))
      for name in "sign floor ceil trunc round square relu nan_to_num neg clone sqrt".split()],
    Sample("tanh of integers", lambda t: (t.tensor([0, 0]),), lambda t, x: x.tanh()),
    Sample("exp of booleans", lambda t: (t.tensor([False]),), lambda t, x: x.exp()),
    *[Sample(name, empty, named(name)) for name in "exp tanh relu abs floor sigmoid clone".split()],
    *[Sample(f"{name}_", mixed, method(f"{name}_"), in_place=True) for name in IN_PLACE.split()],
    *[Sample(f"{name}_", inside, method(f"{name}_"), in_place=True) for name in INSIDE_IN_PLACE.split()],
    *[Sample(f"{name}_", positive, method(f"{name}_"), in_place=True) for name in POSITIVE_IN_PLACE.split()],
    *[Sample(name, inputs, named(name), second=False) for name in FLAT.split()
      for inputs in (mixed, odd, scalar, integers)],
    *[Sample(f"{name}_", mixed, method(f"{name}_"), in_place=True, second=False) for name in FLAT.split()],
    Sample("abs (operator)", mixed, lambda t, x: abs(x), second=False),
    Sample("sgn", lambda t: (t.tensor([-2, 0, 3]),), lambda t, x: x.sgn()),
    Sample("round decimals", mixed, lambda t, x: t.round(x * 1.23456, decimals=2)),
    Sample("round_ decimals", mixed, lambda t, x: x.round_(decimals=1), in_place=True),
    Sample("nan_to_num values", odd, lambda t, x: x.nan_to_num(0.5, posinf=3.0)),
    Sample("clone expanded", inside, lambda t, x: x.expand(2, 4).clone()),
    Sample("polygamma", positive, lambda t, x: t.polygamma(2, x)),

    # activations
    Sample("logit", lambda t: (doubles(t, [0.1, 0.5, 0.9, 0.999]),), lambda t, x: t.logit(x)),
    Sample("logit eps", lambda t: (doubles(t, [0.0, 0.25, 0.9, 1.0]),), lambda t, x: t.logit(x, 0.05)),
    Sample("logit_", lambda t: (doubles(t, [0.1, 0.5, 0.9]),), lambda t, x: x.logit_(), in_place=True),
    Sample("threshold", mixed, lambda t, x: t.threshold(x, 0.25, -1.0)),
    Sample("threshold_", mixed, lambda t, x: t.threshold_(x, 0.25, -1.0), in_place=True),
    Sample("celu", mixed, lambda t, x: t.celu(x, 1.5)),
    Sample("celu_", mixed, lambda t, x: t.celu_(x, 1.5), in_place=True),
    Sample("selu", mixed, lambda t, x: t.selu(x)),
    Sample("selu_", mixed, lambda t, x: t.selu_(x), in_place=True),
    Sample("hardshrink", mixed, lambda t, x: x.hardshrink(0.3)),
    Sample("prelu", lambda t: (doubles(t, [-1.5, 0.5], [2.0, -0.25]), doubles(t, [0.25, 0.75])),
           lambda t, x, w: t.prelu(x, w), second=False),

    # functions of two numbers
    *[Sample(name, inputs, lambda t, x, y, name=name: getattr(t, name)(x, y))
      for name in "maximum minimum fmax fmin atan2 hypot copysign logaddexp logaddexp2".split()
      for inputs in (pair, pair_with_scalar, same_shape)],
    *[Sample(f"{name}_", same_shape, method(f"{name}_"), in_place=True)
      for name in "atan2 hypot copysign".split()],
    *[Sample(name, lambda t: (t.tensor([1, -2]), t.tensor([[3], [-2]])), lambda t, x, y,
             name=name: getattr(t, name)(x, y))
      for name in "maximum minimum fmax fmin copysign".split()],
    Sample("maximum nan", lambda t: (doubles(t, [float("nan"), 1.0]), doubles(t, [1.0, float("nan")])),
           lambda t, x, y: t.maximum(x, y)),
    Sample("fmax nan", lambda t: (doubles(t, [float("nan"), 1.0]), doubles(t, [1.0, float("nan")])),
           lambda t, x, y: t.fmax(x, y)),
    Sample("copysign number", mixed, lambda t, x: x.copysign(-2.0)),
    Sample("copysign_ number", mixed, lambda t, x: x.copysign_(-2.0), in_place=True),
    Sample("atan2 at the origin", lambda t: (doubles(t, [0.0, 1.0]), doubles(t, [0.0, 0.0])),
           lambda t, x, y: t.atan2(x, y)),
    Sample("xlogy", positive_pair, lambda t, x, y: t.xlogy(x, y)),
    Sample("xlogy at 0", lambda t: (doubles(t, [0.0, 0.0, 2.0]), doubles(t, [0.0, 2.0, 0.5])), lambda t, x,
           y: t.xlogy(x, y)),
    Sample("xlogy number", positive, lambda t, x: t.xlogy(x, 2.5)),
    Sample("number xlogy", positive, lambda t, x: t.xlogy(2.5, x)),
    Sample("xlogy_", lambda t: (doubles(t, [0.5, 1.0]), doubles(t, [2.0, 3.0])), lambda t, x, y: x.xlogy_(y),
           in_place=True),
    Sample("heaviside", pair, lambda t, x, y: t.heaviside(x.detach(), y.detach())),
    Sample("ldexp", pair, lambda t, x, y: t.ldexp(x, y)),

    # clamp
    Sample("clamp", mixed, lambda t, x: x.clamp(-0.25, 1.25)),
    Sample("clamp min", odd, lambda t, x: x.clamp(min=0)),
    Sample("clamp max", mixed, lambda t, x: t.clamp(x, max=0.5)),
    Sample("clip", mixed, lambda t, x: t.clip(x, 1.0, -1.0)),
    Sample("clamp of integers", integers, lambda t, x: x.clamp(0, 1)),
    Sample("clamp of integers by a float", integers, lambda t, x: x.clamp(min=0.5)),
    Sample("clamp tensors", three, lambda t, x, low, high: x.clamp(low, high)),
    Sample("clamp min tensor", same_shape, lambda t, x, low: x.clamp(min=low)),
    Sample("clamp max tensor", same_shape, lambda t, x, high: x.clamp(max=high)),
    Sample("clamp_", mixed, lambda t, x: x.clamp_(-0.5, 0.5), in_place=True),
    Sample("clamp_ tensors", three, lambda t, x, low, high: x.clamp_(low, high), in_place=True),
    Sample("clip_", mixed, lambda t, x: x.clip_(max=0.5), in_place=True),
    Sample("clamp_min", mixed, lambda t, x: x.clamp_min(0.5)),
    Sample("clamp_min tensor", pair, lambda t, x, low: t.clamp_min(x, low)),
    Sample("clamp_max", mixed, lambda t, x: x.clamp_max(0.5)),
    Sample("clamp_max tensor", pair, lambda t, x, high: t.clamp_max(x, high)),
    Sample("clamp_min_", mixed, lambda t, x: x.clamp_min_(0.5), in_place=True),
    Sample("clamp_max_ tensor", same_shape, lambda t, x, high: x.clamp_max_(high), in_place=True),

    # three tensors
    Sample("addcmul", three_broadcast, lambda t, x, y, z: t.addcmul(x, y, z)),
    Sample("addcmul value", three, lambda t, x, y, z: x.addcmul(y, z, value=-0.5)),
    Sample("addcmul_", three, lambda t, x, y, z: x.addcmul_(y, z, value=2), in_place=True),
    Sample("addcdiv", three_broadcast, lambda t, x, y, z: t.addcdiv(x, y, z)),
    Sample("addcdiv value", three, lambda t, x, y, z: x.addcdiv(y, z, value=-0.5)),
    Sample("addcdiv_", three, lambda t, x, y, z: x.addcdiv_(y, z, value=2), in_place=True),
    Sample("lerp", pair, lambda t, x, y: t.lerp(x, y, 0.25)),
    Sample("lerp past the middle", pair, lambda t, x, y: x.lerp(y, 0.75)),
    Sample("lerp tensor", three_broadcast, lambda t, x, y, w: t.lerp(x, y, w)),
    Sample("lerp_", same_shape, lambda t, x, y: x.lerp_(y, 0.25), in_place=True),
    Sample("lerp_ tensor", three, lambda t, x, y, w: x.lerp_(y, w), in_place=True),
]
