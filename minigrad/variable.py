"""``Variable``, the name of a tensor with a gradient before 2018: calling it makes a tensor."""
from .errors import type_name, warn
from .state import local
from .tensor import Tensor


class VariableMeta(type):
    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data, requires_grad=False, volatile=False):
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    class _execution_engine:
        def queue_callback(callback):
            """Call `callback()` when the backward pass that is running has ended."""
            if local.state.current_pass is None:
                raise RuntimeError("Final callbacks can only be installed during backward pass.")
            local.state.current_pass.callbacks.append(callback)


@property
def volatile(self) -> bool:
    """False: what it once switched off is now switched off by ``torch.no_grad()``."""
    warn("volatile was removed (Variable.volatile is always False)")
    return False


def reinforce(self, reward):
    raise RuntimeError(
        "reinforce() was removed.\nUse torch.distributions instead.\nSee "
        "https://pytorch.org/docs/main/distributions.html\n\nInstead of:\n\nprobs = "
        "policy_network(state)\naction = probs.multinomial()\nnext_state, reward = "
        "env.step(action)\naction.reinforce(reward)\naction.backward()\n\nUse:\n\nprobs = "
        "policy_network(state)\n# NOTE: categorical is equivalent to what used to be called "
        "multinomial\nm = torch.distributions.Categorical(probs)\naction = m.sample()\n"
        "next_state, reward = env.step(action)\nloss = -m.log_prob(action) * reward\n"
        "loss.backward()\n")


METHODS_ONLY = "volatile reinforce"
