"""``CopySlices``: the node of a write to a view; see inplace.py for the picture."""
from ..memory import empty_like_layout, geometry
from ..tensor import wrap
from .accumulate import gradient_node
from .node import Node


class CopySlices(Node):
    """A write to a view, as the base's latest node; it saves the node of the write."""

    __module__ = "builtins"     # what type(node) prints
    __slots__ = ("base_geometry", "view_geometry")

    def __init__(self, base, view, write):
        children = gradient_node(base), *write._children[1:]
        numbers = write._output_nrs or (None,) * len(children)
        super().__init__(children, (base._output_nr, *numbers[1:]), base._array)
        self.base_geometry = geometry(base._array)
        self.view_geometry = geometry(view._array)
        self._values = (write,)

    def name(self):
        return "torch::autograd::CopySlices"

    def _gradients_of_tensors(self, grad, wanted=None):
        write, = self._unpack()
        shape, strides, start = self.base_geometry
        memory = empty_like_layout(shape, strides, self._dtype)
        result = wrap(memory).copy_(grad)
        shape, strides, offset = self.view_geometry
        part = result.as_strided(shape, strides, offset - start)
        before, *others = write._gradients_of_tensors(part.clone(), wanted)
        if before is None:
            return None, *others
        part.copy_(before)      # the gradient of the view as it was before the write
        return result, *others

    def _unpack(self):
        return tuple(self._values)      # raises if a pass has freed it
