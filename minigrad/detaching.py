"""A tensor's numbers without its history: ``detach``, ``.data`` and the switch ``requires_grad_``."""
from __future__ import annotations

import warnings

from .errors import type_name
from .state import local
from .tensor import UNCOUNTED, Tensor, VersionCounter, mark_inference, wrap

CANNOT_DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
    "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
    "detach_() cannot be called on these gradients. To fix this error, please refer to the "
    "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.")


def detach(self) -> Tensor:
    """A constant that shares the memory and the version counter, so that harmful writes are noticed."""
    result = without_history(self)
    if self._counter is not UNCOUNTED:
        result._counter = self._get_counter()
    return result


def detach_(self) -> Tensor:
    """Forget the history: this tensor becomes a constant.  In inference mode nothing happens."""
    if local.state.inference:
        return self
    if self._view is not None:
        raise RuntimeError(CANNOT_DETACH_VIEW)
    self._requires_grad, self._node, self._output_nr = False, None, 0
    return self


def without_history(self):
    result = wrap(self._array)
    if self.is_inference():
        mark_inference(result)
        if not local.state.inference:
            result._counter = VersionCounter()      # outside inference mode, writes to it are counted
    return result


@property
def data(self) -> Tensor:
    """A constant that shares the memory but counts its own writes: nobody notices them in this tensor."""
    return without_history(self)


@data.setter
def data(self, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type_name(value)}")
    if self._requires_grad and value._array.dtype.kind != "f":
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex "
                           "dtype")
    if self._extra is not None and value._array.dtype != self._array.dtype:
        self._extra.accumulator = None          # the old one expects gradients of the old dtype
    if self.is_inference() != value.is_inference():
        self._get_counter()                         # stays as it is
        self._get_extra().inference = value.is_inference()
    self._array = value._array


@data.deleter
def data(self):
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def requires_grad_(self, requires_grad=True) -> Tensor:
    """Switch the recording of operations on this leaf on or off.

    Raises:
        RuntimeError: the tensor holds integers; or it is not a leaf and shall be switched off.
    """
    if not isinstance(requires_grad, bool):
        raise argument_must_be("requires_grad_", "requires_grad", 1, requires_grad, "bool")
    self._set_requires_grad(requires_grad, "only Tensors of floating point dtype can require gradients")
    return self


def forget_gradient(param, set_to_none):
    """Take a parameter's gradient away, or set it to 0 without its history: what ``zero_grad()`` does."""
    grad = param._grad
    if set_to_none or grad is None:
        param._grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


# --- what was once, and is no more --------------------------------------------------------------------------

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

METHODS = "detach detach_"
METHODS_ONLY = "data requires_grad_ volatile reinforce"
