"""What is known of names that minigrad lacks: whether PyTorch has them, what is equal.

It is loaded when a name is missing.  ``python -m tests.names`` records the names in
pytorch_names.txt; tests/recorded/names.py compares both sides of each row with PyTorch.
"""
from functools import cache
from pathlib import Path

from ..tensor import Tensor

# A call that minigrad lacks, and an expression with the same result and gradients.
OPERATIONS = """
absolute(x)             x.abs()
absolute_(x)            x.abs_()
negative(x)             -x
negative_(x)            x.neg_()
positive(x)             +x
subtract(x, y)          x - y
subtract_(x, y)         x.sub_(y)
rsub(x, y)              y - x
multiply(x, y)          x * y
multiply_(x, y)         x.mul_(y)
divide(x, y)            x / y
divide_(x, y)           x.div_(y)
true_divide(x, y)       x / y
true_divide_(x, y)      x.div_(y)
float_power(x, y)       x.double() ** y
greater(x, y)           x > y
greater_equal(x, y)     x >= y
less(x, y)              x < y
less_equal(x, y)        x <= y
not_equal(x, y)         x != y
logical_not(x)          x == 0
logical_and(x, y)       (x != 0) & (y != 0)
logical_or(x, y)        (x != 0) | (y != 0)
logical_xor(x, y)       (x != 0) != (y != 0)
bitwise_not(i)          ~i
bitwise_and(i, j)       i & j
bitwise_or(i, j)        i | j
bitwise_xor(i, j)       i ^ j
isposinf(x)             x == math.inf
isneginf(x)             x == -math.inf
log2(x)                 x.log() / math.log(2)
log10(x)                x.log() / math.log(10)
exp2(x)                 2 ** x
rad2deg(x)              x * (180 / math.pi)
deg2rad(x)              x * (math.pi / 180)
sgn(x)                  x.sign()
trunc(x)                x.div(1, rounding_mode="trunc")
fix(x)                  x.div(1, rounding_mode="trunc")
frac(x)                 x - x.div(1, rounding_mode="trunc")
clip(x, a, b)           x.clamp(a, b)
clip_(x, a, b)          x.clamp_(a, b)
argsort(x, dim)         x.sort(dim).indices
msort(x)                x.sort(0).values
argwhere(x)             x.nonzero()
nanmean(x)              x[~x.isnan()].mean()
std_mean(x)             (x.std(), x.mean())
dist(x, y)              (x - y).norm()
trace(x)                x.diagonal().sum()
take(x, index)          x.flatten()[index]
diagflat(x)             x.flatten().diag()
swapaxes(x, a, b)       x.transpose(a, b)
swapdims(x, a, b)       x.transpose(a, b)
adjoint(x)              x.transpose(-2, -1)
x.mT                    x.transpose(-2, -1)
x.mH                    x.transpose(-2, -1)
x.H                     x.t()
fliplr(x)               x.flip(1)
flipud(x)               x.flip(0)
concat(tensors, a)      torch.cat(tensors, a)
concatenate(tensors, a) torch.cat(tensors, a)
ger(v, w)               v.outer(w)
vdot(v, w)              v.dot(w)
addmv(u, x, v)          u + x @ v
addr(x, u, v)           x + u.outer(v)
addbmm(r, k, m)         r + (k @ m).sum(0)
baddbmm(k, k, m)        k + k @ m
logspace(a, b, n)       10 ** torch.linspace(a, b, n)
nelement(x)             x.numel()
ndimension(x)           x.dim()
is_nonzero(s)           bool(s)
reshape_as(x, y)        x.reshape(y.shape)
type_as(x, y)           x.to(y.dtype)
byte(x)                 x.to(torch.uint8)
char(x)                 x.to(torch.int8)
new_tensor(x, data)     torch.tensor(data, dtype=x.dtype)
new_full(x, size, a)    torch.full(size, a, dtype=x.dtype)
index_add(x, a, i, y)   x.clone().index_add_(a, i, y)
"""
EQUAL = {
    "": OPERATIONS,
    "Tensor": OPERATIONS,
    "nn.functional": """
logsigmoid(x)           -F.softplus(-x)
softmin(x, dim)         (-x).softmax(dim)
softsign(x)             x / (x.abs() + 1)
tanhshrink(x)           x - x.tanh()
mish(x)                 x * F.softplus(x).tanh()
normalize(x)            x / x.norm(dim=1, keepdim=True).clamp(min=1e-12)
relu_(x)                x.relu_()
leaky_relu_(x)          F.leaky_relu(x, inplace=True)
elu_(x)                 F.elu(x, inplace=True)
""",
    "nn.init": """
uniform(x)              nn.init.uniform_(x)
normal(x)               nn.init.normal_(x)
constant(x, a)          nn.init.constant_(x, a)
xavier_uniform(x)       nn.init.xavier_uniform_(x)
xavier_normal(x)        nn.init.xavier_normal_(x)
kaiming_uniform(x)      nn.init.kaiming_uniform_(x)
kaiming_normal(x)       nn.init.kaiming_normal_(x)
""",
    "nn.utils": """
clip_grad_norm(x, a)    nn.utils.clip_grad_norm_(x, a)
""",
}


@cache
def names_of_pytorch(place):
    """Return PyTorch's public names of a place, such as "nn.functional" or "Tensor"."""
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    rows = dict(line.split(": ") for line in text.splitlines())
    return frozenset(rows.get(f"torch.{place}".rstrip("."), "").split())


@cache
def rows_of(place):
    """Return {name: (call, expression)} of a place."""
    rows = {}
    for line in EQUAL.get(place, "").strip().splitlines():
        call, expression = line[:24].strip(), line[24:].strip()
        rows[call.partition("(")[0].removeprefix("x.")] = call, expression
    return rows


def equal_expression(place, name):
    """Return (call, expression) for a name that minigrad lacks; None if none is equal.

    An operation in place that is a method here is a function, too, in PyTorch.
    """
    if place == "" and name.endswith("_") and hasattr(Tensor, name):
        return f"{name}(x, ...)", f"x.{name}(...)"
    return rows_of(place).get(name)
