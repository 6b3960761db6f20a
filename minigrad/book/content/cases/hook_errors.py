"""Errors of hooks: on tensors, on nodes and on saved values."""
from __future__ import annotations

from .case import Case

CASES = (
    Case(
        "hook-no-grad", "A hook on a tensor that receives no gradient",
        "RuntimeError: cannot register a hook on a tensor that doesn't require gradient",
        """\
c = torch.tensor([3., 5.])
c.register_hook(print)
""",
        """\
c = torch.tensor([3., 5.], requires_grad=True)
c.register_hook(print)
c.sum().backward()
""",
        chapter=9),
    Case(
        "retain-grad", "retain_grad() on a tensor that receives no gradient",
        "RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
        """\
c = torch.tensor([3., 5.])
c.retain_grad()
""",
        """\
c = torch.tensor([3., 5.], requires_grad=True)
c.retain_grad()
""",
        chapter=9),
    Case(
        "hook-non-leaf", "A post-accumulate hook on a tensor that isn't a leaf",
        'RuntimeError: post accumulate grad hooks cannot be registered on non-leaf tensors',
        """\
y = torch.tensor([3., 5.], requires_grad=True) * 2
y.register_post_accumulate_grad_hook(print)
""",
        """\
y = torch.tensor([3., 5.], requires_grad=True) * 2
y.register_hook(print)
y.sum().backward()
""",
        chapter=9,
        what="program.py:3, `y.register_post_accumulate_grad_hook(print)`, registers a hook for the .grad "
             "of a tensor that an operation made. A backward pass fills the .grad of leaves only.",
        fixes=(("Use register_hook(), which receives the gradient itself.", "none"),)),
    Case(
        "hook-size", "A hook that changes the shape",
        "RuntimeError: hook '<lambda>' has changed the size of value",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.register_hook(lambda grad: grad[:1])
y.sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.register_hook(lambda grad: grad * 2)
y.sum().backward()
x.grad
""",
        chapter=9),
    Case(
        "hook-type", "A hook that returns something other than a tensor",
        "TypeError: expected Variable, but hook returned 'int'",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.register_hook(lambda grad: 3)
y.sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.register_hook(lambda grad: grad * 3)
y.sum().backward()
x.grad
""",
        chapter=9),
    Case(
        "hook-dtype", "A hook that changes the type",
        "RuntimeError: hook '<lambda>' has changed the type of value (was torch.FloatTensor got "
        "torch.DoubleTensor)",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.register_hook(lambda grad: grad.double())
y.sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.register_hook(lambda grad: grad.double().float())
y.sum().backward()
x.grad
""",
        chapter=9),
    Case(
        "hook-count", "A node's hook that returns too few gradients",
        "RuntimeError: hook '<lambda>' has returned an incorrect number of values (got 1, but expected 2)",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.grad_fn.register_hook(lambda ins, outs: ins[:1])
y.sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x * x
y.grad_fn.register_hook(lambda ins, outs: (ins[0] * 2, ins[1]))
y.sum().backward()
x.grad
""",
        chapter=9,
        what="program.py:5, `y.sum().backward()`, called the hook <lambda>, which returned 1 gradient; it "
             "received 2. What a hook returns replaces the gradient, so it must have the same type, shape "
             "and dtype.",
        fixes=(("Return as many gradients as the hook received.", "none"),
               ("Return nothing, and the gradient stays as it is.", "none"))),
    Case(
        "hook-tuple", "A node's hook that returns a tensor in place of a tuple",
        "TypeError: expected tuple, but hook returned 'Tensor'",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x.exp()
y.grad_fn.register_hook(lambda ins, outs: ins[0] * 2)
y.sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
y = x.exp()
y.grad_fn.register_hook(lambda ins, outs: (ins[0] * 2,))
y.sum().backward()
x.grad
""",
        chapter=9,
        what="program.py:5, `y.sum().backward()`, called a hook on a node, which returned a value of type "
             "Tensor; such a hook returns a tuple or None. What a hook returns replaces the gradient, so "
             "it must have the same type, shape and dtype.",
        fixes=(("Return a tuple of gradients, or nothing.", "none"),
               ("Return nothing, and the gradient stays as it is.", "none"))),
    Case(
        "hook-after", "A post-accumulate hook that returns a gradient",
        'RuntimeError: Tensor post accumulate grad hooks should return None.',
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad * 2)
(x * x).sum().backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, "grad", leaf.grad * 2))
(x * x).sum().backward()
x.grad
""",
        chapter=9,
        what="program.py:4, `(x * x).sum().backward()`, called a hook that returned something after .grad "
             "was filled. At that point there is no gradient left to replace.",
        fixes=(("Change `leaf.grad` inside the hook, and return nothing.", "none"),)),
    Case(
        "unpack-hook", "An unpack hook that doesn't return a tensor",
        "TypeError: Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
        "list",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda kept: kept):
    y = (x * x).sum()
y.backward()
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
    y = (x * x).sum()
y.backward()
x.grad
""",
        chapter=9,
        what="program.py:5, `y.backward()`, called an unpack hook that returned a value of type list. An "
             "unpack hook has to return the tensor that was packed.",
        fixes=(("Return a tensor.", "none"),)),
    Case(
        "pack-hook", "A pack hook that writes in place",
        "RuntimeError: A saved tensor pack hook is modifying its input in place. Tensors provided as "
        "input to pack hook cannot be modified by in-place operations as this can lead to unexpected "
        "side-effects. Please open an issue if you need to perform in-place operations on the input to "
        "a pack hook.",
        """\
x = torch.tensor([3., 5.], requires_grad=True) * 1
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda kept: kept):
    y = x * x
""",
        """\
x = torch.tensor([3., 5.], requires_grad=True) * 1
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul(2), lambda kept: kept / 2):
    y = x * x
y
""",
        chapter=9,
        what="program.py:4, `y = x * x`, called a pack hook that wrote to its input. The input is the "
             "program's own tensor.",
        fixes=(("Work on a copy: `x.clone()`.", "a copy of each saved tensor"),)),
    Case(
        "saved-hooks-twice", "Two pairs of hooks on one saved tensor",
        "RuntimeError: Calling register_hooks on a saved tensor whose hooks have already been set. "
        "Hint: only one pair of hooks is allowed at a time.",
        """\
y = torch.tensor([3., 5.], requires_grad=True).exp()
y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
""",
        """\
y = torch.tensor([3., 5.], requires_grad=True).exp()
y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
""",
        chapter=9,
        what="program.py:4, `y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lam…`, registers "
             "hooks on a saved tensor that has some. A saved tensor takes one pair of hooks, before its "
             "value is freed.",
        fixes=(("Register one pair of functions, before backward().", "none"),)),
    Case(
        "queue-callback", "A callback queued outside a backward pass",
        'RuntimeError: Final callbacks can only be installed during backward pass.',
        """\
engine = torch.autograd.Variable._execution_engine
engine.queue_callback(lambda: print("the pass is over"))
""",
        """\
engine = torch.autograd.Variable._execution_engine
x = torch.tensor([3., 5.], requires_grad=True)
x.register_hook(lambda grad: engine.queue_callback(lambda: print("the pass is over")))
x.sum().backward()
""",
        chapter=9,
        what="program.py:3, `engine.queue_callback(lambda: print(\"the pass is over\"))`, asks for a call "
             "at the end of the backward pass, and no pass is running. Such a callback can only be "
             "registered by a hook, during a pass.",
        fixes=(("Register it inside a hook, during backward().", "none"),)),
    Case(
        "saved-in-place", "A saved tensor that was cut off in place",
        "RuntimeError: Trying to use a saved tensor that has been detached in-place, i.e. with "
        ".detach_().This is not supported, please use out-of-place `.detach()` instead",
        """\
y = torch.tensor([3., 5.], requires_grad=True) * 2
z = (y * y).sum()
y.detach_()
z.backward(create_graph=True)
""",
        """\
y = torch.tensor([3., 5.], requires_grad=True) * 2
z = (y * y).sum()
d = y.detach()
z.backward()
d
""",
        chapter=8,
        what="program.py:5, `z.backward(create_graph=True)`, needs a saved tensor that detach_() removed "
             "from the graph. The gradient can't be recorded through it.",
        fixes=(("Use `x = x.detach()` in place of `x.detach_()`.", "none: it shares the memory"),)),
)
