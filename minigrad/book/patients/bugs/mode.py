"""Bugs of modes: training and evaluation, and recording."""
from __future__ import annotations

from ..bug import Bug
from ..script import drop, swap

MODE_BUGS = (
    Bug("eval_forgotten", "mode",
        "The model is still in training mode when the test set is measured.",
        ((drop("eval"),),),
        ("Is the test loss the same when you compute it twice, and when you call `model.eval()` first?",
         "The weights are fine. What differs between training and testing?",
         "The model has a layer that behaves differently in training. Who tells it that training is over?"),
        fix="Call `model.eval()` before the test set is measured.", price="none", also="number guesses",
        needs="modes", measurements="again"),
    Bug("dropout_always", "mode",
        "`F.dropout` isn't told whether the model is training, so it drops values in evaluation mode, too.",
        ((swap("f_dropout", r", training=self\.training", ""),),),
        ("Compute the test loss twice in evaluation mode.",
         "`model.eval()` is called, and yet the loss differs each time.",
         "A function in `forward` draws random numbers. Does it know the mode?"),
        fix="Write `F.dropout(h, self.drop, training=self.training)`.", price="none",
        measurements="again"),
)
