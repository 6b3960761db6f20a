"""The measurements of the symptom pages, in the order in which to take them.

Each is a function of at most six lines that needs PyTorch alone, and returns plain data. The page prints the
function, so that it can be copied into any script. Those that are on the page of measurements, too, have
their code from there.
"""
from __future__ import annotations

from typing import NamedTuple

from ....classroom import measurements
from ....classroom.measurements import code_of


class Measurement(NamedTuple):
    """`code` is the function; `does` says in a sentence what it returns."""

    title: str
    does: str
    code: str


MEASUREMENTS = {
    "shapes": Measurement(
        "Shapes, and warnings",
        "Print the shapes of a prediction, of its target and of their difference, with their dtypes and "
        "whether they are recorded, and read every warning.",
        code_of(measurements.shapes)),
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
        code_of(measurements.overfit)),
    "nudge": Measurement(
        "Nudge",
        "Move one number of a weight a little in both directions. The slope of the loss is the gradient "
        "that this number should have.",
        code_of(measurements.nudge)),
    "drawers": Measurement(
        "Drawers",
        "Print the norm of every `.grad`: before the pass, after it, and before the step.",
        code_of(measurements.drawers)),
    "moved": Measurement(
        "Moved, and in whose hands",
        "Keep copies of the weights before the loop. After it, print how far each weight has moved, and the "
        "rate at which the optimizer moves it: `None` if the optimizer doesn't hold it.",
        code_of(measurements.moved)),
    "again": Measurement(
        "Again, in train and in eval",
        "Compute the same number twice in evaluation mode, and twice in training mode. The running "
        "statistics of BatchNorm get their old values back, and the model stays in training mode.",
        code_of(measurements.again)),
    "versions": Measurement(
        "Versions and addresses",
        "For the data, the weights and every copy of them, print how often the tensor was written in place, "
        "and how many of these tensors have its address.",
        code_of(measurements.versions)),
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
