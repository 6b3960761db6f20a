"""Errors of custom Functions."""
from __future__ import annotations

from .case import Case

CASES = (
    Case(
        "function-count", "A backward that returns too few gradients",
        "RuntimeError: function HalfBackward returned an incorrect number of gradients (expected 2, "
        "got 1)",
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * 0.5

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
""",
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (grad * 0.5, None)

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
x.grad
"""),
    Case(
        "function-shape", "A backward that returns a gradient of the wrong shape",
        "RuntimeError: Function HalfBackward returned an invalid gradient at index 0 - got [3] but "
        "expected shape compatible with [2]",
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (torch.ones(3), None)

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
""",
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (grad * 0.5, None)

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
x.grad
"""),
    Case(
        "function-constant", "A backward that returns a gradient for a number",
        "RuntimeError: function HalfBackward returned a gradient different than None at position 2, "
        "but the corresponding forward input was not a Variable",
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (grad * 0.5, grad)

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
""",
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (grad * 0.5, None)

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
x.grad
"""),
    Case(
        "function-type", "A backward that returns a number",
        'RuntimeError: expected Variable or None (got float)',
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (0.5, None)

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
""",
        """\
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return (grad * 0.5, None)

x = torch.tensor([3., 5.], requires_grad=True)
y = Half.apply(x, 0.5).sum()
y.backward()
x.grad
"""),
    Case(
        "function-no-backward", "A Function without a backward",
        "NotImplementedError: You must implement either the backward or vjp method for your custom "
        "autograd.Function to use it with backward mode AD.",
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

x = torch.tensor([3., 5.], requires_grad=True)
y = Twice.apply(x).sum()
y.backward()
""",
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

x = torch.tensor([3., 5.], requires_grad=True)
y = Twice.apply(x).sum()
y.backward()
x.grad
"""),
    Case(
        "function-no-forward", "A Function without a forward",
        'NotImplementedError: You must implement the forward function for custom autograd.Function.',
        """\
class Nothing(torch.autograd.Function): pass
Nothing.apply(torch.ones(2))
""",
        """\
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
Nothing.apply(torch.ones(2))
""",
        what="program.py:3, `Nothing.apply(torch.ones(2))`, calls a Function without a forward. It has "
             "nothing to compute.",
        fixes=(("Write its `@staticmethod def forward(ctx, x)`.", "none"),)),
    Case(
        "function-old-style", "A Function in the style of before 2018",
        "RuntimeError: Legacy autograd function with non-static forward method is deprecated. Please "
        "use new-style autograd function with static forward method. (Example: "
        "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)",
        """\
class Twice(torch.autograd.Function):
    def forward(self, x):
        return x * 2

Twice()(torch.ones(2))
""",
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

Twice.apply(torch.ones(2))
""",
        what="program.py:6, `Twice()(torch.ones(2))`, makes an object of a Function. A Function is never "
             "instantiated: its two methods are static.",
        fixes=(("Call `Twice.apply(x)`, with `@staticmethod` before forward and backward.", "none"),)),
    Case(
        "function-saves-number", "save_for_backward() with a number",
        'TypeError: save_for_backward can only save variables, but argument 1 is of type float',
        """\
class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

x = torch.tensor([3., 5.], requires_grad=True)
Times.apply(x, 0.5)
""",
        """\
class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

x = torch.tensor([3., 5.], requires_grad=True)
Times.apply(x, 0.5)
""",
        what="program.py:9, `Times.apply(x, 0.5)`, runs a forward that passes save_for_backward a value of "
             "type float as argument 1. save_for_backward keeps tensors only, with their versions.",
        fixes=(("Store the value on ctx: `ctx.factor = factor`.", "none"),)),
    Case(
        "function-dirty", "A Function that doesn't return the tensor it wrote to",
        "RuntimeError: Some elements marked as dirty during the forward method were not returned as "
        "output. The inputs that are modified inplace must all be outputs of the Function.",
        """\
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x += 1
        return x * 2

Write.apply(torch.tensor([3., 5.], requires_grad=True) * 1)
""",
        """\
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x += 1
        return x

Write.apply(torch.tensor([3., 5.], requires_grad=True) * 1)
""",
        what="program.py:9, `Write.apply(torch.tensor([3., 5.], requires_grad=True) * 1)`, runs a forward "
             "that wrote to an input and did not return it. The new value of this input would have no "
             "history.",
        fixes=(("Return every tensor that mark_dirty() names.", "none"),)),
    Case(
        "function-once", "A second derivative of a once_differentiable Function",
        'RuntimeError: trying to differentiate twice a function that was marked with @once_differentiable',
        """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad

x = torch.tensor(3., requires_grad=True)
slope, = torch.autograd.grad(Square.apply(x) ** 2, x, create_graph=True)
slope.backward()
""",
        """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad

x = torch.tensor(3., requires_grad=True)
slope, = torch.autograd.grad(Square.apply(x) ** 2, x, create_graph=True)
slope.backward()
x.grad
""",
        chapter=12,
        what="program.py:15, `slope.backward()`, differentiates a gradient that was computed by a Function "
             "marked @once_differentiable. The operations in its backward are not recorded.",
        fixes=(("Write its backward with tensor operations, and remove the mark.",
                "the backward pass is recorded under create_graph=True"),)),
    Case(
        "function-arguments", "Too many arguments for forward",
        'TypeError: Twice.forward() takes 2 positional arguments but 3 were given',
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

Twice.apply(torch.ones(2), 0.5)
""",
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

Twice.apply(torch.ones(2))
""",
        what="program.py:7, `Twice.apply(torch.ones(2), 0.5)`, calls apply() with two arguments, and "
             "forward takes only one after ctx. apply() passes all its arguments on to forward.",
        fixes=(("Call it with the arguments of its forward: `Twice.apply(torch.ones(2))`.", "none"),)),
    Case(
        "function-two-names", "Both a backward and a vjp",
        "RuntimeError: Implementing both 'backward' and 'vjp' for a custom Function is not allowed. "
        "You should only implement one of them.",
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
    vjp = backward

x = torch.ones(2, requires_grad=True)
Twice.apply(x).sum().backward()
""",
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

x = torch.ones(2, requires_grad=True)
Twice.apply(x).sum().backward()
x.grad
""",
        what="program.py:13, `Twice.apply(x).sum().backward()`, runs a Function that has both backward and "
             "vjp. They are two names of the same method.",
        fixes=(("Keep one of them.", "none"),)),
    Case(
        "function-mark", "mark_non_differentiable() with a number",
        'RuntimeError: mark_non_differentiable only accepts variable arguments, but got ',
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(2.0)
        return x * 2

x = torch.tensor([3., 5.], requires_grad=True)
Twice.apply(x)
""",
        """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = (x > 4)
        ctx.mark_non_differentiable(y)
        return y

x = torch.tensor([3., 5.], requires_grad=True)
Twice.apply(x)
""",
        what="program.py:9, `Twice.apply(x)`, runs a forward that marks a value that is not a tensor. "
             "mark_non_differentiable() and mark_dirty() take tensors of that forward.",
        fixes=(("Pass them inputs or results of this forward.", "none"),)),
)
