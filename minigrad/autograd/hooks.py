"""Hooks: functions of the user that see a gradient as it passes, and may replace it.

A pass that reaches a tensor's node runs, in this order,

    tensor.register_hook        once the tensor's gradient is complete
    tensor.retain_grad          stores in .grad what those hooks have returned
    node.register_prehook       before the node's formulas
    node.register_hook          after them

and for a leaf, after its ``.grad`` was updated, ``register_post_accumulate_grad_hook``.
"""
import weakref
from collections import OrderedDict

from ..errors import explainable
from .node_hooks import add_hook, hooks_of

REQUIRES_NO_GRAD = "cannot register a hook on a tensor that doesn't require gradient"
NOTHING_TO_RETAIN = "can't retain_grad on Tensor that has requires_grad=False"
NOT_A_LEAF = "post accumulate grad hooks cannot be registered on non-leaf tensors"


def register_hook(self, hook):
    """Call `hook(grad)` each time a gradient with respect to this tensor is computed.

    >>> y = x * 2
    >>> handle = y.register_hook(lambda grad: grad * 10)

    The hook may return a new gradient to be used instead, but should not change its
    argument.  ``handle.remove()`` removes it.  Raises RuntimeError if the tensor
    requires no gradient.
    """
    if not self.requires_grad:
        raise explainable(RuntimeError(REQUIRES_NO_GRAD))
    extra = self._get_extra()
    if extra.hooks is None:
        # An AccumulateGrad that is made later takes them over.
        extra.hooks = OrderedDict()
        node = self.grad_fn or accumulator_of(self)
        if node is not None:
            entry = self.output_nr, extra.hooks
            hooks_of(node).tensor_hooks.append(entry)
    return add_hook(extra.hooks, hook)


def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(tensor)` after a backward pass has added to this leaf's ``.grad``.

    >>> handle = w.register_post_accumulate_grad_hook(lambda w: print(w.grad))

    Raises RuntimeError if the tensor requires no gradient, or is not a leaf.
    """
    if not self.requires_grad:
        raise explainable(RuntimeError(REQUIRES_NO_GRAD))
    if self.grad_fn is not None:
        raise RuntimeError(NOT_A_LEAF)
    extra = self._get_extra()
    if extra.post_accumulate_hooks is None:
        extra.post_accumulate_hooks = OrderedDict()
    node = accumulator_of(self)
    if node is not None:
        node._is_plain = False      # a backward pass then stops to run them
    return add_hook(extra.post_accumulate_hooks, hook)


def accumulator_of(tensor):
    """Return the AccumulateGrad of a leaf, or None if there is none at present."""
    reference = tensor._extra.accumulator
    return None if reference is None else reference()


def retain_grad(self):
    """Keep this tensor's gradient in ``.grad``, although it is not a leaf.

    >>> y = x * 2
    >>> y.retain_grad()
    >>> y.sum().backward()              # y.grad is all ones

    On a leaf this does nothing.  Raises RuntimeError if the tensor requires no
    gradient.
    """
    if not self.requires_grad:
        raise explainable(RuntimeError(NOTHING_TO_RETAIN))
    # Until it is used, a view whose base was written counts as a leaf if it was one.
    if self._node is not None and not self.retains_grad:
        retain_at(self.grad_fn, self)


def retain_at(node, tensor):
    """Let a node store the gradient of this tensor, which is one of its results."""
    hooks_of(node).retained[tensor.output_nr] = weakref.ref(tensor)
    tensor._get_extra().retain_node = weakref.ref(node)


def follow_new_history(tensor):
    """Move `retain_grad` to the tensor's new node, after a write in place.

    The hooks stay with the old value.
    """
    extra = tensor._extra
    if extra is None:
        return
    extra.hooks = None
    if extra.retain_node is not None:
        old = extra.retain_node()
        if old is not None:
            retained = old._hooks.retained
            for output_nr, reference in list(retained.items()):
                if reference() is tensor:
                    del retained[output_nr]
        retain_at(tensor._node, tensor)


def backward_hooks(self):
    """The hooks that were registered on this tensor, by handle id; None if none was."""
    return self._extra and self._extra.hooks


METHODS_ONLY = "register_hook register_post_accumulate_grad_hook retain_grad"
ATTRIBUTES = {"_backward_hooks": property(backward_hooks)}
