"""The backward pass: from the roots to the leaves, each node once, when all of its gradient has arrived.

    count, for every node that can be reached, how many gradients it will receive
    while a node is ready: take the one recorded last; turn its gradient into gradients of its inputs;
                           add each to what its input's node has received so far; free what the node saved

Gradients are arrays, unless the pass is itself being recorded (create_graph=True); then they are tensors.
There is no recursion, so a graph may be as deep as memory allows, and everything a pass needs is local to it,
so passes may run inside passes and in several threads.
"""
from __future__ import annotations

import threading
from heapq import heappop, heappush

import numpy as np

from .. import dtypes
from ..memory import elementwise_layout
from ..errors import noted
from ..ops.broadcast import sum_to
from ..places import here
from ..state import ERROR_STATE, IGNORED, local
from ..tensor import Tensor
from ..errors import warn_once
from .accumulate import AccumulateGrad
from .anomaly_mode import anomaly, warn_where_recorded
from .hooks import as_tensor, keep_retained, run_after, run_before, run_tensor_hooks
from .nodes import Freed
from .saving import use_hooks

MAX_DEPTH = 60      # passes inside passes before one moves to a thread with a stack of its own


def run_backward(roots, gradients, keep_graph, create_graph, captures=None, accumulate=True, warning=None):
    """Propagate `gradients`, one tensor for each of the edges `roots`.

    `captures`, if given, are edges (node, output number): only what leads to them runs.  With `accumulate`
    the leaves among them collect their gradients; otherwise the gradients are returned, by edge.
    """
    state = local.state
    if state.pass_depth and state.pass_depth % MAX_DEPTH == 0:
        return in_new_thread(run_backward, roots, gradients, keep_graph, create_graph, captures, accumulate,
                             warning)
    outer, enabled, hooks = state.current_pass, state.grad_enabled, state.saved_tensors_hooks
    state.pass_depth += 1
    state.current_pass = current = Pass(keep_graph, create_graph, warning)
    state.set_grad_enabled(create_graph)
    try:
        token = ERROR_STATE.set(IGNORED)
        try:
            captured = state.current_pass.run(roots, gradients, captures, accumulate)
        finally:
            ERROR_STATE.reset(token)
        for callback in state.current_pass.final_callbacks:     # which may queue more
            callback()
        return captured
    except Exception as error:
        noted(error)
        raise
    finally:
        state.pass_depth -= 1
        state.current_pass = outer
        current.warn()
        state.set_grad_enabled(enabled)
        if state.saved_tensors_hooks is not hooks:      # somebody entered or left a block and did not undo it
            use_hooks(state, hooks)


class Pass:
    """One backward pass."""

    def __init__(self, keep_graph, create_graph, warning):
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.warning = warning      # that is still to be given
        self.place = here(4)
        self.freed = Freed(self.place)      # stands in every node for what this pass freed
        self.arrived = {}           # node -> the gradient received so far, a list if it has several outputs
        self.needed = None          # with captures: the nodes whose formulas must run
        self.captured = None        # with captures that are returned: edge -> gradient
        self.final_callbacks = []

    def warn(self):
        """Give the warning that this pass owes; PyTorch keeps its own back behind those of hooks."""
        warning, self.warning = self.warning, None
        if warning:
            warn_once(warning)

    def run(self, roots, gradients, captures, accumulate):
        arrived, keep_graph, freed = self.arrived, self.keep_graph, self.freed
        waiting = self.waiting = count_dependencies(roots)
        self.only_root = roots[0][0] if len(roots) == 1 else None
        if captures is not None:
            self.restrict(waiting, captures, accumulate)
        ready = []
        for (node, nr), gradient in zip(roots, gradients):
            waiting[node] -= 1
            if self.only_root is None and not self.wants(node):
                continue        # (but if there is one root, its hooks run in any case)
            self.deliver(node, nr, gradient if self.create_graph else gradient._array)
            if not waiting[node] and node in arrived:
                heappush(ready, node)
        plain = not self.create_graph and captures is None and not anomaly.enabled
        while ready:
            node = heappop(ready)
            grad = arrived.pop(node)
            if plain and node._hooks is None and node._outputs is None and grad is not None:
                # The common case.  What deliver() does is written out here, for speed.
                grads = node._plan.gradients(node, grad)
                for (child, nr), child_grad in zip(node.next_functions, grads):
                    if child is None:
                        continue
                    if child_grad is None or child._outputs is not None:
                        self.deliver(child, nr, child_grad, node)
                    else:
                        if child_grad.shape != child._shape:
                            child_grad = fit_shape(child_grad, child._shape, node, grads)
                        if child_grad.dtype is not child._dtype and child_grad.dtype != child._dtype:
                            child_grad = child_grad.astype(child._dtype)
                        total = arrived.get(child)
                        if total is not None:
                            arrived[child] = total + child_grad
                        elif child_grad is grad and type(child) is AccumulateGrad:
                            arrived[child] = grad.view()        # somebody else may hold the array
                        else:
                            arrived[child] = child_grad
                    left = waiting[child] - 1
                    if left:
                        waiting[child] = left
                    else:
                        heappush(ready, child)
                if not keep_graph:
                    node.free(freed)        # not before all of it was of use: an error keeps it
                continue
            grads = self.run_node(node, grad)
            for (child, nr), child_grad in zip(node.next_functions, grads):
                if child is None or not self.wants(child):
                    continue
                self.deliver(child, nr, child_grad, node, grads)
                waiting[child] -= 1
                if not waiting[child]:
                    heappush(ready, child)
            if not keep_graph and (self.needed is None or node in self.needed):
                node.free(freed)
        return self.captured

    def restrict(self, reachable, captures, accumulate):
        """Find the nodes that must run: those from which a gradient reaches a capture."""
        targets = {node for node, _ in captures if node is not None}
        self.needed = leading_to(targets, reachable)
        if accumulate:
            self.needed |= targets
        else:
            self.captured = dict.fromkeys(captures)
        self.reached = self.needed | targets


    def wants(self, node):
        """Whether the pass has any use for a gradient at this node."""
        return self.needed is None or node in self.reached

    def deliver(self, child, nr, grad, node=None, grads=()):
        """Add a gradient, in the right shape and dtype, to what `child` has received at its output `nr`."""
        arrived = self.arrived
        several = child._outputs
        if grad is not None:
            grad = fitted(grad, child, nr, node, grads)
            if type(child) is AccumulateGrad and self.captured is None and not isinstance(grad, Tensor):
                grad = grad.view()      # somebody else may hold the array
        if several is None:
            arrived[child] = add(arrived.get(child), grad)
        else:
            slots = arrived.setdefault(child, [None] * len(several))
            slots[nr] = add(slots[nr], grad)

    def run_node(self, node, grad):
        """Everything that may happen at a node; in anomaly mode an error is traced back to its operation."""
        try:
            return self.run_with_hooks(node, grad)
        except Exception:
            if anomaly.enabled:
                self.warn()
                warn_where_recorded(node)
            raise

    def run_with_hooks(self, node, grad):
        """Hooks before and after, capture, the search for nan."""
        grads = [grad] if node._outputs is None else grad
        hooks = node._hooks
        needed = self.needed is None or node in self.needed
        if hooks is not None and not needed:
            tensors = [as_tensor(g) for g in grads]
            run_tensor_hooks(hooks, tensors)
            keep_retained(hooks, tensors)
            grads = [g if g is None or t._array is g else t for t, g in zip(tensors, grads)]
        if self.captured is not None:
            for nr, captured in enumerate(grads):
                if (node, nr) in self.captured:
                    self.captured[node, nr] = captured
        if not needed:
            return ()
        if hooks is not None:
            grads = self.with_tensors(run_tensor_hooks, hooks, grads)
            grads = self.with_tensors(keep_retained, hooks, grads)
            grads = self.with_tensors(run_before, hooks, grads)
            if type(node) is AccumulateGrad and not self.create_graph:
                grads = [g if g is None else g.view() for g in grads]   # a hook may hold what it was given
        state = local.state
        outer, state.evaluating = state.evaluating, node
        try:
            results = self.evaluate(node, grads)
            listening = hooks is not None and hooks.after
            # who looks, sees gradients as they will be delivered; and also those that nobody wants must fit
            if listening or anomaly.enabled or self.needed is not None:
                results = [g if g is None or child is None else fitted(g, child, nr, node, results)
                           for g, (child, nr) in zip(results, node.next_functions)]
            if listening:
                inputs = [as_tensor(g) for g in results]
                results = self.as_carried(run_after(hooks, inputs, [as_tensor(g) for g in grads]))
            if anomaly.enabled and anomaly.check_nan:
                check_nan(node, results)
        finally:
            state.evaluating = outer
        return results

    def evaluate(self, node, grads):
        grad = grads[0] if node._outputs is None else grads
        if node.undefined_gives_undefined and all(g is None for g in grads):
            node.check_saved()
            return (None,) * len(node.next_functions)
        wanted = None
        if self.needed is not None:
            edges = node.next_functions
            wanted = lambda i: edges[i][0] in self.reached
        if self.create_graph:
            return node.on_tensors(grad, wanted)
        results = node.on_arrays(grad, wanted)
        return results

    def with_tensors(self, run_hooks, hooks, grads):
        """Hooks see tensors, whatever the pass carries."""
        tensors = [as_tensor(g) for g in grads]
        run_hooks(hooks, tensors)
        return self.as_carried(tensors)

    def as_carried(self, tensors):
        return tensors if self.create_graph else [g if g is None else g._array for g in tensors]


def fitted(grad, child, nr, node, grads):
    """The gradient in the shape and dtype of what `child` gave as its output `nr`."""
    shape, dtype = (child._shape, child._dtype) if child._outputs is None else child._outputs[nr]
    is_tensor = isinstance(grad, Tensor)
    array = grad._array if is_tensor else grad
    if array.shape != shape:
        if is_tensor and array.dtype != dtype and casts_first(node):
            grad = grad.to(dtypes.BY_NUMPY[dtype])
        grad = fit_shape(grad, shape, node, grads)
        array = grad._array if is_tensor else grad
    if array.dtype != dtype:
        order = "C" if 0 in array.strides else "K"      # NumPy would copy an expanded array in another
        grad = grad.to(dtypes.BY_NUMPY[dtype]) if is_tensor else grad.astype(dtype, order)
    return grad


def casts_first(node):
    """Whether the node is one of a copy, which in PyTorch casts before the engine sums."""
    operation = getattr(node, "operation", None)
    return operation is not None and operation.casts_first


def laid_out(results, node, grad):
    """What the formulas of an elementwise operation gave, laid out as in PyTorch: as the gradient, which
    comes first there.  (Asked only where somebody can see it: a leaf's .grad lies as the leaf does.)"""
    operation = getattr(node, "operation", None)
    if operation is None or not operation.gradient_first:
        return results
    return [g if g is None or g is grad or g.shape != grad.shape else elementwise_layout(g, grad, g)
            for g in results]


def add(total, grad):
    """The sum of what has arrived, where None is nothing."""
    if total is None:
        return grad
    if grad is None:
        return total
    both = total + grad
    return elementwise_layout(both, total, grad) if type(both) is np.ndarray else both


def count_dependencies(roots):
    """How many gradients each node that can be reached will receive."""
    counts, stack = {}, []
    for node, _ in roots:
        if node in counts:
            counts[node] += 1
        else:
            counts[node] = 1
            stack.append(node)
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is None:
                continue
            if node in counts:
                counts[node] += 1
            else:
                counts[node] = 1
                stack.append(node)
    return counts


def leading_to(targets, reachable):
    """The reachable nodes, targets aside, from which some target can be reached."""
    parents = {}
    for node in reachable:
        for child, _ in node.next_functions:
            if child is not None:
                parents.setdefault(child, []).append(node)
    found, stack = set(), [node for node in targets if node in reachable]
    while stack:
        for parent in parents.get(stack.pop(), ()):
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return found


def fit_shape(grad, shape, node, grads):
    """Sum a gradient over the dimensions along which an input was broadcast."""
    given = grad._array.shape if isinstance(grad, Tensor) else grad.shape
    if not is_expandable(shape, given):
        i = next((i for i, g in enumerate(grads) if g is grad), 0)
        of_node = f"Function {node.name()} returned an " if node is not None else ""    # else of a root
        raise RuntimeError(f"{of_node}invalid gradient at index {i} - got "
                           f"{list(given)} but expected shape compatible with {list(shape)}")
    return sum_to(grad, shape)


def is_expandable(shape, target):
    """Whether `shape` can be broadcast to `target`."""
    lead = len(target) - len(shape)
    if lead < 0:
        return False
    for n, m in zip(shape, target[lead:]):      # no generator: this runs for every bias
        if n != m and n != 1:
            return False
    return True


def check_nan(node, grads):
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(grad._array if isinstance(grad, Tensor) else grad).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def in_new_thread(function, *args):
    """Run in a thread of its own, whose stack is empty; modes and errors cross over."""
    outcome = {}
    state = local.state

    def target():
        local.state.set_inference(state.inference)
        local.state.set_grad_enabled(state.grad_enabled)
        use_hooks(local.state, state.saved_tensors_hooks)
        try:
            outcome["result"] = function(*args)
        except BaseException as error:
            outcome["error"] = error
        finally:
            use_hooks(local.state, ())

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
