"""The measurements of the symptom pages, in the order in which to take them.

Each is a function of at most six lines that needs PyTorch alone, and returns plain data. The page prints the
function, so that it can be copied into any script.
"""
from __future__ import annotations

from typing import NamedTuple


class Measurement(NamedTuple):
    """`code` is the function; `does` says in a sentence what it returns."""

    title: str
    does: str
    code: str


MEASUREMENTS = {
    "shapes": Measurement(
        "Shapes, and warnings",
        "Print the shapes of a prediction, of its target and of their difference, and read every warning.",
        """\
def shapes(prediction, target):
    return [tuple(t.shape) for t in (prediction, target, prediction - target)]
"""),
    "contents": Measurement(
        "What is in the data",
        "Print the mean and the spread of each tensor that the model and the loss receive.",
        """\
def contents(*tensors):
    return [(round(t.float().mean().item(), 2), round(t.float().std().item(), 2)) for t in tensors]
"""),
    "overfit": Measurement(
        "Overfit four points",
        "Train on four rows alone. A model with enough weights brings their loss close to 0.",
        """\
def overfit(loss_of, optimizer, x, y):
    for step in range(300):
        optimizer.zero_grad()
        loss_of(x[:4], y[:4]).backward()
        optimizer.step()
    return round(loss_of(x[:4], y[:4]).item(), 3)
"""),
    "nudge": Measurement(
        "Nudge",
        "Move the first number of a weight a little in both directions. The slope of the loss is the "
        "gradient that this number should have.",
        """\
def nudge(loss_of, weight, by=0.01):
    first, values = weight.data.view(-1)[:1], []
    for change in (by, -2 * by, by):
        first += change
        values.append(loss_of().item())
    return round((values[0] - values[1]) / (2 * by), 3)
"""),
    "drawers": Measurement(
        "Drawers",
        "Print the norm of every `.grad`: before the pass, after it, and before the step.",
        """\
def drawers(model):
    return {name: None if p.grad is None else round(p.grad.norm().item(), 4)
            for name, p in model.named_parameters()}
"""),
    "moved": Measurement(
        "Moved, and in whose hands",
        "Keep copies of the weights before the loop. After it, print how far each weight has moved, and "
        "whether the optimizer holds it.",
        """\
def moved(model, optimizer, old):
    held = [id(p) for group in optimizer.param_groups for p in group["params"]]
    return {name: (round((p - old[name]).norm().item(), 4), id(p) in held)
            for name, p in model.named_parameters()}
"""),
    "again": Measurement(
        "Again, in train and in eval",
        "Compute the same number twice in training mode, and twice in evaluation mode. In training mode, "
        "this moves the running statistics of BatchNorm, so do it at the end of a script.",
        """\
def again(model, loss_of):
    told = {}
    for mode in ("train", "eval"):
        getattr(model, mode)()
        told[mode] = [round(float(loss_of()), 4) for _ in range(2)]
    return told
"""),
    "versions": Measurement(
        "Versions and addresses",
        "For the data, the weights and every copy of them, print how often the tensor was written in place, "
        "and how many of these tensors have its address.",
        """\
def versions(*tensors):
    places = [t.data_ptr() for t in tensors]
    return [(t._version, places.count(t.data_ptr())) for t in tensors]
"""),
    "fingerprint": Measurement(
        "Fingerprints of two runs",
        "Print the sum of each tensor with all digits, in two runs of the script, and compare.",
        """\
def fingerprint(*tensors):
    return [t.double().sum().item() for t in tensors]
"""),
    "anomaly": Measurement(
        "Anomaly mode",
        "Switch on the anomaly mode, which is slow. The first backward node that returns NaN raises an error "
        "with its name, and the traceback shows the line that recorded it.",
        ""),
    "nodes": Measurement(
        "The graph, counted",
        "Count the nodes that a backward pass from this tensor visits.",
        """\
def nodes(tensor):
    found, ahead = set(), {tensor.grad_fn} - {None}
    while ahead:
        found |= ahead
        ahead = {other for node in ahead for other, _ in node.next_functions if other} - found
    return len(found)
"""),
    "hooks": Measurement(
        "Hooks, counted",
        "Count the hooks of the weights and of the modules.",
        """\
def hooks(model):
    kinds = ("_backward_hooks", "_forward_hooks", "_forward_pre_hooks", "_post_accumulate_grad_hooks")
    parts = [*model.modules(), *model.parameters()]
    return sum(len(getattr(part, kind, None) or ()) for part in parts for kind in kinds)
"""),
}
