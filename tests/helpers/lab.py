"""A JupyterLab as a learner starts it, for the tests that open it in a browser, and for .ci/check_lab.py.

This module needs the standard library alone, and works on any system.
"""
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests import ROOT

SECONDS_TO_START = 600  # the first start makes .venv, too
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Lab:
    """A running server: its address, its token, the learner's folder, and requests to it."""

    def __init__(self, port, token):
        self.port, self.token, self.url = port, token, f"http://127.0.0.1:{port}"

    def ask(self, path, method="GET", token=True):
        """(status, body) of one request; the status is an HTTP one, whatever it is."""
        headers = {"Authorization": f"token {self.token}"} if token else {}
        request = urllib.request.Request(self.url + path, method=method, headers=headers)
        try:
            with DIRECT.open(request, timeout=30) as answer:
                return answer.status, answer.read().decode("utf-8")
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode("utf-8", "replace")


# What a learner calls; CHECK_BOOK_LAUNCH names another way to start JupyterLab.
LAUNCH = os.environ.get("CHECK_BOOK_LAUNCH", "").split() or [sys.executable, str(ROOT / "start.py")]
RUNNING = []  # the processes of servers
OWN_FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
               "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")


@contextlib.contextmanager
def lab(*options, layout=()):
    """`python start.py` with a home of its own, chapters of its own and a free port; it is ended, whatever
    happens inside. `lab("--teacher")` serves notebooks/. `layout` is {name of a file: how the window looks}.
    """
    signal.signal(signal.SIGTERM, interrupted)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Lab(port, secrets.token_hex(16))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        folders = {name: os.path.join(home, name.lower()) for name in OWN_FOLDERS}
        folders["MINIGRAD_CHAPTERS"] = server.chapters = os.path.join(home, "my_chapters")
        # What a check does in a page is never saved into the chapter.
        settings = Path(folders["JUPYTERLAB_SETTINGS_DIR"], "@jupyterlab", "docmanager-extension")
        settings.mkdir(parents=True)
        (settings / "plugin.jupyterlab-settings").write_text('{"autosave": false}', encoding="utf-8")
        for name in layout:
            place = Path(folders["JUPYTERLAB_WORKSPACES_DIR"], name)
            place.parent.mkdir(exist_ok=True)
            place.write_text(json.dumps(layout[name]), encoding="utf-8")
        command = [*LAUNCH, "--no-browser", f"--port={port}", "--ServerApp.port_retries=0",
                   f"--IdentityProvider.token={server.token}", *options]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(len(LAUNCH), "--allow-root")
        log = Path(home, "lab.log")
        with log.open("wb") as file:
            process = subprocess.Popen(command, env={**a_learners_environment(), **folders, "HOME": home},
                                       stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        RUNNING.append(process)
        try:
            wait_until_it_answers(server, process, log)
            yield server
        finally:
            end(server, process)
            RUNNING.remove(process)


def interrupted(*_):
    """End the servers at once: by SIGTERM nox ends a session, whose tests may need longer than they have."""
    for process in RUNNING:
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGTERM)
            else:
                process.terminate()
    raise KeyboardInterrupt


def a_learners_environment():
    """This environment, without what conftest.py sets for the kernels of tests."""
    return {name: value for name, value in os.environ.items()
            if name not in ("MINIGRAD_BOOK", "MINIGRAD_PROGRESS", "IPYKERNEL_CELL_NAME", "PYTHONPATH")}


def wait_until_it_answers(server, process, log):
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if server.ask("/api/status")[0] == 200:
                return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8', errors='replace')}")


def end(server, process):
    """Ask it to stop; if it does not, end it and all that it started."""
    with contextlib.suppress(OSError):
        server.ask("/api/shutdown", "POST")
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        if os.name == "nt":
            subprocess.call(["taskkill", "/F", "/T", "/PID", str(process.pid)])
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)


def chapters():
    """The names of the teacher's notebooks, as paths below the folder that is served."""
    return sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
