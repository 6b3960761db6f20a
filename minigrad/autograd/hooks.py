"""Hooks: functions registered on the graph, which see a gradient as it passes and may replace it.

On a tensor, ``register_hook`` runs when the tensor's gradient is complete, in order of registration;
then ``retain_grad`` stores the outcome; then the node runs.  ``register_post_accumulate_grad_hook``
runs after the ``.grad`` of a leaf was updated.  On a node, ``register_prehook`` runs before it and
``register_hook`` after it.
"""
from __future__ import annotations

import weakref
from collections import OrderedDict

from ..errors import noted
from ..tensor import Tensor


class NodeHooks:
    """The hooks registered on one node and on the tensors it made."""

    __slots__ = ("tensor_hooks", "retained", "before", "after")

    def __init__(self):
        self.tensor_hooks = []          # pairs (output number, hooks by handle id)
        self.retained = {}              # output number -> a weak reference to the tensor that keeps it
        self.before, self.after = OrderedDict(), OrderedDict()


class RemovableHandle:
    """What registering a hook returns: ``remove()`` removes the hook.  Also usable with ``with``."""

    __module__ = f"{__name__.partition('.')[0]}.utils.hooks"        # where PyTorch has it

    next_id = 0

    def __init__(self, hooks, *, extra_dict=()):
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.references = [weakref.ref(one) for one in (hooks, *extra_dict)]

    def remove(self):
        """Remove the hook; a second call does nothing."""
        for reference in self.references:
            if reference() is not None:
                reference().pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def registered(hooks, hook, *marks, prepend=False):
    """Put a hook into a dictionary, and its id into those that say how to call it; return the handle."""
    handle = RemovableHandle(hooks, extra_dict=marks)
    hooks[handle.id] = hook
    for mark in marks:
        mark[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_hook(self, hook):
    """Call `hook(grad)` each time a gradient with respect to this tensor is computed.

    >>> y = x * 2
    >>> handle = y.register_hook(lambda grad: grad * 10)

    The hook may return a new gradient to be used instead, but should not change its argument.
    ``handle.remove()`` removes it.  Raises RuntimeError if the tensor requires no gradient.
    """
    if not self.requires_grad:
        raise noted(RuntimeError("cannot register a hook on a tensor that doesn't require gradient"))
    extra = self._get_extra()
    if extra.hooks is None:
        # A stale view keeps these hooks until its new grad_fn is asked for, which may be refused.
        hooks = extra.hooks = OrderedDict()
        node = self.grad_fn
        extra.hooks = hooks
        if node is not None:
            hooks_of(node).tensor_hooks.append((self.output_nr, hooks))
    return registered(extra.hooks, hook)


def hooks_of(node) -> NodeHooks:
    """Return the hooks of a node, which are made when first asked for."""
    if node._hooks is None:
        node._hooks = NodeHooks()
    return node._hooks


def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(tensor)` after a backward pass has added to this leaf's ``.grad``; return a handle.

    >>> w.register_post_accumulate_grad_hook(lambda w: print(w.grad))

    Raises RuntimeError if the tensor requires no gradient, or is not a leaf.
    """
    if not self.requires_grad:
        raise noted(RuntimeError("cannot register a hook on a tensor that doesn't require gradient"))
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    extra = self._get_extra()
    if extra.post_accumulate_hooks is None:
        extra.post_accumulate_hooks = OrderedDict()
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
    node = self._node and self.grad_fn      # a tensor without a node counts as a leaf, even a stale view
    if node is not None and not self.retains_grad:
        hooks_of(node).retained[self.output_nr] = weakref.ref(self)
        self._get_extra().retain_handle = weakref.ref(node)


def follow_new_history(tensor):
    """After a write gave a tensor a new history: hooks stay with the old value, `retain_grad` moves on."""
    extra = tensor._extra
    if extra is None:
        return
    extra.hooks = None
    if extra.retain_handle is not None:
        old_node, node, output_nr = extra.retain_handle(), tensor._node, tensor.output_nr
        # PyTorch looks under the new number for what is to move: of several results, another's may move.
        moved = old_node and old_node._hooks and old_node._hooks.retained.pop(output_nr, None)
        hooks_of(node).retained[output_nr] = moved or weakref.ref(tensor)
        extra.retain_handle = weakref.ref(node)


# --- how the engine runs them ---------------------------------------------------------------------

def run_tensor_hooks(hooks, grads):
    """Run the hooks of the tensors that a node made on its gradients, a list that is changed."""
    for output_nr, by_id in hooks.tensor_hooks:
        for hook in list(by_id.values()):
            grads[output_nr] = replaced(grads[output_nr], hook(grads[output_nr]), hook)


def keep_retained(hooks, grads):
    """Store the gradients that `retain_grad` asked for."""
    for output_nr, reference in hooks.retained.items():
        tensor, grad = reference(), grads[output_nr]
        if tensor is not None and grad is not None:
            tensor._grad = grad.clone() if tensor._grad is None else tensor._grad + grad


def run_before(hooks, grads):
    """Run a node's prehooks on the list of its gradients, which is changed."""
    for hook in list(hooks.before.values()):
        grads[:] = all_replaced(grads, hook(tuple(grads)), hook)


def run_after(hooks, grad_inputs, grad_outputs):
    """Run a node's hooks; return the gradients of its inputs as the hooks left them."""
    for hook in list(hooks.after.values()):
        result = hook(tuple(grad_inputs), tuple(grad_outputs))
        grad_inputs = all_replaced(grad_inputs, result, hook)
    return grad_inputs


def run_post_accumulate(leaf):
    """Run a leaf's hooks after its ``.grad`` was updated; a leaf has no edges, so return no gradients."""
    given = leaf
    for hook in list((leaf._extra.post_accumulate_hooks or {}).values()):
        given = replaced(given, hook(given), hook)      # passed to the next hook, and refused at the end
    if given is not leaf:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    return ()


def all_replaced(values, results, hook):
    """Return what a hook of a node returned in place of `values`, after checking it."""
    if results is None:
        return values
    if not isinstance(results, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(results).__name__}'")
    if len(results) != len(values):
        raise RuntimeError(f"hook '{hook_name(hook)}' has returned an incorrect number of values (got "
                           f"{len(results)}, but expected {len(values)})")
    return [new if new is None else replaced(old, new, hook) for old, new in zip(values, results)]


def replaced(value, result, hook):
    """Return what a hook returned in place of `value`, after checking it."""
    if result is None:
        return value
    if value is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if result._array.dtype != value._array.dtype:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was "
                           f"{value.dtype.tensor_type} got {result.dtype.tensor_type})")
    if result._array.shape != value._array.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")
    return result


def hook_name(hook):
    return getattr(hook, "__name__", "<unknown>")


METHODS_ONLY = "register_hook register_post_accumulate_grad_hook retain_grad"
