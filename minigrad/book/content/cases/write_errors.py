"""Errors of writing in place: into leaves, views, and tensors from other modes."""
from __future__ import annotations

from .case import Case

CASES = (
    Case(
        "leaf-written", "Writing into a leaf",
        'RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.',
        """\
w = torch.tensor([3., 5.], requires_grad=True)
w += 1
""",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
with torch.no_grad():
    w += 1
w
""",
        chapter=8),
    Case(
        "leaf-view-written", "Writing into a part of a leaf",
        "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place "
        "operation.",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
w[0] = 9.
""",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
copy = w.clone()
copy[0] = 9.
copy
""",
        chapter=8),
    Case(
        "several-views", "Writing into one of several views",
        "RuntimeError: Output 0 of Unbind is a view and is being modified inplace. This view is the "
        "output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
        """\
t = torch.tensor([[3., 5.], [4., 6.]], requires_grad=True) * 2
for row in t:
    row += 1
""",
        """\
t = torch.tensor([[3., 5.], [4., 6.]], requires_grad=True) * 2
for i in range(2):
    t[i] += 1
t
"""),
    Case(
        "view-mode", "A view taken under no_grad",
        "RuntimeError: A view was created in no_grad mode and is being modified inplace with grad mode "
        "enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You can "
        "clarify your code by moving both the view and the inplace either both inside the no_grad "
        "block (if you don't want the inplace to be tracked) or both outside (if you want the inplace "
        "to be tracked).",
        """\
y = torch.tensor([3., 5.], requires_grad=True) * 2
with torch.no_grad():
    v = y[:1]
v.mul_(3)
""",
        """\
y = torch.tensor([3., 5.], requires_grad=True) * 2
v = y[:1]
v.mul_(3)
""",
        chapter=8),
    Case(
        "view-function", "Writing into a view that a Function made",
        "RuntimeError: Output 0 of First is a view and is being modified inplace. This view was "
        "created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom "
        "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
        "cloning the output of the custom Function.",
        """\
class First(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1]

    @staticmethod
    def backward(ctx, grad):
        return torch.cat([grad, grad * 0])

x = torch.tensor([3., 5.], requires_grad=True) * 2
y = First.apply(x)
y.mul_(3)
""",
        """\
class First(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1]

    @staticmethod
    def backward(ctx, grad):
        return torch.cat([grad, grad * 0])

x = torch.tensor([3., 5.], requires_grad=True) * 2
y = First.apply(x)
y.clone().mul_(3)
"""),
    Case(
        "overlap", "Writing into an expanded tensor",
        "RuntimeError: unsupported operation: more than one element of the written-to tensor refers to "
        "a single memory location. Please clone() the tensor before performing the operation.",
        """\
e = torch.tensor([3.]).expand(3)
e.mul_(2)
""",
        """\
e = torch.tensor([3.]).expand(3).clone()
e.mul_(2)
"""),
    Case(
        "overlap-source", "Copying between overlapping parts of one tensor",
        "RuntimeError: unsupported operation: some elements of the input tensor and the written-to "
        "tensor refer to a single memory location. Please clone() the tensor before performing the "
        "operation.",
        """\
x = torch.tensor([3., 5., 7.])
x[1:].copy_(x[:2])
""",
        """\
x = torch.tensor([3., 5., 7.])
x[1:].copy_(x[:2].clone())
x
""",
        what="program.py:3, `x[1:].copy_(x[:2])`, reads and writes memory that partly overlaps. The write "
             "could change elements before they are read.",
        fixes=(("Read from a copy: clone() the tensor that is read.", "a second tensor of its size"),)),
    Case(
        "result-shape", "An in-place result that has another shape",
        "RuntimeError: output with shape [2] doesn't match the broadcast shape [3, 2]",
        """\
y = torch.ones(2)
y += torch.ones(3, 2)
""",
        """\
y = torch.ones(2)
y = y + torch.ones(3, 2)
y
""",
        what="program.py:3, `y += torch.ones(3, 2)`, writes a result of shape [3, 2] into a tensor of "
             "shape [2]. An operation in place can't make its tensor larger.",
        fixes=(("Write out of place: `y = y + torch.ones(3, 2)`.", "a new tensor of shape [3, 2]"),)),
    Case(
        "result-dtype", "An in-place result of a type that does not fit",
        "RuntimeError: result type Float can't be cast to the desired output type Long",
        """\
n = torch.tensor([3, 5])
n += 0.5
""",
        """\
n = torch.tensor([3, 5])
n = n + 0.5
n
""",
        what="program.py:3, `n += 0.5`, writes a result of type Float into a tensor of type Long. That "
             "would lose a part of each number.",
        fixes=(("Write out of place: `n = n + 0.5`.", "a new tensor of type Float"),)),
    Case(
        "detach-view", "detach_() on a view",
        "RuntimeError: Can't detach views in-place. Use detach() instead. If you are using "
        "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
        "gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. "
        "To fix this error, please refer to the Optimizer.zero_grad() function in "
        "torch/optim/optimizer.py as the solution.",
        """\
x = torch.tensor([3., 5.], requires_grad=True) * 2
x[:1].detach_()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True) * 2
x[:1].detach()
""",
        chapter=8,
        what="program.py:3, `x[:1].detach_()`, would detach a view from its history, in place. Its base "
             "still has it as a view.",
        fixes=(("Use `detach()`, without the underscore.", "none: it shares the memory"),)),
    Case(
        "resize", "Resizing a tensor that requires a gradient",
        'RuntimeError: cannot resize variables that require grad',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.resize_(3)
""",
        """\
x = torch.tensor([3., 5.])
x = torch.cat([x, torch.zeros(1)]).requires_grad_()
x
""",
        what="program.py:3, `x.resize_(3)`, changes the size of a tensor that requires a gradient. Its "
             "gradient would have another shape than the tensor.",
        fixes=(("Make a longer tensor before it requires a gradient: `torch.cat([x, torch.zeros(1)])`.",
                "a second tensor"),)),
    Case(
        "data-deleted", "Deleting the data of a tensor",
        'RuntimeError: Deleting tensor data is not allowed. Delete tensor instead!',
        """\
x = torch.tensor([3., 5.])
del x.data
""",
        """\
x = torch.tensor([3., 5.])
del x
""",
        what="program.py:3, `del x.data`, deletes the data of a tensor. A tensor always has data.",
        fixes=(("Delete the variable: `del x`.", "none"),)),
    Case(
        "data-integers", "Integer data for a tensor that requires a gradient",
        "RuntimeError: data set to a tensor that requires gradients must be floating point or complex "
        "dtype",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.data = torch.tensor([4, 6])
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.data = torch.tensor([4, 6]).float()
x
""",
        what="program.py:3, `x.data = torch.tensor([4, 6])`, assigns whole numbers to the data of a tensor "
             "that requires a gradient. Only floating-point numbers have gradients.",
        fixes=(("Convert them: `.float()`.", "a second tensor"),)),
    Case(
        "inference-saved", "A tensor from inference_mode in a recorded operation",
        "RuntimeError: Inference tensors cannot be saved for backward. Please do not use Tensors "
        "created in inference mode in computation tracked by autograd. To work around this, you can "
        "make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead "
        "of `torch.inference_mode()`.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
with torch.inference_mode():
    i = torch.ones(2)
y = x * i
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
with torch.inference_mode():
    i = torch.ones(2)
y = x * i.clone()
y
""",
        chapter=7),
    Case(
        "inference-written", "Writing into a tensor from inference_mode",
        "RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.You can "
        "make a clone to get a normal tensor before doing inplace update.See "
        "https://github.com/pytorch/rfcs/pull/17 for more details.",
        """\
with torch.inference_mode():
    i = torch.ones(2)
i += 1
""",
        """\
with torch.inference_mode():
    i = torch.ones(2)
i = i.clone()
i += 1
i
""",
        chapter=7),
    Case(
        "inference-leaf", "A gradient for a tensor from inference_mode",
        "RuntimeError: Setting requires_grad=True on inference tensor outside InferenceMode is not "
        "allowed.",
        """\
with torch.inference_mode():
    i = torch.ones(2)
i.requires_grad_()
""",
        """\
with torch.inference_mode():
    i = torch.ones(2)
i.clone().requires_grad_()
""",
        chapter=7,
        what="program.py:4, `i.requires_grad_()`, sets requires_grad for a tensor that was made in "
             "inference_mode. No recorded operation may save such a tensor.",
        fixes=(("clone() it outside of inference_mode, and set requires_grad of the copy.",
                "a second tensor"),)),
    Case(
        "inference-version", "Reading the version of a tensor from inference_mode",
        'RuntimeError: Inference tensors do not track version counter.',
        """\
with torch.inference_mode():
    i = torch.ones(2)
i._version
""",
        """\
with torch.no_grad():
    i = torch.ones(2)
i._version
""",
        chapter=7,
        what="program.py:4, `i._version`, reads the version of a tensor that was made in inference_mode. "
             "Writes to such a tensor aren't counted.",
        fixes=(("Make the tensor under no_grad() in place of inference_mode().",
                "views of the tensor and writes to it are tracked"),)),
)
