"""What all optimizers share: groups of parameters, the step, saving and loading."""
from collections import defaultdict

import numpy as np

from ..autograd.accumulate import clear_grad
from ..autograd.grad_mode import enable_grad
from ..errors import old_type_name, warn
from ..places import here
from ..state import quiet
from ..tensor import Tensor, bump_version, wrap


class Optimizer:
    """The base class of optimizers.  One of your own defines `step`.

    Those here define `update(group, param, w, grad)`, which `step` calls for each
    parameter; it changes the array `w`, the numbers of `param`.

        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()

    params: tensors, or dictionaries with "params" and the options of these alone, which
    become ``param_groups``.  ``state`` is what an optimizer keeps of each parameter.
    foreach, fused: ways to compute in PyTorch, which don't change the result.
    """
    _opt_called = False     # whether a step was made since a scheduler was attached

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of "
                f"Tensors or dicts, but got {old_type_name(params)}")
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        if defaults.get("fused") and defaults["foreach"]:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def step(self, closure=None):
        """Change all parameters that have a gradient.

        A `closure` computes the loss and its gradients; then step returns the loss.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if not hasattr(self, "update"):
            raise NotImplementedError
        self._opt_called = True
        quiet.copy().run(self._update_all, here())
        return loss

    def _update_all(self, place):
        """Change the parameters, for a call of `step` at a place of the program."""
        for group in self.param_groups:
            for param in group["params"]:
                if param._grad is not None:
                    self._update_one(group, param)
                    bump_version(param, place)

    def _update_one(self, group, param):
        """Prepare the gradient; `update` of each optimizer writes the step into `w`."""
        w, grad = param._array, param._grad._array
        if group["maximize"]:
            grad = np.asarray(-grad)
        decay = group["weight_decay"]
        if decay != 0 and group.get("decoupled_weight_decay"):
            w *= 1 - group["lr"] * decay
            bump_version(param)         # a write of its own, as in PyTorch
        elif decay != 0:
            grad = np.asarray(grad + decay * w)
        self.update(group, param, w, grad)

    def _count_step(self, param):
        """Return the number of this step for a parameter, counted from 1."""
        state = self.state[param]
        if "step" not in state:
            state["step"] = wrap(np.zeros((), np.float32))
        state["step"]._array += 1
        return float(state["step"]._array)

    def _state_array(self, param, name):
        """Return an array of a parameter's state; at first it holds zeros."""
        state = self.state[param]
        if name not in state:
            state[name] = wrap(np.zeros_like(param._array))
        return state[name]._array

    def zero_grad(self, set_to_none=True):
        """Set ``.grad`` of all parameters to None, or to zeros if not `set_to_none`."""
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    def add_param_group(self, param_group):
        """Add a dictionary with "params" and those options that differ."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        self._check_params(params)
        # The first one gives PyTorch's order of the keys, the last one the values.
        group = {**param_group, **self.defaults, **param_group, "params": params}
        self.param_groups.append(group)

    def _check_params(self, params):
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the "
                                f"params is {old_type_name(param)}")
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        if len(params) != len(set(params)):
            warn("optimizer contains a parameter group with duplicate parameters; in "
                 "future, this will cause an error; see "
                 "github.com/pytorch/pytorch/issues/40967 for more information")
        if not self._numbers().keys().isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")

    def _numbers(self):
        """Return the number of each parameter, by which a state dictionary names it."""
        params = [param for group in self.param_groups for param in group["params"]]
        return {param: number for number, param in enumerate(params)}

    def state_dict(self):
        """Return the state and the groups, with numbers in place of parameters."""
        numbers = self._numbers()
        state = {numbers[param]: kept for param, kept in self.state.items()}
        groups = []
        for group in self.param_groups:
            saved = dict(group)
            saved["params"] = [numbers[param] for param in saved.pop("params")]
            groups.append(saved)
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Take over the state and the options that `state_dict` returned."""
        saved_groups = state_dict["param_groups"]
        if len(self.param_groups) != len(saved_groups):
            raise ValueError(
                "loaded state dict has a different number of parameter groups")
        for group, saved in zip(self.param_groups, saved_groups):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError("loaded state dict contains a parameter group that "
                                 "doesn't match the size of optimizer's group")
            for number, param in zip(saved["params"], group["params"]):
                if number in state_dict["state"]:
                    self.state[param] = dict(state_dict["state"][number])
            group.update(saved, params=group["params"])

    def __repr__(self):
        text = ""
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for name in sorted(group):
                if name != "params":
                    text += f"    {name}: {group[name]}\n"
        return f"{type(self).__name__} ({text})"


def refuse_negative(**options):
    """Raise ValueError, in PyTorch's words, for an option below zero."""
    words = {"lr": "learning rate", "eps": "epsilon value"}
    for name, value in options.items():
        if not value >= 0.0:
            raise ValueError(f"Invalid {words.get(name, name + ' value')}: {value}")
