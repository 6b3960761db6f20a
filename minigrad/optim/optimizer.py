"""What all optimizers share: groups of parameters, the step, saving and loading."""
from __future__ import annotations

import warnings
from collections import defaultdict
from copy import deepcopy

import numpy as np

from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.gradients import clear_grad
from ..creation import tensor, zeros_like
from ..errors import typename
from ..tensor import Tensor, bump_version


class Optimizer:
    """The base class of optimizers.

        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in batches:
            optimizer.zero_grad()
            loss_fn(model(x), y).backward()
            optimizer.step()

    params: tensors, or dictionaries with "params" and options that hold for these alone.
    ``param_groups`` holds them; ``state`` what is remembered of each parameter from step to step.
    An optimizer of your own defines `step`.

    Raises ValueError for an empty list or a tensor that some operation made, TypeError for what is
    no iterable of tensors or dictionaries.
    """

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of "
                            f"Tensors or dicts, but got {typename(params)}")
        self.defaults, self.state, self.param_groups = defaults, defaultdict(dict), []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def step(self, closure=None):
        """Change all parameters that have a gradient; ``grad`` is None elsewhere.

        A `closure` computes the loss anew and calls ``backward()``; its result is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if type(self).update is Optimizer.update:
            raise NotImplementedError
        with no_grad(), np.errstate(all="ignore"):
            for group in self.param_groups:
                for param in group["params"]:
                    if param._grad is not None:
                        grad = param._grad._array
                        self.update(group, param, -grad if group["maximize"] else grad)
                        bump_version(param)
        return loss

    def update(self, group, param, grad):
        """Write one step into the array of a parameter; `grad`, too, is an array."""
        raise NotImplementedError

    def arrays_of(self, param, *names):
        """Return the arrays of these parts of a parameter's state, which are zeros at first."""
        state = self.state[param]
        for name in names:
            if name not in state:
                state[name] = zeros_like(param)
        return [state[name]._array for name in names]

    def count_step(self, param):
        """Return the number of this step of a parameter: 1, 2, ..."""
        step = self.state[param].setdefault("step", tensor(0.0))
        step += 1
        return step.item()

    def zero_grad(self, set_to_none=True):
        """Set ``.grad`` of all parameters to None, or with ``set_to_none=False`` to zeros.

        Without it, the next backward pass adds to the gradients that are there.
        """
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    def add_param_group(self, param_group):
        """Add a dictionary with "params" and the options that differ from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but "
                            "the ordering of tensors in sets will change between runs. Please use "
                            "a list instead.")
        param_group["params"] = params = [params] if isinstance(params, Tensor) else list(params)
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is "
                                + typename(param))
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        new = {id(param) for param in params}
        if len(new) < len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information", UserWarning, stacklevel=3)
        if any(id(param) in new for group in self.param_groups for param in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.param_groups.append(param_group)

    def state_dict(self):
        """Return ``{"state": ..., "param_groups": ...}``, with numbers in place of parameters."""
        params = [param for group in self.param_groups for param in group["params"]]
        numbers = {id(param): i for i, param in enumerate(params)}
        groups = [{**{name: value for name, value in group.items() if name != "params"},
                   "params": [numbers[id(param)] for param in group["params"]]}
                  for group in self.param_groups]
        return {"state": {numbers[id(param)]: value for param, value in self.state.items()},
                "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Take over the state and the options that `state_dict` returned."""
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(self.param_groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        self.state = defaultdict(dict)
        for group, saved in zip(self.param_groups, saved_groups):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError("loaded state dict contains a parameter group that doesn't match "
                                 "the size of optimizer's group")
            for number, param in zip(saved["params"], group["params"]):
                if number in state_dict["state"]:
                    self.state[param] = dict(state_dict["state"][number])
            group.update(saved, params=group["params"])

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {i}\n{''.join(options)}"
        return f"{text})"


def refuse_negative(**options):
    """Raise ValueError, in PyTorch's words, for an option below zero."""
    words = {"lr": "learning rate", "eps": "epsilon value"}
    for name, value in options.items():
        if not value >= 0.0:
            raise ValueError(f"Invalid {words.get(name, name + ' value')}: {value}")
