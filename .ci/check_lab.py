"""JupyterLab, started as a learner starts it, serves the learner's own chapters: to this machine, by token,
trusted, and without solutions. Started as a teacher starts it, it serves the chapters of notebooks/.

    python .ci/check_lab.py

Standard library alone, and any system. `lab()` is shared with check_browser.py.
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
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
SECONDS_TO_START = 120
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
OWN_FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
               "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")


@contextlib.contextmanager
def lab(*options, launch=LAUNCH, own_folders=OWN_FOLDERS):
    """`python start.py` with a home of its own, chapters of its own and a free port; it is ended, whatever
    happens inside. `lab("--teacher")` serves notebooks/."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Lab(port, secrets.token_hex(16))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        folders = {name: os.path.join(home, name.lower()) for name in own_folders}
        folders["MINIGRAD_CHAPTERS"] = server.chapters = os.path.join(home, "my_chapters")
        # What a check does in a page is never saved into the chapter.
        settings = Path(folders["JUPYTERLAB_SETTINGS_DIR"], "@jupyterlab", "docmanager-extension")
        settings.mkdir(parents=True)
        (settings / "plugin.jupyterlab-settings").write_text('{"autosave": false}', encoding="utf-8")
        command = [*launch, "--no-browser", f"--port={port}", "--ServerApp.port_retries=0",
                   f"--IdentityProvider.token={server.token}", *options]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(len(launch), "--allow-root")
        log = Path(home, "lab.log")
        with log.open("wb") as file:
            process = subprocess.Popen(command, env={**os.environ, **folders, "HOME": home},
                                       stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        try:
            wait_until_it_answers(server, process, log)
            yield server
        finally:
            end(server, process)


def wait_until_it_answers(server, process, log):
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if server.ask("/api/status")[0] == 200:
                return
        time.sleep(0.1)
    sys.exit(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8', errors='replace')}")


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
    """The names of the chapters, as paths below the folder that is served."""
    return sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


def need(condition, complaint):
    """End the check that was started, in its name, unless the condition holds."""
    if not condition:
        sys.exit(f"{Path(sys.argv[0]).stem}: {complaint}")


def listening_addresses(port):
    """The local addresses on which this port listens, as the kernel's own table has them; Linux only."""
    found = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        rows = table.read_text(encoding="utf-8").splitlines()[1:] if table.exists() else []
        for local, state in ((row.split()[1], row.split()[3]) for row in rows):
            address, number = local.split(":")
            if state == "0A" and int(number, 16) == port:
                found.add(address)
    return found


LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


def main():
    own = [name for name in chapters() if name[0].isdigit()]  # not the gallery, which has no questions
    need(own, "there is no chapter in notebooks/")
    serves(own)
    serves(chapters(), "--teacher")
    print(f"check_lab: JupyterLab serves a learner's {len(own)} chapters and the teacher's {len(chapters())} "
          "notebooks, trusted, on this machine only")


def serves(names, *options):
    with lab(*options) as server:
        need(server.ask("/api/contents", token=False)[0] == 403, "the contents are served without the token")
        where = listening_addresses(server.port)
        need(where <= LOOPBACK, f"it listens on {where}, which others can reach")
        listed = json.loads(server.ask("/api/contents")[1])["content"]
        need(sorted(item["name"] for item in listed if item["type"] == "notebook") == names, "other files")
        for name in names:
            status, body = server.ask("/api/contents/" + quote(name))
            need(status == 200, f"{name} is not served: {status}")
            model = json.loads(body)
            need(model["type"] == "notebook" and model["content"]["cells"], f"{name} has no cells")
            hidden = [place for place, cell in enumerate(model["content"]["cells"])
                      if cell["cell_type"] == "code" and not cell["metadata"].get("trusted")]
            need(not hidden, f"{name}: drawings in the cells {hidden} would not show, they are not trusted")
            need(options or "SOLUTION" not in body, f"{name}: a learner gets a solution")
        status, body = server.ask("/doc/tree/" + quote(names[0]))
        need(status == 200 and "jupyter-config-data" in body, f"no page of JupyterLab for {names[0]}")
        kernels = json.loads(server.ask("/api/kernelspecs")[1])["kernelspecs"]
        need("python3" in kernels, f"there is no Python kernel, only {sorted(kernels)}")


if __name__ == "__main__":
    main()
