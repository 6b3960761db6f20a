"""What is said to a suspicion that is wrong: a sentence for each kind of line."""
from __future__ import annotations

import re

from .script import Line

MADE = re.compile(r"(\w+)(?:, \w+)* = ")    # the first name that a line makes

BY_ROLE = {     # the first role that a line has decides
    "zero": "empties the drawers between a step and the next backward pass, as it should",
    "zero_head": "empties the drawers of the second optimizer, as it should",
    "pass": "computes the gradients of the loss that it is given",
    "step": "moves what the optimizer holds along what is in the drawers. Look at both before you blame the "
            "step",
    "step_head": "moves what the second optimizer holds, as it should",
    "schedule": "makes the schedule, and nothing advances it there",
    "schedule_step": "advances the schedule once an epoch, as it should",
    "clip": "shortens gradients that are too long; it belongs between the pass and the step",
    "clamp": "limits the gradients, as its comment says",
    "average": "copies the weights, so the averages have their own memory",
    "averaging": "updates the averages, which have their own memory",
    "averaged": "puts the averages into the model after training, as it should",
    "best": "copies the weights, so later steps don't reach them",
    "check": "measures rows that are kept apart from the training rows",
    "eval": "switches the model to evaluation mode before the test, as it should",
    "eval_in_loop": "switches to evaluation mode, and a later line switches back",
    "train": "switches the model to training mode, as it should",
    "back_to_train": "switches the model back to training mode, as it should",
    "f_dropout": "tells dropout whether the model is training, as it should",
    "order": "draws a new random order for each epoch, and the loop uses it",
    "rows": "chooses the rows of a batch, as it should",
    "slice": "takes a batch, a view of the data. A view does no harm until somebody writes to it",
    "jitter": "makes a new tensor with noise, and leaves the data as they are",
    "kept": "keeps a copy of the buffer, as it should",
    "filled": "fills the buffer again; what was kept before is a copy",
    "stack": "puts the columns side by side, as it should",
    "normal": "normalises with the numbers of the training rows, as it should",
    "test_normal": "normalises the test rows with the numbers of the training rows, as it should",
    "statistics": "measures the training rows, as it should",
    "pixels": "converts the pixels to numbers of the right size. Print some of them",
    "clock": "subtracts whole numbers before it converts them, as it should",
    "blocks": "makes a layer for each block, and the model knows them",
    "gain": "has a path to each of its parameters. Look into their drawers",
    "h": "is recorded, so the layers before it get a gradient. Look into their drawers",
    "output": "is recorded, and its layer gets a gradient. Look into its drawer",
    "penalty": "adds up all weights, and is recorded",
    "penalty_norm": "adds up the norms of all weights, and is recorded",
    "penalized": "adds the penalty to the loss, as it should",
    "sites": "adds two losses that are both recorded",
    "error": "has one number for each row. Print its shape",
    "reduced": "takes the mean of what it is given. Print the shape of that",
    "cross_entropy": "gives the scores to the loss, which computes their softmax, as it should",
    "scores": "gives scores, which is what this loss expects",
    "criterion": "gives the scores to the loss",
    "log_p": "gives logarithms of probabilities, row by row, as this loss expects",
    "nll": "uses logarithms of probabilities, as it should",
    "by_hand": "is the cross entropy, written by hand",
    "right": "picks one score for each row, as it should",
    "score": "gives a score, which is what this loss expects",
    "bce": "expects a score, and converts the labels",
    "predicted": "has one number for each row. Print its shape",
    "mse": "compares each prediction with its target",
    "optimizer": "makes the optimizer, as it should",
    "for_head": "makes an optimizer for the head, which the first one doesn't hold",
    "guesses": "takes the index of the largest score, as it should",
    "number": "measures the model on the test rows, as it should",
    "log": "is for the log alone; it changes nothing",
    "epochs": "repeats the training as often as it is meant",
    "batches": "goes through all batches of an epoch",
    "loss": "computes the loss of the rows and the targets that it is given",
}


def idea(line: Line) -> str:
    """Return what to say about a healthy line, as the end of a sentence that begins with its number."""
    text = line.text.strip()
    if not text:
        return "is empty"
    if text.startswith(("import ", "from ")):
        return "only imports what the script uses"
    for role, says in BY_ROLE.items():
        if role in line.roles:
            return says
    made = MADE.match(text)
    if made:
        return (f"is as it should be. If a measurement of `{made[1]}` led you there, look at the other lines "
                f"that write to `{made[1]}` or use it")
    return "is as it should be"
