"""A whole program from a seed: a few leaves, then statements of all kinds in a random order."""
import textwrap

from . import graphs, modes, more_writes, mutants, passes, training, writes  # noqa: F401  (they fill KINDS)
from .kinds import KINDS, kind
from .values import expression
from .writer import Expr, Writer

MODES = ("torch.no_grad()", "torch.no_grad()", "torch.no_grad()", "torch.enable_grad()",
         "torch.set_grad_enabled(False)", "torch.inference_mode()")
WRAPPABLE = ("new", "inplace", "inplace_with", "setitem", "view", "indexed_write", "data", "backward", "grad",
             "function")


def write_program(seed, without=()):
    """The statements of program `seed`: a list of [kind, source text]."""
    w = Writer(seed)
    statements = [["leaf", leaf(w)] for _ in range(2 + w.below(3))]
    names = [name for name in KINDS if name not in without]
    weights = [KINDS[name][0] for name in names]
    length = 6 + w.below(22)
    while len(statements) < length:
        name = w.weighted(names, weights)
        source = KINDS[name][1](w)
        if source is None:
            continue
        if name in WRAPPABLE and w.chance(0.09):
            mode = w.one_of(MODES[:-1] if ".data = " in source else MODES)
            source = f"with {mode}:\n{textwrap.indent(source, '    ')}"
        w.inference = w.inference or "inference_mode" in source
        statements.append([name, source])
    return statements


@kind("leaf", 1.5)
def leaf(w):
    """A tensor made from numbers, mostly one that requires a gradient."""
    dtype = w.weighted(("float32", "float64", "int64"), (12, 3, 1))
    shape, grad = w.shape(), dtype != "int64" and w.chance(0.75)
    x = w.literal(shape, dtype, grad)
    flag = ", requires_grad=True" if grad else ""
    roll = w.below(10)
    if roll < 2 and dtype == "float32" and shape:
        x = x._replace(src=f"torch.{w.one_of(('ones', 'zeros'))}({shape}{flag})")
    elif roll == 2 and dtype == "float32" and shape:
        w.once.add("seed")
        x = x._replace(src=f"torch.{w.one_of(('rand', 'randn'))}({shape}{flag})")
    elif roll == 3 and dtype == "float32":
        x = Expr(f"torch.arange(6.0{flag})", (6,), dtype, grad, 6.0, True)
    elif roll == 4 and grad:
        x = x._replace(src=x.src.replace(flag, "").replace(", requires_grad=True", "") + ".requires_grad_()")
    return f"{w.keep(x)} = {x.src}"


@kind("new", 26)
def new(w):
    """A new tensor from the old ones; now and then it takes the name of an old one."""
    e = expression(w)
    if e.src in [t.src for t in w.tensors]:
        return None
    old = w.pick()
    return f"{w.keep(e, old.src if w.chance(0.06) else None)} = {e.src}"


@kind("view", 8)
def a_view(w):
    """A view with a name, for later writes."""
    from .values import view
    t = w.pick(lambda t: t.ndim)
    if t is None:
        return None
    e = view(w, t)
    if w.chance(0.25):
        e = view(w, e)
    return f"{w.keep(e)} = {e.src}"


@kind("several", 2.5)
def several(w):
    """Several results at once: unbind, split, chunk, max with indices, plain unpacking."""
    t = w.pick(lambda t: t.ndim and 2 <= t.shape[0] <= 3)
    if t is None:
        return None
    n, rest = t.shape[0], t.shape[1:]
    call, shapes = w.one_of(((".unbind()", [rest] * n), (".unbind(0)", [rest] * n),
                             (".split(1)", [(1,) + rest] * n),
                             (f".chunk({n})", [(1,) + rest] * n), ("", [rest] * n),
                             (f".split([1, {n - 1}])", [(1,) + rest, (n - 1,) + rest]),
                             (".max(0)", [rest, rest]), (".min(0)", [rest, rest]),
                             (".sort()", [t.shape, t.shape]),
                             (".aminmax()", [(), ()])))
    names = [w.keep(t._replace(shape=s, leaf=False)) for s in shapes]
    if call[1:4] in ("max", "min", "sor"):
        w.change(names[1], dtype="int64", grad=False)
    return f"{', '.join(names)} = {t.src}{call}"


@kind("look", 1.5)
def look(w):
    """Reads that leave Python objects or text: item, repr, len, bool, iteration."""
    t = w.pick()
    return "log.append(" + w.one_of((
        f"{t.src}.item()", f"repr({t.src})", f"str({t.src}.detach())", f"len({t.src})", f"bool({t.src})",
                                     f"float({t.src})",
        f"int({t.src})", f"[row.tolist() for row in {t.src}]", f"{t.src}.numpy().tolist()",
                                     f"repr({t.src}.shape)",
        f"{t.src}.stride()", f"{t.src}.is_contiguous()", f"str({t.src}.dtype)", f"repr({t.src}.grad)",
        f"f'{{{t.src}}}'", f"1.0 in {t.src}", f"torch.equal({t.src}, {t.src})",
                                     f"{t.src}.detach().numpy().tolist()",
        f"str({t.src}._base)", f"repr(torch.nn.Parameter({t.src}.detach()))")) + ")"


@kind("global_mode", 0.3)
def global_mode(w):
    return f"torch.set_grad_enabled({w.one_of((False, True, True))})"


@kind("copying", 0.4)
def copying(w):
    t = w.pick()
    return f"import copy\n{w.keep(t._replace(grad=False))} = copy.deepcopy({t.src})"


@kind("delete", 0.6)
def delete(w):
    t = w.pick(recent=False)
    if len(w.tensors) < 3:
        return None
    w.tensors.remove(t)
    return f"del {t.src}"


@kind("mistake", 1.5)
def mistake(w):
    """Something PyTorch refuses: what it says is compared word for word."""
    t = w.pick()
    x = t.src
    return w.one_of((
        f"{x} + torch.ones(7)", f"{x}.view(7)", f"{x} @ torch.ones(9, 9)", f"{x}.sum(5)", f"{x}.squeeze(-7)",
        f"{x}.expand(5, 5, 5, 7)", f"{x}[10]", f"{x}[0, 0, 0, 0]", f"{x} + 'a'", f"{x} + None",
                     f"{x}.reshape(-1, -1)",
        f"torch.cat([{x}, torch.ones(2, 2, 2, 2)])", f"torch.stack([{x}, torch.ones(7)])",
                     f"{x}.permute(0, 0)",
        f"{x}.transpose(0, 5)", f"{x}.mean(dtype=torch.int64)", f"torch.autograd.grad({x}, [])",
        f"torch.autograd.backward([{x}], [torch.ones(7)])", f"{x}.backward(3)",
                     f"{x}.backward(torch.ones(7))",
        f"{x}.backward(inputs=[])", f"torch.autograd.grad({x}.sum(), torch.ones(1))", f"{x}.register_hook(3)",
        f"{x}.register_hook()", f"{x}.requires_grad = 3", f"{x}.is_leaf = True", f"{x}.data = 3",
                     f"{x}._version = 3",
        f"{x}.data = None", f"{x}.grad_fn = None", f"{x}.long().requires_grad_()", f"torch.tensor({x})",
                     f"{x}.nothing",
        "torch.tensor([1, 2], requires_grad=True)", f"{x}.long().float().backward()",
                     f"{x}.masked_fill({x}, 1)",
        f"{x}.gather(0, {x})", f"torch.add({x}, 1, out={x})", f"{x}.item().backward()",
                     f"{x}.int().add_(0.5)",
        f"{x}[{x}]", f"{x}.copy_(torch.ones(7))", f"{x}.fill_(torch.ones(7))", f"{x}.t().t().t()",
                     f"iter({x})",
        f"{x}.clamp()", f"{x}.sum(dim=(0, 0))", "torch.zeros(-1)", f"{x}.chunk(0)", f"{x}.unbind(3)",
        f"torch.where({x}, {x}, {x})", f"torch.mm({x}, {x})", f"torch.dot({x}, {x})", f"{x}.softmax(9)"))
