"""The inputs of the table of operations, by the names that its rows use."""
from __future__ import annotations

nan, inf = float("nan"), float("inf")

FLOATS = {
    "x": [[-1.5, -0.25, 0.75], [0.5, 1.25, 2.0]],
    "m": [[0.75, -0.5, 1.5], [2.5, -1.0, 0.25]],
    "p": [[1.25, 2.5, 3.0], [0.5, 1.75, 1.5]],         # positive
    "w": [[0.5, -1.25], [2.0, 3.0], [0.75, -0.5]],
    "v": [0.5, -1.5, 2.5],
    "c": [[0.5], [-2.0]],
    "s": 0.75,
    "q": [[2.0, 0.5, 0.25], [-1.0, 3.0, 0.75], [0.5, 1.0, 1.5]],
    "k": [[[0.5, -1.25, 2.0], [3.0, 0.75, -0.5]], [[1.5, -2.0, 0.25], [1.0, -0.75, 2.5]]],
    "z": [[2.0, 0.0, -1.5], [0.5, 3.0, 1.0]],           # one 0
    "zero": [[0.0, 0.0, 2.0], [0.0, 1.0, 0.0]],
    "ties": [[1.0, 3.0, 3.0], [3.0, -1.0, -1.0]],
    "odd": [nan, inf, -inf, -0.0, 2.5],
    "holes": [[1.0, nan, 2.0], [nan, 3.0, nan]],
    "low": [-inf, 1.0, 2.0],
    "unit": [[0.1, 0.5, 0.9], [0.25, 0.75, 0.6]],       # between 0 and 1
    "half": [[0.0, 1.0, 0.5], [1.0, 0.0, 0.25]],        # probabilities, 0 and 1 among them
}
OTHERS = {
    "f": ([2.0, 3.5, -1.0], "float32"),
    "i": ([3, 0, 1], "int64"),
    "j": ([2, -2, 5], "int64"),
    "u": ([5, 250, 7], "uint8"),
    "b": ([True, False, True], "bool"),
    "d": ([True, True, False], "bool"),
    "mask": ([[True, False, False], [False, True, True]], "bool"),
    "index": ([[0, 2, 1], [1, 0, 0]], "int64"),
    "one_zero": ([1, 0], "int64"),
}
COPIES = {"X": "x", "P": "p", "I": "i", "B": "b"}       # what may be written to


def make(torch, name):
    """Return the input of that name, as a new tensor."""
    if name == "empty":
        return torch.zeros(0, 3, dtype=torch.float64)
    numbers, dtype = (FLOATS[name], "float64") if name in FLOATS else OTHERS[name]
    return torch.tensor(numbers, dtype=getattr(torch, dtype))


NAMES = {*FLOATS, *OTHERS, "empty"}
