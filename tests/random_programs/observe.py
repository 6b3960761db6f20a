"""Writes down everything a user can see of a program between two statements, as plain JSON values.

Every reading is guarded: where a module raises, the error is what was seen.
"""
import re
import warnings
from itertools import combinations

MOST_NODES = 30      # of a tensor's graph
MOST_VALUES = 64     # of a tensor

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
    "is_contiguous": lambda t: t.is_contiguous(),
}


def observe(torch, namespace, gradients=()):
    """Return {variable: {field: what was seen}} for every variable of the program.

    `gradients` are tensors that a pass returned. What they are views of and how often they were
    written depends on how a formula is computed, so neither is looked at, for them and for what
    shares their memory.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = {id(v): k for k,
                 v in reversed(list(namespace.items())) if isinstance(v, torch.Tensor)}
        seen = {name: describe(torch, value, name, names) for name, value in list(namespace.items())
                if name != "torch" and name[0] not in "_o"
                and (name[0] == "t" or not callable(value))}
        places = {memory(one) for one in gradients}
        for name, fields in seen.items():
            if "shape" in fields and memory(namespace[name]) in places:
                fields.update(is_view=None, base=None, version=None)
        seen["torch"] = {"grad_enabled": torch.is_grad_enabled(),
                         "shared": shared_memory(torch, namespace)}
    return seen


def describe(torch, value, name, names):
    """Return one variable: a tensor field by field, anything else as one plain value."""
    if not isinstance(value, torch.Tensor):
        return {"value": plain(torch, value)}
    if names.get(id(value), name) != name:
        return {"same_as": names[id(value)]}
    fields = {field: guarded(read, value) for field, read in FIELDS.items()}
    fields["base"] = guarded(lambda t: None if t._base is None
                             else names.get(id(t._base), "unnamed"), value)
    fields["graph"] = guarded(lambda t: walk(t.grad_fn, names), value)
    fields["grad"] = guarded(lambda t: describe_gradient(t.grad, names), value)
    return fields


def describe_gradient(grad, names):
    if grad is None:
        return None
    return {"shape": list(grad.shape), "dtype": str(grad.dtype), "values": values(grad),
            "graph": walk(grad.grad_fn, names), "requires_grad": grad.requires_grad,
            "same_as": names.get(id(grad))}


def shared_memory(torch, namespace):
    """Return the pairs, among all tensors that can be reached, of which one is a gradient or what
    an optimizer keeps, and which are in the same memory."""
    tensors = reachable_tensors(torch, namespace)
    own = {name for name in tensors if name.endswith(".grad") or ".state" in name}
    places = {}
    for name, tensor in tensors.items():
        places.setdefault(memory(tensor), []).append(name)
    return [f"{a} and {b}" for names in places.values() for a, b in combinations(names, 2)
            if a in own or b in own]


def reachable_tensors(torch, namespace):
    """Return {name: tensor}, each tensor once: variables, parameters, gradients, states."""
    named = {}
    for name, value in namespace.items():
        if isinstance(value, torch.Tensor):
            named[name] = value
        elif isinstance(value, torch.nn.Module):
            named.update((f"{name}.{part}", param) for part, param in value.named_parameters())
    gradients = {f"{name}.grad": tensor.grad for name, tensor in named.items()
                 if tensor.grad is not None}
    states = {f"{name}.state[{number}].{key}": kept
              for name, value in namespace.items() if isinstance(value, torch.optim.Optimizer)
              for number, state in enumerate(value.state.values())
              for key, kept in state.items() if isinstance(kept, torch.Tensor)}
    once = {}
    for name, tensor in {**named, **gradients, **states}.items():
        if all([tensor is not other for other in once.values()]):
            once[name] = tensor
    return once


def memory(tensor):
    """Return what is the same for all tensors in the same memory."""
    storage = tensor.untyped_storage()
    return getattr(storage, "_cdata", None) or storage.data_ptr()


def guarded(read, t):
    try:
        return read(t)
    except Exception as error:
        return "raised " + message(error)


def values(t):
    """Return the values as a flat list."""
    flat = [t.tolist()]
    while flat and isinstance(flat[0], list):
        flat = [item for row in flat for item in row]
    return flat[:MOST_VALUES]


def walk(root, names):
    """Return the graph below a node as lines: names and edges, nodes numbered in the order they
    are met."""
    if root is None:
        return None
    number, order, lines = {id(root): 0}, [root], []
    for node in order:                        # grows while it is read
        edges = []
        for child, output in node.next_functions:
            if child is not None and id(child) not in number and len(order) < MOST_NODES:
                number[id(child)] = len(order)
                order.append(child)
            edges.append("-" if child is None else f"{number.get(id(child), '+')}:{output}")
        leaf = getattr(node, "variable", None)
        label = f" of {names.get(id(leaf), '?')}" if leaf is not None else ""
        lines.append(f"{node.name()}{label}({' '.join(edges)})")
    return lines


def plain(torch, value, depth=0):
    """Return any Python object as JSON values."""
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
    """Return a message without what differs between two runs or two machines."""
    text = text.split("\nTraceback of forward call")[0].split("Traceback of forward call")[0]
    text = re.sub(r" \(Triggered internally at .*|\nException raised from .*", "", text,
                  flags=re.DOTALL)
    text = re.sub(r"\(function _\w+\)", "", text)
    text = re.sub(r", but expected one of:.*", "", text, flags=re.DOTALL)
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    text = re.sub(r"minigrad(\.\w+)*\.(?=[A-Z])", "torch.", text)
    return text.strip()[:1500]
