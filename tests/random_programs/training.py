"""The table of training programs: few leaves of one shape, many passes, optimizers, and writes to
`.grad`.

Here two gradients are often the same numbers, so an engine that lets them be the same memory shows
it. The holes are those of statements.py.
"""
from .statements import Kind, WrittenKind, requires_grad

KINDS = {}       # name: Kind
SHAPES = ((3,), (2, 2), (), (1, 3))
ALGORITHMS = (
    "SGD([{0}], lr=0.1)", "SGD([{0}], lr=0.1, momentum=0.9)", "SGD([{0}], lr=0.1, momentum=0.9)",
    "SGD([{0}], lr=0.1, momentum=0.5, nesterov=True)", "SGD([{0}], lr=0.1, momentum=0.5, maximize=True)",
    "SGD([{0}], lr=0.1, momentum=0.9, dampening=0.5)", "SGD([{0}], lr=0.1, weight_decay=0.1)",
    "Adam([{0}], lr=0.1)", "Adam([{0}], lr=0.1, amsgrad=True)", "AdamW([{0}], lr=0.1)",
    "RMSprop([{0}], lr=0.1, momentum=0.5)", "RMSprop([{0}], lr=0.1)", "Adagrad([{0}], lr=0.1)")


def start(w):
    """Return the first statements: three leaves of one shape that require a gradient, and a tensor
    that does not."""
    shape = w.one_of(SHAPES)
    leaves = [w.literal(shape, grad=number < 3) for number in range(4)]
    return [["leaf", f"{w.keep(x)} = {x}"] for x in leaves]


def kind(name, weight, rows, wanted=None):
    Kind(name, weight, rows, wanted, kinds=KINDS)


def optimizer(w):
    """Make an optimizer of one to three leaves."""
    leaves = w.some([t.src for t in w.tensors if t.leaf and t.grad], 3)
    w.optimizers.append(w.name("o"))
    return f"{w.optimizers[-1]} = torch.optim.{w.one_of(ALGORITHMS)}".format(", ".join(leaves))


kind("operation", 8, """
    {new} = {x} + {z}   {new} = {x} - {z}   {new} = {x} + {y}   {new} = {x} + {z} + {x}
    {new} = -{x}   {new} = {x} * 1   {new} = {x} * {z}   {new} = {x}.clone()   {new} = {x}.view_as({z})
    {new} = {x}[...]   {new} = {x}.reshape({x}.shape)   {new} = {x}.contiguous()
    {new} = {x}.double().float()   {new} = {x}.expand_as({z})   {new} = {x}.relu()
    {new} = torch.where({x} > 0, {x}, {z})   {new} = torch.maximum({x}, {z})
    {new} = torch.stack([{x}, {z}]).sum(0)   {new} = torch.cat([{x}[None], {z}[None]])[0]
    """, requires_grad)
kind("pass", 12, """
    ({x} + {z}).sum().backward()   (({x} + {z}) * 2).sum().backward()   ({x} - {z}).mean().backward()
    {x}.sum().backward()   ({x} * {x}).sum().backward()   ({x} + {x}).sum().backward()
    ({x} + {z}).tanh().sum().backward()   ({x} + {z}).exp().mean().backward()
    ({x} - {z}).square().sum().backward()   (({x} + {z}) * {x}).sum().backward()
    (({x} + {z} + {y}) * 2).sum().backward()   ({x}[...] + {z}).sigmoid().sum().backward()
    ({x} * {z}).sum().backward(retain_graph=True)   ({x} + {y}).sum().backward()
    ({x} + {z}).backward(torch.ones_like({x}) * 3)   torch.stack([{x}, {z}, {x}]).sum().backward()
    torch.cat([{x}[None], {z}[None]]).pow(2).sum().backward()
    torch.autograd.backward([{x}.sum(), ({x} + {z}).sum()])
    (({x} + {z}) * 2).sum().backward(inputs=[{leaf}])
    (({x} + {z}) * {x}).sum().backward(create_graph=True)   ({x}[...] + {z}).view(-1).sum().backward()
    {x}.expand(2, *{x}.shape).sum().backward()   (({x} + {z}) * 2).norm().backward()
    """, requires_grad)
WrittenKind("optimizer", 3, optimizer, kinds=KINDS)
kind("step", 8, """
    {old_optimizer}.step()   {old_optimizer}.step()   {old_optimizer}.zero_grad()
    {old_optimizer}.zero_grad(set_to_none=False)   {old_optimizer}.zero_grad(set_to_none=False)
    {old_optimizer}.load_state_dict({old_optimizer}.state_dict())
    """)
kind("write a gradient", 4, """
    {leaf}.grad.zero_()   {leaf}.grad.add_(1)   {leaf}.grad *= 2   {leaf}.grad[...] = 0.5
    {leaf}.grad = None   {leaf}.grad = torch.ones_like({leaf})   {leaf}.grad = {x}.detach()
    {leaf}.grad = {leaf}.grad.clone()   torch.nn.utils.clip_grad_norm_([{several}], 1.0)
    torch.nn.utils.clip_grad_value_([{several}], 0.5)
    """)
kind("take a gradient", 2, """
    {new} = {leaf}.grad.detach()   {new} = {leaf}.grad.view({x}.shape)   {new} = {leaf}.grad.clone()
    {new} = {leaf}.grad   {new} = torch.autograd.grad(({x} + {z}).sum(), {x})[0]
    """, requires_grad)
kind("write", 2, """
    {x}.data.mul_(0.5)   {leaf}.data.sub_(0.1)   {new} = {x}.detach().add_(1)
    """)
kind("write without recording", 2, """
    with torch.no_grad():
        {leaf}.add_(0.5)

    with torch.no_grad():
        {leaf} -= 0.1 * {leaf}.grad
    """)
kind("hook", 2, """
    {x}.register_hook(lambda g: g)   {x}.register_hook(lambda g: g * 2)   {x}.retain_grad()
    {leaf}.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.tolist()))
    """, requires_grad)
kind("function", 1, """
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b
        @staticmethod
        def backward(ctx, g):
            return g, g
    Both.apply({x}, {z}).square().sum().backward()

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a.view_as(a)
        @staticmethod
        def backward(ctx, g):
            return g
    {new} = Same.apply({x}) + {z}
    """, requires_grad)
