"""Elements picked and written by number or mask."""
from tests.op_samples.sample import Sample
from tests.op_samples.shape import numbers, of


def long(t, data):
    return t.tensor(data, dtype=t.int64)


def both(first, second):
    return lambda t: (numbers(t, *first), numbers(t, *second))


def mask(t):
    return t.tensor([[True, False, True], [False, True, True]])


def scattered(reduce, **options):
    return lambda t, x, y: x.scatter_reduce(1, long(t, [[0, 0], [1, 2]]), y, reduce, **options)


PICKED = [
    ("0", lambda t, x: x[0]),
    ("-1, 2", lambda t, x: x[-1, 2]),
    (":", lambda t, x: x[:]),
    ("...", lambda t, x: x[...]),
    ("1:", lambda t, x: x[1:]),
    ("::2", lambda t, x: x[::2]),
    (":, 1:", lambda t, x: x[:, 1:]),
    ("0:2, 1", lambda t, x: x[0:2, 1]),
    ("-2:, 1", lambda t, x: x[-2:, 1]),
    ("..., 0", lambda t, x: x[..., 0]),
    ("None", lambda t, x: x[None]),
    (":, None, 1", lambda t, x: x[:, None, 1]),
    ("True", lambda t, x: x[True]),
    ("a tensor without dimensions", lambda t, x: x[long(t, 1)]),
    ("list", lambda t, x: x[[1, 0, 1]]),
    ("list of lists", lambda t, x: x[[0, 1, 1], [2, 0, 0]]),
    ("tensor", lambda t, x: x[long(t, [[0, 1], [1, 1]])]),
    (":, list", lambda t, x: x[:, [2, 0, 2]]),
    ("list, 1:", lambda t, x: x[[0, 0], 1:]),
    ("1, list", lambda t, x: x[1, [0, 2]]),
    ("None, list", lambda t, x: x[None, [1, 0]]),
    ("broadcast", lambda t, x: x[long(t, [[0], [1]]), long(t, [2, 0])]),
    ("mask", lambda t, x: x[mask(t)]),
    ("mask of a comparison", lambda t, x: x[x > 0]),
    ("mask of rows", lambda t, x: x[t.tensor([False, True])]),
    (":, mask", lambda t, x: x[:, t.tensor([True, False, True])]),
    ("nothing", lambda t, x: x[[]]),
    ("transposed", lambda t, x: x.t()[[0, 2]]),
]

DEEP = [
    ("list, :, list", lambda t, x: x[[0, 1], :, [1, 0]]),
    (":, list, list", lambda t, x: x[:, [0, 2], [1, 0]]),
    ("0, :, list", lambda t, x: x[0, :, [0, 1]]),
    ("list, None, list", lambda t, x: x[[0, 1], None, [0, 1]]),
    ("mask, 1", lambda t, x: x[mask(t), 1]),
    ("mask, None", lambda t, x: x[mask(t), None]),
    ("..., list", lambda t, x: x[..., [0, 0]]),
]

SAMPLES = [
    *[Sample(f"x[{name}]", of(2, 3), call) for name, call in PICKED],
    *[Sample(f"x[{name}], 3 dims", of(2, 3, 2), call) for name, call in DEEP],
    Sample("gather", of(2, 3), lambda t, x: x.gather(1, long(t, [[0, 0], [2, 1]]))),
    Sample("gather, dim 0", of(2, 3), lambda t, x: t.gather(x, 0, long(t, [[1, 0, 1]]))),
    Sample("gather, of a number", of(), lambda t, x: x.gather(0, long(t, [0, 0]))),
    Sample("take_along_dim", of(2, 3), lambda t, x: t.take_along_dim(x, long(t, [[0], [2]]), 1)),
    Sample("take_along_dim, broadcast", of(2, 3), lambda t, x: t.take_along_dim(x, long(t, [[1]]), 1)),
    Sample("take_along_dim, no dim", of(2, 3), lambda t, x: t.take_along_dim(x, long(t, [0, 5]))),
    Sample("index_select", of(3, 2), lambda t, x: x.index_select(0, long(t, [2, 2, 0]))),
    Sample("index_select, dim 1", of(2, 3), lambda t, x: x.index_select(1, long(t, [1]))),
    Sample("index_select, of a number", of(), lambda t, x: x.index_select(0, long(t, [0]))),
    Sample("take", of(2, 3), lambda t, x: x.take(long(t, [[0, 5], [5, -1]]))),
    Sample("masked_select", of(2, 3), lambda t, x: x.masked_select(mask(t))),
    Sample("masked_select, broadcast", of(3), lambda t, x: x.masked_select(mask(t))),
    Sample("nonzero", of(2, 3), lambda t, x: (x > 0).nonzero()),
    Sample("nonzero, as tuple", of(2, 3), lambda t, x: (x > 0).nonzero(as_tuple=True)),
    Sample("argwhere", of(2, 3), lambda t, x: t.argwhere(x > 0)),
    Sample("masked_fill", of(2, 3), lambda t, x: x.masked_fill(mask(t), 7)),
    Sample("masked_fill, broadcast", of(3), lambda t, x: x.masked_fill(mask(t), 7)),
    Sample("masked_fill, tensor", both((2, 3), ()), lambda t, x, y: x.masked_fill(mask(t), y)),
    Sample("masked_fill_", of(2, 3), lambda t, x: x.masked_fill_(mask(t), 7), in_place=True),
    Sample("masked_fill_, tensor", both((2, 3), ()), lambda t, x, y: x.masked_fill_(mask(t), y),
           in_place=True),
    Sample("masked_scatter", both((2, 3), (5,)), lambda t, x, y: x.masked_scatter(mask(t), y)),
    Sample("masked_scatter_", both((2, 3), (4,)), lambda t, x, y: x.masked_scatter_(mask(t), y),
           in_place=True),
    Sample("index_put", both((2, 3), (2,)),
           lambda t, x, y: x.index_put((long(t, [0, 1]), long(t, [2, 0])), y)),
    Sample("index_put, accumulate", both((2, 3), (2, 3)),
           lambda t, x, y: x.index_put((long(t, [1, 1]),), y, accumulate=True)),
    Sample("index_put_", both((2, 3), (3,)), lambda t, x, y: x.index_put_((long(t, [1, 0]),), y),
           in_place=True),
    Sample("index_add", both((2, 3), (2, 3)), lambda t, x, y: x.index_add(0, long(t, [1, 1]), y)),
    Sample("index_add, alpha", both((2, 3), (2, 2)), lambda t, x,
           y: x.index_add(1, long(t, [0, 2]), y, alpha=3)),
    Sample("index_add_", both((3,), (2,)), lambda t, x, y: x.index_add_(0, long(t, [2, 2]), y),
           in_place=True),
    Sample("index_copy", both((3, 2), (2, 2)), lambda t, x, y: x.index_copy(0, long(t, [2, 0]), y)),
    Sample("index_copy_", both((2, 3), (2, 1)), lambda t, x, y: x.index_copy_(1, long(t, [1]), y),
           in_place=True),
    Sample("index_fill", of(3, 2), lambda t, x: x.index_fill(0, long(t, [2, 0]), 7)),
    Sample("index_fill, tensor", both((3, 2), ()), lambda t, x, y: x.index_fill(0, long(t, [2, 2]), y)),
    Sample("index_fill_", of(3, 2), lambda t, x: x.index_fill_(1, long(t, [1]), 7), in_place=True),
    Sample("scatter", both((2, 3), (2, 2)), lambda t, x, y: x.scatter(1, long(t, [[0, 2], [1, 0]]), y)),
    Sample("scatter, number", of(2, 3), lambda t, x: x.scatter(1, long(t, [[0], [1]]), 7)),
    Sample("scatter_", both((2, 3), (2, 1)), lambda t, x, y: x.scatter_(1, long(t, [[0], [1]]), y),
           in_place=True),
    Sample("scatter_, number", of(2, 3), lambda t, x: x.scatter_(0, long(t, [[0, 1]]), 7), in_place=True),
    Sample("scatter_add", both((2, 3), (2, 2)), lambda t, x,
           y: x.scatter_add(1, long(t, [[0, 0], [1, 2]]), y)),
    Sample("scatter_add_", both((2, 3), (1, 2)), lambda t, x, y: x.scatter_add_(0, long(t, [[0, 1]]), y),
           in_place=True),
    *[Sample(f"scatter_reduce, {reduce}", both((2, 3), (2, 2)), scattered(reduce))
      for reduce in ("sum", "prod", "mean", "amax", "amin")],
    *[Sample(f"scatter_reduce, {reduce}, without self", both((2, 3), (2, 2)),
             scattered(reduce, include_self=False))
      for reduce in ("sum", "prod", "mean", "amax", "amin")],
    Sample("put", both((2, 3), (2,)), lambda t, x, y: x.put(long(t, [5, 0]), y)),
    Sample("put, accumulate", both((2, 3), (2,)), lambda t, x, y: x.put(long(t, [5, 5]), y, accumulate=True)),
    Sample("put_", both((2, 3), (2,)), lambda t, x, y: x.put_(long(t, [1, -1]), y), in_place=True),
]
