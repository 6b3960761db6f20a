"""Where gradients go: along the edges of the graph, and in the end to the leaves, where they are added up.

A leaf has no operation behind it; the graph ends there with an ``AccumulateGrad``, which adds what arrives to
the leaf's ``.grad``.
"""
from __future__ import annotations

import sys
import threading
import weakref

import numpy as np
from numpy import ndarray

from ..memory import dense, element_strides, empty_like_layout, refuse_overlap
from ..errors import broadcast_error
from ..state import local
from ..tensor import Tensor, bump_version, wrap_new
from ..errors import warn_once
from .hooks import NodeHooks, run_post_accumulate
from .nodes import Node

NO_EDGE = (None, 0)

# The edge of a view taken under no_grad: it counts as taking a gradient, because its base does, but no
# gradient goes anywhere.
LOOSE_END = tuple(list(NO_EDGE))        # noqa: C414   equal, and not the same object


def gradient_edge(tensor):
    """Where a gradient for this tensor goes: (node, which of its outputs)."""
    view = tensor._view
    if view is not None:
        view.refresh(tensor)
    node = tensor._node
    if node is not None:
        return node, tensor._output_nr
    if tensor._requires_grad:
        return grad_accumulator(tensor), 0
    return NO_EDGE if view is None or not view.base._requires_grad else LOOSE_END


def grad_accumulator(leaf):
    """The leaf's AccumulateGrad: the same one for as long as any graph uses it."""
    extra = leaf._extra
    if extra is None:
        extra = leaf._get_extra()
    node = None if extra.accumulator is None else extra.accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        extra.accumulator = weakref.ref(node)
    return node


_accumulate_lock = threading.Lock()     # several threads may reach the same leaf at once


class AccumulateGrad(Node):
    """Where a backward pass ends: adds the gradient that arrived to the leaf's ``.grad``."""

    __module__ = "builtins"     # type(node) is written without a module, as in PyTorch
    __slots__ = ("variable", "own_hooks")
    undefined_gives_undefined = False       # the leaf's hooks run in any case

    def __init__(self, variable):
        super().__init__((), variable._array)
        self.variable = variable
        self.sequence_nr = float("inf")     # runs as soon as it is ready
        if variable._extra is not None:
            self.take_dtype_of_leaf()

    def take_dtype_of_leaf(self):
        """The gradient is cast to the leaf's ``grad_dtype``."""
        self._dtype = self.variable._gradient_dtype() or ANY_DTYPE

    def name(self):
        return "torch::autograd::AccumulateGrad"

    @property
    def _hooks(self):
        """The leaf's own hooks, which may come and go while graphs hold this node, and the node's."""
        extra = self.variable._extra
        if extra.hooks:
            if self.own_hooks is None:
                self.own_hooks = NodeHooks()
            self.own_hooks.tensor_hooks = [(0, extra.hooks)]
        return self.own_hooks

    @_hooks.setter
    def _hooks(self, value):
        self.own_hooks = value

    def on_arrays(self, grad, wanted=None):
        leaf = self.variable
        if grad is not None and leaf._requires_grad:
            if leaf._node is not None:
                raise RuntimeError("leaf variable has been moved into the graph interior")
            with _accumulate_lock:
                if leaf._grad is None:
                    leaf._grad = first_gradient(leaf, grad)
                else:
                    accumulate_in_place(leaf._grad, grad)
                    if leaf._grad._array.strides != leaf._array.strides:
                        check_layout(leaf._grad._array, leaf._array)
        extra = leaf._extra
        if extra is not None and extra.post_accumulate_hooks:
            run_post_accumulate(leaf)       # also where nothing was added
        return ()

    def on_tensors(self, grad, wanted=None):
        leaf = self.variable
        if grad is None or not leaf._requires_grad or not local.state.grad_enabled:
            return self.on_arrays(None if grad is None else grad._array.view())
        if leaf._node is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        if leaf._grad is None:
            leaf._grad = laid_out_like(leaf, grad)
        else:
            leaf._grad = leaf._grad + grad
            check_layout(leaf._grad._array, leaf._array)
        return self.on_arrays(None)

    def free(self, freed):
        pass


class Accumulation:
    """The plan of these nodes: as every pass ends with them, without the detours of `Direct`."""

    gradients = staticmethod(AccumulateGrad.on_arrays)


AccumulateGrad._plan = Accumulation


def first_gradient(leaf: Tensor, grad) -> Tensor:
    """The leaf's first gradient, in memory that is the leaf's alone and laid out as the leaf is.

    An array with a base looks at memory that others may hold too, and is copied, unless the base turns out to
    be held by nothing but this array, as after the two transpositions on the way to the weights of a linear
    layer.  (For large arrays a copy takes longer than all the rest of the pass.)
    """
    if type(grad) is not ndarray:
        grad = np.asarray(grad)
    wanted = leaf._array.strides
    if grad.base is not None:
        base = grad.base if holders_of_base(grad) == HOLDERS_WHEN_ALONE else None
        if type(base) is ndarray and base.shape == grad.shape and base.strides == grad.strides:
            grad = base             # as long as its base, it is all of it
        else:
            copy = grad.copy()
            if grad.strides != wanted == copy.strides and any(
                    [size != 1 and had != has for size, had, has in zip(grad.shape, grad.strides, wanted)]):
                return written_once(copy)       # to PyTorch a write into memory laid out as the leaf's
            grad = copy
    return wrap_new(grad) if grad.strides == wanted else laid_out_like(leaf, wrap_new(grad))


def written_once(array) -> Tensor:
    made = wrap_new(array)
    if not made.is_inference():         # nobody counts there
        made._get_counter().value = 1
    return made


def holders_of_base(array):
    return sys.getrefcount(array.base)


# Counted where nobody else is; the number differs between versions of Python.
HOLDERS_WHEN_ALONE = holders_of_base(np.empty((2, 2)).T)


def accumulate_in_place(total: Tensor, grad):
    """``total += grad``, which is never recorded."""
    refuse_overlap(total._array)
    try:
        np.add(total._array, grad, out=total._array)
    except ValueError:
        raise refused_sum(total._array.shape, grad.shape) from None
    current = local.state.current_pass
    bump_version(total, current and current.place)


def check_layout(grad, leaf):
    """PyTorch warns once of gradients that lie in memory in another way than their leaves."""
    strides, wanted = element_strides(grad), element_strides(leaf)
    if not dense(leaf):
        obeys = grad.flags.c_contiguous
    else:
        obeys = all([size == 1 or i < len(wanted) and strides[i] == wanted[i]
                     for i, size in enumerate(grad.shape)])
    if not obeys:
        warn_once("grad and param do not obey the gradient layout contract. This is not an error, but may "
                  f"impair performance.\ngrad.sizes() = {list(grad.shape)}, strides() = {list(strides)}\n"
                  f"param.sizes() = {list(leaf.shape)}, strides() = {list(wanted)}")


def laid_out_like(leaf: Tensor, grad: Tensor) -> Tensor:
    """A copy of the gradient with the strides of the leaf; row by row, if the leaf's memory has gaps."""
    if not dense(leaf._array):
        return grad.clone().contiguous()
    copy = wrap_new(empty_like_layout(leaf._array.shape, element_strides(leaf._array), grad._array.dtype))
    return copy.copy_(grad)
