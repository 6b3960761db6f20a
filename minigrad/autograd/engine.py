"""The backward pass: from the roots to the leaves, each node once, in one loop.

    wait     of all nodes that a gradient has reached, the one recorded last runs next
    run      its formulas: from the gradient of its result to those of its inputs
    deliver  each of those along its edge, in the input's shape and dtype; what arrives
             at one node is added up
    free     what the node saved

Why the latest node has received everything: whatever used its result was recorded after
it, and so has run already.  A leaf has no place in this order; it runs when all of its
gradient is there.  Where nobody looks, that is at the end of the pass.  As soon as a
hook or a function of the user could look at ``.grad``, `leaves_left` counts what each
leaf still waits for.

Arrays flow along the edges; tensors do where the pass is itself recorded, or returns
what flows (docs/engine.md).  There is no recursion, so a graph may be as deep as memory
allows.
"""
from heapq import heappop, heappush

import numpy as np

from ..places import here
from ..tensor import Tensor, wrap_new
from .anomaly_mode import anomaly, check_nan, evaluating
from .node import Freed
from .unbroadcast import fit

LEAF_OF_GRAD = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running "
    "autograd.grad(). This is currently not supported.")


class Pass:
    """One backward pass, with all its state: passes run inside passes, in threads."""

    def __init__(self, roots, keep_graph, create_graph, targets, accumulate):
        """Prepare a pass from the edges `roots`.

        With `targets`, which are edges too, only what leads to them runs.
        """
        self.roots = roots
        self.keep_graph = keep_graph
        self.place = here(4)
        self.freed = Freed(self.place)
        self.callbacks = []         # what to call when the pass has ended
        self.ready = []             # a heap of (order, node)
        self.running = None         # the node that runs now
        self.arrived = {}           # node -> the sum of what it received so far
        self.leaf_is_looked_at = False      # whether a leaf with hooks was reached
        self.leaves_left = None     # leaf -> gradients yet to arrive, if somebody looks
        self.tensors_flow = create_graph or targets is not None or anomaly.enabled
        self.reached = None         # the nodes that receive a gradient; None: all
        self.needed = None          # those of them that run; None: all
        self.reachable = None       # all nodes behind the roots, once it is asked for
        self.captured = {}          # edge -> the gradient there, for `grad` to return
        if targets is not None:
            self.limit_to(targets, accumulate)

    def run(self, gradients):
        """Run every node once, beginning with these tensors at the roots."""
        for (node, output_nr), gradient in zip(self.roots, gradients):
            self.deliver(node, output_nr, gradient)
        if self.tensors_flow or self.leaf_is_looked_at:
            self.count_leaves()
        try:
            self.run_nodes()
        except Exception:
            if self.leaves_left is None:
                # As in PyTorch, what was complete before the error is in .grad.
                self.count_leaves(self.running)
                self.fill_leaves([leaf for _, leaf in self.ready if not leaf._children])
            raise
        if self.leaves_left is None:
            self.fill_leaves(self.arrived)

    def run_nodes(self):
        """Run nodes until nothing waits any more.

        Every node goes through this loop, so it is written without calls of its own.
        """
        arrived, ready = self.arrived, self.ready
        keep_graph, tensors_flow = self.keep_graph, self.tensors_flow
        while ready:
            node = self.running = heappop(ready)[1]
            grad = arrived.pop(node)
            if not node._is_plain or grad is None or tensors_flow:
                self.run_looked_at(node, grad)
                continue
            grads = node._plan.gradients(node, grad)
            for child, sent in zip(node._children, grads):
                if child is None:
                    continue
                if sent.shape != child._shape or sent.dtype is not child._dtype:
                    sent = fit(sent, child._shape, child._dtype, node, grads)
                if child in arrived:
                    total = arrived[child]
                    arrived[child] = sent if total is None else total + sent
                elif child._children:
                    arrived[child] = sent
                    heappush(ready, (-child._sequence, child))
                else:
                    # A view of what isn't new, so that the leaf copies it.
                    arrived[child] = grad.view() if sent is grad else sent
                if not child._children and (
                        not child._is_plain or self.leaves_left is not None):
                    self.leaf_received(child)
            if not keep_graph and node._values is not None:
                # Only now: a node that raised keeps what it saved.
                node._values = self.freed
            if self.leaf_is_looked_at and self.leaves_left is None:
                self.count_leaves()

    def fill_leaves(self, leaves):
        for leaf in leaves:
            leaf.accumulate_array(self.arrived[leaf])

    def run_looked_at(self, node, received):
        """Run a node for which something else is to be done: see `results_of`."""
        if self.leaves_left is None:
            # Complete leaves run first: the user could look at them, or raise an error.
            self.count_leaves(node)
            self.arrived[node] = received
            heappush(self.ready, (-node._sequence, node))
            return
        grads = received if node._outputs is not None else [received]
        grads = [as_tensor(grad) for grad in grads]
        if anomaly.enabled:
            with evaluating(node):
                results = self.results_of(node._shown(), grads)
        else:
            results = self.results_of(node._shown(), grads)
        for (child, output_nr), grad in zip(node.next_functions, results):
            if child is not None:
                self.deliver(child, output_nr, grad, node, results)
        if not self.keep_graph and node._values is not None and self.runs(node):
            node._values = self.freed

    def results_of(self, node, grads):
        """Run the hooks before a node, its formulas on tensors, and the hooks after."""
        hooks = node._hooks
        if hooks is not None:
            hooks.run_tensor_hooks(grads)
        for output_nr, grad in enumerate(grads):
            if (node, output_nr) in self.captured:
                self.captured[node, output_nr] = grad
        if not self.runs(node):
            return ()
        if hooks is not None:
            hooks.run_before(grads)
        results = node._evaluate(grads, lambda i: self.reaches(node._children[i]))
        # Hooks see gradients as they are delivered.
        results = [one if one is None or child is None
                   else fit(one, *child._describe_outputs()[output_nr], node, results)
                   for one, (child, output_nr) in zip(results, node.next_functions)]
        if hooks is not None:
            results = hooks.run_after(results, grads)
        if anomaly.enabled and anomaly.check_nan:
            check_nan(node, results)
        return results

    def deliver(self, child, output_nr, grad, node=None, grads=()):
        """Add a tensor, or None for no gradient, to what `child` has received."""
        if not self.reaches(child):
            return
        outputs = child._describe_outputs()
        if grad is not None:
            grad = fit(grad, *outputs[output_nr], node, grads)
            if not self.tensors_flow:
                grad = grad._array.view()       # so that a leaf copies it
        if child not in self.arrived:
            is_list = child._outputs is not None
            self.arrived[child] = [None] * len(outputs) if is_list else None
            if child._children:
                heappush(self.ready, (-child._sequence, child))
        if child._outputs is None:
            self.arrived[child] = added(self.arrived[child], grad)
        else:
            received = self.arrived[child]
            received[output_nr] = added(received[output_nr], grad)
        if not child._children:
            self.leaf_received(child)

    # --- when a leaf is complete ------------------------------------------------------

    def leaf_received(self, leaf):
        """Note that a gradient has arrived at a leaf; a complete leaf runs next."""
        if self.leaves_left is not None:
            self.leaves_left[leaf] -= 1
            if self.leaves_left[leaf] == 0:
                heappush(self.ready, (-leaf._sequence, leaf))
        elif not leaf._is_plain:
            self.leaf_is_looked_at = True
            # Last in the dictionary: complete leaves run in the order of completion.
            self.arrived[leaf] = self.arrived.pop(leaf)

    def count_leaves(self, running=None):
        """Count from now on what each leaf waits for; those that are complete run next.

        `running` is a node whose gradients are still to be delivered.
        """
        counts = self.leaves_left = {}
        unfinished = [node for node in self.arrived if node._children]
        if running is not None:
            unfinished.append(running)
        for node in reachable_from(unfinished):
            for child in node._children:
                if child is not None and not child._children:
                    counts[child] = counts.get(child, 0) + 1
        for leaf in self.arrived:
            if not leaf._children and leaf not in counts:
                heappush(self.ready, (-leaf._sequence, leaf))

    # --- passes that lead to certain edges only ---------------------------------------

    def limit_to(self, targets, accumulate):
        """Let only those nodes run that lead to the edges `targets`."""
        reachable = reachable_from([node for node, _ in self.roots])
        wanted = {node for node, _ in targets if node in reachable}
        self.needed = nodes_leading_to(wanted, reachable)
        self.reached = self.needed | wanted
        if len(self.roots) == 1:
            self.reached.add(self.roots[0][0])      # the hooks of a root always run
        if accumulate:
            self.needed |= wanted       # the leaves among them collect their gradients
        else:
            self.captured = dict.fromkeys(targets)

    def reaches(self, node):
        """Return whether the node receives a gradient in this pass."""
        return self.reached is None or node in self.reached

    def runs(self, node):
        """Return whether the formulas of the node run in this pass."""
        return self.needed is None or node in self.needed

    def will_execute(self, node):
        """Return whether this pass runs a node; as in PyTorch, not the only root."""
        roots = [root for root, _ in self.roots]
        if self.reachable is None:
            self.reachable = reachable_from(roots)
        if roots == [node] or node not in self.reachable:
            return False
        if (node, 0) in self.captured and not node._children:
            raise RuntimeError(LEAF_OF_GRAD)
        return self.reaches(node)


def as_tensor(grad):
    """Return an array as a tensor; a tensor, or None, as it is."""
    if grad is None or isinstance(grad, Tensor):
        return grad
    return wrap_new(np.asarray(grad))   # NumPy returns scalars from 0-d arrays


def added(total, grad):
    """Return the sum of two gradients, of which each may be None."""
    if total is None or grad is None:
        return grad if total is None else total
    return total + grad


def reachable_from(nodes):
    """Return the nodes, and all that can be reached from them, in a set."""
    found, stack = set(nodes), list(nodes)
    while stack:
        for child in stack.pop()._children:
            if child is not None and child not in found:
                found.add(child)
                stack.append(child)
    return found


def nodes_leading_to(targets, reachable):
    """Return the reachable nodes, targets aside, from which some target is reached."""
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
