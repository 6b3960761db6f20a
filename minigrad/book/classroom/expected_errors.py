"""An error or a warning that a chapter shows on purpose, without stopping the run."""

from __future__ import annotations

import re
import sys
import warnings
from html import escape
from types import TracebackType

from ...errors import given_warnings
from ...viz.program.node_lines import CELL
from .showing import Shown, somebody_is_there

FRAME = re.compile(r'  File "([^"]*)", (line .*\n)((?:    .*\n)*)')
INTERNAL = re.compile(r" \(Triggered internally at [^)]*\)\s*$")
PRE = "white-space:pre-wrap;word-break:normal;overflow-wrap:break-word;margin:0;padding:0;background:none"


def say(message: str) -> None:
    """Print a message; in a running notebook, break its lines between words only.

    JupyterLab breaks what is printed in the middle of a word.
    """
    if somebody_is_there():
        from IPython.display import display
        display(Shown(message, f'<pre style="{PRE}">{escape(message)}</pre>'))
    else:
        print(message)


class expect_error:
    """Print the error that the lines inside must raise, in the words of whoever raises it.

        with expect_error(RuntimeError):
            loss.backward()                     # prints "RuntimeError: element 0 of tensors ..."

    `with expect_error(RuntimeError) as caught:` keeps the error, for `explain(caught)`; with `hint=False`
    the message is printed without its hint.

    Raises:
        AssertionError: nothing was raised, or something else was. A chapter never promises an error in vain.
    """

    def __init__(self, expected: type[BaseException], hint: bool = True) -> None:
        self.expected, self.hint = expected, hint
        self.error: BaseException | None = None

    def __enter__(self) -> expect_error:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> bool:
        if error is None:
            raise AssertionError(f"expected {self.expected.__name__}, but nothing was raised")
        if isinstance(error, self.expected):
            self.error = error
            told = str(error) if self.hint else str(error).partition(" Hint:")[0]
            say(f"{type(error).__name__}: {told}")
            return True
        if isinstance(error, Exception):
            other = f"{type(error).__name__}: {error}"
            raise AssertionError(f"expected {self.expected.__name__}, not {other}") from error
        return False  # an interrupt stays an interrupt


class expect_warning:
    """Print the warning that the lines inside must give, in PyTorch's words.

        with expect_warning(UserWarning):
            torch.autograd.Variable(x, volatile=True)      # prints "UserWarning: volatile was removed ..."

    Of a traceback in the warning, the lines of the notebook's cells are printed, and not those of Jupyter.
    PyTorch and minigrad give some warnings once per process. Here they give them each time, so that a cell
    can run again.

    Raises:
        AssertionError: no such warning was given.
    """

    def __init__(self, expected: type[Warning]) -> None:
        self.expected = expected
        self.recorder = warnings.catch_warnings(record=True)

    def __enter__(self) -> None:
        self.given = self.recorder.__enter__()
        warnings.simplefilter("always")
        self.before = set(given_warnings)
        given_warnings.clear()
        self.pytorch = sys.modules.get("torch")
        if self.pytorch is not None:
            self.always = self.pytorch.is_warn_always_enabled()
            self.pytorch.set_warn_always(True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.recorder.__exit__(kind, error, trace)
        given_warnings.update(self.before)
        if self.pytorch is not None:
            self.pytorch.set_warn_always(self.always)
        found = [one for one in self.given if issubclass(one.category, self.expected)]
        if error is None and not found:
            raise AssertionError(f"expected {self.expected.__name__}, but none was given")
        for one in found:
            say(f"{one.category.__name__}: {without_jupyter(str(one.message))}")


def without_jupyter(text: str) -> str:
    """Leave the frames of a traceback that are in cells, if there are any, each in a file called <cell>."""
    text = INTERNAL.sub("", text)
    if not any(CELL.search(file) for file, *_ in FRAME.findall(text)):
        return text
    return FRAME.sub(lambda frame: f'  File "<cell>", {frame[2]}{frame[3]}' if CELL.search(frame[1]) else "",
                     text).rstrip("\n")
