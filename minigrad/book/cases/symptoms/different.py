"""Different every run: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
import numpy as np

torch.manual_seed(0)
order = np.random.default_rng(0)
x = torch.linspace(-1, 1, 9).unsqueeze(1)
y = 3 * x + 0.5
model = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Dropout(0.1), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(10):
    for rows in torch.tensor(order.permutation(9)).split(3):
        loss = ((model(x[rows]) - y[rows]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
print(round(((model(x) - y) ** 2).mean().item(), 6))
"""
SEED = "torch.manual_seed(0)\n"
OPTIMIZER = "optimizer = torch.optim.SGD(model.parameters(), lr=0.05)\n"
LATE = edited(HEALTHY, (SEED, ""), (OPTIMIZER, OPTIMIZER + SEED))
GLOBAL = edited(HEALTHY, ("order = np.random.default_rng(0)\n", ""), ("order.permutation(9)", "np.random.permutation(9)"))
SHUFFLED = edited(GLOBAL, ("import numpy as np", "import random"),
                  ("    for rows in torch.tensor(np.random.permutation(9)).split(3):\n",
                   "    order = list(range(9))\n    random.shuffle(order)\n    for rows in torch.tensor(order).split(3):\n"))


def same(noted: dict, place: str, part: int) -> bool:
    return noted[place][0][part] == noted["second run"][0][place][0][part]


LOOKS = (
    Look("fingerprint", {"before the pass": "(fingerprint(*model.parameters()), fingerprint(x, y), "
                                            "fingerprint(rows * torch.arange(1, 4)))"}, (
        Outcome("The weights differ before the first pass.", lambda noted: not same(noted, "before the pass", 0)),
        Outcome("The weights and the data are the same, and the first batch has other rows.",
                lambda noted: not same(noted, "before the pass", 2)),
        Outcome("The weights, the data and the rows of the first batch are the same.",
                lambda noted: noted["before the pass"] == noted["second run"][0]["before the pass"]),
        Outcome("Everything before the first pass is the same, and the weights differ after it.", lambda noted: True)),
         "Print them in two runs, and look for the first number that differs."),
)

CAUSES = (
    Cause(
        "unseeded", "Nothing sets the seed",
        edited(HEALTHY, (SEED, "")), "", "model = torch.nn.Sequential(",
        "The weights start at random numbers, and dropout draws random numbers in every step. Without a seed, "
        "PyTorch starts from another state in each run.",
        (Remedy("Call `torch.manual_seed` at the start of the script.",
                "one seed is one sample: compare two methods over several seeds",
                (("import numpy as np\n\n", "import numpy as np\n\n" + SEED),), "0.053118"),)),
    Cause(
        "late", "The seed is set after the model was made",
        LATE, "", "model = torch.nn.Sequential(",
        "A seed fixes what is drawn after it. The weights were drawn before.",
        (Remedy("Set the seed before the first random number is drawn.", "none",
                ((OPTIMIZER + SEED, OPTIMIZER), ("import numpy as np\n\n", "import numpy as np\n\n" + SEED)), "0.053118"),)),
    Cause(
        "numpy", "NumPy draws from a generator of its own",
        GLOBAL, "", "np.random.permutation(9)",
        "`torch.manual_seed` sets PyTorch's generator. NumPy has another one, which nothing has set, and it "
        "chooses the order of the rows.",
        (Remedy("Give NumPy a generator with a seed.", "none",
                (("torch.manual_seed(0)\n", SEED + "order = np.random.default_rng(0)\n"),
                 ("np.random.permutation(9)", "order.permutation(9)")), "0.053118"),
         Remedy("Draw the order with PyTorch.", "another order, and so other numbers",
                (("torch.tensor(np.random.permutation(9))", "torch.randperm(9)"),), "0.036697"))),
    Cause(
        "random", "Python's `random` draws from a generator of its own",
        SHUFFLED, "", "random.shuffle(order)",
        "Python's module `random` is a third generator, and nothing has set it.",
        (Remedy("Set its seed, too.", "none", (("torch.manual_seed(0)\n", SEED + "random.seed(0)\n"),), "0.048682"),)),
)

DIFFERENT = Symptom(
    "different", "Different every run",
    "The same script prints other numbers each time it runs.",
    "different results every run not reproducible nondeterministic random seed changes each time",
    lambda loss: True, "the loss of the trained model", LOOKS, CAUSES, runs=2,
    note="On a GPU, some operations add numbers in an order that changes from run to run, so the last digits differ "
    "with the same seeds. `torch.use_deterministic_algorithms(True)` avoids such operations or raises an error. "
    "These programs run on the CPU, and show nothing of this.")
