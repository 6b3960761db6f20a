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
                ("    error = model(x) - y\n", "    smooth = 0.5 * smooth + 0.5 * model(x)\n    error = smooth - y\n"),
                ("    loss.backward()", "    loss.backward(retain_graph=True)"))
TOTAL = edited(HEALTHY, ("work = []", "total, work = 0, []"),
               ("    loss = (error ** 2).mean()\n    loss.backward()\n",
                "    loss = (error ** 2).mean()\n    total = total + loss\n    total.backward(retain_graph=True)\n"),
               ("nodes(loss)", "nodes(total)"))
HOOKED = edited(HEALTHY, ("work = []", "norms, work = [], []"),
                ("    optimizer.zero_grad()\n", "    optimizer.zero_grad()\n"
                 "    model.weight.register_hook(lambda grad: norms.append(grad.norm().item()))\n    norms.clear()\n"),
                ("nodes(loss)", "len(norms)"))
GROWN = edited(HEALTHY, ("    optimizer.zero_grad()\n", "    optimizer.zero_grad()\n"
                         "    noisy = x[:9] + 0.1 * torch.randn(9, 1)\n"
                         "    x, y = torch.cat([x, noisy]), torch.cat([y, y[:9]])\n"),
               ("nodes(loss)", "len(x)"))

LOOKS = (
    Look("shapes", {"before the pass": "shapes(model(x), y)"}, (
        Outcome("The number of rows grows from step to step.",
                lambda noted: noted["before the pass"][-1][0] != noted["before the pass"][0][0]),
        Outcome("The shapes are the same in every step.", lambda noted: True))),
    Look("nodes", {"after the pass": "nodes(loss)"}, (
        Outcome("The graph grows from step to step.",
                lambda noted: noted["after the pass"][-1] > 2 * noted["after the pass"][0]),
        Outcome("The graph of the loss has the same number of nodes in every step.", lambda noted: True)),
         "Count the nodes behind the tensor on which the script calls `backward()`.",
         {"total": {"after the pass": "nodes(total if torch.is_tensor(total) else loss)"}}),
    Look("hooks", {"after the pass": "hooks(model)"}, (
        Outcome("The number of hooks grows from step to step.",
                lambda noted: noted["after the pass"][-1] > noted["after the pass"][0]),
        Outcome("The number of hooks stays the same.", lambda noted: True))),
)

CAUSES = (
    Cause(
        "smooth", "A value that is carried from step to step keeps its graph",
        SMOOTH, "11.6", "smooth = 0.5 * smooth",
        "`smooth` is computed from the `smooth` of the step before, so its graph contains the graphs of all steps "
        "before. Each pass goes back to the first step. `retain_graph=True` was added because the second step "
        "failed without it.",
        (Remedy("Detach the value that is carried.", "no gradient flows from one step to the steps before",
                (("0.5 * smooth +", "0.5 * (smooth.detach() if epoch else 0) +"),), "1.0"),), 15),
    Cause(
        "total", "A sum of losses is differentiated in every step",
        TOTAL, "15.2", "total.backward(",
        "`total` contains the losses of all steps so far, and their graphs. Each pass differentiates all of them "
        "again, with weights that have changed since then, or fails.",
        (Remedy("Call `backward()` on the loss of this step, and add up numbers.", "none",
                (("    total = total + loss\n    total.backward(retain_graph=True)\n",
                  "    loss.backward()\n    total = total + loss.item()\n"), ("nodes(total)", "nodes(loss)")),
                "1.0"),), 6),
    Cause(
        "hooks", "Every step registers another hook",
        HOOKED, "20.0", "register_hook(",
        "`register_hook` adds a hook; it replaces none. After 20 steps, 20 hooks run for the same gradient.",
        (Remedy("Register the hook once, before the loop.", "none",
                (("    model.weight.register_hook(lambda grad: norms.append(grad.norm().item()))\n", ""),
                 ("for epoch", "model.weight.register_hook(lambda grad: norms.append(grad.norm().item()))\n"
                  "for epoch")), "1.0"),), 11),
    Cause(
        "data", "The data grow",
        GROWN, "10.5", "torch.cat([x, noisy])",
        "Noisy copies of the rows are appended to the data in each epoch, and the next epoch trains on all of them.",
        (Remedy("Give the rows of this epoch names of their own.", "each noisy row is used in one epoch only",
                (("    x, y = torch.cat([x, noisy]), torch.cat([y, y[:9]])\n    error = model(x) - y\n",
                  "    rows, labels = torch.cat([x, noisy]), torch.cat([y, y])\n"
                  "    error = model(rows) - labels\n"), ("len(x)", "len(rows)")), "1.0"),)),
)

SLOWER = Symptom(
    "slower", "Slower every epoch",
    "The first epochs are quick. Each later epoch takes longer than the one before, and often needs more memory.",
    "slow slower every epoch iteration time grows memory grows increases leak retain_graph out of memory",
    lambda factor: factor < 2, "how much more there is to do in the last step than in the first, counted in nodes, "
    "calls of a hook, or rows", LOOKS, CAUSES)
