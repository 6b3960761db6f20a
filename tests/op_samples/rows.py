"""The table of operations: one call a row, measured on PyTorch and on minigrad (measure.py).

A row is Python source. `t` is either package; the other names are the inputs of inputs.py. `X`
is a copy of x that may be written to; where a row is a statement, its result is X. A row that
raises an error records the error.
"""
from __future__ import annotations

import re

# The names whose rows are made from a pattern: {f} is the name.
POINTWISE = """neg reciprocal square sqrt rsqrt exp log log1p sin cos tan tanh sigmoid relu abs sign
floor ceil round clone""".split()
IN_PLACE = [name for name in POINTWISE if name != "clone"]
COMPARISONS = "eq ne lt le gt ge".split()
TESTS = "isnan isinf isfinite".split()
OPERATORS = "+ - * /".split()
LOSSES = "mse_loss l1_loss smooth_l1_loss huber_loss".split()
ACTIVATIONS = "leaky_relu elu gelu silu".split()
IN_PLACE_ACTIVATIONS = "leaky_relu elu silu".split()
DTYPES = "float64 float32 int64 int32 int16 int8 uint8 bool".split()

PATTERNS = [
    (POINTWISE,
     ["t.{f}(p)", "x.{f}()", "t.{f}(odd)", "s.{f}()", "t.{f}(empty)", "i.{f}()", "f.{f}()"]),
    (IN_PLACE, ["X.{f}_()", "X[0].{f}_()"]),
    (COMPARISONS, ["t.{f}(x, c)", "i.{f}(j)", "b.{f}(d)", "odd.{f}(0)", "i.{f}(1.5)"]),
    (TESTS, ["t.{f}(odd)", "i.{f}()"]),
    (OPERATORS,
     ["x {f} m", "x {f} c", "x {f} s", "w.t() {f} x", "v {f} i", "v {f} f", "i {f} j", "u {f} i",
      "u {f} j",
                 "x {f} 3", "3 {f} p", "x {f} 0.5", "i {f} 2", "i {f} 0.5", "f {f} 0.5", "b {f} i",
                 "b {f} True"]),
    (OPERATORS, ["X {f}= m", "X {f}= f", "X {f}= 3", "X[:, 0] {f}= 2"]),
    (["//", "%"],
     ["x.detach() {f} c.detach()", "x.detach() {f} 0.75", "i {f} j", "i {f} 2", "u {f} 2",
      "7 {f} j",
                   "f {f} 0.5"]),
    (["&", "|"], ["i {f} j", "b {f} d", "i {f} 6", "b {f} i"]),
    (DTYPES,
     ["x.to(t.{f})", "i.to(t.{f})", "t.tensor([1, 0, 3], dtype=t.{f}).sum()",
      "u + t.ones(3, dtype=t.{f})"]),
    (ACTIVATIONS, ["t.nn.functional.{f}(x)", "t.nn.functional.{f}(odd)", "t.nn.functional.{f}(zero)",
                   "t.nn.functional.{f}(f)", "t.nn.functional.{f}(i)", "t.nn.functional.{f}(b)",
                   "t.nn.functional.{f}(x * x)"]),
    (IN_PLACE_ACTIVATIONS, ["t.nn.functional.{f}(X, inplace=True)",
                            "t.nn.functional.{f}(X[0], inplace=True)"]),
    (LOSSES, ["t.nn.functional.{f}(x, m)", "t.nn.functional.{f}(x, m, reduction='sum')",
              "t.nn.functional.{f}(x, m, reduction='none')"]),
]

ROWS = """
    # arithmetic
    b + d   b * d   -x   +x   abs(x)   t.add(x, c)   t.add(x, c, alpha=-2)   x.add(1.5, alpha=3)
    t.sub(x, c, alpha=2)   t.mul(x, v)   t.div(x, c)   x.sub(m)   x.mul(m)   x.div(2)   x * x
    X.add_(m, alpha=0.5)   X.sub_(m)   X.mul_(v)   X.div_(2)   X.add_(1)   x - 0.5   1 - x
    x + True   x % 0.75   x % m   x % c   t.remainder(x, v)   f % v   X %= m   X %= 0.75
    X //= 0.75   t.div(i, 2)   t.div(x.detach(), v.detach(), rounding_mode="trunc")
    t.div(x.detach(), v.detach(), rounding_mode="floor")   t.div(i, j, rounding_mode="trunc")
    t.floor_divide(x, v)
    t.div(i, j, rounding_mode="floor")   x.detach().div(2, rounding_mode=None)
    t.div(x, 2, rounding_mode="up")
    X.remainder_(m)   X.floor_divide_(m)   X.detach().eq_(0.75)   X.detach().lt_(0)   X.detach().ge_(0)
    I.ne_(j)   I.gt_(0)   I.le_(j)
    i.mul(1.5)   u * 300   p ** 0
    p ** 1   p ** 2   p ** 3   p ** 4   p ** 0.5   p ** -1   p ** -2   p ** -0.5   p ** 2.5   x ** 3
    x ** 2   z ** 0.5   z ** 2   p ** m   z ** zero   2 ** x   0.5 ** x   1 ** x   0 ** p   i ** 2
    i ** 2.0   i ** t.tensor([2, 0, 1])   v ** i   x.pow(2)   t.pow(2, x)   P.pow_(2.5)   P.pow_(m)
    P **= 2   x.pow(exponent=3)   t.maximum(x, m)   t.maximum(z, zero)   t.minimum(x, c)
    t.maximum(odd, odd + 1)   t.maximum(i, j)   t.minimum(x, s)   t.where(mask, x, m)
    t.where(x > 0, x, c)   t.where(mask, x, 0)   t.where(mask, 2.5, x)   t.where(mask, 1, 2.5)
    t.where(b, i, 0.5)   x.where(mask, m)   t.where(b, f, v)   t.where(c > 0, x, m)
    x.clamp(-0.25, 1.25)   odd.clamp(min=0)   t.clamp(x, max=0.5)   i.clamp(0, 1)   i.clamp(min=0.5)
    x.clamp(m, p)   x.clamp(min=m)   X.clamp_(-0.5, 0.5)   x.clamp(1.0, -1.0)   z.clamp(0, 1)
    t.lerp(x, m, 0.25)   x.lerp(m, 0.75)   t.lerp(x, 2.0, 0.5)   t.lerp(1.0, x, m)
    t.lerp(x, m.float(), 0.5)   t.lerp(x, c, p)   X.lerp_(m, 0.25)   X.lerp_(m, p)
    t.addcmul(x, c, v)   x.addcmul(m, p, value=-0.5)   X.addcmul_(m, p, value=2)
    t.addcdiv(x, c, v)   x.addcdiv(m, p, value=-0.5)   X.addcdiv_(m, p)   t.nn.functional.relu(x)
    t.nn.functional.tanh(x)   t.nn.functional.sigmoid(x)   t.nn.functional.softplus(x)
    t.nn.functional.softplus(x * 30, beta=2)   x.round(decimals=1)   x.isclose(x + 1e-12)
    x.isclose(x * 1.000009)   x.isclose(x * 1.00002)   z.isclose(z + 5e-9)
    zero.isclose(zero + 2e-8)
    t.tensor(t.allclose(x, x * 1.00002))   t.tensor(t.allclose(zero, zero + 2e-8))
    t.isclose(odd, odd, equal_nan=True)   t.isclose(i, j, rtol=0.5)
    t.tensor(t.allclose(x, x + 1e-12))   t.tensor(t.equal(x, x))   t.tensor(x.equal(m))
    t.tensor(t.equal(x, v))   ~i   ~b   i ^ j   x == m   x > 0   0 < x   x != x   (x > 0) & (x < 1)

    # reductions
    x.sum()   x.sum(0)   x.sum(-1, keepdim=True)   k.sum((0, 2))   k.sum([0, -1], keepdim=True)
    s.sum(0)   x.t().sum(0)   x.sum(dtype=t.float32)   i.sum()
    b.sum()   empty.sum(0)   holes.nansum(0)   holes.nansum()   x.nansum(1)   x.mean()
    t.mean(x, 1)   k.mean((0, 1), keepdim=True)   x.mean(0, dtype=t.float32)   x.prod()   z.prod()
    zero.prod()   x.prod(1)   z.prod(1)   zero.prod(0, keepdim=True)   s.prod(0)   i.prod()
    x.var()   x.var(0)   x.var(1, unbiased=False)   x.std()   x.std(1, keepdim=True)
    x.std(dim=0, correction=0)   zero.std()   s.var()   t.var_mean(x, 0)   t.var_mean(x)   x.norm()
    zero.norm()   x.norm(dim=1, keepdim=True)   x.norm(1)   x.norm(3)   x.norm(1.5, 0)   x.norm(0.5)
    x.norm(float("inf"))   t.norm(x, 2)   x.norm(p=2, dim=0)   x.max()   ties.max()   x.max(1)
    ties.max(1)   t.max(x, dim=0, keepdim=True)   s.max(0)   ties.min()   x.min(0)   ties.amax()
    ties.amax(1)   ties.amin((0, 1), keepdim=True)   x.amin(-1)   t.amax(x, 0)   ties.argmax()
    ties.argmin(1)   x.argmax(0, keepdim=True)   i.max()   odd.max()   t.max(x, m)   ties.median()
    x.median()   x.median(1)   x.sort()   x.sort(0, descending=True)   v.sort()   v.topk(2)
    t.topk(x, 2, dim=1, largest=False)   (x > 0).all(0)   (x > 2).any()   x.all()   z.any(1)
    z.count_nonzero(1)   z.count_nonzero()   x.logsumexp(1)   x.logsumexp((0, 1), keepdim=True)
    t.logsumexp(low, 0)   x.softmax(1)   t.softmax(x, dim=0)   s.softmax(0)   t.log_softmax(x, -1)
    x.log_softmax(0)   x.softmax(-1, dtype=t.float32)   t.nn.functional.softmax(x, dim=1)
    low.softmax(0)   t.nn.functional.log_softmax(x, dim=1)   x.cumsum(1)   t.cumsum(i, 0)
    x.cumprod(0)   z.cumprod(1)   zero.cumprod(1)   s.cumsum(0)

    # shapes
    x.view(3, 2)   x.view(-1)   x.view(x.shape)   x.t().view(3, 2, 1)   empty.view(3, 0)
    s.view(1, 1)   x.view_as(w)   x.reshape(3, 2)   x.t().reshape(6)   x[:, :2].reshape(2, 1, 2)
    t.reshape(x, (-1,))   k.flatten(1)   x.t().flatten()   s.flatten()   t.flatten(k, 0, 1)   x.t()
    v.t()   x.T   k.transpose(0, -1)   t.transpose(x, 0, 1)   k.permute(2, 0, 1)
    t.permute(k, (1, 0, 2))   x.unsqueeze(1)   x.t().unsqueeze(-1)   x[None].squeeze()
    x[None].squeeze(0)   x.squeeze(1)   c.squeeze(-1)   t.squeeze(x[:, None], 1)
    c.expand(4, -1, 3)   s.expand(2, 2)   c.expand(2, 3)   c.expand_as(x)   t.stack([x, m])
    t.stack([x, m], 1)   t.stack([s, s * 2, s])   t.stack((x, m), dim=-1)   t.cat([x, m])
    t.cat((x, c, x), dim=1)   t.cat((x, c), -1)   t.cat((x.t(), w), 1)   t.cat([v, i])
    t.cat([x, t.zeros(0)])   x.repeat(2, 3, 1)   s.repeat(3)   v.repeat(0, 2)   x.flip(0, 1)
    t.flip(x, [1])   q.tril()   q.triu(1)   t.tril(x, -1)   t.triu(k)   x.split(2, 1)
    x.split([1, 2], dim=1)   t.split(x, 1)   x.split(2, 1)[1]   x.chunk(3, 1)   t.chunk(v, 2)
    x.unbind(1)   x.unbind()[1]   t.unbind(x, 0)   [row * 2 for row in x]   x.narrow(1, 1, 2)
    x.narrow(1, -2, 2)   t.narrow(x, 0, 0, 1)   x.select(1, -1)   t.select(x, 0, 1)   q.diagonal()
    k.diagonal(-1, 2, 0)   t.diagonal(x, offset=1)   x.diag(1)   v.diag(-1)   t.diag(v)
    x.as_strided((2, 2), (3, 1), 1)   x.as_strided((3, 2), (1, 1), 1)
    v.expand(2, 3).as_strided((2, 2), (0, 1), 1)   c.expand(2, 3).as_strided((2,), (1,))
    c.expand(2, 2).t().as_strided((2, 1), (1, 1), 0)   x.t().contiguous()
    x.contiguous()   t.ones_like(x) * x   x.clone()   x.detach()   v.expand(2, 3).clone()

    # indexing
    x[0]   x[-1]   x[0, 1]   x[:, 1]   x[..., 0]   x[1:]   x[::2]   x[:, ::2]   x[None]   x[...]
    x[()]   x[True]   x[False]   x[[0, 1, 0]]   x[:, [0, 2]]   x[[0, 1], [2, 0]]   x[[0], 1:]
    x[mask]   x[b[:2]]   x[t.tensor(1)]   x[t.tensor([1, 0])]   x[:, t.tensor([[0, 1], [2, 0]])]
    x[0, [1, 1]]   x[t.tensor([0, 1]), :, None]   x[[1]][0]   k[:, 0, [0, 2]]   k[0, :, [0, 2]]
    k[[0, 1], 0]   k[..., None]   k[[0, 1], :, [0, 2]]   k[1, ..., 0]   v[v > 0]
    v[t.tensor([1, 0, 1], dtype=t.uint8)]   x[t.tensor([1, 0], dtype=t.uint8)]   s[None]   s[...]
    empty[0:0]   v[-2:]   x.gather(1, index)   t.gather(x, 0, index % 2)
    s.gather(0, t.tensor([0, 0]))   w.index_select(0, i * 0 + 2)   x.index_select(1, t.tensor([1]))
    t.index_select(x, 0, t.tensor([1, 1, 0]))   x.masked_select(mask)   t.masked_select(v, mask)
    (x > 0).nonzero()   t.nonzero(i)   (x > 0).nonzero(as_tuple=True)   x.masked_fill(mask, 7)
    v.masked_fill(mask, 7)   x.masked_fill(mask, s)   t.masked_fill(x, x > 0, 0.5)
    X.masked_fill_(mask, 7)   X.masked_fill_(mask, s)   X.scatter_(1, index, m)
    X.scatter_(0, index[:1] % 2, 7)   X.scatter_add_(1, index, m)
    X.scatter_add_(0, t.zeros(2, 3, dtype=t.int64), m)   X.index_add_(0, one_zero, m)
    X.index_add_(1, t.tensor([0, 0]), m[:, :2], alpha=0.5)   t.nn.functional.one_hot(i % 3)
    t.nn.functional.one_hot(t.tensor([[0, 2], [1, 0]]), 4)

    # writing
    X.copy_(m)   X.copy_(v)   X.copy_(i)   X.fill_(7)   X.fill_(s)   X.zero_()   I.copy_(v)
    I.fill_(2.7)   X.view(-1)[2:].sin_()   X.t().copy_(c.expand(2, 3).t())   X.diagonal().mul_(3)
    X[0].mul_(v)   X.detach_()   X[0] = 7   X[0, 1] = 7   X[:] = 7   X[...] = 7.0   X[:, 1] = 7
    X[None] = 7   X[()] = 7   X[1:] = 7   X[[0, 1]] = 7   X[1:, [0, 1]] = 7   X[mask] = 7   X[0] = v
    X[0] = s   X[0, 1] = s   X[...] = v   X[[0, 0]] = m   X[:, [0, 2]] = c   X[mask] = v[:1]
    X[mask] = s   X[0, [0, 2]] = v[:2]   X[0] *= 2   X[0, 1] += 1   X[[0, 1]] += 1   X[0] = X[1]
    X[0] = f   X[::2, 1:] = 0.5   X[X > 0] = 0   t.nn.init.zeros_(X)   t.nn.init.ones_(X)
    t.nn.init.constant_(X, 0.3)

    # products
    v @ v   x @ v   v @ w   x @ w   k @ w   k @ v   x @ x.t()   k @ k.transpose(1, 2)
    t.matmul(x, w)   k[:, None] @ k.transpose(1, 2)   v @ k.transpose(1, 2)   x.matmul(w)   x.mm(w)
    t.mm(x, w)   x.t().mm(x)   x.mm(m.t())   k.bmm(k.transpose(1, 2))   t.bmm(k, k.transpose(1, 2))
    x.mv(v)   t.mv(x, v)   v.dot(v * 2)   t.dot(v, v)   t.outer(v, v[:2])   v.outer(v)
    t.einsum("ij,jk->ik", x, w)   t.einsum("ij->ji", x)   t.einsum("ii->i", q)
    t.einsum("i,j->ij", v, v)   t.einsum("ij->j", x)   t.einsum("bij,jk->bik", k, w)
    t.einsum("i,ij,j->", v[:2], x, v)   t.einsum("...i,i->...", k, v)   t.addmm(v[:2], x, w)   f @ f
    t.addmm(q[:2, :2], x, w, beta=2, alpha=3)   q.addmm(w, x, alpha=0.5)   i @ j
    t.nn.functional.linear(x, m)   t.nn.functional.linear(x, m, v[:2])
    t.nn.functional.linear(v, m, v[:2])   t.nn.functional.linear(k, m, v[:2])

    # nn.functional
    t.nn.functional.cross_entropy(x, one_zero)
    t.nn.functional.cross_entropy(x, one_zero, reduction="sum")
    t.nn.functional.cross_entropy(x, one_zero, reduction="none")
    t.nn.functional.cross_entropy(x, p.softmax(1))
    t.nn.functional.cross_entropy(x, one_zero, weight=v.detach() + 3)
    t.nn.functional.cross_entropy(v, t.tensor(1))
    t.nn.functional.cross_entropy(x, one_zero, ignore_index=0)
    t.nn.functional.cross_entropy(k, index % 2)   t.nn.functional.nll_loss(x, one_zero)
    t.nn.functional.nll_loss(x, one_zero, reduction="none")
    t.nn.functional.nll_loss(x, one_zero, weight=v.detach() + 3)
    t.nn.functional.nll_loss(x, one_zero, ignore_index=1)
    t.nn.functional.binary_cross_entropy(unit, half)
    t.nn.functional.binary_cross_entropy(unit, half, reduction="sum")
    t.nn.functional.binary_cross_entropy(unit, half, reduction="none")
    t.nn.functional.binary_cross_entropy_with_logits(x, half)
    t.nn.functional.binary_cross_entropy_with_logits(x, half, reduction="sum")
    t.nn.functional.binary_cross_entropy_with_logits(x, half, reduction="none")
    t.nn.functional.layer_norm(x, (3,))   t.nn.functional.layer_norm(x, (3,), v, v * 2)
    t.nn.functional.layer_norm(k, (2, 3), eps=0.1)
    t.nn.functional.batch_norm(x, None, None, training=True)
    t.nn.functional.batch_norm(x, None, None, v, v * 2, True)
    t.nn.functional.dropout(x, 0.5, training=False)
    t.nn.functional.batch_norm(x, t.zeros(3).double(), t.ones(3).double(), v, v * 2)
    t.nn.functional.embedding(one_zero, x)
    t.nn.functional.embedding(index, w)   t.nn.functional.embedding(one_zero, x, padding_idx=0)

    # making
    t.tensor([1, 2.5, True])   t.tensor([[True, 2], [3, False]])   t.tensor([True, False])
    t.tensor([[], []])   t.tensor([[s.detach(), 2], [3, 4.5]])
    t.tensor([1.7, -1.7], dtype=t.int64)   t.tensor(3)   t.tensor(2.5)
    t.tensor([t.pi, t.e, t.nan])
    t.tensor([range(3), range(3, 6)])   t.as_tensor([1.0, 2.0])   t.as_tensor(x)
    t.as_tensor(i, dtype=t.float32)   t.from_numpy(x.detach().numpy())
    t.zeros(2, 3, dtype=t.int32)   t.ones([2], dtype=t.bool)   t.full((2, 2), 7)   t.full((3,), 0.1)
    t.full((2,), True)   t.eye(2, 3)   t.eye(2)   t.arange(5, 0, -2)   t.arange(0, 1, 0.1)
    t.arange(3)   t.linspace(-3, 11, 10)
    t.linspace(1, -1, 7, dtype=t.float64)   t.zeros_like(x.t())   t.ones_like(x, dtype=t.int64)
    t.full_like(x, 2.5)   t.empty_like(x).shape   t.empty(2, 3).shape   t.zeros(0)   t.zeros(())
    t.zeros((2, 3))   t.ones(2, requires_grad=True) * 2

    x.new_ones(2, 3)   i.new_zeros((2,))   u.new_ones([])   i.new_ones(size=(2,), dtype=t.float32)
    x.new_zeros(2, requires_grad=True) * 2   x.new_zeros(-1)   i.new_ones(2, requires_grad=True)

    # bounds, activations and losses
    x.clamp_min(0.5)   x.clamp_min(m)   t.clamp_min(x, c)   x.clamp_max(0.5)   x.clamp_max(v)
    t.clamp_max(x, max=m)   i.clamp_min(0.5)   i.clamp_min(1)   b.clamp_max(0)   x.clamp_min(min=i)
    x.clamp_min(x)   odd.clamp_max(0)   X.clamp_min_(0)   X.clamp_max_(m)   X[0].clamp_min_(v)
    x.clamp_min("a")   t.nn.functional.leaky_relu(x, 0.2)
    t.nn.functional.leaky_relu(X, -0.1, inplace=True)   t.nn.functional.leaky_relu(x, -0.1)
    t.nn.functional.elu(x, 2.0)   t.nn.functional.elu(X, 0.5, inplace=True)
    t.nn.functional.elu(X, -0.5, inplace=True)   t.nn.functional.elu(x, -0.5)
    t.nn.functional.gelu(x, approximate="tanh")   t.nn.functional.gelu(x * 4, approximate="tanh")
    t.nn.functional.gelu(x, approximate="other")   t.nn.functional.gelu(x * 4)
    t.nn.functional.softmax(x)   t.nn.functional.log_softmax(k)   t.nn.functional.softmax(v)
    t.nn.functional.softmax(x, axis=1)   t.nn.functional.smooth_l1_loss(x, m, beta=0.5)
    t.nn.functional.smooth_l1_loss(x, m, beta=0)   t.nn.functional.smooth_l1_loss(x, m, beta=-1.0)
    t.nn.functional.smooth_l1_loss(x, v)   t.nn.functional.smooth_l1_loss(x, x + 1)
    t.nn.functional.smooth_l1_loss(i, j)
    t.nn.functional.smooth_l1_loss(v, i)   t.nn.functional.smooth_l1_loss(x, m, reduction="other")
    t.nn.functional.huber_loss(x, m, delta=0.5)   t.nn.functional.huber_loss(x, m, delta=0)
    t.nn.functional.huber_loss(x, v)   t.nn.functional.huber_loss(x, x + 1)
    t.nn.functional.huber_loss(i, j)   t.nn.functional.huber_loss(v, f)
    t.nn.functional.huber_loss(f, v)   t.nn.functional.huber_loss(x, m, weight=p)
    t.nn.functional.huber_loss(x, m, weight=v)   t.nn.functional.huber_loss(x, m, "sum", 2.0, p)
    t.nn.functional.huber_loss(x, m, reduction="other")

    # copies with other numbers, and in one dimension
    x.ravel()   t.ravel(x.t())   s.ravel()   x[0].ravel()   v.ravel()   c.expand(2, 3).ravel()
    x.scatter(1, index, m)   t.scatter(x, 0, index[:1] % 2, 7)   x.scatter(1, index, value=0.5)
    x.scatter(dim=0, index=one_zero[None], src=m)   x.scatter_add(1, index, m)
    t.scatter_add(x, 0, t.zeros(2, 3, dtype=t.int64), m)   x.scatter_add(1, index, 7)
    x.scatter(1, index)   x.scatter(1, 2, m)   x.scatter(1, index, m.float())   x.scatter(0, index, m)
    x.scatter(2, index, m)   X.scatter_add_(dim=1, index=index, src=m)

    # NumPy's names of dimensions
    x.sum(axis=0)   x.cumsum(axis=1)   t.cumprod(x, axis=0)   x.softmax(axis=1)
    t.log_softmax(x, axis=0)   x.logsumexp(axis=1, keepdims=True)   x.std(axis=0)
    x.var(axis=1, keepdims=True)   t.var_mean(x, axis=0)   x.prod(axis=0)   x.nansum(axis=1)
    x.amax(axis=0)   t.amin(x, axis=1, keepdims=True)   x.sort(axis=0)   x.topk(2, axis=1)
    x.median(axis=0)   x.count_nonzero(axis=0)   x.norm(axis=0)   x.unsqueeze(axis=0)
    c.squeeze(axis=1)   x.chunk(3, axis=1)   x.unbind(axis=1)   x.split(2, axis=1)
    x.select(axis=1, index=0)   x.narrow(axis=1, start=1, length=2)   x.flip(axis=0)
    x.gather(axis=1, index=index)   x.index_select(axis=0, index=one_zero)
    x.scatter(axis=1, index=index, src=m)   X.index_add_(axis=0, index=one_zero, source=m)

    # conversions
    x.cpu()   (x.cpu() is x)
    x.float()   x.double()   f.double() * v   x.long()   x.int()   x.short()   x.bool()   i.bool()
    x.half().float()   x.to(t.float64, copy=True)   x.to(f)   x.type(t.float32)
    x.type("torch.FloatTensor")   x.to("cpu")   x.item()   s.item()   i.sum().item()   x.tolist()
    f.tolist()   x.numpy()   x.detach().numpy().tolist()   float(s)   int(i[0])   bool(v)   bool(s)
    len(x)   len(s)   x.size()   x.size(0)   x.shape   x.stride()   x.t().is_contiguous()   x.dim()
    x.numel()   x.ndim   x.dtype   x.is_leaf   x.is_floating_point()   i.is_floating_point()

    # errors: shapes
    x + w   x * k[0, :, :2]   x @ x   v @ x   v.dot(v[:2])   x.mm(v)   x.mv(v[:2])   k.bmm(x)
    x.view(4)   x.t().view(-1)   x.reshape(4)   x.reshape(-1, -1)   x.expand(3, 3)   x.expand(3)
    t.cat([x, w])   t.cat([x, v])   t.stack([x, w])   t.stack([])   t.cat([])   x.split([1, 1], 1)
    x.chunk(0)   s.unbind()   s.unbind(-1)   x.repeat(2)   x.t().t().t().t()[0].t().t().mm(x)   k.t()
    x.permute(0)   x.permute(0, 0)   X.copy_(w)   X.add_(k)   X[0] = w   X[0] = t.ones(2)
    X[mask] = t.ones(2)   t.where(mask, x, w)   t.outer(x, v)   t.einsum("ij,jk->ik", x, x)
    t.nn.functional.cross_entropy(x, t.tensor([0]))   t.nn.functional.linear(x, w)
    t.addmm(x, x, w)   X.fill_(v)   t.nn.functional.binary_cross_entropy(unit, v)
    X.index_add_(0, t.tensor([0]), m)   x.masked_fill(mask, v)   t.tensor([[1], [2, 3]])

    # errors: dimensions and indices
    x.sum(2)   x.sum(-3)   x.sum((0, 0))   s.sum(1)   x.mean(5)   x.softmax(2)   x.transpose(0, 2)
    x.unsqueeze(4)   x.squeeze(3)   x.unbind(2)   x.select(2, 0)   x.select(0, 2)
    x.narrow(0, 1, 2)   x.narrow(1, 0, -1)   x.flip(2)   x.cumsum(2)   t.cat([x, m], 2)
    t.stack([x, m], 4)   x.max(2)   x.argmax(3)   x.size(2)   x[2]   x[-3]   x[0, 3]   x[0, 0, 0]
    s[0]   x[[2]]   x[t.tensor([0, 5])]   x[1.5]   x[b]   x[:, b[:2]]   x[::-1]
    x[[0, 1], [0, 1, 2]]   x.gather(2, index)   x.gather(1, t.tensor([0]))   x.gather(1, index + 5)
    x.index_select(0, t.tensor([2]))   x.index_select(0, index)   x.diagonal(0, 0, 0)   X[5] = 1
    X[0, 7] = 1   X[[9]] = 1   empty.max()   empty.argmax()   t.zeros(0).max(0)   empty.max(0)
    t.nn.functional.one_hot(t.tensor([-1]))   t.nn.functional.cross_entropy(x, t.tensor([0, 3]))
    t.nn.functional.embedding(t.tensor([7]), x)   x.topk(5)   x.split(-1)   x.split(0)
    x.as_strided((9, 9), (3, 1))   t.zeros(-1)   t.arange(0, 3, -1)   t.arange(0, 3, 0)
    t.randint(0, (2,))

    # errors: dtypes
    u.fill_(300)   X[[0]] = i   X.fill_(v)   X[[0, 1]] = t.zeros(3, 3).double()
    i.mean()   i.std()   i.softmax(0).sum()   i.norm()   i.var()   x @ f.double().float()
    x.mm(w.float())   v.dot(f)   i @ v   -b   b - d   1 - b   ~x   x & 1   x | m   ~b - b
    I.add_(0.5)   I.mul_(v)   I.div_(2)   I.sqrt_()   B.add_(1)   i.requires_grad_()
    x.gather(1, x)   x.index_select(0, v)   x[x]   x.masked_fill(x, 1)   x.masked_fill(i, 1)
    t.where(x, x, x)   t.where(i, x, x)   t.cat([x, 3])   t.stack([1, 2])
    X.scatter_(1, index, m.float())   X.scatter_(1, m, m)   X.index_add_(0, one_zero, m.float())
    X[0] = "a"   X[[0, 1]] = m.float()   i ** -1
    t.nn.functional.cross_entropy(x, v[:2])   t.nn.functional.mse_loss(i, j)
    t.nn.functional.embedding(x, w)   t.nn.functional.one_hot(x)
    t.nn.functional.binary_cross_entropy(x * 3, half)   t.nn.functional.linear(x, m.float())
    t.tensor([1, 2], requires_grad=True)   t.tensor("a")   t.tensor([None])   t.tensor(["a"])
    t.ones(2, dtype=t.bool).sum().backward()   t.einsum("ij,jk->ik", x, i)   t.einsum("ij", v)
    t.linspace(0, 1)   x.to("cuda")   t.arange(1, requires_grad=True)
    t.full((2,), 1, requires_grad=True)   t.ones(2, dtype=t.int64, requires_grad=True)
"""


def all_rows():
    """Return every row once, in the order of the table."""
    rows = [row.format(f=name) for names,
            patterns in PATTERNS for name in names for row in patterns]
    lines = [line.strip() for line in ROWS.split("\n") if line.strip()
             and not line.strip().startswith("#")]
    return list(dict.fromkeys([*rows,
                               *[row for line in lines for row in re.split(r" {3,}", line)]]))
