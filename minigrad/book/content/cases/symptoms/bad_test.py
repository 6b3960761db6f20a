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
        Outcome("The training inputs and the test inputs have very different means.",
                lambda noted: abs(noted["end"][0][0][0] - noted["end"][0][1][0]) > 2),
        Outcome("The training labels and the test labels have different means.",
                lambda noted: abs(noted["end"][0][2][0] - noted["end"][0][3][0]) > 0.2),
        Outcome("The means and the spreads of training and test are similar.", lambda noted: True)),
        "The order is: training inputs, test inputs, training labels, test labels."),
    Look("again", {"end": "(again(model, lambda: accuracy(train_x, train_y)), again(model, lambda: "
                          "sum(accuracy(test_x[test_y == k], test_y[test_y == k]) for k in (0, 1)) / 2))"}, (
        Outcome("On the training rows, the accuracy is high in training mode and low in evaluation mode.",
                lambda noted: told(noted)[0][0] > told(noted)[0][1] + 0.15),
        Outcome("On the test rows, the accuracy is low in training mode and high in evaluation mode.",
                lambda noted: told(noted)[1][1] > 0.75 > told(noted)[1][0] + 0.1),
        Outcome("In evaluation mode, the test accuracy is no better than guessing (here 0.5).",
                lambda noted: abs(told(noted)[1][1] - 0.5) < 0.05),
        Outcome("In evaluation mode, the test accuracy is better than guessing and worse than in training.",
                lambda noted: True)),
        "Measure the accuracy of the training rows and of the test rows, each in both modes."),
)

CAUSES = (
    Cause(
        "unscaled", "The training inputs are scaled, and the test inputs aren't",
        edited(HEALTHY, (SCALE_TEST, "")), "test: 0.5", "train_x = (train_x - mean) / std",
        "After this line, the training inputs have mean 0 and spread 1. The test inputs still have a mean of "
        "about 20. The model has never seen such inputs, and gives the same answer for all of them.",
        (Remedy("Scale the test inputs with the mean and the spread of the training inputs.",
                "you must store both with the model, because every later input needs them",
                ((SCALE_TRAIN, SCALE_TRAIN + SCALE_TEST),), "test: 0.824"),
         Remedy("Scale the test inputs with their own mean and spread.",
                "the answer for a row depends on the other test rows, and a single row can't be scaled",
                ((SCALE_TRAIN, SCALE_TRAIN + "test_x = (test_x - test_x.mean(0)) / test_x.std(0)\n"),),
                "test: 0.81")), None),
    Cause(
        "sorted", "The rows are sorted by class, and the first ones are for training",
        edited(HEALTHY, ("y = torch.arange(600) % 2", "y = (torch.arange(600) >= 300).long()"),
               ("torch.randperm(600)", "torch.arange(600)")), "test: 0.5", "rows = torch.arange(600)",
        "All rows of class 0 come before the rows of class 1. So the 200 training rows are all of class 0, "
        "and the model learns to answer 0 for every input.",
        (Remedy("Shuffle the rows before the split.",
                "rows that belong together, such as those of one person, may end up in both parts",
                (("rows = torch.arange(600)", "rows = torch.randperm(600)"),), "test: 0.88"),), None),
    Cause(
        "mode", "The test runs in training mode",
        edited(HEALTHY, (EVAL, "each")), "test: 0.52", "each = ",
        "Without `model.eval()`, BatchNorm subtracts the mean of the rows that it is given. This test gives "
        "it one class at a time, so BatchNorm removes the difference between the classes.",
        (Remedy("Call `model.eval()` before the test.",
                "you must call `model.train()` before you train again",
                (("each = ", EVAL + " = "),), "test: 0.824"),), 10),
    Cause(
        "lag", "BatchNorm's running statistics are still far from those of the data",
        edited(UNSCALED, ("BatchNorm1d(16)", "BatchNorm1d(16, momentum=0.01)")), "test: 0.5", "momentum=0.01",
        "In evaluation mode, BatchNorm uses a running mean and variance. With `momentum=0.01`, each training "
        "step moves them by a hundredth of the way from where they are to the statistics of the batch. They "
        "start at 0 and 1. After 40 steps, they have gone a third of the way. The model doesn't use them in "
        "training mode, so the training loss doesn't show this.",
        (Remedy("Use PyTorch's default, `momentum=0.1`.", "the statistics depend more on the last batches",
                ((", momentum=0.01", ""),), "test: 0.795"),
         Remedy("Scale the inputs, so that the statistics start near those of the data.",
                "you must store the mean and the spread of the training data",
                (("model = ", SCALE_TRAIN + SCALE_TEST + "model = "),), "test: 0.811")), None),
    Cause(
        "apart", "The test inputs and the test labels are shuffled apart",
        edited(HEALTHY, (SCALE_TEST, SCALE_TEST + "test_x = test_x[torch.randperm(len(test_x))]\n")),
        "test: 0.479", "test_x[torch.randperm",
        "The inputs have a new order, and the labels have the old one. The mean and the spread don't depend "
        "on the order, so they don't show this.",
        (Remedy("Use the same order for both.", "none",
                (("test_x = test_x[torch.randperm(len(test_x))]\n", "order = torch.randperm(len(test_x))\n"
                  "test_x, test_y = test_x[order], test_y[order]\n"),), "test: 0.835"),), None),
    Cause(
        "few", "There are too few rows for so many weights",
        edited(HEALTHY, ("train_x, train_y = x[rows[:200]], y[rows[:200]]",
                         "train_x, train_y = x[rows[:16]], y[rows[:16]]")), "test: 0.686", "rows[:16]",
        "This isn't a bug. The model has 210 weights and only 16 training rows, so it also fits the noise in "
        "these rows.",
        (Remedy("Train on more rows.", "you need 184 more rows with labels",
                (("rows[:16]], y[rows[:16]]", "rows[:200]], y[rows[:200]]"),), "test: 0.824"),), None),
)

BAD_TEST = Symptom(
    "bad-test", "Good in training, bad in the test",
    "The accuracy on the training rows is high. On the test rows it is much lower, and perhaps no better "
    "than guessing.",
    ("overfitting", "does not generalize", "train accuracy high test accuracy low", "validation accuracy low",
     "good training bad validation", "generalization gap", "worse in eval mode", "test accuracy is random"),
    lambda accuracy: accuracy > 0.75, "the test accuracy", LOOKS, CAUSES)
