"""The table of statements: everything a program does besides computing one tensor from another.

A row is a template; writer.py and `MoreHoles` say what its holes mean. A kind of statements has
one row a line, or rows of several lines with empty lines between them.
"""
import re
import textwrap

from .expressions import expression, view
from .writer import Expr, Holes, Impossible, broadcast, split_rows

MODES = ("torch.no_grad()", "torch.no_grad()", "torch.no_grad()", "torch.enable_grad()",
         "torch.set_grad_enabled(False)", "torch.inference_mode()")
KINDS = {}       # name: Kind


class Kind:
    """How often statements of one kind come, the tensors they are about, what they change, and
    the rows."""

    def __init__(self, name, weight, rows, wanted=None, in_mode=False, kinds=KINDS, **changes):
        self.name, self.weight, self.wanted = name, weight, wanted
        self.in_mode, self.changes = in_mode, changes
        rows = textwrap.dedent(rows).strip("\n")
        self.rows = split_rows(rows)
        kinds[name] = self

    def write(self, w):
        holes = MoreHoles(w, w.pick(self.wanted))
        source = holes.fill(w.one_of(self.rows))
        w.change(holes.x.src, **self.changes)
        return source


class WrittenKind(Kind):
    """A kind whose statements a function writes."""

    def __init__(self, name, weight, write, in_mode=False, kinds=KINDS):
        self.name, self.weight, self.write, self.in_mode = name, weight, write, in_mode
        kinds[name] = self


class MoreHoles(Holes):
    """The holes that only statements have."""

    def e(self):
        """An expression."""
        return expression(self.writer)

    def node(self):
        """The grad_fn of x, or the node below it."""
        return f"{self.x}.grad_fn" + self.writer.one_of(("", "", ".next_functions[0][0]"))

    def root(self):
        """A tensor of one element, from which a backward pass can start."""
        return root(self.writer)

    def flags(self):
        return self.writer.one_of(("", "", "", "", "retain_graph=True", "retain_graph=True",
                                   "create_graph=True"))

    def mode(self):
        return self.writer.one_of((*MODES, "torch.inference_mode(False)",
                                   "torch.set_grad_enabled(True)"))

    def other_mode(self):
        return self.mode()

    def hook(self):
        return self.writer.one_of(HOOKS)

    def several_hooks(self):
        return f"torch.autograd.graph.register_multi_grad_hook([{self['several']}]"

    def saved_by(self):
        return f"[a for a in dir({self.x}.grad_fn) if a.startswith('_saved')]"

    def next(self):
        return f"{self.x}.grad_fn.next_functions"

    def double(self):
        return f"({self.x}.detach().double().requires_grad_(),)"

    def new2(self):
        return self.new()

    def risky(self):
        return self.fill(self.writer.one_of(KINDS["mistake"].rows))

    def layer(self):
        return "torch.nn." + self.writer.one_of(LAYERS).format(*self.x.shape[-1:])

    def algorithm(self):
        return "torch.optim." + self.writer.one_of(OPTIMIZERS).format(self.x)


HOOKS = (
    "lambda g: g * 2", "lambda g: g * 2", "lambda g: log.append(g.tolist())",
    "lambda g: log.append(g.tolist())",
    "lambda g: None",
    "lambda g: log.append([g.requires_grad, list(g.shape), torch.is_grad_enabled()])",
    "lambda g: g.detach() + 1", "lambda g: g.clone().mul_(2)", "lambda g: 3", "lambda g: g.sum()",
    "lambda g: g.double()", "lambda g: undefined")
LAYERS = (
    "Linear({0}, 2)", "Linear({0}, 1, bias=False)",
    "Sequential(torch.nn.Linear({0}, 2), torch.nn.Tanh())",
    "LayerNorm({0})", "Sequential(torch.nn.Linear({0}, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))",
    "Softmax(dim=-1)", "Flatten(0)", "Sigmoid()", "BatchNorm1d({0})")
OPTIMIZERS = (
    "SGD([{0}], lr=0.1)", "SGD([{0}], lr=0.1, momentum=0.9)", "Adam([{0}], lr=0.1)",
    "RMSprop([{0}], lr=0.1)",
    "AdamW([{0}], lr=0.1, weight_decay=0.1)", "Adagrad([{0}], lr=0.1)",
    "SGD([{0}], lr=0.1, weight_decay=0.1, momentum=0.5, nesterov=True)",
    "SGD([{0}], lr=0.1, dampening=0.5)")


def requires_grad(t):
    return t.grad


def is_recorded(t):
    return t.grad and not t.leaf


def is_leaf(t):
    return t.grad and t.leaf


def is_small(t):
    return t.floating and t.size < 5


def may_be_written(t):
    return not is_leaf(t)


def is_input(t):
    return t.dtype == "float32" and t.ndim and t.count and t.size < 1000


# --- statements that need more than a template ---------------------------------------------------

def start(w):
    """Return the first statements of a program: two to four leaves."""
    return [["leaf", leaf(w)] for _ in range(2 + w.below(3))]


def leaf(w):
    """A tensor made from numbers, mostly one that requires a gradient."""
    dtype = w.weighted(("float32", "float64", "int64", "bool"), (12, 3, 1, 0.3))
    shape, grad = w.shape(), dtype in ("float32", "float64") and w.chance(0.75)
    x, flag = w.literal(shape, dtype, grad), ", requires_grad=True" if grad else ""
    roll = w.below(10)
    if roll < 3 and dtype == "float32" and shape:
        x = x._replace(src=f"torch.{w.one_of(('ones', 'zeros', 'rand', 'randn'))}({shape}{flag})")
    elif roll == 3 and dtype == "float32":
        x = Expr(f"torch.arange(6.0{flag})", (6,), dtype, grad, 6.0, True)
    elif roll == 4 and grad:
        x = x._replace(src=f"{w.literal(shape, dtype)}.requires_grad_()")
    return f"{w.keep(x)} = {x}"


def new(w):
    """A new tensor from the old ones; now and then it takes the name of an old one."""
    e, old = expression(w), w.pick()
    return f"{w.keep(e, old.src if w.chance(0.06) else None)} = {e}"


def named_view(w):
    """A view with a name, for later writes."""
    e = view(w, w.pick())
    if w.chance(0.25):
        e = view(w, e)
    return f"{w.keep(e)} = {e}"


def several(w):
    """Several results at once: unbind, split, chunk, max with indices, plain unpacking."""
    t = w.pick(lambda t: t.ndim and 2 <= t.shape[0] <= 3)
    n, rest = t.shape[0], t.shape[1:]
    call, shapes = w.one_of((
        (".unbind()", [rest] * n), (".split(1)", [(1, *rest)] * n),
        (f".chunk({n})", [(1, *rest)] * n),
        ("", [rest] * n), (f".split([1, {n - 1}])", [(1, *rest), (n - 1, *rest)]),
        (".max(0)", [rest] * 2),
        (".min(0)", [rest] * 2)))
    names = [w.keep(t._replace(shape=shape, leaf=False)) for shape in shapes]
    if call in (".max(0)", ".min(0)"):
        w.change(names[1], dtype="int64", grad=False)
    return f"{', '.join(names)} = {t}{call}"


def target(w):
    """Something to write to: rarely a leaf that requires a gradient, sometimes a view without a
    name."""
    t = w.pick(None if w.chance(0.15) else may_be_written)
    return t, view(w, t) if w.chance(0.25) else t


def in_place_with(w):
    """`t.add_(u)`, `t += u`, `t.copy_(u)`: the right-hand side may require a gradient."""
    t, written = target(w)
    other = w.partner(written, apart=True)
    if broadcast(written.shape, other.shape) != written.shape and w.chance(0.9):
        other = w.literal(written.shape)
    call = w.weighted(("add_", "mul_", "sub_", "div_", "copy_", "+=", "*=", "-=", "/="),
                      (6, 6, 2, 2, 4, 5, 4, 1, 1))
    w.change(t.src, size=t.size * other.size, grad=t.grad or other.grad,
             leaf=t.leaf and not other.grad)
    if call.endswith("="):
        if written is not t and not written.src.endswith("]"):
            raise Impossible
        return f"{written} {call} {other}"
    if call == "copy_" and other.dtype == "number":
        call = "fill_"
    alpha = ", alpha=0.5" if call in ("add_", "sub_") and w.chance(0.1) else ""
    return f"{written}.{call}({other}{alpha})"


def set_item(w):
    """`t[1:] = u` with integers, slices, masks, index lists and ellipsis."""
    t, _ = target(w)
    choices = [("...", t.shape), (f"{t} > 0", ())]
    if t.ndim and t.count:
        n, rest = t.shape[0], t.shape[1:]
        many = [w.below(n) for _ in range(1 + w.below(2))]
        choices += [(w.below(n), rest), (-1, rest), (":", t.shape), ("1:", (n - 1, *rest)),
                    (":1", (1, *rest)),
                    ("::2", ((n + 1) // 2, *rest)), (many, (len(many), *rest)),
                    (f"torch.tensor({many})", (len(many), *rest))]
        if t.ndim == 2:
            choices += [(":, 0", (n,)), ("..., -1", (n,)), ("0, -1", ()), (":, :1", (n, 1)),
                        (":, [0]", (n, 1))]
    where, shape = w.one_of(choices)
    value = w.maybe(lambda u: u.dtype != "bool" and broadcast(u.shape, shape) == shape
                    and u.base != t.base)
    if value is None or w.chance(0.4):
        value = w.literal(shape) if w.chance(0.6) else Expr(str(w.one_of((0.5, -1, 2.0))))
    w.change(t.src, grad=t.grad or value.grad, leaf=t.leaf and not value.grad,
             size=t.size + value.size)
    return f"{t}[{where}] {w.weighted(('=', '+=', '*='), (8, 1, 1))} {value}"


def root(w):
    """A tensor of one element that requires a gradient, made from a variable where that is
    needed."""
    t = w.maybe(lambda t: t.grad and t.floating) or w.pick()
    if t.count == 1 and t.ndim < 2 or w.chance(0.04):
        return t.src
    return t.src + w.one_of((".sum()", ".sum()", ".mean()", ".prod()", ".max()", ".norm()",
                             ".pow(2).sum()"))


def backward(w):
    """`t.backward(...)` and torch.autograd.backward, with gradient, inputs and flags."""
    t, flags = w.maybe(requires_grad) or w.pick(), MoreHoles(w, None).flags()
    if w.chance(0.3):
        gradient = w.one_of((f"torch.ones_like({t})", f"{t}.detach()",
                             str(w.literal(t.shape, t.dtype if t.floating else "float32"))))
        return f"{t}.backward({', '.join(filter(None, (gradient, flags)))})"
    inputs = w.some([u.src for u in w.tensors if u.grad] or [t.src], 2)
    inputs = f"inputs=[{', '.join(inputs)}]" if w.chance(0.12) else ""
    arguments = ", ".join(filter(None, (flags, inputs)))
    if w.chance(0.1):
        return f"torch.autograd.backward([{root(w)}, {root(w)}]{', ' * bool(arguments)}{arguments})"
    return f"{root(w)}.backward({arguments})"


def grad(w):
    """`a, b = torch.autograd.grad(...)`: the results become tensors of the program."""
    inputs = w.some([u for u in w.tensors if u.grad] or w.tensors, 2)
    flags = MoreHoles(w, None).flags()
    unused = w.weighted(("", "allow_unused=True", "materialize_grads=True"), (5, 5, 1))
    outputs = root(w)
    if w.chance(0.2):
        outputs = w.pick()
        flags = ", ".join(filter(None, (f"grad_outputs=torch.ones_like({outputs})", flags)))
    create = "create_graph" in flags
    call = ", ".join(filter(None,
                            (str(outputs), f"[{', '.join(map(str, inputs))}]", flags, unused)))
    names = [w.keep(Expr("", u.shape, u.dtype, create, 60.0, not create)) for u in inputs]
    return f"{', '.join(names)}{',' * (len(names) == 1)} = torch.autograd.grad({call})"


FUNCTIONS = {        # name: (the lines of forward, the lines of backward, how many results)
    "Double": ("return x * 2", "return g * 2", 1),
    "Square": ("ctx.save_for_backward(x); return x * x", "x, = ctx.saved_tensors; return 2 * x * g",
               1),
    "SaveResult": ("y = x * 3; ctx.save_for_backward(y); return y",
                   "y, = ctx.saved_tensors; return g * 3 + 0 * y", 1),
    "Same": ("return x", "return g * 2", 1),
    "ViewOf": ("ctx.shape = x.shape; return x.view(-1)", "return g.view(ctx.shape)", 1),
    "InPlace": ("ctx.mark_dirty(x); return x.mul_(2)", "return g * 2", 1),
    "Unmarked": ("return x.mul_(2)", "return g * 2", 1),
    "NoGradient": ("return x * 2", "return None", 1),
    "TooMany": ("return x * 2", "return g, g", 1),
    "ExtraNone": ("return x * 2", "return g, None", 1),
    "WrongShape": ("return x * 2", "return g.sum() + torch.ones(5)", 1),
    "NotTensor": ("return x * 2", "return 3", 1),
    "ReturnsNumber": ("return 3", "return g", 1),
    "Raises": ("return x * 2", "raise ValueError('backward of Raises')", 1),
    "SavesNumber": ("ctx.save_for_backward(3); return x * 2", "return g", 1),
    "TwoOutputs": ("return x * 2, x * 3", "return g * 2 + h * 3", 2),
    "NotDifferentiable": ("y = x > 0; ctx.mark_non_differentiable(y); return x * 2, y",
                          "return g * 2", 2),
    "NoMaterialize": ("ctx.set_materialize_grads(False); return x * 2, x * 3",
                      "log.append([g is None, h is None]); return g if g is not None else h", 2),
    "NeedsInput": ("log.append(ctx.needs_input_grad); return x * 2",
                   "log.append(ctx.needs_input_grad); return g * 2", 1),
    "Detached": ("return x.detach()", "return g * 5", 1),
}


def custom_function(w):
    """A custom Function: its class is defined where the program first uses it."""
    name = w.one_of(sorted(FUNCTIONS))
    forward, backward, results = FUNCTIONS[name]
    t = w.maybe(lambda t: t.grad and t.floating) or w.pick()
    lines = []
    if name not in w.defined:
        w.defined.add(name)
        lines = [f"class {name}(torch.autograd.Function):", "    @staticmethod"]
        if results == 1 and "ctx" not in forward and w.chance(0.3):       # with setup_context
            lines += [f"    def forward(x): {forward}", "    @staticmethod",
                      "    def setup_context(ctx, inputs, output): pass"]
        else:
            lines += [f"    def forward(ctx, x): {forward}"]
        once = ["    @torch.autograd.function.once_differentiable"] * w.chance(0.15)
        lines += ["    @staticmethod", *once]
        lines += [f"    def backward(ctx, {'g, h' if results == 2 else 'g'}): {backward}"]
    shape = (t.count,) if name == "ViewOf" else t.shape
    names = [w.keep(t._replace(leaf=False, size=t.size * 3, shape=shape, base=""))
             for _ in range(results)]
    return "\n".join([*lines, f"{', '.join(names)} = {name}.apply({t})"])


def mutant(w):
    """An expression in which one number or one tensor is replaced by a wrong one."""
    source = expression(w, 1).src
    numbers = list(re.finditer(r"(?<![\w.\]])\d+\b(?!\.)", source))
    tensors = list(re.finditer(r"\bt\d+\b", source))
    spots, wrong = w.one_of(((numbers, ("7", "-7", "5", "(0, 1)")), (tensors, (
        "torch.ones(7)", "torch.ones(5, 5)", "torch.ones(2, 2, 2, 2)", "{}.long()", "{}.bool()",
        "{}.double()",
        "{}[None]", "{}.sum()", "torch.zeros(0)", "torch.tensor(2)", "torch.zeros(0, 3)"))))
    if not spots:
        raise Impossible
    spot = w.one_of(spots)
    source = source[:spot.start()] + w.one_of(wrong).replace("{}",
                                                             spot.group()) + source[spot.end():]
    return f"{w.keep(Expr('', (1,)))} = {source}"


def delete(w):
    if len(w.tensors) < 3:
        raise Impossible
    t = w.pick()
    w.tensors.remove(t)
    return f"del {t}"


WrittenKind("leaf", 1.5, leaf)
WrittenKind("new", 27, new, in_mode=True)
WrittenKind("view", 8, named_view, in_mode=True)
WrittenKind("several", 2.5, several)
WrittenKind("in place with", 9, in_place_with, in_mode=True)
WrittenKind("set item", 7, set_item, in_mode=True)
WrittenKind("backward", 9, backward, in_mode=True)
WrittenKind("grad", 5, grad, in_mode=True)
WrittenKind("function", 2.5, custom_function, in_mode=True)
WrittenKind("mutant", 2, mutant)
WrittenKind("delete", 0.6, delete)

# --- statements that are templates ---------------------------------------------------------------

Kind("in place", 11, """
    {x}.mul_(2)   {x}.add_(1)   {x}.add_(1, alpha=3)   {x}.sub_(0.5)   {x}.div_(2)   {x}.pow_(2)
    {x} += 1   {x} **= 2   {x} //= 2   {x}.tanh_()   {x}.sigmoid_()   {x}.relu_()   {x}.neg_()
    {x}.abs_()   {x}.square_()   {x}.sqrt_()   {x}.zero_()   {x}.fill_(2.0)   {x}.clamp_(-1, 1)
    {x}.round_()   {x}.copy_({x} * 2)   {x}.masked_fill_({x} > 0, 0.5)
    {x}.masked_fill_({x} > 0, torch.tensor(0.5))   {x}.normal_()   {x}.uniform_()
    {x}.lerp_({z}, 0.5)   {x}.addcmul_({z}, {z})   {x}.view(-1).mul_(2)   {x}[...].add_(1)
    {new} = {x}.mul_(1.5)   torch.nn.init.zeros_({x})
    """, may_be_written, in_mode=True, size=40.0)
Kind("in place on a leaf", 1.5, """
    {x}.mul_(2)   {x}.zero_()   {x} += 1   {x}[...] = 0.5   torch.nn.init.ones_({x})
    torch.nn.init.constant_({x}, 0.3)
    """, is_leaf, in_mode=True)
Kind("write by index", 2.5, """
    {x}.index_add_({d}, torch.tensor([{i}]), {one_row})
    {x}.index_add_({d}, torch.tensor([{i}]), {one_row}, alpha=0.5)
    {x}.scatter_({d}, {zeros}, {one_row})   {x}.scatter_({d}, {zeros}, 3)
    {x}.scatter_add_({d}, {zeros}, {one_row})   {x}.select({d}, {i}).zero_()
    {x}.narrow({d}, {i}, 1).copy_({one_row})   {x}.unbind({d})[{i}].add_(1)
    {x}.diagonal().fill_(1)   {x}.squeeze().mul_(2)
    """, lambda t: t.ndim and t.count and t.dtype != "bool" and may_be_written(t))
Kind("data", 2, """
    {x}.data.mul_(1.5)   {x}.data += 0.5   {x}.data.zero_()   {x}.detach().add_(2.0)
    {x}.data = {x}.data * 0.5   {x}.data.copy_({x} * 2)   {x}.detach().numpy()[...] = 1
    """)
Kind("detach in place", 0.7, "{x}.detach_()", leaf=True, grad=False)
Kind("requires grad", 1.5, """
    {x}.requires_grad_()   {x}.requires_grad = True
    """, lambda t: t.leaf and t.floating, grad=True)
Kind("flags", 2.5, """
    {x}.requires_grad_()   {x}.requires_grad_(False)   {x}.requires_grad = False   {x}.retain_grad()
    {x}.retain_grad()   {x}.retain_grad()   torch.set_grad_enabled(False)
    torch.set_grad_enabled(True)   torch.set_grad_enabled(True)
    """)
Kind("grad attribute", 2.5, """
    {x}.grad = None   {x}.grad.zero_()   {x}.grad.data.zero_()   {x}.grad *= 2
    {x}.grad = torch.ones_like({x})   {x}.grad = torch.ones(5)   {x}.grad = 1.0   {x}.grad = {x}
    del {x}.grad   {x}.grad = {x}.detach().double()   {x}.grad = {x}.detach().clone()
    {x}.grad = {x} * 2   {x}.grad.detach_()   {x}.grad[...] = 2   {x}.grad = {x}.grad.clone()
    {x}.grad.sum().backward()   log.append({x}.grad is None)   log.append({x}.grad.requires_grad)
    """, requires_grad)
Kind("look", 1.5, """
    log.append({x}.item())   log.append(repr({x}))   log.append(str({x}.detach()))
    log.append(len({x}))   log.append(bool({x}))   log.append(float({x}))   log.append(int({x}))
    log.append([row.tolist() for row in {x}])   log.append({x}.numpy().tolist())
    log.append(repr({x}.shape))   log.append({x}.is_contiguous())   log.append(str({x}.dtype))
    log.append(repr({x}.grad))   log.append(f'{{{x}}}')   log.append(torch.equal({x}, {z}))
    log.append(torch.allclose({x}, {x}))   log.append(str({x}._base))
    log.append(repr(torch.nn.Parameter({x}.detach())))
    """)
Kind("hook", 5, """
    {handle} = {x}.register_hook({hook})   {handle} = {x}.register_hook({hook})
    {handle} = {x}.register_hook({hook})
    {handle} = {x}.register_hook(lambda g: log.append(({x}.detach() * g).sum().item()))
    {handle} = {several_hooks}, lambda gs: log.append(show(gs)))
    {handle} = {several_hooks}, lambda g: log.append(show(g)), mode='any')
    """, requires_grad)
Kind("hook of a leaf", 1, """
    {handle} = {x}.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.tolist()))
    {handle} = {x}.register_post_accumulate_grad_hook(lambda p: p.data.sub_(p.grad))
    {handle} = {x}.register_post_accumulate_grad_hook(lambda p: 3)
    {handle} = {x}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))
    """, is_leaf)
Kind("hook of a node", 1.8, """
    {handle} = {node}.register_hook(lambda gi, go: log.append(show([gi, go])))
    {handle} = {node}.register_hook(lambda gi, go: tuple(g if g is None else g * 2 for g in gi))
    {handle} = {node}.register_hook(lambda gi, go: gi + gi)
    {handle} = {node}.register_hook(lambda gi, go: 3)
    {handle} = {node}.register_prehook(lambda go: log.append(show(go)))
    {handle} = {node}.register_prehook(lambda go: tuple(g if g is None else g * 2 for g in go))
    """, is_recorded)
Kind("remove hook", 0.8, "{old_handle}.remove()")
Kind("saved", 3, """
    log.append(sorted(a for a in dir({node}) if a.startswith(('_saved', '_raw_saved'))))
    log.append({{a: show(getattr({x}.grad_fn, a)) for a in {saved_by}}})
    log.append({x}.grad_fn._saved_self is {x})
    log.append({x}.grad_fn._saved_result.grad_fn is {x}.grad_fn)
    log.append({node}._saved_self.requires_grad)
    {node}._raw_saved_self.register_hooks(lambda x: x.detach() * 2, lambda x: x / 2)
    {node}._raw_saved_result.register_hooks(lambda x: x.detach().clone(), lambda x: x)
    log.append({node}(torch.ones_like({x})).tolist())   log.append({node}.metadata)
    """, is_recorded)
Kind("walk", 1.5, """
    log.append([(n and n.name(), i) for n, i in {next}])
    log.append([hasattr(n, 'variable') and n.variable.tolist() for n, i in {next}])
    log.append([m and m.name() for n, _ in {next} if n for m, _ in n.next_functions])
    log.append(isinstance({x}.grad_fn, torch.autograd.graph.Node))
    log.append({x}.grad_fn is {x}.grad_fn)   log.append(str({node}).split(' at ')[0])
    log.append({x}.grad_fn.next_functions[1])
    """, is_recorded)
Kind("edges", 0.6, """
    log.append(show(torch.autograd.grad({root}, [torch.autograd.graph.get_gradient_edge({x})])))
    log.append(torch.autograd.graph.get_gradient_edge({x}).node.name())
    torch.autograd.backward([torch.autograd.graph.get_gradient_edge({x})], [torch.ones_like({x})])
    torch.autograd.graph.increment_version({x})
    """, requires_grad)
Kind("saved tensors hooks", 1, """
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x / 2):
        {new} = {x} * {x}

    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        {new} = {x}.exp()

    with torch.autograd.graph.saved_tensors_hooks(lambda x: x.tolist(), lambda x: 3):
        {new} = {x}.tanh() * {x}

    with torch.autograd.graph.saved_tensors_hooks(lambda x: x.detach(),
                                                  lambda x: log.append('unpack') or x):
        {new} = {x}.sin()

    with torch.autograd.graph.disable_saved_tensors_hooks('not here'):
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            {x} * 2

    with torch.autograd.graph.save_on_cpu():
        ({x} * {x}).sum().backward()
    """, is_small)
Kind("functional", 1, """
    {v} = torch.autograd.functional.jacobian({function}, {x})
    {v} = torch.autograd.functional.jacobian({function}, {x}, create_graph=True)
    {v} = torch.autograd.functional.hessian({function}, {x})
    {v} = torch.autograd.functional.vjp({function}, {x})
    {v} = torch.autograd.functional.vjp({function}, {x}, torch.ones_like({x}), strict=True)
    {v} = torch.autograd.functional.jvp({function}, {x}, torch.ones_like({x}))
    {v} = torch.autograd.functional.hvp({function}, {x}, torch.ones_like({x}))
    {v} = torch.autograd.functional.vhp({function}, {x}, torch.ones_like({x}))
    {v} = torch.autograd.gradcheck({function}, {double})
    {v} = torch.autograd.gradcheck({function}, {double}, raise_exception=False)
    {v} = torch.autograd.gradgradcheck({function}, {double})
    """, is_small)
Kind("modes", 1.6, """
    with {mode}:
        {new} = {x} * 2
        with {other_mode}:
            {new2} = {x}.exp()
            log.append([torch.is_grad_enabled(), torch.is_inference_mode_enabled()])

    @{mode}
    def call(x):
        log.append(torch.is_grad_enabled())
        return x * 2
    {new} = call({x})

    with torch.autograd.set_detect_anomaly(True):
        {root}.backward({flags})

    with torch.autograd.detect_anomaly(check_nan=False):
        {root}.backward({flags})
    """, is_small)
Kind("loops", 1.4, """
    {new} = {x} * 1
    for _ in range(3):
        {new} = ({new} + {x}).tanh()

    {new} = {x} * 1
    for _ in range(3):
        {new}.mul_(2)

    for _ in range(2):
        ({x} * {x}).sum().backward()
        log.append({x}.grad.tolist())

    for _ in range(2):
        {x}.grad = None
        ({x} - 1).square().sum().backward()
        with torch.no_grad():
            {x} -= 0.1 * {x}.grad

    {new} = torch.utils.checkpoint.checkpoint(lambda x: (x * 2).sin() * x, {x}, use_reentrant=False)
    """, requires_grad)
Kind("optimizer", 0.5, """
    {optimizer} = torch.optim.SGD([{several}], lr=0.1, momentum=0.9)
    {optimizer} = torch.optim.Adam([{several}], lr=0.1)
    """)
Kind("step", 1, """
    {old_optimizer}.step()   {old_optimizer}.step()   {old_optimizer}.zero_grad()
    {old_optimizer}.zero_grad(set_to_none=False)
    """)
Kind("training", 0.8, """
    {optimizer} = {algorithm}
    for _ in range(3):
        {optimizer}.zero_grad()
        ({x} - 1).square().sum().backward()
        {optimizer}.step()
    """, is_leaf)
Kind("module", 1, """
    torch.manual_seed(1)
    {v} = {layer}
    {new} = {v}({x})

    torch.manual_seed(2)
    {v} = {layer}
    {new} = {v}({x})
    {new}.sum().backward()
    log.append([p.grad is None or p.grad.tolist() for p in {v}.parameters()])

    {v} = {layer}
    {v}.requires_grad_(False)
    log.append([(k, p.requires_grad) for k, p in {v}.named_parameters()])
    """, is_input)
Kind("parameter", 0.6, """
    {new} = torch.nn.Parameter({x}.detach().clone())   {new} = torch.nn.Parameter({x})
    {new} = torch.nn.Parameter({x}, requires_grad=False)
    log.append(torch.nn.utils.clip_grad_norm_([{several}], 1.0).item())
    torch.nn.utils.clip_grad_value_([{several}], 0.5)
    log.append(torch.nn.utils.parameters_to_vector([{several}]).tolist())
    """, lambda t: t.floating)
Kind("mistake", 1.6, """
    {x} + torch.ones(7)   {x}.view(7)   {x} @ torch.ones(9, 9)   {x}.sum(5)   {x}.squeeze(-7)
    {x}.expand(5, 5, 5, 7)   {x}[10]   {x}[0, 0, 0, 0]   {x}[1.5]   {x}.reshape(-1, -1)
    torch.cat([{x}, torch.ones(2, 2, 2, 2)])   torch.stack([{x}, torch.ones(7)])   {x}.permute(0, 0)
    {x}.transpose(0, 5)   {x}.long().mean()   torch.autograd.grad({x}, [])
    torch.autograd.grad({x}.sum(), torch.ones(1))   torch.autograd.grad({root}, {u})
    torch.autograd.backward([{x}], [torch.ones(7)])   {x}.backward(torch.ones(7))
    {x}.backward(inputs=[])   {x}.register_hook(3)   {x}.requires_grad = 3   {x}.is_leaf = True
    {x}.data = 3   {x}._version = 3   {x}.grad_fn = None   {x}.long().requires_grad_()
    torch.tensor({x})   {x}.nothing   torch.tensor([1, 2], requires_grad=True)
    {x}.long().float().backward()   {x}.int().add_(0.5)   {x}.copy_(torch.ones(7))
    {x}.fill_(torch.ones(7))   {x}.sum(dim=(0, 0))   {x}.unbind(3)   torch.mm({x}, {x})
    torch.dot({x}, {x})   {x}.softmax(9)   {x}.numpy()   {x}.backward()   {x}.requires_grad_(False)
    """)
Kind("expected error", 0.5, """
    try:
        {risky}
    except Exception as error:
        log.append(type(error).__name__)
    """)
