"""Runs a script inside the process that `running.run` starts: sets limits, guards files, and reports.

    python -m minigrad.book.classroom.patients.sandbox SCRIPT REPORT ENGINE

It keeps a learner's own slips from doing harm, such as a loop that deletes files. It is no wall against a
program that is written to break out.
"""
from __future__ import annotations

import builtins
import importlib
import json
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

MEMORY = 4 * 1024 ** 3       # bytes of address space; PyTorch alone takes more than two
FILE = 10 * 1024 ** 2        # bytes of one file
READING = {"r", "rb", "rt", "br"}
CHANGES = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate",
"os.chmod",
           "os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.chflags", "os.mkfifo", "os.mknod",
           "shutil.rmtree", "shutil.move", "shutil.chown"}
RELATIVE = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown"}
STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn",
          "os.startfile", "os.startfile/2", "pty.spawn"}
SIGNALS = {"os.kill", "os.killpg", "signal.pthread_kill"}
NETWORK = {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "socket.gethostbyname"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """The script tried what a script of this book needn't do."""


class Guard:
    """An audit hook that refuses to write outside a folder, to start processes, and to use the network."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder) + os.sep
        self.refused = ""

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        says = ""
        if event == "open" and self.writes(*arguments):
            says = f"write the file {short(arguments[0])}"
        elif event in CHANGES and (outside := self.first_outside(event, arguments)):
            says = f"change or delete the file {short(outside)}"
        elif event in STARTS:
            says = "start another process"
        elif event in SIGNALS:
            says = "send a signal to a process"
        elif event in NETWORK:
            says = "use the network"
        elif event.startswith("ctypes."):
            says = "call a library of the system"
        if says:
            self.refused = self.refused or says
            raise Refused(f"The script may not {says}.")

    def writes(self, path: Any, mode: Any = None, flags: Any = 0, *_: Any) -> bool:
        """Whether this would open a file outside the folder to write to it."""
        if mode is not None and str(mode) in READING or mode is None and not (flags or 0) & WRITES:
            return False
        return self.is_outside(path)

    def is_outside(self, path: Any) -> bool:
        """Whether a path is outside the folder; numbers are files that are open already."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False
        place = os.path.realpath(os.fsdecode(path))
        return place != os.devnull and not place.startswith(self.folder)

    def first_outside(self, event: str, arguments: tuple[Any, ...]) -> Any:
        """Return the first path outside the folder; None: there is none.

        A path may be relative to another folder, which is then the last argument of these events, as the
        number
        of an open file.
        """
        if event in RELATIVE and type(arguments[-1]) is int and arguments[-1] >= 0:
            return None if self.is_below(arguments[-1]) else arguments[0]
        return next((one for one in arguments if self.is_outside(one)), None)

    def is_below(self, number: int) -> bool:
        """Whether an open file is the folder or in it; if the system doesn't tell, it counts as outside."""
        try:
            return (os.readlink(f"/proc/self/fd/{number}") + os.sep).startswith(self.folder)
        except OSError:
            return False

    def watch_open(self) -> None:
        """Let `os.open` refuse to write below a folder that is given as an open file; no event says so."""
        plain = os.open

        def guarded(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            if dir_fd is not None and flags & WRITES and not self.is_below(dir_fd):
                self("open", (os.path.join(os.sep, "elsewhere", os.fsdecode(path)), None, flags))
            return plain(path, flags, mode, dir_fd=dir_fd)

        os.open = guarded


def short(path: Any) -> str:
    """Return a path as text of at most 60 letters."""
    text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else str(path)
    return text if len(text) <= 60 else "…" + text[-59:]


def limit() -> None:
    """Set limits of memory and of the size of a file, where the system has them."""
    try:
        import resource
    except ImportError:     # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, FILE), (resource.RLIMIT_CORE,
        0)):
        try:
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):
            pass


def line_in(error: BaseException, name: str) -> int | None:
    """Return the line of the script at which an error left it."""
    if isinstance(error, SyntaxError) and error.filename == name:
        return error.lineno
    lines = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == name]
    return lines[-1] if lines else None


def main(script: str, report: str, engine: str) -> None:
    """Run the script, and write what happened to the report."""
    torch = importlib.import_module("minigrad" if engine == "minigrad" else "torch")
    for part in ("nn", "nn.functional", "optim", "utils.data"):
        importlib.import_module(f"{torch.__name__}.{part}")
    for name in ("minigrad.book", "ctypes"):     # they load libraries, so they come before the guard
        importlib.import_module(name)
    says: dict[str, Any] = {"ended": True, "error": "", "line": None, "warning": ""}
    source = Path(script).read_text(encoding="utf-8")
    limit()
    guard = Guard(os.getcwd())
    out = os.open(report, os.O_WRONLY | os.O_CREAT, 0o600)
    guard.watch_open()
    sys.addaudithook(guard)
    sys.argv = ["script.py"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)     # such as a file that is still open
        try:
            exec(compile(source, "script.py", "exec"), {"__name__": "__main__", "__builtins__": builtins})
        except SystemExit:
            says |= {"error": "SystemExit"}
        except MemoryError:
            says |= {"error": "MemoryError"}
        except BaseException as error:
            lines = traceback.format_exception_only(error)
            says |= {"error": lines[-1].strip()[:300], "line": line_in(error, "script.py")}
    if caught:
        says["warning"] = str(caught[-1].message)[:300]
    says["refused"] = guard.refused
    try:
        sys.stdout.flush()
    finally:
        os.write(out, json.dumps(says).encode())
        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:4])
