"""Where a backward pass ends: ``AccumulateGrad`` adds a gradient to a leaf's ``.grad``.

Also how an input of an operation is led to its node, by `gradient_node` and `edges_to`,
and what ``zero_grad()`` does.
"""
import threading
import weakref

import numpy as np

from .. import dtypes
from ..errors import check_broadcast
from ..memory import element_strides, extent, refuse_overlap
from ..state import local
from ..tensor import Tensor, bump_version, wrap_new
from .node import Node
from .node_hooks import hooks_of, run_hook

MOVED = "leaf variable has been moved into the graph interior"
NOTHING_TO_RETURN = "Tensor post accumulate grad hooks should return None."


def gradient_node(tensor):
    """Return the node to which a gradient of this tensor goes, or None."""
    if tensor._view is not None:
        tensor._view.refresh(tensor)
    node = tensor._node
    if node is not None or not tensor._requires_grad:
        return node
    reference = tensor._get_extra().accumulator
    node = None if reference is None else reference()
    return AccumulateGrad(tensor) if node is None else node


def edges_to(inputs):
    """Return (children, output numbers) for inputs, of which some may be None."""
    children = [None if one is None else gradient_node(one) for one in inputs]
    numbers = [None if one is None else one._output_nr for one in inputs]
    has_numbers = any([number is not None for number in numbers])
    return tuple(children), tuple(numbers) if has_numbers else None


class AddToGrad:
    """Stands for a `Plan` on leaves, of which a pass calls only this function."""

    @staticmethod
    def gradients(node, grad):
        node.accumulate_array(grad)
        return ()       # a leaf has no inputs


class AccumulateGrad(Node):
    """The node of a leaf."""

    __module__ = "builtins"     # type(node) prints without a module, as in PyTorch
    __slots__ = ("variable",)
    _plan = AddToGrad
    _none_gives_none = False    # the leaf's hooks run in any case
    lock = threading.RLock()    # several threads may reach the same leaf at once

    def __init__(self, variable):
        super().__init__((), None, variable._array)
        self._sequence = float("inf")   # it runs as soon as it is ready
        self._is_plain = variable._extra.post_accumulate_hooks is None
        self.variable = variable
        extra = variable._extra
        # Weakly: the same node for as long as any graph uses it, and no longer.
        extra.accumulator = weakref.ref(self)
        if extra.hooks is not None:     # those registered before this node was made
            hooks_of(self).tensor_hooks.append((0, extra.hooks))

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def accumulate_array(self, grad):
        """Add an array to the leaf's gradient.

        Where it would become the gradient, one that is a view, or has other strides
        than the leaf, is copied.
        """
        array = self.variable._array
        is_own = type(grad) is np.ndarray and grad.base is None
        if not is_own or grad.strides != array.strides:
            if self.variable._grad is not None:
                grad = np.asarray(grad)     # only added to the sum, never kept
            elif array.shape == grad.shape and array.flags.c_contiguous:
                grad = np.array(grad, order="C")
            elif not is_own or element_strides(grad) != element_strides(array):
                grad = copy_for_leaf(grad, array)
        self.accumulate(wrap_new(grad), is_own=True)

    def _gradients_of_tensors(self, grad, wanted=None):
        """Add a tensor to the leaf's gradient, and run the hooks that follow."""
        leaf = self.variable
        self.accumulate(grad, is_own=False)
        hooks = leaf._extra.post_accumulate_hooks or {}
        for hook in list(hooks.values()):
            if run_hook(hook, leaf) is not leaf:
                raise RuntimeError(NOTHING_TO_RETURN)
        return ()

    def accumulate(self, grad, is_own):
        """Make a tensor the leaf's gradient, or add it to the one that is there."""
        leaf = self.variable
        if leaf._node is not None:
            raise RuntimeError(MOVED)
        if grad is None or not leaf._requires_grad:
            return
        with self.lock:
            total = leaf._grad
            if total is None and is_own:
                leaf._grad = grad
            elif total is None:
                empty = empty_for_leaf(grad._array, leaf._array)
                leaf._grad = wrap_new(empty).copy_(grad)
            elif local.state.grad_enabled:
                leaf._grad = total + grad   # out of place, so that the sum is recorded
            else:
                refuse_overlap(total._array)
                try:
                    np.add(total._array, grad._array, out=total._array)
                except (TypeError, ValueError):
                    total.add_(grad)    # which says in PyTorch's words what is wrong
                    return
                current = local.state.current_pass
                bump_version(total, None if current is None else current.place)


def empty_for_leaf(grad, array):
    """Return a new array for a gradient: with the strides of the leaf's array.

    If that has gaps, it has the shape of the gradient and no gaps.
    """
    if array.size == extent(array.shape, element_strides(array)):
        return np.empty_like(array, grad.dtype)
    return np.empty(grad.shape, grad.dtype)


def copy_for_leaf(grad, array):
    """Return a copy of an array of gradients, as `empty_for_leaf` lays it out."""
    copy = empty_for_leaf(grad, array)
    check_broadcast(copy.shape, grad.shape)
    copy[...] = grad
    return copy


def clear_grad(tensor, set_to_none):
    """Set ``.grad`` to None, or to zeros without history, as ``zero_grad()`` does."""
    grad = tensor._grad
    if set_to_none or grad is None:
        tensor._grad = None
    elif grad.grad_fn is not None:
        grad.detach_().zero_()
    else:
        grad.requires_grad_(False).zero_()


# --- broadcasting undone --------------------------------------------------------------

WRONG_SHAPE = (
    "Function {} returned an invalid gradient at index {} - got {} but expected shape "
    "compatible with {}")


def fit(grad, shape, dtype, node, grads):
    """Return a gradient, an array or a tensor, in this shape and dtype.

    It is one of the results `grads` of `node`, and is summed over the dimensions along
    which the input was broadcast.  Raises RuntimeError if it can't have been.
    """
    is_tensor = isinstance(grad, Tensor)
    array = grad._array if is_tensor else grad
    if array.shape != shape:
        if not broadcasts_to(shape, array.shape):
            index = next((i for i, one in enumerate(grads) if one is grad), 0)
            raise RuntimeError(WRONG_SHAPE.format(
                node.name(), index, list(array.shape), list(shape)))
        grad = grad.sum_to_size(shape) if is_tensor else sum_array_to(array, shape)
    if array.dtype != dtype:
        grad = grad.to(dtypes.BY_NUMPY[dtype]) if is_tensor else grad.astype(dtype)
    return grad


def broadcasts_to(shape, larger):
    lead = len(larger) - len(shape)
    return lead >= 0 and all([n in (1, m) for n, m in zip(shape, larger[lead:])])


def sum_array_to(array, shape):
    """Return the array summed over the dimensions along which `shape` was broadcast."""
    lead = array.ndim - len(shape)
    dims = [*range(lead)]
    for i, n in enumerate(shape, lead):
        if n == 1 and array.shape[i] != 1:
            dims.append(i)
    if dims:
        keepdims = len(dims) > lead
        array = np.asarray(np.add.reduce(array, axis=tuple(dims), keepdims=keepdims))
    # A reshape makes a view, which a leaf would have to copy.
    return array if array.shape == shape else array.reshape(shape)
