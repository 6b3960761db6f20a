"""Anomaly mode: nodes keep the lines that made them; a backward pass stops where it meets NaN."""
import contextlib
import sys
import traceback
import warnings
from types import SimpleNamespace

import numpy as np

from ..places import PACKAGE
from ..state import local

anomaly = SimpleNamespace(enabled=False, check_nan=True)    # one switch for the whole program


class set_detect_anomaly(contextlib.AbstractContextManager):
    """Switch anomaly mode on or off at once; a ``with`` block restores the old setting at its end.

    >>> with torch.autograd.set_detect_anomaly(True):   # check_nan=False: NaN is not an error
    ...     torch.tensor(-1., requires_grad=True).sqrt().backward()
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """
    def __init__(self, mode, check_nan=True):
        self.before = anomaly.enabled, anomaly.check_nan
        anomaly.enabled, anomaly.check_nan = mode, check_nan

    def __exit__(self, *error):
        anomaly.enabled, anomaly.check_nan = self.before


def detect_anomaly(check_nan=True):
    """Switch anomaly mode on for a ``with`` block, with a warning that it is slow."""
    warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and "
                  "should only be enabled for debugging.", stacklevel=2)
    return set_detect_anomaly(True, check_nan)


def record_forward_trace(node):
    """Keep in `node` the user's lines that made it, and the node whose gradient was computed."""
    frames = [one for one in traceback.extract_stack() if not one.filename.startswith(PACKAGE)]
    node.metadata["traceback_"] = traceback.format_list(frames)
    if local.state.evaluating is not None:
        node.metadata["parent_"] = local.state.evaluating


@contextlib.contextmanager
def evaluating(node):
    """Note that `node` computes gradients now; if that fails, warn where it was recorded."""
    outer, local.state.evaluating = local.state.evaluating, node
    try:
        yield
    except Exception:
        text = "Error detected in {}. Traceback of forward call that caused the error:\n{}"
        while anomaly.enabled and node is not None:
            trace = node.metadata.get("traceback_")
            if trace is None:
                text = ("Error detected in {}. No forward pass information available. Enable "
                        "detect anomaly during forward pass for more information.")
            try:
                warnings.warn(text.format(node.name(), "".join(trace or ())), stacklevel=3)
            except UserWarning as warning:      # a filter made it an error: don't hide the other
                print(warning, file=sys.stderr)
            text = ("\n\nPrevious calculation was induced by {}. Traceback of forward call that "
                    "induced the previous calculation:\n{}")
            node = node.metadata.get("parent_")
        raise
    finally:
        local.state.evaluating = outer


def check_nan(node, grads):
    """Raise if a node's formulas produced NaN."""
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(grad._array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
