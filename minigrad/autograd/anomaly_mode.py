"""Anomaly mode: nodes keep the lines that made them; a backward pass stops where it meets NaN."""
from __future__ import annotations

import contextlib
import sys
import traceback
import warnings

import numpy as np

from ..places import PACKAGE
from ..state import local
from ..tensor import Tensor


class anomaly:
    """The switch: one for the whole program, as in PyTorch."""
    enabled = False
    check_nan = True


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on."""
    return anomaly.enabled


class set_detect_anomaly:
    """Switch anomaly mode on or off at once; a ``with`` block restores the old setting at its end.

    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.tensor(-1., requires_grad=True).sqrt().backward()
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.

    An error in a backward pass comes with a warning that shows which line recorded the operation.
    With ``check_nan=False``, NaN is not an error.
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self.prev = anomaly.enabled, anomaly.check_nan
        anomaly.enabled, anomaly.check_nan = mode, check_nan

    def __enter__(self):
        pass

    def __exit__(self, *error):
        anomaly.enabled, anomaly.check_nan = self.prev


class detect_anomaly(set_detect_anomaly):
    """Switch anomaly mode on for a ``with`` block, with a warning that it is slow."""

    def __init__(self, check_nan: bool = True):
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.", UserWarning, stacklevel=2)
        self.check_nan = check_nan

    def __enter__(self):
        super().__init__(True, self.check_nan)


def record_forward_trace(node):
    """Keep in `node` the lines that made it, and the node whose gradient was being computed."""
    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(PACKAGE):
        frames.pop()                    # below, the user's line called into the package
    node.metadata["traceback_"] = traceback.format_list(frames)
    if local.state.evaluating is not None:
        node.metadata["parent_"] = local.state.evaluating


def warn_where_recorded(node):
    """Warn with the lines that made the node in which an error arose, and its parents."""
    title = "Error detected in {}. Traceback of forward call that caused the error:\n"
    while node is not None:
        trace = node.metadata.get("traceback_")
        message = title.format(node.name()) + "".join(trace or ())
        if trace is None:
            message = (f"Error detected in {node.name()}. No forward pass information available. "
                       "Enable detect anomaly during forward pass for more information.")
        try:
            warnings.warn(message, UserWarning, stacklevel=3)
        except UserWarning:             # a filter made it an error; it must not hide the first one
            print(message, file=sys.stderr)
        node = node.metadata.get("parent_")
        title = ("\n\nPrevious calculation was induced by {}. Traceback of forward call that "
                 "induced the previous calculation:\n")


@contextlib.contextmanager
def evaluating(node):
    """Within the block, `node` is the one whose gradient is being computed; tell where it was recorded."""
    state = local.state
    outer, state.evaluating = state.evaluating, node
    try:
        yield
    except Exception:
        if anomaly.enabled:
            warn_where_recorded(node)
        raise
    finally:
        state.evaluating = outer


def check_nan(node, grads):
    """Raise if a node's formulas produced NaN."""
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(grad._array if isinstance(grad, Tensor) else grad).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")

FUNCTIONS_ONLY = "is_anomaly_enabled"
