"""Functions that run around a module's forward, and when its gradients are computed.

A backward hook needs the gradients of a call's inputs and outputs, whatever the module
does inside.  So a call with backward hooks passes its inputs through one node and its
outputs through another, and the hooks hang on these two nodes.
"""
from collections import OrderedDict

from ...autograd.function import Function
from ...autograd.node_hooks import add_hook
from ...errors import warn
from ...state import local
from ...tensor import Tensor

NO_INPUT_REQUIRES_GRAD = (
    "Full backward hook is firing when gradients are computed with respect to module "
    "outputs since no inputs require gradients. See https://docs.pytorch.org/docs/main/"
    "generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for "
    "more details.")


class HasHooks:
    """The part of `Module` that registers hooks, and the call that runs them.

    Each register method returns a handle, whose ``remove()`` takes the hook off.  What
    has "backward" in its name is called in the backward pass.
    """
    def _init_hooks(self):
        for kind in ("forward_pre", "forward", "backward_pre", "backward"):
            self.__dict__[f"_{kind}_hooks"] = OrderedDict()

    def register_forward_pre_hook(self, hook, *, prepend=False):
        """Call `hook(module, args)` before forward; it may return other arguments."""
        return add_hook(self._forward_pre_hooks, hook, prepend=prepend)

    def register_forward_hook(self, hook, *, prepend=False):
        """Call `hook(module, args, output)` after forward; it may return another."""
        return add_hook(self._forward_hooks, hook, prepend=prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call `hook(module, grad_output)`; it may return other gradients."""
        return add_hook(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)`, with tuples of gradients.

        It may return another `grad_input`.
        """
        return add_hook(self._backward_hooks, hook, prepend=prepend)

    def _call_with_hooks(self, args, kwargs):
        for hook in list(self._forward_pre_hooks.values()):
            other = hook(self, args)
            if other is not None:
                args = tuple_of(other)
        watched = None
        if self._backward_hooks or self._backward_pre_hooks:
            watched = WatchedCall(self)
            args = watched.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for hook in list(self._forward_hooks.values()):
            other = hook(self, args, result)
            if other is not None:
                result = other
        if watched is not None:
            result = watched.watch_outputs(result)
        return result


class BackwardHookFunction(Function):
    """Return the inputs: a node to hang a hook on."""
    @staticmethod
    def forward(ctx, *args):
        constants = [arg for arg in args if not arg.requires_grad]
        ctx.mark_non_differentiable(*constants)
        return args

    @staticmethod
    def backward(ctx, *args):
        return args


class WatchedCall:
    """Links the nodes before and after a call, which hold it; it holds no tensors."""
    def __init__(self, module):
        self.module = module
        self.hooks = list(module._backward_hooks.values())
        self.pre_hooks = list(module._backward_pre_hooks.values())
        self.grad_outputs = None        # until the gradients of the inputs arrive

    # In the forward pass:

    def watch_inputs(self, args):
        self.inputs = [isinstance(arg, Tensor) for arg in args]
        watched = through_node(args, self.inputs, self.at_inputs)
        self.watches_inputs = watched is not args
        return watched

    def watch_outputs(self, result):
        if not isinstance(result, (Tensor, tuple)):
            warn("For backward hooks to be called, module output should be a Tensor or "
                 f"a tuple of Tensors but received {type(result)}")
        results = tuple_of(result)
        self.outputs = [isinstance(one, Tensor) for one in results]
        results = through_node(results, self.outputs, self.at_outputs)
        return results if isinstance(result, tuple) else results[0]

    # In the backward pass:

    def at_outputs(self, _, grads):
        grads = at_tensors(grads, self.outputs)
        for hook in self.pre_hooks:
            result = hook(self.module, grads)
            grads = replaced(grads, result, "pre hook", "grad_output")
        self.grad_outputs = grads
        if not self.watches_inputs:     # the hooks are due now
            warn(NO_INPUT_REQUIRES_GRAD)
            for hook in self.hooks:
                hook(self.module, (None,) * len(self.inputs), grads)
        return of_tensors(grads, self.outputs)

    def at_inputs(self, grads, _):
        if self.grad_outputs is None:   # the gradient did not come through the outputs
            return None
        grads = at_tensors(grads, self.inputs)
        for hook in self.hooks:
            result = hook(self.module, grads, self.grad_outputs)
            grads = replaced(grads, result, "hook", "grad_input")
        self.grad_outputs = None
        return of_tensors(grads, self.inputs)


def through_node(values, are_tensors, hook):
    """Pass the tensors through a node with this hook, if one takes a gradient."""
    tensors = of_tensors(values, are_tensors)
    takes_gradient = any([tensor.requires_grad for tensor in tensors])
    if not (local.state.recording and takes_gradient):
        return values
    watched = BackwardHookFunction.apply(*tensors)
    node = next(tensor.grad_fn for tensor in watched if tensor.grad_fn is not None)
    node.register_hook(hook)
    watched = iter(watched)
    return tuple([next(watched) if is_tensor else value
                  for value, is_tensor in zip(values, are_tensors)])


def of_tensors(items, are_tensors):
    """Return the items that stand for tensors."""
    return tuple([item for item, is_tensor in zip(items, are_tensors) if is_tensor])


def at_tensors(items, are_tensors):
    """Return the items where the tensors are, and None elsewhere."""
    items = iter(items)
    return tuple([next(items) if is_tensor else None for is_tensor in are_tensors])


def tuple_of(value):
    return value if isinstance(value, tuple) else (value,)


def replaced(grads, result, kind, name):
    """Return the gradients that a hook returned; if it returned None, those before."""
    if result is None:
        return grads
    result = tuple_of(result)
    if len(result) != len(grads):
        raise RuntimeError(
            f"Backward {kind} returned an invalid number of {name}, got {len(result)}, "
            f"but expected {len(grads)}")
    return result
