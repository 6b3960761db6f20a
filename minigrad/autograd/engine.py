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
from heapq import heappop, heappush, heappushpop

import numpy as np

from ..places import here
from ..state import quiet
from ..tensor import Tensor, wrap_new
from .accumulate import fit
from .anomaly_mode import anomaly, check_nan, evaluating
from .node import Freed


class Pass:
    """One backward pass, with all its state: passes run inside passes, in threads."""

    def __init__(self, roots, keep_graph, create_graph, targets, accumulate):
        """Prepare a pass from some edges; given `targets`, it runs what leads there."""
        self.roots = roots
        self.keep_graph = keep_graph
        self.place = here(4)        # Pass <- run_backward <- backward <- the program
        self.freed = Freed(self.place)
        self.callbacks = []         # what to call when the pass has ended
        # A heap of (-sequence number, node): it gives the smallest, the latest node.
        self.waiting = []
        self.running = None         # the node that runs now
        self.sums = {}              # node -> the sum of what it received so far
        self.leaf_has_hooks = False     # whether a leaf with hooks was reached
        self.leaves_left = None     # leaf -> gradients yet to arrive, if somebody looks
        self.tensors_flow = create_graph or targets is not None or anomaly.enabled
        self.receivers = None       # the nodes that receive a gradient; None: all
        self.runners = None         # those of them whose formulas run; None: all
        self.captured = {}          # edge -> the gradient there, for `grad` to return
        if targets is not None:
            self.limit_to(targets, accumulate)

    def run(self, gradients):
        """Run every node once, beginning with these tensors at the roots."""
        # Arrays are added up in `quiet`, a context of its own.  What the user wrote,
        # such as a hook, runs in the user's context, and sees its variables.
        quiet.copy().run(self.begin, gradients)
        try:
            self.run_nodes()
        except Exception:
            if self.leaves_left is None:
                # As in PyTorch, what was complete before the error is in .grad.
                self.count_leaves(self.running)
                leaves = [leaf for _, leaf in self.waiting if not leaf._children]
                quiet.copy().run(self.fill_leaves, leaves)
            raise
        if self.leaves_left is None:
            quiet.copy().run(self.fill_leaves, self.sums)

    def begin(self, gradients):
        """Deliver the gradients at the roots."""
        for (node, output_nr), gradient in zip(self.roots, gradients):
            self.deliver(node, output_nr, gradient)
        if self.tensors_flow or self.leaf_has_hooks:
            self.count_leaves()

    def run_nodes(self):
        """Run nodes until none waits."""
        while self.waiting:
            node = quiet.copy().run(self.run_plain_nodes)
            if node is not None:
                with np.errstate(all="ignore"):
                    self.run_with_tensors(node, self.sums.pop(node))

    def run_plain_nodes(self):
        """Run nodes on arrays, without calls of its own, which cost time.

        Return the first one that this can't run; None if no node waits any more.
        """
        sums, waiting, keep_graph = self.sums, self.waiting, self.keep_graph
        latest = None       # the only node that waits: a chain needs no heap
        while latest is not None or waiting:
            if latest is None:
                node = heappop(waiting)[1]
            elif waiting:
                node = heappushpop(waiting, (-latest._sequence, latest))[1]
            else:
                node = latest
            latest = None
            self.running = node
            if not node._is_plain or sums[node] is None or self.tensors_flow:
                return node
            grad = sums.pop(node)
            grads = node._plan.gradients(node, grad)
            for child, sent in zip(node._children, grads):
                if child is None:
                    continue
                if sent.shape != child._shape or sent.dtype is not child._dtype:
                    sent = fit(sent, child._shape, child._dtype, node, grads)
                if child in sums:
                    total = sums[child]
                    sums[child] = sent if total is None else total + sent
                elif child._children:
                    sums[child] = sent
                    if latest is None and not waiting:
                        latest = child
                    else:
                        heappush(waiting, (-child._sequence, child))
                else:
                    # A view of what isn't new, so that the leaf copies it.
                    sums[child] = grad.view() if sent is grad else sent
                if not child._children and (
                        not child._is_plain or self.leaves_left is not None):
                    self.leaf_received(child)
            if not keep_graph and node._values is not None:
                # Only now: a node that raised keeps what it saved.
                node._values = self.freed
            if self.leaf_has_hooks and self.leaves_left is None:
                self.count_leaves()
        return None

    def fill_leaves(self, leaves):
        """Add to the ``.grad`` of leaves that nobody looks at what they received."""
        for leaf in leaves:
            leaf.accumulate_array(self.sums[leaf])

    def run_with_tensors(self, node, received):
        """Run a node on tensors, with its hooks and whatever else `results_of` does."""
        if self.leaves_left is None:
            # The user could look at leaves, or raise an error.  So those that are
            # complete run first; this node comes back after them.
            self.count_leaves(node)
            self.sums[node] = received
            self.push(node)
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
        results = node._evaluate(grads, lambda i: self.receives(node._children[i]))
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
        if not self.receives(child):
            return
        outputs = child._describe_outputs()
        if grad is not None:
            grad = fit(grad, *outputs[output_nr], node, grads)
            if not self.tensors_flow:
                grad = grad._array.view()       # so that a leaf copies it
        if child not in self.sums:
            is_list = child._outputs is not None
            self.sums[child] = [None] * len(outputs) if is_list else None
            if child._children:
                self.push(child)
        if child._outputs is None:
            self.sums[child] = added(self.sums[child], grad)
        else:
            received = self.sums[child]
            received[output_nr] = added(received[output_nr], grad)
        if not child._children:
            self.leaf_received(child)

    def push(self, node):
        """Let a node wait until it is the latest; a complete leaf runs next."""
        heappush(self.waiting, (-node._sequence, node))

    # --- when a leaf is complete ------------------------------------------------------

    def leaf_received(self, leaf):
        """Note that a gradient has arrived at a leaf; a complete leaf runs next."""
        if self.leaves_left is not None:
            self.leaves_left[leaf] -= 1
            if self.leaves_left[leaf] == 0:
                self.push(leaf)
        elif not leaf._is_plain:
            self.leaf_has_hooks = True
            # Last in the dictionary: complete leaves run in the order of completion.
            self.sums[leaf] = self.sums.pop(leaf)

    def count_leaves(self, running=None):
        """Count what leaves wait for, also from `running`; complete ones run next."""
        counts = self.leaves_left = {}
        unfinished = [node for node in self.sums if node._children]
        if running is not None:
            unfinished.append(running)
        for node in reachable_from(unfinished):
            for child in node._children:
                if child is not None and not child._children:
                    counts[child] = counts.get(child, 0) + 1
        complete = [leaf for leaf in self.sums
                    if not leaf._children and leaf not in counts]
        # Those that were complete before the last node ran should have run by now.
        latest = () if running or not self.running else self.running._children
        for leaf in complete:
            if self.tensors_flow or not leaf._is_plain or leaf in latest:
                self.push(leaf)
            else:
                leaf.accumulate_array(self.sums.pop(leaf))

    # --- passes that lead to certain edges only ---------------------------------------

    def limit_to(self, targets, accumulate):
        """Let only those nodes run that lead to the edges `targets`."""
        reachable = reachable_from([node for node, _ in self.roots])
        wanted = {node for node, _ in targets if node in reachable}
        self.runners = nodes_leading_to(wanted, reachable)
        self.receivers = self.runners | wanted
        if len(self.roots) == 1:
            # As in PyTorch, the hooks of a root run in any case if it is the only one.
            self.receivers.add(self.roots[0][0])
        if accumulate:
            self.runners |= wanted      # the leaves among them collect their gradients
        else:
            self.captured = dict.fromkeys(targets)

    def receives(self, node):
        return self.receivers is None or node in self.receivers

    def runs(self, node):
        return self.runners is None or node in self.runners


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
