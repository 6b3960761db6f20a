"""A hook that waits for the gradients of several tensors."""
import weakref
from functools import partial

from ..autograd.accumulate import gradient_node
from ..autograd.node_hooks import RemovableHandle
from ..state import local


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` in each backward pass that computes gradients of some of the tensors.

    With mode "all", it is called when the last of them is computed, with a list of the
    gradients, None for one that the pass does not compute.  With mode "any", it is
    called with the first.  Returns a handle, whose ``remove()`` takes the hooks off.
    Raises ValueError for another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        tensors = [tensor for tensor in tensors if tensor.requires_grad]
    nodes = [gradient_node(tensor) for tensor in tensors]
    if mode == "all" and None in nodes:
        raise AssertionError("Expected gradient function to be set")
    passes = weakref.WeakKeyDictionary()    # pass -> {number: gradient}, so far

    def hook(i, grad):
        current = local.state.current_pass
        gradients = passes.setdefault(current, {})
        gradients[i] = grad
        if mode == "any":
            if len(gradients) == 1:
                fn(grad)
            return
        expected = [node for node in nodes if current.will_execute(node)]
        if len(gradients) == len(expected):
            del passes[current]
            fn([gradients.get(i) for i in range(len(nodes))])

    return _MultiHandle([tensor.register_hook(partial(hook, i))
                           for i, tensor in enumerate(tensors)])


class _MultiHandle(RemovableHandle):
    """Removes all the hooks of one registration."""

    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()
