"""What a thread knows while it computes: whether it records, and its backward pass.

Each thread has a state of its own, so that no_grad in one thread does not touch the
others.  Also what all threads share: how NumPy's warnings are turned off, and the
numbers of the nodes.
"""
import contextvars
import itertools
import sys
import threading
import weakref

import numpy as np

# --- NumPy's warnings -----------------------------------------------------------------
# PyTorch divides by zero in silence.  `quiet.copy().run(function, ...)` calls a
# function with NumPy's warnings off in 0.04 us, where np.errstate costs 1 us.  Each
# call copies the context, which can't be entered twice: operations call operations.


class QuietByErrstate:
    """Calls functions with NumPy's warnings off in the plain way."""

    def copy(self):
        return self

    def run(self, function, *args, **kwargs):
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)


def quiet_context():
    """Return a context in which NumPy's warnings are off, or what stands in for one.

    It works where NumPy keeps its settings in the context, and Python does not keep its
    filters of warnings there, as a free-threaded Python does.
    """
    context = contextvars.Context()
    settings = np.geterr()
    context.run(np.seterr, all="ignore")
    filters_in_context = getattr(sys.flags, "context_aware_warnings", False)
    if np.geterr() == settings and not filters_in_context:
        return context
    np.seterr(**settings)
    return QuietByErrstate()


quiet = quiet_context()

# --- the modes of a thread ------------------------------------------------------------

# The threads that do not record everything in the plain way: those inside no_grad,
# inference_mode or a backward pass, and those that pack saved tensors.  An operation
# looks up its thread's state, which takes as long as a tenth of the operation, only
# while there are any.  Weak references, so that a thread's state ends with the thread.
unusual_threads = set()


class ThreadState:
    """The switches of one thread, and the backward passes that run in it."""

    __slots__ = (
        "grad_enabled",         # the switch of no_grad and its like
        "inference",            # inside inference_mode
        "recording",            # grad_enabled and not inference
        "saved_tensors_hooks",  # the (pack, unpack) pairs in force, innermost last
        "hooks_disabled",       # the message of a `disable_saved_tensors_hooks` block
        "pass_depth",           # how many passes, and formulas on tensors, are nested
        "current_pass",         # the innermost of them
        "evaluating",           # the node whose formulas run now, in anomaly mode
        "reference",            # a weak reference to this, for `unusual_threads`
        "__weakref__",
    )

    def __init__(self):
        self.grad_enabled = True
        self.inference = False
        self.recording = True
        self.saved_tensors_hooks = ()
        self.hooks_disabled = None
        self.pass_depth = 0
        self.current_pass = None
        self.evaluating = None
        self.reference = weakref.ref(self, unusual_threads.discard)
        hash(self.reference)    # it is remembered: a dead reference has none to compute

    def set_grad_enabled(self, enabled):
        self.grad_enabled = enabled
        self._modes_changed()

    def set_inference(self, inference):
        self.inference = inference
        self._modes_changed()

    def set_saved_tensors_hooks(self, pairs):
        self.saved_tensors_hooks = pairs
        self._modes_changed()

    def _modes_changed(self):
        self.recording = self.grad_enabled and not self.inference
        if self.recording and not self.saved_tensors_hooks:
            unusual_threads.discard(self.reference)
        else:
            unusual_threads.add(self.reference)

    def take_over(self, other):
        """Go on for another thread; `pass_depth` stays, as the stack here is empty."""
        self.grad_enabled = other.grad_enabled
        self.inference = other.inference
        self.saved_tensors_hooks = other.saved_tensors_hooks
        self.hooks_disabled = other.hooks_disabled
        self.current_pass = other.current_pass
        self.evaluating = other.evaluating
        self._modes_changed()


class PerThread(threading.local):
    """Gives each thread its own `state` when the thread first asks for it."""

    def __init__(self):
        self.state = ThreadState()


local = PerThread()

# Numbers the nodes in the order of their recording.
next_sequence_nr = itertools.count().__next__


def is_grad_enabled() -> bool:
    """Return whether recording is on in this thread, ``inference_mode`` aside."""
    return local.state.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Return whether this thread is inside ``inference_mode``."""
    return local.state.inference


FUNCTIONS_ONLY = "is_grad_enabled is_inference_mode_enabled"
