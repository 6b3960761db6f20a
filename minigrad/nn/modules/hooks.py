"""Functions that run before and after a module's forward, and when gradients reach its outputs and inputs."""
from __future__ import annotations

import warnings

from ...autograd.function import Function
from ...autograd.hooks import registered
from ...state import local
from ...tensor import Tensor
from ...errors import warn
from . import global_hooks

KINDS = ("_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
         "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
         "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
         "_load_state_dict_post_hooks")

HOOK_PAGE = "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
    f"require gradients. See {HOOK_PAGE}#torch.nn.Module.register_full_backward_hook for more details.")


def call_with_hooks(module, args, kwargs):
    """The call of a module that has hooks: each of them may replace what it sees."""
    always_called = set()
    result = None
    try:
        for id, hook in [*global_hooks.of("forward_pre_hooks").items(), *module._forward_pre_hooks.items()]:
            if id in module._forward_pre_hooks_with_kwargs:
                replaced = hook(module, args, kwargs)
                if replaced is not None:
                    if not (isinstance(replaced, tuple) and len(replaced) == 2):
                        raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, "
                                           f"new_kwargs), but got {replaced}.")
                    args, kwargs = replaced
            else:
                replaced = hook(module, args)
                if replaced is not None:
                    args = replaced if isinstance(replaced, tuple) else (replaced,)
        backward = backward_hooks_of(module)
        if backward is not None:
            args = backward.watch_inputs(args)
        result = module.forward(*args, **kwargs)
        for id, hook in all_forward_hooks(module):
            always_called.add(id)
            replaced = run_forward_hook(module, id, hook, args, kwargs, result)
            if replaced is not None:
                result = replaced
        if backward is not None:
            if not isinstance(result, (Tensor, tuple)):
                warnings.warn("For backward hooks to be called, module output should be a Tensor or a tuple "
                              f"of Tensors but received {type(result)}", stacklevel=3)
            result = backward.watch_outputs(result)
        listeners = backward_hooks_that_are(False, module)
        if listeners:
            hang_on_last_node(module, listeners, args, result)
        return result
    except Exception:
        for id, hook in all_forward_hooks(module):
            if id not in always_called and (id in module._forward_hooks_always_called
                                            or id in global_hooks.of("forward_hooks_always_called")):
                try:
                    replaced = run_forward_hook(module, id, hook, args, kwargs, result)
                    result = result if replaced is None else replaced
                except Exception as error:
                    warnings.warn("module forward hook with ``always_call=True`` raised an exception that "
                                  "was silenced as another error was raised in forward: "
                                  f"{error}", stacklevel=3)
        raise


def all_forward_hooks(module):
    return [*global_hooks.of("forward_hooks").items(), *module._forward_hooks.items()]


def backward_hooks_of(module):
    """What watches the inputs and outputs of this call, if some hook asks for it."""
    after = backward_hooks_that_are(True, module)
    before = [*global_hooks.of("backward_pre_hooks").values(), *module._backward_pre_hooks.values()]
    return BackwardHook(module, after, before) if after or before else None


def backward_hooks_that_are(full, module):
    """All modules' backward hooks and its own, of the kind that was asked for."""
    everywhere = global_hooks.of("backward_hooks") if global_hooks.of("is_full_backward_hook") is full else {}
    own = module._backward_hooks if module._is_full_backward_hook is full else {}
    return [*everywhere.values(), *own.values()]


def run_forward_hook(module, id, hook, args, kwargs, result):
    if id in module._forward_hooks_with_kwargs or id in global_hooks.of("forward_hooks_with_kwargs"):
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


# --- registering --------------------------------------------------------------------------------------------

def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
    """Call `hook(module, args)` before forward; it may return other arguments.

    with_kwargs: `hook(module, args, kwargs)`.
    """
    return registered(self._forward_pre_hooks, hook, *[self._forward_pre_hooks_with_kwargs] * with_kwargs,
                      prepend=prepend)


def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
    """Call `hook(module, args, output)` after forward; it may return another output.

    with_kwargs: `hook(module, args, kwargs, output)`.  always_call: also when forward raised an error.
    """
    return registered(self._forward_hooks, hook, *[self._forward_hooks_with_kwargs] * with_kwargs,
                      *[self._forward_hooks_always_called] * always_call, prepend=prepend)


def register_full_backward_pre_hook(self, hook, prepend=False):
    """Call `hook(module, grad_output)` when the gradients of the outputs are there; it may return others."""
    return registered(self._backward_pre_hooks, hook, prepend=prepend)


def register_full_backward_hook(self, hook, prepend=False):
    """Call `hook(module, grad_input, grad_output)` in the backward pass; it may return other grad_input."""
    if self._is_full_backward_hook is False:
        raise RuntimeError(ONLY_ONE)
    self._is_full_backward_hook = True
    return registered(self._backward_hooks, hook, prepend=prepend)


# --- backward hooks -----------------------------------------------------------------------------------------

class BackwardHookFunction(Function):
    """Does nothing, but its node is a place in the graph to hang a hook on."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args


class BackwardHook:
    """One call of a module with backward hooks: a node before it, a node after it, and what links them."""

    def __init__(self, module, hooks, pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        # what arrived at the outputs, until the inputs' gradients are there
        self.grad_outputs = None
        self.input_places = self.output_places = None
        self.input_count = self.output_count = 0

    def watch_inputs(self, args):
        args, self.input_places = self.through_node(args, self.at_inputs)
        self.input_count = len(args)
        return args

    def watch_outputs(self, result):
        results = result if isinstance(result, tuple) else (result,)
        watched, self.output_places = self.through_node(results, self.at_outputs)
        self.output_count = len(results)
        return watched if isinstance(result, tuple) else watched[0]

    def through_node(self, values, hook):
        """Pass the tensors among the values through a node with this hook; also say where they stand."""
        places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        if not local.state.recording or not any(values[i].requires_grad for i in places):
            return values, None
        watched = BackwardHookFunction.apply(*[values[i] for i in places])
        node = next(tensor.grad_fn for tensor in watched if tensor.grad_fn is not None)
        node.register_hook(hook)
        values = list(values)
        for i, tensor in zip(places, watched):
            values[i] = tensor
        return tuple(values), places

    def at_outputs(self, _, grads):
        self.grad_outputs = spread_out(self.output_places, grads, self.output_count)
        for hook in self.pre_hooks:
            self.grad_outputs = replaced(self.grad_outputs, hook(self.module, self.grad_outputs),
                                         "Backward pre hook returned an invalid number of grad_output")
        grads = self.grad_outputs
        if self.input_places is None:       # no input takes a gradient: the hooks are due now
            warn(NO_INPUT)
            nothing = (None,) * self.input_count
            for hook in self.hooks:
                result = hook(self.module, nothing, grads)
                if result is not None and not (isinstance(result, tuple)
                                               and all(r is None for r in result)):
                    raise RuntimeError("Backward hook for Modules where no input requires gradient should "
                                       "always return None or None for all gradients.")
            self.grad_outputs = None
        return tuple([grads[i] for i in self.output_places])

    def at_inputs(self, grads, _):
        if self.grad_outputs is None:
            return None         # the gradient came by another way than through the outputs
        inputs = spread_out(self.input_places, grads, self.input_count)
        for hook in self.hooks:
            inputs = replaced(inputs, hook(self.module, inputs, self.grad_outputs),
                              "Backward hook returned an invalid number of grad_input")
        self.grad_outputs = None
        return tuple([inputs[i] for i in self.input_places])


def replaced(grads, result, refusal):
    """The gradients after a hook: what it returned, or if that was None, as they were."""
    if result is None:
        return grads
    result = result if isinstance(result, tuple) else (result,)
    if len(result) != len(grads):
        raise RuntimeError(f"{refusal}, got {len(result)}, but expected {len(grads)}")
    return result


def spread_out(places, values, count):
    """A tuple of `count` with the values at their places and None elsewhere."""
    result = [None] * count
    for place, value in zip(places, values):
        result[place] = value
    return tuple(result)
