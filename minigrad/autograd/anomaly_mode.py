"""Anomaly mode: each node keeps the lines that made it, and a backward pass that meets NaN stops there."""
from __future__ import annotations

import sys
import traceback
import warnings

from ..places import PACKAGE
from ..state import local


class Anomaly:
    """The switch; there is one for the whole program, as in PyTorch."""
    enabled = False
    check_nan = True


anomaly = Anomaly()


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on."""
    return anomaly.enabled


class set_detect_anomaly:
    """Switch anomaly mode on or off at once; a ``with`` block restores the old setting at its end.

    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.tensor(-1., requires_grad=True).sqrt().backward()
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.

    With ``check_nan=False`` an error in a backward pass still comes with a warning that shows where the
    node was recorded, but NaN is no error.
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self.prev = anomaly.enabled, anomaly.check_nan
        anomaly.enabled, anomaly.check_nan = mode, check_nan

    def __enter__(self):
        pass

    def __exit__(self, *error):
        anomaly.enabled, anomaly.check_nan = self.prev


class detect_anomaly(set_detect_anomaly):
    """Switch anomaly mode on for a ``with`` block, with a warning that this is slow."""

    def __init__(self, check_nan: bool = True):
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should "
                      "only be enabled for debugging.", UserWarning, stacklevel=2)
        self.check_nan = check_nan
        self.prev = anomaly.enabled, anomaly.check_nan

    def __enter__(self):
        anomaly.enabled, anomaly.check_nan = True, self.check_nan


def record_forward_trace(node):
    """Keep in `node` the lines that make it, and the node whose gradient is being computed meanwhile."""
    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(PACKAGE):
        frames.pop()                    # the user's line called into the package here
    node.metadata["traceback_"] = traceback.format_list(frames)
    if local.state.evaluating is not None:
        node.metadata["parent_"] = local.state.evaluating


def warn_where_recorded(node):
    """Warn with the lines that made the node in which an error arose, and those that made its parents."""
    title = "Error detected in {}. Traceback of forward call that caused the error:\n"
    while node is not None:
        trace = node.metadata.get("traceback_")
        message = title.format(node.name()) + "".join(trace or ())
        if trace is None:
            message = (f"Error detected in {node.name()}. No forward pass information available. Enable "
                       "detect anomaly during forward pass for more information.")
        try:
            warnings.warn(message, UserWarning, stacklevel=3)
        except UserWarning:             # a filter made it an error, which must not hide the first one
            print(message, file=sys.stderr)
        node = node.metadata.get("parent_")
        title = ("\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the "
                 "previous calculation:\n")
