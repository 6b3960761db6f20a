"""Jobs that run side by side: each waits for those it needs, has a log of its own, and is timed."""
from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

RUNNING: set[subprocess.Popen] = set()
SETTLED = ("passed", "FAILED", "not run")
PATIENCE = 2700  # seconds that a command may take, on two cores that it shares with two others


class Failed(Exception):
    """A command of a job has failed; the job's log says why."""


@dataclass(eq=False)
class Job:
    """Some work, and what became of it.

    It begins when all of `needs` have passed. Those of `after` are waited for only if they run at all.
    """

    name: str
    stage: str
    work: Callable[[Job], None]
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    log: Path = Path(os.devnull)
    environment: dict[str, str] = field(default_factory=dict)
    state: str = "waiting"
    seconds: float = 0  # on the clock
    core: float = 0  # of one core, in all processes that its commands started

    def run(self, *command, cwd=None, to=None, may_fail=False, **environment):
        """Run a command to its end; return whether it passed, which it must unless it `may_fail`.

        What it prints goes into the log, or its standard output into the file `to`.
        """
        command = [str(word) for word in command]
        environment = {**os.environ, **self.environment, **environment}
        with self.log.open("ab") as log, contextlib.ExitStack() as files:
            log.write(f"$ {shlex.join(command)}\n".encode())
            log.flush()
            output = files.enter_context(Path(to).open("wb")) if to else log
            process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=log, start_new_session=True)
            status = self.wait_for(process)
            if status:
                log.write(f"it ended with {status}\n".encode())
        if status and not may_fail:
            raise Failed
        return not status

    def say(self, line):
        with self.log.open("a", encoding="utf-8") as log:
            log.write(line + "\n")

    def wait_for(self, process):
        """Wait as `process.wait` does, and count what the process and its children took of a core."""
        RUNNING.add(process)
        deadline = time.monotonic() + PATIENCE
        pid = 0
        while not pid:
            time.sleep(0.05)
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if time.monotonic() > deadline:
                deadline += PATIENCE
                self.say(f"it was ended after {PATIENCE} s")
                interrupt(process)
        process.returncode = os.waitstatus_to_exitcode(status)
        RUNNING.discard(process)
        self.core += used.ru_utime + used.ru_stime
        return process.returncode

    def do(self):
        began = time.monotonic()
        try:
            self.work(self)
            self.state = "passed"
        except Failed:
            self.state = "FAILED"
        except Exception as error:
            self.say(f"{type(error).__name__}: {error}")
            self.state = "FAILED"
        self.seconds = time.monotonic() - began

    def printed(self):
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""


def interrupt(process, seconds=20):
    """End a process as Ctrl-C does, so that it ends its servers; if it doesn't, by force."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.killpg(process.pid, signal.SIGINT)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)


def do_all(jobs, at_once, tell):
    """Do the jobs, in the order in which they are given where they may begin at the same time.

    `tell` is called with each job when it begins and when it has ended.
    """
    states = {job.name: job for job in jobs}
    running = {}
    with ThreadPoolExecutor(at_once) as pool:
        try:
            while True:
                for job in jobs:
                    if may_begin(job, states) and len(running) < at_once:
                        job.state = "running"
                        tell(job)
                        running[pool.submit(job.do)] = job
                if not running and all(job.state in SETTLED for job in jobs):
                    return
                for ended in wait(running, return_when=FIRST_COMPLETED).done:
                    tell(running.pop(ended))
        except BaseException:
            for process in list(RUNNING):
                interrupt(process)
            raise


def may_begin(job, states):
    """Whether a waiting job may begin; one that never can is settled here."""
    if job.state != "waiting":
        return False
    needed = [states[name].state for name in job.needs]
    if any(state in ("FAILED", "not run") for state in needed):
        job.state = "not run"
        return False
    awaited = [states[name].state for name in job.after if name in states]
    return all(state in SETTLED for state in [*needed, *awaited])
