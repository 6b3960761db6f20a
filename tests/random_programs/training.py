"""Statements with modules, losses and optimizers: small layers, a few steps, states."""
from .kinds import kind

LAYERS = ("Linear({0}, 2)", "Linear({0}, 1, bias=False)",
          "Sequential(torch.nn.Linear({0}, 2), torch.nn.Tanh())", "LayerNorm({0})",
          "Sequential(torch.nn.Linear({0}, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))", "PReLU()", "GELU()",
          "Softmax(dim=-1)", "Flatten(0)",
          "Identity()", "Sigmoid()")
OPTIMIZERS = ("SGD({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.9)", "Adam({}, lr=0.1)",
              "AdamW({}, lr=0.1, weight_decay=0.1)", "RMSprop({}, lr=0.1)",
              "Adagrad({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.9, nesterov=True)",
              "Adam({}, lr=0.1, amsgrad=True)", "Adadelta({})", "NAdam({})", "SGD({}, lr=0.1, maximize=True)")


@kind("module", 1)
def module(w):
    """A layer is made and applied; its parameters are looked at after a pass."""
    t = w.pick(lambda t: t.dtype == "float32" and t.ndim and t.shape[-1] and t.size < 1e4)
    if t is None:
        return None
    layer = f"torch.nn.{w.one_of(LAYERS).format(t.shape[-1])}"
    name = w.name("m")
    result = w.keep(t._replace(shape=t.shape[:-1] + (2,), grad=True, leaf=False))
    lines = [f"torch.manual_seed({w.below(5)})", f"{name} = {layer}", f"{result} = {name}({t.src})"]
    if w.chance(0.6):
        lines += [f"{result}.sum().backward()",
                  f"log.append([p.grad is None or p.grad.tolist() for p in {name}.parameters()])"]
    if w.chance(0.3):
        lines += [f"{name}.zero_grad()", f"{name}.requires_grad_({w.one_of(('True', 'False'))})",
                  f"log.append([k for k, _ in {name}.named_parameters()])"]
    return "\n".join(lines)


@kind("training", 0.7)
def training(w):
    """Some steps of an optimizer on a leaf of its own."""
    n = 1 + w.below(3)
    p, o = w.name("p"), w.name("o")
    loss = w.one_of(("({0} - 1).square().sum()", "({0} * {0}).mean()", "{0}.exp().sum()",
        "torch.nn.functional.mse_loss({0}, torch.ones({1}))", "{0}.abs().sum()"))
    clear = w.one_of((f"{o}.zero_grad()", f"{o}.zero_grad(set_to_none=False)", f"{p}.grad = None"))
    start = w.literal((n,), "float32", True)
    w.keep(start, p)
    w.optimizers.append(o)
    optimizer = w.one_of(OPTIMIZERS).format(f"[{p}]")
    return (f"{p} = {start.src}\n{o} = torch.optim.{optimizer}\n"
            f"for _ in range({1 + w.below(3)}):\n    {clear}\n"
            f"    {loss.format(p, n)}.backward()\n    {o}.step()\nlog.append({p}.tolist())")


@kind("parameter", 0.5)
def parameter(w):
    t = w.pick(lambda t: t.floating)
    if t is None:
        return None
    src = w.one_of(("torch.nn.Parameter({0}.detach().clone())", "torch.nn.Parameter({0})",
        "torch.nn.Parameter({0}, requires_grad=False)", "torch.nn.Parameter({0}.data)"))
    return f"{w.keep(t._replace(grad='False' not in src, leaf=True))} = {src.format(t.src)}"


@kind("clipping", 0.3)
def clipping(w):
    some = ", ".join(w.some([t.src for t in w.tensors if t.grad and t.leaf] or [w.tensors[0].src], 2))
    return w.one_of((f"log.append(torch.nn.utils.clip_grad_norm_([{some}], 1.0).item())",
        f"torch.nn.utils.clip_grad_value_([{some}], 0.5)",
                     f"log.append(torch.nn.utils.parameters_to_vector([{some}]).tolist())"))
