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
ROOTED = edited(BASE, (LOSS, "((rooted(model(batch)) - target) ** 2).mean()"),
                ("for epoch", "\ndef rooted(z):\n    return torch.where(z > 0, z.sqrt(), z)\n\nfor epoch"))


def steps(noted: dict) -> list[tuple[float, bool]]:
    """For each step, the loss, and whether every gradient is finite."""
    return [(loss, all(isfinite(norm) for norm in one.values())) for loss, one in noted["before the step"]]


def first_ill(noted: dict) -> tuple[float, bool]:
    return next((one for one in steps(noted) if not isfinite(one[0]) or not one[1]), (0., True))


def message(noted: dict) -> str:
    return noted.get("error", [""])[0]


LOOKS = (
    Look("contents", {"before the pass": "contents(batch, target)"}, (
        Outcome("A mean is NaN in some batch.",
                lambda noted: any(not isfinite(one[0][0]) for one in noted["before the pass"])),
        Outcome("Every mean is finite.", lambda noted: True)),
        "Look at the means: a mean of NaN comes from a NaN in the batch. The spread of a single number is "
        "always NaN. Both PyTorch and minigrad then warn about degrees of freedom."),
    Look("drawers", {"before the step": "(round(loss.item(), 4), drawers(model))"}, (
        Outcome("The loss grows by more than a factor of 1000 before the first NaN.",
                lambda noted: max(one[0] for one in steps(noted)[:8]) > 1000 * steps(noted)[0][0]),
        Outcome("In the first step with a NaN, the loss is finite and a gradient is NaN.",
                lambda noted: first_ill(noted)[0] != 0. and isfinite(first_ill(noted)[0])),
        Outcome("In the first step with a NaN, the loss is NaN or infinite, and the losses before were "
                "small.",
                lambda noted: not isfinite(first_ill(noted)[0])),
        Outcome("Everything is finite.", lambda noted: True)),
        "Look for the first step in which a number is NaN or infinite."),
    Look("anomaly", {"start": "torch.autograd.set_detect_anomaly(True)"}, (
        Outcome("The error names `LogBackward0`.", lambda noted: "LogBackward0" in message(noted)),
        Outcome("The error names `PowBackward0`. Here, the square root had returned infinity, and the power "
                "multiplied it by 0.",
                lambda noted: "PowBackward0" in message(noted)),
        Outcome("The error names `SqrtBackward0`. Here, the square root itself returned NaN.",
                lambda noted: "SqrtBackward0" in message(noted)),
        Outcome("The error names another node.",
                lambda noted: "Backward0" in message(noted)),
        Outcome("There is no error.", lambda noted: True))),
)

SQUARES = edited(BASE, (LOSS, "((model(batch) - target) ** 2).mean()"))
LINEAR = edited(BASE, ("* 3 + 5", "* 10"),
                ("torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))",
                 "torch.nn.Linear(2, 1)"))

CAUSES = (
    Cause(
        "one-row", "The last batch has one row, and the program divides by its spread",
        edited(BASE, (BATCH, BATCH + SCALED)), "nan", "batch.std(0)",
        "65 rows in batches of 16 leave a last batch of one row. The standard deviation of one number is "
        "NaN, so after this step every weight is NaN. `std` warns about degrees of freedom, but only once.",
        (Remedy("Scale all data once, with the mean and spread of the training data.",
                "you must store both for the test data and all later data",
                ((SCALED, ""), ("for epoch", "x = (x - x.mean(0)) / x.std(0)\nfor epoch")), "0.1021"),
         Remedy("Leave out the last, smaller batch.",
                "the last row is never used, and each row still depends on the others in its batch",
                (("split(16)", "split(16)[:-1]"),), "0.4403")), 12),
    Cause(
        "rate", "The learning rate is too large",
        edited(SQUARES, ("lr=0.1", "lr=0.5")), "nan", "lr=0.5",
        "Each step overshoots the minimum, and ends farther away from it. The loss grows faster and faster "
        "until it is infinite. Then infinity minus infinity is NaN.",
        (Remedy("Use a smaller learning rate.", "none here; other data may need more steps",
                (("lr=0.5", "lr=0.1"),), "0.0005"),
         Remedy("Limit the norm of the gradient before each step.",
                "you must choose a limit, and every step with a larger gradient becomes shorter",
                (("        optimizer.step()",
                  "        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n"
                  "        optimizer.step()"),), "0.0046")), 11),
    Cause(
        "log", "A logarithm receives a probability that is exactly 0",
        edited(LINEAR, ("loss = " + LOSS, BY_HAND)), "nan", "(1 - p).log()",
        "As the model learns, its scores grow. In float32, the sigmoid of 17 is exactly 1. Then `1 - p` is "
        "0, and its logarithm is minus infinity. The loss multiplies it by `1 - target`, which is 0, and 0 "
        "times infinity is NaN.",
        (Remedy("Let one function compute the loss from the scores.", "none",
                ((BY_HAND, "loss = " + LOSS),), "0.0008"),
         Remedy("Keep the probabilities away from 0 and 1 with `clamp`.",
                "the gradient of a row outside the limits is exactly 0, even if its prediction is wrong",
                (("(model(batch))", "(model(batch)).clamp(1e-6, 1 - 1e-6)"),), "0.0008")), 12),
    Cause(
        "root", "A square root receives a distance that is exactly 0",
        DISTANCES, "nan", ".sqrt()",
        "For a row of padding, the prediction equals the target, so the distance is 0. The slope of a square "
        "root at 0 is infinite. The slope of the squares inside it is 0, and infinity times 0 is NaN. The "
        "loss of this step is finite, but the step makes every weight NaN.",
        (Remedy("Leave out the rows whose distance is 0 by definition.", "you must know which rows these are",
                (("        batch, target = x[rows], y[rows]\n", "        rows = rows[rows < 60]\n"
                  "        batch, target = x[rows], y[rows]\n"),), "0.6021"),
         Remedy("Keep the sum of squares away from 0 with `clamp(min=1e-12)` before the square root.",
                "a distance of 0 becomes 0.000001, with the gradient 0",
                ((".sum(1).sqrt()", ".sum(1).clamp(min=1e-12).sqrt()"),), "0.4755")), 12),
    Cause(
        "where", "`torch.where` discards a NaN, but its gradient is still NaN",
        ROOTED, "nan", "torch.where(",
        "The program computes both alternatives for all numbers before `torch.where` chooses. The square "
        "root of a negative number is NaN, and the forward pass doesn't use it. Its slope is NaN as well. "
        "The backward pass multiplies this slope by 0, and the product is NaN.",
        (Remedy("Clamp the input of the square root, so that it never returns NaN.",
                "the slope is 0 between 0 and 0.000001, where the square root is very steep",
                (("z.sqrt()", "z.clamp(min=1e-6).sqrt()"),), "0.0157"),), 12),
)

NAN = Symptom(
    "nan", "NaN after a while",
    "The training begins well. After some steps the loss is NaN, and it stays NaN.",
    ("nan loss", "loss becomes nan", "loss is nan after some steps", "nan after a few epochs", "loss is inf",
     "loss explodes", "exploding gradient", "weights are nan"),
    isfinite, "the last loss", LOOKS, CAUSES)
