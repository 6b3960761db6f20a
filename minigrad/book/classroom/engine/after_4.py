# Your engine after chapter 4: sums, products, tanh; a pass counts edges.
import math


class Node:
    """One recorded operation; an edge holds a node and a local derivative."""
    def __init__(self, edges):
        self.edges = edges

    def run(self, message):
        return [(child, message * derivative) for child, derivative in self.edges]


class Accumulate:
    """The node of a leaf: it adds what it receives to the drawer."""
    def __init__(self, leaf):
        self.leaf, self.edges = leaf, []

    def run(self, message):
        drawer = self.leaf.grad
        self.leaf.grad = message if drawer is None else drawer + message
        return []


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data, self.grad = data, None
        self.requires_grad = requires_grad
        self.node = Accumulate(self) if requires_grad else None

    def __add__(self, other):
        return record(self.data + other.data, (self, 1), (other, 1))

    def __mul__(self, other):
        return record(self.data * other.data, (self, other.data), (other, self.data))

    def __sub__(self, other):
        return self + Tensor(-1.0) * other

    def __pow__(self, n):
        return record(self.data ** n, (self, n * self.data ** (n - 1)))

    def tanh(self):
        t = math.tanh(self.data)
        return record(t, (self, 1 - t * t))

    def count(self):
        """Return how many messages each node of the graph must receive."""
        waiting, found = {self.node: 0}, [self.node]
        for node in found:                      # the list grows meanwhile
            for child, _ in node.edges:
                if child not in waiting:
                    found.append(child)
                waiting[child] = waiting.get(child, 0) + 1
        return waiting

    def backward(self):
        waiting = self.count()
        arrived, ready = {self.node: 1.0}, [self.node]
        while ready:
            node = ready.pop()
            for child, grad in node.run(arrived.pop(node)):     # run, deliver
                arrived[child] = arrived.get(child, 0) + grad   # sum
                waiting[child] -= 1                             # wait
                if waiting[child] == 0:
                    ready.append(child)


def record(data, *inputs):
    """Return a result; it has a node if an input requires a gradient."""
    result = Tensor(data)
    edges = [(one.node, derivative) for one, derivative in inputs if one.requires_grad]
    if edges:
        result.requires_grad, result.node = True, Node(edges)
    return result
