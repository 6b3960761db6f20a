"""Statements that change a tensor that exists: in-place operations, indexed assignment, .data and flags."""
from .kinds import kind
from .values import expression, view
from .writer import broadcast

INPLACE_UNARY = ("exp_", "sqrt_", "tanh_", "sigmoid_", "relu_", "neg_", "abs_", "sin_", "cos_", "zero_",
                 "round_", "reciprocal_", "square_", "log_", "floor_", "clamp_(min=0)", "clamp_(-1, 1)",
                 "fill_(2.0)", "mul_(2)", "add_(1)", "sub_(0.5)", "div_(2)", "pow_(2)", "mul_(1.5)",
                 "masked_fill_({0} > 0, 0.5)", "add_(1, alpha=3)", "detach_()", "requires_grad_()",
                 "requires_grad_(False)", "copy_({0} * 2)", "normal_()", "uniform_()")
INPLACE_WEIGHTS = (2, 1, 2, 2, 2, 2, 1, 1, 1, 3, 0.3, 0.5, 0.5, 0.5, 0.3, 1, 1, 3, 8, 8, 2, 2, 2, 2, 1, 0.5,
                   1.5, 1, 1, 0.5, 0.2, 0.2)


def _target(w, p_leaf=0.15):
    """Something to write to: rarely a leaf that requires a gradient, sometimes a view made on the spot."""
    t = w.pick(lambda t: not t.repeats and (not (t.leaf and t.grad) or w.chance(p_leaf)))
    if t is None:
        return None, None
    return t, (view(w, t) if w.chance(0.25) else t)


def _call(target, method):
    method = method.format(target)
    return f"{target}.{method}" if method.endswith(")") else f"{target}.{method}()"


@kind("inplace", 9)
def inplace(w):
    """`t.mul_(2)` and its kind; also on a view that has no name, and under a new name."""
    t, target = _target(w)
    if t is None:
        return None
    method = w.weighted(INPLACE_UNARY, INPLACE_WEIGHTS)
    if method == "exp_" and t.size > 5:
        method = "tanh_"
    if method in ("sin_", "cos_") and t.size > 50:
        method = "sigmoid_"
    src = _call(target.src, method)
    w.change(t.src, size=max(t.size * 2, 4.0) if "exp" not in method else 150.0)
    if method == "detach_()" and target is t:
        w.change(t.src, grad=False, leaf=True)
    if method.startswith("requires_grad_") and target is t and t.leaf:
        w.change(t.src, grad=method == "requires_grad_()")
    if target is t and w.chance(0.12):
        return f"{w.keep(t)} = {src}"
    return src


@kind("inplace_with", 9)
def inplace_with(w):
    """`t.add_(u)`, `t += u`, `t.copy_(u)`: the right-hand side may require a gradient."""
    t, target = _target(w)
    if t is None:
        return None
    other = w.partner(target, apart=True)
    if other.dtype != "number" and w.chance(0.3):
        other = expression(w, 1, other)
    if broadcast(target.shape, other.shape) != target.shape and w.chance(0.9):
        other = w.literal(target.shape)
    op = w.weighted(("add_", "mul_", "sub_", "div_", "copy_", "+=", "*=", "-=", "/="),
                    (6, 6, 2, 2, 4, 5, 4, 1, 1))
    if op == "copy_" and other.dtype == "number":
        op = "fill_"
    w.change(t.src, size=t.size * other.size, grad=t.grad or other.grad, leaf=t.leaf and not other.grad)
    if op.endswith("="):
        return f"{target.src} {op} {other.src}" if target is t or target.src.endswith("]") else None
    if op in ("add_", "sub_") and w.chance(0.1):
        return f"{target.src}.{op}({other.src}, alpha=0.5)"
    return f"{target.src}.{op}({other.src})"


@kind("setitem", 7)
def setitem(w):
    """`t[1:] = u` with integers, slices, masks, index lists and ellipsis."""
    t, _ = _target(w)
    if t is None or 0 in t.shape:
        return None
    choices = [("...", t.shape), ("()" if t.ndim == 0 else ":", t.shape), (f"{t.src} > 0", ())]
    if t.ndim:
        n, rest = t.shape[0], t.shape[1:]
        at = w.below(n)
        many = [w.below(n) for _ in range(1 + w.below(2))]
        choices += [(at, rest), (at, rest), (at - n, rest), ("1:", (n - 1,) + rest), (":1", (1,) + rest),
                    ("::2", ((n + 1) // 2,) + rest), (many, (len(many),) + rest),
                    (f"torch.tensor({many})", (len(many),) + rest)]
    if t.ndim == 2:
        n, m = t.shape
        choices += [(":, 0", (n,)), ("..., -1", (n,)), (f"{w.below(n)}, {w.below(m)}", ()),
                    (":, :1", (n, 1)), ("[0], :1", (1, 1)), (":, [0]", (n, 1))]
    where, shape = w.one_of(choices)
    if w.chance(0.25):
        value = repr(w.number())
    else:
        source = w.pick(lambda u: u.dtype != "bool" and broadcast(u.shape, shape) == shape and u.src != t.src)
        value = source.src if source and w.chance(0.7) else w.literal(shape).src
        if source and source.src == value:
            w.change(t.src, grad=t.grad or source.grad, leaf=t.leaf and not source.grad,
                     size=t.size + source.size)
    if w.chance(0.15):
        return f"{t.src}[{where}] {w.one_of(('+=', '*='))} {value}"
    return f"{t.src}[{where}] = {value}"


@kind("indexed_write", 1.5)
def indexed_write(w):
    """index_add_, scatter_, masked_fill_ with a tensor, index_fill_, and their copies without underscore."""
    t = w.pick(lambda t: t.ndim and t.shape[0] and t.floating and not (t.leaf and t.grad))
    if t is None:
        return None
    at = w.below(t.shape[0])
    source = w.literal((1,) + t.shape[1:], t.dtype, grad=w.chance(0.3))
    index = f"torch.tensor({'[' * t.ndim}{at}{']' * t.ndim})"
    call = w.one_of((f"index_add_(0, torch.tensor([{at}]), {source.src})",
                     f"index_fill_(0, torch.tensor([{at}]), 2.0)",
                     f"index_copy_(0, torch.tensor([{at}]), {source.src})",
                     f"scatter_(0, {index}, 3.0)", f"scatter_add_(0, {index}, {source.src})",
                     f"scatter_(0, {index}, {source.src})",
                     f"masked_fill_({t.src} > 0, torch.tensor(0.5))"))
    if w.chance(0.4):
        call = call.replace("_(", "(", 1)
        return f"{w.keep(t._replace(leaf=False))} = {t.src}.{call}"
    return f"{t.src}.{call}"


@kind("data", 2.5)
def data(w):
    """Writes that autograd does not see, and assignments to .data."""
    t = w.pick()
    value = w.number()
    fitting = w.pick(lambda u: u.shape == t.shape and u.dtype == t.dtype and u.src != t.src)
    return w.one_of((f"{t.src}.data.mul_({value})", f"{t.src}.data += {value}", f"{t.src}.data.zero_()",
                     f"{t.src}.detach().add_({value})", f"{t.src}.detach().zero_()",
                     f"{t.src}.data = {w.literal(t.shape, t.dtype if t.dtype != 'bool' else 'float32').src}",
                     f"{t.src}.data = {t.src + ' * 2' if fitting is None or w.inference else fitting.src}",
                     f"{t.src}.data = {t.src}.data * 0.5", f"{t.src}.data.copy_({t.src} * 2)",
                     f"{t.src}.detach().numpy()[...] = 1"))


@kind("flags", 2.5)
def flags(w):
    """requires_grad, detach_ and retain_grad switched on existing tensors."""
    t = w.pick()
    src = w.one_of((f"{t.src}.requires_grad_()", f"{t.src}.requires_grad_(False)", f"{t.src}.detach_()",
                    f"{t.src}.requires_grad = True", f"{t.src}.requires_grad = False",
                    f"{t.src}.retain_grad()", f"{t.src}.retain_grad()", f"{t.src}.retain_grad()"))
    if t.leaf and "requires_grad" in src and t.floating:
        w.change(t.src, grad="False" not in src)
    if "detach_" in src:
        w.change(t.src, grad=False, leaf=True)
    return src


@kind("grad_attribute", 2)
def grad_attribute(w):
    """Reads, writes and removals of .grad."""
    t = w.pick(lambda t: t.grad) or w.pick()
    return w.one_of((f"{t.src}.grad = None", f"{t.src}.grad.zero_()", f"{t.src}.grad.data.zero_()",
                     f"{t.src}.grad *= 2", f"{t.src}.grad = torch.ones_like({t.src})",
                     f"{t.src}.grad = torch.ones(5)",
                     f"{t.src}.grad = 1.0", f"{t.src}.grad = {t.src}", f"del {t.src}.grad", f"{t.src}.grad",
                     f"{t.src}.grad = {t.src}.detach().double()", f"{t.src}.grad.detach_()",
                     f"{t.src}.grad[...] = 2"))


@kind("shape_in_place", 0.5)
def shape_in_place(w):
    """t_(), squeeze_(), unsqueeze_(), transpose_()."""
    t = w.pick(lambda t: t.ndim == 2)
    if t is None:
        return None
    a, b = t.shape
    call, shape = w.one_of((("t_()", (b, a)), ("transpose_(0, 1)", (b, a)), ("unsqueeze_(0)", (1, a, b)),
                            ("squeeze_()", tuple(n for n in t.shape if n != 1))))
    w.change(t.src, shape=shape)
    return f"{t.src}.{call}"
