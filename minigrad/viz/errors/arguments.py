"""Causes in tensors that a call can't take: their shapes, indices or dtypes, or that a gradient is
required. An assignment to `.grad` is such a call.

PyTorch raises many of these from C++, without a frame of its own in the traceback, so their words
decide.
"""
from __future__ import annotations

from ..faults.cut import MEMORY
from .table import row

SECOND = "a second tensor"
SHARES = "none: it shares the memory"

# --- shapes

row("shapes that do not fit",
    r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at "
    r"non-singleton dimension (\d+)",
    "combines tensors whose dimension {2} has the lengths {0} and {1}.",
    "The lengths must be equal, or one of them 1. No gradient is involved yet.",
    ("Look at both shapes; add a dimension with `[:, None]`, or transpose.",
     "both share the memory; after `[:, None]` the result may be larger than both tensors"))
row("matrices that do not fit",
    r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
    "multiplies a matrix of shape ({0}, {1}) by one of shape ({2}, {3}).",
    "The first has {1} columns and the second {2} rows; they must be equal. No gradient is "
    "involved.",
    "Look at both shapes, and transpose one of them.",
    "Give the layer the number of columns of its input: `nn.Linear({1}, ...)`.")
row("another number of elements", r"shape '(\[.*?\])' is invalid for input of size (\d+)",
    "asks for the shape {0}, for a tensor of {1} elements.",
    "view() and reshape() keep the number of elements, so the lengths must multiply to {1}.",
    "Choose lengths that multiply to {1}; one of them may be -1, which stands for the length that "
    "is left.")
row("view of scattered memory", r"view size is not compatible with input tensor's size and stride",
    "asks for a view whose shape the tensor's memory doesn't allow, for instance after a "
    "transpose.",
    "A view shares the memory, so neighbours in it must be neighbours in memory, too.",
    ("Use `reshape()` in place of `view()`.", "a second tensor, where no view is possible"))
row("parts of different shapes",
    r"stack expects each tensor to be equal size, but got (\[.*?\]) at entry 0 and (\[.*?\])|"
    r"Sizes of tensors must match except in dimension",
    "joins tensors whose shapes don't fit.",
    "stack() needs equal shapes; cat() needs equal lengths in all dimensions but one.",
    ("Bring the tensors to one shape before you join them.",
     "a second tensor where you pad; a slice shares the memory"))
row("batches of different sizes",
    r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
    "compares {0} rows of scores with {1} targets.", "Each row needs its own target.",
    "Give the loss as many targets as rows.")
row("a batch of one",
    r"Expected more than 1 value per channel when training, got input size torch.Size\((.*?)\)",
    "passes a batch norm in training mode an input of shape {0}, which has one number for each "
    "channel.",
    "In training mode it subtracts the mean over the batch; one number is its own mean, so the "
    "result would not depend on the input.",
    ("Pass two rows or more; a DataLoader with `drop_last=True` leaves out a smaller last batch.",
     "the rows that don't fill a batch are not used in this round"),
    ("Call eval() of the layer before this line, and train() after it.",
     "the layer uses its running statistics, and doesn't update them"))
row("channels that do not fit",
    r"expected input(\[.*?\]) to have (\d+) channels, but got (\d+) channels",
    "passes a convolution an input of shape {0} with {2} channels.",
    "The layer was made for {1} channels, which are dimension 1 of a batch of images.",
    "Give the layer the channels of its input: `nn.Conv2d({2}, ...)`.",
    "Bring the channels into dimension 1, with `x.permute(0, 3, 1, 2)` where they are the last.")
row("targets of another shape",
    r"multi-target not supported|Expected target size (\[.*?\]), got (\[.*?\])",
    "gives a loss targets of a shape that does not fit its scores.",
    "Scores of shape (rows, classes) need one class number for each row: targets of shape (rows,).",
    "Remove the dimension that is left: `target.squeeze(1)`.")

row("a number in place of a tensor", r"^'(int|float)' object is not iterable$",
    "gives a Python number to code that reads its elements one by one.",
    "A Python {0} has no elements. `backward()` and `torch.autograd.grad()` take a tensor, or a "
    "list of tensors.",
    ("If the line calls `backward`, write the number as a tensor, such as `torch.tensor(10.)`.",
     "a tensor of one number"))

# --- dimensions and indices

row("dimension",
    r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
    "names dimension {2} of a tensor that has no such dimension.",
    "Its dimensions are numbered from 0 to {1}, or from -1 back to {0}. No gradient is involved "
    "yet.",
    "Name a dimension from {0} to {1}.")
row("index out of range",
    r"index -?\d+ is out of (?:bounds for dimension \d+|range)|index out of range in self|"
    r"select\(\): index -?\d+ out of range",
    "uses an index that the tensor doesn't have.",
    "A dimension of length n has the indices 0 to n - 1. No gradient is involved yet.",
    "Use an index from 0 to n - 1, or from -1 back to -n.")
row("class out of range", r"Target (-?\d+) is out of bounds",
    "gives a loss the class {0}, and the scores have no column {0}.",
    "A class is the number of a column of the scores, counted from 0.",
    "Number the classes from 0.",
    ("Give the last layer an output for each class: at least {0} + 1.", "more parameters"))

# --- dtypes

row("dtypes that differ", r"Found dtype (\w+) but expected (\w+)",
    "passes back a gradient of type {0} to a tensor of type {1}.",
    "A loss was given predictions and targets of two floating-point types.",
    ("Convert the targets to the type of the predictions: `target.to(x.dtype)`.", SECOND))
row("classes that are no whole numbers",
    r"expected target dtype to be Long or Byte, but got (\w+)|"
    r"expected scalar type Long but found (\w+)",
    "gives a loss classes of another type than Long.",
    "A class is the number of a column of the scores, so it must be a whole number.",
    ("Convert the classes: `target.long()`.", SECOND))
row("indices that are no whole numbers",
    r"Expected tensor for argument #1 'indices' to have one of the following scalar types|"
    r"tensors used as indices must be long",
    "uses numbers with a fraction as indices.",
    "An index is the number of a row, so it must be a whole number.",
    ("Convert the indices: `x.long()`.", SECOND))
row("a product of two dtypes",
    r"expected m1 and m2 to have the same dtype|mat1 and mat2 must have the same dtype|"
    r"input tensors must have the same dtype|expected both vectors to have same dtype|"
    r"expected scalar type \w+ but found \w+",
    "multiplies matrices of two types.",
    "The usual reason is data from NumPy, which is float64, or whole numbers; a layer's weights "
    "are float32.",
    ("Convert the data: `x.float()`.", "a second tensor, with fewer digits"))

# --- requires_grad, and what it rules out

row("integers require no gradient",
    r"nly Tensors of floating point(?: and complex)? dtype can require gradients",
    "sets requires_grad for a tensor of whole numbers.",
    "A gradient says what a small change does, and a whole number can't change by a small amount.",
    ("Write the numbers with a decimal point: `1.0`.",
     "whole numbers above 16 777 216 may be rounded"),
    ("Convert them first: `.float()`.", "a second tensor, and the same rounding"))
row("flag of a computed tensor", r"you can only change requires_grad flags of leaf variables",
    "changes requires_grad of {it}, which {maker} made.",
    "Whether a computed tensor requires a gradient follows from the tensors that it was computed "
    "from.",
    ("Use `{it}.detach()` where you need no gradient.", SHARES), about="computed")
row("no hook without gradient",
    r"cannot register a hook on a tensor that doesn't require gradient|"
    r"can't retain_grad on Tensor that has requires_grad=False|"
    r"get the gradient edge for a Tensor that does not require gradients",
    "needs the gradient of {it}, which requires none.",
    "No backward pass computes a gradient for it.",
    ("Let {it}, or a leaf that it is computed from, require a gradient first.",
     "the operations keep what they save in memory until the pass"), about="constant")
row("numpy", r"Can't call numpy\(\) on Tensor that requires grad",
    "makes a NumPy array of {it}, which requires a gradient.",
    "NumPy records no operations, so no gradient would flow back to {it}.",
    ("Use `{it}.detach().numpy()`.",
     "no gradient flows through it; the array shares the memory, and what "
     "NumPy writes to it changes no version"),
    ("Use the tensor's own operations.", MEMORY), about="tracked")
row("several numbers as one",
    r"a Tensor with (\d+) elements cannot be converted to Scalar|"
    r"only one element tensors can be converted|"
    r"Boolean value of Tensor with .* is ambiguous|"
    r"only integer tensors of a single element can be converted",
    "uses a tensor with several numbers as a single one.", "Which of them is meant is not clear.",
    "Compute one of them: sum(), mean(), any(), all(), or an index.")
row("a number has no backward",
    r"'(float|int)' object has no attribute '(backward|grad|grad_fn|detach)'",
    "uses .{1} of a Python number.",
    "Numbers from .item(), float() and math functions have no history.",
    ("Leave out .item() or float() until after the pass.",
     "what the operations save stays in memory until then"))
row("optimizer of a computed tensor", r"can't optimize a non-leaf Tensor",
    "gives an optimizer {it}, which {maker} made.",
    "A backward pass fills the .grad of leaves only, so the optimizer would never change it.",
    ("Make it a leaf: `{it} = {it}.detach().requires_grad_()`.", "no gradient flows further back"),
    about="computed")

# --- what may be assigned to .grad

SIZE_OF_A_GRADIENT = (
    "A gradient has one number for each element of its tensor, so the two must have one shape.",
    ("If both have as many elements, give the gradient the shape of {it}: `.reshape({it}.shape)`.",
     SHARES),
    "If it was computed for another tensor, assign it to the `.grad` of that tensor.")
TYPE_OF_A_GRADIENT = (
    "A gradient normally has the type of its tensor, so that the two can be added.",
    ("Convert the gradient: `.to({it}.dtype)`.", SECOND))

row("assigned gradient of another size",
    r"attempting to assign a gradient of size '(\[.*?\])' to a tensor of size '(\[.*?\])'",
    "assigns a gradient of shape {0} to {it}, which has the shape {1}.",
    *SIZE_OF_A_GRADIENT, about="owner")
row("assigned gradient of another size", r"assigned grad has data of a different size",
    "assigns {it} a gradient of another shape.", *SIZE_OF_A_GRADIENT, about="owner")
row("assigned gradient of another type",
    r"attempting to assign a gradient (?:with|of) dtype '(.*?)' to a tensor "
    r"(?:with|of) (?:grad_)?dtype '(.*?)'",
    "assigns a gradient of type {0} to {it}, whose gradient has the type {1}.",
    *TYPE_OF_A_GRADIENT, about="owner")
row("assigned gradient of another type", r"assigned grad has data of a different type",
    "assigns {it} a gradient of another type.", *TYPE_OF_A_GRADIENT, about="owner")

# --- a checkpoint

BOTH_RUNS = (
    "A checkpoint runs its function a second time in the backward pass, in place of keeping its "
    "tensors. Both runs must save the same tensors in the same order.",
    "Let the function depend on nothing that changes between its two runs, such as a counter or a "
    "variable outside.",
    ("Call the function without a checkpoint.", "its saved tensors stay in memory until the pass"))

row("checkpoint differs",
    r"A different number of tensors was saved during the original forward and recomputation\.\s+"
    r"Number of tensors saved during forward: (\d+)\s+"
    r"Number of tensors saved during recomputation: (\d+)",
    "ran the function of a checkpoint again, which saved {1} tensors in place of {0}.",
    *BOTH_RUNS)
row("checkpoint differs",
    r"have different metadata than during the forward pass\.\s+tensor at position (\d+):\s+"
    r"saved metadata: \{'shape': torch\.Size\((\[.*?\])\), 'dtype': torch\.(\w+).*?"
    r"recomputed metadata: \{'shape': torch\.Size\((\[.*?\])\), 'dtype': torch\.(\w+)",
    "ran the function of a checkpoint again, and saved tensor {0} has the shape {3} and the type "
    "{4} now; it was saved with the shape {1} and the type {2}.",
    *BOTH_RUNS)
row("checkpoint differs",
    r"retrieve a tensor saved by autograd multiple times without checkpoint recomputation",
    "asked a checkpoint for a saved tensor that its second run didn't save, or that was taken "
    "before.", *BOTH_RUNS)
