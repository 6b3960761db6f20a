"""Products of vectors and matrices, and what is made of them."""
from tests.op_samples.sample import Sample

NUMBERS = [0.5, -1.25, 2.0, 3.0, 0.75, -0.5, 1.5, -2.0, 0.25, 1.0, -0.75, 2.5]


def filled(t, *shape):
    """Some numbers, no two neighbours alike, in a shape."""
    count = 1
    for n in shape:
        count *= n
    return t.tensor([NUMBERS[i % 12] + 0.125 * (i // 12) for i in range(count)],
                    dtype=t.float64).view(*shape).clone()


def of(*shapes):
    return lambda t: tuple([filled(t, *shape) for shape in shapes])


def square(t):
    return (t.tensor([[2.0, 0.5, 0.0], [-1.0, 3.0, 0.25], [0.5, 0.0, 1.5]], dtype=t.float64),)


def symmetric(x):
    return x + x.mT


def linear(t):
    return t.nn.functional.linear


SAMPLES = [
    Sample("dot", of((3,), (3,)), lambda t, a, b: a @ b),
    Sample("vdot", of((3,), (3,)), lambda t, a, b: t.vdot(a, b)),
    Sample("mv", of((2, 3), (3,)), lambda t, a, b: a @ b),
    Sample("mm", of((2, 3), (3, 4)), lambda t, a, b: a @ b),
    Sample("mm, second turned", of((2, 3), (4, 3)), lambda t, a, b: a.mm(b.t())),
    Sample("mm, first turned", of((3, 2), (3, 4)), lambda t, a, b: a.t().mm(b)),
    Sample("vector @ matrix", of((3,), (3, 4)), lambda t, a, b: a @ b),
    Sample("bmm", of((2, 2, 3), (2, 3, 4)), lambda t, a, b: a.bmm(b)),
    Sample("batch @ matrix", of((2, 2, 3), (3, 4)), lambda t, a, b: a @ b),
    Sample("batch @ vector", of((2, 2, 3), (3,)), lambda t, a, b: a @ b),
    Sample("vector @ batch", of((3,), (2, 3, 4)), lambda t, a, b: a @ b),
    Sample("matrix @ batch", of((2, 3), (2, 3, 4)), lambda t, a, b: a @ b),
    Sample("batch @ batch", of((2, 2, 3), (2, 3, 4)), lambda t, a, b: t.matmul(a, b)),
    Sample("batches broadcast", of((2, 1, 2, 3), (2, 3, 4)), lambda t, a, b: a @ b),
    Sample("outer", of((2,), (3,)), lambda t, a, b: t.outer(a, b)),
    Sample("inner", of((2, 3), (4, 3)), lambda t, a, b: t.inner(a, b)),
    Sample("tensordot", of((2, 2, 3), (2, 3, 4)), lambda t, a, b: t.tensordot(a, b, dims=([1, 2], [0, 1]))),
    Sample("kron", of((2, 2), (2, 3)), lambda t, a, b: t.kron(a, b)),
    Sample("cross", of((2, 3), (2, 3)), lambda t, a, b: t.cross(a, b, dim=1)),
    Sample("chain_matmul", of((2, 3), (3, 4), (4, 2)), lambda t, a, b, c: t.linalg.multi_dot([a, b, c])),
    Sample("einsum, matrices", of((2, 3), (3, 4)), lambda t, a, b: t.einsum("ij,jk->ik", a, b)),
    Sample("einsum, batches", of((2, 2, 3), (2, 3, 4)), lambda t, a, b: t.einsum("bij,bjk->bik", a, b)),
    Sample("einsum, three", of((2,), (2, 3), (3,)), lambda t, a, b, c: t.einsum("i,ij,j->", a, b, c)),
    Sample("einsum, diagonal", of((3, 3)), lambda t, a: t.einsum("ii->i", a)),
    Sample("einsum, outer", of((2,), (3,)), lambda t, a, b: t.einsum("i,j->ij", a, b)),
    Sample("einsum, sum", of((2, 3)), lambda t, a: t.einsum("ij->j", a)),
    Sample("addmm", of((4,), (2, 3), (3, 4)), lambda t, a, b, c: t.addmm(a, b, c, beta=2, alpha=3)),
    Sample("addmm_", of((2, 4), (2, 3), (3, 4)), lambda t, a, b, c: a.addmm_(b, c, alpha=0.5), in_place=True),
    Sample("addmv", of((2,), (2, 3), (3,)), lambda t, a, b, c: t.addmv(a, b, c)),
    Sample("addmv_", of((2,), (2, 3), (3,)), lambda t, a, b, c: a.addmv_(b, c), in_place=True),
    Sample("addr", of((2, 3), (2,), (3,)), lambda t, a, b, c: t.addr(a, b, c, alpha=2)),
    Sample("addr_", of((2, 3), (2,), (3,)), lambda t, a, b, c: a.addr_(b, c, beta=2), in_place=True),
    Sample("baddbmm", of((2, 2, 4), (2, 2, 3), (2, 3, 4)), lambda t, a, b, c: t.baddbmm(a, b, c)),
    Sample("addbmm", of((2, 4), (2, 2, 3), (2, 3, 4)), lambda t, a, b, c: t.addbmm(a, b, c)),
    Sample("linear", of((5, 3), (2, 3), (2,)), lambda t, x, w, b: linear(t)(x, w, b)),
    Sample("linear, vector", of((3,), (2, 3), (2,)), lambda t, x, w, b: linear(t)(x, w, b)),
    Sample("linear, batch", of((2, 2, 3), (2, 3), (2,)), lambda t, x, w, b: linear(t)(x, w, b)),
    Sample("linear, no bias", of((5, 3), (2, 3)), lambda t, x, w: linear(t)(x, w)),
    Sample("trace", of((2, 3)), lambda t, a: a.trace()),
    Sample("matrix_power", square, lambda t, a: a.matrix_power(3)),
    Sample("inverse", square, lambda t, a: t.linalg.inv(a)),
    Sample("det", square, lambda t, a: t.det(a)),
    Sample("slogdet", square, lambda t, a: t.linalg.slogdet(a)),
    Sample("logdet", square, lambda t, a: a.logdet()),
    Sample("solve", lambda t: (*square(t), filled(t, 3, 2)), lambda t, a, b: t.linalg.solve(a, b)),
    Sample("solve, vector", lambda t: (*square(t), filled(t, 3)), lambda t, a, b: t.linalg.solve(a, b)),
    Sample("cholesky", square, lambda t, a: t.linalg.cholesky(a @ a.mT)),
    Sample("eigvalsh", square, lambda t, a: t.linalg.eigvalsh(symmetric(a))),
    Sample("svdvals", of((2, 3)), lambda t, a: t.linalg.svdvals(a)),
    Sample("pinv", of((2, 3)), lambda t, a: t.linalg.pinv(a)),
    Sample("nuclear norm", of((2, 3)), lambda t, a: t.linalg.matrix_norm(a, "nuc")),
]
