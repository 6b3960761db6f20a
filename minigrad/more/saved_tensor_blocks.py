"""Blocks that change how saved tensors are kept, and writes that are not seen."""
import weakref
from contextlib import contextmanager
from functools import partial

from ..autograd.accumulate import gradient_node
from ..autograd.engine import reachable_from
from ..autograd.graph import GradientEdge
from ..autograd.node_hooks import RemovableHandle
from ..autograd.saved import saved_tensors_hooks
from ..state import local
from ..tensor import Tensor, bump_version

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin "
    "which the graph was originally recorded.")
NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
NO_TENSOR = "increment_version expects each element of the iterable to be a tensor"


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory, where every tensor of minigrad is.

    As in PyTorch, only ``pin_memory=True`` copies a tensor that is there. A write in
    place to a saved tensor raises no error.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(Tensor.clone if pin_memory else lambda tensor: tensor,
                         lambda tensor: tensor)


@contextmanager
def disable_saved_tensors_hooks(error_message):
    """Within the block, make it a RuntimeError to enter ``saved_tensors_hooks``."""
    state = local.state
    if state.saved_tensors_hooks:
        raise RuntimeError(error_message)
    outer = state.hooks_disabled
    state.hooks_disabled = error_message
    try:
        yield
    finally:
        state.hooks_disabled = outer


@contextmanager
def allow_mutation_on_saved_tensors():
    """Within the block, save copies, so that what was saved may be written in place.

    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     z = (y * y).sum()
    ...     y.zero_()
    ...     z.backward()            # an AssertionError outside of the block
    """
    def unpack(copy):
        if (copy_to_keep, unpack) not in local.state.saved_tensors_hooks:
            raise AssertionError(OUTSIDE)
        return copy

    packs = [pack for pack, _ in local.state.saved_tensors_hooks]
    if copy_to_keep in packs:
        raise RuntimeError(NESTED)
    with saved_tensors_hooks(copy_to_keep, unpack):
        yield


def copy_to_keep(tensor):
    """Return a copy; `allow_mutation_on_saved_tensors` is recognized by this."""
    return tensor.clone()


def increment_version(tensors):
    """Count a write to one or several tensors that was not seen.

    A write through ``tensor.numpy()`` is one.
    """
    if isinstance(tensors, Tensor):
        tensors = [tensors]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise RuntimeError(NO_TENSOR)
        if not tensor.is_inference():       # such a tensor has no version
            bump_version(tensor)


# --- a hook on several tensors --------------------------------------------------------

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


# --- edges ----------------------------------------------------------------------------

NO_EDGE = (
    "It is not possible to get the gradient edge for a Tensor that does not require "
    "gradients")


def get_gradient_edge(tensor):
    """Return the edge of the graph along which the gradient of the tensor arrives.

    It can stand for the tensor in ``backward`` and ``grad``, and does not keep its
    numbers alive.  Raises RuntimeError if the tensor does not require a gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError(NO_EDGE)
    return GradientEdge(gradient_node(tensor)._shown(), tensor.output_nr)
