"""The handwritten digits of chapter 10, from the file content/data/digits.csv.gz.

content/data/README.md names its source and its licence.
"""
from __future__ import annotations

from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[1] / "content" / "data" / "digits.csv.gz"


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return 1,797 handwritten digits and what they are, as NumPy arrays.

        images, labels = digits()
        images.shape, images.dtype      # (1797, 8, 8), float32: from 0, white, to 1, black
        labels.shape, labels.dtype      # (1797,), int64: from 0 to 9
    """
    rows = np.loadtxt(FILE, delimiter=",", dtype=np.float32)
    return (rows[:, :64] / 16).reshape(-1, 8, 8), rows[:, 64].astype(np.int64)
