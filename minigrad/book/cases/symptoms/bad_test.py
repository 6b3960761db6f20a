"""Good in training, bad in the test: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
torch.manual_seed(0)
y = torch.arange(600) % 2
x = torch.randn(600, 8) * 4 + 20
x[:, 0] += 8 * y
rows = torch.randperm(600)
train_x, train_y = x[rows[:200]], y[rows[:200]]
test_x, test_y = x[rows[200:]], y[rows[200:]]
mean, std = train_x.mean(0), train_x.std(0)
train_x = (train_x - mean) / std
test_x = (test_x - mean) / std
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(),
                            torch.nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def accuracy(x, y):
    return (model(x).argmax(1) == y).float().mean().item()

for step in range(40):
    loss = torch.nn.functional.cross_entropy(model(train_x), train_y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("training:", round(accuracy(train_x, train_y), 3))
model.eval()
each = [accuracy(test_x[test_y == label], test_y[test_y == label]) for label in (0, 1)]
print("test:", round(sum(each) / 2, 3))
"""
SCALE_TRAIN, SCALE_TEST = "train_x = (train_x - mean) / std\n", "test_x = (test_x - mean) / std\n"
UNSCALED = edited(HEALTHY, (SCALE_TRAIN, ""), (SCALE_TEST, ""))
EVAL = "model.eval()\neach"


def told(noted: dict) -> tuple[list[float], list[float]]:
    """What the second measurement noted of the training rows and of the test rows: in train, in eval."""
    train, test = (one for one in noted["end"][0])
    return [train["train"][0], train["eval"][0]], [test["train"][0], test["eval"][0]]


LOOKS = (
    Look("contents", {"end": "contents(train_x, test_x, train_y, test_y)"}, (
        Outcome("The training inputs and the test inputs have very different means or spreads.",
                lambda noted: abs(noted["end"][0][0][0] - noted["end"][0][1][0]) > 2),
        Outcome("The training labels and the test labels have different means.",
                lambda noted: abs(noted["end"][0][2][0] - noted["end"][0][3][0]) > 0.2),
        Outcome("Means and spreads are nearly the same.", lambda noted: True)),
        "Compare the training rows with the test rows, first for the inputs and then for the labels."),
    Look("again", {"end": "(again(model, lambda: accuracy(train_x, train_y)), again(model, lambda: "
                          "sum(accuracy(test_x[test_y == k], test_y[test_y == k]) for k in (0, 1)) / 2))"}, (
        Outcome("On the training rows, the accuracy is high in training mode and low in evaluation mode.",
                lambda noted: told(noted)[0][0] > told(noted)[0][1] + 0.15),
        Outcome("On the test rows, the accuracy is low in training mode and high in evaluation mode.",
                lambda noted: told(noted)[1][1] > 0.75 > told(noted)[1][0] + 0.1),
        Outcome("In evaluation mode, the test accuracy is that of guessing: here, about 0.5.",
                lambda noted: abs(told(noted)[1][1] - 0.5) < 0.05),
        Outcome("In evaluation mode, the test accuracy is better than guessing and worse than in training.",
                lambda noted: True)),
        "Measure the accuracy of the training rows and of the test rows, each in both modes."),
)

CAUSES = (
    Cause(
        "unscaled", "The test inputs are not scaled as the training inputs are",
        edited(HEALTHY, (SCALE_TEST, "")), "test: 0.5", "model.eval()",
        "The training inputs have mean 0 and spread 1, and the test inputs have mean 20 and spread 4. The model "
        "has never seen such inputs, and gives all of them the same answer.",
        (Remedy("Scale the test inputs with the mean and the spread of the training inputs.",
                "keep both numbers with the model: every later input needs them",
                ((SCALE_TRAIN, SCALE_TRAIN + SCALE_TEST),), "test: 0.824"),
         Remedy("Scale the test inputs with their own mean and spread.",
                "the answer for a row depends on the other test rows; a single row can't be scaled",
                ((SCALE_TRAIN, SCALE_TRAIN + "test_x = (test_x - test_x.mean(0)) / test_x.std(0)\n"),),
                "test: 0.81")), None),
    Cause(
        "sorted", "The rows are sorted, and the first ones are for training",
        edited(HEALTHY, ("y = torch.arange(600) % 2", "y = (torch.arange(600) >= 300).long()"),
               ("torch.randperm(600)", "torch.arange(600)")), "test: 0.5", "rows = torch.arange(600)",
        "The file has all rows of class 0 before those of class 1. The first 200 rows are all of class 0, so the "
        "model learns to answer 0, whatever the input is.",
        (Remedy("Shuffle the rows before the split.",
                "rows that belong together, such as those of one patient, may end up on both sides",
                (("rows = torch.arange(600)", "rows = torch.randperm(600)"),), "test: 0.88"),), None),
    Cause(
        "mode", "The test runs in training mode",
        edited(HEALTHY, (EVAL, "each")), "test: 0.52", "each = ",
        "Without `model.eval()`, BatchNorm subtracts the mean of the rows that it is given. This test measures "
        "each class by itself, so BatchNorm removes what tells the classes apart. Calling the model twice doesn't "
        "show this: BatchNorm gives the same answer both times.",
        (Remedy("Call `model.eval()` before the test.", "call `model.train()` before training goes on",
                (("each = ", EVAL + " = "),), "test: 0.824"),), 10),
    Cause(
        "lag", "BatchNorm's running statistics have not arrived yet",
        edited(UNSCALED, ("BatchNorm1d(16)", "BatchNorm1d(16, momentum=0.01)")), "test: 0.5", "momentum=0.01",
        "In evaluation mode, BatchNorm uses a running mean and variance. Each training step moves them by a "
        "hundredth of the way, so after 40 steps they are a third of the way from 0 and 1 to those of the data. "
        "In training mode, the model never uses them, so the training loss doesn't show it.",
        (Remedy("Use PyTorch's own momentum, 0.1.", "the statistics follow the last batches more closely",
                ((", momentum=0.01", ""),), "test: 0.795"),
         Remedy("Scale the inputs, so that the statistics start near their goal.",
                "the mean and spread of the training data must be kept",
                (("model = ", SCALE_TRAIN + SCALE_TEST + "model = "),), "test: 0.811")), None),
    Cause(
        "apart", "The test inputs and the test labels are shuffled apart",
        edited(HEALTHY, (SCALE_TEST, SCALE_TEST + "test_x = test_x[torch.randperm(len(test_x))]\n")),
        "test: 0.479", "test_x[torch.randperm",
        "The inputs are in a new order, and the labels in the old one. No statistic of either shows that, because "
        "both contain what they contained before. The accuracy is that of guessing.",
        (Remedy("Use the same order for both.", "none",
                (("test_x = test_x[torch.randperm(len(test_x))]\n", "order = torch.randperm(len(test_x))\n"
                  "test_x, test_y = test_x[order], test_y[order]\n"),), "test: 0.835"),), None),
    Cause(
        "few", "There are too few rows for so many weights",
        edited(HEALTHY, ("train_x, train_y = x[rows[:200]], y[rows[:200]]",
                         "train_x, train_y = x[rows[:16]], y[rows[:16]]")), "test: 0.686", "rows[:16]",
        "This is no bug. 16 rows don't determine 210 weights, so the model fits the chance in these rows, too. "
        "No measurement of the gradients shows anything unusual.",
        (Remedy("Train on more rows.", "184 more rows with labels",
                (("rows[:16]], y[rows[:16]]", "rows[:200]], y[rows[:200]]"),), "test: 0.824"),), None),
)

BAD_TEST = Symptom(
    "bad-test", "Good in training, bad in the test",
    "The training accuracy is high, and the accuracy on the test rows is much lower, perhaps no better than guessing.",
    "overfitting generalization validation test accuracy loss low train high gap eval worse evaluation",
    lambda accuracy: accuracy > 0.75, "the test accuracy", LOOKS, CAUSES)
