"""Programs that end in an error of autograd, what `explain` must see in each, and the same programs mended.

A mended program is one of the fixes that the explanation offers, applied; the second argument of `mended` and
of `edited` is a part of that fix's words. Where the fix has a price in bytes, the mended program returns the
bytes it took.
"""
from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

PROGRAMS: dict[str, Program] = {}


@dataclass
class Program:
    cause: str
    run: Callable
    guilty: str = ""  # the operation or variable that is marked
    says: tuple[str, ...] = ()
    line: str = ""  # a comment in the line that minigrad must name
    mended: dict[str, Callable] = field(default_factory=dict)


def broken(cause, **facts):
    def enter(run):
        PROGRAMS[run.__name__] = Program(cause, run, **facts)
        return run
    return enter


def mended(program, words):
    def enter(run):
        assert words not in PROGRAMS[program.__name__].mended
        PROGRAMS[program.__name__].mended[words] = run
        return run
    return enter


def edited(program, words, edits, then=""):
    """Enter the program with other lines, {line: what is written in its place}, and one more at its end."""
    source = inspect.getsource(program)
    lines, found = [], []
    for line in source[re.search("^def ", source, re.MULTILINE).start():].splitlines():
        code = line.partition("  # ")[0].strip()
        if code in edits:
            found.append(code)
            line = textwrap.indent(edits[code], line[:len(line) - len(line.lstrip())])
        lines.append(line)
    assert sorted(found) == sorted(edits), f"{program.__name__} has each of these lines once: {list(edits)}"
    text, scope = "\n".join([*lines, f"    {then}"]), {}
    exec(compile(text, f"<{program.__name__}, mended>", "exec"), program.__globals__, scope)
    mended(program, words)(scope[program.__name__])


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def size(tensor):
    return tensor.element_size() * tensor.numel()


# --- freed

@broken("freed", guilty="MulBackward0", says=("loss.backward()", "`self`", "`other`", "which made y"),
        line="first")
def twice(torch):
    x = leaf(torch)
    y = x * x
    loss = y.sum()
    loss.backward()  # first
    loss.backward()


@mended(twice, "compute y anew")
def _(torch):
    x = leaf(torch)
    for _ in range(2):
        y = x * x
        loss = y.sum()
        loss.backward()
    assert x.grad.tolist() == [4, 8]


@mended(twice, "retain_graph=True")
def _(torch):
    x = leaf(torch)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad.tolist() == [4, 8]


@broken("freed", guilty="MulBackward0", says=("`y.backward(); y.backward()",), line="both")
def twice_in_one_line(torch):
    x = leaf(torch, 2.0)
    y = (x * x).sum()
    y.backward(); y.backward()  # noqa: E702  # both


for words in "compute y anew", "retain_graph=True":
    mended(twice_in_one_line, words)(PROGRAMS["twice"].mended[words])


@mended(twice_in_one_line, "Add the results up")
def _(torch):
    x = leaf(torch)
    loss = (x * x).sum()
    (loss + loss).backward()
    assert x.grad.tolist() == [4, 8]


@broken("freed", guilty="ExpBackward0", says=("which made h",), line="trunk")
def shared_trunk(torch):
    x = leaf(torch)
    h = x.exp()
    one, two = (h * 2).sum(), (h * h).sum()
    one.backward()  # trunk
    two.backward()


edited(shared_trunk, "compute h anew", {
    "h = x.exp()": "(x.exp() * 2).sum().backward()\nh = x.exp()",
    "one, two = (h * 2).sum(), (h * h).sum()": "(h * h).sum().backward()", "one.backward()": "",
    "two.backward()": ""})
edited(shared_trunk, "Add the results up", {"one.backward()": "(one + two).backward()", "two.backward()": ""})
edited(shared_trunk, "retain_graph=True", {"one.backward()": "one.backward(retain_graph=True)"})


@broken("freed", guilty="ExpBackward0", says=("asked for a value",), line="used up")
def asked_for_freed(torch):
    x = leaf(torch)
    y = x.exp()
    y.sum().backward()  # used up
    y.grad_fn._saved_result


edited(asked_for_freed, "before backward()", {
    "y.sum().backward()": "y.grad_fn._saved_result\ny.sum().backward()", "y.grad_fn._saved_result": ""})
edited(asked_for_freed, "retain_graph=True", {"y.sum().backward()": "y.sum().backward(retain_graph=True)"})


# --- modified

@broken("modified", guilty="ExpBackward0", says=("saved y as `result` at version 0", "version 1", "`y += 1"),
        line="here it is")
def result_overwritten(torch):
    x = leaf(torch)
    y = x.exp()
    loss = y.sum()
    y += 1  # here it is
    loss.backward()


edited(result_overwritten, "out of place", {"y += 1": "y = y + 1"}, "return size(y)")
edited(result_overwritten, "`y = y.clone()`", {"y += 1": "y = y.clone()\ny += 1"}, "return size(y)")
edited(result_overwritten, "after the backward pass", {
    "y += 1": "", "loss.backward()": "loss.backward()\nwith torch.no_grad():\n    y += 1"})


@broken("modified", guilty="PowBackward0", says=("`self`", "2 times", "h[0] = 3.0"), line="second write")
def input_overwritten(torch):
    x = torch.ones(3, 2, dtype=torch.float64, requires_grad=True)
    h = x * 2
    loss = (h ** 2).sum()
    h.mul_(2)
    h[0] = 3.0  # second write
    loss.backward()


edited(input_overwritten, "`h = h.clone()`", {"h.mul_(2)": "h = h.clone()\nh.mul_(2)"}, "return size(h)")
edited(input_overwritten, "after the backward pass", {
    "h.mul_(2)": "loss.backward()\nh.mul_(2)", "h[0] = 3.0": "", "loss.backward()": ""})


@broken("modified", guilty="MulBackward0", says=("saved w as `self` and `other`", "opt.step()"),
        line="between")
def step_between(torch):
    w = leaf(torch)
    opt = torch.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    opt.step()  # between
    loss.backward()


edited(step_between, "Run every backward()", {
    "opt.step()": "loss.backward()\nopt.step()", "loss.backward()": ""})
edited(step_between, "Compute loss anew", {
    "loss = (w * w).sum()":
        "for _ in range(2):\n    loss = (w * w).sum()\n    loss.backward()\n    opt.step()",
    "loss.backward(retain_graph=True)": "", "opt.step()": "", "loss.backward()": ""})


# --- roots

@broken("no history", guilty="loss",
        says=("starts at loss", "y went into loss through detach()", "train nothing"))
def detached(torch):
    x = leaf(torch)
    y = x * 2
    loss = y.detach().sum()
    loss.backward()


edited(detached, "without detach()", {
    "loss = y.detach().sum()": "loss = y.sum()"}, "assert x.grad.tolist() == [2, 2]")


@broken("no history", guilty="loss", says=("x went into loss under no_grad",))
def under_no_grad(torch):
    x = leaf(torch)
    with torch.no_grad():
        loss = (x * 2).sum()
    loss.backward()


edited(under_no_grad, "out of no_grad", {
    "with torch.no_grad():": "loss = (x * 2).sum()",
    "loss = (x * 2).sum()": ""}, "assert x.grad.tolist() == [2, 2]")


@broken("no history", guilty="loss", says=("None of the variables here",))
def no_leaf(torch):
    x = torch.tensor([1.0, 2.0])
    loss = (x * 2).sum()
    loss.backward()


edited(no_leaf, "requires_grad=True", {
    "x = torch.tensor([1.0, 2.0])": "x = torch.tensor([1.0, 2.0], requires_grad=True)"},
    "assert x.grad is not None")


@broken("no history", guilty="total", says=("total was computed from k, and it requires no gradient.",))
def no_leaf_beside_another(torch):
    """A leaf that took no part in the result is not blamed."""
    a = leaf(torch)
    (a * 3).sum().backward()
    k = torch.tensor([1.0, 2.0])
    total = k.sum()
    total.backward()


mended(no_leaf_beside_another, "requires_grad=True")(PROGRAMS["no_leaf"].mended["requires_grad=True"])


@broken("not a scalar", says=("has 2 numbers",))
def not_scalar_and_nameless(torch):
    x = leaf(torch)
    (x * x).backward()


@broken("not a scalar", guilty="y", says=("has 2 numbers", "(2,)"))
def not_scalar(torch):
    x = leaf(torch)
    y = x * 2
    y.backward()


edited(not_scalar, "`y.sum()`", {
    "y = x * 2": "(x * 2).sum().backward()", "y.backward()": ""}, "assert x.grad.tolist() == [2, 2]")
edited(not_scalar_and_nameless, "`(x * x).sum()`", {
    "(x * x).backward()": "(x * x).sum().backward()"}, "assert x.grad.tolist() == [2, 4]")
edited(not_scalar_and_nameless, "`(x * x).mean()`", {
    "(x * x).backward()": "(x * x).mean().backward()"}, "assert x.grad.tolist() == [1, 2]")
edited(not_scalar_and_nameless, "torch.ones_like((x * x))", {
    "(x * x).backward()": "y = x * x\nones = torch.ones_like(y)\ny.backward(gradient=ones)"},
    "assert x.grad.tolist() == [2, 4]; return size(ones)")
edited(not_scalar, "`y.mean()`", {
    "y = x * 2": "(x * 2).mean().backward()", "y.backward()": ""}, "assert x.grad.tolist() == [1, 1]")
edited(not_scalar, "torch.ones_like(y)", {
    "y.backward()": "ones = torch.ones_like(y)\ny.backward(gradient=ones)"},
    "assert x.grad.tolist() == [2, 2]; return size(ones)")


@broken("gradient of another shape", guilty="y", says=("[2, 1]", "[2]"))
def gradient_of_another_shape(torch):
    x = leaf(torch)
    y = x * 2
    y.backward(torch.ones(2, 1))


edited(gradient_of_another_shape, "`torch.ones_like(y)`", {
    "y.backward(torch.ones(2, 1))": "y.backward(torch.ones_like(y))"})
edited(gradient_of_another_shape, "`gradient.reshape(y.shape)`", {
    "y.backward(torch.ones(2, 1))": "y.backward(torch.ones(2, 1).reshape(y.shape))"})


@broken("gradient of a wrong type", says=("type float", "shape of y"))
def gradient_of_a_wrong_type(torch):
    x = leaf(torch)
    y = x * 2
    torch.autograd.backward(y, [1.0])


edited(gradient_of_a_wrong_type, "`torch.full_like(y, ...)`", {
    "torch.autograd.backward(y, [1.0])": "torch.autograd.backward(y, [torch.full_like(y, 1.0)])"})


@broken("not used", guilty="SelectBackward0", says=("`x[0]`", "a view of x"))
def not_used(torch):
    x = leaf(torch)
    y = (x * 2).sum()
    torch.autograd.grad(y, x[0])


edited(not_used, "Ask for x", {
    "torch.autograd.grad(y, x[0])": ""}, "assert torch.autograd.grad(y, x)[0][0].item() == 2")
edited(not_used, "Store `x[0]` in a variable", {
    "y = (x * 2).sum()": "first = x[0]\ny = (first * 2).sum()",
    "torch.autograd.grad(y, x[0])": ""}, "assert torch.autograd.grad(y, first)[0].item() == 2")
edited(not_used, "allow_unused=True", {
    "torch.autograd.grad(y, x[0])": ""}, "assert torch.autograd.grad(y, x[0], allow_unused=True) == (None,)")
edited(not_used, "materialize_grads=True", {
    "torch.autograd.grad(y, x[0])": "found, = torch.autograd.grad(y, x[0], materialize_grads=True)"},
    "assert found.item() == 0; return size(found)")


@broken("input without gradient", guilty="c", says=("with respect to c",))
def input_without_gradient(torch):
    x, c = leaf(torch), torch.tensor([3.0, 4.0])
    y = (x * c).sum()
    torch.autograd.grad(y, [x, c])


edited(input_without_gradient, "`c.requires_grad_()`", {
    "x, c = leaf(torch), torch.tensor([3.0, 4.0])":
    "x, c = leaf(torch), torch.tensor([3.0, 4.0]).requires_grad_()",
    "torch.autograd.grad(y, [x, c])": "found = torch.autograd.grad(y, [x, c])"},
    "assert [one.tolist() for one in found] == [[3, 4], [1, 2]]")
edited(input_without_gradient, "Leave c out", {
    "torch.autograd.grad(y, [x, c])": ""}, "assert torch.autograd.grad(y, [x])[0].tolist() == [3, 4]")


@broken("nan", guilty="SqrtBackward0", says=("which made r", "input 0"))
def nan(torch):
    x = leaf(torch, 0.0, 4.0)
    with torch.autograd.set_detect_anomaly(True):
        r = x.sqrt()
        y = torch.where(x > 0, r, 0.0 * r).sum()
        y.backward()


edited(nan, "torch.where(ok, x, 1)", {
    "r = x.sqrt()": "ok = x > 0\nr = torch.where(ok, x, 1.0).sqrt()\ny = torch.where(ok, r, 0.0 * r).sum()",
    "y = torch.where(x > 0, r, 0.0 * r).sum()": ""})
edited(nan, "x.clamp(min=1e-12)", {
    "r = x.sqrt()": "r = x.clamp(min=1e-12).sqrt()"}, "assert x.grad.tolist() == [0.0, 0.25]")


# --- writes

@broken("leaf written", guilty="x", says=("`x += 1`", "to x, a leaf", "nothing was written"))
def leaf_written(torch):
    x = leaf(torch)
    x += 1


edited(leaf_written, "torch.no_grad()", {
    "x += 1": "with torch.no_grad():\n    x += 1\n(x * x).sum().backward()"},
    "assert x.grad.tolist() == [4, 6]")  # at the new value
edited(leaf_written, "`copy = x.clone()`", {
    "x += 1": "copy = x.clone()\ncopy += 1\n(copy * copy).sum().backward()"},
    "assert x.grad.tolist() == [4, 6]; return size(copy)")


@broken("view of a leaf written", guilty="x", says=("a part of x, a leaf",))
def view_of_a_leaf_written(torch):
    x = leaf(torch)
    v = x[:1]
    v.mul_(3)


edited(view_of_a_leaf_written, "torch.no_grad()", {
    "v.mul_(3)": "with torch.no_grad():\n    v.mul_(3)\n(x * x).sum().backward()"},
    "assert x.grad.tolist() == [6, 4]")
edited(view_of_a_leaf_written, "`copy = x.clone()`", {
    "v = x[:1]": "copy = x.clone()", "v.mul_(3)": "copy[:1].mul_(3)\n(copy * copy).sum().backward()"},
    "assert x.grad.tolist() == [18, 4]; return size(copy)")  # of 9 x ** 2


@broken("one of several views written", guilty="row", says=("row, output 0 of Unbind",))
def one_of_several_views(torch):
    x = torch.ones(2, 3, requires_grad=True)
    t = (x * 2).relu()  # which saves t
    for row in t:
        row += 1


for words, joined in (
        ("torch.stack([row + 1 for row in t])", "t = torch.stack([row + 1 for row in t])"),
        ("torch.cat()", "t = torch.cat([part + 1 for part in t.split(1)])"),
        ("`t = t.clone()`", "t = t.clone()\nfor i in range(2): t[i] += 1")):
    edited(one_of_several_views, words, {"for row in t:": joined, "row += 1": ""},
           "(t ** 2).sum().backward(); assert x.grad.tolist() == [[12] * 3] * 2")  # of (2 x + 1) ** 2


@broken("one of several views written", says=("uses p, output 0 of Unbind", "after p was taken"))
def base_of_several_views(torch):
    w = leaf(torch)
    p, q = w
    with torch.no_grad():
        w -= 0.1
    return w * p + q


edited(base_of_several_views, "Take the views again", {"return w * p + q": "p, q = w\n(p * q).backward()"})
edited(base_of_several_views, "by index: `t[0]`", {
    "p, q = w": "p = w[0]", "return w * p + q": "(p * w).sum().backward()"})


@broken("view taken in another mode", says=("inside no_grad", "v"))
def view_of_another_mode(torch):
    x = leaf(torch)
    y = x * 2
    with torch.no_grad():
        v = y[:1]
    v.mul_(3)


edited(view_of_another_mode, "Take the view outside no_grad", {"with torch.no_grad():": "if True:"},
       "(y ** 2).sum().backward(); assert x.grad.tolist() == [72, 16]")  # of (6 x) ** 2 and (2 x) ** 2
edited(view_of_another_mode, "Write inside no_grad", {"v = y[:1]": "v = y[:1]\nv.mul_(3)", "v.mul_(3)": ""},
       # 2 * 6 * 2: the write is a new value, and isn't differentiated
       "(y ** 2).sum().backward(); assert x.grad.tolist() == [24, 16]")


@broken("view from a custom Function written", says=("writes in place to y",))
def view_of_a_function(torch):
    class View(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:2]

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = leaf(torch) * 1
    y = View.apply(x)
    y.mul_(2)


edited(view_of_a_function, "`y = y.clone()`", {
    "x = leaf(torch) * 1": "start = leaf(torch)\nx = start * 1", "y.mul_(2)": "y = y.clone()\ny.mul_(2)"},
    "(y ** 2).sum().backward(); assert start.grad.tolist() == [8, 16]; return size(y)")


@broken("memory that overlaps itself", says=("writes to e",))
def overlap(torch):
    e = torch.tensor([1.0]).expand(3)
    e.mul_(2)


edited(overlap, "`e = e.clone()`", {"e.mul_(2)": "e = e.clone()\ne.mul_(2)"}, "return size(e)")


@broken("inference tensor saved", guilty="i", says=("needs i",))
def inference_saved(torch):
    x = leaf(torch)
    with torch.inference_mode():
        i = torch.ones(2)
    y = x * i
    return y


edited(inference_saved, "`i.clone()`", {
    "y = x * i": "copy = i.clone()\n(x * copy).sum().backward()", "return y": ""}, "return size(copy)")
edited(inference_saved, "no_grad()", {
    "with torch.inference_mode():": "with torch.no_grad():", "y = x * i": "(x * i).sum().backward()",
    "return y": ""})


@broken("inference tensor written", says=("to i",))
def inference_written(torch):
    with torch.inference_mode():
        i = torch.ones(2)
    i += 1


edited(inference_written, "`i = i.clone()`", {"i += 1": "i = i.clone()\ni += 1"}, "return size(i)")
edited(inference_written, "Write inside", {"i += 1": "    i += 1"})


# --- leaves and their gradients

@broken("integers require no gradient", says=("n.requires_grad_()", "whole numbers"))
def integers(torch):
    n = torch.tensor([1, 2])
    n.requires_grad_()


edited(integers, "`.float()`", {"n.requires_grad_()": "n.float().requires_grad_()"})
edited(integers, "`1.0`", {"n = torch.tensor([1, 2])": "n = torch.tensor([1.0, 2.0])"})


@broken("flag of a computed tensor", guilty="y", says=("which MulBackward0", "y"))
def flag(torch):
    y = leaf(torch) * 2
    y.requires_grad = False


edited(flag, "`y.detach()`", {"y.requires_grad = False": ""}, "assert not y.detach().requires_grad")


@broken("no hook without gradient", guilty="c", says=("gradient of c",))
def no_hook(torch):
    c = torch.tensor([1.0])
    c.register_hook(print)


edited(no_hook, "require a gradient", {
    "c = torch.tensor([1.0])": "c = torch.tensor([1.0], requires_grad=True)"})


@broken("numpy", guilty="x", says=("a NumPy array of x",))
def numpy(torch):
    x = leaf(torch)
    x.numpy()


edited(numpy, "`x.detach().numpy()`", {"x = leaf(torch)": "leaf(torch).detach().numpy()", "x.numpy()": ""})
edited(numpy, "own operations", {"x = leaf(torch)": "leaf(torch).exp().sum()", "x.numpy()": ""})


@broken("a missing gradient was used", guilty="y", says=("y.grad, which is None", "MulBackward0 made it"))
def gradient_of_a_result(torch):
    x = leaf(torch)
    y = x * 2
    y.sum().backward()
    y.grad.zero_()


edited(gradient_of_a_result, "`y.retain_grad()`", {
    "y.sum().backward()": "y.retain_grad()\ny.sum().backward()"})
edited(gradient_of_a_result, "Make y a leaf", {
    "x = leaf(torch)": "y = (leaf(torch) * 2).detach().requires_grad_()", "y = x * 2": ""})


@broken("a missing gradient was used", guilty="w", says=("w.grad, which is None", "no pass has gone"))
def zeroed_too_early(torch):
    w = leaf(torch)
    loss = (w * w).sum()
    w.grad.zero_()
    return loss


edited(zeroed_too_early, "Ask first", {
    "w.grad.zero_()": "if w.grad is not None:\n    w.grad.zero_()\nloss.backward()", "return loss": ""})
edited(zeroed_too_early, "= None` instead", {
    "w.grad.zero_()": "w.grad = None\nloss.backward()", "return loss": ""})


@broken("a missing gradient was used", guilty="w", says=("w.grad, which is None", "no longer the leaf"))
def stepped_by_a_gradient_that_has_a_name(torch):
    w = leaf(torch)
    for _ in range(2):
        (w * w).sum().backward()
        step = w.grad
        w = w - 0.1 * step


edited(stepped_by_a_gradient_that_has_a_name, "in place, so that it stays a leaf", {
    "w = w - 0.1 * step": "with torch.no_grad():\n    w -= 0.1 * step\nw.grad = None"})


@broken("a missing gradient was used", guilty="w", says=("w.grad, which is None", "no pass has gone"))
def stepped_before_any_pass(torch):
    w = leaf(torch)
    for _ in range(2):
        loss = (w * w).sum()
        w = (w - 0.1 * w.grad).detach().requires_grad_()
    return loss


edited(stepped_before_any_pass, "Call backward() on loss first", {
    "w = (w - 0.1 * w.grad).detach().requires_grad_()":
        "loss.backward()\nw = (w - 0.1 * w.grad).detach().requires_grad_()", "return loss": ""})


# --- functions and hooks

def function(torch, gradients):
    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return gradients(grad)
    return Half


@broken("wrong number of gradients", guilty="HalfBackward",
        says=("Function Half", "1 gradient for 2 arguments"))
def number_of_gradients(torch):
    x = leaf(torch)
    y = function(torch, lambda grad: grad / 2).apply(x, 0.5)
    y.sum().backward()


edited(number_of_gradients, "None for each argument", {
    "y = function(torch, lambda grad: grad / 2).apply(x, 0.5)":
        "y = function(torch, lambda grad: (grad / 2, None)).apply(x, 0.5)"})


@broken("gradient of a wrong shape", guilty="HalfBackward", says=("[3]", "[2]"))
def shape_of_gradient(torch):
    x = leaf(torch)
    y = function(torch, lambda grad: (torch.ones(3), None)).apply(x, 0.5)
    y.sum().backward()


edited(shape_of_gradient, "Return a gradient of shape", {
    "y = function(torch, lambda grad: (torch.ones(3), None)).apply(x, 0.5)":
        "y = function(torch, lambda grad: (grad, None)).apply(x, 0.5)"})


@broken("gradient for what is no tensor", guilty="HalfBackward", says=("argument 2", "Half"))
def gradient_of_constant(torch):
    x = leaf(torch)
    y = function(torch, lambda grad: (grad, grad)).apply(x, 0.5)
    y.sum().backward()


edited(gradient_of_constant, "Return None", {
    "y = function(torch, lambda grad: (grad, grad)).apply(x, 0.5)":
        "y = function(torch, lambda grad: (grad, None)).apply(x, 0.5)"})


@broken("gradient that is no tensor", says=("type float",))
def gradient_no_tensor(torch):
    x = leaf(torch)
    y = function(torch, lambda grad: (0.5, None)).apply(x, 0.5)
    y.sum().backward()


edited(gradient_no_tensor, "Return a tensor", {
    "y = function(torch, lambda grad: (0.5, None)).apply(x, 0.5)":
        "y = function(torch, lambda grad: (grad * 0.5, None)).apply(x, 0.5)"})


@broken("no backward", guilty="OneWayBackward", says=("OneWayBackward",))
def no_backward(torch):
    class OneWay(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2
    x = leaf(torch)
    y = OneWay.apply(x)
    y.sum().backward()


edited(no_backward, "Write its", {
    "@staticmethod": "backward = staticmethod(lambda ctx, grad: grad * 2)\n@staticmethod"})
edited(no_backward, "`x.detach()`", {
    "y = OneWay.apply(x)": "(x * OneWay.apply(x.detach())).sum().backward()", "y.sum().backward()": ""})


def with_hook(torch, hook):
    x = leaf(torch)
    y = x * 2
    y.register_hook(hook)
    y.sum().backward()


@broken("hook: size", says=("the hook <lambda>", "another shape"))
def hook_of_another_shape(torch):
    with_hook(torch, lambda grad: grad[:1])


@broken("hook: type", says=("type int",))
def hook_of_another_type(torch):
    with_hook(torch, lambda grad: 3)


@broken("hook: dtype", says=("torch.DoubleTensor", "torch.FloatTensor"))
def hook_of_another_dtype(torch):
    with_hook(torch, lambda grad: grad.double())


for program in (hook_of_another_shape, hook_of_another_type, hook_of_another_dtype):
    PROGRAMS[program.__name__].mended["Return"] = lambda torch: with_hook(torch, lambda grad: grad * 2)
    PROGRAMS[program.__name__].mended["Return nothing"] = lambda torch: with_hook(torch, lambda grad: None)


@broken("copy of a computed tensor", guilty="", says=("deepcopy",))
def deep_copy(torch):
    import copy
    y = leaf(torch) * 2
    copy.deepcopy(y)


edited(deep_copy, "`x.detach().clone()`", {
    "import copy": "", "copy.deepcopy(y)": ""}, "return size(y.detach().clone()) and None")


@broken("optimizer of a computed tensor", says=("an optimizer",))
def optimizer_of_result(torch):
    w = leaf(torch) * 2
    torch.optim.SGD([w], lr=0.1)


edited(optimizer_of_result, ".detach().requires_grad_()", {
    "w = leaf(torch) * 2": "w = (leaf(torch) * 2).detach().requires_grad_()"})


@broken("shapes that do not fit", says=("dimension 0 has the lengths 2 and 3",))
def shapes(torch):
    x, y = torch.ones(2), torch.ones(3)
    x + y


edited(shapes, "`[:, None]`", {"x + y": "x[:, None] + y"})


@broken("several numbers as one", says=("single one",))
def several(torch):
    x = torch.ones(3)
    x.item()


edited(several, "sum()", {"x = torch.ones(3)": "torch.ones(3).sum().item()", "x.item()": ""})


@broken("a number has no backward", says=(".backward of a Python number",))
def number(torch):
    loss = leaf(torch).sum().item()
    loss.backward()


edited(number, ".item()", {
    "loss = leaf(torch).sum().item()": "loss = leaf(torch).sum()",
    "loss.backward()": "loss.backward()\nloss.item()"})


@broken("view taken in another mode", says=("inside no_grad",))
def base_of_another_mode_written(torch):
    y = leaf(torch) * 2
    with torch.no_grad():
        v = y[:1]
    y.mul_(3)
    v.grad_fn


edited(base_of_another_mode_written, "Take the view outside no_grad", {
    "with torch.no_grad():": "v = y[:1]", "v = y[:1]": ""})
edited(base_of_another_mode_written, "Write inside no_grad", {
    "y.mul_(3)": "    y.mul_(3)\nv.requires_grad", "v.grad_fn": ""})


# --- training loops: each program, and each fix, with an optimizer

def data(torch, rows=4):
    torch.manual_seed(0)
    return torch.randn(rows, 3), torch.randn(rows, 1)


def cell(torch):
    torch.manual_seed(0)
    u, v = torch.randn(3, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True)
    return u, v, torch.optim.SGD([u, v], lr=0.1)


DETACHED = "`h = h.detach()` at the end of each round"


@broken("modified", guilty="MmBackward0", says=("saved v", "opt.step()"), line="changes v")
def hidden_state_retained(torch):
    (x, _), (u, v, opt) = data(torch), cell(torch)
    h = torch.zeros(4, 2)
    for _ in range(3):
        h = torch.tanh(x @ u + h @ v)
        loss = (h ** 2).mean()
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()  # changes v


def rounds_apart(torch):
    (x, _), (u, v, opt) = data(torch), cell(torch)
    h = torch.zeros(4, 2)
    for _ in range(3):
        h = torch.tanh(x @ u + h @ v)
        loss = (h ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        h = h.detach()


def rounds_added(torch):
    (x, _), (u, v, opt) = data(torch), cell(torch)
    h, total = torch.zeros(4, 2), 0
    for _ in range(3):
        h = torch.tanh(x @ u + h @ v)
        total = total + (h ** 2).mean()
    opt.zero_grad()
    total.backward()
    opt.step()


mended(hidden_state_retained, DETACHED)(rounds_apart)
mended(hidden_state_retained, "Add the results of all rounds up")(rounds_added)


@broken("freed", guilty="TanhBackward0", says=("which made before",), line="in the helper")
def hidden_state_in_a_helper(torch):
    (x, _), (u, v, opt) = data(torch), cell(torch)

    def train(before):
        after = torch.tanh(x @ u + before @ v)
        opt.zero_grad()
        (after ** 2).mean().backward()  # in the helper
        opt.step()
        return after
    h = torch.zeros(4, 2)
    for _ in range(3):
        h = train(h)


mended(hidden_state_in_a_helper, "Add the results up")(rounds_added)


edited(hidden_state_in_a_helper, DETACHED, {"h = train(h)": "h = train(h)\nh = h.detach()"})


def stateful(torch):
    class Cell(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.u, self.v, self.h = torch.nn.Linear(3, 2), torch.nn.Linear(2, 2), torch.zeros(4, 2)

        def forward(self, x):
            self.h = torch.tanh(self.u(x) + self.v(self.h))
            return self.h
    net = Cell()
    return net, torch.optim.SGD(net.parameters(), lr=0.1)


@broken("freed", guilty="TanhBackward0", says=("net.h carries the graph",), line="state of the model")
def state_of_a_model(torch):
    (x, _), (net, opt) = data(torch), stateful(torch)
    for _ in range(3):
        loss = net(x).mean()
        opt.zero_grad()
        loss.backward()  # state of the model
        opt.step()


edited(state_of_a_model, "`net.h = net.h.detach()`", {"opt.step()": "opt.step()\nnet.h = net.h.detach()"})
edited(state_of_a_model, "Add the results up", {
    "for _ in range(3):": "total = 0\nfor _ in range(3):", "opt.zero_grad()": "", "loss.backward()": "",
    "opt.step()": "total = total + loss"}, "opt.zero_grad(); total.backward(); opt.step()")


def multiplied(torch):
    class Mixing(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 2)
            self.mixer = torch.nn.Parameter(torch.ones(2, 3)) * 0.5  # made once

        def forward(self, x):
            return self.inner(x) @ self.mixer
    return Mixing()


@broken("freed", guilty="MulBackward0", line="made once",
        says=("net.mixer was computed once, in", "and so no parameter of the model"))
def parameter_multiplied_when_made(torch):
    (x, _), net = data(torch), multiplied(torch)
    for _ in range(2):
        loss = net(x).sum()
        loss.backward()


edited(parameter_multiplied_when_made, "`self.mixer = torch.nn.Parameter(torch.ones(2, 3) * 0.5)`", {
    "for _ in range(2):":  # in other words, so that the text has no second line that assigns it
    'net.__setattr__("mixer", torch.nn.Parameter(torch.ones(2, 3) * 0.5))\nfor _ in range(2):'},
    "assert any(one is net.mixer for one in net.parameters()) and net.mixer.grad is not None")
edited(parameter_multiplied_when_made, "compute net.mixer from it in forward()", {
    "for _ in range(2):": "leaf = torch.nn.Parameter(torch.ones(2, 3))\nfor _ in range(2):",
    "loss = net(x).sum()": 'net.__setattr__("mixer", leaf * 0.5)\nnet(x).sum().backward()',
    "loss.backward()": ""}, "assert leaf.grad is not None")


def lstm(torch):
    torch.manual_seed(0)
    w = torch.randn(5, 8, requires_grad=True)

    def step(x, state):
        h, c = state
        gates = torch.cat([x, h], 1) @ w
        c = gates[:, :2].sigmoid() * c + gates[:, 2:4].sigmoid() * gates[:, 4:6].tanh()
        h = gates[:, 6:].sigmoid() * c.tanh()
        return h, (h, c)
    return step, torch.optim.SGD([w], lr=0.1), torch.zeros(4, 2)


@broken("freed", line="of the LSTM")
def lstm_state(torch):
    (x, _), (step, opt, zeros) = data(torch), lstm(torch)
    h, c = zeros, zeros
    for _ in range(3):
        out, (h, c) = step(x, (h, c))
        opt.zero_grad()
        out.mean().backward()  # of the LSTM
        opt.step()


edited(lstm_state, "`h, c = h.detach(), c.detach()`", {
    "opt.step()": "opt.step()\nh, c = h.detach(), c.detach()"})


@broken("freed", line="of the half", says=(
    " c carries the graph of an earlier round", "`c.detach()` returns is kept nowhere"))
def lstm_state_half_detached(torch):
    (x, _), (step, opt, zeros) = data(torch), lstm(torch)
    h, c = zeros, zeros
    for _ in range(3):
        out, (h, c) = step(x, (h, c))
        opt.zero_grad()
        out.mean().backward()  # of the half
        opt.step()
        h = h.detach()
        c.detach()


edited(lstm_state_half_detached, "`c = c.detach()`", {"c.detach()": "c = c.detach()"})


def lstm_added(torch):
    (x, _), (step, opt, zeros) = data(torch), lstm(torch)
    state, total = (zeros, zeros), 0
    for _ in range(3):
        out, state = step(x, state)
        total = total + out.mean()
    opt.zero_grad()
    total.backward()
    opt.step()


mended(lstm_state, "Add the results up")(lstm_added)
mended(lstm_state_half_detached, "Add the results up")(lstm_added)


def linear(torch):
    torch.manual_seed(0)
    w = torch.randn(3, 1, requires_grad=True)
    return w, torch.optim.SGD([w], lr=0.1)


@broken("freed", guilty="ExpBackward0", says=("which made features",), line="of the rounds")
def computed_before_the_loop(torch):
    (x, y), (w, opt) = data(torch), linear(torch)
    scale = torch.ones(3, requires_grad=True)
    features = (x * scale).exp()
    for _ in range(3):
        loss = ((features @ w - y) ** 2).mean()
        opt.zero_grad()
        loss.backward()  # of the rounds
        opt.step()


edited(computed_before_the_loop, "compute features anew", {
    "features = (x * scale).exp()": "",
    "loss = ((features @ w - y) ** 2).mean()":
        "features = (x * scale).exp()\nloss = ((features @ w - y) ** 2).mean()"})
edited(computed_before_the_loop, "`features.detach()`", {
    "loss = ((features @ w - y) ** 2).mean()": "loss = ((features.detach() @ w - y) ** 2).mean()"})
edited(computed_before_the_loop, "Add the results up", {
    "for _ in range(3):": "total = 0\nfor _ in range(3):", "opt.zero_grad()": "", "loss.backward()": "",
    "opt.step()": "total = total + loss"}, "opt.zero_grad(); total.backward(); opt.step()")


@broken("modified", guilty="PowBackward0", says=("saved w", "opt.step()"), line="moves w")
def penalty_before_the_loop(torch):
    (x, y), (w, opt) = data(torch), linear(torch)
    penalty = (w ** 2).sum()
    for _ in range(3):
        loss = ((x @ w - y) ** 2).mean() + penalty
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()  # moves w


edited(penalty_before_the_loop, "Compute penalty anew after the write to w", {
    "penalty = (w ** 2).sum()": "",
    "loss = ((x @ w - y) ** 2).mean() + penalty":
        "penalty = (w ** 2).sum()\nloss = ((x @ w - y) ** 2).mean() + penalty",
    "loss.backward(retain_graph=True)": "loss.backward()"})


def gan(torch):
    torch.manual_seed(0)
    nn, optim = torch.nn, torch.optim
    g = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3))
    d = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    return g, d, optim.SGD(g.parameters(), lr=0.1), optim.SGD(d.parameters(), lr=0.1), torch.randn(4, 2)


@broken("modified", guilty="AddmmBackward0", says=("saved d.2.weight", "opt_d.step()"), line="moves D")
def gan_losses_first(torch):
    g, d, opt_g, opt_d, noise = gan(torch)
    fake = g(noise)
    d_loss, g_loss = d(fake).mean(), -d(fake).mean()
    d_loss.backward()
    opt_d.step()  # moves D
    g_loss.backward()
    opt_g.step()


def gan_detached(torch):
    g, d, opt_g, opt_d, noise = gan(torch)
    for _ in range(2):
        fake = g(noise)
        d_loss = d(fake.detach()).mean()
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()
        g_loss = -d(fake).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
    assert all(parameter.grad is not None for parameter in g.parameters())


def gan_anew(torch):
    g, d, opt_g, opt_d, noise = gan(torch)
    for _ in range(2):
        fake = g(noise)
        d_loss = d(fake).mean()
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()
        fake = g(noise)
        g_loss = -d(fake).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()


def train(model, result, optimizer):
    optimizer.zero_grad()
    loss = model(result).mean()
    loss.backward()  # of a helper
    optimizer.step()


@broken("freed", guilty="AddmmBackward0", says=("which made result",), line="of a helper")
def gan_in_helpers(torch):
    g, d, opt_g, opt_d, noise = gan(torch)
    for _ in range(2):
        fake = g(noise)
        train(d, fake, opt_d)
        train(d, fake, opt_g)


edited(gan_in_helpers, "`result.detach()`", {"train(d, fake, opt_d)": "train(d, fake.detach(), opt_d)"})
edited(gan_in_helpers, "compute result anew", {
    "fake = g(noise)": "train(d, g(noise), opt_d)\ntrain(d, g(noise), opt_g)", "train(d, fake, opt_d)": "",
    "train(d, fake, opt_g)": ""})
edited(gan_in_helpers, "Add the results up", {
    "for _ in range(2):":
        "fake = g(noise)\n(d(fake).mean() + d(fake).mean()).backward()\nopt_d.step()\nopt_g.step()",
    "fake = g(noise)": "", "train(d, fake, opt_d)": "", "train(d, fake, opt_g)": ""})


mended(gan_losses_first, "`fake.detach()`")(gan_detached)
mended(gan_losses_first, "Compute fake anew")(gan_anew)


@broken("no history", says=("starts at loss", "`w = w - 0.1 * w.grad`", "no longer the leaf"))
def step_by_hand_in_the_next_round(torch):
    (x, y), (w, _) = data(torch), linear(torch)
    for _ in range(3):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w = w - 0.1 * w.grad


def stepped_in_place(torch):
    (x, y), (w, _) = data(torch), linear(torch)
    losses = []
    for _ in range(3):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
        losses.append(loss.item())
    assert losses[2] < losses[0]


mended(step_by_hand_in_the_next_round, "`w -= ...` under `with torch.no_grad():`")(stepped_in_place)


@broken("no history", says=("starts at loss", "the new tensor requires no gradient"))
def step_to_a_bare_tensor(torch):
    a = torch.tensor(1., requires_grad=True)
    for _ in range(2):
        loss = (a * a - 2) ** 2
        loss.backward()
        a = torch.tensor(a.item() - 0.05 * a.grad.item())


edited(step_to_a_bare_tensor, "requires_grad=True)`", {
    "a = torch.tensor(a.item() - 0.05 * a.grad.item())":
        "a = torch.tensor(a.item() - 0.05 * a.grad.item(), requires_grad=True)"})


# --- histories that end on the way


@broken("no history", guilty="penalty",
        says=("`g, = torch.autograd.grad(out.sum(), x)`", "create_graph=True"))
def gradient_penalty_in_a_function(torch):
    (x, _), (w, _) = data(torch), linear(torch)

    def penalty_of(x):
        out = torch.tanh(x @ w)
        g, = torch.autograd.grad(out.sum(), x)
        return (g.norm() - 1) ** 2
    penalty = penalty_of(x.requires_grad_())
    penalty.backward()


edited(gradient_penalty_in_a_function, "create_graph=True", {
    "g, = torch.autograd.grad(out.sum(), x)": "g, = torch.autograd.grad(out.sum(), x, create_graph=True)"},
    "assert w.grad is not None")


@broken("no history", guilty="loss", says=("`torch.set_grad_enabled(False)`",))
def recording_switched_off(torch):
    (x, y), (w, _) = data(torch), linear(torch)
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    loss = ((x @ w - y) ** 2).mean()
    torch.set_grad_enabled(before)
    loss.backward()


edited(recording_switched_off, "`torch.set_grad_enabled(True)`", {
    "(x, y), (w, _) = data(torch), linear(torch)": "(x, y), (w, opt) = data(torch), linear(torch)",
    "before = torch.is_grad_enabled()": "",
    "loss = ((x @ w - y) ** 2).mean()": "torch.set_grad_enabled(True)\nloss = ((x @ w - y) ** 2).mean()",
    "torch.set_grad_enabled(before)": "", "loss.backward()": "loss.backward()\nopt.step()"})


@broken("no history", says=("create_graph=True",))
def second_derivative_of_a_drawer(torch):
    x = leaf(torch)
    (x ** 3).sum().backward()
    slope = x.grad.sum()
    slope.backward()


edited(second_derivative_of_a_drawer, "create_graph=True", {
    "(x ** 3).sum().backward()":
        "slope, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)\nslope.sum().backward()",
    "slope = x.grad.sum()": "", "slope.backward()": ""}, "assert x.grad.tolist() == [6, 12]")


def scores_of(torch):
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return model, torch.randn(4, 3), torch.tensor([0, 1, 1, 0]), optimizer


@broken("no history", guilty="loss", says=("scores went into loss as", "`predicted = scores.argmax(1)`"))
def argmax(torch):
    model, x, classes, _ = scores_of(torch)
    scores = model(x)
    predicted = scores.argmax(1)
    wrong = (predicted - classes).abs().float()
    loss = wrong.mean()
    loss.backward()


edited(argmax, "softmax for argmax", {
    "predicted = scores.argmax(1)": "predicted = torch.softmax(scores, 1)[:, 1]"})


@broken("no history", guilty="loss", line="one model",
        says=("requires_grad of net.weight is False, as it is of every parameter of net",
              "net and target_net are one and the same module"))
def target_network_is_the_frozen_network(torch):
    (x, _), net = data(torch), torch.nn.Linear(3, 2)
    target_net = net  # one model
    for p in target_net.parameters():
        p.requires_grad = False
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    out = net(x)
    with torch.no_grad():
        target = target_net(x)
    loss = ((out - target) ** 2).sum()
    loss.backward()
    opt.step()


edited(target_network_is_the_frozen_network, "`target_net = copy.deepcopy(net)`", {
    "target_net = net": "import copy\ntarget_net = copy.deepcopy(net)",
    "target = target_net(x)": "target = target_net(x) + 1"},
    "assert net.weight.grad is not None")


# --- writes in place, by layers and masks

@broken("modified", guilty="SigmoidBackward0", says=("`result`",), line="the layers")
def layer_in_place(torch):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True))
    out = model(torch.randn(4, 3))  # the layers
    out.sum().backward()


edited(layer_in_place, "`inplace=False`", {
    "model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True))":
    "model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=False))"},
    "return size(out)")


@broken("modified", guilty="TanhBackward0", says=("saved h as `result`",))
def function_in_place(torch):
    (x, _), (w, _) = data(torch), linear(torch)
    h = torch.tanh(x @ w)
    out = torch.nn.functional.relu(h, inplace=True)
    out.sum().backward()


edited(function_in_place, "`inplace=False`", {
    "out = torch.nn.functional.relu(h, inplace=True)": "out = torch.nn.functional.relu(h, inplace=False)"},
    "return size(out)")


@broken("modified", guilty="SigmoidBackward0", says=("s[s < 0.5] = 0",), line="a mask")
def mask_written(torch):
    (x, _), (w, _) = data(torch), linear(torch)
    s = torch.sigmoid(x @ w)
    s[s < 0.5] = 0  # a mask
    s.sum().backward()


edited(mask_written, "`s = torch.where(s < 0.5, 0, s)`", {"s[s < 0.5] = 0": "s = torch.where(s < 0.5, 0, s)"},
       "return size(s)")
edited(mask_written, "`s = s.clone()`", {"s[s < 0.5] = 0": "s = s.clone()\ns[s < 0.5] = 0"}, "return size(s)")
edited(mask_written, "after the backward pass", {
    "s[s < 0.5] = 0": "s.sum().backward()\ns[s < 0.5] = 0", "s.sum().backward()": ""})


# --- functions

@broken("no history", says=("the backward of Cube is marked @once_differentiable",))
def differentiated_twice(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            return 3 * x ** 2 * grad
    x = leaf(torch)
    slope, = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    slope.sum().backward()


edited(differentiated_twice, "remove the mark", {"@torch.autograd.function.once_differentiable": ""},
       "assert x.grad.tolist() == [6, 12]")


# --- shapes, dimensions, dtypes: what PyTorch raises from C++

@broken("matrices that do not fit", says=("shape (4, 3) by one of shape (4, 3)", "3 columns"))
def matrices(torch):
    x, y = torch.ones(4, 3), torch.ones(4, 3)
    return x @ y


edited(matrices, "transpose one of them", {"return x @ y": "x @ y.T"})
edited(matrices, "`nn.Linear(3, ...)`", {"return x @ y": "torch.nn.Linear(3, 2)(x)"})


@broken("another number of elements", says=("[2, 2]", "6 elements"))
def view_of_another_size(torch):
    x = torch.ones(6)
    return x.view(2, 2)


edited(view_of_another_size, "may be -1", {"return x.view(2, 2)": "x.view(2, -1)"})


@broken("a number in place of a tensor", says=("A Python float has no elements",))
def number_in_place_of_a_tensor(torch):
    x = torch.ones(3, requires_grad=True)
    x.sum().backward(10.)


edited(number_in_place_of_a_tensor, "write the number as a tensor", {
    "x.sum().backward(10.)": "x.sum().backward(torch.tensor(10.))"})


@broken("view of scattered memory", says=("transpose",))
def view_of_a_transpose(torch):
    x = torch.ones(2, 3)
    return x.t().view(6)


edited(view_of_a_transpose, "`reshape()`", {"return x.t().view(6)": "x.t().reshape(6)"})


@broken("dimension", says=("dimension 5", "from 0 to 1"))
def dimension(torch):
    x = torch.ones(2, 3)
    return x.sum(dim=5)


edited(dimension, "from -2 to 1", {"return x.sum(dim=5)": "x.sum(dim=1)"})


@broken("class out of range", says=("class 2", "counted from 0"))
def class_out_of_range(torch):
    scores, classes = torch.zeros(2, 2), torch.tensor([1, 2])
    return torch.nn.functional.cross_entropy(scores, classes)


edited(class_out_of_range, "from 0", {
    "return torch.nn.functional.cross_entropy(scores, classes)":
    "torch.nn.functional.cross_entropy(scores, classes - 1)"})
edited(class_out_of_range, "2 + 1", {
    "scores, classes = torch.zeros(2, 2), torch.tensor([1, 2])":
    "scores, classes = torch.zeros(2, 3), torch.tensor([1, 2])",
    "return torch.nn.functional.cross_entropy(scores, classes)":
    "torch.nn.functional.cross_entropy(scores, classes)"})


@broken("classes that are no whole numbers", says=("another type than Long",))
def classes_of_floats(torch):
    scores, classes = torch.zeros(2, 2), torch.tensor([0.0, 1.0])
    return torch.nn.functional.cross_entropy(scores, classes)


edited(classes_of_floats, "`target.long()`", {
    "return torch.nn.functional.cross_entropy(scores, classes)":
    "torch.nn.functional.cross_entropy(scores, classes.long())"})


@broken("dtypes that differ", says=("a gradient of type Double to a tensor of type Float",))
def target_of_another_dtype(torch):
    x, target = torch.tensor([0.25, 0.75], requires_grad=True), torch.tensor([0, 1], dtype=torch.float64)
    torch.nn.BCELoss()(x, target).backward()


edited(target_of_another_dtype, "`target.to(x.dtype)`", {
    "torch.nn.BCELoss()(x, target).backward()": "torch.nn.BCELoss()(x, target.to(x.dtype)).backward()"})


@broken("a product of two dtypes", says=("two types",))
def product_of_dtypes(torch):
    x, w = torch.ones(2, 3, dtype=torch.float64), torch.ones(3, 1)
    return x @ w


edited(product_of_dtypes, "`x.float()`", {"return x @ w": "x.float() @ w"})


@broken("batches of different sizes", says=("3 rows of scores with 2 targets",))
def batches(torch):
    return torch.nn.functional.cross_entropy(torch.zeros(3, 2), torch.tensor([0, 1]))


@mended(batches, "as many targets")
def _(torch):
    torch.nn.functional.cross_entropy(torch.zeros(2, 2), torch.tensor([0, 1]))


@broken("a batch of one", says=("passes a batch norm in training mode an input of shape [1, 2]",))
def batch_of_one(torch):
    return torch.nn.BatchNorm1d(2)(torch.ones(1, 2))


@mended(batch_of_one, "drop_last=True")
def _(torch):
    rows = torch.utils.data.TensorDataset(torch.ones(3, 2))
    sizes = [len(torch.nn.BatchNorm1d(2)(x)) for x, in torch.utils.data.DataLoader(rows, 2, drop_last=True)]
    assert sizes == [2]


@mended(batch_of_one, "eval() of the layer")
def _(torch):
    norm = torch.nn.BatchNorm1d(2)
    norm.eval()
    norm(torch.ones(1, 2))
    norm.train()
    assert norm.running_mean.tolist() == [0, 0] and norm.training


@broken("parts of different shapes", says=("equal shapes",))
def parts(torch):
    return torch.stack([torch.ones(2), torch.ones(3)])


edited(parts, "one shape", {
    "return torch.stack([torch.ones(2), torch.ones(3)])": "torch.stack([torch.ones(2), torch.ones(3)[:2]])"})


@broken("index out of range", says=("0 to n - 1",))
def index(torch):
    x = torch.ones(3)
    return x[5]


edited(index, "from 0 to n - 1", {"x = torch.ones(3)": "torch.ones(3)[2]", "return x[5]": ""})


@broken("indices that are no whole numbers", says=("whole number",))
def index_of_floats(torch):
    rows = torch.tensor([0.0, 1.0])
    return torch.nn.Embedding(3, 2)(rows)


edited(index_of_floats, "`x.long()`", {
    "return torch.nn.Embedding(3, 2)(rows)": "torch.nn.Embedding(3, 2)(rows.long())"})


@broken("targets of another shape", says=("one class number for each row",))
def targets_of_two_dimensions(torch):
    scores, classes = torch.zeros(2, 2), torch.tensor([[0], [1]])
    return torch.nn.functional.cross_entropy(scores, classes)


edited(targets_of_two_dimensions, "`target.squeeze(1)`", {
    "return torch.nn.functional.cross_entropy(scores, classes)":
    "torch.nn.functional.cross_entropy(scores, classes.squeeze(1))"})


# --- what is assigned to .grad

@broken("assigned gradient of another size", guilty="w",
        says=("a gradient of shape [2] to w", "the shape [2, 1]"))
def assigned_gradient_of_another_size(torch):
    w = torch.ones(2, 1, requires_grad=True)
    w.grad = torch.ones(2)


edited(assigned_gradient_of_another_size, "`.reshape(w.shape)`", {
    "w.grad = torch.ones(2)": "w.grad = torch.ones(2).reshape(w.shape)\ntorch.optim.SGD([w], lr=0.5).step()"},
    "assert w.tolist() == [[0.5], [0.5]]")
edited(assigned_gradient_of_another_size, "of that tensor", {
    "w = torch.ones(2, 1, requires_grad=True)":
        "b = torch.ones(2, requires_grad=True)\nb.grad = torch.ones(2)\ntorch.optim.SGD([b], lr=0.5).step()",
    "w.grad = torch.ones(2)": ""}, "assert b.tolist() == [0.5, 0.5]")


@broken("assigned gradient of another type", guilty="w",
        says=("a gradient of type double to w", "the type Float"))
def assigned_gradient_of_another_type(torch):
    w = torch.ones(2, requires_grad=True)
    w.grad = torch.ones(2, dtype=torch.float64)


edited(assigned_gradient_of_another_type, "`.to(w.dtype)`", {
    "w.grad = torch.ones(2, dtype=torch.float64)":
        "w.grad = torch.ones(2, dtype=torch.float64).to(w.dtype)\ntorch.optim.SGD([w], lr=0.5).step()"},
    "assert w.tolist() == [0.5, 0.5]")


# --- checkpoints

def checkpoint_of(torch):
    return importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint


@broken("checkpoint differs", says=("saved tensor 0 has the shape [1] and the type float32 now",
                                    "the shape [2]"))
def checkpoint_of_other_tensors(torch):
    x, sizes = leaf(torch), [2, 1]

    def block(x):
        return x[:sizes.pop(0)].sin().sum()
    y = checkpoint_of(torch)(block, x, use_reentrant=False)
    y.backward()


edited(checkpoint_of_other_tensors, "depend on nothing that changes", {
    "return x[:sizes.pop(0)].sin().sum()": "return x[:sizes[0]].sin().sum()"},
    "assert torch.allclose(x.grad, x.detach().cos())")
edited(checkpoint_of_other_tensors, "without a checkpoint", {
    "y = checkpoint_of(torch)(block, x, use_reentrant=False)": "y = block(x)"},
    "assert torch.allclose(x.grad, x.detach().cos())")


# --- names

@broken("a name without a value", says=("uses `lss`", "The nearest name that exists is `loss`."))
def misspelt_variable(torch):
    loss = leaf(torch).sum()
    return loss, lss  # noqa: F821


edited(misspelt_variable, "Write `loss`", {"return loss, lss": "loss.backward()"})


@broken("a name that an object lacks", guilty="loss",
        says=("asks for `.backwards` of loss", "The nearest name that it has is `backward`."))
def misspelt_method(torch):
    loss = leaf(torch).sum()
    loss.backwards()


edited(misspelt_method, "Write `loss.backward`", {"loss.backwards()": "loss.backward()"})


@broken("a name that an object lacks", says=("asks for `.tensr` of torch", "`tensor`"))
def misspelt_function(torch):
    return torch.tensr([1.0])


edited(misspelt_function, "Write `torch.tensor`", {"return torch.tensr([1.0])": "torch.tensor([1.0])"})


@broken("a keyword that a function lacks",
        says=("gives tensor() the argument `require_grad=`", "is `requires_grad`"))
def misspelt_keyword(torch):
    return torch.tensor([1.0], require_grad=True)


@mended(misspelt_keyword, "Write `requires_grad=`")
def _(torch):
    torch.tensor([1.0], requires_grad=True)


@broken("a keyword that a function lacks", says=("gives SGD() the argument `rl=`",))
def keyword_like_no_other(torch):
    return torch.optim.SGD([leaf(torch)], lr=0.1, rl=0.1)


@mended(keyword_like_no_other, "press Shift-Tab")
def _(torch):
    torch.optim.SGD([leaf(torch)], lr=0.1, momentum=0.1)


# --- what losses and optimizers are given

@broken("no parameters", says=("net.layers is a list",))
def layers_in_a_list(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            layers = [torch.nn.Linear(2, 1)]
            self.layers = layers
    net = Net()
    torch.optim.SGD(net.parameters(), lr=0.1)


edited(layers_in_a_list, "nn.ModuleList", {
    "self.layers = layers": "self.layers = torch.nn.ModuleList(layers)"})


@broken("no parameters", says=("params is a generator that has been read to its end before.",))
def generator_read_twice(torch):
    layer = torch.nn.Linear(2, 1)
    params = layer.parameters()
    len(list(params))
    torch.optim.Adam(params, lr=0.1)


edited(generator_read_twice, "`list(...)`", {
    "params = layer.parameters()": "params = list(layer.parameters())"})


@broken("no parameters", says=("layer has 2 parameters, of which 2 do not require a gradient.",))
def frozen_parameters(torch):
    layer = torch.nn.Linear(2, 1)
    layer.requires_grad_(False)
    torch.optim.Adam([one for one in layer.parameters() if one.requires_grad], lr=0.1)


edited(frozen_parameters, "require one before", {"layer.requires_grad_(False)": "layer.requires_grad_(True)"})


@broken("what is no list of parameters", says=("a single tensor",))
def optimizer_of_a_tensor(torch):
    x = leaf(torch)
    torch.optim.SGD(x, lr=0.1)


edited(optimizer_of_a_tensor, "`[x]`", {"torch.optim.SGD(x, lr=0.1)": "torch.optim.SGD([x], lr=0.1)"})


@broken("what is no parameter", says=("a value of type str",))
def optimizer_of_names(torch):
    layer = torch.nn.Linear(2, 1)
    torch.optim.SGD(layer.state_dict(), lr=0.1)


edited(optimizer_of_names, "`model.parameters()`", {
    "torch.optim.SGD(layer.state_dict(), lr=0.1)": "torch.optim.SGD([*layer.parameters()], lr=0.1)"})


@broken("a parameter twice", says=("a parameter in two groups",))
def parameter_in_two_groups(torch):
    layer = torch.nn.Linear(2, 1)
    rest = list(layer.parameters())
    torch.optim.SGD([{"params": rest}, {"params": [layer.bias], "lr": 0.01}], lr=0.1)


edited(parameter_in_two_groups, "Leave it out of one", {
    "rest = list(layer.parameters())": "rest = [one for one in layer.parameters() if one is not layer.bias]"})


@broken("state of another optimizer", says=("held other parameters",))
def state_of_another_optimizer(torch):
    layer = torch.nn.Linear(2, 1)
    params = list(layer.parameters())
    stored = torch.optim.Adam([layer.weight], lr=0.1).state_dict()
    optimizer = torch.optim.Adam(params, lr=0.1)
    optimizer.load_state_dict(stored)


edited(state_of_another_optimizer, "Make the optimizer as it was made", {
    "optimizer = torch.optim.Adam(params, lr=0.1)": "optimizer = torch.optim.Adam(params[:1], lr=0.1)"},
    'optimizer.add_param_group({"params": params[1:]})')


@broken("a target of another shape", says=("a target of shape (2) and scores of shape (2, 1)",))
def target_without_a_column(torch):
    w = leaf(torch)
    scores, target = w[:, None] * 3, torch.tensor([1.0, 0.0])
    torch.nn.functional.binary_cross_entropy_with_logits(scores, target).backward()


edited(target_without_a_column, "`target.view_as(scores)`", {
    "scores, target = w[:, None] * 3, torch.tensor([1.0, 0.0])":
    "scores = w[:, None] * 3; target = torch.tensor([1.0, 0.0]).view_as(scores)"})


@broken("no probabilities", says=("The numbers of scores are between 1 and 2",))
def scores_for_probabilities(torch):
    scores = leaf(torch)
    torch.nn.functional.binary_cross_entropy(scores, torch.tensor([1.0, 0.0])).backward()


edited(scores_for_probabilities, "with_logits", {
    "torch.nn.functional.binary_cross_entropy(scores, torch.tensor([1.0, 0.0])).backward()":
    "torch.nn.functional.binary_cross_entropy_with_logits(scores, torch.tensor([1.0, 0.0])).backward()"})


@broken("no probabilities", says=("1 of the 2 numbers of chances are NaN",))
def probabilities_that_are_nan(torch):
    chances = leaf(torch, 0.5, float("nan"))
    torch.nn.functional.binary_cross_entropy(chances, torch.tensor([1.0, 0.0])).backward()


@broken("no probabilities", says=("The numbers of classes are between 0 and 3",))
def classes_for_probabilities(torch):
    x = leaf(torch)
    classes = torch.tensor([0.0, 3.0])
    torch.nn.functional.binary_cross_entropy(x.sigmoid(), classes).backward()


edited(classes_for_probabilities, "Bring the targets", {
    "classes = torch.tensor([0.0, 3.0])": "classes = torch.tensor([0.0, 1.0])"})


from tests.helpers import explained_styles  # noqa: E402, F401  (it enters programs)
