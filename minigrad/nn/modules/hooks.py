"""Functions that run before and after a module's forward, and when its gradients are computed.

A backward hook needs the gradients of a call's inputs and outputs, whatever the module does inside.
So a call with backward hooks passes its inputs through one node and its outputs through another,
and the hooks hang on these two nodes.
"""
import warnings
from collections import OrderedDict

from ...autograd.function import Function
from ...autograd.hooks import registered
from ...errors import warn
from ...state import local
from ...tensor import Tensor


class HasHooks:
    """The part of `Module` that registers hooks, and the call that runs them.

    Each register method returns a handle, whose ``remove()`` takes the hook off.
    """
    def _init_hooks(self):
        for kind in ("forward_pre", "forward", "backward_pre", "backward"):
            self.__dict__[f"_{kind}_hooks"] = OrderedDict()

    def register_forward_pre_hook(self, hook, *, prepend=False):
        """Call `hook(module, args)` before forward; it may return other arguments."""
        return registered(self._forward_pre_hooks, hook, prepend=prepend)

    def register_forward_hook(self, hook, *, prepend=False):
        """Call `hook(module, args, output)` after forward; it may return another output."""
        return registered(self._forward_hooks, hook, prepend=prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call `hook(module, grad_output)` in the backward pass; it may return other gradients."""
        return registered(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)` in the backward pass, with two tuples."""
        return registered(self._backward_hooks, hook, prepend=prepend)

    def _call_with_hooks(self, args, kwargs):
        for hook in list(self._forward_pre_hooks.values()):
            new = hook(self, args)
            if new is not None:
                args = new if isinstance(new, tuple) else (new,)
        watched = None
        if self._backward_hooks or self._backward_pre_hooks:
            watched = WatchedCall(self)
            args = watched.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for hook in list(self._forward_hooks.values()):
            new = hook(self, args, result)
            result = result if new is None else new
        return result if watched is None else watched.watch_outputs(result)


class BackwardHookFunction(Function):
    """Return the inputs: a node to hang a hook on."""
    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args


class WatchedCall:
    """Links the nodes before and after a call; it holds no tensors, for the nodes hold it."""
    def __init__(self, module):
        self.module = module
        self.hooks = list(module._backward_hooks.values())
        self.pre_hooks = list(module._backward_pre_hooks.values())
        self.grad_outputs = None        # until the gradients of the inputs arrive

    def watch_inputs(self, args):
        self.inputs = [isinstance(arg, Tensor) for arg in args]
        watched = through_node(args, self.inputs, self.at_inputs)
        self.watches_inputs = watched is not args
        return watched

    def watch_outputs(self, result):
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn("For backward hooks to be called, module output should be a Tensor or a "
                          f"tuple of Tensors but received {type(result)}", stacklevel=4)
        results = result if isinstance(result, tuple) else (result,)
        self.outputs = [isinstance(one, Tensor) for one in results]
        results = through_node(results, self.outputs, self.at_outputs)
        return results if isinstance(result, tuple) else results[0]

    def at_outputs(self, _, grads):
        grads = at_tensors(grads, self.outputs)
        for hook in self.pre_hooks:
            grads = replaced(grads, hook(self.module, grads), "pre hook", "grad_output")
        self.grad_outputs = grads
        if not self.watches_inputs:         # no input takes a gradient: the hooks are due now
            warn("Full backward hook is firing when gradients are computed with respect to module "
                 "outputs since no inputs require gradients. See https://docs.pytorch.org/docs/"
                 "main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook "
                 "for more details.")
            for hook in self.hooks:
                hook(self.module, (None,) * len(self.inputs), grads)
        return of_tensors(grads, self.outputs)

    def at_inputs(self, grads, _):
        if self.grad_outputs is None:       # the gradient did not come through the outputs
            return None
        grads = at_tensors(grads, self.inputs)
        for hook in self.hooks:
            result = hook(self.module, grads, self.grad_outputs)
            grads = replaced(grads, result, "hook", "grad_input")
        self.grad_outputs = None
        return of_tensors(grads, self.inputs)


def through_node(values, are_tensors, hook):
    """Pass the tensors through a node that has this hook, if one of them takes a gradient."""
    tensors = of_tensors(values, are_tensors)
    if not (local.state.recording and any(tensor.requires_grad for tensor in tensors)):
        return values
    watched = BackwardHookFunction.apply(*tensors)
    next(tensor.grad_fn for tensor in watched if tensor.grad_fn is not None).register_hook(hook)
    return tuple([value if new is None else new
                  for value, new in zip(values, at_tensors(watched, are_tensors))])


def of_tensors(items, are_tensors):
    return tuple([item for item, is_tensor in zip(items, are_tensors) if is_tensor])


def at_tensors(items, are_tensors):
    """Return the items at the places of the tensors, None at the others."""
    items = iter(items)
    return tuple([next(items) if is_tensor else None for is_tensor in are_tensors])


def replaced(grads, result, kind, name):
    """Return the gradients that a hook returned; if it returned None, those it was given."""
    if result is None:
        return grads
    result = result if isinstance(result, tuple) else (result,)
    if len(result) != len(grads):
        raise RuntimeError(f"Backward {kind} returned an invalid number of {name}, got "
                           f"{len(result)}, but expected {len(grads)}")
    return result
