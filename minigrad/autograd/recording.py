"""Recording: the node that an operation attaches to its result.

    y = x * w       record(plan, (node of x, node of w), None, (x, w, y), y)
"""
from ..state import local, next_sequence_nr, unusual_threads
from .node import Node, recording_observers
from .saved import saved_tensor

new_object = object.__new__


def record(plan, children, output_nrs, values, result):
    """Make a call's node and attach it to its result.

    `values` are all arguments and results of the call, from which the plan saves.
    """
    # What Node.__init__ does, spelled out: a call of the class costs as much again.
    node = new_object(OperationNode)
    node._plan = plan
    node._children = children
    node._output_nrs = output_nrs
    array = result._array
    node._shape = array.shape
    node._dtype = array.dtype
    node._sequence = next_sequence_nr()
    node._values = node._outputs = node._hooks = node._metadata = None
    # The loop for plain nodes delivers to the only output of each child.
    node._is_plain = output_nrs is None
    if unusual_threads and local.state.saved_tensors_hooks:
        node._is_plain = False      # a function of the user unpacks what it saved
    result._node = node
    result._requires_grad = True
    if plan.save is not None:
        plan.save(node, values)
    if plan.measure is not None:
        node._constants = plan.measure(values)
    for observe in recording_observers:
        observe(node)


class OperationNode(Node):
    """A node recorded by an operation that `differentiable` made.

    All of them are of this one class until a program looks at one, which then gets the
    class that carries its name: CPython is quicker where objects are of one class.
    """

    __slots__ = ("_plan", "_constants")

    def _shown(self):
        if type(self) is OperationNode:
            self.__class__ = self._plan.operation.node_type
        return self

    def name(self):
        return self._plan.operation.node_name

    def _gradients_of_tensors(self, grad, wanted=None):
        formulas = self._plan.tensor_formulas
        state = local.state
        state.pass_depth += 1       # also where a node is called outside of any pass
        try:
            # As in PyTorch, all of it, whatever the formulas that run need.
            saved = self._unpack()
            if self._plan.operation.takes_lists:
                return formulas[0](self, grad, saved)
            return [formula(self, grad, saved)[0]
                    if formula and (wanted is None or wanted(i)) else None
                    for i, formula in enumerate(formulas)]
        finally:
            state.pass_depth -= 1

    def _unpack(self):
        return [saved_tensor(self, i) for i in range(len(self._plan.saved_names))]
