"""Statements that walk the recorded graph, read what nodes saved, and hang hooks on nodes deep inside."""
from .kinds import kind

SHOWN = "(lambda v: v.tolist() if isinstance(v, torch.Tensor) else repr(v).split(' at ')[0])"


def recorded(w):
    return w.pick(lambda t: t.grad and not t.leaf)


@kind("walk", 1.5)
def walk(w):
    """Follows next_functions and writes down names, edges and the leaves at their ends."""
    t = recorded(w)
    if t is None:
        return None
    f = f"{t.src}.grad_fn"
    return w.one_of((
        f"n = {f}\nwhile n is not None:\n    log.append(n.name())\n"
        "    n = n.next_functions[0][0] if n.next_functions else None",
        f"log.append([(n and n.name(), i) for n, i in {f}.next_functions])",
        f"log.append([hasattr(n, 'variable') and n.variable.tolist() for n, i in {f}.next_functions])",
        f"log.append([m and m.name() for n, _ in {f}.next_functions if n for m, _ in n.next_functions])",
        f"log.append(isinstance({f}, torch.autograd.graph.Node))", f"log.append({f} is {t.src}.grad_fn)",
        f"log.append(str({f}).split(' at ')[0])", f"log.append(type({f}).__name__)",
        f"log.append({f}.next_functions[1])",
        f"log.append(len({f}.next_functions))", f"log.append({f}.next_functions[0][0].variable.grad)",
        f"log.append(tuple({t.src}.grad_fn._input_metadata[0].shape))",
        f"stack, seen = [{f}], []\nwhile stack:\n    n = stack.pop()\n"
        "    if n is not None and n not in seen:\n        seen.append(n)\n"
        "        stack += [m for m, _ in n.next_functions]\nlog.append(sorted(n.name() for n in seen))"))


@kind("saved_values", 2)
def saved_values(w):
    """Everything a node saved, by the names under which it shows."""
    t = recorded(w)
    if t is None:
        return None
    f = w.one_of((f"{t.src}.grad_fn", f"{t.src}.grad_fn", f"{t.src}.grad_fn.next_functions[0][0]"))
    return w.one_of((
        f"log.append({{a: {SHOWN}(getattr({f}, a)) for a in dir({f}) if a.startswith('_saved')}})",
        f"log.append(sorted(a for a in dir({f}) if a.startswith(('_saved', '_raw_saved'))))",
        f"log.append({f}._saved_self is {t.src})", f"log.append({f}._saved_result.grad_fn is {f})",
        f"log.append({f}._saved_self.requires_grad)", f"log.append({f}._saved_self._version)",
        f"{f}._raw_saved_self.register_hooks(lambda x: x.detach() * 2, lambda x: x / 2)",
        f"{f}._raw_saved_result.register_hooks(lambda x: x.detach().clone(), lambda x: x)"))


@kind("deep_hook", 1)
def deep_hook(w):
    """Hooks on a node that is not the last, and on several tensors at once."""
    t = recorded(w)
    if t is None:
        return None
    some = ", ".join(w.some([u.src for u in w.tensors if u.grad], 3))
    n = f"{t.src}.grad_fn.next_functions[0][0]"
    name = w.name("h")
    w.handles.append(name)
    return f"{name} = " + w.one_of((
        f"{n}.register_hook(lambda gi, go: log.append([[g is None or g.tolist() for g in s]\n"
        "    for s in (gi, go)]))",
        f"{n}.register_prehook(lambda go: log.append([g is None or g.tolist() for g in go]))",
        f"{n}.register_hook(lambda gi, go: tuple(g if g is None else g + 1 for g in gi))",
        f"torch.autograd.graph.register_multi_grad_hook([{some}],\n"
        "    lambda gs: log.append([g is None or g.tolist() for g in gs]))",
        f"torch.autograd.graph.register_multi_grad_hook([{some}], lambda g: log.append(g.tolist()),\n"
        "    mode='any')",
        f"{t.src}.register_hook(lambda g: {t.src}.retain_grad())",
        f"{t.src}.register_hook(lambda g: log.append(torch.autograd.grad((g * 1.0).sum(), g)))",
        f"{t.src}.register_hook(lambda g: log.append(({t.src}.detach() * g).sum().item()))"))


@kind("edges", 0.6)
def edges(w):
    """torch.autograd.graph: edges in place of tensors, versions counted by hand."""
    t = recorded(w)
    u = w.pick(lambda u: u.grad) or w.pick()
    if t is None:
        return None
    edge = f"torch.autograd.graph.get_gradient_edge({u.src})"
    return w.one_of((
        f"log.append([g.tolist() for g in torch.autograd.grad({t.src}.sum(), [{edge}], retain_graph=True)])",
        f"log.append({edge}.node.name())", f"log.append({edge}.output_nr)",
        f"torch.autograd.graph.increment_version({u.src})",
        f"torch.autograd.backward({edge}, torch.ones_like({u.src}))",
        f"torch.autograd.backward([{edge}], [torch.ones_like({u.src})])",
        f"log.append(torch.autograd.grad({edge}, {u.src}, torch.ones_like({u.src}),\n"
        "    allow_unused=True)[0].tolist())",
        "with torch.autograd.graph.disable_saved_tensors_hooks('not here'):\n"
        f"    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):\n        {u.src} * 2",
        f"with torch.autograd.graph.save_on_cpu():\n    ({u.src} * {u.src}).sum().backward()"))
