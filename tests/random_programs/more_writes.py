"""In-place forms of everything else, out= arguments, and writes under other names."""
from .kinds import kind
from .pointwise import SMOOTH
from .tables import count, some_dim, with_dim
from .values import view


def _target(w):
    t = w.pick(lambda t: not t.repeats and (not (t.leaf and t.grad) or w.chance(0.1)))
    if t is None:
        return None, None
    return t, (view(w, t) if w.chance(0.25) else t)


WRITING_FUNCTIONS = "relu_ exp_ neg_ sigmoid_ tanh_ sqrt_ abs_ zero_ detach_".split()
WITH_NUMBERS = ("addcmul_({0}, {0}, value=0.5)", "addcdiv_({0}, {0} + 3)", "lerp_({0} * 2, 0.5)",
                "clamp_min_(0.1)", "clamp_max_(1)", "clip_(-1, 1)", "fmod_(2)",
                "remainder_(2)", "floor_divide_(2)", "div_(2, rounding_mode='floor')", "copysign_(-1)",
                "nan_to_num_()", "xlogy_({0})", "atan2_({0})", "hypot_({0})",
                "float_power_(2)", "logit_(0.1)", "true_divide_(2)", "multiply_(2)", "subtract_(1, alpha=2)",
                "pow_({0} * 0 + 2)", "masked_fill_({0} > 1, 0)", "gt_(0)", "eq_(1)",
                "logical_not_()", "ne_({0})", "cumsum_(-1)", "cumprod_(0)", "fill_(torch.tensor(2.0))",
                "zero_()", "copy_(torch.tensor(1.0))", "clamp_(min=0, max=None)",
                "round_(decimals=1)", "bernoulli_(0.5)", "random_(3)", "exponential_()", "add_(1, alpha=0.5)",
                "mul_(other=2)", "sub_(True)", "heaviside_({0})", "ldexp_({0})", "requires_grad_(True)",
                "resize_(2)", "squeeze_(0)", "unsqueeze_(-1)", "swapaxes_(0, -1)", "t_()")
OPERATORS = ("//= 2", "%= 2", "**= 2", "+= 1", "-= {0}", "*= {0}", "/= 2.0", "&= 1", "|= 1", "^= True",
             "<<= 1", "@= {0}", "//= {0}", "**= 0.5", "+= True", "-= None", "*= 'a'", "+= 1.5")


@kind("more_in_place", 5)
def more_in_place(w):
    """The in-place form of any pointwise operation, as a method, a function or an operator."""
    t, target = _target(w)
    if t is None:
        return None
    s = target.src
    roll = w.below(10)
    w.change(t.src, size=max(t.size, 150.0))
    if roll < 4:
        name = w.one_of(SMOOTH)
        return f"{s}.{name}_()" if w.chance(0.7) else f"torch.{w.one_of(WRITING_FUNCTIONS)}({s})"
    if roll < 7:
        return f"{s}.{w.one_of(WITH_NUMBERS).format(s)}"
    if roll == 7:
        return f"{s} {w.one_of(OPERATORS).format(s)}" if target is t or s.endswith("]") else f"{s}.add_({s})"
    return w.one_of((f"torch.nn.functional.relu({s}, inplace=True)",
        f"torch.nn.functional.leaky_relu_({s}, 0.1)", f"torch.nn.functional.elu({s}, inplace=True)",
                     f"torch.nn.functional.hardtanh_({s})",
                     f"torch.nn.functional.dropout({s}, 0.0, inplace=True)", f"torch.nn.init.zeros_({s})",
                     f"torch.nn.init.constant_({s}, 0.3)",
                     f"torch.nn.init.ones_({s})", f"torch.nn.functional.silu({s}, inplace=True)",
                     f"torch.nn.functional.threshold({s}, 0.1, 0, inplace=True)", f"{s}.fill_diagonal_(1)"))


@kind("indexed_in_place", 2.5)
def indexed_in_place(w):
    """Writes by index, along a dimension or through a mask."""
    t, target = _target(w)
    if t is None or not target.ndim or not count(target.shape):
        return None
    s, shape = target.src, target.shape
    d, written = some_dim(w, target)
    at = w.below(shape[d])
    kind_of_source = target.dtype if target.dtype != "bool" else "float32"
    source = w.literal(with_dim(shape, d, 1), kind_of_source, target.floating and w.chance(0.4)).src
    zeros = f"torch.zeros({with_dim(shape, d, 1)}, dtype=torch.int64)"
    index = f"torch.tensor([{at}])"
    return f"{s}." + w.one_of((
        f"index_add_({written}, {index}, {source})", f"index_add_({d}, {index}, {source}, alpha=0.5)",
        f"index_copy_({written}, {index}, {source})", f"index_fill_({d}, {index}, 2)",
        f"scatter_({written}, {zeros}, {source})", f"scatter_({d}, {zeros}, 3)",
        f"scatter_add_({d}, {zeros}, {source})", f"scatter_reduce_({d}, {zeros}, {source}, reduce='prod')",
        f"index_put_((torch.tensor([0]),), torch.ones((), dtype={s}.dtype))",
        f"index_put_((torch.tensor([0, 0]),), torch.ones((), dtype={s}.dtype), accumulate=True)",
        f"masked_scatter_({s} > 0, torch.ones({count(shape)}, dtype={s}.dtype))",
        f"masked_fill_({s} > 0, torch.tensor(0.5))", f"select({d}, {at}).zero_()",
        f"narrow({written}, {at}, 1).copy_({source})",
        f"put_(torch.tensor([0]), torch.ones(1, dtype={s}.dtype))", "clone().tril_()",
        f"unbind({d})[{at}].add_(1)", f"__setitem__({at if d == 0 else 0}, 1)", "diagonal().fill_(1)",
        "T.mul_(2)", f"unfold({d}, 1, 1).mul_(2)"))


OUT = ("torch.add({0}, {0}, out={1})", "torch.mul({0}, 2, out={1})", "torch.exp({0}, out={1})",
       "torch.abs({0}, out={1})",
       "torch.maximum({0}, {0}, out={1})", "torch.sub({0}, 1, out={1})", "torch.div({0}, 2, out={1})",
       "torch.pow({0}, 2, out={1})",
       "torch.clamp({0}, 0, 1, out={1})", "torch.neg({0}, out={1})", "torch.sigmoid({0}, out={1})",
       "torch.gt({0}, 0, out={1})",
       "torch.cumsum({0}, -1, out={1})", "torch.tanh({0}, out={1})",
       "torch.where({0} > 0, {0}, {0}, out={1})")


@kind("out", 1)
def out(w):
    """`torch.add(x, y, out=z)`."""
    t = w.pick(lambda t: t.floating)
    if t is None:
        return None
    u = w.pick(lambda u: u.shape == t.shape and u.dtype == t.dtype)
    target = w.one_of((u.src, f"torch.empty_like({t.src})", f"{u.src}.detach()",
        f"torch.empty(0, dtype={t.src}.dtype)", f"{u.src}.data"))
    return w.one_of(OUT).format(t.src, target)


@kind("out_with", 0.8)
def grad_games(w):
    """Writes to .grad and to tensors' insides in less usual ways."""
    t = w.pick(lambda t: t.grad) or w.pick()
    u = w.pick()
    s = t.src
    return w.one_of((f"{s}.grad = torch.zeros_like({s}, memory_format=torch.preserve_format)",
        f"{s}.grad = {u.src}", f"{s}.grad = {s}.detach().clone()", f"{s}.grad.add_(1)", f"{s}.grad.mul_({s})",
        f"{s}.grad = {s} * 2",
                     f"{s}.grad += {s}.grad", f"{s}.grad.requires_grad_()", f"g = {s}.grad",
                     f"{s}.grad = {s}.grad.clone()", f"{s}.grad.copy_({s})", f"{s}.grad.sum().backward()",
                     f"log.append({s}.grad is None)",
                     f"log.append({s}.grad.requires_grad)", f"{s}.grad.grad = {s}.grad",
                     f"{s}.grad.data.fill_(1)", f"{s}.requires_grad_().retain_grad()",
                     f"{s}.detach().requires_grad_(True).sum().backward()",
                     f"{s}.data = {s}.data.clone()", f"{s}.data[...] = 1",
                     f"{s}.data = {s if w.inference else u.src}.data", f"{s}._grad = None",
                     f"{s}.grad = None", f"del {s}.grad", f"{s}.grad.detach_().zero_()"))
