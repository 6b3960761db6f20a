"""Where a backward pass ends: ``AccumulateGrad`` adds a gradient to a leaf's ``.grad``.

Also how an input of an operation is led to its node, by `gradient_node` and `edges_to`,
and what ``zero_grad()`` does.
"""
import threading
import weakref

import numpy as np

from ..memory import refuse_overlap
from ..state import local
from ..tensor import bump_version, wrap_new
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

        Where it would become the gradient, one that is a view, or has gaps, is copied.
        """
        is_own = type(grad) is np.ndarray and grad.base is None
        if not is_own or not grad.flags.c_contiguous:
            if self.variable._grad is None:
                grad = np.array(grad, order="C")
            else:
                grad = np.asarray(grad)     # only added to the sum, never kept
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
                leaf._grad = wrap_new(np.empty_like(leaf._array)).copy_(grad)
            elif local.state.grad_enabled:
                leaf._grad = total + grad   # out of place, so that the sum is recorded
            else:
                refuse_overlap(total._array)
                np.add(total._array, grad._array, out=total._array)
                current = local.state.current_pass
                bump_version(total, None if current is None else current.place)


def clear_grad(tensor, set_to_none):
    """Set ``.grad`` to None, or to zeros without history, as ``zero_grad()`` does."""
    grad = tensor._grad
    if set_to_none or grad is None:
        tensor._grad = None
    elif grad.grad_fn is not None:
        grad.detach_().zero_()
    else:
        grad.requires_grad_(False).zero_()
