"""A hook that waits for the gradients of several tensors."""
import weakref
from functools import partial

from ..autograd.accumulate import gradient_node
from ..autograd.engine import reachable_from
from ..autograd.node_hooks import RemovableHandle
from ..state import local

LEAF_OF_GRAD = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running "
    "autograd.grad(). This is currently not supported.")


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
    passes = weakref.WeakKeyDictionary()    # pass -> (gradients so far, how many come)

    def hook(i, grad):
        current = local.state.current_pass
        if mode == "any":
            if current not in passes:
                passes[current] = None
                fn(grad)
            return
        if current not in passes:
            passes[current] = {}, count_reached(current, nodes)
        gradients, expected = passes[current]
        gradients[i] = grad
        if len(gradients) == expected:
            del passes[current]
            fn([gradients.get(i) for i in range(len(nodes))])

    return _MultiHandle([tensor.register_hook(partial(hook, i))
                         for i, tensor in enumerate(tensors)])


def count_reached(current, nodes):
    """Return how many of the nodes a pass runs; as in PyTorch, not its only root."""
    roots = [root for root, _ in current.roots]
    reachable = reachable_from(roots)
    count = 0
    for node in nodes:
        if roots == [node] or node not in reachable:
            continue
        if (node, 0) in current.captured and not node._children:
            raise RuntimeError(LEAF_OF_GRAD)
        count += current.receives(node)
    return count


class _MultiHandle(RemovableHandle):
    """Removes all the hooks of one registration."""

    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()
