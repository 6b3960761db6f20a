"""One weight doesn't move: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
torch.manual_seed(0)
x = torch.randn(64, 2)
y = (x[:, :1] + x[:, 1:]).abs()

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 16), torch.nn.Linear(16, 16)])
        self.head = torch.nn.Linear(16, 1)
        self.gain = torch.nn.Parameter(torch.ones(1))
        self.down = torch.nn.Parameter(torch.randn(2, 1))
        self.up = torch.nn.Parameter(torch.zeros(1, 1))

    def forward(self, x):
        skip = x @ self.down @ self.up
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x) * self.gain + skip

model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
weights = [model.layers[0].weight, model.head.weight, model.gain, model.down, model.up]
before = [weight.detach().clone() for weight in weights]
for step in range(60):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
still = sum(torch.equal(weight, old) for weight, old in zip(weights, before))
print("loss", round(loss.item(), 4), "and weights that did not move:", still)
"""
MADE = "optimizer = torch.optim.Adam(model.parameters(), lr=0.01)\n"
NEW_HEAD = "model.head = torch.nn.Linear(16, 1)  # start the head afresh\n"
END = "loss {} and weights that did not move: {}"
FLAGS = "[name for name, p in model.named_parameters() if not p.requires_grad]"


def last(noted: dict) -> dict:
    return noted["after the pass"][-1][0]


LOOKS = (
    Look("drawers", {"after the pass": f"(drawers(model), {FLAGS})"}, (
        Outcome("The name of the weight isn't in the list.",
                lambda noted: "layers.0.weight" not in last(noted)),
        Outcome("Its drawer is `None`, and it doesn't require a gradient.",
                lambda noted: bool(noted["after the pass"][-1][1])
                and last(noted)["layers.0.weight"] is None),
        Outcome("Its drawer is `None`, although it requires a gradient.",
                lambda noted: last(noted)["gain"] is None),
        Outcome("Its gradient is exactly 0 in every step.",
                lambda noted: all(one["up"] == 0 for one, _ in noted["after the pass"])),
        Outcome("Its drawer contains a gradient that isn't 0.", lambda noted: all(last(noted).values()))),
        "The list behind the norms names the weights that don't require a gradient."),
    Look("moved", {"start": "old = {name: p.detach().clone() for name, p in model.named_parameters()}",
                   "end": "moved(model, optimizer, old)"}, (
        Outcome("The weight hasn't moved, and the optimizer doesn't hold it.",
                lambda noted: noted["end"][0]["head.weight"] == (0., None)),
        Outcome("The weight hasn't moved, although the optimizer holds it.",
                lambda noted: any(far == 0. and rate for far, rate in noted["end"][0].values())),
        Outcome("Every weight in the list has moved.",
                lambda noted: all(far > 0 for far, _ in noted["end"][0].values())))),
)

CAUSES = (
    Cause(
        "unlisted", "The weight is in a Python list, where the module doesn't find it",
        edited(HEALTHY, ("torch.nn.ModuleList([torch.nn.Linear(2, 16), torch.nn.Linear(16, 16)])",
                         "[torch.nn.Linear(2, 16), torch.nn.Linear(16, 16)]")),
        END.format("0.4425", 1), "self.layers = [",
        "A module finds parameters in its attributes that are parameters or modules. A Python list is "
        "neither, so `model.parameters()` doesn't contain the two layers in it, and the optimizer never "
        "receives them. The loss still falls, because the other weights learn. `state_dict()` doesn't "
        "contain these layers either.",
        (Remedy("Put the layers into `torch.nn.ModuleList`.",
                "a `state_dict()` that was saved before lacks these layers",
                (("[torch.nn.Linear(2, 16), torch.nn.Linear(16, 16)]",
                  "torch.nn.ModuleList([torch.nn.Linear(2, 16), torch.nn.Linear(16, 16)])"),),
                END.format("0.0123", 0)),), 10),
    Cause(
        "frozen", "The weight is still frozen",
        edited(HEALTHY, ("model = Net()\n", "model = Net()\nmodel.layers[0].requires_grad_(False)\n")),
        END.format("0.0379", 1), "requires_grad_(False)",
        "`requires_grad_(False)` freezes the first layer. A backward pass computes no gradient for it. An "
        "optimizer accepts frozen weights, and skips them without a warning.",
        (Remedy("Remove the line, or unfreeze the layer with `requires_grad_(True)`.",
                "time and memory for the gradients of the layer",
                (("requires_grad_(False)", "requires_grad_(True)"),), END.format("0.0123", 0)),), 7),
    Cause(
        "cut", "The model uses a number in place of the weight",
        edited(HEALTHY, ("* self.gain +", "* self.gain.item() +")), END.format("0.0136", 1),
        "self.gain.item()",
        "`item()` returns a Python number, which has no history. The loss depends on the gain, but the graph "
        "of the loss doesn't contain it. `.data` and `.detach()` have the same effect. A nudge of the gain "
        "shows a slope, while its drawer is `None`.",
        (Remedy("Use the parameter itself.", "one more node and one more saved tensor in each pass",
                (("self.gain.item()", "self.gain"),), END.format("0.0123", 0)),), 7),
    Cause(
        "zeros", "Two factors both start at 0",
        edited(HEALTHY, ("torch.randn(2, 1)", "torch.zeros(2, 1)")), END.format("0.0115", 2),
        "torch.zeros(2, 1)",
        "The gradient of a product with respect to one factor is a multiple of the other factor. `down` and "
        "`up` are both 0, so both gradients are exactly 0, and no step can change that. Low-rank adapters "
        "contain such pairs.",
        (Remedy("Start one of the two factors with random numbers.",
                "none: the product is still 0 at the start",
                (("self.down = torch.nn.Parameter(torch.zeros(2, 1))",
                  "self.down = torch.nn.Parameter(torch.randn(2, 1))"),), END.format("0.0123", 0)),), 4),
    Cause(
        "late", "The weight is newer than the optimizer",
        edited(HEALTHY, (MADE, MADE + NEW_HEAD)), END.format("0.0201", 1), "model.head = ",
        "The optimizer holds the weights of the old head. The backward pass computes the gradients of the "
        "new head, but no step uses them. `zero_grad()` doesn't empty the drawers of the new head either, so "
        "each contains the sum of all gradients so far.",
        (Remedy("Create the optimizer after the last change of the model.", "none",
                ((MADE + NEW_HEAD, NEW_HEAD + MADE),), END.format("0.0102", 0)),
         Remedy("Add the new weights to the optimizer.",
                "the optimizer still holds the old head, and keeps it in memory",
                ((NEW_HEAD, NEW_HEAD + 'optimizer.add_param_group({"params": model.head.parameters()})\n'),),
                END.format("0.0102", 0))), 9),
)

ONE_WEIGHT = Symptom(
    "one-weight", "One weight doesn't move",
    "The loss falls. One of the weights is the same after training as before.",
    ("parameter does not change", "weight not updating", "layer does not learn", "parameters stay constant",
     "weights unchanged after step", "gradient is None", "frozen layer"),
    lambda still: still == 0, "how many of the watched weights did not move", LOOKS, CAUSES)
