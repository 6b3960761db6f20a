"""What a reader of this book meets differently in another release: one short program for each change."""
from __future__ import annotations

from typing import NamedTuple


class Change(NamedTuple):
    slug: str
    title: str
    code: str  # follows `import torch`
    says: str  # what it means for a reader; it names no release, because the recorded answers do


CHANGES: tuple[Change, ...] = (
    Change("zero-grad", "What `zero_grad()` leaves behind", """\
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
w.sum().backward()
optimizer.zero_grad()
print(w.grad)
""", """\
A zero is a gradient, and `None` is none: an optimizer with momentum or weight decay can move a
parameter whose gradient is zero, and leaves one alone whose gradient is `None`."""),
    Change("linear-of-a-row", "The node of a `Linear` layer that gets one row", """\
layer = torch.nn.Linear(2, 1)
print(layer(torch.ones(2)).grad_fn.name())
print(layer(torch.ones(1, 2)).grad_fn.name())
""", """\
Where a text prints the `grad_fn` of a layer for one row, the name depends on the release."""),
    Change("norm-node", "The node of `norm()`", """\
x = torch.tensor([3., 4.], requires_grad=True)
print(x.norm().grad_fn.name())
""", """\
Where a text prints the `grad_fn` of a norm, the name depends on the release."""),
    Change("float-of-tracked", "`float()` of a tensor that requires a gradient", """\
x = torch.tensor(2., requires_grad=True)
print(float(x))
""", """\
Where you want only the number, `x.item()` and `float(x.detach())` are silent."""),
    Change("sgd-without-rate", "`SGD` without a learning rate", """\
w = torch.ones(2, requires_grad=True)
print(torch.optim.SGD([w]).defaults["lr"])
""", """\
A forgotten rate is an error in some releases. In the others the optimizer takes a small rate of its
own."""),
    Change("adamw-is-adam", "`AdamW` and `Adam`", """\
print(issubclass(torch.optim.AdamW, torch.optim.Adam))
""", """\
A program that asks `isinstance(optimizer, torch.optim.Adam)` gets an answer for `AdamW` that depends on
the release."""),
    Change("atan2-at-origin", "The gradient of `atan2` at the origin", """\
y = torch.tensor(0., requires_grad=True)
x = torch.tensor(0., requires_grad=True)
torch.atan2(y, x).backward()
print(y.grad, x.grad)
""", """\
The angle of the point (0, 0) has no slope, so a release is free to choose its gradient."""),
    Change("dropout-mask", "The mask of dropout for one seed", """\
torch.manual_seed(0)
print(torch.nn.functional.dropout(torch.ones(10)))
""", """\
The same seed doesn't give the same mask in every release."""),
    Change("clamp-at-bound", "The gradient of `clamp` at its bounds", """\
x = torch.tensor([1., 1.5, 2., 3.], requires_grad=True)
x.clamp(1, 2).sum().backward()
print(x.grad)
""", """\
At a bound, the slope on one side is 1 and on the other 0. Any number from 0 to 1 is a possible
gradient."""),
    Change("clamp-min-at-bound", "The gradient of `clamp(min=...)` at its bound", """\
x = torch.tensor(2., dtype=torch.float64, requires_grad=True)
x.clamp(min=2).backward()
print(x.grad)
print(torch.autograd.gradcheck(lambda x: x.clamp(min=2), x, raise_exception=False))
""", """\
Exercise 14a asks whether `gradcheck` returns `True` at this bound."""),
    Change("clamp-tensor-bounds", "The gradient of `clamp` at a bound that is a tensor", """\
x = torch.tensor(2., requires_grad=True)
x.clamp(min=torch.tensor(2.)).backward()
print(x.grad)
""", """\
Here a release may also share the gradient between the tensor and its bound."""),
    Change("minus-bool", "Minus a tensor of booleans", """\
-torch.tensor([True, False])
""", """\
A program that catches `RuntimeError` still catches the newer class, because `NotImplementedError` is
one."""),
    Change("checkpoint-written", "A checkpoint whose input is written later", """\
from torch.utils.checkpoint import checkpoint
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
y = checkpoint(torch.sin, h, use_reentrant=False)
h.mul_(3)
y.sum().backward()
print(x.grad)
""", """\
The result is `sin(2 * x)`, so the gradient is `2 * cos(2 * x)`, which is [-0.8323, -1.3073]. A release
that prints other numbers computed them from the values that were written later."""),
    Change("checkpoint-differs", "A checkpoint that computes something else the second time", """\
from torch.utils.checkpoint import checkpoint
sizes = iter([2, 3])
x = torch.ones(3, requires_grad=True)
checkpoint(lambda t: t[:next(sizes)].sin().sum(), x, use_reentrant=False).backward()
print(x.grad)
""", """\
The first run takes two elements and the second one three. Not every release compares the two runs."""),
    Change("post-accumulate-hook", "`register_post_accumulate_grad_hook()`", """\
w = torch.ones(2, requires_grad=True)
w.register_post_accumulate_grad_hook(lambda w: print(w.grad))
w.sum().backward()
""", """\
Not every release has this method."""),
    Change("setup-context", "A custom Function with `setup_context()`", """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad

x = torch.tensor(3., requires_grad=True)
Double.apply(x).backward()
print(x.grad)
""", """\
Not every release accepts a Function whose `forward` has no `ctx`."""),
    Change("modified-hint", "The node that the error of a modified tensor names", """\
x = torch.tensor([1., 2.], requires_grad=True)
y = x.sigmoid()
y += 1
y.sum().backward()
""", """\
The message names the operation that made the tensor. How it writes this name depends on the release,
and so does the call that it recommends."""),
    Change("optimizer-repr", "What an optimizer prints", """\
print(torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1))
""", """\
The printed options are those that the release has."""),
    Change("attention-node", "The node of attention", """\
q = torch.ones(1, 2, 2, requires_grad=True)
print(torch.nn.functional.scaled_dot_product_attention(q, q, q).grad_fn.name())
""", """\
Where a text prints the `grad_fn` of attention, the name depends on the release."""),
    Change("mean-twice", "A second backward pass through `mean()`", """\
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.mean()
y.backward()
y.backward()
print(x.grad)
""", """\
Chapter 2 runs two passes through one mean. That is allowed where the node of `mean()` saves no tensor."""),
    Change("hooks-around-a-write", "Hooks before and after a write in place", """\
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
h.register_hook(lambda grad: print("registered before the write:", grad))
h.mul_(3)
h.register_hook(lambda grad: print("registered after the write: ", grad))
h.sum().backward()
""", """\
A hook of a tensor receives the gradient of one of its values: the one before the write or the one after
it."""),
    Change("hooks-around-a-view", "Hooks before and after a write through a view", """\
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
h.register_hook(lambda grad: print("registered before the write:", grad))
h[:1].mul_(3)
h.register_hook(lambda grad: print("registered after the write: ", grad))
h.sum().backward()
""", """\
The write goes through a view of `h`. Again a hook can receive the gradient of the old value or of the
new one."""),
    Change("retain-and-hook", "`retain_grad()` before a hook that changes the gradient", """\
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
h.retain_grad()
h.register_hook(lambda grad: grad * 10)
h.sum().backward()
print(h.grad)
""", """\
`h.grad` holds the gradient before or after the change."""),
    Change("several-as-one", "`item()` of several numbers", """\
torch.tensor([3., 5.]).item()
""", """\
A program that catches one class of error misses the other."""),
    Change("assigned-dtype", "A gradient of another dtype, assigned", """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = torch.ones(2, dtype=torch.float64)
""", """\
Each wording is the answer to the same mistake, and `explain()` knows all of them."""),
    Change("nbytes", "`nbytes` of a tensor", """\
print(torch.ones(2).nbytes)
""", """\
The cell of chapter 6 that measures saved bytes uses this name."""),
)
