"""Two ways to ask for gradients: ``backward`` adds them to the ``.grad`` of leaves, ``grad`` returns them."""
from __future__ import annotations

import math
import operator
import warnings
from collections import namedtuple
from collections.abc import Mapping

import numpy as np

from ..errors import noted
from ..state import local
from ..tensor import Tensor, wrap_new
from .engine import run_backward
from .hooks import retain_grad
from .node import gradient_node

CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
    "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
    "avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters to "
    "None after use to break the cycle and avoid the leak.")


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
             inputs=None):
    """Add to the ``.grad`` of the leaves the gradient of the sum of `tensors`, weighted by `grad_tensors`.

        x = torch.tensor([1., 2.], requires_grad=True)
        torch.autograd.backward([x.sum(), (x * x).sum()])
        x.grad                                      # tensor([3., 5.])

    Args:
        tensors: one tensor or several.
        grad_tensors: for each of them a tensor of its shape; None is enough for one with a single element.
        retain_graph: keep the saved tensors, so that a second backward pass through the graph is possible.
            By default they are kept only with `create_graph`.
        create_graph: record the pass itself, so that the gradients can be differentiated.
        inputs: collect gradients only for these tensors; the ``.grad`` of all other leaves stays as it is.

    Raises:
        RuntimeError: a tensor has no history, or more than one element and no `grad_tensors`; or what was
            saved is gone, or was written in place.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    with notes_on_errors:
        inputs = None if inputs is None else checked_inputs(inputs, "backward")
        tensors = as_tuple(tensors)
        gradients = make_gradients(tensors, per_tensor(grad_tensors, len(tensors)))
        run(tensors, gradients, retain_graph, create_graph, inputs, accumulate=True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """Return the gradients of the sum of `outputs` with respect to `inputs`; no ``.grad`` changes.

        x = torch.tensor(3., requires_grad=True)
        torch.autograd.grad(x * x, x)               # (tensor(6.),)

    Args:
        outputs, inputs: one tensor or several each.
        grad_outputs: for each output a tensor of its shape; None is enough for one with a single element.
        retain_graph, create_graph: as for `backward`.
        allow_unused: return None for an input that the outputs do not depend on, instead of raising.
        materialize_grads: return zeros for such an input.

    Returns:
        A tuple with one tensor for each input, of its shape and dtype.

    Raises:
        RuntimeError: as for `backward`; also for an input that requires no gradient or was not used.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but "
                         "got: allow_unused=False.")
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To "
                      "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
                      FutureWarning, stacklevel=2)
    if is_grads_batched:
        raise NotImplementedError("minigrad has no batched gradients: call grad once for each vector")
    with notes_on_errors:
        outputs, names, inputs = as_tuple(outputs), inputs, checked_inputs(inputs, "grad")
        gradients = make_gradients(outputs, per_tensor(grad_outputs, len(outputs)))
        results = run(outputs, gradients, retain_graph, create_graph, inputs, accumulate=False,
                      allow_unused=materialize_grads if allow_unused is None else allow_unused)
    if materialize_grads:
        if any([result is None and isinstance(one, GradientEdge) for one, result in zip(inputs, results)]):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        results = [zeros_for(one, create_graph) if result is None else result
                   for one, result in zip(inputs, results)]
    return dict(zip(names, results)) if type(names) is dict else tuple(results)


def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradient of this tensor to the ``.grad`` of the leaves it depends on.

        w = torch.tensor(2., requires_grad=True)
        loss = (w * 3) ** 2
        loss.backward()
        w.grad                                      # tensor(36.)

    Args:
        gradient: the vector v of the vector-Jacobian product, of this tensor's shape; a tensor with one
            element needs none.
        retain_graph: keep the saved tensors, so that a second backward pass through the graph is possible.
        create_graph: record the pass itself, so that the gradients can be differentiated.
        inputs: collect gradients only for these tensors.

    Raises:
        RuntimeError: the tensor has no history, or several elements and no `gradient`; or a saved tensor was
            freed by an earlier pass, or written in place.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


tensor_backward.__name__, tensor_backward.__qualname__ = "backward", "Tensor.backward"    # as errors show it


# --- preparation and the pass -------------------------------------------------------------------------------

class NotesOnErrors:
    """Show an error on its way out to whoever explains errors."""

    def __enter__(self):
        pass

    def __exit__(self, kind, error, traceback):
        if isinstance(error, Exception):
            noted(error)


notes_on_errors = NotesOnErrors()


class GradientEdge(namedtuple("GradientEdge", "node output_nr ownership_token", defaults=(None,))):
    """One output of one node: where a gradient arrives.  It stands for a tensor in `grad` and `backward`."""

    __slots__ = ()


def as_tuple(value):
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def checked_inputs(inputs, caller):
    """Return the inputs as a tuple; a dictionary stands for its values."""
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(f"`inputs` argument to `{caller}()` must be a dict, not {type(inputs).__name__}. "
                            "Other Mapping types are not supported.")
        inputs = inputs.values()
    inputs = as_tuple(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return inputs


def gradient_edge(value):
    """Return where the gradient of a tensor or of an edge arrives: (node or None, which of its outputs)."""
    if isinstance(value, GradientEdge):
        return tuple(value[:2])
    node = gradient_node(value)
    return node, value.output_nr


def looks_of(output):
    """Return the (shape, dtype) of a tensor, or of what an edge stands for."""
    if isinstance(output, GradientEdge):
        return output.node.describe_outputs()[output.output_nr]
    if not isinstance(output, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    return output._array.shape, output._array.dtype


def per_tensor(gradients, count):
    """Return the `grad_tensors` argument as a list with an entry for each tensor."""
    if gradients is None:
        return [None] * count
    return [gradients] if isinstance(gradients, Tensor) else list(gradients)


def make_gradients(tensors, gradients):
    """Return the gradient to start from at each tensor: what was given, or 1 for a tensor with one element."""
    made = []
    for i, (tensor, gradient) in enumerate(zip(tensors, gradients)):
        shape, dtype = looks_of(tensor)
        if gradient is None:
            if isinstance(tensor, Tensor) and not tensor.requires_grad:
                made.append(None)           # `run` objects to it, in other words
                continue
            if math.prod(shape) != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            gradient = wrap_new(np.ones(shape, dtype))
        elif not isinstance(gradient, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
        elif gradient._array.shape != shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and "
                               f"output[{i}] has a shape of torch.Size({list(shape)}).")
        made.append(gradient)
    return made


def run(outputs, gradients, retain_graph, create_graph, inputs, accumulate, allow_unused=True):
    """Start the pass; return the gradients of the inputs, unless they accumulate."""
    create_graph = bool(operator.index(create_graph))
    keep_graph = create_graph if retain_graph is None else bool(operator.index(retain_graph))
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    roots = []
    for i, tensor in enumerate(outputs):
        edge = gradient_edge(tensor)
        if edge[0] is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        roots.append(edge)
    captures = None if inputs is None else [capture_edge(one, accumulate) for one in inputs]
    warning = CREATE_GRAPH_CYCLE if accumulate and create_graph and local.state.pass_depth == 0 else None
    captured = run_backward(roots, gradients, keep_graph, create_graph, captures, accumulate, warning)
    if accumulate:
        return None
    results = [captured[edge] for edge in captures]
    for i, result in enumerate(results):
        if result is None and not allow_unused:
            raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the "
                               "graph. Set allow_unused=True if this is the desired behavior.")
    return results if create_graph else as_tensors(results, gradients)


def capture_edge(tensor, accumulate):
    """Return where the gradient of an input is picked up."""
    if not isinstance(tensor, (Tensor, GradientEdge)):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    if isinstance(tensor, Tensor):
        if accumulate:
            retain_grad(tensor)
        if not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    return gradient_edge(tensor)


def as_tensors(arrays, given):
    """Return tensors for the arrays that a pass returns.

    A gradient that came unchanged from a root is the tensor that was given there, and one that arrived at two
    inputs is one tensor.
    """
    tensors = {id(one._array): one for one in given if one is not None}
    results = []
    for one in arrays:
        if one is not None and id(one) not in tensors:
            tensors[id(one)] = wrap_new(np.asarray(one))
        results.append(None if one is None else tensors[id(one)])
    return results


def zeros_for(tensor, requires_grad):
    result = wrap_new(np.zeros_like(tensor._array))
    result._requires_grad = requires_grad
    return result


OPERATORS = {"backward": tensor_backward}
