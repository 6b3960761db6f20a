"""The stages of CI, as sessions of nox. A stage is a tag: it consists of the sessions that carry it.

    bash .ci/run [STAGE ...]         from a fresh clone, with a Python and its pip: a table at the end
    nox -f .ci/noxfile.py -t STAGE   the same sessions, in .nox
    nox -f .ci/noxfile.py -R -s browser -- -k player
                                     again, in the environments that exist, with options for pytest

docs/ci.md says what each stage checks.
"""
from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nox
import nox._parallel

# --- what is named of the repository, here and nowhere else
ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = (".github/workflows/tests.yml", ".github/workflows/site.yml")
FOR_THE_OLDEST = ("tests/engine", "notebooks")  # what other packages, or another processor, could break
SLOW, BROWSER, KILLED_BROWSERS = "tests/systems/faults", "tests/browser", "tests/browser/test_killed.py"
RANDOM_PROGRAMS = ("tests.random_programs", "compare", "--seeds", "500000:501000", "--most", "0.6")
# In a file of tests: what is installed?
ASKS = re.compile(r"importorskip|find_spec|needs_torch|BOTH|BACKENDS|def test_\w+\(torch\b")
ASKS_FOR_HANDOUTS = re.compile("pypandoc|typst|nbgrader")

TORCH = "torch==2.13.0"
NEWEST = ("tests/versions", "tests/book/test_parity.py", "tests/book/test_clinic.py", "tests/viz")
STYLE = ("ruff==0.17.5", "mypy==2.4.1", "check-jsonschema==0.39.0")
BUILD = ("build>=1.2,<2", "hatchling>=1.27,<2")
HUB = ("jupyterhub==6.1.*", "jupyterhub-idle-culler==2.0.*", "websocket-client==1.9.*")
RECORDED = ("tests", "handouts", "torch", "browser")  # sessions that write down what became of each test
MAY_BE_SKIPPED = {  # where everything is installed
    "it takes long": "the stage faults runs it",
    "PyTorch is not newer than the reference": "the stage newest runs it",
    "minigrad has no transformer": "PyTorch has one",
    "minigrad has no convolution": "PyTorch has one",
    "minigrad has no LSTM": "PyTorch has one",
    "minigrad has no group_norm": "PyTorch has one",
    "minigrad keeps these hooks where only it finds them": "PyTorch's are found",
    "could not import 'svglib'": "it has to be built with a system's cairo; its absence is tested",
    "minigrad's own errors have the hint without install()": "PyTorch's do not",
    "is only for root": "CI is root",
    "Python 3.10 prints no notes": "newer ones do",
}

# --- how sessions run. .ci/run sets these variables.
FOLDER = Path(os.environ.get("MINIGRAD_CI_FOLDER", ROOT / ".nox"))
PYTHON = os.environ.get("MINIGRAD_CI_PYTHON", sys.executable)
# Where `tests` runs, too, the sessions behind it leave out what has passed there.
TESTS_FIRST = ("tests",) if os.environ.get("MINIGRAD_CI_TESTS_FIRST") else ()
VENV, MORE = ROOT / ".venv/bin/python", FOLDER / "more/bin/python"
PYTEST = ("-m", "pytest", "-q", "-rs", "-n", "auto", "--dist", "loadfile")

nox.needs_version = ">=2026.8"
nox.options.envdir = str(FOLDER)
nox.options.allow_parallel = True
nox.options.tags = ["style"]
os.environ.setdefault("OMP_NUM_THREADS", "1")  # as start.py has it

SECONDS_TO_END = 20  # that a command has after an interrupt, to end the servers that it started
SECONDS_OF_A_SESSION = 2700  # on two cores that it shares with two others
signal.signal(signal.SIGTERM, signal.default_int_handler)  # nox ends a session by this signal
nox._parallel._TERMINATE_TIMEOUT = 2 * SECONDS_TO_END + 5  # then it kills; two seconds are too few
if "--parallel-worker" in sys.argv:  # a session in a process of its own
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(SECONDS_OF_A_SESSION)


def run(session, *command, **options):
    """Run a command, which need not belong to the session's environment; `env` is added to this one's."""
    return session.run(*map(str, command), external=True, interrupt_timeout=SECONDS_TO_END,
                       terminate_timeout=SECONDS_TO_END, **options)


def stage(*tags, requires=(), own_environment=False, **options):
    """Make a session of a function; without an environment of its own, it names the Python that it runs."""
    backend = {} if own_environment else {"venv_backend": "none"}

    def declare(work):
        @functools.wraps(work)
        def from_the_root(session):  # nox begins in the folder of this file
            with session.chdir(ROOT):
                work(session)
        return nox.session(tags=tags, requires=requires, default=False, **backend, **options)(from_the_root)
    return declare


# --- the two commands of the README

@stage("tests")
def start(session):
    """The first command makes .venv; JupyterLab is asked for every chapter over HTTP."""
    run(session, PYTHON, ".ci/check_lab.py")


@stage("environments", own_environment=True)
def more(session):
    """The README's environment, and all that a test may ask for."""
    session.install("-r", "requirements.txt", "-r", ".ci/requirements-more.txt")
    run(session, "python", "-m", "pip", "uninstall", "-q", "--yes", "rfc3987-syntax")  # start.py says why
    download = "python", "-m", "pip", "download", "-q", "--no-deps", "-d", FOLDER / "wheels", TORCH
    run(session, *download, success_codes=(0, 1))
    if wheels := [str(path) for path in (FOLDER / "wheels").glob("*")]:
        session.install(*wheels)
    else:
        session.warn(f"{TORCH} has no build for this Python, so nothing is compared with it")


@stage("environments")
def chromium(session):
    """Debian's own browser."""
    if not shutil.which("chromium"):
        apt = ["apt-get"] if os.geteuid() == 0 else ["sudo", "-n", "apt-get"]
        run(session, *apt, "update", "-qq")
        run(session, *apt, "install", "-y", "-qq", "--no-install-recommends", "chromium",
            env={"DEBIAN_FRONTEND": "noninteractive"})


@stage("style", own_environment=True)
def style(session):
    """ruff, mypy on the pictures and the stubs, and the form of the workflows."""
    session.install(*STYLE)
    run(session, "ruff", "check", "--no-cache", ".")
    run(session, "mypy", "--cache-dir", session.create_tmp())
    run(session, "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)


@stage("tests", requires=["start"])
def tests(session):
    """The README's second command."""
    run(session, PYTHON, "start.py", "test", *session.posargs, env=recorded("tests"))


# --- what needs more than the README's environment

@stage("browser", requires=["start", "more", "chromium"])
def browser(session):
    """What a learner and a teacher meet, in Chromium."""
    run(session, MORE, *PYTEST, BROWSER, *session.posargs, env=recorded("browser"))


@stage("handouts", requires=["more"])
def build(session):
    """All that a teacher hands out, with pandoc and typst from pip: by lesson, and by kind."""
    for only in "lesson", "student,nbgrader,slides,site,site-no-solutions":
        run(session, MORE, "-m", "minigrad.book", "build", "--only", only, "--to", FOLDER / "build",
            env=path_with(MORE))


@stage("handouts", "nightly", requires=["more", *TESTS_FIRST])
def handouts(session):
    """The tests of what a teacher hands out."""
    files = [path for path in files_that_ask() if asks_for_handouts(path)]
    tests = not_passed_yet(session, files)
    run(session, MORE, *PYTEST, *tests, *session.posargs, env=recorded("handouts") | path_with(MORE))


@stage("torch", "nightly", requires=["more", "chromium", *TESTS_FIRST])
def torch(session):
    """PyTorch itself beside minigrad: it is the judge, never a dependency."""
    files = [path for path in files_that_ask() if not asks_for_handouts(path)]
    run(session, MORE, *PYTEST, *not_passed_yet(session, files), *session.posargs, env=recorded("torch"))


@stage("torch", requires=["more"])
def random_programs(session):
    """1,000 programs, whose results PyTorch has, too."""
    if not has_torch():
        session.skip(f"{TORCH} is not installed")
    run(session, MORE, "-m", *RANDOM_PROGRAMS, "--python", MORE, "--torch-python", MORE,
        env={"PYTHONPATH": "."})


@stage("package", own_environment=True)
def package(session):
    """The pictures alone, and then all: installed from the sources by somebody else, and in every order."""
    session.install(*BUILD)
    bare, built = FOLDER / "bare", FOLDER / "distributions"
    pip = "python", "-m", "pip", "--python", bare / "bin/python"
    run(session, PYTHON, "-m", "venv", "--clear", "--without-pip", bare)
    run(session, *pip, "install", "-q", "./minigrad/viz")
    with session.chdir(FOLDER):
        run(session, bare / "bin/python", ROOT / ".ci/check_viz.py")
    run(session, *pip, "uninstall", "-q", "-y", "minigrad-viz", "graphviz", "graphviz-pure")
    run(session, *pip, "install", "-q", "./minigrad/viz", ".")
    with session.chdir(FOLDER):
        run(session, bare / "bin/python", ROOT / ".ci/check_package.py")
    for folder in ("minigrad/viz", "."):    # a source archive, and a wheel of what is in it
        run(session, "python", "-m", "build", "-n", "-o", built, folder)
    run(session, *pip, "uninstall", "-q", "-y", "minigrad-viz", "minigrad-book")
    run(session, "python", ".ci/check_orders.py", built, next(bare.rglob("site-packages")))


@stage("torch", requires=["more"])
def pictures_of_torch(session):
    """The pictures, installed alone beside a PyTorch that has neither NumPy nor minigrad."""
    if not has_torch():
        session.skip(f"{TORCH} is not installed")
    beside = FOLDER / "viz"
    run(session, PYTHON, "-m", "venv", "--clear", "--without-pip", beside)
    run(session, MORE, "-m", "pip", "--python", beside / "bin/python", "install", "-q", "./minigrad/viz")
    own = next(beside.glob("lib/python3*/site-packages"))
    for path in next((FOLDER / "more").glob("lib/python3*/site-packages")).iterdir():
        left_out = path.name.startswith("numpy") or "minigrad" in path.name     # also what leads to sources
        if not left_out and not (own / path.name).exists():
            (own / path.name).symlink_to(path)
    with session.chdir(FOLDER):
        run(session, beside / "bin/python", "-W", "ignore", ROOT / ".ci/check_viz.py")


@stage("oldest")
def oldest(session):
    """The engine and the chapters, with another Python and the oldest packages that are allowed."""
    with_the_oldest_packages(session, *FOR_THE_OLDEST)


@stage("nothing-skipped", requires=RECORDED)
def nothing_skipped(session):
    """What one environment skips has passed in another."""
    skipped, passed = {}, set()
    for name in RECORDED:
        passed |= outcomes(name)[0]
        skipped.update(outcomes(name)[1])
    known = [*MAY_BE_SKIPPED, *([] if has_torch() else ["torch", "PyTorch"])]
    left = {test: why for test, why in skipped.items()
            if test not in passed and not any(words in why for words in known)}
    session.log(f"{len(passed)} tests have passed, and {len(set(skipped) - passed)} were skipped everywhere")
    if left:
        session.error("\n".join(f"no stage runs {test}: {why}" for test, why in left.items()))


# --- what takes long, and what a change seldom breaks

@stage("nightly")
def oldest_whole(session):
    """All tests with the oldest packages."""
    with_the_oldest_packages(session)


@stage("faults", "nightly", requires=["start"])
def slow_faults(session):
    """Kills, full disks, two hundred thousand nodes, ten thousand cells."""
    run(session, VENV, *PYTEST, SLOW, env={"MINIGRAD_SLOW_TESTS": "1"})


@stage("faults", "nightly", requires=["start", "more", "chromium"])
def killed_browsers(session):
    """A browser that is killed in the middle of a save."""
    run(session, MORE, "-m", "pytest", "-q", "-rs", KILLED_BROWSERS, env={"MINIGRAD_SLOW_TESTS": "1"})


@stage("hub", "nightly", own_environment=True)
def hub(session):
    """Two simulated learners on one JupyterHub."""
    session.install("-r", "requirements.txt", *HUB)
    proxy = FOLDER / "proxy/node_modules/.bin/configurable-http-proxy"
    run(session, "npm", "install", "--silent", "--prefix", FOLDER / "proxy", proxy.name)
    run(session, "python", ".ci/check_hub.py", *session.posargs,
        env=path_with(proxy))


@stage("newest", "nightly", own_environment=True)
def newest(session):
    """The newest PyTorch that pip finds; tests/versions/differences.py says what it does differently."""
    session.install("-r", "requirements.txt")
    session.install("--upgrade", "torch")
    run(session, "python", *PYTEST, *NEWEST)
    run(session, "python", "-c", "import torch; print('compared with PyTorch', torch.__version__)")


# --- which tests

def recorded(name):
    """The environment in which pytest writes down what became of each test."""
    return {"PYTEST_ADDOPTS": f"-o junit_family=xunit1 --junitxml={shlex.quote(str(FOLDER / name))}.xml"}


def outcomes(name):
    """(the tests that passed, {a test that was skipped: why}) of what was recorded under this name."""
    path, passed, skipped = FOLDER / f"{name}.xml", set(), {}
    for case in ElementTree.parse(path).iter("testcase") if path.exists() else ():
        test = f"{case.get('file')}::{case.get('name')}"
        if case.find("skipped") is not None:
            skipped[test] = case.find("skipped").get("message")
        elif case.find("failure") is None and case.find("error") is None:
            passed.add(test)
    return passed, skipped


def files_that_ask():
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    return [path for path in files if not path.is_relative_to(BROWSER) and ASKS.search(text_of(path))]


def asks_for_handouts(path):
    return bool(ASKS_FOR_HANDOUTS.search(text_of(path)))


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def not_passed_yet(session, files):
    """The tests of these files, but not those that passed in the README's environment in this run."""
    passed = outcomes("tests")[0] if TESTS_FIRST else ()
    if not passed:
        return files
    collected = run(session, MORE, "-m", "pytest", "-q", "--collect-only", *files, silent=True)
    chosen = FOLDER / f"{session.name}.chosen"
    tests = [line for line in collected.splitlines() if "::" in line]
    chosen.write_text("".join(f"{test}\n" for test in tests if test not in passed), encoding="utf-8")
    return [f"@{chosen}"]


def has_torch():
    return any((FOLDER / "more").glob("lib/python3*/site-packages/torch"))


# --- another Python

def with_the_oldest_packages(session, *paths):
    """`start.py test` in a copy in a folder with an odd name, with the oldest packages that are allowed.

    Matrices are multiplied as on an old processor, so a stored digit that depends on it is noticed.
    """
    python = another_python() or session.skip("this machine has no other Python")
    copy = FOLDER / f"Prüfung mit einem anderen Python ({session.name})"
    constraints = FOLDER / f"{session.name}.txt"
    shutil.rmtree(copy, ignore_errors=True)
    names = run(session, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", silent=True)
    for name in filter(None, names.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    oldest = re.findall(r"^([a-z-]+)>=([0-9.]+),", text_of("requirements.txt"), re.MULTILINE)
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in oldest), encoding="utf-8")
    with session.chdir("/"):
        run(session, python, copy / "start.py", "test", "-q", *paths, *session.posargs,
            env={"PIP_CONSTRAINT": str(constraints), "OPENBLAS_CORETYPE": "Prescott"})
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
    """Whether there is such a program, and it isn't a shim that leads to no Python or to another one."""
    try:
        version = subprocess.check_output([python, "-c", "import sys; print(sys.version_info[1])"],
                                          stderr=subprocess.DEVNULL, text=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return version.strip() == str(number)


def path_with(program):
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
