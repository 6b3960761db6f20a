"""What people believe about autograd that isn't so: each false belief in a few words, with its rebuttal.

The wrong options of a question, and known wrong answers of exercises, carry one of these ids, so that a
report can tell a class what it believes. A belief keeps its id for good: files of learners hold them.
"""
from __future__ import annotations

from typing import NamedTuple


class Belief(NamedTuple):
    """A false belief, and what is true instead."""

    name: str
    truth: str


BELIEFS = {key: Belief(*row) for key, row in {
    "M01": ("autograd nudges numbers, or shuffles formulas",
            "It follows the operations that ran, backwards, and multiplies by the slope of each."),
    "M02": ("backward() sets or returns the gradient",
            "It returns None, and adds to what is in .grad."),
    "M03": ("every tensor has a gradient of its own in .grad",
            "x.grad says how much the result of the pass moves with x, and only leaves keep it."),
    "M04": ("a gradient of None is a gradient of zero",
            "None says that no message has arrived; zero says that one arrived, and the slope is flat."),
    "M05": ("going back is plain recursion: no node has to wait",
            "A node that doesn't wait sends a part of its sum, or everything below it runs again for each "
            "message."),
    "M06": ("if a tensor is used several times, its last use counts",
            "Each use sends a message, and the messages are added."),
    "M07": ("backward() builds the graph",
            "Each line is recorded when it runs; backward() reads the record."),
    "M08": ("the graph is fixed, or follows its numbers like a spreadsheet",
            "Each forward pass records a new graph, of the lines that ran, with the tensors of that moment."),
    "M09": ("the argument of backward() is a starting guess, or a place for the result",
            "It says how much each number of the result counts; it is read and never written."),
    "M10": ("the argument of backward() has the shape of the input",
            "It enters at the result, so it has the shape of the result."),
    "M11": ("backward() gives the Jacobian",
            "It gives v @ J: one row of J, or one weighted sum of rows."),
    "M12": ("retain_graph=True is the cure",
            "It helps only if somebody goes back through the same record again; often a new forward pass "
            "or detach() is right."),
    "M13": ("backward() always destroys the whole graph",
            "It frees the saved tensors of the operations that it used, and nothing else."),
    "M14": ("retain_graph=True keeps what is in .grad",
            "It keeps the saved tensors of operations; .grad is added to in either case."),
    "M15": ("detach() and no_grad() are the same thing",
            "detach() cuts off what was recorded; under no_grad() nothing is recorded."),
    "M16": ("eval() stops the recording",
            "It switches layers such as Dropout to evaluation; no_grad() stops the recording."),
    "M17": ("no_grad() changes requires_grad of its tensors",
            "It changes no tensor; the lines inside it leave no record."),
    "M18": ("in-place operations always break the gradient",
            "A write does harm only if it changes a tensor that was saved for the backward pass."),
    "M19": (".data is another name for detach()",
            "Both share the numbers, but a write through .data is not counted, so nobody notices it."),
    "M20": ("no error means a right gradient",
            "A write that isn't counted can give a wrong gradient without any error."),
    "M21": ("a gradient of None on a non-leaf was never computed",
            "It was computed and passed on, and not kept; retain_grad() keeps it."),
    "M22": ("a hook runs once for each use, or when it is registered",
            "It runs once in each pass, when the sum of all messages is complete."),
    "M23": ("a hook changes what already lies in .grad",
            "It changes the message on its way; what lies in .grad stays."),
    "M24": ("a gradient of zero leaves the weight where it is",
            "An optimizer with momentum or weight decay moves it all the same."),
    "M25": ("without zero_grad() training always blows up",
            "The gradients add up; training may still seem to work, with other steps than you meant."),
    "M26": ("zero_grad() resets the weights, or the graph",
            "It empties .grad, and changes neither weights nor graph."),
    "M27": ("a NaN in a gradient needs a NaN in the loss",
            "The square root has an infinite slope at 0, and 0 times infinity is NaN, although the loss is "
            "finite."),
    "M28": ("where() protects the branch that was not taken",
            "Both branches are computed and differentiated, and 0 times infinity is NaN."),
    "M29": ("a gradient can be differentiated again without asking",
            "The backward pass is recorded only with create_graph=True."),
    "M30": ("create_graph=True and retain_graph=True are the same thing",
            "The first records the backward pass; the second keeps the saved tensors of the forward pass."),
    "M31": ("backward() differentiates the whole formula at once",
            "Each operation multiplies its message by its own slopes; no formula is known."),
    "M32": ("a passing gradcheck proves a gradient right",
            "It compares at the numbers that it was given, and at no others."),
    "M33": ("a flat loss means a wrong learning rate",
            "Often no gradient arrives: look at .grad first."),
    "M34": ("one number and many numbers follow different rules",
            "backward(v) adds v @ J in both cases; for one number, v is 1 unless you say otherwise."),
    "M35": ("a graph stays whole until somebody throws it away",
            "The first backward pass frees the saved tensors that it used."),
    "M36": ("every tensor on the way keeps its gradient",
            "The message passes through; only a leaf that requires a gradient keeps it."),
    "M37": ("saving a tensor for backward copies its numbers",
            "The tensor itself is saved, so a later write changes what was saved."),
    "M38": ("a smaller nudge is always a better one",
            "Below some size the rounding of the computer is larger than the effect of the nudge."),
    "M39": ("gradients are kept with the loss",
            "They are in the .grad of the leaves; a loss has no zero_grad()."),
    "M40": ("switching requires_grad off undoes what was recorded",
            "The flag decides about lines that run later; the record of earlier lines stays."),
    "M41": ("a value and its slope are the same number",
            "The value is in the result; the slope is in .grad of the input, after a backward pass."),
    "M42": ("rounding never matters",
            "Two numbers that agree in almost all digits differ mostly by their rounding."),
    "M43": ("a drawer must be emptied before the next pass",
            "A pass adds to whatever is in .grad; an old number raises no error."),
    "M44": ("a recorded line keeps its result, and nothing else",
            "An operation saves what its slope needs: inputs, the result, both, or nothing."),
    "M45": ("a gradient passes through detach()",
            "detach() gives a tensor without a record, so no message goes past it."),
    "M46": ("all losses of a model need one common backward pass",
            "Each loss can start a pass of its own; shared steps then need retain_graph=True."),
    "M47": ("requires_grad on the loss brings gradients to its inputs",
            "What was computed before isn't recorded; set it on the inputs, before you compute."),
    "M49": ("a node passes on what it received, unchanged",
            "It multiplies the sum of its messages by its own slopes, and sends a product along each edge."),
}.items()}
MISCONCEPTIONS = {key: belief.name for key, belief in BELIEFS.items()}
