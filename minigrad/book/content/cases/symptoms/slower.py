"""Slower every epoch: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
torch.manual_seed(0)
x = torch.linspace(-1, 1, 9).unsqueeze(1)
y = 3 * x + 0.5
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
work = []
for epoch in range(20):
    optimizer.zero_grad()
    error = model(x) - y
    loss = (error ** 2).mean()
    loss.backward()
    optimizer.step()
    work.append(nodes(loss))
print(round(work[-1] / work[0], 1))
"""
NODES = """\
def nodes(tensor):
    found, ahead = set(), {tensor.grad_fn} - {None}
    while ahead:
        found |= ahead
        ahead = {other for node in ahead for other, _ in node.next_functions if other} - found
    return len(found)

"""
HEALTHY = NODES + HEALTHY
SMOOTH = edited(HEALTHY, ("work = []", "smooth, work = 0, []"),
                ("    error = model(x) - y\n",
                 "    smooth = 0.5 * smooth + 0.5 * model(x)\n    error = smooth - y\n"),
                ("    loss.backward()", "    loss.backward(retain_graph=True)"))
TOTAL = edited(HEALTHY, ("work = []", "total, work = 0, []"),
               ("    loss = (error ** 2).mean()\n    loss.backward()\n",
                "    loss = (error ** 2).mean()\n    total = total + loss\n"
                "    total.backward(retain_graph=True)\n"), ("nodes(loss)", "nodes(total)"))
HOOKED = edited(HEALTHY, ("work = []", "norms, work = [], []"),
                ("    optimizer.zero_grad()\n", "    optimizer.zero_grad()\n"
                 "    model.weight.register_hook(lambda grad: norms.append(grad.norm().item()))\n"
                 "    norms.clear()\n"),
                ("nodes(loss)", "len(norms)"))
GROWN = edited(HEALTHY, ("    optimizer.zero_grad()\n", "    optimizer.zero_grad()\n"
                         "    noisy = x[:9] + 0.1 * torch.randn(9, 1)\n"
                         "    x, y = torch.cat([x, noisy]), torch.cat([y, y[:9]])\n"),
               ("nodes(loss)", "len(x)"))

LOOKS = (
    Look("shapes", {"before the pass": "shapes(model(x), y)"}, (
        Outcome("The number of rows grows in every step.",
                lambda noted: noted["before the pass"][-1][0] != noted["before the pass"][0][0]),
        Outcome("The shapes are the same in every step.", lambda noted: True))),
    Look("nodes", {"after the pass": "nodes(loss)"}, (
        Outcome("The graph grows in every step.",
                lambda noted: noted["after the pass"][-1] > 2 * noted["after the pass"][0]),
        Outcome("The graph has the same number of nodes in every step.", lambda noted: True)),
         "Count the nodes of the tensor on which the script calls `backward()`.",
         {"total": {"after the pass": "nodes(total)"}}),
    Look("hooks", {"after the pass": "hooks(model)"}, (
        Outcome("The number of hooks grows in every step.",
                lambda noted: noted["after the pass"][-1] > noted["after the pass"][0]),
        Outcome("The number of hooks stays the same.", lambda noted: True))),
)

CAUSES = (
    Cause(
        "smooth", "A value that the next step uses keeps its graph",
        SMOOTH, "11.6", "smooth = 0.5 * smooth",
        "Each `smooth` is computed from the `smooth` of the step before, so its graph contains the graphs of "
        "all earlier steps. Each backward pass visits all of them. Without `retain_graph=True`, the second "
        "step raises an error, so somebody added it.",
        (Remedy("Detach the value before the next step uses it.", "no gradient flows to earlier steps",
                (("0.5 * smooth +", "0.5 * (smooth.detach() if epoch else 0) +"),), "1.0"),), 15),
    Cause(
        "total", "Every step calls `backward()` on the sum of all losses so far",
        TOTAL, "15.2", "total.backward(",
        "The graph of `total` contains the graphs of all earlier losses. Each backward pass visits all of "
        "them, and adds all of their gradients to the drawers again.",
        (Remedy("Call `backward()` on the loss of this step, and add up Python numbers.", "none",
                (("    total = total + loss\n    total.backward(retain_graph=True)\n",
                  "    loss.backward()\n    total = total + loss.item()\n"), ("nodes(total)", "nodes(loss)")),
                "1.0"),), 6),
    Cause(
        "hooks", "Every step registers another hook",
        HOOKED, "20.0", "register_hook(",
        "`register_hook` adds a hook, and keeps all earlier ones. In step 20, 20 hooks run for the same "
        "gradient.",
        (Remedy("Register the hook once, before the loop.", "none",
                (("    model.weight.register_hook(lambda grad: norms.append(grad.norm().item()))\n", ""),
                 ("for epoch", "model.weight.register_hook(lambda grad: norms.append(grad.norm().item()))\n"
                  "for epoch")), "1.0"),), 11),
    Cause(
        "data", "The data set grows",
        GROWN, "10.5", "torch.cat([x, noisy])",
        "Each epoch appends noisy copies of nine rows to the data, and the next epoch trains on all rows.",
        (Remedy("Use new names for the rows of this epoch.", "each noisy row is used in one epoch",
                (("    x, y = torch.cat([x, noisy]), torch.cat([y, y[:9]])\n    error = model(x) - y\n",
                  "    rows, labels = torch.cat([x, noisy]), torch.cat([y, y])\n"
                  "    error = model(rows) - labels\n"), ("len(x)", "len(rows)")), "1.0"),)),
)

SLOWER = Symptom(
    "slower", "Slower every epoch",
    "The first epochs are fast. Each later epoch takes longer than the one before, and often needs more "
    "memory.",
    ("slower every epoch", "training gets slower", "each iteration takes longer", "memory grows",
     "memory leak", "memory increases every step", "out of memory after some epochs"),
    lambda factor: factor < 2, "how many times as many nodes, hooks or rows the last step has as the "
                               "first", LOOKS, CAUSES)
