"""Forty healthy training scripts, on which no measurement may show a bug.

Each has data, a model, a loss, an optimizer and a loop. What is healthy here and looks ill has
a script: BatchNorm, dropout, class weights, gradients of several batches, AdamW, few rows, frozen layers.
"""
from __future__ import annotations

from textwrap import indent

SCRIPTS: dict[str, str] = {}

DATA = {
    "numbers": """\
x = torch.randn(96, 3)
y = x[:, 0] - 0.5 * x[:, 1] + 0.1 * torch.randn(96)""",
    "classes": """\
x = torch.randn(96, 3)
y = (x[:, 0] + x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()""",
    "rare": """\
x = torch.randn(96, 3)
y = (x[:, 0] + x[:, 1] > 1.2).long()
weights = torch.tensor([1 / (y == 0).sum(), 1 / (y == 1).sum()])""",
    "words": """\
x = torch.randint(0, 12, (96, 6))
y = (x[:, 0] > 5).long()""",
    "pixels": """\
x = torch.rand(96, 16)
y = (x[:, :8].sum(dim=1) > x[:, 8:].sum(dim=1)).long()""",
    "few": """\
x = torch.linspace(-1, 1, 9).view(9, 1)
y = 3 * x[:, 0] + 0.5""",
}
MODELS = {
    "plain": "nn.Sequential(nn.Linear({wide}, 16), nn.Tanh(), nn.Linear(16, {out}))",
    "deep": "nn.Sequential(nn.Linear({wide}, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), "
            "nn.Linear(16, {out}))",
    "norm": "nn.Sequential(nn.Linear({wide}, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, {out}))",
    "dropout": "nn.Sequential(nn.Linear({wide}, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, {out}))",
    "layernorm": "nn.Sequential(nn.Linear({wide}, 16), nn.LayerNorm(16), nn.Tanh(), nn.Linear(16, {out}))",
    "bag": """Bag()""",
}
CLASSES = {"bag": """\
class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(12, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.table(x).mean(dim=1))
"""}
LOSSES = {
    "square": "    return ((model(x)[:, 0] - y) ** 2).mean()",
    "mse": "    return F.mse_loss(model(x).squeeze(1), y)",
    "huber": "    return F.smooth_l1_loss(model(x)[:, 0], y)",
    "cross": "    return F.cross_entropy(model(x), y)",
    "weighted": "    return F.cross_entropy(model(x), y, weight=weights)",
    "nll": "    return F.nll_loss(F.log_softmax(model(x), dim=1), y)",
    "binary": "    return F.binary_cross_entropy_with_logits(model(x)[:, 0], (y > 0).float())",
}
OPTIMIZERS = {
    "sgd": "torch.optim.SGD(model.parameters(), lr=0.1)",
    "momentum": "torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)",
    "decay": "torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.001)",
    "adam": "torch.optim.Adam(model.parameters(), lr=0.01)",
    "adamw": "torch.optim.AdamW(model.parameters(), lr=0.01)",
    "rmsprop": "torch.optim.RMSprop(model.parameters(), lr=0.005)",
}
LOOPS = {
    "full": """\
for step in range(60):
    loss = loss_of(x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()""",
    "shuffled": """\
for epoch in range(12):
    model.train()
    order = torch.randperm(len(x))
    for start in range(0, len(x), 16):
        rows = order[start:start + 16]
        loss = loss_of(x[rows], y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()""",
    "in order": """\
for epoch in range(12):
    for inputs, targets in zip(x.split(16), y.split(16)):
        loss = loss_of(inputs, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()""",
    "accumulated": """\
for epoch in range(30):
    optimizer.zero_grad()
    for rows in torch.randperm(len(x)).split(24):
        loss = loss_of(x[rows], y[rows]) * len(rows) / len(x)
        loss.backward()
    optimizer.step()""",
    "zeros": """\
for step in range(60):
    loss = loss_of(x, y)
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()""",
    "clipped": """\
for step in range(60):
    rows = torch.randint(0, len(x), (24,))
    loss = loss_of(x[rows], y[rows])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.)
    optimizer.step()""",
    "penalty": """\
for step in range(60):
    penalty = sum((p ** 2).sum() for p in model.parameters())
    loss = loss_of(x, y) + 0.001 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()""",
    "schedule": """\
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5)
for epoch in range(12):
    for rows in torch.randperm(len(x)).split(16):
        loss = loss_of(x[rows], y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()""",
    "average": """\
average = [p.detach().clone() for p in model.parameters()]
for step in range(60):
    loss = loss_of(x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for a, p in zip(average, model.parameters()):
            a.mul_(0.9).add_(p, alpha=0.1)
with torch.no_grad():
    for a, p in zip(average, model.parameters()):
        p.copy_(a)""",
    "noise": """\
for epoch in range(12):
    for rows in torch.randperm(len(x)).split(16):
        inputs = x[rows] + 0.05 * torch.randn(len(rows), x.shape[1])
        loss = loss_of(inputs, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()""",
    "loader": """\
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=16, shuffle=True)
for epoch in range(12):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = loss_of(inputs, targets)
        loss.backward()
        optimizer.step()""",
    "two": """\
for step in range(60):
    loss = loss_of(x, y)
    optimizer.zero_grad()
    second.zero_grad()
    loss.backward()
    optimizer.step()
    second.step()""",
}


def script(name: str, data: str, model: str, loss: str, optimizer: str, loop: str, after: str = "",
           given: str = "") -> None:
    """Add a script; `after` follows the model, and `given` stands for the optimizer."""
    wide = {"few": 1, "pixels": 16, "rare": 3}.get(data, 3)
    out = 1 if loss in ("square", "mse", "huber", "binary") else 2 if data != "classes" else 3
    made = given or f"optimizer = {OPTIMIZERS[optimizer]}"
    SCRIPTS[name] = "\n".join([
        "import torch", "import torch.nn as nn", "import torch.nn.functional as F", "import torch.utils.data",
        "", f"torch.manual_seed({len(SCRIPTS)})", DATA[data], CLASSES.get(model, ""),
        f"model = {MODELS[model].format(wide=wide, out=out)}", after, "def loss_of(x, y):", LOSSES[loss], "",
        made, LOOPS[loop], "", "model.eval()", "with torch.no_grad():",
        indent("print(round(loss_of(x, y).item(), 4))", "    "), ""])


HALVES = ("optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)\n"
          "second = torch.optim.SGD(model[2].parameters(), lr=0.05)")
FROZEN = "for p in model[0].parameters():\n    p.requires_grad = False\n"
TRAINED = ("optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.02)")

script("plain", "numbers", "plain", "square", "sgd", "full")
script("Adam", "numbers", "plain", "mse", "adam", "full")
script("AdamW", "numbers", "plain", "mse", "adamw", "full")
script("AdamW in batches", "classes", "deep", "cross", "adamw", "shuffled")
script("RMSprop", "numbers", "deep", "huber", "rmsprop", "full")
script("momentum", "classes", "plain", "cross", "momentum", "full")
script("weight decay", "numbers", "plain", "square", "decay", "full")
script("shuffled batches", "classes", "plain", "cross", "sgd", "shuffled")
script("batches in the stored order", "numbers", "plain", "mse", "sgd", "in order")
script("rows drawn in each step", "classes", "plain", "nll", "adam", "clipped")
script("BatchNorm in batches", "classes", "norm", "cross", "sgd", "shuffled")
script("BatchNorm with all rows", "numbers", "norm", "square", "sgd", "full")
script("BatchNorm and Adam", "numbers", "norm", "mse", "adam", "shuffled")
script("BatchNorm and class weights", "rare", "norm", "weighted", "sgd", "shuffled")
script("BatchNorm of pixels", "pixels", "norm", "cross", "adam", "shuffled")
script("BatchNorm and gradients that add up", "classes", "norm", "cross", "adam", "accumulated")
script("dropout", "classes", "dropout", "cross", "sgd", "shuffled")
script("dropout and AdamW", "numbers", "dropout", "square", "adamw", "full")
script("dropout and class weights", "rare", "dropout", "weighted", "adam", "shuffled")
script("dropout of pixels", "pixels", "dropout", "cross", "adam", "loader")
script("class weights", "rare", "plain", "weighted", "sgd", "full")
script("class weights in batches", "rare", "deep", "weighted", "adam", "shuffled")
script("class weights and AdamW", "rare", "plain", "weighted", "adamw", "loader")
script("gradients of four batches", "numbers", "plain", "square", "sgd", "accumulated")
script("gradients of four batches and Adam", "classes", "plain", "cross", "adam", "accumulated")
script("gradients of four batches and AdamW", "classes", "deep", "nll", "adamw", "accumulated")
script("nine rows", "few", "plain", "square", "sgd", "full")
script("nine rows and Adam", "few", "deep", "mse", "adam", "full")
script("nine rows and averages", "few", "plain", "mse", "adam", "average")
script("averages of the weights", "numbers", "plain", "square", "sgd", "average")
script("drawers of zeros", "numbers", "plain", "mse", "adam", "zeros")
script("clipping", "numbers", "deep", "square", "momentum", "clipped")
script("a penalty", "classes", "plain", "cross", "adam", "penalty")
script("a schedule", "classes", "deep", "cross", "adam", "schedule")
script("noise in the inputs", "numbers", "plain", "square", "sgd", "noise")
script("a binary loss", "rare", "plain", "binary", "adam", "loader")
script("words", "words", "bag", "cross", "adam", "shuffled")
script("two optimizers", "numbers", "plain", "square", "sgd", "two", given=HALVES)
script("a frozen layer", "classes", "plain", "cross", "adam", "full", after=FROZEN, given=TRAINED)
script("zeros in the last layer, and LayerNorm", "numbers", "layernorm", "square", "adam", "shuffled",
       after="nn.init.zeros_(model[-1].weight)\n")
