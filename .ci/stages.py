"""The stages of CI, and what each of their jobs does.

    bash .ci/run [STAGE ...]

Without a name: all that a change can break. `nightly` is what that leaves out because it takes long.
docs/ci.md says what each stage checks.
"""
from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

from jobs import Failed, Job, do_all

# --- what is named of the repository, here and nowhere else in this folder
ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = (".github/workflows/tests.yml", ".github/workflows/site.yml")
# What other packages, or another processor, could break; and what is slow. Of places, those that exist.
FOR_THE_OLDEST = ("tests/engine", "notebooks")
SLOW = ("tests/systems/faults", "tests/faults")
RANDOM_PROGRAMS = ("tests.random_programs", "compare", "--seeds", "500000:501000", "--most", "0.6")
# In a file of tests: what is installed?
ASKS = re.compile("importorskip|find_spec|needs_torch|BOTH|BACKENDS")
ASKS_FOR_HANDOUTS = re.compile("pypandoc|typst|nbgrader")

TORCH = "torch==2.13.0"
NEWEST = ("tests/versions", "tests/book/test_parity.py", "tests/book/test_clinic.py", "tests/viz")
HUB = ("jupyterhub==6.1.*", "jupyterhub-idle-culler==2.0.*", "websocket-client==1.9.*")
MAY_BE_SKIPPED = {  # where everything is installed
    "it takes long": "the stage faults runs it",
    "PyTorch is not newer than the reference": "the stage newest runs it",
    "minigrad has no transformer": "PyTorch has one",
    "minigrad has no convolution": "PyTorch has one",
    "could not import 'svglib'": "it has to be built with a system's cairo; its absence is tested",
    "minigrad's own errors have the hint without install()": "PyTorch's do not",
    "is only for root": "CI is root",
    "Python 3.10 prints no notes": "newer ones do",
}

SCRATCH = Path(tempfile.mkdtemp(prefix="minigrad-ci-"))
VENV = ROOT / ".venv/bin/python"
TOOLS, MORE, BARE, HUBS, NEW = (SCRATCH / name / "bin/python"
                                for name in ("tools", "more", "bare", "hub", "newest"))
PIP = ("-m", "pip", "install", "-qq")
PYTEST = ("-m", "pytest", "-q", "-rs", "-n", "auto", "--dist", "loadfile")
ENVIRONMENT = {
    "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(Path("~/.cache/pip").expanduser())),
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    "OMP_NUM_THREADS": "1",  # as start.py has it
}
JOBS = []


def part_of(stage, needs=(), after=()):
    """Make a job of a function, and put it into a stage."""
    def declare(work):
        name = work.__name__.replace("_", " ")
        log = SCRATCH / f"{work.__name__}.log"
        JOBS.append(Job(name, stage, work, needs, after, log, ENVIRONMENT))
        return work
    return declare


# --- environments, each made once. A job that stands further up begins first.

@part_of("environments")
def tools(job):
    """What the README's environment lacks: ruff, the schema of workflows, the driver of a browser, axe."""
    job.run(sys.executable, "-m", "venv", SCRATCH / "tools")
    job.run(TOOLS, *PIP, "-r", ".ci/requirements.txt")


@part_of("environments")
def chromium(job):
    if shutil.which("chromium"):
        return
    apt = ["apt-get"] if os.geteuid() == 0 else ["sudo", "-n", "apt-get"]
    job.run(*apt, "update", "-qq")
    job.run(*apt, "install", "-y", "-qq", "--no-install-recommends", "chromium",
            DEBIAN_FRONTEND="noninteractive")


# --- the two commands of the README

@part_of("tests")
def start(job):
    """The first command makes .venv; JupyterLab is asked for every chapter over HTTP."""
    job.run(sys.executable, ".ci/check_lab.py")


@part_of("style", needs=("tools",))
def style(job):
    job.run(TOOLS, "-m", "ruff", "check", "--no-cache", ".")
    job.run(TOOLS, "-m", "mypy", "--cache-dir", SCRATCH / "mypy")
    job.run(SCRATCH / "tools/bin/check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)


@part_of("tests", needs=("start",))
def tests(job):
    job.run(sys.executable, "start.py", "test", PYTEST_ADDOPTS=recorded("tests"))


# --- what needs more than the README's environment

@part_of("environments", needs=("start",))
def more(job):
    """The README's environment again, and all that a test may ask for."""
    shutil.copytree(ROOT / ".venv", SCRATCH / "more", symlinks=True)
    wheels = SCRATCH / "wheels"
    if not job.run(MORE, "-m", "pip", "download", "-qq", "--no-deps", "-d", wheels, TORCH, may_fail=True):
        job.say(f"{TORCH} has no build for this Python, so nothing is compared with it")
    job.run(MORE, *PIP, "-r", ".ci/requirements-more.txt", *wheels.glob("*"))


@part_of("browser", needs=("start", "tools", "chromium"))
def chapters(job):
    job.run(TOOLS, ".ci/check_browser.py", "chapters")


@part_of("handouts", needs=("more",))
def build(job):
    """All that a teacher hands out, with pandoc and typst from pip: by lesson, and by kind."""
    for only in "lesson", "student,nbgrader,slides,site,site-no-solutions":
        job.run(MORE, "-m", "minigrad.book", "build", "--only", only, "--to", SCRATCH / "build",
                PATH=path_with(MORE))


@part_of("handouts", needs=("more",), after=("tests",))
def handouts(job):
    files = [path for path in files_that_ask() if asks_for_handouts(path)]
    tests = not_passed_yet(job, files)
    job.run(MORE, *PYTEST, *tests, PYTEST_ADDOPTS=recorded("handouts"), PATH=path_with(MORE))


@part_of("torch", needs=("more", "chromium"), after=("tests",))
def torch(job):
    """PyTorch itself beside minigrad: it is the judge, never a dependency."""
    files = [path for path in files_that_ask() if not asks_for_handouts(path)]
    job.run(MORE, *PYTEST, *not_passed_yet(job, files), PYTEST_ADDOPTS=recorded("torch"))


@part_of("torch", needs=("more",))
def random_programs(job):
    if has_torch():
        job.run(MORE, "-m", *RANDOM_PROGRAMS, "--python", MORE, "--torch-python", MORE, PYTHONPATH=".")


@part_of("browser", needs=("start", "tools", "chromium"))
def first_hours(job):
    job.run(TOOLS, ".ci/check_browser.py", "learner", "player")


@part_of("browser", needs=("more", "tools", "chromium"))
def pages(job):
    job.run(TOOLS, ".ci/check_browser.py", "reader", "hostile", "--python", MORE)


@part_of("package", needs=("tools",))
def package(job):
    """The pictures alone, and then all: installed from the sources by somebody else, and in every order."""
    job.run(sys.executable, "-m", "venv", "--without-pip", SCRATCH / "bare")
    pip = (TOOLS, "-m", "pip", "--python", BARE)
    job.run(*pip, "install", "-qq", "./minigrad/viz")
    job.run(BARE, ROOT / ".ci/check_viz.py", cwd=SCRATCH)
    job.run(*pip, "uninstall", "-qq", "-y", "minigrad-viz", "graphviz", "graphviz-pure")
    job.run(*pip, "install", "-qq", "./minigrad/viz", ".")
    job.run(BARE, ROOT / ".ci/check_package.py", cwd=SCRATCH)
    for folder in ("minigrad/viz", "."):    # a source archive, and a wheel of what is in it
        job.run(TOOLS, "-m", "build", "-n", "-o", SCRATCH / "distributions", folder)
    job.run(*pip, "uninstall", "-qq", "-y", "minigrad-viz", "minigrad-book")
    packages = next((SCRATCH / "bare").rglob("site-packages"))
    job.run(TOOLS, ".ci/check_orders.py", SCRATCH / "distributions", packages)


@part_of("torch", needs=("more", "tools"))
def pictures_of_torch(job):
    """The pictures, installed alone beside a PyTorch that has neither NumPy nor minigrad."""
    if not has_torch():
        return
    beside = SCRATCH / "viz"
    job.run(sys.executable, "-m", "venv", "--without-pip", beside)
    job.run(TOOLS, "-m", "pip", "--python", beside / "bin/python", "install", "-qq", "./minigrad/viz")
    own = next(beside.glob("lib/python3*/site-packages"))
    for path in next((SCRATCH / "more").glob("lib/python3*/site-packages")).iterdir():
        left_out = path.name.startswith("numpy") or "minigrad" in path.name     # also what leads to sources
        if not left_out and not (own / path.name).exists():
            (own / path.name).symlink_to(path)
    job.run(beside / "bin/python", "-W", "ignore", ROOT / ".ci/check_viz.py", cwd=SCRATCH)


@part_of("oldest")
def oldest(job):
    with_the_oldest_packages(job, *existing(FOR_THE_OLDEST))


@part_of("tests", needs=("tests", "handouts", "torch"))
def nothing_skipped(job):
    """What one environment skips has passed in another."""
    skipped, passed = {}, set()
    for name in ("tests", "handouts", "torch"):
        passed |= outcomes(name)[0]
        skipped.update(outcomes(name)[1])
    known = [*MAY_BE_SKIPPED, *([] if has_torch() else ["torch", "PyTorch"])]
    left = {test: why for test, why in skipped.items()
            if test not in passed and not any(words in why for words in known)}
    job.say(f"{len(passed)} tests have passed, and {len(set(skipped) - passed)} were skipped everywhere")
    for test, why in left.items():
        job.say(f"no stage runs {test}: {why}")
    if left:
        raise Failed


# --- what takes long, and what a change seldom breaks

@part_of("nightly")
def oldest_whole(job):
    with_the_oldest_packages(job)


@part_of("faults", needs=("start",))
def slow_faults(job):
    """Kills, full disks, two hundred thousand nodes, ten thousand cells."""
    job.run(VENV, *PYTEST, *existing(SLOW), MINIGRAD_SLOW_TESTS="1")


@part_of("faults", needs=("start", "tools", "chromium"))
def killed_browsers(job):
    job.run(TOOLS, ".ci/check_faults.py")


@part_of("hub", needs=("start",))
def hub(job):
    """Two simulated learners on one JupyterHub."""
    shutil.copytree(ROOT / ".venv", SCRATCH / "hub", symlinks=True)
    job.run(HUBS, *PIP, *HUB)
    job.run("npm", "install", "--silent", "--prefix", SCRATCH / "proxy", "configurable-http-proxy")
    proxy = SCRATCH / "proxy/node_modules/.bin/configurable-http-proxy"
    job.run(HUBS, ".ci/check_hub.py", PATH=path_with(proxy))


@part_of("newest", needs=("start",))
def newest(job):
    """The newest PyTorch that pip finds; tests/versions/differences.py says what it does differently."""
    shutil.copytree(ROOT / ".venv", SCRATCH / "newest", symlinks=True)
    job.run(NEW, *PIP, "--upgrade", "torch")
    job.run(NEW, *PYTEST, *existing(NEWEST), PYTEST_ADDOPTS=recorded("newest"))
    job.run(NEW, "-c", "import torch; print('compared with PyTorch', torch.__version__)")


DEFAULT = ("style", "tests", "oldest", "package", "torch", "handouts", "browser")
NIGHTLY = ("nightly", "faults", "hub", "newest")
WHOLE = {"torch", "handouts"}  # jobs that leave nothing out where `tests` has not run, as in a nightly run


# --- which tests

def recorded(name):
    """The options with which pytest writes down what became of each test."""
    return f"-o junit_family=xunit1 --junitxml={shlex.quote(str(SCRATCH / name))}.xml"


def outcomes(name):
    """(the tests that passed, {a test that was skipped: why}) of what was recorded under this name."""
    path, passed, skipped = SCRATCH / f"{name}.xml", set(), {}
    for case in ElementTree.parse(path).iter("testcase") if path.exists() else ():
        test = f"{case.get('file')}::{case.get('name')}"
        if case.find("skipped") is not None:
            skipped[test] = case.find("skipped").get("message")
        elif case.find("failure") is None and case.find("error") is None:
            passed.add(test)
    return passed, skipped


def existing(names):
    return [name for name in names if (ROOT / name).exists()]


def files_that_ask():
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [path.relative_to(ROOT) for path in files if ASKS.search(path.read_text(encoding="utf-8"))]


def asks_for_handouts(path):
    return bool(ASKS_FOR_HANDOUTS.search((ROOT / path).read_text(encoding="utf-8")))


def not_passed_yet(job, files):
    """The tests of these files, but not those that passed in the README's environment in this run."""
    passed, _ = outcomes("tests")
    if not passed:
        return files
    collected, chosen = SCRATCH / f"{job.name}.collected", SCRATCH / f"{job.name}.chosen"
    job.run(MORE, "-m", "pytest", "-q", "--collect-only", *files, to=collected)
    tests = [line for line in collected.read_text(encoding="utf-8").splitlines() if "::" in line]
    chosen.write_text("".join(f"{test}\n" for test in tests if test not in passed), encoding="utf-8")
    return [f"@{chosen}"]


def has_torch():
    return any((SCRATCH / "wheels").glob("torch-*"))


# --- another Python

def with_the_oldest_packages(job, *paths):
    """`start.py test` in a copy in a folder with an odd name, with the oldest packages that are allowed.

    Matrices are multiplied as on an old processor, so a stored digit that depends on it is noticed.
    """
    python = another_python()
    if not python:
        job.say("not run: this machine has no other Python")
        return
    copy, constraints = SCRATCH / "Prüfung mit einem anderen Python", SCRATCH / "oldest.txt"
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, names):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    bounds = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    oldest = re.findall(r"^([a-z-]+)>=([0-9.]+),", bounds, re.MULTILINE)
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in oldest), encoding="utf-8")
    job.run(python, copy / "start.py", "test", "-q", *paths, cwd="/",
            PIP_CONSTRAINT=str(constraints), OPENBLAS_CORETYPE="Prescott")
    shutil.rmtree(copy)


def another_python():
    """The oldest Python that is supported and not this one."""
    for number in range(10, 15):
        pyenv = sorted(Path("~/.pyenv/versions").expanduser().glob(f"3.{number}.*/bin/python"))
        for python in [f"python3.{number}", *pyenv]:
            if number != sys.version_info.minor and runs(python, number):
                return python
    return None


def runs(python, number):
    try:
        version = subprocess.check_output([python, "-c", "import sys; print(sys.version_info[1])"],
                                          stderr=subprocess.DEVNULL, text=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return version.strip() == str(number)


def path_with(program):
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"


def git(*words):
    return subprocess.check_output(["git", *words], cwd=ROOT, encoding="utf-8")


# --- the run

def chosen_jobs(names):
    """The jobs of these stages, and what they need."""
    stages = set(names or DEFAULT)
    wanted = set()
    if "nightly" in stages:
        stages.update(NIGHTLY)
        wanted.update(WHOLE)
    wanted.update(job.name for job in JOBS if job.stage in stages)
    if names:
        wanted.discard("nothing skipped")  # it needs three stages
    for job in reversed(JOBS):
        if job.name in wanted:
            wanted.update(job.needs)
    return [job for job in JOBS if job.name in wanted]


def tell(job):
    if job.state == "running":
        print(f"-- {clock()}: {job.name} begins", flush=True)
    else:
        print(f"\n== {clock()}: {job.name}: {job.state}\n{job.printed()}", flush=True)


def clock():
    seconds = int(time.monotonic() - BEGAN)
    return f"{seconds // 60}:{seconds % 60:02}"


def table(jobs):
    print(f"\n{'stage':13} {'job':18} {'seconds':>7} {'of a core':>9}  result, and the last line of its log")
    for job in jobs:
        last = [line for line in job.printed().splitlines() if not line.startswith("$ ")][-1:]
        result = ": ".join([job.state, *last])
        print(f"{job.stage:13} {job.name:18} {job.seconds:7.0f} {job.core:9.0f}  {result:.100}")
    core = sum(job.core for job in jobs)
    print(f"{'':13} {'all':18} {time.monotonic() - BEGAN:7.0f} {core:9.0f}", flush=True)


def main(names):
    stages = {job.stage for job in JOBS} - {"environments"}
    if not stages.issuperset(names):
        sys.exit(f"the stages are {', '.join(sorted(stages))}, and without a name: {', '.join(DEFAULT)}")
    jobs = chosen_jobs(names)
    if os.environ.get("CI") or not names:
        shutil.rmtree(ROOT / ".venv", ignore_errors=True)  # as in a fresh clone
    before = git("status", "--porcelain")
    do_all(jobs, os.cpu_count() + 1, tell)
    table(jobs)
    after = git("status", "--porcelain")
    if after != before:
        sys.exit(f"the checks left something in the tree:\n{after}")
    failed = [job.name for job in jobs if job.state != "passed"]
    if failed:
        sys.exit(f"not passed: {', '.join(failed)}")
    print("All checks passed")


if __name__ == "__main__":
    BEGAN = time.monotonic()
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    try:
        main(sys.argv[1:])
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
