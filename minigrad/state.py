"""What a thread knows while it computes: is recording on, and which backward pass is running?

Each thread has a state of its own, so that no_grad in one thread does not touch the others.  A call
of an operation keeps ``local.state`` in a variable where it can: looking it up takes time.
"""
import contextvars
import itertools
import threading

import numpy as np


class ThreadState:
    """The switches of one thread, and the backward passes that run in it."""
    __slots__ = ("recording", "grad_enabled", "inference", "quiet", "_saved_tensors_hooks",
                 "hooks_disabled", "pass_depth", "current_pass", "evaluating", "in_formula")

    with_hooks = set()      # the threads in whose blocks saved tensors are packed: mostly none

    def __init__(self):
        self.grad_enabled = True
        self.inference = False
        self.recording = True               # grad_enabled and not inference
        # quiet(function, ...) calls a function with NumPy's floating-point warnings off; PyTorch
        # has none.  A prepared context costs 0.04 us a call, np.errstate 0.7.
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        self.quiet = context.run
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
