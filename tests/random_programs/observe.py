"""Writes down everything a user can see of a program between two statements, as plain JSON values.

Every reading is guarded: where a module raises, the error is what was seen.
"""
import re
import warnings

BUDGET = 30          # at most so many nodes of a tensor's graph
MOST = 64            # at most so many values of a tensor


def observe(torch, namespace, gradients=(), uncounted=()):
    """{variable: {field: what was seen}} for every variable of the program.

    `gradients` are tensors that a pass returned.  Whether one is a view, and of what, depends on how its
    formula was written; so that is not looked at, nor in views of them.  Nor are the versions of tensors in
    `uncounted` and of what lies in their memory (detach() shares the count), or, if it is None, of any.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = {id(v): k for k, v in reversed(list(namespace.items())) if isinstance(v, torch.Tensor)}
        seen = {name: describe(torch, value, name, names) for name, value in list(namespace.items())
                if name != "torch" and not name.startswith("__") and not callable(value) and name[0] != "o"}
        for name, value in namespace.items():
            if isinstance(value, torch.Tensor) and "shape" in seen.get(name, ()):
                if any([value is one or value._base is one for one in gradients]):
                    seen[name]["is_view"] = seen[name]["base"] = None
                if uncounted is None or any([value is one or value._base is one or place(value) == place(one)
                                             for one in uncounted]):
                    seen[name]["version"] = None
        seen["torch"] = {"grad_enabled": torch.is_grad_enabled(), "shared": shared(torch, namespace)}
    return seen


def describe(torch, value, name, names):
    """One variable: a tensor field by field, anything else as one plain value."""
    if not isinstance(value, torch.Tensor):
        return {"value": plain(torch, value)}
    known = names.get(id(value), name)
    if known != name:
        return {"same_as": known}
    fields = {field: guarded(read, value) for field, read in FIELDS.items()}
    fields["base"] = guarded(lambda t: _base(t._base, names), value)
    fields["graph"] = guarded(lambda t: walk(t.grad_fn, names), value)
    fields["grad_version"] = guarded(lambda t: t.grad if t.grad is None else t.grad._version, value)
    fields["grad"] = guarded(lambda t: _grad(t.grad, names), value)
    return fields


def shared(torch, namespace):
    """Whether the memory of some .grad is also that of another variable or of its .grad."""
    tensors = {id(value): value for value in namespace.values() if isinstance(value, torch.Tensor)}
    grads = {id(value.grad): value.grad for value in tensors.values() if value.grad is not None}
    memory = {}
    for one in {**tensors, **grads}.values():
        memory.setdefault(place(one), []).append(one)
    return any([len(memory[place(one)]) > 1 for one in grads.values()])


def place(tensor):
    """What is the same for tensors in the same memory, even if it is empty."""
    storage = tensor.untyped_storage()
    return getattr(storage, "_cdata", None) or storage.data_ptr()


FIELDS = {
    "shape": lambda t: list(t.shape),
    "dtype": lambda t: str(t.dtype),
    "values": lambda t: values(t),
    "requires_grad": lambda t: t.requires_grad,
    "grad_fn": lambda t: type(t.grad_fn).__name__,
    "is_leaf": lambda t: t.is_leaf,
    "version": lambda t: t._version,
    "is_view": lambda t: t._is_view(),
    "output_nr": lambda t: t.output_nr,
    "retains_grad": lambda t: t.retains_grad,
    "is_inference": lambda t: t.is_inference(),
    # along a dimension of size 1 a stride means nothing, and each kernel of PyTorch's leaves a different one
    "stride": lambda t: [step for size, step in zip(t.shape, t.stride()) if size > 1] if t.numel() else None,
}


def guarded(read, t):
    try:
        return read(t)
    except Exception as error:
        return "raised " + message(error)


def values(t):
    """The flat list of values; a tolerance is applied where two lists are compared."""
    flat = t.tolist() if not t.shape else _flat(t.tolist())
    return flat[:MOST] if isinstance(flat, list) else [flat]


def walk(root, names):
    """The graph below a node: names and edges, nodes numbered in the order in which they are first met."""
    if root is None:
        return None
    number, order, lines = {id(root): 0}, [root], []
    for node in order:                        # grows while it is read
        edges = []
        for child, output in node.next_functions:
            if child is None:
                edges.append("-")
                continue
            if id(child) not in number:
                if len(order) >= BUDGET:
                    edges.append("+")
                    continue
                number[id(child)] = len(order)
                order.append(child)
            edges.append(f"{number[id(child)]}:{output}")
        leaf = getattr(node, "variable", None)
        label = f" of {names.get(id(leaf), '?')}" if leaf is not None else ""
        lines.append(f"{node.name()}{label}({' '.join(edges)})")
    return lines


def _base(base, names):
    return None if base is None else names.get(id(base), "unnamed")


def _grad(grad, names):
    if grad is None:
        return None
    return {"shape": list(grad.shape), "dtype": str(grad.dtype), "values": values(grad),
            "graph": walk(grad.grad_fn, names),
            "requires_grad": grad.requires_grad, "same_as": names.get(id(grad))}


def _flat(nested):
    out = []
    for item in nested:
        out.extend(_flat(item)) if isinstance(item, list) else out.append(item)
    return out


def plain(torch, value, depth=0):
    """Any Python object as JSON values."""
    if isinstance(value, torch.Tensor):
        return {"shape": list(value.shape), "dtype": str(value.dtype), "values": values(value),
                "requires_grad": value.requires_grad, "grad_fn": type(value.grad_fn).__name__}
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, (list, tuple)) and depth < 6:
        return [plain(torch, v, depth + 1) for v in value]
    if isinstance(value, dict) and depth < 6:
        return {str(k): plain(torch, v, depth + 1) for k, v in value.items()}
    return type(value).__name__


def message(error):
    return f"{type(error).__name__}: {tidy(str(error))}"


def tidy(text):
    """A message without what differs between two runs or two machines."""
    text = text.split("\nTraceback of forward call")[0].split("Traceback of forward call")[0]
    text = re.sub(r" \(Triggered internally at .*|\nException raised from .*", "", text, flags=re.DOTALL)
    text = re.sub(r"\(function _\w+\)", "", text)
    text = re.sub(r", but expected one of:.*", "", text, flags=re.DOTALL)
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    text = re.sub(r"minigrad(\.\w+)*\.(?=[A-Z])", "torch.", text)
    return text.strip()[:1500]
