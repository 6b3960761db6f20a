"""The work that compare.py measures, as each candidate's users write it, and the rows of the table.

A maker sets one candidate up and returns the function that is timed; what that function returns is compared
between the candidates. `torch` stands for PyTorch and for minigrad alike: the code is the same, which is the
point of minigrad.
"""
import importlib
from dataclasses import dataclass, field

import numpy as np

START = np.array([0.5, -1.0, 2.0], np.float32)
FACTOR = np.array([1.00001, 0.99999, 1.00002], np.float32)  # nothing overflows in 100,000 steps
SHIFT = np.array([0.01, -0.02, 0.03], np.float32)


def mul_add(y, factor, shift, operations):
    for _ in range(operations // 2):
        y = y * factor
        y = y + shift
    return y


def mul_add_torch(torch, operations=400, everything=False):
    x = torch.tensor(START, requires_grad=True)
    factor = torch.tensor(FACTOR, requires_grad=everything)
    shift = torch.tensor(SHIFT, requires_grad=everything)
    leaves = (x, factor, shift) if everything else (x,)

    def run():
        for leaf in leaves:
            leaf.grad = None
        mul_add(x, factor, shift, operations).sum().backward()
        return [leaf.grad for leaf in leaves]
    return run


def mul_add_autograd(autograd, operations=400, everything=False):
    total = autograd.numpy.sum
    wanted = (0, 1, 2) if everything else (0,)
    gradient = autograd.grad(lambda *leaves: total(mul_add(*leaves, operations)), wanted)
    return lambda: gradient(START, FACTOR, SHIFT)


def mul_add_mygrad(mygrad, operations=400, everything=False):
    x = mygrad.tensor(START)
    factor, shift = (mygrad.tensor(FACTOR), mygrad.tensor(SHIFT)) if everything else (FACTOR, SHIFT)
    leaves = (x, factor, shift) if everything else (x,)

    def run():
        mul_add(x, factor, shift, operations).sum().backward()
        return [leaf.grad for leaf in leaves]
    return run


def mul_add_numpy(operations=400, everything=False):
    def run():
        y, inputs = START, []
        for _ in range(operations // 2):
            inputs.append(y)
            y = y * FACTOR
            y = y + SHIFT
        grad, of_factor, of_shift = np.ones_like(y), np.zeros_like(y), np.zeros_like(y)
        for before in reversed(inputs):
            if everything:
                of_shift += grad
                of_factor += grad * before
            grad = grad * FACTOR
        return [grad, of_factor, of_shift] if everything else [grad]
    return run


SIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def b4(x):
    y = x + 1
    return (2 * y * y).mean()


def b4_torch(torch):
    def run():
        x = torch.tensor(SIX, requires_grad=True)
        b4(x).backward()
        return [x.grad]
    return run


def b4_autograd(autograd):
    mean = autograd.numpy.mean

    def b4(x):
        y = x + 1
        return mean(2 * y * y)
    return lambda: [autograd.grad(b4)(np.array(SIX, np.float32))]


def b4_mygrad(mygrad):
    def run():
        x = mygrad.tensor(SIX, dtype=np.float32)
        b4(x).backward()
        return [x.grad]
    return run


def b4_numpy():
    def run():
        x = np.array(SIX, np.float32)
        y = x + 1
        (2 * y * y).mean()
        return [4 * y * np.float32(1 / 6)]
    return run


def chain_torch(torch, start, steps, repeats):
    x = torch.tensor(start, requires_grad=True)

    def run():
        x.grad = None
        y = x
        for _ in range(repeats):
            y = steps(y)
        y.sum().backward()
        return [x.grad]
    return run


def chain_autograd(autograd, start, steps, repeats):
    def total(y):
        for _ in range(repeats):
            y = steps(y)
        return autograd.numpy.sum(y)

    gradient = autograd.grad(total)
    return lambda: [gradient(start)]


def chain_mygrad(mygrad, start, steps, repeats):
    x = mygrad.tensor(start)

    def run():
        y = x
        for _ in range(repeats):
            y = steps(y)
        y.sum().backward()
        return [x.grad]
    return run


def chain_numpy(start, steps, repeats, back):
    """`back(result of a step, gradient)` goes one step back."""
    def run():
        y, results = start, []
        for _ in range(repeats):
            y = steps(y)
            results.append(y)
        grad = np.ones_like(y)
        for result in reversed(results):
            grad = back(result, grad)
        return [grad.reshape(start.shape) if grad.size == start.size else np.broadcast_to(grad, start.shape)]
    return run


FLAT = np.arange(6, dtype=np.float32)
COLUMN = np.array([[0.5], [2.0]], np.float32)

IMAGES = np.random.RandomState(0).rand(64, 784).astype(np.float32)
DIGITS = np.random.RandomState(1).randint(0, 10, 64)
WEIGHTS = [np.random.RandomState(seed).uniform(-bound, bound, shape).astype(np.float32)
           for seed, bound, shape in ((2, 0.036, (128, 784)), (3, 0.036, (128,)),
                                      (4, 0.088, (10, 128)), (5, 0.088, (10,)))]
RATE = 0.1


def mlp_torch(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    parameters = list(model.parameters())
    with torch.no_grad():
        for parameter, value in zip(parameters, WEIGHTS):
            parameter.copy_(torch.tensor(value))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    images, digits = torch.tensor(IMAGES), torch.tensor(DIGITS)

    def run():
        optimizer.zero_grad()
        loss = criterion(model(images), digits)
        loss.backward()
        optimizer.step()
        return parameters
    return run


def digits_torch(torch):
    """A step of chapter 10: 50 images of 8 x 8 pixels, and SGD with momentum."""
    nn = torch.nn
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    images = torch.tensor(IMAGES[:50, :64].reshape(50, 8, 8).copy())
    digits = torch.tensor(DIGITS[:50])
    parameters = list(net.parameters())
    shapes = (64, 64), (64,), (10, 64), (10,)
    with torch.no_grad():
        for parameter, value, shape in zip(parameters, WEIGHTS, shapes):
            parameter.copy_(torch.tensor(np.resize(value, shape)))
    optimizer = torch.optim.SGD(parameters, lr=RATE, momentum=0.9)

    def run():
        loss = nn.functional.cross_entropy(net(images), digits)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return [parameter.grad for parameter in parameters]
    return run


def mlp_autograd(autograd):
    anp = autograd.numpy
    parameters = [value.copy() for value in WEIGHTS]
    rows = np.arange(len(DIGITS))

    def cross_entropy(parameters):
        w1, b1, w2, b2 = parameters
        hidden = anp.maximum(anp.dot(IMAGES, w1.T) + b1, 0)
        scores = anp.dot(hidden, w2.T) + b2
        scores = scores - anp.max(scores, axis=1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(scores), axis=1)) - scores[rows, DIGITS])

    gradient = autograd.grad(cross_entropy)

    def run():
        for parameter, grad in zip(parameters, gradient(parameters)):
            parameter -= RATE * grad
        return parameters
    return run


def mlp_mygrad(mygrad):
    relu = importlib.import_module("mygrad.nnet.activations").relu
    softmax_crossentropy = importlib.import_module("mygrad.nnet.losses").softmax_crossentropy
    parameters = [mygrad.tensor(value) for value in WEIGHTS]

    def run():
        w1, b1, w2, b2 = parameters
        scores = mygrad.matmul(relu(mygrad.matmul(IMAGES, w1.T) + b1), w2.T) + b2
        softmax_crossentropy(scores, DIGITS).backward()
        for parameter in parameters:
            parameter.data -= RATE * parameter.grad
        return parameters
    return run


def mlp_numpy():
    w1, b1, w2, b2 = parameters = [value.copy() for value in WEIGHTS]
    rows = np.arange(len(DIGITS))

    def run():
        hidden = IMAGES @ w1.T
        hidden += b1
        np.maximum(hidden, 0, out=hidden)
        scores = hidden @ w2.T
        scores += b2
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        totals = chances.sum(axis=1, keepdims=True)
        (np.log(totals[:, 0]) - scores[rows, DIGITS]).mean()
        chances /= totals
        chances[rows, DIGITS] -= 1
        chances /= len(DIGITS)
        of_hidden = chances @ w2
        of_hidden *= hidden > 0
        for parameter, grad in ((w1, of_hidden.T @ IMAGES), (b1, of_hidden.sum(axis=0)),
                                (w2, chances.T @ hidden), (b2, chances.sum(axis=0))):
            grad *= RATE
            parameter -= grad
        return parameters
    return run


@dataclass
class Row:
    """One line of the table: what is done, in what unit it is told, and what is aimed at.

    `targets` holds the most that minigrad's figure may be as a multiple of a peer's; `limit` the most that
    the figure may be itself. `divide` is the number of operations in one run, for a time per operation.
    """
    name: str
    title: str
    unit: str
    makers: dict
    divide: int = 1
    targets: dict = field(default_factory=dict)
    limit: float | None = None


def makers(torch, numpy, autograd, mygrad, *arguments, **keywords):
    """Makers by the name of the candidate, each waiting for its module."""
    made = {"torch": torch, "autograd": autograd, "mygrad": mygrad}
    made = {name: lambda module, maker=maker: maker(module, *arguments, **keywords)
            for name, maker in made.items()}
    made["numpy"] = lambda module: numpy(*arguments, **keywords)
    return made


def chain_makers(start, repeats, torch, numpy, back, autograd, mygrad):
    """The same for a chain of one kind of step, which every candidate spells in its own way."""
    return {"torch": lambda module: chain_torch(module, start, torch, repeats),
            "numpy": lambda module: chain_numpy(start, numpy, repeats, back),
            "autograd": lambda module: chain_autograd(module, start, autograd(module.numpy), repeats),
            "mygrad": lambda module: chain_mygrad(module, start, mygrad(module), repeats)}


def reshapes(y):
    return y.reshape(2, 3).reshape(6)


def length_makers(operations):
    return makers(mul_add_torch, mul_add_numpy, mul_add_autograd, mul_add_mygrad, operations)


MUL_ADD = (mul_add_torch, mul_add_numpy, mul_add_autograd, mul_add_mygrad)
LENGTHS = (1_000, 10_000, 100_000)
ROWS = [
    Row("mul-add", "400 mul/add over 3 numbers, forward + backward", "us/op",
        makers(*MUL_ADD), 400, {"torch": 0.6}),
    Row("mul-add-both", "the same, both operands need a gradient", "us/op",
        makers(*MUL_ADD, everything=True), 400, {"torch": 0.65}),
    Row("b4", "example B4 as a whole", "us",
        makers(b4_torch, b4_numpy, b4_autograd, b4_mygrad), 1, {"torch": 0.8}),
    Row("view", "chain of 200 views of 6 numbers", "us/op",
        chain_makers(FLAT, 100, lambda y: y.view(2, 3).view(6), reshapes, lambda _, grad: reshapes(grad),
                     lambda anp: lambda y: anp.reshape(anp.reshape(y, (2, 3)), (6,)),
                     lambda mygrad: reshapes),
        200, {"torch": 0.88}),
    Row("sum", "chain of 64 expand(2, 3) and 64 sum(dim=1)", "us/op",
        chain_makers(COLUMN, 64, lambda y: y.expand(2, 3).sum(1, keepdim=True),
                     lambda y: np.broadcast_to(y, (2, 3)).sum(1, keepdims=True),
                     lambda _, grad: np.broadcast_to(grad, (2, 3)).sum(1, keepdims=True),
                     lambda anp: lambda y: anp.sum(anp.broadcast_to(y, (2, 3)), 1, keepdims=True),
                     lambda mygrad: lambda y: mygrad.broadcast_to(y, (2, 3)).sum(1, keepdims=True)),
        128, {"torch": 0.9}),
    Row("tanh", "chain of 200 tanh of 3 numbers", "us/op",
        chain_makers(START, 200, lambda y: y.tanh(),
                     np.tanh, lambda result, grad: grad * (1 - result * result),
                     lambda anp: anp.tanh, lambda mygrad: mygrad.tanh),
        200, {"torch": 0.9}),
    Row("mlp", "SGD step of an MLP 784-128-10, batch 64, cross-entropy", "ms",
        makers(mlp_torch, mlp_numpy, mlp_autograd, mlp_mygrad), 1,
        {"numpy": 1.5, "torch": 0.9, "autograd": 0.4, "mygrad": 0.85}),
    Row("digits", "SGD step of chapter 10, 50 images of 8 x 8", "us", {"torch": digits_torch}, 1,
        {"torch": 0.75}),
    Row("import", "import, after `import numpy`", "ms", {}, 1, limit=15.0),
    Row("import-compiling", "the same without any cached bytecode", "ms", {}, 1, limit=75.0),
    *[Row(f"chain-{operations}", f"chain of {operations:,} mul/add, forward + backward + drop", "us/op",
          length_makers(operations), operations) for operations in LENGTHS],
    Row("chain-growth", "per operation, 100,000 / 1,000, garbage collector on", "x", {}, limit=1.4),
    Row("chain-memory", "left of 100,000 mul/add, garbage collector off", "bytes", {}, limit=1024),
    Row("chain-depth", "frames of Python that 100,000 mul/add need", "frames", {}, limit=50),
    Row("viz-why", "`why(model, loss)` of 200 modules, times their step", "x", {}, limit=12),
    Row("viz-watch", "the same step under `watch()`", "x", {}, limit=8),
    Row("viz-watch-model", "... under `watch(model, optimizer)`", "x", {}, limit=20),
    Row("viz-small", "a small step under `watch()`", "x", {}, limit=4),
    Row("viz-small-model", "... under `watch(model, optimizer)`", "x", {}, limit=6),
    Row("viz-small-loop", "a loop of 50 small steps under one `watch()`", "x", {}, limit=4),
    Row("viz-small-model-loop", "... under one `watch(model, optimizer)`", "x", {}, limit=6),
    Row("viz-large", "AdamW step of 50 million parameters under `watch()`", "x", {}, limit=1.3),
]
UNITS = {"us/op": 1e6, "us": 1e6, "ms": 1e3}
