"""Copies of whole tensors: ``copy.copy``, ``copy.deepcopy`` and pickle."""
from __future__ import annotations

import copy

from .memory import address, as_strided_array, element_strides, root, storage_offset
from .tensor import Tensor, wrap

NOT_A_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. "
    " If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm "
    "usage, see https://github.com/pytorch/pytorch/pull/103001")

NO_NEW_EMPTY = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types "
    "that implement new_empty() and for which that function returns another instance of the same subclass. "
    "You should either properly implement new_empty() for your subclass or override __deepcopy__() if it is "
    "intended behavior for new_empty() to return an instance of a different type.")


def deepcopy(self, memo):
    """A leaf's copy with memory, gradient and attributes of its own; what shared memory shares it again.

    Raises:
        RuntimeError: the tensor is not a leaf.
    """
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(NOT_A_LEAF)
    if type(self) is not Tensor and type(self.new_empty([])) is not type(self):
        raise RuntimeError(NO_NEW_EMPTY)
    owner = root(self._array)
    key = "memory", address(owner)
    if key not in memo:
        memo[key] = owner.copy(order="K")
        memo.setdefault(id(memo), []).append(owner)     # the address must stay taken while copying goes on
    new = laid_over(memo[key], self._array.shape, element_strides(self._array), storage_offset(self._array))
    result = rebuilt(type(self), new, self.requires_grad, {})
    memo[id(self)] = result
    if self._grad is not None:
        result._grad = copy.deepcopy(self._grad, memo)
    result.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return result


def laid_over(memory, shape, strides, offset):
    """An array over part of `memory`, an array that owns its own."""
    if memory.shape == tuple(shape) and element_strides(memory) == tuple(strides) and not offset:
        return memory
    return as_strided_array(memory, shape, strides, offset)


def rebuilt(kind, array, requires_grad, attributes):
    """A leaf around an array; PyTorch counts this as the first write to it."""
    result = wrap(array, kind)
    result._requires_grad = requires_grad
    result._get_counter().value = 1
    result.__dict__.update(attributes)
    return result


def unpickled(kind, memory, shape, strides, offset, requires_grad, attributes):
    return rebuilt(kind, laid_over(memory, shape, strides, offset), requires_grad, attributes)


def reduce_ex(self, protocol):
    """For pickle and copy.copy: the numbers and their layout, without history, gradient or hooks."""
    if self._backward_hooks:
        from .utils.hooks import warn_if_has_hooks
        warn_if_has_hooks(self)
    array = self._array
    return unpickled, (type(self), root(array), array.shape, element_strides(array), storage_offset(array),
                       self.requires_grad, dict(self.__dict__))


OPERATORS = {"__deepcopy__": deepcopy, "__reduce_ex__": reduce_ex}
