"""Statements that run a backward pass, look at the graph or listen to it: backward, grad, hooks and more."""
from .functions import use_function
from .kinds import kind
from .values import expression
from .writer import Expr


def _flags(w, extra=()):
    out = list(extra)
    if w.chance(0.3):
        out.append("retain_graph=True")
    if w.chance(0.12):
        out.append("create_graph=True")
    return out


def _root(w):
    """A tensor to start from, and the arguments its shape asks for."""
    t = w.pick(lambda t: t.grad and t.floating) or w.pick()
    if t.shape in ((), (1,)) or w.chance(0.04):
        return t, []
    if w.chance(0.3):
        grad = w.one_of((f"torch.ones_like({t.src})", w.literal(t.shape,
                                                                t.dtype if t.floating else "float32").src,
                         f"{t.src}.detach()", f"torch.ones({t.shape}, dtype={t.src}.dtype)"))
        return t, [grad]
    how = w.one_of((".sum()", ".sum()", ".mean()", ".prod()", ".max()", ".norm()", ".pow(2).sum()"))
    return t._replace(src=t.src + how, shape=()), []


@kind("backward", 9)
def backward(w):
    """`t.backward(...)`, torch.autograd.backward, with inputs=, in a mode."""
    t, arguments = _root(w)
    arguments = _flags(w, arguments)
    if w.chance(0.12):
        some = w.some([u.src for u in w.tensors if u.grad] or [t.src], 2)
        arguments.append(f"inputs=[{', '.join(some)}]" if w.chance(0.8) else f"inputs={some[0]}")
    if w.chance(0.12):
        other, more = _root(w)
        grads = f", [{arguments[0]}]" if arguments and "=" not in arguments[0] else ""
        if w.chance(0.5) and not grads and not more:
            return f"torch.autograd.backward([{t.src}, {other.src}]{', '.join([''] + arguments)})"
        return f"torch.autograd.backward([{t.src}]{grads}, retain_graph=True)"
    return f"{t.src}.backward({', '.join(arguments)})"


@kind("grad", 5)
def grad(w):
    """`a, b = torch.autograd.grad(...)`: the results become tensors of the program."""
    t, arguments = _root(w)
    arguments = _flags(w, [f"grad_outputs={a}" for a in arguments])
    inputs = w.some([u for u in w.tensors if u.grad] or w.tensors, 2)
    if w.chance(0.45):
        arguments.append("allow_unused=True")
    elif w.chance(0.1):
        arguments.append("materialize_grads=True")
    create = "create_graph=True" in arguments
    call = ", ".join([t.src, f"[{', '.join(u.src for u in inputs)}]"] + arguments)
    names = [w.keep(Expr("", u.shape, u.dtype, create, 60.0, not create)) for u in inputs]
    return f"{', '.join(names)}{',' if len(names) == 1 else ''} = torch.autograd.grad({call})"


HOOKS = ("lambda g: g * 2", "lambda g: g * 2", "lambda g: log.append(g.tolist())", "lambda g: None",
         "lambda g: log.append(g.tolist())", "lambda g: log.append([g.requires_grad, list(g.shape)])",
         "lambda g: g.detach() + 1", "lambda g: g.clone().mul_(2)", "lambda g: 3", "lambda g: g.sum()",
         "lambda g: g[:1]", "lambda g: g.double()", "lambda g: g.clone().fill_(0.5)", "lambda g: undefined",
         "lambda g, h: g", "lambda g: log.append(torch.is_grad_enabled())")
HOOK_WEIGHTS = (5, 5, 5, 2, 5, 2, 2, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 0.5, 0.3, 1)


@kind("hook", 4)
def hook(w):
    """register_hook with hooks that listen, change the gradient, or return the wrong thing."""
    t = w.pick(lambda t: t.grad) or w.pick()
    name = w.name("h")
    w.handles.append(name)
    return f"{name} = {t.src}.register_hook({w.weighted(HOOKS, HOOK_WEIGHTS)})"


@kind("node_hook", 1.2)
def node_hook(w):
    """Hooks on a grad_fn, before and after it runs, and hooks on a leaf after it has accumulated."""
    t = w.pick(lambda t: t.grad and not t.leaf)
    leaf = w.pick(lambda t: t.grad and t.leaf)
    name = w.name("h")
    w.handles.append(name)
    if leaf and (t is None or w.chance(0.5)):
        body = w.one_of(("lambda p: log.append(p.grad.tolist())", "lambda p: p.grad.mul_(2) and None",
                         "lambda p: p.data.sub_(p.grad)", "lambda p: 3",
                         "lambda p: setattr(p, 'grad', None)"))
        return f"{name} = {leaf.src}.register_post_accumulate_grad_hook({body})"
    if t is None:
        return None
    if w.chance(0.5):
        body = w.one_of(("lambda gi, go: log.append([g is None or g.tolist() for g in gi])",
                         "lambda gi, go: log.append([g is None or list(g.shape) for g in go])",
                         "lambda gi, go: tuple(g if g is None else g * 2 for g in gi)",
                         "lambda gi, go: gi + gi", "lambda gi, go: 3"))
        return f"{name} = {t.src}.grad_fn.register_hook({body})"
    body = w.one_of(("lambda go: log.append([g is None or g.tolist() for g in go])", "lambda go: None",
                     "lambda go: tuple(g if g is None else g * 2 for g in go)", "lambda go: 3"))
    return f"{name} = {t.src}.grad_fn.register_prehook({body})"


@kind("remove_hook", 0.8)
def remove_hook(w):
    return f"{w.one_of(w.handles)}.remove()" if w.handles else None


@kind("function", 2.5)
def function(w):
    """A custom autograd.Function: defined on first use, then applied."""
    return use_function(w)


@kind("saved", 1)
def saved(w):
    """Reads what a node saved, its neighbours, its name."""
    t = w.pick(lambda t: t.grad and not t.leaf)
    if t is None:
        return None
    f = f"{t.src}.grad_fn"
    return w.one_of((f"log.append({f}._saved_self.tolist())", f"log.append({f}._saved_other.tolist())",
                     f"log.append({f}._saved_result.tolist())", f"log.append({f}._saved_exponent)",
                     f"log.append({f}.name())", f"log.append({f}.next_functions[0][0].name())",
                     f"log.append(sorted(a for a in dir({f}) if a.startswith('_saved')))",
                     f"log.append({f}(torch.ones_like({t.src})).tolist())", f"log.append({f}.metadata)",
                     f"log.append({f}.next_functions[0][0].variable.tolist())"))


FUNCTIONAL = ("lambda x: (x * x).sum()", "lambda x: x.exp().sum()", "lambda x: x ** 3",
              "lambda x: x.sin() * 2",
              "lambda x: x.sum(0)", "lambda x: (x * 2, x.sum())", "lambda x: torch.ones(2)",
              "lambda x: x.detach()",
              "lambda x: 3", "lambda x: x.prod()")


@kind("functional", 0.8)
def functional(w):
    """torch.autograd.functional: jacobian, hessian, vjp, jvp, hvp, vhp."""
    t = w.pick(lambda t: t.floating and t.size < 5)
    if t is None:
        return None
    more = w.one_of(("", "", ", create_graph=True", ", strict=True"))
    body = w.one_of(FUNCTIONAL)
    name = w.one_of(("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp"))
    if name in ("jacobian", "hessian"):
        vector = ""
    else:
        vector = ", " + (w.one_of(("None", f"torch.ones_like({t.src})")) if name != "hvp"
                         else f"torch.ones_like({t.src})")
    return f"{w.name('f')} = torch.autograd.functional.{name}({body}, {t.src}{vector}{more})"


@kind("gradcheck", 0.3)
def gradcheck(w):
    t = w.pick(lambda t: t.floating and t.size < 5)
    if t is None:
        return None
    x = f"{t.src}.detach().double().requires_grad_()"
    body = w.one_of(("lambda x: x.sin() * x", "lambda x: x.exp()", "lambda x: x.detach() * x",
                     "lambda x: (x, x * x)",
                     "lambda x: x.abs() + 1", "lambda x: 2", "lambda x: x.clone()"))
    more = w.one_of(("", ", raise_exception=False"))
    return f"{w.name('f')} = torch.autograd.{w.one_of(('gradcheck', 'gradgradcheck'))}({body}, ({x},){more})"


@kind("anomaly", 0.4)
def anomaly(w):
    t, arguments = _root(w)
    arguments = ", ".join(_flags(w, arguments))
    return f"with torch.autograd.set_detect_anomaly({w.one_of(('True', 'True, check_nan=False'))}):\n" \
           f"    {t.src}.backward({arguments})"


@kind("checkpoint", 0.3)
def checkpoint(w):
    t = w.pick(lambda t: t.floating)
    if t is None:
        return None
    body = w.one_of(("lambda x: x.exp() * x", "lambda x: (x * 2).sin()", "lambda x: x * x"))
    if t.size > 5 and "exp" in body:
        return None
    name = w.keep(t._replace(leaf=False, size=t.size * 200))
    how = f"use_reentrant={w.one_of((True, False))}"
    return f"{name} = torch.utils.checkpoint.checkpoint({body}, {t.src}, {how})"


@kind("saved_tensors_hooks", 0.5)
def saved_tensors_hooks(w):
    pack = w.one_of(("lambda x: x * 2, lambda x: x / 2", "lambda x: x, lambda x: x",
                     "lambda x: x.tolist(), lambda x: 3",
                     "lambda x: x.detach().clone(), lambda x: log.append('unpack') or x"))
    e = expression(w, 1)
    return f"with torch.autograd.graph.saved_tensors_hooks({pack}):\n    {w.keep(e)} = {e.src}"


@kind("optimizer", 1.2)
def optimizer(w):
    """An optimizer is made, steps, or forgets the gradients."""
    if w.optimizers and w.chance(0.75):
        name = w.one_of(w.optimizers)
        return w.weighted((f"{name}.step()", f"{name}.zero_grad()", f"{name}.zero_grad(set_to_none=False)"),
                          (4, 2, 1))
    some = w.some([t.src for t in w.tensors if t.grad and (t.leaf or w.chance(0.1))] or [w.tensors[0].src], 3)
    w.optimizers.append(w.name("o"))
    how = w.one_of(("SGD([{}], lr=0.1)", "SGD([{}], lr=0.1, momentum=0.9)", "Adam([{}], lr=0.1)",
                    "AdamW([{}], lr=0.1)",
                    "SGD([{}], lr=0.1, weight_decay=0.1, momentum=0.5, nesterov=True)"))
    return f"{w.optimizers[-1]} = torch.optim.{how.format(', '.join(some))}"
