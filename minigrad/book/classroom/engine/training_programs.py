"""The programs of the slices with which a learner's engine trains: those of chapters 9 and 10."""
from __future__ import annotations

from .programs import program

SGD = (
    program("""
        w = Tensor(1.0, requires_grad=True)
        opt = SGD([w], lr=0.25)
        (w * w).backward()
        opt.step()
    """, "w.data; w.grad", "The gradient is 2, so the step subtracts 0.25 · 2 from `w` itself, not from a "
         "copy. It reads the drawer and leaves it as it is."),
    program("""
        w = Tensor(1.0, requires_grad=True)
        opt = SGD([w], lr=0.25)
        (w * w).backward()
        opt.zero_grad()
    """, "w.data; w.grad", "`zero_grad()` empties the drawer: `w.grad` is `None` afterwards. It doesn't "
         "move `w`."),
    program("""
        w = Tensor(1.0, requires_grad=True)
        b = Tensor(5.0, requires_grad=True)
        opt = SGD([w, b], lr=0.25)
        (w * w).backward()
        opt.step()
    """, "w.data; b.data", "The drawer of `b` holds `None`, so the step skips `b`."),
    program("""
        w = Tensor([1.0, 2.0, 4.0], requires_grad=True)
        b = Tensor(0.0, requires_grad=True)
        opt = SGD([w, b], lr=0.125)
        for step in range(3): opt.zero_grad(); (w * w + b).sum().backward(); opt.step()
    """, "w.data; b.data; w.grad", "Each of the three steps moves both parameters."),
    program("""
        w = Tensor(1.0, requires_grad=True)
        opt = SGD([w], lr=0.25)
        for step in range(2): (w * Tensor(3.0)).backward(); opt.step()
    """, "w.data; w.grad", "Without `zero_grad()` the second step uses both gradients: 3, and then 6."),
    program("""
        w = Tensor(1.0, requires_grad=True)
        opt = SGD([w], lr=0.25)
        (w * w).backward()
        opt.step()
        y = w * Tensor(3.0)
        opt.zero_grad()
        y.backward()
    """, "y.requires_grad; w.requires_grad; w.grad", "After a step, `w` is still a leaf that requires a "
         "gradient, and operations are recorded."),
    program("""
        w = Tensor(1.0, requires_grad=True)
        y = w * w
        opt = SGD([w], lr=0.25)
        (w * Tensor(3.0)).backward()
        opt.step()
        y.backward()
    """, "w.data", "`y = w * w` saved `w` before the step wrote to it. Let `step` write with `add_`, so that "
         "the write is counted."),
    program("""
        w = Tensor([1.0, 2.0], requires_grad=True)
        d = w.detach()
        opt = SGD([w], lr=0.25)
        w.sum().backward()
        opt.step()
    """, "d.data", "`d` shares its numbers with `w`. The step must write to these numbers, in place."),
)

MATRICES = """
    x = Tensor([[1.0, 2.0, 4.0], [3.0, -1.0, 5.0]], requires_grad=True)
    w = Tensor([[1.0, 0.0], [2.0, 1.0], [-1.0, 3.0]], requires_grad=True)
"""
MATMUL = (
    program(MATRICES + "y = x @ w", "y.data; y.requires_grad",
            "This is the product of two matrices, as NumPy computes it with `@`."),
    program(MATRICES + """
        y = x @ w
        y.backward([[1.0, 10.0], [100.0, 1000.0]])
    """, "x.grad; w.grad", "`g` has the shape of `y`, (2, 2). Each gradient has the shape of its "
         "tensor: (2, 3) for `x`, (3, 2) for `w`. Chapter 5 found `g @ w.T` and `x.T @ g`."),
    program("""
        x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        w = Tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
        y = x @ w
        y.backward([[1.0, 10.0], [100.0, 1000.0]])
    """, "x.grad; w.grad", "With square matrices, every product has the right shape. For `x` it is "
         "`g @ w.T`, with `w` transposed and `g` on the left; for `w` it is `x.T @ g`."),
    program(MATRICES + """
        y = (x @ w).sum()
        y.backward()
        nudged = Tensor([[1.0, 0.0], [3.0, 1.0], [-1.0, 3.0]])
        slope = (x @ nudged).sum().data - y.data
    """, "slope; w.grad", "Here `w[1, 0]` was nudged from 2 to 3. The sum changed by `slope`, and the number "
         "in the same place of `w.grad` must be the same."),
    program("""
        x = Tensor([[1.0, 2.0, 4.0]])
        w = Tensor([[1.0], [2.0], [-1.0]], requires_grad=True)
        y = x @ w
        y.backward([[1.0]])
    """, "y.data; x.grad; w.grad", "`x` requires no gradient, so only `w` receives one."),
    program("""
        x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        y = (x @ x).sum()
        y.backward()
    """, "x.grad", "`x` is both factors of the product, so two messages are added."),
    program(MATRICES + """
        b = Tensor([1.0, 2.0], requires_grad=True)
        h = x @ w + b
        y = (h * h).sum()
        y.backward()
    """, "x.grad; w.grad; b.grad", "The row `b` was added to both rows of `x @ w`."),
    program(MATRICES + """
        y = (x @ w).sum()
        y.backward()
        y.backward()
    """, "x.grad", "A matrix product saves its factors, so a second pass finds them freed."),
    program(MATRICES + """
        y = (x @ w).sum()
        with no_grad(): w.add_(1.0)
        y.backward()
    """, "x.grad", "The product saved `w`, and then `w` was written to."),
    program(MATRICES + "with no_grad(): y = x @ w", "y.data; y.requires_grad",
            "Under `no_grad` no operation is recorded."),
)
RELU = (
    program("""
        x = Tensor([-2.0, 0.0, 3.0], requires_grad=True)
        y = x.relu()
    """, "y.data; y.requires_grad; x.data", "A negative number becomes 0; any other stays as it is. The "
            "numbers of `x` don't change."),
    program("""
        x = Tensor([-2.0, 4.0, 3.0, -5.0], requires_grad=True)
        y = x.relu()
        y.backward([1.0, 10.0, 100.0, 1000.0])
    """, "x.grad", "The local derivative is 1 where `x` is positive, and 0 where it is negative."),
    program("""
        x = Tensor([0.0, 1.0], requires_grad=True)
        y = x.relu().sum()
        y.backward()
    """, "x.grad", "At 0 the slope jumps from 0 to 1. PyTorch uses 0 there, and so does this check."),
    program("""
        x = Tensor([[-2.0, 4.0], [3.0, -5.0]], requires_grad=True)
        y = (x.relu() * x).sum()
        y.backward()
    """, "x.grad", "Two messages arrive at `x`: one through `relu`, and one from the product."),
    program("""
        x = Tensor([-1.0, 2.0], requires_grad=True)
        y = x.relu()
        z = (y * y).sum()
        y.data[0] = 7.0
        w = x.relu().sum()
        w.backward()
    """, "x.data; x.grad", "`relu` returns a new tensor, which has numbers of its own."),
    program(MATRICES + """
        y = (x @ w).relu().sum()
        y.backward()
        nudged = Tensor([[1.0, 0.0], [2.0, 2.0], [-1.0, 3.0]])
        slope = (x @ nudged).relu().sum().data - y.data
    """, "slope; w.grad", "Here `w[1, 1]` was nudged from 1 to 2. The sum changed by `slope`, and the number "
         "in the same place of `w.grad` must be the same."),
    program("""
        x = Tensor([-1.0, 2.0])
        y = x.relu()
    """, "y.data; y.requires_grad", "`x` requires no gradient, so `relu` records nothing."),
    program("""
        x = Tensor([-1.0, 2.0], requires_grad=True)
        y = x.relu().sum()
        y.backward()
        y.backward()
    """, "x.grad", "`relu` saves what its formula needs, so a second pass finds it freed."),
)
SCORES = """
    scores = Tensor([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]], requires_grad=True)
"""
CROSS_ENTROPY = (
    program(SCORES + "loss = scores.cross_entropy(np.array([1, 0]))", "loss.data; loss.requires_grad",
            "Each row of `scores` belongs to one image. The loss is minus the logarithm of the right digit's "
            "probability, and the mean over the images."),
    program("""
        scores = Tensor([[1000.0, 0.0], [0.0, -1000.0]])
        loss = scores.cross_entropy(np.array([0, 0]))
    """, "loss.data", "`np.exp(1000.0)` is infinite. Subtract the largest score of each row first: the "
         "probabilities stay the same. If you do so, and the loss is NaN, it contains 0 times the logarithm "
         "of a probability that is 0: compute it by the third formula."),
    program("""
        scores = Tensor([[0.0, 1000.0]], requires_grad=True)
        loss = scores.cross_entropy(np.array([0]))
        loss.backward()
    """, "loss.data; scores.grad", "The right digit's probability is too small for a float, so it is 0, and "
         "its logarithm is infinite. Compute the loss by the third formula: the logarithm of the sum, minus "
         "the score."),
    program(SCORES + """
        loss = scores.cross_entropy(np.array([1, 0]))
        loss.backward()
    """, "scores.grad", "The gradient of each score is its probability, minus 1 for the right digit, and "
         "divided by the number of images."),
    program(SCORES + """
        loss = scores.cross_entropy(np.array([2, 2]))
        loss.backward()
        h = 0.000001
        nudged = Tensor([[1.0, 2.0 + h, 0.5], [0.0, -1.0, 3.0]])
        slope = np.round((nudged.cross_entropy(np.array([2, 2])).data - loss.data) / h, 4)
    """, "slope; scores.grad", "The score 2.0 was nudged by h. The loss changed by `slope` · h, and the "
         "number in the same place of `scores.grad` must be close to `slope`."),
    program(SCORES + """
        loss = scores.cross_entropy(np.array([1, 0]))
        loss.backward(10.0)
    """, "scores.grad", "A pass that starts with 10 multiplies each gradient by 10."),
    program(SCORES + """
        doubled = scores * Tensor(2.0)
        loss = doubled.cross_entropy(np.array([0, 2]))
        loss.backward()
    """, "loss.data; doubled.data; scores.data; scores.grad", "`cross_entropy` must leave the numbers of its "
         "scores as they are."),
    program(MATRICES + """
        b = Tensor([1.0, 2.0], requires_grad=True)
        loss = ((x @ w).relu() + b).cross_entropy(np.array([1, 0]))
        loss.backward()
    """, "loss.data; w.grad; b.grad", "This is a layer of a network, and its loss."),
    program(SCORES + """
        loss = scores.cross_entropy(np.array([1, 0]))
        loss.backward(retain_graph=True)
        loss.backward()
    """, "scores.grad", "Both passes compute the same gradient, if the formula leaves what was saved as it "
         "is. `-=` changes an array; `copy()` makes a new one."),
    program(SCORES + """
        loss = scores.cross_entropy(np.array([1, 0]))
        loss.backward()
        loss.backward()
    """, "scores.grad", "The cross-entropy saves numbers for its backward pass, so a second pass finds them "
         "freed."),
)
