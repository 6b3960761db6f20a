"""Fine until I added something: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
torch.manual_seed(0)
x = torch.randn(200, 4)
y = (x[:, 0] + x[:, 1] > 0).long() + (x[:, 2] > 0).long()
train_x, train_y, test_x, test_y = x[:100], y[:100], x[100:], y[100:]
model = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

def loss_of(x, y):
    return torch.nn.functional.cross_entropy(model(x), y)

for step in range(100):
    loss = loss_of(train_x, train_y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
print(round(loss_of(test_x, test_y).item(), 4))
"""
LINES = "    loss = loss_of(train_x, train_y)\n    optimizer.zero_grad()\n    loss.backward()\n"
IN_PARTS = ("    optimizer.zero_grad()\n    for part in torch.arange(100).split(5):\n"
            "        loss = loss_of(train_x[part], train_y[part])\n        loss.backward()\n")
AVERAGED = ("    optimizer.step()\n    for mean, p in zip(average, model.parameters()):\n"
            "        mean.mul_(0.7).add_(0.3 * p.detach())\n")
LOWEST = "lowest = float('inf')\nfor step"
BEST = """\
    optimizer.step()
    with torch.no_grad():
        found = loss_of(check_x, check_y).item()
    if found < lowest:
        lowest, best = found, model.state_dict()
"""
SMALL = edited(HEALTHY, ("train_x, train_y, test_x, test_y = x[:100], y[:100],",
                         "check_x, check_y = x[50:100], y[50:100]\n"
                         "train_x, train_y, test_x, test_y = x[:20], y[:20],"),
               ("    optimizer.step()\n", BEST), ("for step", LOWEST), ("range(100)", "range(300)"),
               ("model.eval()", "model.load_state_dict(best)"))
SOFTMAX, DROPOUT = ", torch.nn.Softmax(1))", ", torch.nn.Dropout(0.8)"
WITH_DROPOUT = edited(HEALTHY, ("torch.nn.ReLU()", "torch.nn.ReLU()" + DROPOUT), ("model.eval()\n", ""))
NOISE = "    batch = train_x\n    batch += 0.2 * torch.randn(100, 4)\n    loss = loss_of(batch, train_y)"
COPY = "{name: kept.clone() for name, kept in model.state_dict().items()}"
WEIGHT = "model[0].weight"
NUDGE = f"nudge(lambda: loss_of(train_x, train_y), {WEIGHT})"


def nudges(noted: dict) -> list[float]:
    """Two nudges and the drawer, in the first step."""
    return noted["before the step"][0]


def writes(noted: dict) -> float:
    """How often the weight was written in place in a step."""
    versions, steps = noted["end"][0]
    return versions[1][0] // steps


def shared(noted: dict) -> bool:
    """Whether another tensor has the address of the weight."""
    return noted["end"][0][0][1][1] > 1


LOOKS = (
    Look("overfit", {"end": "overfit(loss_of, optimizer, train_x, train_y)"}, (
        Outcome("The loss of four points doesn't fall below 0.5.", lambda noted: noted["end"][0] > 0.5),
        Outcome("The loss of four points falls below 0.2.", lambda noted: noted["end"][0] < 0.2))),
    Look("nudge", {"before the step": f"({NUDGE}, {NUDGE}, round({WEIGHT}.grad.view(-1)[0].item(), 3))"}, (
        Outcome("The drawer contains a multiple of the nudge: here, about 20 times the nudge.",
                lambda noted: abs(20 * nudges(noted)[0] - nudges(noted)[2]) < 0.02 < abs(nudges(noted)[2])),
        Outcome("The two nudges differ from each other.",
                lambda noted: abs(nudges(noted)[0] - nudges(noted)[1]) > 0.01),
        Outcome("The two nudges and the drawer are nearly the same.",
                lambda noted: max(nudges(noted)) - min(nudges(noted)) < 0.01)),
        "Take the nudge twice, and compare both with the drawer, here for the first step."),
    Look("again", {"end": "again(model, lambda: loss_of(test_x, test_y))"}, (
        Outcome("In training mode, the loss is different each time, and in evaluation mode it is smaller.",
                lambda noted: noted["end"][0]["train"][0] != noted["end"][0]["train"][1]
                and min(noted["end"][0]["train"]) > max(noted["end"][0]["eval"])),
        Outcome("The loss is the same four times.",
                lambda noted: len({*noted["end"][0]["train"], *noted["end"][0]["eval"]}) == 1))),
    Look("versions", {"end": "(versions(train_x, model[0].weight), step + 1)"}, (
        Outcome("The first tensor, the data, was written in place.",
                lambda noted: noted["end"][0][0][0][0] > 0),
        Outcome("A copy has the address of the weight, and the weight was written three times in each step.",
                lambda noted: shared(noted) and writes(noted) == 3),
        Outcome("A copy has the address of the weight, and the weight was written once in each step.",
                lambda noted: shared(noted) and writes(noted) == 1),
        Outcome("The data weren't written in place, and each tensor has an address of its own.",
                lambda noted: True)),
        "Pass every copy that the script makes as well, such as `average[0]` or `best['0.weight']`, and "
        "divide the number of writes by the number of steps.",
        {"average": {"end": "(versions(train_x, model[0].weight, average[0]), step + 1)"},
         "best": {"end": "(versions(train_x, model[0].weight, best['0.weight']), step + 1)"}}),
)

CAUSES = (
    Cause(
        "softmax", "You added a softmax at the end of the model",
        edited(HEALTHY, ("Linear(32, 3))", "Linear(32, 3)" + SOFTMAX)), "0.7019", "torch.nn.Softmax(1)",
        "`cross_entropy` expects scores and computes the softmax itself. With a softmax at the end of the "
        "model, the scores are between 0 and 1. With three classes, the loss then can't fall below log(1 + "
        "2/e), which is 0.5514.",
        (Remedy("Remove the softmax from the model.",
                "you must compute the softmax yourself where you need probabilities",
                ((SOFTMAX, ")"),), "0.1318"),
         Remedy("Keep the softmax, and use the negative logarithm of its result as the loss.",
                "the loss is infinite as soon as a probability is exactly 0",
                (("cross_entropy(model(x), y)", "nll_loss(model(x).log(), y)"),), "0.1318"))),
    Cause(
        "parts", "You added a loop over parts of the batch",
        edited(HEALTHY, (LINES, IN_PARTS)), "1.1645", "loss.backward()",
        "Each of the 20 backward passes adds to the drawers. The sum of 20 means is 20 times the mean over "
        "the whole batch. The effect is that of a learning rate of 10 instead of 0.5.",
        (Remedy("Divide each loss by the number of parts.", "correct only if all parts have the same size",
                (("train_y[part])", "train_y[part]) / 20"),), "0.1318"),
         Remedy("Divide the learning rate by the number of parts.",
                "correct for plain SGD, but not with weight decay or clipping",
                (("lr=0.5", "lr=0.5 / 20"),), "0.1318")), exact=False),
    Cause(
        "dropout", "You added a dropout layer",
        WITH_DROPOUT, "0.559", "torch.nn.Dropout(0.8)",
        "The test runs in training mode, so dropout also sets about four of five numbers to 0 in the test. "
        "The two nudges differ because each call of the model draws a new mask. The nudges of a healthy "
        "script with dropout differ as well.",
        (Remedy("Call `model.eval()` before the test.",
                "you must call `model.train()` before you train again",
                (("print(round(loss_of(test_x", "model.eval()\nprint(round(loss_of(test_x"),), "0.3946"),)),
    Cause(
        "noise", "You added noise to the data",
        edited(HEALTHY, ("    loss = loss_of(train_x, train_y)", NOISE)), "0.9679", "batch += ",
        "`batch = train_x` gives the same tensor a second name, and `+=` writes into its memory. The noise "
        "of every step stays in the data. After 100 steps, its spread is about twice that of the data.",
        (Remedy("Compute a new tensor.", "memory for another batch",
                (("    batch = train_x\n    batch += 0.2", "    batch = train_x + 0.2"),), "0.1504"),)),
    Cause(
        "average", "You added a running average of the weights",
        edited(HEALTHY, ("for step", "average = [p.detach() for p in model.parameters()]\nfor step"),
               ("    optimizer.step()\n", AVERAGED)), "0.8925", "p.detach() for p in",
        "`detach()` returns a tensor that shares the memory of the weight. So every write to the average "
        "also changes the weight, and each step makes all weights smaller by nine percent. The gradients are "
        "correct for these weights, so the nudge and the drawer agree.",
        (Remedy("Copy the weights.", "memory for another copy of the weights",
                (("p.detach() for p in", "p.detach().clone() for p in"),), "0.1318"),)),
    Cause(
        "best", "You added code that stores the best weights",
        SMALL, "0.7918", "best = found, model.state_dict()",
        "`state_dict()` returns tensors that share the memory of the weights. They change in every later "
        "step, so the program loads the last weights at the end. (There are only 20 training rows, so the "
        "last weights aren't the best.)",
        (Remedy("Copy the tensors.", "memory for another copy of the weights, and time to copy them at each "
                                     "new best loss",
                (("model.state_dict()\n", COPY + "\n"),), "0.54"),)),
)

ADDED = Symptom(
    "added", "Fine until I added ...",
    "The script worked. You added something small, and now the test loss is worse. There is no error.",
    ("worked before", "worse after adding", "softmax before cross_entropy", "worse with dropout",
     "data augmentation makes it worse",
     "gradient accumulation gives different results", "ema of the weights",
     "early stopping loads the wrong weights"),
    lambda loss: loss < 0.55, "the test loss", LOOKS, CAUSES,
    note="To see what an addition changes, remove it again, and compare the loss and the gradients of the "
         "first step.")
