"""The test loss jumps: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
torch.manual_seed(0)
x = torch.randn(200, 4)
y = x[:, :1] - 2 * x[:, 1:2] + 0.3 * torch.randn(200, 1)
train_x, train_y, test_x, test_y = x[:100], y[:100], x[100:], y[100:]
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
losses = []
for step in range(300):
    loss = ((model(train_x) - train_y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        rows = torch.arange(100)
        losses.append(((model(test_x[rows]) - test_y[rows]) ** 2).mean().item())
print(round(max(losses[-50:]) - min(losses[-50:]), 4))
"""


def last_norm(noted: dict) -> float:
    """The norm of the largest gradient, as a mean over the last ten steps."""
    return sum(max(norm or 0. for norm in one.values()) for one in noted["before the step"][-10:]) / 10


TEST = "        rows = torch.arange(100)\n"

LOOKS = (
    Look("fingerprint", {"after the step": "fingerprint(test_x[rows])"}, (
        Outcome("The test uses different rows in each step.",
                lambda noted: noted["after the step"][0] != noted["after the step"][1]),
        Outcome("The test uses the same rows in each step.", lambda noted: True)),
         "Compare the numbers of two steps."),
    Look("again", {"end": "again(model, lambda: ((model(test_x) - test_y) ** 2).mean())"}, (
        Outcome("In evaluation mode, the two test losses are the same. In training mode, they differ.",
                lambda noted: noted["end"][0]["train"][0] != noted["end"][0]["train"][1]),
        Outcome("In each mode, the two test losses are the same.", lambda noted: True)),
         "Then print `model.training` in the test of the script, to see in which mode it runs."),
    Look("drawers", {"before the step": "drawers(model)"}, (
        Outcome("The gradients have stayed large.",
                lambda noted: last_norm(noted) > 0.3),
        Outcome("The gradients have become small.", lambda noted: True)),
         "Compare the first steps with the last ones."),
)

CAUSES = (
    Cause(
        "dropout", "The test runs in training mode",
        edited(HEALTHY, ("torch.nn.ReLU(), ", "torch.nn.ReLU(), torch.nn.Dropout(0.3), ")), "0.3603",
        "with torch.no_grad():",
        "In training mode, dropout sets different numbers to 0 in each call of the model, also in the test. "
        "`no_grad()` doesn't change this, because it switches off recording, and not dropout.",
        (Remedy("Call `model.eval()` before the test, and `model.train()` after it.", "none",
                (("    with torch.no_grad():", "    model.eval()\n    with torch.no_grad():"),
                 ("    loss = (", "    model.train()\n    loss = (")), "0.0415"),), 10),
    Cause(
        "few", "Each test uses ten other rows",
        edited(HEALTHY, (TEST, "        rows = torch.randperm(100)[:10]\n")), "0.3074",
        "torch.randperm(100)[:10]",
        "The mean over ten rows depends on which rows they are. The model hardly changes from step to step, "
        "but the rows of the test change.",
        (Remedy("Test on all rows.", "ten times as much work for each test",
                (("torch.randperm(100)[:10]", "torch.arange(100)"),), "0.0007"),
         Remedy("Use the same ten rows in every test.",
                "the loss of ten rows can be far from the loss of all rows",
                (("torch.randperm(100)[:10]", "torch.arange(10)"),), "0.0045"))),
    Cause(
        "rate", "The learning rate is a little too large",
        edited(HEALTHY, ("lr=0.05", "lr=0.3")), "0.1599", "lr=0.3",
        "Each step overshoots the minimum, so the weights keep moving back and forth. The test loss is "
        "measured correctly: the model changes that much from step to step.",
        (Remedy("Use a smaller learning rate.", "none here; other data may need more steps",
                (("lr=0.3", "lr=0.05"),), "0.0007"),
         Remedy("Multiply the rate by 0.98 in each step.",
                "you must choose this factor; too small a factor stops the training early",
                (("    optimizer.step()\n",
                  "    optimizer.step()\n    optimizer.param_groups[0]['lr'] *= 0.98\n"),),
                "0.0")), 9),
)

JUMPS = Symptom(
    "jumps", "The test loss jumps",
    "The test loss goes up and down from one test to the next, and doesn't settle.",
    ("validation loss jumps", "test loss fluctuates", "noisy validation loss", "loss oscillates",
     "loss unstable", "loss spikes", "loss goes up and down"),
    lambda far: far < 0.1, "the difference between the highest and the lowest of the last 50 test "
                           "losses", LOOKS, CAUSES)
