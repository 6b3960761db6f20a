"""Causes in arguments: of grad() and backward(), of derivatives of functions, gradcheck and checkpoint."""

from __future__ import annotations

from functools import partial

from .explain_table import row as any_row

row = partial(any_row, sharp=False)

row("no inputs", r"`inputs` argument to `(\w+)\(\)` cannot be empty",
    "calls {0}() with an empty list of inputs.",
    "Without inputs no gradient is wanted.",
    "Leave inputs out, to fill the .grad of all leaves; or name the tensors.")
row("inputs of a wrong type",
    r"all inputs have to be Tensors or GradientEdges, but got (\w+)|`inputs` argument to `\w+\(\)` must be a "
    r"dict|Expected output to be a torch.Tensor",
    "passes something other than tensors.",
    "Gradients are computed with respect to tensors.",
    "Pass a tensor, a list of tensors, or a dict of tensors.")
row("two names for one argument", r"`grad_tensors` and `grad_variables`",
    "passes grad_tensors and its old name.",
    "They are one argument.",
    "Leave out grad_variables.")
any_row("unknown argument", r"backward\(\) got an unexpected keyword argument '(\w+)'",
        "calls backward() with an argument {0}, which it doesn't have.",
        "It has gradient, retain_graph, create_graph and inputs; before 2017 retain_graph had another name.",
        "Use one of these, or leave it out.")
row("zeros for unused inputs", r"materialize_grads",
    "asks for zeros in a way that contradicts itself.",
    "materialize_grads=True includes allow_unused, and takes the shape of the zeros from tensors.",
    "Leave out allow_unused=False, and pass tensors.")

# --- derivatives of functions, gradcheck

row("Jacobian mismatch",
    r"Jacobian (?:mismatch|computed with)|Gradients failed to compare|slow gradcheck|numerical:.*analytical:",
    "found a backward that does not agree with the slope of its forward.",
    "The message shows both; a wrong formula, a kink at that point, or float32 are the usual reasons.",
    "Use float64 inputs away from kinks; if it still fails, correct the formula.")
row("gradcheck",
    r"[Gg]radcheck|check_\w+|Backward is not reentrant|(?:Analytical|Numerical) gradient|"
    r"Gradient has dtype mismatch|multiplied by grad_output|Expected grad_out to be 1.0|^grad is incorrect|"
    r"input grads to be undefined|undefined output grads|return outputs with the same",
    "ran a check of gradients, which failed or could not be made.",
    "The message says what was compared.",
    "Use float64 leaves that require gradients, in memory of their own.")
row("independent of the input",
    "is independent of input|independent of the input|strict=True.*independent|"
    r"independent of|computed in a differentiable manner from the input when running in strict mode",
    "asks with strict=True for a derivative that is zero because nothing was recorded.",
    "The function's result does not depend on that input, or not by recorded operations.",
    ("Leave out strict=True.", "zeros, also where that is a mistake"))
row("functional",
    r"strategy|given to \w+ (?:should|must)|[Tt]he given v should|v is None|v is a tuple of invalid|"
    r"has invalid size: should be|torch.autograd.functional|forward-AD|The function given to|"
    r"The vector v can only be None|The (?:\w+ )*given to",
    "calls a function of autograd.functional with arguments that it can't use.",
    "The message says which; v has the shape of the tensor that it multiplies.",
    "Pass tensors of the shapes that the message names.")
row("checkpoint",
    r"torch.utils.checkpoint|checkpoint\(\)|context_fn|GraphExecGroup|determinism_check|non-default "
    r"context_fn|Only tuple of tensors is supported|Unexpected keyword arguments",
    "ran a checkpoint whose two computations differ, or whose arguments don't fit.",
    "A checkpoint computes its part a second time in the backward pass, and the result must be the same.",
    "Use use_reentrant=False, and let the function depend on its arguments alone.")

# --- others

row("argument",
    r"\(\): argument '|received an invalid combination of arguments|expected np.ndarray|"
    r"is an invalid keyword argument|Variable data has to be a tensor|only supports Tensor or scalar|"
    r"can't alias|invalid type:|dtype must be|can't assign a|must be Tensor, not|is not callable|"
    r"Expects mode to be one of|increment_version expect|cannot be interpreted as an integer|"
    r"object is no (?:bool|number)|requested resize to",
    "calls an operation with an argument that it does not take.",
    "The message says what it takes.",
    "Pass what the message names.", about="line")
row("only during a pass",
    "Final callbacks can only be installed|_will_engine_execute_node|Expected gradient function",
    "asks about the running backward pass, and there is none or a different one.",
    "These calls are only possible inside hooks.",
    "Call it inside a hook, during backward().")
row("old names", r"is deprecated, use torch|volatile|reinforce\(\) was removed",
    "uses a name from before 2018.",
    "The message says which name replaced it.",
    "Use the new name.")
row("how operations are defined", r"there is no argument '.*' to give a gradient to|the formula for '",
    "defines an operation whose names do not fit.",
    "A formula names arguments and results of its function.",
    "Use those names.")
