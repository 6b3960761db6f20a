"""``Variable``, the name of a tensor with a gradient before 2018: calling it makes a tensor."""
from __future__ import annotations

import warnings

from ..errors import type_name
from ..state import local
from ..tensor import Tensor


class VariableMeta(type):
    """Makes ``Variable(...)`` a tensor, and every tensor an instance of `Variable`."""

    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data, requires_grad=False, volatile=False):
        if volatile:
            warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` "
                          "instead.", UserWarning, stacklevel=2)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    """``Variable(t)`` is ``t.detach()``, and ``Variable(t, requires_grad=True)`` a leaf."""

    class _execution_engine:
        """The part of PyTorch's engine that programs call."""

        @staticmethod
        def queue_callback(callback):
            """Call `callback()` when the backward pass that is running has ended.

            Raises:
                RuntimeError: there is none.
            """
            if local.state.current_pass is None:
                raise RuntimeError("Final callbacks can only be installed during backward pass.")
            local.state.current_pass.callbacks.append(callback)


# --- methods of tensors from before 2018 --------------------------------------------------------

@property
def volatile(self) -> bool:
    """False: what it once switched off is now switched off by ``torch.no_grad()``."""
    warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
    return False


def reinforce(self, reward):
    """Raise a RuntimeError that shows what to write instead."""
    raise RuntimeError(
        "reinforce() was removed.\nUse torch.distributions instead.\nSee "
        "https://pytorch.org/docs/main/distributions.html\n\nInstead of:\n\nprobs = "
        "policy_network(state)\naction = probs.multinomial()\nnext_state, reward = "
        "env.step(action)\naction.reinforce(reward)\naction.backward()\n\nUse:\n\nprobs = "
        "policy_network(state)\n# NOTE: categorical is equivalent to what used to be called "
        "multinomial\nm = torch.distributions.Categorical(probs)\naction = "
        "m.sample()\nnext_state, reward = env.step(action)\nloss = -m.log_prob(action) * "
        "reward\nloss.backward()\n")


METHODS_ONLY = "volatile reinforce"
