"""What a thread knows while it computes: is recording on, and which backward pass is running?

Each thread has a state of its own, so that no_grad in one thread does not touch the others.
"""
import contextvars
import itertools
import sys
import threading

import numpy as np


class Errstate:
    """Calls functions with NumPy's warnings off in the plain way, where `quiet` cannot."""
    def copy(self):
        return self

    def run(self, function, *args, **kwargs):
        return np.errstate(all="ignore")(function)(*args, **kwargs)


# quiet.copy().run(function, ...) calls a function with NumPy's floating-point warnings off; PyTorch
# has none.  It costs 0.04 us, np.errstate 1.  NumPy must keep its settings in the context, and
# Python not its filters of warnings, as a free-threaded one does.
quiet, settings = contextvars.Context(), np.geterr()
quiet.run(np.seterr, all="ignore")
if np.geterr() != settings or getattr(sys.flags, "context_aware_warnings", False):
    np.seterr(**settings)
    quiet = Errstate()


class ThreadState:
    """The switches of one thread, and the backward passes that run in it."""
    __slots__ = ("recording", "grad_enabled", "inference", "_saved_tensors_hooks",
                 "hooks_disabled", "pass_depth", "current_pass", "evaluating", "in_formula")

    with_hooks = set()      # the threads in whose blocks saved tensors are packed: mostly none

    def __init__(self):
        self.grad_enabled = True
        self.inference = False
        self.recording = True               # grad_enabled and not inference
        self.saved_tensors_hooks = ()       # the (pack, unpack) pairs now in force, innermost last
        self.hooks_disabled = None          # the message of a `disable_saved_tensors_hooks` block
        self.pass_depth = 0                 # how many backward passes run inside each other
        self.current_pass = None            # the innermost of them
        self.evaluating = None              # the node whose formulas run now, in a pass on tensors
        self.in_formula = False             # True while a node's formulas run on tensors

    def set_grad_enabled(self, enabled: bool):
        self.grad_enabled = enabled
        self.recording = enabled and not self.inference

    def set_inference(self, inference: bool):
        self.inference = inference
        self.recording = self.grad_enabled and not inference

    @property
    def saved_tensors_hooks(self):
        return self._saved_tensors_hooks

    @saved_tensors_hooks.setter
    def saved_tensors_hooks(self, hooks):
        self._saved_tensors_hooks = hooks
        (self.with_hooks.add if hooks else self.with_hooks.discard)(self)

    def take_modes(self, other):
        """Take over the modes of another thread."""
        self.set_grad_enabled(other.grad_enabled)
        self.set_inference(other.inference)
        self.saved_tensors_hooks, self.current_pass = other.saved_tensors_hooks, other.current_pass


class PerThread(threading.local):
    """Gives each thread its own `state` when the thread first asks for it."""
    def __init__(self):
        self.state = ThreadState()


local = PerThread()

next_sequence_nr = itertools.count().__next__       # numbers nodes in the order of their recording


def is_grad_enabled() -> bool:
    """Return whether recording is on in this thread, ``inference_mode`` aside."""
    return local.state.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Return whether this thread is inside ``inference_mode``."""
    return local.state.inference


FUNCTIONS_ONLY = "is_grad_enabled is_inference_mode_enabled"
