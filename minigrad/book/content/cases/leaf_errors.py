"""Errors of flags and drawers of tensors, and of optimizers."""
from __future__ import annotations

from .case import Case

CASES = (
    Case(
        "integers", "requires_grad=True for whole numbers",
        'RuntimeError: Only Tensors of floating point and complex dtype can require gradients',
        """\
torch.tensor([1, 2, 3], requires_grad=True)
""",
        """\
torch.tensor([1., 2., 3.], requires_grad=True)
""",
        chapter=1),
    Case(
        "integers-flag", "requires_grad_() on whole numbers",
        'RuntimeError: only Tensors of floating point dtype can require gradients',
        """\
n = torch.tensor([1, 2, 3])
n.requires_grad_()
""",
        """\
n = torch.tensor([1, 2, 3])
n.float().requires_grad_()
""",
        chapter=1),
    Case(
        "flag", "Changing requires_grad of a computed tensor",
        "RuntimeError: you can only change requires_grad flags of leaf variables. If you want to use a "
        "computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach().",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.requires_grad = False
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.detach().requires_grad
""",
        chapter=3),
    Case(
        "flag-type", "requires_grad is neither True nor False",
        'RuntimeError: requires_grad must be a bool',
        """\
x = torch.tensor([3., 5.])
x.requires_grad = "yes"
""",
        """\
x = torch.tensor([3., 5.])
x.requires_grad = True
x
""",
        what="program.py:3, `x.requires_grad = \"yes\"`, sets requires_grad to something other than True "
             "or False. No other value has a meaning there.",
        fixes=(("Use True or False.", "none"),)),
    Case(
        "missing-grad", "The drawer is empty: zeroing before the first pass",
        "AttributeError: 'NoneType' object has no attribute 'zero_'",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
w.grad.zero_()
""",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
if w.grad is not None:
    w.grad.zero_()
(w * w).sum().backward()
w.grad
""",
        chapter=2,
        older=("'NoneType' object has no attribute 'data'",)),
    Case(
        "missing-grad-result", "Reading .grad of a computed tensor",
        "AttributeError: 'NoneType' object has no attribute 'mul_'",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.sum().backward()
y.grad.mul_(2)
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.retain_grad()
y.sum().backward()
y.grad.mul_(2)
""",
        chapter=2),
    Case(
        "missing-grad-step", "A hand-written step that creates a new tensor",
        "TypeError: unsupported operand type(s) for *: 'float' and 'NoneType'",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
for step in range(2):
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
""",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
for step in range(2):
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
w
""",
        chapter=2,
        older=("unsupported operand type(s) for *: 'NoneType' and 'float'",
               "unsupported operand type(s) for -: 'Tensor' and 'NoneType'")),
    Case(
        "numpy", "numpy() on a tensor that requires a gradient",
        "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
        "instead.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.numpy()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.detach().numpy()
""",
        chapter=7),
    Case(
        "deepcopy", "A deep copy of a computed tensor",
        "RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
        "protocol at the moment.  If you were attempting to deepcopy a module, this may be because of "
        "a torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001",
        """\
import copy
y = torch.tensor([3., 5.], requires_grad=True) * 2
copy.deepcopy(y)
""",
        """\
y = torch.tensor([3., 5.], requires_grad=True) * 2
y.detach().clone()
"""),
    Case(
        "assign-shape", "Assigning a .grad of another shape",
        "RuntimeError: attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please "
        "ensure that the gradient and the tensor are the same size",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = torch.ones(3)
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = torch.ones(2)
x.grad
"""),
    Case(
        "assign-dtype", "Assigning a .grad of another type",
        "RuntimeError: attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype "
        "'Float'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
        "You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any "
        "dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may "
        "break downstream systems that assume they match.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = torch.ones(2, dtype=torch.float64)
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = torch.ones(2, dtype=torch.float64).to(x.dtype)
x.grad
"""),
    Case(
        "assign-type", "Assigning a number to .grad",
        'TypeError: assigned grad expected to be a Tensor or None but got grad of type int',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = 1
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = torch.full_like(x, 1)
x.grad
""",
        what="program.py:3, `x.grad = 1`, assigns a value of type int to .grad. The .grad of a tensor is "
             "None or a tensor of the same shape.",
        fixes=(("Assign a tensor: `torch.full_like(x, ...)`.", "a tensor of that shape"),)),
    Case(
        "assign-itself", "Assigning a tensor to its own .grad",
        "RuntimeError: can't assign Variable as its own grad",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = x
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.grad = x.detach().clone()
x.grad
""",
        what="program.py:3, `x.grad = x`, assigns a tensor to its own .grad. A write to one would change "
             "the other.",
        fixes=(("Assign a copy: `x.grad = x.detach().clone()`.", "a second tensor of its size"),)),
    Case(
        "read-only", "Assigning an attribute that only the engine sets",
        "AttributeError: attribute 'is_leaf' of 'torch._C.TensorBase' objects is not writable",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.is_leaf = False
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
(x * 1).is_leaf
""",
        what="program.py:3, `x.is_leaf = False`, assigns to .is_leaf, which says how the tensor was made "
             "and can't be changed.",
        fixes=(("Don't assign to it; use detach(), requires_grad_() or a new tensor.",
                "only a new tensor takes memory; the other two share it"),)),
    Case(
        "optimizer-non-leaf", "An optimizer for a computed tensor",
        "ValueError: can't optimize a non-leaf Tensor",
        """\
w = torch.tensor([3., 5.], requires_grad=True) * 0.1
torch.optim.SGD([w], lr=0.1)
""",
        """\
w = (torch.tensor([3., 5.]) * 0.1).requires_grad_()
opt = torch.optim.SGD([w], lr=0.1)
w
""",
        chapter=10),
    Case(
        "optimizer-empty", "An optimizer without parameters",
        'ValueError: optimizer got an empty parameter list',
        """\
weights = iter([torch.ones(2, requires_grad=True)])
list(weights)
torch.optim.SGD(weights, lr=0.1)
""",
        """\
weights = [torch.ones(2, requires_grad=True)]
opt = torch.optim.SGD(weights, lr=0.1)
weights
""",
        chapter=10),
    Case(
        "optimizer-rate", "A learning rate below zero",
        'ValueError: Invalid learning rate: -0.1',
        """\
w = torch.tensor([3., 5.], requires_grad=True)
torch.optim.SGD([w], lr=-0.1)
""",
        """\
w = torch.tensor([3., 5.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, maximize=True)
w
""",
        chapter=10,
        what="program.py:3, `torch.optim.SGD([w], lr=-0.1)`, passes an optimizer a negative learning rate. "
             "A step goes against the gradient; a negative rate would turn it around.",
        fixes=(("Pass a rate that is 0 or more.", "none"),
               ("To maximize, give the optimizer `maximize=True`.", "none"))),
)
