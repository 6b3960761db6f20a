"""Causes in arguments: of operations, whose shapes and dtypes don't fit, of passes, and of derivatives.

PyTorch raises many of these from C++, without a frame of its own in the traceback, so their words decide.
"""

from __future__ import annotations

from functools import partial

from .explain_table import row as any_row

SECOND = "a second tensor"
row = partial(any_row, about="line")
loose = partial(any_row, sharp=False)  # for words that errors of others have, too

# --- shapes

row("shapes that do not fit",
    r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension "
    r"(\d+)",
    "combines tensors whose dimension {2} has the lengths {0} and {1}.",
    "The lengths must be equal, or one of them 1. No gradient is involved yet.",
    "Look at both shapes; add a dimension with `[:, None]`, or transpose.")
row("matrices that do not fit", r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
    "multiplies a matrix of shape ({0}, {1}) by one of shape ({2}, {3}).",
    "The first has {1} columns and the second {2} rows; they must be equal. No gradient is involved.",
    "Look at both shapes, and transpose one of them.",
    "Give the layer the number of columns of its input: `nn.Linear({1}, ...)`.")
row("another number of elements", r"shape '(\[.*?\])' is invalid for input of size (\d+)",
    "asks for the shape {0}, for a tensor of {1} elements.",
    "view() and reshape() keep the number of elements, so the lengths must multiply to {1}.",
    "Choose lengths that multiply to {1}; one of them may be -1, which stands for the length that is left.")
row("view of scattered memory", r"view size is not compatible with input tensor's size and stride",
    "asks for a view whose shape the tensor's memory doesn't allow, for instance after a transpose.",
    "A view shares the memory, so neighbours in it must be neighbours in memory, too.",
    ("Use `reshape()` in place of `view()`.", "a second tensor, where no view is possible"))
row("parts of different shapes",
    r"stack expects each tensor to be equal size, but got (\[.*?\]) at entry 0 and (\[.*?\])|"
    r"Sizes of tensors must match except in dimension",
    "joins tensors whose shapes don't fit.",
    "stack() needs equal shapes; cat() needs equal lengths in all dimensions but one.",
    ("Bring the tensors to one shape before you join them.", SECOND))
row("batches of different sizes", r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
    "compares {0} rows of scores with {1} targets.", "Each row needs its own target.",
    "Give the loss as many targets as rows.")

row("channels that do not fit", r"expected input(\[.*?\]) to have (\d+) channels, but got (\d+) channels",
    "passes a convolution an input of shape {0} with {2} channels.",
    "The layer was made for {1} channels, which are dimension 1 of a batch of images.",
    "Give the layer the channels of its input: `nn.Conv2d({2}, ...)`.",
    "Bring the channels into dimension 1, with `x.permute(0, 3, 1, 2)` where they are the last.")
row("targets of another shape", r"multi-target not supported|Expected target size (\[.*?\]), got (\[.*?\])",
    "gives a loss targets of a shape that does not fit its scores.",
    "Scores of shape (rows, classes) need one class number for each row: targets of shape (rows,).",
    "Remove the dimension that is left: `target.squeeze(1)`.")

# --- dimensions and indices

row("dimension", r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got "
                 r"(-?\d+)\)",
    "names dimension {2} of a tensor that has none of this number.",
    "Its dimensions are numbered from 0 to {1}, or from -1 back to {0}. No gradient is involved yet.",
    "Name a dimension from {0} to {1}.")
row("dimension", r"Dimension specified as (-?\d+) but tensor has no dimensions",
    "names dimension {0} of a tensor of shape ().",
    "A tensor with a single number has no dimensions.", "Leave the dimension out.")
row("index out of range",
    r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)|index out of range in self|"
    r"select\(\): index (-?\d+) out of range|index (\d+) is out of range",
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
    r"expected target dtype to be Long or Byte, but got (\w+)|expected scalar type Long but found (\w+)",
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
    "The usual reason is data from NumPy, which is float64, or whole numbers; a layer's weights are float32.",
    ("Convert the data: `x.float()`.", "a second tensor, with fewer digits"))
row("dtype",
    r"not implemented for '|could not infer output dtype|without overflow|imag is not implemented|"
    r"len\(\) of a 0-d tensor",
    "asks for something that a tensor of this type or shape doesn't have.",
    "Means and losses, for example, need floating-point numbers. No gradient is involved yet.",
    ("Convert the tensor first: `.float()`.", SECOND))
loose("dimension", r"dimensions must", "names dimensions that don't fit.",
      "Dimensions are counted from 0, or from the end with -1. No gradient is involved yet.",
      "Name one that the message allows.", about="line")

# --- arguments of grad() and backward()

loose("no inputs", r"`inputs` argument to `(\w+)\(\)` cannot be empty",
    "calls {0}() with an empty list of inputs.", "Without inputs no gradient is wanted.",
    "Leave inputs out, to fill the .grad of all leaves; or name the tensors.")
loose("inputs of a wrong type",
    r"all inputs have to be Tensors or GradientEdges, but got (\w+)|`inputs` argument to `\w+\(\)` must be a "
    r"dict|Expected output to be a torch.Tensor",
    "passes something other than tensors.", "Gradients are computed with respect to tensors.",
    "Pass a tensor, a list of tensors, or a dict of tensors.")
loose("two names for one argument", r"`grad_tensors` and `grad_variables`",
    "passes grad_tensors and its old name.", "They are one argument.", "Leave out grad_variables.")
any_row("unknown argument", r"backward\(\) got an unexpected keyword argument '(\w+)'",
    "calls backward() with an argument {0}, which it doesn't have.",
    "It has gradient, retain_graph, create_graph and inputs; before 2017 retain_graph had another name.",
    "Use one of these, or leave it out.")
loose("zeros for unused inputs", r"materialize_grads",
    "asks for zeros in a way that contradicts itself.",
    "materialize_grads=True includes allow_unused, and takes the shape of the zeros from tensors.",
    "Leave out allow_unused=False, and pass tensors.")

# --- derivatives of functions, gradcheck

loose("Jacobian mismatch",
    r"Jacobian (?:mismatch|computed with)|Gradients failed to compare|slow gradcheck|numerical:.*analytical:",
    "found a backward that does not agree with the slope of its forward.",
    "The message shows both; a wrong formula, a kink at that point, or float32 are the usual reasons.",
    "Use float64 inputs away from kinks; if it still fails, correct the formula.")
loose("gradcheck",
    r"[Gg]radcheck|check_\w+|Backward is not reentrant|(?:Analytical|Numerical) gradient|"
    r"Gradient has dtype mismatch|multiplied by grad_output|Expected grad_out to be 1.0|^grad is incorrect|"
    r"input grads to be undefined|undefined output grads|return outputs with the same",
    "ran a check of gradients, which failed or could not be made.",
    "The message says what was compared.",
    "Use float64 leaves that require gradients, in memory of their own.")
loose("independent of the input",
    "is independent of input|independent of the input|strict=True.*independent|"
    r"independent of|computed in a differentiable manner from the input when running in strict mode",
    "asks with strict=True for a derivative that is zero because nothing was recorded.",
    "The function's result does not depend on that input, or not by recorded operations.",
    ("Leave out strict=True.", "zeros, also where that is a mistake"))
loose("functional",
    r"strategy|given to \w+ (?:should|must)|[Tt]he given v should|v is None|v is a tuple of invalid|"
    r"has invalid size: should be|torch.autograd.functional|forward-AD|The function given to|"
    r"The vector v can only be None|The (?:\w+ )*given to",
    "calls a function of autograd.functional with arguments that it can't use.",
    "The message says which; v has the shape of the tensor that it multiplies.",
    "Pass tensors of the shapes that the message names.")
loose("checkpoint",
    r"torch.utils.checkpoint|checkpoint\(\)|context_fn|GraphExecGroup|determinism_check|non-default "
    r"context_fn|Only tuple of tensors is supported|Unexpected keyword arguments",
    "ran a checkpoint whose two computations differ, or whose arguments don't fit.",
    "A checkpoint computes its part a second time in the backward pass, and the result must be the same.",
    "Use use_reentrant=False, and let the function depend on its arguments alone.")

# --- others

loose("argument",
    r"\(\): argument '|received an invalid combination of arguments|expected np.ndarray|"
    r"is an invalid keyword argument|Variable data has to be a tensor|only supports Tensor or scalar|"
    r"can't alias|invalid type:|dtype must be|can't assign a|must be Tensor, not|is not callable|"
    r"Expects mode to be one of|increment_version expect|cannot be interpreted as an integer|"
    r"object is no (?:bool|number)|requested resize to",
    "calls an operation with an argument that it does not take.", "The message says what it takes.",
    "Pass what the message names.", about="line")
loose("only during a pass",
    "Final callbacks can only be installed|_will_engine_execute_node|Expected gradient function",
    "asks about the running backward pass, and there is none or a different one.",
    "These calls are only possible inside hooks.", "Call it inside a hook, during backward().")
loose("old names", r"is deprecated, use torch|volatile|reinforce\(\) was removed",
    "uses a name from before 2018.", "The message says which name replaced it.",
    "Use the new name.")
