"""Run stages of CI side by side, with a nox that is installed for this run alone.

    bash .ci/run [STAGE ...]

The stages are in noxfile.py. This file chooses them, prints the table of their seconds, and looks if they
have left anything in the tree.
"""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOX = "nox==2026.10.20"
DEFAULT = ("style", "tests", "oldest", "package", "torch", "handouts", "browser")
OTHERS = ("faults", "hub", "newest", "nightly")
SECONDS_TO_END = 60  # that nox has after an interrupt


def main(names):
    unknown = set(names) - {*DEFAULT, *OTHERS}
    if unknown:
        sys.exit(f"the stages are {', '.join(DEFAULT)}, and what runs by its name alone: {', '.join(OTHERS)}")
    tags = names or [*DEFAULT, "nothing-skipped"]
    if os.environ.get("CI") or not names:
        shutil.rmtree(ROOT / ".venv", ignore_errors=True)  # as in a fresh clone
    before = tree()
    with tempfile.TemporaryDirectory(prefix="minigrad-ci-", ignore_cleanup_errors=True) as folder:
        passed = run_with_nox(Path(folder), tags)
    after = tree()
    if after != before:
        sys.exit(f"the checks left something in the tree:\n{after}")
    sys.exit(0 if passed else "not all stages have passed")


def run_with_nox(folder, tags):
    """Run the stages, print a table of their sessions, and return whether all have passed."""
    began, report = time.monotonic(), folder / "report.json"
    python, environment = folder / "nox/bin/python", environment_of(folder, tags)
    subprocess.run([sys.executable, "-m", "venv", folder / "nox"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-qq", NOX], env=environment, check=True)
    command = [python, "-m", "nox", "-f", ROOT / ".ci/noxfile.py", "-j", str(os.cpu_count() + 1),
               "--report", report, "-t", *tags]
    # In a session of its own it is interrupted once, from here.
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                          start_new_session=True) as nox:
        try:
            nox.wait()
        except BaseException:
            nox.terminate()  # noxfile.py makes an interrupt of it
            nox.wait(SECONDS_TO_END)
            raise
    sessions = json.loads(report.read_text(encoding="utf-8"))["sessions"] if report.exists() else []
    print(f"\n{'session':20} {'seconds':>7}  result")
    for one in sessions:
        print(f"{one['name']:20} {one['duration']:7.0f}  {one['result']}{': ' * bool(one['reason'])}"
              f"{one['reason'] or ''}")
    print(f"{'all':20} {time.monotonic() - began:7.0f}  {'passed' if not nox.returncode else 'FAILED'}")
    return not nox.returncode


def environment_of(folder, tags):
    return {
        **os.environ,
        "MINIGRAD_CI_FOLDER": str(folder),
        "MINIGRAD_CI_PYTHON": sys.executable,
        "MINIGRAD_CI_TESTS_FIRST": "yes" if "tests" in tags else "",
        "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(Path("~/.cache/pip").expanduser())),
        "PIP_COMPILE": "0",  # Python compiles what is imported; pip, all of PyTorch and JupyterLab
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


def tree():
    """What git says of the working tree."""
    return subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT, encoding="utf-8")


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's job in the background ignores the first one
        signal.signal(number, signal.default_int_handler)
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("interrupted")
