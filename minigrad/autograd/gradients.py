"""Two ways to ask for gradients: ``backward`` adds them to the ``.grad`` of leaves, ``grad`` returns them."""
from __future__ import annotations

import math
import operator
import threading
import warnings
from collections import namedtuple

import numpy as np

from ..errors import noted, warn_once
from ..state import local
from ..tensor import Tensor, wrap_new
from .engine import Pass
from .hooks import retain_grad
from .node import gradient_node

CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
    "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
    "avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters "
    "to None after use to break the cycle and avoid the leak.")


class GradientEdge(namedtuple("GradientEdge", "node output_nr ownership_token", defaults=(None,))):
    """One output of one node: where a gradient arrives.  It may stand for a tensor in the functions here."""

    __slots__ = ()


def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradient of this tensor to the ``.grad`` of the leaves it depends on.

    >>> w = torch.tensor(2., requires_grad=True)
    >>> loss = (w * 3) ** 2
    >>> loss.backward()
    >>> w.grad
    tensor(36.)

    Args:
        gradient: the vector v of the vector-Jacobian product, of this tensor's shape; a tensor with one
            element needs none.
        retain_graph: keep the saved tensors, so that a second backward pass through the graph is
            possible.  By default they are kept only with `create_graph`.
        create_graph: record the pass itself, so that the gradients can be differentiated.
        inputs: collect gradients only for these tensors; the ``.grad`` of all others stays as it is.

    Raises:
        RuntimeError: the tensor has no history, or several elements and no `gradient`; or a saved tensor
            was freed by an earlier pass, or written in place.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


tensor_backward.__name__, tensor_backward.__qualname__ = "backward", "Tensor.backward"


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
             inputs=None):
    """Add to the ``.grad`` of the leaves the gradient of the sum of `tensors`, weighted by `grad_tensors`.

    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.backward([x.sum(), (x * x).sum()])
    >>> x.grad
    tensor([3., 5.])

    `grad_tensors` holds a tensor of its shape for each of `tensors`; None is enough for one with a single
    element.  The other arguments and the errors are those of ``Tensor.backward``.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning,
                      stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    inputs = None if inputs is None else as_tuple(inputs, "backward")
    run(as_tuple(tensors), grad_tensors, retain_graph, create_graph, inputs, accumulate=True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """Return the gradients of the sum of `outputs` with respect to `inputs`; no ``.grad`` changes.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)

    Args:
        outputs, inputs: one tensor or several each.
        grad_outputs: for each output a tensor of its shape; None is enough for one with a single element.
        retain_graph, create_graph: as for ``Tensor.backward``.
        allow_unused: return None for an input that the outputs do not depend on, instead of raising.
        materialize_grads: return zeros for such an input.

    Returns:
        A tuple with one tensor for each input, of its shape and dtype.

    Raises:
        RuntimeError: as for ``Tensor.backward``; or an input requires no gradient, or was not used.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but "
                         "got: allow_unused=False.")
    if is_grads_batched:
        raise NotImplementedError("minigrad has no batched gradients: call grad once for each vector")
    names, inputs = inputs, as_tuple(inputs, "grad")
    results = run(as_tuple(outputs), grad_outputs, retain_graph, create_graph, inputs, accumulate=False)
    for i, result in enumerate(results):
        if result is None and materialize_grads:
            if isinstance(inputs[i], GradientEdge):
                raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
            results[i] = wrap_new(np.zeros_like(inputs[i]._array))
            results[i]._requires_grad = create_graph
        elif result is None and not allow_unused:
            raise noted(RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."))
    return dict(zip(names, results)) if type(names) is dict else tuple(results)


def as_tuple(value, caller=None):
    """Return one tensor or several, or the values of a dictionary, as a tuple; a caller's is not empty."""
    if isinstance(value, (Tensor, GradientEdge)):
        return value,
    value = tuple(value.values() if isinstance(value, dict) else value)
    if caller and not value:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return value


def gradient_edge(value):
    """Return where the gradient of a tensor or edge arrives: (node or None, which of its outputs)."""
    if isinstance(value, GradientEdge):
        return tuple(value[:2])
    node = gradient_node(value)
    return node, value.output_nr


def first_gradient(i, output, gradient):
    """Return the gradient to start from at output `i`: what was given, or 1 for a single element."""
    if isinstance(output, GradientEdge):
        shape, dtype = output.node.describe_outputs()[output.output_nr]
    elif isinstance(output, Tensor):
        shape, dtype = output._array.shape, output._array.dtype
    else:
        raise AssertionError("Expected output to be a torch.Tensor")
    if gradient is None:
        if isinstance(output, Tensor) and not output.requires_grad:
            return None                     # `run` objects to the output itself
        if math.prod(shape) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return wrap_new(np.array(1, dtype, ndmin=len(shape)))
    if not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    if gradient._array.shape != shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and "
                           f"output[{i}] has a shape of torch.Size({list(shape)}).")
    return gradient


def captured_edge(tensor, accumulate):
    """Return where the gradient of an input is picked up."""
    if not isinstance(tensor, (Tensor, GradientEdge)):
        raise RuntimeError("all inputs have to be Tensors or GradientEdges, but got "
                           f"{type(tensor).__name__}")
    if isinstance(tensor, Tensor):
        if accumulate:
            retain_grad(tensor)
        if not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    return gradient_edge(tensor)


def run(outputs, gradients, retain_graph, create_graph, inputs, accumulate):
    """Run a backward pass; return the gradients of the inputs, unless they accumulate."""
    create_graph = bool(operator.index(create_graph))
    keep_graph = create_graph if retain_graph is None else bool(operator.index(retain_graph))
    if gradients is None:
        gradients = [None] * len(outputs)
    gradients = [gradients] if isinstance(gradients, Tensor) else list(gradients)
    try:
        firsts = [first_gradient(i, *pair) for i, pair in enumerate(zip(outputs, gradients))]
        if len(gradients) != len(outputs):
            raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
        roots = [gradient_edge(output) for output in outputs]
        for i, (node, _) in enumerate(roots):
            if node is None:
                raise RuntimeError(f"element {i} of tensors does not require grad and does not have a "
                                   "grad_fn")
        captures = None if inputs is None else [captured_edge(one, accumulate) for one in inputs]
        captured = run_pass(roots, firsts, keep_graph, create_graph, captures, accumulate)
    except Exception as error:
        raise noted(error)
    return None if accumulate else [captured[edge] for edge in captures]


def run_pass(roots, gradients, keep_graph, create_graph, captures, accumulate):
    """Run the pass in the modes that it needs, and restore those of the thread."""
    state = local.state
    if state.pass_depth and state.pass_depth % MAX_DEPTH == 0:
        return in_new_thread(run_pass, roots, gradients, keep_graph, create_graph, captures, accumulate)
    outer, enabled, hooks = state.current_pass, state.grad_enabled, state.saved_tensors_hooks
    current = state.current_pass = Pass(roots, keep_graph, create_graph, captures, accumulate)
    state.pass_depth += 1
    state.set_grad_enabled(create_graph)
    try:
        with np.errstate(all="ignore"):
            current.run(roots, gradients)
        for callback in current.callbacks:          # a callback may queue more
            callback()
        return current.captured
    finally:
        state.pass_depth -= 1
        state.current_pass = outer
        state.set_grad_enabled(enabled)
        state.saved_tensors_hooks = hooks           # a hook may have entered a block and not left it
        if accumulate and create_graph and outer is None:
            warn_once(CREATE_GRAPH_CYCLE)


MAX_DEPTH = 60      # how many passes may run inside each other before one moves to a thread of its own


def in_new_thread(function, *args):
    """Run a function in a thread, whose stack is empty; modes and errors cross over."""
    outcome, outer = {}, local.state

    def target():
        local.state.take_modes(outer)
        try:
            outcome["result"] = function(*args)
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


OPERATORS = {"backward": tensor_backward}
