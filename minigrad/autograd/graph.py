"""Looking at the recorded graph and hanging things on it: ``torch.autograd.graph``.

``saved_tensors_hooks`` decides in what form nodes keep their tensors; ``register_multi_grad_hook`` waits for
several gradients; ``GradientEdge`` names a place in the graph without holding the tensor that made it.
"""
from __future__ import annotations

import abc
import functools
import threading
import weakref
from collections.abc import Iterable

from ..dtypes import BY_NUMPY
from ..attributes import CPU
from ..attributes import Size
from ..state import local
from ..tensor import Tensor, bump_version
from . import nodes
from .accumulate import NO_EDGE, AccumulateGrad, gradient_edge
from .differentiable import OperationNode
from .function import BackwardCFunction, Error, call_node
from .grad_mode import enable_grad
from .gradients import GradientEdge
from .hooks import RemovableHandle, register_hook_dict, register_node_hook, register_node_prehook
from .inplace import CopySlices
from .saved_hooks import saved_tensors_hooks


def input_metadata(self):
    """What the gradient of each output of the node looks like."""
    if isinstance(self, AccumulateGrad):        # whatever dtype its gradient is to have
        return InputMetadata(self.variable.shape, self.variable.dtype),
    return tuple([InputMetadata(Size(shape), BY_NUMPY[dtype])
                  for shape, dtype in filter(None, self.describe_outputs())])


class InputMetadata:
    """The looks of a gradient, as far as they can differ here."""

    device, is_nested_tensor, is_cpp_nested_tensor = CPU, False, False

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype

    def __repr__(self):
        return f"<torch._C._autograd._InputMetadata object at {id(self):#x}>"


for _kind in (AccumulateGrad, CopySlices, OperationNode, Error):    # custom Functions' are not called
    _kind.__call__ = call_node
nodes.Node.register_hook = register_node_hook
nodes.Node.register_prehook = register_node_prehook
nodes.Node._register_hook_dict = register_hook_dict
nodes.Node._input_metadata = property(input_metadata)


for _public in (GradientEdge,):
    _public.__module__ = 'torch.autograd.graph'

__all__ = ['saved_tensors_hooks', 'GradientEdge']
