"""Jacobians, Hessians and their products with vectors, of a function of tensors (torch.autograd.functional).

    J[i, j] = derivative of output i with respect to input j
    vjp     = v J             one backward pass
    jvp     = J v             two: u J is linear in u, and its derivative with respect to u, along v, is J v
    vhp     = v H, hvp = H v  the same two tricks, with the gradient of the function in place of the function

The function sees aliases of your inputs, never the tensors themselves: what it does to the same tensors by
another way is then no part of the answer.
"""
from __future__ import annotations

from ..tensor import Tensor
from .grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from .gradients import grad

ONE_OUTPUT = ("The vector v can only be None if the user-provided function returns a single Tensor with a "
              "single element.")
ONE_INPUT = ("The vector v can only be None if the input to the user-provided function is a single Tensor "
             "with a single element.")
STRICT = " This is not allowed in strict mode."
STRICT_RECORDED = " This is not allowed in strict mode when create_graph=True."


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """All first derivatives of ``func(*inputs)``, one backward pass for each element of its outputs.

    Args:
        func: takes tensors, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        create_graph: record the computation, so that the result can be differentiated.
        strict: raise where an output does not depend on an input; otherwise that part is zero.
        vectorize, strategy: hints at a faster way, which is not to be had here.  The result is the same; as
            PyTorch does, forward mode insists on `vectorize`.

    Returns:
        A tensor of shape ``output.shape + input.shape``; for a tuple of inputs a tuple of them; for a tuple
        of outputs a tuple of those, ``result[output][input]``.

    Raises:
        RuntimeError: in strict mode, an output that does not depend on an input.
        TypeError: `inputs`, or what `func` returned, is neither a tensor nor a tuple of tensors.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has '
            'more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use '
            '"reverse-mode".')
    if strategy == "forward-mode":
        check_forward_mode(create_graph, strict, vectorize)
        # in forward mode, what depends on your tensors stays connected to them
        create_graph = is_grad_enabled()
    with enable_grad():
        several, inputs = prepared(inputs, "inputs", "jacobian", create_graph)
        create_graph = create_graph and (strategy != "forward-mode" or any([one.grad_fn for one in inputs]))
        several_outputs, outputs = outputs_of(func, inputs, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are "
                               "not supported together. Please either set `strict=False` or "
                               "`vectorize=False`.")
        rows = [one_jacobian(i, output, inputs, create_graph, strict) for i, output in enumerate(outputs)]
    rows = tuple([finished(row, several, create_graph) for row in rows])
    return rows if several_outputs else rows[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False,
            outer_jacobian_strategy="reverse-mode"):
    """All second derivatives of a function with a single number as its result: the Jacobian of its gradient.

    Returns:
        A tensor of shape ``input.shape + input.shape``; for a tuple of inputs ``result[i][j]`` has shape
        ``inputs[i].shape + inputs[j].shape``.  Arguments and errors are those of `jacobian`.
    """
    several, inputs = checked_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*args):
        returned_tuple, outputs = outputs_of(func, args, "hessian", strict)
        return only_number(returned_tuple, outputs, "hessian").squeeze()

    def gradient(*args):
        if outer_jacobian_strategy == "forward-mode":
            args = tuple([one.requires_grad_() for one in args])
        rows = jacobian(number, args, create_graph=True)
        check_depends(rows, strict, jacobian_depends)
        return rows

    rows = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return rows if several else rows[0][0]


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of ``func(*inputs)``, and the product of the vector `v`, shaped like them, with the
    Jacobian.

    `v` may be left out if the output is a single number.  Other arguments and errors are those of `jacobian`.
    """
    with enable_grad():
        several, inputs = prepared(inputs, "inputs", "vjp", create_graph)
        several_outputs, outputs = outputs_of(func, inputs, "vjp", strict)
        v = direction(v, several_outputs, outputs, "vjp", create_graph, ONE_OUTPUT)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(outputs, inputs, v, create_graph)
        found = with_zeros(found, inputs, strict, create_graph, output_independent, jacobian_constant)
    return finished(outputs, several_outputs, create_graph), finished(found, several, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of ``func(*inputs)``, and the product of the Jacobian with the vector `v`, shaped like the
    inputs.

    `v` may be left out if the input is a single number.  Other arguments and errors are those of `jacobian`.
    """
    with enable_grad():
        several, inputs = prepared(inputs, "inputs", "jvp", create_graph)
        v = direction(v, several, inputs, "jvp", create_graph, ONE_INPUT)
        several_outputs, outputs = outputs_of(func, inputs, "jvp", strict)
        weights = zeros_to_differentiate(outputs)
        weighted = gradients(outputs, inputs, weights, True)
        check_depends(weighted, strict, gradient_depends)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(weighted, weights, v, create_graph)
        found = with_zeros(found, outputs, strict, create_graph, weight_unused, jacobian_constant)
    return finished(outputs, several_outputs, create_graph), finished(found, several_outputs, create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of ``func(*inputs)``, a single number, and the product of `v`, shaped like the inputs, with
    the Hessian.

    `v` may be left out if the input is a single number.  Other arguments and errors are those of `jacobian`.
    """
    with enable_grad():
        several, inputs, v, outputs, first = gradient_of_number(func, inputs, v, "vhp", create_graph, strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(first, inputs, v, create_graph)
        found = with_zeros(found, inputs, strict, create_graph, jacobian_independent, hessian_constant)
    return finished(outputs, False, create_graph), finished(found, several, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """As `vhp`, with the Hessian on the left; as that is symmetric, `vhp` gives the same in fewer passes."""
    with enable_grad():
        several, inputs, v, outputs, first = gradient_of_number(func, inputs, v, "hvp", create_graph, strict)
        weights = zeros_to_differentiate(inputs)
        weighted = gradients(first, inputs, weights, True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(weighted, weights, v, create_graph)
        found = with_zeros(found, inputs, strict, create_graph, grad_jacobian_unused, hessian_constant)
    return finished(outputs, False, create_graph), finished(found, several, create_graph)


# --- the passes ---------------------------------------------------------------------------------------------

def one_jacobian(number, output, inputs, create_graph, strict):
    """The derivatives of one output with respect to each of the inputs."""
    from ..ops.joining import stack  # the operations are defined after this module
    columns = [[] for _ in inputs]
    for place in range(output.numel()):
        row = gradients((output.reshape(-1)[place],), inputs, None, create_graph, retain_graph=True)
        for i, (column, derivative, one) in enumerate(zip(columns, row, inputs)):
            if derivative is None and strict:
                raise RuntimeError(f"Output {number} of the user-provided function is independent of input "
                                   f"{i}.{STRICT}")
            if derivative is not None and strict and create_graph and not derivative.requires_grad:
                raise RuntimeError(jacobian_constant(number) + STRICT_RECORDED)
            column.append(one.new_zeros(one.shape) if derivative is None else derivative)
    return tuple([stack(column).view(tuple(output.shape) + tuple(one.shape))
                  for column, one in zip(columns, inputs)])


def gradient_of_number(func, inputs, v, name, create_graph, strict):
    """What `vhp` and `hvp` start from: the gradient, itself recorded, of a function with one number."""
    several, inputs = prepared(inputs, "inputs", name, create_graph)
    v = direction(v, several, inputs, name, create_graph, ONE_INPUT)
    returned_tuple, outputs = outputs_of(func, inputs, name, strict)
    only_number(returned_tuple, outputs, name)
    first = gradients(outputs, inputs, None, True)
    check_depends(first, strict, jacobian_depends)
    return several, inputs, v, outputs, first


def gradients(outputs, inputs, weights, create_graph, retain_graph=None):
    """`grad`, passing over outputs that are None or constant; all None where nothing is left."""
    weights = (None,) * len(outputs) if weights is None else weights
    pairs = [(output, weight) for output, weight in zip(outputs, weights)
             if output is not None and output.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outputs, weights = zip(*pairs)
    return grad(outputs, inputs, weights, retain_graph, create_graph, allow_unused=True)


def zeros_to_differentiate(tensors):
    """Weights to start a pass from; only its derivative with respect to them matters, so zeros will do."""
    return tuple([one.new_zeros(one.shape, requires_grad=True) for one in tensors])


def with_zeros(found, like, strict, create_graph, missing, constant):
    """Zeros in place of gradients that are None.

    Strict mode refuses those, and under create_graph those that are constant.
    """
    result = []
    for i, (gradient, one) in enumerate(zip(found, like)):
        if gradient is None:
            if strict:
                raise RuntimeError(missing(i))
            gradient = one.new_zeros(one.shape)
        elif strict and create_graph and not gradient.requires_grad:
            raise RuntimeError(constant(i) + STRICT_RECORDED)
        result.append(gradient)
    return tuple(result)


# --- what comes in and what goes out ------------------------------------------------------------------------

def prepared(inputs, what, name, create_graph, differentiate=True):
    """The inputs as a tuple of aliases, still connected to yours if the result is to be differentiated."""
    several, inputs = checked_tuple(inputs, what, name)
    return several, tuple([one.view_as(one) if create_graph and one.requires_grad
                           else one.detach().requires_grad_(differentiate) for one in inputs])


def checked_tuple(value, what, name):
    """Whether `value` is a tuple, and `value` as one."""
    several = isinstance(value, tuple)
    value = value if several else (value,)
    for i, one in enumerate(value):
        if not isinstance(one, Tensor):
            where = f"value at index {i}" if several else f"given {what}"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but "
                            f"the {where} has type {type(one)}.")
    return several, value


def outputs_of(func, inputs, name, strict):
    several, outputs = checked_tuple(func(*inputs), "outputs of the user-provided function", name)
    check_depends(outputs, strict, output_depends)
    return several, outputs


def only_number(returned_tuple, outputs, name):
    if returned_tuple:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single "
                           "element")
    return outputs[0]


def direction(v, several, like, name, create_graph, needed):
    """The vector `v` as a tuple of tensors shaped like those in `like`."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(needed)
        return None
    _, v = prepared(v, "v", name, create_graph, differentiate=False)
    if len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
                           if several else
                           "The given v should contain a single Tensor.")
    for i, (one, other) in enumerate(zip(v, like)):
        if one.shape != other.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {one.shape}.")
    return v


def finished(tensors, several, create_graph):
    """What the caller gets: without history unless they asked for it, and a tuple only if they gave one."""
    if not create_graph:
        tensors = tuple([one.detach() for one in tensors])
    return tensors if several else tensors[0]


# --- strict mode: what must depend on what, and PyTorch's words where it does not ---------------------------

def check_depends(tensors, strict, message):
    """In strict mode, each of the tensors must be there and require a gradient."""
    if strict:
        for i, one in enumerate(tensors):
            if one is None:
                raise RuntimeError(output_independent(i))
            if not one.requires_grad:
                raise RuntimeError(message(i))


def output_independent(i):
    return f"The output of the user-provided function is independent of input {i}.{STRICT}"


def output_depends(i):
    return (f"Output {i} of the user-provided function does not require gradients. The outputs must be "
            "computed in a differentiable manner from the input when running in strict mode.")


def gradient_depends(i):
    return (f"The gradient with respect to input {i} is independent of the inputs of the user-provided "
            f"function.{STRICT}")


def jacobian_depends(i):
    return ("While computing the hessian, found that the jacobian of the user-provided function with "
            f"respect to input {i} is independent of the input.{STRICT} You should ensure that your function "
            "is twice differentiable and that the jacobian depends on the inputs (this would be violated by "
            "a linear function for example).")


def jacobian_constant(i):
    return f"The jacobian of the user-provided function is independent of input {i}."


def jacobian_independent(i):
    return jacobian_constant(i) + STRICT


def hessian_constant(i):
    return f"The hessian of the user-provided function is independent of input {i}."


def weight_unused(i):
    return (f"The gradient with respect to the input is independent of entry {i} in the grad_outputs when "
            f"using the double backward trick to compute forward mode gradients.{STRICT}")


def grad_jacobian_unused(i):
    return (f"The hessian of the user-provided function is independent of entry {i} in the "
            f"grad_jacobian.{STRICT[:-1]} as it prevents from using the double backward trick to replace "
            "forward mode AD.")
