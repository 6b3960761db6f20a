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

for step in range(200):
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
                         "train_x, train_y, test_x, test_y = x[:20], y[:20],"), ("    optimizer.step()\n", BEST),
               ("for step", LOWEST), ("range(200)", "range(500)"), ("model.eval()", "model.load_state_dict(best)"))
SOFTMAX, DROPOUT = ", torch.nn.Softmax(1))", ", torch.nn.Dropout(0.8)"
WITH_DROPOUT = edited(HEALTHY, ("torch.nn.ReLU()", "torch.nn.ReLU()" + DROPOUT), ("model.eval()\n", ""))
NOISE = "    batch = train_x\n    batch += 0.2 * torch.randn(100, 4)\n    loss = loss_of(batch, train_y)"
COPY = "{name: kept.clone() for name, kept in model.state_dict().items()}"
WEIGHT = "model[0].weight"

LOOKS = (
    Look("overfit", {"end": "overfit(loss_of, optimizer, train_x, train_y)"}, (
        Outcome("The loss of four points doesn't fall below 0.5.", lambda noted: noted["end"][0] > 0.5),
        Outcome("The loss of four points falls close to 0.", lambda noted: noted["end"][0] < 0.05))),
    Look("nudge", {"before the step": f"(nudge(lambda: loss_of(train_x, train_y), {WEIGHT}), "
                                      f"round({WEIGHT}.grad.view(-1)[0].item(), 3))"}, (
        Outcome("The drawer contains a multiple of the nudge: here, 20 times as much.",
                lambda noted: abs(20 * noted["before the step"][0][0] - noted["before the step"][0][1]) < 0.02
                and abs(noted["before the step"][0][1]) > 0.2),
        Outcome("The nudge differs from the drawer, and from itself when it is repeated.",
                lambda noted: abs(noted["before the step"][0][0] - noted["before the step"][0][1]) > 0.01),
        Outcome("The drawer contains the nudge.", lambda noted: True))),
    Look("again", {"end": "again(model, lambda: loss_of(test_x, test_y))"}, (
        Outcome("In training mode, the loss is different each time, and in evaluation mode it is smaller.",
                lambda noted: noted["end"][0]["train"][0] != noted["end"][0]["train"][1]),
        Outcome("The loss is the same four times.", lambda noted: len({*sum(noted["end"][0].values(), [])}) == 1))),
    Look("versions", {"end": "versions(train_x, model[0].weight)"}, (
        Outcome("The data were written in place.", lambda noted: noted["end"][0][0][0] > 0),
        Outcome("A copy has the same address as the weight, and the weight was written three times in each step.",
                lambda noted: noted["end"][0][1][1] > 1 and noted["end"][0][1][0] > 500),
        Outcome("A copy has the same address as the weight.", lambda noted: noted["end"][0][1][1] > 1),
        Outcome("The data weren't written, and no two tensors have the same address.", lambda noted: True)),
        "Add every copy that the script makes, such as `average[0]` or `best[\"0.weight\"]`.",
        {"average": {"end": "versions(train_x, model[0].weight, average[0])"},
         "best": {"end": "versions(train_x, model[0].weight, best['0.weight'])"}}),
)

CAUSES = (
    Cause(
        "softmax", "... a softmax at the end of the model",
        edited(HEALTHY, ("Linear(32, 3))", "Linear(32, 3)" + SOFTMAX)), "0.6256", "torch.nn.Softmax(1)",
        "`cross_entropy` expects scores and computes the softmax itself. With a softmax before it, the scores are "
        "between 0 and 1, and the loss of three classes can't fall below log(1 + 2/e), which is 0.5514.",
        (Remedy("Remove the softmax from the model.", "compute it yourself where you need probabilities",
                ((SOFTMAX, ")"),), "0.0897"),
         Remedy("Keep the softmax, and use the negative logarithm of its result as the loss.",
                "NaN or infinity as soon as a probability is exactly 0",
                (("cross_entropy(model(x), y)", "nll_loss(model(x).log(), y)"),), "0.0897"))),
    Cause(
        "parts", "... a loop over parts of the batch",
        edited(HEALTHY, (LINES, IN_PARTS)), "1.5612", "loss.backward()",
        "Each of the 20 backward passes adds to the drawers. The sum of 20 means is 20 times the mean of the whole "
        "batch, as if the learning rate were 10 in place of 0.5.",
        (Remedy("Divide each loss by the number of parts.", "the parts must have equal sizes, or be weighted",
                (("train_y[part])", "train_y[part]) / 20"),), "0.0897"),
         Remedy("Divide the learning rate by the number of parts.",
                "correct for SGD; with weight decay or clipping, the numbers differ",
                (("lr=0.5", "lr=0.5 / 20"),), "0.0897"))),
    Cause(
        "dropout", "... a dropout layer",
        WITH_DROPOUT, "0.6108", "torch.nn.Dropout(0.8)",
        "The test runs in training mode, so dropout sets four of five numbers to 0 in the test, too. The nudge "
        "also differs from the drawer, because each call draws another mask. That is no fault of the gradient: "
        "a healthy script with dropout shows it, too.",
        (Remedy("Call `model.eval()` before the test.", "call `model.train()` before training goes on",
                (("print(round(loss_of(test_x", "model.eval()\nprint(round(loss_of(test_x"),), "0.3401"),)),
    Cause(
        "noise", "... noise, to vary the data",
        edited(HEALTHY, ("    loss = loss_of(train_x, train_y)", NOISE)), "1.0607", "batch += ",
        "`batch = train_x` gives the same tensor a second name, and `+=` writes into its memory. The noise of "
        "every step stays in the data, and after 200 steps there is more noise than data.",
        (Remedy("Compute a new tensor.", "memory for one more batch",
                (("    batch = train_x\n    batch += 0.2", "    batch = train_x + 0.2"),), "0.1322"),)),
    Cause(
        "average", "... an average of the weights",
        edited(HEALTHY, ("for step", "average = [p.detach() for p in model.parameters()]\nfor step"),
               ("    optimizer.step()\n", AVERAGED)), "0.8937", "p.detach() for p in",
        "`detach()` returns a tensor that shares the memory of the weight. Every write to the average is a write "
        "to the weight: each step makes all weights smaller by nine percent. The gradients are correct, and the "
        "drawers show nothing.",
        (Remedy("Copy the weights.", "memory for the weights, once more",
                (("p.detach() for p in", "p.detach().clone() for p in"),), "0.0897"),)),
    Cause(
        "best", "... the best weights, to load them at the end",
        SMALL, "0.888", "best = found, model.state_dict()",
        "`state_dict()` returns tensors that share the memory of the weights. They follow every later step, so "
        "what is loaded at the end are the last weights. (Only 20 rows are for training, so the last weights are "
        "not the best.)",
        (Remedy("Copy the tensors.", "memory for the weights, once more, and a copy for each new best loss",
                (("model.state_dict()\n", COPY + "\n"),), "0.54"),)),
)

ADDED = Symptom(
    "added", "Fine until I added ...",
    "The script worked. Then something small was added, and the test loss is worse, without an error.",
    "worked before broke after adding softmax dropout augmentation noise ema average best checkpoint early stopping "
    "gradient accumulation worse",
    lambda loss: loss < 0.6, "the test loss", LOOKS, CAUSES,
    note="To see what an addition changes, remove it again and compare the first loss and the first gradients.")
