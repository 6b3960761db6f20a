"""The hooks of one node and of its results: how they are kept and run.

A hook is a function of the user, which sees a gradient as it passes and may replace it.
"""
import weakref
from collections import OrderedDict

from ..tensor import Tensor

NO_GRADIENT = "can't replace a None gradient with a non-None value"
WRONG_COUNT = (
    "hook '{}' has returned an incorrect number of values (got {}, but expected {})")
WRONG_TYPE = "hook '{}' has changed the type of value (was {} got {})"
WRONG_SIZE = "hook '{}' has changed the size of value"


def hooks_of(node):
    """Return the NodeHooks of a node; the first call makes them."""
    if node._hooks is None:
        node._hooks = NodeHooks()
        node._is_plain = False      # a backward pass then stops to run them
    return node._hooks


class NodeHooks:
    """The hooks registered on one node and on its results, and how a pass runs them."""

    def __init__(self):
        self.tensor_hooks = []      # pairs (output number, hooks of a tensor)
        self.retained = {}          # output number -> a weak reference to a tensor
        self.before = OrderedDict()
        self.after = OrderedDict()

    def run_tensor_hooks(self, grads):
        """Run the hooks of the results on their gradients, then store the retained."""
        for output_nr, hooks in self.tensor_hooks:
            for hook in list(hooks.values()):
                grads[output_nr] = run_hook(hook, grads[output_nr])
        for output_nr, reference in self.retained.items():
            tensor, grad = reference(), grads[output_nr]
            if tensor is None or grad is None:
                continue
            if tensor._grad is None:
                tensor._grad = grad.clone()
            else:
                tensor._grad = tensor._grad + grad

    def run_before(self, grads):
        """Run the hooks before the node; they may replace gradients in the list."""
        for hook in list(self.before.values()):
            result = hook(tuple(grads))
            grads[:] = checked_gradients(hook, result, grads)

    def run_after(self, grad_inputs, grads):
        """Run the hooks after the node; return the gradients of its inputs."""
        for hook in list(self.after.values()):
            result = hook(tuple(grad_inputs), tuple(grads))
            grad_inputs = checked_gradients(hook, result, grad_inputs)
        return grad_inputs


class RemovableHandle:
    """What registering a hook returns; ``with`` removes the hook at its end."""

    __module__ = "torch.utils.hooks"    # where PyTorch has it, as is printed
    next_id = 0

    def __init__(self, hooks):
        self.id = RemovableHandle.next_id
        self.hooks = weakref.ref(hooks)
        RemovableHandle.next_id += 1

    def remove(self):
        """Remove the hook; a second call does nothing."""
        hooks = self.hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def add_hook(hooks, hook, prepend=False):
    """Put a hook into a dictionary under the id of a new handle; return the handle."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def run_hook(hook, grad):
    """Call a hook with a gradient; return what it returns, or the gradient for None."""
    return checked_gradient(hook, hook(grad), grad)


def checked_gradients(hook, results, grads):
    """Return what a hook of a node returned in place of these gradients."""
    if results is None:
        return grads
    if not isinstance(results, tuple):
        kind = type(results).__name__
        raise TypeError(f"expected tuple, but hook returned '{kind}'")
    if len(results) != len(grads):
        raise RuntimeError(
            WRONG_COUNT.format(name_of(hook), len(results), len(grads)))
    # Here None takes a gradient away.
    return [None if result is None else checked_gradient(hook, result, grad)
            for result, grad in zip(results, grads)]


def checked_gradient(hook, result, grad):
    """Return what a hook returned in place of a gradient, if it fits."""
    if result is None:
        return grad
    if grad is None:
        raise RuntimeError(NO_GRADIENT)
    if not isinstance(result, Tensor):
        kind = type(result).__name__
        raise TypeError(f"expected Variable, but hook returned '{kind}'")
    if result._array.dtype != grad._array.dtype:
        before, after = grad.dtype.tensor_type, result.dtype.tensor_type
        raise RuntimeError(WRONG_TYPE.format(name_of(hook), before, after))
    if result._array.shape != grad._array.shape:
        raise RuntimeError(WRONG_SIZE.format(name_of(hook)))
    return result


def name_of(hook):
    return getattr(hook, "__name__", "<unknown>")
