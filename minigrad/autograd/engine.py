"""The backward pass: from the roots to the leaves, each node once, when all of its gradient has arrived.

    count    for every node that can be reached, how many gradients it will receive
    wait     until a node has received all of them; of the nodes that are ready, the latest runs first
    sum      the gradients that arrive at one node
    run      the node's formulas: from the gradient of its result to the gradients of its inputs
    deliver  each of those along its edge, in the shape and dtype of the input; then free what was saved

Gradients are arrays, unless the pass is itself recorded (create_graph=True); then they are tensors.
There is no recursion, so a graph may be as deep as memory allows.  Everything a pass needs belongs to
it, so passes may run inside passes and in several threads.
"""
from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from .. import dtypes
from ..places import here
from ..state import local
from ..tensor import Tensor
from .anomaly_mode import anomaly, check_nan, warn_where_recorded
from .hooks import as_tensor, keep_retained, run_after, run_before, run_tensor_hooks
from .node import AccumulateGrad, Freed


class Pass:
    """One backward pass."""

    def __init__(self, roots, keep_graph, create_graph, captures, accumulate):
        self.waiting = count_dependencies(roots)    # node -> how many gradients are still to arrive
        self.arrived = {}           # node -> the gradient received so far; a list for several outputs
        self.ready = []             # the nodes whose gradient is complete: a heap
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.place = here(4)
        self.freed = Freed(self.place)
        self.needed = self.reached = self.captured = None
        self.callbacks = []         # what to call when the pass has ended
        if captures is not None:
            self.restrict(captures, accumulate)
        self.plain = not create_graph and captures is None and not anomaly.enabled

    def run(self):
        """Run every node once, and deliver its gradients to the nodes before it."""
        waiting, arrived, ready, plain = self.waiting, self.arrived, self.ready, self.plain
        while ready:
            node = heappop(ready)
            grad = arrived.pop(node)
            if plain and grad is not None and node._hooks is node._outputs is node._output_nrs is None:
                # The usual case, with `deliver` written out for speed.
                grads = node._plan.gradients(node, grad)
                for child, child_grad in zip(node._children, grads):
                    if child is None:
                        continue
                    if child_grad is None:
                        arrived.setdefault(child)
                    else:
                        if child_grad.shape != child._shape or child_grad.dtype is not child._dtype:
                            child_grad = fitted(child_grad, child._shape, child._dtype, node, grads)
                        total = arrived.get(child)
                        if total is not None:
                            arrived[child] = total + child_grad
                        elif child_grad is grad:
                            arrived[child] = grad.view()        # another child may receive it as well
                        else:
                            arrived[child] = child_grad
                    left = waiting[child] = waiting[child] - 1
                    if not left:
                        heappush(ready, child)
            else:
                grads = self.run_with_hooks(node, grad)
                for (child, output_nr), child_grad in zip(node.next_functions, grads):
                    if child is not None and self.wants(child):
                        self.deliver(child, output_nr, child_grad, node, grads)
            if not self.keep_graph and (self.needed is None or node in self.needed):
                node.free(self.freed)       # only now: a node that raised keeps what it saved

    def deliver(self, child, output_nr, grad, node=None, grads=()):
        """Add a gradient to what `child` has received; if all is there, `child` is ready."""
        if grad is not None:
            grad = fitted(grad, *child.describe_outputs()[output_nr], node, grads)
            if type(child) is AccumulateGrad and self.captured is None and not self.create_graph:
                grad = grad.view()          # somebody else may hold the array
        if child._outputs is None:
            self.arrived[child] = add(self.arrived.get(child), grad)
        else:
            received = self.arrived.setdefault(child, [None] * len(child._outputs))
            received[output_nr] = add(received[output_nr], grad)
        self.waiting[child] -= 1
        if not self.waiting[child]:
            heappush(self.ready, child)

    def start(self, roots, gradients):
        """Deliver the gradients that the caller gave to the roots."""
        for (node, output_nr), gradient in zip(roots, gradients):
            if len(roots) == 1 or self.wants(node):      # the hooks of a single root run in any case
                self.deliver(node, output_nr, gradient if self.create_graph else gradient._array)

    def restrict(self, captures, accumulate):
        """Find the nodes that must run: those from which a gradient reaches one of the captures."""
        targets = {node for node, _ in captures if node is not None}
        self.needed = nodes_leading_to(targets, self.waiting)
        if accumulate:
            self.needed |= targets
        else:
            self.captured = dict.fromkeys(captures)
        self.reached = self.needed | targets

    def wants(self, node):
        """Return whether the pass has any use for a gradient at this node."""
        return self.reached is None or node in self.reached

    # --- a node with all that may happen at it ----------------------------------------------------

    def run_with_hooks(self, node, grad):
        """Run the hooks before a node, the node, and the hooks after it; pick up captured gradients."""
        grads = [grad] if node._outputs is None else grad
        hooks = node._hooks
        needed = self.needed is None or node in self.needed
        if hooks is not None:
            grads = self.with_tensors(run_tensor_hooks, hooks, grads)
            if not needed:
                self.with_tensors(keep_retained, hooks, grads)
        for output_nr, one in enumerate(grads):
            if self.captured is not None and (node, output_nr) in self.captured:
                self.captured[node, output_nr] = one
        if not needed:
            return ()
        if hooks is not None:
            grads = self.with_tensors(keep_retained, hooks, grads)
            grads = self.with_tensors(run_before, hooks, grads)
            if type(node) is AccumulateGrad and not self.create_graph:
                grads = [one if one is None else one.view() for one in grads]    # a hook may hold it
        state = local.state
        outer, state.evaluating = state.evaluating, node
        try:
            return self.evaluate(node, grads, hooks and hooks.after)
        except Exception:
            if anomaly.enabled:
                warn_where_recorded(node)
            raise
        finally:
            state.evaluating = outer

    def evaluate(self, node, grads, after):
        """Compute the gradients of a node's inputs, and run the hooks after it."""
        results = self.formulas_of(node, grads)
        if after or anomaly.enabled or self.needed is not None:
            # hooks see gradients as they will be delivered, and one that nobody wants must fit as well
            results = [one if one is None or child is None
                       else fitted(one, *child.describe_outputs()[output_nr], node, results)
                       for one, (child, output_nr) in zip(results, node.next_functions)]
        if after:
            inputs = [as_tensor(one) for one in results]
            results = self.as_carried(run_after(after, inputs, [as_tensor(one) for one in grads]))
        if anomaly.enabled and anomaly.check_nan:
            check_nan(node, results)
        return results

    def formulas_of(self, node, grads):
        grad = grads[0] if node._outputs is None else grads
        if node.undefined_gives_undefined and all([one is None for one in grads]):
            node.check_saved()
            return (None,) * len(node._children)
        wanted = None
        if self.needed is not None:
            def wanted(i):
                return node._children[i] in self.reached
        return (node.gradients_as_tensors if self.create_graph else node.gradients)(grad, wanted)

    def with_tensors(self, run_hooks, hooks, grads):
        """Run hooks on the gradients as tensors, whatever the pass carries."""
        tensors = [as_tensor(one) for one in grads]
        run_hooks(hooks, tensors)
        return self.as_carried(tensors)

    def as_carried(self, tensors):
        """Return tensors in the form in which the pass carries gradients."""
        return tensors if self.create_graph else [one if one is None else one._array for one in tensors]


# --- the graph ------------------------------------------------------------------------------------

def count_dependencies(roots):
    """Return how many gradients each node that can be reached will receive."""
    counts, stack = {}, []
    for node, _ in roots:
        if node in counts:
            counts[node] += 1
        else:
            counts[node] = 1
            stack.append(node)
    while stack:
        for node in stack.pop()._children:
            if node in counts:
                counts[node] += 1
            elif node is not None:
                counts[node] = 1
                stack.append(node)
    return counts


def nodes_leading_to(targets, reachable):
    """Return the reachable nodes, targets aside, from which some target can be reached."""
    parents = {}
    for node in reachable:
        for child in node._children:
            parents.setdefault(child, []).append(node)
    found, stack = set(), [node for node in targets if node in reachable]
    while stack:
        for parent in parents.get(stack.pop(), ()):
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return found


# --- gradients ------------------------------------------------------------------------------------

def add(total, grad):
    """Return the sum of what has arrived, where None is nothing."""
    if total is None or grad is None:
        return grad if total is None else total
    return total + grad


def fitted(grad, shape, dtype, node, grads):
    """Return a gradient in the shape and dtype of its tensor: summed where that was broadcast."""
    is_tensor = isinstance(grad, Tensor)
    array = grad._array if is_tensor else grad
    if array.shape != shape:
        check_expandable(grad, array.shape, shape, node, grads)
        grad = grad.sum_to_size(shape) if is_tensor else sum_to(array, shape)
    if array.dtype != dtype:
        grad = grad.to(dtypes.BY_NUMPY[dtype]) if is_tensor else grad.astype(dtype)
    return grad


def sum_to(array, shape):
    """Return the array summed over the dimensions that `shape` lacks or has as 1."""
    lead = array.ndim - len(shape)
    dims = (*range(lead), *[i for i, n in enumerate(shape, lead) if n == 1 and array.shape[i] != 1])
    if dims:
        array = np.asarray(np.add.reduce(array, axis=dims, keepdims=len(dims) > lead))
    return array.reshape(shape) if lead else array


def check_expandable(grad, given, shape, node, grads):
    """Refuse a gradient whose shape is not one to which its tensor can be broadcast."""
    lead = len(given) - len(shape)
    if lead >= 0 and all([n in (1, m) for n, m in zip(shape, given[lead:])]):
        return
    i = next((i for i, one in enumerate(grads) if one is grad), 0)
    returned = f"Function {node.name()} returned an " if node is not None else ""    # else: a root's
    raise RuntimeError(f"{returned}invalid gradient at index {i} - got {list(given)} but expected "
                       f"shape compatible with {list(shape)}")
