"""New tensors: nothing to differentiate, but shapes, dtypes and values."""
from __future__ import annotations

from tests.op_samples.sample import Sample


def new(name, call):
    """A row without inputs."""
    return Sample(name, lambda t: (), call)


def like(name, call):
    """A row that looks at a tensor only to make another."""
    return Sample(name, lambda t: (t.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=t.float64).t(),), call)


SAMPLES = [
    new("tensor of mixed numbers", lambda t: t.tensor([1, 2.5, True])),
    new("tensor of integers and booleans", lambda t: t.tensor([[True, 2], [3, False]])),
    new("tensor of booleans", lambda t: t.tensor([True, False])),
    new("tensor of nothing", lambda t: t.tensor([[], []])),
    new("tensor of tensors", lambda t: t.tensor([[t.tensor(1.5, dtype=t.float64), 2], [3, t.tensor([4])]])),
    new("tensor cut to integers", lambda t: t.tensor([1.7, -1.7], dtype=t.int64)),
    new("tensor wrapped to a byte", lambda t: t.tensor([-1, 255], dtype=t.uint8)),
    new("tensor beyond float32", lambda t: t.tensor([1e40, -1e40])),
    new("tensor of a range", lambda t: t.tensor([range(3), range(3, 6)])),
    new("zeros", lambda t: t.zeros(2, 3, dtype=t.int32)),
    new("ones", lambda t: t.ones([2], dtype=t.bool)),
    new("full of integers", lambda t: t.full((2, 2), 7)),
    new("full of floats", lambda t: t.full((3,), 0.1)),
    new("eye", lambda t: t.eye(2, 3)),
    new("arange of integers", lambda t: t.arange(5, 0, -2)),
    new("arange of floats", lambda t: t.arange(0, 100, 0.1)),
    new("arange of doubles", lambda t: t.arange(-5, 5, 0.37, dtype=t.float64)),
    new("arange into integers", lambda t: t.arange(0, 3.5, dtype=t.int64)),
    new("linspace", lambda t: t.linspace(-3, 11, 100)),
    new("linspace of doubles", lambda t: t.linspace(1, -1, 7, dtype=t.float64)),
    new("linspace of integers", lambda t: t.linspace(0, 10, 5, dtype=t.int64)),
    new("logspace", lambda t: t.logspace(0, 2, 3)),
    new("scalar_tensor", lambda t: t.scalar_tensor(3)),
    new("legacy shape", lambda t: t.FloatTensor(2, 3).fill_(1)),
    new("legacy values", lambda t: t.LongTensor([1.5, 2])),
    new("Tensor of values", lambda t: t.Tensor([[1, 2], [3, 4]])),
    like("zeros_like", lambda t, x: t.zeros_like(x)),
    like("ones_like as integers", lambda t, x: t.ones_like(x, dtype=t.int64)),
    like("full_like", lambda t, x: t.full_like(x, 2.5)),
    like("new_tensor", lambda t, x: x.new_tensor([1, 2])),
    like("new_zeros", lambda t, x: x.new_zeros(2, 2)),
    like("new_full", lambda t, x: x.new_full((2,), 3)),
    Sample("Tensor of a tensor", lambda t: (t.tensor([1.0, 2.0], dtype=t.float64),),
           lambda t, x: t.Tensor(x) * 2),
]
