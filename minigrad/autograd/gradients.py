"""Ask for gradients: ``backward`` adds them to ``.grad``, ``grad`` returns them."""
import warnings

import numpy as np

from ..errors import explainable
from ..tensor import wrap_new
from .run_backward import GradientEdge, as_tuple, run_backward

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
        retain_graph: keep the saved tensors, for a second pass; the default is
            `create_graph`.
        create_graph: record the pass itself, so that the gradients can be
            differentiated.
        inputs: collect gradients only for these tensors; every other ``.grad`` stays as
            it is.

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

    `grad_tensors` holds a tensor of weights for each of `tensors`, of the same shape;
    None is enough for one with a single element.  The rest is as for
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
        grad_outputs: for each output a tensor of its shape; a single element needs
            none.
        retain_graph, create_graph: as for ``Tensor.backward``.
        allow_unused: return None for an input that the outputs do not depend on; else
            raise.
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
            raise explainable(RuntimeError(UNUSED.format(i)))
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


def clear_grad(tensor, set_to_none):
    """Set ``.grad`` to None, or to zeros without history, as ``zero_grad()`` does."""
    grad = tensor._grad
    if set_to_none or grad is None:
        tensor._grad = None
    elif grad.grad_fn is not None:
        grad.detach_().zero_()
    else:
        grad.requires_grad_(False).zero_()


ATTRIBUTES = {"backward": tensor_backward}
