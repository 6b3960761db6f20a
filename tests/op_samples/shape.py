"""Other views of the same numbers, and parts of a tensor."""
from tests.op_samples.sample import Sample


def numbers(t, *sizes):
    count = 1
    for n in sizes:
        count *= n
    return t.tensor([0.5 * i - 1.25 for i in range(count)], dtype=t.float64).reshape(sizes)


def of(*sizes):
    return lambda t: (numbers(t, *sizes),)


def zeros(t, *sizes):
    return t.zeros(*sizes, dtype=t.float64)


SAMPLES = [
    Sample("view", of(2, 3), lambda t, x: x.view(3, 2)),
    Sample("view, -1", of(2, 3), lambda t, x: x.view(-1)),
    Sample("view, of a transposed matrix", of(2, 3), lambda t, x: x.t().view(3, 2, 1)),
    Sample("view, of nothing", of(0, 3), lambda t, x: x.view(3, 0)),
    Sample("view, of a number", of(), lambda t, x: x.view(1, 1)),
    Sample("view_as", of(2, 3), lambda t, x: x.view_as(zeros(t, 6))),
    Sample("reshape", of(2, 3), lambda t, x: x.reshape(3, 2)),
    Sample("reshape, copied", of(2, 3), lambda t, x: x.t().reshape(6)),
    Sample("reshape, strides kept", of(2, 3), lambda t, x: x[:, :2].reshape(2, 1, 2)),
    Sample("reshape_as", of(2, 3), lambda t, x: x.reshape_as(zeros(t, 3, 2))),
    Sample("flatten", of(2, 3, 2), lambda t, x: x.flatten(1)),
    Sample("flatten, copied", of(2, 3), lambda t, x: x.t().flatten()),
    Sample("flatten, of a number", of(), lambda t, x: x.flatten()),
    Sample("unflatten", of(6), lambda t, x: x.unflatten(0, (2, -1))),
    Sample("ravel", of(2, 3), lambda t, x: x.ravel()),
    Sample("ravel, copied", of(2, 3), lambda t, x: x.t().ravel()),
    Sample("t", of(2, 3), lambda t, x: x.t()),
    Sample("t, one dimension", of(3), lambda t, x: x.t()),
    Sample("T", of(2, 3), lambda t, x: x.T),
    Sample("mT", of(2, 2, 3), lambda t, x: x.mT),
    Sample("adjoint", of(2, 3), lambda t, x: x.adjoint()),
    Sample("transpose", of(2, 3, 2), lambda t, x: x.transpose(0, -1)),
    Sample("swapaxes", of(2, 3), lambda t, x: x.swapaxes(0, 1)),
    Sample("permute", of(2, 3, 2), lambda t, x: x.permute(2, 0, 1)),
    Sample("movedim", of(2, 3, 2), lambda t, x: x.movedim(0, 2)),
    Sample("movedim, several", of(2, 3, 2), lambda t, x: x.movedim((0, 1), (2, 0))),
    Sample("unsqueeze", of(2, 3), lambda t, x: x.unsqueeze(1)),
    Sample("unsqueeze, last", of(2, 3), lambda t, x: x.t().unsqueeze(-1)),
    Sample("squeeze", of(1, 2, 1, 3), lambda t, x: x.squeeze()),
    Sample("squeeze, dim", of(1, 2, 1), lambda t, x: x.squeeze(0)),
    Sample("squeeze, dim that stays", of(1, 2, 1), lambda t, x: x.squeeze(1)),
    Sample("squeeze, dims", of(1, 2, 1, 3), lambda t, x: x.squeeze((2, 0))),
    Sample("expand", of(2, 1), lambda t, x: x.expand(4, -1, 3)),
    Sample("expand, a number", of(), lambda t, x: x.expand(2, 2)),
    Sample("expand_as", of(1, 3), lambda t, x: x.expand_as(zeros(t, 4, 3))),
    Sample("broadcast_to", of(3), lambda t, x: x.broadcast_to((2, 3))),
    Sample("broadcast_tensors", lambda t: (numbers(t, 2, 1), numbers(t, 3)),
           lambda t, x, y: t.broadcast_tensors(x, y)),
    Sample("narrow", of(2, 4), lambda t, x: x.narrow(1, 1, 2)),
    Sample("narrow, from the end", of(2, 4), lambda t, x: x.narrow(1, -2, 2)),
    Sample("select", of(2, 3), lambda t, x: x.select(1, -1)),
    Sample("unfold", of(7, 2), lambda t, x: x.unfold(0, 3, 2)),
    Sample("unfold, overlapping", of(2, 5), lambda t, x: x.unfold(1, 3, 1)),
    Sample("diagonal", of(3, 4), lambda t, x: x.diagonal()),
    Sample("diagonal, offset and dims", of(2, 3, 4), lambda t, x: x.diagonal(-1, 2, 0)),
    Sample("diag, of a matrix", of(3, 4), lambda t, x: x.diag(1)),
    Sample("diag, of a vector", of(3), lambda t, x: x.diag(-1)),
    Sample("diagflat", of(2, 2), lambda t, x: x.diagflat()),
    Sample("diag_embed", of(2, 3), lambda t, x: x.diag_embed(1, 0, 2)),
    Sample("as_strided", of(6), lambda t, x: x.as_strided((2, 2), (3, 1), 1)),
    Sample("as_strided, overlapping", of(6), lambda t, x: x.as_strided((3, 2), (1, 1), 1)),
    Sample("contiguous", of(2, 3), lambda t, x: x.t().contiguous()),
    Sample("contiguous, as it is", of(2, 3), lambda t, x: x.contiguous()),
    Sample("split", of(5), lambda t, x: x.split(2)),
    Sample("split, one piece used", of(2, 6), lambda t, x: x.split(2, 1)[1]),
    Sample("split, sizes", of(6, 2), lambda t, x: x.split([1, 3, 2])),
    Sample("split_with_sizes", of(3, 4), lambda t, x: x.split_with_sizes((1, 3), -1)),
    Sample("chunk", of(7), lambda t, x: x.chunk(3)),
    Sample("tensor_split", of(7), lambda t, x: x.tensor_split(3)),
    Sample("tensor_split, at", of(2, 7), lambda t, x: x.tensor_split((1, 4), 1)),
    Sample("unbind", of(2, 3), lambda t, x: x.unbind(1)),
    Sample("unbind, one used", of(3, 2), lambda t, x: x.unbind()[2]),
    Sample("hsplit", of(2, 4), lambda t, x: x.hsplit(2)),
    Sample("vsplit", of(4, 2), lambda t, x: x.vsplit([1])),
    Sample("iteration", of(2, 3), lambda t, x: [row * 2 for row in x]),
]
