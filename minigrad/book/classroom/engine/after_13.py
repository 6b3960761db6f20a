# Your engine after chapter 13: gradients are tensors, so a pass can be recorded.
import numpy as np


class Node:
    """One operation; an edge is an input's node, what is saved, and a formula."""
    def __init__(self, edges, shape):
        self.edges, self.shape, self.freed = edges, shape, False
        self.hooks = []
        self.versions = [saved and saved.version[0] for _, saved, _ in edges]

    def run(self, message):
        if self.freed:
            raise RuntimeError("Trying to backward through the graph a second time")
        for (_, saved, _), version in zip(self.edges, self.versions):
            if saved is not None and saved.version[0] != version:
                raise RuntimeError(f"is at version {saved.version[0]}; "
                                   f"expected version {version} instead")
        return [(child, formula(message, saved))
                for child, saved, formula in self.edges]


class Accumulate:
    """The node of a leaf: it adds what it receives to the drawer."""
    def __init__(self, leaf):
        self.leaf, self.edges, self.shape = leaf, [], leaf.data.shape
        self.hooks = []

    def run(self, message):
        drawer = self.leaf.grad
        self.leaf.grad = message if drawer is None else drawer + message
        return []


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data, self.grad = np.asarray(data, dtype=float), None
        self.requires_grad = requires_grad
        self.version = [0]          # a list, to share it with detach()
        self.node = Accumulate(self) if requires_grad else None

    def __add__(self, other):
        return record(self.data + other.data, (self, None, same), (other, None, same))

    def __sub__(self, other):
        return self + Tensor(-1.0) * other

    def __mul__(self, other):
        return record(self.data * other.data,
                      (self, other, times), (other, self, times))

    def sum(self):
        return record(self.data.sum(), (self, None, same))

    def mean(self):
        return self.sum() * Tensor(1 / self.data.size)

    def __matmul__(self, other):
        return record(self.data @ other.data,
                      (self, other, lambda g, w: g @ w.T),
                      (other, self, lambda g, x: x.T @ g))

    @property
    def T(self):
        turned = record(self.data.T, (self, None, lambda g, _: g.T))
        turned.version = self.version       # it shares the memory, too
        return turned

    def relu(self):
        return record(np.maximum(self.data, 0), (self, Tensor(self.data > 0), times))

    def cross_entropy(self, labels):
        """Return the mean of -log(p); p is the probability of a row's right label."""
        rows = np.arange(len(labels))
        scores = self.data - self.data.max(axis=1, keepdims=True)
        sums = np.exp(scores).sum(axis=1, keepdims=True)
        loss = (np.log(sums[:, 0]) - scores[rows, labels]).mean()
        p = np.exp(scores) / sums
        p[rows, labels] -= 1
        return record(loss, (self, Tensor(p / len(labels)), once))

    def detach(self):
        result = Tensor(self.data)
        result.version = self.version
        return result

    def add_(self, number):
        if no_grad.recording and isinstance(self.node, Accumulate):
            raise RuntimeError("a leaf Variable that requires grad is being used "
                               "in an in-place operation")
        self.data += number
        self.version[0] += 1
        return self

    def register_hook(self, hook):
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't "
                               "require gradient")
        self.node.hooks.append(hook)

    def count(self):
        """Return how many messages each node of the graph must receive."""
        waiting, found = {self.node: 0}, [self.node]
        for node in found:                      # the list grows meanwhile
            for child, _, _ in node.edges:
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

    def backward(self, v=None, retain_graph=False, create_graph=False):
        if not self.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad")
        with no_grad():
            no_grad.recording = create_graph
            self.run_pass(v, retain_graph or create_graph)

    def run_pass(self, v, retain_graph):
        waiting = self.count()
        arrived, ready = {self.node: Tensor(self.first_message(v))}, [self.node]
        while ready:
            node = ready.pop()
            message = arrived.pop(node)
            for hook in node.hooks:
                changed = hook(message)
                message = message if changed is None else changed
            for child, grad in node.run(message):               # run, deliver
                grad = fitted(grad, child.shape)
                arrived[child] = arrived[child] + grad if child in arrived else grad
                waiting[child] -= 1                             # wait
                if waiting[child] == 0:
                    ready.append(child)
            saves = any(saved is not None for _, saved, _ in node.edges)
            if saves and not retain_graph:
                node.edges, node.freed = [], True


class no_grad:
    recording = True

    def __enter__(self):
        self.before, no_grad.recording = no_grad.recording, False

    def __exit__(self, *error):
        no_grad.recording = self.before


def same(g, _):
    """The formula of a sum: it passes on the message."""
    return g


def times(g, saved):
    """The formula of a product."""
    return g * saved


def once(g, saved):
    """The formula of a slope that is saved as numbers, without its graph."""
    if no_grad.recording:
        raise RuntimeError("cross_entropy can't be differentiated twice")
    return g * saved


def record(data, *inputs):
    """Return a result; it has a node if an input requires a gradient."""
    result = Tensor(data)
    edges = [(one.node, saved, formula) for one, saved, formula in inputs
             if one.requires_grad]
    if edges and no_grad.recording:
        result.requires_grad, result.node = True, Node(edges, result.data.shape)
    return result


def fitted(grad, shape):
    """Return a gradient in the shape of the tensor that it belongs to."""
    grad = grad + Tensor(np.zeros(shape))       # each element of a sum receives it
    added = tuple(range(grad.data.ndim - len(shape)))   # broadcasting added these
    grad = record(grad.data.sum(axis=added), (grad, None, same))
    stretched = tuple(dim for dim, size in enumerate(shape) if size == 1)
    return record(grad.data.sum(axis=stretched, keepdims=True), (grad, None, same))


class SGD:
    def __init__(self, parameters, lr):
        self.parameters, self.lr = parameters, lr

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    def step(self):
        with no_grad():
            for p in self.parameters:
                if p.grad is not None:
                    p.add_(-self.lr * p.grad.data)
