"""An engine as somebody may write it who knows micrograd: with closures, and a sorted graph."""
CLOSURES = '''
import numpy as np

class no_grad:
    on = False
    def __enter__(self):
        self.was = no_grad.on
        no_grad.on = True
    def __exit__(self, *_):
        no_grad.on = self.was

def summed(g, shape):
    g = np.broadcast_to(g, np.broadcast_shapes(np.shape(g), shape))
    extra = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(extra)))
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g

def crosswise(a, b):
    return lambda wanted: [one for one, need in ((b, wanted[0]), (a, wanted[1])) if need]

class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.array(data, dtype=float)
        self.grad, self.requires_grad = None, requires_grad
        self.parents, self.sends, self.uses, self.writes = (), None, (), [0]

    def made(self, parents, uses, sends):
        wanted = [one.requires_grad for one in parents]
        if any(wanted) and not no_grad.on:
            self.requires_grad, self.parents, self.sends = True, parents, sends
            self.uses = [(one, one.writes[0]) for one in uses(wanted)]
        return self

    def __add__(self, other):
        return Tensor(self.data + other.data).made((self, other), lambda wanted: [], lambda g: (g, g))

    def __sub__(self, other):
        return self + other * Tensor(-1)

    def __mul__(self, other):
        return Tensor(self.data * other.data).made((self, other), crosswise(self, other),
            lambda g: (g * other.data, g * self.data))

    def __matmul__(self, other):
        return Tensor(self.data @ other.data).made((self, other), crosswise(self, other),
            lambda g: (g @ other.data.T, self.data.T @ g))

    def relu(self):
        out = Tensor(self.data * (self.data > 0))
        return out.made((self,), lambda wanted: [out], lambda g: (g * (out.data > 0),))

    def cross_entropy(self, labels):
        s = self.data - self.data.max(axis=-1)[:, None]
        logs = s - np.log(np.exp(s).sum(axis=-1))[:, None]
        right = np.eye(s.shape[1])[labels]
        kept = Tensor(0.)
        return Tensor(-(logs * right).sum() / len(s)).made(
            (self,), lambda wanted: [kept], lambda g: (g * (np.exp(logs) - right) / len(s),))

    def sum(self):
        return Tensor(self.data.sum()).made((self,), lambda wanted: [], lambda g: (g,))

    def mean(self):
        return self.sum() * Tensor(1 / self.data.size)

    def detach(self):
        other = Tensor(0.)
        other.data, other.writes = self.data, self.writes
        return other

    def add_(self, number):
        if self.requires_grad and not self.parents and not no_grad.on:
            raise RuntimeError("a leaf is written to")
        np.add(self.data, number, out=self.data)
        self.writes[0] += 1
        return self

    def backward(self, v=None, retain_graph=False):
        if not self.requires_grad:
            raise RuntimeError("nothing to do")
        if v is None:
            if self.data.size != 1:
                raise RuntimeError("give v")
            v = np.ones_like(self.data)
        v = np.array(v, dtype=float)
        if v.shape != self.data.shape:
            raise RuntimeError("another shape")
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            one, done = stack.pop()
            if done:
                order.append(one)
            elif one not in seen:
                seen.add(one)
                stack.append((one, True))
                stack += [(parent, False) for parent in one.parents if parent.requires_grad]
        grads = {self: v}
        for one in reversed(order):
            g = grads.pop(one)
            if not one.parents:
                one.grad = g if one.grad is None else one.grad + g
                continue
            if one.sends is None:
                raise RuntimeError("a second time")
            for used, count in one.uses:
                if used.writes[0] != count:
                    raise RuntimeError("written to")
            for parent, message in zip(one.parents, one.sends(g)):
                if parent.requires_grad:
                    grads[parent] = grads.get(parent, 0) + summed(message, parent.data.shape)
            if one.uses and not retain_graph:
                one.sends = None

class SGD:
    def __init__(self, params, lr=0.1):
        self.p, self.lr = list(params), lr
    def zero_grad(self):
        for p in self.p: p.grad = None
    @property
    def moved(self):
        return [p for p in self.p if p.grad is not None]
    def step(self):
        with no_grad():
            for p in self.moved: p.add_(-(p.grad * self.lr))
'''
