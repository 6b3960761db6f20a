"""Anomaly mode: every node remembers the lines that made it, and a pass that meets NaN stops there."""
from __future__ import annotations

import sys
import warnings

from ..places import PACKAGE
from ..state import local


class Anomaly:
    """One switch for the whole program, as in PyTorch."""
    enabled = False
    check_nan = True


anomaly = Anomaly()


def is_anomaly_enabled() -> bool:
    return anomaly.enabled


def set_anomaly_enabled(mode: bool, check_nan: bool = True):
    """Switch anomaly mode on or off."""
    for position, (name, value) in enumerate((("enabled", mode), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, "
                            f"not {type(value).__name__}")
    anomaly.enabled, anomaly.check_nan = mode, check_nan


class set_detect_anomaly:
    """Switch anomaly mode on or off at once; used with ``with``, the old setting comes back at the end."""

    def __init__(self, mode: bool, check_nan: bool = True):
        self.prev = anomaly.enabled, anomaly.check_nan
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        anomaly.enabled, anomaly.check_nan = self.prev


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode for a ``with`` block."""

    def __init__(self, check_nan: bool = True):
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should "
                      "only be enabled for debugging.", UserWarning, stacklevel=2)
        self.prev = anomaly.enabled, anomaly.check_nan
        self.wanted = check_nan

    def __enter__(self):
        set_anomaly_enabled(True, self.wanted)


def record_forward_trace(node):
    """Keep the lines that are making `node`, and the node whose gradient is being computed meanwhile."""
    import traceback  # not needed by programs without this mode

    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(PACKAGE):
        frames.pop()                    # how the package got here is of no interest
    node.metadata["traceback_"] = traceback.format_list(frames)
    if local.state.evaluating is not None:
        node.metadata["parent_"] = local.state.evaluating


def warn_where_recorded(node):
    """Print, as a warning, the lines that made the node in which an error arose, and those of its parents."""
    warn_of_trace(node, "Error detected in {}. Traceback of forward call that caused the error:\n")
    while (node := node.metadata.get("parent_")) is not None:
        warn_of_trace(node, "\n\nPrevious calculation was induced by {}. Traceback of forward call that "
                            "induced the previous calculation:\n")


def warn_of_trace(node, title):
    trace = node.metadata.get("traceback_")
    if trace is None:
        message = (f"Error detected in {node.name()}. No forward pass information available. Enable detect "
                   "anomaly during forward pass for more information.")
    else:
        message = title.format(node.name()) + "".join(trace)
    try:
        warnings.warn(message, UserWarning, stacklevel=4)
    except UserWarning:         # made an error by a filter: it must not hide the error it speaks of
        print(message, file=sys.stderr)
