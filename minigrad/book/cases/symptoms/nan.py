"""NaN after a while: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from math import isfinite

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

BASE = """\
torch.manual_seed(0)
x = torch.randn(65, 2) * 3 + 5
y = (x[:, :1] > x[:, 1:]).float()
model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(20):
    for rows in torch.arange(65).split(16):
        batch, target = x[rows], y[rows]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        print(epoch, round(loss.item(), 4))
print(round(loss.item(), 4))
"""
LOSS = "torch.nn.functional.binary_cross_entropy_with_logits(model(batch), target)"
SCALED = "        batch = (batch - batch.mean(0)) / batch.std(0)\n"
BATCH = "        batch, target = x[rows], y[rows]\n"
BY_HAND = ("p = torch.sigmoid(model(batch))\n"
           "        loss = -(target * p.log() + (1 - target) * (1 - p).log()).mean()")
DISTANCES = """\
torch.manual_seed(0)
x = torch.cat([torch.randn(60, 2), torch.zeros(4, 2)])  # the last four rows are padding
y = x.flip(1)
model = torch.nn.Linear(2, 2, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(20):
    for rows in torch.arange(64).split(16):
        batch, target = x[rows], y[rows]
        loss = (model(batch) - target).pow(2).sum(1).sqrt().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        print(epoch, round(loss.item(), 4))
print(round(loss.item(), 4))
"""
ROOTED = edited(BASE, (LOSS, "((rooted(model(batch)) - target) ** 2).mean()"), ("for epoch", "\ndef rooted(z):\n"
                             "    return torch.where(z > 0, z.sqrt(), z)\n\nfor epoch"))


def steps(noted: dict) -> list[tuple[float, bool]]:
    """For each step, the loss, and whether every gradient is finite."""
    return [(loss, all(isfinite(norm) for norm in one.values())) for loss, one in noted["before the step"]]


def first_ill(noted: dict) -> tuple[float, bool]:
    return next((one for one in steps(noted) if not isfinite(one[0]) or not one[1]), (0., True))


def message(noted: dict) -> str:
    return noted.get("error", [""])[0]


LOOKS = (
    Look("contents", {"before the pass": "contents(batch, target)"}, (
        Outcome("A batch contains NaN, although the weights are finite.",
                lambda noted: any(not isfinite(one[0][0]) for one in noted["before the pass"])),
        Outcome("Every batch is finite.", lambda noted: True)),
        "A warning about degrees of freedom belongs to this measurement, too."),
    Look("drawers", {"before the step": "(round(loss.item(), 4), drawers(model))"}, (
        Outcome("The loss grows by more than a factor of 1000 before the first NaN.",
                lambda noted: max(one[0] for one in steps(noted)[:8]) > 1000 * steps(noted)[0][0]),
        Outcome("The loss is finite in the step in which a gradient is NaN for the first time.",
                lambda noted: first_ill(noted)[0] != 0. and isfinite(first_ill(noted)[0])),
        Outcome("The loss is NaN or infinite first, out of small losses.",
                lambda noted: not isfinite(first_ill(noted)[0])),
        Outcome("Everything is finite.", lambda noted: True)),
        "Look for the first step in which a number is not finite."),
    Look("anomaly", {"start": "torch.autograd.set_detect_anomaly(True)"}, (
        Outcome("The message names `LogBackward0`.", lambda noted: "LogBackward0" in message(noted)),
        Outcome("The message names `PowBackward0`, the node before the root: the root returned infinity, which "
                "isn't NaN yet.", lambda noted: "PowBackward0" in message(noted)),
        Outcome("The message names `SqrtBackward0`: the root itself returned NaN.",
                lambda noted: "SqrtBackward0" in message(noted)),
        Outcome("The message names a node without a root or a logarithm.",
                lambda noted: "Backward0" in message(noted)),
        Outcome("There is no error.", lambda noted: True))),
)

SQUARES = edited(BASE, (LOSS, "((model(batch) - target) ** 2).mean()"))
LINEAR = edited(BASE, ("* 3 + 5", "* 10"), (
    "torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))", "torch.nn.Linear(2, 1)"))

CAUSES = (
    Cause(
        "one-row", "The last batch has one row, and is divided by its spread",
        edited(BASE, (BATCH, BATCH + SCALED)), "nan", "batch.std(0)",
        "65 rows in batches of 16 leave a last batch of one row. The standard deviation of one number is NaN, and "
        "after the step every weight is NaN. PyTorch prints a warning about degrees of freedom, once, among "
        "other warnings.",
        (Remedy("Scale all data once, with the mean and spread of the training data.",
                "keep both numbers: the test data and all later data need them", ((SCALED, ""), (
                    "for epoch", "x = (x - x.mean(0)) / x.std(0)\nfor epoch")), "0.1021"),
         Remedy("Leave out the last, smaller batch.",
                "one row in 65 is never used, and a row still depends on the others in its batch",
                (("split(16)", "split(16)[:-1]"),), "0.4403")), 12),
    Cause(
        "rate", "The learning rate is too large",
        edited(SQUARES, ("lr=0.1", "lr=0.5")), "nan", "lr=0.5",
        "Each step jumps over the minimum and lands farther from it than it was. The loss grows by a factor in "
        "each step until it is infinite, and infinity minus infinity is NaN.",
        (Remedy("Use a smaller learning rate.", "none here; in general, more steps",
                (("lr=0.5", "lr=0.1"),), "0.0005"),
         Remedy("Limit the norm of the gradient before each step.",
                "a limit to choose, and shorter steps wherever the gradient is larger than it",
                (("        optimizer.step()", "        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n"
                  "        optimizer.step()"),), "0.0046")), 11),
    Cause(
        "log", "The logarithm of a probability that has become exactly 0 or 1",
        edited(LINEAR, ("loss = " + LOSS, BY_HAND)), "nan", "(1 - p).log()",
        "As the model learns, its scores grow. From about 17 on, the sigmoid is exactly 1 in float32, so `1 - p` "
        "is 0, its logarithm is minus infinity, and 0 times minus infinity is NaN.",
        (Remedy("Let one function compute the loss from the scores.", "none",
                ((BY_HAND, "loss = " + LOSS),), "0.0008"),
         Remedy("Clamp the probabilities.",
                "the gradient is exactly 0 for a row beyond the limits, even if its prediction is wrong",
                (("(model(batch))", "(model(batch)).clamp(1e-6, 1 - 1e-6)"),), "0.0008")), 12),
    Cause(
        "root", "The root of a distance that is exactly 0",
        DISTANCES, "nan", ".sqrt()",
        "For a row of padding, the prediction equals the target, so the distance is 0. The slope of the root is "
        "infinite there. The squares below it have the slope 0, and infinity times 0 is NaN. The loss of that "
        "step is finite, and the weights are NaN after it.",
        (Remedy("Leave out the rows whose distance is 0 by definition.", "you must know which rows these are",
                (("        batch, target = x[rows], y[rows]\n", "        rows = rows[rows < 60]\n"
                  "        batch, target = x[rows], y[rows]\n"),), "0.6021"),
         Remedy("Keep the sum of squares away from 0 with `clamp(min=1e-12)` before the root.",
                "a distance of 0 counts as a millionth, with the gradient 0",
                ((".sum(1).sqrt()", ".sum(1).clamp(min=1e-12).sqrt()"),), "0.4755")), 12),
    Cause(
        "where", "`torch.where` chooses between two results, and the other one is NaN",
        ROOTED, "nan", "torch.where(",
        "Both alternatives are computed for all numbers before `torch.where` chooses. The root of a negative number "
        "is NaN. The forward pass doesn't choose it, but in the backward pass its slope, NaN, is multiplied by 0, "
        "and the product is NaN.",
        (Remedy("Make the alternative harmless before it is computed.",
                "between 0 and 1e-6, the slope is 0 in place of a large one",
                (("z.sqrt()", "z.clamp(min=1e-6).sqrt()"),), "0.0157"),), 12),
)

NAN = Symptom(
    "nan", "NaN after a while",
    "Training begins well. Then the loss is NaN, and it stays NaN.",
    "nan loss becomes not a number inf infinite after some steps epochs suddenly explode exploding gradient",
    isfinite, "the last loss", LOOKS, CAUSES)
