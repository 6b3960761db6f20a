"""The loss doesn't fall: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
torch.manual_seed(0)
x = torch.linspace(-1, 1, 9).unsqueeze(1)
y = 3 * x.squeeze(1) + 0.5
model = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def predict(x):
    return model(x).squeeze(1)

def loss_of(x, y):
    return ((predict(x) - y) ** 2).mean()

for step in range(100):
    loss = loss_of(x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(step, round(loss.item(), 4))
print(round(loss_of(x, y).item(), 4))
"""
IN_ORDER = "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()"
TOO_EARLY = "    loss.backward()\n    optimizer.zero_grad()\n    optimizer.step()"


def norms(drawers: dict) -> list[float]:
    return [norm or 0. for norm in drawers.values()]


LOOKS = (
    Look("shapes", {"end": "shapes(predict(x), y, predict(x) - y)"}, (
        Outcome("The difference has the shape of the target.",
                lambda noted: noted["end"][0][2][0] == noted["end"][0][1][0]),
        Outcome("The shape of the difference isn't that of the target: here, broadcasting has made it (9, "
                "9).",
                lambda noted: noted["end"][0][2][0] == (9, 9)))),
    Look("drawers", {"before the step": "drawers(model)"}, (
        Outcome("Every drawer is `None` in every step.",
                lambda noted: all(norm is None for one in noted["before the step"] for norm in one.values())),
        Outcome("Every gradient is 0 in every step.",
                lambda noted: all(norm == 0. for one in noted["before the step"] for norm in one.values())),
        Outcome("The first gradients are large, and the last ones are 0.",
                lambda noted: norms(noted["before the step"][0])[0] > 0.1
                and norms(noted["before the step"][-1])[:3] == [0., 0., 0.]),
        Outcome("The norms grow in every step.",
                lambda noted: noted["before the step"][-1]["2.bias"]
                > 50 * noted["before the step"][0]["2.bias"]),
        Outcome("The gradients are neither `None` nor 0.",
                lambda noted: min(norms(noted["before the step"][0])) > 0))),
    Look("moved", {"start": "old = {name: p.detach().clone() for name, p in model.named_parameters()}",
                   "end": "moved(model, optimizer, old)"}, (
        Outcome("No weight has moved, and the optimizer holds none of them.",
                lambda noted: all(one == (0., None) for one in noted["end"][0].values())),
        Outcome("No weight has moved, although the optimizer holds all of them.",
                lambda noted: all(far == 0. and rate for far, rate in noted["end"][0].values())),
        Outcome("Every weight has moved, but by less than 0.01 in 100 steps.",
                lambda noted: all(0 < far < 0.01 for far, _ in noted["end"][0].values())),
        Outcome("Every weight has moved by more than 0.1.",
                lambda noted: all(far > 0.1 for far, _ in noted["end"][0].values())))),
)

CAUSES = (
    Cause(
        "broadcast", "The prediction and the target have different shapes",
        edited(HEALTHY, ("model(x).squeeze(1)", "model(x)")), "3.7501", "((predict(x) - y) ** 2).mean()",
        "`predict(x)` has the shape (9, 1) and `y` the shape (9,), so broadcasting subtracts every target "
        "from every prediction. The mean of these 81 squares is smallest when every prediction is the mean "
        "of the targets. The loss falls to their variance, 3.75, and stays there. The gradients are those of "
        "this loss, which isn't the loss you want.",
        (Remedy("Remove the dimension of size 1 from the prediction.", "none",
                (("    return model(x)\n", "    return model(x).squeeze(1)\n"),), "0.0096"),
         Remedy("Give the target the dimension of the prediction.",
                "everything else that reads `y` must expect the shape (9, 1)",
                (("y = 3 * x.squeeze(1) + 0.5", "y = 3 * x + 0.5"),), "0.0096")), 12),
    Cause(
        "zeroed", "`zero_grad()` removes the gradients before the step",
        edited(HEALTHY, (IN_ORDER, TOO_EARLY)), "3.2764", "optimizer.zero_grad()",
        "`optimizer.zero_grad()` comes after the backward pass and before the step. It sets every `.grad` to "
        "`None`, and a step skips a weight whose `.grad` is `None`.",
        (Remedy("Call `zero_grad()` before the backward pass.", "none", ((TOO_EARLY, IN_ORDER),), "0.0096"),
         Remedy("Call `zero_grad()` after the step.",
                "you can't look at the gradients between two steps",
                ((TOO_EARLY, "    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()"),),
                "0.0096")), 9),
    Cause(
        "rounded", "The prediction is rounded",
        edited(HEALTHY, ("model(x).squeeze(1)", "model(x).squeeze(1).round()")), "4.0", ".round()",
        "A rounded number doesn't change when its input changes a little. So the slope of `round()` is 0 "
        "wherever it exists. The backward pass multiplies by this slope, and every gradient is 0. `floor()` "
        "and `ceil()` have the same effect.",
        (Remedy("Train on the prediction itself, and round only what you report.",
                "the loss and the number you report are two different numbers",
                ((".squeeze(1).round()", ".squeeze(1)"),), "0.0096"),), 12),
    Cause(
        "dead", "A large step has switched off every ReLU",
        edited(HEALTHY, ("lr=0.1", "lr=0.5")), "3.75", "lr=0.5",
        "The first steps are so large that the input of every ReLU becomes negative for all nine points. The "
        "ReLUs return 0 and have the slope 0, so no gradient reaches the first layer again. Only the last "
        "bias still changes, until it is the mean of the targets.",
        (Remedy("Use a smaller learning rate.", "none here; on other data, more steps may be needed",
                (("lr=0.5", "lr=0.1"),), "0.0096"),
         Remedy("Limit the norm of the gradient before each step.",
                "you must choose a limit, and every step with a larger gradient becomes shorter",
                (("    optimizer.step()", "    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.3)\n"
                  "    optimizer.step()"),), "0.0162")), 11),
    Cause(
        "copied", "The optimizer holds the weights of another model",
        edited(HEALTHY, ("torch.manual_seed(0)", "import copy\n\ntorch.manual_seed(0)"),
               ("lr=0.1)\n", "lr=0.1)\nmodel = copy.deepcopy(model)  # keep the original as it is\n")),
        "3.2764", "copy.deepcopy(model)",
        "The optimizer holds the weights of the first model, and the loop computes the loss of the copy. So "
        "the step moves no weight of the copy. `zero_grad()` doesn't empty the drawers of the copy either, "
        "so each drawer contains the sum of all gradients so far.",
        (Remedy("Create the optimizer after the last change of the model.", "none",
                (("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n", ""),
                 ("as it is\n", "as it is\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n")),
                "0.0096"),),
        9),
    Cause(
        "rate", "The learning rate is far too small",
        edited(HEALTHY, ("lr=0.1", "lr=1e-5")), "3.2713", "lr=1e-5",
        "Only the size of the steps is wrong. The loss falls in every step, but by about 0.00005. A log with "
        "two decimal places shows the same number each time.",
        (Remedy("Use a larger learning rate.",
                "a rate that is too large switches off ReLUs or gives NaN, so try several",
                (("lr=1e-5", "lr=0.1"),), "0.0096"),
         Remedy("Use Adam, which scales the step of each weight, with a learning rate of 0.1.",
                "Adam stores two more numbers for each weight",
                (("SGD(model.parameters(), lr=1e-5)", "Adam(model.parameters(), lr=0.1)"),), "0.0014")), 9),
)

FLAT = Symptom(
    "flat-loss", "The loss doesn't fall",
    "The script runs without an error. The loss stays the same, or it soon stops falling and is still large.",
    ("flat loss", "loss stuck", "loss not decreasing", "loss constant", "loss plateau",
     "model does not learn", "model is not training", "nothing happens"),
    lambda loss: loss < 0.05, "the loss after training", LOOKS, CAUSES)
