"""Plain writes, writes through views, and x[...] = y."""
from tests.op_samples.indexing import both, long, mask
from tests.op_samples.sample import Sample
from tests.op_samples.shape import of


def written(place, value):
    """x[place] = value; the result is x.  `place` and `value` may ask for the module and the second input."""
    def call(t, x, *more):
        x[place(t) if callable(place) else place] = value(t, *more) if callable(value) else value
        return x
    return call


def through(change):
    """Something done to a view of x; the result is x."""
    def call(t, x, *more):
        change(t, x, *more)
        return x
    return call


def times_two(t, x):
    x[0] *= 2


def plus_one(t, x):
    x[0, 1] += 1


def picked_plus_one(t, x):
    x[[0, 1]] += 1


def itself(t, x):
    x[0] = x[1]


NUMBERS = [("0", 0), ("0, 1", (0, 1)), (":", slice(None)), ("...", ...), (":, 1", (slice(None), 1)),
           ("None", None), ("True", True), ("()", ()), ("1:", slice(1, None)), ("list", [0, 1]),
           ("1:, list", (slice(1, None), [0, 1]))]

SAMPLES = [
    Sample("copy_", both((2, 3), (2, 3)), lambda t, x, y: x.copy_(y), in_place=True),
    Sample("copy_, broadcast", both((2, 3), (3,)), lambda t, x, y: x.copy_(y), in_place=True),
    Sample("copy_, of integers", lambda t: (*of(3)(t), long(t, [1, 2, 3])), lambda t, x, y: x.copy_(y),
           in_place=True),
    Sample("fill_", of(2, 3), lambda t, x: x.fill_(7), in_place=True),
    Sample("fill_, tensor", both((2, 3), ()), lambda t, x, y: x.fill_(y), in_place=True),
    Sample("fill", of(2, 3), lambda t, x: t.fill(x, 7)),
    Sample("zero_", of(2, 3), lambda t, x: x.zero_(), in_place=True),
    Sample("fill_diagonal_", of(3, 2), lambda t, x: x.fill_diagonal_(7), in_place=True),
    Sample("t_", of(2, 3), lambda t, x: x.t_(), in_place=True),
    Sample("transpose_", of(2, 3), lambda t, x: x.transpose_(0, 1), in_place=True),
    Sample("unsqueeze_", of(2, 3), lambda t, x: x.unsqueeze_(1), in_place=True),
    Sample("squeeze_", of(1, 2, 1), lambda t, x: x.squeeze_(), in_place=True),
    Sample("squeeze_, dim", of(1, 2, 1), lambda t, x: x.squeeze_(0), in_place=True),
    *[Sample(f"x[{name}] = number", of(2, 3), written(place, 7.0), in_place=True) for name, place in NUMBERS],
    Sample("x[mask] = number", of(2, 3), written(mask, 7.0), in_place=True),
    Sample("x[0] = y", both((2, 3), (3,)), written(0, lambda t, y: y), in_place=True),
    Sample("x[0] = y, of one element", both((2, 3), (1, 1)), written(0, lambda t, y: y), in_place=True),
    Sample("x[0, 1] = y", both((2, 3), ()), written((0, 1), lambda t, y: y), in_place=True),
    Sample("x[...] = y, broadcast", both((2, 3), (3,)), written(..., lambda t, y: y), in_place=True),
    Sample("x[list] = y, twice the same", both((2, 3), (2, 3)), written([0, 0], lambda t, y: y),
           in_place=True),
    Sample("x[:, list] = y", both((2, 3), (2,)), written((slice(None), [0, 2]), lambda t, y: y),
           in_place=True),
    Sample("x[mask] = y", both((2, 3), (4,)), written(mask, lambda t, y: y), in_place=True),
    Sample("x[mask] = y, a number", both((2, 3), ()), written(mask, lambda t, y: y), in_place=True),
    Sample("x[0, list] = y", both((2, 3), (2,)), written((0, [0, 2]), lambda t, y: y), in_place=True),
    Sample("x[0] *= 2", of(2, 3), through(times_two), in_place=True),
    Sample("x[0, 1] += 1", of(2, 3), through(plus_one), in_place=True),
    Sample("x[[0, 1]] += 1", of(2, 3), through(picked_plus_one), in_place=True),
    Sample("x[0] = x[1]", of(2, 3), through(itself), in_place=True),
    Sample("x[0].mul_(y)", both((2, 3), (3,)), through(lambda t, x, y: x[0].mul_(y)), in_place=True),
    Sample("x[0].exp_()", of(2, 3), through(lambda t, x: x[0].exp_()), in_place=True),
    Sample("x[0].zero_()", of(2, 3), through(lambda t, x: x[0].zero_()), in_place=True),
    Sample("x.t().copy_(y)", both((2, 3), (2,)), through(lambda t, x, y: x.t().copy_(y)), in_place=True),
    Sample("x.view(-1)[2:].sin_()", of(2, 3), through(lambda t, x: x.view(-1)[2:].sin_()), in_place=True),
    Sample("x.diagonal().mul_(3)", of(2, 3), through(lambda t, x: x.diagonal().mul_(3)), in_place=True),
    Sample("x.unfold(1, 2, 2).zero_()", of(2, 3), through(lambda t, x: x.unfold(1, 2, 2).zero_()),
           in_place=True),
]
