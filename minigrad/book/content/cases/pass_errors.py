"""Errors on the way back: what a pass needs is gone, was changed, or became NaN."""
from __future__ import annotations

from .case import Case

CASES = (
    Case(
        "freed", "A second backward pass through the same graph",
        "RuntimeError: Trying to backward through the graph a second time (or directly access saved "
        "tensors after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after calling "
        "backward.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
loss = (x * x).sum()
loss.backward()
loss.backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
for turn in range(2):
    loss = (x * x).sum()
    loss.backward()
x.grad
""",
        chapter=6,
        older=(("Trying to backward through the graph a second time, but the buffers have already been "
               "freed. Specify retain_graph=True when calling backward the first time."),
               ("Trying to backward through the graph a second time, but the saved intermediate results "
               "have already been freed. Specify retain_graph=True when calling .backward() or "
               "autograd.grad() the first time."),)),
    Case(
        "freed-state", "A backward pass into the graph of the round before",
        "RuntimeError: Trying to backward through the graph a second time (or directly access saved "
        "tensors after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after calling "
        "backward.",
        """\
w, h = torch.tensor(0.5, requires_grad=True), torch.tensor(1.)
for step in range(2):
    h = (w * h).tanh()
    h.backward()
""",
        """\
w, h = torch.tensor(0.5, requires_grad=True), torch.tensor(1.)
for step in range(2):
    h = (w * h.detach()).tanh()
    h.backward()
w.grad
""",
        chapter=6),
    Case(
        "freed-saved", "Reading a saved tensor that was freed",
        "RuntimeError: Trying to backward through the graph a second time (or directly access saved "
        "tensors after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after calling "
        "backward.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x.exp()
y.sum().backward()
y.grad_fn._saved_result
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x.exp()
y.sum().backward(retain_graph=True)
y.grad_fn._saved_result
""",
        chapter=6),
    Case(
        "version", "A saved tensor was changed in place",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an "
        "inplace operation: [torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; "
        "expected version 0 instead. Hint: enable anomaly detection to find the operation that failed "
        "to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x.exp()
y = y + 1
y.sum().backward()
x.grad
""",
        chapter=8),
    Case(
        "version-step", "An optimizer stepped between two backward passes",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an "
        "inplace operation: [torch.FloatTensor [2]] is at version 1; expected version 0 instead. Hint: "
        "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False).",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = (w * w).sum()
loss.backward(retain_graph=True)
opt.step()
loss.backward()
""",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = (w * w).sum()
loss.backward(retain_graph=True)
loss.backward()
opt.step()
w.detach()
""",
        chapter=8),
    Case(
        "nan", "A gradient becomes NaN in the backward pass",
        "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.",
        """\
x = torch.tensor([0., 4.], requires_grad=True)
with torch.autograd.detect_anomaly():
    torch.where(x > 0, x.sqrt(), x * 0).sum().backward()
""",
        """\
x = torch.tensor([0., 4.], requires_grad=True)
ok = x > 0
with torch.autograd.detect_anomaly():
    torch.where(ok, torch.where(ok, x, 1.).sqrt(), x * 0).sum().backward()
x.grad
""",
        chapter=12),
    Case(
        "number", "A Python number has no graph",
        "AttributeError: 'float' object has no attribute 'backward'",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
loss = (x * x).sum().item()
loss.backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
loss = (x * x).sum()
loss.backward()
loss.item()
"""),
)
