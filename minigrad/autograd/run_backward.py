"""One call of ``backward`` or ``grad``: check the arguments, run a pass."""
import math
import threading
from collections import namedtuple

import numpy as np

from ..errors import offered, warn_once
from ..state import local
from ..tensor import Tensor, wrap_new
from .accumulate import gradient_node
from .engine import Pass
from .hooks import retain_grad

CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between "
    "the parameter and its gradient which can cause a memory leak. We recommend using "
    "autograd.grad when creating the graph to avoid this. If you have to use this "
    "function, make sure to reset the .grad fields of your parameters to None after "
    "use to break the cycle and avoid the leak.")
NO_HISTORY = "element {} of tensors does not require grad and does not have a grad_fn"
WRONG_GRADIENT = (
    "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape "
    "of torch.Size({}).")

MAX_DEPTH = 60      # how many passes run inside each other before one moves to a thread


class GradientEdge(
        namedtuple("GradientEdge", "node output_nr ownership_token", defaults=(None,))):
    """One output of one node, where a gradient arrives; it may stand for a tensor."""


def as_tuple(value):
    """Return one tensor, several, or those in a dictionary as a tuple; None is None."""
    if value is None:
        return None
    if isinstance(value, (Tensor, GradientEdge)):
        return (value,)
    return tuple(value.values() if isinstance(value, dict) else value)


def run_backward(outputs, gradients, retain_graph, create_graph, inputs, accumulate):
    """Run a backward pass; return the gradients unless they accumulate."""
    state = local.state
    if state.pass_depth >= MAX_DEPTH:
        return in_new_thread(
            run_backward, outputs, gradients, retain_graph, create_graph, inputs,
            accumulate)
    keep_graph = create_graph if retain_graph is None else retain_graph
    try:
        outputs, inputs = tuple(as_tuple(outputs)), as_tuple(inputs)
        if not accumulate:
            inputs = tuple(inputs)      # only for `backward` may there be none
        if inputs is not None and not inputs:
            name = "backward" if accumulate else "grad"
            raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
        firsts = first_gradients(outputs, gradients)
        roots = []
        for i, output in enumerate(outputs):
            roots.append(gradient_edge(output))
            if roots[i][0] is None:
                raise RuntimeError(NO_HISTORY.format(i))
        targets = None
        if inputs is not None:
            targets = [target_edge(one, accumulate) for one in inputs]
        current = Pass(roots, keep_graph, create_graph, targets, accumulate)
        run_pass(current, firsts, state, bool(create_graph))
        if accumulate and create_graph and state.current_pass is None:
            warn_once(CREATE_GRAPH_CYCLE)
    except Exception as error:
        offered(error)
        raise
    return None if accumulate else [current.captured[edge] for edge in targets]


def run_pass(current, gradients, state, recording):
    """Run a pass in the modes that it needs, and restore those of the thread."""
    outer, enabled = state.current_pass, state.grad_enabled
    hooks = state.saved_tensors_hooks
    state.current_pass = current
    state.pass_depth += 1
    state.set_grad_enabled(recording)
    try:
        current.run(gradients)
        for callback in current.callbacks:      # a callback may queue more
            callback()
    finally:
        state.current_pass = outer
        state.pass_depth -= 1
        state.set_grad_enabled(enabled)
        if state.saved_tensors_hooks is not hooks:      # a hook has left a block open
            state.set_saved_tensors_hooks(hooks)


def in_new_thread(function, *args):
    """Call a function in a new thread, whose stack is empty, in the modes of this."""
    outcome, outer = {}, local.state

    def target():
        local.state.take_over(outer)
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
    """Return where the gradient of a tensor or an edge arrives: (node, output)."""
    if isinstance(value, GradientEdge):
        return value[:2]
    return gradient_node(value), value._output_nr or 0


def target_edge(value, accumulate):
    """Return where the gradient of an input is picked up."""
    if isinstance(value, Tensor):
        if accumulate:
            retain_grad(value)
        if not value.requires_grad:
            raise RuntimeError(
                "One of the differentiated Tensors does not require grad")
    elif not isinstance(value, GradientEdge):
        raise RuntimeError("all inputs have to be Tensors or GradientEdges, but got "
                           f"{type(value).__name__}")
    return gradient_edge(value)


def first_gradients(outputs, gradients):
    """Return a gradient to start from for each output."""
    gradients = as_tuple(gradients)
    if gradients is None:
        gradients = (None,) * len(outputs)
    pairs = zip(outputs, gradients)
    firsts = [first_gradient(i, *pair) for i, pair in enumerate(pairs)]
    if len(gradients) != len(outputs):
        raise RuntimeError(
            f"got {len(outputs)} tensors and {len(gradients)} gradients")
    return firsts


def first_gradient(i, output, gradient):
    """Return the given gradient for output `i`, or 1 for one with a single element."""
    is_edge = isinstance(output, GradientEdge)
    if is_edge:
        shape, dtype = output.node._describe_outputs()[output.output_nr]
    elif not isinstance(output, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    else:
        shape, dtype = output._array.shape, output._array.dtype
    if gradient is None:
        if math.prod(shape) != 1 and (is_edge or output.requires_grad):
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return wrap_new(np.array(1, dtype, ndmin=len(shape)))
    if not isinstance(gradient, Tensor):
        raise TypeError("gradients can be either Tensors or None, but got "
                        f"{type(gradient).__name__}")
    if gradient._array.shape != shape:
        raise RuntimeError(
            WRONG_GRADIENT.format(i, gradient.shape, i, list(shape)))
    return gradient
