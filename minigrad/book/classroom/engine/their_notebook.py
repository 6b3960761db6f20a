"""A learner's classes in their notebook: what is defined beside them, and a limit on their time."""
from __future__ import annotations

import contextlib
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NOT_STEPPED = (str(Path(__file__).resolve().parents[3]), sysconfig.get_paths()["stdlib"], "site-packages",
               "dist-packages", "<frozen")  # the lines of these files are not timed, only their calls


class TooSlow(BaseException):
    """An engine's time is over. No learner's `except Exception` catches this."""


def beside(tensor: type, name: str) -> Any:
    """What somebody's class finds under a name: another class of the same notebook; None: nothing."""
    *_, last = [{}, *spaces(tensor)][:3]
    return last.get(name) if isinstance(last, dict) else None


def spaces(one: Any) -> Iterator[Mapping[str, Any]]:
    """The names of a class, and those of the notebook that its methods find."""
    if isinstance(one, type):
        yield vars(one)
        for method in vars(one).values():
            if hasattr(method, "__globals__"):
                yield method.__globals__
                return


@contextlib.contextmanager
def restored(*classes: Any) -> Iterator[None]:
    """Restore flags and counters, such as `no_grad.recording`, that a failing program may change."""
    found = [(one, space, {name: value for name, value in space.items() if isinstance(value, (bool, int))})
             for one in classes for space in spaces(one)]
    try:
        yield
    finally:
        for one, space, before in found:
            for name, value in before.items():
                if space.get(name) is not value:
                    space.__setitem__(name, value) if isinstance(space, dict) else setattr(one, name, value)


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise TooSlow inside, at the next step of the learner's code, when the time is over.

    It is the time of this thread: a computer that is busy with other things makes no engine slow.
    """
    end, before = time.thread_time() + seconds, sys.gettrace()
    # A thread's time takes long to read, and no thread uses up more of it than has passed on the clock.
    earliest = time.perf_counter() + seconds

    def watch(frame: Any, event: str, argument: Any) -> Any:
        step(frame, event, argument)
        path = frame.f_code.co_filename
        if any(part in path for part in NOT_STEPPED):
            return None
        frame.f_trace_opcodes = True    # `while True: pass` on one line has no other events
        return step

    def step(frame: Any, event: str, argument: Any) -> Any:
        nonlocal earliest
        if (now := time.perf_counter()) > earliest:
            left = end - time.thread_time()
            if left < 0:
                sys.settrace(before)
                raise TooSlow
            earliest = now + left
        return step

    sys.settrace(watch)
    try:
        yield
    finally:
        sys.settrace(before)
