"""The backward pass: from the roots to the leaves, each node once, when its gradient is complete.

    count    for every node that can be reached, how many gradients it will receive
    wait     until a node has received them all; of the nodes that are ready, the latest runs first
    sum      the gradients that arrive at one node
    run      the node's formulas: from the gradient of its result to the gradients of its inputs
    deliver  each of those along its edge, in the input's shape and dtype; then free what was saved

There is no recursion, so a graph may be as deep as memory allows.  NumPy returns scalars from
arithmetic with 0-d arrays: ``asarray`` is called where a gradient must be an array.
"""
from heapq import heappop, heappush

import numpy as np

from .. import dtypes
from ..places import here
from ..tensor import Tensor
from .anomaly_mode import anomaly, check_nan, evaluating
from .node import Freed


class Pass:
    """One backward pass, with all of its state: passes may run inside passes, and in threads."""
    def run(self, roots, gradients):
        """Run every node once, beginning at the edges `roots` with these tensors as gradients."""
        for (node, output_nr), gradient in zip(roots, gradients):
            if node in self.reached:
                # A view, so that an array of the caller is copied before it becomes `.grad`.
                given = gradient if self.needs_tensors else gradient._array.view()
                self.deliver(node, output_nr, given)
        if self.needs_tensors:
            self.run_on_tensors()
        else:
            self.run_on_arrays()

    def run_on_arrays(self):
        """Run a pass on plain arrays: no hooks, no recording, no `inputs`, no anomaly mode."""
        waiting, ready = self.waiting, self.ready
        arrived = {node: grads[0] for node, grads in self.arrived.items()}
        while ready:
            node = heappop(ready)
            grad = arrived.pop(node)
            grads = node._plan.gradients(node, grad)
            for child, child_grad in zip(node._children, grads):
                if child is None:
                    continue
                if child_grad.shape != child._shape or child_grad.dtype is not child._dtype:
                    child_grad = fitted(child_grad, child._shape, child._dtype, node, grads)
                total = arrived.get(child)
                if total is not None:
                    arrived[child] = total + child_grad
                elif child_grad is grad:
                    arrived[child] = grad.view()        # so that a leaf copies it
                else:
                    arrived[child] = child_grad
                left = waiting[child] = waiting[child] - 1
                if not left:
                    heappush(ready, child)
            if not self.keep_graph and node._kept is not None:
                node._kept = self.freed     # only now: a node that raised keeps what it saved

    def run_on_tensors(self):
        """Run a pass that is recorded, collects gradients of certain tensors, or meets hooks."""
        while self.ready:
            node = heappop(self.ready)
            with evaluating(node):
                grads = self.run_node(node, self.arrived.pop(node))
            for (child, output_nr), grad in zip(node.next_functions, grads):
                if child in self.reached:
                    self.deliver(child, output_nr, grad, node, grads)
            if not self.keep_graph and node in self.needed and node._kept is not None:
                node._kept = self.freed

    def deliver(self, child, output_nr, grad, node=None, grads=()):
        """Add a gradient to what `child` has received; if that was the last, `child` is ready."""
        outputs = child.describe_outputs()
        received = self.arrived.setdefault(child, [None] * len(outputs))
        if grad is not None:
            grad = fitted(grad, *outputs[output_nr], node, grads)
            total = received[output_nr]
            received[output_nr] = grad if total is None else total + grad
        self.waiting[child] -= 1
        if not self.waiting[child]:
            heappush(self.ready, child)

    def run_node(self, node, grads):
        """Run the hooks before a node, its formulas, and the hooks after it."""
        hooks = node._hooks
        if hooks is not None:
            hooks.run_tensor_hooks(grads)
        for output_nr, grad in enumerate(grads):
            if (node, output_nr) in self.captured:
                self.captured[node, output_nr] = grad
        if node not in self.needed:
            return ()
        if hooks is not None:
            hooks.run_before(grads)
        results = node.evaluate(grads, lambda i: node._children[i] in self.reached)
        # Hooks see gradients as they are delivered; the shape of one that isn't is checked, too.
        results = [one if one is None or child is None
                   else fitted(one, *child.describe_outputs()[output_nr], node, results)
                   for one, (child, output_nr) in zip(results, node.next_functions)]
        if hooks is not None:
            results = hooks.run_after(results, grads)
        if anomaly.enabled and anomaly.check_nan:
            check_nan(node, results)
        return results

    def will_execute(self, node):
        """Return whether this pass runs a node; as in PyTorch, not for the only root."""
        if node in self.only_root or node not in self.waiting:
            return False
        if (node, 0) in self.captured and not node._children:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running "
                "autograd.grad(). This is currently not supported.")
        return node in self.reached

    def __init__(self, roots, keep_graph, create_graph, captures, accumulate):
        """Prepare the pass; with `captures`, which are edges, only nodes that lead to them run."""
        self.keep_graph, self.place = keep_graph, here(4)
        self.freed = Freed(self.place)
        self.callbacks = []         # what to call when the pass has ended
        self.ready = []             # the nodes that have received all of their gradient: a heap
        self.arrived = {}           # node -> for each of its outputs, the sum of what it received
        self.waiting, found = count_dependencies(roots)         # node -> gradients yet to arrive
        self.needs_tensors = found or create_graph or captures is not None or anomaly.enabled
        self.needed = self.waiting      # the nodes whose formulas run
        self.reached = self.waiting     # the nodes that receive a gradient
        self.captured = {}
        self.only_root = {roots[0][0]} if len(roots) == 1 else set()
        if captures is not None:
            targets = {node for node, _ in captures if node in self.waiting}
            self.needed = nodes_leading_to(targets, self.waiting)
            self.reached = self.needed | targets | self.only_root     # a root's hooks always run
            if accumulate:
                self.needed |= targets          # the leaves among them collect their gradients
            else:
                self.captured = dict.fromkeys(captures)


def count_dependencies(roots):
    """Return how many gradients each reachable node will receive, and whether one needs tensors."""
    counts, stack, needs_tensors = {}, [], False
    children = [node for node, _ in roots]
    while True:
        for node in children:
            if node in counts:
                counts[node] += 1
            elif node is not None:
                counts[node] = 1
                stack.append(node)
                if node._hooks is not None or node._plan is None or node._outputs is not None:
                    needs_tensors = True
        if not stack:
            return counts, needs_tensors
        children = stack.pop()._children


def nodes_leading_to(targets, reachable):
    """Return the reachable nodes, targets aside, from which some target can be reached."""
    parents = {}
    for node in reachable:
        for child in node._children:
            parents.setdefault(child, []).append(node)
    found, stack = set(), list(targets)
    while stack:
        for parent in parents.get(stack.pop(), ()):
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return found


def fitted(grad, shape, dtype, node, grads):
    """Return a gradient, an array or a tensor, in the shape and dtype of what it belongs to."""
    is_tensor = isinstance(grad, Tensor)
    array = grad._array if is_tensor else grad
    if array.shape != shape:
        lead = array.ndim - len(shape)
        if lead < 0 or not all([n in (1, m) for n, m in zip(shape, array.shape[lead:])]):
            i = next((i for i, one in enumerate(grads) if one is grad), 0)
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {i} - got "
                f"{list(array.shape)} but expected shape compatible with {list(shape)}")
        grad = grad.sum_to_size(shape) if is_tensor else sum_to(array, shape)
    if array.dtype != dtype:
        grad = grad.to(dtypes.BY_NUMPY[dtype]) if is_tensor else grad.astype(dtype)
    return grad


def sum_to(array, shape):
    """Return the array summed over the dimensions along which this shape was broadcast."""
    lead = array.ndim - len(shape)
    dims = (*range(lead), *[i for i, n in enumerate(shape, lead) if n == 1 and array.shape[i] != 1])
    if dims:
        array = np.asarray(np.add.reduce(array, axis=dims, keepdims=len(dims) > lead))
    return array.reshape(shape) if lead else array
