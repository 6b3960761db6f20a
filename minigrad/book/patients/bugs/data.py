"""Bugs of the data: what the model is given isn't what was meant."""
from __future__ import annotations

from ..bug import Bug
from ..script import swap

DATA_BUGS = (
    Bug("slice_written", "data",
        "A slice is a view, so the noise that is added in place stays in the training data and grows with "
        "every epoch.",
        ((swap("jitter", r"inputs = inputs \+", "inputs +="),),),
        ("Is the training data the same after an epoch as before it?",
         "The version of `x` grows.",
         "Which line writes in place, and whose memory is it?"),
        fix="Write `inputs = inputs + ...`, which makes a new tensor.", price="a new tensor for each batch",
        also="slice", measurements="versions again"),
    Bug("rows_apart", "data",
        "The inputs are taken in a random order and the targets in the stored one, so they don't belong "
        "together.",
        ((swap("loss", r"y\[rows\]\)", "y[start:start + len(rows)])"),),),
        ("Does the loss on the training rows fall? Can the model overfit four rows of a batch?",
         "The model learns nothing from the batches, and four rows by hand are no problem.",
         "Follow one row of `x` and its target into the loss."),
        fix="Take both with the same index: `x[rows], y[rows]`.", price="none", also="rows",
        avoids="function", measurements=""),
    Bug("columns_scrambled", "data",
        "`view` reads the stacked rows in the order of memory, so a row of `x` holds values of different "
        "readings.",
        ((swap("stack", r"\[across, up\], dim=1\)", r"[across, up]).view(-1, 2)"),),
         (swap("stack", r"\[clock\.sin\(\), clock\.cos\(\)\], dim=1\)",
               r"[clock.sin(), clock.cos()]).view(-1, 2)"),),
         (swap("stack", r"\[(\w+, \w+, \w+)\], dim=1\)", r"[\1]).view(-1, 3)"),)),
        ("Draw the inputs, or print the first three rows.",
         "The first row holds two values of the same column.",
         "What does `view` do to a tensor of two or three long rows?"),
        fix="Stack the columns with `dim=1`.", price="none", measurements="picture"),
)
