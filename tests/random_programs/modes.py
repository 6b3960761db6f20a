"""Statements about grad mode itself: nested, as decorators, asked for; and Python's own control flow."""
import textwrap

from .kinds import kind
from .values import expression

MODES = ("torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)",
         "torch.set_grad_enabled(True)",
         "torch.inference_mode()", "torch.inference_mode(False)", "torch.autograd.set_detect_anomaly(True)",
         "torch.autograd.grad_mode.set_multithreading_enabled(False)")


@kind("nested_modes", 0.8)
def nested_modes(w):
    """Two modes, one in the other, and a tensor made in each."""
    first, second = w.one_of(MODES), w.one_of(MODES)
    a, b = expression(w), expression(w)
    return (f"with {first}:\n    {w.keep(a._replace(grad=False))} = {a.src}\n    with {second}:\n"
            f"        {w.keep(b)} = {b.src}\n"
            "        log.append([torch.is_grad_enabled(), torch.is_inference_mode_enabled()])")


@kind("decorator", 0.5)
def decorator(w):
    t = w.pick()
    mode = w.one_of(MODES[:6] + ("torch.no_grad", "torch.inference_mode", "torch.enable_grad"))
    return (f"@{mode}\ndef call(x):\n    log.append(torch.is_grad_enabled())\n    return x * 2\n"
            f"{w.keep(t)} = call({t.src})")


@kind("loop", 1)
def loop(w):
    """A loop: a chain of operations, gradients added up, or steps down a slope."""
    t = w.pick(lambda t: t.grad and t.floating) or w.pick()
    body = w.one_of((f"{{0}} = {{0}} * {t.src}", "{0} = ({0} + 1).tanh()", "{0}.mul_(2)", "{0} += 1",
        "{0} = {0} if {0}.sum() > 0 else -{0}"))
    roll = w.below(3)
    if roll == 0:
        name = w.keep(t._replace(leaf=False, size=t.size * 100))
        return f"{name} = {t.src} * 1\nfor _ in range(3):\n    {body.format(name)}"
    if roll == 1:
        return (f"for _ in range(2):\n    ({t.src} * {t.src}).sum().backward()\n"
                f"    log.append({t.src}.grad.tolist())")
    return (f"for _ in range(2):\n    {t.src}.grad = None\n    ({t.src} - 1).square().sum().backward()\n"
            f"    with torch.no_grad():\n        {t.src} -= 0.1 * {t.src}.grad")


@kind("assertion", 0.5)
def assertion(w):
    """A block that expects an error and goes on."""
    t, u = w.pick(), w.pick()
    risky = w.one_of((f"{t.src}.backward()", f"{t.src}.add_({u.src})",
        f"torch.autograd.grad({t.src}.sum(), {u.src})", f"{t.src}.requires_grad_(False)",
                      f"{t.src}.numpy()", f"{t.src}.resize_(2)", f"{t.src}.view(-1, 2)",
                      f"{t.src}.sum().backward(torch.ones(2))"))
    return (f"try:\n{textwrap.indent(risky, '    ')}\n"
            "except Exception as error:\n    log.append(type(error).__name__)")
