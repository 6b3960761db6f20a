"""Errors of shapes, types and arguments, and of the tools that check gradients."""
from __future__ import annotations

from .case import Case

CASES = (
    Case(
        "shapes", "Shapes that do not fit together",
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
        "dimension 0",
        """\
x, y = torch.ones(2), torch.ones(3)
x + y
""",
        """\
x, y = torch.ones(2), torch.ones(3)
x[:, None] + y
"""),
    Case(
        "several-as-one", "item() on several numbers",
        'RuntimeError: a Tensor with 2 elements cannot be converted to Scalar',
        """\
x = torch.tensor([3., 5.])
x.item()
""",
        """\
x = torch.tensor([3., 5.])
x.sum().item()
"""),
    Case(
        "several-as-bool", "The truth value of several numbers",
        'RuntimeError: Boolean value of Tensor with more than one value is ambiguous',
        """\
x = torch.tensor([3., 5.])
if x > 4:
    print("large")
""",
        """\
x = torch.tensor([3., 5.])
if (x > 4).any():
    print("large")
"""),
    Case(
        "dimension", "A dimension that the tensor does not have",
        'IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)',
        """\
x = torch.tensor([3., 5.])
x.sum(dim=1)
""",
        """\
x = torch.tensor([3., 5.])
x.sum(dim=0)
"""),
    Case(
        "dtype", "An operation that this type does not have",
        "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating "
        "point or complex dtype. Got: Long",
        """\
n = torch.tensor([3, 5])
n.mean()
""",
        """\
n = torch.tensor([3, 5])
n.float().mean()
""",
        what="program.py:3, `n.mean()`, computes the mean of whole numbers. A mean is rarely a whole "
             "number, so mean() needs floating-point numbers.",
        fixes=(("Convert the tensor first: `n.float()`.", "a second tensor"),)),
    Case(
        "dtype-target", "Targets of another floating-point type than the predictions",
        "RuntimeError: Found dtype Double but expected Float",
        """\
x = torch.tensor([0.25, 0.75], requires_grad=True)
target = torch.tensor([0., 1.], dtype=torch.float64)
torch.nn.BCELoss()(x, target).backward()
""",
        """\
x = torch.tensor([0.25, 0.75], requires_grad=True)
target = torch.tensor([0., 1.], dtype=torch.float64)
torch.nn.BCELoss()(x, target.to(x.dtype)).backward()
x.grad
"""),
    Case(
        "dtype-class", "Classes that are not whole numbers",
        "RuntimeError: expected target dtype to be Long or Byte, but got Float",
        """\
scores = torch.tensor([[3., 5.], [2., 1.]], requires_grad=True)
target = torch.tensor([1., 0.])
torch.nn.CrossEntropyLoss()(scores, target)
""",
        """\
scores = torch.tensor([[3., 5.], [2., 1.]], requires_grad=True)
target = torch.tensor([1., 0.])
torch.nn.CrossEntropyLoss()(scores, target.long())
"""),
    Case(
        "dtype-product", "A layer and its input with different floating-point types",
        "RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float",
        """\
x = torch.tensor([[3., 5.]], dtype=torch.float64)
torch.nn.Linear(2, 1)(x)
""",
        """\
x = torch.tensor([[3., 5.]], dtype=torch.float64)
torch.nn.Linear(2, 1)(x.float()).shape
""",
        older=("expected m1 and m2 to have the same dtype, but got: double != float",
               "expected scalar type Double but found Float")),
    Case(
        "jacobian-mismatch", "gradcheck finds a wrong formula",
        "GradcheckError: Jacobian mismatch for output 0 with respect to input "
        "0,\nnumerical:tensor([[6.0000]], dtype=torch.float64)\nanalytical:tensor([[3.]], "
        "dtype=torch.float64)\n",
        """\
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]

x = torch.tensor([3.], dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(Bad.apply, x)
""",
        """\
class Good(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]

x = torch.tensor([3.], dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(Good.apply, x)
""",
        chapter=14,
        what="program.py:13, `torch.autograd.gradcheck(Bad.apply, x)`, found a backward that does not "
             "agree with the slope of its forward. The message shows both; a wrong formula, a kink at that "
             "point, or float32 are the usual reasons.",
        fixes=(("Use float64 inputs away from kinks; if it still fails, correct the formula.",
                "a float64 tensor takes twice the memory of a float32 tensor"),)),
    Case(
        "gradcheck-inputs", "gradcheck without an input that requires a gradient",
        "ValueError: gradcheck expects at least one input tensor to require gradient, but none of them "
        "have requires_grad=True.",
        """\
x = torch.tensor([3., 5.], dtype=torch.float64)
torch.autograd.gradcheck(torch.exp, x)
""",
        """\
x = torch.tensor([3., 5.], dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(torch.exp, x)
""",
        chapter=14,
        what="program.py:3, `torch.autograd.gradcheck(torch.exp, x)`, checks the gradients of a function "
             "whose input doesn't require a gradient. There is nothing to check.",
        fixes=(("Set requires_grad=True for the input.", "none"),)),
    Case(
        "functional-v", "A v of the wrong size",
        'RuntimeError: v has invalid size: should be torch.Size([2]) but got torch.Size([3]).',
        """\
x = torch.tensor([3., 5.])
torch.autograd.functional.vjp(torch.exp, x, torch.ones(3))
""",
        """\
x = torch.tensor([3., 5.])
torch.autograd.functional.vjp(torch.exp, x, torch.ones(2))
""",
        chapter=12,
        what="program.py:3, `torch.autograd.functional.vjp(torch.exp, x, torch.ones(3))`, computes vjp() "
             "with a v of shape (3,) for a result of shape (2,). v holds a weight for each number of the "
             "result.",
        fixes=(("Pass a v of the shape of the result.", "none"),)),
    Case(
        "independent", "A derivative that is zero because nothing depends on it",
        "RuntimeError: Output 0 of the user-provided function is independent of input 0. This is not "
        "allowed in strict mode.",
        """\
x, c = torch.tensor([3., 5.]), torch.ones(2, requires_grad=True)
torch.autograd.functional.jacobian(lambda x: c * 4, x, strict=True)
""",
        """\
x, c = torch.tensor([3., 5.]), torch.ones(2, requires_grad=True)
torch.autograd.functional.jacobian(lambda x: c * 4, x)
""",
        chapter=12,
        what="program.py:3, `torch.autograd.functional.jacobian(lambda x: c * 4, x, stri…`, asks with "
             "strict=True for a derivative that is zero because nothing was recorded. The function's "
             "result does not depend on that input, or not by recorded operations.",
        fixes=(("Leave out strict=True.", "zeros, also where that is a mistake"),)),
    Case(
        "reinforce", "reinforce(), removed in 2017",
        "RuntimeError: reinforce() was removed.\nUse torch.distributions instead.\nSee "
        "https://pytorch.org/docs/main/distributions.html\n\nInstead of:\n\nprobs = "
        "policy_network(state)\naction = probs.multinomial()\nnext_state, reward = "
        "env.step(action)\naction.reinforce(reward)\naction.backward()\n\nUse:\n\nprobs = "
        "policy_network(state)\n# NOTE: categorical is equivalent to what used to be called "
        "multinomial\nm = torch.distributions.Categorical(probs)\naction = m.sample()\nnext_state, "
        "reward = env.step(action)\nloss = -m.log_prob(action) * reward\nloss.backward()\n",
        """\
scores = torch.tensor([3., 5.], requires_grad=True)
action = scores.softmax(0).argmax()
action.reinforce(6.0)
""",
        """\
scores = torch.tensor([3., 5.], requires_grad=True)
p = scores.softmax(0)
action = p.argmax()
(-p[action].log() * 6.0).backward()
scores.grad
""",
        chapter=16,
        what="program.py:4, `action.reinforce(6.0)`, calls reinforce(), which has been gone since PyTorch "
             "0.3.",
        fixes=(("Write the loss yourself, with a minus: `-p[action].log() * reward`. Its descent makes a "
                "rewarded action more likely.", "none"),)),
    Case(
        "length", "The length of a single number",
        'TypeError: len() of a 0-d tensor',
        """\
x = torch.tensor(3.)
len(x)
""",
        """\
x = torch.tensor(3.)
x.numel()
""",
        what="program.py:3, `len(x)`, asks for the length of a tensor of shape (). A tensor with a single "
             "number has no dimensions, so it has no length.",
        fixes=(("Give it a dimension: `x.reshape(1)`.", "none: it shares the memory"),)),
    Case(
        "checkpoint", "A checkpoint with an unknown argument",
        'ValueError: Unexpected keyword arguments: speed',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=True, speed="high")
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False)
""",
        what="program.py:3, `torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentra…`, passes "
             "checkpoint() an argument that neither it nor the function has.",
        fixes=(("Leave out `speed`.", "none"),)),
    Case(
        "checkpoint-differs", "A checkpoint whose second run saves other tensors",
        "CheckpointError: torch.utils.checkpoint: A different number of tensors was saved during the "
        "original forward and recomputation.\nNumber of tensors saved during forward: 2\nNumber of "
        "tensors saved during recomputation: 1.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
once = [torch.cos]
y = torch.utils.checkpoint.checkpoint(
    lambda t: once.pop()(t.sin()) if once else t.sin(), x, use_reentrant=False)
y.sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = torch.utils.checkpoint.checkpoint(lambda t: t.sin().cos(), x, use_reentrant=False)
y.sum().backward()
x.grad
"""),
)
