"""Set up once, then open the chapters or run the tests. The same on Linux, macOS and Windows.

    python start.py          open the chapters in JupyterLab
    python start.py test     run all the tests, and every chapter from top to bottom

Anything added is handed on: `python start.py --no-browser`, `python start.py test -k hooks`. Everything is
installed into the folder .venv beside this file, and nowhere else; delete that folder to undo it.
"""
import sys

if sys.version_info < (3, 10):  # this file avoids newer syntax, so that an old Python comes as far as here
    sys.exit("minigrad needs Python 3.10 or newer, and this is Python %d.%d. Install a newer one beside it, "
             "then name that: python3.12 start.py, or on Windows: py -3.12 start.py" % sys.version_info[:2])

import hashlib
import json
import os
import shutil
import signal
import subprocess
from importlib.util import find_spec

ROOT = os.path.dirname(os.path.realpath(__file__))
CHAPTERS = os.path.join(ROOT, "notebooks")
VENV = os.path.join(ROOT, ".venv")
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BIN, "python.exe" if os.name == "nt" else "python")
FINISHED = os.path.join(VENV, "set-up.json")  # written last: where it stands, the set-up was finished
TRUSTED = os.path.join(VENV, "trusted.json")  # the chapters as they were when they were last trusted

HEALTHY = "import sys, importlib.util as i; sys.exit(not all(map(i.find_spec, %r)))" % (
    ["IPython", "graphviz", "ipykernel", "jupyterlab", "minigrad", "nbformat", "nbval", "numpy", "pytest"],)
TRUST = """
import sys, nbformat, nbformat.sign
notary = nbformat.sign.NotebookNotary()
for path in sys.argv[1:]:
    try:
        notebook = nbformat.read(path, as_version=4)
        if not notary.check_signature(notebook):
            notary.sign(notebook)
    except Exception as error:
        print("%s cannot be read as a notebook: %s" % (path, error), file=sys.stderr)
"""
LAB_SETTINGS = {  # no question about news at the first start, and nothing asked of the network
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}
NO_NETWORK = ("connection broken", "NewConnectionError", "Max retries", "ProxyError", "timed out",
              "getaddrinfo", "name resolution")


def main(arguments):
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    set_up()
    if arguments[:1] == ["test"]:
        return run([PYTHON, "-m", "pytest"] + arguments[1:])
    trust_chapters()
    return run([PYTHON, "-m", "jupyterlab"] + arguments + [CHAPTERS])


def set_up():
    """Make .venv what requirements.txt asks for; when it is that already, this takes a blink."""
    with open(os.path.join(ROOT, "requirements.txt"), "rb") as file:
        wanted = [ROOT, hashlib.sha256(file.read().replace(b"\r\n", b"\n")).hexdigest()]
    made = read_json(FINISHED)
    usable = bool(made) and made[0] == ROOT and succeeds([PYTHON, "-I", "-c", HEALTHY])
    if usable and made == wanted:
        return
    say("Bringing .venv up to date ..." if usable else
        "Setting up: about 330 MB go into .venv, once. This takes a minute or so ...")
    try:
        if not usable:
            create_venv()
        pip_install(PYTHON, ["-r", "requirements.txt"])
        settings = os.path.join(VENV, "share", "jupyter", "lab", "settings")
        os.makedirs(settings, exist_ok=True)
        write_json(os.path.join(settings, "overrides.json"), LAB_SETTINGS)
        write_json(FINISHED, wanted)
    except BaseException as error:
        if not usable:
            shutil.rmtree(VENV, ignore_errors=True)
        if isinstance(error, KeyboardInterrupt):
            sys.exit("\nStopped. The next run begins the set-up again.")
        if isinstance(error, subprocess.CalledProcessError):
            sys.exit("Setting up stopped, no virtual environment could be made:\n%s" % error.output)
        if isinstance(error, OSError):
            sys.exit("Setting up stopped: %s. Close whatever still runs from .venv, then try again." % error)
        raise
    say("Set up.")


def create_venv():
    """A new .venv with a pip in it. A system's Python may lack ensurepip; then its own pip lends a hand."""
    has_ensurepip = find_spec("ensurepip") is not None
    if find_spec("venv") is None or not (has_ensurepip or find_spec("pip")):
        sys.exit("This Python lacks what makes a virtual environment (venv and ensurepip). On Debian and "
                 "Ubuntu: sudo apt install python3-venv. Then run this again.")
    options = ["--clear"] if has_ensurepip else ["--clear", "--without-pip"]
    answer([sys.executable, "-m", "venv"] + options + [VENV])
    if not has_ensurepip:
        packages = answer([PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
        pip_install(sys.executable, ["--target", packages.strip(), "pip"])


def trust_chapters():
    """JupyterLab shows drawings only in notebooks that the user trusts, and git does not carry that along."""
    names = [name for name in sorted(os.listdir(CHAPTERS)) if name.endswith(".ipynb")]
    chapters = [os.path.join(CHAPTERS, name) for name in names]
    digest = hashlib.sha256(repr([os.path.expanduser("~"), os.environ.get("JUPYTER_DATA_DIR")]).encode())
    for path in chapters:
        with open(path, "rb") as file:
            digest.update(file.read())
    if read_json(TRUSTED) != digest.hexdigest():
        if subprocess.call([PYTHON, "-c", TRUST] + chapters, env=environment()) == 0:
            write_json(TRUSTED, digest.hexdigest())


def pip_install(python, arguments):
    """Run pip behind one line that moves; what it printed is shown only if it fails for no plain reason."""
    options = ["--no-input", "--no-user", "--disable-pip-version-check", "--progress-bar", "off"]
    process = subprocess.Popen([python, "-m", "pip", "install"] + options + arguments, cwd=ROOT,
                               env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, universal_newlines=True, errors="replace")
    printed = []
    try:
        for line in process.stdout:
            printed.append(line)
            if sys.stderr.isatty():
                sys.stderr.write("\r  %-76.76s" % line.strip())
        if sys.stderr.isatty():
            sys.stderr.write("\r%79s\r" % "")
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        raise
    if process.wait() == 0:
        return
    if any(sign in line for line in printed for sign in NO_NETWORK):
        sys.exit("Setting up stopped: pip cannot reach the package index. Check the network (or the proxy), "
                 "then run this again; nothing half-done was left behind.")
    say("".join(printed[-15:]))
    sys.exit("Setting up stopped: pip failed, and its last lines stand above.")


def run(command):
    """Run it to its end. Ctrl-C reaches it by itself: it must answer, and we must wait for the answer."""
    signal.signal(signal.SIGINT, lambda *_: None)
    process = subprocess.Popen(command, cwd=ROOT, env=environment())
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    return process.wait()


def environment():
    """The caller's environment with .venv first, and no path by which other packages could slip in."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return dict(clean, VIRTUAL_ENV=VENV, PATH=BIN + os.pathsep + os.environ.get("PATH", os.defpath))


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def answer(command):
    """What a short command prints."""
    return subprocess.check_output(command, env=environment(), stdin=subprocess.DEVNULL,
                                   stderr=subprocess.STDOUT, universal_newlines=True)


def succeeds(command):
    try:
        answer(command)
        return True
    except (OSError, subprocess.CalledProcessError):
        return False


def say(line):
    sys.stderr.write(line.rstrip() + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
