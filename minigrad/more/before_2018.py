"""What programs from before 2018 begin with: Variable, and a type for each dtype.

A tensor then had no gradient of its own; a Variable held it and its gradient.
"""
from .. import dtypes
from ..creation import new_of_dtype
from ..errors import type_name, warn, warn_once
from ..state import local
from ..tensor import Tensor
from .settings import set_default_dtype

# --- Variable -------------------------------------------------------------------------

NO_EFFECT = ("volatile was removed and now has no effect. "
             "Use `with torch.no_grad():` instead.")


class VariableMeta(type):
    """Makes `Variable` a second name of `Tensor`, which builds one from a tensor."""
    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data, requires_grad=False, volatile=False):
        if volatile:
            warn(NO_EFFECT)
            if requires_grad:
                raise ValueError(
                    "Variable can't be volatile and require_grad at the same time!")
        if not isinstance(data, Tensor):
            raise TypeError(
                f"Variable data has to be a tensor, but got {type_name(data)}")
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    class _execution_engine:
        def queue_callback(callback):
            """Call `callback()` when the backward pass that is running has ended."""
            if local.state.current_pass is None:
                raise RuntimeError(
                    "Final callbacks can only be installed during backward pass.")
            local.state.current_pass.callbacks.append(callback)


@property
def volatile(self) -> bool:
    """False: recording is now switched off by ``torch.no_grad()``."""
    warn("volatile was removed (Variable.volatile is always False)")
    return False


@volatile.setter
def volatile(self, value):
    warn(NO_EFFECT)


REINFORCE = """\
reinforce() was removed.
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


def reinforce(self, reward):
    """Raise the error that says how to write this today."""
    raise RuntimeError(REINFORCE)


# --- types of tensors -----------------------------------------------------------------

def tensor_type(dtype):
    """Return the function ``torch.FloatTensor``, or its like, of a dtype."""
    def make(*args):
        return new_of_dtype(args, dtype.numpy)
    make.dtype = dtype
    make.__doc__ = f"Return a tensor of {dtype!r} with this shape, or these values."
    return make


TENSOR_TYPES = {f"{d.short_name}Tensor": tensor_type(d) for d in dtypes.ALL}


def set_default_tensor_type(t, /):
    """Make the dtype of ``torch.DoubleTensor``, or its like, that of Python floats."""
    warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please "
              "use torch.set_default_dtype() and torch.set_default_device() as "
              "alternatives.")
    if isinstance(t, str):
        t = TENSOR_TYPES.get(t.removeprefix("torch."))
    if not hasattr(t, "dtype"):
        raise TypeError("invalid type object: only floating-point types are supported "
                        "as the default type")
    set_default_dtype(t.dtype)


def to_type(self, dtype=None):
    """Return the dtype's old name, ``"torch.FloatTensor"``, or convert to a dtype."""
    if dtype is None:
        return self.dtype.tensor_type
    by_old_name = {known.tensor_type: known for known in dtypes.ALL}
    dtype = by_old_name.get(dtype, dtype)
    return self.to(getattr(dtype, "dtype", dtype))


METHODS_ONLY = {"reinforce": reinforce, "type": to_type, "volatile": volatile}
FUNCTIONS_ONLY = {
    "set_default_tensor_type": set_default_tensor_type,
    **TENSOR_TYPES,
}
