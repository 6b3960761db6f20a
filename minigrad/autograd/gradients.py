"""Ask for gradients: ``backward`` adds them to ``.grad``, ``grad`` returns them."""
import math
import os
import re
import threading
import warnings
from collections import namedtuple

import numpy as np

from ..errors import offered, warn_once
from ..places import is_ours
from ..state import local
from ..tensor import Tensor, wrap_new
from .accumulate import gradient_node
from .engine import Pass, as_tensor
from .hooks import retain_grad

BOTH_NAMES = (
    "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
    "`backward()`. Please only use `grad_tensors`.")
UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the "
    "graph. Set allow_unused=True if this is the desired behavior.")
UNUSED_REFUSED = (
    "Expected allow_unused to be True or not passed when materialize_grads=True, but "
    "got: allow_unused=False.")


def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False,
                    inputs=None):
    """Add the gradient of this tensor to the ``.grad`` of the leaves it depends on.

    >>> w = torch.tensor(2., requires_grad=True)
    >>> loss = (w * 3) ** 2
    >>> loss.backward()
    >>> w.grad
    tensor(36.)

    Args:
        gradient: the vector v of the vector-Jacobian product, of this tensor's shape; a
            tensor with one element needs none.
        retain_graph: keep the saved tensors for a second pass, as `create_graph` does.
        create_graph: record the pass itself: the gradients can be differentiated.
        inputs: collect gradients for these tensors only.

    Raises RuntimeError if the tensor has no history, or several elements and no
    `gradient`; or if a saved tensor was freed by an earlier pass, or written in place.
    """
    run_backward(self, gradient, retain_graph, create_graph, inputs, accumulate=True)


# Python's TypeErrors and `help` show these two names; METHODS would give no "Tensor.".
tensor_backward.__name__ = "backward"
tensor_backward.__qualname__ = "Tensor.backward"


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False,
             grad_variables=None, inputs=None):
    """Add the gradient of the sum of `tensors` to the ``.grad`` of the leaves.

    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.backward([x.sum(), (x * x).sum()])
    >>> x.grad
    tensor([3., 5.])

    `grad_tensors` holds a `gradient` for each of `tensors`; it and the rest are as for
    ``Tensor.backward``.
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(BOTH_NAMES)
        grad_tensors = grad_variables
    run_backward(
        tensors, grad_tensors, retain_graph, create_graph, inputs, accumulate=True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         only_inputs=True, allow_unused=None, is_grads_batched=False,
         materialize_grads=False):
    """Return the gradients of the sum of `outputs`, one for each of `inputs`.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)

    Args:
        outputs, inputs: one tensor or several each.
        grad_outputs: a `gradient` for each output; it, `retain_graph` and
            `create_graph` are as for ``Tensor.backward``.
        allow_unused: return None for an input that was not used, instead of raising.
        materialize_grads: return zeros for such an input.

    No ``.grad`` changes.  Raises RuntimeError as ``Tensor.backward`` does; or if an
    input requires no gradient, or was not used.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(UNUSED_REFUSED)
    if is_grads_batched:
        raise NotImplementedError(
            "minigrad has no batched gradients: call grad for each vector")
    results = run_backward(
        outputs, grad_outputs, retain_graph, create_graph, inputs, accumulate=False)
    for i, (one, result) in enumerate(zip(as_tuple(inputs), results)):
        if result is None and materialize_grads:
            results[i] = zeros_for(one, create_graph)
        elif result is None and not allow_unused:
            raise offered(RuntimeError(UNUSED.format(i)))
    if type(inputs) is dict:
        return dict(zip(inputs, results))
    return tuple(results)


def zeros_for(value, requires_grad):
    """Return zeros in the shape of an input that was not used."""
    if isinstance(value, GradientEdge):
        raise RuntimeError(
            "materialize_grads cannot be used when the given input is a GradientEdge")
    zeros = wrap_new(np.zeros_like(value._array))
    zeros._requires_grad = requires_grad
    return zeros


# --- one call: check the arguments, run a pass ---------------------------------------

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

CANNOT_RUN = (
    "{} cannot compute its gradients: a value that it needs no longer has the shape or "
    "the dtype of the forward pass. Was .data of a tensor replaced after it?")
NUMPY = os.path.dirname(np.__file__) + os.sep
NUMPY_WORDS = re.compile(
    r"\b(axis|arrays?|operands could|ufunc|numpy)\b|index out of range$")

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
    except Exception as error:
        raise in_words_of_pytorch(error, current.running) from error.__cause__
    finally:
        state.current_pass = outer
        state.pass_depth -= 1
        state.set_grad_enabled(enabled)
        if state.saved_tensors_hooks is not hooks:      # a hook has left a block open
            state.set_saved_tensors_hooks(hooks)


def in_words_of_pytorch(error, node):
    """Return the error with which a pass ends for one raised where this node ran.

    It is another one if a formula met a shape or a dtype that NumPy refuses, as it does
    where a program has replaced ``.data`` since the forward pass.
    """
    if node is None or not of_numpy(error):
        return error
    trace, received = error.__traceback__, None
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        filename = frame.f_code.co_filename
        if not is_ours(filename) and not filename.startswith(NUMPY):
            return error        # a function of the user was running
        if frame.f_code is Pass.run_plain_nodes.__code__:
            received = frame.f_locals["grad"]
    if received is not None:
        try:
            # On tensors, the operations of the formula say what is wrong.
            node._evaluate([as_tensor(received)])
        except Exception as refusal:
            error = refusal
    return RuntimeError(CANNOT_RUN.format(node.name())) if of_numpy(error) else error


def of_numpy(error):
    """Return whether this is NumPy's error, or another one that repeats its words."""
    return isinstance(error, ValueError) or bool(NUMPY_WORDS.search(str(error)))


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


ATTRIBUTES = {"backward": tensor_backward}
