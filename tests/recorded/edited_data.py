"""What a backward pass says when `.data` or `.grad` no longer has the shape of the forward pass."""
from __future__ import annotations

import warnings

from . import error_of

SHAPES = ((3,), (2, 1), (1, 3), (3, 2), (0, 3), (), (2, 2, 3), (6,), (1,))


def _operations(torch):
    """Return {name: function of the edited leaf x and of another leaf w, both of shape (2, 3)}."""
    functional = torch.nn.functional
    return {
        "x * w": lambda x, w: x * w,
        "w * x": lambda x, w: w * x,
        "x + w": lambda x, w: x + w,
        "x - w": lambda x, w: x - w,
        "x / w": lambda x, w: x / w,
        "w / x": lambda x, w: w / x,
        "x * x": lambda x, w: x * x,
        "x ** 3": lambda x, w: x ** 3,
        "x ** w": lambda x, w: x ** w,
        "-x": lambda x, w: -x,
        "x.sin()": lambda x, w: x.sin(),
        "x.exp()": lambda x, w: x.exp(),
        "x.log()": lambda x, w: x.log(),
        "x.abs()": lambda x, w: x.abs(),
        "x.sqrt()": lambda x, w: x.sqrt(),
        "x.relu()": lambda x, w: x.relu(),
        "x.sigmoid()": lambda x, w: x.sigmoid(),
        "x.clamp(0, 1)": lambda x, w: x.clamp(0, 1),
        "x.sum(0)": lambda x, w: x.sum(0),
        "x.mean()": lambda x, w: x.mean(),
        "x.prod()": lambda x, w: x.prod(),
        "x.amax(0)": lambda x, w: x.amax(0),
        "x.max()": lambda x, w: x.max(),
        "x.max(1)": lambda x, w: x.max(1).values,
        "x.norm()": lambda x, w: x.norm(),
        "x.var()": lambda x, w: x.var(),
        "x.std()": lambda x, w: x.std(),
        "x.softmax(1)": lambda x, w: x.softmax(1),
        "x.logsumexp(1)": lambda x, w: x.logsumexp(1),
        "x.cumsum(1)": lambda x, w: x.cumsum(1),
        "x.cumprod(1)": lambda x, w: x.cumprod(1),
        "x @ w.T": lambda x, w: x @ w.t(),
        "w @ x.T": lambda x, w: w @ x.t(),
        "x @ w[0]": lambda x, w: x @ w[0],
        "x[0] @ w[0]": lambda x, w: x[0] @ w[0],
        "x.t()": lambda x, w: x.t(),
        "x.reshape(6)": lambda x, w: x.reshape(6),
        "x[0]": lambda x, w: x[0],
        "x[:, 1:]": lambda x, w: x[:, 1:],
        "x[[0, 0]]": lambda x, w: x[[0, 0]],
        "cat": lambda x, w: torch.cat([x, w]),
        "stack": lambda x, w: torch.stack([x, w]),
        "where": lambda x, w: torch.where(w > 0, x, w),
        "maximum": lambda x, w: torch.maximum(x, w),
        "linear": lambda x, w: functional.linear(x, w),
        "linear, weight": lambda x, w: functional.linear(w, x),
        "mse_loss": lambda x, w: functional.mse_loss(x, w),
        "l1_loss": lambda x, w: functional.l1_loss(x, w),
        "cross_entropy": lambda x, w: functional.cross_entropy(x, torch.tensor([0, 2])),
        "addcmul": lambda x, w: torch.addcmul(w, x, x),
        "lerp": lambda x, w: torch.lerp(x, w, x),
    }


# Rows that are not compared.  In the first, both raise an error, but PyTorch's formula calls other
# operations, which say another thing.  In the last, PyTorch keeps the gradient, of the old shape, because
# nothing else uses its memory; here it is a view of new memory, so that the leaf copies it, in its own shape.
_OTHER_WORDS = {
    "x.amax(0)": SHAPES, "x.logsumexp(1)": SHAPES, "x.cumprod(1)": SHAPES, "x @ w[0]": SHAPES,
    "x @ w.T": [shape for shape in SHAPES if len(shape) != 2],
    "linear": [shape for shape in SHAPES if len(shape) != 2],
    **dict.fromkeys(["w @ x.T", "linear, weight", "l1_loss", "x.relu()"], [(1, 3), (0, 3)]),
}
# NumPy multiplies matrices of two dtypes, which PyTorch refuses.
_OTHER_DTYPES = ("x @ w.T", "x @ w[0]", "linear")


def _shapes_for(name):
    return [shape for shape in SHAPES if shape not in _OTHER_WORDS.get(name, ())]


def _outcome(torch, operation, edit, create_graph=False):
    """Run a forward pass, an edit and a backward pass; return the error, or the gradients' shapes."""
    x = torch.linspace(0.5, 1.5, 6).reshape(2, 3).requires_grad_()
    w = torch.linspace(2.0, 3.0, 6).reshape(2, 3).requires_grad_()

    def run():
        result = operation(x, w).sum()
        edit(x)
        result.backward(create_graph=create_graph)
        return [None if t.grad is None else (list(t.grad.shape), str(t.grad.dtype)) for t in (x, w)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # PyTorch warns of resized memory, and of strides
        return error_of(run)


def data_of_another_shape(torch):
    def edit_to(shape):
        def edit(x):
            x.data = torch.ones(shape)
        return edit
    return {f"{name}, {shape}": _outcome(torch, operation, edit_to(shape))
            for name, operation in _operations(torch).items() for shape in _shapes_for(name)}


def data_of_another_dtype(torch):
    def edit_to(dtype):
        def edit(x):
            x.data = torch.ones(2, 3, dtype=dtype)
        return edit
    return {f"{name}, {dtype}, {create_graph}": _outcome(torch, operation, edit_to(dtype), create_graph)
            for name, operation in _operations(torch).items() if name not in _OTHER_DTYPES
            for dtype in (torch.float64, torch.float16, torch.int64)
            for create_graph in (False, True)}


def data_and_gradient_of_different_shapes(torch):
    def edit_to(shape, stale):
        def edit(x):
            x.grad = torch.ones(2, 3)
            if not stale:
                x.grad.data = torch.ones(shape)
            else:
                x.data = torch.ones(shape)
        return edit
    names = ("-x", "x * w", "x.sum(0)", "x[0]")
    operations = _operations(torch)
    return {f"{name}, {shape}, stale {stale}": _outcome(torch, operations[name], edit_to(shape, stale))
            for name in names for shape in SHAPES for stale in (True, False)}


def recorded_pass_over_edited_data(torch):
    def edit_to(shape):
        def edit(x):
            x.data = torch.ones(shape)
        return edit
    return {f"{name}, {shape}": _outcome(torch, operation, edit_to(shape), create_graph=True)
            for name, operation in _operations(torch).items() for shape in _shapes_for(name)}


def error_of_a_user_passes_unchanged(torch):
    """A ValueError of a hook or a custom Function is the user's own."""
    def fail(*args):
        raise ValueError("operands could not be broadcast together with shapes (2,) (3,)")

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            fail()

    def hooked():
        x = torch.ones(2, requires_grad=True)
        x.register_hook(fail)
        (x * 2).sum().backward()

    def of_node():
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        y.grad_fn.register_prehook(fail)
        y.sum().backward()

    return [error_of(hooked), error_of(of_node),
            error_of(Fails.apply(torch.ones(2, requires_grad=True)).sum().backward)]
