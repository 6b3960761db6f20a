"""What all optimizers share: groups of parameters, state, the step with its hooks, saving and loading."""
from __future__ import annotations

import functools
import re
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from copy import deepcopy

import numpy as np

from ..autograd.grad_mode import enable_grad
from ..autograd.hooks import registered
from ..detaching import forget_gradient
from ..dtypes import Default
from ..errors import broadcast_error, typename
from ..places import here
from ..state import local
from ..tensor import Tensor, wrap

NON_DIFFERENTIABLE = "minigrad's optimizers work on the numbers alone: there is no differentiable=True"
HOOKS = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
         "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
         "_optimizer_load_state_dict_post_hooks")


def refused_write(error):
    """NumPy's error for shapes that do not fit, in PyTorch's words."""
    text = str(error)
    shapes = [tuple(map(int, sizes.replace(",", " ").split())) for sizes in re.findall(r"\(([\d,]*)\)", text)]
    if text.startswith("operands could not be broadcast"):
        return broadcast_error(*shapes[:2]) or error
    return RuntimeError(f"output with shape {list(shapes[0])} doesn't match the broadcast shape "
                        f"{list(shapes[1])}") if len(shapes) == 2 else error


class _Required:
    """Stands for the value of an option that each group of parameters must give."""

    def __repr__(self):
        return "<required parameter>"


required = _Required()


class Optimizer:
    """The base class: `params` are tensors, (name, tensor) pairs, or dictionaries with ``params`` and
    options.

    An optimizer of one's own defines `step`; those of this package define `update(group, param, grad,
    state)`, which changes the arrays and returns how many writes to the parameter PyTorch would count.

    Raises:
        ValueError: no parameters, or one that some operation made.
        TypeError: not an iterable of tensors or dictionaries.
    """

    def __init__(self, params, defaults):
        self.defaults = defaults
        for name in HOOKS:
            setattr(self, name, OrderedDict())
        self._let_step_run_hooks()
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or "
                            f"dicts, but got {typename(params)}")
        if defaults.get("differentiable"):
            raise NotImplementedError(NON_DIFFERENTIABLE)
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    # --- the step -------------------------------------------------------------------------------------------

    def step(self, closure=None):
        """Change all parameters that have a gradient.

        closure: computes the loss anew, which is returned; None: nothing is.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        update = getattr(self, "update", None)
        if update is None:
            raise NotImplementedError
        try:
            local.state.quiet(self._update_all, update)
        except ValueError as error:         # of NumPy: a parameter's shape is no longer that of its state
            raise refused_write(error) from None
        return loss

    def _update_all(self, update):
        place = here()
        for group in self.param_groups:
            maximize = group.get("maximize", False)
            for param in group["params"]:
                grad = param._grad
                if grad is not None:
                    array = grad._array
                    writes = update(group, param._array, -array if maximize else array,
                                    self.state_of(param, group))
                    if param._counter is None:
                        param._get_counter()
                    param._counter.value += writes
                    param._counter.place = place

    def state_of(self, param, group):
        """The state of a parameter, a dictionary."""
        return self.state[param]

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or set them to zero."""
        for group in self.param_groups:
            for param in group["params"]:
                forget_gradient(param, set_to_none)

    def _let_step_run_hooks(self):
        """Have the class's `step`, whoever wrote it, run the hooks."""
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = with_hooks(cls.step)


    # --- groups ---------------------------------------------------------------------------------------------

    def add_param_group(self, param_group):
        """Add a group: a dictionary with ``params`` and the options that differ from the defaults.

        Raises:
            TypeError, ValueError: as for the constructor, or a parameter that is in another group already.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the "
                            "ordering of tensors in sets will change between runs. Please use a list "
                            "instead.")
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [param[0] for param in params if isinstance(param, tuple)]
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are "
                                 "missing")
            params = [param for _, param in params]
            param_group["param_names"] = names
        param_group["params"] = params
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is "
                                f"{typename(param)}")
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError("parameter group didn't specify a value of required optimization parameter "
                                 f"{name}")
            param_group.setdefault(name, default)
        self._check_duplicates(param_group)
        self.param_groups.append(param_group)

    def _check_duplicates(self, param_group):
        new = {id(param) for param in param_group["params"]}
        if len(new) != len(param_group["params"]):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this "
                          "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                          "information",
                          UserWarning, stacklevel=4)
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                how = "with names" if "param_names" in param_group else "without names"
                raise ValueError("all optimizer param groups should be with/without names. cannot add param "
                                 f"group {how} to the optimizer")
        if any(id(param) in new for group in self.param_groups for param in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    # --- saving and loading ---------------------------------------------------------------------------------

    def state_dict(self):
        """``{"state": ..., "param_groups": ...}``, in which numbers in order stand for the parameters."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups, start = {}, [], 0
        for group in self.param_groups:
            for i, param in enumerate(group["params"], start):
                numbers.setdefault(id(param), i)
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
            start += len(packed["params"])
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value
                 in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, result)
            result = result if replaced is None else replaced
        return result

    def load_state_dict(self, state_dict):
        """Take over state and options that `state_dict` made.

        Raises:
            ValueError: the groups do not match.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(self.param_groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        params = {}
        for group, saved in zip(self.param_groups, saved_groups):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError("loaded state dict contains a parameter group that doesn't match the size "
                                 "of optimizer's group")
            params.update(zip(saved["params"], group["params"]))
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = as_state_of(params[key], value)
            else:
                state[key] = value
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in HOOKS:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())
        self._let_step_run_hooks()
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = "".join([f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"])
            text += f"\nParameter Group {i}\n{options}"
        return f"{text})"


def with_hooks(step):
    """A step function that runs the hooks before and after."""
    @functools.wraps(step)
    def hooked(self, *args, **kwargs):
        if self._optimizer_step_pre_hooks:
            given = (self, *args)
            for hook in list(self._optimizer_step_pre_hooks.values()):
                replaced = hook(self, given, kwargs)
                if replaced is not None:
                    if not (isinstance(replaced, tuple) and len(replaced) == 2):
                        raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), "
                                           f"but got {replaced}.")
                    given, kwargs = replaced
            self, *args = given
        result = step(self, *args, **kwargs)
        for hook in list(self._optimizer_step_post_hooks.values()):
            hook(self, (self, *args), kwargs)
        return result
    hooked.hooked = True
    return hooked


def as_state_of(param, value, name=None):
    """Saved state in the dtype of its parameter, except the count of steps."""
    if isinstance(value, Tensor):
        if name != "step" and param.is_floating_point():
            return value.to(param.dtype)
        return value
    if isinstance(value, dict):
        return {key: as_state_of(param, part, key) for key, part in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)([as_state_of(param, part) for part in value])
    return value


# --- helpers of the optimizers ------------------------------------------------------------------------------

def number(value):
    """A plain number from an option that may be a tensor."""
    return value.item() if isinstance(value, Tensor) else value


def check_options(lr, betas=(), eps=None, **others):
    """Refuse what no optimizer can work with; `others` must not be negative."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(f"Invalid learning rate: {lr}")
    if eps is not None and not 0.0 <= eps:
        raise ValueError(f"Invalid epsilon value: {eps}")
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
    for name, value in others.items():
        if not 0.0 <= value:
            raise ValueError(f"Invalid {name} value: {value}")


def array_of(state, name, writes=1):
    """The array of a state tensor that is about to be written, as many times as PyTorch counts writes."""
    tensor = state[name]
    tensor._get_counter().value += writes
    return tensor._array


def count_step(state):
    """Add 1 to the state's count of steps and return it as a Python number."""
    tensor = state["step"]
    tensor._array += 1
    tensor._get_counter().value += 1
    return tensor._array.item()


def first_state(state, like, *names):
    """The state of a parameter at its first step: a count of steps, and zeros in its shape."""
    if not state:
        state["step"] = wrap(np.zeros((), np.float64 if Default.numpy == np.float64 else np.float32))
        for name in names:
            state[name] = wrap(np.zeros_like(like))
    return state
