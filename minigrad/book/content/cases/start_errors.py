"""Errors at the ends of a pass: what it starts from, and for what it is asked."""
from __future__ import annotations

from .case import Case

CASES = (
    Case(
        "no-grad-fn", "Nothing was recorded",
        'RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn',
        """\
x = torch.tensor([3., 5.])
loss = (x * x).sum()
loss.backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
loss = (x * x).sum()
loss.backward()
x.grad
""",
        chapter=2),
    Case(
        "no-grad-fn-detached", "The result was cut off from its graph",
        'RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
loss = y.detach().sum()
loss.backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
loss = y.sum()
loss.backward()
x.grad
""",
        chapter=7),
    Case(
        "no-grad-fn-twice", "A gradient whose own graph was not recorded",
        'RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn',
        """\
x = torch.tensor(2., requires_grad=True)
slope, = torch.autograd.grad(x ** 3, x)
slope.backward()
""",
        """\
x = torch.tensor(2., requires_grad=True)
slope, = torch.autograd.grad(x ** 3, x, create_graph=True)
slope.backward()
x.grad
""",
        chapter=13),
    Case(
        "not-scalar", "backward() on a tensor with more than one number",
        'RuntimeError: grad can be implicitly created only for scalar outputs',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.sum().backward()
x.grad
""",
        chapter=5),
    Case(
        "gradient-shape", "A gradient whose shape differs from that of the result",
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 1]) and "
        "output[0] has a shape of torch.Size([2]).",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.backward(torch.ones(2, 1))
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.backward(torch.ones(2))
x.grad
""",
        chapter=5),
    Case(
        "gradient-type", "A gradient that isn't a tensor",
        'TypeError: gradients can be either Tensors or None, but got float',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
torch.autograd.backward(y, [1.0])
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
torch.autograd.backward(y, [torch.full_like(y, 1.0)])
x.grad
""",
        chapter=5),
    Case(
        "gradient-count", "Fewer gradients than results",
        'RuntimeError: got 2 tensors and 1 gradients',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y, z = x * x, x + 4
torch.autograd.backward([y, z], [torch.ones(2)])
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y, z = x * x, x + 4
torch.autograd.backward([y, z], [torch.ones(2), torch.ones(2)])
x.grad
""",
        chapter=5,
        what="program.py:4, `torch.autograd.backward([y, z], [torch.ones(2)])`, starts at 2 tensors and "
             "passes 1 gradient to start from. Each tensor needs its own; None means 1 where a tensor "
             "has one number.",
        fixes=(("Pass a list with one entry for each tensor.", "none"),)),
    Case(
        "not-used", "The result does not depend on this tensor",
        "RuntimeError: The differentiated Tensor at index 0 appears to not have been used in the "
        "graph. Set allow_unused=True if this is the desired behavior.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, x[0])
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, x)[0][0]
"""),
    Case(
        "input-no-grad", "A gradient for a tensor that doesn't require one",
        'RuntimeError: One of the differentiated Tensors does not require grad',
        """\
x, c = torch.tensor([3., 5.], requires_grad=True), torch.tensor([4., 6.])
y = (x * c).sum()
torch.autograd.grad(y, [x, c])
""",
        """\
x, c = torch.tensor([3., 5.], requires_grad=True), torch.tensor([4., 6.])
y = (x * c).sum()
torch.autograd.grad(y, [x])
"""),
    Case(
        "no-inputs", "An empty list of inputs",
        'RuntimeError: `inputs` argument to `backward()` cannot be empty.',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = (x * x).sum()
y.backward(inputs=[])
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = (x * x).sum()
y.backward(inputs=[x])
x.grad
""",
        what="program.py:4, `y.backward(inputs=[])`, calls backward() with an empty list of inputs, so "
             "there is no gradient to compute.",
        fixes=(("Leave inputs out, to fill the .grad of all leaves; or name the tensors.", "none"),)),
    Case(
        "inputs-type", "Inputs that aren't tensors",
        'RuntimeError: all inputs have to be Tensors or GradientEdges, but got str',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, ["x"])
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, [x])
""",
        what="program.py:4, `torch.autograd.grad(y, [\"x\"])`, asks for the gradient with respect to a "
             "string. Gradients are computed with respect to tensors.",
        fixes=(("Pass a tensor, a list of tensors, or a dict of tensors.", "none"),)),
    Case(
        "materialize", "materialize_grads with allow_unused=False",
        "ValueError: Expected allow_unused to be True or not passed when materialize_grads=True, but "
        "got: allow_unused=False.",
        """\
x, z = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, [x, z], allow_unused=False, materialize_grads=True)
""",
        """\
x, z = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, [x, z], materialize_grads=True)
""",
        what="program.py:4, `torch.autograd.grad(y, [x, z], allow_unused=False, material…`, asks for zeros "
             "in place of None (materialize_grads=True), and forbids inputs that the result doesn't "
             "depend on (allow_unused=False). The first includes allow_unused=True.",
        fixes=(("Leave out allow_unused=False.",
                "the gradient of an unused input is zeros, also where that is a mistake"),)),
    Case(
        "retain-variables", "An argument from 2017",
        "TypeError: Tensor.backward() got an unexpected keyword argument 'retain_variables'",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
loss = (x * x).sum()
loss.backward(retain_variables=True)
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
loss = (x * x).sum()
loss.backward(retain_graph=True)
x.grad
""",
        chapter=6),
    Case(
        "grad-variables", "An argument given by both its names",
        "RuntimeError: `grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
        "`backward()`. Please only use `grad_tensors`.",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y, v = x * x, torch.ones(2)
torch.autograd.backward(y, grad_tensors=v, grad_variables=v)
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y, v = x * x, torch.ones(2)
torch.autograd.backward(y, grad_tensors=v)
x.grad
""",
        chapter=5,
        what="program.py:4, `torch.autograd.backward(y, grad_tensors=v, grad_variables=v)`, passes "
             "grad_tensors and its old name, grad_variables. The two are one argument.",
        fixes=(("Leave out grad_variables.", "none"),)),
)
