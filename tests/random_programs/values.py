"""Expressions that make new tensors: pointwise, reductions, shapes, indexing, products, casts.

Each function takes the writer and an Expr and returns the Expr of something computed from it.
"""
import math

from .casts import more_casts
from .indexing import joined, more_indexing
from .pointwise import logic, more_binary, more_pointwise
from .products import loss, more_products
from .reductions import more_reductions
from .views import more_views
from .writer import FLOATS, Expr, broadcast, promote

# method, the largest input for which it is asked, a bound on the result (None: same as the input)
UNARY = (
    ("neg", 1e9, None), ("abs", 1e9, None), ("exp", 5, 150.0), ("log", 1e9, 10.0), ("sqrt", 1e9, None),
    ("sin", 50, 1.0), ("cos", 50, 1.0), ("tanh", 1e9, 1.0), ("sigmoid", 1e9, 1.0), ("relu", 1e9, None),
    ("reciprocal", 1e9, 40.0), ("square", 1e4, 1e4), ("floor", 1e9, None), ("ceil", 1e9, None),
    ("round", 1e9, None), ("sign", 1e9, 1.0), ("clone", 1e9, None), ("log1p", 1e9, 10.0),
    ("expm1", 5, 150.0), ("rsqrt", 1e9, 10.0), ("trunc", 1e9, None), ("contiguous", 1e9, None),
    ("tan", 1, 3.0),
)
UNARY_WEIGHTS = (3, 3, 4, 2, 2, 4, 2, 4, 4, 4, 2, 2, 0.5, 0.3, 0.5, 1, 4, 0.5, 0.5, 0.5, 0.3, 1, 0.5)


def unary(w, x):
    if x.size > 1e9:
        return Expr(f"{x.src}.tanh()", x.shape, x.dtype if x.floating else "float32", x.grad, 1.0)
    allowed = [(u, k) for u, k in zip(UNARY, UNARY_WEIGHTS) if x.size <= u[1]]
    name, _, size = w.weighted([u for u, _ in allowed], [k for _, k in allowed])
    same = name in ("neg", "abs", "relu", "square", "floor", "ceil", "round", "sign", "clone", "trunc",
                    "contiguous")
    dtype = x.dtype if x.floating or same else "float32"
    if w.chance(0.15) and name not in ("clone", "contiguous"):
        src = f"torch.{name}({x.src})"
    else:
        src = f"{x.src}.{name}()"
    return x._replace(src=src, dtype=dtype, size=size or x.size, leaf=False)


def more_unary(w, x):
    """Pointwise functions that take something besides the tensor."""
    n = w.number()
    src = w.one_of((f"{x.src}.clamp(min={n})", f"{x.src}.clamp(-1, 2)", f"{x.src}.clamp(max={n})",
                    f"{x.src} ** 2", f"{x.src} ** 3", f"{x.src}.pow(0.5)", f"2.0 ** {x.src}",
                    f"-{x.src}", f"torch.nn.functional.softplus({x.src})",
                    f"torch.nn.functional.leaky_relu({x.src})", f"torch.nn.functional.elu({x.src})",
                    f"{x.src}.masked_fill({x.src} > 1, 0.0)", f"{x.src} / {n}", f"{n} / {x.src}",
                    f"{n} - {x.src}", f"torch.nn.functional.gelu({x.src})"))
    if x.size > 20:
        src = f"{x.src} * 0.125"
    dtype = x.dtype if x.floating else "float32"
    return Expr(f"({src})" if " " in src else src, x.shape, dtype, x.grad, max(x.size, 20.0) * 2)


def binary(w, x):
    y = w.partner(x)
    op = w.weighted(("+", "-", "*", "/", "max", "min", ">", "**", "add", "sub", "mul", "div", "where"),
                    (6, 4, 8, 3, 1, 1, 1, 0.7, 0.7, 0.5, 0.7, 0.5, 2))
    if op == "**" and (x.size > 4 or y.size > 4):
        op = "*"
    shape = broadcast(x.shape, y.shape)
    if shape is None:
        shape = x.shape
    dtype = promote(x.dtype, y.dtype)
    grad = x.grad or y.grad
    size = {"+": x.size + y.size, "-": x.size + y.size, "*": x.size * y.size}.get(op, 1000.0)
    a, b = (x, y) if w.chance(0.8) else (y, x)
    if op in ("max", "min"):
        if y.dtype == "number":
            return Expr(f"{x.src}.clamp({op}={y.src})", x.shape, x.dtype, x.grad, x.size)
        return Expr(f"torch.{op}imum({a.src}, {b.src})", shape, dtype, grad, max(x.size, y.size))
    if op == "where":
        return Expr(f"torch.where({x.src} > 0, {a.src}, {b.src})", shape, dtype, grad, max(x.size, y.size))
    if op == ">":
        return Expr(f"({a.src} {w.one_of(('>', '<', '>=', '==', '!='))} {b.src})", shape, "bool", False, 1.0)
    if op == "/" and dtype not in FLOATS:
        dtype = "float32"
    if op in ("add", "sub", "mul", "div"):
        if w.chance(0.3) and op in ("add", "sub"):
            return Expr(f"{x.src}.{op}({y.src}, alpha=2)", shape, dtype, grad, 1000.0)
        return Expr(f"{x.src}.{op}({y.src})", shape, dtype, grad, 1000.0)
    return Expr(f"({a.src} {op} {b.src})", shape, dtype, grad, size)


REDUCTIONS = ("sum", "mean", "prod", "max", "min", "amax", "amin", "var", "std", "norm", "logsumexp",
              "softmax", "log_softmax", "cumsum", "argmax", "any", "all", "cumprod")
REDUCTION_WEIGHTS = (14, 6, 3, 2, 1, 1, 1, 1, 1, 2, 2, 3, 2, 2, 0.5, 0.3, 0.3, 0.3)


def reduction(w, x):
    name = w.weighted(REDUCTIONS, REDUCTION_WEIGHTS)
    dim = None
    if x.ndim and (name in ("amax", "amin", "logsumexp", "softmax", "log_softmax", "cumsum", "cumprod")
                   or w.chance(0.4)):
        dim = w.below(x.ndim)
    if dim is None and name in ("logsumexp", "softmax", "log_softmax", "cumsum", "cumprod"):
        name = "sum"
    if not x.floating and name in ("mean", "var", "std", "norm", "logsumexp", "softmax", "log_softmax"):
        name = "sum"
    dtype = x.dtype if x.dtype != "bool" or name not in ("sum", "prod", "cumsum", "cumprod") else "int64"
    size = x.size * max(1, math.prod(x.shape))
    if dim is None:
        shown = {"argmax": "int64", "any": "bool", "all": "bool"}
        return Expr(f"{x.src}.{name}()", (), shown.get(name, dtype), x.grad and name not in shown, size)
    if name in ("softmax", "log_softmax", "cumsum", "cumprod"):
        return Expr(f"{x.src}.{name}({dim - (x.ndim if w.chance(0.3) else 0)})", x.shape, dtype, x.grad, size)
    keep = w.chance(0.3)
    shape = x.shape[:dim] + ((1,) if keep else ()) + x.shape[dim + 1:]
    where = f"{dim}" + (", keepdim=True" if keep else "")
    if name == "norm":
        where = "dim=" + where
    src = f"{x.src}.{name}({where})"
    if name in ("max", "min"):
        src += w.one_of(("[0]", ".values"))
    if name in ("argmax", "any", "all"):
        return Expr(src, shape, "int64" if name == "argmax" else "bool", False, 4.0)
    return Expr(src, shape, dtype, x.grad, size)


def view(w, x):
    """Something that shares x's memory (or would, if it could)."""
    choices = [(f"{x.src}.view(-1)", (math.prod(x.shape),)), (f"{x.src}.unsqueeze(0)", (1,) + x.shape),
               (f"{x.src}.expand(2, *{x.shape})" if x.shape else f"{x.src}.expand(2)", (2,) + x.shape),
               (f"{x.src}.squeeze()", tuple(n for n in x.shape if n != 1)),
               (f"{x.src}.reshape(-1)", (math.prod(x.shape),)), (f"{x.src}.view({x.shape})", x.shape),
               (f"{x.src}.view_as({x.src})", x.shape), (f"{x.src}[None]", (1,) + x.shape),
               (f"{x.src}[...]", x.shape)]
    if x.ndim:
        first, rest = x.shape[0], x.shape[1:]
        choices += [(f"{x.src}.flatten()", (math.prod(x.shape),)),
                    (f"{x.src}[1:]", (max(first - 1, 0),) + rest), (f"{x.src}[:2]", (min(first, 2),) + rest),
                    (f"{x.src}[::2]", ((first + 1) // 2,) + rest), (f"{x.src}[:]", x.shape)]
        if first:
            at = w.below(first)
            choices += [(f"{x.src}[{at}]", rest), (f"{x.src}[{at - first}]", rest),
                        (f"{x.src}.select(0, {at})", rest), (f"{x.src}[{at}]", rest),
                        (f"{x.src}.narrow(0, {at}, 1)", (1,) + rest)]
    if x.ndim == 2:
        a, b = x.shape
        choices += [(f"{x.src}.t()", (b, a)), (f"{x.src}.T", (b, a)), (f"{x.src}.transpose(0, 1)", (b, a)),
                    (f"{x.src}.permute(1, 0)", (b, a)), (f"{x.src}.view({b}, {a})", (b, a)),
                    (f"{x.src}.reshape({b}, {a})", (b, a)), (f"{x.src}[:, 1:]", (a, max(b - 1, 0)))]
        if b:
            choices += [(f"{x.src}[:, 0]", (a,)), (f"{x.src}[..., -1]", (a,)),
                        (f"{x.src}.diagonal()", (min(a, b),))]
    if x.ndim == 3:
        a, b, c = x.shape
        choices += [(f"{x.src}.permute(2, 0, 1)", (c, a, b)), (f"{x.src}.transpose(1, 2)", (a, c, b)),
                    (f"{x.src}.flatten(1)", (a, b * c)), (f"{x.src}.view({a * b}, {c})", (a * b, c))]
    src, shape = w.one_of(choices)
    return x._replace(src=src, shape=shape, leaf=False)


def copies(w, x):
    """Indexing and shape changes that give new memory; joining several tensors."""
    choices = [(f"torch.stack([{x.src}, {x.src}])", (2,) + x.shape), (f"{x.src}.repeat(2, *{(1,) * x.ndim})"
               if x.ndim else f"{x.src}.repeat(2)", (2,) + x.shape),
               (f"torch.zeros_like({x.src}) + {x.src}", x.shape), (f"{x.src}.clone()", x.shape)]
    if x.ndim and x.shape[0]:
        first, rest = x.shape[0], x.shape[1:]
        index = [w.below(first) for _ in range(1 + w.below(3))]
        long = f"torch.tensor({index})"
        choices += [(f"torch.cat([{x.src}, {x.src} * 2])", (2 * first,) + rest),
                    (f"{x.src}[{index}]", (len(index),) + rest), (f"{x.src}[{long}]", (len(index),) + rest),
                    (f"{x.src}.index_select(0, {long})", (len(index),) + rest),
                    (f"{x.src}.flip(0)", x.shape), (f"{x.src}.cumsum(0)", x.shape)]
        if x.ndim == 2 and x.shape[1]:
            choices += [(f"{x.src}.gather(1, torch.tensor({[[0]] * first}))", (first, 1)),
                        (f"{x.src}[{index}, 0]", (len(index),)), (f"{x.src}.tril()", x.shape),
                        (f"torch.cat([{x.src}, {x.src}.detach()], 1)", (first, 2 * x.shape[1]))]
    src, shape = w.one_of(choices)
    return Expr(f"({src})" if " + " in src else src, shape, x.dtype, x.grad, x.size * 2)


def matmul(w, x):
    """A product of matrices or vectors; a plain product if x has no axes."""
    if x.ndim == 0 or x.ndim > 2 or not x.floating:
        return binary(w, x)
    inner = x.shape[-1]
    shape = w.one_of(((inner,), (inner, 2), (inner, 1)))
    y = w.pick(lambda t: t.dtype == x.dtype and t.ndim in (1, 2) and t.shape[0] == inner)
    if y is None or w.chance(0.4):
        y = w.literal(shape, x.dtype)
    out = x.shape[:-1] + y.shape[1:]
    size = x.size * y.size * max(1, inner)
    grad = x.grad or y.grad
    forms = [f"({x.src} @ {y.src})", f"torch.matmul({x.src}, {y.src})"]
    forms += {(1, 1): [f"{x.src}.dot({y.src})", f"torch.dot({x.src}, {y.src})"],
              (2, 2): [f"{x.src}.mm({y.src})"], (2, 1): [f"{x.src}.mv({y.src})"]}.get((x.ndim, y.ndim), [])
    if x.ndim == 1 and y.ndim == 1 and w.chance(0.3):
        return Expr(f"torch.outer({x.src}, {y.src})", x.shape + y.shape, x.dtype, grad, size)
    return Expr(w.one_of(forms), out, x.dtype, grad, size)


def cast(w, x):
    dtype = w.weighted(("float64", "float32", "int64", "bool"), (4, 4, 1, 0.5))
    method = {"float64": "double", "float32": "float", "int64": "long", "bool": "bool"}[dtype]
    src = w.one_of((f"{x.src}.{method}()", f"{x.src}.to(torch.{dtype})", f"{x.src}.type(torch.{dtype})"))
    return Expr(src, x.shape, dtype, x.grad and dtype in FLOATS, x.size)


def cut(w, x):
    """The same values without (or, for clone, with) their history."""
    src, grad = w.one_of(((".detach()", False), (".data", False), (".detach().clone()", False),
                          (".clone().detach()", False), (".detach().requires_grad_()", True)))
    return Expr(x.src + src, x.shape, x.dtype, grad, x.size, True)


PRODUCERS = (unary, more_unary, binary, reduction, view, copies, matmul, cast, cut,
             more_pointwise, more_binary, logic, more_reductions, more_views, more_indexing, joined,
             more_products, loss, more_casts)
PRODUCER_WEIGHTS = (8, 3, 12, 8, 12, 4, 3, 1, 2.5,
                    5, 5, 1, 6, 6, 5, 4, 4, 3, 1.5)


def expression(w, depth=None, start=None):
    """One to three operations, one on top of the other."""
    x = start or w.pick() or w.literal(w.shape())
    for _ in range(depth or w.weighted((1, 2, 3), (6, 3, 1))):
        if x.dtype == "bool":
            x = Expr(f"{x.src}.float()", x.shape, "float32", False, 1.0)
        x = w.weighted(PRODUCERS, PRODUCER_WEIGHTS)(w, x)
    return x
