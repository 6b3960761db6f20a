"""Functions of the user that pack what nodes save, and unpack it when it is needed."""
from ..state import local
from ..tensor import Tensor, wrap
from .grad_mode import no_grad

PACK_WRITES = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as "
    "input to pack hook cannot be modified by in-place operations as this can lead "
    "to unexpected side-effects. Please open an issue if you need to perform "
    "in-place operations on the input to a pack hook.")
NOT_A_TENSOR = (
    "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
    "type {}")


class saved_tensors_hooks:
    """Within the block, save `pack_hook(tensor)` instead of each tensor.

    When the tensor is needed, ``unpack_hook(packed)`` must return it.

    >>> hooks = torch.autograd.graph.saved_tensors_hooks
    >>> with hooks(lambda t: t.tolist(), torch.tensor):
    ...     y = x * x               # the node keeps two lists instead of two tensors
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        state = local.state
        if state.hooks_disabled:
            raise RuntimeError(state.hooks_disabled)
        pair = self.pack_hook, self.unpack_hook
        state.set_saved_tensors_hooks((*state.saved_tensors_hooks, pair))

    def __exit__(self, *error):
        state = local.state
        state.set_saved_tensors_hooks(state.saved_tensors_hooks[:-1])


class SavedByHooks:
    """What a pack hook made of a tensor, and what else is needed to restore it."""

    _counter = _extra = None    # no version is compared: the hooks know what they kept
    unpacked_in = None          # the Freed of the pass that unpacked the tensor last

    def __init__(self, tensor, is_result, hooks=None):
        self.is_result = is_result
        self.output_nr = tensor._output_nr
        self.requires_grad = is_result or tensor.requires_grad
        self.grad_fn = None if is_result else tensor.grad_fn
        self.extra = tensor._extra      # where a leaf has its AccumulateGrad
        if hooks is None:       # then those of the innermost block
            hooks = local.state.saved_tensors_hooks[-1]
        else:
            tensor = tensor.detach()
        pack_hook, self.unpack_hook = hooks
        version = tensor._version
        with no_grad():
            self.packed = pack_hook(tensor)
        if tensor._version != version:
            raise RuntimeError(PACK_WRITES)

    @property
    def _array(self):
        return self.unpacked()._array

    def unpacked(self):
        """Return the tensor that the hook unpacks, once in a pass."""
        current = local.state.current_pass
        if current is not None and current.freed is self.unpacked_in:
            return self.tensor
        with no_grad():
            tensor = self.unpack_hook(self.packed)
        if not isinstance(tensor, Tensor):
            raise TypeError(NOT_A_TENSOR.format(type(tensor).__name__))
        self.tensor = tensor
        self.unpacked_in = None if current is None else current.freed
        return tensor

    def with_history(self, node):
        """Return the unpacked tensor in the place of the saved one in the graph."""
        unpacked = self.unpacked()
        tensor = wrap(unpacked._array)
        tensor._counter = unpacked._get_counter()
        tensor._extra = self.extra
        tensor._requires_grad = self.requires_grad
        tensor._output_nr = self.output_nr
        tensor._node = node if self.is_result else self.grad_fn
        return tensor
