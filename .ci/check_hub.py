"""A class on one server: JupyterHub, configured as docs/servers.md shows, and simulated learners. Each logs
in, gets a home with the chapters, opens one, runs it from top to bottom, answers a prediction, and saves.
Somebody who isn't on the list is told so.

    python .ci/check_hub.py [--learners 30] [--over 60] [--chapter 6]

The learners begin at once, or one after the other within `--over` seconds. They speak HTTP and websockets as
JupyterLab does; there is no browser. What each of them saved is read from their home and compared with what
was sent. The table says how long each step took, and what each learner's processes hold while all chapters
are open. It needs Linux; in this Python the project's requirements, jupyterhub, jupyterhub-idle-culler and
websocket-client; in PATH, configurable-http-proxy. It listens on 127.0.0.1 only.
"""
import argparse
import contextlib
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import psutil
import requests
import websocket
from requests.cookies import get_cookie_header

ROOT = Path(__file__).resolve().parents[1]
PASSWORD = "for a try"
PATIENCE = 600  # seconds that a learner waits for one answer
STEPS = ("log_in", "wait_for_server", "open_chapter", "run_chapter", "save", "compare")
PICTURE = "data:image/svg+xml"
HERE_ONLY = """
c.JupyterHub.bind_url = "http://127.0.0.1:{}"
c.JupyterHub.hub_port = {}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{}"
"""


def need(condition, complaint):
    if not condition:
        sys.exit(f"check_hub: {complaint}")


def configuration(homes, ports):
    """What docs/servers.md shows, with other homes, a password, and ports of this machine."""
    page = (ROOT / "docs" / "servers.md").read_text(encoding="utf-8")
    shown = re.search(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[1]
    for printed, here in ('Path.home() / "homes"', f"Path({str(homes)!r})"), ('"..."', f'"{PASSWORD}"'):
        need(shown.count(printed) == 1, f"docs/servers.md shows another configuration, without {printed}")
        shown = shown.replace(printed, here)
    return shown + HERE_ONLY.format(*ports)


def free_ports(count):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@contextlib.contextmanager
def hub(folder, names):
    """(address, process) of a JupyterHub with homes in `folder`; it is ended with all that it started."""
    ports = free_ports(3)
    (folder / "jupyterhub_config.py").write_text(configuration(folder / "homes", ports), encoding="utf-8")
    (folder / "learners.txt").write_text("\n".join(names), encoding="utf-8")
    paths = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
             "PYTHONPATH": str(ROOT)}
    with (folder / "hub.log").open("wb") as log:
        process = psutil.Popen([sys.executable, "-m", "jupyterhub"], cwd=folder, env={**os.environ, **paths},
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    started = []
    try:
        url = f"http://127.0.0.1:{ports[0]}"
        need(answers(url + "/hub/api", process), (folder / "hub.log").read_text("utf-8", "replace"))
        yield url, process
        started = process.children(recursive=True)
    finally:
        with contextlib.suppress(psutil.Error):
            process.terminate()
            process.wait(60)
        for left in [process, *started]:
            with contextlib.suppress(psutil.Error):
                left.kill()


def answers(url, process, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(requests.RequestException):
            if requests.get(url, timeout=5).ok:
                return True
        time.sleep(0.2)
    return False


class Learner:
    """What one learner's browser sends, and when each step was done."""

    def __init__(self, number, home, notebook, url, start):
        self.name, self.home, self.notebook, self.url, self.start = home.name, home, notebook, url, start
        self.choice = "ABC"[number % 3]  # so that a mix-up of two learners shows
        self.web, self.seconds = requests.Session(), {}

    def work(self):
        """Do everything in turn; return what went wrong, if anything did."""
        time.sleep(max(0, self.start - time.monotonic()))
        for step in STEPS:
            try:
                getattr(self, step)()
            except Exception as error:  # the others go on
                return f"{self.name}: {step}: {type(error).__name__}: {str(error)[:300]}"
            self.passed(step)
        return None

    def passed(self, step):
        self.seconds.setdefault(step, time.monotonic() - self.start)

    def cookie(self, path):
        return next(one.value for one in self.web.cookies if one.name == "_xsrf" and one.path == path)

    def ask(self, method, path, **more):
        """A request to the learner's own server."""
        answer = self.web.request(method, f"{self.url}/user/{self.name}/{path}", timeout=PATIENCE, **more)
        answer.raise_for_status()
        return answer

    def log_in(self):
        page = self.url + "/hub/login"
        self.web.get(page, timeout=PATIENCE).raise_for_status()
        form = {"username": self.name, "password": PASSWORD, "_xsrf": self.cookie("/hub/")}
        self.web.post(page, data=form, timeout=PATIENCE).raise_for_status()

    def wait_for_server(self):
        """Read the events that the page "Your server is starting up" reads."""
        path = f"/hub/api/users/{self.name}/server/progress?_xsrf={self.cookie('/hub/')}"
        events = self.web.get(self.url + path, stream=True, timeout=PATIENCE)
        events.raise_for_status()
        last = [json.loads(line[5:]) for line in events.iter_lines() if line.startswith(b"data:")][-1]
        if not last.get("ready"):
            raise RuntimeError(last["message"])

    def open_chapter(self):
        page = self.ask("GET", "lab").text
        self.web.headers["X-XSRFToken"] = self.cookie(f"/user/{self.name}/")
        for script in re.findall(rf'<script[^>]+src="/user/{self.name}/([^"]+)"', page):
            self.ask("GET", script)
        self.content = nbformat.from_dict(self.ask("GET", f"api/contents/{self.notebook}").json()["content"])
        session = {"path": self.notebook, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        self.kernel = self.ask("POST", "api/sessions", json=session).json()["kernel"]["id"]

    def run_chapter(self):
        cells = self.content.cells
        at, self.question = next((at, found[1]) for at, cell in enumerate(cells)
                                 if (found := re.match(r'predict\("(.+?)"\)', cell.source)))
        answer = f'predict("{self.question}", "{self.choice}", "certain")'
        cells.insert(at + 1, nbformat.v4.new_code_cell(answer))
        path = f"/user/{self.name}/api/kernels/{self.kernel}/channels"
        cookies = get_cookie_header(self.web.cookies, requests.Request("GET", self.url + path))
        address = self.url.replace("http", "ws") + path
        channel = websocket.create_connection(address, cookie=cookies, timeout=PATIENCE)
        with contextlib.closing(channel):
            for count, cell in enumerate((cell for cell in cells if cell.cell_type == "code"), 1):
                cell.execution_count, cell.outputs = count, list(run(channel, cell.source))
                if PICTURE in str(cell.outputs):
                    self.passed("first_picture")
                failed = [one.evalue for one in cell.outputs if one.output_type == "error"]
                tags = set(cell.metadata.get("tags", []))
                announced = "raises-exception" in tags and not tags & {"exercise", "check"}
                if failed and not announced:
                    raise RuntimeError(f"{cell.source[:80]!r} raised {failed[0]}")

    def save(self):
        self.ask("PUT", f"api/contents/{self.notebook}",
                 json={"type": "notebook", "format": "json", "content": self.content})

    def compare(self):
        """What is in the home is whole, and the learner's own."""
        saved = nbformat.read(self.home / self.notebook, as_version=4)
        nbformat.validate(saved)
        plain = [[(cell.source, cell.get("outputs")) for cell in one.cells] for one in (saved, self.content)]
        stored = json.loads((self.home / "progress.json").read_text(encoding="utf-8"))["predictions"]
        answer = {self.question: {"choice": self.choice, "confidence": "certain", "revealed": True}}
        if plain[0] != plain[1] or stored != answer:
            raise RuntimeError("the home does not hold what was sent")


def a_stranger_is_told(url, homes):
    """A misspelt name gets a sentence that says so, and no home."""
    web = requests.Session()
    web.get(url + "/hub/login", timeout=PATIENCE)
    said = web.post(url + "/hub/login", timeout=PATIENCE, data={
        "username": "lerner0", "password": PASSWORD, "_xsrf": web.cookies["_xsrf"]})
    need(said.status_code == 403 and "Nobody in this class is called" in said.text and "lerner0" in said.text,
         f"a stranger is told {said.status_code}: {said.text[-2000:]}")
    need(not (homes / "lerner0").exists(), "a stranger has a home")


def run(channel, source):
    """Run a cell in a kernel; its outputs, as a notebook stores them."""
    own = uuid.uuid4().hex
    channel.send(json.dumps({
        "header": {"msg_id": own, "msg_type": "execute_request", "username": "", "session": own,
                   "version": "5.3"}, "parent_header": {}, "metadata": {}, "channel": "shell", "buffers": [],
        "content": {"code": source, "silent": False, "allow_stdin": False, "stop_on_error": False}}))
    awaited = {"execute_reply", "idle"}
    while awaited:
        frame, message = channel.recv_data()
        message = json.loads(message) if frame == websocket.ABNF.OPCODE_TEXT else {"parent_header": {}}
        if message["parent_header"].get("msg_id") == own:
            kind = message["header"]["msg_type"]
            awaited -= {kind, message["content"].get("execution_state")}
            if kind in ("stream", "display_data", "execute_result", "error"):
                yield nbformat.v4.output_from_msg(nbformat.from_dict(message))


def held_by_all(hub_process):
    """{(learner, "JupyterLab" or "kernel"): [megabytes, seconds of a core]}; the hub's own are under "".

    Memory that processes share is counted in parts (PSS).
    """
    held = {}
    for process in [hub_process, *hub_process.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            kind = "kernel" if "ipykernel_launcher" in process.cmdline() else "JupyterLab"
            sums = held.setdefault((process.environ().get("JUPYTERHUB_USER", ""), kind), [0, 0])
            sums[0] += process.memory_full_info().pss / 2**20
            sums[1] += sum(process.cpu_times()[:2])
    return held


def report(learners, held):
    def row(what, numbers):
        if numbers:
            print(f"{what:40} {statistics.median(numbers):8.1f} {max(numbers):8.1f}")
    print(f"{'':40} {'median':>8} {'worst':>8}")
    for step in (*STEPS[:3], "first_picture", *STEPS[3:]):
        times = [one.seconds[step] for one in learners if step in one.seconds]
        row(f"seconds until done: {step.replace('_', ' ')}", times)
    for at, unit in enumerate(("megabytes", "seconds of a core")):
        for kind in ("JupyterLab", "kernel"):
            each = [two[at] for (name, which), two in held.items() if name and which == kind]
            row(f"{unit}: a learner's {kind}", each)
        rest = sum(two[at] for key, two in held.items() if not key[0])
        print(f"{unit}: the hub {rest:.0f}, all together {sum(two[at] for two in held.values()):.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=2)
    parser.add_argument("--over", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--chapter", type=int, default=6)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        homes = [folder / "homes" / f"learner{number}" for number in range(options.learners)]
        notebook = next((ROOT / "notebooks").glob(f"{options.chapter:02}_*.ipynb")).name
        with hub(folder, [home.name for home in homes]) as (url, process), \
                ThreadPoolExecutor(len(homes)) as room:
            a_stranger_is_told(url, folder / "homes")
            starts = [time.monotonic() + options.over * at / len(homes) for at in range(len(homes))]
            learners = [Learner(at, home, notebook, url, starts[at]) for at, home in enumerate(homes)]
            failures = [one for one in room.map(Learner.work, learners) if one]
            report(learners, held_by_all(process))
        errors = re.findall(r"^\[E .* JupyterHub .*", (folder / "hub.log").read_text("utf-8"), re.MULTILINE)
    need(not failures, "\n".join([f"{len(failures)} learners failed", *failures, *errors[-20:]]))
    print(f"check_hub: {len(learners)} learners ran {notebook} on one JupyterHub; what they saved is whole")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # all servers are ended then, too
    main()
