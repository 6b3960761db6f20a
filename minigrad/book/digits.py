"""The handwritten digits of chapter 10, from the file data/digits.csv.gz.

data/README.md names its source and its licence.
"""
from __future__ import annotations

from pathlib import Path

import numpy as np


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return 1,797 handwritten digits and what they are, as NumPy arrays.

        images, labels = digits()
        images.shape, images.dtype      # (1797, 8, 8), float32: from 0, white, to 1, black
        labels.shape, labels.dtype      # (1797,), int64: from 0 to 9
    """
    rows = np.loadtxt(Path(__file__).with_name("data") / "digits.csv.gz", delimiter=",", dtype=np.float32)
    return (rows[:, :64] / 16).reshape(-1, 8, 8), rows[:, 64].astype(np.int64)
