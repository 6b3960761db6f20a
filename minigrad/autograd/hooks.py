"""Hooks: functions registered on the graph, which see a gradient as it passes and may replace it.

On a tensor, ``register_hook`` runs when the tensor's gradient is complete, in order of
registration; then ``retain_grad`` stores the outcome; then the node runs.  After the ``.grad`` of
a leaf was updated, ``register_post_accumulate_grad_hook`` runs.  On a node, ``register_prehook``
runs before it and ``register_hook`` after it.
"""
import weakref
from collections import OrderedDict
from contextlib import AbstractContextManager

from ..errors import noted
from ..tensor import Tensor

REQUIRES_NO_GRAD = "cannot register a hook on a tensor that doesn't require gradient"


class RemovableHandle(AbstractContextManager):
    """What registering a hook returns; ``remove()``, or the end of a ``with`` block, removes it."""
    __module__ = "torch.utils.hooks"      # where PyTorch has it, as is printed
    next_id = 0

    def __init__(self, hooks):
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.hooks = weakref.ref(hooks)

    def remove(self):
        """Remove the hook; a second call does nothing."""
        (self.hooks() or {}).pop(self.id, None)

    def __exit__(self, *error):
        self.remove()


def registered(hooks, hook, prepend=False):
    """Put a hook into a dictionary under the id of a new handle, and return the handle."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    hooks.move_to_end(handle.id, last=not prepend)
    return handle


def register_hook(self, hook):
    """Call `hook(grad)` each time a gradient with respect to this tensor is computed.

    >>> y = x * 2
    >>> handle = y.register_hook(lambda grad: grad * 10)

    The hook may return a new gradient to be used instead, but should not change its argument.
    ``handle.remove()`` removes it.  Raises RuntimeError if the tensor requires no gradient.
    """
    if not self.requires_grad:
        raise noted(RuntimeError(REQUIRES_NO_GRAD))
    extra = self._get_extra()
    if extra.hooks is None:
        extra.hooks = OrderedDict()     # a leaf's AccumulateGrad, if made later, takes them over
        node = self.grad_fn or extra.accumulator and extra.accumulator()
        if node is not None:
            hooks_of(node).tensor_hooks.append((self.output_nr, extra.hooks))
    return registered(extra.hooks, hook)


def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(tensor)` after a backward pass has added to this leaf's ``.grad``.

    >>> handle = w.register_post_accumulate_grad_hook(lambda w: print(w.grad))

    Raises RuntimeError if the tensor requires no gradient, or is not a leaf.
    """
    if not self.requires_grad:
        raise noted(RuntimeError(REQUIRES_NO_GRAD))
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    extra = self._get_extra()
    extra.post_accumulate_hooks = extra.post_accumulate_hooks or OrderedDict()
    return registered(extra.post_accumulate_hooks, hook)


def retain_grad(self):
    """Keep this tensor's gradient in ``.grad``, although it is not a leaf.

    >>> y = x * 2
    >>> y.retain_grad()
    >>> y.sum().backward()              # y.grad is all ones

    On a leaf this does nothing.  Raises RuntimeError if the tensor requires no gradient.
    """
    if not self.requires_grad:
        raise noted(RuntimeError("can't retain_grad on Tensor that has requires_grad=False"))
    # Even a stale view counts as a leaf if it has no node.
    node = None if self._node is None or self.retains_grad else self.grad_fn
    if node is not None:
        hooks_of(node).retained[self.output_nr] = weakref.ref(self)
        self._get_extra().retain_node = weakref.ref(node)


def follow_new_history(tensor):
    """After a write in place, leave the hooks on the old value, and let `retain_grad` move on."""
    extra, node, output_nr = tensor._extra, tensor._node, tensor.output_nr
    if extra is not None:
        extra.hooks = None
        if extra.retain_node is not None:
            # PyTorch looks up the old node's entry under the tensor's new output number; of several
            # results this can move another result's entry, and so it does here.
            old = extra.retain_node()
            moved = old and old._hooks.retained.pop(output_nr, None)
            hooks_of(node).retained[output_nr] = moved or weakref.ref(tensor)
            extra.retain_node = weakref.ref(node)


def hooks_of(node):
    if node._hooks is None:
        node._hooks = NodeHooks()
    return node._hooks


class NodeHooks:
    """The hooks registered on one node and on its results, and how a pass runs them."""
    def __init__(self):
        self.tensor_hooks = []      # pairs (output number, the hooks of a tensor by handle id)
        self.retained = {}          # output number -> a weak reference to a tensor that retains
        self.before, self.after = OrderedDict(), OrderedDict()

    def run_tensor_hooks(self, grads):
        """Run the hooks of the results on the list of their gradients; store what is retained."""
        for output_nr, hooks in self.tensor_hooks:
            for hook in list(hooks.values()):
                grads[output_nr] = replaced(grads[output_nr], hook(grads[output_nr]), hook)
        for output_nr, reference in self.retained.items():
            tensor, grad = reference(), grads[output_nr]
            if tensor is not None and grad is not None:
                tensor._grad = grad.clone() if tensor._grad is None else tensor._grad + grad

    def run_before(self, grads):
        for hook in list(self.before.values()):
            grads[:] = replaced(grads, hook(tuple(grads)), hook)

    def run_after(self, grad_inputs, grads):
        for hook in list(self.after.values()):
            grad_inputs = replaced(grad_inputs, hook(tuple(grad_inputs), tuple(grads)), hook)
        return grad_inputs


def replaced(value, result, hook):
    """Check what a hook returned instead of a gradient, or of a list of them, and return it."""
    if result is None:
        return value
    name = getattr(hook, "__name__", "<unknown>")
    if value is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if isinstance(value, list):
        if not isinstance(result, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
        if len(result) != len(value):
            raise RuntimeError(f"hook '{name}' has returned an incorrect number of values (got "
                               f"{len(result)}, but expected {len(value)})")
        return [new if new is None else replaced(old, new, hook) for old, new in zip(value, result)]
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if result._array.dtype != value._array.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was "
                           f"{value.dtype.tensor_type} got {result.dtype.tensor_type})")
    if result._array.shape != value._array.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return result


Tensor._backward_hooks = property(lambda self: self._extra and self._extra.hooks)   # or None
METHODS_ONLY = "register_hook register_post_accumulate_grad_hook retain_grad"
