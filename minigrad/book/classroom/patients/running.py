"""Runs a learner's repaired script in a process of its own, and says in a sentence how that ended."""
from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import IO, Any

from ..reading import Misread
from ..verdict import code
from .backend import for_minigrad

SECONDS = 30.            # by the clock; a script of this book needs less than five
OUTPUT = 100_000         # bytes
SOURCE = 200_000         # letters
ROOT = Path(__file__).resolve().parents[4]
ENGINES = ("minigrad", "torch")


@dataclass(frozen=True)
class Ran:
    """How a script ran: the number in its last line (None: it printed none), its output, and a sentence.

    `says` is empty if the script ended by itself, without an error, and printed a number.
    """

    number: float | None
    output: str
    says: str
    seconds: float

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.output.rstrip(), self.says)))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.output)}</pre>" + (f"<p>{escape(self.says)}</p>" if self.says else "")


def run(source: Any, on: str = "minigrad", seconds: float = SECONDS) -> Ran:
    """Run a script in a process of its own, in an empty folder that is deleted afterwards.

    Time, memory and output have limits; the script can't write or delete files outside its folder, start
    processes or use the network. Whatever happens to it, this program goes on.

    Raises:
        Misread: `source` is no text, or there is no such engine.
    """
    if not isinstance(source, str):
        raise Misread(f"A script is a text, as `source` is; {code(repr(source), 40)} isn't one.")
    if on not in ENGINES:
        raise Misread(f'A script runs on "minigrad" or on "torch"; {code(repr(on), 40)} is neither.')
    if not source.strip():
        return Ran(None, "", "The script is empty.", 0.)
    if len(source) > SOURCE:
        return Ran(None, "", f"The script has {len(source):,} letters; more than {SOURCE:,} aren't read.", 0.)
    if on == "torch" and importlib.util.find_spec("torch") is None:
        return Ran(None, "", 'PyTorch isn\'t installed here; `on="minigrad"` gives the same number.', 0.)
    text = (for_minigrad(source) if on == "minigrad" else source).encode("utf-8", "replace")
    with tempfile.TemporaryDirectory(prefix="patient-", ignore_cleanup_errors=True) as place:
        folder, report = Path(place, "empty"), Path(place, "report")
        folder.mkdir()
        Path(place, "script.py").write_bytes(text)
        began = time.monotonic()
        output, ended = in_a_process([str(Path(place, "script.py")), str(report), on], folder, seconds)
        took = time.monotonic() - began
        said = read_report(report)
    shown = output.decode("utf-8", "replace")
    if ended:
        return Ran(None, shown, ended, took)
    number = last_number(shown)
    return Ran(number, shown, sentence(said, number), took)


def in_a_process(words: list[str], folder: Path, seconds: float) -> tuple[bytes, str]:
    """Return the output, and why the process was stopped; empty: it ended by itself."""
    new = {"start_new_session": True} if os.name == "posix" else {}
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG", "LD_LIBRARY_PATH", "HOME")
            if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "minigrad.book.classroom.patients.sandbox", *words], cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **new,
        env={**kept, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
             "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
             "TMPDIR": str(folder), "TEMP": str(folder), "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1",
             "MINIGRAD_BOOK": "text"})
    found: list[bytes] = []
    too_much = threading.Event()

    def read(pipe: IO[bytes]) -> None:
        size = 0
        with pipe:
            while piece := pipe.read1(8192):
                found.append(piece[:max(0, OUTPUT - size)])
                size += len(piece)
                if size > OUTPUT and not too_much.is_set():
                    too_much.set()
                    kill(process)

    reader = threading.Thread(target=read, args=(process.stdout,), daemon=True)
    reader.start()
    ended = ""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        ended = f"The script was stopped after {seconds:g} seconds. Does it have a loop that never ends?"
    finally:
        stop(process)
        reader.join(5)
    if too_much.is_set():
        ended = f"The script was stopped, for it printed more than {OUTPUT // 1000} kB. What prints so much?"
    return b"".join(found), ended


def stop(process: subprocess.Popen) -> None:
    """End a process and those that it started, and wait until it has ended."""
    kill(process)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)


def kill(process: subprocess.Popen) -> None:
    """End a process and those that it started; one that has ended is left alone."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except AttributeError:      # Windows has neither name
        process.kill()
    except OSError:             # it has ended
        pass


def read_report(report: Path) -> dict[str, Any] | None:
    """Return what the sandbox wrote; None: the process ended before it could."""
    try:
        return json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def last_number(output: str) -> float | None:
    """Return the last word of the last line as a number; None: it isn't one."""
    words = output.split()
    try:
        return float(words[-1]) if words else None
    except ValueError:
        return None


def sentence(said: dict[str, Any] | None, number: float | None) -> str:
    """Return what to say about the end of a script; empty: it is as it should be."""
    if said is None:
        return "The script ended its own process, so nothing after that ran. What calls `exit`?"
    if said.get("refused"):
        return (f"The script tried to {said['refused']}. That isn't allowed here, and nothing was changed.")
    if said["error"] == "SystemExit":
        return "The script calls `exit`, so nothing after that ran."
    if said["error"] == "MemoryError":
        return "The script needs too much memory. Which tensor is so large?"
    if said["error"]:
        where = f"Line {said['line']}" if said["line"] else "The script"
        return f"{where} raises an error: {said['error']}"
    if number is None:
        return "The script runs to its end, but its last line prints no number."
    if said["warning"]:
        return f"The script warns: {said['warning']}"
    return "" if not math.isnan(number) else "The script prints nan."
