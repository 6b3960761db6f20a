"""What people believe about autograd that isn't so: one short name for each, as teachers would say it.

The wrong options of a question, and known wrong answers of exercises, carry one of these ids, so that a
report can tell a class what it believes. A belief keeps its id for good: files of learners hold them.
"""
from __future__ import annotations

MISCONCEPTIONS = {
    "M01": "autograd nudges numbers, or shuffles formulas",
    "M02": "backward() sets or returns the gradient",
    "M03": "x.grad is the gradient of x",
    "M04": "a gradient of None is a gradient of zero",
    "M05": "going back is plain recursion: no node has to wait",
    "M06": "if a tensor is used several times, its last use counts",
    "M07": "backward() builds the graph",
    "M08": "the graph is fixed, or follows its numbers like a spreadsheet",
    "M09": "the argument of backward() is a starting guess, or a place for the result",
    "M10": "the argument of backward() has the shape of the input",
    "M11": "backward() gives the Jacobian",
    "M12": "retain_graph=True is the cure",
    "M13": "backward() always destroys the whole graph",
    "M14": "retain_graph=True keeps what is in .grad",
    "M15": "detach() and no_grad() are the same thing",
    "M16": "eval() stops the recording",
    "M17": "no_grad() changes requires_grad of its tensors",
    "M18": "in-place operations always break the gradient",
    "M19": ".data is another name for detach()",
    "M20": "no error means a right gradient",
    "M21": "a gradient of None on a non-leaf was never computed",
    "M22": "a hook runs once for each use, or when it is registered",
    "M23": "a hook changes what already lies in .grad",
    "M24": "a gradient of zero leaves the weight where it is",
    "M25": "without zero_grad() training always blows up",
    "M26": "zero_grad() resets the weights, or the graph",
    "M27": "a NaN in a gradient needs a NaN in the loss",
    "M28": "where() protects the branch that was not taken",
    "M29": "a gradient can be differentiated again without asking",
    "M30": "create_graph=True and retain_graph=True are the same thing",
    "M31": "backward() differentiates the whole formula at once",
    "M32": "a passing gradcheck proves a gradient right",
    "M33": "a flat loss means a wrong learning rate",
    "M34": "one number and many numbers follow the same rule",
    "M35": "a graph stays whole until somebody throws it away",
    "M36": "every tensor on the way keeps its gradient",
    "M37": "saving a tensor for backward copies its numbers",
    "M38": "a smaller nudge is always a better one",
}
