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
    """``Variable(t)`` is ``t.detach()``, and ``Variable(t, requires_grad=True)`` a leaf with a gradient."""

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


# --- methods of before 2018 ---------------------------------------------------------------------------------

@property
def volatile(self) -> bool:
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


@volatile.setter
def volatile(self, value):
    warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                  UserWarning, stacklevel=2)


def reinforce(self, reward):
    """Gone from PyTorch; the error says what to do instead."""
    raise RuntimeError(REINFORCE_IS_GONE)


REINFORCE_IS_GONE = """reinforce() was removed.
Use torch.distributions instead.
See https://pytorch.org/docs/main/distributions.html

Instead of:

probs = policy_network(state)
action = probs.multinomial()
next_state, reward = env.step(action)
action.reinforce(reward)
action.backward()

Use:

probs = policy_network(state)
# NOTE: categorical is equivalent to what used to be called multinomial
m = torch.distributions.Categorical(probs)
action = m.sample()
next_state, reward = env.step(action)
loss = -m.log_prob(action) * reward
loss.backward()
"""

METHODS_ONLY = "volatile reinforce"
