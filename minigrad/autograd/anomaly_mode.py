"""Anomaly mode: nodes keep the lines that made them; NaN ends a pass."""
import linecache
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from ..errors import NOT_A_BOOL, type_name, warn
from ..places import is_ours
from ..state import local
from .node import recording_observers

IS_SLOW = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and "
    "should only be enabled for debugging.")
FAILED = (
    "Error detected in {}. Traceback of forward call that caused the error:\n{}")
FAILED_WITHOUT_TRACE = (
    "Error detected in {}. No forward pass information available. Enable detect "
    "anomaly during forward pass for more information.")
INDUCED = (
    "\n\nPrevious calculation was induced by {}. Traceback of forward call that "
    "induced the previous calculation:\n{}")

# One switch for the whole program.
anomaly = SimpleNamespace(enabled=False, check_nan=True)


class set_detect_anomaly:
    """Switch anomaly mode on or off at once; a block restores the old setting.

    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.tensor(-1., requires_grad=True).sqrt().backward()
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.

    With ``check_nan=False`` a NaN is not an error.
    """

    def __init__(self, mode, check_nan=True):
        if not isinstance(mode, bool):
            raise TypeError(NOT_A_BOOL.format("set_anomaly_enabled", type_name(mode)))
        self.before = anomaly.enabled, anomaly.check_nan
        switch(mode, check_nan)

    def __enter__(self):
        """Leave the mode as it is: making the object has switched it."""

    def __exit__(self, *error):
        switch(*self.before)


class detect_anomaly(set_detect_anomaly):
    """Switch anomaly mode on for a ``with`` block, with a warning that it is slow."""

    def __init__(self, check_nan=True):
        warn(IS_SLOW)
        self.before = anomaly.enabled, anomaly.check_nan
        self.check_nan = check_nan

    def __enter__(self):
        switch(True, self.check_nan)


def switch(enabled, check_nan):
    anomaly.enabled = enabled
    anomaly.check_nan = check_nan
    if record_forward_trace in recording_observers:
        recording_observers.remove(record_forward_trace)
    if enabled:
        recording_observers.append(record_forward_trace)


def record_forward_trace(node):
    """Keep on a node the lines that made it, and in a pass the node that ran then."""
    node.metadata["traceback_"] = lines_of_program()
    if local.state.evaluating is not None:
        node.metadata["parent_"] = local.state.evaluating


def lines_of_program():
    """Return the program's calls in progress, as a traceback shows them."""
    lines, frame = [], sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        if not is_ours(filename):
            number, function = frame.f_lineno, frame.f_code.co_name
            text = f'  File "{filename}", line {number}, in {function}\n'
            source = linecache.getline(filename, number, frame.f_globals)
            if source:
                text += f"    {source.strip()}\n"
            lines.append(text)
        frame = frame.f_back
    return lines[::-1]


@contextmanager
def evaluating(node):
    """Note that `node` computes gradients now; say where it was made if that fails."""
    state = local.state
    outer = state.evaluating
    state.evaluating = node
    try:
        yield
    except Exception:
        if anomaly.enabled:
            warn_of_failure(node)
        raise
    finally:
        state.evaluating = outer


def warn_of_failure(node):
    """Warn with the forward trace of a node, and those of the nodes that led to it."""
    found = FAILED
    while node is not None:
        trace = node.metadata.get("traceback_")
        message = FAILED_WITHOUT_TRACE if trace is None else found
        try:
            warn(message.format(node.name(), "".join(trace or ())))
        except UserWarning as warning:
            # A filter made it an error, which must not hide the one that led here.
            print(warning, file=sys.stderr)
        found = INDUCED
        node = node.metadata.get("parent_")


def check_nan(node, grads):
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(grad._array).any():
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {i}th output.")
