# Given: leaves, nodes, the record of an operation, addition, and the counts.
import math


class Accumulate:
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


class Node:
    def __init__(self, edges):
        self.edges = edges


def record(data, *inputs):
    result = Tensor(data)
    edges = [(one.node, derivative) for one, derivative in inputs
             if one.requires_grad]
    if edges:
        result.requires_grad, result.node = True, Node(edges)
    return result


def add(self, other):
    return record(self.data + other.data, (self, 1), (other, 1))


Tensor.__add__ = add


def count(self):
    waiting, found = {self.node: 0}, [self.node]
    for node in found:                      # the list grows meanwhile
        for child, _ in node.edges:
            if child not in waiting:
                found.append(child)
            waiting[child] = waiting.get(child, 0) + 1
    return waiting


Tensor.count = count


# Step 1: four operations, and what a node sends.
def mul(self, other):
    return record(self.data * other.data,
                  (self, other.data), (other, self.data))


def tanh(self):
    t = math.tanh(self.data)
    return record(t, (self, 1 - t * t))


def sub(self, other):
    return self + Tensor(-1.0) * other


def power(self, n):
    return record(self.data ** n, (self, n * self.data ** (n - 1)))


def run(self, message):
    return [(child, message * derivative) for child, derivative in self.edges]


Tensor.__mul__, Tensor.tanh, Node.run = mul, tanh, run
Tensor.__sub__, Tensor.__pow__ = sub, power


# Step 2: the backward pass.
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


Tensor.backward = backward
