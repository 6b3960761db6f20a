"""Ask for gradients: ``backward`` adds them to the ``.grad`` of leaves, ``grad`` returns them."""
import math
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
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak.")

MAX_DEPTH = 60      # how many passes may run inside each other before one moves to another thread


class GradientEdge(namedtuple("GradientEdge", "node output_nr ownership_token", defaults=(None,))):
    """One output of one node, where a gradient arrives; here it may stand for a tensor."""


def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradient of this tensor to the ``.grad`` of the leaves it depends on.

    >>> w = torch.tensor(2., requires_grad=True)
    >>> loss = (w * 3) ** 2
    >>> loss.backward()
    >>> w.grad
    tensor(36.)

    Args:
        gradient: the vector v of the vector-Jacobian product, of this tensor's shape; a tensor
            with one element needs none.
        retain_graph: keep the saved tensors, for a second pass; the default is `create_graph`.
        create_graph: record the pass itself, so that the gradients can be differentiated.
        inputs: collect gradients only for these tensors; every other ``.grad`` stays as it is.

    Raises RuntimeError if the tensor has no history, or several elements and no `gradient`; or if a
    saved tensor was freed by an earlier pass, or written in place.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


tensor_backward.__name__, tensor_backward.__qualname__ = "backward", "Tensor.backward"


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
             inputs=None):
    """Add the gradient of the sum of `tensors` to the ``.grad`` of the leaves.

    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.backward([x.sum(), (x * x).sum()])
    >>> x.grad
    tensor([3., 5.])

    `grad_tensors` holds a tensor of weights for each of `tensors`, of the same shape; None is
    enough for one with a single element.  The rest is as for ``Tensor.backward``.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning,
                      stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both "
                               "passed to `backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    run_backward(tensors, grad_tensors, retain_graph, create_graph, inputs, accumulate=True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """Return the gradients of the sum of `outputs` with respect to `inputs`, in a tuple.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)

    Args:
        outputs, inputs: one tensor or several each.
        grad_outputs: for each output a tensor of its shape; a single element needs none.
        retain_graph, create_graph: as for ``Tensor.backward``.
        allow_unused: return None for an input that the outputs do not depend on; else raise.
        materialize_grads: return zeros for such an input.

    No ``.grad`` changes.  Raises RuntimeError as ``Tensor.backward`` does; or if an input requires
    no gradient, or was not used.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when "
                         "materialize_grads=True, but got: allow_unused=False.")
    if is_grads_batched:
        raise NotImplementedError("minigrad has no batched gradients: call grad for each vector")
    results = run_backward(outputs, grad_outputs, retain_graph, create_graph, inputs, False)
    for i, (one, result) in enumerate(zip(as_tuple(inputs), results)):
        if result is None and materialize_grads:
            if isinstance(one, GradientEdge):
                raise RuntimeError(
                    "materialize_grads cannot be used when the given input is a GradientEdge")
            results[i] = wrap_new(np.zeros_like(one._array))
            results[i]._requires_grad = create_graph
        elif result is None and not allow_unused:
            raise noted(RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."))
    return dict(zip(inputs, results)) if type(inputs) is dict else tuple(results)


def as_tuple(value):
    """Return one tensor, several, or those in a dictionary as a tuple; None is None."""
    if isinstance(value, (Tensor, GradientEdge)):
        return value,
    return value and tuple(value.values() if isinstance(value, dict) else value)


def run_backward(outputs, gradients, retain_graph, create_graph, inputs, accumulate):
    """Run a backward pass, and restore the modes; return the captured gradients of the inputs."""
    state = local.state
    if state.pass_depth and state.pass_depth % MAX_DEPTH == 0:
        return in_new_thread(run_backward, outputs, gradients, retain_graph, create_graph, inputs,
                             accumulate)
    outer, enabled, hooks = state.current_pass, state.grad_enabled, state.saved_tensors_hooks
    keep_graph = create_graph if retain_graph is None else retain_graph
    try:
        outputs, inputs = tuple(as_tuple(outputs)), as_tuple(inputs)
        if inputs is not None and not inputs:
            raise RuntimeError(f"`inputs` argument to `{'backward' if accumulate else 'grad'}()` "
                               "cannot be empty.")
        gradients = (None,) * len(outputs) if gradients is None else as_tuple(gradients)
        firsts = [first_gradient(i, *pair) for i, pair in enumerate(zip(outputs, gradients))]
        if len(gradients) != len(outputs):
            raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
        roots = [gradient_edge(output) for output in outputs]
        nodes = [node for node, _ in roots]
        if None in nodes:
            raise RuntimeError(f"element {nodes.index(None)} of tensors does not require grad and "
                               "does not have a grad_fn")
        captures = inputs and [captured_edge(one, accumulate) for one in inputs]
        current = Pass(roots, keep_graph, create_graph, captures, accumulate)
        state.current_pass, state.pass_depth = current, state.pass_depth + 1
        state.set_grad_enabled(bool(create_graph))
        try:
            with np.errstate(all="ignore"):
                current.run(roots, firsts)
            for callback in current.callbacks:      # a callback may queue more
                callback()
        finally:
            state.current_pass, state.pass_depth = outer, state.pass_depth - 1
            state.set_grad_enabled(enabled)
            state.saved_tensors_hooks = hooks       # a hook may have left a block open
            if accumulate and create_graph and outer is None:
                warn_once(CREATE_GRAPH_CYCLE)
    except Exception as error:
        noted(error)
        raise
    return None if accumulate else [current.captured[edge] for edge in captures]


def in_new_thread(function, *args):
    """Call a function in a thread, whose stack is empty, under the modes of this one."""
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


def gradient_edge(value):
    """Return where the gradient of a tensor or an edge arrives: (node or None, output number)."""
    return value[:2] if isinstance(value, GradientEdge) else (gradient_node(value), value.output_nr)


def first_gradient(i, output, gradient):
    """Return the gradient to start from at output `i`: the given one, or 1 for a single element."""
    if isinstance(output, GradientEdge):
        shape, dtype = output.node.describe_outputs()[output.output_nr]
    else:
        shape, dtype = output._array.shape, output._array.dtype
    if not isinstance(gradient, (Tensor, type(None))):
        raise TypeError("gradients can be either Tensors or None, but got "
                        f"{type(gradient).__name__}")
    if gradient is not None and gradient._array.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] "
            f"has a shape of torch.Size({list(shape)}).")
    takes_gradient = isinstance(output, GradientEdge) or output.requires_grad
    if gradient is None and math.prod(shape) != 1 and takes_gradient:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    return wrap_new(np.array(1, dtype, ndmin=len(shape))) if gradient is None else gradient


def captured_edge(value, accumulate):
    """Return where the gradient of an input is picked up."""
    if isinstance(value, Tensor):
        if accumulate:
            retain_grad(value)
        if not value.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    elif not isinstance(value, GradientEdge):
        raise RuntimeError("all inputs have to be Tensors or GradientEdges, but got "
                           f"{type(value).__name__}")
    return gradient_edge(value)


def clear_grad(tensor, set_to_none):
    """Set ``.grad`` to None, or to zeros without history, as ``zero_grad()`` does."""
    grad = tensor._grad
    if set_to_none or grad is None:
        tensor._grad = None
    elif grad.grad_fn is not None:
        grad.detach_().zero_()
    else:
        grad.requires_grad_(False).zero_()


OPERATORS = {"backward": tensor_backward}
