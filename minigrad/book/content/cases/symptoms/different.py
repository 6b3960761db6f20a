"""Different every run: the programs, what to measure, and the words of the page."""
from __future__ import annotations

from .symptom import Cause, Look, Outcome, Remedy, Symptom, edited

HEALTHY = """\
import numpy as np

torch.manual_seed(0)
order = np.random.default_rng(0)
x = torch.linspace(-1, 1, 9).unsqueeze(1)
y = 3 * x + 0.5
model = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Dropout(0.1),
                            torch.nn.Linear(8, 1))
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
GLOBAL = edited(HEALTHY, ("order = np.random.default_rng(0)\n", ""),
                ("order.permutation(9)", "np.random.permutation(9)"))
SHUFFLED = edited(GLOBAL, ("import numpy as np", "import random"),
                  ("    for rows in torch.tensor(np.random.permutation(9)).split(3):\n",
                   "    order = list(range(9))\n    random.shuffle(order)\n"
                   "    for rows in torch.tensor(order).split(3):\n"))


def same(noted: dict, place: str, part: int) -> bool:
    return noted[place][0][part] == noted["second run"][0][place][0][part]


LOOKS = (
    Look("fingerprint", {"before the pass": "(fingerprint(*model.parameters()), fingerprint(x, y), "
                                            "fingerprint(rows * torch.arange(1, 4)))"}, (
        Outcome("The weights differ before the first pass.",
                lambda noted: not same(noted, "before the pass", 0)),
        Outcome("The weights are the same, and the data differ.",
                lambda noted: not same(noted, "before the pass", 1)),
        Outcome("The weights and the data are the same, and the first batch has different rows.",
                lambda noted: not same(noted, "before the pass", 2)),
        Outcome("All numbers are the same in every step.",
                lambda noted: noted["before the pass"] == noted["second run"][0]["before the pass"]),
        Outcome("The numbers of the first step are the same, and those of a later step differ.",
                lambda noted: True)),
         "Run the script twice, and look for the first number that differs. The lists are the weights, the "
         "data, and the rows of the batch."),
)

CAUSES = (
    Cause(
        "unseeded", "The script sets no seed",
        edited(HEALTHY, (SEED, "")), "", "model = torch.nn.Sequential(",
        "The weights start with random numbers, and dropout draws random numbers in every step. Without a "
        "seed, these numbers are different in each run.",
        (Remedy("Call `torch.manual_seed` at the start of the script.",
                "the result depends on the seed, so compare two methods over several seeds",
                (("import numpy as np\n\n", "import numpy as np\n\n" + SEED),), "0.053118"),)),
    Cause(
        "late", "The script sets the seed after it has created the model",
        LATE, "", "model = torch.nn.Sequential(",
        "A seed fixes the random numbers that are drawn after it. The weights are drawn before.",
        (Remedy("Set the seed before the first random number is drawn.", "none",
                ((OPTIMIZER + SEED, OPTIMIZER),
                 ("import numpy as np\n\n", "import numpy as np\n\n" + SEED)), "0.053118"),)),
    Cause(
        "numpy", "NumPy's generator has no seed",
        GLOBAL, "", "np.random.permutation(9)",
        "`torch.manual_seed` sets the seed of PyTorch's generator. NumPy has another generator, which "
        "chooses the order of the rows here, and the script doesn't set its seed.",
        (Remedy("Give NumPy a generator with a seed.", "none",
                (("torch.manual_seed(0)\n", SEED + "order = np.random.default_rng(0)\n"),
                 ("np.random.permutation(9)", "order.permutation(9)")), "0.053118"),
         Remedy("Draw the order with PyTorch.", "the order is a different one, so the numbers change once",
                (("torch.tensor(np.random.permutation(9))", "torch.randperm(9)"),), "0.036697"))),
    Cause(
        "random", "Python's `random` has no seed",
        SHUFFLED, "", "random.shuffle(order)",
        "Python's module `random` has a third generator, which chooses the order of the rows here. The "
        "script doesn't set its seed.",
        (Remedy("Set the seed of `random` as well.", "none",
                (("torch.manual_seed(0)\n", SEED + "random.seed(0)\n"),), "0.048682"),)),
)

DIFFERENT = Symptom(
    "different", "Different every run",
    "The same script prints different numbers each time you run it.",
    ("different results every run", "not reproducible", "nondeterministic", "results change each time",
     "seed does not work", "random results"),
    lambda loss: True, "the loss of the trained model", LOOKS, CAUSES, runs=2,
    note="On a GPU, some operations add numbers in an order that changes from run to run, so the last digits "
         "can differ with the same seeds. `torch.use_deterministic_algorithms(True)` avoids such operations, "
         "or raises an error. The programs of this page run on the CPU, and don't show this.")
