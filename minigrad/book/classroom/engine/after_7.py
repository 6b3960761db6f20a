# Your engine after chapter 7: detach gives a constant, and no_grad stops recording.
import numpy as np


class Node:
    """One recorded operation; an edge is an input's node and what is saved for it."""
    def __init__(self, edges, shape):
        self.edges, self.shape, self.freed = edges, shape, False

    def run(self, message):
        if self.freed:
            raise RuntimeError("Trying to backward through the graph a second time")
        return [(child, message if saved is None else message * saved)
                for child, saved in self.edges]


class Accumulate:
    """The node of a leaf: it adds what it receives to the drawer."""
    def __init__(self, leaf):
        self.leaf, self.edges, self.shape = leaf, [], leaf.data.shape

    def run(self, message):
        drawer = self.leaf.grad
        self.leaf.grad = message if drawer is None else drawer + message
        return []


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data, self.grad = np.asarray(data, dtype=float), None
        self.requires_grad = requires_grad
        self.node = Accumulate(self) if requires_grad else None

    def __add__(self, other):
        return record(self.data + other.data, (self, None), (other, None))

    def __mul__(self, other):
        return record(self.data * other.data, (self, other.data), (other, self.data))

    def sum(self):
        return record(self.data.sum(), (self, None))

    def detach(self):
        return Tensor(self.data)

    def count(self):
        """Return how many messages each node of the graph must receive."""
        waiting, found = {self.node: 0}, [self.node]
        for node in found:                      # the list grows meanwhile
            for child, _ in node.edges:
                if child not in waiting:
                    found.append(child)
                waiting[child] = waiting.get(child, 0) + 1
        return waiting

    def first_message(self, v):
        if v is None and self.data.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        v = np.ones(self.data.shape) if v is None else np.asarray(v, dtype=float)
        if v.shape != self.data.shape:
            raise RuntimeError(f"v has shape {v.shape}, the result {self.data.shape}")
        return v

    def backward(self, v=None, retain_graph=False):
        if not self.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad")
        waiting = self.count()
        arrived, ready = {self.node: self.first_message(v)}, [self.node]
        while ready:
            node = ready.pop()
            for child, grad in node.run(arrived.pop(node)):     # run, deliver
                grad = fitted(grad, child.shape)
                arrived[child] = arrived.get(child, 0) + grad   # sum
                waiting[child] -= 1                             # wait
                if waiting[child] == 0:
                    ready.append(child)
            saves = any(saved is not None for child, saved in node.edges)
            if saves and not retain_graph:
                node.edges, node.freed = [], True


class no_grad:
    recording = True

    def __enter__(self):
        self.before, no_grad.recording = no_grad.recording, False

    def __exit__(self, *error):
        no_grad.recording = self.before


def record(data, *inputs):
    """Return a result; it has a node if an input requires a gradient."""
    result = Tensor(data)
    edges = [(one.node, saved) for one, saved in inputs if one.requires_grad]
    if edges and no_grad.recording:
        result.requires_grad, result.node = True, Node(edges, result.data.shape)
    return result


def fitted(grad, shape):
    """Return a gradient in the shape of the tensor that it belongs to."""
    grad = grad + np.zeros(shape)       # each element of a sum receives it
    while grad.ndim > len(shape):       # broadcasting added a dimension
        grad = grad.sum(axis=0)
    stretched = tuple(dim for dim, size in enumerate(shape) if size == 1)
    return grad.sum(axis=stretched, keepdims=True)
