"""Causes in arguments: of grad() and backward(), of the functional derivatives, gradcheck and checkpoint; and
the shapes and types that operations refuse, where no gradient is at work yet."""

from __future__ import annotations

from functools import partial

from .explain_table import simple as any_simple

NONE = "none"
simple = partial(any_simple, sharp=False)

# --- the arguments of a pass

simple(
    "no inputs",
    r"`inputs` argument to `(\w+)\(\)` cannot be empty",
    "calls {0}() with an empty list of inputs.",
    "Without inputs there is nothing to collect.",
    fixes=(("Leave inputs out, to fill the .grad of all leaves; or name the tensors.", NONE),),
)
simple(
    "inputs of a wrong type",
    r"all inputs have to be Tensors or GradientEdges, but got (\w+)|"
    r"`inputs` argument to `\w+\(\)` must be a dict|Expected output to be a torch.Tensor",
    "gives a pass something other than tensors.",
    "Gradients are computed with respect to tensors.",
    fixes=(("Give a tensor, a list of tensors, or a dict of tensors.", NONE),),
)
simple(
    "two names for one argument",
    r"`grad_tensors` and `grad_variables`",
    "gives grad_tensors and its old name.",
    "They are one argument.",
    fixes=(("Leave out grad_variables.", NONE),),
)
any_simple(
    "unknown argument",
    r"backward\(\) got an unexpected keyword argument '(\w+)'",
    "gives backward() an argument {0}, which it does not know.",
    "It knows gradient, retain_graph, create_graph and inputs; before 2017 retain_graph had another name.",
    fixes=(("Use one of these, or leave it out.", NONE),),
)
simple(
    "zeros for unused inputs",
    r"materialize_grads",
    "asks for zeros in a way that contradicts itself.",
    "materialize_grads=True includes allow_unused, and needs tensors to take the shape from.",
    fixes=(("Leave out allow_unused=False, and give tensors.", NONE),),
)
simple(
    "dtype without gradient",
    r"Autograd not support dtype",
    "records an operation of a type without gradients.",
    "Only floating point numbers have gradients.",
    fixes=(("Convert to floats.", "a second tensor"),),
    show=True,
)

# --- derivatives of functions, gradcheck

simple(
    "Jacobian mismatch",
    r"Jacobian (?:mismatch|computed with)|Gradients failed to compare|"
    r"slow gradcheck|numerical:.*analytical:",
    "found a backward that does not agree with the slope of its forward.",
    "The message shows both; a wrong formula, a kink at that point, or float32 are the usual reasons.",
    fixes=(("Give float64 inputs away from kinks; if it still fails, mend the formula.", NONE),),
)
simple(
    "gradcheck",
    r"[Gg]radcheck|check_\w+|Backward is not reentrant|(?:Analytical|Numerical) gradient|"
    r"Gradient has dtype mismatch|multiplied by grad_output|Expected grad_out to be 1.0|^grad is incorrect|"
    r"input grads to be undefined|undefined output grads|return outputs with the same",
    "ran a check of gradients, which was not passed or could not be made.",
    "The message says what it looked at.",
    fixes=(("Give it float64 leaves that require gradients, in memory of their own.", NONE),),
)
simple(
    "independent of the input",
    "is independent of input|independent of the input|strict=True.*independent|"
    r"independent of|computed in a differentiable manner from the input when running in strict mode",
    "asks strictly for a derivative that is zero because nothing was recorded.",
    "The function's result does not depend on that input, or not by recorded operations.",
    fixes=(("Leave out strict=True.", "zeros, also where that is a mistake"),),
)
simple(
    "functional",
    r"strategy|given to \w+ (?:should|must)|[Tt]he given v should|v is None|v is a tuple of "
    "invalid|"
    r"has invalid size: should be|torch.autograd.functional|forward-AD|The function given to|"
    r"The vector v can only be None|The (?:\w+ )*given to",
    "gives a derivative of autograd.functional arguments that it can't use.",
    "The message says which; v has the shape of what it multiplies.",
    fixes=(("Give tensors of the shapes that the message names.", NONE),),
)
simple(
    "checkpoint",
    r"torch.utils.checkpoint|checkpoint\(\)|context_fn|GraphExecGroup|determinism_check|non-default "
    "context_fn|"
    r"Only tuple of tensors is supported|Unexpected keyword arguments",
    "ran a checkpoint, and the two computations or the arguments do not fit.",
    "A checkpoint computes its part a second time in the pass, and must then do the same.",
    fixes=(("Give use_reentrant=False, and let the function depend on its arguments alone.", NONE),),
)

# --- before any gradient is at work

any_simple(
    "shapes that do not fit",
    r"The size of tensor a \((\d+)\) must match the size of tensor b "
    r"\((\d+)\) at "
    r"non-singleton dimension (\d+)",
    "combines tensors whose dimension {2} is {0} and {1} long.",
    "They must be equally long there, or one of them 1. No gradient was at work yet.",
    fixes=(("Look at both shapes; add a dimension with `[:, None]`, or transpose.", NONE),),
    show=True,
)
simple(
    "dimension",
    r"Dimension out of range|Dimension specified as|dimensions must",
    "names a dimension that is not there.",
    "Dimensions are counted from 0, or from the end with -1. No gradient was at work yet.",
    fixes=(("Name one that the message allows.", NONE),),
    show=True,
)
simple(
    "argument",
    r"\(\): argument '|received an invalid combination of arguments|expected np.ndarray|"
    r"is an invalid keyword argument|Variable data has to be a tensor|only supports Tensor or scalar|"
    r"can't alias|invalid type:|dtype must be|can't assign a|must be Tensor, not|is not callable|"
    r"Expects mode to be one of|increment_version expect|cannot be interpreted as an integer|"
    r"object is no (?:bool|number)|requested resize to",
    "gives an operation an argument that it does not take.",
    "The message says what it takes.",
    fixes=(("Give that.", NONE),),
    show=True,
)
simple(
    "dtype",
    r"not implemented for '|without overflow|imag is not implemented|len\(\) of a 0-d tensor",
    "asks for something that a tensor of this type or shape does not have.",
    "No gradient was at work yet.",
    fixes=(("Convert the tensor first.", "a second tensor"),),
    show=True,
)
any_simple(
    "dtypes that differ",
    r"Found dtype (\w+) but expected (\w+)",
    "sends back a gradient of type {0}, where a tensor of type {1} waits for it.",
    "A loss was given predictions and targets of two floating-point types.",
    fixes=(("Convert the targets to the type of the predictions: `target.to(x.dtype)`.", "a second tensor"),),
    show=True,
)
simple(
    "classes that are no whole numbers",
    r"expected target dtype to be Long or Byte, but got (\w+)|expected scalar type Long but found (\w+)",
    "gives a loss classes of another type than Long.",
    "A class is the number of a column of the scores, so it must be a whole number.",
    fixes=(("Convert the classes: `target.long()`.", "a second tensor"),),
    show=True,
)
simple(
    "a product of two dtypes",
    r"expected m1 and m2 to have the same dtype|mat1 and mat2 must have the same dtype|"
    r"input tensors must have the same dtype|expected both vectors to have same dtype|"
    r"expected scalar type \w+ but found \w+",
    "multiplies matrices of two floating-point types.",
    "The usual reason is data from NumPy, which is float64; a layer's weights are float32.",
    fixes=(("Convert the data: `x.float()`.", "a second tensor, with fewer digits"),),
    show=True,
)
simple(
    "optimizer's arguments",
    r"^(?:Invalid (?:learning rate|epsilon|beta|\w+ value)|Tensor "
    "lr)|param(?:eter)?[ _]groups?|"
    r"optimizer (?:can only|param)|params argument given to the optimizer|there is no differentiable=True|"
    r"must return None or a tuple of \(new_args",
    "gives an optimizer what it can't use.",
    "The message says what.",
    fixes=(("Give it leaves, and numbers in range.", NONE),),
)
simple(
    "only during a pass",
    "Final callbacks can only be installed|_will_engine_execute_node|Expected gradient function",
    "asks the running pass for something, and there is none or a different one.",
    "These calls belong into hooks.",
    fixes=(("Call it inside a hook, during backward().", NONE),),
)
simple(
    "old names",
    r"is deprecated, use torch|volatile|reinforce\(\) was removed",
    "uses a name from before 2018.",
    "The message says what took its place.",
    fixes=(("Use that.", NONE),),
)
simple(
    "how operations are defined",
    r"there is no argument '.*' to give a gradient to|the formula for '",
    "defines an operation whose names do not fit.",
    "A formula names arguments and results of its function.",
    fixes=(("Use those names.", NONE),),
)
