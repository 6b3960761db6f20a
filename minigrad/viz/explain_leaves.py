"""Causes in the flags and attributes of tensors: requires_grad, .grad, .data, hooks, NumPy."""

from __future__ import annotations

from .explain_table import row

SHARES = "none: it shares the memory"
SECOND = "a second tensor of its size"

# --- requires_grad

row("integers require no gradient",
    r"nly Tensors of floating point(?: and complex)? dtype can require gradients",
    "sets requires_grad for a tensor of whole numbers.",
    "A gradient says what a small change does, and a whole number can't change by a small amount.",
    ("Write the numbers with a point: `1.0`, or convert them with `.float()`.",
     "none with a point; a second tensor when it is converted"),
    about="tensor")
row("flag of a computed tensor", r"you can only change requires_grad flags of leaf variables",
    "changes requires_grad of {it}, which {maker} made.",
    "Whether a computed tensor requires a gradient follows from the tensors that it was computed from.",
    ("Use `{it}.detach()` where no gradient is wanted.", SHARES), about="computed")
row("flag that is no bool", r"requires_grad must be a bool|requires_grad_\(\): argument 'requires_grad'",
    "sets requires_grad to something other than True or False.",
    "No other value has a meaning there.", "Use True or False.", about="line")
row("no hook without gradient",
    r"cannot register a hook on a tensor that doesn't require gradient|"
    r"can't retain_grad on Tensor that has requires_grad=False|"
    r"get the gradient edge for a Tensor that does not require gradients",
    "needs the gradient of {it}, which requires none.",
    "No backward pass computes a gradient for it.",
    ("Let {it}, or a leaf that it is computed from, require a gradient first.",
     "the operations keep what they save in memory until the pass"), about="constant")

# --- .grad

row("gradient of a wrong shape assigned",
    "attempting to assign a gradient of size '(.*?)' to a tensor of size '(.*?)'",
    "assigns a gradient of size {0} to the .grad of a tensor of size {1}.",
    "The two must have the same shape.",
    "Give the gradient the tensor's shape, with reshape() or expand_as().", about="line")
row("gradient of a wrong dtype assigned", "attempting to assign a gradient with dtype '(.*?)' to a tensor",
    "assigns a gradient of type {0} to the .grad of a tensor of another type.",
    "The two must have the same dtype.",
    ("Convert the gradient: `.to(x.dtype)`.", SECOND), about="line")
row("no tensor assigned as gradient",
    r"assigned grad expected to be a Tensor or None but got grad of type (\w+)",
    "assigns a value of type {0} to .grad.", ".grad takes a tensor of the same shape, or None.",
    ("Assign a tensor: `torch.full_like(x, ...)`.", "a tensor of that shape"), about="line")
row("its own gradient", r"can't assign Variable as its own grad",
    "assigns a tensor to its own .grad.", "A write to one would change the other.",
    ("Assign a copy: clone().", SECOND))
row("hook of a computed tensor", r"post accumulate grad hooks cannot be registered on non-leaf",
    "registers a hook for the .grad of a tensor that an operation made.",
    "A backward pass fills the .grad of leaves only.",
    "Use register_hook(), which receives the gradient itself.", about="line")

# --- .data, .grad_fn, copies

row("data deleted", r"Deleting tensor data is not allowed",
    "deletes the data of a tensor.", "A tensor always has data.", "Delete the variable: `del x`.")
row("data of integers", r"data set to a tensor that requires gradients must be floating point",
    "assigns whole numbers to the data of a tensor that requires a gradient.",
    "Only floating-point numbers have gradients.", "Convert them: `.float()`.", about="line")
row("attribute that can't be written", r"attribute '(\w+)' of 'torch._C.TensorBase' objects is not writable",
    "assigns to .{0}, which only the engine sets.", "It says what was recorded.",
    "Don't assign to it; use detach(), requires_grad_() or a new tensor.", about="line")
row("copy of a computed tensor",
    r"Only Tensors created explicitly by the user \(graph leaves\) support the deepcopy|default "
    r"implementation of __deep",
    "copies a tensor that an operation made, with deepcopy.",
    "A copy could not have the same place in the graph.",
    ("Copy the numbers: `x.detach().clone()`.", "a second tensor of its size; it has no history"),
    about="line")

# --- a tensor used as something else

row("numpy", r"Can't call numpy\(\) on Tensor that requires grad",
    "makes a NumPy array of {it}, which requires a gradient.",
    "NumPy records no operations, so no gradient would flow back to {it}.",
    ("Use `{it}.detach().numpy()`.", "no gradient flows through it; the array shares the memory, and what "
     "NumPy writes to it changes no version"),
    "Use the tensor's own operations.", about="tracked")
row("several numbers as one",
    r"a Tensor with (\d+) elements cannot be converted to Scalar|only one element tensors can be converted|"
    r"Boolean value of Tensor with .* is ambiguous|only integer tensors of a single element can be converted",
    "uses a tensor with several numbers as a single one.", "Which of them is meant is not clear.",
    "Compute one of them: sum(), mean(), any(), all(), or an index.", about="line")
row("a number has no backward", r"'(float|int)' object has no attribute '(backward|grad|grad_fn|detach)'",
    "uses .{1} of a Python number.",
    "Numbers from .item(), float() and math functions have no history.",
    ("Leave out .item() or float() until after the pass.", "what the operations save stays in memory until "
                                                           "then"))

# --- optimizers

row("optimizer of a computed tensor", r"can't optimize a non-leaf Tensor",
    "gives an optimizer a tensor that an operation made.",
    "A backward pass fills the .grad of leaves only, so the optimizer would never change it.",
    ("Make it a leaf: `w = (...).detach().requires_grad_()`.", "no gradient flows further back"),
    about="line")
row("optimizer without parameters", r"optimizer got an empty parameter list",
    "gives an optimizer no parameters.", "A generator that was already used up is empty.",
    "Give it the leaves: `model.parameters()` or `[w, b]`.")
row("optimizer's arguments",
    r"^(?:Invalid (?:learning rate|epsilon|beta|\w+ value)|Tensor lr)|param(?:eter)?[ _]groups?|"
    r"optimizer (?:can only|param)|params argument given to the optimizer|there is no differentiable=True|"
    r"must return None or a tuple of \(new_args",
    "passes an optimizer an argument that it can't use.", "The message says which one.",
    "Pass it leaves, and numbers in range.", sharp=False)
