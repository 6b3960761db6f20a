"""Files that are never half-written: not after a kill, on a full disk, or with two kernels at once."""
from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:
    fcntl = None  # on Windows

PATIENCE = 5.0  # seconds; another process needs a file for a few milliseconds
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # some network folders have none


@contextlib.contextmanager
def held(path: Path) -> Iterator[Callable[[str], None]]:
    """Hold a file while other processes wait; what is yielded writes a text into it, whole or not at all.

    The system ends the lock of a process that is killed. What such a process leaves, a .lock and a .new
    beside the file, is removed by the next one that holds it.
    """
    path = path.resolve()  # a link stays a link
    new = path.with_name(path.name + ".new")

    def write(text: str) -> None:
        with about(path):
            with new.open("w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            patiently(lambda: os.replace(new, path))

    with about(path):
        lock = patiently(lambda: locked(path.with_name(path.name + ".lock")))
    with lock:
        try:
            yield write
        finally:
            new.unlink(missing_ok=True)
            if fcntl is None:
                lock.close()  # see `locked`
            with contextlib.suppress(OSError):
                os.unlink(lock.name)


@contextlib.contextmanager
def about(path: Path) -> Iterator[None]:
    """What the system says is said about this file."""
    try:
        yield
    except OSError as reason:
        reason.filename = str(path)
        raise


def locked(path: Path) -> IO[bytes]:
    """Open a lock file that no other process has open.

    Raises:
        BlockingIOError, on Windows FileExistsError or PermissionError: another process has it.
    """
    if fcntl is None:
        path.unlink(missing_ok=True)  # Windows removes no file that a process has open
        return path.open("xb")
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(FileNotFoundError):  # the process before has removed what was opened here
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
    except OSError as reason:
        if reason.errno in NO_LOCKS:
            return file
        if not isinstance(reason, BlockingIOError):
            file.close()
            raise
    file.close()
    raise BlockingIOError(errno.EAGAIN, "another program is using it")


def patiently(do: Callable[[], Any]) -> Any:
    """Do it once no other process is in the way; on Windows that can be a PermissionError."""
    busy = (FileExistsError, BlockingIOError, *([PermissionError] if os.name == "nt" else []))
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return do()
        except busy:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
