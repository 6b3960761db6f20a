"""What goes wrong in a room with thirty laptops, on purpose: kills, full disks, clocks, and much at once.

A few run always. The others need up to three minutes, and run where MINIGRAD_SLOW_TESTS is 1.
"""
from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests import ROOT

slow = pytest.mark.skipif(os.environ.get("MINIGRAD_SLOW_TESTS") != "1", reason="it takes long")
can_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


def start(*arguments: str, **more) -> subprocess.Popen:
    """This Python, in a group of processes of its own, which `kill` ends as a power cut would."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen([sys.executable, *arguments], env=environment, start_new_session=True, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def kill(process: subprocess.Popen) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def run(*arguments: str, **more) -> subprocess.CompletedProcess:
    process = start(*arguments, **more)
    out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)
