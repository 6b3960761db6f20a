"""Bugs of the loss: the gradients are right, for a loss that nobody meant."""
from __future__ import annotations

from ..bug import Bug
from ..script import swap

LOSS_BUGS = (
    Bug("softmax_twice", "loss",
        "`cross_entropy` computes the softmax of its input, which is a softmax already, so the loss can't "
        "become small.",
        ((swap("scores", r"model\(x\)", "torch.softmax(model(x), dim=1)"),),),
        ("Can the model overfit four rows?",
         "It can't: the loss on four rows stops far above 0. What is the smallest value that it can have?",
         "What does `cross_entropy` expect: scores, or probabilities?"),
        fix="Give `cross_entropy` the scores.", price="none", also="criterion",
        needs="cross_entropy", measurements="overfit"),
    Bug("error_broadcast", "loss",
        "A column minus a row is a square table, so the loss compares every prediction with every target.",
        ((swap("error", r"model\(x\)\S+ - y", "model(x) - y"),),),
        ("Print the shape of everything that the loss is made of.",
         "The error has many more numbers than there are rows.",
         "What is the shape of `model(x)`, and what is that of `y`?"),
        fix="Take the only column: `model(x)[:, 0] - y`.", price="none", also="reduced",
        avoids="gain_column", measurements="shapes overfit"),
)
