"""A limit on how long a learner's answer may run, so that an endless loop ends in a sentence."""
from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator

SECONDS = 10.   # of the processor; the slowest right answer of the book takes about one
PATIENT = 6


class TooLong(BaseException):
    """The time is over. No `except Exception` of a learner's function catches this."""


@contextlib.contextmanager
def time_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise TooLong inside, in this thread, when the time is over.

        with time_limit(2.):
            answer()

    The seconds are those of the processor, as a computer may be busy with other things; by the clock it
    may take up to PATIENT times as long. The exception arrives between two steps of Python: one long call
    of NumPy ends first.
    """
    thread, lock, over, sent = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event(), []
    began, processor = time.monotonic(), time.process_time()

    def watch() -> None:
        left = seconds
        while left > 0 and not over.wait(left):
            left = min(seconds - (time.process_time() - processor),
                       PATIENT * seconds - (time.monotonic() - began))
        with lock:
            if not over.is_set():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(TooLong))
                sent.append(TooLong)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:      # from here on nothing is sent
            over.set()
        if sent:        # and what has not arrived yet arrives in this loop
            with contextlib.suppress(TooLong):
                for _ in range(1000):
                    pass
